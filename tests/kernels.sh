# SPDX-License-Identifier: BSD-3-Clause
# kernels.sh BUILD PROGRAMS: the device cpu, on request: its kernels give the interpreter's bits, and
# who does not ask for it gets the interpreter.
. "${0%/*}/test.sh"
programs=${2:-40}

cat >heat.pav <<'END'
grid  x 70, y 40
field u = random(1)
u' = u + 0.1*laplace(u)
border u = 0
output u into "u.npy"
steps 20
END

runs_on() { # device, arguments...: the summary names that device
    runs_device=$1
    shift
    "$PAVIOR" run heat.pav "$@" >said 2>&1 && cat said && grep -Eq "^device +$runs_device\$" said
}
unasked() { "$PAVIOR" check --programs 1 >said 2>&1 && cat said && grep -q 'device interpreter:' said; }
without() { PAV_CC=/nowhere/cc "$PAVIOR" "$@"; }
check  'nobody asked: the interpreter runs'       runs_on interpreter --no-files
check  'nobody asked: the interpreter is checked' unasked
check  'printing C needs no compiler'             without gen heat.pav
refuse 'without a compiler that is said' 1 'install gcc or clang' without run heat.pav --device cpu
check  'without one the interpreter runs on'      without run heat.pav --no-files

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels equal the interpreter' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
same() { mkdir -p one two && runs_on interpreter --out one && runs_on cpu --device cpu --out two && cmp one/u.npy two/u.npy; }
check 'both write the same bytes'                 same
check "kernels of $programs programs" \
    "$PAVIOR" check --device cpu --random-only --programs "$programs"
finish
