# SPDX-License-Identifier: BSD-3-Clause
# pavior bench: each list has its rows, also on the emulated GPU, although rates mean nothing there.
. "${0%/*}/../../test.sh"

bench() { "$PAVIOR" bench --threads 1 --repetitions 1 "$@"; }
rows() { # file, count, text: so many lines have the text
    rows_found=$(grep -cF -e "$3" "$1")
    [ "$rows_found" = "$2" ] || { echo "$rows_found rows have $3"; cat "$1"; return 1; }
}
list() { # what, option...: its rows into what.jsonl
    list_what=$1
    shift
    check "bench $list_what goes to its end" sh -c '"$@" >'"$list_what.jsonl"' 2>said' sh \
        "$PAVIOR" bench --threads 1 --repetitions 1 --sizes 16 "$list_what" --json "$@"
}
back() { "$PAVIOR" bench --from "$1" --json | cmp - "$1"; }

list orders --device interpreter
check 'eight radii and eight orders, f32 and f64' rows orders.jsonl 32 '"device": "interpreter"'
check 'orders go to the sixteenth'                rows orders.jsonl 2 'wave3d:order=16@16x16x16'
list stencils --device interpreter
check 'ten programs, f32 and f64'          rows stencils.jsonl 20 '"percent": '
check 'of two dimensions, too'             rows stencils.jsonl 2 '"problem": "star2d:r=1@16x16"'
check 'effective bytes are told'           rows stencils.jsonl 20 '"effective_bytes": '
list multigrid --device interpreter
check 'cycles have a rate and a share'     test "$(grep -c '"gpts": [0-9].*"percent": [0-9]' multigrid.jsonl)" = 3
check 'a solution by cycles has a factor'  test "$(grep -c '"steps": [0-9].*"factor": 0\.[01]' multigrid.jsonl)" = 1
check 'two by transforms leave roundings'  test "$(grep -c '"steps": 1,.*"factor": [0-9.]*e-1[0-9]' multigrid.jsonl)" = 2
check 'they are read back'                 back multigrid.jsonl
refuse 'its programs are its own'          2 'no program that --set could change' bench multigrid --set n=9
list async --device interpreter
check 'four variants beside synchronous steps' rows async.jsonl 6 '"problem": "async:'
check 'relaxations are told'                   test "$(grep -c '"percent": [0-9]' async.jsonl)" = 5
check 'they are read back'                     back async.jsonl
list scaling --device interpreter
check 'one grid in one, two and four' rows scaling.jsonl 3 '"problem": "scaling:strong='
check 'and grids that grow'           rows scaling.jsonl 1 '"problem": "scaling:weak=8@16x16x128/f32"'
check 'a model goes on'               sh -c '"$1" bench scaling --device interpreter --sizes 16 --repetitions 1 --model 1e-6 --json >model.jsonl' sh "$PAVIOR"
check 'to 10000 devices'              rows model.jsonl 1 '"problem": "scaling:weak=10000@16x16x160000/f32", "device": "model: links of 1e-06 GB/s and 2 us"'
check 'whose links bound the rate'    sh -c 'grep "weak=10000" model.jsonl | grep -q "\"gpts\": 0\.0\(2\|1999\)"'
check 'messages end the scaling of small grids' sh -c '"$1" bench scaling --device interpreter --sizes 16 --repetitions 1 --model 450,1000 --json |
    grep "strong=\(16\|64\)@" | grep -c "\"gpts\": 0\.00204" | grep -qx 2' sh "$PAVIOR"
refuse 'of scaling alone'           2 '--model is of scaling, not of copy' bench copy --model 50
refuse 'a model needs a rate'       2 'takes the GB/s of a link' bench scaling --model fast
check 'bench outofcore goes to its end' sh -c \
    '"$1" bench --threads 1 --sizes 32 outofcore --json --device interpreter >outofcore.jsonl' sh "$PAVIOR"
check 'methods out of core beside steps in core' rows outofcore.jsonl 9 '"problem": "outofcore:'
check 'they have a share of its rate'            rows outofcore.jsonl 9 '"percent": '
check 'they are read back'                       back outofcore.jsonl
check 'methods are drawn over sizes, each several times' sh -c \
    '"$1" bench --threads 1 --sizes 36,40 --repetitions 3 outofcore --json --device cpu --figure core.svg >several.jsonl' sh "$PAVIOR"
