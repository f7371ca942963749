#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on a communicator of the caller: two halves of the processes of mpirun, each with its own run.
. "${0%/*}/../../test.sh"

why=
command -v mpirun >/dev/null && command -v mpicc >/dev/null || why='there is no mpirun or mpicc (libopenmpi-dev)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI has leaks of its own (by hand: ASAN_OPTIONS=detect_leaks=0)'
[ -z "$why" ] || { skip 'a communicator' "$why" && finish; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
plugin=$BUILD/libpavior_openmpi.so
[ -e "$plugin" ] || plugin=$BUILD/libpavior_mpich.so

description() { # file, number of steps, points
    cat <<END
grid x $3, y 17
field u = exp(-((x-6)^2 + (y-9)^2)/9)
u' = u + 0.1*laplace(u)
border neumann u
sample u at (10.5, 7.5) every 1 into "$1.csv"
measure m = sum(u*u) every 2 into "$1-m.csv"
steps $2
output u into "$1.npy"
END
}
description even 5 21 >even.pav
description odd 9 16 >odd.pav
check 'two runs of one process' sh -c '"$1" run even.pav --out one && "$1" run odd.pav --out one' sh "$PAVIOR"
# shellcheck disable=SC2086
check 'a program with a communicator of its own' \
    mpicc -std=c11 -I"$SOURCE/include" "$SOURCE/examples/mpi/halves.c" "$BUILD/libpavior.a" $LIBRARIES -o halves
mkdir halves.out
for count in 2 5; do
    check "$count processes in two halves" \
        env PAV_MPI="$plugin" sh -c 'cd halves.out && mpirun -n '"$count"' ../halves ../even.pav ../odd.pav'
    check 'write the files of one process' diff -r one halves.out
done
check 'the plugin is that of the MPI that is loaded' sh -c \
    'cp "$1" . && cd halves.out && mpirun -n 2 ../halves ../even.pav ../odd.pav' sh "$plugin"
check 'and the files are the same' diff -r one halves.out
refuse 'one half that fails says so' 1 "rank 0: there is no file" \
    env PAV_MPI="$plugin" mpirun -n 2 ./halves even.pav no-such.pav
finish
