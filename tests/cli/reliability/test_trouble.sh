# SPDX-License-Identifier: BSD-3-Clause
# Failing runs: exit code 1, one clear message, and no partial result.
. "${0%/*}/../../test.sh"

cat >hot.pav <<'END'
grid  x 16, y 8
field u = where(x == 5 and y == 3, 1, 0)
param a = 1
u' = u + a*laplace(u)
border u = 0
output u into "hot.npy"
steps 10000
END
cat >long.pav <<'END'
grid  x 64, y 64
field u = x
u' = u + 0.1*laplace(u)
border neumann
output u into "long.npy"
measure top = max(u) every 20 into "top.csv"
steps 1000000000
END
cat >broken.pav <<'END'
grid x 8
field u = 1
u' = u
steps 2
expect max(u) == 2
expect min(u) == 1
END

sed '/== 2/d' broken.pav >good.pav
sed 's/= u$/= v/' broken.pav >bad.pav

# ---- values ----
refuse 'an unstable scheme is told by field'  1 'field u is not finite'  "$PAVIOR" run hot.pav
refuse 'by step'                              1 'after step'             "$PAVIOR" run hot.pav
refuse 'by place'                             1 'at point ('             "$PAVIOR" run hot.pav
refuse 'with a hint'                          1 'time step'              "$PAVIOR" run hot.pav
check  'and nothing is written'               test ! -e hot.npy
refuse 'a summary comes nevertheless'         1 'Gpts/s'                 "$PAVIOR" run hot.pav
after() { # the step after which it was found
    "$PAVIOR" run hot.pav --no-files --json "$@" 2>/dev/null | grep -o 'after step [0-9]*' | head -n 1
}
first=$(after | tr -dc 0-9)
watched() { # every: it is found at the next multiple
    echo "first $first, now $(after --check-nan "$1")"
    [ "$(after --check-nan "$1" | tr -dc 0-9)" = $(((first + $1 - 1) / $1 * $1)) ]
}
check  'a watch finds it at its next look'    watched 7
check  'however seldom that is'               watched 1000
unwatched() { "$PAVIOR" run hot.pav --check-nan never --steps 2000 && grep -qa NUMPY hot.npy; }
check  'without a watch nothing is found'     unwatched
rm -f hot.npy
refuse 'an expectation that fails is told'    1 'max(u) == 2'            "$PAVIOR" run broken.pav
refuse 'with both sides'                      1 'the sides are 1 and 2'  "$PAVIOR" run broken.pav
echo "grid x 4
field u = log(x - 2)
u' = u
steps 1" >start.pav
refuse 'an initial value that is NaN is told' 1 'at the start'           "$PAVIOR" run start.pav

sed '/^steps/d' good.pav >endless.pav
refuse 'a run without steps is told so'       2 'how many steps to take' "$PAVIOR" run endless.pav
check  'and has nothing to sum up'            test -z "$("$PAVIOR" run endless.pav 2>/dev/null)"

