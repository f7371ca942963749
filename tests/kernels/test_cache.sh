# SPDX-License-Identifier: BSD-3-Clause
# The cache of kernels in practice: a read-only home, a full disk, a hundred runs at once, and a start with all kernels
# in the cache.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'the cache of kernels' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    finish
fi
run() { # cache, arguments...
    run_cache=$1
    shift
    PAV_CACHE=$run_cache "$PAVIOR" run heat3d@20x20x20/f32 --steps 2 --no-files --device cpu "$@" 2>&1
}
says() { # text, cache
    run "$2" >said && cat said && grep -qF -e "$1" said
}
hundred() {
    n=0
    while [ $n -lt 100 ]; do
        { run "$scratch/hundred" --quiet --threads 1 && echo good >good.$n; } &
        n=$((n + 1))
    done
    wait
    [ "$(cat good.* | wc -l)" = 100 ] && [ "$(ls hundred/pavior-kernels/*.so | wc -l)" = 1 ]
}
check 'a hundred runs at once leave one object'  hundred
check 'a cache that is a file is done without'   says 'compiled kernels are not kept' "$PAVIOR"

# The compiler counts its calls, so the test needs no clock.
printf '#!/bin/sh\necho "$*" >>"%s/calls"\nexec "%s" "$@"\n' "$scratch" "$CC" >counting-cc
chmod +x counting-cc
starts() { # calls of the compiler after this start
    PAV_CC=$scratch/counting-cc run "$scratch/counted" --quiet || return 1
    cat calls && [ "$(wc -l <calls)" = "$1" ] && find counted | sort >"kept.$2"
}
check 'the first start calls the compiler once'   starts 1 first
check 'a start from the cache calls no compiler'  starts 1 second
check 'a start from the cache adds no file'       cmp kept.first kept.second

# Mounts are made in a separate name space. Not every system allows this.
apart() { unshare --user --map-root-user --mount sh -c "$1"; }
if apart 'mount -t tmpfs -o size=64k none /mnt' 2>/dev/null; then
    export PAVIOR
    fills() { # KiB that are free: one sentence, whether the text or what the compiler makes of it finds no room
        apart "mount -t tmpfs -o size=128k none /mnt && head -c $((128 - $1))k /dev/zero >/mnt/zeros; chmod 700 /mnt
            PAV_CACHE=/mnt \"\$PAVIOR\" run heat3d@20x20x20/f32 --steps 2 --no-files --device cpu --quiet" >said 2>&1 &&
            cat said && [ "$(wc -l <said)" = 1 ] &&
            grep -Eq 'not kept: /mnt cannot be used .kernels cannot be compiled in /mnt/.*, where .* are free.; PAV_CACHE' said
    }
    everything='mount -t tmpfs -o size=64k none /mnt && head -c 60k /dev/zero >/mnt/zeros; chmod 700 /mnt
        PAV_CACHE=/mnt TMPDIR=/mnt "$PAVIOR" run heat3d@20x20x20/f32 --steps 2 --no-files --device cpu'
    read_only='mount -t tmpfs none /mnt && mkdir /mnt/home && mount -o remount,ro /mnt
        unset PAV_CACHE XDG_CACHE_HOME
        HOME=/mnt/home "$PAVIOR" run heat3d@20x20x20/f32 --steps 2 --no-files --device cpu'
    reads() { apart "$read_only" >said 2>&1 && cat said && grep -q 'not kept: /mnt/home/.cache/pavior.*Read-only' said; }
    unable='mount -t tmpfs -o noexec none /mnt && chmod 700 /mnt
        PAV_CACHE=/mnt "$PAVIOR" run heat3d@20x20x20/f32 --steps 2 --no-files --device cpu'
    check  'a cache that is full is done without'      fills 4
    check  'so is one that becomes full'               fills 78
    refuse 'where no program may be run is a sentence' 1 'PAV_CACHE names another' apart "$unable"
    refuse 'a disk that is full all over is a sentence' 1 'free some space, or TMPDIR names another' apart "$everything"
    check  'a home that is read-only is done without'  reads
else
    skip 'a full disk and a read-only home' 'mounting is not allowed here'
fi
silent() { PAV_CC=/bin/false run "$scratch/none" --quiet >said; [ "$(wc -l <said)" = 1 ] && grep -q 'name another in PAV_CC' said; }
check 'a compiler that says nothing is one sentence'   silent
[ "$(id -u)" = 0 ] || {
    mkdir shut && chmod 500 shut
    check 'a directory that cannot be written to is done without' says 'Permission denied' "$scratch/shut"
    chmod 700 shut
}
finish
