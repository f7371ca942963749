# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of a run as functions of its coefficients, which PyTorch differentiates."""

from __future__ import annotations

import math
import os
import re
from typing import Any, Callable, Sequence

import numpy

from ._arrays import imported
from ._errors import ArgumentError, Unsupported
from ._program import Program, gradient, program_of


def _folder():
    import tempfile  # only here: it loads much

    return tempfile.TemporaryDirectory()


def _files(program):
    """Names of the files of the `sample` lines, in their order."""
    lines = re.findall(r"^sample .*$", str(program), re.MULTILINE)
    files = [re.search(r' into "([^"]*)"', line) for line in lines]
    names = [found[1] if found else "" for found in files]
    if not names or not all(name.endswith(".npy") for name in names):
        raise Unsupported('a gradient needs recordings: end each sample line of the description by into "name.npy"')
    return names


def _with_arrays(program, arrays, folder):
    """The program with values from files for some fields."""
    text = str(program)
    for name, values in arrays.items():
        path = os.path.join(folder, f"{name}.npy")
        numpy.save(path, values)
        text, count = re.subn(
            rf"^(field {re.escape(name)}\b[^=\n]*?)(?: *=.*)?$", lambda found: str(found[1]) + f' = "{path}"', text, flags=re.MULTILINE
        )
        if count != 1:
            raise ArgumentError(f"there is no coefficient '{name}'; the fields are {', '.join(program.fields)}")
    return program.of_text(text)


def record(program, arrays, files, device, options):
    """Recordings of the `sample` lines, with these values of coefficients."""
    with _folder() as folder:
        with _with_arrays(program, arrays, folder).run(device, directory=folder, **options) as run:
            run.step(run.steps)
        return [numpy.load(os.path.join(folder, name)) for name in files]


def pull_back(program, arrays, files, recorded, outer, device, options):
    """Transposed derivative of the recordings, times `outer`: an array for each coefficient.

    Half the sum of (d - o)^2 has the derivative d - o by d: so o = d - outer. outer is scaled to the size of d,
    lest it is lost in the difference. The scale is a power of two.
    """
    most = max(float(numpy.abs(values).max(initial=0)) for values in outer)
    if most == 0:
        return {name: numpy.zeros(values.shape) for name, values in arrays.items()}
    size = max(float(numpy.abs(values).max(initial=0)) for values in recorded)
    scale = 2.0 ** (math.frexp(size)[1] - math.frexp(most)[1]) if size else 1.0
    with _folder() as folder:
        changed = _with_arrays(program, arrays, folder)
        data = os.path.join(folder, "observed")
        for name, d, v in zip(files, recorded, outer):
            os.makedirs(os.path.dirname(os.path.join(data, name)), exist_ok=True)
            numpy.save(os.path.join(data, name), d - scale * v)
        found = gradient(changed, list(arrays), data, device, **options)
    return {name: values / scale for name, values in found.gradients.items()}


def gradient_function(
    program: Program,
    of: str | Sequence[str],
    device: str = "auto",
    *,
    run_options: dict[str, Any] | None = None,
    **options: Any,
) -> Callable[..., Any]:
    """A function of tensors, which PyTorch differentiates: the recordings of a run for these coefficients.

        record = pavior.gradient_function(program, of="c")
        loss = ((record(c) - observed)**2).sum()
        loss.backward()                           # c.grad

    The function takes a tensor of the grid's shape for each coefficient, and returns a tensor (records, receivers)
    for each `sample` line. Backwards it calls `pavior.gradient`, with its options. run_options: of the forward run.
    Needs PyTorch. See docs/python.md.
    """
    torch: Any = imported("torch", "gradient_function")
    names, files = [of] if isinstance(of, str) else list(of), _files(program_of(program))

    class Recorded(torch.autograd.Function):  # type: ignore[name-defined]
        @staticmethod
        def forward(context, *tensors):
            context.arrays = {n: t.detach().cpu().numpy().astype(numpy.float64) for n, t in zip(names, tensors)}
            context.recorded = record(program, context.arrays, files, device, run_options or {})
            context.like = tensors
            return tuple(tensors[0].new_tensor(values) for values in context.recorded)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, *outer):
            factors = [values.detach().cpu().numpy().astype(numpy.float64) for values in outer]
            found = pull_back(program, context.arrays, files, context.recorded, factors, device, options)
            return tuple(like.new_tensor(found[name]) for name, like in zip(names, context.like))

    def function(*tensors: Any) -> Any:
        if len(tensors) != len(names):
            raise TypeError(f"a tensor for each of {', '.join(names)} is needed, not {len(tensors)}")
        recorded = Recorded.apply(*tensors)
        return recorded[0] if len(recorded) == 1 else recorded

    return function
