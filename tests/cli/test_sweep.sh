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
"$PAVIOR" sweep mode.pav --set a:=1,3 --set r:=0.1:0.4:4 --device interpreter --quiet --out colon >colon.csv
check 'a:= says the same'                         cmp table colon.csv
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

cat >table.pav <<END
grid x 65
param w = [1, 2]; r = 0.25; bad = 0
field u = w.1*sin(pi*x/64)
u' = u + r*w.0*dxx(u) + sqrt(-bad)
border u = 0
steps 5
measure most = max(u)
expect most < 3
END
some() { "$PAVIOR" sweep table.pav --quiet --out some "$@" >table; }
refuse 'a failed run leaves the others' 1 '4 of 6 runs failed' some --device interpreter --set w.1=1,2,5 --set bad=0,1
is_told() { # a failed expectation beside its measure, a NaN in place of it
    [ "$(head -n 1 table)" = 'w.1, bad, most, failed' ] && [ "$(wc -l <table)" = 7 ] &&
        grep -q '^1, 0, [0-9.]*, $' table && grep -q '^2, 1, , ".*not finite' table &&
        grep -q '^5, 0, [0-9.]*, "table.pav:8: expected most < 3' table
}
check 'the table has the reasons of failures'     cat table
check 'beside the measures of a failed expectation' is_told
mended() { some --device interpreter --set w.1=1,2 --set bad=0,-0.01 && [ "$(head -n 1 table)" = 'w.1, bad, most' ]; }
check 'a run that failed is taken again'          mended
printf '#!/bin/sh\necho "$*" >>"%s/calls"\nexec "%s" "$@"\n' "$scratch" "$CC" >counting-cc
chmod +x counting-cc
shares() {
    PAV_EARLY=0 PAV_CC=$scratch/counting-cc PAV_CACHE=$scratch/kernels some --set r=0.1:0.4:5 --device cpu --threads 1 &&
        [ "$(wc -l <calls)" = 1 ]
}
check 'all values share one compilation'          shares
same() {
    "$PAVIOR" run table.pav --set r:=0.175 --device interpreter --no-files --json >one.json &&
        grep -q "\"most\": $(awk -F', ' '$1 == 0.175 { print substr($2, 1, 8) }' table)" one.json
}
check 'a single run takes such a value by :='     same
cat >ends.pav <<'END'
param tend = 2.5
grid x 8
field u
scalar dt = 0.3
u' = u + dt
dt' = 0.3
until t >= tend
measure end = t
END
ends() {
    "$PAVIOR" sweep ends.pav --set tend=2.5,3.3 --quiet --out ends --device interpreter >table &&
        [ "$(tail -n 2 table | tr '\n' ' ')" = '2.5, 2.5 3.3, 3.3 ' ]
}
check 'a scalar dt ends at each value'            ends
refuse 'a param is set once' 2 "'a=1,2' and 'a=3' set the same param" \
    "$PAVIOR" sweep ends.pav --set a=1,2 --set a=3
refuse 'a run names the command for many values' 2 'many values are run by pavior sweep' \
    "$PAVIOR" run ends.pav --set tend=1:2:3 --no-files
refuse 'which no argument of kernels can be' 2 'give it by =, not :=' "$PAVIOR" run ends.pav --set tend:=2.5 --no-files
finish
