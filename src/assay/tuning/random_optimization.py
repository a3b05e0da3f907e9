"""Search at random: settings drawn from the space, whatever the values of earlier ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.tuning.optimization import Optimization
from assay.types import RandomState

__all__ = ["RandomOptimization"]

DRAWN_TOGETHER = 32  # settings that are asked for at a time


class RandomOptimization(Optimization):
    """Draw settings at random: what every other search has to beat, and the one that knows no order.

    Each parameter is drawn evenly from its range (evenly in its logarithm with ``log=True``), each category as often as
    the others. No setting is drawn twice while the space has others. After n draws the best one is, with probability
    :math:`1 - (1 - q)^n`, among the best share q of the space: 60 draws find one of the best 5 % in 95 of 100 searches.

    Cost: O(n) for each suggestion after n evaluations.

    Parameters
    ----------
    space : dict or Space
        As for :class:`BayesianOptimization`.
    random_state : int or None, default 0

    Attributes
    ----------
    history : list of Try      best_setting, best_value : of the smallest value

    Examples
    --------
    >>> from assay.tuning import RandomOptimization, Real
    >>> search = RandomOptimization({"x": Real(-5.0, 5.0)}).minimize(lambda x: (x - 1) ** 2, 60)
    >>> bool(search.best_value < 0.25), len(search.history)
    (True, 60)

    See Also
    --------
    BayesianOptimization, TreeParzenOptimization

    References
    ----------
    - Bergstra, J. and Bengio, Y. (2012). Random search for hyper-parameter optimization. Journal of Machine Learning
      Research 13, 281-305.
    """

    def __init__(self, space: Any, *, random_state: RandomState = 0):
        super().__init__(space, n_initial=1, initial="random", random_state=random_state)

    @property
    def independent(self) -> int:
        """All settings are."""
        return DRAWN_TOGETHER

    def _promising(self) -> np.ndarray:
        return self._new_at_random()
