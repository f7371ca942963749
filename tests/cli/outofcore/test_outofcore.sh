#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run out of core has the bits of a run in core: fields, samples, measures and checkpoints, with and without periodic
# axes.
. "${0%/*}/../../test.sh"

. "$SOURCE/tests/cli/cut_programs.sh"
cat >pair.pav <<'END2'
grid x 33, y 60
field u = exp(-((x-16)^2 + (y-10)^2)/9); v
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.01*u[1,1]*u[-1,-1] + 0.01*sin(t)
v' = v + u'[1,0] - u'[-1,0]
border periodic at x-, x+
border u = sin(t) at y-; border neumann u at y+; border mirror v at y-, y+
steps 20
output u every 10 into "u.npy"
output v into "v.npy"
END2
# Both borders would fill the corners of the first plane, and planes of the second visit read these corners.
cat >corners.pav <<'END2'
grid x 8, y 12
field u = x + y
u' = u + 0.1*laplace(u) + 0.001*u[0,4]*u[0,-4]
border u = sin(0.4*y + 0.5)
border u = -0.5 at y-, y+
inject 0.1 into u at (3.5, 0)
steps 7
output u into "u.npy"
END2
as_in_core() { # lines of standard input: program, device, method
    while read -r name device method; do
        check "$name by $method on $device" \
            "$PAVIOR" run $name.pav --device "$device" --out-of-core "$method" --out "$name-$device-$method"
        check 'has the same files' diff -r $name "$name-$device-$method"
    done
}
cat >sources.pav <<'END2'
grid x 40, y 64
field u; v
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.001*v
v' = v + 0.1*laplace(v)
border u = 0; border mirror v
inject sin(0.3*t + 1) into u at (16.3, 9.7), (10.5, 9.5), (0.4, 62.6)
inject 0.01 into v at (16.3, 0), (10.5, 62.9)
steps 18
output u into "u.npy"; output v into "v.npy"
END2
# Receivers in fused launches: also of fixed fields, beside faces, and every few steps.
cat >seen.pav <<'END2'
grid x 33, y 24, z 60
field u = exp(-((x-16)^2 + (y-10)^2 + (z-20)^2)/9); c = 0.2 + 0.001*z
u' = 2*u - prev(u) + c*laplace(u)
border u = sin(t) at z-; border neumann u at z+; border mirror u at y-, y+; border u = 0 at x-, x+
inject sin(t + 1) into u at (16.3, 9.7, 12.1), (10.5, 9.5, 30)
sample u, c, u + u[1,0,0] at (15.5, 9.5, 0.3), (3, 3, 20.5), (30, 20, 58.9), (20.2, 11, 31.5) every 1 into "s.npy"
sample u at (12, 9.5, 11.5) every 3 into "three.npy"
measure m = sum(u*u) every 13 into "m.csv"
steps 27
output u into "u.npy"
END2
# Periodic axes with launches across their ends: two fields in 3-D, one field in 2-D.
cat >rings.pav <<'END2'
grid x 12, y 9, z 64
field u = sin(x)*cos(0.3*z) + y; v = z
u' = u + 0.1*laplace(u)
v' = v + 0.1*laplace(v) + 0.01*u[0,0,1]
border periodic u, v at x-, x+, y-, y+, z-, z+
steps 17
output u into "u.npy"; output v into "v.npy"
END2
cat >belt.pav <<'END2'
grid x 30, y 90
real f32
field u = sin(x)*y
u' = u + 0.1*laplace(u)
border u = 0 at x-, x+; border periodic u at y-, y+
steps 23
output u every 10 into "u.npy"
END2
for name in wave ring heat pair corners sources seen rings belt; do
    check "$name in core" "$PAVIOR" run $name.pav --device interpreter --out $name
