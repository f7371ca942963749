# SPDX-License-Identifier: BSD-3-Clause
# The device cpu is used if possible; otherwise the interpreter runs and gives the reason.
. "${0%/*}/../test.sh"
unset PAV_DEVICE
export CUDA_VISIBLE_DEVICES= # a GPU of this machine would be taken first

cat >heat.pav <<'END2'
grid  x 210, y 130
field u = random(1)
u' = u + 0.1*laplace(u)
border u = 0
output u into "u.npy"
steps 20
END2

runs_on() { # device, arguments...: the summary names that device
    runs_device=$1
    shift
    "$PAVIOR" run heat.pav "$@" >said 2>&1 && cat said && grep -Eq "^device +$runs_device(,|\$)" said
}
says() { # text, command...
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
with() { # VARIABLE=value, arguments...: of pavior
    with_what=$1
    shift
    env "$with_what" "$PAVIOR" "$@"
}
missing=PAV_CC=/nowhere/cc
check  'printing C needs no compiler'             with $missing gen heat.pav
refuse 'asked for without a compiler, that is said' 1 "PAV_CC is '/nowhere/cc', which is no program" \
    with $missing run heat.pav --device cpu
check  'nobody asked: the interpreter runs on, and says why' \
    says "the interpreter runs this program, slowly: PAV_CC is '/nowhere/cc', which is no program" with $missing run heat.pav --no-files
check  'however quiet it shall be' \
    says 'the interpreter runs this program, slowly' with $missing run heat.pav --no-files --quiet
check  'without PATH as well' \
    says 'there is no C compiler; install gcc or clang' with PATH=/nowhere run heat.pav --no-files
check  'and the check goes on without kernels'    \
    says "the interpreter alone is checked: PAV_CC is '/nowhere/cc', which is no program" with $missing check --programs 1 --random-only
check  'doctor says what to do'                   says "no: PAV_CC is '/nowhere/cc', which is no program" with $missing doctor
refuse 'an unknown schedule is named with the known' 2 'give auto, rows, blocks or time' "$PAVIOR" run heat.pav --schedule diagonal
refuse 'a misspelt schedule is recognised' 2 "did you mean 'blocks'?" "$PAVIOR" run heat.pav --schedule block
refuse 'a schedule of GPUs is told from others' 2 'the schedule sweep:rows=2 is of GPUs, and this run is on the device interpreter' \
    "$PAVIOR" run heat.pav --device interpreter --schedule sweep:rows=2
check  'the source is that of the device that runs' says 'Kernels for' "$PAVIOR" gen heat.pav --device auto
refuse 'more threads than can be is refused' 2 'from 1 to 1024' "$PAVIOR" run heat.pav --threads 5000
check  'the interpreter has no schedules, and says so' \
    says 'the interpreter goes over rows' "$PAVIOR" run heat.pav --no-files --device interpreter --schedule blocks
check  'nor threads' \
    says '--threads and --bind change nothing' "$PAVIOR" run heat.pav --no-files --device interpreter --threads 4
check  'nor anything to bind' \
    says '--threads and --bind change nothing' "$PAVIOR" run heat.pav --no-files --device interpreter --bind cores

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'runs of the device cpu' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
check  'nobody asked: the device cpu runs'        runs_on cpu --no-files
printf '#!/bin/sh\necho broken; exit 1\n' >cc && chmod +x cc
check  'a compiler that fails is a note, and the interpreter runs' \
    says 'slowly: the compiler ./cc failed' env PAV_CC=./cc "$PAVIOR" run heat.pav --no-files
refuse 'where the device was named it is the end' 1 'broken' env PAV_CC=./cc "$PAVIOR" run heat.pav --device cpu
"$PAVIOR" run heat.pav --device interpreter --quiet --out plain
same() { # arguments...: the bytes of the interpreter
    "$PAVIOR" run heat.pav --device cpu --quiet --out other "$@" && cmp plain/u.npy other/u.npy
}
check  'by rows the same bytes come out'          same --schedule rows
check  'by blocks the same bytes come out'        same --schedule blocks
check  'by three threads the same bytes come out' same --threads 3 --schedule blocks
check  'by one thread the same bytes come out'    same --threads 1
check  'by threads that go where they like as well' same --threads 2 --bind none
tells() { # text, arguments...: in the summary
    tells_text=$1
    shift
    "$PAVIOR" run heat.pav --no-files --device cpu "$@" >said 2>&1 && cat said && grep -q "$tells_text" said
}
by_three() { PAV_THREADS=3 tells '^device .* 3 threads\(, each bound to a core\)*$'; }
refuse 'a misspelt binding is recognised' 2 "did you mean 'cores'?" "$PAVIOR" run heat.pav --bind core
check  'PAV_THREADS says how many threads'        by_three
if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] && taskset -c 0,1 true 2>/dev/null; then
    bound() { taskset -c 0,1 "$PAVIOR" run heat.pav --device cpu --quiet --out other --report r.json "$@" &&
        grep -q "\"threads\": 2, \"bind\": \"cores\"" r.json && cmp plain/u.npy other/u.npy; }
    check  'two threads of a process with two processors are bound' bound
    check  'and when that is asked for'               bound --threads 2 --bind cores
    refuse 'three cannot be'  2 'this process may use 2;' taskset -c 0,1 "$PAVIOR" run heat.pav \
        --device cpu --threads 3 --bind cores
else
    skip 'two bound threads' 'there is one processor, or no taskset'
fi

# ---- parities of indices, with and without that along x ----
for real in f32 f64; do
    cat >parity.pav <<END
grid x 21, y 4, z 3
real $real
field u = x + 0.1*y
u' = u + where((1 + iy) % 2 == 0, u[1,0,0], u[0,0,1]) + where((ix + iz) % 2 == 0, 1, 3)
border u = where((1 + iy + iz) % 2 == 0, 2, 3)
steps 3
output u into "u.npy"
END
    check "parities of indices in $real"   "$PAVIOR" run parity.pav --device interpreter --quiet --out alone
    check 'in kernels'                      "$PAVIOR" run parity.pav --device cpu --early 0 --quiet --out kernels
    check 'have the same bits'              cmp alone/u.npy kernels/u.npy
done
finish
