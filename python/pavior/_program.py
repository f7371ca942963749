# SPDX-License-Identifier: BSD-3-Clause
"""Programs: descriptions that were parsed and checked, and what can be done with them."""

from __future__ import annotations

import ctypes
import math
import os
import re
from collections.abc import Mapping
from typing import Any, Sequence

import numpy

from . import _arrays, _mesh, _run
from ._errors import ArgumentError, NotConverged
from ._library import (
    AdjointOptions,
    AdjointResult,
    Candidate,
    ProgramOptions,
    SolveField,
    SolveResult,
    encoded,
    fill,
    lib,
    number,
    text_list,
    text_of,
    whole,
)
from ._record import Record


class _Device:
    """An open device; runs hold it as long as they need it."""

    def __init__(self, name):
        if not isinstance(name, (str, type(None))):
            raise TypeError(f"device={name!r}: write \"auto\", \"cpu\", \"cuda\", \"cuda:1\" or \"interpreter\"")
        self.handle = ctypes.c_void_p()
        lib.pav_device_open(encoded(name), ctypes.byref(self.handle))

    @property
    def name(self):
        return lib.pav_device_name(self.handle).decode()

    def __del__(self):
        if getattr(self, "handle", None):
            lib.pav_device_free(self.handle)


def _is_text(source):
    """A description has a line end or a statement; a path or an entry of the catalogue has neither."""
    return isinstance(source, str) and ("\n" in source or ";" in source or source.lstrip().startswith("grid "))


def _finite(name, value):
    value = number("param", name, value)
    if not math.isfinite(value):
        raise ArgumentError(f"the param {name} takes a finite number, not {value}")
    return value


