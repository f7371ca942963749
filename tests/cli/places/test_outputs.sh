#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Outputs of every kind have the same files on every device, cut, out of core and after a restart.
. "${0%/*}/../../test.sh"

# dt evolves and is shortened; with a param dt the first step at or past each multiple counts
cat >evolves.pav <<'END'
grid x 60 from 0 to 1, y 30 spacing 1
field u = 1 + sin(2*pi*x)/2
scalar dt = 0.4*hx/max(u)
u' = u - dt/hx*(u^2 - u[-1,0]^2)/2
dt' = 0.4*hx/max(u')
border periodic
until t >= 0.33
measure m = max(u) every 0.1 time into "m.csv"
sample u at (0.5, 3) every 0.04 time into "s.csv"
output u every 0.1 time into "u.npy"
output u every 0.1 time into "u.apng"
END
cat >param.pav <<'END'
grid x 60, y 30
field u = 1 + sin(x)/2
param dt = 0.007*max(u)
u' = u + dt*laplace(u)
border neumann
steps 90
measure m = max(u) every 0.1 time into "m.csv"
sample u, 2*u at (0.5, 3) every 0.04 time into "s.csv"
output u every 0.1 time into "u.npy"
END
# several fields share a file
cat >several.pav <<'END'
grid x 40, y 30
field ux = x, uy stored f32 = y, p = x*y
ux' = ux + 1
uy' = uy + 0.1*laplace(uy)
p' = p + ux'
border ux, uy, p = 0
steps 60
output ux, uy as velocity every 20 crop (3, 4) to (20, 21) stride 2 into "flow.pvd"
output uy, ux, p every 20 into "all.vti"
output p every 20 streamlines ux, uy into "p.apng"
output p streamlines ux, uy into "p.png"
END
if "$PAVIOR" doctor | grep -q 'HDF5.*found\|hdf5.*found'; then
    echo 'output ux, p into "state.h5"; output p, uy every 20 into "s.xdmf"' >>several.pav
fi
run() { "$PAVIOR" run $name.pav --quiet --no-stamp "$@" --out out; }
same() {
    check 'and has the same files' diff -r whole out
    rm -rf out
}
for name in evolves param several; do
    check "$name runs" "$PAVIOR" run $name.pav --quiet --no-stamp --device interpreter --out whole
    check 'a processor runs it' run --device cpu
    same
    check 'so do subdomains' run --device cpu --subdomains 2x2
    same
    check 'so does an emulated GPU' run --device emulated
    same
    check 'also out of core' run --device emulated --device-memory 40KiB
    same
    check 'a run stops' run --device emulated --checkpoint kept --steps 40
    check 'and goes on' run --device cpu --checkpoint kept --restart kept
    same
    case $name in
    evolves)
        check 'all times are multiples' grep -q '^[0-9]*,0.2,' whole/m.csv
        sed 's/^grid.*/grid x 300 from 0 to 1, y 300 spacing 1/; s/0.1 time into "u.apng"/1 into "u.apng"/' evolves.pav >film.pav
        begun=$(date +%s)
        "$PAVIOR" run film.pav --device interpreter --out told >said 2>&1
        seconds=$(($(date +%s) - begun)) told=$(grep -c 'wrote .*u.apng' said)
        check 'an animation is told once a second at most' test "$told" -ge 1 -a "$told" -le $((seconds + 2))
        check 'but again in a later second' test "$seconds" -lt 4 -o "$told" -ge 2 ;;
    several) check 'an array names each field' grep -aq 'Name="ux" format="appended" offset="4808"' whole/all-000060.vti ;;
    *) check 'the first step past a multiple counts' grep -q '^10,0.10[45]' whole/m.csv ;;
    esac
    rm -rf whole kept*
done

sed 's/u.npy/u.pvd/' evolves.pav >name.pav
name=name
check 'a run with an index stops' run --checkpoint kept --steps 40
rm out/u.pvd
refuse 'without its index it begins a new one' 0 'u.pvd is gone: it begins anew at step 40, since steps differ' \
    "$PAVIOR" run name.pav --checkpoint kept --restart kept --out out
check 'of the times since then' sh -c 'grep -q "timestep=\"0.2\"" out/u.pvd && ! grep -q "timestep=\"0.1\"" out/u.pvd'
finish
