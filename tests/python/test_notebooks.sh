# SPDX-License-Identifier: BSD-3-Clause
# The notebooks run to their ends, in a kernel if Jupyter's parts are here.
. "${0%/*}/../test.sh"

PYTHON=${PYTHON:-$(python_with numpy)}
why=
"$PYTHON" -c 'import numpy' 2>/dev/null || why="there is no $PYTHON with numpy (apt install python3-numpy; PYTHON names another)"
[ -z "$SANITIZED" ] || why='Python loads no library of a sanitizer'
[ -z "$why" ] || { skip 'the notebooks' "$why" && finish; }

export PYTHONPATH="$SOURCE/python" PAVIOR_LIBRARY="$BUILD/libpavior.so" PYTHONDONTWRITEBYTECODE=1 TMPDIR="$PWD" IPYTHONDIR="$PWD" MPLCONFIGDIR="$PWD"
run() { "$PYTHON" "$SOURCE/tests/python/notebooks.py" "$@"; }
for notebook in "$SOURCE"/examples/notebooks/*.ipynb; do
    check "$(basename "$notebook") holds what it says" run --plain "$notebook"
done

sed 's/assert abs(ratio/assert not abs(ratio/' "$SOURCE/examples/notebooks/first-steps.ipynb" >wrong.ipynb
refuse 'a notebook with a wrong answer fails' 1 AssertionError run --plain wrong.ipynb

if "$PYTHON" -c 'import IPython, ipykernel, matplotlib, nbclient' 2>/dev/null; then
    check 'all run in a kernel and show pictures' run "$SOURCE"/examples/notebooks/*.ipynb
else
    skip 'the notebooks in a kernel' 'there is no nbclient with ipykernel and matplotlib'
fi
finish
