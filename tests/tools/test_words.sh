# SPDX-License-Identifier: BSD-3-Clause
# tools/words finds words in comments that the field has others for.
. "${0%/*}/../test.sh"

command -v python3 >/dev/null || { echo 'skipped: words: there is no python3'; finish; }

mkdir src
echo '/* What is read beside it. */' >src/a.c
refuse 'a word of a comment' 1 "src/a.c:1: 'beside': say next to" "$SOURCE/tools/words"
printf '/* In the first\n * cache. */\n' >src/a.c
refuse 'two words on two lines' 1 "src/a.c:1: 'first cache': say L1" "$SOURCE/tools/words"
echo 'int near; /* `beside` is a name */ char *a = "/* beside */";' >src/a.c
check 'names and strings' "$SOURCE/tools/words"
echo 'int cuda_beside(int);' >src/b.c
refuse 'a word of an identifier' 1 "src/b.c:1: 'cuda_beside': say neighbour" "$SOURCE/tools/words"
mkdir cli
echo 'static void tell_all(void);' >cli/c.c
refuse 'another' 1 "cli/c.c:1: 'tell_all': say report" "$SOURCE/tools/words"
rm cli/c.c
echo 'int besides(int); /* `held` */ char *a = "held";' >src/b.c
check 'whole words of identifiers alone' "$SOURCE/tools/words"
finish
