# SPDX-License-Identifier: BSD-3-Clause
# Random calls of the Python package, with the library of this build. With sanitizers of addresses, their library is
# loaded first. FUZZ_SECONDS (the campaign's) makes calls for so long, from FUZZ_SEED on.
. "${0%/*}/../test.sh"

PYTHON=${PYTHON:-$(python_with numpy)}
why=
"$PYTHON" -c 'import numpy' 2>/dev/null || why="there is no $PYTHON with numpy (apt install python3-numpy; PYTHON names another)"
first=
case $SANITIZED in
"") ;;
*thread*) why='Python loads no library of the sanitizer of threads' ;;
*address*) # a compiler names its own library; clang has it as an archive unless -shared-libasan was given
    first=$(ldd "$BUILD/libpavior.so" 2>/dev/null | sed -n 's/.*\(libasan[^ ]*\) => \([^ ]*\) .*/\2/p')
    [ -n "$first" ] || why="the library of the sanitizer is not shared: build with gcc"
    ;;
*) why='Python loads no library of this sanitizer' ;;
esac
[ -z "$why" ] || { skip 'random calls from Python' "$why" && finish; }

export PYTHONPATH="$SOURCE/python" PAVIOR_LIBRARY="$BUILD/libpavior.so" PYTHONDONTWRITEBYTECODE=1 TMPDIR="$PWD"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
if [ -n "${FUZZ_SECONDS:-}" ]; then set -- --seconds "$FUZZ_SECONDS"; else set -- --calls 60 --seconds 120; fi
fuzz() { env ${first:+LD_PRELOAD="$first"} "$PYTHON" "$SOURCE/tests/python/fuzz_calls.py" --seed "${FUZZ_SEED:-1}" "$@"; }
check 'random calls end with results or exceptions' fuzz "$@"
finish
