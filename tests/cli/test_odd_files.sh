# SPDX-License-Identifier: BSD-3-Clause
# What is no ordinary file, or is somebody else's: refused with a sentence and at once, nothing is waited for and
# nothing replaced.
. "${0%/*}/../test.sh"

soon() { timeout 30 "$PAVIOR" "$@" --device cpu; } # a pipe without a writer would be waited for
refuse_soon() { # sentence, text, words of pavior...
    name=$1 said=$2
    shift 2
    refuse "$name" 2 "$said" soon "$@"
}
reads() { # path: a description with that coefficient
    printf 'grid x 8\nfield c = "%s"; u = 1\nu'"'"' = u + c\nsteps 2\n' "$1"
}
sed 's/^ *//' >plain.pav <<'END'
    grid x 8, y 8
    field u = 1
    u' = u
    output u into "u.npy" every 2
    steps 4
END
sed 's/^output.*/sample u at "pipe.npy"/' plain.pav >points.pav

# ---- read ----
for ending in npy npy.zst h5; do
    mkfifo "pipe.$ending"
done
mkdir folder.npy
for name in pipe.npy:'a pipe' pipe.npy.zst:'a pipe' folder.npy:'a directory' /dev/zero:'a device'; do
    reads "${name%%:*}" >reads.pav
    refuse_soon "${name#*:} is no field (${name%%:*})" "${name%%:*} cannot be read: it is ${name#*:}" \
        run reads.pav --no-files
done
reads pipe.h5:/c >reads.pav
if soon run reads.pav --no-files 2>&1 | grep -q 'install it'; then
    skip 'a pipe is no HDF5 file' 'its library is not there'
else
    refuse_soon 'a pipe is no HDF5 file'  'pipe.h5 cannot be read: it is a pipe' run reads.pav --no-files
fi
refuse_soon 'nor positions'               'points.pav:4: pipe.npy cannot be read: it is a pipe' run points.pav
refuse_soon 'which plan says, too'        'pipe.npy cannot be read: it is a pipe' plan points.pav
refuse_soon 'nor a checkpoint to go on from' 'pipe.npy cannot be read: it is a pipe' run plain.pav --restart pipe.npy
check 'a description may come from a pipe' sh -c 'cat plain.pav | "$1" run /dev/stdin --no-files' sh "$PAVIOR"
check 'and from standard input'           sh -c 'cat plain.pav | "$1" run - --no-files' sh "$PAVIOR"

# ---- replaced ----
refuse_soon 'a pipe is no place for a checkpoint' 'pipe.npy is there and no checkpoint' \
    run plain.pav --checkpoint pipe.npy
for ending in old part; do
    echo 'a diary' >"mine.$ending"
    refuse_soon "a checkpoint spares FILE.$ending" "mine.$ending is there and no checkpoint" \
        run plain.pav --checkpoint mine
    check "which stays (FILE.$ending)"    grep -q diary "mine.$ending"
    rm "mine.$ending"
done
check 'every and a checkpoint go with --verify' soon run plain.pav --checkpoint c --every 2 --verify 2
sed 's,"u.npy","/proc/u.npy",' plain.pav >proc.pav
[ -d /proc/self ] && refuse_soon 'a directory without new files' 'its directory takes no new files' run proc.pav
finish
