# SPDX-License-Identifier: BSD-3-Clause
"""Runs: a program on a device, with its fields in memory, at some step."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Iterator, cast

import numpy

from . import _arrays
from ._device import DeviceField, dense_on_device
from ._errors import ArgumentError, Interrupted
from ._host import host_field
from ._library import (
    EVENT_NOTE,
    EVENT_PROGRESS,
    EVENT_SETUP,
    EVENT_WARNING,
    KINDS,
    LISTENER,
    Item,
    RunOptions,
    View,
    encoded,
    fill,
    lib,
    number,
    text_of,
    whole,
)
from ._opened import Opened
from ._picture import Output, Picture, picture_of, words_of
from ._record import Record

if TYPE_CHECKING:
    from ._program import Program

_TYPES: dict[int, numpy.dtype] = {0: numpy.dtype(numpy.float32), 1: numpy.dtype(numpy.float64), 3: numpy.dtype(numpy.float16), 4: numpy.dtype(numpy.uint8)}
_BF16 = 2
_NUMBERS = {dtype: number for number, dtype in _TYPES.items()}

_SERIES = {".apng", ".pvd", ".xdmf"}  # files of many steps

_HIDDEN = {"listener", "user", "ranks", "bundle"}  # options that Python does not pass on
_KNOWN = {field[0] for field in RunOptions._fields_} - _HIDDEN


def fill_options(options, listener=None):
    """pav_run_options of keyword arguments, and the texts that must live as long as they do."""
    filled = RunOptions()
    texts = []
    for name, value in options.items():
        if name not in _KNOWN:
            raise TypeError(f"a run has no option '{name}'; it has {', '.join(sorted(_KNOWN))}")
        if isinstance(value, (str, os.PathLike)):
            value = encoded(value)
            texts.append(value)
        if value is not None:
            fill(filled, {name: value})
    if listener is not None:
        filled.listener = listener.function
        filled.report_seconds = filled.report_seconds or listener.seconds
    return filled, texts


def _in_main_thread():
    return threading.get_ident() == threading.main_thread().ident


class Listener:
    """Hears the events of a run. An exception here, Ctrl-C among them, stops the run after its step and is raised again.

    progress: None; True: a line with the time left; or a function of (step, steps, seconds_left).
    """

    seconds = 0.1
    interrupted = False

    def __init__(self, progress=None):
        self.notes, self.warnings, self.error = [], [], None
        progress = progress.item() if isinstance(progress, numpy.bool_) else progress
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise TypeError(f"progress={progress!r} is neither True nor a function of (step, steps, seconds_left)")
        self.progress = _line if progress is True else progress
        self.function = LISTENER(self._hear)

    def _hear(self, user, event, progress, text):
        try:
            if event == EVENT_NOTE:
                self.notes.append(text.decode(errors="replace"))
            elif event == EVENT_WARNING:
                self.warnings.append(text.decode(errors="replace"))
                print(f"pavior: {self.warnings[-1]}", file=sys.stderr)
            elif event in (EVENT_PROGRESS, EVENT_SETUP) and self.progress:
                p = progress.contents
                self.progress(p.step, p.steps, p.seconds_left if p.seconds_left >= 0 else None)
        except BaseException as error:  # a callback of C cannot raise: it asks the run to stop
            self.error = error
            return 1
        return self.interrupted

    def _interrupt(self, number, frame):
        self.interrupted = True

    def call(self, function, *arguments, brief=False):
        """Calls a function of C that this listener hears. brief: it ends before the first event."""
        self.error = None
        # Python's own handler raises at once, maybe between C and `_hear`, where the exception would be lost.
        mine = not brief and _in_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if mine:
            signal.signal(signal.SIGINT, self._interrupt)
        try:
            return function(*arguments)
        except Interrupted:
            if self.error is not None:
                raise self.error from None
            if not self.interrupted:
                raise
        finally:
            if mine:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            if self.progress is _line:
                _line.close()
            if self.interrupted:
                self.interrupted = False
                raise KeyboardInterrupt


class _Line:
    """One line of progress, drawn again in place; ten times a second at most."""

    def __init__(self):
        self.at, self.open = 0.0, False

    def __call__(self, step, steps, left):
        if time.monotonic() - self.at < 0.1 and step != steps:
            return
        self.at, self.open = time.monotonic(), True
        share = step / steps if steps else 0.0
        bar = "#" * int(30 * share)
        rest = f"{left:.0f} s left" if left is not None else ""
        print(f"\r[{bar:<30}] step {step} of {steps}  {rest}   ", end="", file=sys.stderr, flush=True)

    def close(self):
        if self.open:
            print(file=sys.stderr)
        self.open = False


_line = _Line()


class _Handle:
    """Owns the run of C. Views of its fields hold it, so that their memory outlives `Run.close`."""

    def __init__(self, program, device, options, listener):
        filled, self.texts = fill_options(options, listener)
        self.program, self.device, self.listener, self.pointer = program, device, listener, ctypes.c_void_p()
        self.lock = threading.RLock()
        self.outputs = []  # pointers of those that are open
        listener.call(lib.pav_run_open, program._handle, device.handle, ctypes.byref(filled), ctypes.byref(self.pointer))

    def __del__(self):
        if getattr(self, "pointer", None):
            try:
                for output in self.outputs:
                    lib.pav_output_close(output)
            finally:
                lib.pav_run_free(self.pointer)


class Sample:
    """Receivers of a `sample` statement: `values` after its last record at `step`, `positions` (receivers, axes)."""

    def __init__(self, name: str, step: int, values: numpy.ndarray, positions: numpy.ndarray):
        self.name, self.step, self.values, self.positions = name, step, values, positions

    def __repr__(self):
        return f"<pavior.Sample of {self.name}: {self.values.size} receivers, step {self.step}>"


def _shape(item):
    return tuple(item.extent[axis] for axis in range(item.dimensions)[::-1])


def _steps(name, value):
    """A number of steps."""
    value = whole(name, value)
    if value < 0:
        raise ArgumentError(f"{name}={value}: a run takes no steps back; open another run, or restart from a checkpoint")
    return value


def _interval(every):
    """Steps between two pictures or two turns of a loop."""
    every = whole("every", every)
    if every < 1:
        raise ArgumentError(f"every={every}: at least one step lies between two pictures or turns")
    return every


def _drawn(given):
    """Arguments of Output.write for values in place of a field's; none for None."""
    return () if given is None else (given[0](), given[1])