done
as_in_core <<'END2'
wave interpreter naive
corners cpu naive:parts=4
wave cpu auto:steps=5,parts=7
wave emulated auto:parts=4
seen emulated auto:depth=4,steps=9,parts=5
seen emulated auto:depth=3,steps=7,parts=3,overlap=1
seen emulated mmt:steps=4,parts=3
seen emulated:0-1 auto:depth=2,steps=4,parts=9
seen cpu auto:windows=3,steps=4,parts=9
ring interpreter auto:steps=2
ring cpu auto:steps=3,parts=2
ring emulated naive:parts=3
ring cpu naive:parts=2
heat emulated auto:steps=5,parts=5
heat cpu naive:parts=7
heat cpu auto:steps=4,parts=3,overlap=0
heat emulated auto:steps=2,parts=9
heat cpu mm:steps=4,parts=3
heat emulated mm:steps=3,parts=5
wave cpu mm:steps=5,parts=7
heat emulated auto:depth=3,parts=5
pair emulated auto:depth=2,steps=7,parts=4
pair emulated auto:depth=3,parts=3,overlap=0
sources emulated auto:depth=2,steps=6,parts=4
sources emulated auto:depth=3,steps=6,parts=5,overlap=1
sources emulated mmt:steps=6,parts=4
heat emulated mmt:steps=5,parts=3
pair emulated mmt:steps=6,parts=5
heat emulated mmtb:steps=8,parts=4
pair emulated m-mmtb:steps=4,parts=6
heat emulated mp-mmtb:steps=10,parts=5
wave cpu mp-mmtb:steps=5,parts=3
heat cpu mmt:steps=5,parts=3
wave cpu auto:windows=3,steps=2,parts=7
wave emulated:0-1 auto:steps=2,parts=7
heat emulated:0-2 auto:steps=3,parts=9
pair emulated:0-1 auto:depth=2,steps=4,parts=7
ring emulated:0-1 auto:steps=3,parts=2
heat cpu auto:steps=4,parts=8,stay=14
heat cpu auto:steps=3,parts=16,stay=33,overlap=1
wave cpu auto:steps=5,parts=12,stay=30
wave emulated auto:steps=2,parts=12,stay=35,overlap=1
heat emulated auto:depth=3,steps=6,parts=16,stay=33,overlap=1
pair emulated auto:depth=3,steps=6,parts=8,stay=11
rings emulated auto:depth=2,steps=4,parts=3
rings emulated auto:depth=3,steps=4,parts=2,overlap=0
rings emulated mmtb:steps=4,parts=2
rings emulated mp-mmtb:steps=2,parts=4
belt emulated m-mmtb:steps=6,parts=3
belt emulated auto:depth=4,steps=9,parts=2
END2
check 'planes that stay are told' sh -c \
    '"$1" plan heat3d@256x256x512/f32 --device emulated --device-memory 240MiB --steps 1000 | grep -q "the first [0-9]* planes stay on the device"' sh "$PAVIOR"
check 'and in JSON' sh -c \
    '"$1" plan heat.pav --device cpu --out-of-core auto:steps=4,parts=8,stay=30 --json | grep -q "\"planes_that_stay\": 30,"' sh "$PAVIOR"
refuse 'more planes that stay than there is room for' 1 'fewer planes that stay (stay=N)' \
    "$PAVIOR" run heat.pav --device cpu --out-of-core auto:steps=4,parts=8,stay=60

check 'a memory that is too small takes visits' "$PAVIOR" run wave.pav --device cpu --device-memory 40KiB --out small
check 'to the same files' diff -r wave small
check 'which the plan tells' sh -c \
    '"$1" plan wave.pav --device cpu --device-memory 40KiB | grep -q "out of core *auto: [0-9]* visits along y take [0-9]* steps*"' sh "$PAVIOR"
check 'and the report' sh -c \
    '"$1" run wave.pav --device cpu --device-memory 40KiB --no-files | grep -q "out of core *auto: [0-9]* visits of a window"' sh "$PAVIOR"
check 'one that is large enough does not' sh -c \
    '! "$1" plan wave.pav --device cpu --device-memory 1MiB | grep "out of core"' sh "$PAVIOR"

check 'several GPUs are told' sh -c \
    '"$1" plan heat.pav --device emulated:0-1 --out-of-core auto:steps=4,parts=6 | grep -q "go through several windows one behind the other"' \
    sh "$PAVIOR"