check 'with what was predicted' sh -c 'test "$(grep -c "\"predicted_seconds\": [0-9]" several.jsonl)" -ge 14' sh
check 'and a spread'            sh -c 'test "$(grep -c "\"spread\": [0-9]" several.jsonl)" -ge 16' sh
check 'beside the paper'        grep -q 'times naive (Jin, Endo, Matsuoka: 1.35, 16.7)' core.svg
for list in gradient rtm; do
    check "bench $list goes to its end" sh -c \
        '"$1" bench --threads 1 --sizes 40 $2 --json --device interpreter >$2.jsonl' sh "$PAVIOR" $list
    check "$list: its shot, in a layer, too"  rows $list.jsonl 3 '"gpts": 0.'
    check "$list: ways to keep the past"      rows $list.jsonl 3 '"bound_gpts": null'
    check "$list: they are read back"         back $list.jsonl
done
check 'bench auto goes to its end'     sh -c '"$1" bench --small auto:heat2d --cold --json --threads 1 --device interpreter >auto.jsonl' sh "$PAVIOR"
check 'it has a run beside the best'   rows auto.jsonl 1 '"schedule": "auto"'
check 'a cold run has its own row'       rows auto.jsonl 1 '"problem": "heat2d@40x40/f32 cold"'
refuse 'only auto runs cold'             2 '--cold is of auto, not of copy' bench copy --cold
check 'small grids have no share'      sh -c 'grep -q "\"percent\": null" auto.jsonl && ! grep -q "\"percent\": [0-9]" auto.jsonl'
check 'it is read back'                back auto.jsonl
refuse 'it takes no schedule'          2 'auto takes no --schedule' bench auto --schedule rows
check 'bench model measures schedules'    sh -c '"$1" bench model:heat2d --small --device cpu --threads 1 --repetitions 5 --json >model.jsonl' sh "$PAVIOR"
check 'as many as asked for'              rows model.jsonl 5 '"list": "model"'
check 'it is read back, with its errors'  sh -c '"$1" bench --from model.jsonl >said' sh "$PAVIOR"
check 'the median one'                    grep -q '^error of the model: median [0-9]* %' said
check 'and drawn'                          "$PAVIOR" bench --from model.jsonl --figure model.svg
check 'as a bar for each program, with its rank' grep -q '[0-9]* %, rank [1-5] of 5' model.svg
check 'and the rank of the first choice'  grep -q 'first choice: rank [0-9]* of 5' said
refuse 'hybrid wants a GPU'            2 'to processors and a GPU' bench hybrid --device interpreter
refuse 'transfer wants a GPU'          2 'compares a GPU with the host' bench transfer --device interpreter
refuse 'access wants a GPU'            2 'is of GPUs' bench access --device interpreter
refuse 'passes are of a GPU'           2 'compares schedules of GPUs' bench passes --device interpreter
refuse 'sizes are numbers'                 2 'sizes' "$PAVIOR" bench stencils --sizes 16,a --device interpreter
refuse 'a schedule of GPUs is refused'     2 'schedule sweep is of GPUs' bench heat2d@8x8 --schedule sweep --device interpreter
refuse 'and one that nobody knows'         2 "no schedule 'strem'" bench heat2d@8x8 --schedule strem --device interpreter
refuse 'nor does what compares the host take a schedule' 2 'transfer takes no --schedule' bench transfer --schedule rows


# ---- unsuitable options are refused, not ignored ----
refuse 'a description has a grid of its own' 2 "--small is of lists, and 'heat2d@8x8' says its grid itself" bench heat2d@8x8 --small
refuse 'also beside a list'            2 '--sizes is of lists' bench stencils heat2d@8x8 --sizes 16
refuse 'sizes are said once'           2 'leave out one' bench stencils --small --sizes 16
refuse 'a list of one size'            2 'variants takes one size, not 16,32' bench variants --sizes 16,32
refuse 'nor are arrays of the host a grid' 2 'no grids: leave out --small' bench copy --small --device cpu
refuse 'what runs no program sets nothing' 2 'copy runs no program that --set could change' bench copy --set a=1
refuse 'turns have an end'             2 "from 1 to 9999, not '10000'" "$PAVIOR" bench copy --repetitions 10000

if [ -z "$CXX" ]; then
    skip 'lists on GPUs' 'there is no C++ compiler'
    finish
