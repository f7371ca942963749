# SPDX-License-Identifier: BSD-3-Clause
"""fuzz_calls.py [--calls N] [--seconds S] [--seed K] [--threads T]: random calls of the Python package.

Arrays have wrong shapes, types, orders and strides; objects are used after their end and by several threads. Each call
ends with a result or an exception of the package. With a library of a sanitizer: tests/python/test_fuzz_calls.sh.
"""

import argparse
import collections
import gc
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import traceback

import numpy

import pavior

TEXTS = [
    "grid x 12, y 9\nparam a = 0.1; scalar s = 1\nfield u = x + y\nu' = u + s*a*laplace(u)\nborder u = 0\n"
    'measure m = sum(u) every 2\nsample u at (3, 4), (5.5, 6) by linear every 2 into "s.npy"\nsteps 20\n',
    "grid x 7, y 5, z 4 spacing 1/10\nreal f32\nfield u = x*z, k coarse = 2\nu' = u + 0.01*laplace(u)\nborder u = 1\nsteps 9\n",
    "grid x 30\nreal f32 stored f16\nfield u = x\nfield c = 0.4\nu' = 2*u - prev(u) + c^2*laplace(u)\nborder u = 0\nuntil max(u) > 100\nsteps 9\n",
    "grid x 20\nreal f32 stored bf16\nfield u = x\nu' = (u[1] + u[-1])/2\nborder u periodic\nsteps 9\nexpect max(u) < 5\n",
    "grid x 17, y 17 spacing 1/16\nfield u; field f = 1\nsolve -laplace(u) = f for u by multigrid to 1e-8\nborder u = 0\n",
    "mesh disc 3 layers 1\nfield u on nodes\nform a(u, v) = dot(grad(u), grad(v))\nform L(v) = 2*v\nborder u = 0 at \"rim\"\nsolve a = L by cg to 1e-8\n",
    "grid x 10, y 10\nfield u; c = 0.4\nu' = 2*u - prev(u) + c^2*laplace(u)\nborder u = 0\n"
    'inject exp(-(t - 4)^2/4) into u at (4, 5)\nsample u at (7, 5) every 1 into "d.npy"\nsteps 12\n',
    "grid x 8\nfield u = 1\nu' = u*1e200\nsteps 9\n",
    "grid x 8\nfield u = v\n",
    "",
    "grid x 9 \0",
]
# Errors that a wrong call may raise. Everything else is a failure of the package.
EXPECTED = (pavior.PaviorError, TypeError, ValueError, KeyError, IndexError, OverflowError, MemoryError)
NAMES = ["u", "u", "u", "c", "f", "k", "s", "m", "q", "", "ü", "u\0", 3, None]


