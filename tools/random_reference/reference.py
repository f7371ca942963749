# SPDX-License-Identifier: BSD-3-Clause
"""A program tree computed directly with NumPy, as docs/language.md says, on whole arrays and one step at a time.

An expression is worked out for all points of the grid at once, at an offset from them. Levels are kept with their points
beyond the faces, filled axis by axis; every number carries a bound of what rounding may do to it.
"""
from fractions import Fraction
from itertools import product

import numpy as np

import bounded as b
from tree import every, number, spelled
from weights import weights


class TooFar(Exception):
    """The bound is no bound: nothing can be compared."""


def reach(p, e, far=(0, 0, 0)):
    """How far an expression reads along each axis."""
    kind = e[0]
    if kind == "shift":
        return reach(p, e[1], tuple(f + abs(e[2][a]) if a < p.dim else f for a, f in enumerate(far)))
    if kind == "dx":
        most = max((abs(k) for k, _ in weights(e[2], e[3], e[4])), default=0)
        return reach(p, e[5], tuple(f + (most if a == e[1] else 0) for a, f in enumerate(far)))
    if kind == "laplace":
        most = max(abs(k) for k, _ in weights(2, e[1], 0))
        return reach(p, e[2], tuple(f + most for f in far))
    if kind == "stencil":
        entries = dict(p.stencils)[e[1]]
        most = [max([1 if isinstance(k, str) else abs(k[a]) for k, _ in entries]) for a in range(p.dim)]
        inner = [reach(p, e[2], tuple(f + (most[a] if a < p.dim else 0) for a, f in enumerate(far)))]
        inner += [reach(p, w, far) for _, w in entries]
    else:
        inner = [reach(p, x, far) for x in e[1:] if isinstance(x, tuple) and x and isinstance(x[0], str)]
    return tuple(max(column) for column in zip(far, *inner))


def class_offsets(dim, word):
    count = ["centre", "face", "edge", "corner"].index(word)
    return [o for o in product((-1, 0, 1), repeat=dim) if sum(map(abs, o)) == count]


