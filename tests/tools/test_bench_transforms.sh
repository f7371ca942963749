# SPDX-License-Identifier: BSD-3-Clause
# tools/bench-transforms: a row for each size and type, beside the libraries that are there.
. "${0%/*}/../test.sh"

ROUNDS=1 THREADS=1 "$SOURCE"/tools/bench-transforms --build "${PAVIOR%/*}" 8 >table
check 'a row is a size and a type' grep -qE '^ +8 +f64 +[0-9.]+ ' table
check 'and there is one for each' sh -c '[ "$(grep -cE "^ +8 +f(32|64)" table)" = 2 ]'
check 'without a library there is no ratio, but a word' grep -qE '([0-9]\.[0-9]{2}|no peer)$' table
refuse 'an unknown option is refused' 2 'unrecognized arguments' "$SOURCE"/tools/bench-transforms --sizes 8
finish