fi
list copy --device emulated
check 'memory alone is copied'             rows copy.jsonl 1 '"problem": "copy",'
check 'and grids, by two kernels'          rows copy.jsonl 2 '"problem": "copy:halo@16x16x16"'
check 'emulated rates are said to mean nothing' grep -q 'mean nothing' said
check 'a size without memory is left out'  sh -c '"$1" bench copy --threads 1 --repetitions 1 --sizes 16,100000,6 --device emulated >left 2>&1' sh "$PAVIOR"
check 'and why is said'                    rows left 6 'not measured: no memory holds two grids of 100000 x 100000 x 100000'
check 'rows that are no vectors, too'        rows left 3 'not measured: copying needs rows of whole vectors of 16 bytes, and 6 f32 are none'
check 'the others are measured'            rows left 6 '@16x16x16 '
list hybrid --device emulated
check 'each alone, and two by their weights' rows hybrid.jsonl 4 '"problem": "hybrid:cpu='
check 'the parts, the exchange and the model' rows hybrid.jsonl 2 '"problem": "hybrid-model:cpu='
check 'two GPUs by weights'                   rows hybrid.jsonl 1 '"problem": "hybrid-gpus:first=4/16@16x16x16/f32"'
check 'drawn over the share'                  "$PAVIOR" bench --from hybrid.jsonl --figure hybrid.svg
check 'as lines'                              grep -q 'of the grid at the first place' hybrid.svg
list coefficients --device emulated
check 'numbers come from seven places'     rows coefficients.jsonl 14 'points=7@16x16x16"'
check 'of many points, from six'           rows coefficients.jsonl 12 'points=25@16x16x16"'
check 'each by the way that was asked for' rows coefficients.jsonl 4 '"schedule": "sweep:coefficients=constant"'
list access --device emulated
check 'rows begin at each word of a line'  rows access.jsonl 56 '"problem": "access:begin='
check 'words lie apart'                    rows access.jsonl 3 '"problem": "access:stride=32", "device": "emulated (emulated)", "type": "'
check 'words have three sizes'             rows access.jsonl 14 '"type": "16 bytes"'
list transfer --device emulated
check 'a run has four parts'               rows transfer.jsonl 4 '"device": "emulated (emulated)"'
check 'a step has its share of copying'    test "$(grep -c 'transfer:step.*"percent": [0-9].*"copy_gbytes": [0-9]' transfer.jsonl)" = 2
check 'here and there'                     rows transfer.jsonl 4 '"device": "cpu"'
check 'which is drawn over the steps of a run' "$PAVIOR" bench --from transfer.jsonl --figure whole.svg
check 'there and here'                     sh -c 'grep -q ">16x16x16/f32<" whole.svg && grep -q "emulated (emulated)<" whole.svg && grep -q "cpu: no steps" whole.svg'

# ---- an empty cache and a slow compiler: compile time must not count for steps ----
# Each call of the compiler takes 5 s, and a step of these grids takes microseconds. So a step of a second shows a
# counted compilation.
for compiler in "$CC" "$CXX"; do
    printf '#!/bin/sh\necho >>"$PAV_CACHE.calls"\nsleep 5\nexec %s "$@"\n' "$compiler" >"slow-${compiler##*/}"
    chmod +x "slow-${compiler##*/}"
