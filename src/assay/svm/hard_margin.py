"""The hard margin: no slack at any price, or the proof that there is no such margin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.errors import DegenerateError
from assay.kernels import GramRows
from assay.svm.engine import Dual, Solution

__all__ = ["hard_margin"]

FIRST_PRICE, LAST_PRICE, FACTOR = 1.0, 1e9, 10.0  # of slack, in units of one over the mean diagonal
HULLS_MEET = 1e-7  # distance of the hulls, as a share of the mean norm of the images, that is no distance


def hard_margin(
    gram: GramRows, dual: Dual, solve: Callable[[GramRows, Dual], Solution], who: str
) -> Solution:
    r"""The solution without slack: a price of slack is raised until no row pays it.

    With sums of multipliers A on each side, :math:`\|w\|/A` is the distance of two points of the reduced convex hulls
    of both sides. The dual problem has no bound, and there is no margin, just if the hulls meet.

    Parameters
    ----------
    gram, dual : the problem, with infinite upper bounds
    solve : the solver
    who : whose error it is
    """
    scale = max(float(gram.diagonal.mean()), np.finfo(float).tiny)
    start, price = dual.start, FIRST_PRICE / scale
    while price <= LAST_PRICE / scale:
        solution = solve(gram, replace(dual, upper=np.full(len(dual.sign), price), start=start))
        paying = solution.alpha >= price
        if not paying.any():
            return solution
        squared_norm = float(solution.alpha @ (solution.gradient - dual.linear))  # a'Qa
        side = max(float(solution.alpha.sum()) / (2.0 if dual.constraint == "sum" else 1.0), 1e-300)
        if np.sqrt(max(squared_norm, 0.0)) / side <= HULLS_MEET * np.sqrt(scale):
            break
        start, price = np.minimum(solution.alpha, price), price * FACTOR
    raise DegenerateError(
        f"{who}: with C=inf there must be no slack, but the two sides overlap in the space of the kernel: their convex "
        "hulls meet, so no hyperplane separates them. Give a finite C (the soft margin), or another kernel."
    )
