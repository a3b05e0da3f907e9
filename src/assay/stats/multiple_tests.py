"""Many tests at once: p-values that stay honest however many questions were asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import ParameterError

__all__ = ["benjamini_hochberg", "holm"]


def holm(p: Sequence[float] | np.ndarray, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values: below alpha they are wrong about any true hypothesis with probability alpha at most.

    With p sorted upwards, :math:`\tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`.

    Parameters
    ----------
    p : (r,) p-values
    tests : int, default None for r
        m, how many tests were made in all, if p holds only the smallest of them.

    Examples
    --------
    >>> from assay.stats.multiple_tests import holm
    >>> holm([.001, .02, .03])
    array([0.003, 0.04 , 0.04 ])
    """
    p, m = _checked("holm", p, tests)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((m - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(p: Sequence[float] | np.ndarray, tests: int | None = None) -> np.ndarray:
    r"""Adjusted p-values: of what is called significant at alpha, a share of alpha at most is expected to be chance.

    With p sorted upwards, :math:`\tilde p_{(i)} = \min_{j \ge i} \min(1, m\, p_{(j)} / j)`, for tests that are
    independent or depend on each other positively.

    Parameters
    ----------
    p : (r,) p-values
    tests : int, default None for r
        m, how many tests were made in all, if p holds only the smallest of them.

    Examples
    --------
    >>> from assay.stats.multiple_tests import benjamini_hochberg
    >>> benjamini_hochberg([.001, .02, .03])
    array([0.003, 0.03 , 0.03 ])
    """
    p, m = _checked("benjamini_hochberg", p, tests)
    order = np.argsort(p, kind="stable")
    shares = m * p[order] / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(shares[::-1])[::-1])
    return adjusted


def _checked(who: str, p: Sequence[float] | np.ndarray, tests: int | None) -> tuple[np.ndarray, int]:
    p = np.asarray(p, np.float64)
    if tests is not None and tests < len(p):
        raise ParameterError(f"{who}: tests must be at least the number of p-values, {len(p)}, got {tests}.")
    return p, len(p) if tests is None else int(tests)
