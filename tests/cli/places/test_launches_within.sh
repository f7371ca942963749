#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fused launches within subdomains have the bits of one device, for any number of steps between exchanges.
. "${0%/*}/../../test.sh"

export PAV_DEVICE=interpreter
cat >wave.pav <<'END'
grid x 24, y 70
field u = exp(-((x-10)^2 + (y-30)^2)/20); field c = 0.2 + 0.001*x*y; v
u' = 2*u - prev(u) + c*laplace(u, order 4)
v' = v + 0.1*u + 0.01*u'[1,-1]
border neumann u at x-, x+; border u = t at y-; border u = 0 at y+; border mirror v
inject t + 1 into u at (10.3, 33.7), (4.5, 35.5), (7, 36), (8, 10.5)
steps 14
measure m = sum(u*v) every 7 into "m.csv"
output u into "u.npy"; output v into "v.npy"
END
cat >heat.pav <<'END'
grid x 14, y 9, z 40
field u = exp(-((x-10)^2 + (y-3)^2 + (z-20)^2)/20)
u' = u + 0.1*laplace(u) + 0.001*u[1,0,1]
border u = 1 at x-; border u = 0 at x+; border periodic u at y-, y+; border u = 0 at z-, z+
steps 13
output u every 6 into "u.npy"
END
cat >cool.pav <<'END'
grid x 14, y 9, z 100
field u = exp(-((x-10)^2 + (y-3)^2 + (z-50)^2)/20); field c = 0.1 + 0.0001*z
u' = u + c*laplace(u) + 0.001*u[1,0,1]
border u = 1 at x-; border u = 0 at x+, y-, y+, z-, z+
steps 100
output u every 50 into "u.npy"
END
for name in wave heat cool; do
    check "$name in one piece" "$PAVIOR" run $name.pav --out $name-whole --checkpoint $name-kept
done
while read -r name parts every schedule; do
    rm -rf out kept
    check "$name in $parts, $schedule" "$PAVIOR" run $name.pav --device emulated --subdomains "$parts" \
        --exchange-every "$every" --schedule "$schedule" --out out --checkpoint kept --json --quiet
    cp .output said
    check 'has the same files' diff -r $name-whole out
    check 'and the same checkpoint' cmp $name-kept kept
    check 'by launches' grep -q '"time_blocks": [1-9]' said
done <<'END'
wave 2 1 time:depth=2
wave 2 6 time:depth=3
heat 3 1 time:depth=2
heat 5 4 time:depth=2
END
check 'on GPUs without a common memory' "$PAVIOR" run heat.pav --device emulated:0-2 --schedule time:depth=3 --out apart
check 'are the same bits' diff -r heat-whole apart
check 'coefficients are read behind a seam' "$PAVIOR" run cool.pav --device emulated:0-2 \
    --schedule time:depth=2 --out ahead --checkpoint kept --quiet
check 'with the same bits' diff -r cool-whole ahead
check 'and the same checkpoint' cmp cool-kept kept
check 'a plan says why single steps are taken, unasked, too' sh -c \
    '"$1" plan wave.pav --device emulated --subdomains 2x1 | grep -q "launches take single steps: the grid is cut along axes other than the slowest"' sh "$PAVIOR"
check 'a plan says of how many steps' sh -c \
    '"$1" plan wave.pav --device emulated --subdomains 2 --exchange-every 6 --schedule time:depth=3 |
        grep -q "launches of 3 steps within subdomains, halos are exchanged once in 2 of them"' sh "$PAVIOR"
refuse 'a cut along x has none' 2 'along axes other than the slowest' \
    "$PAVIOR" run wave.pav --device emulated --subdomains 2x1 --schedule time
refuse 'persistent blocks keep all of the grid' 2 'several steps of the whole grid at once' \
    "$PAVIOR" run wave.pav --device emulated --subdomains 2 --schedule persistent
refuse 'a launch ends where halos are exchanged' 2 'are longer than the 2 for which' \
    "$PAVIOR" run wave.pav --device emulated --subdomains 2 --exchange-every 2 --schedule time:depth=4
finish
