# SPDX-License-Identifier: BSD-3-Clause
"""Programs as trees. An expression is a tuple whose first item is its kind:

    ("num", "0.25")  ("axis", 0)  ("t",)  ("step",)  ("param", "a")  ("field", "u", level)  ("argument", "s")
    ("add" | "sub" | "mul" | "div" | "min" | "max", a, b)  ("neg", a)  ("pow", a, whole)  ("call", "sin", a)
    ("where", condition, a, b)  ("cmp", "<", a, b)  ("and" | "or", c, d)  ("not", c)
    ("shift", a, offsets)  ("let", "f", a, ...)  ("reduce", "sum", a)
    ("dx", axis, times, order, half, a)  ("laplace", order, a)  ("stencil", "s", a)
"""
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Field:
    name: str
    start: object = None  # an expression
    older: dict = field(default_factory=dict)  # age: an expression
    storage: str = None
    update: object = None
    faces: dict = field(default_factory=dict)  # (axis, side): (kind, expression or None)


@dataclass
class Program:
    points: list  # along each axis
    origin: list  # fractions
    spacing: list
    grid_words: str
    real: str = "f64"
    stored: str = None
    dt: str = None
    params: list = field(default_factory=list)  # (name, expression, "param" or "scalar", whether it reads fields)
    lets: list = field(default_factory=list)  # (name, arguments, expression)
    stencils: list = field(default_factory=list)  # (name, [(class or offsets, expression)])
    fields: list = field(default_factory=list)
    order: list = field(default_factory=list)  # names, as their equations stand
    absorb: tuple = None  # (cells, strength or None, [(axis, side)] or None)
    masks: list = field(default_factory=list)  # (name or None, condition)
    injections: list = field(default_factory=list)  # (field, [positions], expression)
    samples: list = field(default_factory=list)  # (field, [positions], every)
    measures: list = field(default_factory=list)  # (name, expression)
    steps: int = 1

    def find(self, name):
        return next((f for f in self.fields if f.name == name), None)

    @property
    def dim(self):
        return len(self.points)


def children(e):
    return [x for x in e[1:] if isinstance(x, tuple) and x and isinstance(x[0], str)]


def replaced(e, old, new):
    """The tree with the item that is `old` itself in another's place."""
    if e is old:
        return new
    return tuple(replaced(x, old, new) if isinstance(x, tuple) and x and isinstance(x[0], str) else x for x in e)


def every(e):
    yield e
    for x in children(e):
        yield from every(x)


def with_arguments(e, values):
    if e[0] == "argument":
        return values[e[1]]
    return tuple(with_arguments(x, values) if isinstance(x, tuple) and x and isinstance(x[0], str) else x for x in e)


def spelled(program, e):
    """Without lets: each in its place."""
    lets = {name: (arguments, value) for name, arguments, value in program.lets}
    e = tuple(spelled(program, x) if isinstance(x, tuple) and x and isinstance(x[0], str) else x for x in e)
    if e[0] != "let":
        return e
    arguments, value = lets[e[1]]
    return with_arguments(spelled(program, value), dict(zip(arguments, e[2:])))


def number(text):
    return Fraction(text)
