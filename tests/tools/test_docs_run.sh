# SPDX-License-Identifier: BSD-3-Clause
# tools/docs-run runs the blocks of a document and believes only exit codes.
. "${0%/*}/../test.sh"

# Replaces pavior: succeeds on `good`, else ends with code 2; records its arguments.
mkdir build
cat >build/pavior <<'END'
#!/bin/sh
[ "$1" = doctor ] && echo '  gone   no: there is none' && exit 0
echo "$*" >>"$NOTES"
grep -q good || exit 2
END
chmod +x build/pavior
NOTES=$PWD/notes
export NOTES
printf "SOURCE='%s'\nBUILD='%s'\nPAVIOR='%s'\nCC='%s'\nFLAGS='%s'\n" \
    "$SOURCE" "$BUILD" "$PWD/build/pavior" "$CC" "$FLAGS" >build/env.sh
docs_run() { "$SOURCE/tools/docs-run" build doc.md; }
ends_with() { docs_run >out 2>&1; [ "$(tail -n 1 out)" = "$1" ]; }
noted() { : >notes; docs_run; [ "$(cat notes)" = "$1" ]; }

printf '```pav\ngood\n```\n```\nno code\n```\n' >doc.md
check 'a description is run' noted 'run --steps 2 -'
check 'and counted' ends_with '1 passed, 0 failed'
printf '```pav\nbad\n```\n' >doc.md
refuse 'a failing block is named by file and line' 1 'FAILED doc.md:1: pav block ended with exit code 2' docs_run
printf '<!-- fails -->\n\n```pav\nbad\n```\n' >doc.md
check 'a block that must fail' ends_with '1 passed, 0 failed'
printf '<!-- fails -->\n```pav\ngood\n```\n' >doc.md
check 'a block that must fail and does not' ends_with '0 passed, 1 failed'
printf '<!-- fails -->\n```pav\nbad\n```\nwords\n```text\nit says this\n```\n' >doc.md
check 'and what it is to say' ends_with '1 passed, 1 failed'
printf '<!-- fails -->\n```pav\nbad\n```\nwords\n```text\n```\n```text\nother\n```\n' >doc.md
check 'which is in the next block only' ends_with '2 passed, 0 failed'
printf '<!-- explain -->\n```pav\ngood\n```\n' >doc.md
check 'a block to be explained' noted 'explain -'
printf '<!-- run -->\n```pav\ngood\n```\n' >doc.md
check 'a block to be run to its end' noted 'run -'
printf '<!-- fails -->\ntext between\n```pav\ngood\n```\n' >doc.md
check 'a marker holds for the very next block only' ends_with '1 passed, 0 failed'
printf '<!-- norun: needs a GPU -->\n```pav\nbad\n```\n' >doc.md
check 'a block not to be run' ends_with '0 passed, 0 failed'
refuse 'says why' 0 'skipped: doc.md:2: needs a GPU' docs_run
printf '<!-- needs gone -->\n```sh\nfalse\n```\n<!-- needs here -->\n```pav\ngood\n```\n' >doc.md
check 'a block whose device is not here is left out' ends_with '1 passed, 0 failed'
refuse 'for the reason that doctor has' 0 'skipped: doc.md:2: there is none' docs_run
printf '```sh\necho hello >file\n```\n```sh\ncat file\n```\n' >doc.md
check 'commands of one document share a folder' ends_with '2 passed, 0 failed'
printf '```sh\nfalse\ntrue\n```\n' >doc.md
check 'the first failing command ends a block' ends_with '0 passed, 1 failed'
printf '* item\n\n  ```c\n  #include <pavior.h>\n  int main(void) { return pav_version()[0] == 0; }\n  ```\n' >doc.md
check 'C is compiled, linked and run' ends_with '1 passed, 0 failed'
printf '```c\nint main(void) { return 1; }\n```\n' >doc.md
check 'C that fails' ends_with '0 passed, 1 failed'
printf '```c\nint x = nonsense;\nint main(void) { return 0; }\n```\n' >doc.md
check 'C that does not compile' ends_with '0 passed, 1 failed'
printf '```bash\ntrue\n```\n' >doc.md
refuse 'an unknown kind is not passed over' 1 "a block of kind 'bash'" docs_run
printf '```sh\ntrue\n' >doc.md
refuse 'a block that is not closed' 1 'unclosed' docs_run
finish
