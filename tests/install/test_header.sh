# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles alone, and pavior.h also in plain C11 and in C++.
. "${0%/*}/../test.sh"
strict='-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only'

printf '#include "pavior.h"\n#include "pavior.h"\nint main(void) { return PAV_OK; }\n' >alone.c
check 'pavior.h is C11' "$CC" -std=c11 $strict -I"$SOURCE/include" alone.c
check 'pavior.h is C99' "$CC" -std=c99 $strict -I"$SOURCE/include" alone.c
cp alone.c alone.cc
if [ -n "$CXX" ]; then
    check 'pavior.h is C++11' "$CXX" -std=c++11 $strict -I"$SOURCE/include" alone.cc
    check 'pavior.h is C++17' "$CXX" -std=c++17 $strict -Wold-style-cast -I"$SOURCE/include" alone.cc
else
    skip 'pavior.h as C++' 'there is no C++ compiler (g++)'
fi
# The examples in comments follow each other: they are one function.
{
    printf '#include <stdio.h>\n#include "pavior.h"\nvoid examples(double *values, double *u, int64_t count);\n'
    printf 'void examples(double *values, double *u, int64_t count)\n{\n'
    awk '/^#ifndef/ { begun = 1 } begun && /^ \*     / { sub(/ \*\/$/, ""); print substr($0, 3) }' "$SOURCE/include/pavior.h"
    echo '}'
} >examples.c
check 'each group has an example' awk '/^\/\* ----/ { if (open) exit bad = 1; open = 1; groups++ }
    /^ \*     pav_[a-z_]*\(/ { open = 0 } END { exit bad || open || groups < 13 }' "$SOURCE/include/pavior.h"
check 'examples of pavior.h compile' "$CC" -std=c99 $strict -I"$SOURCE/include" examples.c
floors=$(printf " -I%s" "$SOURCE"/src/*/)
for header in "$SOURCE"/src/*/*/*.h; do
    floor=${header%/*/*}
    name=${header#"$floor"/}
    echo "#include \"$name\"" >alone.c
    check "$name compiles alone" "$CC" -std=gnu11 $strict -I"$SOURCE/include" $floors alone.c
done
finish
