#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run shared by MPI ranks has the files of a run by one process, and a failure of one rank ends all ranks.
. "${0%/*}/../../test.sh"

why=
command -v mpirun >/dev/null || why='there is no mpirun (openmpi-bin)'
"$PAVIOR" doctor | grep -q 'MPI *found' || why='there is no plugin for MPI (libopenmpi-dev)'
[ -z "$SANITIZED" ] || why='MPI has leaks of its own (by hand: ASAN_OPTIONS=detect_leaks=0)'
[ -z "$why" ] || { skip 'ranks' "$why" && finish; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export MPIEXEC_TIMEOUT=600 # a hang ends as a failure with a sentence
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_odls_base_sigkill_timeout=0
cat >wave.pav <<'END2'
grid x 21, y 16
field u = exp(-((x-10)^2 + (y-8)^2)/9); field c coarse; v
c' = restrict(u)
u' = 2*u - prev(u) + 0.1*laplace(u, order 4) + 0.01*u[1,1]*u[-1,-1] + 0.01*interpolate(c')
v' = v + u'[1,0] - u'[-1,0]
border u = t at y-; border neumann u at y+, x-, x+; border mirror v, c
inject t + 1 into u at (10.3, 7.7), (4.5, 7.5)
sample u at (10.5, 7.5), (3, 3) every 1 into "s.npy"
measure m = sum(u*v) every 4 into "m.csv"
steps 8
output u every 4 into "u.npy"; output v into "v.png"
END2
cat >long.pav <<'END2'
grid x 64, y 64
field u = exp(-((x-10)^2 + (y-8)^2)/9)
u' = u + 0.1*laplace(u)
border u = 0
steps 1000000000
checkpoint every 100 into "long"
END2
ranks() { # number, words of `pavior run`
    count=$1
    shift
    mpirun -n "$count" "$PAVIOR" run --checkpoint kept "$@"
}
same() {
    check "$1" diff -r whole ranks
    check 'and the same checkpoint' cmp whole.kept kept
    rm -rf ranks kept
}

check 'one process' "$PAVIOR" run wave.pav --out whole --checkpoint whole.kept
for count in 1 2 3 5 8; do
    check "$count ranks share a run" ranks $count wave.pav --out ranks
    same 'with the files of one process'
done
check 'in more boxes than ranks' ranks 3 wave.pav --subdomains 2x2 --out ranks
same 'with the same files'
check 'by weights' ranks 3 wave.pav --weights 2,1,4 --out ranks
same 'with the same files'
check 'five leave a checkpoint' ranks 5 wave.pav --steps 4 --out ranks
check 'and two go on' ranks 2 wave.pav --out ranks --restart kept
same 'to the same end'

# ---- lines of transforms cross ranks ----
cat >lines.pav <<'END2'
grid x 21, y 33, z 9
field u = random(1); w
solve u' - laplace(u') = u by auto to 1e-9
w' = tridiagonal(-1, 3, -1, u along y) + tridiagonal(-1, 3 + x/9, -1, u along y)
border u = 1 at x-, x+; border periodic u at y-, y+; border neumann u at z-, z+
steps 4
output u into "u.npy"; output w into "w.npy"
END2
check 'one process' "$PAVIOR" run lines.pav --out lines --checkpoint whole.kept
for cut in 3x1x1 1x3x1 1x1x3 2x3x1; do
    check "three ranks cut lines: $cut" ranks 3 lines.pav --subdomains $cut --out ranks
    check 'with the same files' diff -r lines ranks
    check 'and the same checkpoint' cmp whole.kept kept
done
check 'three leave a checkpoint' ranks 3 lines.pav --steps 2 --out ranks
check 'and two go on' ranks 2 lines.pav --restart kept --out ranks
check 'to the same end' diff -r lines ranks
rm -rf ranks kept

# ---- halos travel while the inside is computed ----
cat >star.pav <<'END2'
grid x 13, y 41
field u = exp(-((x-6)^2 + (y-19)^2)/9)
u' = 2*u - prev(u) + 0.1*laplace(u, order 4)
border u = t at y-; border neumann u at y+, x-, x+
steps 9
output u into "u.npy"
END2
check 'one process' "$PAVIOR" run star.pav --out star --checkpoint whole.kept
check 'three ranks' ranks 3 star.pav --out ranks
check 'have its files' diff -r star ranks
check 'and the same checkpoint' cmp whole.kept kept
check 'time blocks between exchanges' ranks 3 star.pav --schedule time:depth=2,tile=4x4 --out ranks
check 'have its files, too' diff -r star ranks

