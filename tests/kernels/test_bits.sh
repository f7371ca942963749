# SPDX-License-Identifier: BSD-3-Clause
# Kernels give the interpreter's bits: a twentieth of the random programs, of other seeds than the enumeration of the
# interpreter, through all schedules, numbers of threads and types. The others and the catalogue are those of
# test_more_bits.sh and test_most_bits.sh, so that processors share the work.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
[ -n "$SANITIZED" ] && programs=$CHECK_KERNELS || programs=$(((CHECK_KERNELS + 19) / 20))
"$PAVIOR" check --device cpu --random-only --programs "$programs" --seed 100001
