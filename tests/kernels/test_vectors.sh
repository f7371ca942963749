# SPDX-License-Identifier: BSD-3-Clause
# The main loops are vectorised: in the machine code of the kernels, arithmetic on whole vectors outnumbers that
# on single numbers.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

command -v objdump >/dev/null 2>&1 || missing='objdump is not here'
"$PAVIOR" doctor | grep -Eq '^ +cpu +yes' || missing='there is no C compiler'
case $(uname -m) in x86_64) ;; *) missing="nothing is known of $(uname -m)" ;; esac
if [ -n "${missing:-}" ]; then
    skip 'main loops are vectorised' "$missing"
    finish
fi

# word, widest register that this processor has: its fused multiply-adds and additions on vectors of it
count() { grep -Ec "v?(fn?m(add|sub)[0-9]*|add|mul|sub)$1 .*%$2" machine; }
grep -qw avx512f /proc/cpuinfo && wide=zmm || { grep -qw avx2 /proc/cpuinfo && wide=ymm || wide=xmm; }
vectors() { # word, suffix of packed arithmetic
    rm -rf cache
    PAV_CACHE=$scratch/cache "$PAVIOR" run "$1" --steps 1 --no-files --quiet --device cpu || return 1
    # the tile of the stage that has most of the arithmetic
    objdump -d --no-show-raw-insn cache/*.so | sed -n '/<rows_/,/^$/p' >machine
    packed=$(count "$2" $wide)
    single=$(grep -Ec "v?(fn?m(add|sub)[0-9]*|add|mul|sub)s[sd] " machine)
    echo "$1: $packed on $wide, $single single"
    [ "$packed" -ge 4 ] && [ "$single" -le $((packed / 8)) ]
}
for type in f32:ps f64:pd; do
    for word in star3d box3d wave3d; do
        check "$word in ${type%:*}" vectors "$word@64x64x64/${type%:*}" "${type#*:}"
    done
done
finish
