"""Random numbers from whatever ``random_state`` may be."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LARGEST_SEED", "random_state_of", "with_seed"]

LARGEST_SEED = np.iinfo(np.int32).max  # seeds are drawn below this, as scikit-learn draws them


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


def with_seed(model: Any, seed: int) -> Any:
    """The model, its own random_state and those inside it set, where it has any.

    >>> from assay.core.seeds import with_seed
    >>> from assay.trees import DecisionTreeClassifier
    >>> with_seed(DecisionTreeClassifier(), 7).random_state
    7
    """
    wanted = [
        name
        for name in sorted(model.get_params())
        if name == "random_state" or name.endswith("__random_state")
    ]
    return model.set_params(**dict.fromkeys(wanted, int(seed))) if wanted else model
