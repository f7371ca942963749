# SPDX-License-Identifier: BSD-3-Clause
# A run that can be watched: its page, its commands, rude clients, and the report as a page.
. "${0%/*}/../test.sh"
here=$SOURCE/tests/cli
python=$(python_with json)
client() { # check, address or file
    timeout 100 "$python" "$here/view_client.py" "$@"
}
cat >heat.pav <<'END'
grid  x 12, y 10, z 8
field u = x + y*z; k = x
u' = u + k/1e6*laplace(u)
border u = 0
measure m = sum(u)
steps 1000000000
END
watch() { # arguments: starts a watched run, number $run, with its $address
    : >said
    timeout 300 "$PAVIOR" run heat.pav --view --no-files "$@" >out 2>said &
    run=$!
    wait_for $run grep -q '^view: ' said
    address=$(sed -n 's/^view: //p' said)
}

watch --quiet --checkpoint run.checkpoint
check 'one line has the address'     sh -c 'grep -Exc "view: http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/" said | grep -qx 1'
check 'an unwatched run draws none'  client unwatched "$address"
check 'it draws seldom enough'        client cheap "$address"
check 'a page is served'             client page "$address"
check 'strangers are refused'        client strangers "$address"
check 'slow clients delay nobody'    client slow "$address"
check 'commands act'                 client commands "$address"
check 'two windows have two slices'  client windows "$address"
check 'a run is stopped'             client stop "$address"
wait $run
code=$?
check 'and can be continued'         test $code = 75
check 'with the command for it'      grep -q '^go on with: pavior run --restart run.checkpoint' said
check 'no other line was printed'    test "$(grep -c . said)" = 3

# held and stepped, on kernels with fused steps, and cut: the bits are those of an unwatched run
steps() { # name, arguments
    sed 's/^steps .*/steps 60\noutput u/' heat.pav >short.pav
    name=$1 && shift
    "$PAVIOR" run short.pav --quiet --out "$name" "$@" || return
}
stepped() { # arguments
    rm -rf watched
    : >said
    timeout 300 "$PAVIOR" run short.pav --view --quiet --out watched "$@" 2>said &
    run=$!
    wait_for $run grep -q '^view: ' said
    address=$(sed -n 's/^view: //p' said)
    "$python" - "$here" "$address" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import view_client as v
try:  # a short run may end before the pause
    v.send(sys.argv[2], "pause")
    v.send(sys.argv[2], "step")
    v.send(sys.argv[2], "checkpoint")
    v.send(sys.argv[2], "resume")
except OSError:
    pass
END
    wait $run && cmp plain/u.npy watched/u.npy
}
check 'a run without a page'         steps plain
for place in '--device interpreter' '--device cpu --schedule time:depth=4' '--device interpreter --subdomains 2' \
    '--device emulated' '--device cpu --out-of-core mmtb'; do
    # shellcheck disable=SC2086 # words
    check "the bits are the same: $place" stepped $place
done

watch --quiet --time-limit 6s --checkpoint run.checkpoint
check 'a pause obeys the time limit' client limit "$address"
wait $run
check 'and says so'                  grep -q 'the time limit is near' said

sed 's/^steps .*/steps 300/' heat.pav >'<b>.pav'
check 'a report is a page'           "$PAVIOR" run '<b>.pav' --quiet --no-files --report run.html
check 'with pictures and curves'     client report run.html
check 'it may be replaced'           "$PAVIOR" run '<b>.pav' --quiet --no-files --report run.html
printf 'param dt = 0.25\ngrid x 30, y 20\nfield u = x\nu'"'"' = u\nborder u = 0\nsteps 7\noutput u into "t.png"\n' >t.pav
check 'a report with a time'         "$PAVIOR" run t.pav --no-stamp --quiet --report t.html
check 'shows what an output shows'   client same t.html t.png
echo '<html>mine' >mine.html
refuse 'another page may not'        2 'would take the place' "$PAVIOR" run heat.pav --steps 3 --no-files --report mine.html
"$PAVIOR" run missing.pav --report failed.html 2>/dev/null
check 'a failure is a page, too'     grep -q 'missing.pav' failed.html
if [ -n "$SANITIZED" ]; then
    skip 'ranks have no page' 'MPI has leaks of its own'
elif command -v mpirun >/dev/null 2>&1; then
    refuse 'ranks have no page'      2 'run of one process' mpirun --allow-run-as-root --oversubscribe -n 2 "$PAVIOR" run heat.pav --steps 3 --no-files --view
else
    skip 'ranks have no page' 'no mpirun'
fi

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    watch --quiet
    check 'a browser shows the run'  timeout 300 "$python" "$here/view_browser.py" "$browser" "$address"
    kill $run 2>/dev/null
    wait $run
else
    skip 'a browser shows the run' 'no chromium'
fi
finish
