# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: one class for each status of pavior.h that a caller may want to catch."""

from __future__ import annotations

import re
from typing import Any


class PaviorError(Exception):
    """A failure. Its text says what failed, how much, and what to do; `status` is the C interface's number."""

    status = 12


class Mistake:
    """One mistake of a description: `line` and `column` from 1, `text`, and the marked `source` lines."""

    def __init__(self, line: int, column: int, text: str, source: str):
        self.line, self.column, self.text, self.source = line, column, text, source

    def __repr__(self):
        return f"Mistake(line={self.line}, column={self.column}, text={self.text!r})"


class DescriptionError(PaviorError):
    """The description has mistakes: `mistakes` lists them with line, column and caret."""

    status = 2

    @property
    def mistakes(self) -> list[Mistake]:
        """All mistakes, in the order of the text."""
        found = []
        for line in str(self).splitlines():
            head = re.match(r"(?:.*?):(\d+):(\d+): (.*)", line)
            if head and not line.startswith("    "):
                found.append(Mistake(int(head[1]), int(head[2]), head[3], ""))
            elif found:
                found[-1].source += line[4:] + "\n"
        return found


class ArgumentError(PaviorError, ValueError):
    """An argument is not usable."""

    status = 1


class OutOfMemory(PaviorError, MemoryError):
    """Memory ran out, or a run would need more than there is."""

    status = 3


class FileError(PaviorError, OSError):
    """A file could not be read or written, or does not hold what is needed."""

    status = 4

    __str__ = Exception.__str__


class FormatError(FileError):
    """A data file does not hold what is needed."""

    status = 5


class DiskFull(FileError):
    """A disk is full."""

    status = 14


class TooLarge(PaviorError):
    """A size is beyond what is supported."""

    status = 6


class Unsupported(PaviorError):
    """This version or build cannot do it."""

    status = 7


class DeviceError(PaviorError):
    """A device is missing or failed."""

    status = 8


class NotFinite(PaviorError, ArithmeticError):
    """A field is no longer finite."""

    status = 9


class Interrupted(PaviorError):
    """The run was asked to stop."""

    status = 10


class ExpectationFailed(PaviorError, AssertionError):
    """An expectation of the description does not hold."""

    status = 11


class NotConverged(PaviorError, ArithmeticError):
    """An equation could not be solved as accurately as asked; `solution` holds the last iterate."""

    status = 13
    solution: Any = None


_CLASSES = {
    kind.status: kind
    for kind in (
        DescriptionError,
        ArgumentError,
        OutOfMemory,
        FileError,
        FormatError,
        DiskFull,
        TooLarge,
        Unsupported,
        DeviceError,
        NotFinite,
        Interrupted,
        ExpectationFailed,
        NotConverged,
    )
}


def error_of(status, message):
    """The exception for a status and its message."""
    error = _CLASSES.get(status, PaviorError)(message)
    error.status = status
    return error
