# SPDX-License-Identifier: BSD-3-Clause
# Kernels for GPUs that come with the installation: runs of other sizes take them in place of the compiler. Damaged and
# renamed kernels are told, and compiled. The driver and the compiler are those of fake/, and kernels do nothing.
. "${0%/*}/../../../test.sh"
unset PAV_DEVICE
export LD_LIBRARY_PATH="$BUILD/tests/fake" FAKE_CUDA_IDLE=1
export PAV_NVRTC="$BUILD/tests/fake/libnvrtc.so.1" PAV_CACHE="$PWD/cache" PAV_WISDOM=none

cat >heat.pav <<'END'
param n = 20
grid x n, y n + 3, z 9
field u = exp(-((x - n/2)^2 + (y - 7)^2)/9)
u' = u + 0.1*laplace(u)
border u = 0
steps 2
END
cat >multigrid.pav <<'END'
param n = 65
grid x n from 0 to 1, y n from 0 to 1
field f = sin(pi*x)
field u
solve -laplace(u) = f by multigrid to 1e-8
border u = 0
END
sed 's/0.1/0.1*u/' heat.pav >other.pav
compiles() { # number of sources, file, option...: compiled by a run with an empty cache
    want=$1
    shift
    rm -rf cache
    "$PAVIOR" compile "$@" --device cuda >said 2>&1 || { cat said && return 1; }
    cat said
    [ "$(find cache -name '*.cubin' | wc -l)" = "$want" ]
}
check 'without them a run compiles two sources'     compiles 2 heat.pav
refuse 'doctor says so' 0 'for GPUs        0 for sm_80, 0 for sm_90, 0 for sm_100, by `make kernels` with NVRTC' "$PAVIOR" doctor
check 'kernels are written'                         "$PAVIOR" compile --kernels kernels --device cuda heat.pav multigrid.pav
export PAV_KERNELS="$PWD/kernels"
refuse 'doctor counts them' 0 'for GPUs        0 for sm_80, 3 for sm_90, 0 for sm_100' "$PAVIOR" doctor
check 'a run compiles nothing'                      compiles 0 heat.pav
check 'nor does another size'                       compiles 0 heat.pav --set n=37
check 'nor an equation with more coarse grids'      compiles 0 multigrid.pav --set n=129
check 'nor another version of the compiler'         env FAKE_NVRTC_VERSION=11 "$PAVIOR" run heat.pav --device cuda --no-files --require-cached
check 'another program compiles its own source'     compiles 1 other.pav
check 'another architecture compiles all'           env FAKE_CUDA_GPUS=80 sh -c 'rm -rf cache && "$1" compile heat.pav --device cuda && [ "$(find cache -name "*.cubin" | wc -l)" = 2 ]' sh "$PAVIOR"

cp -r kernels whole
for file in whole/sm_90/*; do head -c 2000 "$file" >"kernels/${file#whole/}"; done
check 'damaged kernels are compiled'                compiles 2 heat.pav
refuse 'and told' 0 'are not used: they are damaged' sh -c 'rm -rf cache && "$1" run heat.pav --device cuda --no-files' sh "$PAVIOR"
cd whole/sm_90 || exit 1
last=$(find . -name '*.cubin' | tail -1)
for file in *; do cp "$last" "../../kernels/sm_90/$file"; done
cd ../..
refuse 'kernels of another name are told, too' 0 'are not used: they are damaged' sh -c 'rm -rf cache && "$1" run heat.pav --device cuda --no-files' sh "$PAVIOR"
finish
