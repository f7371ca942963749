# SPDX-License-Identifier: BSD-3-Clause
# CC="ccache gcc" is a launcher and a compiler: MPI's wrapper, kernels and tests get the compiler.
. "${0%/*}/../test.sh"

mkdir bin && printf '#!/bin/sh\n: >"%s/launched"\nexec "$@"\n' "$PWD" >bin/ccache && chmod +x bin/ccache
configured() { # words of CC, options: configures the sources anew
    rm -rf build && env CC="$1" cmake -S "$SOURCE" -B build -DPAV_TESTS=OFF
}
cached() { sed -n "s/^$1:[A-Z]*=//p" build/CMakeCache.txt; }
check 'CC of two words is accepted'      configured "$PWD/bin/ccache $CC"
check 'the first one is the launcher'    test "$(cached CMAKE_C_COMPILER_LAUNCHER)" = "$PWD/bin/ccache"
check 'the second one is the compiler'   test "$(basename "$(cached CMAKE_C_COMPILER)")" = "$(basename "$CC")"
plugins=$(cmake --build build --target help | grep -oE 'pavior_(openmpi|mpich)' | sort -u)
if [ -n "$plugins" ]; then
    # shellcheck disable=SC2086 # words
    check 'the plugins for MPI are built' cmake --build build --target $plugins
    check 'CC with an option is accepted' configured "$CC -g0"
    # shellcheck disable=SC2086 # words
    check 'and the plugins are built' cmake --build build --target $plugins
else
    skip 'the plugins for MPI' 'there is no mpicc'
fi
finish
