# SPDX-License-Identifier: BSD-3-Clause
# tools/functions makes the numbers of Pavior's own functions again, with mpmath.
. "${0%/*}/../test.sh"

python=$(python_with mpmath)
"$python" -c 'import mpmath' 2>/dev/null || { skip 'numbers of own functions' 'python3-mpmath is missing' && finish; }
check 'polynomials and cases are those of tools/functions' "$python" "$SOURCE/tools/functions" --check
series=src/base/base/function_text/function_series_private.h
mkdir -p tools "${series%/*}"
cp "$SOURCE/tools/functions" tools
sed 's/0x1.62e42fefa39efp/0x1.62e42fefa39eep/' "$SOURCE/$series" >$series
refuse 'a digit that differs is found' 1 "$series is not what" "$python" tools/functions --check
finish
