"""``class_weight``: a factor for the weights of each class's rows."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from assay.errors import ParameterError
from assay.types import ClassWeight

__all__ = ["class_factors"]


def class_factors(
    class_weight: ClassWeight, classes: np.ndarray, weight: np.ndarray, who: str
) -> np.ndarray | None:
    """(K,) factors, or None for ones.

    Parameters
    ----------
    class_weight : None; "balanced", so that all classes weigh the same; or a dict from labels to factors, the others
        keeping theirs
    classes : (K,) labels      weight : (K,) total weight of each class's rows      who : the learner

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear.class_factors import class_factors
    >>> class_factors("balanced", np.array(["no", "yes"]), np.array([3.0, 1.0]), "Learner")
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        present = weight > 0
        return np.where(present, weight.sum() / (len(classes) * np.where(present, weight, 1.0)), 1.0)
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"{who}: class_weight must be None, 'balanced' or a dict from classes to numbers, got {class_weight!r}."
        )
    labels = classes.tolist()
    plain = {k.item() if isinstance(k, np.generic) else k: v for k, v in class_weight.items()}
    unknown = [label for label in plain if label not in labels]
    if unknown and set(labels) - set(plain):
        missing = next(label for label in labels if label not in plain)
        raise ParameterError(
            f"{who}: The classes, {[missing]}, are not in class_weight, which names {unknown[0]!r} instead."
        )
    values = [plain.get(label, 1.0) for label in labels]
    numbers = all(isinstance(factor, Real) for factor in values)
    factors = np.array([float(factor) for factor in values] if numbers else [np.nan])
    if not np.isfinite(factors).all() or (factors < 0).any() or not (factors * weight).any():
        raise ParameterError(
            f"{who}: class_weight must hold numbers from 0 up, not all 0, got {class_weight!r}."
        )
    return factors
