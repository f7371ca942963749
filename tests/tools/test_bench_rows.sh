# SPDX-License-Identifier: BSD-3-Clause
# tools/bench-rows: the rows of a figure, measured.
. "${0%/*}/../test.sh"

cat >some.rows <<'ROWS'
# a comment | with bars
title What is drawn
panel Single steps
5-point|file|star2d@64x64|rows|sweep|YASK,6.5,
7-point|file|star3d@16x16x16||rows|
ROWS
measure() { DEVICE=cpu "$SOURCE/tools/bench-rows" "$1" lines "$PAVIOR"; }
is_measured() { grep -c "\"problem\": \"$1\".*\"type\": \"$2\".*\"schedule\": \"$3\".*\"gpts\": [0-9]" lines; }

check 'rows are measured' measure some.rows
check 'each type that has a schedule' [ "$(wc -l <lines)" = 3 ]
check 'by the schedule it names' is_measured star2d@64x64 f32 rows
check 'of both problems' is_measured star3d@16x16x16 f64 rows
echo '5-point|file|star2d@64x64|no-such||' >wrong.rows
refuse 'a row that cannot be measured is named' 1 'FAILED: star2d@64x64/f32 no-such' measure wrong.rows
refuse 'it wants two files' 2 'usage' "$SOURCE/tools/bench-rows" some.rows
finish
