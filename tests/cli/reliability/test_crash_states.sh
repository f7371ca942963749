#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# After a crash of the machine at any moment, Pavior can go on from the files left on the disk. crash/crash_states.c
# records the writes, renames and syncs of a command, and makes each possible state of the disk. From each state the
# next command must produce the files of an unbroken run, or keep the earlier contents.
. "${0%/*}/../../test.sh"

$CC -std=gnu11 -O1 -Wno-format-truncation -o crash_states "$SOURCE/tests/cli/reliability/crash/crash_states.c" 2>compiler.log || {
    test_skip 'states after a crash' "crash_states.c does not compile here: $(head -n 1 compiler.log)"
    finish
}
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # the recorder traces, and so does the search for leaks
mkdir probe
./crash_states record probe.log probe true 2>probe.said || {
    test_skip 'states after a crash' "$(cat probe.said)"
    finish
}

# Goes through the states of a command in a folder: every second or third if there are many (CRASH_STATES, 60; the
# campaign takes all). In each state `next` must succeed.
most=${CRASH_STATES:-60}
every_state() { # sentence, folder, least number of states, command...
    state_name=$1 state_folder=$2 state_least=$3
    shift 3
    rm -rf before log
    cp -R "$state_folder" before
    here=$PWD
    check "$state_name: it is recorded" sh -c 'cd "$1" && shift && "$@"' sh "$state_folder" \
        "$here/crash_states" record "$here/log" . "$@"
    states=$(./crash_states states log before)
    check "$state_name: $states states" [ "$states" -ge "$state_least" ]
    bad=0 number=0 stride=$(((states + most - 1) / most))
    while [ "$number" -lt "$states" ]; do
        rm -rf state
        how=$(./crash_states make log before "$number" state 2>&1)
        (cd state && next) >next.log 2>&1 || {
            bad=$((bad + 1))
            echo "state $number, $how:"
            sed 's/^/    /' next.log | head -n 20
        }
        number=$((number + stride))
    done
    check "$state_name: the next command goes on from each" [ "$bad" = 0 ]
}

cat >heat.pav <<'END2'
grid x 12, y 9
field u = random(3)
u' = u + 0.1*laplace(u)
border clamp
steps 30
sample u at (3, 4) every 5 into "s.csv"
measure e = norm(u) every 3 into "e.npy"
output u every 10 into "u.npy"
END2
heat() { # options
    "$PAVIOR" run ../heat.pav --device interpreter --checkpoint c --every 10 --quiet "$@"
}
mkdir whole
check 'an unbroken run' sh -c 'cd whole && "$1" run ../heat.pav --device interpreter --checkpoint c --every 10 --quiet' sh "$PAVIOR"
next() {
    if [ -e c ] || [ -e c.old ]; then heat --restart c; else heat; fi || return 1
    rm -f c.old ../whole/c.old
    diff -r . ../whole
}
mkdir checkpoints
every_state 'a run with checkpoints and tables' checkpoints 60 "$PAVIOR" run ../heat.pav --device interpreter \
    --checkpoint c --every 10 --quiet

# The second half of a run: it has a checkpoint to lose.
mkdir half
check 'a first half' sh -c 'cd half && "$1" run ../heat.pav --device interpreter --checkpoint c --every 10 --quiet --steps 20' sh "$PAVIOR"
next() {
    [ -e c ] || [ -e c.old ] || { echo 'no checkpoint is left'; return 1; }
    heat --restart c || return 1
    rm -f c.old ../whole/c.old
    diff -r . ../whole
}
every_state 'a run that goes on' half 30 "$PAVIOR" run ../heat.pav --device interpreter --restart c --checkpoint c \
    --every 10 --quiet

# Fields in files of a disk.
cat >wide.pav <<'END2'
grid x 12, y 40
field u = random(3)
u' = u + 0.1*laplace(u)
border clamp
steps 12
output u into "u.npy"
END2
disk() { # options
    "$PAVIOR" run ../wide.pav --device interpreter --disk . --out-of-core auto:parts=3,steps=2 \
        --checkpoint c --every 4 --quiet "$@"
}
mkdir plain disks
check 'the same on no disk' sh -c 'cd plain && "$1" run ../wide.pav --device interpreter --quiet' sh "$PAVIOR"
next() {
    if [ -e c ] || [ -e c.old ]; then disk --restart c; else disk; fi || return 1
    cmp u.npy ../plain/u.npy
}
every_state 'a run with its fields in files' disks 30 "$PAVIOR" run ../wide.pav --device interpreter \
    --disk . --out-of-core auto:parts=3,steps=2 --checkpoint c --every 4 --quiet

# Wisdom: earlier lines are never lost.
mkdir known
check 'wisdom of one run' env PAV_WISDOM=known/w "$PAVIOR" wisdom import "$SOURCE/tests/cli/reliability/crash/one.wisdom" --any
check 'and of another' [ "$(PAV_WISDOM=known/w "$PAVIOR" wisdom list | grep -c one.pav)" = 1 ]
next() {
    PAV_WISDOM=w "$PAVIOR" wisdom list >listed || return 1
    grep -q one.pav listed || { echo 'what was known is lost'; cat listed; return 1; }
}
every_state 'an import of wisdom' known 3 env PAV_WISDOM=w "$PAVIOR" wisdom import \
    "$SOURCE/tests/cli/reliability/crash/two.wisdom" --any

# The cache of kernels: an object damaged by a crash is made again.
mkdir cached
next() {
    PAV_CACHE=$PWD/kernels "$PAVIOR" run ../wide.pav --device cpu --quiet --out made || return 1
    cmp made/u.npy ../plain/u.npy
}
every_state 'a cache of kernels' cached 10 env PAV_CACHE=kernels "$PAVIOR" compile ../wide.pav --device cpu

finish
