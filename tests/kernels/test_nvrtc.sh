# SPDX-License-Identifier: BSD-3-Clause
# NVRTC compiles the GPU kernels of a few random programs for every architecture without register spills;
# test_more_nvrtc.sh compiles more programs and the catalogue.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if [ -n "$SANITIZED" ]; then
    skip 'NVRTC compiles the kernels' 'it is the same without a sanitizer'
    finish
fi
"$PAVIOR" check --compile --random-only --programs 1 >said 2>&1
if grep -q 'NVRTC' said && ! grep -q 'passed' said; then
    skip 'NVRTC compiles the kernels' "$(sed 's/^pavior: //' said)"
    finish
fi
"$PAVIOR" check --compile --random-only --programs 2 --seed 1
