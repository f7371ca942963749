# SPDX-License-Identifier: BSD-3-Clause
# Packages of Debian: their names, dependencies and files, and a system unpacked from them. tools/fresh-machine tries them
# in a bare Debian: tools/fresh-machine 'make deb' 'apt-get install -y ./build/packages/*.deb && pavior examples drum --run'.
. "${0%/*}/../test.sh"

why=
for tool in dpkg-deb dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || why="there is no $tool (apt install dpkg-dev cmake)"
done
[ -z "$SANITIZED" ] || why='sanitized programs are not packaged'
[ -z "$why" ] || { skip 'packages of Debian' "$why" && finish; }

settings() { sed -n '/"name": "deb"/,/}/s/^ *"\([A-Z_]*\)": "\([^"]*\)".*/-D\1=\2/p' "$SOURCE/CMakePresets.json"; } # of `make deb`
configure() { cmake -S "$SOURCE" -B deb -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC" $(settings); }
check 'it is configured' configure
check 'it builds' cmake --build deb --parallel "$(nproc)"
pack() { (cd deb && cpack -G DEB -B "$scratch/packages"); }
check 'the packages are made' pack
rm -rf packages/_CPack_Packages deb

version=$("$PAVIOR" --version | sed 's/.* //')
one() { echo packages/"$1"_"$version"_*.deb; }
tells() { dpkg-deb -f "$(one "$1")" "$2"; }
refuse 'programs are built with the library of the same version' 0 "libpavior1 (= $version)" tells libpavior-dev Depends
refuse 'the library needs libc' 0 'libc6 (>= 2.' tells libpavior1 Depends
refuse 'the command needs libc' 0 'libc6 (>= 2.' tells pavior Depends
alone() { tells "$1" Depends >depends && ! tr ',' '\n' <depends | grep -v libc6; }
check 'and nothing else' alone pavior
refuse 'it recommends a compiler' 0 gcc tells pavior Recommends
refuse 'documents are for all machines' 0 all tells pavior-doc Architecture
refuse 'and so is the Python package' 0 all tells python3-pavior Architecture
refuse 'it needs NumPy' 0 python3-numpy tells python3-pavior Depends
refuse 'and the library of the same version' 0 "libpavior1 (= $version)" tells python3-pavior Depends

for package in packages/*.deb; do
    check "$package is unpacked" dpkg-deb -x "$package" root
    dpkg-deb -c "$package" | sed -n 's/^[^d].* \.\(\/[^ ]*\).*/\1/p' >>files
done
once() { ! sort files | uniq -d | grep .; }
check 'no file is in two packages' once
check 'all is below /usr' sh -c '! grep -v "^/usr/" files'
lib=$(dirname "$(find root -name 'libpavior.so')")
check 'the command runs' root/usr/bin/pavior examples heat1d --run --no-files
check 'the manual page is there' test -s root/usr/share/man/man1/pavior.1
check 'each shell finds its completion' test -s root/usr/share/bash-completion/completions/pavior -a \
    -s root/usr/share/zsh/vendor-completions/_pavior -a -s root/usr/share/fish/vendor_completions.d/pavior.fish
check 'each package has its licence' sh -c 'for p in packages/*.deb; do test -s root/usr/share/doc/$(dpkg-deb -f $p Package)/copyright || exit 1; done'
python=$(python_with numpy)
if "$python" -c 'import numpy' 2>/dev/null; then
    imported() {
        PYTHONPATH=root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=$lib PYTHONDONTWRITEBYTECODE=1 "$python" -c '
import importlib.metadata, pavior
assert pavior.__version__ == importlib.metadata.version("pavior"), pavior.__version__
with pavior.Program("grid x 9\nfield u = x\nu'"\\'"' = u + 1\nborder u = 0\nsteps 2\n").run(no_files=True) as r:
    assert r.finish()["u"].max() > 2'
    }
    check 'Python imports its package' imported
else
    skip 'Python imports its package' 'there is no numpy (apt install python3-numpy)'
fi
compiles() { "$CC" -Iroot/usr/include "$SOURCE/examples/c/hello.c" -L"$lib" -lpavior -lm -o hello && LD_LIBRARY_PATH=$lib ./hello; }
check 'a program is built and runs' compiles
found() { cmake -S "$SOURCE/tests/install/consumer" -B consumer -DCMAKE_PREFIX_PATH="$PWD/root/usr" -DCMAKE_C_COMPILER="$CC" && cmake --build consumer; }
check 'find_package finds it' found
finish
