# SPDX-License-Identifier: BSD-3-Clause
# The files of `make install` are usable: the command, find_package(pavior), and pavior.pc.
. "${0%/*}/../test.sh"
prefix=$PWD/prefix

check 'it installs' cmake --install "$BUILD" --prefix "$prefix"
mv prefix moved # an installed tree can be moved
prefix=$PWD/moved
lib=$(dirname "$(find "$prefix" -name 'libpavior.so')")
check 'the command runs' "$prefix/bin/pavior" help

page=$prefix/share/man/man1/pavior.1
documented() { # every command and option of the help texts stands in the manual page
    for command in $("$prefix/bin/pavior" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        grep -q "^\.SS pavior $command" "$page" || { echo "no command $command"; return 1; }
        for option in $("$prefix/bin/pavior" help "$command" | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
            awk -v name="$command" '$1 == ".SS" { on = $3 == name } on' "$page" | tr -d '\\' |
                grep -q "^\.B --$option" || { echo "no --$option of $command"; return 1; }
        done
    done
}
check 'the manual page tells every command and option' documented
check 'with defaults' grep -q 'every N steps (2 % of the time)' "$page"
if command -v groff >/dev/null; then
    well_formed() { groff -man -ww -Tutf8 "$page" >page.txt 2>faults.txt && ! grep -i 'warning' faults.txt; }
    check 'it is well formed' well_formed
fi
doc=$prefix/share/doc/pavior
check 'documents are there' test -s "$doc/docs/language.md" -a -s "$doc/README.md" -a -s "$doc/LICENSE"
links() { # every relative link of an installed document leads to an installed file
    find "$doc" -name '*.md' | while read -r page; do
        grep -o '](\([^)#:]*\)[^):]*)' "$page" | sed 's/^](//; s/[#)].*//' | sort -u | while read -r link; do
            [ -z "$link" ] || [ -e "${page%/*}/$link" ] || echo "$page: no $link"
        done
    done >dead
    cat dead && [ ! -s dead ]
}
check 'links of documents lead to files' links
check 'an example runs from where it is' "$prefix/bin/pavior" run "$doc/examples/flow/permeability.pav" --no-files
check 'editors find their colours' test -s "$prefix/share/vim/vimfiles/syntax/pavior.vim" -a \
    -s "$prefix/share/nvim/site/ftdetect/pavior.vim" -a -s "$prefix/share/pavior/vscode/package.json"
check 'the command finds the examples' "$prefix/bin/pavior" examples drum
compiles() { "$CC" $FLAGS -I"$prefix/include" "$doc/examples/c/hello.c" -L"$lib" -lpavior -Wl,-rpath,"$lib" -lm -o hello; }
check 'an example in C compiles where it is' compiles

completes() { # wanted word, words typed so far...: the completion of bash offers the wanted word
    PATH=$prefix/bin:$PATH bash -c '. "$0"; wanted=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _pavior; printf "%s\n" "${COMPREPLY[@]}" | tee /dev/stderr | grep -qxF -e "$wanted"' \
        "$prefix/share/bash-completion/completions/pavior" "$@"
}
mkdir -p here/models && : >here/wave.pav && : >here/wave.ckpt
if command -v bash >/dev/null; then
    check 'the completion knows the commands' completes explain pavior ex
    check 'the completion knows their options' completes --steps pavior run --st
    check 'the completion knows the examples' completes drum pavior examples dr
    check 'the completion knows what help takes' completes catalogue pavior help run cat
    check 'and what wisdom takes' completes export pavior wisdom ex
    check 'and devices' completes emulated pavior run --device em
    check 'and devices behind an equals sign' completes emulated pavior run --device = em
    check 'and descriptions' completes here/wave.pav pavior run here/w
    check 'and files for an option that takes one' completes here/wave.ckpt pavior run --restart here/w
    check 'and folders for one that takes a folder' completes here/models pavior run --out here/m
    refuse 'and no file as a description' 1 '' completes here/wave.ckpt pavior run here/w
    refuse 'and no file as a folder' 1 '' completes here/wave.pav pavior run --out here/w
    devices() { "$PAVIOR" doctor | sed -n '/^devices/,/^$/s/^  \([a-z][a-z]*\)  .*/\1/p' >named && # all that doctor lists
        while read -r device; do completes "$device" pavior run --device '' || return 1; done <named && [ -s named ]; }
    check 'and every device of doctor' devices
    options() { # of all commands: the table agrees with the manual page's words
        for command in $("$PAVIOR" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
            for option in $("$PAVIOR" help "$command" | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
                completes "$option" pavior "$command" "$option" || { echo "no $option of $command"; return 1; }
            done
        done
    }
    check 'and every option' options
else
    skip 'the completion of bash' 'there is no bash'
fi
if command -v fish >/dev/null; then
    fishes() { # wanted line, line typed so far
        PATH=$prefix/bin:$PATH HOME=$PWD fish -c 'source $argv[1]; complete -C $argv[2]' \
            "$prefix/share/fish/vendor_completions.d/pavior.fish" "$2" | tee /dev/stderr | grep -qxF -e "$1"
    }
    check 'fish knows the commands' fishes "$(printf 'run\trun a description')" 'pavior ru'
    check 'and options with their sentences' fishes "$(printf '%s\twrite no output files' --no-files)" 'pavior run --no-f'
    check 'and the examples' fishes drum 'pavior examples dr'
    check 'and descriptions' fishes here/wave.pav 'pavior run here/w'
    check 'and files' fishes here/wave.ckpt 'pavior run --restart here/w'
else
    skip 'the completion of fish' 'there is no fish'
fi
if command -v zsh >/dev/null; then
    # A zsh behind a terminal of its own gets the line and two tabs.
    cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; stty rows 500 columns 200; PS1='rea''dy> '"
zpty -r -m z said '*ready> *'
zpty -n -w z "$2"$'\t\t'
zpty -n -w z $'\C-u'"echo d''one"$'\n'
zpty -r -m z said '*done*'
print -r -- $said
END
    asks() { PATH=$prefix/bin:$PATH HOME=$PWD timeout 60 zsh -f ask.zsh "$prefix/share/zsh/site-functions" "$1"; }
    refuse 'zsh knows the commands' 0 'print a description' asks 'pavior ex'
    refuse 'and options with their sentences' 0 'continue from a checkpoint' asks 'pavior run --re'
    refuse 'and the examples' 0 'drum' asks 'pavior examples dr'
    refuse 'and descriptions' 0 'wave.pav' asks 'pavior run here/w'
else
    skip 'the completion of zsh' 'there is no zsh'
fi

configure() {
    cmake -S "$SOURCE/tests/install/consumer" -B consumer -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS"
}
check 'find_package finds it' configure
check 'a project builds with it' cmake --build consumer
check 'the shared library runs' consumer/shared
check 'the static library runs, and its inner names are not the program'"'"'s' consumer/static

documented_project() { # the lines of CMake in docs/install.md are a project
    mkdir project && cp "$SOURCE/tests/install/consumer/consumer.c" project/flow.c &&
        { echo 'cmake_minimum_required(VERSION 3.25)' && echo 'project(flow LANGUAGES C)' &&
            sed -n '/^```cmake$/,/^```$/{//!p}' "$SOURCE/docs/install.md"; } >project/CMakeLists.txt &&
        cmake -S project -B flow -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS" &&
        cmake --build flow && flow/flow
}
check 'the project of docs/install.md builds and runs' documented_project

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
