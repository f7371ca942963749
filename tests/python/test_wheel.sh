# SPDX-License-Identifier: BSD-3-Clause
# What `pip install` gives: a source distribution that is whole, a wheel for many systems, a package that finds its parts.
. "${0%/*}/../test.sh"

PYTHON=${PYTHON:-python3}
why=
"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null || why="there is no $PYTHON with venv (apt install python3-venv)"
[ -z "$SANITIZED" ] || why='Python loads no library of a sanitizer'
if [ -z "$why" ]; then
    "$PYTHON" -m venv make && timeout 300 make/bin/pip install -q --retries 1 scikit-build-core auditwheel numpy >said 2>&1 ||
        why="PyPI gave no scikit-build-core, auditwheel and numpy: $(tail -n 1 said)"
fi
[ -z "$why" ] || { skip 'the wheel' "$why" && finish; }
export PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH PAVIOR_LIBRARY

mkdir source
(cd "$SOURCE" && tar cf - --exclude=./build --exclude=./demo --exclude=./.git .) | tar xf - -C source
mkdir -p source/env/bin # a virtual environment, as in docs/install.md
: >source/env/bin/python
sdist() (cd source && ../make/bin/python -c 'import scikit_build_core.build as b; print(b.build_sdist("../dist"))')
check 'the source distribution is made' sdist
small() { [ "$(cat dist/pavior-*.tar.gz | wc -c)" -lt 12000000 ] && ! tar tzf dist/pavior-*.tar.gz | grep '/build/'; }
check 'it is smaller than 12 MB' small
whole() {
    tar tzf dist/pavior-*.tar.gz | cut -d/ -f2- | sort >packed
    (cd source && find . -type f ! -path './.ci/*' ! -path './env/*' ! -name '*.pyc' | cut -c3- | sort) | comm -3 packed - >apart
    [ "$(tr -d '[:space:]' <apart)" = PKG-INFO ]
}
check 'it holds the tree, and no virtual environment' whole
check 'a wheel is built from it' make/bin/pip wheel -q --no-deps -w wheel dist/pavior-*.tar.gz
light() { [ "$(cat wheel/pavior-*.whl | wc -c)" -lt 20000000 ]; }
check 'the wheel is smaller than 20 MB' light
check 'it is for any Python 3' ls wheel/pavior-*-py3-none-linux_*.whl
refuse 'and for many systems' 0 'manylinux_2_' make/bin/auditwheel show wheel/pavior-*.whl

"$PYTHON" -m venv use
check 'it is installed' use/bin/pip install -q --no-index --no-deps wheel/pavior-*.whl
alone() { cat use/lib/python3*/site-packages/pavior-*.dist-info/METADATA >about && grep -q '^# Pavior' about && ! grep -E '\]\(|<img' about; }
check 'its page links to no file of the tree' alone
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$SOURCE/pyproject.toml")
refuse 'the command is there, and loads no numpy' 0 "pavior $version" use/bin/pavior --version
use_numpy() { cp -R make/lib/python3*/site-packages/numpy* use/lib/python3*/site-packages; } # not from the network again
use_numpy
refuse 'the command finds the examples' 0 'drum' use/bin/pavior examples
check 'and runs one' use/bin/pavior examples heat1d --run --no-files
program='import pavior; r = pavior.Program(pavior.examples()["shaft"]).run("interpreter", no_files=True); print(r.step(1)["u"].shape)'
refuse 'the package finds its library and the examples' 0 '(' use/bin/python -c "$program"
check 'nothing but numpy is needed' use/bin/python -c 'import pavior; pavior.doctor()'
finish
