# SPDX-License-Identifier: BSD-3-Clause
# tools/release-ready lists what a release lacks, until CONTRIBUTING.md's procedure is done.
. "${0%/*}/../test.sh"

mkdir copy copy/include copy/cmake
for file in README.md CITATION.cff CHANGELOG.md pyproject.toml Dockerfile packaging include/pavior.h cmake/packages.cmake; do
    cp -R "$SOURCE/$file" "copy/$file"
done
version=$(sed -n 's/^#define PAV_VERSION "\(.*\)"/\1/p' copy/include/pavior.h)
# a tree before its release, even if this one is released
sed -i "s/^## $version (.*)/## $version (unreleased)/" copy/CHANGELOG.md
sed -i '/^date-released/d; /^repository-code/d' copy/CITATION.cff
ready() { "$SOURCE/tools/release-ready" --root copy "$@"; }

refuse 'an address is missing'         1 'packaging/spack/package.py:13: replace https://pavior.invalid' ready
refuse 'and the one to cite'           1 'CITATION.cff: add the address' ready
refuse 'the changes have no date'      1 "CHANGELOG.md: give version $version its date" ready
refuse 'the citation has no date'      1 'CITATION.cff: add the date' ready

grep -rlE '\.invalid|ADDRESS-OF-THE-SOURCES' copy | xargs sed -i 's/pavior\.invalid/pavior.example/g; s/ADDRESS-OF-THE-SOURCES/address/'
sed -i "s/^## $version (unreleased)/## $version (2027-01-31)/" copy/CHANGELOG.md
printf 'repository-code: "https://pavior.example"\ndate-released: 2027-01-30\n' >>copy/CITATION.cff
refuse 'the dates differ'              1 'date-released: 2027-01-31' ready
sed -i 's/2027-01-30/2027-01-31/' copy/CITATION.cff
check 'nothing is missing'             ready
echo archive >archive.tar.gz
refuse 'a recipe has not the sum'      1 'packaging/spack/package.py: put in the sum' ready archive.tar.gz
sum=$(sha256sum archive.tar.gz | cut -d ' ' -f 1)
for recipe in conda/recipe.yaml spack/package.py easybuild/pavior-$version.eb; do echo "# $sum" >>"copy/packaging/$recipe"; done
check 'all recipes have it'            ready archive.tar.gz
refuse 'an unknown option is refused'  1 'release-ready' ready --all
finish
