# SPDX-License-Identifier: BSD-3-Clause
# pavior plan: its output; and a program too large for the memory is refused before any allocation.
. "${0%/*}/../test.sh"

cat >heat.pav <<'END'
param n = 40
grid  x n, y n
field u = x*y
u' = u + 0.1*laplace(u)
border u = 0
output u every 10 into "u.npy"
steps 100
END

says() { # text, command...: succeeds and says it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
plan() { "$PAVIOR" plan "$@" --copy-rate 10; }

check 'a plan tells the memory of a field'  says '2 levels of 40x40 f64' plan heat.pav
check 'it tells the bytes of a step'        says 'bytes/pt' plan heat.pav
check 'and the files'                       says '11 frames' plan heat.pav
check 'it writes none'                      test ! -e u.npy
check 'steps may be asked for'              says '3 frames' plan heat.pav --steps 20
check 'a setting counts'                    says 'of 400x400 f64' plan heat.pav --set n=400
check 'so does the run that verifies'       says "the interpreter's run beside it" plan heat.pav --verify 4
field_is() { awk '$1 == "u" && u == "" { u = $6 " " $7 } $1 == "--verify" { v = $2 " " $3 } END { exit u == "" || u != v }' said; }
check 'of as many bytes as the fields'      field_is
check 'without it there is none'            sh -c '! "$1" plan heat.pav --copy-rate 10 | grep "beside it"' sh "$PAVIOR"
check 'standard input is planned'           says '40x40' sh -c '"$1" plan - <heat.pav' sh "$PAVIOR"
check 'the rate may be measured'            says 'measured now' "$PAVIOR" plan heat2d@9000x9000
check 'depths and tiles of time blocks are said' says 'several steps may share one: each is skewed by 16 along x, 1 along y, 1 along z' \
    plan star3d:r=1@400x400x400/f32 --device cpu --threads 2 --no-files
printf 'grid x 900, y 900\nfield u = random(1)\nu'"'"' = u + 0.1*laplace(u)\nuntil max(u) < 0.1\nborder u = 0\nsteps 9\n' >until.pav
printf 'grid x 40, y 40\nfield u = x\nu'"'"' = u + 0.001*sum(u)\nborder u = 0\nsteps 9\n' >folds.pav
check 'or why steps are taken one by one'     says '`until` (line 4) is due after every step' plan until.pav --device cpu
for what in run plan; do
    refuse "$what tells who asks for passes so" 2 'is due after every step; leave out' \
        "$PAVIOR" $what until.pav --device cpu --schedule time
    refuse "$what tells of tiles that no cache holds" 2 'asks for tiles that no cache of this machine holds' \
        "$PAVIOR" $what heat3d@90000x40x4 --device cpu --schedule time:depth=64 --steps 100 --no-files
done
check 'a small grid has passes where they are asked for' says 'time:depth=4,tile=0x16' \
    plan heat2d@24x24 --device cpu --schedule time:depth=4
check 'the schedule of kernels is told'     says '2 threads along z or y, blocks of' \
    plan star3d:r=1@400x400x400/f32 --device cpu --threads 2 --schedule blocks --no-files
if [ "$CXX" ]; then
    check 'launches of several steps are told'  says 'bytes a point and step with the overlap of tiles' \
        plan heat3d@40x40x40/f32 --device emulated
    check 'and one that is asked for'           says 'time:shuffle,depth=3,' \
        plan heat3d@40x40x40/f32 --device emulated --schedule time:depth=3
    check 'or why there are none'               says 'of single steps: a step folds all points' \
        plan folds.pav --device emulated
    refuse 'who asks for some ends as a run does'   2 'cannot take several steps in one launch: a step folds all' \
        plan folds.pav --device emulated --schedule persistent
    check 'where blocks may stay they are told'     says 'persistent:depth=' plan heat1d@400 --device emulated
    refuse 'and why a stage cannot go by a schedule' 2 'the schedule sweep:vector=8 cannot be: stage u: a thread loads' \
        plan heat3d@40x40x40/f32 --device emulated --schedule sweep:vector=8
    refuse 'which a run says, too, though it is quiet' 2 'the schedule sweep:vector=8 cannot be: stage u: a thread loads' \
        "$PAVIOR" run heat3d@40x40x40/f32 --steps 2 --quiet --json --device emulated --schedule sweep:vector=8
    refuse 'what does not fit there is listed'  1 'free: DOES NOT FIT' plan heat3d@9000x9000x9000 --device emulated
    refuse 'its memory is that of the host, which may be tried' 1 '`pavior run --force` tries it' \
        plan heat3d@9000x9000x9000 --device emulated
    refuse 'of which several of them have no more'  1 '--force tries it all the same' \
        "$PAVIOR" run heat3d@9000x9000x9000 --device emulated:0-1 --no-files
    refuse 'a schedule of the other device is told' 2 'the schedule rows is of the device cpu, not of emulated' \
        "$PAVIOR" plan heat.pav --device emulated --schedule rows
    check 'of a GPU, with what its tiles add' says '9.994 bytes/pt with the halo of every tile' \
        plan sym27@64x64x64/f32 --device emulated
    check 'if it has points at all'         sh -c '"$1" plan heat2d@1x1 --device emulated >none && ! grep nan none' sh "$PAVIOR"
    check 'which JSON has, too'             says '"footprint_bytes": 9.99' plan sym27@64x64x64/f32 --device emulated --json
else
    skip 'plans for GPUs' 'there is no C++ compiler'
fi
refuse 'an unknown binding is told'         2 "no binding 'core'" "$PAVIOR" plan heat.pav --bind core
check 'the commands know it'                says 'plan       FILE' "$PAVIOR" help

cat >far.pav <<'END'
grid x 9000000, y 9000, z 9000
field u; v; w; a
u' = u + 0.1*(v[0,200,0] + v[0,-200,100])
v' = v + 0.1*(w[0,200,0] + u[0,-200,-100])
w' = w + 0.1*(a[0,200,0] + u[0,-200,0])
a' = a + 0.1*(u[300,200,0] + u[0,-200,0])
border u = 0
border v = 0
border w = 0
border a = 0
steps 100
END
refuse 'where no passes are tried it says why' 1 'not tried: tiles of this grid' \
    "$PAVIOR" plan far.pav --device cpu
refuse 'tiles of very long rows fit into no cache' 1 'do not fit into caches' \
    "$PAVIOR" plan heat3d@9000000x9000x9000 --device cpu

# ---- obstacles for outputs ----
: >file
ln -s nowhere link
mkdir closed
chmod 555 closed
for what in plan run; do
    refuse "$what tells of a file in place of a directory" 2 'file is wanted as a directory, but it is a file' \
        "$PAVIOR" $what heat.pav --out file
    refuse "$what tells of a file above it" 2 'file is wanted as a directory, but it is a file' \
        "$PAVIOR" $what heat.pav --out file/a/b
    refuse "$what tells of a file with an ending slash" 2 'file is wanted as a directory, but it is a file' \
        "$PAVIOR" $what heat.pav --out file/
    refuse "$what tells of a link that leads nowhere" 2 'the directory link cannot be made: File exists' \
        "$PAVIOR" $what heat.pav --out link/a
    if [ -w closed ]; then
        skip "$what and directories that are closed" 'this user may write everywhere'
    else
        [ $what = run ] || refuse 'a plan tells of a closed directory' 2 'nothing can be written into closed: Permission denied' \
            "$PAVIOR" plan heat.pav --out closed
        refuse "$what tells of a directory that is closed" 2 'the directory closed/a cannot be made: Permission denied' \
            "$PAVIOR" $what heat.pav --out closed/a/b
    fi
    check "$what minds none without files"  "$PAVIOR" $what heat.pav --out file --no-files
done
refuse 'a checkpoint wants the directory, too' 2 'file is wanted as a directory' \
    "$PAVIOR" plan heat2d@40x40 --steps 9 --out file --checkpoint c
check 'what can be made is planned'         says '11 frames' plan heat.pav --out new/a
check 'and not made'                        test ! -e new
check 'a directory that counts no blocks is not full' says 'the available memory is not known' \
    plan heat.pav --out /proc/nope

# ---- JSON ----
good_json() { # command...: standard output is one object, whose stores add up
    "$@" >out.json 2>err
    cat out.json err
    if ! command -v python3 >/dev/null; then
        [ "$(wc -l <out.json)" = 1 ] && grep -q '^{"fits": ' out.json
        return
    fi
    python3 - <<'END'
import json
plan = json.load(open('out.json'))
for store in plan['stores']:
    assert store['needed'] == sum(p['bytes'] for p in store['parts'] if p['surety'] == 'sure')
    for p in store['parts']:
        assert p['kind'] != 'field' or p['bytes'] == p['point_bytes'] + p['halo_bytes'] + p['padding_bytes']
assert plan['fits'] == (plan['message'] is None)
END
}
check 'a plan is JSON'                      good_json plan heat.pav --json
check 'it says that it fits'                grep -q '{"fits": true, "message": null' out.json
check 'a plan that is refused is JSON'      good_json plan heat3d@9000x9000x9000 --json
check 'it says why'                         grep -q '"fits": false, "message": "heat3d@9000x9000x9000 needs' out.json
check 'a plan without steps is JSON'        good_json plan heat.pav --json --set n=50 --device interpreter

# ---- too large for the memory ----
refuse 'a grid that does not fit has code 1'  1 'needs 10.6 TiB of memory, ' "$PAVIOR" plan heat3d@9000x9000x9000
refuse 'the report comes nevertheless'        1 'available: DOES NOT FIT'    "$PAVIOR" plan heat3d@9000x9000x9000
refuse 'a run is refused in the same words'   1 'needs 10.6 TiB of memory, ' "$PAVIOR" run heat3d@9000x9000x9000
refuse 'each with what can be done then'      1 '`pavior run --force` tries it' "$PAVIOR" plan heat3d@9000x9000x9000
refuse 'with what would fit'                  1 'what fits is a grid of '    "$PAVIOR" run heat3d@9000x9000x9000
quickly() { # before a compiler is started
    PAV_CC=/bin/false "$PAVIOR" run heat3d@9000x9000x9000 --device cpu >said 2>&1
    cat said
    grep -q 'needs 10.6 TiB' said
}
check 'before kernels are compiled'           quickly
(ulimit -v 400000) 2>/dev/null && limits=yes || limits=
[ -z "$SANITIZED" ] || limits=
if [ "$limits" ]; then
    limited() { (ulimit -v 400000 && exec "$PAVIOR" "$@"); }
    refuse 'a limit of the address space counts' 1 'are available'   limited plan heat3d@320x320x320 --copy-rate 10
    refuse 'for runs, too'                       1 'are available'   limited run heat3d@512x512x512 --device interpreter
    refuse 'who forces a run gets as far as the system lets it' 1 'memory ran out' \
        limited run heat3d@512x512x512 --device interpreter --force
    cat >norm.pav <<'END'
param n = 3000
real f32
grid x n, y n, z n
field u = 1
u' = 2*u - prev(u) + 0.01*laplace(u)
border u = 0
measure e = norm(u)
steps 1
END
    told() { # n, options: the points along x of the grid that is said to fit
        n=$1
        shift
        limited plan norm.pav --set "n=$n" --copy-rate 10 "$@" 2>&1 | sed -n 's/.*a grid of \([0-9]*\)x.*/\1/p'
    }
    fits() { # options: the grid that is said to fit is planned, the next is not, whatever size was refused
        size=$(told 3000 "$@")
        echo "$size, $(told 10000 "$@"), $(told 20000 "$@")"
        [ "$size" -gt 100 ] && [ "$size" = "$(told 10000 "$@")" ] && [ "$size" = "$(told 20000 "$@")" ] &&
            limited plan norm.pav --set "n=$size" --copy-rate 10 "$@" &&
            ! limited plan norm.pav --set "n=$((size + 2))" --copy-rate 10 "$@"
    }
    check 'the grid that is said to fit does, no larger one' fits --device cpu
    check 'nor beside the run of --verify'       fits --device cpu --verify
    check 'nor by the interpreter'               fits --device interpreter
    if "$PAVIOR" plan heat3d@16x16x16 --device emulated >/dev/null 2>&1; then
        check 'nor on a GPU'                     fits --device emulated
    fi
else
    skip 'a limit of the address space' 'ulimit -v does nothing here, or a sanitizer needs more'
fi

# The model: seconds of the likeliest schedule, and the reason against the others.
check 'a plan predicts seconds'       says 'ms a step, ' plan star3d:r=1@200x200x200/f32 --device cpu --threads 2
check 'says by which schedule'        grep -q '^model  .* by [a-z]*[:a-z]' said
check 'of what they are made'         grep -q 'memory [0-9]* %\|caches [0-9]* %' said
check 'and how long another takes'    grep -q ' not [a-z].* times as long by ' said
check 'or why there is none'          says 'not time: ' plan until.pav --device cpu
named_is_tried() { # what the model names stands among what is tried
    plan "$@" --device cpu --threads 2 --no-wisdom >said && cat said && words=$(sed -n 's/^model  .* by //p' said) &&
        case $words in time:*) grep -q "^ *$words, .* by the model" said ;; rows*|blocks*) true ;; *) false ;; esac
}
for word in heat3d@128x128x128/f32 heat2d@2048x2048/f32 wave3d:order=8@96x96x96/f32; do
    check "a run tries what is named ($word)" named_is_tried "$word" --steps 1000
    check 'and nothing twice'                 test -z "$(sed -n 's/^ *\(time:[^ ]*\), .*/\1/p' said | sort | uniq -d)"
