# SPDX-License-Identifier: BSD-3-Clause
# `make site`: every link leads somewhere, every example and interface has a section, and the pages fit a phone.
. "${0%/*}/../test.sh"

python=
for each in "$SOURCE/build/site-tools/bin/python" "${PYTHON:-python3}"; do
    "$each" -c 'import material, mkdocs' 2>/dev/null && python=$each && break
done
[ -n "$python" ] || { skip 'the site' 'there is no mkdocs-material (`make site` installs it in build/site-tools)' && finish; }

export PYTHONDONTWRITEBYTECODE=1
mkdir tree
for part in docs examples include python tools bench/figures README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE; do
    mkdir -p "tree/$(dirname $part)"
    cp -R "$SOURCE/$part" "tree/$part"
done
check 'it is built without a warning' "$python" tree/tools/site "$PWD/site"
check 'links, sections and colours' "$python" "$SOURCE/tests/tools/site_pages.py" site

cp -R site broken
rm -r broken/docs/pictures
refuse 'this check misses no picture' 1 'no file docs/pictures/gallery.png' "$python" "$SOURCE/tests/tools/site_pages.py" broken

look() { # folder: its pages, opened by a browser
    "$python" "$SOURCE/tests/tools/site_pages.py" "$1" --look
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$PWD/profile" --virtual-time-budget=300000 --dump-dom "file://$PWD/$1/look.html" 2>/dev/null |
        sed -n 's/.*<pre>//; s/<\/pre>.*//; p'
}
fits() { look "$1" >seen && cat seen && [ "$(sed '/DOCTYPE/d; /^$/d' seen | grep -c .)" = 1 ] && grep -q '^looked at' seen; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    check 'pages of 1280 and 390 pixels cut nothing' fits site
    find broken -name '*.html' ! -path broken/index.html ! -name python.html -delete
    line='<p style="white-space: nowrap">a line of many words in one piece, too long for any phone that is held upright<\/p>'
    sed -i "s/<h2 /$line<h2 /" broken/python.html
    refuse 'this check sees a line too long' 0 'pixels wider than 390' look broken
    sed -i "s/$line/<div style='overflow: hidden'>$line<\/div>/" broken/python.html
    refuse 'and a line that is cut' 0 'python.html: cut at 390: a line of many words' look broken
    refuse 'and a missing picture' 0 'index.html: not drawn' look broken
else
    skip 'pages in a browser' 'there is no chromium'
fi

echo 'See [here](no-such-page.md).' >>tree/docs/tutorial.md
refuse 'a dead link is refused' 1 'no-such-page.md' "$python" tree/tools/site "$PWD/other"
finish
