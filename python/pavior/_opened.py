# SPDX-License-Identifier: BSD-3-Clause
"""What a run on a grid and a run on a mesh share: it is open or closed, and one thread at a time is in C."""

from __future__ import annotations

from typing import Any, TypeVar

from ._errors import ArgumentError

Own = TypeVar("Own", bound="Opened")


class Opened:
    _run: Any  # with a pointer and a lock; None: closed

    def close(self) -> None:
        """Ends the run: its files are complete. Arrays taken from it stay readable."""
        self._run = None

    def __enter__(self: Own) -> Own:
        self._opened()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self):
        raise TypeError("a run stays in its process: send its program, and open a run there")

    def _opened(self):
        run = self._run
        if run is None:
            raise ArgumentError("this run is closed: open another one by Program.run")
        return run

    def _call(self, function, *arguments):
        """A function of C with this run: one thread at a time, and its memory lives until then."""
        run = self._opened()
        with run.lock:
            return function(run.pointer, *arguments)
