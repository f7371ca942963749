# SPDX-License-Identifier: BSD-3-Clause
# test.sh: tests written in shell, tests/<folder>/test_<idea>.sh, called with the build folder:
#
#     . "${0%/*}/../test.sh"
#     check  'the version is said'         "$PAVIOR" --version
#     refuse 'a missing file is named' 2 'no-such.pav' "$PAVIOR" run no-such.pav
#     finish
#
# They start in an empty scratch folder and know SOURCE, BUILD, PAVIOR, CC, FLAGS, CXX, PKG_CONFIG,
# NM and OBJCOPY (the last four may be empty), and CHECK_KERNELS. A passing test is silent.
set -u
. "$(cd "${1:?usage: $0 BUILD}" && pwd)/env.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1
test_passed=0
test_failed=0

test_fail() { # sentence, reason; shows the output
    echo "FAILED $1: $2"
    sed 's/^/    /' "$scratch/.output"
    test_failed=$((test_failed + 1))
}

# module: a Python that has it, or python3. The first one on PATH may not be the system's.
python_with() {
    for test_python in python3 /usr/bin/python3; do
        "$test_python" -c "import $1" 2>/dev/null && echo "$test_python" && return
    done
    echo python3
}

# sentence, command...: the command succeeds.
check() {
    test_name=$1
    shift
    "$@" >"$scratch/.output" 2>&1
    test_code=$?
    if [ $test_code = 0 ]; then
        test_passed=$((test_passed + 1))
    else
        test_fail "$test_name" "exit code $test_code"
    fi
}

# sentence, exit code, text, command...: the command ends with this code and prints this text.
refuse() {
    test_name=$1 test_want=$2 test_text=$3
    shift 3
    "$@" >"$scratch/.output" 2>&1
    test_code=$?
    if [ $test_code != "$test_want" ]; then
        test_fail "$test_name" "exit code $test_code, not $test_want"
    elif ! grep -qF -e "$test_text" "$scratch/.output"; then
        test_fail "$test_name" "did not say: $test_text"
    else
        test_passed=$((test_passed + 1))
    fi
}

# arguments: starts a run in the background, number $run, with its output in `said`, and waits for its first step.
# Before this step the process may still be a copy of this shell, and signals would be lost.
begin_run() {
    : >said
    "$PAVIOR" run "$@" >said 2>&1 &
    run=$!
    wait_for $run grep -q '^step' said
}

# process, command...: waits until the command succeeds or the process has ended, on a busy machine too. Ten minutes are a hang:
# the checks that follow fail.
wait_for() {
    waited_for=$1
    waited_since=$(date +%s)
    shift
    until "$@" || ! kill -0 "$waited_for" 2>/dev/null || [ $(($(date +%s) - waited_since)) -gt 600 ]; do
        sleep 0.05
    done
}

# sentence, reason for skipping it.
skip() {
    echo "skipped: $1: $2"
}

finish() {
    echo "$test_passed passed, $test_failed failed"
    [ $test_failed = 0 ]
    exit
}
