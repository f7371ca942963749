#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fields kept in files on a disk: the same bits with fields in memory, resuming after a kill, and messages about the
# disk.
. "${0%/*}/../../test.sh"

. "$SOURCE/tests/cli/cut_programs.sh"
cat >belt.pav <<'END2'
grid x 12, y 9, z 64
field u = sin(x)*cos(0.3*z) + y
u' = u + 0.1*laplace(u)
border periodic u at x-, x+, y-, y+, z-, z+
steps 13
output u into "u.npy"
END2
for name in wave ring heat belt; do
    check "$name in memory" "$PAVIOR" run $name.pav --device interpreter --out $name
done
mkdir one two
while read -r name device method; do
    check "$name by $method on $device" \
        "$PAVIOR" run $name.pav --device "$device" --out-of-core "$method" --disk one,two --out "$name-$device-$method"
    check 'has the same files' diff -r $name "$name-$device-$method"
done <<'END2'
wave interpreter naive
wave cpu auto:steps=5,parts=7
ring cpu auto:steps=3,parts=2
ring cpu naive:parts=3
wave cpu mm:steps=5,parts=7
heat emulated auto:depth=3,parts=5
heat emulated mmt:steps=5,parts=3
wave cpu auto:windows=2,steps=2,parts=9
wave cpu auto:windows=3,steps=1,parts=12
ring cpu auto:windows=2,steps=3,parts=2
heat interpreter auto:windows=2,steps=3,parts=8
heat emulated:0-1 auto:steps=3,parts=9
belt emulated auto:depth=2,steps=5,parts=3
heat emulated:0-1 auto:depth=3,steps=6,parts=5
END2
# Out-of-core visits on processors in time tiles: the same bits, also with sources, receivers and faces. One visit may
# hold the last plane alone.
cat >faces.pav <<'END2'
grid x 24, y 20, z 40
field u = x*0.01 + y*0.02; v = sin(x + z)
param dt = 0.1
u' = u + 0.1*laplace(u)
v' = v + 0.05*laplace(v, order 4) + 0.01*u'[0,0,1]
border u = sin(3*t) + x*0.1; border odd v at z-, z+; border neumann v = cos(t) at x-, y+; border v = t at x+, y-
inject sin(t) into v at (11.5, 9.2, 37.9)
sample u, v at (3.3, 7, 38.6), (12, 12, 1.2) every 1 into "s.npy"
steps 20
output u every 10 into "u.npy"; output v every 10 into "v.npy"
END2
cat >rim.pav <<'END2'
grid x 30, y 41
field u = sin(x)*y
u' = 2*u - prev(u) + 0.05*laplace(u, order 8)
border odd u
steps 20
output u into "u.npy"
END2
# A periodic axis in two dimensions, with a source and receivers at its ends.
cat >loop.pav <<'END2'
grid x 24, y 90
field u = sin(x)*cos(y)
u' = 2*u - prev(u) + 0.05*laplace(u)
border u = sin(t) at x-; border neumann u at x+; border periodic u at y-, y+
inject sin(t + 1) into u at (11.5, 0.2), (4, 40.5)
sample u at (3.3, 89), (12, 1.2), (5, 44.4) every 1 into "s.npy"
steps 20
output u every 10 into "u.npy"
END2
for name in faces rim loop; do
    check "$name in memory" "$PAVIOR" run $name.pav --device interpreter --out $name
done
while read -r name tiles settings; do
    check "$name by $tiles, $settings" "$PAVIOR" run $name.pav --device cpu --schedule "$tiles" --out-of-core "$settings" \
        --disk one,two --out tiles
    check 'has the same files' diff -r $name tiles
    rm -rf tiles
done <<'END2'
wave time:depth=4,tile=4x6 auto:steps=9,parts=3
wave time:depth=2,tile=3x5 auto:steps=5,parts=2
heat time:depth=3,tile=5x4 auto:steps=7,parts=3
heat time:depth=7,tile=2x9 auto:steps=7
faces time:depth=2,tile=5x4 auto:steps=4,parts=3
faces time:depth=3,tile=4x8 auto:steps=10,parts=7
faces time:depth=5,tile=3x3 auto:steps=5,parts=9
rim time:depth=3 auto:steps=8,parts=4
rim time:depth=2,tile=16x3 auto:steps=5,parts=9
belt time:depth=3,tile=4x3 auto:steps=5,parts=3
belt time:depth=2,tile=3x5 auto:steps=2,parts=4
ring time:depth=2,tile=8x4 auto:steps=3,parts=2
loop time:depth=3,tile=4x3 auto:steps=6,parts=2
END2
check 'which plans say'   sh -c '"$1" plan heat.pav --device cpu --disk one --schedule time:depth=3,tile=5x4 --out-of-core auto:steps=7 |
    grep -q "take 7 steps in time tiles of 3,"' sh "$PAVIOR"
