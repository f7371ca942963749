#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A grid cut into subdomains has the bits of the uncut grid: fields, samples, measures and checkpoints.
. "${0%/*}/../../test.sh"

wave_rows=20
. "$SOURCE/tests/cli/cut_programs.sh"
check 'a run in one piece' "$PAVIOR" run wave.pav --device interpreter --out whole --checkpoint c --every 10
for device in interpreter cpu emulated; do
    for parts in 2x1 3x2 1x4; do
        check "a run in $parts subdomains on $device" \
            "$PAVIOR" run wave.pav --device $device --subdomains $parts --out $device-$parts
        check "has the same files" diff -r whole $device-$parts
    done
done

while read -r threads parts; do
    check "$parts on $threads threads compute at the same time" \
        "$PAVIOR" run wave.pav --device cpu --threads "$threads" --subdomains "$parts" --out "led-$parts"
    check "has the same files" diff -r whole "led-$parts"
done <<'END'
2 3x2
4 1x3
5 4x2
4 1x2
END
check 'bound threads are those of one team' \
    "$PAVIOR" run wave.pav --device cpu --threads 1 --bind cores --subdomains 2x1 --out bound
check "has the same files" diff -r whole bound

check 'a run in 2x2 subdomains leaves a checkpoint' "$PAVIOR" run wave.pav --subdomains 2x2 --steps 10 \
    --device interpreter --out part --checkpoint p --every 10
check 'which 3x1 go on from' "$PAVIOR" run wave.pav --subdomains 3x1 --device cpu --out part --checkpoint p --restart p
check 'to the same files' diff -r whole part
check 'and the same checkpoint' cmp c p

check 'a plan tells boxes and what they exchange' "$PAVIOR" plan wave.pav --subdomains 3x1 --device cpu
check 'by their points' sh -c '"$1" plan wave.pav --subdomains 3x1 --device cpu | grep -q "x 11 to 21, y 0 to 19"' sh "$PAVIOR"

check 'of a number the boxes are chosen' sh -c \
    '"$1" plan heat3d@64x32x16 --subdomains 4 --device cpu | grep -q "subdomains *1x2x2,"' sh "$PAVIOR"
drawn() { "$PAVIOR" plan heat3d@32x32x32 --device cpu --subdomains "$1" | grep -F -A2 "$2" | tail -1 | grep -Fq "$3"; }
check 'a plan draws them'     drawn 2x1x3 '| 2 | 3 |' 'x across, z upwards'
check 'also along three axes' drawn 2x2x2 '| 4 | 5 |   | 6 | 7 |' 'x across, z upwards, y side by side'
check 'so that little is exchanged' sh -c \
    '"$1" plan heat2d@64x4000 --subdomains 6 --device cpu | grep -q "subdomains *1x6,"' sh "$PAVIOR"
check 'a run of 6' "$PAVIOR" run wave.pav --device cpu --subdomains 6 --out six
check 'has the same files' diff -r whole six
refuse 'a number that does not fit' 2 'cannot be cut into 997 subdomains' "$PAVIOR" run wave.pav --subdomains 997
check 'and who gets how much from whom' sh -c \
    '"$1" plan wave.pav --subdomains 3x1 --device cpu | grep -q "1: x 11 to 21, y 0 to 19; .* a step from 0, 2"' sh "$PAVIOR"
for count in 0 -2 2x 0x1 2x2x2 -1x2; do
    refuse "$count are no subdomains" 2 'is no number of subdomains' "$PAVIOR" run wave.pav --subdomains "$count"
done
refuse 'boxes are wider than halos' 2 'too thin' "$PAVIOR" run wave.pav --subdomains 20x1
refuse 'the narrowest box is named' 2 'the narrowest would have 0 of the 20 points, and each needs' "$PAVIOR" run wave.pav --subdomains 1x30
refuse 'subdomains are counted' 2 'more than 1024' "$PAVIOR" run wave.pav --subdomains 1x999999

