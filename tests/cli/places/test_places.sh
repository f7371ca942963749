#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Subdomains on a list of devices have the bits of one device: fields, samples and measures.
. "${0%/*}/../../test.sh"

cat >wave.pav <<'END'
grid x 21, y 16
field u = exp(-((x-10)^2 + (y-8)^2)/9); field c coarse; v
c' = restrict(u)
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.01*u[1,1]*u[-1,-1] + 0.01*interpolate(c')
v' = v + u'[1,0] - u'[-1,0]
border u = t at y-; border neumann u at y+, x-, x+; border mirror v, c
inject t + 1 into u at (10.3, 7.7), (4.5, 7.5)
sample u at (10.5, 7.5), (3, 3) every 1 into "s.npy"
measure m = sum(u*v) every 4 into "m.csv"
steps 8
output u into "u.npy"; output v into "v.npy"
END
run() { "$PAVIOR" run wave.pav --quiet --checkpoint kept "$@"; }
same() {
    check 'and have the same files' diff -r whole places
    check 'and the same checkpoint' cmp whole.kept kept
    rm -rf places kept
}

check 'a run on one device' run --device interpreter --out whole
check 'keeps a checkpoint' mv kept whole.kept
check 'a run on an emulated GPU' run --device emulated --out places
same
check 'a processor and an emulated GPU run a grid together' run --device cpu+emulated --weights 1,2 --out places
same
check 'so do GPUs of different weights' run --device emulated:0-1,3 --weights 1,3,2 --out places
same
check 'and places with several subdomains each' \
    run --device interpreter+emulated --subdomains 2x2 --out places
same
check 'where sharing does not pay, one goes on alone' sh -c \
    '"$1" run wave.pav --device cpu+emulated --out places --checkpoint kept >log 2>&1 && grep -q " alone runs this program: " log' sh "$PAVIOR"
same
check 'a plan tells who is where' sh -c \
    '"$1" plan wave.pav --device cpu+emulated --weights 1,3 | grep -q "0 on cpu: x 0 to 20, y 0 to 3"' sh "$PAVIOR"
check 'and how halos travel' sh -c \
    '"$1" plan wave.pav --device cpu+emulated --weights 1,3 | grep -q "exchanged a step (staged copy)"' sh "$PAVIOR"
check 'GPUs read the memory of each other' sh -c \
    '"$1" plan wave.pav --device emulated:0-1 | grep -q "exchanged a step (peer access)"' sh "$PAVIOR"
check 'neighbours get GPUs with a fast link' sh -c 'PAV_EMULATED_PEERS=0-2,1-3 "$1" plan wave.pav --device emulated:0-3 >said &&
    grep -q "0 on emulated:0: " said && grep -q "1 on emulated:2: " said && grep -q "(peer access, staged copy)" said' sh "$PAVIOR"
check 'and run there' env PAV_EMULATED_PEERS=0-2,1-3 "$PAVIOR" run wave.pav --device emulated:0-3 --out places --checkpoint kept
same
refuse 'pairs are named by numbers' 2 'PAV_EMULATED_PEERS takes pairs' env PAV_EMULATED_PEERS=all "$PAVIOR" plan wave.pav --device emulated:0-1
check 'the report tells how much of an exchange is hidden' sh -c \
    '"$1" run heat3d@16x16x16/f32 --steps 80 --exchange-every 1 --no-files --quiet --json --device emulated:0-1 |
    grep -q "\"seconds_of_one_exchange\": [0-9.e-]*, \"seconds_of_one_not_hidden\": [0-9.e-]*,"' sh "$PAVIOR"
# ---- the default number of steps between exchanges ----
cat >small.pav <<'END'
grid x 24, y 24, z 24
field u = exp(-((x-10)^2 + (y-8)^2 + (z-12)^2)/9)
u' = u + 0.1*laplace(u)
border u = 0
steps 20
output u into "u.npy"
END
check 'a model deepens the halos of small boxes on GPUs' sh -c \
    '"$1" plan small.pav --device emulated:0-1 | grep -q "the model chose every [2-9]* steps: with --exchange-every 1 an exchange would take .* us of each step"' sh "$PAVIOR"
check 'one may ask for each step' sh -c \
    '"$1" plan small.pav --device emulated:0-1 --exchange-every 1 | grep -q "exchanged a step"' sh "$PAVIOR"
check 'a large grid has an exchange a step' sh -c \
    '"$1" plan heat3d@256x256x256/f32 --device emulated:0-1 | grep -q "exchanged a step"' sh "$PAVIOR"
check 'GPUs have slabs, where these are thick' sh -c \
    '"$1" plan heat3d@256x256x256/f32 --device emulated:0-3 | grep -q "^subdomains  *1x1x4"' sh "$PAVIOR"
check 'one device' "$PAVIOR" run small.pav --device emulated --quiet --out one
check 'two with the halos that the model chose' "$PAVIOR" run small.pav --device emulated:0-1 --quiet --out two
check 'have the same bits' diff -r one two
refuse 'weights are of several devices' 2 'give several' run --device cpu --weights 1,2
refuse 'each has a weight' 2 'for each of the 2 devices' run --device cpu+emulated --weights 1
refuse 'subdomains are enough for all' 2 'fewer than the 3 devices' run --device emulated:0-2 --subdomains 2
refuse 'one device is measured' 2 'takes one device, not the list' "$PAVIOR" bench heat2d@8x8 --device cpu+emulated
# ---- programs found by `check_places` ----
# Tiles outside of the box of a stage: two threads share no points.
cat >tiles.pav <<'END'
real f32
grid x 73, y 17
field u = sin(x) + y
u' = u
steps 8
border odd; absorb 4 cells
sample u at (72, 0), (0, 0) every 2
END
check 'boxes of a time block that miss a tile' \
    "$PAVIOR" run tiles.pav --device cpu --threads 2 --subdomains 2x1 --exchange-every 2 --schedule time:depth=2 --no-files
finish
