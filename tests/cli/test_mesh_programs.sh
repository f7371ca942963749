# SPDX-License-Identifier: BSD-3-Clause
# Mesh programs on the command line: run, explain, plan, and refusals.
. "${0%/*}/../test.sh"

cat >poisson.pav <<'END'
param n = 4
mesh square n layers n
field u on nodes
form a(u, v) = dot(grad(u), grad(v))
form L(v) = 0*v
border u = x + y
solve a = L by cg to 1e-10
measure top = max(u)
output u into "u.vtu"
output u into "cut.png" cut (0, 0) to (1, 1)
expect top == 2
END

says() { # text, command...: succeeds and says it
    says_text=$1
    shift
    "$@" >said 2>&1 && cat said && grep -qF -e "$says_text" said
}
run() { "$PAVIOR" run --device interpreter "$@"; }

check 'a run tells iterations and measures'  says 'top = 2' run poisson.pav
check 'and writes for ParaView'              grep -q UnstructuredGrid u.vtu
check 'and pictures'                         test -s cut.png
check 'a setting counts'                     says '250 cells' run poisson.pav --set n=5 --no-files
check 'as JSON it is data'                   says '"solves": [{"field": "u", "method": "cg"' run poisson.pav --json
check 'outputs go where they are asked for'  run poisson.pav --out made/here
check 'they are there'                       test -s made/here/u.vtu
check 'costs of a cell are explained'        says 'form a, a cell: ' "$PAVIOR" explain poisson.pav
check 'also as JSON'                         says '"bytes_loaded": 96' "$PAVIOR" explain poisson.pav --json
check 'memory is planned'                    says '128 cells, 125 nodes' "$PAVIOR" plan poisson.pav
sed 's/by cg to/by multigrid to/' poisson.pav >grids.pav
check 'the report tells the grids'           says 'u by cg with multigrid (' run grids.pav --no-files
check 'also as JSON'                         says '"preconditioner": "multigrid", "grids": ' run grids.pav --no-files --json
check 'the plan tells them'                  says 'multigrid: about 3 grids' "$PAVIOR" plan grids.pav
sed 's/by cg to/by cg(preconditioner = multigrid) to/' poisson.pav >named.pav
check 'multigrid is named as on grids'       says 'by cg with multigrid to 1e-10' "$PAVIOR" explain named.pav
sed 's/by cg to/by cg(smoother = sor) to/' poisson.pav >smoother.pav
refuse 'there are no other settings'         2 "'preconditioner' is missing; 'smoother' stands here" run smoother.pav
sed 's/by cg to/by cg with amg to/' poisson.pav >amg.pav
refuse 'other preconditioners are refused'   2 'a preconditioner, multigrid, column, jacobi or none' run amg.pav
sed 's/by cg to/by multigrid to/; /^border/d' poisson.pav >singular.pav
refuse 'a singular form is refused'          2 'give values on a border' run singular.pav
sed 's/top == 2/top > 3/' poisson.pav >false.pav
refuse 'an expectation that fails is told'   1 'false.pav:11: does not hold: top > 3: 2 and 3' run false.pav
refuse 'steps have no meaning'               2 '--steps is of runs on a grid' run poisson.pav --steps 3
refuse 'sources are not printed'             2 'is a program on a mesh' "$PAVIOR" gen poisson.pav --device cpu
for name in "$scratch/apart.vtu" a/../../apart.vtu ../apart.vtu; do
    sed "s|\"u.vtu\"|\"$name\"|" poisson.pav >apart.pav
    refuse "$name is refused"                2 'is outside the directory of outputs (inside)' run apart.pav --out inside
done
check 'and leaves nothing'                   test ! -e apart.vtu
check 'what allows it is an option'          run apart.pav --out inside/a --allow-outside
check 'also without files'                   run apart.pav --no-files
sed 's/square n/"no.msh"/' poisson.pav >missing.pav
refuse 'a mesh that is missing is named'     2 'no.msh' run missing.pav
sed 's/field u on nodes/&, k on nodes = "k.npy"/; s/= dot/= k*dot/' poisson.pav >fields.pav
printf 'mesh square 4 layers 4\nfield k on nodes = 1 + x*z\noutput k into "k.npy"\n' >k.pav
check 'values of nodes are written'          run k.pav
check 'and read'                             says 'top = 2' run fields.pav --no-files
refuse 'sizes that differ are told'          2 'k.npy holds 25 rows and 125 values; the field '\''k'\'' needs 36 points with 6 levels each' \
    run fields.pav --set n=5
cat >plate.msh <<'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "south"
2 9 "rock"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
4
1 1 2 7 1 1 2
2 1 2 8 1 2 3
3 2 2 9 1 1 2 3
4 2 2 9 1 1 3 4
$EndElements
END
printf 'mesh "plate.msh" layers 2\nmeasure m = integral(1) at "south"\n' >plate.pav
check 'groups without a use are told'        says "left out of the mesh: surface 'rock' (2), groups without a name (1)" run plate.pav
check 'also as JSON'                         says "\"left_out\": \"surface 'rock' (2)" run plate.pav --json
finish
