# SPDX-License-Identifier: BSD-3-Clause
# Wisdom: runs use known schedules at once, say so, and have the same bits. Unsuitable or damaged lines are reported and
# ignored; import takes all lines or none.
. "${0%/*}/../../test.sh"

cat >heat.pav <<'END'
grid  x 64, y 40
field u = sin(x*y/100)
u' = u + 0.1*laplace(u)
border u = 0
output u into "u.npy"
steps 40
END
PAV_WISDOM=$PWD/deep/wisdom
export PAV_WISDOM PAV_DEVICE=cpu

says() { # text, command...
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
silent_of() { # text, command...: succeeds and does not say it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && ! grep -qF -e "$says_text" said
}
known() { # schedule, file: a file that knows it of this run on this machine
    "$PAVIOR" wisdom forget --all >/dev/null &&
        sed "s/SCHEDULE/$1/" "${2:-one.wisdom}" >known.wisdom &&
        "$PAVIOR" wisdom import known.wisdom
}

check 'nothing is known at first'    says 'knows nothing yet' "$PAVIOR" wisdom list
refuse 'which --wisdom-only refuses' 2 '`pavior tune` finds it out' \
    "$PAVIOR" run heat.pav --wisdom-only
check 'a plan tells nothing of it'   silent_of 'from wisdom' "$PAVIOR" plan heat.pav --copy-rate 10
check 'a run writes no wisdom when it is short' "$PAVIOR" run heat.pav --quiet --out first
check 'so no file is there'          test ! -e deep/wisdom

# A run with a second of steps writes a line with the key of this machine, and the test then edits this line. The
# number of steps depends on the machine: a fast one gets more steps.
long_run() {
    for long_steps in 900000 1800000 3600000 7200000 14400000; do
        printf 'grid x 64, y 40\nfield u = sin(x*y/100)\nu'"'"' = u + 0.1*laplace(u)\nborder u = 0\nsteps %s\n' \
            "$long_steps" >long.pav
        "$PAVIOR" run long.pav --quiet || return
        test ! -e deep/wisdom || return 0
    done
    echo "a run of $long_steps steps is not remembered"
    return 1
}
check 'a long run is remembered'     long_run
check 'under its name'               says 'long.pav' "$PAVIOR" wisdom list
check 'and exported'                 "$PAVIOR" wisdom export all.wisdom
refuse 'a file that is there stays'  1 'File exists' "$PAVIOR" wisdom export all.wisdom
refuse 'a verb nearly right'         2 "no 'wisdom exprot' (did you mean 'export'?)" "$PAVIOR" wisdom exprot all.wisdom
awk -F'\t' -v OFS='\t' 'NF == 11 && !/^#/ { $8 = "SCHEDULE"; $10 = "patient" } { print }' all.wisdom >one.wisdom

check 'what is known is imported'    known 'rows:rows=single'
check 'and taken at once'            says 'rows (from wisdom)' "$PAVIOR" run heat.pav --out second
check 'with the same bits'           cmp first/u.npy second/u.npy
awk -F'\t' -v OFS='\t' 'NF == 11 && !/^#/ { $10 = "busy" } { print }' one.wisdom >busy.wisdom
check 'one of a busy machine is known' known 'rows:rows=single' busy.wisdom
check 'as a hint alone'              silent_of 'from wisdom' "$PAVIOR" run heat.pav --out hinted
check 'with the same bits, too'      cmp first/u.npy hinted/u.npy
check 'nothing else is there for --wisdom-only' says 'rows (from wisdom)' "$PAVIOR" run heat.pav --wisdom-only --no-files
check 'one that is slow is known'    known 'time:depth=64,tile=1x1'
check 'which a run doubts, once'     says 'by the schedule of wisdom' "$PAVIOR" run long.pav --steps 1600
check 'and says but once'            [ "$(grep -c 'the schedule of wisdom' said)" = 1 ]
check 'the line of the doubt is named' grep -qF '`pavior wisdom forget long.pav`' said
check 'which forgets it'             says '1 line forgotten' "$PAVIOR" wisdom forget long.pav
# The rate is lowered to a tenth, so that other work on the machine does not cause a doubt.
awk -F'\t' -v OFS='\t' 'NF == 11 && !/^#/ { $9 /= 10 } { print }' one.wisdom >modest.wisdom
check 'a fast one is known'          known 'rows:rows=single' modest.wisdom
long_steps=$(sed -n 's/^steps //p' long.pav)
check 'and is not doubted'           silent_of 'the schedule of wisdom' "$PAVIOR" run long.pav --steps $((2 * long_steps))
check '--wisdom-only takes it, too'  "$PAVIOR" run heat.pav --wisdom-only --quiet --no-files
check 'a plan tells it'              says 'rows:rows=single (from wisdom' "$PAVIOR" plan heat.pav --copy-rate 10
check 'and predicts the time known'  grep -q '^wisdom .* Gpts/s, by rows:rows=single$' said
check 'by single steps alone'        grep -q 'of single steps: wisdom knows' said
check 'unless wisdom is not asked'   silent_of wisdom "$PAVIOR" plan heat.pav --copy-rate 10 --no-wisdom
check 'JSON tells it'                says '"from_wisdom": true' "$PAVIOR" run heat.pav --json --no-files
check '--no-wisdom leaves it'        silent_of 'from wisdom' "$PAVIOR" run heat.pav --no-wisdom --no-files
check 'so does PAV_WISDOM=none'      silent_of 'from wisdom' env PAV_WISDOM=none "$PAVIOR" run heat.pav --no-files
check 'and a schedule that is typed' silent_of 'from wisdom' "$PAVIOR" run heat.pav --schedule rows --no-files
refuse 'which --wisdom-only minds'   2 'and --schedule does not' \
    "$PAVIOR" run heat.pav --schedule rows --wisdom-only
refuse 'a plan does so, too'         2 'and --schedule does not' \
    "$PAVIOR" plan heat.pav --schedule rows --wisdom-only
refuse 'as it does --no-wisdom'      2 'and --no-wisdom does not' \
    "$PAVIOR" run heat.pav --no-wisdom --wisdom-only

check 'several steps at once'        known 'time:depth=4,tile=16x4;blocks:block=8,ahead=2,stream'
check 'are taken, too'               says 'time:depth=4,tile=16x4 (from wisdom)' "$PAVIOR" run heat.pav --out third
check 'with the same bits again'     cmp first/u.npy third/u.npy
check 'of another size it is a hint' silent_of 'from wisdom' "$PAVIOR" run heat3d@16x16x16 --no-files
sed 's/x 64/x 80/' heat.pav >wide.pav
check 'which is no wisdom of it'     silent_of 'from wisdom' "$PAVIOR" run wide.pav --no-files
check 'a run too short for it'       silent_of 'time:depth' "$PAVIOR" run heat.pav --steps 4 --no-files
check 'a schedule of a GPU'          known 'sweep:shared'
check 'is told and left'             says 'is not taken: the schedule sweep:shared is of GPUs' \
    "$PAVIOR" run heat.pav --no-files
check 'too many stages'              known 'rows;rows;rows'
check 'are told and left'            says 'has schedules of 3 stages' "$PAVIOR" run heat.pav --no-files

sed -i 's/SCHEDULE/rows/' one.wisdom
head -n 3 one.wisdom >cut.wisdom
version=$("$PAVIOR" --version | grep -oE '[0-9]+[.][0-9]+[.][0-9]+' | head -n 1)
sed "s/	$version	/	9.9.9	/" one.wisdom >newer.wisdom
sed 's/, \([0-9]*\) threads\{0,1\}	/ of Mars, \1 threads	/' one.wisdom >mars.wisdom
sed 's/	[0-9.e+-]*	patient	/	1e308	patient	/' one.wisdom >hostile.wisdom
"$PAVIOR" wisdom forget --all >/dev/null
refuse 'a rate of no machine is refused' 2 'the column Gpts/s cannot be read' "$PAVIOR" wisdom import hostile.wisdom
refuse 'a file that was cut is refused' 2 'the file was cut' "$PAVIOR" wisdom import cut.wisdom
refuse 'and one of another version'  2 'tuned by Pavior 9.9.9' "$PAVIOR" wisdom import newer.wisdom
refuse 'or another machine'          2 'and this machine has none' "$PAVIOR" wisdom import mars.wisdom
check 'nothing of them is known'     says 'knows nothing yet' "$PAVIOR" wisdom list
check '--any takes the latter'       says '1 line taken' "$PAVIOR" wisdom import mars.wisdom --any
check 'a name is forgotten'          says '1 line forgotten' "$PAVIOR" wisdom forget long
refuse 'all only when it is said'    2 'the name of a program, or --all' "$PAVIOR" wisdom forget
mkfifo pipe.wisdom
soon() { timeout 300 "$PAVIOR" "$@"; } # a pipe without a writer would be waited for
refuse 'nor is a pipe waited for'    2 'pipe.wisdom cannot be read: it is a pipe' soon wisdom import pipe.wisdom
refuse 'nor is a device read'        2 '/dev/zero cannot be read: it is a device' soon wisdom import /dev/zero
refuse 'nor a directory'             2 'deep cannot be read: it is a directory' soon wisdom import deep
check 'runs go on without such'      env PAV_WISDOM="$PWD/pipe.wisdom" timeout 300 "$PAVIOR" run heat.pav --no-files --quiet
refuse 'other words are told'        2 'give list, export, import or forget' "$PAVIOR" wisdom lits
echo nonsense >deep/wisdom
check 'damaged wisdom is told, and the run goes on' says 'wisdom is not asked' "$PAVIOR" run heat.pav --no-files
refuse 'but not with --wisdom-only'  2 'this is no wisdom' "$PAVIOR" run heat.pav --wisdom-only
refuse 'nor is it written over'      2 'this is no wisdom' "$PAVIOR" wisdom import one.wisdom
check 'it is left as it is'          grep -q nonsense deep/wisdom
finish
