#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package, with the library of this build.
. "${0%/*}/../test.sh"

PYTHON=${PYTHON:-$(python_with numpy)}
why=
"$PYTHON" -c 'import numpy' 2>/dev/null || why="there is no $PYTHON with numpy (apt install python3-numpy; PYTHON names another)"
[ -z "$SANITIZED" ] || why='Python loads no library of a sanitizer'
[ -z "$why" ] || { skip 'the Python package' "$why" && finish; }
PYTHON=$(command -v "$PYTHON") # below, PATH is another

export PYTHONPATH="$SOURCE/python" PAVIOR_LIBRARY="$BUILD/libpavior.so" PYTHONDONTWRITEBYTECODE=1 CC
"$PYTHON" -m unittest discover "$SOURCE/python/tests" >said 2>&1 || cat said
check 'all tests of the package pass' grep -q '^OK' said
mkdir -p site/pavior/native/bin
cp -R "$SOURCE/python/pavior_command" site && ln -s "$PAVIOR" site/pavior/native/bin/pavior
cat >closed.py <<'END'
import os, subprocess, sys
ends = os.pipe()
os.close(ends[0])
command = [sys.executable, "-c", "import pavior_command; pavior_command.main()", "examples", "drum"]
print(subprocess.run(command, stdout=ends[1], stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": "site"}))
END
refuse 'the command ends silently in `pavior examples drum | head`' 0 "returncode=-13, stderr=b''" "$PYTHON" closed.py
ln -s "$SOURCE"/python/pavior/*.py site/pavior
version=$("$PAVIOR" --version)
refuse '`python -m pavior` is the command of a wheel' 0 "$version" env PYTHONPATH=site PATH=/usr/bin:/bin "$PYTHON" -m pavior --version
mkdir deb && ln -s "$SOURCE/python/pavior" deb
refuse 'or the one on PATH' 0 "$version" env PYTHONPATH=deb PATH="${PAVIOR%/*}:/usr/bin:/bin" "$PYTHON" -m pavior --version
refuse 'or a sentence' 1 'there is no command on PATH' env PYTHONPATH=deb PATH=/nowhere "$PYTHON" -m pavior --version
if "$PYTHON" -c 'import mypy' 2>/dev/null; then
    types() { "$PYTHON" -m mypy --check-untyped-defs --cache-dir=cache --ignore-missing-imports "$@"; }
    check 'the types agree with the code' types "$SOURCE/python/pavior"
    printf 'import pavior\nr = pavior.Program("heat.pav").run()\nx: str = r.measures\n' >wrong.py
    refuse 'and are seen by users' 1 'ict[str, float]"' env MYPYPATH="$SOURCE/python" "$PYTHON" -m mypy --cache-dir=cache wrong.py
else
    skip 'the types of the package' 'there is no mypy'
fi
finish
