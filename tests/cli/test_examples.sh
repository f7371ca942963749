# SPDX-License-Identifier: BSD-3-Clause
# pavior examples: lists, prints, runs and copies the examples, in the build tree and elsewhere.
. "${0%/*}/../test.sh"
unset PAV_DEVICE

"$PAVIOR" examples >list
each_is_listed() { # every description stands in the list, below its folder, with a sentence in a line of 100 columns
    (cd "$SOURCE/examples" && ls ./*/*.pav) | sed 's,^\./,,; s,\.pav$,,' | sort >files
    awk '/^[a-z]+$/ { folder = $1 } /^  [a-z]/ { print folder "/" $1 }' list | sort >listed
    diff files listed && ! grep '^.\{101\}' list && ! grep -v '\.$' list | grep '^  '
}
check 'the list has every example by folder'     each_is_listed
check 'names of examples are unique'             test -z "$(sed 's,.*/,,' files | uniq -d)"
starts_with_a_comment() { # what to look at is part of it
    for file in "$SOURCE"/examples/*/*.pav; do
        sed '/^[^#]/,$d' "$file" | tr '\n#' '  ' | tr -s ' ' | grep -q 'Look \(at\|for\) ' || { echo "$file"; return 1; }
    done
}
check 'each says what to look at'                starts_with_a_comment
short_and_checked() { # 10 to 40 lines, and an answer
    for file in "$SOURCE"/examples/*/*.pav; do
        lines=$(wc -l <"$file")
        [ "$lines" -ge 10 ] && [ "$lines" -le 40 ] && grep -q '^expect ' "$file" || { echo "$file: $lines lines"; return 1; }
    done
}
check 'each is short, and ends in an answer'     short_and_checked
printed() { "$PAVIOR" examples "$1" | cmp - "$SOURCE/examples/waves/drum.pav"; }
check 'an example is printed by its name'        printed drum
check 'or by the name of its file'               printed drum.pav
ran() { "$PAVIOR" examples heat1d --run --device interpreter --set r=0.2 --out out && test -s out/heat1d.png; }
check 'it runs with options of run'              ran
refuse 'a failed run has the code of run' 1 'expected' "$PAVIOR" examples cavity --run --steps 1 --no-files --device interpreter
check 'it is copied with the arrays that it reads' "$PAVIOR" examples darcy --copy copies
check 'so that it runs there'                    test -s copies/permeability.npy -a -s copies/darcy.pav
refuse 'existing files stay' 1 'exists' "$PAVIOR" examples darcy --copy copies
copied() { "$PAVIOR" examples --copy all && [ "$(ls all/*.pav | wc -l)" = "$(wc -l <files)" ] && [ -s all/shaft.npy ]; }
check 'all are copied'                           copied
refuse 'a directory that cannot be' 1 'list/no' "$PAVIOR" examples drum --copy list/no
refuse 'the name of an example is no file' 2 'examples NAME --run' "$PAVIOR" run drum
refuse 'an unknown name is told, and the nearest' 2 "no example 'drumm' (did you mean 'drum'?)" "$PAVIOR" examples drumm
refuse 'also to be run' 2 "did you mean 'drum'?" "$PAVIOR" examples drumm.pav --run
refuse 'a name like none leads to the list' 2 "no example 'turbulence': \`pavior examples\` lists them" "$PAVIOR" examples turbulence
refuse 'a pattern is no name' 2 "no example 'dru*'" "$PAVIOR" examples 'dru*'
refuse 'two names are too many' 2 "'heat2d'" "$PAVIOR" examples drum heat2d
refuse '--run needs a name' 2 'needs a name' "$PAVIOR" examples --run
refuse 'an unknown option is told' 2 '--list' "$PAVIOR" examples --list

mkdir -p 'lone [1]/bin' 'lone [1]/share/pavior'
cp "$PAVIOR" 'lone [1]/bin'
refuse 'without the files the reason is told' 2 'not installed' 'lone [1]/bin/pavior' examples
ln -s "$SOURCE/examples" 'lone [1]/share/pavior/examples'
elsewhere() { 'lone [1]/bin/pavior' examples | cmp - list; }
check 'they are found from the place of the program' elsewhere

if command -v python3 >/dev/null; then
    mkdir -p copy/docs copy/tools
    cp -R "$SOURCE/examples" copy
    cp "$SOURCE/tools/gallery" copy/tools
    current() { copy/tools/gallery --page && diff copy/docs/gallery.md "$SOURCE/docs/gallery.md"; }
    check 'docs/gallery.md is that of the examples (tools/gallery --page)' current
else
    skip 'docs/gallery.md is that of the examples' 'there is no python3'
fi
pictures() { # in the page; all small
    grep -o 'pictures/[a-z/0-9_-]*\.png' "$SOURCE/docs/gallery.md" | while read -r picture; do
        [ -s "$SOURCE/docs/$picture" ] || { echo "no $picture"; return 1; }
    done && [ "$(cat "$SOURCE"/docs/pictures/examples/*.png "$SOURCE/docs/pictures/gallery.png" | wc -c)" -le 1500000 ]
}
check 'its pictures are there, in 1.5 MB' pictures
finish
