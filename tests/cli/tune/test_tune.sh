# SPDX-License-Identifier: BSD-3-Clause
# pavior tune: its result is remembered, used by later runs, and has the same bits. It writes no files of the
# description, and an interrupted search can be resumed.
. "${0%/*}/../../test.sh"

cat >heat.pav <<'END'
grid  x 96, y 80
field u = sin(x*y/100)
u' = u + 0.1*laplace(u)
border u = 0
output u every 20 into "u.npy"
steps 40
END
cat >pair.pav <<'END'
grid  x 40, y 30, z 20
field u = sin(x*y/100); v = x - y
u' = u + 0.1*laplace(u) - 0.01*v
v' = v + 0.05*laplace(v) + 0.01*u
border u = 0
border periodic v
steps 20
END
PAV_WISDOM=$PWD/wisdom
export PAV_WISDOM PAV_DEVICE=cpu

says() { # text, command...
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}

"$PAVIOR" run heat.pav --quiet --out first
check 'a description is tuned'        says 'bits verified; remembered in' "$PAVIOR" tune heat.pav --seconds 2
check 'with a line for each candidate' grep -q '^1 of .* Gpts/s' said
check 'its files are not written'     test ! -e u.npy
check 'nothing else is left behind'   test "$(echo wisdom*)" = 'wisdom wisdom.lock'
check 'it is known, with its effort'  grep -Eq 'Gpts/s, (estimate|measure), ' <<END
$("$PAVIOR" wisdom list)
END
check 'a run takes it'                says '(from wisdom)' "$PAVIOR" run heat.pav --wisdom-only --out second
check 'with the same bits'            diff -r first second
sed 's/\t\(estimate\|measure\)\t/\tpatient\t/' wisdom >patient && mv patient wisdom
check 'less effort leaves it'         says 'tried harder' "$PAVIOR" tune heat.pav --effort estimate
sed 's/\t[0-9.e+-]*\tpatient\t/\t99999\testimate\t/' wisdom >fast && mv fast wisdom
check 'as much replaces any rate'     says 'remembered in' "$PAVIOR" tune heat.pav --effort exhaustive --seconds 0.1
check 'for it was not all tried'      grep -q ', as estimate: not all of exhaustive was tried' said
check 'and is known as that'          says ', estimate, ' "$PAVIOR" wisdom list
check 'several stages are tuned'      says 'remembered in' "$PAVIOR" tune pair.pav --quiet --effort estimate
check 'and taken'                     says '(from wisdom)' "$PAVIOR" run pair.pav
check 'none remembers nothing'        says 'not remembered' env PAV_WISDOM=none "$PAVIOR" tune pair.pav --quiet --seconds 1
check 'quiet is quiet'                test "$(wc -l <said)" = 1

refuse 'the interpreter is not tuned' 2 'has one schedule' "$PAVIOR" tune heat.pav --device interpreter
refuse 'an effort is known by name'   2 "no effort 'patent'; did you mean 'patient'" "$PAVIOR" tune heat.pav --effort patent
refuse 'seconds are a number'         2 '--seconds takes a number' "$PAVIOR" tune heat.pav --seconds soon
printf 'grid x 40, y 40\nfield u = x\nu'"'"' = u/2\nborder u = 0\nuntil max(u) < 100\nsteps 9\n' >until.pav
refuse 'a program that ends is told'  2 'leave out its `until`' "$PAVIOR" tune until.pav

# A resumed search does not repeat measurements.
"$PAVIOR" wisdom forget --all >/dev/null
"$PAVIOR" tune heat.pav --effort patient --seconds 60 2>told &
tuning=$!
wait_for $tuning grep -q '^3 of' told
kill -INT $tuning 2>/dev/null
wait $tuning
check 'tuning is stopped'             test $? = 75
check 'which it says'                 grep -q 'the same command goes on' told
check 'and nothing is known yet'      says 'knows nothing' "$PAVIOR" wisdom list
check 'it goes on'                    says 'remembered in' "$PAVIOR" tune heat.pav --effort patient --seconds 3
check 'behind what was measured'      sh -c '! grep -q "^1 of [^,]*, 0 of 3 s: $(sed -n "s/^1 of[^:]*: \([^ ]*\): .*/\1/p" told):" said'
check 'the notes are gone'            test "$(echo wisdom.tune*)" = 'wisdom.tune*'

if "$PAVIOR" run heat3d@8x8x8 --device emulated --no-files >said 2>&1; then
    export PAV_DEVICE=emulated
    check 'a GPU is tuned, too'       says 'bits verified; remembered in' "$PAVIOR" tune heat3d@24x20x16/f32 --seconds 4
    check 'which a run takes'         says '(from wisdom)' "$PAVIOR" run heat3d@24x20x16/f32 --steps 40 --wisdom-only
    check 'and a plan tells'          says '(from wisdom' "$PAVIOR" plan heat3d@24x20x16/f32 --steps 40 --copy-rate 9
    check 'several stages, too'       says 'remembered in' "$PAVIOR" tune pair.pav --effort estimate --seconds 4
    check 'are taken'                 says '(from wisdom)' "$PAVIOR" run pair.pav --verify --wisdom-only
else
    skip 'a GPU is tuned' "$(cat said)"
fi
finish
