# SPDX-License-Identifier: BSD-3-Clause
# Kernels compiled before a run, and runs without permission to compile.
. "${0%/*}/../test.sh"
unset PAV_DEVICE
export PAV_CACHE="$scratch/cache"

if "$PAVIOR" doctor | grep -Eq '^ +cpu +no: '; then
    skip 'kernels before a run' "$("$PAVIOR" doctor | sed -n 's/^ *cpu *no: //p')"
    printf '#!/bin/sh\nsleep 100\n' >"$scratch/asleep"
chmod +x "$scratch/asleep"
for device in cpu emulated; do
    refuse "Ctrl-C ends a compiler for $device" 130 'stopped before the first step: compiling kernels for' \
        env PAV_CC="$scratch/asleep" PAV_CXX="$scratch/asleep" timeout --preserve-status -s INT -k 60 3 \
        "$PAVIOR" run star1d@60 --steps 2 --no-files --device $device
done
finish
fi
bare() { word=$1; shift; "$PAVIOR" run "$word@20x20x20/f32" --steps 2 --no-files "$@"; }
refuse 'what is not compiled is refused'         2 '`pavior compile`' bare heat3d --require-cached --device cpu
refuse 'no other device stands in'               2 '`pavior compile`' bare heat3d --require-cached
check  'kernels are compiled before a run'         "$PAVIOR" compile heat3d@20x20x20/f32 --device cpu
check  'that then compiles nothing'                bare heat3d --require-cached --device cpu
rm -r "$PAV_CACHE"
check  'kernels are awaited where runs begin without' env PAV_EARLY=1 PAV_THREADS=2 "$PAVIOR" compile heat3d@20x20x20/f32 --device cpu
check  'so they are in the cache'                  bare heat3d --require-cached --device cpu
refuse 'another description has other kernels'   2 'forbids to compile' bare wave3d --require-cached --device cpu
refuse 'the variable does the same'              2 'forbids to compile' env PAV_REQUIRE_CACHED=1 \
    "$PAVIOR" run wave3d@20x20x20/f32 --steps 2 --no-files --device cpu
refuse 'the variable is 0 or 1'                  2 "not 'yes'" env PAV_REQUIRE_CACHED=yes "$PAVIOR" run heat3d@20x20x20
refuse 'a cache that keeps nothing is told'      1 'is compiled for nothing' env PAV_CACHE=/proc/none \
    "$PAVIOR" compile heat3d@20x20x20/f32 --device cpu
refuse 'the interpreter compiles nothing'        2 'compiles nothing' "$PAVIOR" compile heat3d@20x20x20 --device interpreter

# Two compilers: one counts the objects it makes, the other is slow.
printf '#!/bin/sh\ncase " $* " in *" -c "*) echo >>"%s";; esac\nexec "%s" "$@"\n' "$scratch/objects" "$CC" >"$scratch/counting"
printf '#!/bin/sh\nsleep 2.2\nexec "%s" "$@"\n' "$CC" >"$scratch/slow"
chmod +x "$scratch/counting" "$scratch/slow"
cat >cycle.pav <<'END'
grid x 33, y 33, z 33 spacing 1/32
field u = 0
field f = 1
border u = 0
solve -laplace(u) = f by multigrid to 1e-8
END
check  'long kernels are made in parts'            env PAV_CC="$scratch/counting" PAV_THREADS=3 \
    "$PAVIOR" run cycle.pav --device cpu --no-files
check  'which are several'                         test "$(wc -l <"$scratch/objects")" -ge 2
check  'a log says that kernels are compiled'      sh -c 'PAV_CC=$1 "$2" run star1d@50 --steps 2 --no-files --device cpu 2>&1 | grep "^set-up: compiling kernels for cpu, 2 s"' - "$scratch/slow" "$PAVIOR"
finish
