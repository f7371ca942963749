#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package, with the library of this build.
. "${0%/*}/../test.sh"

PYTHON=${PYTHON:-python3}
why=
"$PYTHON" -c 'import numpy' 2>/dev/null || why="there is no $PYTHON with numpy (apt install python3-numpy; PYTHON names another)"
[ -z "$SANITIZED" ] || why='Python loads no library of a sanitizer'
[ -z "$why" ] || { skip 'the Python package' "$why" && finish; }

export PYTHONPATH="$SOURCE/python" PAVIOR_LIBRARY="$BUILD/libpavior.so" PYTHONDONTWRITEBYTECODE=1 CC
"$PYTHON" -m unittest discover "$SOURCE/python/tests" >said 2>&1 || cat said
check 'all tests of the package pass' grep -q '^OK' said
finish
