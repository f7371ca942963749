#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Gradients and images of many shots: they are the sum over single shots, and an interrupted survey can be resumed.
. "${0%/*}/../../test.sh"

says() { # text, command...
    text=$1
    shift
    "$@" | grep -q -e "$text"
}

notes() { # the same of what is told besides
    text=$1
    shift
    "$@" 2>&1 | grep -e "$text" > notes.txt
}

cat > shot.pav <<'END'
grid  x 31, z 26 spacing 10 down
param f = 25; dt = 0.0015; sx = 100; deep = 1500
field u; c = where(z < 150, 1500, deep)
u' = 2*u - prev(u) + (c*dt)^2*laplace(u, order 4)
absorb 5 cells by pml
inject (c*dt)^2*ricker(f, t)/h^2 into u at (sx, 70)
sample u along (60, 70) to (240, 70) count 7 into "d.npy"
steps 120
END
printf 'sx, data\n# two shots\n100, a/d.npy\n 200 ,b/d.npy\n' > shots.csv

sed 's/x 31, z 26/x 61, z 46/; s/^steps .*/steps 200/' shot.pav > long.pav
for shot in a b; do
    "$PAVIOR" run long.pav --set deep=2000 --out long-$shot --quiet
done
printf 'sx, data\n100, long-a/d.npy\n200, long-b/d.npy\n' > long.csv
check 'a shot is recorded'            "$PAVIOR" run shot.pav --set deep=2000 --out a --quiet
check 'and another'                   "$PAVIOR" run shot.pav --set deep=2000 --set sx=200 --out b --quiet
check 'a gradient'                    says 'misfit' "$PAVIOR" gradient shot.pav --of c --data a/d.npy --out one
check 'its file is named'             says 'wrote one/c-gradient.npy' sh -c '"$0" gradient shot.pav --of c --data a/d.npy --out one 2>&1' "$PAVIOR"
check 'of the other'                  says 'misfit' "$PAVIOR" gradient shot.pav --of c --data b/d.npy --set sx=200 --out two
check 'of both'                       says 'misfit' "$PAVIOR" gradient shot.pav --of c --shots shots.csv --out both
check 'no shot is left there'         says '^c-gradient.npy$' ls both
cat > sum.pav <<'END'
grid  x 31, z 26 spacing 10 down
field a = "one/c-gradient.npy"; b = "two/c-gradient.npy"; s = "both/c-gradient.npy"
expect max(abs(a + b - s)) == 0 and max(abs(s)) > 0
END
check 'which is the sum'              "$PAVIOR" run sum.pav --steps 1 --quiet

# Several samples: all by the directory of their files, or one by its file.
sed 's/^sample.*/sample u at (60, 70) into "one.npy"\nsample u, dx(u) along (70, 70) to (240, 70) count 6 every 2 into "more.npy"\nsample u at (90, 90) into "drawn.png"/' shot.pav > lines.pav
fails() { # text, command...
    text=$1
    shift
    ! "$@" > /dev/null 2> fails.txt && grep -q -e "$text" fails.txt
}
check 'three samples are recorded'    "$PAVIOR" run lines.pav --set deep=2000 --out lines --quiet
check 'those with traces go back'     notes 'those of 2 of 3' "$PAVIOR" gradient lines.pav --of c --data lines --out all
for one in one more; do
    check 'one of them'               notes 'those of 1 of 3' "$PAVIOR" gradient lines.pav --of c --data lines/$one.npy --out only-$one
done
cat > parts.pav <<'END'
grid  x 31, z 26 spacing 10 down
field a = "only-one/c-gradient.npy"; b = "only-more/c-gradient.npy"; s = "all/c-gradient.npy"
expect max(abs(a + b - s)) < 1e-12*max(abs(s)) and max(abs(a)) > 0 and max(abs(b)) > 0
END
check 'their sum is that of all'      "$PAVIOR" run parts.pav --steps 1 --quiet
check 'other data are refused'        fails '3 .sample. lines, and none .into "d.npy"' "$PAVIOR" gradient lines.pav --of c --data a/d.npy --out no
check 'an image of two'               "$PAVIOR" migrate lines.pav --data lines --out image-of-two --quiet

# Receivers and sources from the headers of a SEG-Y file.
sed 's/"d.npy"/"d.sgy"/' shot.pav > headers.pav
sed 's/into u at .*/into u at "h\/d.sgy"/; s/^sample.*/sample u at "h\/d.sgy" into "d.npy"/' shot.pav > from.pav
check 'a gather is recorded'          "$PAVIOR" run headers.pav --out h --quiet
check 'its positions have an adjoint' says 'a rounding' "$PAVIOR" adjoint from.pav --test
check 'and a gradient'                "$PAVIOR" gradient from.pav --of c --data a/d.npy --out by-headers --quiet
check 'with the same bits'            cmp by-headers/c-gradient.npy one/c-gradient.npy