refuse 'more parts than planes' 2 '65 parts along z are too many: it has 64 planes' \
    "$PAVIOR" run heat.pav --device cpu --out-of-core auto:parts=65
refuse 'a GPU has one window' 2 '3 windows: each of 2 GPUs has one' \
    "$PAVIOR" run heat.pav --device emulated:0-1 --out-of-core auto:windows=3
refuse 'a processor beside a GPU' 2 'of several devices all have to be GPUs' \
    "$PAVIOR" run heat.pav --device cpu+emulated --weights 1,1 --out-of-core auto
check 'launches of several steps are told' sh -c \
    '"$1" plan heat.pav --device emulated --device-memory 500KiB --schedule time:depth=4 | grep -q "take [0-9]* steps in launches of 4"' \
    sh "$PAVIOR"
cat >loop.pav <<'END2'
grid x 300, y 300, z 300
field u = sin(x)
u' = u + 0.1*laplace(u)*cos(z)
border periodic u at x-, x+, y-, y+, z-, z+
steps 90000
END2
refuse 'those of points that know their place on an axis that wraps around' 2 'in one launch out of core: its slowest axis wraps around' \
    "$PAVIOR" run loop.pav --device emulated --out-of-core auto:depth=2
check 'fused launches are taken unasked in a long run' sh -c \
    '"$1" plan heat3d@1024x1024x1024/f32 --device emulated --device-memory 2GiB --steps 9000 | grep -q "steps in launches of [2-9]"' sh "$PAVIOR"
check 'but not in a short one' sh -c \
    '"$1" plan heat3d@1024x1024x1024/f32 --device emulated --device-memory 2GiB --steps 100 | grep -q "would gain .*s by the model, and their compiler takes"' sh "$PAVIOR"
check 'nor is anything tried there' sh -c \
    '! "$1" plan heat3d@1024x1024x1024/f32 --device emulated --device-memory 2GiB --steps 100 | grep -q "which .* try"' sh "$PAVIOR"
mkdir launches
cubes() { # what a plan says of a run that is worth launches only where they are compiled
    PAV_CACHE=$PWD/launches "$PAVIOR" plan heat3d@96x96x200/f32 --steps 40 --device emulated --device-memory 4MiB
}
check 'launches that are in no cache wait for a compiler' sh -c 'echo "$1" | grep -q "their compiler takes"' sh "$(cubes)"
check 'and may not be compiled' sh -c 'echo "$1" | grep -q "are not in the cache, and may not be compiled"' sh \
    "$(PAV_REQUIRE_CACHED=1 && export PAV_REQUIRE_CACHED && cubes)"
check 'once they are' env PAV_CACHE="$PWD/launches" "$PAVIOR" run heat3d@96x96x200/f32 --steps 4 --device emulated \
    --device-memory 4MiB --out-of-core auto:depth=4 --no-files
check 'they are taken' sh -c 'echo "$1" | grep -q "steps in launches of 4"' sh "$(cubes)"
check 'single steps have a reason' sh -c \
    '"$1" plan loop.pav --device emulated --out-of-core auto | grep -q "single steps: its slowest axis"' sh "$PAVIOR"

moved() { # METHOD SENT BACK: bytes of its 64 planes of 30 x 20 points of 8 bytes
    check "$1 sends $2 and gets back $3" sh -c \
        '"$1" run heat.pav --device cpu --no-files --json --out-of-core "$2" | grep -q "\"sent_bytes\": $3, \"received_bytes\": $4,"' \
        sh "$PAVIOR" "$@"
}
# Only the last of the two blocks sends the older level back too.
moved auto:steps=10,parts=4,stay=0 614400 921600
# A visit receives every plane it reads, and sends back every plane it stores.
moved naive:parts=4 9024000 8496000

check 'memory that cannot be pinned is told' sh -c \
    'PAV_EMULATED_PIN=0 "$1" run heat.pav --device emulated --out-of-core auto:steps=2,parts=5,overlap=1 --out pinless >said 2>&1 &&
     grep -q "planes go through pinned buffers" said' sh "$PAVIOR"
check 'and has the same files' diff -r heat pinless

