# SPDX-License-Identifier: BSD-3-Clause
# Files say how they were made, unless --no-stamp is given; then the same values make the same bytes.
. "${0%/*}/../test.sh"

cat >heat.pav <<'END2'
param a = 0.1; param dt = 0.001
grid x 9, y 7
field u = x
u' = u + a*laplace(u)
border u = 0
steps 4
output u into "u.png"
output u every 2 into "film.apng"
output u every 2 range over frames into "r.png"
output u into "u.vti"
sample u along (1, 3) to (7, 3) count 4 into "gather.png"
sample u along (1, 3) to (7, 3) count 4 into "gather.sgy"
END2
files='u.png film.apng r-000004.png u.vti gather.png'
if "$PAVIOR" doctor | grep -q 'HDF5 scales  *found'; then
    printf 'output u into "v.xdmf"\noutput u into "u.nc"\n' >>heat.pav
    files="$files v.h5 u.nc"
else
    skip 'HDF5 files say how they were made' 'there is no HDF5 library'
fi
version=$("$PAVIOR" --version | sed 's/.* //')
check 'a run writes its files' "$PAVIOR" run heat.pav --set a=0.2 --device interpreter --quiet --out told
check 'and others without a stamp' "$PAVIOR" run heat.pav --set a=0.2 --device interpreter --quiet --out plain --no-stamp
check 'and these on another device' "$PAVIOR" run heat.pav --set a=0.2 --device cpu --quiet --out again --no-stamp
for file in $files; do
    tells() { grep -aq "Pavior $version" "$1/$file" && grep -aqE 'a("|&quot;): 0\.2' "$1/$file" && grep -aqE '20[0-9]{2}-[0-9]{2}-[0-9]{2}' "$1/$file"; }
    check "$file tells version, settings and date" tells told
    check "$file without a stamp tells nothing" sh -c "! grep -aq Pavior plain/$file"
    check "$file has the same bytes on another device" cmp "plain/$file" "again/$file"
done
ln -s "$(readlink -f "$(command -v "$CC")")" any-compiler
check 'with a compiler of any name' env PAV_CC="$PWD/any-compiler" "$PAVIOR" run heat.pav --device cpu --quiet --out named
check 'files tell the program behind the name' grep -aq "$(basename "$(readlink -f any-compiler)") [0-9a-f]" named/u.png
for folder in told plain; do
    dd if=$folder/gather.sgy of=$folder/gather.txt bs=3200 count=1 conv=ascii 2>dd.log
done
check 'the head of a SEG-Y file tells them' grep -q "VERSION .*C 5 PAVIOR $version .*MACHINE .*COMPILER .*DATE .*C11 20.*SETTINGS .*C13  .A.: 0.2" told/gather.txt
check 'and nothing without a stamp' sh -c '! grep -q VERSION plain/gather.txt'
check 'and has the same bytes on another device' cmp plain/gather.sgy again/gather.sgy

cat >disc.pav <<'END2'
param a = 4
mesh disc a layers 2
field u on nodes = x
output u into "disc.vtu"
output u into "level.png" layer 0
output u into "cut.png" cut (-1, 0.1) to (1, 0.1)
END2
check 'a run on a mesh writes its files' "$PAVIOR" run disc.pav --set a=5 --device interpreter --quiet --out told
check 'and without a stamp' "$PAVIOR" run disc.pav --set a=5 --device interpreter --quiet --out plain --no-stamp
for file in disc.vtu level.png cut.png; do
    tells() { grep -aq "Pavior $version" "$1/$file" && grep -aqE 'a("|&quot;): 5' "$1/$file" && grep -aqE '20[0-9]{2}-[0-9]{2}-[0-9]{2}' "$1/$file"; }
    check "$file of a mesh tells version, settings and date" tells told
    check "$file of a mesh without a stamp tells nothing" sh -c "! grep -aq Pavior plain/$file"
done
python=$(python_with xml)
xml() { "$python" -c 'import sys; from xml.parsers import expat; expat.ParserCreate().Parse(open(sys.argv[1],"rb").read().split(b"<AppendedData")[0] + b"</VTKFile>", True)' "$1"; }
check 'the head of the .vti file is XML' xml told/u.vti
check 'and that of the .vtu file' xml told/disc.vtu
crc() { "$python" - told/u.png <<'END2'
import json, struct, sys, zlib
data, at, texts = open(sys.argv[1], "rb").read(), 8, {}
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    chunk = data[at + 4:at + 8 + size]
    assert zlib.crc32(chunk) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
    if chunk[:4] == b"tEXt":
        key, value = chunk[4:].split(b"\0")
        texts[key.decode()] = value.decode()
    at += 12 + size
assert set(texts) == {"version", "machine", "compiler", "settings", "date"} and json.loads(texts["settings"]) == {"a": 0.2}, texts
END2
}
check 'the chunks of the picture are whole' crc
finish
