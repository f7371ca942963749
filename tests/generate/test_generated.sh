# SPDX-License-Identifier: BSD-3-Clause
# Programs written by pavior gen: their contents, a build without warnings, and the bits of a run.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

write_all
check 'fields, narrow storage, borders, masks, sources, samples: the bits of a run' agree "$CC" all.pav
check 'the first steps try ways through its rows' grep -q 'ASKED = 0' made/prog.c
check 'and of all files that a run writes' cmp one/rows.npy all/rows.npy
check 'its rate is printed' grep -q 'Mpts/s' prog.log
check 'measures are printed' grep -q 'step 4: total = ' prog.log
write_lines
check 'operations along all axes have the bits of a run' agree "$CC" lines.pav
check 'as have transforms of all kinds' agree "$CC" direct.pav
check 'README has the equation itself' grep -q '^solve -laplace(u) + 2\*u = f for u by transform' made/README.md
EVERY=100
check 'and jumps of many steps' agree "$CC" jump.pav
EVERY=''
agree "$CC" all.pav
check 'one thread gives the same' sh -c 'rm -r one; mkdir one; made/prog --threads 1 --out one'
check 'one thread gives the same bits' same_files all one
refuse 'options are explained' 2 '--steps N' made/prog --stepz 3
if command -v clang >/dev/null; then
    check 'clang has no warning, either' sh -c "cd made && clang -std=gnu11 -O1 -march=native -ffp-contract=off -Wall \
        -Wextra -Werror main.c prog.c -o by-clang -lm -pthread"
fi
check 'directories of its output are made' made/prog --out new/of/all
check 'and hold all of it' same_files all new/of/all
check 'each file states its licence' sh -c '
    for file in prog.c prog.h main.c Makefile CMakeLists.txt; do
        head -1 made/$file | grep -q "SPDX-License-Identifier: BSD-3-Clause" || { echo $file; exit 1; }; done
    grep -q "licence is BSD-3-Clause" made/README.md'
check 'README names the command' grep -q 'pavior gen made.pav --out made --name prog' made/README.md

cat >cycle.pav <<'END'
grid  x 17 from 0 to 1, y 17 from 0 to 1
field u; f = random(3)
solve -laplace(u) + (1 + x)*u = f by gmres(preconditioner = multigrid, smoother = jacobi) to 1e-8
border u = 0
output u into "u.npy"
END
check 'a cycle with varying weights is written' "$PAVIOR" gen cycle.pav -o cycle --name prog
check 'and builds'                    make -C cycle CC="$CC"
check 'and runs'                      cycle/prog --out cycle
check 'and in a run'                  "$PAVIOR" run cycle.pav --out cycled --quiet
check 'both have the same bits'       cmp cycle/u.npy cycled/u.npy

cat >small.pav <<'END'
grid  x 96, y 64
field k stored bf16 = "permeability.npy"
field u = k
u'    = u + 0.1*k*laplace(u)
border mirror
steps 3
END
sed 's/permeability/is-not-there/' small.pav >lacking.pav
refuse 'a missing input is named'     2 'is-not-there.npy' "$PAVIOR" gen lacking.pav -o half
check 'and leaves nothing half'       test ! -e half
mkdir files
cp "$SOURCE/examples/flow/permeability.npy" files
cp small.pav files
check 'a field from a file, whatever is stored: the bits of a run' agree "$CC" files/small.pav
refuse 'the file is missed' 1 '--in DIR' sh -c 'mkdir empty; made/prog --in empty --out one'
check 'a file that is cut is told' sh -c '
    head -c 1000 made/prog-k.npy >empty/prog-k.npy; ! made/prog --in empty --out one'

