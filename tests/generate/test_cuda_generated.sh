# SPDX-License-Identifier: BSD-3-Clause
# Programs written by pavior gen --device cuda. With nvcc installed they compile without warnings. With their kernels on
# a processor in place of a GPU (tests/generate/cuda) they have the bits of a run.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

[ -n "$CXX" ] || { skip 'programs for GPUs' 'there is no C++ compiler'; finish; }
mkdir words
sed -n '/#define EMULATED_WORDS/,/^EMULATED_WORDS/p' "$SOURCE/src/devices/device/emulated/emulated_private.h" >words/words.h
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)

build_fake() { # directory: builds DIRECTORY/prog
    (cd "$1" && exact='-O0 -march=native -ffp-contract=off' &&
        "$CC" $exact -std=gnu11 -Wall -Wextra -Werror -c main.c &&
        "$CC" $exact -std=gnu11 -Wall -Wextra -Werror -c prog.c &&
        "$CXX" $exact -x c++ -std=c++17 -fno-strict-aliasing -I"$SOURCE/tests/generate/cuda" \
            -I"$SOURCE/src/code/kernels/emulated" -I../words -c prog.cu -o prog-cuda.o &&
        "$CXX" main.o prog.o prog-cuda.o -o prog -pthread -lm)
}

agree_cuda() { agree_on cuda "$@"; } # FILE, steps, options of gen...
agree_on() { # device, FILE, steps, options of gen...
    device=$1 file=$2 steps=$3
    shift 3
    rm -rf made made.pav one all
    mkdir one all
    observe "$file" made "$steps" || return 1
    "$PAVIOR" gen made.pav -o made --name prog --device "$device" "$@" >gen.log 2>&1 || { cat gen.log; return 1; }
    build_fake made >make.log 2>&1 || { grep error make.log || cat make.log; return 1; }
    FAKE_GPUS=3 made/prog --threads 2 --in made --out one >prog.log 2>&1 || { cat prog.log; return 1; }
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
{ cat all.pav; echo 'param dt = 0.3'; echo 'border mirror c'; } >timed.pav
SEEN=1
check 'outputs of expressions, at times' agree_cuda timed.pav ''
check 'across the seams of devices' agree_on cpu+cuda:0-1 timed.pav ''
SEEN=''
check 'many fields and sources'     agree_cuda "$SOURCE/examples/waves/elastic2d.pav" 2
check 'coarse grids'                agree_cuda "$SOURCE/examples/solvers/twogrid.pav" 2
check 'an equation that is solved'  agree_cuda "$SOURCE/examples/solvers/poisson2d.pav" 2
# A sweep over many fields has one index for all of them, so their rows have one length, with ghosts or without.
{ echo 'grid x 24, y 10, z 6'; echo 'field a0 = x; a1 = y; a2 = z; a3; a4; a5; a6; a7; a8 = y*z; b; c = x*y'
  echo "b' = b + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8"; echo "c' = c + dx(b')"; echo 'border clamp b'
  for k in 0 1 2 3 4 5 6 7; do echo "a$k' = 0.5*a$k + 0.01*b'"; done; echo 'steps 3'; } >many.pav
check 'many fields, one with ghosts' agree_cuda many.pav ''
printf '%s\n' 'grid x 8 from 0 to 1, y 8 from 0 to 1' 'field u, v, p; f = sin(pi*y)' 'solve {' '-laplace(u) + dx(p, at +1/2) = f' \
    '-laplace(v) + dy(p, at +1/2) = x' 'dx(u, at -1/2) + dy(v, at -1/2) = 0' '} for u, v, p by minres to 1e-6' 'border u, v = 0' \
    'border neumann p' >stokes.pav
check 'several unknowns'            agree_cuda stokes.pav 2

write_lines
check 'operations along all axes'   agree_cuda lines.pav ''
check 'an equation by transforms'   agree_cuda direct.pav ''
EVERY=100
check 'jumps of a hundred steps'    agree_cuda jump.pav ''
EVERY=''
check 'README has the equation itself' grep -q '^u. = 1.9\*u - ' made/README.md

# Several devices share the grid.
cat >waves.pav <<'END'
real f32
grid  x 30, y 14, z 26
field u = exp(-((x-15)^2+(y-7)^2+(z-3)^2)/9)
field c stored bf16 = 0.1 + 0.002*z
u' = 2*u - prev(u) + c*(u[0,0,2]+u[0,0,-2]+u[1,0,0]+u[-1,0,0]+u[0,1,0]+u[0,-1,0]+u[0,0,1]+u[0,0,-1]-8*u)
border periodic u at z-, z+
border mirror u at y-, y+
border u = 0.1*cos(0.3*z) + 0.01*t at x-
border neumann u at x+
inject sin(t) into u at (4.5, 3, 8.5)
inject cos(t) into u at (4.5, 3, 12.25)
sample u at (3, 4, 5.5), (20, 4, 25) into "rows.npy"
measure total = sum(u) every 2
measure most = max(u*z) every 3
steps 7
END
check 'processors and a GPU: the bits of a run' agree_on cpu+cuda all.pav ''
check 'the parts are said' grep -q '^processors: planes 0 to 1$' prog.log
check 'samples have the bits of a run' cmp one/rows.npy all/rows.npy
check 'three GPUs' agree_on cuda:0-2 waves.pav ''
check 'and of samples around their seams' cmp one/rows.npy all/rows.npy
refuse 'a GPU that is not there is told' 1 'there is no GPU 5: this machine has 3' env FAKE_GPUS=3 made/prog --gpus 0,1,5
refuse 'shares are numbers above 0' 2 '--shares wants 3 numbers with commas between them' made/prog --shares 1,2
check 'shares and GPUs are chosen at the start, too' sh -c '
    rm one/*; FAKE_GPUS=3 made/prog --gpus 2,0,2 --shares 1,1.5,4 --out one >prog.log &&
    grep -q "^GPU 2: planes 10 to 25" prog.log' && check 'with the same bits' same_files all one
check 'processors between GPUs' agree_on cuda:1+cpu+cuda:0 waves.pav '' --shares 1,2,1
check 'many fields and sources on all' agree_on cpu+cuda "$SOURCE/examples/waves/elastic2d.pav" 2 --shares 1,1
check 'planes in shared memory' agree_on cuda:0,0 heat3d@40x30x20/f32 2 --schedule sweep:shared,rows=2,threads=16x8
cp -r made several
refuse 'a row of points is not shared out' 2 'a grid of one dimension' "$PAVIOR" gen star1d@900 -o no --device cpu+cuda
refuse 'nor are coarse grids' 2 'fewer planes than the grid' "$PAVIOR" gen "$SOURCE/examples/solvers/twogrid.pav" -o no --device cuda:0-1
refuse 'nor few planes to many' 2 'cannot be divided among 20 devices: each needs at least 3' "$PAVIOR" gen waves.pav -o no --device cuda:0-19
refuse 'shares are of several devices' 2 'shares are of several' "$PAVIOR" gen all.pav -o no --device cuda --shares 1
refuse 'a share for each' 2 'for each of the 2 devices' "$PAVIOR" gen all.pav -o no --device cpu+cuda --shares 1,0
for list in cuda:0- cuda:3-1 cpu+cpu cpu+ cuda:0,,1; do
    refuse "$list is no list" 2 "not for $list;" "$PAVIOR" gen all.pav -o no --device "$list"
done
rm -rf made && "$PAVIOR" gen all.pav -o made --name prog --device cuda >gen.log

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
mkdir own && echo mine >own/all.cu
refuse "somebody's source stays"  2 'own/all.cu is there and was not written by' "$PAVIOR" gen all.pav -o own --device cuda
check 'nothing was written'       [ ! -e no ]

for folder in made several; do
    check "the C of $folder has no warning when it is optimised" sh -c 'cd "$1" && for file in main prog; do
        $2 -O3 -std=gnu11 -Wall -Wextra -Werror -c $file.c -o /dev/null || exit; done' sh $folder "$CC"
done
if [ -n "$nvcc" ]; then
    for folder in made stencil several; do
        check "nvcc compiles $folder without a warning" make -C $folder ARCH=sm_90 NVCC="$nvcc" \
            NVCCFLAGS='-O1 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror' CFLAGS='-O3 -Wall -Wextra -Werror' clean all
    done
else
    skip 'nvcc' 'it is not here'
fi
finish
