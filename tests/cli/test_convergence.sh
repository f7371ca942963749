# SPDX-License-Identifier: BSD-3-Clause
# Lines and a figure of residuals, commands without residuals, and failing solves: each failure names its cause.
. "${0%/*}/../test.sh"

cat >solver.pav <<'END'
grid  x 17 from 0 to 1, y 9 from 0 to 1
field u; f = x - y^2
solve -laplace(u) = f by multigrid to 1e-8
border u = 0
END
draws() { # figure
    "$PAVIOR" run solver.pav --no-files --convergence "$1" >said 2>&1 && test -s "$1"
}
check 'residuals are drawn'          draws residuals.svg
check 'so are they as pixels'        draws residuals.png
check 'the axis is logarithmic'      grep -q '1e-' residuals.svg
check 'a line a cycle has a time'    grep -Eq 'step 2: residual .* factor 0\.[0-9]+, [0-9.e-]+ s$' said
refuses() { # words, arguments...
    words=$1 && shift
    "$PAVIOR" run "$@" >said 2>&1
    test $? = 2 && grep -q "$words" said || { cat said; return 1; }
}
check 'another ending is refused'    refuses '.svg' solver.pav --no-files --convergence residuals.txt
check 'and what solves nothing'      refuses 'no such equation outside its steps' heat2d --steps 3 --no-files --convergence r.svg

fails() { # words, equation, side, border
    printf 'grid x 17 from 0 to 1, y 17 from 0 to 1\nfield u; f = %s\nsolve %s\nborder %s\n' \
        "$3" "$2" "$4" >failing.pav
    "$PAVIOR" run failing.pav --device interpreter --no-files >said 2>&1
    test $? = 1 && grep -q "$1" said && ! grep -Eq '(nan|inf)( |,|$)' said || { cat said; return 1; }
}
check 'a right side too large'       fails 'square is not' '-laplace(u) = f by auto to 1e-8' '1e200*x' 'u = 0'
check 'and a summary without nan'    grep -q 'by transform: 0 steps, the residual is not finite' said
check 'an operator not positive'     fails 'symmetric and positive' '-laplace(u) - 900*u = f by cg to 1e-8' 'x*y' 'u = 0'
check 'much convection'              fails 'strong convection' '-laplace(u) + 300*dx(u) = f by multigrid to 1e-8' 'x' 'u = 0'
check 'no solution'                  fails 'subtract its mean' '-laplace(u) = f by auto to 1e-8' 'x' 'neumann u'
cat >infinite.pav <<'END'
grid x 17 from 0 to 1, y 17 from 0 to 1
field u
field f = 1/(x - 0.5)
solve -laplace(u) = f by auto to 1e-8
border u = 0
END
names_line() {
    "$PAVIOR" run infinite.pav --device interpreter --no-files >said 2>&1
    grep -q 'initial value (infinite.pav:3), 1/(x - 0.5), is inf' said || { cat said; return 1; }
}
check 'a value, by its line'         names_line
jump() { # value: a coefficient in a disc
    printf '1\nfield k = where((x - 0.5)^2 + (y - 0.5)^2 < 0.07, %s, 1)\nborder neumann k' "$1"
}
flux='-dx((k + k[1,0])/2*dx(u, at +1/2), at -1/2) - dy((k + k[0,1])/2*dy(u, at +1/2), at -1/2)'
blames_no_symmetry() { ! grep -q symmetric said; }
check 'nor with large coefficients'  fails 'rounding allows no less' "$flux = f by auto to 1e-12" "$(jump 1e8)" 'u = 0'
check 'they are the only cause'      blames_no_symmetry
check 'and no other method is tried' fails 'of 20000, failed' "$flux = f by auto to 1e-12" "$(jump 1e8)" 'u = 0'
check 'more than rounding allows'    fails 'rounding allows no less' '-laplace(u) = f by auto to 1e-17' 'x' 'u = 0'

cat >noise.pav <<'END'
grid   x 33 from 0 to 1, y 33 from 0 to 1
field  u; f = 1; k = where(random(7) > 1/2, 1e4, 1)
border neumann k
let    mean(a, b) = 2*a*b/(a + b)
solve  -dx(mean(k, k[1,0])*dx(u, at +1/2), at -1/2) - dy(mean(k, k[0,1])*dy(u, at +1/2), at -1/2) = f for u by auto to 1e-8
border u = 0
END
goes_on() {
    "$PAVIOR" run noise.pav --device interpreter --no-files >said 2>&1 &&
        grep -q 'the residual [a-z]* by cg; auto goes on by minres$' said &&
        grep -q 'preconditioned by the diagonal (auto: the residual stalled)' said &&
        grep -Eq 'by cg: [0-9]+ steps, then [0-9]+ by minres, residual .*e-(09|1[0-9]) of' said ||
        { cat said; return 1; }
}
check 'auto takes another method'    goes_on
too_few() {
    "$PAVIOR" run noise.pav --device interpreter --no-files --steps 91 >said 2>&1
    test $? = 1 && grep -q 'after all 11 steps' said || { cat said; return 1; }
}
check 'with the steps that are left' too_few
json() { "$PAVIOR" run noise.pav --device interpreter --no-files --json >said 2>&1 && grep -q '"then": *"minres"' said; }
check 'and the JSON names it'        json
finish
