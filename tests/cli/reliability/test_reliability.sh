# SPDX-License-Identifier: BSD-3-Clause
# The user's surroundings: files in the cache, closed standard streams, limits on files and memory, odd names of
# directories. No file of the user is lost, every file written is complete, and every failure gives a sentence.
. "${0%/*}/../../test.sh"
unset PAV_DEVICE

cat >heat.pav <<'END'
grid  x 24, y 20
field u = x + 0.01*y^2
u' = u + 0.1*laplace(u)
border neumann
output u into "u.npy"
output u into "u.png"
sample u at (3.5, 4) every 7 into "s.csv"
sample u at (3.5, 4) every 2 into "s.npy"
measure top = max(u) every 10 into "top.csv"
steps 60
END
sed '/ into /d' heat.pav >bare.pav
if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then kernels=interpreter; else kernels=cpu; fi

# ---- the cache ----
mkdir -p project/work-thesis project/pavior-kernels-thesis
echo x >project/work-thesis/t.tex
echo x >project/pavior-kernels-thesis/t.tex
echo x >project/mine.so
echo x >project/00000000000000000000000000000000.cubin
find project -exec touch -d '2 days ago' {} +
find project | sort >before
theirs() { # all that was there is there, wherever the cache is
    env PAV_CACHE=project PAV_CACHE_SIZE=1 "$PAVIOR" run bare.pav --device $kernels &&
        env PAV_CACHE=/proc/none TMPDIR="$scratch/project" "$PAVIOR" run bare.pav --device $kernels || return 1
    find project -path project/pavior-kernels -prune -o -print | sort | diff before -
}
check 'what others keep where the cache is stays'  theirs
[ $kernels = interpreter ] ||
    check 'a directory is made and marked'         test -f project/pavior-kernels/CACHEDIR.TAG

# ---- odd names reach no compiler as options ----
line_break='a
-fsyntax-only'
odd() { # name: kernels are kept there, and compiled there for once
    PAV_CACHE=$1 "$PAVIOR" run bare.pav --device $kernels >said 2>&1 && ! grep 'not kept' said || { cat said; return 1; }
    mkdir -p -- "./$1"
    PAV_CACHE=/proc/none TMPDIR=$1 "$PAVIOR" run bare.pav --device $kernels
}
for name in -fsyntax-only @options "$line_break" "a b'\"\$c"; do
    check "a cache may be named $(echo "$name" | tr '\n' '|')" odd "$name"
done

# ---- a description writes only into the run's folder ----
writes() { # statement: a description with it; nothing is outside yet
    sed '/ into /d' heat.pav >out.pav && echo "$1" >>out.pav && rm -rf outside* inside && mkdir outside
}
for name in "$scratch/outside/u.csv" ../outside/u.csv a/../../outside/u.csv; do
    for what in 'output u into' 'sample u at (3, 4) into' 'measure m = max(u) into' 'checkpoint every 20 into'; do
        writes "$what \"$name\""
        refuse "$what $name is refused" 2 'out.pav:6: '"$name"' is outside the directory of outputs (inside)' \
            "$PAVIOR" run out.pav --out inside --device interpreter
        check "and leaves nothing" sh -c '[ -z "$(ls outside)" ] && [ ! -e inside ]'
    done
done
check  'without files it may say so'      "$PAVIOR" run out.pav --no-files --device interpreter
writes "output u into \"$scratch/outside/u.csv\""
check  'what allows it is an option'      "$PAVIOR" run out.pav --allow-outside --device interpreter --checkpoint split_stage.c
refuse 'a plan says that a run would not' 1 'is outside the directory' "$PAVIOR" plan out.pav
check  'unless it may'                    "$PAVIOR" plan out.pav --allow-outside
check  'then it is written'               test -s outside/u.csv
refuse 'going on needs the option, too' 2 'is outside the directory' \
    "$PAVIOR" run out.pav --restart split_stage.c --steps 80 --device interpreter
check  'with it that goes on'             "$PAVIOR" run out.pav --restart split_stage.c --steps 80 --device interpreter --allow-outside
writes 'output u into "a..b...csv"'
check  'dots within a name lead nowhere'  "$PAVIOR" run out.pav --out inside --device interpreter
writes 'checkpoint every 20'
check  'the user may name any checkpoint' "$PAVIOR" run out.pav --checkpoint "$scratch/outside/c" --device interpreter

# ---- closed standard streams ----
"$PAVIOR" run heat.pav --device $kernels --out whole --checkpoint whole.c --every 20 --report whole.json >said 2>&1
with_closed() { # command...: with the streams of $closed closed
    (
        case $closed in *0*) exec <&- ;; esac
        case $closed in *1*) exec >&- ;; esac
        case $closed in *2*) exec 2>&- ;; esac
        exec "$@"
    )
}
same() { # options...: a run in which streams are closed leaves the same files
    rm -rf part split_stage.c* part.json
    with_closed "$PAVIOR" run heat.pav --device $kernels --out part --checkpoint split_stage.c --every 20 --report part.json "$@"
    code=$?
    case $closed in *1*) [ $code -le 1 ] ;; *) [ $code = 0 ] ;; esac || return 1
    diff -r whole part && cmp whole.c split_stage.c && head -c 15 part.json | grep -q '{"status": "'
}
for closed in 0 1 2 01 02 12 012; do
    for how in --quiet --json --steps=60; do
        check "streams $closed are closed, $how"  same $how
    done
done
closed=1
refuse 'what cannot be printed is told'  1 'could not be written' with_closed "$PAVIOR" --version

# ---- limits ----
limited() { # blocks of 512 bytes, arguments of run...
    (ulimit -f "$1" && shift && exec "$PAVIOR" run "$@")
}
cat >large.pav <<'END'
grid  x 90, y 80
field u = random(3)
u' = u
sample u at (3, 3) every 1 into "s.csv"
steps 3000
END
refuse 'a table at the limit on files is a sentence' 1 'a limit on the size of files' \
    limited 20 large.pav --out limits --device interpreter
check  'its rows are whole'                  sh -c 'tail -c 1 limits/s.csv | od -An -c | grep -q "\\\\n"'
keep() { limited 20 large.pav --no-files --checkpoint big.c --every 1000 --device interpreter; }
refuse 'a checkpoint at the limit is one'    1 'a limit on the size of files' keep
check  'nothing half written is left'        test ! -e big.c.part
head -c 10240 /dev/zero >full.txt
printed() { limited 20 large.pav --no-files --device interpreter >>full.txt; }
refuse 'standard output at the limit is one' 1 'could not be written' printed
reported() { limited 1 bare.pav --device interpreter --report r.json >/dev/null; }
refuse 'a report at the limit is one'        1 'the report could not be written to r.json' reported
check  'and no part of one is left'          test -z "$(ls r.json* 2>/dev/null)"
small() { PAV_CACHE=$scratch/small limited 4 bare.pav; }
check  'kernels at the limit are done without'  small

memory() { # KiB of address space: an end with a sentence, never by a signal
    (ulimit -v "$1" && exec "$PAVIOR" run bare.pav --device interpreter --quiet) >said 2>&1
    code=$?
    cat said
    [ $code = 0 ] || { [ $code -le 2 ] && grep -qE 'pavior|memory ran out' said; }
}
if [ -z "$SANITIZED" ]; then
    "$PAVIOR" --version >/dev/null && for space in 8000 10000 12000 16000 24000 48000 100000 200000; do
        (ulimit -v $space && "$PAVIOR" --version) >said 2>&1 || continue # the loader itself needs more
        check "a run in $space KiB of addresses ends well"  memory $space
    done
fi
finish
