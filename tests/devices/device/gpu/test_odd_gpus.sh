# SPDX-License-Identifier: BSD-3-Clause
# Devices that are not there, half there or too small: one sentence with the numbers and what to do.
. "${0%/*}/../../../test.sh"
unset PAV_DEVICE

cat >heat.pav <<'END'
grid  x 30, y 20
field u = x*y
u' = u + 0.1*laplace(u)
border u = 0
steps 2
END
cat >line.pav <<'END'
grid  x 40
field u = x
u' = 0.5*u[1]
border u = 0
steps 2
END
cat >large.pav <<'END'
grid  x 20000, y 20000, z 20000
field u = x
u' = 0.5*u[1, 0, 0]
border u = 0
steps 2
END
run() { "$PAVIOR" run "$@" --no-files; }
quiet() { # command...: says nothing at all
    "$@" >said 2>&1 && cat said && [ ! -s said ]
}
says() { # text, command...
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}

if "$PAVIOR" doctor | grep -Eq '^ +cuda +no: there is no NVIDIA driver'; then
    refuse 'without a driver there is no cuda' 1 \
        'the device cuda cannot be used here: there is no NVIDIA driver' run heat.pav --device cuda
    refuse 'nor any other of them'             1 'the device cuda:7 cannot be used here' run heat.pav --device cuda:7
    refuse 'nor is one checked'                1 'the device cuda cannot be used here' "$PAVIOR" check --device cuda
    check  'nobody asked: of GPUs nothing is said' quiet run heat.pav --quiet --device interpreter
    check  'nor where any device is as good'   quiet run heat.pav --quiet --device auto
else
    skip 'a machine without a driver' 'this one has one'
fi
refuse 'a number that is none is refused' 2 'give a number after the colon, such as cuda:0' run heat.pav --device cuda:x
refuse 'emulated GPUs have numbers up to 15' 1 'there is no emulated:16: the last one is emulated:15' run heat.pav --device emulated:16
refuse 'without a C++ compiler there is none' 1 "PAV_CXX is '/nowhere/c++', which is no program" \
    env PAV_CXX=/nowhere/c++ "$PAVIOR" run heat.pav --device emulated
refuse 'nor is one checked without it'    1 "PAV_CXX is '/nowhere/c++'" \
    env PAV_CXX=/nowhere/c++ "$PAVIOR" check --device emulated --programs 1
refuse 'without NVRTC nothing is compiled' 1 "PAV_NVRTC is '/nowhere', which is no NVRTC" \
    env PAV_NVRTC=/nowhere "$PAVIOR" check --compile
refuse 'what is only compiled has no device' 2 '--compile runs nothing' "$PAVIOR" check --compile --device cpu
if "$PAVIOR" doctor | grep -Eq '^ +emulated +no: '; then
    skip 'runs on the emulated GPU' "$("$PAVIOR" doctor | sed -n 's/^ *emulated *no: //p')"
    finish
fi
printf '#!/bin/sh\necho broken; exit 1\n' >cxx && chmod +x cxx
refuse 'a C++ compiler that fails is named' 1 'the compiler ./cxx failed' \
    env PAV_CXX=./cxx PAV_CACHE="$PWD/apart" "$PAVIOR" run heat.pav --device emulated
refuse 'a line has no planes to walk through' 2 'stage u: a grid of one dimension has no planes to stream' \
    run line.pav --device emulated --schedule sweep
refuse 'a schedule of processors is refused' 2 'the schedule rows is of the device cpu' run heat.pav --device emulated --schedule rows
refuse 'what does not fit is told with what it needs' 1 'TiB of device memory on emulated' run large.pav --device emulated
refuse 'what there is, and what would fit'   1 'GiB are free; what fits is a grid of' run large.pav --device emulated
finish