class Reference:
    def __init__(self, program):
        self.p = p = program
        self.n = tuple(p.points)
        self.spell()
        far = np.zeros(3, int)
        for e in self.expressions:
            far = np.maximum(far, reach(p, e))
        self.halo = [int(far[a]) for a in range(p.dim)]
        self.kind = {f.name: f.storage or p.stored or p.real for f in p.fields}
        self.levels, self.values, self.step = {}, {}, 0
        self.rows = [[] for _ in p.samples]

    def spell(self):
        p, self.expressions = self.p, []

        def plain(e):
            e = spelled(p, e)
            self.expressions.append(e)
            return e

        self.update = {name: plain(p.find(name).update) for name in p.order}
        self.start = {f.name: plain(f.start) if f.start else ("num", "0") for f in p.fields}
        self.older = {(f.name, age): plain(e) for f in p.fields for age, e in f.older.items()}
        self.params = [(name, plain(e)) for name, e, _, _ in p.params]
        self.masks = [(name, plain(e)) for name, e in p.masks]
        self.injections = [(name, at, plain(e)) for name, at, e in p.injections]
        self.measures = [(name, plain(e)) for name, e in p.measures]
        oldest = {f.name: 0 for f in p.fields}
        for e in self.expressions:
            for x in every(e):
                if x[0] == "field":
                    oldest[x[1]] = min(oldest[x[1]], x[2])
        self.oldest = oldest

    # ---- expressions ------------------------------------------------------------------------

    def place(self, axis, index):
        """The coordinate of an index, as f64."""
        return float(self.p.origin[axis] + self.p.spacing[axis] * int(index))

    def axis(self, axis, at, unit):
        low = at.low[axis]
        values = np.array([self.place(axis, i) for i in range(low, low + at.count[axis])])
        if at.fixed is not None and at.fixed[0] == axis:
            values[:] = self.place(axis, at.fixed[1])
        shape = [1] * self.p.dim
        shape[axis] = len(values)
        return b.leaf(np.broadcast_to(values.reshape(shape), at.count), unit)

    def sum(self, terms, unit):
        total = None
        for weight, term in terms:
            item = b.multiply(weight, term, unit)
            total = item if total is None else b.add(total, item, unit)
        return total if total is not None else b.Bounded(0.0)

    def differences(self, e, axis, times, order, half, at):
        h = self.p.spacing[axis] ** times
        return self.sum(((b.leaf(float(w / h), at.unit), self.value(e, at.moved(axis, k)))
                         for k, w in weights(times, order, half)), at.unit)

    def table(self, e, at):
        entries = dict(self.p.stencils)[e[1]]
        terms = []
        for key, weight in entries:
            spots = class_offsets(self.p.dim, key) if isinstance(key, str) else [key]
            value = self.value(spelled(self.p, weight), at)
            terms += [(value, self.value(e[2], at.shifted(o))) for o in spots]
        return self.sum(terms, at.unit)

    def condition(self, e, at):
        if e[0] == "cmp":
            return b.compare(e[1], self.value(e[2], at), self.value(e[3], at))
        sides = [self.condition(x, at) for x in e[1:]]
        if e[0] == "not":
            return ~sides[0][0], sides[0][1]
        join = np.logical_and if e[0] == "and" else np.logical_or
        return join(sides[0][0], sides[1][0]), sides[0][1] | sides[1][1]

    def value(self, e, at):
        kind, unit = e[0], at.unit
        if kind == "num":
            return b.leaf(float(number(e[1])), unit)
        if kind == "axis":
            return self.axis(e[1], at, unit)
        if kind in ("t", "step"):
            return b.leaf(at.step * (float(number(self.p.dt)) if kind == "t" and self.p.dt else 1.0), unit)
        if kind == "param":
            v = self.values[e[1]]
            return b.Bounded(v.value, v.error + unit * np.abs(v.value))
        if kind == "field":
            return self.read(e[1], e[2], at)
        if kind in ("add", "sub"):
            return b.add(self.value(e[1], at), self.value(e[2], at), unit, 1 if kind == "add" else -1)
        if kind in ("mul", "div"):
            return (b.multiply if kind == "mul" else b.divide)(self.value(e[1], at), self.value(e[2], at), unit)
        if kind == "neg":
            return b.negate(self.value(e[1], at))
        if kind == "pow":
            return b.power(self.value(e[1], at), e[2], unit)
        if kind in ("min", "max"):
            return b.extreme(kind, self.value(e[1], at), self.value(e[2], at))
        if kind == "call":
            return b.function(e[1], self.value(e[2], at), unit)
        if kind == "where":
            return b.choose(self.condition(e[1], at), self.value(e[2], at), self.value(e[3], at))
        if kind == "shift":
            return self.value(e[1], at.shifted(e[2]))
        if kind == "dx":
            return self.differences(e[5], e[1], e[2], e[3], e[4], at)
        if kind == "laplace":
            parts = [self.differences(e[2], axis, 2, e[1], 0, at) for axis in range(self.p.dim)]
            return self.sum([(b.Bounded(1.0), x) for x in parts], unit)
        if kind == "stencil":
            return self.table(e, at)
        assert kind == "reduce", kind
        inner = self.value(e[2], Spot(self, step=at.step, unit=b.UNIT["f64"]))
        full = np.broadcast_to(inner.value, self.n)
        return b.reduce(e[1], b.Bounded(full, np.broadcast_to(inner.error, self.n), np.broadcast_to(inner.size, self.n)))

    # ---- levels and borders -----------------------------------------------------------------

    def read(self, name, level, at):
        field = self.levels[name][level]
        cut = tuple(slice(self.halo[a] + at.low[a], self.halo[a] + at.low[a] + at.count[a]) for a in range(self.p.dim))
        result = b.Bounded(field.value[cut], field.error[cut])
        for _ in range(-level if at.absorbs else 0):
            result = b.multiply(result, self.damping(name, at), at.unit)
        return result

    def damping(self, name, at):
        """What absorbing layers leave of a field at each point: along each axis by the nearest face with a layer."""
        result = np.ones(at.count)
        if not self.p.absorb:
            return b.Bounded(result)
        cells, strength, faces = self.p.absorb
        for axis in range(self.p.dim):
            index = np.arange(at.low[axis], at.low[axis] + at.count[axis])
            deep = np.zeros(len(index))
            for side in (0, 1):
                listed = faces is None or (axis, side) in faces
                if listed and self.p.find(name).faces.get((axis, side), (None,))[0] != "periodic":
                    deep = np.maximum(deep, cells - (self.n[axis] - 1 - index if side else index))
            shape = [1] * self.p.dim
            shape[axis] = len(index)
            result = result * np.exp(-((float(number(strength or "0.3")) * deep / cells) ** 2)).reshape(shape)
        return b.Bounded(result, 64 * at.unit * result)

    def keep(self, name, inside, step):
        """A level with its borders: `inside` on the points of the grid."""
        kind = self.kind[name]
        wide = b.stored(b.Bounded(np.broadcast_to(inside.value, self.n), np.broadcast_to(inside.error, self.n)), kind)
        value, error = wide.value.copy(), wide.error.copy()
        value, error = (np.pad(x, [(h, h) for h in self.halo]) for x in (value, error))
        level = b.Bounded(value, error)
        level.error = error
        for axis in range(self.p.dim):
            for side in (0, 1):
                self.give_face(level, name, axis, side, step)
            for side in (0, 1):
                self.fill_beyond(level, name, axis, side, step)
        return level

    def slab(self, axis, low, count, fixed=None, step=0):
        """Points `low` on along an axis: with all beyond the faces of lower axes, and none of higher ones."""
        spot = Spot(self, step=step, unit=b.UNIT[self.p.real])
        spot.low = [-self.halo[a] if a < axis else 0 for a in range(self.p.dim)]
        spot.count = [self.n[a] + 2 * self.halo[a] if a < axis else self.n[a] for a in range(self.p.dim)]
        spot.low[axis], spot.count[axis], spot.fixed = low, count, fixed
        spot.count = tuple(spot.count)
        return spot

    def put(self, level, name, spot, result):
        result = b.stored(result, self.kind[name])
        cut = tuple(slice(self.halo[a] + spot.low[a], self.halo[a] + spot.low[a] + spot.count[a]) for a in range(self.p.dim))
        level.value[cut] = result.value
        level.error[cut] = result.error

    def give_face(self, level, name, axis, side, step):
        kind, value = self.p.find(name).faces.get((axis, side), (None, None))
        spot = self.slab(axis, self.n[axis] - 1 if side else 0, 1, step=step)
        if kind == "value":
            self.put(level, name, spot, self.value(spelled(self.p, value), spot))
        elif kind == "odd":
            self.put(level, name, spot, b.Bounded(np.zeros(spot.count)))

    def source(self, kind, n, side, k):
        """The index that the k-th point beyond a face is a copy of."""
        if n == 1 or kind == "clamp":
            return n - 1 if side else 0
        at = {"periodic": n - k, "mirror": k - 1, "antimirror": k - 1}.get(kind, k)
        at = min(max(at, 0), n - 1)  # beyond that a run is refused
        return n - 1 - at if side else at

    def fill_beyond(self, level, name, axis, side, step):
        kind, value = self.p.find(name).faces.get((axis, side), (None, None))
        n = self.n[axis]
        for k in range(1, self.halo[axis] + 1):
            spot = self.slab(axis, n - 1 + k if side else -k, 1, step=step)
            if kind in (None, "value", "beyond"):
                given = self.value(spelled(self.p, value), spot) if value else b.Bounded(np.nan)
                self.put(level, name, spot, given)
                continue
            source = self.slab(axis, self.source(kind, n, side, k), 1, step=step)
            cut = tuple(slice(self.halo[a] + source.low[a], self.halo[a] + source.low[a] + source.count[a])
                        for a in range(self.p.dim))
            copy = b.Bounded(level.value[cut].copy(), level.error[cut].copy())
            if kind in ("odd", "antimirror"):
                copy = b.negate(copy)
            elif kind == "neumann" and value:
                face = self.slab(axis, spot.low[axis], 1, (axis, n - 1 if side else 0), step)
                flux = self.value(spelled(self.p, value), face)
                length = b.leaf(float(2 * k * self.p.spacing[axis]), spot.unit)
                copy = b.add(copy, b.multiply(length, flux, spot.unit), spot.unit)
            self.put(level, name, spot, copy)

    # ---- a run ------------------------------------------------------------------------------

    def begin(self):
        exact = b.UNIT["f64"]
        early = [(name, e) for (name, e), x in zip(self.params, self.p.params) if not x[3]]
        late = [(name, e) for (name, e), x in zip(self.params, self.p.params) if x[3]]
        for name, e in early:
            self.values[name] = self.value(e, Spot(self, step=0, unit=exact)).settled()
        for f in self.p.fields:
            at = Spot(self, step=0, unit=exact)
            self.levels[f.name] = {0: self.keep(f.name, self.value(self.start[f.name], at), 0)}
        for name, e in late:
            self.values[name] = self.value(e, Spot(self, step=0, unit=exact)).settled()
        for f in self.p.fields:
            for age in range(1, -self.oldest[f.name] + 2):
                e = self.older.get((f.name, age), self.start[f.name])
                value = self.value(e, Spot(self, step=-age, unit=exact))
                self.levels[f.name][-age] = self.keep(f.name, value, -age)
        self.open_points = {}
        for name, e in self.masks:
            holds, unsure = self.condition(e, Spot(self, step=0, unit=exact))
            if np.any(unsure):
                raise TooFar
            for own in [name] if name else [f.name for f in self.p.fields]:
                self.open_points[own] = self.open_points.get(own, True) & np.broadcast_to(holds, self.n)

    def fixed(self, name):
        """Points whose value a border or a mask gives."""
        result = ~np.broadcast_to(self.open_points.get(name, True), self.n).copy()
        for (axis, side), (kind, _) in self.p.find(name).faces.items():
            if kind in ("value", "odd"):
                result[(slice(None),) * axis + (self.n[axis] - 1 if side else 0,)] = True
        return result

    def around(self, position):
        """[(point, weight)] of linear interpolation, the weights bounded."""
        sides = []
        for axis, place in enumerate(position):
            exact = (number(place) - self.p.origin[axis]) / self.p.spacing[axis]
            low = min(int(exact // 1), max(self.n[axis] - 2, 0))
            part = exact - low
            # a position is rounded before the division, so a source exactly at a point may add a trace to a neighbour
            near = [(low, 1 - part), (low + 1, part)] + ([(low - 1, part)] if part == 0 else [])
            sides.append([(i, w) for i, w in near if 0 <= i < self.n[axis]])
        for spot in product(*sides):
            weight = Fraction(1)
            for _, w in spot:
                weight *= w
            yield tuple(i for i, _ in spot), b.Bounded(float(weight), 64 * b.UNIT["f64"] * max(self.n))

    def inject(self, name, positions, e):
        unit = b.UNIT[self.p.real]
        level = self.levels[name][1]
        closed = self.fixed(name)
        amount = self.value(e, Spot(self, step=self.step, unit=unit))
        for position in positions:
            for point, weight in self.around(position):
                if closed[point]:
                    continue
                at = tuple(i + h for i, h in zip(point, self.halo))
                old = b.Bounded(level.value[at], level.error[at])
                weight = b.Bounded(weight.value, weight.error + unit)
                new = b.stored(b.add(old, b.multiply(amount, weight, unit), unit), self.kind[name])
                # several sources at one point may be added before rounding
                level.value[at], level.error[at] = new.value, new.error + 2 * b.UNIT[self.kind[name]] * np.abs(new.value)

    def inner(self, level):
        cut = tuple(slice(h, h + n) for h, n in zip(self.halo, self.n))
        return b.Bounded(level.value[cut], level.error[cut])

    def take_step(self):
        unit = b.UNIT[self.p.real]
        for name in self.p.order:
            at = Spot(self, step=self.step, unit=unit)
            at.absorbs = self.p.absorb is not None
            new = self.value(self.update[name], at)
            new = b.multiply(self.damping(name, at), new, unit) if self.p.absorb else new
            old = self.inner(self.levels[name][0])
            openly = np.broadcast_to(self.open_points.get(name, True), self.n)
            new = b.Bounded(np.where(openly, new.value, old.value), np.where(openly, new.error, old.error))
            self.levels[name][1] = self.keep(name, new, self.step + 1)
        for name, positions, e in self.injections:
            self.inject(name, positions, e)
        for name in {name for name, _, _ in self.injections}:
            self.levels[name][1] = self.keep(name, self.inner(self.levels[name][1]), self.step + 1)
        self.step += 1
        for name in self.p.order:
            levels = self.levels[name]
            self.levels[name] = {k - 1: v for k, v in levels.items()}
            del self.levels[name][min(self.levels[name])]

    def sample(self):
        for n, (name, positions, k) in enumerate(self.p.samples):
            if self.step % k:
                continue
            level, row = self.inner(self.levels[name][0]), []
            for position in positions:
                terms = [(w, b.Bounded(level.value[at], level.error[at])) for at, w in self.around(position)]
                row.append(self.sum(terms, b.UNIT[self.p.real]))
            self.rows[n].append((self.step, row))

    def run(self):
        with np.errstate(invalid="ignore", over="ignore"):
            self.begin()
            self.sample()
            for _ in range(self.p.steps):
                self.take_step()
                self.sample()
            at = Spot(self, step=self.step, unit=b.UNIT["f64"])
            self.numbers = {name: self.value(e, at) for name, e in self.measures}
        return {f.name: self.inner(self.levels[f.name][0]) for f in self.p.fields}


class Spot:
    """Where and when an expression is evaluated: points from `low` on, `count` of them along each axis."""

    def __init__(self, reference, step, unit):
        self.low = [0] * reference.p.dim
        self.count = reference.n
        self.step, self.unit, self.fixed, self.absorbs = step, unit, None, False

    def shifted(self, offsets):
        other = object.__new__(Spot)
        other.__dict__.update(self.__dict__)
        other.low = [a + o for a, o in zip(self.low, offsets)]
        return other

    def moved(self, axis, by):
        return self.shifted([by if a == axis else 0 for a in range(len(self.low))])
