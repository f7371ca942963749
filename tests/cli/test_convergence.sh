# SPDX-License-Identifier: BSD-3-Clause
# Lines and a figure of residuals, and what has none.
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
check 'and what solves nothing'      refuses 'none here that stands alone' heat2d --steps 3 --no-files --convergence r.svg
finish
