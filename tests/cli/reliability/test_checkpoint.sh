# SPDX-License-Identifier: BSD-3-Clause
# Runs with checkpoints: stopped, resumed and verified, and the messages on the way.
. "${0%/*}/../../test.sh"

cat >heat.pav <<'END_OF'
grid  x 64, y 48
param a = 0.1
field u = x + 0.01*y^2
u' = u + a*laplace(u)
border neumann
output u into "u.npy"
sample u at (3.5, 4) every 7 into "s.csv"
measure top = max(u) every 10 into "top.csv"
steps 300
END_OF
says() { # text, command...
    text=$1
    shift
    "$@" >said 2>&1
    code=$?
    cat said
    [ $code = 0 ] && grep -qF -e "$text" said
}

# ---- going on ----
check 'an unbroken run'                   "$PAVIOR" run heat.pav --out whole --checkpoint whole.c
check 'a run leaves its checkpoint'       "$PAVIOR" run heat.pav --steps 120 --out part --checkpoint c --every 50
check 'and the one before'                test -s c.old
check 'no other file'                     test ! -e c.part
check 'it is gone on with'                says '300 of 300, done, from step 120 on' \
    "$PAVIOR" run heat.pav --out part --checkpoint c --restart c --threads 1
for file in u.npy s.csv top.csv; do
    check "$file is that of an unbroken run"  cmp whole/$file part/$file
done
check 'and so is the checkpoint'          cmp whole.c c
check 'on the interpreter, too'           "$PAVIOR" run heat.pav --out part --checkpoint c --restart c.old --device interpreter
check 'with the same bits'                cmp whole.c c
check 'a time may be given'               says 'in 1 checkpoint' "$PAVIOR" run heat.pav --no-files --checkpoint t --every 10min
echo 'checkpoint every 100' >>heat.pav
check 'the description may say it'        "$PAVIOR" run heat.pav --out told
check 'then the file is named after it'   cmp whole.c told/heat.checkpoint
check 'without files there is none'       sh -c '"$1" run heat.pav --no-files --out none; [ ! -e none/heat.checkpoint ]' sh "$PAVIOR"

sed 's/^output.*/output u every 20 into "u.pvd"; output u every 20 into "u.apng"/' heat.pav >films.pav
check 'a run with an index and a film'    "$PAVIOR" run films.pav --out films
check 'one that ends in between'          "$PAVIOR" run films.pav --out cut --steps 130
check 'and goes on'                       "$PAVIOR" run films.pav --out cut --restart cut/films.checkpoint
check 'leaves the same files'             sh -c 'rm cut/*.checkpoint.old films/*.checkpoint.old; diff -r films cut'

# ---- signals ----
sed 's/^steps.*/steps 1000000000/; /^checkpoint/d' heat.pav >"a long one.pav"
stop() { # exit code, signal, options: once the run has begun
    wanted=$1
    signal=$2
    shift 2
    begin_run "a long one.pav" "$@"
    kill -s "$signal" $run
    wait $run
    code=$?
    cat said
    [ $code = "$wanted" ]
}
check 'SIGTERM writes a checkpoint'       stop 75 TERM --out long --checkpoint 'my c' --verify 2
check 'of the step reached'               grep -q 'stopped after step \([0-9]*\) .* and the checkpoint my c' said
check 'and says how to go on'             grep -qF "go on with: pavior run --restart 'my c' 'a long one.pav' --out long --checkpoint 'my c'" said
check 'but not to verify again'           sh -c '! grep "go on with" said | grep verify'
step=$(sed -n 's/^stopped after step \([0-9]*\) .*/\1/p' said)
sed -n 's/^go on with: pavior/"$PAVIOR"/p' said >command
again() { eval "$(cat command) --steps $((step + 5))" 2>&1; }
check 'that command goes on'              says "$((step + 5)) of $((step + 5)), done, from step $step on" again
check 'so does one whose terminal closes' stop 75 HUP --out long --checkpoint hung
check 'and it can be gone on with'        grep -q 'go on with: .*--checkpoint hung' said
check 'a notice of a batch system stops'  stop 75 USR1 --out long --checkpoint noticed
limited() { # a run ends before its time does, and a later one goes on
    "$PAVIOR" run "a long one.pav" --out long --checkpoint limited --time-limit 00:00:02 >said 2>&1
    code=$?
    cat said
    [ $code = 75 ] && grep -q '^the time limit is near: stopped after step .* the checkpoint limited hold that step' said &&
        grep -q 'go on with: .*--restart limited .*--time-limit 00:00:02' said
}
check 'a time limit does, too'            limited
refuse 'a limit without a checkpoint'     2 'not where the checkpoint is kept' "$PAVIOR" run heat2d@8x8 --time-limit 1h
for limit in 10 1:2 -1s 0s 00:00:00 00:60:00 1-2 x; do
    refuse "no time is $limit"            2 'takes a time' "$PAVIOR" run heat.pav --time-limit "$limit"
