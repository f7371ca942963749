# SPDX-License-Identifier: BSD-3-Clause
# Kernels under the thread sanitizer: no thread of a team writes data in use by another thread, or reads data before its
# owner has handed it over.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

case $SANITIZED in
*thread*) ;;
*)
    skip 'kernels without races' 'only the preset tsan can see them'
    finish
    ;;
esac
printf '#!/bin/sh\nexec %s -fsanitize=thread "$@"\n' "$CC" >cc && chmod +x cc
export PAV_CC=./cc PAV_CACHE="$PWD/kernels"

cat >waves.pav <<'END'
grid  x 60, y 50, z 20
field u = random(1), v = 0
v' = v + 0.1*laplace(u)
u' = u + 0.1*v
border u periodic
measure e = sum(u*u + v*v)
output u into "u.npy" every 10
steps 30
END
quietly() { # arguments...: no race
    "$PAVIOR" run waves.pav --device cpu --quiet "$@" >said 2>&1 || { cat said; return 1; }
    ! grep -q 'ThreadSanitizer' said || { cat said; return 1; }
}
check 'two threads share planes without a race'  quietly --threads 2
check 'the sanitizer watches the kernels'        sh -c "$NM -D kernels/pavior-kernels/*.so | grep -q __tsan_read"
check 'three share blocks of rows without one'   quietly --threads 3 --schedule blocks
check 'more threads than processors share well'  quietly --threads 7 --bind none
check 'subdomains side by side have none'        quietly --threads 4 --bind none --subdomains 2x2x1
cat >rolling.pav <<'END'
grid  x 300, y 90, z 20
field u = random(1), v = random(2)
u' = 2*u - prev(u) + 0.1*laplace(u)
v' = v + 0.1*(u'[0,1,0] - u'[0,0,-1])
border mirror u
border clamp v
inject sin(t) into u at (30.5, 20.5, 0.5), (3.5, 59, 19) by sinc
sample u at (3, 4, 5), (30.5, 20.5, 15.5)
steps 12
END
sed 's/, z 20//; s/,0\]/]/; s/\[0,0,-1\]/[1,0]/; s/, [0-9.]*)/)/g' rolling.pav >rolling2.pav
rolls() { # description schedule threads
    "$PAVIOR" run "$1" --device cpu --quiet --no-files --schedule "$2" --threads "$3" --bind none >said 2>&1 ||
        { cat said; return 1; }
    ! grep -q 'ThreadSanitizer' said || { cat said; return 1; }
}
check 'columns of several steps have no race'    rolls rolling.pav time:depth=4,tile=5x2 3
check 'nor have those of two axes'               rolls rolling2.pav time:depth=3,tile=32x2 3
boxes() { # arguments...: of the description whose borders do not wrap around
    "$PAVIOR" run rolling.pav --device cpu --quiet --no-files --threads 3 --bind none "$@" >said 2>&1 ||
        { cat said; return 1; }
    ! grep -q 'ThreadSanitizer' said || { cat said; return 1; }
}
check 'nor have boxes with wide halos'           boxes --subdomains 1x3x1 --exchange-every 3
cat >chaotic.pav <<'END'
grid  x 300, y 190
field u; f = random(1)
solve -laplace(u) = f by METHOD(ages = chance, block = 8, alpha = 4) to 1e-9
border u = 0
END
sed 's/x 300, y 190/x 67, y 21, z 31/; s/-laplace(u)/u - laplace(u)/; s/border u = 0/border neumann u = 0; real f32/' chaotic.pav >chaotic3.pav
chance() { # description method: blocks of all threads go on at once, without a race
    sed "s/METHOD/$2/" "$1" >now.pav # too few steps for it
    "$PAVIOR" run now.pav --device cpu --no-files --threads 3 --bind none --steps 99 >said 2>&1
    ! grep -q 'ThreadSanitizer' said && grep -q 'do not wait for each other' said &&
        grep -q 'cpu, 3 threads' said || { cat said; return 1; }
}
check 'chaotic blocks have no race'              chance chaotic.pav async-0
check 'nor have those that relax in place'       chance chaotic.pav async-3
check 'nor have those in space, with ghosts'     chance chaotic3.pav async-0
check 'random programs have no races'            "$PAVIOR" check --device cpu --random-only \
    --programs "$CHECK_KERNELS" --seed 300001
finish
