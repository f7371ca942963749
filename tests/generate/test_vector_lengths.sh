# SPDX-License-Identifier: BSD-3-Clause
# Vectors of every length give the bits of a run: 16, 32 and 64 bytes on x86 if this processor has them, NEON and SVE by
# a cross compiler and an emulator. Loops are vectorised in all cases, and clang gives the bits of gcc.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

cat >all.pav <<'END'
grid   x 43, y 24
real   f32
param  a = 0.2
field  u stored bf16 = 1 + 0.01*x
field  c stored f16 = 1 + 0.01*x
field  v = random(7)
field  w coarse 1 = 1
mask   v = x > 2 or y > 3
u'     = u + a*c*laplace(u, order 4)
v'     = where(v < 0.5, v, v + 0.1*(u' - v)) - 0.01*(v - prev(v))
w'     = w + restrict(v)/8
border u = 1 at x-
border neumann u at x+
border periodic u at y-, y+
border mirror v
border mirror w
inject 0.5 into v at (10.25, 7.5)
steps  6
END
cat >wide.pav <<'END'
grid   x 37, y 12, z 13
field  u = random(3)
stencil s { centre 0.3, face 0.06, edge 0.02, corner 0.0125 }
u'     = s(u) - 0.001*prev(u)
measure total = sum(u) every 2
border u = 0
steps  5
END
clang=$(command -v clang)
by_clang() { # name, options, emulator
    [ -n "$clang" ] || { skip "$1 by clang" 'clang is not here'; return; }
    for file in all wide; do
        check "$file.pav by $1 and clang: the bits of a run" env_agree "$2" "$3" "$clang" $file.pav
    done
}
set_of() { # name, the flag of /proc/cpuinfo that it needs, options
    if [ -n "$2" ] && ! grep -qw "$2" /proc/cpuinfo; then
        skip "vectors by $1" "this processor lacks $2"
        return
    fi
    for file in all wide; do
        check "$file.pav by $1: the bits of a run" env_agree "$3" '' "$CC" $file.pav
    done
    by_clang "$1" "$3" ''
}
env_agree() { # options, emulator, compiler, file
    MACHINE=$1 EMULATOR=$2
    agree "$3" "$4"
}

case $(uname -m) in
x86_64)
    set_of SSE2 '' -march=x86-64
    set_of AVX2 avx2 '-mavx2 -mfma -mf16c'
    set_of AVX-512 avx512dq '-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c'
    ;;
*) skip 'vectors of x86' "this is $(uname -m)" ;;
esac

arm=aarch64-linux-gnu
if ! command -v $arm-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    skip 'NEON' "$arm-gcc and qemu-aarch64 are not here; Debian has them in gcc-$arm, libc6-dev-arm64-cross and qemu-user"
    finish
fi
for file in all wide; do
    check "$file.pav by NEON: the bits of a run" env_agree '-O3 -march=armv8.2-a -static' qemu-aarch64 $arm-gcc $file.pav
done
check 'NEON: fused multiply-adds are on vectors' sh -c "
    $arm-objdump -d made/prog.o >machine
    [ \$(grep -Ec 'fml[as].*v[0-9]+\\.2d' machine) -gt \$(grep -Ec 'fn?m(add|sub)[[:space:]]+d' machine) ]"
by_clang NEON "-O3 -march=armv8.2-a -static --target=$arm" qemu-aarch64
for bits in 256 512; do
    flags="-O3 -march=armv8.2-a+sve -msve-vector-bits=$bits -static"
    for file in all wide; do
        check "$file.pav by SVE of $bits bits: the bits of a run" env_agree "$flags" "qemu-aarch64 -cpu max,sve$bits=on" \
            $arm-gcc $file.pav
    done
    by_clang "SVE of $bits bits" "$flags --target=$arm" "qemu-aarch64 -cpu max,sve$bits=on"
    check "SVE of $bits bits: fused multiply-adds are on vectors" sh -c "
        $arm-objdump -d made/prog.o | grep -Eq 'fml[as].*z[0-9]+\\.d'"
done
finish
