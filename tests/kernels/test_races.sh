# SPDX-License-Identifier: BSD-3-Clause
# Under the thread sanitizer, which watches the kernels too: threads of a team neither write what others
# touch, nor read what was not handed to them.
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
check 'the sanitizer watches the kernels'        sh -c "$NM -D kernels/*.so | grep -q __tsan_read"
check 'three share blocks of rows without one'   quietly --threads 3 --schedule blocks
check 'more threads than processors share well'  quietly --threads 7 --bind none
check 'random programs have no races'            "$PAVIOR" check --device cpu --random-only \
    --programs "$CHECK_KERNELS" --seed 300001
finish
