# SPDX-License-Identifier: BSD-3-Clause
"""Weights of finite differences, exact, from Taylor's series: a small system of equations in fractions."""
from fractions import Fraction
from functools import lru_cache
from math import factorial


def solve(matrix, right):
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i] != 0:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[n] for row in rows]


@lru_cache(maxsize=None)
def weights(derivative, order, half):
    """[(offset, weight)] of the derivative at 0, or half a cell to the side `half` (1, -1)."""
    if half:
        near = order // 2 + (derivative - 1) // 2
        offsets = list(range(1 - near, near + 1)) if half > 0 else list(range(-near, near))
        places = [Fraction(2 * k - half, 2) for k in offsets]
    else:
        radius = (order + 2 * ((derivative + 1) // 2) - 2) // 2
        offsets = list(range(-radius, radius + 1))
        places = [Fraction(k) for k in offsets]
    n = len(places)
    matrix = [[place**j for place in places] for j in range(n)]
    right = [Fraction(factorial(derivative) if j == derivative else 0) for j in range(n)]
    return tuple((k, w) for k, w in zip(offsets, solve(matrix, right)) if w != 0)