check 'and reports'       sh -c '"$1" run heat.pav --device cpu --disk one --schedule time:depth=3,tile=5x4 --out-of-core auto:steps=7 --no-files |
    grep -q "planes, time tiles of 3 steps;"' sh "$PAVIOR"
refuse 'not of a method'  2 'cannot go by the schedule time:depth=3: the methods of the paper take single steps on processors' \
    "$PAVIOR" run heat.pav --device cpu --disk one --schedule time:depth=3 --out-of-core mm
check 'nothing is left' test -z "$(ls -A one two | grep store)"

check 'less memory than fields take visits' "$PAVIOR" run heat.pav --device cpu --host-memory 250KiB --out small
check 'to the same files' diff -r heat small
check 'which the plan tells' sh -c '"$1" plan heat.pav --device cpu --host-memory 250KiB | grep -q "fields of [0-9.]* KiB lie in files of 1 disk,"' sh "$PAVIOR"
check 'with its seconds and what bounds them' sh -c '"$1" plan heat.pav --device cpu --host-memory 250KiB |
    grep -q "a step takes [0-9]* us: .* of kernels and moves, .* of the disk; bound by"' sh "$PAVIOR"
check 'and the report' sh -c '"$1" run heat.pav --device cpu --host-memory 250KiB --no-files | grep -q "fields *[0-9.]* KiB in files; .* read, .* written"' sh "$PAVIOR"
check 'and who moved the planes' sh -c '"$1" run heat.pav --device cpu --disk one --no-files | grep -q "moved by threads"' sh "$PAVIOR"
check 'enough memory takes none' sh -c '! "$1" plan heat.pav --device cpu --host-memory 10MiB | grep "in files"' sh "$PAVIOR"
refuse 'too little' 1 "of the host's memory for planes on their way to and from the disk, and has 10.0 KiB" \
    "$PAVIOR" run heat.pav --device cpu --host-memory 10KiB
refuse 'no directory' 2 'cannot be made: No such file or directory' "$PAVIOR" run heat.pav --device cpu --disk nowhere
while read -r settings said; do
    refuse "$settings over files" 2 "$said" "$PAVIOR" run heat.pav --device cpu --disk one --out-of-core $settings
done <<'END2'
auto:overlap=1 overlap=1: over files planes always come from the disk and go there while a visit computes
auto:overlap=0 overlap=0: over files planes
mp-mmtb which fields in files do not: m-mmtb is the same but for that
auto:depth=2 depth=2: launches of several steps are of GPUs
END2
refuse 'an odd list' 2 'takes a directory, or up to 16' "$PAVIOR" run heat.pav --device cpu --disk one,,two
printf 'grid x 900\nfield u = x\nu'"'"' = u + 0.1*laplace(u)\nborder u = 0\nsteps 3\n' >line.pav
refuse 'one dimension' 2 'has a grid of one dimension, which is not kept on disk' "$PAVIOR" run line.pav --device cpu --disk one
refuse 'files that are too large' 2 'cannot be made: File too large; a limit on the size of files' \
    sh -c 'ulimit -f 100; "$1" run heat.pav --device cpu --disk one' sh "$PAVIOR"

figure() { # name file
    sed -n "s/.*\"$1\": \([0-9.e-]*\).*/\1/p" $2
}

