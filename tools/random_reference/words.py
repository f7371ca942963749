# SPDX-License-Identifier: BSD-3-Clause
"""A program tree as a description in the language, with no more parentheses than it needs."""
SIGNS = {"add": ("+", 5), "sub": ("-", 5), "mul": ("*", 6), "div": ("/", 6), "and": ("and", 2), "or": ("or", 1)}
AXES, FACES = "xyz", ("-", "+")


def bracket(text, level, least):
    return f"({text})" if level < least else text


def offsets(values):
    return "[" + ",".join(str(v) for v in values) + "]"


def field_word(name, level):
    if level == 1:
        return name + "'"
    return name if level == 0 else f"prev({name})" if level == -1 else f"prev({name}, {-level})"


def derivative(e):
    _, axis, times, order, half, inner = e
    extra = (f", order {order}" if order != 2 else "") + (f", at {'+' if half > 0 else '-'}1/2" if half else "")
    return f"d{AXES[axis] * times}({say(inner)}{extra})"


def say(e, least=0):
    kind = e[0]
    if kind == "num":
        return bracket(e[1], 6 if "/" in e[1] else 10, least)
    if kind in ("axis", "t", "step", "param", "argument"):
        return AXES[e[1]] if kind == "axis" else kind if kind in ("t", "step") else e[1]
    if kind == "field":
        return field_word(e[1], e[2])
    if kind in SIGNS:
        sign, level = SIGNS[kind]
        return bracket(f"{say(e[1], level)} {sign} {say(e[2], level + 1)}", level, least)
    if kind == "neg":
        return bracket("-" + say(e[1], 7), 7, least)
    if kind == "not":
        return bracket("not " + say(e[1], 4), 3, least)
    if kind == "cmp":
        return bracket(f"{say(e[2], 5)} {e[1]} {say(e[3], 5)}", 4, least)
    if kind == "pow":
        return bracket(f"{say(e[1], 9)}^{e[2]}", 8, least)
    if kind == "shift":
        return say(e[1], 10) + offsets(e[2])
    if kind == "dx":
        return derivative(e)
    if kind == "laplace":
        return f"laplace({say(e[2])}{f', order {e[1]}' if e[1] != 2 else ''})"
    if kind in ("call", "stencil", "reduce"):
        return f"{e[1]}({say(e[2])})"
    if kind == "let":
        return e[1] + (f"({', '.join(say(x) for x in e[2:])})" if len(e) > 2 else "")
    return f"{kind}({', '.join(say(x) for x in e[1:])})"  # min, max, where


def face_words(f):
    """Rules, each for all faces that share it."""
    rules = {}
    for (axis, side), rule in f.faces.items():
        rules.setdefault(rule, []).append(AXES[axis] + FACES[side])
    for (kind, value), faces in rules.items():
        at = ", ".join(faces)
        if kind in ("value", "beyond"):
            yield f"border {f.name} = {say(value)} {'at' if kind == 'value' else 'beyond'} {at}"
        else:
            yield f"border {kind} {f.name}{' = ' + say(value) if value else ''} at {at}"


def points(list_):
    return ", ".join("(" + ", ".join(str(x) for x in p) + ")" for p in list_)


def absorb_words(p):
    cells, strength, faces = p.absorb
    at = " at " + ", ".join(AXES[a] + FACES[s] for a, s in faces) if faces else ""
    return f"absorb {cells} cells{f' strength {strength}' if strength else ''}{at}"


def declared(p):
    yield f"grid {p.grid_words}"
    yield f"real {p.real}" + (f" stored {p.stored}" if p.stored else "")
    if p.dt is not None:
        yield f"param dt = {p.dt}"
    late = [x for x in p.params if x[3]]
    for name, value, word, _ in (x for x in p.params if not x[3]):
        yield f"{word} {name} = {say(value)}"
    for f in p.fields:
        yield f"field {f.name}" + (f" stored {f.storage}" if f.storage else "") + (f" = {say(f.start)}" if f.start else "")
    for name, value, word, _ in late:
        yield f"{word} {name} = {say(value)}"
    for name, arguments, value in p.lets:
        yield f"let {name}{'(' + ', '.join(arguments) + ')' if arguments else ''} = {say(value)}"
    for name, entries in p.stencils:
        listed = "; ".join(f"{k if isinstance(k, str) else offsets(k)} {say(w)}" for k, w in entries)
        yield f"stencil {name} {{ {listed} }}"


def description(p):
    lines = list(declared(p))
    for f in p.fields:
        lines += [f"{field_word(f.name, -age)} = {say(e)}" for age, e in f.older.items()]
    lines += [f"{name}' = {say(p.find(name).update)}" for name in p.order]
    for f in p.fields:
        lines += face_words(f)
    lines += [absorb_words(p)] if p.absorb else []
    lines += [f"mask {name + ' = ' if name else ''}{say(e)}" for name, e in p.masks]
    lines += [f"inject {say(e)} into {name} at {points(at)}" for name, at, e in p.injections]
    lines += [f"sample {name} at {points(at)} every {k} into \"s{n}.csv\"" for n, (name, at, k) in enumerate(p.samples)]
    lines += [f"measure {name} = {say(e)}" for name, e in p.measures]
    lines += [f"steps {p.steps}"] + [f"output {f.name} into \"{f.name}.npy\"" for f in p.fields]
    return "\n".join(lines) + "\n"
