# SPDX-License-Identifier: BSD-3-Clause
"""Pavior: nearest-neighbour computations on grids at the speed of the hardware, with the same bits on every device.

    import pavior
    p = pavior.Program('''
        grid x 128, y 128
        field u = exp(-((x - 64)^2 + (y - 64)^2)/99)
        u' = u + 0.2*laplace(u)
        border u = 0
        steps 1000
    ''')
    with p.run() as r:
        r.step(100)
        print(r["u"].max())
"""

from typing import Any

from ._autograd import gradient_function
from ._device import DeviceField
from ._errors import (
    ArgumentError,
    DescriptionError,
    DeviceError,
    DiskFull,
    ExpectationFailed,
    FileError,
    FormatError,
    Interrupted,
    Mistake,
    NotConverged,
    NotFinite,
    OutOfMemory,
    PaviorError,
    TooLarge,
    Unsupported,
)
from ._examples import examples
from ._library import lib as _lib
from ._library import text_of as _text_of
from ._mesh import MeshRun
from ._picture import Output, Picture
from ._program import GradientResult, Plan, Program, Solution, gradient, load
from ._record import Record
from ._run import Run, Sample
from ._sweep import sweep

__version__ = _lib.pav_version().decode()


def doctor() -> Record:
    """This build and this machine: devices, compilers, what is missing and how to get it."""
    return Record.of_json(_text_of(_lib.pav_doctor, 1), _text_of(_lib.pav_doctor, 0))


def catalogue() -> Record:
    """The ready programs of the catalogue: `Program("heat3d@64x64x64/f32")`."""
    return Record.of_json('{"entries": ' + _text_of(_lib.pav_catalogue, 1) + "}", _text_of(_lib.pav_catalogue, 0))


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext pavior` in a notebook: a cell that begins with `%%pavior p` is a description, and `p` its Program."""
    from ._magic import register

    register(shell)


__all__ = [
    "ArgumentError",
    "DescriptionError",
    "DeviceError",
    "DeviceField",
    "DiskFull",
    "ExpectationFailed",
    "FileError",
    "FormatError",
    "GradientResult",
    "Interrupted",
    "MeshRun",
    "Mistake",
    "NotConverged",
    "NotFinite",
    "OutOfMemory",
    "Output",
    "PaviorError",
    "Picture",
    "Plan",
    "Program",
    "Record",
    "Run",
    "Sample",
    "Solution",
    "TooLarge",
    "Unsupported",
    "catalogue",
    "doctor",
    "examples",
    "gradient",
    "gradient_function",
    "load",
    "load_ipython_extension",
    "sweep",
]