# ---- coarse grids: small ones are not cut ----
cat >cycle.pav <<'END'
grid x 33 from 0 to 1, y 17 from 0 to 1
field u; field f = sin(3*x)*y
solve -laplace(u) = f by multigrid to 1e-9
border u = 0
output u into "u.npy"
END
cat >grids.pav <<'END'
grid x 33 from 0 to 1, y 18
field u = sin(9*x)*y; field c coarse; field e coarse; field d coarse 2
c' = restrict(u)
d' = restrict(c') + 0.1*d[1,-1]
e' = c' + interpolate(d')
u' = u + 0.01*laplace(u) + interpolate(e')/9
border = 0 at y-, y+; border neumann at x-, x+
measure top = sum(d) every 1 into "top.csv"
steps 6
output u into "u.npy"; output c into "c.npy"; output d into "d.npy"
END
for name in cycle grids; do
    check "$name in one piece" "$PAVIOR" run $name.pav --device interpreter --out $name-whole
done
cat >shock.pav <<'END'
grid x 37, y 34
field u = exp(-((x-10)^2 + (y-8)^2)/9); field c = 1 + 0.01*x*y; field a; b
u' = 2*u - prev(u) + 0.1*c*laplace(u, order 4) + 0.01*u[1,1]*u[-1,-1]
a' = a + 0.1*(u'[1,0] - u') + 0.001*b[0,1]
b' = b + 0.1*(a'[0,1] - a'[1,0])
border u = t at y-; border neumann u at y+, x-, x+; border mirror a, c; border b = 3
inject t + u + 1 into u at (10.3, 7.7), (18.5, 17.5)
sample u at (10.5, 7.5), (18, 17) every 1 into "s.npy"
measure m = sum(u*a[1,0]) every 3 into "m.csv"
steps 11
output u into "u.npy"; output b into "b.npy"
END
"$PAVIOR" run shock.pav --device interpreter --out shock-whole
while read -r name device parts every; do
    check "$name in $parts on $device" \
        "$PAVIOR" run $name.pav --device "$device" --subdomains "$parts" --exchange-every "$every" \
        --out "$name-$device-$parts"
    check "has the same files" diff -r $name-whole "$name-$device-$parts"
done <<'END'
cycle interpreter 2x2 1
cycle interpreter 5x1 1
cycle cpu 2x2 1
grids interpreter 5x1 1
grids cpu 2x2 1
grids emulated 3x2 1
shock interpreter 2x1 2
shock cpu 1x3 2
shock cpu 2x2 3
shock emulated 2x2 2
END
check 'a plan tells how often halos are exchanged' sh -c \
    '"$1" plan shock.pav --subdomains 2x2 --exchange-every 3 | grep -q "halos up to 8 deep, .* exchanged every 3 steps"' \
    sh "$PAVIOR"
exchanged() { # steps between two, bytes in all
    "$PAVIOR" run heat3d@24x24x24 --steps 12 --no-files --quiet --json --device interpreter \
        --subdomains 1x1x2 --exchange-every "$1" >said && grep -q "\"exchanged_bytes\": $2," said
}
check 'halos are exchanged once in so many steps' exchanged 1 110592
check 'as many bytes of them'                     exchanged 4 110592
# ---- masks: boxes have similar numbers of unmasked rows, and skip masked planes ----
cat >ball.pav <<'END'
grid x 40, y 36, z 48
field u = sin(x)*cos(0.2*y) + z; field w = x*y
u' = 2*u - prev(u) + 0.1*laplace(u)
w' = w + 0.1*(u' - w)
mask (x - 20)^2 + (y - 11)^2 + (z - 14)^2 < 81
inject t into u at (20.5, 11.5, 14.5), (2, 2, 40)
border u = 1
steps 14
output u into "u.npy"; output w into "w.npy"
END
sed 's/^mask.*/mask "ball.npy"/' ball.pav >file.pav
cat >store.pav <<'END'
grid x 40, y 36, z 48
field u = where((x - 20)^2 + (y - 11)^2 + (z - 14)^2 < 81, 1, 0)
u' = u
steps 1
output u into "ball.npy"
END
sed 's/^mask/field c = (x - 20)^2 + (y - 11)^2 + (z - 14)^2\nmask c + 0*(/; s/< 81/) < 81/' ball.pav >loads.pav
check 'masks in one piece' "$PAVIOR" run ball.pav --device interpreter --out ball-whole
check 'a mask as a file' "$PAVIOR" run store.pav --device cpu
while read -r name device parts threads; do
    check "$name in $parts on $device, $threads threads" "$PAVIOR" run $name.pav --device $device --subdomains $parts \
        --threads $threads --out $name-$device-$parts
    check "has the same files" diff -r ball-whole $name-$device-$parts
