#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks write and read their own points of one file; the file has the bytes of a run by one process.
. "${0%/*}/../../test.sh"

why=
command -v mpirun >/dev/null || why='there is no mpirun (openmpi-bin)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI has leaks of its own (by hand: ASAN_OPTIONS=detect_leaks=0)'
[ -z "$why" ] || { skip 'files of ranks' "$why" && finish; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
cat >model.pav <<'END'
grid x 13, y 16, z 21
field c = 1 + 0.01*x + 0.02*y*z; field d = x - 3*y + 7*z
steps 1
output c into "c.npy"; output d into "d.npy"
END
check 'a model' "$PAVIOR" run model.pav --out .
tail -c $((13 * 16 * 21 * 8)) d.npy >d.bin
cat >flow.pav <<'END'
grid x 13, y 16, z 21
field u = exp(-((x-6)^2 + (y-8)^2 + (z-9)^2)/9); field c = "c.npy"; field d = "d.bin" raw f64 little x 13, y 16, z 21
field e = "d.bin" raw f64 little z 21, y 16, x 13
u' = u + 0.05*c*laplace(u) + 0.001*d[1,0,0] - 0.001*e[0,0,1]
border neumann u; border mirror c, d, e
steps 4
output u every 2 into "u.npy"; output e into "e.npy"
output u slice z 5 into "z.npy"; output u slice x 3 into "x.npy"
output u every 4 crop (3, 2, 1) to (12, 14, 19) stride 3 into "crop.npy"; output u into "u.npy.zst"
output u, c, d as flow every 2 slice z 5 into "flow.pvd"; output c, u into "both.vti"
param dt = 0.3; sample u at (3, 4, 5) every 1/2 time into "u.csv"; output u every 1/2 time into "times.npy"
END
check 'one process' "$PAVIOR" run flow.pav --out one
while read -r count words; do
    rm -rf ranks
    # shellcheck disable=SC2086
    check "$count ranks $words" mpirun -n "$count" "$PAVIOR" run flow.pav --out ranks $words </dev/null
    check 'have its files' diff -r one ranks
done <<'END'
2
5
8
3 --subdomains 3x2x2
END
check 'boxes of one process read their own points, too' "$PAVIOR" run flow.pav --subdomains 2x2x2 --out boxes
check 'of the same files' diff -r one boxes
# shellcheck disable=SC2016
check 'where one does not see the directory the first gathers' sh -c 'mkdir seen unseen &&
    mpirun -n 1 --wdir seen "$1" run ../flow.pav --out . : -n 1 --wdir unseen "$1" run ../flow.pav --out . >said 2>&1 && cat said' sh "$PAVIOR"
check 'and all files are there' diff -r one seen
head -c 900 c.npy >cut.npy && mv cut.npy c.npy
refuse 'a file that is cut short is named' 2 'c.npy is cut short' mpirun -n 2 "$PAVIOR" run flow.pav --no-files
finish
