# SPDX-License-Identifier: BSD-3-Clause
# Runs that go wrong: exit code 1, one clear message, and nothing half done.
. "${0%/*}/../test.sh"

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
measure top = max(u) every 1000 into "top.csv"
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

# ---- values ----
refuse 'an unstable scheme is told by field'  1 'field u is not finite'  "$PAVIOR" run hot.pav
refuse 'by step'                              1 'after step'             "$PAVIOR" run hot.pav
refuse 'by place'                             1 'at point ('             "$PAVIOR" run hot.pav
refuse 'with a hint'                          1 'time step'              "$PAVIOR" run hot.pav
check  'and nothing is written'               test ! -e hot.npy
refuse 'a summary comes nevertheless'         1 'Gpts/s'                 "$PAVIOR" run hot.pav
refuse 'a watch now and then finds it too'    1 'field u is not finite'  "$PAVIOR" run hot.pav --watch 1000
refuse 'an expectation that fails is told'    1 'max(u) == 2'            "$PAVIOR" run broken.pav
refuse 'with both sides'                      1 'the sides are 1 and 2'  "$PAVIOR" run broken.pav
echo "grid x 4
field u = log(x - 2)
u' = u
steps 1" >start.pav
refuse 'an initial value that is NaN is told' 1 'at the start'           "$PAVIOR" run start.pav

# ---- interruption ----
# Shells start background jobs with SIGINT ignored, so SIGTERM stands for it here.
interrupt() { # signal: sent once the run has begun
    "$PAVIOR" run long.pav >said 2>&1 &
    run=$!
    waited=0
    until grep -q '^step' said || [ $waited = 100 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
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
check  'no output is half written'            test ! -e long.npy
check  'no temporary file is left'            test -z "$(find . -name '*long.npy*')"
check  'what was recorded is kept'            test -s top.csv
if command -v python3 >/dev/null; then
    cat >interrupt.py <<'END'
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
said = ''
while not said.startswith('step') and run.poll() is None:
    said = run.stdout.readline().decode()
run.send_signal(signal.SIGINT)
said = run.communicate(timeout=60)[0].decode()
print(said)
sys.exit(0 if run.returncode == 1 and 'stopped after step' in said and 'Gpts/s' in said else 1)
END
    rm -f top.csv
    check 'Ctrl-C ends a run cleanly'         python3 interrupt.py "$PAVIOR" run long.pav
    check 'what was recorded is kept then'    test -s top.csv
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
refuse 'an output without a directory fails'  1 'no/such/dir/u.npy'      "$PAVIOR" run writes.pav --out no/such/dir
mkdir closed
chmod a-w closed
if [ "$(id -u)" = 0 ]; then
    skip 'a directory that may not be written' 'the superuser may write everywhere'
else
    refuse 'a directory that may not be written' 1 'closed/u.npy'        "$PAVIOR" run writes.pav --out closed
fi
echo >file
refuse 'a file is no directory'               1 'file/u.npy'             "$PAVIOR" run writes.pav --out file
mkdir u.npy
refuse 'a directory in the place of a file'   1 'u.npy'                  "$PAVIOR" run writes.pav
rmdir u.npy
refuse 'a report that cannot be written'      1 'no/such/report'         "$PAVIOR" run writes.pav --report no/such/report
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
