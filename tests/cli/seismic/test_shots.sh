#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sources and receivers from data: wavelets, traces, gathers and models in files, on each device.
. "${0%/*}/../../test.sh"

model() { # file, lines...
    file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

model wave.pav 'grid x 60' 'field w = ricker(15, x*0.002)' 'output w into "w.npy"'
model two.pav 'grid x 2, y 60' 'field w = (x + 1)*ricker(15, y*0.002)' 'output w into "two.npy"'
model map.pav 'grid x 41, y 31' 'real f32' 'field c = 1500 + 3*x + 100*y' 'output c into "c.npy"'
for file in wave two map; do
    check "$file.pav runs" "$PAVIOR" run $file.pav --quiet
done
tail -c +129 c.npy >c.bin

model wavelet.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.002' 'field u; v' \
    "u' = 2*u - prev(u) + (1500*dt)^2*laplace(u, order 4)" \
    "v' = 2*v - prev(v) + (1500*dt)^2*laplace(v, order 4)" 'absorb 8 cells' \
    'inject where(step < 60, 2*ricker(15, t), 0) into u at (203, 100) by sinc' \
    'inject "w.npy"*2 into v at (203, 100) by sinc' 'steps 80' \
    'expect max(abs(u)) > 0.1 and max(abs(u - v)) < 1e-12'
check 'a wavelet of a file is the one of a formula' "$PAVIOR" run wavelet.pav --quiet

model traces.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.002' 'field u; v' \
    "u' = 2*u - prev(u) + (1500*dt)^2*laplace(u, order 4)" \
    "v' = 2*v - prev(v) + (1500*dt)^2*laplace(v, order 4)" 'absorb 8 cells' \
    'inject "w.npy" into u at (100, 100)' 'inject 2*"w.npy" into u at (300, 200)' \
    'inject "two.npy" into v at (100, 100), (300, 200)' 'steps 80'
sed -i 's/2\*"w.npy"/"w.npy"*2/' traces.pav
echo 'expect max(abs(u)) > 0.1 and max(abs(u - v)) < 1e-12' >>traces.pav
check 'each position has its own trace' "$PAVIOR" run traces.pav --quiet

model shot.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.002' 'field u' \
    "u' = 2*u - prev(u) + (1500*dt)^2*laplace(u, order 4)" 'border odd u at z-' \
    'absorb 8 cells at x-, x+, z+' 'inject "two.npy" into u at (100, 40), (300, 103) by sinc' \
    'sample u along (50, 20) to (350, 20) count 31 into "u.sgy"' \
    'sample u along (50, 20) to (350, 20) count 31 every 2 into "u.png"' \
    'let slope(e) = dz(e)' \
    'sample slope(u), u - u[1,0]/2 at (100, 20), (203, 0) by sinc into "s.csv"' 'steps 80'
for device in interpreter cpu emulated; do
    check "a shot runs on $device" "$PAVIOR" run shot.pav --device $device --out $device --quiet --no-stamp
    for file in u.sgy u.png s.csv; do
        check "$file has the same bits on $device" cmp interpreter/$file $device/$file
    done
done
check 'columns bear the names of their expressions' \
    grep -q '^step,t,slope(u)(100 20),slope(u)(203 0),"u - u\[1, 0\]/2(100 20)' cpu/s.csv
check 'a shot runs in time tiles' \
    "$PAVIOR" run shot.pav --device cpu --schedule time --out tiles --quiet
check 'time tiles sample the same' cmp interpreter/s.csv tiles/s.csv

# Samples of expressions, for fields with known values.
model known.pav 'grid x 21, y 21 spacing 0.5' 'field u = 3*x + 2*y^2; v = x' "u' = u" \
    "v' = v" 'border clamp' 'let cross(a, b) = dx(a) + 2*dy(b)' \
    'sample cross(u, u), dyy(u) - v, 3 * v[1,0] / 2 at (4.2, 5) into "known.npy"' \
    'sample u*v - 2, sqrt(dx(u)^2 + max(v, 4)), where(v < 9, u/v, 0), u*x/step + t at (4, 5) into "made.npy"' 'steps 1'
check 'expressions are sampled' "$PAVIOR" run known.pav --quiet
cat >look.py <<'END'
import struct, sys
data = open('known.npy', 'rb').read()[-24:]
got = struct.unpack('<3d', data)
want = (3 + 2*4*5, 4 - 4.2, 1.5*4.7)
made = struct.unpack('<4d', open('made.npy', 'rb').read()[-32:])
got, want = got + made, want + (62*4 - 2, (9 + 4)**0.5, 62/4, 62*4 + 1)
sys.exit(any(abs(a - b) > 1e-9 for a, b in zip(got, want)))
END
if command -v python3 >/dev/null; then
    check 'they are what they say' python3 look.py
else
    echo 'skipped: values of sampled expressions: python3 is missing'
fi

model raw.pav 'grid x 41, y 31' 'field a = "c.npy"; b = "c.bin" raw f32 little x 41, y 31' \
    'expect max(abs(a - b)) == 0 and max(a) > 1600'
check 'bare values are read' "$PAVIOR" run raw.pav --quiet
model turned.pav 'grid x 31, y 41' 'field a = 1500 + 3*y + 100*x' \
    'field b = "c.bin" raw f32 little y 41, x 31' 'expect max(abs(a - b)) == 0'
check 'axes of bare values may be turned' "$PAVIOR" run turned.pav --quiet
head -c 1000 c.bin >cut.bin
model cut.pav 'grid x 41, y 31' 'field b = "cut.bin" raw f32 big x 41, y 31' 'expect max(b) < 1'
refuse 'a file of bare values that was cut' 2 'has 1000 bytes' "$PAVIOR" run cut.pav
refuse 'an extent that is not the grid'"'"'s' 2 'the file has 31 points along x' \
    sh -c "sed 's/x 41, y 31/x 31, y 31/2' cut.pav | sed '2s/x 41/x 31/' | $PAVIOR run -"

sed 's/at (100, 100), (300, 200)/at (100, 100), (300, 200), (50, 50)/' traces.pav >three.pav
refuse 'traces that are no number of positions' 2 'holds 2 traces for 3 positions' \
    "$PAVIOR" run three.pav
refuse 'a derivative of a product' 2 'a sample takes sums of fields' \
    sh -c "sed 's/sample slope(u)/sample dx(u*u)/' shot.pav | $PAVIOR run -"
refuse 'a field into traces' 2 'holds traces' \
    sh -c "(cat shot.pav; echo 'output u into \"f.sgy\"') | $PAVIOR run -"

cp cpu/u.sgy receivers.sgy
model again.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.002' 'field u; c = 1' "u' = u" \
    'border clamp' 'inject "receivers.sgy" into u at (100, 20)' \
    'sample u at "receivers.sgy" into "again.csv"' 'steps 2'
sed -i 's/inject "receivers.sgy"/inject "w.npy"/' again.pav
check 'positions are read from headers' "$PAVIOR" run again.pav --quiet
check 'they are the receivers' grep -q 'u(50 20),u(60 20)' again.csv

# Positions of tables.
printf 'name,z,x\nA,20,50\nB, 20 ,60.0\n' >named.csv
printf '50, 20\n# a comment\n60,20\n' >plain.csv
for file in named plain; do
    sed "s/at \"receivers.sgy\" into \"again/at \"$file.csv\" into \"of-$file/" again.pav >$file.pav
    check "positions are read from $file.csv" "$PAVIOR" run $file.pav --quiet
    check 'they are these' grep -q 'u(50 20),u(60 20)$' of-$file.csv
done
printf '50,20\n60\n' >short.csv
refuse 'a line without all coordinates' 2 'short.csv:2: 1 values for a grid of 2 axes' \
    sh -c "sed 's/plain.csv/short.csv/' plain.pav | $PAVIOR run -"
printf 'x,depth\n50,20\n' >other.csv
refuse 'a table without an axis' 2 'other.csv:1: no column is called z' \
    sh -c "sed 's/plain.csv/other.csv/' plain.pav | $PAVIOR run -"
printf 'x,z\n50,deep\n' >word.csv
refuse 'a position that is no number' 2 "word.csv:2: 'deep' in column 2 is no number" \
    sh -c "sed 's/plain.csv/word.csv/' plain.pav | $PAVIOR run -"
: >empty.csv
refuse 'a table without positions' 2 'empty.csv has no positions' \
    sh -c "sed 's/plain.csv/empty.csv/' plain.pav | $PAVIOR run -"
if "$PAVIOR" doctor | grep -q 'HDF5 *found'; then
    model places.pav 'grid x 2, y 2' 'field places = 50 + 10*y + x*(-30 - 10*y)' 'output places into "places.h5"'
    check 'positions are written to HDF5' "$PAVIOR" run places.pav --steps 1 --quiet
    sed 's/plain.csv/places.h5:\/places/; s/of-plain/of-h5/' plain.pav >h5.pav
    check 'and read from there' "$PAVIOR" run h5.pav --quiet
    check 'they are those' grep -q 'u(50 20),u(60 20)$' of-h5.csv
    sed 's/places.h5:.places/places.h5:\/none/' h5.pav >none.pav
    refuse 'a dataset that is not there' 2 'has no dataset /none' "$PAVIOR" run none.pav
else
    echo 'skipped: positions of HDF5: there is no HDF5 library'
fi

if python3 -c 'import segyio' 2>/dev/null; then
    cat >read.py <<'END'
import segyio, sys, numpy
with segyio.open('cpu/u.sgy', ignore_geometry=True) as f:
    right = f.tracecount == 31 and len(f.samples) == 81 and segyio.tools.dt(f) == 2000
    right = right and f.header[30][segyio.TraceField.GroupX] == 350000
spec = segyio.spec()
spec.format, spec.samples, spec.tracecount = 1, numpy.arange(31), 41
with segyio.create('ibm.sgy', spec) as f:
    for k in range(41):
        f.trace[k] = numpy.float32(1500 + 3*k) + 100*numpy.arange(31, dtype=numpy.float32)
        f.header[k] = {segyio.TraceField.TRACE_SAMPLE_COUNT: 31}
sys.exit(not right)
END
    check 'segyio reads what is written' python3 read.py
    model ibm.pav 'grid x 41, y 31' 'field a = "c.npy"; b = "ibm.sgy"' \
        'expect max(abs(a - b)) == 0'
    check 'what segyio writes is read' "$PAVIOR" run ibm.pav --quiet
else
    echo "skipped: SEG-Y beside segyio: python3 -m venv V && V/bin/pip install segyio, and V/bin first in PATH"
fi

says() { # text, command...
    text=$1
    shift
    "$@" | grep -q -e "$text"
}

# A coefficient is extended into the layer, so a divisor is not 0 there.
for layer in 'absorb 8 cells' 'absorb 8 cells by pml'; do
    model density.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.001' \
        'field u; c = where(z < 100, 1500, 2000); r = where(z < 100, 1000, 2000)' \
        "u' = 2*u - prev(u) + (c*dt)^2*r*(dx(1/r*dx(u, at +1/2), at -1/2) + dz(1/r*dz(u, at +1/2), at -1/2))" \
        "$layer" 'inject ricker(10, t)/h^2 into u at (200, 100)' \
        'sample u at (200, 200) into "u.npy"' 'steps 150' 'expect max(abs(u)) > 0'
    check "a density beside $layer"     "$PAVIOR" run density.pav --quiet
    check 'has an adjoint'               says 'a rounding' "$PAVIOR" adjoint density.pav --test
done

model fast.pav 'grid x 41, z 31 spacing 10 down' 'param dt = 0.0018; f = 10; m = 1' \
    'field u; c = where(z < 100, 1500, 3200)' 'field v = 1 + 0*x' \
    "u' = 2*u - prev(u) + (c*dt)^2*m*v*laplace(u, order 8)" 'absorb 8 cells by pml' \
    'inject ricker(f, t) into u at (200, 100)' 'steps 3'
refuse 'a step that is too long is told'   0 'the longest stable step is 0.001733' "$PAVIOR" run fast.pav
refuse 'so it is with --quiet'             0 'dt = 0.0018 is too long a step' "$PAVIOR" run fast.pav --quiet
model staggered.pav 'grid x 61, z 41 spacing 10 down' 'param dt = 0.0021' \
    'field vx; vz; sxx; szz; sxz; rho = where(z < 200, 1000, 2200)' \
    'field mu = where(z < 200, 0, 2200*1700^2); lam = where(z < 200, 1000*1500^2, 2200*(3000^2 - 2*1700^2))' \
    "vx' = vx + dt/rho*(dx(sxx, order 4, at +1/2) + dz(sxz, order 4, at -1/2))" \
    "vz' = vz + dt/rho*(dx(sxz, order 4, at -1/2) + dz(szz, order 4, at +1/2))" \
    "sxx' = sxx + dt*((lam + 2*mu)*dx(vx', order 4, at -1/2) + lam*dz(vz', order 4, at -1/2))" \
    "szz' = szz + dt*((lam + 2*mu)*dz(vz', order 4, at -1/2) + lam*dx(vx', order 4, at -1/2))" \
    "sxz' = sxz + dt*mu*(dz(vx', order 4, at +1/2) + dx(vz', order 4, at +1/2))" \
    'absorb 8 cells by pml' 'inject ricker(15, t) into sxx at (300, 200)' 'steps 3'
# 10/(3000*sqrt(2)*(9/8 + 1/24)) = 0.0020203
refuse 'and one too long for a system'     0 'the longest stable step is 0.00202' "$PAVIOR" run staggered.pav
refuse 'which a plan tells'                1 'is 0.00202, dt is 0.0021: TOO LONG; rho 2200' \
    sh -c "$PAVIOR plan staggered.pav >&2; false"
# The slowest wave is the shear wave of the rock, 700/(2.5*15*10); the fluid above has no shear wave.
refuse 'which has waves of few points'     0 'have 1.9 points' \
    sh -c 'sed "s/1700/700/; s/0.0021/0.001/" staggered.pav | "$0" run - --no-files' "$PAVIOR"
check 'and no warning of a shorter one'    sh -c "! $PAVIOR run staggered.pav --set dt=0.002 2>&1 | grep 'too long'"
refuse 'waves of few points are told'      0 'have 1.5 points' "$PAVIOR" run fast.pav --set f=40
check 'a step just below is not'           sh -c '! "$0" run fast.pav --set dt=0.001732 --quiet 2>&1 | grep .' "$PAVIOR"
check 'nor what is slower'                 sh -c '! "$0" run fast.pav --set m=0.9 --quiet 2>&1 | grep .' "$PAVIOR"

printf '%s\n' 'grid x 20' 'field w = 1 + x' 'steps 1' 'output w into "ramp.npy"' | "$PAVIOR" run - --quiet
sed 's/^inject ricker(f, t)/inject "ramp.npy"/; s/^steps 3/steps 30/' fast.pav >ramp.pav
refuse 'a wavelet that is cut is told'     0 'after step 20, where it is still 100 % of its largest value, nothing' \
    "$PAVIOR" run ramp.pav --set dt=0.001 --quiet
refuse 'so is one that is not used up'     0 'after step 3, where it is still 100 % of its largest value, the rest' \
    "$PAVIOR" run ramp.pav --set dt=0.001 --quiet --steps 3
sed 's/"ramp.npy"/"trace.sgy"/' ramp.pav >other.pav
printf '%s\n' 'grid x 41, z 31 spacing 10 down' 'param dt = 0.002' 'field u' "u' = u" \
    'inject ricker(10, t) into u at (200, 100)' 'sample u at (200, 100) into "trace.sgy"' 'steps 30' |
    "$PAVIOR" run - --quiet
refuse 'samples of another length of step' 0 'has a sample each 0.002 s, and a step takes 0.001' \
    "$PAVIOR" run other.pav --set dt=0.001 --quiet

printf '%s\n' 'sample u along (50, 100) to (350, 100) count 7' >in.txt
cat fast.pav in.txt >deep.pav
refuse 'receivers in a layer are told'     0 '2 of 7 receivers lie in the absorbing layer, up to 3 cells' \
    "$PAVIOR" run deep.pav --set dt=0.001 --quiet
refuse 'a plan tells them, too'            1 '2 of 7 receivers of line 9 LIE IN THE ABSORBING LAYER, up to 3 cells' \
    sh -c "$PAVIOR plan deep.pav --set dt=0.001 >&2; false"
refuse 'so are sources'                    0 '1 of 2 sources lie in the absorbing layer, up to 3 cells' \
    sh -c "sed 's/at (200, 100)/at (200, 100), (50, 100)/' fast.pav | $PAVIOR run - --set dt=0.001 --quiet"
printf '50,100\n100,100\n' >in-layer.csv
sed '/^inject/s/at .*/at "in-layer.csv"/' fast.pav >listed.pav
refuse 'a plan reads their file'           1 '1 of 2 sources of line 7 LIE IN THE ABSORBING LAYER, up to 3 cells' \
    sh -c "$PAVIOR plan listed.pav --set dt=0.001 >&2; false"
check 'those beside it are not'            sh -c '! sed "s/(50, /(80, /; s/(350, /(320, /" deep.pav | "$0" run - --set dt=0.001 --quiet 2>&1 | grep .' "$PAVIOR"

finish
