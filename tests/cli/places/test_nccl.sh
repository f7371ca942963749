#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Halos travel by NCCL between GPUs: by default between ranks, and on request within one process.
. "${0%/*}/../../test.sh"

[ -z "$SANITIZED" ] || { skip 'NCCL' 'its stand-in is made without sanitizers' && finish; }
check 'a stand-in for NCCL is made' "$CC" -shared -fPIC -o nccl.so "$SOURCE/tests/cli/places/fake_nccl.c"
export PAV_NCCL="$PWD/nccl.so" TMPDIR="$PWD"
cat >wave.pav <<'END'
grid x 21, y 26, z 12
field u = exp(-((x-10)^2 + (y-8)^2)/9); v
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.01*u[1,1,0]*u[-1,-1,0]
v' = v + u'[1,0,0] - u'[-1,0,1]
border neumann u at y+, x-, x+; border mirror u at y-; border periodic u at z-, z+; border mirror v
inject t + 1 into u at (10.3, 7.7, 5), (4.5, 7.5, 5.5)
sample u at (10.5, 7.5, 5.5), (3, 3, 3) every 1 into "s.npy"
steps 8
output u into "u.npy"; output v into "v.npy"
END
run() { "$PAVIOR" run wave.pav --quiet --checkpoint kept "$@"; }
linked() { PAV_TRANSPORT=nccl "$PAVIOR" run wave.pav --quiet --checkpoint kept "$@"; }
same() {
    check 'with the files of one' diff -r whole some
    check 'and the same checkpoint' cmp whole.kept kept
    rm -rf some kept
}

check 'one device' run --device emulated --out whole
check 'keeps a checkpoint' mv kept whole.kept
for how in '' '--subdomains 2x2x1' '--exchange-every 2 --subdomains 1x4x1' '--weights 1,3 --exchange-every 1'; do
    # shellcheck disable=SC2086
    check "two GPUs of a process by NCCL $how" linked --device emulated:0-1 $how --out some
    same
done
check 'and by launches of several steps' sh -c \
    'PAV_TRANSPORT=nccl "$1" run heat3d@32x32x40/f32 --device emulated:0-1 --schedule time --steps 9 --no-files --quiet' sh "$PAVIOR"
cat >plate.pav <<'END'
grid x 17 from 0 to 1, y 12 from 0 to 1, z 9 from 0 to 1
field u; f = random(1)
solve -laplace(u) = f by transform to 1e-9
border u = 0 at x-, x+; border periodic u at y-, y+; border neumann u at z-, z+
output u into "u.npy"
END
check 'one GPU solves by transforms' "$PAVIOR" run plate.pav --device emulated --out plate --quiet
for cut in 3x1x1 1x2x3; do
    check "lines cross GPUs by NCCL: $cut" \
        env PAV_TRANSPORT=nccl "$PAVIOR" run plate.pav --device emulated:0-2 --subdomains $cut --out some --quiet
    check 'with the same file' diff -r plate some
done
refuse 'a processor beside them is not linked' 2 'there are not several GPUs' linked --device cpu+emulated --weights 1,1 --out some
refuse 'the library is named that is missing' 2 'libnccl.so.2 is not here' \
    env PAV_NCCL=/nowhere.so PAV_TRANSPORT=nccl "$PAVIOR" run wave.pav --no-files --device emulated:0-1
refuse 'so is a transport that nobody knows' 2 'nccl, mpi and auto are known' \
    env PAV_TRANSPORT=pigeon "$PAVIOR" run wave.pav --no-files --device emulated:0-1
refuse 'what NCCL says is told' 2 'NCCL cannot join the GPUs: invalid usage' \
    env FAKE_NCCL_REFUSES=1 PAV_TRANSPORT=nccl "$PAVIOR" run wave.pav --no-files --device emulated:0-1
check 'doctor looks for it' sh -c '"$1" doctor | grep -q "NCCL  *found"' sh "$PAVIOR"

# ---- plans of ranks ----
says() { # text, command...: succeeds and says it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -q -e "$says_text" said
}
plan() { "$PAVIOR" plan wave.pav --ranks 2 "$@"; }
check 'a plan of ranks names NCCL where it is' says '(NCCL)' plan --device emulated
check 'and MPI where that is asked for'        says '(MPI)' env PAV_TRANSPORT=mpi "$PAVIOR" plan wave.pav --ranks 2 --device emulated
check 'or the library is missing'              says '(MPI)' env PAV_NCCL=/nowhere.so "$PAVIOR" plan wave.pav --ranks 2 --device emulated
check 'or drivers know no such GPU'            says '(MPI)' env -u PAV_NCCL "$PAVIOR" plan wave.pav --ranks 2 --device emulated
check 'processors have no NCCL'                says '(MPI)' plan --device cpu

# ---- ranks ----
why=
command -v mpirun >/dev/null || why='there is no mpirun (openmpi-bin)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$why" ] || { skip 'NCCL between ranks' "$why" && finish; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
check 'three ranks go by NCCL, which is said' sh -c \
    'mpirun -n 3 "$1" run wave.pav --device emulated --checkpoint kept --out some | grep -q "^exchange .* by NCCL and"' sh "$PAVIOR"
same
check 'PAV_TRANSPORT=mpi does without' env PAV_TRANSPORT=mpi FAKE_NCCL_REFUSES=1 \
    mpirun -n 2 "$PAVIOR" run wave.pav --device emulated --checkpoint kept --out some
same
check 'what NCCL refuses goes by MPI' sh -c \
    'FAKE_NCCL_REFUSES=1 mpirun -n 2 "$1" run wave.pav --device emulated --checkpoint kept --out some 2>&1 |
    grep -q "halos pass through the memory of the host: NCCL cannot join the GPUs: invalid usage"' sh "$PAVIOR"
same
finish
