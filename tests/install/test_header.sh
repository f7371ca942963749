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
floors=$(printf " -I%s" "$SOURCE"/src/*/)
for header in "$SOURCE"/src/*/*/*.h; do
    floor=${header%/*/*}
    name=${header#"$floor"/}
    echo "#include \"$name\"" >alone.c
    check "$name compiles alone" "$CC" -std=gnu11 $strict -I"$SOURCE/include" $floors alone.c
done
finish
