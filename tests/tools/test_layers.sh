# SPDX-License-Identifier: BSD-3-Clause
# tools/layers refuses a tree that breaks the rules of layers.txt.
. "${0%/*}/../test.sh"

# A small tree within the rules: b stands on a, and c stands on neither.
tree() {
    rm -rf tree
    mkdir -p tree/src/f/a tree/src/f/b tree/src/f/c tree/cli tree/include tree/tests/f/b tree/tests/api tree/examples
    printf '# a comment\nf/a:\nf/b:  a\nf/c:\n' >tree/layers.txt
    for folder in a b c; do
        echo '#include "pavior.h"' >tree/src/f/$folder/$folder.h
    done
    printf '#include "b/b.h"\n#include "b/b_private.h"\n#include "a/a.h"\n#include <stdio.h>\n' >tree/src/f/b/work.c
    echo '#include "a/a.h"' >tree/src/f/b/b_private.h
    printf '#include "cli.h"\n#include "pavior.h"\n' >tree/cli/main.c
    : >tree/cli/cli.h
    : >tree/include/pavior.h
    printf '#include "test.h"\n#include "a/a.h"\n#include "b/b_private.h"\n' >tree/tests/f/b/test_b.c
    printf '#include "test.h"\n#include "pavior.h"\n' >tree/tests/api/test_api.c
    echo '#include "pavior.h"' >tree/examples/x.c
}

tree
check 'a tree that keeps to the rules passes' "$SOURCE/tools/layers" tree
check 'this tree keeps to the rules' "$SOURCE/tools/layers" "$SOURCE"

tree && echo '#include "c/c.h"' >>tree/src/f/b/work.c
refuse 'a folder that is not granted' 1 'src/f/b/work.c:5: b may not include "c/c.h"' "$SOURCE/tools/layers" tree
tree && echo '#include "b/b.h"' >>tree/src/f/a/a.h
refuse 'an upward include in a header' 1 'src/f/a/a.h:2: a may not include "b/b.h"' "$SOURCE/tools/layers" tree
tree && echo '#include "b/b_private.h"' >>tree/src/f/c/c.h
refuse 'a private header of another folder' 1 'c may not include "b/b_private.h"' "$SOURCE/tools/layers" tree
tree && echo '#  include "work.h"' >>tree/src/f/b/work.c
refuse 'an include without its folder' 1 'b may not include "work.h"' "$SOURCE/tools/layers" tree
tree && : >tree/src/f/a/extra.h
refuse 'a second header in a folder' 1 'src/f/a/extra.h: a folder shows one header' "$SOURCE/tools/layers" tree
tree && mkdir tree/src/f/a/z && : >tree/src/f/a/z/z.h && echo '#include "a/z/z.h"' >>tree/src/f/b/work.c
check 'a subfolder may show a header, too' "$SOURCE/tools/layers" tree
tree && mkdir tree/src/f/a/z && : >tree/src/f/a/z/y.h
refuse 'which is named like it' 1 'src/f/a/z/y.h: a folder shows one header' "$SOURCE/tools/layers" tree
tree && mkdir tree/src/f/c/z && : >tree/src/f/c/z/z.h && echo '#include "c/z/z.h"' >>tree/src/f/b/work.c
refuse 'and is granted with its folder' 1 'b may not include "c/z/z.h"' "$SOURCE/tools/layers" tree
tree && echo '#include "b/b.h"' >tree/src/f/b/more_private.h && echo '#include "b/more_private.h"' >>tree/src/f/b/work.c
check 'private headers of a folder may be several' "$SOURCE/tools/layers" tree
tree && : >tree/src/f/a/more_private.h && echo '#include "a/more_private.h"' >>tree/src/f/b/work.c
refuse 'however private they are called' 1 'b may not include "a/more_private.h"' "$SOURCE/tools/layers" tree
tree && rm tree/src/f/c/c.h
refuse 'a folder that shows no header' 1 'src/f/c: shows no c.h' "$SOURCE/tools/layers" tree
tree && mkdir tree/src/f/d && : >tree/src/f/d/kernel.cuh
check 'a folder of CUDA text is no layer' "$SOURCE/tools/layers" tree
tree && mkdir tree/src/f/d
refuse 'a folder that is not listed' 1 'src/f/d: is not in layers.txt' "$SOURCE/tools/layers" tree
tree && echo 'f/e: a' >>tree/layers.txt
refuse 'a listed folder that is not there' 1 'there is no src/f/e' "$SOURCE/tools/layers" tree
tree && sed -i 's,^f/b:,f/b: a,' tree/layers.txt
refuse 'a folder that is listed twice in a line' 1 'b lists a twice' "$SOURCE/tools/layers" tree
tree && sed -i 's,^f/a:,f/a: b,' tree/layers.txt
refuse 'a table that is no order' 1 'a may not stand on b' "$SOURCE/tools/layers" tree
tree && echo '#include "a/a.h"' >>tree/cli/main.c
refuse 'an inner header in the command' 1 'cli/ sees pavior.h only, not "a/a.h"' "$SOURCE/tools/layers" tree
tree && echo '#include "../src/a/a.h"' >>tree/cli/main.c
refuse 'an inner header reached by a path' 1 'cli/ sees pavior.h only' "$SOURCE/tools/layers" tree
tree && echo '#include "a/a.h"' >>tree/examples/x.c
refuse 'an inner header in an example' 1 'examples/ sees pavior.h only' "$SOURCE/tools/layers" tree
tree && echo '#include "a/a.h"' >>tree/tests/api/test_api.c
refuse 'an inner header in a test of the API' 1 'tests/ sees pavior.h only' "$SOURCE/tools/layers" tree
tree && : >tree/src/f/a/more_private.h && echo '#include "a/more_private.h"' >>tree/tests/f/b/test_b.c
check 'a test of private parts of a layer that its folder stands on' "$SOURCE/tools/layers" tree
tree && echo '#include "c/c.h"' >>tree/tests/f/b/test_b.c
refuse 'a test beyond the layers of its folder' 1 'the tests of b may not include "c/c.h"' "$SOURCE/tools/layers" tree
tree && echo '#include <pavior.h>' >>tree/src/f/c/c.h
refuse 'angle brackets for our own header' 1 'is of this project' "$SOURCE/tools/layers" tree
tree && echo '#include "a/a.h"' >>tree/include/pavior.h
refuse 'a public header that does not stand alone' 1 'pavior.h stands alone' "$SOURCE/tools/layers" tree
tree && echo 'int f(device *d) { return d->ops->compiled; }' >>tree/src/f/b/work.c
refuse 'a question which device it is' 1 'src/f/b/work.c:5: asks which kind a device is' "$SOURCE/tools/layers" tree
tree && mkdir -p tree/src/f/b/gpu && mv tree/src/f/b/work.c tree/src/f/b/gpu && sed -i 's,^f/b:,devices/device: a\nf/b:,' tree/layers.txt &&
    mkdir -p tree/src/devices/device && echo 'int f(device *d) { return d->ops->compiled; }' >tree/src/devices/device/device.h
check 'but not by devices themselves' "$SOURCE/tools/layers" tree
rm -rf tree/layers.txt
refuse 'a tree without a table' 1 'has no layers.txt' "$SOURCE/tools/layers" tree
finish
