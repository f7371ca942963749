# SPDX-License-Identifier: BSD-3-Clause
# The libraries export pav_* only, so no internal name clashes with a name of the user.
. "${0%/*}/../test.sh"

others() { # nm options and file: prints what is defined and not ours
    "$NM" -g --defined-only "$@" | awk 'NF == 3 && $3 !~ /^pav_/ { print $3; found = 1 } END { exit found }'
}
declared_in() { # every function that the header declares is in the library
    grep -v '^ *#' "$SOURCE/include/pavior.h" | tr '\n' ' ' | grep -o 'PAV_API [^(;]*(' |
        sed 's/.*[ *]\(pav_[a-z0-9_]*\)($/\1/' | sort >declared
    "$NM" -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort >defined
    [ -s declared ] || { echo 'the header declares nothing'; return 1; }
    missing=$(comm -23 declared defined)
    [ -z "$missing" ] || { echo "declared but not defined: $missing"; return 1; }
}

if [ -z "$NM" ]; then
    skip 'names in the libraries' 'there is no nm (binutils)'
elif [ -n "$SANITIZED" ]; then
    check 'the shared library defines what the header declares' declared_in -D "$BUILD/libpavior.so"
else
    check 'the shared library shows pav_* only' others -D "$BUILD/libpavior.so"
    check 'the shared library defines what the header declares' declared_in -D "$BUILD/libpavior.so"
    if [ -n "$OBJCOPY" ]; then
        check 'the archive shows pav_* only' others "$BUILD/libpavior.a"
    else
        skip 'names in the archive' 'there is no objcopy (binutils)'
    fi
    check 'the archive defines what the header declares' declared_in "$BUILD/libpavior.a"
fi
finish
