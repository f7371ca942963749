# SPDX-License-Identifier: BSD-3-Clause
# A disk fills up during a run. One sentence names the file, its size, the place and a remedy; the exit code is 1;
# earlier files are complete. The disk is a small tmpfs in a name space of its own.
. "${0%/*}/../../test.sh"

mkdir disk
on_disk() { # size, command...: with such a disk; it is copied to `left` in the end
    unshare -rm sh -c 'mount -t tmpfs -o "size=$1" tmpfs disk && shift || exit 99
        "$@"; code=$?; rm -rf left; cp -a disk left; exit $code' sh "$@"
}
if ! on_disk 64k true 2>/dev/null; then
    skip 'a disk that fills up' 'no tmpfs may be mounted here (unshare -rm)'
    finish
    exit
fi

describe() { # lines: a field of 50 KiB that does not compress
    printf 'grid x 80, y 80\nfield u = random(3)\nu'"'"' = u\nsteps 40\n' >full.pav
    for line; do echo "$line" >>full.pav; done
}
describe 'output u into "u.npy" every 2'
"$PAVIOR" run full.pav --out whole >/dev/null 2>&1
whole() { # no temporary file, and each file is that of a run with room enough, but for an index
    [ "$(find left -name '.pavior*' -o -name '*.part')" = '' ] || { find left; return 1; }
    for whole_file in left/u*; do
        [ -f "$whole_file" ] || { echo 'nothing is left'; return 1; }
        case $whole_file in
            *.pvd | *.xdmf | *.apng) ;;
            *) cmp "$whole_file" "whole/${whole_file#left/}" || return 1 ;;
        esac
    done
}

tells() { # of the last output that was refused
    full 2>&1 | grep -E '^disk/u[^ ]* cannot be written: No space left on device; .*[0-9] (KiB|B) free'
}

for ending in npy npy.zst png apng csv vti pvd h5 xdmf; do
    describe "output u into \"u.$ending\" every 2"
    "$PAVIOR" run full.pav --out whole --steps 8 >said 2>&1
    if grep -q 'install it' said; then
        skip "a full disk and .$ending" 'its library is not there'
        continue
    fi
    full() { on_disk 200k "$PAVIOR" run full.pav --out disk; }
    refuse "a full disk and .$ending: the run fails, and says what to do" 1 'free some space or write elsewhere' full
    check  "a full disk and .$ending: what, where, why and how much" tells
    check  "a full disk and .$ending: the others are whole" whole
done

# ---- indices and films name only existing files ----
named() { # index, ending: all files that it names are left
    names=$(grep -o "u-[0-9]*\.$2" "left/$1" | sort -u)
    [ -n "$names" ] || return 1
    for name in $names; do [ -f "left/$name" ] || { echo "no $name"; return 1; }; done
}
describe 'output u into "u.pvd" every 2'
on_disk 200k "$PAVIOR" run full.pav --out disk >said 2>&1
check 'an index names only files that are there' named u.pvd vti
describe 'output u into "u.apng" every 2'
on_disk 200k "$PAVIOR" run full.pav --out disk >said 2>&1
check 'an animation ends as one does' sh -c 'tail -c 12 left/u.apng | grep -qa IEND'

# ---- tables ----
rows() { # ending: so many as the head says, or those of a run with room enough; all that fit
    size=$(wc -c <"left/u.$1")
    [ "$size" -gt $((200 * 1024 - 100)) ] || { echo "$size bytes"; return 1; }
    case $1 in
        csv) head -c "$size" whole/u.csv | cmp - left/u.csv && [ -z "$(tail -c 1 left/u.csv | tr -d '\n')" ] ;;
        npy) grep -qa "'shape': ($(((size - 128) / 8)), 1)" left/u.npy && [ $((size % 8)) = 0 ] ;;
    esac
}
for ending in csv npy; do
    describe "sample u at (3, 3) every 1 into \"u.$ending\""
    "$PAVIOR" run full.pav --out whole --steps 40000 >said 2>&1
    refuse "a full disk and a table as .$ending" 1 "disk/u.$ending cannot be written: No space left" \
        on_disk 200k "$PAVIOR" run full.pav --out disk --steps 40000
    check "a full disk and a table as .$ending: rows are whole" rows "$ending"
done

# ---- checkpoints ----
describe
keep() { on_disk "$1" "$PAVIOR" run full.pav --checkpoint disk/c --every 8; }
refuse 'a full disk and a checkpoint'    1 'cannot be written: No space left on device' keep 80k
refuse 'how much it needs'               1 'KiB are needed and' keep 80k
refuse 'the one before stays'            1 'that of step 8 is still there' keep 80k
refuse 'how to go on is said'            1 'go on with: pavior run --restart disk/c' keep 80k
check  'nothing half written is left'    test "$(ls left)" = c
check  'that one is gone on with'        "$PAVIOR" run full.pav --restart left/c
describe 'output u into "u.npy" every 2'
outputs() { on_disk 200k "$PAVIOR" run full.pav --out disk --checkpoint c --every 3; }
refuse 'an output that fails says how to go on' 1 'go on with: pavior run --restart c' outputs
goes_on() { "$PAVIOR" run full.pav --restart c --out again && cmp again/u-000040.npy whole/u-000040.npy; }
check  'and from there it goes on'       goes_on

# ---- all other files of a command, on a disk with little or no free space ----
crammed() { # KiB that are free, command...
    on_disk 1m sh -c 'head -c $((1024 - $1))k /dev/zero >disk/zeros; shift; exec "$@"' sh "$@"
}
tiny='full.pav --device interpreter --out-of-core auto:parts=4 --no-files'
printf 'grid x 9, y 9\nfield u = x*y\nsolve -laplace(u) = 1 by cg to 1e-6\nborder u = 0\n' >solve.pav
printf 'grid x 16\nparam a = 1\nfield u = a*x\nu'"'"' = u\nsteps 3\nsample u at (3) into "u.csv"\n' >shot.pav
printf 'a\n1\n2\n' >shots.csv
describe
out_of_room() { refuse "a full disk and $1 $2: the command fails" 1 'No space left on device' crammed 0 "$PAVIOR" "$@"; }
out_of_room run --timeline disk/t.json $tiny
out_of_room run --disk disk $tiny
out_of_room run --convergence disk/c.svg solve.pav --no-files
out_of_room run --shots shots.csv shot.pav --out disk
out_of_room gen full.pav -o disk/made
PAV_WISDOM=disk/wisdom out_of_room tune heat2d@16x16 --seconds 1 --device cpu
[ -n "$(command -v cc)" ] && out_of_room compile full.pav --device cpu -o disk/bundle

# ---- other limits and places ----
describe 'output u into "u.npy" every 2'
limited() { (ulimit -f 20; exec "$PAVIOR" run full.pav --out "$1"); }
refuse 'a limit on files is told'        1 'a limit on the size of files' limited limits
check  'and leaves none'                 test -z "$(ls -A limits)"
read_only() { unshare -rm sh -c 'mount -t tmpfs -o ro tmpfs disk && exec "$@"' sh "$@"; }
refuse 'an unwritable directory is told before the first step' 2 'write into a directory that you may write to' \
    read_only "$PAVIOR" run full.pav --out disk
refuse 'also for a checkpoint' 2 'write into a directory that you may write to' \
    read_only "$PAVIOR" run full.pav --no-files --checkpoint disk/c
refuse 'and for a figure'                2 'write into a directory that you may write to' \
    read_only "$PAVIOR" bench heat2d@8x8 --repetitions 1 --figure disk/f.svg
finish
