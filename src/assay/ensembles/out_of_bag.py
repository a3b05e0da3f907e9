r"""Bags of rows: how they are drawn, and estimates from the rows outside of them.

A bootstrap sample of size N from N rows leaves each row out with probability :math:`(1-1/N)^N`, so a bag holds on
average the share

.. math:: 1-(1-\tfrac1N)^N \;\to\; 1-e^{-1} = 0.632                          \quad (1)

of the distinct rows. Members trained without a row can predict it: their answers, gathered over all rows,
are the out-of-bag estimate, an honest test without a test set.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np

from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.errors import DegenerateWarning, ParameterError, warn_user

__all__ = [
    "bag_size",
    "draw_rows",
    "draw_seeds",
    "expected_distinct_share",
    "mean_of_outsiders",
    "out_of_bag",
]


def expected_distinct_share(n: int, size: int | None = None) -> float:
    """The share of n rows that a bootstrap sample of ``size`` (default n) rows is expected to hold (1).

    >>> from assay.ensembles.out_of_bag import expected_distinct_share
    >>> round(expected_distinct_share(100), 8)
    0.63396766
    """
    return float(-np.expm1((n if size is None else size) * np.log1p(-1.0 / n))) if n > 1 else 1.0  # (1)


def draw_seeds(random_state: Any, n_old: int, n_new: int) -> np.ndarray:
    """(n_new,) the seeds of members n_old to n_old + n_new.

    The seed of member t depends on ``random_state`` and t alone, so neither the number of threads nor a warm start
    changes a member. They are the seeds that scikit-learn draws.
    """
    return random_state_of(random_state).randint(LARGEST_SEED, size=n_old + n_new)[n_old:]


def seeded(seed: int) -> np.random.RandomState:
    """The state that ``numpy.random.RandomState(seed)`` has; to be used before the next call in the same thread.

    Seeding a state anew takes two microseconds, making one two hundred, as long as growing a small tree.

    >>> from assay.ensembles.out_of_bag import seeded
    >>> bool((seeded(7).randint(0, 100, 5) == np.random.RandomState(7).randint(0, 100, 5)).all())
    True
    """
    if not hasattr(_here, "state"):
        _here.state = np.random.RandomState(0)
    _here.state.seed(seed)
    return _here.state


_here = threading.local()


def bag_size(n: int, max_samples: float | None, w: np.ndarray | None) -> int:
    """How many rows are drawn: all n, a number, or a share of the rows (of their total weight, if they have one)."""
    if max_samples is None:
        return n
    if isinstance(max_samples, Integral):
        return int(max_samples)
    total = n if w is None else w.sum()
    size = max(int(max_samples * total), 1)
    if size < max(10, n ** (1 / 3)):
        of = f"the number of samples is {n}" if w is None else f"the total sum of sample weights is {total:g}"
        warn_user(
            f"Using the fractional value max_samples={max_samples} when {of} results in a low number ({size}) of "
            "bootstrap samples. We recommend passing `max_samples` as an integer instead.",
            DegenerateWarning,
        )
    return size


def draw_rows(
    random: int | np.random.RandomState, n: int, size: int, w: np.ndarray | None, replace: bool = True
) -> np.ndarray:
    """(size,) row numbers drawn uniformly, or with probabilities proportional to w; scikit-learn draws the same."""
    state = random if isinstance(random, np.random.RandomState) else seeded(random)
    if w is not None:
        return state.choice(n, size, replace=replace, p=w / np.sum(w))
    if replace:
        return state.randint(0, n, size)
    from sklearn.utils.random import sample_without_replacement

    return sample_without_replacement(n, size, random_state=state)


def out_of_bag(rows: np.ndarray, n: int) -> np.ndarray:
    """(n,) bool: which rows were not drawn.

    >>> from assay.ensembles.out_of_bag import out_of_bag
    >>> out_of_bag(np.array([0, 2, 2]), 4)
    array([False,  True, False,  True])
    """
    outside = np.ones(n, bool)
    outside[rows] = False
    return outside


def mean_of_outsiders(
    bags: Iterable[np.ndarray], answer: Callable[[int, np.ndarray], np.ndarray], n: int, width: int
) -> tuple[np.ndarray, np.ndarray]:
    """(n, width) the mean answer of the members trained without the row, and (n,) how many these are.

    Parameters
    ----------
    bags : for each member the rows it has seen
    answer : (member, rows) to (len(rows), width) answers
    """
    sums, votes = np.zeros((n, width)), np.zeros(n, np.int64)
    for t, rows in enumerate(bags):
        outside = np.flatnonzero(out_of_bag(rows, n))
        if len(outside):
            sums[outside] += answer(t, outside)
            votes[outside] += 1
    return divided(sums, votes), votes


def divided(sums: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """Sums over votes; rows without a vote stay 0, with a warning."""
    if (votes == 0).any():
        warn_user(
            f"Some inputs do not have OOB scores: {int((votes == 0).sum())} rows are in every bag, their estimate "
            "is 0. Raise n_estimators.",
            DegenerateWarning,
        )
    return sums / np.maximum(votes, 1)[:, None]


def refuse_without_bags(who: str, bootstrap: bool, oob_score: Any, max_samples: Any = None) -> None:
    """Raise if an estimate of the rows outside of the bags is wanted and there are no bags."""
    if bootstrap:
        return
    if oob_score:
        raise ParameterError(f"{who}: Out of bag estimation only available if bootstrap=True.")
    if max_samples is not None:
        raise ParameterError(
            f"{who}: `max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
            "`max_sample=None`."
        )
