# SPDX-License-Identifier: BSD-3-Clause
# The commands of pavior on good input: their output, and exit code 0.
. "${0%/*}/../test.sh"

cat >heat.pav <<'END'
grid  x 12, y 9
field u = x*y
param a = 0.1
u' = u + a*laplace(u)
border u = 0
measure top = max(u)
output u into "u.npy"
steps 20
expect max(u) < 100
END

says() { # text, command...: succeeds and says it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
json() { # command...: its standard output is one JSON object
    "$@" >out.json 2>/dev/null && cat out.json && "$JSON" out.json
}
JSON=no_json
if command -v python3 >/dev/null; then
    JSON=python_json
fi
python_json() { python3 -c 'import json, sys; sys.exit(not isinstance(json.load(open(sys.argv[1])), dict))' "$1"; }
no_json() { [ "$(head -c 1 "$1")" = '{' ] && tail -n 1 "$1" | grep -q '}$'; }

holds() { # file, bytes, text
    [ "$(wc -c <"$1")" = "$2" ] && grep -qa "$3" "$1"
}

# ---- check ----
for share in 1/3 2/3 3/3; do
    "$PAVIOR" check --device interpreter --random-only --programs 8 --share $share --quiet
done >shares
check 'shares of a check are the whole'   test "$(awk '{ passed += $1 } END { print passed }' shares)" = 8

# ---- run ----
check 'a description runs'                says 'Gpts/s' "$PAVIOR" run heat.pav
check 'its output is written'             holds u.npy $((128 + 12 * 9 * 8)) 'NUMPY'
check 'no temporary file is left'         test "$(find . -name '*u.npy*')" = ./u.npy
check 'the summary names the grid'        says '12x9' "$PAVIOR" run heat.pav
check 'the summary holds the measures'    says 'top' "$PAVIOR" run heat.pav
check 'the summary holds the expectation' says 'max(u) < 100' "$PAVIOR" run heat.pav
check 'a catalogue word runs'             says '16x16' "$PAVIOR" run heat2d@16x16/f32 --steps 3
check 'standard input runs'               says '12x9' sh -c '"$1" run - <heat.pav' sh "$PAVIOR"
check 'one step may be asked for'         says '1 of 1' "$PAVIOR" run heat.pav --steps 1
check 'an option may be joined by ='      says '1 of 1' "$PAVIOR" run heat.pav --steps=1
check 'options may come first'            says '1 of 1' "$PAVIOR" run --steps 1 heat.pav
check 'after -- all words are files'      says '12x9' "$PAVIOR" run -- heat.pav
quiet() { "$PAVIOR" run heat.pav --quiet >said 2>&1 && [ ! -s said ]; }
check 'a quiet run says nothing'          quiet

mkdir elsewhere
check 'outputs go where they are told'    "$PAVIOR" run heat.pav --out elsewhere
check 'they are the same there'           cmp u.npy elsewhere/u.npy
rm u.npy
check 'no files may be asked for'         "$PAVIOR" run heat.pav --no-files
check 'then there are none'               test ! -e u.npy

# ---- mistakes found only at run time ----
echo 'grid x 40
field u = 1; v = 1
u'"'"' = u
v'"'"' = v
border periodic u
absorb 5 cells
steps 10
expect min(u) == 1 and min(v) < 0.5 and max(v) == 1' >layers.pav
check 'a field absorbs beside a periodic one' "$PAVIOR" run layers.pav

# ---- --set ----
measured() { "$PAVIOR" run heat.pav --json --steps 1 --no-files "$@" 2>/dev/null | tr ',' '\n' | grep top; }
sets() { [ "$(measured)" != "$(measured --set a=0.2)" ]; }
same() { [ "$(measured)" = "$(measured --set a=1/10)" ] && [ -n "$(measured)" ]; }
last() { [ "$(measured --set a=0.3 --set a=0.2)" = "$(measured --set a=0.2)" ]; }
check 'a param may be set'                sets
check 'a fraction is exact'               same
check 'the last of two values counts'     last

# ---- JSON ----
spared() { ! "$PAVIOR" run heat.pav --report heat.pav 2>said.txt && grep -q 'another name' said.txt && grep -q grid heat.pav; }
unnamed() { mkdir named && ! "$PAVIOR" run heat.pav --out named --report named/u.npy 2>said.txt && grep -q 'what line' said.txt && rmdir named; }
check 'a summary is JSON'                 json "$PAVIOR" run heat.pav --json
check 'it holds the measure'              grep -q '"top"' out.json
check 'a report is written'               "$PAVIOR" run heat.pav --report report.json
check 'it is JSON'                        "$JSON" report.json
check 'it says how the run ended'         grep -q '"status": "PAV_OK"' report.json
check 'it replaces the one before'        "$PAVIOR" run heat.pav --steps 3 --report report.json
check 'with what is true now'             grep -q '"steps": 3' report.json
check 'but no description'                spared
check 'nor has it an output'"'"'s name'       unnamed
check 'and leaves nothing else'           test "$(find . -name '*report*')" = ./report.json
check 'an explanation is JSON'            json "$PAVIOR" explain heat.pav --json
check 'the catalogue is JSON'             json "$PAVIOR" catalogue --json
check 'what doctor says is JSON'          json "$PAVIOR" doctor --json
check 'a count is JSON'                   json "$PAVIOR" check --random-only --programs 2 --json
check 'it counts'                         grep -q '"failed": 0' out.json

# ---- the other commands ----
check 'explain prints the program'        says "u' = u + a*laplace(u)" "$PAVIOR" explain heat.pav
check 'explain prints the passes'         says 'lower' "$PAVIOR" explain heat.pav
check 'explain takes catalogue words'     says 'flops' "$PAVIOR" explain sym27:preset=fe@8x8x8
check 'check counts'                      says ', 0 failed' "$PAVIOR" check --random-only --programs 3
check 'check repeats a seed'              says 'seed 9' "$PAVIOR" check --random-only --programs 3 --seed 9
quietly() { "$PAVIOR" check --random-only --programs 1 --quiet 2>said && [ ! -s said ]; }
check 'a quiet check only counts'         quietly
check 'doctor counts nodes and cores'     says 'NUMA node' "$PAVIOR" doctor
check 'doctor names the devices'          says 'interpreter' "$PAVIOR" doctor
check 'the catalogue lists star3d'        says 'star3d' "$PAVIOR" catalogue
check 'with defaults'                     says 'preset=none: one of none|fe|fd' "$PAVIOR" catalogue
check 'and the steps'                     says 'steps=100' "$PAVIOR" catalogue
check 'its JSON has ranges'               says '"default": 1, "least": 1, "most": 16' "$PAVIOR" catalogue --json
check 'and steps'                         says '"steps", "kind": "integer", "default": 100' "$PAVIOR" catalogue --json
defaults_hold() { # every default, written out, gives the same program
    [ "$("$PAVIOR" explain sym27@4x4x4/f64)" = "$("$PAVIOR" explain sym27:steps=100,preset=none@4x4x4)" ]
}
check 'what is left out is the default'   defaults_hold
check 'help lists the commands'           says 'explain' "$PAVIOR" help
check 'help of a command'                 says '--steps' "$PAVIOR" help run
check 'gen names the command that made it' says '/* pavior gen heat2d@8x8 --device cpu */' \
    "$PAVIOR" gen heat2d@8x8 --device cpu
check 'its strides are the numbers of a run' says 'y0 = 16' "$PAVIOR" gen heat2d@8x8/f32 --device cpu
check 'gen prints CUDA without a GPU' says 'extern "C" __global__ void' "$PAVIOR" gen heat2d@8x8 --device cuda --schedule point
refuse 'a schedule of cpu for the text of GPUs' 2 'the schedule time:tile=3x3 is of the device cpu, not of cuda: give time with threads=' \
    "$PAVIOR" gen heat2d@8x8 --device cuda --schedule time:tile=3x3
refuse 'a setting is told from those of others' 2 'tiles is of the schedule persistent, not of time' \
    "$PAVIOR" gen heat2d@8x8 --device cuda --schedule time:tiles=2x2
refuse 'one that is said twice is told, whatever the device' 2 'says both depth=3 and depth=4: leave out one' \
    "$PAVIOR" plan heat2d@8x8 --device cpu --schedule time:depth=3,depth=4
refuse 'a schedule for the text of cpu' 2 'the C for processors is the same by all schedules' "$PAVIOR" gen heat2d@8x8 --schedule point
refuse 'a number of a device that is a word' 2 "'cuda:x': give a number after the colon, such as cuda:0" \
    "$PAVIOR" gen heat2d@8x8 --device cuda:x
refuse 'a number of the only device'    2 'there is one device cpu only' "$PAVIOR" gen heat2d@8x8 --device cpu:1
refuse 'statistics of one GPU alone'    2 'whichever are here: add --device cuda' \
    "$PAVIOR" gen heat2d@8x8 --stats --device cuda:x
refuse 'statistics of the text for cpu' 2 'add --device cuda' "$PAVIOR" gen heat2d@8x8 --stats
if "$PAVIOR" gen sym27@64x64x64/f32 --device cuda --stats >stats 2>said; then
    check 'statistics tell bytes and operations' says \
        'u by sweep:threads=32x8,vector=4: 8 bytes a point, 9.994 with the halo of every tile; 18 flops (14 instructions)' cat stats
    check 'and registers'                  grep -q '^pav_0_1: [0-9]* registers' stats
    "$PAVIOR" gen star2d:r=1@4000x4000/f32 --device cuda --stats --schedule time:depth=2,prefetch=30,threads=32x12 >stats
    check 'what an sm_80 has no memory for is told' \
        test "$(grep -c '^pav_fused_0: takes [0-9]* bytes of shared memory, of which a block of an sm_80 has 166912' stats)" = 1
    check 'an sm_75 has even less'         test "$(grep -c 'refused here' stats)" = 2
    "$PAVIOR" gen heat3d@64x64x64/f32 --device cuda --stats --schedule sweep:shared,copy=tma >stats
    check 'nor has it the accelerator'     grep -q 'copy=tma is of sm_90 and newer: refused here' stats
    check 'calls ask for shared memory'    grep -q '^pav_0_1: u by sweep:shared.*; [1-9][0-9]* bytes of shared memory$' stats
else
    skip 'statistics of kernels' "$(cat said)"
fi
mkdir parts
printf 'param a = 2\nlet half(e) = e/2\n' >parts/numbers.pav
printf 'include "numbers.pav"\nfield u = half(a)\n' >parts/all.pav
printf 'grid x 9\ninclude "parts/all.pav"\nexpect sum(u) == 9\nsteps 1\n' >whole.pav
check 'a description includes others'     "$PAVIOR" run whole.pav --device interpreter --quiet
refuse 'a setting reaches them'           1 'sum(u) == 9: FAILS (18 against 9)' "$PAVIOR" run whole.pav --device interpreter --set a=4
echo 'field v = uu' >>parts/numbers.pav
refuse 'a mistake there is named so'      2 'parts/numbers.pav:3:11: unknown name' "$PAVIOR" run whole.pav
echo 'include "all.pav"' >parts/numbers.pav
refuse 'a circle of files is refused'     2 'parts/all.pav includes itself' "$PAVIOR" run whole.pav
rm parts/numbers.pav
refuse 'a file that is missing is named'  2 'parts/all.pav:1:1: parts/numbers.pav' "$PAVIOR" run whole.pav
check 'help tells defaults'               says 'every N steps (2 % of the time)' "$PAVIOR" help run
check 'help says what a bundle is'          says 'A bundle is code' "$PAVIOR" help run
check 'help of two commands: the first'   says '--steps' "$PAVIOR" help run explain
check 'help of two commands: the second'  says 'usage: pavior explain' "$PAVIOR" help run explain
check '--help of a command'               says '--steps' "$PAVIOR" run --help
check 'the version'                       says 'pavior ' "$PAVIOR" --version
finish
