# SPDX-License-Identifier: BSD-3-Clause
# Kernels that come with the installation: with them, and with an empty cache and a compiler that fails, common programs of
# any size run at once, with the bits of the interpreter. Damaged kernels, and those of another level, are told and not used.
. "${0%/*}/../test.sh"

grep -qw avx2 /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo && [ -z "$SANITIZED" ] ||
    { skip 'installed kernels' 'this processor is below x86-64-v3, or the build is sanitized' && finish; }
unset PAV_DEVICE
export CUDA_VISIBLE_DEVICES=
export PAV_CACHE="$PWD/cache" PAV_EARLY=0 PAV_THREADS=2
cat >heat.pav <<'END'
param n = 20; a = 0.1
grid x n, y n + 3, z 9
field u = exp(-((x - 9)^2 + (y - 7)^2)/9)
u' = u + a*laplace(u)
border u = 0
steps 20
output u into "u.npy"
END
for method in multigrid cg; do
    cat >$method.pav <<END
param n = 33
grid x n from 0 to 1, y n from 0 to 1
field f = sin(pi*x)*sin(2*pi*y)
field u
solve -laplace(u) = f by $method to 1e-8
border u = 0
output u into "u.npy"
expect max(u) > 0
END
done
sed 's/laplace(u)$/laplace(u)*u/' heat.pav >other.pav
refuse 'values that kernels do not hold' 2 'are of no use with --kernels' \
       "$PAVIOR" compile --kernels kernels --set n=3 heat.pav
check 'kernels are written' "$PAVIOR" compile --kernels kernels heat.pav multigrid.pav cg.pav
many() (ulimit -v 200000 && PAV_CC=/bin/false "$PAVIOR" compile --kernels many $(yes multigrid.pav | head -40))
refuse 'forty files take the memory of one' 1 'failed on the kernels' many
check 'for two levels' test -s kernels/x86-64-v3.kernels -a -s kernels/x86-64-v4.kernels
check 'or for the level of this processor' "$PAVIOR" compile --kernels own --device cpu heat.pav
own=x86-64-v3
! grep -w avx512f /proc/cpuinfo | grep -w avx512bw | grep -w avx512cd | grep -w avx512dq | grep -qw avx512vl || own=x86-64-v4
check 'and for no other one' test "$(echo own/*)" = own/$own.kernels
refuse 'without them doctor says how to get them' 0 'installed kernels   0 for x86-64-v3, 0 for x86-64-v4, by `make kernels`' env PAV_KERNELS=/nowhere "$PAVIOR" doctor
export PAV_KERNELS="$PWD/kernels"
check 'doctor counts them' sh -c '"$1" doctor | grep -q "^installed kernels   [1-9][0-9]* for x86-64-v3, [1-9][0-9]* for x86-64-v4, "' sh "$PAVIOR"

cat >failing <<END
#!/bin/sh
echo started >>'$PWD/started'
exit 1
END
chmod +x failing
compiler=${PAV_CC:-$CC}
export PAV_CC="$PWD/failing"
run() { # description, option...: by installed kernels
    rm -rf cache out && "$PAVIOR" run "$@" --out out >said 2>&1 && cat said && grep -q '^device  *cpu' said
}
same() { # description, option...
    rm -rf alone && "$PAVIOR" run "$@" --out alone --device interpreter --quiet && run "$@" && cmp alone/u.npy out/u.npy
}
check 'steps have the bits of the interpreter' same heat.pav
check 'on another size, with other numbers'    same heat.pav --set n=31 --set a=0.125
check 'in time blocks'                         same heat.pav --set n=40 --schedule time:depth=4
check 'in subdomains'                          same heat.pav --subdomains 2
check 'by early kernels, too'                  env PAV_EARLY=1 "$PAVIOR" run heat.pav --early 3 --out early
check 'with the same bits'                     sh -c '"$1" run heat.pav --out alone --device interpreter && cmp alone/u.npy early/u.npy' sh "$PAVIOR"
for n in 33 65; do
    check "multigrid on $n"                    same multigrid.pav --set n=$n
    check "conjugate gradients on $n"          same cg.pav --set n=$n
done
check 'nothing is compiled'                    test ! -e started
PAV_CC=/nowhere
check 'no compiler is needed'                  same multigrid.pav
refuse 'without it the interpreter runs others' 0 'the interpreter runs this program' "$PAVIOR" run other.pav --no-files
refuse 'a mesh goes without it, too' 0 'on interpreter' "$PAVIOR" run "$SOURCE/examples/meshes/rim.pav" --no-files
PAV_CC=$PWD/failing
refuse 'other kernels are compiled' 1 'failing failed on the kernels' "$PAVIOR" run other.pav --no-files --device cpu
refuse 'so are those of a long run' 1 'failing failed on the kernels' "$PAVIOR" run heat.pav --no-files --device cpu --steps 2000000

told() { # file: it is not used
    rm -rf cache && "$PAVIOR" run multigrid.pav --no-files >said 2>&1
    cat said
    grep -q 'kernels are damaged, or of another level' said && grep -q '^device  *cpu' said
}
PAV_CC=$compiler
mv kernels whole && mkdir kernels
cp whole/x86-64-v3.kernels kernels/x86-64-v4.kernels && cp whole/x86-64-v4.kernels kernels/x86-64-v3.kernels
check 'kernels of another level are told' told
for file in x86-64-v3.kernels x86-64-v4.kernels; do head -c 20000 whole/$file >kernels/$file; done
check 'so are kernels that were cut' told
refuse 'doctor tells it' 0 'damaged' "$PAVIOR" doctor
for file in x86-64-v3.kernels x86-64-v4.kernels; do sed 's/pavior_kernels/pavior_others_/' whole/$file >kernels/$file; done
check 'and changed ones' told
finish
