# SPDX-License-Identifier: BSD-3-Clause
# Kernels give the interpreter's bits: a twentieth of the random programs, with seeds different from the interpreter's
# enumeration, in all schedules, numbers of threads and types. test_more_bits.sh and test_most_bits.sh run the rest and
# the catalogue, so that processors share the work.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
[ -n "$SANITIZED" ] && programs=$CHECK_KERNELS || programs=$(((CHECK_KERNELS + 19) / 20))
"$PAVIOR" check --device cpu --random-only --programs "$programs" --seed 100001
