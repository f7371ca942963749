#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random programs in random boxes on MPI ranks, and an MPI with errors or lost values.
. "${0%/*}/../../test.sh"

why=
command -v mpirun >/dev/null && command -v mpicc >/dev/null || why='there is no mpirun or mpicc (libopenmpi-dev)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI has leaks of its own (by hand: ASAN_OPTIONS=detect_leaks=0)'
[ -z "$why" ] || { skip 'random programs on ranks' "$why" && finish; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
PAV_MPI=$BUILD/libpavior_openmpi.so
[ -e "$PAV_MPI" ] || PAV_MPI=$BUILD/libpavior_mpich.so
export PAV_MPI
# shellcheck disable=SC2086
check 'a program for ranks' mpicc -std=c11 -I"$SOURCE/include" "$SOURCE/tests/cli/places/consumer/random_ranks.c" \
    "$BUILD/libpavior.a" $LIBRARIES -o random_ranks
check 'an MPI that fails' mpicc -shared -fPIC "$SOURCE/tests/cli/places/fake_failing_mpi.c" -o failing.so
for seed in 1 3 5 8 11 12 14 15; do
    "$PAVIOR" check --print --seed $seed >$seed.pav
done
for count in 2 3 5 8; do
    check "$count ranks have the bits of one process" mpirun -n $count ./random_ranks $count [0-9]*.pav
done

# ---- programs over places: sources with traces, receivers, sums, borders by field ----
for count in 2 3 5; do
    check "$count ranks have the bits of one process over places" \
        mpirun -n $count "$BUILD/check_places" --programs 16 --seed $((100 * count))
done
refuse 'a lost value is seen there' 1 'FAILED: after the last step: rank ' \
    env FAILING_MPI=zeros LD_PRELOAD="$PWD/failing.so" mpirun -n 3 "$BUILD/check_places" --programs 8 --seed 200
refuse 'ranks share nothing of a check' 2 'start one process' mpirun -n 2 "$PAVIOR" check --random-only

refuse 'a lost value is seen' 1 'other bits' \
    env FAILING_MPI=zeros LD_PRELOAD="$PWD/failing.so" mpirun -n 3 ./random_ranks 3 8.pav 12.pav 14.pav
refuse 'what fails in MPI is named' 1 'MPI cannot send: MPI_Isend: ' \
    env FAILING_MPI=error LD_PRELOAD="$PWD/failing.so" mpirun -n 2 "$PAVIOR" run heat3d@16x16x16 --no-files --steps 4
finish
