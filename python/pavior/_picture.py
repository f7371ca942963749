# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and other files that a run writes when Python asks for them, by the writers of the library."""

from __future__ import annotations

import ctypes
import os
import pathlib
import tempfile
from typing import Any, Callable

from ._errors import ArgumentError
from ._library import encoded, lib


class Picture:
    """A PNG, or an animated one. A notebook shows it; `save` writes it into a file."""

    def __init__(self, data: bytes):
        self.data = data

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture. Of an animation, .apng and .png are the usual endings."""
        if pathlib.Path(path).suffix not in (".png", ".apng"):
            raise ArgumentError(f"{os.fspath(path)}: a picture is written into a .png or .apng file")
        pathlib.Path(path).write_bytes(self.data)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int.from_bytes(self.data[16:20], "big"), int.from_bytes(self.data[20:24], "big")

    @property
    def frames(self) -> int:
        """Number of pictures: 1 unless it is an animation."""
        at = self.data.find(b"acTL", 0, 64)
        return int.from_bytes(self.data[at + 4 : at + 8], "big") if at >= 0 else 1

    def _repr_png_(self) -> bytes:
        return self.data

    def __repr__(self):
        width, height = self.size
        more = f", {self.frames} frames" if self.frames > 1 else ""
        return f"<pavior.Picture, {width} x {height} pixels{more}>"


def picture_of(ending: str, draw: Callable[[str], Any]) -> Picture:
    """The picture that `draw` writes into a file of this ending."""
    with tempfile.TemporaryDirectory(prefix="pavior-") as folder:
        path = os.path.join(folder, "picture" + ending)
        draw(path)
        return Picture(pathlib.Path(path).read_bytes())


def _listed(values: Any) -> str:
    return ", ".join(str(value) for value in values)


def _range(ends: Any) -> str:
    low, high = map(float, ends)
    return f"{low!r} to {high!r}"


def _label(text: str) -> str:
    if not set('"\n').isdisjoint(text):
        raise ArgumentError(f"label={text!r} has a quote or a line end, and the language has no words for them")
    return f'"{text}"'


def _contours(values: Any) -> str:
    return str(values) if isinstance(values, int) else f"at {_listed(map(float, values))}"


# Options of pictures, in the order of an `output` line, and how their values are written there.
_WORDS: dict[str, Callable[[Any], str]] = {
    "range": _range,
    "colours": str,
    "label": _label,
    "size": str,
    "contours": _contours,
    "arrows": _listed,
    "streamlines": _listed,
}


def words_of(options: dict[str, Any]) -> str:
    """The words of an `output` line for these options."""
    for name in options:
        if name not in _WORDS:
            raise TypeError(f"a picture has no option '{name}'; it has {', '.join(_WORDS)}")
    given = {name: options[name] for name in _WORDS if options.get(name) is not None}
    try:
        return "".join(f" {name} {_WORDS[name](value)}" for name, value in given.items())
    except ArgumentError:
        raise
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"an option of the picture has the wrong form: {given} ({error})") from error


class Output:
    """A file that a run writes when asked: see Run.output."""

    def __init__(self, handle: Any, words: str, path: str | os.PathLike):
        self._handle, self._pointer = handle, ctypes.c_void_p()
        with handle.lock:
            lib.pav_output_open(handle.pointer, encoded(words), encoded(path), ctypes.byref(self._pointer))
            handle.outputs.append(self._pointer)

    def write(self) -> None:
        """Writes the present step: a file of its own, or a picture more of an animation."""
        if not self._pointer:
            raise ArgumentError("this output is closed: open another one by Run.output")
        with self._handle.lock:
            self._handle.listener.call(lib.pav_output_write, self._pointer)

    def close(self) -> None:
        """Waits until the files are complete. All pictures of an animation then have one range of colours."""
        pointer = ctypes.c_void_p(self._pointer.value)
        with self._handle.lock:
            if pointer:
                self._handle.outputs.remove(self._pointer)
                self._pointer.value = None
                self._handle.listener.call(lib.pav_output_close, pointer)

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
