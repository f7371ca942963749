# SPDX-License-Identifier: BSD-3-Clause
# Generated programs of all bundled programs, the catalogue and some random programs have the bits of a run. $PROGRAMS:
# number of random programs (100); then only these are taken.
. "${0%/*}/../test.sh"
. "$SOURCE/tests/generate/agree.sh"

compilers=$CC
command -v clang >/dev/null && [ "${CC##*/}" != clang ] && compilers="$CC clang"
turn=0
each() { # FILE [STEPS]: by one compiler after the other
    turn=$((turn + 1))
    set -- "$1" "${2:-}" $compilers
    file=$1 steps=$2
    shift 2
    [ $((turn % $#)) = 0 ] || shift $((turn % $#))
    check "$file has the bits of a run ($1)" agree "$1" "$file" "$steps"
}

bundled() {
    for file in advection blur3d burgers diffusion drum elastic2d gray-scott heat1d heat2d life maxwell2d obstacle shift twogrid \
        wave2d cahn-hilliard poisson2d poisson3d plate; do
        each "$(echo "$SOURCE"/examples/*/$file.pav)" 6
    done
    for word in star1d:r=3@2000 star2d:r=2@70x65 star3d:r=2@33x20x17 box2d:r=2@40x50 box3d@20x20x20 \
        sym27:preset=fe@24x24x24 heat3d@40x30x20/f32 wave3d:absorb=4@40x30x30 jacobi2d@60x60 grayscott3d@20x20x24/f32 \
        elastic3d@24x24x24 advect2d@60x50; do
        each "$word" 5
    done
}
by_tiles() { # FILE SEED: what comes next takes time tiles where it can, of each second seed
    GEN_MORE='--schedule time:depth=3,tile=8x3' EVERY=4
    [ $(($2 % 2)) = 0 ] && "$PAVIOR" gen "$1" -o tried $GEN_MORE >/dev/null 2>&1 || GEN_MORE='' EVERY=''
}

[ -n "${PROGRAMS:-}" ] || bundled
for seed in $(seq "${PROGRAMS:-16}"); do
    "$PAVIOR" check --print --seed $seed | grep -v '^ *expect' >random-$seed.pav
    if "$PAVIOR" gen random-$seed.pav -o tried 2>&1 | grep -q 'cannot be written as C yet'; then
        skip "the random program of seed $seed" 'it is refused'
    else
        by_tiles random-$seed.pav $seed
        SEEN=1
        each random-$seed.pav
        GEN_MORE='' EVERY='' SEEN=''
    fi
done
finish
