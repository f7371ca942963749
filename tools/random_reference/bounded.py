# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that know how far off they may be.

A `Bounded` holds what a computation comes to in f64, a bound of how far any rounded order of the same operations may
lie from it, and the sum of the magnitudes that were added up, which is what a reordered sum rounds by.
"""
import numpy as np

UNIT = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
SLACK = 8  # roundings of an operation: its own, those of another order, reciprocals, fused products
TINY = {"f64": 1e-300, "f32": 1e-37, "f16": 6e-8, "bf16": 1e-37}


class Bounded:
    def __init__(self, value, error=0.0, size=None):
        self.value = np.asarray(value, dtype=np.float64)
        self.error = np.broadcast_to(np.asarray(error, dtype=np.float64), self.value.shape)
        self.size = np.abs(self.value) if size is None else np.asarray(size, dtype=np.float64)

    def settled(self):
        """As it is read again: no sum under way."""
        return Bounded(self.value, self.error)


def leaf(value, unit):
    value = np.asarray(value, dtype=np.float64)
    return Bounded(value, unit * np.abs(value))


def rounded(value, error, size, unit):
    return Bounded(value, error + SLACK * unit * size, size)


def add(a, b, unit, sign=1):
    return rounded(a.value + sign * b.value, a.error + b.error, a.size + b.size, unit)


def negate(a):
    return Bounded(-a.value, a.error, a.size)


def multiply(a, b, unit):
    error = np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error
    return rounded(a.value * b.value, error, a.size * b.size, unit)


def divide(a, b, unit):
    least = np.abs(b.value) - b.error
    with np.errstate(all="ignore"):
        value = a.value / b.value
        error = np.where(least > 0, (a.error + np.abs(value) * b.error) / least, np.inf)
        return rounded(value, error, a.size / np.where(least > 0, least, 1) * (b.size / np.abs(b.value)), unit)


def power(a, whole, unit):
    result = a
    for _ in range(whole - 1):
        result = multiply(result, a, unit)
    return result


SLOPES = {  # how much a function spreads an error, over what lies within it
    "sin": lambda v, e: e, "cos": lambda v, e: e, "tanh": lambda v, e: e, "abs": lambda v, e: e,
    "exp": lambda v, e: np.exp(v) * np.expm1(e),
    "sqrt": lambda v, e: np.sqrt(v + e) - np.sqrt(np.maximum(v - e, 0)),
    "log": lambda v, e: np.where(v > e, e / np.maximum(v - e, 1e-300), np.inf),
}


def function(name, a, unit):
    if name == "floor":
        low, high = np.floor(a.value - a.error), np.floor(a.value + a.error)
        return Bounded(np.floor(a.value), high - low)
    with np.errstate(all="ignore"):
        value = getattr(np, name)(a.value)
        error = SLOPES[name](a.value, a.error)
    value = np.where(np.isfinite(value), value, 0.0)
    error = np.where(np.isfinite(error), error, np.inf)
    return Bounded(value, error + SLACK * unit * np.maximum(np.abs(value), 1))


def extreme(name, a, b):
    pick = np.minimum if name == "min" else np.maximum
    return Bounded(pick(a.value, b.value), np.maximum(a.error, b.error))


def compare(sign, a, b):
    """What holds, and where rounding may decide otherwise."""
    close = np.abs(a.value - b.value) <= a.error + b.error
    exact = (a.error == 0) & (b.error == 0)
    holds = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
             "!=": np.not_equal}[sign](a.value, b.value)
    return holds, close & ~exact


def choose(condition, a, b):
    holds, open_ = condition
    value, error, size = (np.where(holds, x, y) for x, y in ((a.value, b.value), (a.error, b.error), (a.size, b.size)))
    apart = np.abs(a.value - b.value) + a.error + b.error
    return Bounded(value, np.where(open_, np.maximum(error, apart), error), np.where(open_, np.maximum(a.size, b.size), size))


def reduce(name, a):
    value, error = a.value, a.error
    unit = UNIT["f64"] * (value.size + SLACK)
    if name in ("min", "max"):
        return Bounded(getattr(np, name)(value), np.max(error))
    if name == "sum":
        return Bounded(np.sum(value), np.sum(error) + unit * np.sum(a.size))
    squares = np.sum(value**2)
    spread = np.sum(error * (2 * np.abs(value) + error)) + unit * np.sum(a.size**2)
    root = np.sqrt(squares)
    return Bounded(root, np.sqrt(squares + spread) - np.sqrt(max(squares - spread, 0)) + unit * root)


def nearest(values, kind):
    """Rounded to a type, ties to even."""
    if kind == "f64":
        return values
    if kind == "bf16":
        part, exponent = np.frexp(values)
        return np.ldexp(np.rint(part * 256) / 256, exponent)
    with np.errstate(over="ignore"):
        return values.astype({"f32": np.float32, "f16": np.float16}[kind]).astype(np.float64)


def stored(a, kind):
    """As a field keeps it: whatever lies within the bound is rounded to something within the new one."""
    value = nearest(a.value, kind)
    low, high = nearest(a.value - a.error, kind), nearest(a.value + a.error, kind)
    error = np.maximum(np.maximum(high - value, value - low), 0)
    return Bounded(value, np.where(np.isfinite(error), error + (a.error > 0) * TINY[kind], np.inf))
