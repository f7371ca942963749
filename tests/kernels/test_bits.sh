# SPDX-License-Identifier: BSD-3-Clause
# Kernels give the interpreter's bits: the catalogue and random programs, of other seeds than the enumeration
# of the interpreter, through all schedules, numbers of threads and types.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
OMP_WAIT_POLICY=passive "$PAVIOR" check --device cpu --programs "$CHECK_KERNELS" --seed 100001
