# SPDX-License-Identifier: BSD-3-Clause
# pavior bench: its output in tables, JSON lines and figures, and JSON lines read back.
. "${0%/*}/../../test.sh"

keys='problem device type schedule threads gpts bound_gpts percent seconds_min seconds_median spread'
bench() { "$PAVIOR" bench --threads 1 --repetitions 1 "$@"; }
first_keys() { # the first members of an object, as many as `keys` has
    grep -o '"[a-z_]*": ' "$1" | tr -d '": ' | head -n 11 | tr '\n' ' ' | sed 's/ $//'
}
has() { # file, text...: holds all of them
    has_file=$1
    shift
    for has_text; do grep -qF -e "$has_text" "$has_file" || { cat "$has_file"; return 1; }; done
}

# ---- lines ----
bench heat2d@24x20/f32 heat2d@24x20/f64 --json >rates.jsonl 2>said
check 'a row is a line'                    test "$(wc -l <rates.jsonl)" = 2
check 'its first members are as agreed'    test "$(head -n 1 rates.jsonl | first_keys /dev/stdin)" = "$keys"
check 'the problem is without its type'    has rates.jsonl '"problem": "heat2d@24x20",' '"type": "f32"' '"type": "f64"'
check 'it says where and when'             has rates.jsonl "\"date\": \"$(date -u +%Y-)" '"host": '
check 'it says how'                        has rates.jsonl '"device": "interpreter"' '"schedule": "rows"' '"threads": 1,'
# On a grid of 128 MB each step reads the whole field from memory: at least 4 bytes a point, and at most twice for some
# planes.
reads() { sed -n 's/.*"read_bytes": \([0-9.e+-]*\).*/\1/p' large.jsonl; }
reads_all() { reads | awk '$1 > 3.6 && $1 < 9 { good++ } END { exit good != 1 }'; }
"$PAVIOR" doctor >doctor
if grep -q '^counters *of what' doctor && grep -Eq '^ +cpu +yes' doctor; then
    "$PAVIOR" bench heat3d@256x256x512/f32 --device cpu --schedule rows --repetitions 3 --json >large.jsonl 2>said
    check 'what memory handed over is counted' reads_all
else
    skip 'bytes that memory handed over' 'there is no compiler, or no counter of them'
    grep -q '^counters *of what' doctor || check 'what is not counted is null' has rates.jsonl '"read_bytes": null'
fi
bench copy --json >copy.jsonl
check 'copying has the same members'       test "$(first_keys copy.jsonl)" = "$keys"
check 'those that do not apply are null'   has copy.jsonl '"problem": "copy"' '"gpts": null' '"schedule": null'
if command -v python3 >/dev/null; then
    check 'the lines are JSON' python3 -c 'import json; [json.loads(l) for f in ("rates", "copy") for l in open(f + ".jsonl")]'
else
    skip 'the lines are JSON' 'there is no python3'
fi

# ---- arithmetic ----
if "$PAVIOR" doctor | grep -Eq '^ +cpu +yes' && grep -qw fma /proc/cpuinfo; then
    bench star3d:r=4@40x40x40/f32 --device cpu --json >wide.jsonl
    slower() { # than the processor's sums and products
        sed -n 's/.*"gpts": \([0-9.e+-]*\),.*"arithmetic_gpts": \([0-9.e+-]*\),.*/\1 \2/p' wide.jsonl |
            awk '{ print } $1 > 0 && $1 < $2 { good = 1 } END { exit !good }'
    }
    check 'compiled kernels keep within the arithmetic' slower
else
    skip 'compiled kernels keep within the arithmetic' 'there is no C compiler, or no fused product'
fi