done
slowly() { # name, bench option...: begins it
    slow_name=$1
    shift
    mkdir "$slow_name.cache"
    PAV_CACHE=$PWD/$slow_name.cache PAV_CXX=$PWD/slow-${CXX##*/} PAV_CC=$PWD/slow-${CC##*/} \
        "$PAVIOR" bench "$@" --threads 1 --repetitions 1 --json >"$slow_name.slow" 2>"$slow_name.said" &
    slow_all="$slow_all $slow_name"
}
slow_all=
slowly transfer-slow transfer --sizes 16 --device emulated
slowly copy-slow copy --sizes 16 --device emulated
slowly access-slow access --sizes 16 --device emulated
slowly stages heat3d@16x16x16/f32 --device emulated
slowly launches heat3d@16x16x16/f32 --device emulated --schedule time
slowly loops heat3d@16x16x16/f32 --device cpu
slowly tiles star2d:r=1@2048x2048/f32 --device cpu --schedule time
slowly split heat3d@16x16x16/f32 --device emulated --schedule two-pass
wait
are_steps() { # name: the compiler was called, and no seconds of a row are its
    [ -s "$1.cache.calls" ] && [ -s "$1.slow" ] || { cat "$1.said"; return 1; }
    sed -n 's/.*"seconds_median": \([0-9.e+-]*\),.*/\1/p' "$1.slow" |
        awk '$1 >= 1 { print "a row has " $1 " s"; bad = 1 } END { exit bad }'
}
for what in $slow_all; do
    check "$what: rows hold no seconds of compilers" are_steps "$what"
done
list variants --device emulated
check 'a thread a point comes first'       rows variants.jsonl 4 '"schedule": "point"'
numbers() { # file, key: so many rows have a number there as have a rate
    [ "$(grep -cE "\"$2\": [0-9]" "$1")" = "$(grep -c '"gpts": [0-9]' "$1")" ] || { cat "$1"; return 1; }
}
check 'bytes with halos stand in every row' numbers variants.jsonl footprint_bytes
check 'of copying, too'                     numbers copy.jsonl footprint_bytes
settled() { sed -n 's/.*"tuned": "\([^"]*\)".*/\1/p' "$1"; }
bench heat3d@16x12x10/f32 --device emulated --json >tried.jsonl 2>said
bench heat3d@16x12x10/f32 --device emulated --schedule "$(settled tried.jsonl)" --json >asked.jsonl 2>said
check 'a row says what was settled on'      grep -q '"tuned": "sweep:threads=.*,planes=' tried.jsonl
check 'which can be asked for'              test "$(settled asked.jsonl)" = "$(settled tried.jsonl)"
long=time:shuffle,depth=2,threads=32x8,rows=4,vector=2,ahead=2,unroll=2,planes=16
bench heat3d@40x32x20/f32 --device emulated --schedule "$long" --json >long.jsonl 2>said
check 'long schedules are kept whole'       sh -c '"$1" bench --from long.jsonl --schedule "$2" >said' sh "$PAVIOR" "$long"
list passes --device emulated
check 'in one pass and in two'             rows passes.jsonl 20 '"schedule": "two-pass'
check 'as many in one'                     rows passes.jsonl 40 '"device": "emulated'
for what in orders copy coefficients access transfer variants passes stencils; do
    check "what $what printed is read back" back "$what.jsonl"
done

cat orders.jsonl stencils.jsonl variants.jsonl >several.jsonl
"$PAVIOR" bench orders --from several.jsonl --json >again.jsonl
check 'of lists in one file each is drawn alone' cmp again.jsonl orders.jsonl
check 'sizes make lines'                   "$PAVIOR" bench --threads 1 --repetitions 1 --sizes 16,32 copy --device emulated --figure lines.svg
check 'a panel a program and type'         grep -q '>copy:halo, f64<' lines.svg
check 'with the bound beside it'           sh -c 'test "$(grep -c ">copying<" lines.svg)" = "$(grep -c ">measured<" lines.svg)"'
row() { # size, rate of its arithmetic
    printf '{"problem": "a@%s", "device": "g", "type": "f64", "threads": 1, "gpts": 5, "bound_gpts": 9, "arithmetic_gpts": %s}\n' "$1" "$2"
}
{ row 16x16 8; row 32x32 8; } | "$PAVIOR" bench --from - --figure low.svg >low
{ row 16x16 80; row 32x32 80; } | "$PAVIOR" bench --from - --figure high.svg >high
check 'arithmetic that is slower than copying has a line' grep -q '>arithmetic<' low.svg
check 'and stands in the row'              grep -q 'arithmetic allows 8 Gpts/s' low
check 'what is faster has none'            sh -c '! grep -q arithmetic high high.svg'
pass() { # its steps, rate, bytes by the model
    printf '{"problem": "a@64x64", "device": "g", "type": "f64", "threads": 1, "gpts": %s, "bound_gpts": 9, "list": "time", "depth": %s, "copy_gbytes": 144, "bytes_per_point": 16, "footprint_bytes": %s}\n' "$2" "$1" "$3"
}
{ pass 1 8 null; pass 2 12 9; pass 4 11 5; pass 4 20 5; } | "$PAVIOR" bench --from - --figure depths.svg >depths
check 'rates of time tiles are drawn over their steps' grep -q 'fused steps' depths.svg
check 'beside what the model says'         grep -q '>the model<' depths.svg
bench heat3d@20x16x12/f32 --device emulated --schedule time:depth=2 --json >launch.jsonl 2>said
bench heat3d@20x16x12/f32 --device cpu --schedule time:depth=3 --json >tiles.jsonl 2>said
check 'a row says how many steps share a launch' grep -q '"depth": 2' launch.jsonl
check 'or a pass on the processor, and its bytes' grep -q '"footprint_bytes": [0-9].*"depth": 3' tiles.jsonl

# ---- prisms ----
"$PAVIOR" bench prism --threads 2 --repetitions 1 --device emulated --json >prism.jsonl 2>said
check 'prisms have all stages and ways'    rows prism.jsonl 26 '"problem": "prism:'
check 'the textbook among them'            grep -q 'prism:matrix.*"schedule": "reference"' prism.jsonl
check 'and every kernel of a GPU'          sh -c 'for k in direct constant accumulators best; do grep -q "\"$k\"" prism.jsonl || exit 1; done'
check 'they are read back'                 back prism.jsonl
check 'and drawn'                          "$PAVIOR" bench --from prism.jsonl --figure prism.svg
"$PAVIOR" bench prism --sizes 2,4 --device cpu >said 2>&1
check 'prisms take one size'               grep -q 'one size' said
finish
