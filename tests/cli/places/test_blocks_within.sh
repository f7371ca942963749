#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time blocks on processors within subdomains have the bits of one device, for any number of steps between exchanges.
. "${0%/*}/../../test.sh"

cat >wave.pav <<'END'
grid x 20, y 32, z 24
field u = exp(-((x-9)^2 + (y-10)^2 + (z-11)^2)/9); v; field c = 0.1 + 0.0001*x*y
u' = 2*u - prev(u) + c*laplace(u, order 4) + 0.01*u[1,1,0]*u[-1,-1,0]
v' = v + u'[1,0,0] - u'[-1,0,0]
border periodic at x-, x+
border u = sin(t) at y-; border neumann u at y+, z-, z+; border mirror v at y-, y+, z-, z+
inject sin(t + 1) into u at (9.3, 9.7, 11.7), (5.5, 15.5, 12)
sample u at (8.5, 9.5, 11.5), (3, 3, 12) every 1 into "s.npy"
measure m = sum(u*v) every 10 into "m.csv"
steps 20
output u every 10 into "u.npy"; output v into "v.npy"
END
check 'one device' "$PAVIOR" run wave.pav --device interpreter --out one --checkpoint whole --quiet
while read -r parts threads every schedule; do
    rm -rf some kept
    # shellcheck disable=SC2086
    check "$schedule in $parts on $threads threads" "$PAVIOR" run wave.pav --device cpu --threads "$threads" --subdomains "$parts" \
        --schedule "$schedule" --exchange-every "$every" --out some --checkpoint kept --quiet --json
    cp .output said
    check 'has the same files' diff -r one some
    check 'and the same checkpoint' cmp whole kept
    check 'by time blocks' grep -q '"time_blocks": [1-9]' said
done <<'END'
1x2x1 2 3 time:depth=3,tile=4x8
1x1x2 1 2 time:depth=2,tile=3x5
1x2x2 4 4 time:depth=2,tile=2x2
1x1x3 3 2 time:depth=2,tile=8x4
END
check 'a schedule alone says how deep halos are' sh -c \
    '"$1" plan heat3d@64x64x64 --device cpu --subdomains 1x1x2 --schedule time:depth=4,tile=8x8 | grep -q "exchanged every 4 steps"' sh "$PAVIOR"
check 'a plan says why single steps are taken' sh -c \
    '"$1" plan wave.pav --device cpu --subdomains 1x2x1 | grep -q "of single steps: halos are exchanged after each step"' sh "$PAVIOR"
refuse 'blocks end where halos are exchanged' 2 'blocks of 4 steps are longer than the 2 from one exchange to the next' \
    "$PAVIOR" run wave.pav --device cpu --subdomains 1x2x1 --schedule time:depth=4 --exchange-every 2 --no-files
refuse 'halos around the grid are not wide enough' 2 'the grid is cut along x, which is periodic' \
    "$PAVIOR" run wave.pav --device cpu --subdomains 2x1x1 --schedule time --no-files
finish