# ---- figures ----
drawn() { # the words of rates.svg
    has rates.svg '>heat2d@24x20<' '>f32<' '>f64<' '>as fast as copying<' '1 thread' 'device interpreter'
}
check 'rates are drawn as they are measured' bench heat2d@24x20/f32 --figure one.png
check 'a PNG is one'                       sh -c 'head -c 4 one.png | grep -qa PNG'
"$PAVIOR" bench --from rates.jsonl --figure rates.svg >table 2>said
check 'kept rates are drawn'               drawn
check 'and printed'                        has table heat2d@24x20 f64
percent=$(sed -n '1s/.*"percent": \([0-9.]*\).*/\1/p' rates.jsonl)
check 'the share stands beside the bar'    has rates.svg ">$(LC_ALL=C printf '%.1f' "$percent") %<"
back() { "$PAVIOR" bench --from rates.jsonl --json | cmp - rates.jsonl; }
check 'lines are the same when read back'  back
check 'standard input is read'             sh -c '"$1" bench --from - --figure in.svg <rates.jsonl' sh "$PAVIOR"
sed 's/"threads": 1/"threads": 2/; s/"gpts": [^,]*/"gpts": 7/' rates.jsonl >more.jsonl
cat rates.jsonl more.jsonl | "$PAVIOR" bench --from - --figure more.svg >table
check 'what rows differ in names their bars' has more.svg '>1 thread, f32<' '>2 threads, f64<'
if command -v xmllint >/dev/null; then
    check 'figures are good XML' xmllint --noout rates.svg more.svg
else
    skip 'figures are good XML' 'there is no xmllint'
fi

# ---- some of the lines ----
some() { "$PAVIOR" bench --from more2.jsonl --json "$@" | grep -c problem; }
sed 's/heat2d/wave2d/; s/"schedule": "rows"/"schedule": "tiles"/' rates.jsonl | cat rates.jsonl - >more2.jsonl
check 'a program may be taken alone'       test "$(some heat2d)" = 2
check 'by a pattern of the shell'          test "$(some '?e*@24x20' wave)" = 4
check 'or by its schedule'                 test "$(some --schedule tiles)" = 2
refuse 'rows that are not there are told'  2 'more2.jsonl: none of its 4 rows is like that' \
    "$PAVIOR" bench --from more2.jsonl heat3d

# ---- mistakes ----
refuse 'an unknown ending is told at once' 2 '.png or .svg' bench heat2d@24x20 --figure rates.gif
refuse 'a missing file is named'           2 'none.jsonl cannot be opened' "$PAVIOR" bench --from none.jsonl
refuse 'lists of schedules take none'      2 'copy takes no --schedule: it has kernels of its own' "$PAVIOR" bench heat2d@8x8 copy --schedule rows
refuse 'nor where they compare some'       2 'variants takes no --schedule: it goes by one schedule' "$PAVIOR" bench variants --schedule rows
refuse 'points that borders give are not measured' 2 'so a step of it moves nothing' bench star3d:r=1@2x2x2/f32
bench stencils --sizes 2 --device interpreter >two 2>said
check  'nor end a list'                    sh -c 'grep -q "star3d.*not measured: borders" two && grep -q "^grayscott3d@2x2x2 " two'
check  'what is no number is not printed'  sh -c '! grep -E "inf|nan" two'
refuse 'what fails at once has no head'    2 "no file 'nosuch'" "$PAVIOR" bench nosuch
check  'nor anything else on stdout'       test -z "$("$PAVIOR" bench nosuch 2>/dev/null)"
refuse 'nor is a device chosen'            2 '--device is of no use' "$PAVIOR" bench --device cpu --from rates.jsonl
refuse 'copying alone is not drawn'        2 'no program among' "$PAVIOR" bench --from copy.jsonl --figure c.svg
: >empty
refuse 'an empty file holds no results'    2 'holds no results' "$PAVIOR" bench --from empty
for line in '{' '[1]' '{"problem": }' '{"problem": "a"} b' '{"problem": "\q"}' '{"problem": {}}'; do
    printf '%s\n' "$line" >bad
    refuse "'$line' is refused with its line" 2 'bad, line 1: a JSON object' "$PAVIOR" bench --from bad
done
echo '{"gpts": 1}' >bad
refuse 'a row without a problem is refused' 2 'no "problem"' "$PAVIOR" bench --from bad
echo '{"problem": "a", "gpts": null}' >bad
refuse 'a row without a rate is refused'   2 'no "gpts"' "$PAVIOR" bench --from bad
mkdir closed
refuse 'a figure that cannot be written is told' 2 'cannot be written' "$PAVIOR" bench --from rates.jsonl --figure closed/no/f.png
finish
