# SPDX-License-Identifier: BSD-3-Clause
# The rest of the first half of the programs of test_bits.sh, and the catalogue.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if [ -n "$SANITIZED" ]; then
    skip 'more kernels of processors' 'test_bits.sh has what a sanitizer watches'
    finish
fi
if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
few=$(((CHECK_KERNELS + 19) / 20))
"$PAVIOR" check --device cpu --programs $((CHECK_KERNELS / 2 - few)) --seed $((100001 + few))
