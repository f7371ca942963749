# SPDX-License-Identifier: BSD-3-Clause
# What `make install` leaves is usable: command, find_package(pavior), pavior.pc.
. "${0%/*}/../test.sh"
prefix=$PWD/prefix

check 'it installs' cmake --install "$BUILD" --prefix "$prefix"
mv prefix moved # an installed tree can be moved
prefix=$PWD/moved
lib=$(dirname "$(find "$prefix" -name 'libpavior.so')")
check 'the command runs' "$prefix/bin/pavior" help

completes() { # wanted word, words typed so far...: the completion offers the wanted word
    PATH=$prefix/bin:$PATH bash -c '. "$0"; wanted=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _pavior; printf "%s\n" "${COMPREPLY[@]}" | tee /dev/stderr | grep -qxF -e "$wanted"' \
        "$prefix/share/bash-completion/completions/pavior" "$@"
}
if command -v bash >/dev/null; then
    check 'the completion knows the commands' completes explain pavior ex
    check 'the completion knows their options' completes --steps pavior run --st
else
    skip 'the completion' 'there is no bash'
fi

configure() {
    cmake -S "$SOURCE/tests/install/consumer" -B consumer -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS"
}
check 'find_package finds it' configure
check 'a project builds with it' cmake --build consumer
check 'the shared library runs' consumer/shared
check 'the static library runs, and its inner names are not the program'"'"'s' consumer/static

if [ -n "$PKG_CONFIG" ]; then
    PKG_CONFIG_PATH=$lib/pkgconfig
    export PKG_CONFIG_PATH
    compile() { # program, pkg-config options, linker options
        "$CC" $FLAGS $("$PKG_CONFIG" --cflags pavior) "$SOURCE/tests/install/consumer/consumer.c" \
            -o "$1" $3 $("$PKG_CONFIG" --libs $2 pavior)
    }
    check 'pavior.pc links the shared library' compile ./by_pc '' "-Wl,-rpath,$lib"
    check 'and it runs' ./by_pc
    rm -f "$lib"/libpavior.so*
    check 'pavior.pc --static links the archive' compile ./by_pc_static --static ''
    check 'and that runs' ./by_pc_static
else
    skip 'pavior.pc' 'there is no pkg-config'
fi
finish