# Shots with different positions and data, but otherwise equal, are computed together, with the bits of each.
check 'two shots as one'              notes '2 shots are computed as one' "$PAVIOR" gradient shot.pav --of c --shots shots.csv --together 2 --out as-one
check 'have the same bits'            cmp as-one/c-gradient.npy both/c-gradient.npy
check 'one by one'                    "$PAVIOR" gradient shot.pav --of c --shots shots.csv --together 1 --out alone --quiet
check 'they have, too'                cmp alone/c-gradient.npy both/c-gradient.npy
for device in interpreter emulated; do
    check "on $device"                notes '2 shots are computed as one' "$PAVIOR" gradient shot.pav --of c --shots shots.csv --together 2 --device $device --out on-$device
    check 'the bits are the same'     cmp on-$device/c-gradient.npy both/c-gradient.npy
done
for n in 2 1; do
    check "in time tiles, $n at once"  "$PAVIOR" gradient long.pav --of c --shots long.csv --together $n --device cpu --threads 2 --out tiles-$n --quiet
done
check 'they have the same bits'       cmp tiles-2/c-gradient.npy tiles-1/c-gradient.npy
printf 'sx, deep, data\n100, 1500, a/d.npy\n200, 1600, b/d.npy\n100, 1500, b/d.npy\n150, 1500, b/d.npy\n' > mixed.csv
check 'models that differ are not'    notes '2 shots are computed as one' "$PAVIOR" gradient shot.pav --of c --shots mixed.csv --together 4 --out mixed
check 'nor need be'                   "$PAVIOR" gradient shot.pav --of c --shots mixed.csv --together 1 --out each --quiet
check 'and give the same sum'         cmp mixed/c-gradient.npy each/c-gradient.npy
cat > given.pav <<'MODEL'
grid  x 31, z 26 spacing 10 down
field c = where(z < 150, 1500, 2100)
output c into "c.npy"
MODEL
printf 'grid x 121\nfield w = ricker(25, x*0.0015)\noutput w into "w.npy"\n' > wavelet.pav
check 'a model'                       "$PAVIOR" run given.pav --steps 1 --quiet
check 'a wavelet'                     "$PAVIOR" run wavelet.pav --steps 1 --quiet
sed 's/; deep = 1500//; s/c = where.*/c = "c.npy"/; s/ricker(f, t)/1/; s/^inject (c\*dt)^2\*1\/h^2/inject "w.npy"*(c*dt)^2\/h^2/' \
    shot.pav > from-files.pav
for n in 1 2; do
    check "of files, $n together"     "$PAVIOR" migrate from-files.pav --shots shots.csv --together $n --out files-$n --quiet
done
check 'their image is the same'       cmp files-1/image.npy files-2/image.npy
check 'and the light'                 cmp files-1/illumination.npy files-2/illumination.npy
printf 'grid x 31, z 26\nfield m = where(abs(x - 15) < 3 and z > 15, 0, 1)\noutput m into "rock.npy"\n' > rock.pav
check 'points that a mask keeps'      "$PAVIOR" run rock.pav --steps 1 --quiet
(cat shot.pav; echo 'mask "rock.npy"') > masked.pav
for n in 1 2; do
    check "around them, $n together"  "$PAVIOR" gradient masked.pav --of c --shots shots.csv --together $n --out masked-$n --quiet
done
check 'the gradient is the same'      cmp masked-1/c-gradient.npy masked-2/c-gradient.npy
printf 'field m = "rock.npy"; g = "masked-1/c-gradient.npy"\nexpect max(abs(g)) > 0 and max(abs(g)*(1 - m)) == 0\n' |
    cat rock.pav - | sed '/^field m = where/d; /^output/d' > kept.pav
check 'and 0 where they are kept'     "$PAVIOR" run kept.pav --steps 1 --quiet
check 'a plan tells how many'         says 'shots on a large GPU' "$PAVIOR" gradient shot.pav --plan --shots shots.csv

