# SPDX-License-Identifier: BSD-3-Clause
"""The bundled examples: files below share/pavior/examples, beside the library or the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import PaviorError
from ._library import lib

if TYPE_CHECKING:
    import pathlib


def _folders():
    import pathlib  # only here: they load much
    import shutil

    for file in (pathlib.Path(__file__).parent / "native" / "bin" / "pavior", lib._name, shutil.which("pavior")):
        for above in list(pathlib.Path(file).resolve().parents)[:3] if file and pathlib.Path(file).is_absolute() else ():
            yield above / "share" / "pavior" / "examples"


def examples() -> dict[str, pathlib.Path]:
    """Paths of the bundled examples by their names: `Program(examples()["drum"])`.

    Each begins with a comment about what it computes, and ends in a checked answer.
    """
    for folder in _folders():
        found = {path.stem: path for path in sorted(folder.glob("*/*.pav"))}
        if found:
            return found
    raise PaviorError("the examples are not installed: they belong to share/pavior/examples beside the library or the command")
