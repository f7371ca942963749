# SPDX-License-Identifier: BSD-3-Clause
# pavior sweep: a run for each combination of values, and a table of measures.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

cat >mode.pav <<END
grid x 65 from 0 to 1
param a = 1; r = 0.25; factor = 1 - 4*r*sin(pi*h/2)^2
field u = a*sin(pi*x)
u' = u + r*(u[1] + u[-1] - 2*u)
border u = 0
steps 50
measure wrong = max(abs(u - a*factor^50*sin(pi*x)))
measure most = max(u)
END
"$PAVIOR" sweep mode.pav --set a=1,3 --set r=0.1:0.4:4 --device interpreter --quiet --out out >table
is_a_table() { # names, then the product of the values with the last param fastest
    [ "$(head -n 1 table)" = 'a, r, wrong, most' ] && [ "$(wc -l <table)" = 9 ] &&
        [ "$(sed 1d table | cut -d, -f1,2 | tr -d '\n ')" = '1,0.11,0.21,0.31,0.43,0.13,0.23,0.33,0.4' ]
}
check 'the table has a line for each combination' is_a_table
check 'its values are those of the runs'          awk -F, 'NR > 1 && $3 > 1e-13 { exit 1 }' table
check 'the table is a file, too'                  cmp table out/measures.csv
one() { "$PAVIOR" run mode.pav --set a=3 --set r=0.2 --device interpreter --no-files --json >one.json; }
check 'a run alone has the same measure'          one
check 'to all digits shown'                       grep -q "\"most\": $(awk -F', ' '$1 == 3 && $2 == 0.2 { print substr($4, 1, 8) }' table)" one.json
again() { "$PAVIOR" sweep mode.pav --set a=1,3 --set r=0.1:0.4:4 --device interpreter --json --out out | grep -q '"found": 8'; }
check 'the same command finds all runs done'      again
refuse 'a sweep needs values' 2 'nothing varies' "$PAVIOR" sweep mode.pav --set a=1
refuse 'a range has three numbers' 2 'is not like a=0.1:0.9:20' "$PAVIOR" sweep mode.pav --set a=1:2
refuse 'a name must be known' 2 "no such param" "$PAVIOR" sweep mode.pav --set q=1,2 --device interpreter
refuse 'a folder that cannot be made is told' 1 'sweep.csv cannot be written' "$PAVIOR" sweep mode.pav --set a=1,2 --out mode.pav/x
refuse 'too many runs are refused' 2 'at most 100000 runs' "$PAVIOR" sweep mode.pav --set a=1:2:9999 --set r=1:2:9999
sed '/^measure/d' mode.pav >bare.pav
refuse 'a run without results is refused' 2 'records nothing' "$PAVIOR" sweep bare.pav --set a=1,2 --device interpreter
echo 'output u into "u.npy"' >>bare.pav
bare() { "$PAVIOR" sweep bare.pav --set a=1,2 --device interpreter --quiet --out bare | grep -q 'no measure' && [ -s bare/shot-0002/u.npy ]; }
check 'without measures there is no table'        bare
finish
