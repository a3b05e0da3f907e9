"""Random numbers from whatever ``random_state`` may be."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["random_state_of"]


def random_state_of(seed: Any) -> np.random.RandomState:
    """The RandomState of a seed, of None, of a RandomState, or of a Generator, from which a seed is drawn.

    >>> from assay.core.seeds import random_state_of
    >>> random_state_of(0).randint(100)
    44
    >>> random_state_of(np.random.default_rng(0)).randint(100) in range(100)
    True
    """
    from sklearn.utils import check_random_state

    if isinstance(seed, np.random.Generator):
        return np.random.RandomState(int(seed.integers(2**32 - 1)))
    return check_random_state(seed)
