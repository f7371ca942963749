# SPDX-License-Identifier: BSD-3-Clause
# .npy.zst files unpack to the .npy file of the same run, and are read with the same values.
. "${0%/*}/../test.sh"

description() { # ending of outputs
    printf 'grid x 60, y 50\nfield u = random(3)\nu'"'"' = u + 0.1*laplace(u)\nborder u = 0\n'
    printf 'output u into "u.%s" every 2\noutput u into "end.%s"\nsteps 5\n' "$1" "$1"
}
description npy >plain.pav
description npy.zst >packed.pav
printf 'grid x 60, y 50\nfield u = "end.npy.zst"; v = "end.npy"\nmask "end.npy.zst"\nexpect max((u-v)^2) == 0 and max(u) > 0\n' >back.pav

same() { zstd -q -d -c "$1.npy.zst" | cmp - "$1.npy"; }

"$PAVIOR" doctor >found
if ! grep -q 'zstd  *found' found; then
    refuse 'without the library a sentence says what to install' 2 'apt install libzstd1' "$PAVIOR" run packed.pav
    finish
fi
check 'arrays are written'               "$PAVIOR" run plain.pav
check 'arrays are packed'                "$PAVIOR" run packed.pav
check 'a file a step'                    test -s u-000000.npy.zst -a -s u-000004.npy.zst
check 'nothing else is left'             test "$(ls -A | grep -c pavior)" = 0
check 'a packed field and mask are read' "$PAVIOR" run back.pav
head -c 5000 end.npy.zst >cut && mv cut end.npy.zst
refuse 'a file cut short is refused' 2 'end.npy.zst is cut short' "$PAVIOR" run back.pav
if command -v zstd >/dev/null; then
    "$PAVIOR" run packed.pav >/dev/null 2>&1
    for name in u-000000 u-000002 u-000004 end; do
        check "zstd unpacks $name to the array" same "$name"
    done
else
    skip 'unpacking by zstd' 'there is no zstd program'
fi

# /dev/null in place of the library counts as a missing library.
library=$(/sbin/ldconfig -p 2>/dev/null | sed -n 's/.*libzstd.so.1 .*=> //p' | head -n 1)
hidden() { unshare -rm sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' sh "$library" "$@"; }
if [ -n "$library" ] && hidden true 2>/dev/null; then
    refuse 'without the library none is written' 2 'apt install libzstd1' hidden "$PAVIOR" run packed.pav
    refuse 'without the library none is read'    2 'apt install libzstd1' hidden "$PAVIOR" run back.pav
    refuse 'doctor says what it is for'          0 'needed for .npy.zst files (apt install libzstd1)' hidden "$PAVIOR" doctor
else
    skip 'a missing zstd library' 'it cannot be hidden here (unshare -rm)'
fi
finish
