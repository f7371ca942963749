# SPDX-License-Identifier: BSD-3-Clause
# Kernels for GPUs give the interpreter's bits: a few random programs, of other seeds than those of processors, on the
# emulated GPU, as any run has them and in other ways. The others and the catalogue are those of test_more_emulated.sh.
# Under a sanitizer a few are enough: what it watches is the same for all.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +emulated +no: '; then
    skip 'kernels for GPUs equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *emulated *no: //p')"
    finish
fi
[ -n "$SANITIZED" ] && programs=$CHECK_KERNELS || programs=$((CHECK_KERNELS / 80))
"$PAVIOR" check --device emulated --random-only --programs "$programs" --seed 200001