# ---- kills and failures: the run goes on from its last block ----
killed() { # name method [options]: each life is killed at a later piece than the one before
    name=$1 method=$2; shift 2
    rm -rf gone ck one/*; lives=0 code=137 restart=
    while [ $code = 137 ] && [ $lives -lt 30 ]; do
        lives=$((lives + 1)); at=$((lives * lives + lives % 5 + 1))
        [ -f ck ] && restart='--restart ck'
        PAV_DISK_FAULT=kill:$at "$PAVIOR" run "$name.pav" --device cpu --out-of-core "$method" --disk one --checkpoint ck $restart --out gone --quiet "$@"
        code=$?
    done
    [ $code = 0 ] && [ $lives -gt 3 ] || { echo "code $code after $lives lives"; return 1; }
    rm -f gone/*.old
    diff -r "$name" gone && [ "$(ls one | grep -c ck.fields)" = 1 ]
}
check 'a wave that is killed again and again' killed wave auto:steps=3,parts=4
check 'a ring, too' killed ring auto:steps=3,parts=2
check 'a wave through two windows' killed wave auto:windows=2,steps=1,parts=9
check 'heat through three' killed heat auto:windows=3,steps=2,parts=12 --host-memory 2MiB
check 'heat with planes cached in memory' killed heat auto:steps=2,parts=3 --host-memory 900KiB
check 'a ring with some' killed ring auto:steps=3,parts=2 --host-memory 2MiB

# Kills before and after the checkpoint is renamed: the checkpoint found then, old or new, must have all its files.
while read -r moment; do
    rm -rf gone ck one/*; restart=
    for life in 1 2; do
        check "a kill at $moment, life $life" sh -c 'PAV_DISK_FAULT=$2 "$1" run heat.pav --device cpu --out-of-core auto:steps=2,parts=3 \
            --disk one --checkpoint ck $3 --out gone --quiet; test $? = 137' sh "$PAVIOR" $moment "$restart"
        [ -f ck ] && restart='--restart ck'
    done
    check 'and it goes on' "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck $restart --out gone --quiet
    check 'to the same bits' sh -c 'rm -f gone/*.old; diff -r heat gone'
    check 'and leaves one file' test "$(ls one | grep -c ck.fields)" = 1
done <<'END2'
rename:1
rename:3
renamed:1
renamed:4
END2

# ---- files without a checkpoint ----
alone() { # options: a run that is killed before it has a checkpoint
    PAV_DISK_FAULT=rename:1 "$PAVIOR" run heat.pav --device cpu --disk one --out gone --quiet "$@"
    test $? = 137
}
rm -rf gone ck one/*; mkdir -p other
check 'a kill before the first checkpoint' alone --checkpoint ck
check 'and of another checkpoint of that name' alone --checkpoint other/ck
check 'leave their files' test "$(ls one | grep -c 'ck.fields-.*new$')" = 2
check 'which the next run says that it removes' sh -c '"$1" run heat.pav --device cpu --disk one --checkpoint ck --out gone 2>&1 |
    grep -q "removed .* of files ck.fields-.*, left by a run that was ended before its first checkpoint"' sh "$PAVIOR"
check 'but for those of the other' test "$(ls one | grep -c 'ck.fields-.*new$') $(ls one | grep -c 'ck.fields')" = "1 2"
refuse 'two runs in the same files' 2 'is in use: another run computes in it' \
    flock "one/$(ls one | grep -v 'new$')" "$PAVIOR" run heat.pav --device cpu --checkpoint ck --restart ck --quiet
check 'which are left as they were' "$PAVIOR" run heat.pav --device cpu --checkpoint ck --restart ck --out gone --quiet

fails() { # kind:number sentence
    rm -rf back ck one/*
    refuse "$1" 1 "$2" env PAV_DISK_FAULT=$1 "$PAVIOR" run heat.pav --device cpu --out-of-core auto:steps=2,parts=3 --disk one --checkpoint ck --out back --quiet
    check 'and it goes on' "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck --restart ck --out back --quiet
    check 'to the same bits' diff -r heat back
}
fails write:9 'cannot be written: Input/output error'
fails read:9 'cannot be read: Input/output error'
fails full:9 'free; free some space, or give --disk a directory of another disk'
for piece in 1 2 3 9; do
    fails turned:$piece 'on are not those that were written; begin anew'
done
# The planes written by visits are verified before the host reads them: for the NaN check, an output, or a step on the
# host.
fails seen:1 'on are not those that were written; begin anew'
fails seen:70 'on are not those that were written; begin anew'
cat >normed.pav <<'END2'
grid x 40, y 40, z 60
field u = sin(x)
u' = (u + 0.1*laplace(u))/(1 + sum(u^2))
border u = 0
steps 4
output u into "u.npy"
END2
"$PAVIOR" run normed.pav --device cpu --disk one --out-of-core auto:parts=5 --out staged --report staged.json --quiet
check 'what stages read and wrote is counted' sh -c 'test "$1" -gt 1000000 && test "$2" -gt 1000000' sh \
    "$(figure disk_read staged.json)" "$(figure disk_written staged.json)"
for piece in 1 100 180; do
    refuse "steps stage by stage, seen:$piece" 1 'on are not those that were written' \
        env PAV_DISK_FAULT=seen:$piece "$PAVIOR" run normed.pav --device cpu --disk one --out-of-core auto:parts=5 --no-files
done
rm -rf back ck one/*
check 'a run that ends' "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck --out back --quiet
printf '\101' | dd of="$(ls one/*ck.fields*)" bs=1 seek=100000 conv=notrunc 2>/dev/null
refuse 'a byte that a disk changed is found by outputs after a restart' 1 'on are not those that were written' \
    "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck --restart ck --out again --quiet
file=$(ls one/*ck.fields*)
refuse 'a store of processors on a GPU' 2 'go on with the description and on the device that wrote them (processors, or GPUs)' \
    "$PAVIOR" run heat.pav --device emulated --disk one --checkpoint ck --restart ck --quiet
truncate -s 5000 "$file"
refuse 'a store that was cut' 2 'is damaged: it has 5000 bytes in place of' \
    "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck --restart ck --quiet
refuse 'a grid beyond the memory of the host' 1 '--disk DIR computes this one with its fields in files there' \
    "$PAVIOR" run heat3d@9000x9000x9000 --steps 4 --device cpu --no-files --quiet
rm -rf back ck one/*
check 'a run that ends again' "$PAVIOR" run heat.pav --device cpu --disk one --checkpoint ck --out back --quiet

refuse 'a checkpoint is gone on from in place' 2 'give --checkpoint ck, too' "$PAVIOR" run heat.pav --device cpu --restart ck
rm one/*
refuse 'without its files it is of no use' 2 'cannot be opened: No such file or directory; it belongs to a checkpoint' \
    "$PAVIOR" run heat.pav --device cpu --checkpoint ck --restart ck

# ---- memory of the host ----
"$PAVIOR" run heat3d@96x96x200 --steps 4 --device cpu --host-memory 4MiB --no-files --json >peak.json 2>peak.log
check 'a run keeps within the memory of the host that it is given' sh -c '
    peak=$(sed -n "s/.*\"memory_peak\": \([0-9]*\).*/\1/p" peak.json)
    [ "$peak" -gt 1000000 ] && [ "$peak" -le 4194304 ]'

# ---- zeros take no space on the disk ----
cat >drop.pav <<'END2'
grid x 64, y 64, z 200
field u = where(z < 40, exp(-((x-32)^2 + (y-32)^2 + (z-20)^2)/9), 0)
u' = u + 0.1*laplace(u)
border u = 0
steps 12
output u into "u.npy"
END2
rm -rf one/*
check 'a drop in memory' "$PAVIOR" run drop.pav --device cpu --out drop --quiet
check 'on disk, in files that stay' "$PAVIOR" run drop.pav --device cpu --out-of-core auto:steps=4,parts=5 --disk one --checkpoint drop.ck \
    --out drop-disk --report drop.json --quiet
check 'has the same bits' diff -r drop drop-disk
check 'planes of zeros are not written' test "$(figure disk_holes drop.json)" -gt 10000000
check 'and take no room' sh -c 'test $(du -sk one | cut -f1) -lt $(($(stat -c %s one/*.fields*) / 1024 / 2))'

# ---- signals from outside: at the first fill, about the first checkpoint, while it computes ----
there() { ls $1 >/dev/null 2>&1; }
begun() { # file seconds signal: a run that gets the signal so long after there is the file
    rm -rf two/* ck; restart=
    "$PAVIOR" run heat.pav --steps 2000 --device cpu --out-of-core auto:steps=1,parts=3 --disk two \
        --checkpoint ck --no-files --quiet 2>said & victim=$!
    wait_for $victim there "$1"
    kill -0 $victim 2>/dev/null || { echo "the run ended too early: $(cat said)"; return 1; }
    sleep $2; kill -$3 $victim; wait $victim
    code=$?
    [ -f ck ] && restart='--restart ck'
    return 0
}
goes_on() { # steps: to the bits of a run in memory
    "$PAVIOR" run heat.pav --steps $1 --device cpu --disk two --checkpoint ck $restart --out on --quiet &&
        "$PAVIOR" run heat.pav --steps $1 --device cpu --out straight --quiet && diff -r straight on
}
while read -r file seconds; do
    check "a kill $seconds s after there is $file" begun "$file" $seconds KILL
    check 'killed it' test $code = 137
    check 'and it goes on to the same bits' goes_on 2000
done <<'END2'
two/*.fields* 0
ck 0
ck 0.1
END2
for signal in INT TERM; do
    check "SIG$signal" begun ck 0.1 $signal
    check 'stops it after a step' grep -q '^stopped after step [0-9]* of 2000; .* and the checkpoint ck' said
    check 'from which it goes on' goes_on $(($(sed -n 's/^stopped after step \([0-9]*\) of.*/\1/p' said) + 5))
done

# ---- a window on a GPU, with fields too large for the host's memory as well ----
check 'a window on a GPU over files' "$PAVIOR" run heat.pav --device emulated --device-memory 400KiB --host-memory 600KiB --out three
check 'has the same files' diff -r heat three
check 'a plan says both limits' sh -c '"$1" plan heat.pav --device emulated --device-memory 400KiB --host-memory 600KiB >said &&
    grep -q "a window of .* of the device.s memory" said && grep -q "lie in files of 1 disk" said' sh "$PAVIOR"
last=1000000000
for memory in 500 600 800 1200; do
    check "$memory KiB of the host's memory" "$PAVIOR" run heat.pav --device emulated --device-memory 300KiB --host-memory ${memory}KiB \
        --disk one --out cached$memory --report cached$memory.json
    check 'have the same files' diff -r heat cached$memory
    now=$(figure disk_read cached$memory.json)
    check 'the more of it, the less is read' test "$now" -lt $last
    check 'since planes are cached' test "$(figure disk_cached cached$memory.json)" -gt 0
    last=$now
done
check 'which the plan tells' sh -c '"$1" plan heat.pav --device emulated --device-memory 300KiB --host-memory 800KiB --disk one >said &&
    grep -q "[1-9][0-9]* of 64 planes of them stay in the host.s memory" said && grep -q "cached .* KiB  planes of the files" said' sh "$PAVIOR"

check 'a timeline over files' "$PAVIOR" run heat.pav --device cpu --out-of-core auto:steps=2,parts=4 --disk one --no-files --timeline disk.json
check 'says what was read and written' sh -c 'grep -q "\"name\": \"bytes read: [1-9]" disk.json && grep -q "\"name\": \"bytes written: [1-9]" disk.json'
check 'a plan says how several GPUs share files' sh -c '"$1" plan heat.pav --device emulated:0-1 --disk one --out-of-core auto:steps=2,parts=9 |
    grep -q "blocks go through several windows one behind the other"' sh "$PAVIOR"

# ---- predictions of bytes, and of seconds at the plan's rates; no clock ----
over_disk='heat3d@96x96x120 --steps 40 --device cpu --host-memory 8MiB'
"$PAVIOR" plan $over_disk --json >planned.json
check 'a run over a disk' "$PAVIOR" run $over_disk --no-files --report taken.json
check 'reads about as many bytes as predicted' awk -v said="$(figure sent_bytes planned.json)" \
    -v read="$(figure disk_read taken.json)" -v cached="$(figure disk_cached taken.json)" \
    'BEGIN { print said, read, cached; exit !(read + cached > 0.9*40*said && read + cached < 1.3*40*said) }'
check 'and writes as many, and the first values' awk -v said="$(figure received_bytes planned.json)" \
    -v written="$(figure disk_written taken.json)" -v holes="$(figure disk_holes taken.json)" \
    'BEGIN { first = 96*96*120*8; all = 40*said + first; print all, written, holes
        exit !(written + holes > 0.9*all && written + holes < 1.3*all) }'
check 'and reports the seconds of the plan' awk -v step="$(figure predicted_seconds planned.json)" \
    -v all="$(figure predicted_seconds taken.json)" \
    'BEGIN { print step, all; exit !(all > 39.9*step && all < 40.1*step && all > 0) }'

cat >grows.pav <<'END2'
grid x 20, y 30
field u = 1 + x
u' = u*u*u
border u = 0
steps 400
END2
for where in '--out-of-core auto:parts=4' '--disk one'; do
    refuse "values that are not finite, $where" 1 'field u is not finite at point (18, 1) after step 5' \
        "$PAVIOR" run grows.pav --device interpreter $where --check-nan 5 --no-files
    refuse "which name the steps, $where" 1 'between blocks of steps: --check-nan K checks every K steps, in shorter blocks' \
        "$PAVIOR" run grows.pav --device interpreter $where --no-files
done
finish