done
shrug() { # a run that was started with the signal ignored, as nohup does
    trap '' HUP
    begin_run "a long one.pav" --out long
    trap - HUP
    kill -s HUP $run
    sleep 0.5
    ! grep -q '^stopped' said
    going=$?
    kill -s TERM $run
    wait $run
    cat said
    return $going
}
check 'but under nohup it goes on'        shrug
check 'SIGTERM without a checkpoint'      stop 1 TERM --out long
check 'has a hint'                        grep -q 'with --checkpoint FILE a run that is stopped' said

# ---- refusals ----
refuse 'a checkpoint that is not there'   2 'is missing, too' "$PAVIOR" run heat.pav --restart nothing
refuse 'what to do is said of reading'    2 '; the previous one, nothing.old, is missing, too; give --restart' \
    "$PAVIOR" run heat.pav --restart nothing
refuse 'one of another param'             2 '`param a = 0.1` where heat.pav has `param a = 0.2`' \
    "$PAVIOR" run heat.pav --restart c --set a=0.2
printf 'grid x 9\nparam a = 1\nfield u = a\nu'"'"' = u + 1\nsteps 9\nsample u at (3) every 1 into "trace.npy"\n' >trace.pav
printf 'grid x 9\nfield u\nu'"'"' = u\nsteps 4\ninject "trace.npy" into u at (3)\n' >traced.pav
check 'a trace is recorded'               "$PAVIOR" run trace.pav --quiet
check 'a run with a trace'                "$PAVIOR" run traced.pav --steps 2 --no-files --checkpoint traced
check 'and another one'                   "$PAVIOR" run trace.pav --quiet --set a=2
refuse 'another trace is named'           2 'a file with their traces has changed since' \
    "$PAVIOR" run traced.pav --no-files --restart traced
refuse 'one past the steps'               2 'of step 300, past the 10 requested steps' "$PAVIOR" run heat.pav --steps 10 --restart c
refuse 'a number that is none'            2 'whole number' "$PAVIOR" run heat.pav --checkpoint c --every often
refuse 'how often, but not where'         2 '--checkpoint FILE says it' "$PAVIOR" run heat2d@8x8 --every 5

# ---- losses are reported in spite of --quiet ----
head -c 40 c >damaged
cp c damaged.old
alone() { # text, command...: nothing is said but that
    text=$1
    shift
    "$@" >said 2>&1
    cat said
    [ "$(wc -l <said)" = 1 ] && grep -qF -e "$text" said
}
check 'a damaged checkpoint is told'      alone 'damaged.old, of step 300' "$PAVIOR" run heat.pav --no-files --quiet --restart damaged
sed 's/^checkpoint.*//' heat.pav >short.pav
check 'so are kernels that are not kept'  alone 'compiled kernels are not kept: /dev/null' \
    env PAV_CACHE=/dev/null "$PAVIOR" run short.pav --no-files --quiet --device cpu

# ---- verifying, the report ----
check 'a run is verified'                 says 'verified: 10 steps on' "$PAVIOR" run heat.pav --no-files --verify
check 'as many steps as are asked for'    says 'verified: 12 steps on' "$PAVIOR" run heat.pav --no-files --verify 12
refuse 'but not none'                     2 "at least 1, not '0'" "$PAVIOR" run heat.pav --no-files --verify 0
refuse 'nor what is no number'            2 "at least 1, not 'x'" "$PAVIOR" run heat.pav --no-files --verify=x
check 'a file may follow'                 says 'verified: 10 steps on' "$PAVIOR" run --no-files --verify heat.pav
check 'the copy rate is measured'         says 'at which 1 thread copied memory' \
    "$PAVIOR" run heat.pav --no-files --copy-rate --threads 1
report() { "$PAVIOR" run heat.pav --no-files --quiet --threads 2 --report r.json --checkpoint c --restart c &&
           grep "$1" r.json; }
check 'the report has the threads'        report '"threads": [12], '
check 'and the step it began with'        report '"first_step": 300, '
check 'and its checkpoint'                report '"checkpoint": "c"'
check 'and no rate that was not measured' report '"percent_of_copy": null'

# ---- the axis is another one ----
for power in 2 3; do
    printf '%s\n' 'grid x 9' "field q = x + x^$power/9" "q' = q" 'steps 1' "output q into \"x$power.npy\"" >axis.pav
    check "coordinates of power $power"         "$PAVIOR" run axis.pav --quiet
done
printf '%s\n' 'grid x 9 at "x.npy"' 'field u = x' "u' = u + 0.01*dxx(u)" 'border neumann' 'steps 40' >on_axis.pav
cp x2.npy x.npy
check 'a run on a stretched axis'        "$PAVIOR" run on_axis.pav --steps 20 --checkpoint axis.c --quiet
cp x3.npy x.npy
refuse 'does not go on over other spacings' 2 'coordinates of points' "$PAVIOR" run on_axis.pav --checkpoint axis.c --restart axis.c
finish
