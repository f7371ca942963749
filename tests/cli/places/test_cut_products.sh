#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Combinations of features and places: sources and receivers of each kind, periodic axes and wide halos, in a cut grid
# or out of core. All have the bits of the interpreter on the uncut grid.
. "${0%/*}/../../test.sh"

same() { # sentence, program, options: the files are those of the interpreter in one piece
    same_name=$1 same_program=$2
    shift 2
    [ -d "$same_program" ] || check "$same_program runs in one piece" \
        "$PAVIOR" run "$same_program.pav" --device interpreter --out "$same_program"
    rm -rf placed
    check "$same_name" "$PAVIOR" run "$same_program.pav" --out placed "$@"
    check "$same_name: the files are the same" diff -r "$same_program" placed
}

# ---- wavelets from files ----
cat >wavelets.pav <<'END'
grid x 3, y 2
field w = 1 + x + 4*y
w' = 3*w
steps 6
sample w at (1, 1) every 1 into "one.npy"
sample w at (0, 0), (2, 1), (1, 0) every 1 into "each.npy"
END
check 'wavelets are made' "$PAVIOR" run wavelets.pav --quiet

cat >total.pav <<'END'
grid x 16, y 27
field u
u' = u
steps 4
inject "one.npy" into u at (9, 7)
expect sum(u) == 6*(1 + 3 + 9 + 27)
END
cat >traces.pav <<'END'
grid x 16, y 27
field u; v = 1 + x
u' = u + 0.1*laplace(u)
v' = v + 0.1*(v[1,0] - v)
border clamp
steps 9
inject "one.npy" into u at (9, 7), (3.5, 20.25)
inject "each.npy" into u at (12, 25), (2, 3), (7.5, 13.5)
inject "each.npy"*(1 + x*t) into v at (7, 26), (8, 0), (7.5, 13.5)
sample u, v at (8, 13), (2, 24), (7.5, 12.5) every 1 into "seen.npy"
output u into "u.npy"; output v into "v.npy"
END
for device in interpreter cpu emulated; do
    for cut in '--subdomains 2' '--subdomains 3x2' '--subdomains 1x3 --exchange-every 2'; do
        # shellcheck disable=SC2086
        check "a file's wavelet adds all of its values: $device $cut" \
            "$PAVIOR" run total.pav --device $device $cut
        # shellcheck disable=SC2086
        same "each kind of wavelet: $device $cut" traces --device $device $cut
    done
done
same 'each kind of wavelet: a list of devices' traces --device cpu+emulated --weights 1,1
same 'each kind of wavelet: time tiles between exchanges' traces --device cpu --subdomains 1x2 \
    --exchange-every 3 --schedule time
check 'a cut run is left half-way' "$PAVIOR" run traces.pav --device cpu --subdomains 2x2 --steps 4 \
    --checkpoint half --every 4 --out gone-on
check 'another cut goes on from there' "$PAVIOR" run traces.pav --device cpu --subdomains 1x3 --restart half --out gone-on
check 'with the values of the steps that follow' diff -r traces gone-on

# ---- whole lines across cuts: transforms of all axes, an elimination, a sum of lines ----
cat >jumps.pav <<'END'
grid x 20, y 13, z 11
field u = random(1); v
u' = u + 0.1*dxx(u) - 0.3*dy(v, at +1/2)
v' = v - 0.3*dy(u', at -1/2)
border neumann u, v at x-, x+; border periodic u, v at y-, y+; border odd u, v at z-, z+
steps 60 at once 10
output u into "u.npy"
END
cat >lines.pav <<'END'
real f32
grid x 17, y 16
field v = random(2); w
solve v' - laplace(v') = v by auto to 1e-4
w' = scan(0.5, v along y) + tridiagonal(-1, 3, -1, v along x) + sum(v along y)
border neumann v at x-, x+; border v = 1 at y-, y+
steps 6
output v into "v.npy"; output w into "w.npy"
END
for device in interpreter cpu emulated cpu+emulated emulated:0-2; do
    same "jumps on $device" jumps --device $device --subdomains 2x1x3
    same "lines on $device" lines --device $device --subdomains 3x1
