# SPDX-License-Identifier: BSD-3-Clause
# tools/numbers refuses hardware numbers outside src/base/machine.
. "${0%/*}/../test.sh"

command -v python3 >/dev/null || { echo 'skipped: numbers: there is no python3'; finish; }

# $1 a folder, $2 a line of code.
source_is() {
    rm -rf src
    mkdir -p "src/floor/$1"
    echo "$2" >"src/floor/$1/a.c"
}

source_is codegen 'int a = 132; /* 65536 */'
refuse 'multiprocessors of a GPU' 1 'a.c:1: 132' "$SOURCE/tools/numbers"
source_is machine 'int a = 132;'
check 'the folder machine has them' "$SOURCE/tools/numbers"
source_is cost 'double a = 4.8e12;'
refuse 'a rate in a model' 1 'a.c:1: 4.8e12' "$SOURCE/tools/numbers"
source_is cost 'double a = 1e9; /* 4.8e12 */ char b[2048]; const char *c = "65536";'
check 'units, lengths of arrays, comments and strings' "$SOURCE/tools/numbers"
source_is run 'enum { LINE = 64 };'
refuse 'a cache line' 1 'a.c:1: LINE = 64' "$SOURCE/tools/numbers"
source_is run 'enum { SLOW_DISK = 100000000 };'
refuse 'a rate of disks' 1 'a.c:1: SLOW_DISK = 100000000' "$SOURCE/tools/numbers"
source_is run 'static const int architectures[] = {80, 90, 100};'
refuse 'a list of architectures' 1 'a.c:1: {80, 90' "$SOURCE/tools/numbers"
source_is cost 'enum { HELD = 168, /* registers of a thread */ MOST };'
refuse 'registers of a thread' 1 'a.c:1: HELD = 168' "$SOURCE/tools/numbers"
source_is codegen/gpu 'static const int a = {.tile.size = {64, 4}};'
refuse 'threads of a tile in numbers' 1 'a.c:1: tile.size = {64' "$SOURCE/tools/numbers"
source_is codegen/gpu 'int warps = threads / 32; char name[32];'
refuse 'a bare number of threads of a warp' 1 'a.c:1: 32' "$SOURCE/tools/numbers"
source_is codegen/gpu 'char name[32]; int64_t high = a >> 32, planes[] = {16, 32, 64};'
check 'lengths, bits and powers of two in a row' "$SOURCE/tools/numbers"
source_is exec 'int a = gpu_facts_default()->major;'
refuse 'a GPU that stands for others' 1 'gpu_facts_default' "$SOURCE/tools/numbers"
finish
