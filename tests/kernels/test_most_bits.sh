# SPDX-License-Identifier: BSD-3-Clause
# The second half of the programs of test_bits.sh and test_more_bits.sh.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if [ -n "$SANITIZED" ]; then
    skip 'most kernels of processors' 'test_bits.sh has what a sanitizer watches'
    finish
fi
if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
"$PAVIOR" check --device cpu --random-only --programs $((CHECK_KERNELS / 2)) \
    --seed $((100001 + CHECK_KERNELS / 2))
