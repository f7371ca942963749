# SPDX-License-Identifier: BSD-3-Clause
# tools/bench-rivals with a made-up program, tools/bench-threads, and their refusals.
. "${0%/*}/../test.sh"

mkdir folder empty
printf '#!/bin/sh\necho "by $4 threads: $2 points, 12.5"\n' >rival
printf '#!/bin/sh\necho nothing is known\n' >silent
chmod +x rival silent
BUILD=${PAVIOR%/*} ROUNDS=1 THREADS=1 CUBE=24 SQUARE=48
export BUILD ROUNDS THREADS CUBE SQUARE
rivals=$SOURCE/tools/bench-rivals threads=$SOURCE/tools/bench-threads

refuse 'a rate that is missing is told at the end' 1 'silent told no rate of star2d (1 times)' \
    "$rivals" - ./rival "$scratch/silent"
cp .output told
for name in star3d star2d wave3d; do
    check "programs of relative and absolute paths are timed beside ours: $name" grep -E \
        "^$name: Devito none, rival 12.5, silent nothing, [a-z]+ [0-9.e-]+ .bound [0-9.e-]+.," told
done
refuse 'a folder is no program' 1 './folder is no program that can be started' "$rivals" - ./folder
refuse 'a Python that is missing is named' 1 'no/python is no program' "$rivals" no/python
refuse 'without a Python there is a sentence' 1 'which Python has Devito?' "$rivals"
refuse 'so is one without pavior' 1 'set BUILD to the folder' env BUILD=empty "$rivals" -
refuse 'a Python without Devito is told so' 1 'has no devito' "$rivals" false

check 'threads are counted' env COUNTS='1' "$threads" star2d@64x64/f32 rows
refuse 'a problem that is unknown has no rate' 1 'told no rate of nosuch' "$threads" nosuch rows
refuse 'threads need pavior, too' 1 'is no program: build it' env BUILD=empty "$threads" star2d@64x64/f32
finish
