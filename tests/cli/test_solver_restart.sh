# SPDX-License-Identifier: BSD-3-Clause
# A stopped solver resumes from its checkpoint and reaches the residual of an unbroken run.
. "${0%/*}/../test.sh"

printf '%s\n' 'grid x 17 from 0 to 1, y 17 from 0 to 1' 'field u; f = x' \
    'solve -laplace(u) = f by multigrid to 1e-9' 'border u = x + y' 'output u into "u.npy"' >a.pav

goes_on() {
    "$PAVIOR" run a.pav --quiet --out whole || return 1
    "$PAVIOR" run a.pav --quiet --steps 4 --checkpoint a.checkpoint --out part
    "$PAVIOR" run a.pav --quiet --restart a.checkpoint --out part || return 1
    cmp whole/u.npy part/u.npy
}
check 'a stopped solver goes on' goes_on

printf '%s\n' 'grid x 16, y 12' 'param dt = 0.5' 'field u = x*y' \
    'solve u'"'"' - dt*laplace(u'"'"') = u by cg to 1e-9' 'border mirror u' 'steps 6' \
    'output u into "u.npy"' >steps.pav
steps_go_on() {
    "$PAVIOR" run steps.pav --quiet --device interpreter --out whole || return 1
    "$PAVIOR" run steps.pav --quiet --device interpreter --steps 3 \
        --checkpoint b.checkpoint --out part
    "$PAVIOR" run steps.pav --quiet --device interpreter --restart b.checkpoint \
        --subdomains 2x2 --out part || return 1
    cmp whole/u.npy part/u.npy
}
check 'steps that solve go on, also in subdomains' steps_go_on

steps_are_told() {
    "$PAVIOR" run steps.pav --quiet --device interpreter --out whole --json >json &&
        grep -q '"solvers": \[{"field": "u", "method": "cg"' json &&
        "$PAVIOR" plan steps.pav | grep -q 'all fields of what solves in each step'
}
check 'the solver of a step is told, and its memory planned' steps_are_told

printf '%s\n' 'grid x 65 from 0 to 1' "field u = sin(pi*x)" "u' = u + 0.2*h^2*laplace(u)" 'border u = 0' \
    'steps 200 at once 10' 'output u into "u.npy"' >jump.pav
"$PAVIOR" run jump.pav --quiet --device interpreter --steps 100 --checkpoint j.checkpoint --out part
other() { # change: a run of the changed description goes on from the checkpoint
    sed "$1" jump.pav >other.pav
    "$PAVIOR" run other.pav --quiet --device interpreter --restart j.checkpoint --out part
}
refuse 'other jumps are told by their word' 2 'it differs from other.pav in `at once`, or in an equation' other 's/once 10/once 20/'
refuse 'so are steps without jumps' 2 'it differs from other.pav in `at once`, or in an equation' other 's/ at once 10//'
refuse 'a line of the description is quoted' 2 'it has `field u = sin(pi*x)` where other.pav has `field u = sin(2*pi*x)`' other 's/sin(pi/sin(2*pi/'
finish
