# SPDX-License-Identifier: BSD-3-Clause
# Fields and masks from .png files: the same values on every device, for every cut, and in generated programs.
. "${0%/*}/../test.sh"

"$PAVIOR" doctor >found
cp "$SOURCE"/examples/waves/coast.png .
cat >coast.pav <<'END'
grid  x 120, y 80
field k = "coast.png", u = where(y < 40, 1, 0)
mask  u = "coast.png"
u' = u + 0.2*k*laplace(u)
border mirror u
steps 20
output u into "u.npy"
expect max(k) == 1 and min(k) == 0 and sum(where(k == 0 and x == 119, 1, 0)) == ny
END
if ! grep -q 'zlib  *found' found; then
    refuse 'without the library a sentence says what to install' 2 'apt install zlib1g' "$PAVIOR" run coast.pav
    finish
fi
check 'a picture is a field and a mask' "$PAVIOR" run coast.pav --device interpreter
cp u.npy expected.npy
ran() { "$PAVIOR" run coast.pav --verify "$@" && cmp u.npy expected.npy; }
check 'so on a processor'               ran --device cpu
check 'so on an emulated GPU'           ran --device emulated
check 'so in subdomains'                ran --device interpreter --subdomains 2x3
check 'plan counts the memory of a picture' "$PAVIOR" plan coast.pav
generated() {
    "$PAVIOR" gen coast.pav --out made && make -C made CC="$CC" && (cd made && ./coast) && cmp made/u.npy expected.npy
}
check 'and in a generated program'      generated

row() { printf 'grid x 120, y 80 %s\nfield k = "coast.png"\nexpect sum(where(k > 0 and y == %d, x, 0)) == %s\n' "$1" "$2" "$3"; }
row '' 20 3903 >up.pav # beside a mole
row 'down' 59 3903 >down.pav
check 'the top of the picture is the largest y'         "$PAVIOR" run up.pav
check 'or the smallest one, if pictures show it so'     "$PAVIOR" run down.pav
sed 's/x 120/x 121/' coast.pav >wide.pav
refuse 'another size is told with both extents' 2 'the file holds 80x120 (y, x), the grid is x 121, y 80' "$PAVIOR" run wide.pav
head -c 200 coast.png >cut && mv cut coast.png
refuse 'a picture cut short is refused' 2 'coast.png is cut short after 200 bytes' "$PAVIOR" run coast.pav
finish
