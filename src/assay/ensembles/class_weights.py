"""Class weights as users write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError

__all__ = ["times_class_weights", "weights_of_classes"]


def weights_of_classes(class_weight: Mapping[Any, float], classes: np.ndarray, who: str) -> np.ndarray:
    """(K,) the weight of each class; 1 for those that are not named.

    Names of classes that y does not have are passed over as long as all of its own are named: a sample may lack some.

    >>> from assay.ensembles.class_weights import weights_of_classes
    >>> weights_of_classes({"yes": 5}, np.array(["no", "yes"]), "Learner")
    array([1., 5.])
    """
    labels = classes.tolist()
    unknown = [name for name in class_weight if name not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ParameterError(
            f"{who}: class_weight names {unknown[0]!r}, which y does not have; the classes, {labels}, are not in "
            "class_weight, or not all of them."
        )
    try:
        each = np.array([float(class_weight.get(label, 1.0)) for label in labels])
        fit = np.isfinite(each).all() and (each >= 0).all() and each.any()
    except (TypeError, ValueError):
        fit = False
    if not fit:
        raise ParameterError(
            f"{who}: class_weight must hold numbers from 0 up, not all 0, got {dict(class_weight)!r}."
        )
    return each


def times_class_weights(w: np.ndarray | None, by_class: np.ndarray, who: str) -> np.ndarray:
    """(n,) the rows' weights times those of their classes; an error if nothing is left."""
    product = by_class if w is None else w * by_class
    if not (product.any() and np.isfinite(product.sum())):
        raise DataError(
            f"{who}: sample_weight times class_weight is 0 for all rows, or too large to be added up, so there is "
            "nothing to learn from."
        )
    return product
