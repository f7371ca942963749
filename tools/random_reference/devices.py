# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a description by pavior, and what they left: fields, samples and measures, as bytes and as numbers."""
import json
import os
import subprocess
import tempfile

import numpy as np

import bounded as b


class Result:
    def __init__(self, code, said):
        self.code, self.said = code, said
        self.files, self.measures = {}, {}

    def same(self, other):
        return self.files == other.files and repr(self.measures) == repr(other.measures)



def run(pavior, text, way, seconds=120):
    """way: a device, or DEVICE/SCHEDULE."""
    device, _, schedule = way.partition("/")
    with tempfile.TemporaryDirectory() as out:
        command = [pavior, "run", "-", "--device", device, "--out", out, "--json"]
        command += ["--schedule", schedule] if schedule else []
        try:
            done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Result(-1, f"no end after {seconds} s")
        result = Result(done.returncode, done.stderr.decode(errors="replace"))
        try:
            result.measures = json.loads(done.stdout).get("measures", {})
        except ValueError:
            result.code = result.code or -2
        for name in sorted(os.listdir(out)):
            with open(os.path.join(out, name), "rb") as file:
                result.files[name] = file.read()
        return result


def array(bytes_):
    """Of a .npy file: (z, y, x), given back as (x, y, z)."""
    with tempfile.TemporaryFile() as file:
        file.write(bytes_)
        file.seek(0)
        return np.load(file).astype(np.float64).T


def apart(name, got, want):
    """A sentence where the numbers lie outside of the bound, else None."""
    if got.shape != want.value.shape:
        return f"{name} has the shape {got.shape}, not {want.value.shape}"
    off = np.abs(got - want.value) - want.error
    if np.all(off <= 1e-290) or got.size == 0:
        return None
    at = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape)
    return f"{name}{tuple(map(int, at))} is {got[at]!r}, the reference {want.value[at]!r} within {want.error[at]:.3g}"


def rows(bytes_):
    return [[float(x) for x in line.split(",")] for line in bytes_.decode().splitlines()[1:]]


def compare(result, reference, fields):
    """The first difference from the reference, or None."""
    for name, want in fields.items():
        if name + ".npy" not in result.files:
            return f"there is no {name}.npy"
        said = apart(name, array(result.files[name + ".npy"]), want)
        if said:
            return said
    for n, want in enumerate(reference.rows):
        got = rows(result.files.get(f"s{n}.csv", b""))
        if [row[0] for row in got] != [step for step, _ in want]:
            return f"s{n}.csv has the steps {[row[0] for row in got]}, not {[step for step, _ in want]}"
        for row, (step, values) in zip(got, want):
            for k, value in enumerate(values):
                said = apart(f"s{n}.csv of step {step}, column {k} ", np.array([row[2 + k]]),
                             b.Bounded(value.value.reshape(1), value.error.reshape(1)))
                if said:
                    return said
    for name, want in reference.numbers.items():
        want = b.Bounded(want.value.reshape(1), np.asarray(want.error).reshape(1))
        said = apart(f"measure {name} ", np.array([result.measures[name]], dtype=np.float64), want)
        if said:
            return said
    return None