cat >use.c <<'END'
#include <stdio.h>
#include "a_heat.h"
#include "b_heat.h"
int main(void)
{
    a_heat_run *const a = a_heat_create(2);
    b_heat_run *const b = b_heat_create(1);
    if (!a || !b)
        return 1;
    a_heat_step(a, 5);
    b_heat_step(b, 5);
    a_heat_view v = a_heat_field(a, a_heat_FIELD_u, 0);
    const b_heat_view w = b_heat_field(b, b_heat_FIELD_u, 0);
    float *const at = (float *)v.data + 7 + 7 * v.stride[1] + 7 * v.stride[2];
    const float same = *at - ((float *)w.data)[7 + 7 * w.stride[1] + 7 * w.stride[2]];
    *at = 2;
    a_heat_written(a, a_heat_FIELD_u, 0);
    a_heat_step(a, 1);
    v = a_heat_field(a, a_heat_FIELD_u, 0);
    const float next = ((float *)v.data)[8 + 7 * v.stride[1] + 7 * v.stride[2]];
    printf("%d steps, same %g, next %g\n", (int)a_heat_steps(a), (double)same, (double)next);
    a_heat_free(a);
    b_heat_free(b);
    return same != 0 || next < 0.2F;
}
END
printf 'real f32\ngrid x 16, y 16, z 16\nfield u = exp(-((x-8)^2+(y-8)^2+(z-8)^2)/9)\n%s\n' \
    "u' = u + 0.1*laplace(u)
border u = 0" >heat.pav
check 'a library is one header and one source' sh -c "
    '$PAVIOR' gen heat.pav --library -o lib --name a_heat && '$PAVIOR' gen heat.pav --library -o lib --name b_heat | grep -q 'header there says' &&
    [ \"\$(ls lib | tr '\\n' ' ')\" = 'a_heat.c a_heat.h b_heat.c b_heat.h ' ]"
check 'two of them link into one program, which uses their fields' sh -c "
    $CC -std=gnu11 -O1 -march=native -ffp-contract=off -Wall -Wextra -Werror -Ilib use.c lib/a_heat.c lib/b_heat.c \
        -o use -lm -pthread && ./use"
cat >late.c <<'END'
#include <stdio.h>
#include <string.h>
#include "lines.h"
static float last[2][48];
static void write_k(lines_run *p)
{
    const lines_view k = lines_field(p, lines_FIELD_k, 0);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 8; i++)
            ((float *)k.data)[i + j * k.stride[1]] = 2;
    lines_written(p, lines_FIELD_k, 0);
}
int main(void)
{
    for (int late = 0; late < 2; late++) {
        lines_run *const p = lines_create(1);
        lines_step(p, 2 * late);
        write_k(p);
        lines_step(p, 1);
        const lines_view u = lines_field(p, lines_FIELD_u, 0);
        for (int j = 0; j < 6; j++)
            memcpy(last[late] + 8 * j, (float *)u.data + j * u.stride[1], 8 * sizeof(float));
        lines_free(p);
    }
    printf("%g %g\n", (double)last[0][9], (double)last[1][9]);
    return memcmp(last[0], last[1], sizeof last[0]) != 0;
}
END
printf 'real f32\ngrid x 8, y 6\nfield k = 1 + x; u\n%s\n' "u' = tridiagonal(-k, 4 + k, -1, 1 + x + step*0 along y)" >lines.pav
check 'a step after a change of a matrix factors it again' sh -c "
    '$PAVIOR' gen lines.pav --library -o lib --name lines && $CC -std=gnu11 -O0 -march=native -ffp-contract=off -Wall -Wextra -Werror \
        -Ilib late.c lib/lines.c -o factors -lm -pthread && ./factors"
cat >residual.c <<'END'
#include "sums.h"
/* A residual of 0 before a step is found in all sums of the step: u stays. */
int main(void)
{
    sums_run *const p = sums_create(1);
    sums_step(p, 3);
    const sums_view r = sums_field(p, sums_FIELD_mg_r1, 0), u = sums_field(p, sums_FIELD_u, 0);
    for (int n = 0; n < 33; n++)
        ((double *)r.data)[n] = 0;
    sums_written(p, sums_FIELD_mg_r1, 0);
    const double before = ((double *)u.data)[7];
    sums_step(p, 1);
    const double after = ((double *)sums_field(p, sums_FIELD_u, 0).data)[7];
    sums_free(p);
    return before != after;
}
END
printf 'real f64\ngrid x 33 from 0 to 1\nfield u; f = sin(9*x)\nsolve -dxx(u) + u = f by cg to 1e-12\nborder u = 0\n' >sums.pav
check 'a step after a change of a residual sums it again' sh -c "
    '$PAVIOR' gen sums.pav --library -o lib --name sums && $CC -std=gnu11 -O0 -march=native -ffp-contract=off -Wall -Wextra -Werror \
        -Ilib residual.c lib/sums.c -o residual -lm -pthread && ./residual"