def check_values(name, values, array, shape, kinds):
    """Refuses values that a field cannot take. kinds: letters of NumPy's types."""
    if isinstance(values, numpy.ma.MaskedArray) and numpy.ma.is_masked(values):
        raise ArgumentError(f"'{name}' takes no masked values: give them a number by .filled(0)")
    if array.dtype.kind == "c" and "c" not in kinds:
        raise TypeError(f"'{name}' takes real numbers, not {array.dtype}: give it .real, .imag or numpy.abs() of the array")
    if array.dtype.kind == "O" and hasattr(values, "__cuda_array_interface__"):
        raise TypeError(f"the values for '{name}' are on a GPU that this run does not use: copy them to the host, as by .get() or .cpu().numpy()")
    if array.dtype.kind not in kinds:
        real, to = ("", "complex") if "c" in kinds else ("real ", "float")
        raise TypeError(f"'{name}' takes {real}numbers, not {array.dtype}: convert the array by .astype({to})")
    if array.ndim and array.shape != shape:
        axes, hint = ", ".join("zyx"[3 - len(shape) :]), ""
        if array.shape == shape[::-1]:
            hint = ": give its transpose, array.T"
        elif array.size == numpy.prod(shape):
            hint = f": if its order is right, give array.reshape{shape}"
        raise ArgumentError(f"'{name}' has the shape {shape} (axes {axes}), the array has {array.shape}{hint}")


