"""Random numbers from whatever ``random_state`` may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.types import RandomState

__all__ = ["LARGEST_SEED", "as_generator", "as_seed", "drawn_seed", "random_state_of", "with_seed"]


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
    state: np.random.RandomState = check_random_state(seed)
    return state


def as_generator(random_state: RandomState, who: str) -> np.random.Generator:
    """The given generator, or a new one from a seed or None; of a RandomState, one that draws from the same source.

    >>> from assay.core.seeds import as_generator
    >>> int(as_generator(0, "bias_variance").integers(100))
    85
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)
    known = random_state is None or isinstance(random_state, np.random.Generator)
    return np.random.default_rng(
        random_state if known else as_seed(random_state, who, ", a generator or None")
    )


def as_seed(random_state: Any, who: str, also: str = ", so that the result can be had again") -> int:
    """A whole number from 0 up; anything else is refused.

    >>> from assay.core.seeds import as_seed
    >>> as_seed(3, "compare")
    3
    """
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    raise ParameterError(f"random_state must be a whole number from 0 up{also}", who=who, got=random_state)


def drawn_seed(random_state: RandomState, who: str) -> int:
    """A seed below 2**63: a whole number as it is, of None and generators a drawn one.

    >>> import numpy as np
    >>> from assay.core.seeds import drawn_seed
    >>> drawn_seed(7, "with_interval"), drawn_seed(np.random.RandomState(0), "with_interval") < 2**31
    (7, True)
    """
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    return as_seed(random_state, who, ", a generator or None") % 2**63


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