for device in cpu emulated; do
    check "a timeline on $device" "$PAVIOR" run heat.pav --device $device --out-of-core auto:steps=5,parts=4,overlap=1 \
        --no-files --timeline $device.json
    check 'tells of planes and steps' grep -q '"name": "block 3, steps of visit 2", "pid": 1, "tid": 0, "ts": ' $device.json
done
check 'a GPU has rows of its own' grep -q '"name": "planes 3", "pid": 1, "tid": 2, "ts": ' emulated.json
check 'two GPUs' "$PAVIOR" run heat.pav --device emulated:0-1 --out-of-core auto:steps=5,parts=4,overlap=1 --no-files --timeline two.json
check 'have three rows each' sh -c 'grep -q "\"tid\": 6, \"args\": {\"name\": \"GPU 1: from the device\"}" two.json &&
    grep -q "\"name\": \"steps 0\", \"pid\": 1, \"tid\": 4, \"ts\": " two.json'
check 'it is JSON' sh -c '! command -v python3 >/dev/null || python3 -m json.tool emulated.json >/dev/null'
printf "grid x 40, y 60\nfield u = x\nu' = u\nsteps 4\noutput u*u as q\n" > shown.pav
refuse 'the output of an expression' 2 'an expression needs whole fields' \
    "$PAVIOR" run shown.pav --device cpu --out-of-core auto
refuse 'a timeline in core' 2 'a timeline is of a run out of core' "$PAVIOR" run heat.pav --device cpu --timeline t.json
refuse 'a timeline that cannot be written' 2 'cannot be written: ' "$PAVIOR" run heat.pav --device cpu --no-files \
    --out-of-core auto --timeline /nowhere/t.json
refuse 'nor on a full device' 1 'the timeline /dev/full cannot be written: No space left on device' "$PAVIOR" run heat.pav \
    --device cpu --no-files --out-of-core auto --timeline /dev/full
check 'an emulated GPU is no clock' sh -c \
    '"$1" plan heat.pav --device emulated --out-of-core auto --json | grep -q "\"predicted_seconds\": null"' sh "$PAVIOR"
check 'the report says who waited' sh -c \
    '"$1" run heat.pav --device emulated --no-files --out-of-core auto:parts=4,overlap=1 >said 2>&1 && grep -q "kernels waited .* s for the link" said' \
    sh "$PAVIOR"

# A step that solves an equation, by all methods of auto.
cat >projected.pav <<'END'
grid  x 17, y 17, z 33 spacing 1/16
param dt = 0.1*h^2
field u = random(1); k = 1 + random(2); v
solve u' - dt*laplace(u') = u by transform to 1e-10
solve v' - k*laplace(v') = u' + v by auto to 1e-6
border u, v = 0
border k = 1
steps 2
output u into "pu.npy"
output v into "pv.npy"
END
check 'a step that solves equations, in core' "$PAVIOR" run projected.pav --device interpreter --out projected
for how in 'cpu --out-of-core auto:parts=4' 'cpu --host-memory 2MiB --disk .' 'emulated --device-memory 900KiB'; do
    check "it is taken out of core by $how" "$PAVIOR" run projected.pav --device $how --out "projected-${how%% *}"
    check 'with the same bits' sh -c 'cmp projected/pu.npy "$1/pu.npy" && cmp projected/pv.npy "$1/pv.npy"' sh "projected-${how%% *}"
    rm -r "projected-${how%% *}"
done
check 'its plan says so' sh -c '"$1" plan projected.pav --device cpu --out-of-core auto |
    grep -q "stage by stage: an equation is solved in each of its steps"' sh "$PAVIOR"

check 'a run out of core leaves a checkpoint' "$PAVIOR" run wave.pav --out-of-core auto --steps 10 \
    --device cpu --out part --checkpoint p --every 10
check 'which one in core goes on from' "$PAVIOR" run wave.pav --device interpreter --out part --checkpoint p --restart p
check 'to the same files' diff -r wave part