done
check 'a short run takes single steps'        says 'not time: the run is too short' \
    plan heat3d@128x128x128/f32 --device cpu --threads 2 --no-wisdom --steps 3
json() { "$PAVIOR" plan star3d:r=1@200x200x200/f32 --device cpu --threads 2 --copy-rate 10 --json; }
json >said
check 'all of them are in the JSON'   grep -q '"schedules": \[{"schedule": "[^"]*", "seconds": [0-9.e-]*, "memory"' said
likely() { sed -n 's/.*"expected_seconds_per_step": \([0-9.e+-]*\).*/\1/p' said; }
least() { sed -n 's/.*"seconds_per_step_at_least": \([0-9.e+-]*\).*/\1/p' said; }
check 'no less than the bound'        awk "BEGIN { exit !($(likely) > 0 && $(likely) >= 0.1 * $(least)) }"
check 'the interpreter has no model'  sh -c '! "$1" plan heat.pav --device interpreter --copy-rate 10 | grep "^model"' sh "$PAVIOR"

# Rates are measured once, and later plans use them.
PAV_WISDOM=$PWD/wisdom
export PAV_WISDOM
check 'usual rates are called so'     says 'that are defaults' plan star3d:r=1@200x200x200/f32 --device cpu --threads 1
check 'rates are measured'            says 'memory, copied' "$PAVIOR" doctor --measure --device cpu --threads 1
check 'three times, today'            grep -q ", 1 thread, $(date -u +%Y-%m-%d), the best of 3:" said
check 'which lie apart'               grep -q '^  memory, copied .* GB/s .*spread [0-9]* %' said
check 'and kept'                      says 'kept in' "$PAVIOR" doctor --measure --device cpu --threads 1
check 'a line a machine'              test "$(wc -l <wisdom.rates)" = 1
check 'plans go by them'              says 'that are measured on 2' plan star3d:r=1@200x200x200/f32 --device cpu --threads 1
check 'not for other threads'         says 'that are defaults' plan star3d:r=1@200x200x200/f32 --device cpu --threads 2
echo spoilt >wisdom.rates
check 'spoilt ones are not taken'     says 'that are defaults' plan star3d:r=1@200x200x200/f32 --device cpu --threads 1
refuse 'no plan goes by the interpreter' 2 'measure cpu' "$PAVIOR" doctor --measure --device interpreter
refuse 'measuring has no JSON'        2 'has no --json' "$PAVIOR" doctor --measure --json
refuse 'threads are of measuring'     2 'is of --measure' "$PAVIOR" doctor --threads 2
# A solve ends at its tolerance: the forecast assumes a factor of 0.1 for cycles, and uses the condition number for cg.
solution() { # method, words
    printf '%s\n' 'grid x 33 from 0 to 1, y 33 from 0 to 1' 'field u; f = random(1)' \
        "solve -laplace(u) = f by $1 to 1e-8" 'border u = 0' >solution.pav
    "$PAVIOR" plan solution.pav --device cpu >said && grep -q "$2" said
}
if "$PAVIOR" doctor | grep -Eq '^ +cpu +yes'; then
    check 'cycles are likely to be ten'   solution multigrid 'for some 10 steps to 1e-08 (200 at most)'
    check 'transforms take one step'      solution auto 'for some 1 steps to 1e-08'
    check 'cg goes by the condition'      solution cg 'for some [12][0-9][0-9] steps to 1e-08'
    check 'others may take all steps'     solution sor 'for 100000 steps, should it take them all'
