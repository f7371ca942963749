# SPDX-License-Identifier: BSD-3-Clause
# GPU kernels give the interpreter's bits: a few random programs on the emulated GPU, with default and with random
# schedules, and with seeds different from those of the processors. test_more_emulated.sh runs the rest and the
# catalogue. Under a sanitizer a few programs suffice, because all use the same code.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +emulated +no: '; then
    skip 'kernels for GPUs equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *emulated *no: //p')"
    finish
fi
[ -n "$SANITIZED" ] && programs=$CHECK_KERNELS || programs=$((CHECK_KERNELS / 80))
"$PAVIOR" check --device emulated --random-only --programs "$programs" --seed 200001