# ---- each writes and reads its own points of a checkpoint ----
cat >plain.pav <<'END2'
real f32
grid x 13, y 41
field u = exp(-((x-6)^2 + (y-19)^2)/9); field c = 0.1 + 0.001*x
u' = 2*u - prev(u) + c*laplace(u, order 4)
border neumann u
steps 9
output u every 3 into "u.npy"; output u every 4 into "u.h5"; output u every 4 into "w.nc"; output u every 3 crop (2, 5) to (9, 39) stride 2 into "v.xdmf"
END2
rm -rf ranks kept
check 'one process' "$PAVIOR" run plain.pav --out plain --checkpoint whole.kept
for boxes in 3x1 2x3; do
    check "three ranks with $boxes boxes" ranks 3 plain.pav --out ranks --subdomains $boxes
    check 'have its files' diff -r plain ranks
    check 'and the same checkpoint' cmp whole.kept kept
done
check 'three ranks stop early' ranks 3 plain.pav --steps 5 --out early
check 'two go on' ranks 2 plain.pav --out ranks --restart kept
check 'to the same files' diff -r plain ranks
check 'and the same checkpoint' cmp whole.kept kept
# shellcheck disable=SC2016
check 'a byte is damaged' sh -c 'size=$(wc -c <kept) && printf "\377" | dd of=kept bs=1 seek=$((size - 500)) conv=notrunc status=none && rm -f kept.old'
refuse 'which ranks together see' 2 'its bytes do not have its checksum' ranks 2 plain.pav --out ranks --restart kept
rm -rf ranks early kept

check 'they are one run to whoever listens' sh -c \
    '[ "$(mpirun -n 2 "$1" run wave.pav --no-files --quiet --json | grep -c "\"ranks\": 2")" = 1 ]' sh "$PAVIOR"

check 'and tell how much of an exchange is hidden' sh -c \
    'mpirun -n 2 "$1" run heat3d@16x16x16/f32 --steps 80 --exchange-every 1 --no-files | grep -q "; one takes .* us, of which .* are hidden"' \
    sh "$PAVIOR"

refuse 'ranks are started alike' 2 'rank 1 has another description' \
    mpirun -n 1 "$PAVIOR" run wave.pav --no-files : -n 1 "$PAVIOR" run wave.pav --no-files --steps 7
refuse 'one that fails alone ends all' 1 'rank 1 of 2: there is no emulated:998' \
    mpirun -n 1 "$PAVIOR" run wave.pav --no-files : -n 1 "$PAVIOR" run wave.pav --no-files --device emulated:998
refuse 'each has a weight' 2 'for each of the 2 ranks' mpirun -n 2 "$PAVIOR" run wave.pav --no-files --weights 1,2,3
refuse 'ranks share runs and plans' 2 'not `pavior doctor`' mpirun -n 2 "$PAVIOR" doctor
# shellcheck disable=SC2016
check 'a plan draws the boxes of ranks, once' sh -c \
    'mpirun -n 4 "$1" plan heat3d@64x64x64 >said && [ "$(grep -c "| 2 | 3 |" said)" = 1 ] &&
    grep -q "128.0 KiB exchanged a step (MPI)" said && grep -q "2 on rank 2: .* 32.0 KiB a step from 3, 0" said' sh "$PAVIOR"
refuse 'of one size' 2 'not of ranks' mpirun -n 2 "$PAVIOR" plan heat3d --sizes 16,32

