# SPDX-License-Identifier: BSD-3-Clause
# Kernels for GPUs give the interpreter's bits: the catalogue and random programs, of other seeds than those of
# processors, on the emulated GPU, as any run has them and in other ways. Under a sanitizer a few are enough:
# what it watches is the same for all.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +emulated +no: '; then
    skip 'kernels for GPUs equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *emulated *no: //p')"
    finish
fi
if [ -n "$SANITIZED" ]; then
    "$PAVIOR" check --device emulated --random-only --programs "$CHECK_KERNELS" --seed 200001
else
    "$PAVIOR" check --device emulated --programs $((CHECK_KERNELS / 8)) --seed 200001
fi