done <<'END'
ball cpu 1x1x1 2
ball cpu 1x1x3 1
ball cpu 2x2x2 4
ball emulated 1x1x2 1
file cpu 1x2x2 2
file interpreter 1x1x4 1
loads cpu 1x1x4 2
END
check 'a plan tells the weights' sh -c '"$1" plan ball.pav --device cpu --subdomains 1x1x4 >said &&
    grep -q "weights: masks let 4.[0-9]* % of the points compute, of whose rows boxes have along z 2[0-9.]*, 2[0-9.]*, 2[0-9.]*, 2[0-9.]* %" said' \
    sh "$PAVIOR"
check 'those of a file, too' sh -c '"$1" plan file.pav --device cpu --subdomains 1x1x4 | grep -q "0: .* z 0 to 1[01];"' sh "$PAVIOR"
check 'or that they are not known' sh -c '"$1" plan loads.pav --device cpu --subdomains 1x1x4 >said &&
    grep -q "a mask is not known before the run" said && grep -q "0: .* z 0 to 11;" said' sh "$PAVIOR"

# ---- messages between boxes ----
check 'a plan tells messages and what they take' sh -c '"$1" plan heat3d@64x64x64 --device cpu --subdomains 1x1x3 >said &&
    grep -q "an exchange is 4 messages; by the model a box waits for its own for [0-9.]* us at most" said &&
    grep -q "1: .* 64.0 KiB a step from 0, 2 in 2 messages, [0-9.]* us" said' sh "$PAVIOR"
check 'as JSON' sh -c '"$1" plan heat3d@64x64x64 --device cpu --subdomains 1x1x3 --json |
    grep -q "\"messages\": \[{\"from\": 0, \"count\": 1, \"bytes\": 32768, \"seconds\": [0-9.e-]*, \"by\": \"same memory\"}"' sh "$PAVIOR"
check 'of ranks that nobody started' sh -c '"$1" plan heat3d@64x64x64 --device cpu --ranks 4 >said &&
    grep -q "(MPI)" said && grep -q "2 on rank 2: .* 32.0 KiB a step from 3, 0 in 2 messages" said' sh "$PAVIOR"
refuse 'they have a number' 2 'takes a number from 1 to 1024' "$PAVIOR" plan heat3d --ranks many
refuse 'without seams there are none' 2 'no halos to exchange every 2 steps' \
    "$PAVIOR" run shock.pav --exchange-every 2
refuse 'coarse grids are exchanged after each' 2 'there are coarse grids' \
    "$PAVIOR" run grids.pav --subdomains 2 --exchange-every 2
cat >parts.pav <<'END2'
grid x 22, y 17
field u = random(3)
u' = u + 0.1*laplace(u, order 4)
border clamp
steps 9
END2
check 'stages in parts have wide halos, too' "$PAVIOR" run parts.pav --no-files --verify \
    --device emulated --subdomains 1x3 --exchange-every 2 --schedule two-pass
refuse 'thin boxes have too few points' 2 'since u is read 9 points beyond a face before the next exchange' \
    "$PAVIOR" run shock.pav --subdomains 1x4 --exchange-every 4
refuse 'a GPU of a list that is too small is named' 1 'device memory on emulated:0, --device-memory allows 1.5 MiB;' \
    "$PAVIOR" run heat3d@64x64x64 --device emulated:0-1 --device-memory 1536KiB --subdomains 2 --steps 3 --no-files
finish
