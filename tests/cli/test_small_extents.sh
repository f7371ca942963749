# SPDX-License-Identifier: BSD-3-Clause
# Every extent from one point to twice the radius and two more, along every axis: planned, generated and run, by every schedule
# that the program can have there. Given faces leave some stages without points, and others with a few.
. "${0%/*}/../test.sh"

cat >small.pav <<'END'
param nx = 8
param ny = 8
param nz = 8
grid  x nx, y ny, z nz
field u = sin(x + 2*y + 3*z)
u' = u + 0.1*laplace(u)
border u = x beyond x-
border u = 0
steps 3
END

# sets: each axis at each small extent, the others wide; and all of them small
small_extents() {
    for n in 1 2 3 4; do
        echo "$n 64 64" && echo "64 $n 64" && echo "64 64 $n" && echo "$n $n $n"
    done
}
# a refusal of the schedule is an answer, a crash is none
answers() { # command...
    "$@" >said 2>&1
    answered=$?
    [ $answered -le 2 ] || { cat said; return 1; }
}
all_plans() { # device
    small_extents >sets
    while read -r x y z; do
        set -- "$1" --set nx="$x" --set ny="$y" --set nz="$z"
        answers "$PAVIOR" plan small.pav --device "$@" --copy-rate 10 && [ $answered = 0 ] &&
            answers "$PAVIOR" gen small.pav --device "$@" && [ $answered = 0 ] ||
            { cat said; echo "at $x $y $z"; return 1; }
    done <sets
}
all_runs() { # device, schedule: the interpreter's bits, where it can be
    small_extents >sets
    while read -r x y z; do
        answers "$PAVIOR" run small.pav --device "$1" --schedule "$2" --verify 3 --no-files \
            --set nx="$x" --set ny="$y" --set nz="$z" && [ $answered != 1 ] ||
            { echo "$2 at $x $y $z"; return 1; }
    done <sets
}

check 'small extents are planned and generated' all_plans cpu
for schedule in blocks time:depth=2 auto; do
    check "small extents run by $schedule"      all_runs cpu $schedule
done
if "$PAVIOR" plan heat3d@16x16x16 --device emulated >/dev/null 2>&1; then
    check 'and on a GPU' all_plans emulated
fi
finish
