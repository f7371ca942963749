# SPDX-License-Identifier: BSD-3-Clause
# Kernels give the interpreter's bits: the catalogue and half of the random programs, of other seeds than the
# enumeration of the interpreter, through all schedules, numbers of threads and types. The other half is
# test_more_bits.sh, so that two processors share the work.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
"$PAVIOR" check --device cpu --programs $((CHECK_KERNELS / 2)) --seed 100001