check 'all that it shows bears its name' sh -c "
    '$PAVIOR' gen '$SOURCE/examples/heat/heat2d.pav' --library -o own --name own && $CC -std=gnu11 -O0 -march=native -c own/own.c -o own.o &&
    nm -g --defined-only own.o >shown && grep -q ' T own_step' shown && ! grep -v ' own_' shown"

for dt in 'param dt = 0' 'param dt = -1/4' 'scalar dt = 0' "scalar dt = 1; dt' = 1 - dt" "scalar dt = 1; dt' = sqrt(0 - t)"; do
    printf 'grid x 8\nfield u = x\n%s\nu'"'"' = u + dt\nuntil t >= 3\n' "$dt" >still.pav
    "$PAVIOR" gen still.pav -o still >/dev/null && make -s -C still CC="$CC" CFLAGS=-O0
    refuse "a program with $dt ends" 1 'dt must be positive' still/still
done
printf 'grid x 8\nfield u = x\nparam dt = 0\nu'"'"' = u + dt\nuntil t - 3 >= 0 or max(u) > 9\n' >never.pav
"$PAVIOR" gen never.pav -o never >/dev/null && make -s -C never CC="$CC" CFLAGS=-O0
refuse 'so does one whose condition holds a difference' 1 'dt must be positive' never/never

own_words() { # of FILE...: what stands before _step and the like in names of the program's own
    cat "$@" | grep -oE '\<[a-z]+_(create|free|steps?|time|field|written|number|sample|run|view|directory|part|share|gpu|call)\>' |
        sed 's/_[a-z]*$//' | sort -u | grep -vx prog
}
check 'names that its own text has are refused' sh -c '
    for word in $2; do ! "$1" gen heat.pav -o no --name $word 2>/dev/null || { echo $word; exit 1; }; done' sh "$PAVIOR" \
    "$(own_words made/prog.c made/main.c)"
cat made/prog.c made/main.c | grep '^#include <' | "$CC" -std=gnu11 -march=native -E -dD -P - >seen.c
check 'and those of what it includes' sh -c '
    echo "$2" | grep -q timer && for word in $2 time stdio; do
        ! "$1" gen heat.pav -o no --name $word 2>/dev/null || { echo $word; exit 1; }; done' sh "$PAVIOR" \
    "$(own_words seen.c | tr '\n' ' ') pthread_key atomic_is_lock"
cp heat.pav timer.pav
check 'a description may have such a name' sh -c "'$PAVIOR' gen timer.pav -o timer && make -C timer CC='$CC' CFLAGS='-O1 -march=native -Wall -Wextra -Werror'"

GEN_MORE='--schedule blocks:block=8,ahead=2,rows=single,stream'
check 'a schedule of processors may be asked for: the same bits' agree "$CC" all.pav 3
check 'and is in the source' grep -q 'ASKED = 1, ASKED_BLOCK = 8, ASKED_AHEAD = 2, ASKED_SINGLE = 1' made/prog.c

