# SPDX-License-Identifier: BSD-3-Clause
"""Runs of programs on a mesh: finite elements, solved at once, with values at the nodes."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy

from ._errors import ArgumentError
from ._library import MeshRunOptions, encoded, fill, lib, text_of, whole
from ._opened import Opened
from ._picture import Picture, picture_of
from ._record import Record

if TYPE_CHECKING:
    from ._program import Program

_KNOWN = [field[0] for field in MeshRunOptions._fields_]


class _Handle:
    """Owns the run of C. Arrays of its values hold it."""

    def __init__(self, program, device, options):
        for name in options:
            if name not in _KNOWN:
                raise TypeError(f"a run on a mesh has no option '{name}'; it has {', '.join(_KNOWN)}")
        texts = {key: encoded(value) if isinstance(value, (str, os.PathLike)) else value for key, value in options.items()}
        self.program, self.device, self.options = program, device, fill(MeshRunOptions(), texts)
        self.pointer, self.lock = ctypes.c_void_p(), threading.RLock()
        lib.pav_mesh_run_open(program._handle, device.handle, ctypes.byref(self.options), ctypes.byref(self.pointer))

    def __del__(self):
        if getattr(self, "pointer", None):
            lib.pav_mesh_run_free(self.pointer)

    def array(self, address, shape, kind=ctypes.c_double):
        """A read-only array of C's memory, which lives as long as the array."""
        memory = (kind * int(numpy.prod(shape))).from_address(ctypes.cast(address, ctypes.c_void_p).value)
        memory.run = self
        array = numpy.frombuffer(memory, kind).reshape(shape)
        array.flags.writeable = False
        return array


class MeshRun(Opened):
    """A computation on a mesh. It has no steps: `finish` solves, measures, writes and checks.

        with Program("torsion.pav").run() as r:
            r.finish()
            print(r["u"].max(), r.measures)

    Options: directory, no_files, threads, allow_outside, no_stamp.
    """

    def __init__(self, program: Program, device: Any, options: dict[str, Any]):
        self.program = program
        self._run = _Handle(program, device, options)
        self._finished = False

    def finish(self) -> MeshRun:
        """Solves, measures, writes the files and checks the expectations."""
        run = self._opened()
        with run.lock:
            self._finished = True
            lib.pav_mesh_run_finish(run.pointer)
        return self

    def step(self, count: int = 1) -> MeshRun:
        """There are no steps on a mesh."""
        raise ArgumentError("a program on a mesh has no steps: call finish()")

    @property
    def fields(self) -> list[str]:
        """Names of the fields."""
        return self.program.fields

    def __getitem__(self, name: str) -> numpy.ndarray:
        """Values of a field at the nodes: a read-only array (columns, levels) without a copy."""
        values, run = ctypes.POINTER(ctypes.c_double)(), self._opened()
        if name not in self.fields:
            raise KeyError(f"there is no field '{name}'; there are {', '.join(self.fields)}")
        if not self._finished:
            raise ArgumentError(f"'{name}' has no values yet: call finish() first")
        self._call(lib.pav_mesh_run_values, encoded(name), ctypes.byref(values))
        return run.array(values, self._shape())

    def _shape(self):
        size = lib.pav_mesh_sizes(self._call(lib.pav_mesh_run_mesh))
        return size.columns, size.levels

    @property
    def coordinates(self) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """x, y and z of the nodes: read-only arrays (columns, levels)."""
        run, mesh = self._opened(), self._call(lib.pav_mesh_run_mesh)
        x, y, z = (run.array(lib.pav_mesh_coordinates(mesh, axis), self._shape()) for axis in range(3))
        return x, y, z

    def show(
        self,
        name: str,
        layer: int | None = None,
        cut: tuple[tuple[float, float], tuple[float, float]] | None = None,
    ) -> Picture:
        """A picture of a field: the level `layer` seen from above (the uppermost one), or the cut between two points (x, y).

        A notebook shows it, `.save("u.png")` writes it.
        """
        values, ends = self[name], [None, None]
        if layer is not None and cut is not None:
            raise ArgumentError("a picture shows a layer or a cut, not both")
        if cut is not None:
            try:
                points = numpy.array(cut, float)
            except (TypeError, ValueError):
                points = numpy.empty(0)
            if points.shape != (2, 2) or not numpy.isfinite(points).all() or (points[0] == points[1]).all():
                raise ArgumentError(f"cut={cut!r} is no pair of points (x, y): write cut=((-1, 0), (1, 0))")
            self._check_cut(points)
            ends = [points[0].ctypes.data, points[1].ctypes.data]
        level = -1 if cut is not None else self._shape()[1] - 1 if layer is None else whole("layer", layer, 32)
        if cut is None and level < 0:
            raise ArgumentError(f"layer={level}: levels are counted from 0 upwards")
        mesh = self._call(lib.pav_mesh_run_mesh)
        address = values.ctypes.data
        return picture_of(
            ".png", lambda path: self._call(lambda run: lib.pav_mesh_picture(mesh, encoded(path), address, level, *ends))
        )

    def _check_cut(self, points):
        """Refuses a cut that passes the box of the mesh. One that meets the box may still meet a hole alone."""
        x, y, _ = self.coordinates
        low, high = numpy.array([x.min(), y.min()]), numpy.array([x.max(), y.max()])
        share = numpy.linspace(0, 1, 1025)[:, None]
        line = points[0] + share * (points[1] - points[0])
        if not ((line >= low) & (line <= high)).all(1).any():
            raise ArgumentError(
                f"the cut {points.tolist()} lies outside of the mesh, which has x from {low[0]:g} to {high[0]:g} "
                f"and y from {low[1]:g} to {high[1]:g}: choose points there"
            )

    @property
    def measures(self) -> dict[str, float]:
        """Values of the measures; empty before finish()."""
        return dict(self.report().to_dict().get("measures", {})) if self._finished else {}

    def report(self) -> Record:
        """Mesh, iterations, times, measures and expectations of the finished run."""
        return Record.of_json(
            *(self._call(lambda pointer: text_of(lib.pav_mesh_run_report, pointer, number)) for number in (1, 0))
        )

    def plan(self) -> Record:
        """Memory that the run needs."""
        return Record.of_json(
            *(self._call(lambda pointer: text_of(lib.pav_mesh_run_plan, pointer, number)) for number in (1, 0))
        )

    def __repr__(self):
        if self._run is None:
            return "<pavior.MeshRun, closed>"
        return f"<pavior.MeshRun of {', '.join(self.fields)}, {'finished' if self._finished else 'not yet solved'}>"
