# SPDX-License-Identifier: BSD-3-Clause
# The main loops are vectorised: in the machine code of the kernels, vector arithmetic outnumbers scalar arithmetic.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

command -v objdump >/dev/null 2>&1 || missing='objdump is not here'
"$PAVIOR" doctor | grep -Eq '^ +cpu +yes' || missing='there is no C compiler'
case $(uname -m) in x86_64) ;; *) missing="nothing is known of $(uname -m)" ;; esac
if [ -n "${missing:-}" ]; then
    skip 'main loops are vectorised' "$missing"
    finish
fi

# word, widest register of this processor: counts its fused multiply-adds and additions on vectors
count() { grep -Ec "v?(fn?m(add|sub)[0-9]*|add|mul|sub)$1 .*%$2" machine; }
grep -qw avx512f /proc/cpuinfo && wide=zmm || { grep -qw avx2 /proc/cpuinfo && wide=ymm || wide=xmm; }
vectors() { # word, suffix of packed arithmetic
    rm -rf cache
    PAV_CACHE=$scratch/cache "$PAVIOR" run "$1" --steps 1 --no-files --quiet --device cpu || return 1
    # the kernel of the step, recognised by the most fused multiply-adds, and the functions called by it
    objdump -d --no-show-raw-insn cache/pavior-kernels/*.so | awk -v RS= '
        /<(pav|planes|across)_/ { n = gsub(/fn?m(add|sub)[0-9]*p/, "&"); if (n > most) { most = n; text = $0 } }
        END { print text }' >machine
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

# Masks, narrow storage and a coarse grid. With elements of two sizes, vectors may be shorter than the widest.
program() { # real, lines
    printf 'grid x 64, y 64, z 64\nreal %s\nfield u = x/64\n%s\n%s\nborder clamp u\nsteps 1\n' "$1" \
        "u' = (u[1,0,0] + u[0,-1,0] + 2*u[0,0,-1])/4" "$2"
}
narrow() { # name, real, lines, suffix of packed arithmetic
    program "$2" "$3" >"$1.pav"
    wide='[xyz]mm'
    vectors "$1.pav" "$4"
}
mask='mask not (x == 10 and y == 20 and z == 23)'
check 'masks in f32' narrow mask32 f32 "$mask" ps
check 'masks in f64' narrow mask64 f64 "$mask" pd
for storage in bf16 f16; do
    check "f32 stored $storage" narrow "$storage" "f32 stored $storage" '' ps
    check "masks of f32 stored $storage" narrow "mask$storage" "f32 stored $storage" "$mask" ps
done
finish
