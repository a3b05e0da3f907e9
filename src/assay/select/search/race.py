"""Racing: candidates that fall behind on the first folds are not scored on the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import stdtr

__all__ = ["hopeless", "raced"]

FIRST_LOOK = 3  # folds before anybody can fall behind


def raced(
    ask: Callable[[list[int], int], np.ndarray], m: int, J: int, level: float, ratio: float, known: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(m, J) the scores of m candidates on J folds, NaN on those that were spared; (m,) who was given up.

    Parameters
    ----------
    ask : of (places of candidates, number of a fold), their scores on it
    level : of the test by which a candidate is given up      ratio : test rows for each training row
    known : (r, J) scores of rivals that are known already

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select.search.race import raced
    >>> table = np.array([[0.9, 0.8, 0.9, 0.8], [0.5, 0.4, 0.6, 0.5], [0.9, 0.7, 0.9, 0.9]])
    >>> raced(lambda some, fold: table[some, fold], 3, 4, 0.05, 1 / 3, np.empty((0, 4)))
    (array([[0.9, 0.8, 0.9, 0.8],
           [0.5, 0.4, 0.6, nan],
           [0.9, 0.7, 0.9, 0.9]]), array([False,  True, False]))
    """
    scores, given_up = np.full((m, J), np.nan), np.zeros(m, dtype=bool)
    running = np.arange(m)
    for fold in range(J):
        scores[running, fold] = ask(running.tolist(), fold)
        if FIRST_LOOK <= fold + 1 < J:
            sofar = np.concatenate([scores[running], known])[:, : fold + 1]
            behind = hopeless(sofar, level, ratio)[: len(running)]
            given_up[running[behind]] = True
            running = running[~behind]
    return scores, given_up


def hopeless(scores: np.ndarray, level: float, ratio: float) -> np.ndarray:
    r"""(m,) whether a candidate's scores (m, f) are significantly below those of the best mean.

    The test is the corrected resampled t test of the differences. Few folds can agree by chance, so the variance of a
    difference is taken to be at least the median of all.

    >>> import numpy as np
    >>> from assay.select.search.race import hopeless
    >>> hopeless(np.array([[0.9, 0.8, 0.9], [0.5, 0.4, 0.6], [0.9, 0.7, 0.9]]), 0.05, 0.25)
    array([False,  True, False])
    """
    folds = scores.shape[1]
    means = scores.mean(axis=1)
    failed = ~np.isfinite(means)
    if failed.all() or len(scores) < 2:
        return np.zeros(len(scores), dtype=bool)
    leader = int(np.argmax(np.where(failed, -np.inf, means)))
    with np.errstate(invalid="ignore"):
        gaps = scores[leader] - scores
        spread = gaps.var(axis=1, ddof=1)
    others = ~failed & (np.arange(len(scores)) != leader)
    spread = np.maximum(spread, np.median(spread[others]) if others.any() else 0.0)
    error = np.sqrt((1 / folds + ratio) * spread)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = stdtr(folds - 1, -gaps.mean(axis=1) / error)
    return others & (error > 0) & (p < level)