cat >shared.pav <<'END'
grid x 65 from 0 to 1, y 65 from 0 to 1, z 65 from 0 to 1
field u = x; p
param dt = 0.01
solve p' - dt*laplace(p') = u for p by auto to 1e-8
u' = u + 0.1*p'
border u, p = 0
steps 1
END
shared() { "$PAVIOR" run shared.pav --device emulated --no-files --quiet --device-memory "$1"; }
refuse 'a step and its solver share the memory' 1 'shared equally by its steps and their solvers, and has 1000.0 KiB: give more (--device-memory)' shared 1000KiB
refuse 'a host says so for its own memory' 1 'shared equally by its steps and their solvers, and has 200.0 KiB: give more (--host-memory)' \
    "$PAVIOR" run shared.pav --device cpu --no-files --quiet --host-memory 200KiB --disk .
check 'a little more than is told suffices' shared 1500KiB
refuse 'less than the thinnest window' 1 'for the thinnest part of its grid' \
    "$PAVIOR" run wave.pav --device cpu --device-memory 1KiB
refuse 'parts of an axis that wraps around are wide' 2 'too many: each must have' \
    "$PAVIOR" run ring.pav --device cpu --out-of-core auto:parts=20
refuse 'mm along an axis that wraps around' 2 'mm and mmt part no axis that wraps around' \
    "$PAVIOR" run ring.pav --device cpu --out-of-core mm
refuse 'planes that stay where the axis wraps around' 2 'no planes of ring.pav can stay' \
    "$PAVIOR" run ring.pav --device cpu --out-of-core auto:stay=5
refuse 'an odd number of them' 2 'is no method out of core' "$PAVIOR" run wave.pav --out-of-core auto:stay=x
refuse 'a method' 2 'is no method out of core' "$PAVIOR" run wave.pav --out-of-core fast
refuse 'launches on processors' 2 'depth=3: launches of several steps are of GPUs' \
    "$PAVIOR" run wave.pav --device cpu --out-of-core auto:depth=3
refuse 'more steps than a visit takes' 2 'auto:steps=300: a visit takes 256 steps at most' \
    "$PAVIOR" run wave.pav --device cpu --out-of-core auto:steps=300
again() { # METHOD [DEVICE]: what a report says that it was asks for the same visits
    on=${2:-emulated}
    "$PAVIOR" run heat.pav --device "$on" --no-files --json --out-of-core "$1" >first.json || return 1
    as=$(sed -n 's/.*"as": "\([^"]*\)".*/\1/p' first.json)
    grep -q "\"method\": \"${1%%:*}\"" first.json && [ "${as%%:*}" = "${1%%:*}" ] || return 1
    "$PAVIOR" plan heat.pav --device "$on" --json --out-of-core "$1" | grep -q "\"as\": \"$as\"" || return 1
    "$PAVIOR" run heat.pav --device "$on" --no-files --json --out-of-core "$as" >second.json || return 1
    for key in visits planes window_planes sent_bytes received_bytes overlapped; do
        sed -n "s/.*\"out_of_core\": {.*\"$key\": \([^,]*\),.*/$key \1/p" first.json second.json | uniq | wc -l | grep -qx 1 || return 1
    done
}
for method in auto auto:parts=5 auto:parts=16,stay=33 naive:parts=3 mm mp-mmtb:parts=4; do
    check "a report says what $method came to" again $method
done
for method in auto auto:parts=5 mmtb; do
    check "and on processors, what $method did" again $method cpu
done
check 'their tiles, too' sh -c '"$1" run heat.pav --device cpu --no-files --out-of-core auto --schedule time:depth=3,tile=4x5 |
    grep -q "as --out-of-core auto:.* --schedule time:depth=3,tile=[0-9]*x5$"' sh "$PAVIOR"
refuse 'a size' 2 'takes a size' "$PAVIOR" run wave.pav --device-memory much
refuse 'subdomains of a grid that is too large' 2 'cut into subdomains' "$PAVIOR" run heat.pav --device cpu --subdomains 2x1 --device-memory 64KiB
check 'many steps of a large grid are planned' timeout 600 "$PAVIOR" plan heat2d@20000x20000 --steps 1000 --device cpu \
    --device-memory 40MiB --copy-rate 50
