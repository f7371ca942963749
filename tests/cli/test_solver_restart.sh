# SPDX-License-Identifier: BSD-3-Clause
# A solver that was stopped goes on from its checkpoint to the residual that it would have had.
. "${0%/*}/../test.sh"

printf '%s\n' 'grid x 17 from 0 to 1, y 17 from 0 to 1' 'field u; f = x' \
    'solve -laplace(u) = f by multigrid to 1e-9' 'border u = 0' 'output u into "u.npy"' >a.pav

goes_on() {
    "$PAVIOR" run a.pav --quiet --out whole || return 1
    "$PAVIOR" run a.pav --quiet --steps 4 --checkpoint a.checkpoint --out part
    "$PAVIOR" run a.pav --quiet --restart a.checkpoint --out part || return 1
    cmp whole/u.npy part/u.npy
}
check 'a stopped solver goes on' goes_on
finish
