# SPDX-License-Identifier: BSD-3-Clause
# .nc files are read by other programs, with dimensions, coordinates and attributes.
. "${0%/*}/../test.sh"

cat >heat.pav <<'END'
grid  x 8 from 0 to 1, y 6 spacing 2, z 5 from 0 to 1 at z^2
param dt = 0.25
field u = x + 10*y + 100*z, v stored f32 = u
u' = u + 1
border clamp u
steps 2
output u, v every 1 into "heat.nc"
output u slice z 2 into "plane.nc"
END
"$PAVIOR" doctor >found
if ! grep -q 'HDF5 scales  *found' found; then
    refuse 'without the library a sentence says what to install' 2 'apt install libhdf5-dev' "$PAVIOR" run heat.pav
    finish
fi
check 'NetCDF is written' "$PAVIOR" run heat.pav --device interpreter --no-stamp
check 'a file a step'     test -s heat-000000.nc -a -s heat-000002.nc
same() { "$PAVIOR" run heat.pav --no-stamp --out other "$@" && cmp heat-000002.nc other/heat-000002.nc; }
check 'a processor writes the same bytes'  same --device cpu
check 'and so do subdomains'               same --device interpreter --subdomains 2x1x2

if command -v ncdump >/dev/null; then
    ncdump -h heat-000002.nc >head
    for line in 'time = 1 ;' 'x = 8 ;' 'double u(time, z, y, x) ;' 'float v(time, z, y, x) ;' 'z:axis = "Z" ;' \
        'u:units = "1" ;' ':Conventions = "CF-1.8" ;'; do
        check "ncdump shows $line" grep -qF "$line" head
    done
else
    skip 'ncdump of NetCDF files' 'it is not there (netcdf-bin)'
fi
python=$(python_with netCDF4)
if "$python" -c 'import netCDF4' 2>/dev/null; then
    cat >read.py <<'END'
import netCDF4
d = netCDF4.Dataset("heat-000002.nc")
u = d["u"]
assert u.dimensions == ("time", "z", "y", "x") and u.shape == (1, 5, 6, 8), u
assert d.Conventions == "CF-1.8" and d["z"].axis == "Z" and d["time"].units == "1"
assert d["time"][0] == 0.5 and list(d["z"][:]) == [0, 0.0625, 0.25, 0.5625, 1] and list(d["y"][:3]) == [0, 2, 4]
for k, j, i in ((0, 0, 0), (1, 2, 7), (4, 5, 3)):
    assert abs(u[0, k, j, i] - d["x"][i] - 10 * d["y"][j] - 100 * d["z"][k] - 2) < 1e-12
assert d["v"].dtype == "f4" and "_FillValue" not in u.ncattrs()
p = netCDF4.Dataset("plane.nc")["u"]
assert p.dimensions == ("time", "y", "x") and p[0, 1, 0] == 47
END
    check 'the netCDF library of Python has values, coordinates and attributes' "$python" read.py
else
    skip 'reading by the netCDF library' 'there is no netCDF4 of Python (python3-netcdf4)'
fi
printf 'grid x 8 from 0 to 1, y 6 spacing 2, z 5 from 0 to 1 at z^2\nfield u = "heat-000002.nc:/u"\n' >back.pav
echo 'expect max(abs(u - x - 10*y - 100*z - 2)) < 1e-13' >>back.pav
check 'a variable is a field again' "$PAVIOR" run back.pav
finish