refuse 'subdomains beside it' 2 'cut into subdomains' "$PAVIOR" run wave.pav --device cpu --subdomains 2x1 --out-of-core auto
cat >coef.pav <<'END2'
grid x 24, y 20, z 80
real f32
field u = sin(x)*z; c = 0.05 + 0.0001*z; d stored f16 = 1 + 0.1*sin(y)
u' = 2*u - prev(u) + c[0,0,1]*c*d*laplace(u, order 4)
border u = 0
border neumann c
steps 12
output u into "u.npy"
END2
check 'coefficients in core' "$PAVIOR" run coef.pav --device interpreter --out coef
while read -r device method; do
    check "coefficients by $method on $device" "$PAVIOR" run coef.pav --device "$device" --out-of-core "$method" --out "coef-$device-$method"
    check 'has the same files' diff -r coef "coef-$device-$method"
done <<'END2'
cpu auto:parts=2,steps=3
cpu auto:parts=2,steps=3,once=0
emulated auto:parts=5,depth=2,steps=5
emulated auto:parts=4,steps=4,windows=1
END2
check 'they are sent once' sh -c \
    '"$1" plan coef.pav --device cpu --out-of-core auto:parts=3,steps=3 --json | grep -q "\"sent_once\": true"' sh "$PAVIOR"
check 'unless each block sends them' sh -c \
    '"$1" plan coef.pav --device cpu --out-of-core auto:parts=3,once=0 --json | grep -q "\"sent_once\": false"' sh "$PAVIOR"

check 'a table over grid sizes' sh -c \
    '"$1" plan heat3d --device emulated --device-memory 4MiB --steps 40 --sizes 32,120 | grep -q "^   120 .* 2    60$"' sh "$PAVIOR"
check 'as JSON' sh -c '! command -v python3 >/dev/null ||
    "$1" plan heat3d --device cpu --device-memory 4MiB --sizes 32,64 --json | python3 -m json.tool >/dev/null' sh "$PAVIOR"
refuse 'a size that is none' 2 'takes numbers of points' "$PAVIOR" plan heat3d --sizes 32,x

# These steps fit into no block, so they run stage by stage.
cat >folds.pav <<'END2'
grid x 30, y 40
field u = x + sin(y); v
u' = 2*u - prev(u) + 0.1*laplace(u, order 4)/(1 + sum(u^2)) + max(v)
v' = v + u'[1,0] - u'[-1,0] + 0.001*sum(u)
border periodic at x-, x+
border u = sin(t) at y-; border neumann u at y+; border mirror v at y-, y+
inject sin(t + 1) into u at (16.3, 9.7), (10.5, 9.5)
sample u at (15.5, 9.5) every 1 into "s.npy"
steps 8
output u into "u.npy"; output v into "v.npy"
END2
cat >circle.pav <<'END2'
grid x 500
field u = sin(x)
u' = u + 0.1*laplace(u) + 0.0001*sum(u)
border periodic u at x-, x+
steps 8
output u into "u.npy"
END2
cat >thin.pav <<'END2'
grid x 1, y 12, z 50
field u = y*z; w = 0.1 + 0.001*z
u' = u + w*(u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 4*u) + 0.001*sum(u)
border neumann u at y-, y+, z-, z+
border u = 0 at x-, x+
steps 8
output u into "u.npy"
END2
cat >coarse.pav <<'END2'
grid x 17, y 33
field u = x*y; field c coarse
c' = restrict(u)
u' = u + 0.1*laplace(u) + 0.01*interpolate(c')
border u = 0; border mirror c
steps 6
output u into "u.npy"
END2
cat >still.pav <<'END2'
grid x 20, y 24, z 30
field u = 1 + x*y*z
u' = u + 0.1*laplace(u) + 0.0001*max(u)
border u = 3 at x-, x+, y-; border u = 2 at y+, z-; border u = 1 at z+
steps 8
output u into "u.npy"
END2
for name in folds circle thin coarse still; do
    check "$name in core" "$PAVIOR" run $name.pav --device interpreter --out $name
