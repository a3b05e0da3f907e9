"""Successive halving: many settings on few rows, the best of them on more."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log

__all__ = ["Rung", "rungs"]

FACTOR = 3  # of a rung's settings one in so many goes on, with so many times the rows
FEWEST_ROWS = 100  # to which settings are fitted on the first rung
ROWS_OF_A_CLASS = 20  # of which there are so many on the first rung, on average


@dataclass(frozen=True)
class Rung:
    """So many settings are fitted to this share of the training rows."""

    settings: int
    share: float


def rungs(n_settings: int, n_rows: int, n_classes: int = 1) -> list[Rung]:
    r"""How many settings to judge on how many rows.

    With :math:`n` settings and R rungs above the first, rung r has :math:`\lceil n / 3^r \rceil` settings and the share
    :math:`3^{r - R}` of the rows; R is as large as both allow, so that the first rung has 100 rows and more, and 20
    for each class.

    Examples
    --------
    >>> from assay.tuning.halving import rungs
    >>> [(rung.settings, round(rung.share, 3)) for rung in rungs(27, 10_000)]
    [(27, 0.037), (9, 0.111), (3, 0.333), (1, 1.0)]
    >>> rungs(27, 90)  # too few rows to begin with fewer
    [Rung(settings=27, share=1.0)]

    References
    ----------
    - Jamieson, K. and Talwalkar, A. (2016). Non-stochastic best arm identification and hyperparameter optimization.
      International Conference on Artificial Intelligence and Statistics. Proceedings of Machine Learning Research 51,
      240-248.
    """
    fewest = max(FEWEST_ROWS, ROWS_OF_A_CLASS * n_classes)
    by_rows = floor(log(max(n_rows / fewest, 1.0), FACTOR) + 1e-9)
    by_settings = floor(log(max(n_settings, 1), FACTOR) + 1e-9)
    R = min(by_rows, by_settings)
    return [Rung(ceil(n_settings / FACTOR**r), float(FACTOR) ** (r - R)) for r in range(R + 1)]
