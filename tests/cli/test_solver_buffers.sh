# SPDX-License-Identifier: BSD-3-Clause
# The fields of a solver share buffers. A description with the same equations, but without shared buffers, has the same
# bits.
. "${0%/*}/../test.sh"

as_bits() { # method, border
    printf '%s\n' 'grid x 17 from 0 to 1, y 9 from 0 to 1' \
        'field u; f = x - y^2; k = 1 + x; g = x*y' \
        "solve -(dx(k*dx(u, at +1/2), at -1/2) + dyy(u)) = f by $1 to 1e-8" \
        "border u = $2" 'output u into "u.npy"' >solver.pav
    "$PAVIOR" explain solver.pav | sed '1,/^# the description whose/d' >written.pav
    "$PAVIOR" run solver.pav --quiet --out solver &&
        "$PAVIOR" run written.pav --quiet --out written && cmp solver/u.npy written/u.npy
}

for border in 0 'x + y'; do
    check "V, u = $border" as_bits 'multigrid' "$border"
    check "F with more relaxations, u = $border" \
        as_bits 'multigrid(cycle = F, pre = 3, post = 2)' "$border"
    check "CG, u = $border" as_bits 'cg(preconditioner = multigrid)' "$border"
    check "CG by the diagonal, u = $border" as_bits 'cg' "$border"
done

in_colours() {
    printf '%s\n' 'grid x 17, y 9, z 13 spacing 1/8' \
        'field u; f = x - y^2' 'solve -laplace(u) = f by multigrid to 1e-8' \
        'border u = x + y' 'output u into "u.npy"' >colours.pav
    "$PAVIOR" explain colours.pav | sed '1,/^# the description whose/d' >plain.pav
    "$PAVIOR" run colours.pav --quiet --out solver &&
        "$PAVIOR" run plain.pav --quiet --out written && cmp solver/u.npy written/u.npy
}
check 'red and black' in_colours

cut() { # device
    "$PAVIOR" run solver.pav --device "$1" --subdomains 2x2 --verify 2 --quiet --out cut
}
for device in interpreter emulated; do
    check "a solver in subdomains on $device" cut $device
done

takes() { # method, bytes a point at most
    printf '%s\n' 'grid x 129, y 129, z 129' 'field u; f = 1' \
        "solve -laplace(u) = f by $1 to 1e-8" 'border u = 0' >large.pav
    bytes=$("$PAVIOR" plan large.pav --json | sed -n 's/.*"needed": \([0-9]*\),.*/\1/p')
    echo "$bytes bytes"
    [ "$bytes" -le $((129 * 129 * 129 * $2)) ]
}
check 'transforms by auto take 44 bytes a point' takes 'auto' 44
check 'cycles in colours take 40 bytes a point' takes 'multigrid' 40
check 'multigrid takes 30 bytes a point' takes 'multigrid(cycle = F, smoother = chebyshev)' 30
check 'CG with cycles takes 64 bytes a point' takes 'cg(preconditioner = multigrid)' 64

varying() { # border
    printf '%s\n' 'grid x 129, y 129, z 129' 'field u; f = 1; k = where(x < 40, 1000, 1)' \
        'let ex = 2*k*k[1,0,0]/(k + k[1,0,0]); ey = 2*k*k[0,1,0]/(k + k[0,1,0])' \
        'let ez = 2*k*k[0,0,1]/(k + k[0,0,1])' \
        'let across = dx(ex*dx(u, at +1/2), at -1/2) + dy(ey*dy(u, at +1/2), at -1/2)' \
        'let all = across + dz(ez*dz(u, at +1/2), at -1/2)' \
        'solve u - all = f by cg(preconditioner = multigrid) to 1e-8' \
        "border $1" 'border clamp k' >varying.pav
}
computes() { # operations a point at most
    varying 'u = 0'
    flops=$("$PAVIOR" plan varying.pav --copy-rate 20 --json | sed -n 's/.*"flops_per_point": \([0-9]*\).*/\1/p')
    echo "$flops operations"
    [ "$flops" -le "$1" ]
}
check 'weights of a cycle are computed once: 600 operations a point' computes 600

images() { # the border of u, the border of the diagonal
    varying "$1"
    "$PAVIOR" explain varying.pav | grep -q "border $2 mg_scale at x-"
}
check 'a diagonal continues beyond a wall between points' images 'mirror u' clamp
check 'a diagonal continues beyond an insulated wall' images 'neumann u' neumann
finish