class Run(Opened):
    """A computation at some step.

        with Program("heat3d.pav").run() as r:
            r.step(100)
            print(r["u"].max(), r.measures)

    Options are those of pav_run_options in pavior.h: threads, schedule, subdomains, device_memory, out_of_core,
    checkpoint, restart, directory and so on; no_files=True writes nothing. progress=True draws a line with the time
    left, progress=function calls it. Python's own threads go on while steps run.
    """

    def __init__(self, program: Program, device: Any, options: dict[str, Any]):
        options = dict(options)
        self._listener = Listener(options.pop("progress", None))
        self._run = _Handle(program, device, options, self._listener)
        self._seconds = 1.0  # of a step in the last call; 1: unknown
        self.program = program
        self._find_items()

    def _find_items(self):
        self._items: dict[str, dict[str, Item]] = {kind: {} for kind in KINDS}
        self._samples: list[Item] = []
        for number in range(lib.pav_run_items(self._run.pointer)):
            item = Item()
            lib.pav_run_describe(self._run.pointer, number, ctypes.byref(item))
            kind = KINDS[item.kind]
            if kind == "sample":
                self._samples.append(item)
            else:
                self._items[kind][item.name.decode()] = item

    # ---- steps ----

    def step(self, count: int = 1) -> Run:
        """Takes steps: fewer if `until` holds. Ctrl-C stops after the present step, and the run can go on."""
        run, count = self._opened(), _steps("count", count)
        # Handing over signals takes longer than a step of a small grid.
        brief = count * self._seconds < self._listener.seconds / 20
        begun = time.perf_counter()
        with run.lock:
            self._listener.call(lib.pav_run_steps, run.pointer, count, brief=brief)
        if count > 0:
            self._seconds = (time.perf_counter() - begun) / count
        return self

    def finish(self) -> Run:
        """Takes all remaining steps, writes the final files and checks the expectations."""
        run = self._opened()
        with run.lock:
            self._listener.call(lib.pav_run_finish, run.pointer)
        return self

    def every(self, count: int) -> Iterator[int]:
        """Yields the step after each `count` steps, until the description's `steps` or `until`."""
        return self._steps_to(self._last(), _interval(count))

    def _last(self):
        return self.steps or (0 if self.until is None else 2**62)

    def _steps_to(self, last, count):
        while self.now < last and self.until is not True:
            before = self.now
            self.step(min(count, last - before))
            if self.now == before:
                return
            yield self.now

    @property
    def now(self) -> int:
        """Steps taken so far."""
        return self._call(lib.pav_run_step)

    @property
    def steps(self) -> int:
        """Steps asked for in all."""
        return int(self.report()["steps_asked"])

    @property
    def until(self) -> bool | None:
        """True if the description's `until` holds after the last step, False if not, None without one."""
        return {1: True, 0: False}.get(self._call(lib.pav_run_until))

    def checkpoint(self, path: str | os.PathLike | None = None) -> None:
        """Writes a checkpoint of the present step; `Program.run(restart=path)` goes on with the same bits."""
        self._call(lib.pav_run_checkpoint, encoded(path))

    # ---- fields ----

    @property
    def fields(self) -> list[str]:
        """Names of the fields."""
        return list(self._items["field"])

    def _parts(self, name):
        """Names of the two fields of a complex one; None for any other name."""
        parts = f"{name}.re", f"{name}.im"
        return parts if name not in self._items["field"] and all(part in self._items["field"] for part in parts) else None

    def _field(self, name):
        if name not in self._items["field"]:
            raise KeyError(f"there is no field '{name}'; there are {', '.join(self.fields)}")
        return self._items["field"][name]

    def __getitem__(self, name: str) -> numpy.ndarray:
        """A field as an array without a copy (its memory on a host, else the host's copy of it).

        Axes come in the order z, y, x. It shows the field's values until the next step; .copy() keeps them.
        `r["u"][3:5] = 0` and `r["u"] *= 2` change the run's field. On a GPU it is a DeviceField: CuPy, PyTorch and JAX
        read and change its memory without a copy.

        A complex field `psi` is two fields: `r["psi"]` is a complex copy on the host, `r["psi.re"]` and `r["psi.im"]`
        are without a copy.
        """
        return self.level(name, 0)

    def level(self, name: str, age: int) -> numpy.ndarray:
        """An older level of a field: 1 for `prev`."""
        parts = self._parts(name)
        if parts:
            real, imaginary = (numpy.asarray(self.level(part, age)) for part in parts)
            values = numpy.empty(real.shape, numpy.result_type(real.dtype, numpy.complex64))
            values.real, values.imag = real, imaginary
            return host_field(self, name, age, values)
        item = self._field(name)
        if not self._opened().device.name.startswith(("cuda", "emulated")):
            return host_field(self, name, age, self._borrow(name, age))
        return cast(numpy.ndarray, DeviceField(self, name, age, _shape(item), _TYPES.get(item.type)))

    def _borrow(self, name, age):
        item, view, run, age = self._field(name), View(), self._opened(), whole("age", age, 32)
        self._call(lib.pav_field_borrow, encoded(name), age, ctypes.byref(view))
        if view.type == _BF16:
            return self.read(name, numpy.float32, age)
        dtype, axes = _TYPES[view.type], range(item.dimensions)[::-1]
        shape = tuple(view.extent[axis] for axis in axes)
        strides = tuple(view.stride[axis] * dtype.itemsize for axis in axes)
        size = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
        memory = (ctypes.c_char * size).from_address(view.data)
        memory.run = run  # the array holds the memory, the memory its run
        return numpy.ndarray(shape, dtype, memory, 0, strides)

    def read(self, name: str, dtype: Any = numpy.float64, age: int = 0) -> numpy.ndarray:
        """A dense copy of a field, converted to a type. One of a complex field is complex."""
        parts, dtype = self._parts(name), numpy.dtype(dtype)
        if parts and (dtype in _NUMBERS or dtype.kind == "c"):
            return self.level(name, age).astype(numpy.result_type(dtype, numpy.complex64))
        item, age = self._field(parts[0] if parts else name), whole("age", age, 32)
        if dtype not in _NUMBERS:
            raise TypeError(f"fields are read as float16, float32, float64 or uint8, not as {dtype}")
        array = numpy.empty(_shape(item), dtype)
        self._call(lib.pav_field_read, encoded(name), age, _NUMBERS[dtype], array.ctypes.data, array.size)
        return array

    def __setitem__(self, name: str, values: Any) -> None:
        """Replaces a field's values: a number, or an array of the grid's shape. Borders follow."""
        self.write(name, values)

    def write(self, name: str, values: Any, age: int = 0) -> None:
        """Replaces the values of a level of a field.

        Values on the run's GPU are copied there if they are dense and of the field's type. A complex field takes
        complex values.
        """
        parts = self._parts(name)
        if parts:
            given = numpy.asarray(values)
            check_values(name, values, given, _shape(self._field(parts[0])), "fiubc")
            self.write(parts[0], given.real, age)
            self.write(parts[1], given.imag, age)
            return
        item, age = self._field(name), whole("age", age, 32)
        shape, number = _shape(item), self._opened().device.name.partition("cuda:")[2]
        if number.isdigit():
            address = dense_on_device(values, shape, _TYPES.get(item.type), int(number))
            if address is not None:
                self._call(lib.pav_field_write_device, encoded(name), age, address, numpy.prod(shape))
                return
        array = numpy.asarray(values)
        check_values(name, values, array, shape, "fiub")
        if array.dtype not in _NUMBERS:
            array = array.astype(numpy.float64)
        array = numpy.require(numpy.broadcast_to(array, shape), requirements=["C", "A"])
        self._call(lib.pav_field_write, encoded(name), age, _NUMBERS[array.dtype], array.ctypes.data, array.size)

    # ---- numbers ----

    def _numbers(self, kind):
        value, found = ctypes.c_double(), {}
        for name in self._items[kind]:
            self._call(lib.pav_run_get, encoded(name), ctypes.byref(value))
            found[name] = value.value
        return found

    @property
    def measures(self) -> dict[str, float]:
        """Last values of the measures."""
        return self._numbers("measure")

    @property
    def params(self) -> dict[str, float]:
        """Values of the params."""
        return self._numbers("param")

    @property
    def scalars(self) -> dict[str, float]:
        """Values of the scalars; `set` changes them."""
        return self._numbers("scalar")

    def set(self, **scalars: float) -> None:
        """Sets scalars for the coming steps."""
        for name, value in scalars.items():
            self._call(lib.pav_run_set, encoded(name), number("scalar", name, value))

    @property
    def samples(self) -> list[Sample]:
        """The `sample` statements, in their order."""
        found = []
        for item in self._samples:
            receivers, axes = item.extent[0], self._axes()
            values, positions, step = numpy.empty(receivers), numpy.empty((receivers, axes)), ctypes.c_int64()
            self._call(lib.pav_sample_read, item.index, ctypes.byref(step), values.ctypes.data, values.size)
            self._call(lib.pav_sample_positions, item.index, positions.ctypes.data, positions.size)
            found.append(Sample(item.name.decode(), step.value, values, positions))
        return found

    def _axes(self):
        return lib.pav_program_dimensions(self.program._handle)

    @property
    def residuals(self) -> numpy.ndarray:
        """Norms of the residual of an equation: at the start and at each look since. Empty without an equation."""
        count = max(self._call(lib.pav_run_residuals, None, 0), 0)
        values = numpy.empty(count)
        self._call(lib.pav_run_residuals, values.ctypes.data, count)
        return values

    # ---- what it says ----

    @property
    def notes(self) -> list[str]:
        """Sentences about written files, measures and the fulfilled `until`."""
        return list(self._listener.notes)

    @property
    def warnings(self) -> list[str]:
        """Sentences about doubtful parts of the description; they also went to standard error."""
        return list(self._listener.warnings)

    def report(self) -> Record:
        """Time, rates, memory and expectations so far."""
        return Record.of_json(
            *(self._call(lambda pointer: text_of(lib.pav_run_report, pointer, number)) for number in (1, 0))
        )

    # ---- pictures and files ----

    def _part(self, name, part):
        """The field of a picture, and a function with a name for values in its place, or None."""
        parts = self._parts(name)
        if parts is None:
            self._field(name)
            if part is not None:
                raise ArgumentError(f"part={part!r}: '{name}' is not complex, so leave part out")
            return name, None
        part = "abs" if part is None else part
        if part in ("re", "im"):
            return f"{name}.{part}", None
        if part not in ("abs", "arg"):
            raise ArgumentError(f"part={part!r} is none of 'abs', 'arg', 're' and 'im'")
        of: Any = numpy.abs if part == "abs" else numpy.angle
        return parts[0], (lambda: of(self.read(name)), f"{part}({name})")

    def _picture_words(self, name, index, axis, options):
        """The words of an `output` line for a picture of a field."""
        shape, letters = _shape(self._field(name)), "zyx"
        words = name
        if len(shape) == 3:
            number = dict(zip(letters, range(3))).get(axis) if isinstance(axis, str) else axis
            if not isinstance(number, (int, numpy.integer)) or number not in (0, 1, 2):
                raise ArgumentError(f"axis={axis!r} is none of 0, 1, 2 or 'z', 'y', 'x'")
            points = shape[number]
            at = points // 2 if index is None else whole("index", index)
            if not -points <= at < points:
                raise ArgumentError(f"index={at}: '{name}' has the indices 0 to {points - 1} along {letters[number]}")
            words += f" slice {letters[number]} {at % points}"
        elif index is not None:
            raise ArgumentError(f"'{name}' has {len(shape)} axes, and a slice is of three: leave index={index!r} out")
        return words + words_of(options)

    def _drawn(self, ending, draw):
        """A picture through a file that no note tells of."""
        notes = self._listener.notes

        def quietly(path):
            try:
                draw(path)
            finally:
                notes[:] = [note for note in notes if path not in note]

        return picture_of(ending, quietly)

    def show(
        self, name: str, index: int | None = None, axis: int | str = 0, *, part: str | None = None, **options: Any
    ) -> Picture:
        """A picture of a field, or of a field in 3-D the slice `index` (the middle) across `axis`: 0 or "z" first.

        A notebook shows it, `.save("u.png")` writes it. It is the picture that `output` of a description draws.
        Options are its words: range=(0, 1), colours="magma", label="T", size=2, contours=8 or their values,
        arrows=("ux", "uy"), streamlines=("ux", "uy").

        part: of a complex field "abs" (the default), "arg" (from -pi to pi), "re" or "im".
        """
        field, given = self._part(name, part)
        words = self._picture_words(field, index, axis, options)

        def draw(path):
            with self.output(words, path) as output:
                output.write(*_drawn(given))

        return self._drawn(".png", draw)

    def animation(
        self,
        name: str,
        every: int = 1,
        steps: int | None = None,
        index: int | None = None,
        axis: int | str = 0,
        *,
        part: str | None = None,
        **options: Any,
    ) -> Picture:
        """Takes `steps` steps (all remaining ones): an animated PNG of the present one, each `every` steps and the last.

        All pictures have one range of colours. The options are those of `show`.
        """
        field, given = self._part(name, part)
        words = self._picture_words(field, index, axis, options)
        every, last = _interval(every), self._last() if steps is None else self.now + _steps("steps", steps)

        def draw(path):
            with self.output(words, path) as output:
                output.write(*_drawn(given))
                for _ in self._steps_to(last, every):
                    output.write(*_drawn(given))

        return self._drawn(".apng", draw)

    def output(self, words: str, path: str | os.PathLike) -> Output:
        """A file that the description does not have: `words` stand behind `output` in a line of the language.

            with r.output("u slice z 16 range 0 to 1", "u.apng") as film:
                for step in r.every(10):
                    film.write()

        The ending gives the format: .png, .apng, .npy, .csv, .vti, .pvd, .h5 and so on. An .apng, .pvd or .xdmf file
        keeps all steps.
        """
        run = self._opened()
        if not isinstance(words, str):
            raise TypeError(f"words={words!r}: write what stands behind `output`, as in \"u range 0 to 1\"")
        if path is None:
            raise TypeError("path=None: an output needs the name of a file, as in \"u.png\"")
        named = re.match(r"\s*([\w.]+)", words)
        name = named[1] if named else ""
        if self._parts(name):
            raise ArgumentError(
                f"'{name}' is complex: write \"{name}.re\", \"{name}.im\" or, in a file of several fields, "
                f"\"{name}.re, {name}.im\"; write(values) shows any array, and show(\"{name}\") its magnitude"
            )
        if os.path.splitext(encoded(path).decode(errors="replace"))[1] in _SERIES and not re.search(r"\bevery\b", re.sub(r'"[^"]*"', "", words)):
            words += " every 1"
        item = self._items["field"].get(name)
        return Output(run, words, path, _shape(item) if item else ())

    def to_xarray(self, name: str, age: int = 0) -> Any:
        """A copy of a field as an xarray.DataArray with its name, the coordinates of its points, the time and the step."""
        return _arrays.to_xarray(self, name, age)

    def to_pyvista(self, name: str, age: int = 0) -> Any:
        """A copy of a field as point data of a pyvista.RectilinearGrid; `TimeValue` and `step` are its field data."""
        return _arrays.to_pyvista(self, name, age)

    def __repr__(self):
        if self._run is None:
            return "<pavior.Run, closed>"
        return f"<pavior.Run of {', '.join(self.fields)} on {self._run.device.name}, step {self.now}>"
