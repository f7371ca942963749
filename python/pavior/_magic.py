# SPDX-License-Identifier: BSD-3-Clause
"""`%%pavior NAME [param=value ...]` in a notebook: the cell is a description, NAME becomes its Program."""

import sys

from ._errors import DescriptionError
from ._program import Program


def register(shell):
    def pavior(line, cell):
        words = line.split()
        params = dict(word.split("=", 1) for word in words if "=" in word)
        names = [word for word in words if "=" not in word] or ["program"]
        try:
            program = Program(cell + "\n", params, name="cell")
        except DescriptionError as error:
            print(error, file=sys.stderr)
            return None
        shell.user_ns[names[0]] = program
        return program

    shell.register_magic_function(pavior, magic_kind="cell")
