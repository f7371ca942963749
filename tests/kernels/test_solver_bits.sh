# SPDX-License-Identifier: BSD-3-Clause
# Cycles over several grids and conjugate gradients have the bits of the interpreter on processors and on the
# emulated GPU.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

"$PAVIOR" doctor | grep -Eq '^ +cpu +yes' || {
    skip 'solvers have the same bits' 'there is no C compiler'
    finish
}

same() { # name, method, device
    printf '%s\n' 'grid x 13 from 0 to 1, y 9 from 0 to 1' 'field u; k = 1 + x; f = x*y' \
        "solve -(dx(k*dx(u, at +1/2), at -1/2) + dyy(u)) = f by $2 to 1e-8" \
        'border u = 0' 'border neumann u at y+' >"$1.pav"
    "$PAVIOR" run "$1.pav" --device "$3" --verify 2 --quiet
}
colours() { # device
    printf '%s\n' 'grid x 13, y 17, z 9 spacing 1/8' \
        'field u; f = x*y - z' 'solve -laplace(u) = f by multigrid to 1e-8' \
        'border u = x' 'border neumann u at y+' >colours.pav
    "$PAVIOR" run colours.pav --device "$1" --verify 2 --quiet
}
unequal() { # device
    printf '%s\n' 'grid x 13 from 0 to 1, y 9 from 0 to 20, z 11 from 0 to 1' \
        'field u; k = 1 + x; f = x*y - z' \
        'solve -(dx(k*dx(u, at +1/2), at -1/2) + dyy(u) + dzz(u)) = f by auto to 1e-8' \
        'border u = x' 'border neumann u at z+' >unequal.pav
    "$PAVIOR" explain unequal.pav | grep -q 'halves x, z' &&
        "$PAVIOR" run unequal.pav --device "$1" --verify 2 --quiet
}
begun_cubically() { # device
    printf '%s\n' 'grid x 17 from 0 to 1, y 17 from 0 to 1' \
        'stencil S { centre 20/6; face -4/6; edge -1/6 }' 'field u; f = x*y' \
        'solve S(u)/h^2 = f for u by multigrid(cycle = full, grids = 2) to 1e-8' \
        'border u = 1 + x' 'border neumann u = y at y+' >full.pav
    "$PAVIOR" explain full.pav | grep -q 'begun cubically' &&
        "$PAVIOR" run full.pav --device "$1" --verify 2 --quiet
}
sealed() { # device
    printf '%s\n' 'grid x 12 from 0 to 1, y 9 from 0 to 1' 'field u; f = x*y; k = where(x < y, 100, 1)' \
        'border neumann k' 'border mirror u' 'border u = 0 at x-' \
        'solve -dx(k*dx(u, at +1/2), at -1/2) - dy(k*dy(u, at +1/2), at -1/2) + u = f by auto to 1e-8' >sealed.pav
    "$PAVIOR" explain sealed.pav | grep -q 'field mg_edgey_0' &&
        "$PAVIOR" run sealed.pav --device "$1" --verify 2 --quiet
}
turned() { # device
    printf '%s\n' 'grid x 17, y 12, z 9 spacing 1/8' 'field u; f = x*y - z' \
        'solve u/2 - laplace(u) = f by transform to 1e-8' \
        'border periodic u at x-, x+' 'border u = x at y-' 'border mirror u at y+' \
        'border neumann u at z-' 'border antimirror u at z+' >turned.pav
    "$PAVIOR" run turned.pav --device "$1" --verify 1 --quiet
}
# Trials of kernels do not pay for a dozen cycles; only a request for many steps starts them.
tuned_at_once() { # expected, options
    expected=$1
    shift
    "$PAVIOR" run colours.pav --device emulated --json "$@" | tee run.json |
        grep -q "\"tuned\": $expected"
}
for device in cpu emulated; do
    check "a cycle in red and black on $device" colours $device
    check "grids that halve some axes on $device" unequal $device
    check "full multigrid begun cubically on $device" begun_cubically $device
    check "a V-cycle on $device" same cycle 'multigrid' $device
    check "conjugate gradients on $device" same gradients 'cg' $device
    check "insulated walls between points on $device" sealed $device
    check "BiCGSTAB behind a cycle on $device" same stab 'bicgstab(preconditioner = multigrid)' $device
    check "transforms and eliminations on $device" turned $device
    check "GMRES on $device" same gmres 'gmres(restart = 2)' $device
done
check 'cycles try no kernels of a GPU' tuned_at_once true
check 'so many steps that they pay do' tuned_at_once false --steps 2000000000
finish
