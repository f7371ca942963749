# SPDX-License-Identifier: BSD-3-Clause
# tools/circles refuses files of a folder that call each other in too large a circle.
. "${0%/*}/../test.sh"

command -v python3 >/dev/null || { echo 'skipped: circles: there is no python3'; finish; }

# $1 files in a folder, each of which calls the next, and the last the first.
circle() {
    objects=build/src/CMakeFiles/pav_a.dir/a
    rm -rf src build
    mkdir -p src/a $objects
    n=1
    while [ $n -le "$1" ]; do
        next=$((n % $1 + 1))
        echo "void f$next(void); void f$n(void); void f$n(void) { f$next(); }" >src/a/f$n.c
        $CC -c -o $objects/f$n.c.o src/a/f$n.c || exit 1
        n=$((n + 1))
    done
}

circle 8
check 'a circle of 8 files passes' "$SOURCE/tools/circles" build
circle 9
refuse 'one of 9 files does not' 1 'src/a: 9 files call each other' "$SOURCE/tools/circles" build
rm -r build/src
refuse 'nothing is built' 1 'no object files in build' "$SOURCE/tools/circles" build
finish
