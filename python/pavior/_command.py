# SPDX-License-Identifier: BSD-3-Clause
"""The command `pavior` of a wheel: the program beside the package takes over this process."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "native" / "bin" / "pavior"
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"pavior: {program} cannot be started: {error.strerror}; install the package again")