class Caller:
    """A sequence of random calls; `seed` repeats it."""

    def __init__(self, seed, folder, shared):
        self.draw, self.folder, self.shared = random.Random(seed), folder, shared
        self.programs, self.runs, self.arrays = [], [], []
        self.seen = collections.Counter()

    def any(self, things):
        return self.draw.choice(things)

    def number(self):
        return self.any([0, 1, 1, 2, 3, -1, 7, 10**6 - 10**6, -(2**63), 2**63, 2**70, 0.5, float("nan"), "2", None])

    def array(self, run=None, name=None):
        """An array that may fit a field, or not."""
        fits = isinstance(name, str) and hasattr(run, "level") and name in run.fields and self.draw.random() < 0.6
        if fits and self.draw.random() < 0.3:
            return run.read(name) * 0.5
        shape = run[name].shape if fits else self.any([(9, 12), (4, 5, 7), (30,), (20,), (17, 17), (10, 10), (8,), (), (0,), (12, 9), (1, 9, 12), (9, 0), (2, 2, 2, 2)])
        dtype = self.any(["f8", "f8", "f4", "f2", "u1", "i8", ">f8", ">f4", "?", "c16", "O", "S3", "M8[s]", "g", [("a", "f4")]])
        try:
            values = numpy.zeros(shape, dtype)
            if values.dtype.kind in "fiu":
                values[...] = numpy.random.default_rng(self.draw.randrange(99)).integers(0, 9, shape)
        except (TypeError, ValueError):
            values = numpy.zeros(shape)
        kind = self.draw.randrange(8)
        if kind == 0:
            values = numpy.asfortranarray(values)
        elif kind == 1 and values.ndim:
            values = values[::-1]
        elif kind == 2 and values.ndim:
            values = numpy.repeat(values, 2, axis=-1)[..., ::2]
        elif kind == 3:
            values.flags.writeable = False
        elif kind == 4:
            values = numpy.broadcast_to(numpy.float64(3), shape)
        elif kind == 5:  # not aligned
            raw = numpy.zeros(values.nbytes + 1, "u1")[1:]
            values = raw.view("f8").reshape(shape) if values.nbytes % 8 == 0 and values.dtype == "f8" else values
        elif kind == 6:
            values = self.any([values.tolist(), memoryview(b"1234"), "text", None, 3, [[1], [2, 3]], object()])
        return values

    # ---- calls ----

    def new_program(self):
        text = self.any(TEXTS)
        params = self.any([None, None, {"a": 0.2}, {"q": 1}, {"a": float("nan")}])
        self.programs.append(pavior.Program(text, params, directory=self.folder) if text else pavior.Program(self.any(["", "/", self.folder, "no.pav", "heat2d@64x64/f32", "@"])))

    def new_run(self):
        options = self.any([{}, {}, {"threads": self.number()}, {"schedule": self.any(["rows", "", "x" * 9999])}, {"subdomains": self.any(["2x1", "0", "-1"])},
                            {"restart": "no.ckpt"}, {"steps": self.number()}, {"device_memory": self.number()}, {"nan_check_every": 1}, {"progress": lambda *a: None}])
        device = self.any(["interpreter"] * 6 + ["nodevice", "", "cuda:99", "\0"])
        self.runs.append(self.program().run(device, no_files=self.any([True, True, 1]), **options))

    def program(self):
        if not self.programs:
            self.programs += [pavior.Program(text) for text in TEXTS[:7]]
        return self.any(self.programs)

    def run(self):
        if not self.runs or self.draw.random() < 0.05:  # some are closed
            self.runs.append(self.program().run("interpreter", no_files=True))
        return self.any([*self.runs, *self.shared])

    def named(self):
        run = self.run()
        return run, self.any(run.fields if self.draw.random() < 0.7 else NAMES)

    def step(self):
        self.run().step(self.any([1, 1, 2, 3, 0, self.number() if self.draw.random() < 0.2 else 1]))

    def finish(self):
        self.run().finish()

    def write(self):
        run, name = self.named()
        values = self.array(run, name)
        if self.draw.random() < 0.5:
            run[name] = values
        else:
            run.write(name, values, self.any([0, 0, 1, 2, -1, 2**40, None]))

    def borrow(self):
        run, name = self.named()
        values = run[name] if self.draw.random() < 0.6 else run.level(name, self.any([0, 1, 2, -1, 2**40]))
        self.arrays.append(values)

    def change(self):
        """A change in place, of a field at its step or of an old array."""
        run, name = self.named()
        values = self.any(self.arrays) if self.arrays and self.draw.random() < 0.3 else run[name]
        part = values[self.any([..., 0, slice(1, 3), slice(None, None, 2), -1, (0, 0), 99])]
        kind = self.draw.randrange(5)
        if kind == 0:
            values[self.any([0, ..., slice(1, 4), 99])] = self.any([1, 0.5, part, self.array(), None])
        elif kind == 1:
            values += self.any([1, values, self.array()])
        elif kind == 2:
            part *= 2
        elif kind == 3:
            numpy.add(values, 1, out=values)
        else:
            numpy.add.at(values, 0, 1)

    def look(self):
        """Old arrays stay readable, whatever became of their runs."""
        for values in self.arrays[-4:]:
            float(numpy.asarray(values, float).sum())
            values[(0,) * values.ndim] = 1

    def read(self):
        run, name = self.named()
        run.read(name, self.any(["f8", "f4", "f2", "u1", "i4", "c16", "O"]), self.any([0, 1, -1, 9]))

    def numbers(self):
        run = self.run()
        getattr(run, self.any(["measures", "params", "scalars", "samples", "residuals", "notes", "warnings", "now", "steps", "until", "fields"]))

    def set(self):
        run = self.run()
        if run.scalars and self.draw.random() < 0.5:
            run.set(**{self.any(list(run.scalars)): self.draw.random()})
        else:
            run.set(**{self.any(["s", "a", "u", "q", ""]): self.any([1, 0.5, float("inf"), "x", None])})

    def say(self):
        repr(self.run()), self.run().report().to_dict()

    def checkpoint(self):
        path = os.path.join(self.folder, self.any(["a.ckpt", "b.ckpt", "no/such/folder/c.ckpt"]))
        run = self.run()
        run.checkpoint(path)
        program = run.program if self.draw.random() < 0.7 else self.program()
        self.runs.append(program.run("interpreter", no_files=True, restart=path))

    def close(self):
        run = self.any(self.runs) if self.runs else self.run()
        run.close()
        if self.draw.random() < 0.7 and run in self.runs:
            self.runs.remove(run)

    def forget(self):
        for things in (self.programs, self.runs, self.arrays):
            if things and self.draw.random() < 0.5:
                things.pop(self.draw.randrange(len(things)))
        if self.draw.random() < 0.1:
            gc.collect()

    def describe(self):
        program = self.program()
        self.any([str, repr, pavior.Program.explain, lambda p: p.fields, lambda p: p.coordinates, lambda p: p.dimensions,
                  lambda p: p.kernels(self.any(["cpu", "cuda", "", "none"]), self.any([None, "", "rows", "?"])),
                  lambda p: p.adjoint(self.any([0, 3, -1])), lambda p: p.with_params(a=self.any([1, 2.5, float("nan")])),
                  lambda p: p.plan("interpreter", -1, no_files=True).to_dict()])(program)

    def solve(self):
        program = pavior.Program(TEXTS[4]) if self.draw.random() < 0.5 else self.program()
        program.solve("interpreter", self.any([None, {"f": numpy.ones((17, 17))}, {"f": self.array()}, {"u": self.array()}, {"q": 1}]))

    def differentiate(self):
        path = os.path.join(self.folder, f"data-{id(self)}.npy")
        data = None
        if self.draw.random() < 0.5:
            numpy.save(path, self.any([numpy.ones((12, 1)), numpy.ones((13, 1)), self.array()]), allow_pickle=True)
            data = path
        program = pavior.Program(TEXTS[6]) if self.draw.random() < 0.7 else self.program()
        pavior.gradient(program, self.any([["c"], ["c", "c"], [], ["u"], "c", ["q"], [None]]), data, "interpreter")

    CALLS = [new_program, new_run, new_run, step, step, step, finish, write, write, write, change, change, borrow, borrow, look, look, read, numbers, set, say,
             checkpoint, close, forget, forget, describe, solve, differentiate]

    def once(self):
        call = self.any(self.CALLS)
        try:
            call(self)
            self.seen[call.__name__, "done"] += 1
        except EXPECTED:
            self.seen[call.__name__, "refused"] += 1
        except AttributeError as error:  # a run on a mesh lacks some functions
            if "'MeshRun' object" not in str(error):
                raise
        for things in (self.programs, self.runs, self.arrays):
            del things[:-12]


