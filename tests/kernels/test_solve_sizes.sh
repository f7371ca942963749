# SPDX-License-Identifier: BSD-3-Clause
# An equation on another size of grid compiles nothing: its kernels hold neither strides nor numbers of the size.
. "${0%/*}/../test.sh"
unset PAV_DEVICE
if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'equations on several sizes' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
export PAV_CACHE="$scratch/cache" PAV_EARLY=0

# description NAME OPERATOR METHOD: in two dimensions, with a coefficient that varies and one that jumps
description() {
    cat >"$1.pav" <<END2
param n = 33
grid  x n from 0 to 1, y n from 0 to 1
field u; f = random(1) - 1/2
field k = 1 + x*y; jump = where((x - 1/2)^2 + (y - 1/2)^2 < 1/16, 1000, 1)
solve $2 = f by $3 to 1e-6
border u = 0
END2
}
div() { echo "-dx(($1 + $1[1,0])/2*dx(u, at +1/2), at -1/2) - dy(($1 + $1[0,1])/2*dy(u, at +1/2), at -1/2)"; }
description constant_V  '-laplace(u)' multigrid
description constant_F  '-laplace(u)' 'multigrid(cycle = F)'
description constant_full '-laplace(u)' 'multigrid(cycle = full)'
description varying_cg  "$(div k)" auto
description varying_F   "$(div k)" 'multigrid(cycle = F)'
description jumping     "$(div jump)" auto
run() { "$PAVIOR" run "$1.pav" --set n="$2" --device cpu --threads 2 --no-files ${3:-}; }
for name in constant_V constant_F constant_full varying_cg varying_F jumping; do
    # 61 has coarse grids with walls on points and beside points; 33 has walls on points only
    check  "$name: the first size is compiled"   run $name 61
    check  "$name: 62 points compile nothing"    run $name 62 --require-cached
    # cycles of F with weights that vary hold numbers of 33 points that coincide
    [ $name = varying_F ] && check "$name: 33 points are compiled" run $name 33
    check  "$name: 33 points compile nothing"    run $name 33 --require-cached
    check  "$name: 65 points compile nothing"    run $name 65 --require-cached
done
refuse 'another equation is compiled' 2 'forbids to compile' "$PAVIOR" run heat2d@33x33 --steps 2 --no-files --device cpu --require-cached
finish
