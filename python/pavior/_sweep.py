# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: one description with many values of its params."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Sequence

from ._errors import PaviorError
from ._program import Program, program_of
from ._run import _KNOWN, Run


def sweep(
    program: Program,
    device: str = "auto",
    *,
    each: Callable[[Run], Any] | None = None,
    fields: Sequence[str] = (),
    **options_and_params: Any,
) -> list[dict[str, Any]]:
    """Runs a program to its end for every combination of params: `sweep(p, a=[0.1, 0.2], b=[1, 2, 3])`.

    Keywords that are lists, tuples or arrays are params; others are options of Program.run. Files are written only
    with no_files=False, then into a directory a combination. fields: names of fields to keep. each: a function of the
    finished run, whose result is kept as "result". Returns a list of dicts: params, measures, fields, "result".

    As in `pavior sweep`, params that shape nothing are arguments of the kernels, which are compiled once for all values.
    """
    program_of(program)
    params = {name: list(value) for name, value in options_and_params.items() if _is_list(value)}
    options = {"no_files": True, **{name: value for name, value in options_and_params.items() if name not in params}}
    for name in options:
        if name not in _KNOWN and name != "progress":
            raise TypeError(f"a sweep has no option '{name}'; values of a param come in a list: {name}=[{options[name]!r}]")
    arguments = frozenset(name for name, values in params.items() if values and _may_be_argument(program, name, values[0]))
    rows = []
    for number, values in enumerate(itertools.product(*params.values())):
        chosen = dict(zip(params, (float(value) for value in values)))
        here: dict[str, Any] = dict(options)
        if not here["no_files"]:
            here["directory"] = f"{options.get('directory', '.')}/sweep-{number + 1:04d}"
        with program._with(chosen, arguments).run(device, **here) as run:
            run.finish()
            row: dict[str, Any] = {**chosen, **run.measures}
            row.update({name: run[name].copy() for name in fields})
            if each is not None:
                row["result"] = each(run)
        rows.append(row)
    return rows


def _may_be_argument(program: Program, name: str, value: float) -> bool:
    """False for params that shape the grid or the steps, for example."""
    try:
        program._with({name: float(value)}, frozenset([name]))
    except PaviorError:
        return False
    return True


def _is_list(value):
    return isinstance(value, (list, tuple, range)) or hasattr(value, "__array__")