done
same 'jumps by weights' jumps --device cpu+emulated --weights 1,3
for place in '--device cpu' '--device emulated' '--device cpu --disk .'; do
    # shellcheck disable=SC2086
    same "jumps out of core: $place" jumps $place --out-of-core auto:parts=3
done
check 'jumps are left half-way' "$PAVIOR" run jumps.pav --subdomains 1x3x1 --steps 30 --checkpoint half --out gone-jumps
check 'and go on out of core' "$PAVIOR" run jumps.pav --out-of-core auto:parts=2 --restart half --out gone-jumps
check 'to the same end' diff -r jumps gone-jumps

# ---- points along each axis, in any order, across periodic ends ----
cat >scattered.pav <<'END'
grid x 12, y 23, z 23
field u; v = x + y*z
u' = u + 0.1*laplace(u)
v' = v + 0.1*laplace(v) + 0.01*u
border periodic u, v
steps 6
inject 1 into u at (4, 3, 6), (4, 19, 0)
inject "each.npy" into v at (11, 22, 22), (0, 0, 0), (5, 1, 21)
sample u at (4, 18, 1), (4, 3, 22), (3, 22, 0), (0, 5, 11) every 1 into "u.csv"
sample v at (5, 22, 0), (10, 0, 22), (1, 1, 1.5) every 1 into "v.csv"
output u into "u.npy"; output v into "v.npy"
END
for visits in steps=2 'steps=2 --schedule time:depth=2,tile=11x4' 'steps=3 --schedule time:depth=3,tile=5x7' \
    'steps=3 --schedule rows'; do
    # shellcheck disable=SC2086
    same "points of visits: $visits" scattered --device cpu --out-of-core auto:parts=2,$visits
done
check 'visits are in time tiles' "$PAVIOR" run scattered.pav --device cpu --out placed \
    --out-of-core auto:parts=2,steps=3 --schedule time:depth=3,tile=5x7 --report report.json
check 'of several steps' grep -q 'depth=3' report.json
same 'points of visits: a GPU' scattered --device emulated --out-of-core auto:parts=2,steps=3
for cut in 2x1x1 1x2x1 1x1x2 2x2x2; do
    same "points of $cut subdomains" scattered --device cpu --subdomains $cut
done

# ---- wide halos along x: rows share lines of memory with the halo of the next row ----
for faces in 'mirror u, v at y-, y+; border periodic u, v at x-, x+' 'u = 0.5; border v = t' 'clamp' 'periodic'; do
    case $faces in
        *periodic*) width=20 cut=3x1 ;;
        *)          width=128 cut=2x1 ;; # box 1 begins where a line does, whatever the type
    esac
    cat >wide.pav <<END
grid x $width, y 5
field u = sin(x) + y; v stored f32 = x*y
u' = u + 0.1*laplace(u) + 0.01*v
v' = v + 0.1*(v[1,0] + v[-1,0] - 2*v)
border $faces
steps 11
output u into "u.npy"; output v into "v.npy"
END
    rm -rf wide
    for schedule in rows rows:stream rows:stream,rows=single blocks auto; do
        for every in 2 4; do
            same "wide halos along x, $faces: $schedule, $every steps" wide --device cpu --subdomains $cut \
                --exchange-every $every --schedule $schedule
        done
    done
    same "wide halos along x, $faces: a GPU" wide --device emulated --subdomains $cut --exchange-every 4
    same "wide halos along x, $faces: a GPU's sweep" wide --device emulated --subdomains $cut --exchange-every 4 \
        --schedule sweep
done

# ---- masks with reductions: reductions include the masked points ----
cat >masked.pav <<'END'
grid x 32, y 40
field u = x + y
u' = u + 0.1*laplace(u) - 0.001*sum(u)/(nx*ny)
border clamp
mask y > 19
steps 3
output u into "u.npy"
END
check 'planes that masks leave out count for reductions' sh -c \
    '"$1" plan masked.pav --device cpu --subdomains 1x2 | grep -q "0: x 0 to 31, y 0 to 24;"' sh "$PAVIOR"
