# SPDX-License-Identifier: BSD-3-Clause
"""Random programs whose values stay near 1: what rounding does to them stays small, and what is wrong does not."""
from fractions import Fraction

from tree import Field, Program, every, number

MOST = {1: [70], 2: [24, 18], 3: [13, 9, 8]}
FUNCTIONS = ["sin", "cos", "tanh", "abs", "floor"]


class Reads:
    """What an expression may hold."""

    def __init__(self, fields=(), far=0, time=True, late=False, lets=(), stencils=(), arguments=(), scalars=True):
        self.fields, self.far, self.time, self.late = list(fields), far, time, late
        self.lets, self.stencils, self.arguments = list(lets), list(stencils), list(arguments)
        self.scalars = scalars


class Drawing:
    def __init__(self, rng):
        self.rng = rng
        self.dim = rng.choices([1, 2, 3], [3, 4, 3])[0]
        self.draw_grid()
        p = self.p
        p.real = rng.choice(["f32", "f64"])
        p.stored = rng.choice([None] * 8 + ["f32", "f16", "bf16"])
        p.dt = rng.choice([None, "1/8", "0.1", "0.05"])
        p.steps = rng.choice([1, 2, 3, 4, 5, 7])
        self.draw_params()
        self.draw_fields()
        self.draw_lets()
        self.draw_stencils()
        self.draw_equations()
        self.draw_faces()
        self.draw_rest()

    def chance(self, one_in):
        return self.rng.randrange(one_in) == 0

    # ---- grid -------------------------------------------------------------------------------

    def draw_grid(self):
        rng, words, place = self.rng, [], []
        points = [rng.randint(1, most) if self.chance(4) else rng.randint(5, most) for most in MOST[self.dim]]
        for axis in range(self.dim):
            how = rng.choice(["", "", "spacing", "from"]) if points[axis] > 1 else rng.choice(["", "spacing"])
            place.append(how and (rng.choice(["0.5", "1/4", "0.3", "2"]) if how == "spacing" else
                                  (rng.choice(["0", "-1", "0.5"]), rng.choice(["2", "3.5", "4"]))))
            words.append("xyz"[axis] + f" {points[axis]}" + (
                "" if not how else f" spacing {place[-1]}" if how == "spacing" else " from {} to {}".format(*place[-1])))
        if place[-1] and 1 in points and isinstance(place[-1], tuple):
            points = [max(n, 2) for n in points]
            words = [" ".join(["xyz"[a], str(points[a])] + w.split(" ")[2:]) for a, w in enumerate(words)]
        origin, spacing = [], []
        for axis in range(self.dim):
            own = place[axis] or place[-1]  # that of the last holds for those without
            if isinstance(own, tuple):
                low, high = map(number, own)
                origin.append(low)
                spacing.append((high - low) / (points[axis] - 1))
            else:
                origin.append(Fraction(0))
                spacing.append(number(own) if own else Fraction(1))
        self.p = Program(points, origin, spacing, ", ".join(words))

    # ---- expressions ------------------------------------------------------------------------

    def literal(self):
        return ("num", self.rng.choice(["0.25", "0.5", "0.1", "1", "1.5", "0.75", "2", "1/3", "0.3", "3"]))

    def place(self):
        """A coordinate that goes from about 0 to about 1."""
        axis = self.rng.randrange(self.dim)
        length = abs(self.p.spacing[axis]) * self.p.points[axis]
        return ("div", ("axis", axis), ("num", str(max(int(length), 1))))

    def offsets(self, far):
        return tuple(self.rng.randint(-far, far) if self.chance(2) else 0 for _ in range(self.dim))

    def leaf(self, r):
        rng = self.rng
        kinds = ["num", "axis"] + ["field"] * (6 if r.fields else 0) + ["t"] * r.time + ["argument"] * (5 if r.arguments else 0)
        params = [x for x in self.p.params if (r.late or not x[3]) and (r.scalars or x[2] == "param")]
        kind = rng.choice(kinds + ["param"] * bool(params))
        if kind == "field":
            e = ("field",) + rng.choice(r.fields)
            return ("shift", e, self.offsets(r.far)) if r.far and not self.chance(3) else e
        if kind == "param":
            return ("param", rng.choice(params)[0])
        if kind == "argument":
            return ("argument", rng.choice(r.arguments))
        if kind == "t":
            return ("mul", ("num", "0.1"), (rng.choice(["t", "step"]),))
        return self.place() if kind == "axis" else self.literal()

    def condition(self, r, depth):
        rng = self.rng
        if depth > 0 and self.chance(3):
            kind = rng.choice(["and", "or", "not"])
            return (kind,) + tuple(self.condition(r, depth - 1) for _ in range(1 if kind == "not" else 2))
        if r.fields and self.chance(3):
            return ("cmp", rng.choice(["<", ">"]), self.expression(r, 1), self.literal())
        axis = rng.randrange(self.dim)
        edge = self.p.origin[axis] + self.p.spacing[axis] * (Fraction(rng.randint(0, self.p.points[axis])) - Fraction(1, 2))
        edge = ("num", str(abs(edge)))
        sign = rng.choice(["<", "<=", ">", ">="])
        return ("cmp", sign, ("call", "abs", ("axis", axis)) if self.chance(2) else ("axis", axis), edge)

    def derivative(self, r, depth):
        rng = self.rng
        if self.chance(2):
            order = rng.choice([2, 2, 4, 6])
            h = min(self.p.spacing) ** 2 / 8
            return ("mul", ("num", str(h)), ("laplace", order, self.expression(r, depth - 1)))
        axis, times = rng.randrange(self.dim), rng.choice([1, 1, 2, 3, 4])
        half = rng.choice([0, 1, -1]) if times in (1, 3) else 0
        h = self.p.spacing[axis] ** times / 2 ** (times + 1)
        return ("mul", ("num", str(h)), ("dx", axis, times, rng.choice([2, 2, 4]), half, self.expression(r, depth - 1)))

    def expression(self, r, depth):
        rng = self.rng
        if depth <= 0:
            return self.leaf(r)
        kinds = ["add", "sub", "mul", "add", "leaf", "call", "where", "min", "neg", "pow", "div"]
        kinds += ["shift", "dx", "dx"] * (r.far > 0) + ["let"] * (2 if r.lets else 0) + ["stencil"] * (2 if r.stencils else 0)
        kind = rng.choice(kinds)
        inner = lambda: self.expression(r, depth - 1)
        if kind in ("add", "sub"):
            return (kind, inner(), inner())
        if kind == "mul":
            return ("mul", self.literal(), inner()) if self.chance(2) else ("mul", ("call", "sin", inner()), inner())
        if kind == "call":
            if self.chance(4):
                return ("call", rng.choice(["sqrt", "log"]), ("add", ("num", "1.5"), ("pow", inner(), 2)))
            if self.chance(6):
                return ("call", "exp", ("neg", ("pow", ("call", "sin", inner()), 2)))
            return ("call", rng.choice(FUNCTIONS), inner())
        if kind == "where":
            return ("where", self.condition(r, 1), inner(), inner())
        if kind == "min":
            return (rng.choice(["min", "max"]), inner(), inner())
        if kind == "neg":
            return ("neg", inner())
        if kind == "pow":
            return ("pow", ("call", rng.choice(["sin", "tanh"]), inner()), rng.choice([2, 2, 3, 5]))
        if kind == "div":
            return ("div", inner(), rng.choice([self.literal(), ("add", ("num", "2"), ("call", "sin", inner()))]))
        if kind == "shift":
            return ("shift", inner(), self.offsets(1))
        if kind == "dx":
            return self.derivative(r, depth)
        if kind == "let":
            name, arguments, _ = rng.choice(r.lets)
            return ("let", name) + tuple(inner() for _ in arguments)
        if kind == "stencil":
            return ("stencil", rng.choice(r.stencils)[0], inner())
        return self.leaf(r)

    def reduction(self, r):
        e = ("reduce", self.rng.choice(["sum", "min", "max", "norm"]), self.expression(r, 1))
        if e[1] in ("sum", "norm"):
            count = 1
            for n in self.p.points:
                count *= n
            e = ("div", e, ("num", str(count)))
        return e

    # ---- statements -------------------------------------------------------------------------

    def draw_params(self):
        for k in range(self.rng.randint(0, 3)):
            r = Reads(time=False, scalars=False)
            e = self.expression(r, 1)
            while any(x in str(e) for x in ("axis", "floor")):
                e = self.expression(r, 1)
            self.p.params.append((f"a{k}", e, "scalar" if e[0] == "num" else "param", False))

    def draw_fields(self):
        p, rng = self.p, self.rng
        for k in range(rng.randint(1, 4)):
            known = [(f.name, 0) for f in p.fields]
            r = Reads(known, far=self.chance(3), time=self.chance(4))
            f = Field(f"u{k}", self.expression(r, 2) if not self.chance(6) else None)
            f.storage = rng.choice([None] * 9 + ["f32", "f16", "bf16"])
            p.fields.append(f)
        if self.chance(3):
            r = Reads([(f.name, 0) for f in p.fields], time=False, scalars=False)
            p.params.append(("late", self.reduction(r), "param", True))

    def draw_lets(self):
        fields = [(f.name, 0) for f in self.p.fields]
        for k in range(self.rng.choice([0, 0, 1, 2])):
            arguments = ["s", "q"][:self.rng.randint(0, 2)]
            e = self.expression(Reads(fields, 1, late=True, arguments=arguments), 2)
            self.p.lets.append((f"f{k}x", arguments, e))

    def draw_stencils(self):
        rng = self.rng
        if self.chance(2):
            return
        words = ["centre", "face", "edge", "corner"][:self.dim + 1]
        if self.chance(2):
            keys = rng.sample(words, rng.randint(1, len(words)))
        else:
            keys = list({self.offsets(2) for _ in range(rng.randint(1, 5))})
        weight = lambda: ("mul", ("num", "0.125"), self.expression(Reads([(f.name, 0) for f in self.p.fields]), 1))
        plain = lambda: ("num", rng.choice(["0.1", "0.2", "1/8"]))
        self.p.stencils.append(("s0", [(k, plain() if self.chance(2) else weight()) for k in keys]))

    def draw_equations(self):
        p, rng = self.p, self.rng
        p.order = [f.name for f in p.fields if not self.chance(4)] or [p.fields[0].name]
        rng.shuffle(p.order)
        names, done = [f.name for f in p.fields], []
        for name in p.order:
            levels = [(n, 0) for n in names] * 2 + [(n, -k) for n in p.order for k in (1, 1, 2)] * self.chance(2)
            r = Reads(levels + [(n, 1) for n in done] * 2, rng.choice([0, 1, 1, 2, 3]), late=True, lets=p.lets,
                      stencils=p.stencils)
            e = ("mul", ("num", rng.choice(["0.3", "0.5"])), self.expression(r, rng.choice([1, 2, 2, 3])))
            if not self.chance(3):
                e = ("add", ("mul", ("num", "0.5"), ("field", name, 0)), e)
            if self.chance(6):
                e = ("add", e, self.reduction(Reads([(n, 0) for n in names], time=False)))
            p.find(name).update = e
            done.append(name)
        old = {(e[1], -e[2]) for f in p.fields if f.update for e in every(f.update) if e[0] == "field"}
        for f in p.fields:
            for age in (age for age in (1, 2) if (f.name, age) in old and self.chance(2)):
                f.older[age] = self.expression(Reads([], lets=[x for x in p.lets if not x[1] and "field" not in str(x)]), 2)

    def draw_faces(self):
        kinds = ["value", "beyond", "neumann", "mirror", "odd", "antimirror", "clamp"]
        for f in self.p.fields:
            for axis in range(self.dim):
                if self.chance(4):
                    f.faces[axis, 0] = f.faces[axis, 1] = ("periodic", None)
                    continue
                for side in (0, 1):
                    kind = self.rng.choice(kinds)
                    given = kind in ("value", "beyond") or (kind == "neumann" and self.chance(2))
                    e = self.expression(Reads(), self.rng.randint(0, 2)) if given else None
                    f.faces[axis, side] = (kind, e)

    def position(self):
        spot = []
        for axis, n in enumerate(self.p.points):
            at = Fraction(self.rng.randint(0, 4 * (n - 1)), 4)
            spot.append(str(self.p.origin[axis] + self.p.spacing[axis] * at))
        return tuple(spot)

    def draw_rest(self):
        p, rng = self.p, self.rng
        if self.chance(4):
            p.masks.append((None if self.chance(2) else rng.choice(p.order), self.condition(Reads(time=False), 1)))
        if self.chance(5):
            open_ = [at for at in p.fields[0].faces if any(p.find(n).faces[at][0] != "periodic" for n in p.order)]
            if open_:
                faces = None if self.chance(2) else rng.sample(open_, rng.randint(1, len(open_)))
                p.absorb = (rng.randint(1, 6), rng.choice([None, "0.5", "1"]), faces)
        if self.chance(4):
            p.injections.append((rng.choice(p.order), [self.position() for _ in range(rng.randint(1, 3))],
                                 self.leaf_of_time()))
        if self.chance(3):
            name = rng.choice(p.fields).name
            p.samples.append((name, [self.position() for _ in range(rng.randint(1, 3))], rng.choice([1, 1, 2])))
        for k in range(rng.randint(0, 2)):
            levels = [(f.name, 0) for f in p.fields] + [(n, -1) for n in p.order]
            p.measures.append((f"m{k}", self.reduction(Reads(levels, far=self.chance(2), late=True, lets=p.lets))))

    def leaf_of_time(self):
        return ("mul", self.literal(), ("call", "sin", ("add", self.literal(), ("t",))))


def draw(rng):
    return Drawing(rng).p
