# bash completion for pavior: commands and options come from `pavior help`, so they are never stale.
_pavior() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    if [[ $COMP_CWORD -eq 1 || ${COMP_WORDS[1]} == help ]]; then
        words=$(pavior help 2>/dev/null | sed -n 's/^  *pavior \([a-z]\{1,\}\).*/\1/p; s/^  \([a-z]\{1,\}\)  .*/\1/p')
    elif [[ $word == -* ]]; then
        words=$(pavior help "${COMP_WORDS[1]}" 2>/dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)
    elif [[ ${COMP_WORDS[1]} == examples && $COMP_CWORD -eq 2 ]]; then
        words=$(pavior examples 2>/dev/null | sed -n 's/^  \([^ ]\{1,\}\) .*/\1/p')
    else
        local IFS=$'\n'
        compopt -o filenames
        COMPREPLY=($(compgen -d -- "$word") $(compgen -f -X '!*.pav' -- "$word"))
        return
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _pavior pavior