for cut in 2x1 1x2 3x2; do
    same "masks beside reductions: $cut" masked --device cpu --subdomains $cut
done

# ---- rows without padding, computed by the host for a GPU ----
cat >ragged.pav <<'END'
grid x 10, y 13
field v = exp(-x*y/9); w stored f32 = sin(x)
v' = v + 0.1*laplace(v)
w' = w + 0.1*w[0,1]
border clamp v, w
inject exp(x) into v at (3, 4)
steps 3
output v into "v.npy"; output w into "w.npy"
END
for schedule in point:plain sweep:plain sweep:plain,blocks=2; do
    same "rows without padding: $schedule" ragged --device emulated --schedule $schedule
done
same 'rows without padding: a cut grid' ragged --device emulated --schedule sweep:plain --subdomains 2x2
same 'rows without padding: a list' ragged --device cpu+emulated --weights 1,1 --schedule sweep:plain

# ---- two passes over planes and lines ----
cat >passes.pav <<'EOF'
grid x 40, y 27
field v = random(3)
v' = v + 0.1*laplace(v)
border clamp
steps 3
output v into "v.npy"
EOF
mkdir disk
same 'partial sums of two passes are kept in files' passes --device emulated --threads 1 \
    --out-of-core auto:parts=3,steps=1 --disk disk --schedule two-pass

# ---- an equation in a step for a field that is stored in f32 ----
cat >narrow.pav <<'END'
grid x 9, y 5
field v stored f32 = 1 + x/16 + random(3)
solve v' - 0.1*laplace(v') = v by cg to 1e-4
border mirror
steps 3
measure total = sum(v)
expect abs(total - 78.949) < 0.01
output v into "v.npy"
END
for place in '--subdomains 2' '--device cpu' '--device cpu --subdomains 2' '--device emulated' '--device emulated --subdomains 2'; do
    # shellcheck disable=SC2086
    same "a solution in f64 becomes f32:$place" narrow $place
done

# ---- a fused sweep without neighbours along the axis of its visits ----
cat >pointwise.pav <<'END'
grid x 5, y 14, z 24
field u stored bf16 = random(3)
u' = u + 0.01*cos(t)*u[1,0,0]
steps 6
border periodic
output u into "u.npy"
END
for method in parts=2,steps=5 parts=2,steps=3 parts=3,steps=1; do
    same "planes ahead lie in the window: $method" pointwise --device emulated --schedule time:depth=2 \
        --out-of-core auto:$method
done

# ---- planes beyond a periodic seam ----
cat >beyond.pav <<'END'
grid x 6, y 5, z 6
field v = x + 10*y + 100*z
v' = v[0,-1,-1]
steps 3
border periodic v
output v
END
for cut in 1x1x2 1x1x3 1x2x2; do
    same "two passes compute a plane beyond the seam of a periodic axis: $cut" beyond --device emulated \
        --subdomains $cut --schedule two-pass
done

# ---- sources that read neighbours, out of core ----
cat >reads.pav <<'END'
grid x 15, y 18
field u = x; v = y
u' = u + 0.1*laplace(u)
v' = v + 0.1*laplace(v)
border clamp
steps 8
inject 0.1*v[0,-1] into u at (3, 2.75), (9, 9.5)
output u
END
# ---- ghosts of a periodic axis in a checkpoint ----
cat >ghosts.pav <<'END'
grid x 16, y 11
field w = x*y
w' = (0.6*w + 0.9*w[1,-1])/3
border neumann = x + y at x-, x+
border periodic at y-, y+
END
check 'a checkpoint holds ghosts computed by its program' "$PAVIOR" run ghosts.pav --device cpu --steps 3 --checkpoint whole
check 'subdomains leave one, too' "$PAVIOR" run ghosts.pav --device cpu --steps 3 --checkpoint shared --subdomains 1x2
check 'with the same bits, beyond the periodic axis, too' cmp whole shared

same 'a source reads a neighbour out of core, by time tiles' reads --device cpu \
    --out-of-core auto:parts=4,steps=4 --schedule time:depth=4
finish
