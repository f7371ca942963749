# SPDX-License-Identifier: BSD-3-Clause
# All extents from one point to twice the radius plus two, along every axis, are planned, generated and run with every
# possible schedule. Given faces leave some stages without points, and others with a few. A run has the interpreter's
# bits, or is refused with a reason.
. "${0%/*}/../../test.sh"

small_program() { # stencil, border: radius 1 or 2
    echo 'param nx = 8; param ny = 8; param nz = 8'
    echo 'grid x nx, y ny, z nz'
    echo 'field u = sin(x + 2*y + 3*z)'
    echo "u' = u + 0.1*($1)"
    echo "$2"
    echo 'steps 3'
}
given='border u = x beyond x-
border u = 0'
small_program 'laplace(u)' "$given" >near.pav
small_program 'u[-2,0,0] + u[2,0,0] + u[0,-2,0] + u[0,2,0] + u[0,0,-2] + u[0,0,2] - 6*u' 'border u = 0' >wide.pav
small_program 'laplace(u)' 'border periodic u' >around.pav

# sets: each axis at each small extent, the others wide; and all of them small
small_extents() { # radius
    for n in 1 2 3 4 5 6; do
        [ $n -gt $((2 * $1 + 2)) ] && break
        echo "$n 24 20" && echo "24 $n 20" && echo "24 20 $n" && echo "$n $n $n"
    done
}
# a crash is no answer, nor is a refusal without a reason
answers() { # command...
    "$@" >said 2>&1
    answered=$?
    [ $answered -le 2 ] && [ -s said ] || { cat said; return 1; }
    [ $answered = 0 ] || grep -q '....................' said
}
each() { # program, radius, command of sets...
    each_program=$1
    small_extents "$2" >sets
    shift 2
    while read -r x y z; do
        "$@" "$each_program" --set nx="$x" --set ny="$y" --set nz="$z" || { cat said; echo "at $x $y $z"; return 1; }
    done <sets
}
plans() { # device, program, sets...
    plans_on=$1
    shift
    answers "$PAVIOR" plan "$@" --device "$plans_on" --copy-rate 10 && [ $answered = 0 ] &&
        answers "$PAVIOR" gen "$@" --device "$plans_on" && [ $answered = 0 ]
}
# Extents of a description may be too small for its borders, on every device.
runs() { # device, schedule, program, sets...
    runs_on=$1 runs_by=$2
    shift 2
    answers "$PAVIOR" run "$@" --device "$runs_on" --schedule "$runs_by" --verify 3 --no-files && [ $answered != 1 ]
}

check 'small extents are planned and generated' each near.pav 1 plans cpu
for schedule in rows blocks time:depth=2 auto; do
    check "small extents run by $schedule"      each near.pav 1 runs cpu $schedule
done
check 'and of radius 2'                         each wide.pav 2 runs cpu time:depth=2
check 'and around'                              each around.pav 1 runs cpu auto
check 'a row of three points is measured'       "$PAVIOR" bench heat2d@3x200 --device cpu --threads 1 --repetitions 1
check 'what has no step is refused'             sh -c '"$1" bench heat3d@3x2000x2 --device cpu --threads 1 --repetitions 1; [ $? -le 2 ]' sh "$PAVIOR"
check 'a long plane of three by two is planned' "$PAVIOR" plan heat3d@3x200000x2 --device cpu --copy-rate 10
check 'and runs'                                "$PAVIOR" run heat3d@3x200000x2 --device cpu --no-files --steps 2
if "$PAVIOR" plan heat3d@16x16x16 --device emulated >/dev/null 2>&1; then
    check 'and on a GPU'                        each near.pav 1 plans emulated
    for schedule in point sweep two-pass time:depth=2 persistent; do
        check "small extents run by $schedule"  each near.pav 1 runs emulated $schedule
    done
    check 'a long plane runs on a GPU'          "$PAVIOR" run heat3d@3x20000x2 --device emulated --no-files --steps 1
    check 'and is measured or refused'          sh -c '"$1" bench heat3d@3x64x2 --device emulated --threads 1 --repetitions 1; [ $? -le 2 ]' sh "$PAVIOR"
fi
finish
