# SPDX-License-Identifier: BSD-3-Clause
# tools/tally adds up closing lines and counts every irregular end as a failure.
. "${0%/*}/../test.sh"
tally=$SOURCE/tools/tally

# The output of ctest --verbose for one program: number, name, status, lines from the standard input.
program() {
    printf 'test %s\n    Start %s: %s\n\n%s: Test command: /bin/x\n' "$1" "$1" "$2" "$1"
    sed "s/^/$1: /"
    printf '1/2 Test  #%s: %s ......   %s    0.01 sec\n' "$1" "$2" "$3"
}
end() { printf '\n%s tests passed, %s tests failed out of %s\n' 50% 1 "$1"; }

ends_with() { [ "$("$tally" <"$1" | tail -n 1)" = "$2" ]; }

{ echo '3 passed, 0 failed' | program 1 lang Passed
  echo '4 passed, 0 failed' | program 2 plan Passed; end 2; } >good
check 'all passed' "$tally" <good
check 'closing lines are added up' ends_with good '7 passed, 0 failed'
sed 's/^50% tests passed, 1 tests failed out of /100% tests passed out of /' good >newer
check 'newer ctests say it in fewer words' ends_with newer '7 passed, 0 failed'

{ printf 'x.c:3: a\n3 passed, 2 failed\n' | program 1 lang '***Failed'; end 1; } >bad
refuse 'a failure is shown and makes exit code 1' 1 'x.c:3: a' "$tally" <bad
check 'failures are added up' ends_with bad '3 passed, 2 failed'
before_the_end() { "$tally" <"$1" >said; cat said; tail -n 4 said | grep -qF -e "$2"; }
check 'and are said once more at the end' before_the_end bad '  lang: 2 failed, Failed'
check 'each by its line' before_the_end bad '      x.c:3: a'

{ echo 'hello' | program 1 lang '***Exception: SegFault'; end 1; } >crash
check 'a crash is one failure' ends_with crash '0 passed, 1 failed'
refuse 'a crash is named' 1 'Exception: SegFault' "$tally" <crash

{ echo '3 passed, 0 failed' | program 1 lang '***Failed'; end 1; } >code
check 'an exit code is believed over the closing line' ends_with code '3 passed, 1 failed'

{ echo 'all is well' | program 1 lang Passed; end 1; } >mute
refuse 'a program must count' 1 'no closing line' "$tally" <mute
{ echo '0 passed, 0 failed' | program 1 lang Passed; end 1; } >none
check 'nothing counted is a failure' ends_with none '0 passed, 1 failed'
{ printf '3 passed, 0 failed\nand more\n' | program 1 lang Passed; end 1; } >late
check 'the closing line is the last' ends_with late '0 passed, 1 failed'

{ : | program 1 lang '***Not Run'; end 1; } >absent
check 'a program that is not there is a failure' ends_with absent '0 passed, 1 failed'
{ echo '3 passed, 0 failed' | program 1 lang Passed; } >broken
check 'a ctest that breaks off is a failure' ends_with broken '3 passed, 1 failed'
{ echo '3 passed, 0 failed' | program 1 lang Passed; end 2; } >fewer
refuse 'a program that never ended is missed' 1 'something did not run' "$tally" <fewer
echo 'No tests were found!!!' >empty
check 'no tests at all is a failure' ends_with empty '0 passed, 1 failed'

{ printf 'skipped: the C++ header: no g++\n3 passed, 0 failed\n' | program 1 lang Passed; end 1; } >skips
says() { "$tally" <"$1" | grep -qF "$2"; }
check 'what is skipped is said' says skips 'skipped: the C++ header: no g++'
check 'and counted' ends_with skips '3 passed, 0 failed, 1 skipped: the C++ header'
{ printf 'skipped: a.md:3: no\nskipped: a GPU: no: none\n3 passed, 0 failed\n' | program 1 lang Passed
  printf 'skipped: a.md:20: no\n3 passed, 1 failed\n' | program 2 plan '***Failed'; end 2; } >kinds
check 'each kind is named once' ends_with kinds '6 passed, 1 failed, 3 skipped: a GPU, a.md'
{ printf 'skipped: all of it: no GPU\n0 passed, 0 failed\n' | program 3 gpu Passed
  grep -v ' failed out of ' good; end 3; } >idle
check 'a program that says what it skipped may count nothing' ends_with idle '7 passed, 0 failed, 1 skipped: all of it'
{ printf 'skipped: all of it: no GPU\n0 passed, 0 failed\n' | program 1 gpu Passed; end 1; } >nothing
leaves_a_file() {
    mkdir -p tree/tools && cp "$tally" tree/tools && git -C tree init --quiet || return 2
    { cat good; sleep 1; touch tree/left-over; } | tree/tools/tally
}
refuse 'a file that a test leaves in the tree is a failure' 1 'files in the source tree: left-over' leaves_a_file
check 'it tells how many tests ended and the time left' says good '1 of 2, 0:00 left'
refuse 'but then something else must have passed' 1 '0 passed, 0 failed' "$tally" <nothing
finish
