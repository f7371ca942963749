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
finish
