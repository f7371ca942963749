# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and other files that a run writes when Python asks for them, by the writers of the library."""

from __future__ import annotations

import ctypes
import math
import operator
import os
from typing import Any, Callable

import numpy

from ._errors import ArgumentError
from ._library import encoded, lib


class Picture:
    """A PNG, or an animated one. A notebook shows it; `save` writes it into a file."""

    def __init__(self, data: bytes):
        self.data = data

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture. Of an animation, .apng and .png are the usual endings."""
        if os.path.splitext(path)[1] not in (".png", ".apng"):
            raise ArgumentError(f"{os.fspath(path)}: a picture is written into a .png or .apng file")
        with open(path, "wb") as file:
            file.write(self.data)

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
    import tempfile  # only here: it loads much

    with tempfile.TemporaryDirectory(prefix="pavior-") as folder:
        path = os.path.join(folder, "picture" + ending)
        draw(path)
        with open(path, "rb") as file:
            return Picture(file.read())


def _float(value: Any) -> str:
    number = float(value)
    if not math.isfinite(number):
        raise ArgumentError(f"{number} is no place on a scale of colours: give a finite number")
    return repr(number)


def _range(ends: Any) -> str:
    if isinstance(ends, (str, bytes)):
        raise ValueError
    low, high = ends
    return f"{_float(low)} to {_float(high)}"


def _label(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError
    if not text or not set('"\n\r').isdisjoint(text):
        raise ArgumentError(f"label={text!r}: a label is one line of text without quotes; leave it out for none")
    return f'"{text}"'


def _word(text: Any) -> str:
    if not isinstance(text, str) or not text.isidentifier():
        raise ValueError
    return text


def _size(value: Any) -> str:
    return str(operator.index(value))


def _contours(values: Any) -> str:
    if isinstance(values, (bool, str, bytes)):
        raise ValueError
    if numpy.ndim(values) == 0:
        return _size(values)
    if len(values) == 0:
        raise ValueError
    return f"at {', '.join(map(_float, values))}"


def _pair(names: Any) -> str:
    if isinstance(names, str):
        raise ValueError
    first, second = names
    if not (isinstance(first, str) and isinstance(second, str)):
        raise ValueError
    return f"{first}, {second}"


# Options of pictures, in the order of an `output` line: how their values are written there, and an example.
_WORDS: dict[str, tuple[Callable[[Any], str], str]] = {
    "range": (_range, "range=(0, 1)"),
    "colours": (_word, 'colours="magma"'),
    "label": (_label, 'label="T (K)"'),
    "size": (_size, "size=2, a whole number"),
    "contours": (_contours, "contours=8, a whole number, or contours=(0.5, 1)"),
    "arrows": (_pair, 'arrows=("ux", "uy")'),
    "streamlines": (_pair, 'streamlines=("ux", "uy")'),
}


def words_of(options: dict[str, Any]) -> str:
    """The words of an `output` line for these options."""
    words = ""
    for name in options:
        if name not in _WORDS:
            hint = "; write colours" if name in ("colors", "cmap", "colormap") else ""
            raise TypeError(f"a picture has no option '{name}'{hint}; it has {', '.join(_WORDS)}")
    for name, (write, example) in _WORDS.items():
        value = options.get(name)
        if value is None:
            continue
        try:
            words += f" {name} {write(value)}"
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}" if not str(error).startswith(name) else str(error)) from None
        except (TypeError, ValueError):
            raise ArgumentError(f"{name}={value!r} has the wrong form: write {example}") from None
    return words


class Output:
    """A file that a run writes when asked: see Run.output."""

    def __init__(self, handle: Any, words: str, path: str | os.PathLike, shape: tuple[int, ...]):
        self._handle, self._pointer, self._shape = handle, ctypes.c_void_p(), shape
        with handle.lock:
            lib.pav_output_open(handle.pointer, encoded(words), encoded(path), ctypes.byref(self._pointer))
            handle.outputs.append(self._pointer)

    def write(self, values: Any = None, name: str = "values") -> None:
        """Writes the present step: a file of its own, or a picture more of an animation.

        values: an array of the field's shape in place of its values, and `name` in the title: `film.write(r["u"]**2,
        "power")`.
        """
        if not self._pointer:
            raise ArgumentError("this output is closed: open another one by Run.output")
        with self._handle.lock:
            if values is None:
                self._handle.listener.call(lib.pav_output_write, self._pointer)
                return
            if numpy.iscomplexobj(values):
                raise TypeError("an output shows real numbers: give numpy.abs(), .real or .imag of the array")
            if numpy.ma.is_masked(values):
                raise ArgumentError("an output takes no masked values: give them a number by .filled(0)")
            array = numpy.require(values, numpy.float64, ["C", "A"])
            if array.shape != self._shape:
                raise ValueError(f"the values have the shape {array.shape}, the output's field has {self._shape}")
            self._handle.listener.call(
                lib.pav_output_write_values, self._pointer, encoded(name), array.ctypes.data, array.size
            )

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
