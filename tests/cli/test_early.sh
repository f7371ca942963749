# SPDX-License-Identifier: BSD-3-Clause
# The first steps of runs on processors: the interpreter takes them while kernels are compiled. A compiler that waits for
# a file decides when the kernels are there, so no test depends on time.
. "${0%/*}/../test.sh"

cat >wave.pav <<'END'
grid x 40, y 30, z 9
field u = exp(-((x-20)^2 + (y-15)^2)/9)
field k = 0.1 + 0.01*sin(x)
u' = 2*u - prev(u) + k*laplace(u)
border clamp u
steps 20
measure all = sum(u) every 2
sample u at (3, 4, 5), (39, 29, 8) into "u.csv"
output u into "u.npy"
END
cat >compiler <<END
#!/bin/sh
echo \$\$ >>'$PWD/started'
while [ ! -e '$PWD/go' ]; do sleep 0.02; done
[ ! -e '$PWD/bad' ] || { echo 'no kernels today' >&2; exit 1; }
exec ${PAV_CC:-$CC} "\$@"
END
chmod +x compiler
compiler=${PAV_CC:-}
export PAV_CC="$PWD/compiler" PAV_CACHE="$PWD/kernels" PAV_EARLY=1 PAV_THREADS=2
unset PAV_DEVICE
early() { # folder, option...: on processors, with an empty cache
    folder=$1 && shift
    rm -rf kernels started
    "$PAVIOR" run wave.pav --device cpu --out "$folder" --report report.json "$@" >said 2>&1
}
interpreted() { # number: steps of the interpreter
    grep -q "\"steps_interpreted\": $1," report.json || { grep steps_int report.json; return 1; }
}
ended() { # no compiler goes on, and nothing is left of it
    for process in $(cat started); do ! kill -0 "$process" 2>/dev/null || return 1; done
    [ -z "$(find kernels -name '*.c')" ]
}
check 'the interpreter alone'           "$PAVIOR" run wave.pav --device interpreter --out alone
check 'a run ends before its kernels'   early without
check 'that is told'                    grep -q '^kernels  *still being compiled: the interpreter took all steps' said
check 'all steps are interpreted'       interpreted 20
check 'its compiler is stopped'         ended
check 'the bits are the same'           diff -r alone without
"$PAVIOR" run wave.pav --device cpu --out second --report report.json >said 2>&1 &
second=$!
wait_for $second test -e second/u.npy
touch go
check 'the next run waits at its end'   wait $second
check 'after all steps'                 interpreted 20
check 'for its kernels'                 grep -q '^kernels  *compiled after the last step, for later runs' said
rm -rf go started
check 'so later runs'                   "$PAVIOR" run wave.pav --device cpu --report report.json --no-files --quiet
check 'have kernels'                    interpreted 0
check 'without a compiler'              test ! -e started
rm -rf kernels second
check 'bits of a killed run are the same' sh -c '"$1" run wave.pav --device cpu --steps 7 --checkpoint c --quiet && rm -rf kernels && "$1" run wave.pav --device cpu --restart c --out gone-on --quiet' sh "$PAVIOR"
check 'which is gone on with'           cmp alone/u.npy gone-on/u.npy

rm -rf kernels started
"$PAVIOR" run wave.pav --device cpu --early 0 --out first >first.said 2>&1 &
first=$!
wait_for $first test -e started
check 'another process may compile them' timeout 100 "$PAVIOR" run wave.pav --device cpu --out second
check 'which a run need not wait for'    diff -r alone second
touch go
check 'that process ends, too'          wait $first
check 'with the same bits'              diff -r alone first
for steps in 1 3 19; do
    check "$steps steps, then kernels"  early "after-$steps" --early $steps
    check 'are as many'                 interpreted $steps
    check 'and have the same bits'      diff -r alone "after-$steps"
done
check 'steps are counted'               grep -q '^kernels  *compiled during the first 19 steps, of the interpreter' said
check 'a run may wait for its kernels'  early waited --early 0
check 'then nothing is interpreted'     interpreted 0
check 'and nothing else changes'        diff -r alone waited
check 'the environment says so, too'    env PAV_EARLY=0 "$PAVIOR" run wave.pav --device cpu --report report.json --no-files --quiet
check 'for each run'                    interpreted 0
rm started
check 'kernels of the cache are taken'  "$PAVIOR" run wave.pav --device cpu --report report.json --no-files --quiet
check 'from the first step on'          interpreted 0
check 'and nothing is compiled'         test ! -e started
refuse 'words are no steps' 2 'early' "$PAVIOR" run wave.pav --early some
refuse 'less than none is no number' 2 'early' "$PAVIOR" run wave.pav --early -3
check 'time blocks wait for kernels'    early blocks --schedule time:depth=2 --early 5
check 'since they may be refused'       interpreted 0

# ---- short runs in a row: a compiler begins the later, the more were stopped ----
cat >short.pav <<'END'
param D = 1
grid x 40 from 0 to D, y 30 from 0 to D
field u = sin(pi*x/D)
u' = u + 0.1*hx^2*laplace(u)
border u = 0
steps 5
measure most = max(u)
END
cat >slow <<END
#!/bin/sh
echo \$\$ >>'$PWD/started'
sleep 0.5
exec ${compiler:-$CC} "\$@"
END
chmod +x slow
few() { # option...: of 60 compilations of kernels that differ
    rm -rf kernels started go
    PAV_CC=$PWD/slow "$PAVIOR" sweep short.pav --set D=1:2:60 --device cpu --quiet --out few "$@" >few.csv && touch started &&
        "$PAVIOR" sweep short.pav --set D=1:2:60 --device interpreter --quiet --out none >none.csv && cmp few.csv none.csv &&
        test "$(wc -l <started)" -le 20
}
check 'a sweep of short runs begins few compilers' few
check 'so does one with several at once' few --at-once 4

# ---- a sweep that waits for kernels ends when it is told to ----
rm -rf kernels started
PAV_EARLY=0 "$PAVIOR" sweep short.pav --set D=1:2:60 --device cpu --quiet --at-once 2 >none.csv 2>said &
sweep=$!
wait_for $sweep test -e started
kill -TERM $sweep
wait $sweep
check 'a sweep stops while it compiles' test $? != 0
check 'and says so'                     grep -q 'stopped before the first step' said
check 'its compilers are stopped'       sh -c 'for p in $(cat started); do ! kill -0 "$p" 2>/dev/null || exit 1; done'

# ---- a compiler that fails ----
touch go bad
fails() { # a device that was named
    rm -rf kernels
    "$PAVIOR" run wave.pav --device cpu --early 2 --out failed >said 2>&1
    test $? = 1 && grep -q 'no kernels today' said || { cat said; return 1; }
}
check 'a compiler fails after 2 steps'  fails
rm -rf kernels
check 'the interpreter may stand in'    "$PAVIOR" run wave.pav --early 2 --device auto --out stood-in
check 'to the same bits'                cmp alone/u.npy stood-in/u.npy
finish