cat >waves.pav <<'END'
real f32
grid  x 40, y 31, z 26
field u = exp(-((x-15)^2+(y-7)^2+(z-3)^2)/9)
field c stored bf16 = 0.1 + 0.002*z
u' = 2*u - prev(u) + c*(u[0,0,2]+u[0,0,-2]+u[1,0,0]+u[-1,0,0]+u[0,1,0]+u[0,-1,0]+u[0,0,1]+u[0,0,-1]-8*u)
border periodic u at z-, z+
border mirror u at y-, y+
border u = 0.1*cos(0.3*z) + 0.01*t at x-
border neumann u at x+
inject sin(t) into u at (4.5, 0, 8.5)
inject cos(t) into u at (4.5, 3, 12.25)
steps 25
END
EVERY=9 GEN_MORE='--schedule time:depth=4,tile=8x3'
check 'time tiles, whose ghosts wrap, mirror and change, and sources: the bits of a run' agree "$CC" waves.pav
check 'they are as asked for' grep -q '^    {4, 8, 3},$' made/prog.c
GEN_MORE='--schedule time:depth=3,tile=16x4,rows=single'
check 'three fields in two dimensions, row by row' agree "$CC" "$SOURCE/examples/materials/gray-scott.pav" 25
GEN_MORE='--schedule time:depth=8'
check 'a cache that holds none of this depth gets the narrowest' agree "$CC" wave3d:order=8@150x90x70/f32 20
check 'which has several columns'                                grep -q '^    {8, 8, 8},$' made/prog.c
GEN_MORE='--schedule time:depth=3,tile=0x64'
check 'and in one' agree "$CC" star1d:r=2@900 25
GEN_MORE=
check 'the first steps try tiles where caches do not hold the grid' agree "$CC" heat3d@70x60x50/f64 200
check 'four of them' grep -q 'TILINGS = 4' made/prog.c
slow_tiles() { # NUMBER TIMES: the program with that kind made slow takes it so often, and then no more; a made-up clock
    sed "s/^static double clock_seconds(void)\$/static double made_up;\nstatic double clock_seconds(void)\n{\n    return made_up += 0.001;\n}\nstatic double real_clock(void)/
        /take_steps/,\$s/^    const double begun = clock_seconds();\$/&\n    if (way == $1 \&\& most > 1) { fputs(\"slow \", stderr); made_up += 1; }/" \
        made/prog.c >made/slow.c || return 1
    "$CC" -std=gnu11 -O1 -march=native -ffp-contract=off made/main.c made/slow.c -o made/slow -lm -pthread || return 1
    made/slow --threads 2 --steps 400 --out slow 2>slow.log >/dev/null || return 1
    slow_times=$(grep -o slow slow.log | wc -l)
    [ "$slow_times" = "$2" ] || { echo "it was taken $slow_times times"; return 1; }
}
mkdir slow
check 'the first of them is tried, too, and left where it is slow' slow_tiles 0 2
check 'and so is the last, once'                                   slow_tiles 3 1
EVERY=

printf 'grid x 50\nfield u[2]\nu'"'"' = u\nsteps 5\nsample u at (5)\n' >vector.pav
check 'a sample of a vector has a column a component' sh -c '"$1" gen vector.pav -o vector --name prog &&
    grep -q "step,t,u.x(5),u.y(5)" vector/main.c' sh "$PAVIOR"
refuse 'a name that C cannot take is refused' 2 "'9a'" "$PAVIOR" gen heat.pav -o no --name 9a
refuse '--library needs a directory' 2 'add -o DIR' "$PAVIOR" gen heat.pav --library
refuse 'a schedule of GPUs is refused' 2 'sweep is of GPUs' "$PAVIOR" gen heat.pav -o no --schedule sweep
refuse 'tiles of other shapes are refused' 2 'they have skewed ones alone' "$PAVIOR" gen heat.pav -o no --schedule time:diamond,depth=4
refuse 'and of how many steps is said' 2 'as in depth=8' "$PAVIOR" gen heat.pav -o no --schedule time
refuse 'coarse grids have none' 2 'reads across two grids' "$PAVIOR" gen "$SOURCE/examples/solvers/twogrid.pav" -o no --schedule time:depth=4

printf 'grid x 16\nfield u = x\nu'"'"' = u\nsteps 1\noutput u into "../u.npy"\n' >out.pav
refuse 'a program writes where a run may' 2 'out.pav:5: ../u.npy is outside' "$PAVIOR" gen out.pav -o no
refuse 'what allows that is of programs' 2 'add -o DIR' "$PAVIOR" gen out.pav --allow-outside
check 'nothing was written for them' [ ! -e no ]
check 'an option allows it' "$PAVIOR" gen out.pav -o anywhere --allow-outside
check 'a library writes nothing' "$PAVIOR" gen out.pav -o anywhere --library --name quiet

cp files/permeability.npy .
for name in main.c Makefile CMakeLists.txt README.md small.c small.h small-k.npy; do
    rm -rf own && mkdir own && echo mine >own/$name
    refuse "somebody's $name stays" 2 "own/$name is there and was not written by" "$PAVIOR" gen small.pav -o own
    check "and nothing comes beside it" [ "$(ls own) $(cat own/*)" = "$name mine" ]
done
rm own/* && ln -s nowhere own/Makefile
refuse 'a link stays, too' 2 'own/Makefile is there' "$PAVIOR" gen small.pav -o own
rm own/*
check 'what was generated is written again' sh -c "'$PAVIOR' gen small.pav -o own && '$PAVIOR' gen small.pav -o own"
check 'beside what else is there' sh -c "rm own/main.c own/README.md && echo mine >own/note && '$PAVIOR' gen small.pav -o own"

# A stencil given by options is described and built like any other.
stencil() { "$PAVIOR" gen --neighbours '-1,0 1,0 0,-1 0,1' --size 40,30 --spacing 1/8 --f 'exp(-x)' --steps 7 "$@"; }
stencil --describe >jacobi.pav
check 'a stencil of options is described' grep -q "^u' = 1/4\*u\[-1, 0\] .* h^2/4\*exp(-x)" jacobi.pav
check 'and has the bits of a run'         agree "$CC" jacobi.pav
check 'its program is written'            stencil -o stencil --name prog
"$PAVIOR" run jacobi.pav --out ran --quiet
check 'weights and precision are told'    sh -c '"$1" gen --neighbours "-1 0 1" --weights "0.25 0.5 0.25" --precision f64 \
    --describe | grep -q "0.25\*u\[-1\] + 0.5\*u\[0\] + 0.25\*u\[1\]"' sh "$PAVIOR"
check 'threads of a block are, too'       sh -c '"$1" gen --neighbours "0,0,-1 0,0,1" --device cuda --threads-a-block 32x8 \
    --unknowns-a-thread 2 | grep -q "threads=32x8.*rows=2"' sh "$PAVIOR"
check 'and in two dimensions'             sh -c '"$1" gen --neighbours "0,-1 0,1" --device cuda --threads-a-block 32x8 |
    grep -q "threads=32x8" && "$1" gen --neighbours "0,-1 0,1" --device cuda --threads-a-block 128 \
    --unknowns-a-thread 4 | grep -q "threads=128.*planes=4"' sh "$PAVIOR"
refuse 'where those that sweep lie along x' 2 'lie along x: give one number' "$PAVIOR" gen --neighbours '0,-1 0,1' \
    --device cuda --threads-a-block 32x8 --unknowns-a-thread 4
refuse 'as many weights as neighbours'    2 'not 3; see' "$PAVIOR" gen --neighbours '1 2' --weights '1 2 3'
refuse 'neighbours of one dimension'      2 'relative coordinates' "$PAVIOR" gen --neighbours '1,0 2'
refuse 'no stencil beside a description'  2 'leave out one' "$PAVIOR" gen small.pav --neighbours '1 2'
refuse 'its options need neighbours'      2 'add --neighbours' "$PAVIOR" gen small.pav --size 3
refuse 'blocks are of GPUs'               2 'add --device cuda' "$PAVIOR" gen --neighbours 1 --threads-a-block 32x8
refuse 'other devices are named'          2 '`pavior run` takes more' "$PAVIOR" gen small.pav -o no \
    --device emulated
if command -v cmake >/dev/null; then
    check 'CMake builds it'               sh -c "cd stencil && CC='$CC' cmake -B build >log && cmake --build build >>log && \
        mkdir by-cmake && build/prog --out by-cmake && cmp by-cmake/u.npy ../ran/u.npy"
fi
finish
