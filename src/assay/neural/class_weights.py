"""What the rows count if their classes have weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError

__all__ = ["times_class_weight"]


def times_class_weight(
    class_weight: Any, classes: np.ndarray, codes: np.ndarray, w: np.ndarray | None, who: str
) -> np.ndarray:
    """(n,) the weights of rows times those of their classes; "balanced" gives all classes the same total.

    >>> import numpy as np
    >>> from assay.neural.class_weights import times_class_weight
    >>> times_class_weight("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), None, "example").round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    """
    K, labels = len(classes), classes.tolist()
    counts = np.bincount(codes, weights=w, minlength=K)
    if isinstance(class_weight, str):
        factors = np.divide(counts.sum(), (counts > 0).sum() * counts, out=np.zeros(K), where=counts > 0)
    else:
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ParameterError(
                f"{who}: class_weight has the label {unknown[0]!r}, which is not among the classes {labels}."
            )
        factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
        if not (factors >= 0).all() or not (factors * counts).any():
            raise ParameterError(
                f"{who}: class_weight must be numbers from 0 up, not all 0, got {class_weight!r}."
            )
    return factors[codes] if w is None else w * factors[codes]
