autocmd BufRead,BufNewFile *.pav setfiletype pavior
