# SPDX-License-Identifier: BSD-3-Clause
"""The command `pavior` of a wheel: the program of the package takes over this process.

It is a package of its own, because the other one imports NumPy and the library: half a second for each command.
"""

import os
import pathlib
import signal
import sys


def main():
    program = pathlib.Path(__file__).resolve().parent.parent / "pavior" / "native" / "bin" / "pavior"
    # Python ignores this signal; the program ends by it, silently, after `pavior ... | head`.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"pavior: {program} cannot be started: {error.strerror}; install the package again")