def work(caller, calls, end, failures):
    made = 0
    try:
        while made < calls and time.monotonic() < end:
            caller.once()
            made += 1
    except BaseException:
        failures.append((made, traceback.format_exc()))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=10**9, help="of each thread")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--threads", type=int, default=3)
    given = options.parse_args()
    end, failures = time.monotonic() + given.seconds, []
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nothing:
        said, sys.stderr = sys.stderr, nothing  # warnings of descriptions
        shared = [pavior.Program(text).run("interpreter", no_files=True) for text in TEXTS[:3]]
        callers = [Caller(given.seed * 1000 + n, folder, shared) for n in range(given.threads)]
        threads = [threading.Thread(target=work, args=(c, given.calls, end, failures)) for c in callers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sys.stderr = said
        seen = sum((c.seen for c in callers), collections.Counter())
        del callers, threads, shared
        gc.collect()
    for name in sorted({call for call, _ in seen}):
        print(f"{name}: {seen[name, 'done']} done, {seen[name, 'refused']} refused")
    for made, text in failures:
        print(f"FAILED, seed {given.seed}, after {made} calls of its thread:\n{text}")
    idle = sorted(call.__name__ for call in Caller.CALLS if not seen[call.__name__, "done"])
    done = sum(count for (_, how), count in seen.items() if how == "done")
    print(f"{done} calls done, {sum(seen.values()) - done} refused, {len(failures)} failed")
    if idle and sum(seen.values()) > 900:
        print(f"FAILED: never done: {', '.join(idle)}")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