done
as_in_core <<'END2'
folds interpreter auto:parts=7
folds cpu naive:parts=3
folds emulated auto:parts=4
circle cpu auto:parts=3
circle emulated auto:parts=2
thin cpu auto:parts=6
thin emulated naive:parts=5
coarse cpu auto:parts=2
coarse emulated auto:parts=3
still cpu auto:parts=4
still emulated auto:parts=5
END2
check 'which the plan tells' sh -c \
    '"$1" plan folds.pav --device cpu --out-of-core auto:parts=4 | grep -q "stage by stage: a step folds"' sh "$PAVIOR"
check 'with its files on disk' "$PAVIOR" run folds.pav --device cpu --out-of-core auto:parts=5 --disk . --out folds-disk
check 'has the same files' diff -r folds folds-disk
refuse 'as a checkpoint' 2 'cannot be its checkpoint: a step folds' \
    "$PAVIOR" run folds.pav --device cpu --disk . --checkpoint f.checkpoint
refuse 'planes that stay' 2 'no planes of folds.pav can stay' "$PAVIOR" run folds.pav --device cpu --out-of-core auto:stay=5
refuse 'several steps of it' 2 'cannot take several steps a visit: a step folds' \
    "$PAVIOR" run folds.pav --device cpu --out-of-core mm

# ---- a run stopped within a block ----
# A run stops after the step it announced: one step behind the present block, or behind the last block in progress.
# A signal between two rounds stops the run at once. Then the test is repeated with a later signal.
interrupt_run() { # method, seconds
    "$PAVIOR" run heat3d@48x48x96 --steps 4000 --device interpreter --out-of-core "$1" --no-files >/dev/null 2>said & victim=$!
    wait_for $victim grep -q '^step' said
    sleep "$2"
    kill -INT $victim; wait $victim
}
stop_within() {
    for later in 0.1 0.2 0.3 0.5 0.7; do
        interrupt_run "$1" $later
        grep -q 'the run stops after step' said && break
    done
    check "a run by $1 that is stopped says what it waits for" grep -q 'the run stops after step [0-9]*, .*, until which fields are updated in place: [0-9]* of [0-9]* visits are left' said
    check "and what a second Ctrl-C does ($1)" grep -q 'visits are left, some .* (a second Ctrl-C ends the command at once)' said
    announced=$(sed -n 's/.*the run stops after step \([0-9]*\),.*/\1/p' said)
    check "and $1 stops there" grep -q "stopped after step ${announced:-?} of 4000" said
    check "a single step behind a block by $1" test $((announced % $2)) = 1
}
stop_within auto:steps=60,parts=8 60
stop_within auto:steps=10,parts=12,windows=3,depth=1 10

# ---- a time limit within a round of blocks ----
# A round has 12 blocks, 288 steps, and takes several times as long as the limit.
"$PAVIOR" run heat3d@128x128x256 --steps 4000 --device interpreter --threads 2 --out-of-core auto:steps=24,parts=24,windows=3,depth=1 --time-limit 00:00:02 --checkpoint limit.checkpoint --no-files >/dev/null 2>said
check 'a time limit stops a run within a round' grep -q 'the time limit is near: stopped after step [0-9]* of 4000' said
check 'before the round is over' test "$(sed -n 's/.*stopped after step \([0-9]*\) of.*/\1/p' said)" -lt 288
check 'and nobody pressed Ctrl-C' sh -c '! grep Ctrl-C said'

# ---- a plan's visits of a periodic axis as an option; windows too large for the host's memory ----
cat >wraps.pav <<'END2'
grid x 12, y 10, z 64
field u = sin(x)*z
u' = u + 0.1*laplace(u)
border periodic u
steps 8
END2
"$PAVIOR" plan wraps.pav --device interpreter --out-of-core auto:parts=3,steps=2 >plan
check 'visits that do not divide an axis that wraps' grep -q 'as --out-of-core auto:parts=3,' plan
refuse 'windows that the host has no memory for' 1 'fewer windows (windows=N)' \
    "$PAVIOR" run heat3d@48x48x96 --steps 20 --device interpreter --out-of-core auto:steps=4,parts=2,windows=3 --disk . --host-memory 3MiB
finish
