# SPDX-License-Identifier: BSD-3-Clause
"""Fields in the memory of the host: arrays that change their run when they are changed."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any, Iterator

import numpy

from ._errors import ArgumentError
from ._library import DeviceView, encoded, lib

if TYPE_CHECKING:
    from ._run import Run


class Origin:
    """The field and the step at which an array was taken."""

    def __init__(self, run: Run, name: str, age: int):
        self.run, self.name, self.age, self.step = run, name, age, run.now
        self.whole: numpy.ndarray = numpy.empty(0)  # all points

    def check(self) -> None:
        """Refuses an array of an earlier step: its memory may hold another level."""
        if self.run.now != self.step:
            raise ArgumentError(
                f"this array of {self.name} was taken at step {self.step}, and the run is at step {self.run.now}: "
                f'take run["{self.name}"] again, or keep a copy'
            )

    def _is_lent(self):
        """True if the array's memory is the field's, and the run knows now that it changes."""
        view = DeviceView()
        try:
            self.run._call(lib.pav_field_device, encoded(self.name), self.age, ctypes.byref(view))
        except (ArgumentError, KeyError):
            return False  # several places, or a complex field: the array is a copy
        return view.device_type == 1 and view.view.data == self.whole.ctypes.data

    @contextlib.contextmanager
    def changed(self, array: numpy.ndarray) -> Iterator[numpy.ndarray]:
        """Points of the array, for writing inside of `with`. Borders follow."""
        with self.run._opened().lock:
            self.check()
            is_lent = self._is_lent()
            points = array.view(numpy.ndarray)
            points.flags.writeable = True
            yield points
            if is_lent:
                self.check()  # any call of the run fills the borders
            else:
                self.run.write(self.name, numpy.array(self.whole), self.age)


class HostField(numpy.ndarray):
    """A field of a run as an array, without a copy if its memory is on the host.

        u = r["u"]
        u[3:5] = 0      # changes the run's field; borders follow
        u *= 2

    It is read-only for NumPy's other functions, and results of calculations are NumPy's own arrays. It shows the field
    until the next step of the run: take `r["u"]` again after it.
    """

    _origin: Origin | None = None

    def __array_finalize__(self, other: Any) -> None:
        if isinstance(other, HostField) and not self.flags.owndata:
            self._origin = other._origin

    @contextlib.contextmanager
    def _changed(self):
        if self.flags.writeable or self._origin is None:
            yield self.view(numpy.ndarray)
        else:
            with self._origin.changed(self) as points:
                yield points

    def __setitem__(self, index: Any, values: Any) -> None:
        with self._changed() as points:
            points[index] = values

    def fill(self, value: Any) -> None:
        """Sets all points to one value."""
        self[...] = value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **options: Any) -> Any:
        given = out if isinstance(out, tuple) else (out,)
        options = {key: _plain(value) for key, value in options.items()}
        with contextlib.ExitStack() as changes:
            here = [_plain(x) for x in inputs]
            if method == "at" and isinstance(inputs[0], HostField):
                here[0] = changes.enter_context(inputs[0]._changed())
            if given:
                options["out"] = tuple(changes.enter_context(x._changed()) if isinstance(x, HostField) else x for x in given)
            result = getattr(ufunc, method)(*here, **options)
        if isinstance(result, tuple):
            return tuple(x if y is None else y for x, y in zip(result, given)) if given else result
        return given[0] if given and given[0] is not None else result

    def __dlpack__(self, **options: Any) -> Any:
        """Other libraries may change the field in place, as on a GPU: `torch.from_dlpack(r["u"])`."""
        points = self.view(numpy.ndarray)
        if self._origin is not None and not self.flags.writeable:
            self._origin.check()
            if self._origin._is_lent():
                points.flags.writeable = True
        return points.__dlpack__(**options)

    def __repr__(self) -> str:
        return repr(self.view(numpy.ndarray))

    def __reduce__(self) -> Any:
        return numpy.array(self).__reduce__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return numpy.array(self).__reduce_ex__(protocol)


def _plain(value):
    return value.view(numpy.ndarray) if isinstance(value, HostField) else value


def host_field(run: Run, name: str, age: int, values: numpy.ndarray, origin: Origin | None = None) -> HostField:
    """An array of all points of a field that changes the run."""
    origin = origin or Origin(run, name, age)
    origin.whole = values
    field = values.view(HostField)
    field.flags.writeable = False
    field._origin = origin
    return field
