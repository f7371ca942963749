# SPDX-License-Identifier: BSD-3-Clause
# Generated programs that solve equations in each step have the bits of a run.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

cat >two.pav <<'END'
real f32
grid x 40, y 33 spacing 1/32
field u = sin(3*x)*y; c = 1 + x; g = 0.1*y
field p, q
param dt = 0.01*max(c)
scalar a = 2
solve -laplace(p') + a*p' = u + t by multigrid to 1e-4
solve -(dx(c*dx(q', at -1/2), at +1/2) + dy(c*dy(q', at -1/2), at +1/2)) + q' = p' by cg to 1e-4
u' = u + 0.0001*laplace(u) - 0.01*p' + 0.1*q'
a' = 2 + 0.1*sin(t)
border u = 0
border p = t + 0.1*g at x-
border p = 0 at x+
border mirror p at y-, y+
border q = 0
border mirror c, g
mask x < 1 or y < 0.5
steps 4
END
check 'two equations, with a scalar, a mask and borders that hold t: the bits of a run' agree "$CC" two.pav
check 'each has a library of its own' test -s made/prog_solve1.h -a -s made/prog_solve2.c
check 'README has the equations' grep -q "^solve .*p'.* by multigrid" made/README.md
check 'the number of threads changes nothing' sh -c 'rm -r one; mkdir one; made/prog --threads 1 --out one'
check 'not a bit' same_files all one
for name in flow/cavity flow/taylor-green heat/implicit; do
    check "$name, by the method that auto chooses" agree "$CC" "$SOURCE/examples/$name.pav" 3
done

grep -v '^output\|^expect\|^steps' "$SOURCE/examples/waves/spreading.pav" >psi.pav
printf 'steps 2\noutput psi every 1 into "psi.npy"\noutput abs(psi)^2 as light into "light.npy"\n' >>psi.pav
both() { # FILE
    rm -rf one all psi
    mkdir one
    "$PAVIOR" gen "$1" -o psi --name prog && make -C psi CC="$CC" CFLAGS='-O1 -march=native -Wall -Wextra -Werror' &&
        psi/prog --out one >prog.log && "$PAVIOR" run "$1" --out all --quiet && same_files all one
}
check 'two unknowns of one equation' both psi.pav

cat >stokes.pav <<'END'
grid x 24 from 0 to 1, y 24 from 0 to 1
field u, v, p; f = sin(pi*y)
solve {
    -laplace(u) + dx(p, at +1/2) = f
    -laplace(v) + dy(p, at +1/2) = x
    dx(u, at -1/2) + dy(v, at -1/2) = 0
} for u, v, p by auto to 1e-6
border u, v = 0
border neumann p
END
printf 'grid x 65 from 0 to 1\nfield psi complex\nsolve -laplace(psi) + i*20*psi = x for psi by auto to 1e-8\nborder psi = 0\noutput psi into "psi.npy"\n' >wave.pav
check 'a system that stands alone: flow with a pressure' agree "$CC" stokes.pav
check 'a complex unknown, by transforms' both wave.pav
check 'its end is told without names of the method' grep -q '^step 1: norm(residual) <= 1e-08\*norm(first one) holds' prog.log

sed 's/to 1e-4/to 1e-14/' two.pav >deep.pav
"$PAVIOR" gen deep.pav -o deep --name prog >gen.log && make -C deep CC="$CC" >make.log 2>&1
refuse 'a residual that stalls ends the program' 1 'step 1: the solver for p has a residual that stalls' deep/prog --out deep
printf 'grid x 33\nfield u = x, p\nsolve -laplace(p'"'"') = u for p by multigrid to 1e-6\nu'"'"' = u - 0.1*p'"'"'
border neumann p\nborder clamp u\nsteps 1\n' >gap.pav
"$PAVIOR" gen gap.pav -o deep --name prog >gen.log && make -C deep CC="$CC" >make.log 2>&1
refuse 'so does a right side without a solution' 1 'no face gives a value' deep/prog --out deep
gap() { # reason, lines...: an equation without a solution ends its program with 1
    reason=$1
    shift
    printf '%s\n' "$@" >gap.pav
    rm -rf gap
    "$PAVIOR" gen gap.pav -o gap --name prog >gen.log && make -C gap CC="$CC" CFLAGS='-O1 -Wall -Wextra -Werror' >make.log 2>&1
    refuse "$reason" 1 'no face gives a value' gap/prog --out gap
}
gap 'also of two unknowns, at the end of a solution' 'grid x 33 from 0 to 1, y 33 from 0 to 1' 'field a = x, b = y' \
    "solve { laplace(a') + laplace(b') = 1; laplace(b') - laplace(a') = 1 } for a, b by auto to 1e-8" 'border neumann' 'steps 3'
gap 'of an equation without symmetry' 'grid x 33 from 0 to 1, y 33 from 0 to 1' 'field a = x' \
    "solve laplace(a') + 0.3*(1 + x)*dx(a') = 1 for a by auto to 1e-8" 'border neumann' 'steps 3'
gap 'and of an equation that stands alone' 'grid x 33 from 0 to 1, y 33 from 0 to 1' 'field u; f = 1 + x' \
    'solve -laplace(u) = f for u by auto to 1e-8' 'border neumann'
check 'solvers of an older program in the folder are not compiled' sh -c 'test -e deep/prog_solve2.c && ! grep solve2 make.log'
printf 'grid x 33 spacing 1, y 33 spacing 1\nfield u; f = sin(x*y)\nsolve -laplace(u) - 0.9*u = f by cg to 1e-10\n' >far.pav
printf 'border u = 0\n' >>far.pav
check 'an equation alone, of a method that diverges' sh -c '"$1" gen far.pav -o far --name prog && make -C far CC="$2"' sh "$PAVIOR" "$CC"
refuse 'misses its tolerance, and says so' 1 'after 20000 steps the residual is above the tolerance' far/prog

refuse 'several devices do not solve in steps' 2 'an equation in each step on several devices' \
    "$PAVIOR" gen two.pav -o no --device cpu+cuda
refuse 'nor do time tiles' 2 'a step solves an equation' "$PAVIOR" gen two.pav -o no --schedule time:depth=4
sed 's/^field p, q/field p stored bf16; q/' two.pav >narrow.pav
check 'refusals leave no file' test ! -e no
check 'a narrow unknown is rounded once a step' agree "$CC" narrow.pav
sed -i 's/^real f32/real f32 stored f16/; s/^field u = /&0.5*/' narrow.pav
check 'beside narrow right sides and coefficients' agree "$CC" narrow.pav
"$PAVIOR" gen two.pav --library -o lib --name prog >gen.log
check 'a library consists of all of them' sh -c '
    [ "$(ls lib | tr "\n" " ")" = "prog.c prog.h prog_solve1.c prog_solve1.h prog_solve2.c prog_solve2.h " ]'
finish