class Program:
    """A description of a computation.

    source: the path of a description ("heat.pav"), an entry of the catalogue ("heat3d@64x64x64/f32"),
    or the text of a description itself.
    params: values in place of those of the description's params and scalars: {"a": 0.2}.
    directory: where files named in a text lie (the current directory).
    name: of a text in messages.

    Mistakes raise DescriptionError, whose `mistakes` have line, column and caret.
    """

    def __init__(
        self,
        source: str | os.PathLike,
        params: Mapping[str, float] | None = None,
        *,
        directory: str | os.PathLike | None = None,
        name: str | None = None,
        _arguments: frozenset[str] = frozenset(),
    ):
        self._handle = ctypes.c_void_p()
        source = source.decode() if isinstance(source, bytes) else source
        if not isinstance(source, (str, os.PathLike)) or not os.fspath(source):
            raise ArgumentError(f"source={source!r}: a program needs a path, an entry of the catalogue, or a text")
        if params is not None and not isinstance(params, Mapping):
            raise TypeError(f"params={params!r}: write their names and values, as in params={{\"a\": 0.2}}")
        self.source, self.params = source, {key: _finite(key, value) for key, value in (params or {}).items()}
        self._directory, self._name, self._arguments = directory, name, _arguments
        self._coordinates: dict[str, numpy.ndarray] | None = None
        settings = [f"{key}{':=' if key in _arguments else '='}{value!r}" for key, value in self.params.items()]
        options = ProgramOptions(
            set=text_list(settings), name=encoded(name or ("text" if _is_text(source) else None)), directory=encoded(directory)
        )
        if _is_text(source):
            data = str(source).encode()
            lib.pav_program_parse(data, len(data), ctypes.byref(options), ctypes.byref(self._handle))
        else:
            lib.pav_program_load(encoded(source), ctypes.byref(options), ctypes.byref(self._handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.pav_program_free(self._handle)

    def __getstate__(self) -> tuple:
        return self.source, self.params, self._directory, self._name, self._arguments

    def __setstate__(self, state: tuple) -> None:
        """A copy, or a program sent to another process, is read again."""
        source, params, directory, name, arguments = state
        Program.__init__(self, source, params, directory=directory, name=name, _arguments=arguments)

    def with_params(self, **params: float) -> Program:
        """The same description with other values of its params."""
        return self._with(params, self._arguments)

    def _with(self, params: Mapping[str, float], arguments: frozenset[str]) -> Program:
        """Kernels read params that are arguments, and serve all their values."""
        values = {**self.params, **params}
        return Program(self.source, values, directory=self._directory, name=self._name, _arguments=arguments)

    def of_text(self, text: str) -> Program:
        """Another description beside this one: files that it names lie in the same directory."""
        directory = self._directory
        if directory is None and not _is_text(self.source) and os.path.exists(self.source):
            directory = os.path.dirname(os.path.abspath(self.source))
        return Program(text, directory=directory, name=self._name)

    # ---- what it is ----

    @property
    def dimensions(self) -> int:
        """Dimensions of the grid: 1 to 3."""
        return lib.pav_program_dimensions(self._handle)

    @property
    def is_on_mesh(self) -> bool:
        """True for finite elements on a mesh: `run` opens a MeshRun."""
        return bool(lib.pav_program_on_mesh(self._handle))

    @property
    def fields(self) -> list[str]:
        """Names of the fields, in the order of the description."""
        if self.is_on_mesh:  # the canonical description has one field a line
            return re.findall(r"^field (\w+)", str(self), re.MULTILINE)
        return [field["name"] for field in self.explain().to_dict()["fields"]]

    @property
    def coordinates(self) -> dict[str, numpy.ndarray]:
        """Coordinates of the points along each axis: {"x": array, "y": array}."""
        if self._coordinates is None:
            self._coordinates = _arrays.coordinates(self)
        return self._coordinates

    def __str__(self):
        """The canonical description. It parses to the same program."""
        return text_of(lib.pav_program_print, self._handle)

    def __repr__(self):
        first = str(self).splitlines()[0]
        return f"<pavior.Program: {first}>"

    def _repr_html_(self):
        return f"<pre>{str(self)}</pre>"

    def explain(self) -> Record:
        """The program, its intermediate representation after each pass, and its analysis."""
        explain = lib.pav_mesh_explain if self.is_on_mesh else lib.pav_program_explain
        return Record.of_json(text_of(explain, self._handle, 1), text_of(explain, self._handle, 0))

    def kernels(self, device: str = "cpu", schedule: str | None = None) -> str:
        """Source code of the kernels for a device, in C or CUDA."""
        return text_of(lib.pav_program_generate, self._handle, encoded(device), encoded(schedule))

    def adjoint(self, steps: int = 0) -> Program:
        """The program that steps backward, with receivers and sources exchanged."""
        return Program(text_of(lib.pav_program_adjoint, self._handle, whole("steps", steps)), directory=self._directory, name="adjoint")

    # ---- what can be done with it ----

    def run(self, device: str = "auto", **options: Any) -> _run.Run:
        """Opens a run at step 0: `with p.run("auto") as r: r.step(100)`. See Run for the options.

        A program on a mesh has no steps: it gives a MeshRun, and `finish` solves it. Type checkers see a Run.
        """
        opened: Any = _mesh.MeshRun if self.is_on_mesh else _run.Run
        return opened(self, _Device(device), options)

    def plan(self, device: str = "auto", copy_gbytes: float = 0.0, **options: Any) -> Plan:
        """What a run will need and how long it will take, before it starts: a Plan. Nothing of its size is allocated.

        Of a program on a mesh: a Record of its memory; the mesh is opened.
        """
        if self.is_on_mesh:
            mesh: Any = _mesh.MeshRun(self, _Device(device), options)
            return mesh.plan()
        return Plan(self, _Device(device), copy_gbytes, options)

    def solve(self, device: str = "auto", given: Mapping[str, Any] | None = None, **options: Any) -> Solution:
        """Solves the description's equation.

        given: {"f": array, "u": first guess}: values at all points for the right side, coefficients or the unknown.
        Without convergence NotConverged is raised; its `solution` holds the last iterate.
        """
        return _solve(self, _Device(device), given or {}, options)


class Plan:
    """Needs and expected time of a run."""

    def __init__(self, program: Program, device: _Device, copy_gbytes: float, options: dict[str, Any]):
        self._keep = (program, device)
        self._handle = ctypes.c_void_p()
        filled, self._texts = _run.fill_options(options)
        lib.pav_plan_open(program._handle, device.handle, ctypes.byref(filled), copy_gbytes, ctypes.byref(self._handle))
        self.report = Record.of_json(
            text_of(lib.pav_plan_report, self._handle, 1), text_of(lib.pav_plan_report, self._handle, 0)
        )

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.pav_plan_free(self._handle)

    @property
    def fits(self) -> bool:
        """True if the run has enough memory and its files enough disk; `why` says what is missing."""
        return lib.pav_plan_verdict(self._handle) == 0

    @property
    def why(self) -> str:
        """The reason of a plan that does not fit; "" for one that does."""
        return "" if self.fits else lib.pav_message().decode()

    @property
    def candidates(self) -> list[Record]:
        """Legal schedules with the seconds of a step that the model expects, the fastest first."""
        found = []
        for number in range(lib.pav_plan_candidates(self._handle)):
            c = Candidate()
            lib.pav_plan_candidate(self._handle, number, ctypes.byref(c))
            found.append(
                Record(
                    {
                        "schedule": c.schedule.decode(),
                        "bound": (c.bound or b"").decode(),
                        "seconds": c.seconds,
                        "memory": c.memory,
                        "caches": c.caches,
                        "arithmetic": c.arithmetic,
                        "start": c.start,
                        "idle": c.idle,
                        "tried": bool(c.tried),
                    }
                )
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """The report in plain dicts, lists, numbers and strings."""
        return self.report.to_dict()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["report"], name)

    def __repr__(self):
        return str(self.report)

    def _repr_html_(self):
        return self.report._repr_html_()


class Solution:
    """Result of `Program.solve`: `u`, `iterations`, `residual` relative to the first, `seconds`."""

    def __init__(self, u: numpy.ndarray, result: SolveResult):
        self.u = u
        self.iterations, self.residual = result.iterations, result.residual
        self.seconds, self.setup_seconds = result.seconds, result.setup_seconds

    def __repr__(self):
        return f"<pavior.Solution: {self.iterations} iterations, residual {self.residual:.3g}, {self.seconds:.3g} s>"


def _solve(program, device, given, options):
    if not isinstance(given, Mapping):
        raise TypeError(f"given={given!r}: write its names and arrays, as in given={{\"f\": array}}")
    shape = _shape_of_grid(program)
    arrays, fields = [], (SolveField * max(len(given), 1))()
    for slot, (name, values) in zip(fields, given.items()):
        array = numpy.asarray(values)
        if array.ndim == 0:
            array = numpy.broadcast_to(array, shape)
        _run.check_values(name, values, array, shape, "fiub")
        array = numpy.require(array, numpy.float64, ["C", "A"])
        arrays.append(array)
        slot.name, slot.values, slot.count = encoded(name), array.ctypes.data, array.size
    u, result = numpy.empty(shape), SolveResult()
    listener = _run.Listener(options.pop("progress", None))
    filled, _texts = _run.fill_options({"no_files": True, **options}, listener)
    try:
        listener.call(
            lib.pav_solve,
            program._handle,
            device.handle,
            ctypes.byref(filled),
            fields if given else None,
            len(given),
            u.ctypes.data,
            u.size,
            ctypes.byref(result),
        )
    except NotConverged as error:
        error.solution = Solution(u, result)
        raise
    return Solution(u, result)


def _shape_of_grid(program):
    """Points along z, y, x."""
    plan = Plan(program, _Device("interpreter"), -1.0, {"no_files": True})
    return tuple(reversed(plan.report.to_dict()["grid"]))


# ---- gradients ---------------------------------------------------------------------------------------------


class GradientResult:
    """`gradients[name]`: an array for each coefficient; `misfit`: half the sum of (d - o)^2."""

    def __init__(self, arrays: dict[str, numpy.ndarray], result: AdjointResult):
        self.gradients, self.misfit, self.steps = arrays, result.misfit, result.steps
        self.steps_again, self.history_bytes = result.steps_again, result.history_bytes
        self.forward_seconds, self.backward_seconds = result.forward_seconds, result.backward_seconds

    def __getitem__(self, name: str) -> numpy.ndarray:
        """The gradient with respect to a coefficient."""
        return self.gradients[name]

    def __repr__(self):
        return f"<pavior.GradientResult: misfit {self.misfit:.6g}, {', '.join(self.gradients)}>"


def program_of(value: Any) -> Program:
    """A caller's program, or a sentence about what else it is."""
    if not isinstance(value, Program):
        raise TypeError(f"program={value!r}: give a pavior.Program, as in pavior.Program(\"wave.pav\")")
    return value


def gradient(
    program: Program,
    coefficients: Sequence[str],
    data: str | os.PathLike | None = None,
    device: str = "auto",
    *,
    shots: str | os.PathLike | None = None,
    steps: int = 0,
    threads: int = 0,
    schedule: str | None = None,
    **options: Any,
) -> GradientResult:
    """The gradient of half the sum of (recorded - observed)^2 with respect to coefficients at every point.

    program: a description with `sample` lines and equations linear in the updated fields.
    coefficients: names of fields without an update. data: a .npy or SEG-Y file of observed data, or a directory
    with one file a sample; None: 0. shots: a list of shots (CSV). See docs/seismic.md.
    """
    if isinstance(coefficients, str):
        raise TypeError(f"coefficients={coefficients!r}: write a list of names, [{coefficients!r}]")
    shape = _shape_of_grid(program_of(program))
    arrays = {name: numpy.zeros(shape) for name in coefficients}
    pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays.values()])
    listener = _run.Listener(options.pop("progress", None))
    known = {field[0] for field in AdjointOptions._fields_}
    for name in options:
        if name not in known:
            raise TypeError(f"gradient() has no option '{name}'")
    texts = {key: encoded(value) if isinstance(value, (str, os.PathLike)) else value for key, value in options.items()}
    filled = AdjointOptions(
        listener=listener.function,
        schedule=encoded(schedule),
        no_files=1,
        data=encoded(data),
        coefficients=text_list(list(arrays)),
        shots=encoded(shots),
        values=pointers,
    )
    fill(filled, {"steps": steps, "threads": threads, **texts})
    result, opened = AdjointResult(), _Device(device)
    listener.call(lib.pav_gradient, program._handle, opened.handle, ctypes.byref(filled), ctypes.byref(result))
    return GradientResult(arrays, result)


def load(path: str | os.PathLike, params: Mapping[str, float] | None = None) -> Program:
    """Program of a file or of an entry of the catalogue."""
    return Program(path, params)
