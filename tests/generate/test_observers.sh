# SPDX-License-Identifier: BSD-3-Clause
# What generated programs write between steps has the bits of a run: outputs of expressions, outputs at times, several
# fields in one file.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

same_outputs() { # FILE: all arrays of its program are those of its run
    rm -rf made one all
    mkdir one
    "$PAVIOR" gen "$1" -o made --name prog && make -C made CC="$CC" CFLAGS='-O1 -march=native -Wall -Wextra -Werror' &&
        made/prog --threads 2 --out one && "$PAVIOR" run "${2:-$1}" --out all --quiet && same_files all one
}
count() { # number, pattern: so many files
    test "$(ls one | grep -c "$2")" = "$1"
}

cat >param.pav <<'END'
grid x 60, y 30
field u = 1 + sin(x)/2
param dt = 0.007*max(u)
u' = u + dt*laplace(u)
border neumann
steps 90
sample u at (0.5, 3) every 0.04 time into "s.npy"
output u every 0.1 time into "u.npy"
output sqrt(dx(u)^2 + dy(u)^2) + 0.1*t as steep every 0.3 time crop (3, 4) to (20, 21) stride 2 into "steep.npy"
output u*t as late into "late.npy"
END
check 'a step may pass the times, and expressions are computed then' same_outputs param.pav
check 'the start is a multiple, and the first step past each of the others' count 10 '^u-'
check 'in README they are as in the description' grep -q 'as steep every 0.3 time' made/README.md
check 'a library computes the expression, too' grep -q 'PROG_FIELD_steep\|prog_FIELD_steep' made/prog.h

cat >evolves.pav <<'END'
grid  x 64 from 0 to 1
field u = 1 + sin(2*pi*x)/2
scalar dt = 0.4*h/max(u)
u' = u - dt/h*(u^2 - u[-1]^2)/2
dt' = 0.4*h/max(u')
border periodic
until t >= 0.3
measure top = max(u) every 0.05 time into "top.npy"
sample u at (0.3) every 0.02 time into "s.npy"
output dx(u)^2 + t as slope every 0.1 time
output u every 0.07 time into "u.npy"
END
check 'steps of varying length end at the times' same_outputs evolves.pav
check 'which are all there' count 5 '^u-'
check 'its usage counts no steps' sh -c 'made/prog --help | grep -q "steps to take (as many as .until. needs)"'

cat >samples.pav <<'END'
grid x 30 from 0 to 1, y 20 from 0 to 2
field u = exp(-9*((x - 0.5)^2 + (y - 1)^2)); v = x*y
field psi complex = exp(i*3*x)
let w = dx(u)^2
u' = u + 0.0001*laplace(u)
v' = v + 0.0001*laplace(v) + 0.001*u
psi' = psi*exp(i*0.1)
border u, v = 0.1
sample sqrt(dy(u)^2) at (0.5, 0.5) into "a.csv"
sample u at (0.25, 0.5)
sample u, u*v + x*t - step, max(dx(u), v)^3, atan2(u, v) + mod(u, 0.1) + w^1.5 at (0.5, 0.5), (0.1, 1.3) every 2 into "b.csv"
sample where(u > v and v < 1, exp(u), -sin(v)), where(not (u == v), 2, 1/3) at (0.77, 1.9), (0.5, 1) into "c.csv"
sample abs(psi)^2, re(psi), ricker(u, 0.3), min(u, 0.3) at (0.33, 0.6), (0.5, 1) into "d.npy"
steps 7
END
check 'samples of expressions are those of a run' same_outputs samples.pav
sed 's/.d.npy./"traces.npy"/; s/^sample where.*/measure total = sum(u) every 1 into "one.npy"/' samples.pav >traced.pav
"$PAVIOR" run traced.pav --quiet
cat >>samples.pav <<'END'
inject "traces.npy"*0.1*t into v at (0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 1.75), (0.3, 0.3), (0.1, 0.1), (0.7, 0.31), (1, 1)
inject "one.npy" into u at (0.31, 0.45), (0.05, 1.7), (0.5, 1)
END
sed 's/^steps 7/steps 12/' samples.pav >traced.pav
check 'so are sources with traces from files, also behind their end' same_outputs traced.pav
check 'all tables' count 5 .

cat >several.pav <<'END'
grid x 40, y 30
field ux = x, uy stored f32 = y, p = x*y
ux' = ux + 1
uy' = uy + 0.1*laplace(uy)
p' = p + ux'
border ux, uy, p = 0
steps 60
END
cp several.pav single.pav
cat >>several.pav <<'END'
output ux, uy as velocity every 20 crop (3, 4) to (20, 21) stride 2 into "flow.pvd"
output uy, ux, p into "all.vti"
output p streamlines ux, uy into "p.png"
END
for field in ux uy; do echo "output $field every 20 crop (3, 4) to (20, 21) stride 2 into \"flow.pvd.$field.npy\""; done >>single.pav
for field in ux uy p; do
    echo "output $field into \"all.vti.$field.npy\""
    echo "output $field into \"p.png.$field.npy\""
done >>single.pav
check 'several fields of a file are an array each' same_outputs several.pav single.pav
check 'all of them' count 14 npy
printf 'grid x 8\nfield u = x; v = 1; w = 2\noutput u, v into "a.h5"\noutput w into "./a.h5.u.npy"\n' >meet.pav
refuse 'two outputs that need one array are refused' 2 'two of them into "a.h5.u.npy"' "$PAVIOR" gen meet.pav -o meet
finish
