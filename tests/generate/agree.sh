# SPDX-License-Identifier: BSD-3-Clause
# agree.sh, for tests with test.sh:
#
#     agree COMPILER FILE [STEPS]
#
# Generates a program for the description and builds it without warnings. Every field must have the bits of
# `pavior run` after every step. $MACHINE: compiler options for a processor other than this one; $EMULATOR: the command
# to start its programs; GEN_MORE: options of gen; EVERY: steps between two comparisons (1). Each field gets an output
# in the canonical description from the README of the program; SEEN: and one of an expression, at times.
observe() { # FILE, directory, steps: writes DIRECTORY.pav
    "$PAVIOR" gen "$1" -o "$2" --name prog >gen.log 2>&1 || { cat gen.log; return 1; }
    [ ! -f "$1" ] || cp "${1%/*}"/*.npy . 2>/dev/null
    sed -n '/^```pav/,/^```/p' "$2/README.md" | grep -v '^```' | grep -v '^output' |
        if [ -n "$3" ]; then sed "s/^steps .*/steps $3/; /^expect/d"; else cat; fi >"$2.pav"
    # A scalar dt without an equation allows no times, nor does its absence.
    when=1
    ! grep -q "^param dt\|^dt' =" "$2.pav" || when='0.7 time'
    # Fields of a matched layer or of a line have no name in the language, so they have no output.
    # In a description with transforms the fields of its solver have none, either.
    hidden='_nothing_'
    ! grep -q '^solve\|at once' "$2.pav" || hidden='^mg_'
    # The description has no outputs left, so the fields of their expressions are no names in it.
    hidden="$hidden$(sed -n 's/^output .* as \([A-Za-z0-9_]*\).*/|^\1$/p' "$2/README.md" | tr -d '\n')"
    grep -o 'prog_FIELD_[A-Za-z0-9_]*' "$2/prog.h" | sed 's/prog_FIELD_//' | grep -Ev "$hidden|_(pml|scan|tridiagonal|sum|min|max)_[0-9]+$" | sort -u |
        while read -r field; do
            part=$(sed -n 's/^field \([A-Za-z0-9_]*[.][a-z0-9]*\).*/\1/p' "$2.pav" | while read -r name; do
                [ "$(echo "$name" | tr . _)" != "$field" ] || echo "$name"
            done | head -1)
            field=${part:-$field}
            echo "output $field into \"each-$field.npy\" every ${EVERY:-1}"
            [ -z "${SEEN:-}" ] || grep -q "^field $field\>.* coarse" "$2.pav" ||
                echo "output laplace($field) + 2*$field - t as seen_$field every $when into \"seen-$field.npy\""
        done >>"$2.pav"
}

same_files() { # directories: each npy or csv file of the first is in the second, with the same bytes
    count=0
    for file in "$1"/*.npy "$1"/*.csv; do
        [ -f "$file" ] || continue
        cmp "$file" "$2/${file##*/}" || return 1
        count=$((count + 1))
    done
    [ $count -gt 1 ] || { echo "$count files: nothing was compared"; return 1; }
}

agree() {
    rm -rf made made.pav one all
    mkdir one all
    observe "$2" made "${3:-}" || return 1
    "$PAVIOR" gen made.pav -o made --name prog ${GEN_MORE:-} >gen.log 2>&1 || { cat gen.log; return 1; }
    make -C made CC="$1" CFLAGS="-O1 ${MACHINE:--march=native} -Wall -Wextra -Werror" >make.log 2>&1 ||
        { grep error make.log || cat make.log; return 1; }
    ${EMULATOR:-} made/prog --threads 3 --in made --out one >prog.log 2>&1 || { cat prog.log; return 1; }
    "$PAVIOR" run made.pav --out all --quiet >run.log 2>&1 || { cat run.log; return 1; }
    same_files all one
}

# direct.pav: an equation for transforms of all kinds. jump.pav: jumps of a hundred steps. lines.pav: lines along all axes.
write_lines() {
    cat >direct.pav <<'END'
grid  x 33, y 20, z 28 spacing 1/30
field u; f = random(3) - 1/2
solve -laplace(u) + 2*u = f by transform to 1e-10
border u = 0 at x-, x+
border mirror u at y-
border neumann u at y+
border periodic u at z-, z+
END
    cat >jump.pav <<'END'
real f32
grid  x 90, y 49 spacing 1/64
field u = exp(-300*((x - 0.5)^2 + (y - 0.4)^2))
u' = 1.9*u - 0.9*prev(u) + 0.1*laplace(u)*h^2
border u = 0 at x-, x+
border mirror u at y-, y+
steps 500 at once 100
END
    cat >lines.pav <<'END'
grid  x 50, y 70, z 12
field u = 1 + sin(x) + y; s; r; q; w; m
s' = scan(u along x)
r' = scan(0.9, 0.1*u along y down)
q' = tridiagonal(-1, 3, -1, u along z)
w' = tridiagonal(-1, 3 + y/70, -1, u along x)
m' = max(u along x)
u' = u + 0.01*(s' + r' + q' - w')
border mirror u
steps 3
END
}

# all.pav: fields, narrow storage, borders, masks, sources, samples.
write_all() {
    cat >all.pav <<'END'
grid   x 40, y 24
param  a = 0.2
field  u stored bf16 = exp(-((x - 20)^2 + (y - 12)^2)/30)
field  c stored f16 = 1 + 0.01*x
field  v = random(7)
mask   v = x > 2 or y > 3
u'     = u + a*c*laplace(u)
v'     = v + 0.1*(u' - v) - 0.01*(v - prev(v))
border u = sin(t) at x-
border neumann u at x+
border periodic u at y-, y+
border mirror v
border u = 0.5 at x+ where y < 9
border antimirror v = 0.1 at y- where x > 15
inject 0.5*sin(t) into v at (10.25, 7.5)
sample v at (3.5, 4.25), (20, 20) into "rows.npy"
sample sqrt(dy(v)^2)*x + t, max(u, v) at (3.5, 4.25), (20, 20) every 2 into "sums.csv"
measure total = sum(v)/3 into "total.csv" every 4
steps  12
expect total > 0
END
}
