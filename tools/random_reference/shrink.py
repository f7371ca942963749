# SPDX-License-Identifier: BSD-3-Clause
"""Makes a program that fails smaller, as long as it fails."""
import copy
import time

from tree import children, every, replaced


def without(items):
    for k in range(len(items)):
        yield items[:k] + items[k + 1:]


def smaller(e):
    """Expressions that are a little simpler."""
    yield from children(e)
    for x in every(e):
        if x is not e and x[0] not in ("num", "cmp", "and", "or", "not"):
            for simple in children(x)[:2] + [("num", "0.5")]:
                if simple[0] not in ("cmp", "and", "or", "not"):
                    yield replaced(e, x, simple)


def edits(p):
    """Copies of the program with one thing less."""
    def edit(change):
        other = copy.deepcopy(p)
        change(other)
        return other

    for name in ("samples", "injections", "masks", "measures", "stencils", "lets", "params"):
        for rest in without(getattr(p, name)):
            yield edit(lambda q, n=name, r=rest: setattr(q, n, r))
    for f in p.fields:
        if f.name in p.order:
            yield edit(lambda q, n=f.name: (q.order.remove(n), q.find(n).older.clear()))
        yield edit(lambda q, n=f.name: (q.fields.remove(q.find(n)), n in q.order and q.order.remove(n)))
    for n in (1, p.steps - 1):
        if 0 < n < p.steps:
            yield edit(lambda q, n=n: setattr(q, "steps", n))
    for name in ("stored", "dt", "absorb"):
        if getattr(p, name):
            yield edit(lambda q, n=name: setattr(q, n, None))
    for f in p.fields:
        for what in ("storage", "start"):
            if getattr(f, what):
                yield edit(lambda q, n=f.name, w=what: setattr(q.find(n), w, None))
        for age in f.older:
            yield edit(lambda q, n=f.name, a=age: q.find(n).older.pop(a))
        for face, (kind, value) in f.faces.items():
            for rule in (("clamp", None), (kind, ("num", "0.5")), (kind, ("axis", face[0]))):
                if rule != (kind, value) and (value or rule[1] is None) and kind != "periodic" and kind != "clamp":
                    yield edit(lambda q, n=f.name, at=face, r=rule: q.find(n).faces.__setitem__(at, r))
    for f in p.fields:
        for what in ("update", "start"):
            if getattr(f, what) and (what == "start" or f.name in p.order):
                for e in smaller(getattr(f, what)):
                    yield edit(lambda q, n=f.name, w=what, e=e: setattr(q.find(n), w, e))
    for name in ("measures", "lets", "params"):
        for k, item in enumerate(getattr(p, name)):
            at = 2 if name == "lets" else 1
            for e in smaller(item[at]):
                new = item[:at] + (e,) + item[at + 1:]
                yield edit(lambda q, n=name, k=k, new=new: getattr(q, n).__setitem__(k, new))


def shrink(p, fails, seconds):
    """fails(program) tells whether it still does; programs that mean nothing do not."""
    end = time.monotonic() + seconds
    smaller_found = True
    while smaller_found and time.monotonic() < end:
        smaller_found = False
        for other in edits(p):
            if time.monotonic() > end:
                break
            if fails(other):
                p, smaller_found = other, True
                break
    return p
