#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Surveys recorded by one command: each shot equals a run of its own, and an interrupted survey can be resumed.
. "${0%/*}/../../test.sh"

says() { # text, command...: of all that it says
    text=$1
    shift
    "$@" > said.txt 2>&1 && grep -e "$text" said.txt
}

cat > shot.pav <<'END'
grid  x 31, z 26 spacing 10 down
param f = 15; dt = 0.0015; sx = 100; deep = 2000
field u; w = x; c = where(z < 150, 1500, deep)
u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 4)
absorb 5 cells by pml
inject (c*dt)^2*ricker(f, t)/h^2 into u at (sx, 70)
sample u, dx(u) along (60, 70) to (240, 70) count 7 every 2 into "d.sgy"
sample u along (60, 70) to (240, 70) count 7 into "d.npy"
sample 2*u - w at (60, 70), (70, 80) into "d.csv"
sample u along (60, 70) to (240, 70) count 7 into "d.png"
sample u*abs(x - sx), u*min(t, 0.05) + z/step along (60, 70) to (240, 70) count 7 into "e.csv"
steps 60
END
grep -v 'sgy\|csv\|png\|w = x' shot.pav > smooth.pav
sed -i 's/^u/field u; c = 1600\nu/' smooth.pav
printf 'sx\n# three shots\n100\n 200\n150\n' > list.csv
record() { # DIR OPTION...
    to=$1
    shift
    "$PAVIOR" run shot.pav --shots list.csv --out "$to" --no-stamp "$@"
}
same() { # DIR DIR: the same files, but for the names of directories
    diff -r --exclude recorded.csv "$1" "$2"
}
check 'three shots are recorded'      says '3 shots recorded; apart/recorded.csv' record apart --together 1
check 'a run of one'                  "$PAVIOR" run shot.pav --set sx=200 --out second --quiet --no-stamp
check 'has the same files'            diff -r --exclude shot.txt apart/shot-0002 second
check 'three as one'                  says '3 shots are computed as one' record stacked --together 3
check 'have the same files'           same apart stacked
for device in interpreter emulated; do
    check "as one on $device"         says '3 shots are computed as one' record on-$device --together 3 --device $device
    check 'the files are the same'    same apart on-$device
done
check 'two at once'                   record at-once --at-once 2 --together 1 --quiet
check 'they are the same, too'        same apart at-once

rm apart/shot-0002/d.sgy
echo 'sx=150' > apart/shot-0003/shot.txt
check 'what is missing is recorded'   says '2 shots recorded, 1 was there' record apart
check 'again'                         same apart stacked
check 'all are there'                 says '"shots": 3, "found": 3' record apart --json
check 'another model is recorded'     says '3 shots recorded; apart' record apart --set deep=1700
check 'the list goes to a migration'  "$PAVIOR" migrate smooth.pav --shots stacked/recorded.csv --out image --quiet
check 'with an image'                 ls image/migrated.npy

(cat shot.pav; echo 'sample u*sx at (60, 70) into "f.csv"') > weights.pav
check 'shots whose receivers differ are parted' says 'differ in more than positions' "$PAVIOR" run weights.pav --shots list.csv --out weights --together 3
(cat shot.pav; echo 'output u into "u.npy"') > fields.pav
check 'shots with fields are parted'  says 'writes fields with .output' "$PAVIOR" run fields.pav --shots list.csv --out fields --together 3
check 'and have them'                 ls fields/shot-0001/u.npy fields/shot-0003/u.npy
(cat shot.pav; echo 'measure top = max(abs(u)) every 20 into "top.csv"; measure place = sx every 20'; echo 'until step >= 30 + sx/100') > measured.pav
measured() { "$PAVIOR" run measured.pav --shots list.csv --out measured "$@"; }
check 'measures of shots are kept'    says 'measured/measures.csv has the measures of each' measured --together 3 --report survey.json
check 'and the shots parted'          grep -q 'computed as one: measured.pav has measures' said.txt
check 'progress counts their steps'   grep -q '^step .* of 180 ' said.txt
check 'each has those of its run'     sh -c 'test "200, $(sed -n 2p measured/shot-0002/measures.csv)" = "$(sed -n 3p measured/measures.csv)"'
check 'the list names them'           grep -qx 'sx, top, place' measured/measures.csv
check 'and has the values of each'    grep -q '^150, .*, 150$' measured/measures.csv
check 'a survey has a report'         grep -q '"status": "PAV_OK", "shots": 3, "found": 0, .*"measures": "measured/measures.csv"' survey.json
(cat shot.pav; echo 'until max(abs(u)) > where(sx > 120, 1e9, 0)') > until.pav
check 'an until that fails names its shot' says '^shot 2: all 60 steps are taken, and .until' "$PAVIOR" run until.pav --shots list.csv --out until
check 'and each of its own'           sh -c 'grep -q "^shot 3: all 60" said.txt && ! grep -q "^shot 1: all" said.txt'
rm measured/shot-0002/measures.csv
check 'a shot without them is missing' says '"found": 2' measured --json
refuse 'a survey that fails'          2 'none.csv' "$PAVIOR" run measured.pav --shots none.csv --report failed.json
check 'has a report, too'             grep -q '^{"status": "PAV_EIO", "message": ".*none.csv' failed.json
check 'a measure without a file is told' says '^step 20: place = 100' "$PAVIOR" run measured.pav --out one
check 'its records in a file are not' sh -c '! grep -q "^step 20: top" said.txt && grep -q "^20," one/top.csv'
sed 's/^grid .*/grid x 21, y 11, z 16 spacing 10/; s/(sx, 70)/(sx, 50, 70)/
    /d.npy/s/along.*count 7/at (60, 50, 70)/; /sgy\|csv\|png/d; s/^steps.*/steps 5/' shot.pav > deep.pav
check 'so are grids of three axes'    says 'their grids have three axes' "$PAVIOR" run deep.pav --shots list.csv --out deep --together 3

refuse 'a description that records nothing' 2 'records nothing' \
    sh -c 'grep -v "^sample" shot.pav | "$0" run - --shots list.csv' "$PAVIOR"
refuse 'what single runs have'        2 '--checkpoint is of single runs' record no --checkpoint file
refuse 'shots together without a list' 2 '--shots LIST is needed' "$PAVIOR" run shot.pav --together 2
refuse 'a list that is not there'     2 'none.csv' "$PAVIOR" run shot.pav --shots none.csv
printf 'sx\n100\n900\n' > outside.csv
refuse 'a source outside of the grid' 2 'shot 2: ' "$PAVIOR" run shot.pav --shots outside.csv --out partly
check 'the shot before is kept'       says 'sx=100' cat partly/shot-0001/shot.txt
refuse 'and no list is left'          1 'No such file' sh -c 'LC_ALL=C cat partly/recorded.csv'
(cat shot.pav; echo 'expect max(u) > 1e9') > hopeful.pav
refuse 'a shot that fails'            1 'shot 1 of 3: ' "$PAVIOR" run hopeful.pav --shots list.csv --out failed

why=
command -v mpirun >/dev/null || why='there is no mpirun (openmpi-bin)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI is not known to sanitizers'
if [ -z "$why" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_hwloc_base_binding_policy=none
    check 'ranks record in turns'     mpirun -n 2 "$PAVIOR" run shot.pav --shots list.csv --out ranks --no-stamp --quiet
    check 'the same files'            same stacked ranks
else
    skip 'ranks that record shots' "$why"
fi
finish
