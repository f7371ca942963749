#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report of a run out of core describes the memory it used and the work it did.
. "${0%/*}/../../test.sh"

cat >chaotic.pav <<'END'
grid x 32, y 48
field u = exp(-((x-16)^2 + (y-10)^2)/9)
u' = u + 0.1*laplace(u)
border u = 0
chaotic 4 by 8
steps 40
END
run() { "$PAVIOR" run "$@" --no-files; }
says() { # text, command...: succeeds and says it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -q -e "$says_text" said
}

check 'the host has no memory of a device'  says 'in the whole process$' run heat3d@48x48x48 --device cpu --out-of-core auto
check 'nor has it in JSON'                  says '"device_memory": null' run heat3d@48x48x48 --device cpu --out-of-core auto --json
check 'chaotic blocks wait out of core'     says 'after each step: the grid is computed out of core' \
    run chaotic.pav --device cpu --out-of-core auto
check 'and do not in core'                  says 'blocks do not wait' run chaotic.pav --device cpu
[ "$CXX" ] || { skip 'the device emulated' 'there is no C++ compiler' && finish; }
check 'a GPU has memory of its own'         says 'on the device$' run chaotic.pav --device emulated --out-of-core auto
check 'which it copies'                     says 'the device copied its own memory' \
    run chaotic.pav --device emulated --out-of-core auto --copy-rate
check 'a persistent kernel does not wait'   says 'blocks do not wait' run chaotic.pav --device emulated --schedule persistent
check 'single steps do'                     says 'that is for --schedule persistent' \
    run chaotic.pav --device emulated --schedule point
finish
