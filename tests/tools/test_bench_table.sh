# SPDX-License-Identifier: BSD-3-Clause
# tools/bench-table: a table for documents, from lines of bench.
. "${0%/*}/../test.sh"

row() { # type, threads, rate, what arithmetic allows
    printf '{"problem": "a@8x8", "device": "cpu", "type": "%s", "threads": %s, "gpts": %s, "bound_gpts": 9, "percent": 50.2, "arithmetic_gpts": %s}\n' "$@"
}
{ row f32 2 4.516 80; row f64 1 2.25 7.5; echo '{"problem": "copy", "gpts": null}'; } >lines
"$SOURCE"/tools/bench-table lines >table
check 'a column is a type and a number of threads' grep -qx '| problem | f32, 2 threads | f64, 1 thread |' table
check 'a row has rates, shares and what arithmetic allows' \
    grep -qxF '| a@8x8 | 4.52 (50 %) | 2.25 (50 %, arithmetic 7.5) |' table
check 'of rows of a kind the last counts' sh -c '{ cat lines; sed "s/4.516/5.125/" lines; } | "$1" /dev/stdin | grep -qF 5.12' sh "$SOURCE"/tools/bench-table
echo '{"problem": "copy", "gpts": null}' >none
refuse 'no rates are no table' 1 'there are no rates' "$SOURCE"/tools/bench-table none
refuse 'nor is no file' 2 'usage' "$SOURCE"/tools/bench-table
finish
