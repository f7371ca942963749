# SPDX-License-Identifier: BSD-3-Clause
# Bundles: a run with a bundle needs no compiler and has the same bits. A bundle is refused if it is damaged, if other
# users can write it, or if it belongs to another description, version or machine.
. "${0%/*}/../test.sh"
unset PAV_DEVICE
export PAV_CACHE="$scratch/cache"

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'bundles' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
cat >heat.pav <<'END_OF'
grid x 40, y 30, z 20
field u = sin(x/7)*cos(y/5) + z/9
border u = 0
u' = u + 1/8*laplace(u)
steps 12
output u into "u.npy"
END_OF
bare() { env PAV_CC=/nowhere PAV_CXX=/nowhere PAV_CACHE="$scratch/empty" "$PAVIOR" run "$@"; }
put() { # bytes at a place of a copy of heat.bundle
    cp heat.bundle bad.bundle && printf "$2" | dd of=bad.bundle bs=1 seek="$1" conv=notrunc 2>/dev/null
}

check  'a bundle is written'                       "$PAVIOR" compile heat.pav --device cpu -o heat.bundle
mkfifo pipe
refuse 'a pipe is no place for one'                2 'it is a pipe, and an ordinary file is needed' \
    "$PAVIOR" compile heat.pav --device cpu -o pipe
check  'and stays'                                 test -p pipe
check  'a run with it needs no compiler'           bare heat.pav --bundle heat.bundle --out with
check  'one without compiles'                      "$PAVIOR" run heat.pav --device interpreter --out without
check  'both have the same bits'                   cmp with/u.npy without/u.npy
cp heat.pav warm.pav
check  'nor does one by another path'              bare ./heat.pav --bundle heat.bundle --no-files
check  'by the whole path'                         bare "$PWD/heat.pav" --bundle heat.bundle --no-files
check  'or by another name'                        bare warm.pav --bundle heat.bundle --no-files
"$PAVIOR" compile heat.pav --device cpu >/dev/null
check  'nor are kernels of the cache by a name'    "$PAVIOR" run ./warm.pav --device cpu --require-cached --no-files
check  'so does another schedule'                  bare heat.pav --bundle heat.bundle --schedule time:depth=3 --out time
check  'bit for bit'                               cmp time/u.npy without/u.npy
check  'other steps are no other description'      bare heat.pav --bundle heat.bundle --steps 5 --no-files
refuse 'another description is'                    2 'the bundle lacks these kernels' bare wave3d@20x20x20/f32 --bundle heat.bundle --no-files
sizes() { # word, its size, another size, device, schedule: one bundle serves both
    observed "$1@$2/f32" >sized.pav
    "$PAVIOR" compile sized.pav --device "$4" --schedule "$5" -o sizes.bundle &&
        for size in "$2" "$3"; do
            rm -rf sized plain
            observed "$1@$size/f32" >sized.pav
            bare sized.pav --bundle sizes.bundle --device "$4" --out sized && "$PAVIOR" run sized.pav --device interpreter --out plain &&
                cmp sized/v.npy plain/v.npy || return 1
        done
}
observed() { "$PAVIOR" explain "$1" | sed '/^# the equations/,$d; /^#/d; s/^steps .*/steps 6/'; echo 'output u into "v.npy"'; }
check  'a bundle serves other sizes, with the same bits' sizes heat3d 24x20x16 33x17x40 cpu rows
check  'in two dimensions and of two fields'       sizes grayscott2d 40x24 61x37 cpu rows
check  'and numbers that are equal at some sizes' sizes grayscott2d 40x60 50x50 cpu rows
check  'which it says'                             sh -c '"$1" run grayscott2d@44x44/f32 --bundle "$2" --no-files 2>&1 | grep -q "was made for 40x60/f32: other sizes run"' \
    sh "$PAVIOR" sizes.bundle
check  'of waves, with tables and numbers of the start' sizes wave3d 24x20x28 33x29x21 cpu rows
check  'of a GPU, too'                             sizes heat3d 24x20x16 33x17x40 emulated sweep
refuse 'the interpreter takes no kernels'          2 'does not suit this machine' bare heat.pav --bundle heat.bundle --device interpreter --no-files
check  'the emulated GPU has bundles'              "$PAVIOR" compile heat.pav --device emulated -o gpu.bundle
check  'which need no compiler either'             bare heat.pav --bundle gpu.bundle --out gpu
check  'bit for bit there, too'                    cmp gpu/u.npy without/u.npy
refuse 'kernels that it lacks are not compiled'    2 'the bundle lacks these kernels' \
    "$PAVIOR" run heat.pav --bundle heat.bundle --device emulated --no-files
check  'fused launches are in one that asks'       "$PAVIOR" compile heat.pav --device emulated --schedule time:depth=2 -o time.bundle
check  'and are taken without asking again'        sh -c 'PAV_CXX=/nowhere PAV_CACHE=$1 "$2" run heat.pav --bundle time.bundle --out fused 2>&1 | grep "time:" ' - "$scratch/empty" "$PAVIOR"
check  'bit for bit'                               cmp fused/u.npy without/u.npy

head -c 300 heat.bundle >bad.bundle
refuse 'one that was cut is refused'               2 'the bundle was cut' bare heat.pav --bundle bad.bundle --no-files
head -c 3000 heat.bundle >bad.bundle
refuse 'one whose kernels were cut, too'           2 'the bundle was cut' bare heat.pav --bundle bad.bundle --no-files
put 3000 XX
refuse 'a kernel that was changed'                 2 'a kernel was damaged' bare heat.pav --bundle bad.bundle --no-files
put 40 X
refuse 'a head that was changed'                   2 'damaged' bare heat.pav --bundle bad.bundle --no-files
cat heat.bundle heat.bundle >bad.bundle
refuse 'what has something behind it'              2 'something follows' bare heat.pav --bundle bad.bundle --no-files
cp heat.pav bad.bundle
refuse 'what is no bundle'                         2 'this is no bundle' bare heat.pav --bundle bad.bundle --no-files
cp heat.bundle bad.bundle; chmod go+w bad.bundle
refuse 'what others may write'                     2 'chmod go-w' bare heat.pav --bundle bad.bundle --no-files
refuse 'what is not there'                         2 'cannot be opened' bare heat.pav --bundle none.bundle --no-files
refuse 'the interpreter has no bundle'             2 'compiles nothing' "$PAVIOR" compile heat.pav --device interpreter -o none.bundle
refuse 'it goes where it can be written'           2 'could not be written' "$PAVIOR" compile heat.pav --device cpu -o none/heat.bundle
finish
