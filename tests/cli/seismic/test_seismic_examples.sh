#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Seismic examples have correct adjoints: the dot-product test of each, in f64 and in f32.
. "${0%/*}/../../test.sh"

for example in shot free-surface reflection vti tti visco; do
    file=$SOURCE/examples/waves/$example.pav
    check "$example: the dot-product test" "$PAVIOR" adjoint "$file" --test --steps 90 --device cpu
    { grep -v '^expect' "$file"; echo 'real f32'; } >single.pav
    check "$example in f32: the dot-product test" "$PAVIOR" adjoint single.pav --test --steps 90 --device cpu
done
finish
