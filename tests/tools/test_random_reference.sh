# SPDX-License-Identifier: BSD-3-Clause
# tools/random-reference: random programs agree with NumPy, and a wrong result is found.
. "${0%/*}/../test.sh"
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    skip 'random programs against NumPy' "$python with numpy is not here (pip install numpy; PYTHON names another)"
    finish
fi
reference() { "$python" "$SOURCE/tools/random-reference" "$@"; }

check 'random programs are what NumPy computes' \
    reference "$BUILD" --seed 1 --count 120 --seconds 600 --each 24
check 'a seed draws the same program' \
    sh -c "[ \"\$('$python' '$SOURCE/tools/random-reference' x --seed 7 --print)\" = \
        \"\$('$python' '$SOURCE/tools/random-reference' x --seed 7 --print)\" ]"

# A faulty pavior: it changes its description, on every device or on one.
mkdir other
{ echo '#!/bin/sh'
  echo "case \" \$* \" in *\" \$WHERE \"*) sed \"\$CHANGE\" ;; *) cat ;; esac | exec '$PAVIOR' \"\$@\""; } >other/pavior
chmod +x other/pavior
refuse 'another border is found and the program made smaller' 1 'the reference' \
    env WHERE=run CHANGE='s/border clamp/border mirror/' "$python" "$SOURCE/tools/random-reference" other --seed 1 \
    --count 40 --seconds 600 --ways '' --shrink 2
refuse 'a device that differs by a millionth is found' 1 'differs from the interpreter' \
    env WHERE=cpu CHANGE="s/' = /' = 1e-6 + /" "$python" "$SOURCE/tools/random-reference" other --seed 2 \
    --count 4 --seconds 600 --ways cpu --shrink 0
finish
