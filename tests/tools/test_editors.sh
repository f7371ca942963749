# SPDX-License-Identifier: BSD-3-Clause
# Colours for editors: the files are those of the lexer's words, and an editor shows them.
. "${0%/*}/../test.sh"

command -v python3 >/dev/null || { skip 'colours for editors' 'there is no python3' && finish; }
editors=$SOURCE/tools/editors
same() {
    "$editors/make" made || return 1
    for folder in vim vscode; do diff -r "$editors/$folder" made/$folder || return 1; done
}
check 'the files were made by tools/editors/make' same

known() { # every statement, part of a statement and function of the parser is a word of the lexer
    sed -n '/define STATEMENT_LIST/,/^$/s/^ *X(\([a-z]*\),.*/\1/p' "$SOURCE/src/language/lang/lang_private.h" >wanted
    sed -n '/part_words\[\]/,/};/p; /call_words\[\]/,/};/p' "$SOURCE/src/language/lang/parse/calls.c" | grep -o '"[a-z0-9]*"' | tr -d '"' >>wanted
    [ "$(wc -l <wanted)" -gt 60 ] || { echo 'the parser has its words elsewhere' && return 1; }
    tr -cs 'a-z0-9' '\n' <"$SOURCE/python/pavior/lexer.py" | sort -u >has
    sort -u wanted | comm -23 - has >lacks
    cat lacks && [ ! -s lacks ]
}
check 'the lexer knows every word of the parser' known

cat >seen.pav <<'END'
# a wave
grid x 33 from 0 to 1, y 9
field where_is = exp(-2.5e-3*x) # far
u' = u + 0.1*laplace(u, order 4)
border u = 0 at x-
output u every 5 into "field.png"
END
expected() { printf '%s\n' 'Comment # a wave' 'Statement grid' 'Word from' 'Number 2.5e-3' 'Function exp' 'Comment # far' \
    'Function laplace' 'Word order' 'Statement border' 'String "field.png"' 'Word into' 'Word at'; }
has_all() { expected | while read -r line; do grep -qxF -e "$line" "$1" || { echo "not seen: $line" && cat "$1" && exit 1; }; done; }

if command -v vim >/dev/null && vim --version | grep -q '+syntax'; then
    cat >look.vim <<'END'
syntax on
filetype plugin on
edit seen.pav
let words = []
for line in range(1, line('$'))
    let last = ''
    for column in range(1, len(getline(line)))
        let name = synIDattr(synID(line, column, 1), 'name')
        if name ==# last && name !=# ''
            let words[-1] .= getline(line)[column - 1]
        elseif name !=# ''
            call add(words, substitute(name, '^pav', '', '') . ' ' . getline(line)[column - 1])
        endif
        let last = name
    endfor
endfor
call writefile(words + [&commentstring], 'vim-words')
quitall!
END
    vim -u NONE -i NONE -es --cmd 'set nocompatible' --cmd "set runtimepath^=$editors/vim" -S look.vim </dev/null
    check 'Vim colours a description' has_all vim-words
    check 'and no word inside a name' sh -c '! grep -qx "Function where" vim-words'
    check 'and comments by #' grep -qx '# %s' vim-words
else
    skip 'colours in Vim' 'there is no vim with +syntax'
fi

cat >look.py <<'END'
import json, re, sys

kinds = {"comment": "Comment", "string": "String", "keyword.control": "Statement", "storage": "Type", "keyword.operator": "Operator",
         "support": "Function", "variable": "Word", "constant": "Number"}
rules = [(re.compile(p["match"]), p["name"]) for p in json.load(open(sys.argv[1]))["patterns"]]
for line in open("seen.pav").read().splitlines():
    at = 0  # as an editor does: the earliest match, of these the first rule
    while found := min(((m.start(), n, m) for n, (rule, _) in enumerate(rules) if (m := rule.search(line, at))), key=lambda f: f[:2], default=None):
        name = rules[found[1]][1]
        print(next(kind for prefix, kind in kinds.items() if name.startswith(prefix)), found[2][0])
        at = found[2].end()
END
python3 look.py "$editors/vscode/pavior.tmLanguage.json" >code-words
check 'the grammar of VS Code colours a description' has_all code-words
check 'and no word inside a name' sh -c '! grep -qx "Function where" code-words'
finish
