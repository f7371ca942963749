# SPDX-License-Identifier: BSD-3-Clause
"""Fields as objects of other libraries, with the coordinates of their points."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

import numpy

from ._errors import Unsupported

if TYPE_CHECKING:
    from ._program import Program
    from ._run import Run


def imported(module: str, purpose: str, package: str | None = None) -> Any:
    """A module that the package does not need itself, or a sentence about its installation."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{purpose} needs {module}: pip install {package or module} ({error})", name=module) from error


def coordinates(program: Program) -> dict[str, numpy.ndarray]:
    """Coordinates of the points along each axis, by the names of the axes."""
    text = str(program)
    found = re.search(r"^grid .*$", text, re.MULTILINE)
    axes = re.findall(r"(?:^grid|,) +([xyz])\b(?! *[,)])", found[0]) if found else []
    if found is None or len(axes) != program.dimensions:
        raise Unsupported("this program has no grid, and its points no coordinates along axes")
    head = re.sub(r"^real .*\n", "", text[: found.end()], flags=re.MULTILINE)
    points = {}
    for number, axis in enumerate(axes):
        lines = f"\nfield point = {axis}\npoint' = point\nsteps 1\n"
        with program.of_text(head + lines).run("interpreter", no_files=True) as run:
            values = run["point"]
            points[axis] = numpy.moveaxis(values, len(axes) - 1 - number, 0).reshape(values.shape[-1 - number], -1)[:, 0].copy()
    return points


def _every(points, count):
    """Those of a coarse field: every second point until so many are left."""
    while len(points) > count:
        points = points[::2]
    return points


def of_field(run: Run, name: str, age: int) -> tuple[numpy.ndarray, dict[str, numpy.ndarray]]:
    """A copy of a field and the coordinates along its axes, the last axis first."""
    values = numpy.array(run.level(name, age))
    points = run.program.coordinates
    axes = list(points)[::-1]
    return values, {axis: _every(points[axis], count) for axis, count in zip(axes, values.shape)}


def time_of(run: Run, age: int) -> float | None:
    """`t` of a level; None where steps had different lengths."""
    if "dt" in run.scalars:
        return None
    return (run.now - age) * run.params.get("dt", 1.0)


def to_xarray(run: Run, name: str, age: int) -> Any:
    """See Run.to_xarray."""
    xarray = imported("xarray", "to_xarray")
    values, points = of_field(run, name, age)
    time = time_of(run, age)
    if time is not None:
        points = {**points, "time": numpy.array(time)}
    return xarray.DataArray(values, points, list(points)[: values.ndim], name, {"step": run.now - age})


def to_pyvista(run: Run, name: str, age: int) -> Any:
    """See Run.to_pyvista."""
    pyvista = imported("pyvista", "to_pyvista")
    values, points = of_field(run, name, age)
    time = time_of(run, age)
    if values.dtype == numpy.float16:
        values = values.astype(numpy.float32)  # VTK has no type of 16 bits
    grid = pyvista.RectilinearGrid(*[points.get(axis, numpy.zeros(1)) for axis in "xyz"])
    grid.point_data[name] = values.ravel()
    grid.field_data["step"] = [run.now - age]
    if time is not None:
        grid.field_data["TimeValue"] = [time]
    return grid
