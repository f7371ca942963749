# SPDX-License-Identifier: BSD-3-Clause
# The catalogue, and the random programs left out by test_emulated.sh.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if [ -n "$SANITIZED" ]; then
    skip 'more kernels for GPUs' 'test_emulated.sh has what a sanitizer watches'
    finish
fi
if "$PAVIOR" doctor | grep -Eq '^ +emulated +no: '; then
    skip 'kernels for GPUs equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *emulated *no: //p')"
    finish
fi
few=$((CHECK_KERNELS / 80))
"$PAVIOR" check --device emulated --programs $((CHECK_KERNELS / 8 - few)) --seed $((200001 + few))
