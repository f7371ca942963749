# SPDX-License-Identifier: BSD-3-Clause
# All files that name the version of Pavior name the same one (CONTRIBUTING.md, Releases).
. "${0%/*}/../test.sh"

version=$(sed -n 's/^#define PAV_VERSION "\(.*\)"/\1/p' "$SOURCE/include/pavior.h")
major=${version%%.*}
minor=${version#*.}
names() { # file, line
    grep -qF -e "$2" "$SOURCE/$1" || { echo "$1 has no line with: $2"; return 1; }
}
number() { sed -n "s/^#define PAV_VERSION_$1 //p" "$SOURCE/include/pavior.h"; }
check 'the three numbers'      test "$(number MAJOR).$(number MINOR).$(number PATCH)" = "$version"
check 'the Python package'     names pyproject.toml "version = \"$version\""
check 'and its library'        names pyproject.toml "libpavior.so.$major\""
check 'the citation'           names CITATION.cff "version: $version"
check 'the changes'            names CHANGELOG.md "## $version "
check 'editors'                names tools/editors/vscode/package.json "\"version\": \"$version\""
check 'the library of Debian'  names docs/install.md "\`libpavior$major\`"
check 'find_package'           names docs/install.md "find_package(pavior $major.${minor%%.*} REQUIRED)"
check 'the recipe of conda'    names packaging/conda/recipe.yaml "version: \"$version\""
check 'the recipe of Spack'    names packaging/spack/package.py "version(\"$version\""
check 'the recipe of EasyBuild' names packaging/easybuild/pavior-$version.eb "version = '$version'"
other() { # lines of measured schedules with another version
    awk -F '\t' -v v="$version" 'NF > 7 && !/^#/ && $7 != v { print; found = 1 } END { exit !found }' "$1"
}
check 'shipped wisdom'         sh -c '! grep -q . other' "$(other "$SOURCE/src/code/wisdom/shipped/shipped.wisdom" >other)"
finish
