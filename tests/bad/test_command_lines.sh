# SPDX-License-Identifier: BSD-3-Clause
# Bad command lines and bad files: exit code 2, one clear message, and nothing is run.
. "${0%/*}/../test.sh"

cat >good.pav <<'END'
grid x 4
field u = 1
param a = 1
scalar b = 2
u' = a*b*u
output u into "u.npy"
steps 1
END
bad() { # sentence, text, words of pavior...: refused with 2
    bad_name=$1 bad_text=$2
    shift 2
    refuse "$bad_name" 2 "$bad_text" "$PAVIOR" "$@"
}

# ---- commands and options ----
bad 'no command at all'              'usage'
bad 'an unknown command'             "there is no command 'frob'"     frob
bad 'a command in capitals'          "there is no command 'RUN'"      RUN good.pav
bad 'a file in place of a command'   "'pavior run' takes a file" good.pav
bad 'an empty command'               "there is no command ''"         ''
bad 'help on an unknown command'     "there is no command 'frob'"     help frob
bad 'no description'                 'one description is needed'      run
bad 'two descriptions'               '2 are given'                    run good.pav good.pav
bad 'an unknown option'              'no option --frob'               run good.pav --frob
bad 'the known options are listed'   '--steps'                        run good.pav --frob
bad 'a short option'                 'no option -s'                   run good.pav -s
bad 'an option without its value'    '--steps needs a value'          run good.pav --steps
bad 'a flag with a value'            '--quiet takes no value'         run good.pav --quiet=1
bad 'an option given twice'          '--steps is given twice'         run good.pav --steps 1 --steps 2
bad 'no steps'                       "not '0'"                        run good.pav --steps 0
bad 'steps below zero'               "not '-3'"                       run good.pav --steps -3
bad 'half a step'                    "not '1.5'"                      run good.pav --steps 1.5
bad 'steps with letters'             "not '10x'"                      run good.pav --steps 10x
bad 'steps beyond 64 bits'           'whole number'                   run good.pav --steps 99999999999999999999
bad 'empty steps'                    "not ''"                         run good.pav --steps=
bad 'steps beyond, with what there is' 'from 1 to 9223372036854775807, not' run good.pav --steps 99999999999999999999
bad 'threads beyond 64 bits'         "from 1 to 1024, not '99999999999999999999'" run good.pav --threads 99999999999999999999
bad 'an empty folder for outputs'    "--out needs a value, not ''"    run good.pav --out ''
bad 'an empty checkpoint'            "--checkpoint needs a value, not ''" run good.pav --checkpoint=
bad 'a word behind --verify'         "but 2 are given: 'good.pav', 'abc'" run good.pav --verify abc
bad 'a time without a unit of ours'  "a time, such as 90s, 10min or 2h, not '10m'" run good.pav --checkpoint c --every 10m
bad 'checkpoints beyond 64 bits'     "not '99999999999999999999'"     run good.pav --checkpoint c --every 99999999999999999999
bad 'a version of something'         "takes nothing behind it, but 'x'" --version x
bad 'a command for the version'      "did you mean '--version'?"      version
bad 'help on what is no command'     "there is no command 'frob'"     --help frob
bad 'a watch that is no number'      "not 'often'"                    run good.pav --check-nan often
bad 'an unknown device'              'abacus'                         run good.pav --device abacus:3
bad 'an empty device'                'device'                         run good.pav --device ''
bad 'programs that are no number'    "not 'many'"                     check --programs many
bad 'no programs'                    "not '0'"                        check --programs 0
bad 'a seed that is no number'       "not 'x'"                        check --seed x
bad 'a share of more than all'       '1/16 to 16/16'                  check --share 4/3
bad 'check takes no file'            'good.pav'                       check good.pav
bad 'doctor takes no file'           'good.pav'                       doctor good.pav
bad 'explain takes no steps'         'no option --steps'              explain good.pav --steps 3
many() { # a thousand --set
    set -- "$PAVIOR" run good.pav --no-files --quiet
    while [ $# -lt 2000 ]; do set -- "$@" --set a=1; done
    "$@" --set c=1
}
refuse 'a thousand settings are read' 2 "no such param or scalar" many
bad 'plan takes no report'           'no option --report'             plan good.pav --report r.json
bad 'a plan needs a description'     'one description is needed'      plan
bad 'a rate that is no number'       "not 'fast'"                     plan good.pav --copy-rate fast
bad 'a rate of nothing'              "not '0'"                        plan good.pav --copy-rate 0
bad 'a rate with a unit'             "not '40GB'"                     plan good.pav --copy-rate 40GB
bad 'a rate that is NaN'             "not 'nan'"                      plan good.pav --copy-rate nan
bad 'a plan on an unknown device'    'abacus'                         plan good.pav --device abacus:3
bad 'a pass of one step'             'the schedule time:depth=1 is of GPUs' run good.pav --device cpu --schedule time:depth=1
bad 'a plan of an unknown schedule'  "no schedule 'row'"              plan good.pav --schedule row
bad 'too many threads for a plan'    'a whole number from 1 to 1024' plan good.pav --threads 5000
check 'a plan writes nothing'        test ! -e u.npy

# ---- --set ----
bad 'a setting without ='            'must read name=value'           run good.pav --set a
bad 'a setting without a value'      'must read name=value'           run good.pav --set a=
bad 'a setting without a name'       'must read name=value'           run good.pav --set =1
bad 'an unknown name'                "did you mean 'a'?"              run good.pav --set aa=1
bad 'a field cannot be set'          'which is a field'               run good.pav --set u=1
bad 'a shell command is no number'   "'\$' has no meaning"            run good.pav --set 'a=$(touch owned)'
bad 'nor are back quotes'            "'\`' has no meaning"            run good.pav --set 'a=`touch owned`'
bad 'nor is a second command'        "';' is not expected"            run good.pav --set 'a=1;touch owned'
bad 'nor is a pipe'                  "condition that one holds is written"             run good.pav --set 'a=1|touch owned'
bad 'nor is a line end'              'control characters'                 run good.pav --set 'a=1
touch owned'
bad 'infinity is no value'           'the divisor is 0'               run good.pav --set a=1/0
bad 'nor is NaN'                     'the divisor is 0'               run good.pav --set a=0/0
bad 'nor is a number beyond all'     'too large'                      run good.pav --set a=1e999
bad 'nor is a coordinate'            'must be constant'               run good.pav --set a=x
bad 'a name with a format in it'     'no such param'                  run good.pav --set '%s%n=1'
check 'no command was run'           test ! -e owned

# ---- the environment ----
set_to() { # sentence, text, VARIABLE=value
    refuse "$1" 2 "$2" env "$3" "$PAVIOR" run good.pav --no-files
}
set_to 'threads that are no number'  "PAV_THREADS takes a whole number from 1 to 1024, not 'foo'" PAV_THREADS=foo
set_to 'no thread at all'            "not '0'"                        PAV_THREADS=0
set_to 'more threads than can be'    "not '5000'"                     PAV_THREADS=5000
set_to 'a size that is none'         "PAV_CACHE_SIZE takes a size"    PAV_CACHE_SIZE=lots
set_to 'seconds that are none'       "PAV_CC_SECONDS takes a number"  PAV_CC_SECONDS=abc
set_to 'nor endless ones'            "not 'inf'"                      PAV_CC_SECONDS=inf
check  'empty is unset'              env PAV_THREADS= PAV_CACHE_SIZE= PAV_CC_SECONDS= "$PAVIOR" run good.pav --no-files

# ---- files ----
bad 'a missing file is named'        'no-such.pav'                    run no-such.pav
bad 'an empty name'                  'empty'                          run ''
mkdir folder
bad 'a folder'                       'folder'                         run folder
bad 'a name with a format in it'     '%s%n.pav'                       run '%s%n.pav'
bad 'a name with shell signs in it'  'a;touch owned'                  run 'a;touch owned'
: >empty.pav
bad 'an empty file'                  'empty'                          run empty.pav
printf 'grid x 4\nfield u\000\n' >nul.pav
bad 'a NUL byte'                     'nul.pav:2:8'                    run nul.pav
printf 'grid x 4 # caf\351\n' >latin.pav
bad 'text that is not UTF-8'         'latin.pav:1:15'                 run latin.pav
head -c 100000 /dev/urandom >noise.pav
bad 'noise'                          'noise.pav:'                     run noise.pav
cp "$PAVIOR" program.pav
bad 'a program'                      'program.pav'                    run program.pav
bad 'an endless file'                '/dev/zero'                      run /dev/zero
bad 'an empty input'                 'standard input'                 run -
printf 'grid x 4\nfield u = "no-such.npy"\nu'"'"' = u\nsteps 1\n' >data.pav
bad 'a missing data file is named'   'data.pav:2: field u: no-such.npy' run data.pav
echo hello >no-such.npy
bad 'a data file of another kind'    'no npy file'                    run data.pav
printf '%s\n' 'grid x 4' 'field u = "$(touch owned)"' "u' = u" 'steps 1' >shell.pav
bad 'a data file named as a command' '$(touch owned)'                 run shell.pav
printf '%s\n' 'grid x 4' 'field u = 1' "u' = u" 'steps 1' 'output u into "a.doc"' >ending.pav
bad 'an ending that nobody writes'   'ending.pav:5:15: a .doc file'            run ending.pav
check 'no command was run for that'  test ! -e owned
check 'nothing was written'          test ! -e u.npy

# ---- the catalogue ----
bad 'an unknown problem'             "did you mean 'heat1d'?"         run heat9d@4
bad 'an unknown key'                 "no key 'q'"                     run heat2d:q=3@4x4
bad 'too few extents'                '2 positive extents'             run heat2d@4
bad 'too many extents'               'extents'                        run heat2d@4x4x4
bad 'no extents'                     'extents'                        run heat2d@
bad 'an extent of zero'              'positive extents'               run heat2d@0x4
bad 'an extent beyond 64 bits'       'extents'                        run heat2d@99999999999999999999x4
bad 'an unknown type'                '/f16'                           run heat2d@4x4/f16
bad 'a value that is no number'      "a"                              run heat2d:a=b@4x4
finish
