# SPDX-License-Identifier: BSD-3-Clause
# Small runs of nearly all features under valgrind, on the interpreter and on compiled kernels: no access outside
# allocated memory, no use of uninitialised values, no leaks.
. "${0%/*}/../../test.sh"

if [ -n "$SANITIZED" ]; then
    skip 'a run under valgrind' 'sanitizers and valgrind do not go together'
    finish
elif ! command -v valgrind >/dev/null; then
    skip 'a run under valgrind' 'valgrind is not here (apt install valgrind)'
    finish
fi

# valgrind does not know AVX-512, so kernels are compiled for a machine without it. With less optimisation they access
# the same memory and compile fifteen times faster.
plain=
if [ "$(uname -m)" = x86_64 ]; then
    grep -qw avx2 /proc/cpuinfo && plain=-march=x86-64-v3 || plain=-march=x86-64
fi
printf '#!/bin/sh\nexec "%s" "$@" %s -O2\n' "$CC" "$plain" >plain-cc && chmod +x plain-cc
PAV_CC=$scratch/plain-cc PAV_CACHE=$scratch/kernels
export PAV_CC PAV_CACHE

watched() { # command...: 99 when valgrind has something to say, else the command's
    valgrind -q --fair-sched=yes --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
        --show-leak-kinds=definite,indirect,possible --child-silent-after-fork=yes --error-exitcode=99 "$@"
}

cat >much.pav <<'END'
grid  x 40, y 24, z 9
real  f32 stored bf16
param dt = 0.1
field u = exp(-((x - 20)^2 + (y - 12)^2)/10), c coarse, m stored f16 = random(3), w stored f32 = 1
u' = u + 0.1*laplace(u) + 0.001*m
c' = restrict(u')
w' = 0.5*(w[1,0,0] + w[-1,0,0]) + 0.01*exp(-u')
mask  x + y > 4
border neumann u
border periodic w
inject 0.1 into u at (6.5, 3.25, 2) by sinc
sample u at (3.5, 4, 4), (11, 7, 3) every 3
measure top = max(u) every 2 into "top.csv"
output u every 4 slice z 4 into "u.apng"
output u every 4 into "u.pvd"
output w slice z 2 into "w.csv"
output c
until max(u) < -1 every 2
steps 8
expect top > 0
checkpoint every 3 into "much.checkpoint"
END
printf 'grid x 10\nfield u\nu'"'"' = v + prev(w\nsteps 3\n' >wrong.pav
printf 'grid x 10\nfield u = 1\nu'"'"' = u/(step - 2)\nsteps 5\n' >breaks.pav
printf '#include <stdlib.h>\nint main(void)\n{\n    return malloc(9) == (void *)1;\n}\n' >leak.c

check  'a program that leaks is made' "$CC" -O0 -o leak leak.c
refuse 'what is lost is seen' 99 '9 bytes in 1 blocks are definitely lost' watched ./leak
for device in interpreter cpu; do
    if [ $device = cpu ] && "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
        skip 'compiled kernels under valgrind' 'there is no C compiler'
        continue
    fi
    PAV_DEVICE=$device
    export PAV_DEVICE
    check  "a run on the $device" watched "$PAVIOR" run much.pav --out $device --threads 2
    check  "a restart on the $device" watched "$PAVIOR" run much.pav --out $device --threads 2 \
        --steps 12 --restart $device/much.checkpoint
    check  "a comparison on the $device" watched "$PAVIOR" run much.pav --no-files --verify 2 --json
    refuse "a run that breaks on the $device" 1 'is not finite' watched "$PAVIOR" run breaks.pav --no-files
done
refuse 'mistakes in a description' 2 "unknown name 'v'" watched "$PAVIOR" run wrong.pav
check  'an explanation' watched "$PAVIOR" explain much.pav
check  'generated C' watched "$PAVIOR" gen much.pav --device cpu
# ---- ranks ----
if command -v mpirun >/dev/null && "$PAVIOR" doctor | grep -q 'MPI *found'; then
    printf '{\npmix\nMemcheck:Param\nwritev(vector[...])\n...\nobj:*libpmix.so*\n}\n' >pmix
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_MCA_mpi_yield_when_idle=1
    cat >ranks.pav <<'END'
grid x 12, y 12
field u = exp(-((x-6)^2 + (y-5)^2)/9)
u' = 2*u - prev(u) + 0.1*laplace(u)
border neumann u
inject t into u at (5.5, 5.5)
measure m = sum(u) every 2
steps 6
output u every 3 into "u.npy"
END
    supp=$(find /usr/share/openmpi /usr/share/mpich* -name '*valgrind*.supp' 2>/dev/null | head -1)
    check 'two ranks use nothing that was not set' mpirun -n 2 valgrind -q --error-exitcode=99 --suppressions="$PWD/pmix" \
        ${supp:+--suppressions="$supp"} "$PAVIOR" run ranks.pav --device interpreter --exchange-every 1 --out out --checkpoint kept
else
    skip 'ranks under valgrind' 'there is no mpirun, or no plugin for MPI'
fi
finish
