# SPDX-License-Identifier: BSD-3-Clause
# tools/prose refuses comments and documents above its limits.
. "${0%/*}/../test.sh"

mkdir -p tree/tools tree/src/f/a
cp "$SOURCE/tools/prose" tree/tools
git init -q tree
holds() { # file, how often, sentence: a document, or a comment, of so many sentences
    : >"tree/$1"
    for word in $(seq "$2"); do
        case $1 in *.c) echo "/* $3 */" ;; *) printf '%s\n\n' "$3" ;; esac >>"tree/$1"
    done
    git -C tree add .
}
clear='The kernel reads four planes of the field and stores one plane.'
riddle='What is left of the one that follows is that which the last begins with.'
middling='The plane that follows is read by the threads of the next block of the grid, and the others wait.'

holds page.md 20 "$clear" && holds src/f/a/a.c 20 "$clear"
check 'clear sentences pass'                    tree/tools/prose
holds src/f/a/a.c 1 "$riddle" && holds src/f/a/b.c 20 "$clear"
refuse 'a passage of relative words in a folder' 1 'src/f/a: 1.0 passages above 15' tree/tools/prose
refuse 'its place is shown'                     1 'src/f/a/a.c:1: What is left' tree/tools/prose
rm tree/src/f/a/b.c
holds src/f/a/a.c 20 "$middling"
refuse 'a folder of many relative words'        1 'src/f/a: 5.0 relative words' tree/tools/prose
holds src/f/a/a.c 1 "$clear"
holds page.md 20 "The kernel reads four planes of the field, and then it stores one plane of the field, \
and then it waits for the next."
refuse 'a document of long sentences'           1 'page.md: 24.0 words a sentence' tree/tools/prose
finish
