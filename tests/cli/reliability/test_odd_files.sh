# SPDX-License-Identifier: BSD-3-Clause
# Special files and files of other users are refused at once with a sentence; the command never waits for them and never
# replaces them.
. "${0%/*}/../../test.sh"

soon() { timeout 300 "$PAVIOR" "$@" --device cpu; } # a pipe without a writer would be waited for
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
refuse_soon 'a pipe is no place for a checkpoint' 'pipe.npy cannot be written: it is a pipe' \
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
[ -d /proc/self ] && refuse_soon 'a directory without new files' 'its directory takes no new files' run proc.pav --allow-outside

# ---- names of the run's own files ----
sed 's,u.npy,u.png,' plain.pav >names.pav
cat >>names.pav <<'END'
measure top = max(u) every 1 into "top.csv"
output u into "u.pvd" every 2
END
taken() { # sentence, what line is said, options: nothing is written
    name=$1 said=$2
    shift 2
    refuse_soon "$name" "$said" run names.pav --out outs "$@"
}
mkdir outs
ln -s outs link
taken 'a picture to come is no checkpoint'     'is what line 4 of names.pav writes; give the checkpoint' \
    --checkpoint outs/u-000002.png
taken 'nor is one by another way'              'line 4 of names.pav' --checkpoint link/../outs/./u-000000.png
taken 'nor a table'                            'line 6 of names.pav' --checkpoint link/top.csv
taken 'nor an index'                           'line 7 of names.pav' --checkpoint outs/u.pvd
taken 'nor a piece of one'                     'line 7 of names.pav' --checkpoint outs/u-000004.vti
taken 'nor may --restart have such a name'     'give the file of --restart' --restart outs/top.csv
taken 'nor a report'                           'line 6 of names.pav writes; give the file' --report outs/top.csv
rm -f outs/*
taken 'nor is a report an older checkpoint'    'a name that the checkpoint kept needs' --checkpoint kept --report ./kept.old
rm -f outs/* kept.old
check 'a step that is not written is free'     soon run names.pav --out outs --checkpoint outs/u-000001.png
check 'and so are names elsewhere'             soon run names.pav --out outs --checkpoint top.csv --report r.json
finish