fi

# ---- the memory used ----
# Memory of the process, compared with the plan: the host's memory, and the memory of an emulated GPU, also on the
# host. An emulated GPU has a stack for each thread of the host.
planned() { "$PAVIOR" plan "$@" --copy-rate 10 --json | tr ',{' '\n\n' | awk -F': ' '/"needed":/ { s += $2 } END { print s }'; }
took() { PAV_THREADS=2 "$PAVIOR" run "$@" --json | tr ',{' '\n\n' | awk -F': ' '/"process_peak":/ { print $2 + 0 }'; }
near() { # word, device: within 30 MiB
    set -- "$1" --device "$2" --steps 4 --threads 2 --no-files
    a=$(PAV_WISDOM=none planned "$@") && b=$(PAV_WISDOM=none took "$@") && echo "planned $a, took $b" &&
        awk -v a="$a" -v b="$b" 'BEGIN { d = (b - a) / 1048576; exit !(a > 0 && d > -4 && d < 30) }'
}
if "$PAVIOR" doctor | grep -Eq '^ +cpu +yes' && [ -z "$SANITIZED" ]; then
    for word in heat3d@176x176x176/f32 wave3d:order=8@112x112x112/f32 grayscott2d@2048x2048/f32 elastic3d@80x80x80/f32; do
        check "$word takes what was planned" near "$word" cpu
    done
    for word in heat3d@128x128x128/f32 wave3d:order=8@96x96x96/f32; do
        check "$word on a GPU, with what the host has of it" near "$word" emulated
    done
fi
finish