# The first shot is done, and the data of the second are missing: the next command does not repeat the first shot.
mv b/d.npy b/away.npy
refuse 'data that are missing'        2 'shot 2 of 2: ' "$PAVIOR" gradient shot.pav --of c --shots shots.csv --out again
mv b/away.npy b/d.npy
check 'what was done is kept'         says 'shot-0001-' ls again
check 'and gone on with'              says '120 steps forwards' "$PAVIOR" gradient shot.pav --of c --shots shots.csv --out again
check 'with the same bits'            cmp again/c-gradient.npy both/c-gradient.npy

# A model changes if its file is written anew.
cat > model.pav <<'END'
grid  x 31, z 26 spacing 10 down
param speed = 1500
field c = speed
output c into "c.npy"
END
sed 's/; deep = 1500//; s/c = where.*/c = "c.npy"/' shot.pav > filed.pav
check 'a model is written'            "$PAVIOR" run model.pav --steps 1 --quiet
mv b/d.npy b/away.npy
refuse 'a survey of it stops'         2 'shot 2 of 2: ' "$PAVIOR" gradient filed.pav --of c --shots shots.csv --out filed
mv b/away.npy b/d.npy
check 'another model is written'      "$PAVIOR" run model.pav --steps 1 --quiet --set speed=1600
check 'the survey goes on'            "$PAVIOR" gradient filed.pav --of c --shots shots.csv --out filed --quiet
check 'and one begins'                "$PAVIOR" gradient filed.pav --of c --shots shots.csv --out fresh --quiet
check 'with the same bits'            cmp filed/c-gradient.npy fresh/c-gradient.npy

# Ranks in directories of their own do not see each other's shots.
why=
command -v mpirun >/dev/null || why='there is no mpirun (openmpi-bin)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI is not known to sanitizers'
if [ -z "$why" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_hwloc_base_binding_policy=none
    mkdir r0 r1
    cp -r shot.pav shots.csv a b r0
    cp -r shot.pav shots.csv a b r1
    refuse 'a shot that rank 0 does not see' 2 'shot 2 was taken by rank 1' \
        mpirun -n 2 sh -c 'cd "r$OMPI_COMM_WORLD_RANK" && "$0" gradient shot.pav --of c --shots shots.csv --out own' "$PAVIOR"
    check 'one that it sees'              mpirun -n 2 "$PAVIOR" gradient shot.pav --of c --shots shots.csv --out seen --quiet
    check 'has the same bits'             cmp seen/c-gradient.npy both/c-gradient.npy
else
    skip 'ranks that share shots' "$why"
fi

check 'an image of both'              says 'misfit' "$PAVIOR" migrate shot.pav --shots shots.csv --out image
check 'is a picture'                  says 'migrated.png' ls image
check 'the plan of the past'          says 'all .* taken' "$PAVIOR" gradient shot.pav --plan
check 'that of an image'              says 'all *761.9 KiB' "$PAVIOR" migrate shot.pav --plan --data a/d.npy
check 'which is JSON'                 says '"taken": "snapshots"' "$PAVIOR" gradient shot.pav --plan --json --history 200KiB

printf 'sx, data\n100\n' > short.csv
refuse 'a line that is too short'     2 'short.csv:2: 1 values' "$PAVIOR" gradient shot.pav --shots short.csv
printf 'sx, data\n' > none.csv
refuse 'a list without shots'         2 'lists no shot' "$PAVIOR" gradient shot.pav --shots none.csv
printf 'ss\n100\n' > other.csv
refuse 'a name that is no param'      2 'shot 1: ' "$PAVIOR" gradient shot.pav --shots other.csv
refuse 'data of another sample'       2 'holds 26 rows of 31 traces' "$PAVIOR" gradient shot.pav --data one/c-gradient.npy
sed '/^param/s/; deep = .*//; s/c = where.*/c = "away.npy"/' shot.pav > away.pav
refuse 'a model that is not there'    2 'away.pav:3: field c: away.npy' "$PAVIOR" gradient away.pav --data a/d.npy
refuse 'which a survey names'         2 'away.pav:3: field c: away.npy' "$PAVIOR" migrate away.pav --shots shots.csv
refuse 'and a plan'                   0 'before the run: away.pav:3: field c: away.npy' "$PAVIOR" plan away.pav
refuse 'an image without data'        2 'data FILE' "$PAVIOR" migrate shot.pav
refuse 'a size that is none'          2 'such as 3GiB' "$PAVIOR" gradient shot.pav --history lots
refuse 'a history of nothing'         1 'do not hold one state' "$PAVIOR" gradient shot.pav --history 1KiB
refuse 'a way that is not there'      2 "no way 'some'" "$PAVIOR" gradient shot.pav --keep some
check 'the dot-product test'          says 'difference: ' "$PAVIOR" adjoint shot.pav --test
finish
