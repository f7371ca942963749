# SPDX-License-Identifier: BSD-3-Clause
# What users see of GPUs: a driver whose GPU cannot be used is told, and another device runs; doctor lists what
# there is. The driver and the compiler are those of fake/.
. "${0%/*}/../../../test.sh"
unset PAV_DEVICE
export LD_LIBRARY_PATH="$BUILD/tests/fake"
export PAV_NVRTC="$BUILD/tests/fake/libnvrtc.so.1"

cat >heat.pav <<'END2'
grid  x 30, y 20
field u = random(1)
u' = u + 0.1*laplace(u)
border u = 0
steps 2
END2
says() { # text, command...
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
with() { # VARIABLE=value..., -- arguments of pavior...
    with_what=
    while [ "$1" != -- ]; do
        with_what="$with_what $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # several
    env $with_what "$PAVIOR" "$@"
}
quiet="run heat.pav --no-files --quiet"

# shellcheck disable=SC2086 # several
{
check  'without a GPU another device runs, and says why' \
    says 'runs this program: the NVIDIA driver finds no GPU' with FAKE_CUDA_INIT=100 -- $quiet
check  'so with a GPU that is too old'            says 'sm_70, and sm_75 or newer is needed' with FAKE_CUDA_GPUS=70 -- $quiet
check  'so with a driver that is too old'         says 'it knows CUDA 10.2' with FAKE_CUDA_VERSION=10020 -- $quiet
check  'so with a driver older than the compiler' says 'too old for NVRTC 13.4' with FAKE_NVRTC_VERSION=13 -- $quiet
check  'so without a compiler' \
    says "PAV_NVRTC is '/nowhere', which is no NVRTC" with PAV_NVRTC=/nowhere -- $quiet
check  'without a compiler for processors as well, both are told' \
    says 'the interpreter runs this program, slowly: PAV_CC is' with PAV_CC=/nowhere/cc FAKE_CUDA_INIT=100 -- $quiet
check  'the check says so, too' \
    says 'alone is checked: the NVIDIA driver finds no GPU' with FAKE_CUDA_INIT=100 -- check --programs 1 --random-only
}
refuse 'asked for, that is the end' 1 'the device cuda cannot be used here: the NVIDIA driver finds no GPU' \
    with FAKE_CUDA_INIT=100 -- run heat.pav --device cuda
refuse 'a number beyond the last is refused' 1 'there is no cuda:2: the last one is cuda:1' \
    with FAKE_CUDA_GPUS=90,80 -- run heat.pav --device cuda:2
check  'doctor lists each GPU'                    says 'cuda:1          Fake 1, sm_80, 1.0 GiB' with FAKE_CUDA_GPUS=90,80 -- doctor
check  'and what drives it'                       says 'driver for CUDA 12.4, NVRTC 12.4 (' with -- doctor
check  'and why one cannot be used'               says 'no: cuda:1 (Fake 1) is sm_70' with FAKE_CUDA_GPUS=90,70 -- doctor
check  'and so for programs'                      says '"why": "cuda:1 (Fake 1) is sm_70' with FAKE_CUDA_GPUS=90,70 -- doctor --json
finish