cat >stiff.pav <<'END'
grid x 41, y 31 spacing 10
param dt = 0.0026
field v; w; p; k = where(y < 100, 1500^2, 3000^2); r = where(y < 100, 1, 0.9)
v' = v + dt*r*dx(p, at +1/2)
w' = w + dt*r*dy(p, at +1/2)
p' = p + dt*k*(dx(v', at -1/2) + dy(w', at -1/2))
absorb 8 cells
inject ricker(10, t) into p at (200, 150)
steps 3
END
sed '/^field/s/.*/field u; c = where(y < 100, 1500, 3200)/; /^[vw].*=/d
    s/^p. = .*/u'"'"' = 2*u - prev(u) + (c*dt)^2*laplace(u)/; s/ into p / into u /' stiff.pav >fast.pav
# 10/(3000*sqrt(2*0.9)) and 10/(3200*sqrt(2)): only ranks with fast rock.
refuse 'a system whose step is too long' 0 'the longest stable step is 0.00248' \
    mpirun -n 3 "$PAVIOR" run stiff.pav --no-files
refuse 'so is a wave told' 0 'the longest stable step is 0.00221' mpirun -n 3 "$PAVIOR" run fast.pav --no-files

# ---- a rank hangs, is stopped or is killed ----
launch() { # the environment's settings; until there is a checkpoint
    rm -f long long.old pid.*
    # shellcheck disable=SC2016
    mpirun -n "$1" sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$1" run long.pav' sh "$PAVIOR" >said 2>&1 &
    launcher=$!
    wait_for $launcher [ -e long ]
}
whole() { refuse 'and the checkpoint is whole' 2 'past the 1 requested steps' "$PAVIOR" run long.pav --restart long --steps 1; }

export PAV_RANK_SECONDS=5
launch 3
check 'a rank hangs' kill -STOP "$(cat pid.1)"
wait "$launcher"
check 'and the others end the run' [ $? != 0 ]
check 'and name it' grep -q 'rank [0, ]*1[2, ]* did not answer for 5 seconds' said
whole

export PAV_RANK_SECONDS=1,note OMPI_MCA_odls_base_sigkill_timeout=3
launch 3
check 'the first hangs for a while' kill -STOP "$(cat pid.0)"
# On a busy machine another rank may be as silent: "rank 0, 2 did not answer".
wait_for "$launcher" grep -q 'rank 0[12, ]* did not answer' said
check 'and is named by another, which waits on' \
    grep -q 'rank 0[12, ]* did not answer for 1 seconds: it hangs; rank [12] waits on' said
check 'it goes on' kill -CONT "$(cat pid.0)"
unset PAV_RANK_SECONDS
check 'mpirun gets a SIGTERM' kill -TERM "$launcher"
wait "$launcher"
check 'and ends with its own status' [ $? != 0 ]
check 'when ranks have said how to go on' grep -q 'go on with: pavior run --restart long long.pav' said
whole

launch 2
check 'mpirun gets a SIGUSR1' kill -USR1 "$launcher"
wait "$launcher"
check "and ends with the ranks' status" [ $? = 75 ]
whole
export OMPI_MCA_odls_base_sigkill_timeout=0

launch 2
check 'a rank is killed' kill -9 "$(cat pid.1)"
wait "$launcher"
check 'and the others end with a status that says so' [ $? != 0 ]
whole

# ---- memory of GPUs ----
refuse 'a GPU that is too small is named' 1 'rank 1 of 2: heat3d@64x64x64 needs' \
    mpirun -n 1 "$PAVIOR" run heat3d@64x64x64 --no-files --device emulated : \
    -n 1 "$PAVIOR" run heat3d@64x64x64 --no-files --device emulated --device-memory 1MiB
refuse 'so is that of the first' 1 'of device memory on emulated, --device-memory allows 1.0 MiB' \
    mpirun -n 2 "$PAVIOR" run heat3d@64x64x64 --no-files --device emulated --device-memory 1MiB

cat >shot.pav <<'END2'
grid x 24, y 20
param sx = 6
field u; c = 0.4 + 0.01*x
u' = 2*u - prev(u) + c^2*laplace(u)
absorb 4 cells
inject exp(-(t - 3)^2) into u at (sx, 6)
sample u along (5, 12) to (18, 12) count 5
steps 20
END2
printf 'sx\n6\n9\n12\n14\n17\n' >shots.csv
check 'a survey of one process' "$PAVIOR" gradient shot.pav --shots shots.csv --quiet --out one
check 'three ranks take turns' mpirun -n 3 "$PAVIOR" gradient shot.pav --shots shots.csv --quiet --out three
check 'and add up to the same bits' cmp one/c-gradient.npy three/c-gradient.npy
check 'no shot is left over' [ "$(ls three)" = c-gradient.npy ]
check 'doctor says whether MPI is aware of GPUs' sh -c '"$1" doctor | grep -Eq "MPI +found \(.*, (not )?aware of GPUs\)"' sh "$PAVIOR"
finish
