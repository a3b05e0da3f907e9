r"""Rounds of boosting whose steps together go too far: the leaves that overshoot are shortened.

The trees of one round are grown side by side from the same gradients. A leaf is bounded so that its own step lowers
the loss of its rows; the steps of several scores together may still raise it. The slope of the loss along the step of
leaf l, taken where the round has arrived,

.. math:: \frac{\partial L}{\partial a_l} = \sum_{i\in l} v_l\,\frac{\partial L}{\partial F_{ik}}      \quad (1)

is positive for the leaves that have gone too far. Their steps are halved until the loss is no higher than before the
round. The loss is convex, so that if each of C steps alone lowers it, so does the C-th part of their sum: halving ends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["ROUNDING", "damped", "shares_that_lower"]

ROUNDING = 1e-12  # a loss that is higher by this share is not higher
_LOCAL = 12  # times that overshooting leaves alone are shortened; from then on all
_MAX_HALVINGS = 24  # times; a step of which so little helps is no step


def damped(
    F: np.ndarray,
    moves: np.ndarray,
    group: np.ndarray,
    loss: Callable[[np.ndarray], float],
    gradient: Callable[[np.ndarray], np.ndarray] | None,
    before: float,
) -> list[np.ndarray]:
    """The shares of the steps of a round that do not raise the loss: C arrays, one share for each leaf.

    Parameters
    ----------
    F : (C, n) scores before the round
    moves : (C, n) what the round adds to them
    group : (C, n) int, the leaf of each row in each score's tree
    loss : function of scores (C, n): the sum over rows
    gradient : function of scores: (C, n) the weighted derivatives; None shortens all leaves alike
    before : the loss at F

    Examples
    --------
    Two steps that are right alone and too long together: the loss is (F1 + F2 - 1)^2, and each goes all the way.

    >>> import numpy as np
    >>> from assay.ensembles.damping import damped
    >>> loss = lambda F: float(((F.sum(axis=0) - 1) ** 2).sum())
    >>> slopes = lambda F: np.repeat(2 * (F.sum(axis=0) - 1)[None], 2, axis=0)
    >>> damped(np.zeros((2, 1)), np.full((2, 1), 2.0), np.zeros((2, 1), int), loss, slopes, before=1.0)
    [array([0.5]), array([0.5])]
    """

    def shortened(shares: list[np.ndarray]) -> np.ndarray:
        return moves * np.array([share[leaf] for share, leaf in zip(shares, group)])

    def overshoot(shares: list[np.ndarray]) -> list[np.ndarray]:
        steps = shortened(shares)
        return [
            np.bincount(leaf, weights=slope, minlength=len(share)) > 0  # (1)
            for share, leaf, slope in zip(shares, group, gradient(F + steps) * steps)  # type: ignore[misc]
        ]

    sizes = [int(leaf.max()) + 1 for leaf in group]
    return shares_that_lower(
        sizes, lambda shares: loss(F + shortened(shares)), None if gradient is None else overshoot, before
    )


def shares_that_lower(
    sizes: list[int],
    loss: Callable[[list[np.ndarray]], float],
    overshoot: Callable[[list[np.ndarray]], list[np.ndarray]] | None,
    before: float,
) -> list[np.ndarray]:
    """The same, where loss and overshooting leaves are functions of the shares: the rows may be anywhere.

    Parameters
    ----------
    sizes : how many leaves each score's tree has
    loss : function of the shares
    overshoot : function of the shares: for each tree which leaves have gone too far; None shortens all alike
    before : the loss before the round
    """
    shares = [np.ones(size) for size in sizes]
    limit = before + ROUNDING * abs(before)
    for attempt in range(_MAX_HALVINGS):
        if loss(shares) <= limit:
            return shares
        if overshoot is None or attempt >= _LOCAL:
            shares = [share / 2 for share in shares]
            continue
        for share, beyond in zip(shares, overshoot(shares)):
            share[beyond] /= 2
    return [np.zeros_like(share) for share in shares]
