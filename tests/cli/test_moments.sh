# SPDX-License-Identifier: BSD-3-Clause
# lbm3d:kept=moments agrees with populations whose collision is regularised, and keeps mass and momentum.
. "${0%/*}/../test.sh"

reference() { # type of the arithmetic, tolerance: both methods in one description
    "$PAVIOR" explain "lbm3d:kept=moments@9x8x7/$1" | sed '/^$/,$d; /^steps/d'
    cat <<'END'
param c = [[0,0,0], [1,0,0], [-1,0,0], [0,1,0], [0,-1,0], [0,0,1], [0,0,-1], [1,1,0], [-1,-1,0], [1,-1,0],
    [-1,1,0], [1,0,1], [-1,0,-1], [1,0,-1], [-1,0,1], [0,1,1], [0,-1,-1], [0,1,-1], [0,-1,1]]
param w = [1/3, 1/18, 1/18, 1/18, 1/18, 1/18, 1/18, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36, 1/36]
field f[19] = [g0/36, g1/18, g2/18, g3/18, g4/18, g5/18, g6/18, g7/36, g8/36, g9/36, g10/36, g11/36, g12/36, g13/36,
    g14/36, g15/36, g16/36, g17/36, g18/36]
param mass = sum(m); moving = sum(jx)
let come = [f.k[-c[k]] for k from 0 to 18]
field M, P[3], T[6]
M' = sum(come.k for k from 0 to 18)
P' = dot(c, come)
let part = [sum(c[k].x^2*come.k for k from 0 to 18) - M'/3, sum(c[k].y^2*come.k for k from 0 to 18) - M'/3,
    sum(c[k].z^2*come.k for k from 0 to 18) - M'/3, sum(c[k].x*c[k].y*come.k for k from 0 to 18),
    sum(c[k].x*c[k].z*come.k for k from 0 to 18), sum(c[k].y*c[k].z*come.k for k from 0 to 18)]
let flow = [P.x'^2, P.y'^2, P.z'^2, P.x'*P.y', P.x'*P.z', P.y'*P.z']
T' = (1 - om)*part + om*flow/(1 + M')
let second = [c[k].x^2*T.0' + c[k].y^2*T.1' + c[k].z^2*T.2' + 2*(c[k].x*c[k].y*T.3' + c[k].x*c[k].z*T.4' +
    c[k].y*c[k].z*T.5') for k from 0 to 18]
f' = [w[k]*(M' + 3*dot(c[k], P') + 4.5*second.k - 1.5*(T.0' + T.1' + T.2')) for k from 0 to 18]
border periodic
steps 12
END
    echo "expect max(abs(sum(f.k for k from 0 to 18) - m)) < $2 and norm(dot(c, f) - [jx, jy, jz]) < $2"
    echo "expect abs(sum(m) - mass) < $2 and abs(sum(jx) - moving) < $2"
}
reference f64 1e-13 >both.pav
check 'density and momentum are those of regularised populations' "$PAVIOR" run both.pav --device interpreter
for word in kept=moments,walls=all kept=moments,stored=f16 kept=moments,stored=bf16,walls=all; do
    check "the cpu has the interpreter's bits: $word" "$PAVIOR" run "lbm3d:$word@12x10x9/f32" --steps 6 --verify --no-files --device cpu
done
for schedule in auto sweep:input,vector=2,threads=32x4 sweep:input,vector=4,threads=64x2,planes=3; do
    check "and so has an emulated GPU by $schedule" "$PAVIOR" run lbm3d:kept=moments@12x10x9/f32 --steps 3 --verify --no-files --device emulated --schedule $schedule
done
bytes() { "$PAVIOR" run lbm3d:kept=moments@8x8x8/f32 --steps 1 --no-files --device interpreter | grep '(80 bytes'; }
check 'a step moves 80 bytes a point' bytes
finish
