# SPDX-License-Identifier: BSD-3-Clause
# Programs that pavior gen --device cuda writes: where there is nvcc they compile without a warning; kernels by a
# processor in place of a GPU (tests/generate/cuda) have the bits of a run.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

[ -n "$CXX" ] || { skip 'programs for GPUs' 'there is no C++ compiler'; finish; }
mkdir words
sed -n '/#define EMULATED_WORDS/,/^EMULATED_WORDS/p' "$SOURCE/src/device/emulated/emulated_private.h" >words/words.h
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)

build_fake() { # directory: builds DIRECTORY/prog
    (cd "$1" && exact='-O0 -march=native -ffp-contract=off' &&
        "$CC" $exact -std=gnu11 -Wall -Wextra -Werror -c main.c &&
        "$CC" $exact -std=gnu11 -Wall -Wextra -Werror -c prog.c &&
        "$CXX" $exact -x c++ -std=c++17 -fno-strict-aliasing -I"$SOURCE/tests/generate/cuda" \
            -I"$SOURCE/src/kernels/emulated" -I../words -c prog.cu -o prog-cuda.o &&
        "$CXX" main.o prog.o prog-cuda.o -o prog -pthread -lm)
}

agree_cuda() { # FILE, steps, options of gen...
    file=$1 steps=$2
    shift 2
    rm -rf made made.pav one all
    mkdir one all
    observe "$file" made "$steps" || return 1
    "$PAVIOR" gen made.pav -o made --name prog --device cuda "$@" >gen.log 2>&1 || { cat gen.log; return 1; }
    build_fake made >make.log 2>&1 || { grep error make.log || cat make.log; return 1; }
    made/prog --threads 2 --in made --out one >prog.log 2>&1 || { cat prog.log; return 1; }
    "$PAVIOR" run made.pav --out all --quiet >run.log 2>&1 || { cat run.log; return 1; }
    same_files all one
}

write_all
check 'fields, narrow storage, borders, masks, sources, samples: the bits of a run' agree_cuda all.pav ''
check 'its rate is printed' grep -q 'Mpts/s' prog.log
check 'samples have the bits of a run, too' cmp one/rows.npy all/rows.npy
check 'README says what it needs' grep -q 'It needs CUDA' made/README.md
refuse 'without a GPU that is said' 1 'this machine has no GPU' env FAKE_NO_GPU=1 made/prog --in made
refuse 'a call that fails is named' 1 'the GPU failed at taking memory of' env FAKE_NO_MEMORY=1 made/prog --in made
check 'a whole stencil by points'   agree_cuda heat3d@40x30x20/f32 2 --schedule point
check 'by planes in shared memory'  agree_cuda heat3d@40x30x20/f32 2 --schedule sweep:shared,rows=2,threads=16x8
check 'as two passes'               agree_cuda heat3d@40x30x20/f32 2 --schedule two-pass
check 'many fields and sources'     agree_cuda "$SOURCE/examples/elastic2d.pav" 2
check 'coarse grids'                agree_cuda "$SOURCE/examples/twogrid.pav" 2
check 'an equation that is solved'  agree_cuda "$SOURCE/examples/poisson2d.pav" 2

stencil() { "$PAVIOR" gen --neighbours '-1,0,0 1,0,0 0,0,-1 0,0,1' --size 40,30,20 --f 'exp(-x)' --device cuda "$@"; }
check 'a stencil of options is a program for a GPU' stencil -o stencil --threads-a-block 16x8 --unknowns-a-thread 2
check 'its blocks are those asked for' grep -q 'dim3(16, 8, 1)' stencil/stencil.cu
check 'its kernels are those that are printed' sh -c '"$1" gen heat3d@40x30x20 --device cuda -o plain --name prog &&
    "$1" gen heat3d@40x30x20 --device cuda | sed -n "/^INLINE void sweep_0_/,/^}/p" >printed && [ -s printed ] &&
    sed -n "/^INLINE void sweep_0_/,/^}/p" plain/prog.cu | cmp - printed' sh "$PAVIOR"
check 'a library has no main' sh -c '"$1" gen all.pav --device cuda --library --name lib -o lib &&
    [ "$(LC_ALL=C ls lib | tr "\n" " ")" = "lib.c lib.cu lib.h lib_gpu.h " ]' sh "$PAVIOR"
check 'a processor'"'"'s program has nothing of GPUs' sh -c '"$1" gen all.pav -o host --name prog &&
    ! grep -rn "ON_GPU\|ON_CPU\|_gpu(\|_there(" host/prog.c host/prog.h host/main.c' sh "$PAVIOR"

refuse 'fused steps are refused'  2 'fuses steps'      "$PAVIOR" gen heat3d -o no --device cuda --schedule time:depth=2
refuse 'tensor copies are'        2 'take copy=async'  "$PAVIOR" gen heat3d -o no --device cuda \
    --schedule sweep:shared,copy=tma
refuse 'a GPU and processors are' 2 'not for cpu+cuda' "$PAVIOR" gen heat3d -o no --device cpu+cuda
mkdir own && echo mine >own/all.cu
refuse "somebody's source stays"  2 'own/all.cu is there and was not written by' "$PAVIOR" gen all.pav -o own --device cuda
check 'nothing was written'       [ ! -e no ]

if [ -n "$nvcc" ]; then
    for folder in made stencil; do
        check "nvcc compiles $folder without a warning" make -C $folder ARCH=sm_90 NVCC="$nvcc" \
            NVCCFLAGS='-O1 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror' CFLAGS='-O1 -Wall -Wextra -Werror' clean all
    done
else
    skip 'nvcc' 'it is not here'
fi
finish