# ---- JSON in every case ----
object() { # exit code, status, text, command...: one JSON object with that status and message
    want=$1 status=$2 text=$3
    shift 3
    "$@" >out.json 2>err
    code=$?
    cat out.json err
    [ $code = "$want" ] && [ "$(wc -l <out.json)" = 1 ] &&
        grep -qF -e "{\"status\": \"$status\", \"message\": " out.json && grep -qF -e "$text" out.json &&
        { ! command -v python3 >/dev/null || python3 -c 'import json
def once(pairs):
    assert len(dict(pairs)) == len(pairs), "a name stands twice"
    return dict(pairs)
d = json.load(open("out.json"), object_pairs_hook=once)
assert isinstance(d["steps"], int) and (d["status"] == "PAV_OK") == (d["message"] is None)'; }
}
check 'a good run has a status, no message'   object 0 PAV_OK 'null' "$PAVIOR" run good.pav --json
check 'a failed run says why in JSON'         object 1 PAV_ENOTFINITE 'field u is not finite' "$PAVIOR" run hot.pav --json
check 'with the step that it reached'         grep -q '"steps": [1-9]' out.json
check 'and what was done until there'         grep -q '"gpts"' out.json
check 'so does an expectation'                object 1 PAV_EEXPECT 'max(u) == 2' "$PAVIOR" run broken.pav --json
check 'a description with mistakes'           object 2 PAV_ESYNTAX 'unknown name' "$PAVIOR" run bad.pav --json
check 'a missing file'                        object 2 PAV_EINVAL 'no-such.pav' "$PAVIOR" run no-such.pav --json
check 'a missing device'                      object 2 PAV_EINVAL 'abacus' "$PAVIOR" run broken.pav --json --device abacus
check 'no description'                        object 2 PAV_EINVAL 'description' "$PAVIOR" run --json
check 'an unknown option before --json'       object 2 PAV_EINVAL '--stepz' "$PAVIOR" run --stepz 3 --json
check 'a number that is none'                 object 2 PAV_EINVAL 'whole number' "$PAVIOR" run broken.pav --steps x --json
odd=$(printf 'a"\\b\t\n\001\377\303\251.pav')
check 'a name with quotes, controls, bytes'   object 2 PAV_EINVAL '\u0022' "$PAVIOR" run "./$odd" --json
check 'a run without JSON keeps stdout clean' sh -c '[ -z "$("$1" run no-such.pav 2>&1 >/dev/null | grep status)" ]' sh "$PAVIOR"
reported() { "$PAVIOR" run broken.pav --quiet --report why.json; grep -q '"status": "PAV_EEXPECT"' why.json; }
check 'a report says why, too'                reported

# ---- misspelt words ----
refuse 'an option nearly right'               2 'did you mean --steps?'  "$PAVIOR" run broken.pav --stpes 3
refuse 'with a value behind ='                2 'did you mean --report?' "$PAVIOR" run broken.pav --reprot=x
refuse 'an option that is nothing like it'    2 'known are --set'        "$PAVIOR" run broken.pav --frobnicate
refuse 'a command nearly right'               2 "did you mean 'explain'" "$PAVIOR" explian broken.pav
refuse 'a command that is nothing like it'    2 'the commands are run'   "$PAVIOR" frobnicate
refuse 'help of such a command'               2 "did you mean 'run'"     "$PAVIOR" help rnu

# ---- interruption ----
# Shells start background jobs with SIGINT ignored, so SIGTERM stands for it here.
interrupt() { # signal: sent once the run has begun
    begin_run long.pav
    kill -s "$1" $run
    wait $run
}
interrupted() { # signal: ends with 1, a summary and a message
    interrupt "$1"
    code=$?
    cat said
    [ $code = 1 ] && grep -q 'stopped after step' said && grep -q 'Gpts/s' said
}
check  'SIGTERM ends a run cleanly'           interrupted TERM
check  'what is due at the end is written'    test "$(wc -c <long.npy)" = $((128 + 64 * 64 * 8))
check  'the message says so'                  grep -q 'the final files hold that step' said
check  'no temporary file is left'            test -z "$(find . -name '.pavior-*')"
check  'what was recorded is kept'            grep -q '^20,20,[0-9.]*$' top.csv
rm -f top.csv
has_rows() { [ "$(wc -l <top.csv 2>/dev/null || echo 0)" -gt 2 ]; }
kill_hard() { # rows are in the file within a second or so, without an end
    "$PAVIOR" run long.pav >said 2>&1 &
    run=$!
    wait_for $run has_rows
    kill -s KILL $run
    wait $run 2>/dev/null
    cat said
    [ "$(wc -l <top.csv)" -gt 2 ] && tail -n 1 top.csv | grep -q '^[0-9]*,[0-9]*,[0-9.]*$'
}
check  'a run that is killed leaves its rows' kill_hard
if command -v python3 >/dev/null; then
    cat >interrupt.py <<'END'
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
said = ''
while not said.startswith('step') and run.poll() is None:
    said = run.stdout.readline().decode()
run.send_signal(signal.SIGINT)
said = run.communicate(timeout=600)[0].decode()
print(said)
sys.exit(0 if run.returncode == 1 and 'stopped after step' in said and 'Gpts/s' in said else 1)
END
    rm -f top.csv
    check 'Ctrl-C ends a run cleanly'         python3 interrupt.py "$PAVIOR" run long.pav
    check 'what was recorded is kept then'    grep -q '^20,20,[0-9.]*$' top.csv
else
    skip 'Ctrl-C ends a run cleanly' 'python3 is missing'
fi

# ---- files ----
cat >writes.pav <<'END'
grid x 8
field u = 1
u' = u
output u into "u.npy"
steps 2
END
check  'a directory that is not there is made' "$PAVIOR" run writes.pav --out made/new/dir
check  'and written to'                       test "$(wc -c <made/new/dir/u.npy)" = $((128 + 8 * 8))
mkdir closed
chmod a-w closed
if [ "$(id -u)" = 0 ]; then
    skip 'a directory that may not be written' 'the superuser may write everywhere'
else
    refuse 'a directory that may not be written' 1 'closed/u.npy'        "$PAVIOR" run writes.pav --out closed
fi
echo >file
refuse 'a file is no directory'               2 'file is wanted as a directory' "$PAVIOR" run writes.pav --out file
mkdir u.npy
refuse 'a directory in the place of a file'       2 'u.npy'                  "$PAVIOR" run writes.pav
rmdir u.npy
rm -f u.npy
refuse 'a report that cannot be written'      2 'nowhere/report: No such file' "$PAVIOR" run writes.pav --report nowhere/report
check  'is told before the first step'        test ! -e u.npy
refuse 'nor is a folder a report'             2 'Is a directory; give --report a file' "$PAVIOR" run writes.pav --report .
refuse 'a figure that cannot be written is told before the first row' 2 'nowhere/f.svg cannot be written: No such file' \
    "$PAVIOR" bench heat2d@8x8 --repetitions 1 --figure nowhere/f.svg
mkfifo pipe
piped() { cat pipe >report.txt & "$PAVIOR" run writes.pav --no-files --quiet --report pipe && wait && grep -q '"status"' report.txt; }
check  'a report goes through a pipe'         piped
check  'and to standard output'               sh -c '"$1" run writes.pav --no-files --quiet --report /dev/stdout | grep -q status' sh "$PAVIOR"
mkdir reports
echo '{"old": 1}' >reports/report
limited() { # through a pipe: what it says must not go into a file either
    { (ulimit -f 0; trap '' XFSZ; "$PAVIOR" run writes.pav --no-files --quiet --report reports/report)
      echo $? >code; } 2>&1 | cat
    return "$(cat code)"
}
refuse 'a report that does not fit'           1 'reports/report: File too large' limited
check  'leaves the one before'                grep -q old reports/report
check  'and nothing else'                     test "$(ls reports)" = report
input() { "$PAVIOR" run - <.; }
refuse 'standard input that cannot be read'   2 'standard input cannot be read: Is a directory' input
if [ -w /dev/full ]; then
    full() { "$PAVIOR" "$@" >/dev/full; }
    refuse 'a full disk behind run'           1 'could not be written'   full run writes.pav
    refuse 'a full disk behind explain'       1 'could not be written'   full explain writes.pav
    refuse 'a full disk behind catalogue'     1 'could not be written'   full catalogue
    refuse 'a full disk behind help'          1 'could not be written'   full help
    refuse 'a full disk behind the version'   1 'could not be written'   full --version
    refuse 'a full disk behind the report'    1 'could not be written'   "$PAVIOR" run writes.pav --report /dev/full
fi
finish
