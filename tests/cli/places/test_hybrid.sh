#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A grid shared by processors and a GPU: by a model, by trial steps in long runs, and within the GPU's memory.
. "${0%/*}/../../test.sh"

cat >heat.pav <<'END'
grid x 40, y 40, z 40
field u = exp(-((x-10)^2 + (y-8)^2 + (z-24)^2)/9); field a = 0.1 + 0.0001*x; field b = 0.01*y
u' = u + a*laplace(u) + 0.001*b*u[1,0,1]
border u = 0
steps 9
output u into "u.npy"
END
plan() { "$PAVIOR" plan heat.pav --device cpu+emulated "$@"; }
said() { grep -q "$@" said; }
# text, command...: the command prints the text. The model depends on a measured copy bandwidth, and other work on the
# machine can disturb it, so the command may be repeated.
soon_says() {
    text=$1
    shift
    for attempt in 1 2 3 4 5; do
        "$@" >said 2>&1 || break
        said "$text" && return
    done
    cat said
    return 1
}
check 'one device' "$PAVIOR" run heat.pav --device interpreter --out one --quiet

# With this many planes the exchange is a small part of a step, so sharing pays at any copy bandwidth.
sed 's/z 40$/z 400/' heat.pav >tall.pav

# ---- trial steps ----
check 'a plan says that a long run has trials' sh -c \
    '"$1" plan heat3d@40x40x4000 --device cpu+emulated | grep -q "runs of 500 steps and more measure both by trial steps first"' sh "$PAVIOR"
# An emulated GPU copies memory at the speed of the processor, so the model expects much of it, but it computes far
# slower. If other work disturbs the measurement, the model may already choose the processor alone; then the run is
# repeated.
for attempt in 1 2 3 4 5 6 7 8; do
    check "a long run finds out that one place alone is faster, $attempt" sh -c \
        '"$1" run tall.pav --device cpu+emulated --steps 600 --out long >said 2>&1' sh "$PAVIOR"
    said 'by trial steps' && break
done
check 'and says so' said "^cpu alone runs this program: by trial steps one takes .* us there, and .* us on cpu+emulated"
check 'the processor alone' "$PAVIOR" run tall.pav --device cpu --steps 600 --out alone --quiet
check 'has the same bits' diff -r alone long

# ---- memory ----
# At any rates for sharing, the emulated GPU would get at least 48 of the 1000 planes.
sed 's/z 40$/z 1000/' heat.pav >taller.pav
check 'of a taller grid' "$PAVIOR" run taller.pav --device interpreter --out taller --quiet
while read -r memory planes; do
    check "$memory of memory hold $planes planes, as a plan says" \
        soon_says "the memory of emulated, .* holds no more than $planes of 1000 planes" \
        "$PAVIOR" plan taller.pav --device cpu+emulated --device-memory "$memory"
    check 'a run with them' "$PAVIOR" run taller.pav --device cpu+emulated --device-memory "$memory" --out some --quiet
    check 'has the bits of one device' diff -r taller some
done <<'END'
2900KiB 42
3MiB 45
END
check 'where none fits the processor is alone, which is said' \
    soon_says 'cpu alone runs this program: 100.0 KiB of memory on emulated do not hold a part of the grid' \
    "$PAVIOR" run heat.pav --device cpu+emulated --device-memory 100KiB --out none
check 'and has the same bits' diff -r one none
check 'halos are no deeper than the memory of a share holds' "$PAVIOR" run heat3d@40x40x40 --device cpu+emulated \
    --device-memory 1MiB --weights 12,28 --steps 5 --no-files
check 'given weights may fit' "$PAVIOR" run heat.pav --device cpu+emulated --device-memory 1MiB --weights 3,1 --out some --quiet
check 'with the same bits' diff -r one some
refuse 'or are refused' 1 'by its weight emulated has 30 of 40 planes, and the device memory that it may take holds 14' \
    plan --device-memory 1MiB --weights 1,3
finish
