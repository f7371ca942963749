#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Migration: a rise of the velocity gives a peak of the image at its depth, also if the past has only every n-th step.
. "${0%/*}/../../test.sh"
unset PAV_DEVICE

cat > wave.pav <<'END'
grid x 161, z 101 spacing 10 down
param f = 15; dt = 0.002; deep = 1500
field u; w
field c = where(z < 595, 1500, deep)
u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 8)
w' = 2*w - prev(w) + (1500*dt)^2*laplace(w, order 8)
absorb 20 cells by pml
inject (1500*dt)^2*ricker(f, t)/h^2 into u at (800, 250)
inject (1500*dt)^2*ricker(f, t)/h^2 into w at (800, 250)
sample u - w along (250, 250) to (1350, 250) count 111 into "d.npy"
steps 380
END
sed -e '/^w/d; /into w/d; s/u; w/u/; s/^sample u - w/sample u/' wave.pav > smooth.pav

check 'a reflection is recorded'      "$PAVIOR" run wave.pav --set deep=1800 --out data --quiet
check 'and migrated'                  "$PAVIOR" migrate smooth.pav --data data/d.npy --speed c --out all --quiet
check 'by every fifth step'           "$PAVIOR" migrate smooth.pav --data data/d.npy --speed c --every 5 --out fifth --quiet
check 'from few states'               "$PAVIOR" migrate smooth.pav --data data/d.npy --speed c --every 5 --history 4MiB --out few --quiet
for file in image illumination migrated; do
    check "few states: $file"         cmp fifth/$file.npy few/$file.npy
done
cat > look.pav <<'END'
grid x 161, z 101 spacing 10 down
field a = "all/migrated.npy"; b = "fifth/migrated.npy"
let below = where(x == 800 and z > 350, a, 0)
measure depth = max(where(below == max(below), z, 0))
expect max(abs(where(z > 350, a - b, 0))) < 1e-3*max(below)
expect abs(max(where(below == max(below), z, 0)) - 595) < 6
expect max(below) > -1.2*min(where(z > 500, below, 0))
END
check 'the reflector lies at its depth' "$PAVIOR" run look.pav --steps 1 --quiet
check 'a picture of it'               test -s all/migrated.png
sed 's/(1500\*dt)^2\*ricker(f, t)/"w.npy"*(1500*dt)^2/' smooth.pav > filed.pav
printf '%s\n' 'grid x 200' 'field w = ricker(15, x*0.002)' 'steps 1' 'output w into "w.npy"' | "$PAVIOR" run - --quiet
refuse 'steps that count, of a formula' 0 'every 5 of them' "$PAVIOR" gradient smooth.pav --of c --plan --every auto
refuse 'and of a file'                0 'every 5 of them' "$PAVIOR" gradient filed.pav --of c --plan --every auto
check 'an image by them'              "$PAVIOR" migrate smooth.pav --data data/d.npy --speed c --every auto --out auto --quiet
check 'is that of as many'            cmp auto/image.npy fifth/image.npy
sed 's/ricker(f, t)/sin(90*t)/' smooth.pav > sine.pav
refuse 'a source of unknown spectrum' 2 'is no ricker' "$PAVIOR" gradient sine.pav --every auto
sed '/^inject/d' smooth.pav > mute.pav
refuse 'no source at all'             2 'has no source' "$PAVIOR" gradient mute.pav --every auto
refuse 'a speed that is no field'     2 "'v'" "$PAVIOR" migrate smooth.pav --data data/d.npy --speed v
refuse 'a speed of a gradient'        2 'of pavior migrate alone' "$PAVIOR" gradient smooth.pav --speed c
refuse 'more steps than there are'    2 'every 400 steps of 380' "$PAVIOR" gradient smooth.pav --every 400

# A killed command leaves no files.
mkdir tmp
TMPDIR=$PWD/tmp "$PAVIOR" gradient smooth.pav --of c --steps 100000 --history 64MiB --quiet &
sleep 1
kill -9 $!
wait $! 2>/dev/null
check 'a gradient that is killed leaves no folder' test -z "$(ls tmp)"
finish
