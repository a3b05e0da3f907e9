"""Multilabel targets: a table with a column of 0 and 1 for each label.

Measures of such tables are scikit-learn's; ours call them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from assay.types import Target

__all__ = ["also_of_label_tables", "is_label_table"]

F = TypeVar("F", bound=Callable[..., Any])


def also_of_label_tables(measure: F) -> F:
    """Let a measure also take a table of labels as the truth, as scikit-learn's does."""

    @wraps(measure)
    def whole(*args: Any, **kwargs: Any) -> Any:
        truth = args[0] if args else kwargs.get("y_true")
        if not is_label_table(truth):
            return measure(*args, **kwargs)
        import sklearn.metrics

        return getattr(sklearn.metrics, measure.__name__)(*args, **kwargs)

    return whole  # type: ignore[return-value]


def is_label_table(y: Target | None) -> bool:
    """Whether y has several columns, all of two values.

    >>> import numpy as np
    >>> from assay.metrics._label_tables import is_label_table
    >>> is_label_table(np.eye(3)), is_label_table([[0, 1], [1, 1]]), is_label_table([0, 1])
    (True, True, False)
    """
    if isinstance(y, (list, tuple)):
        if not y or not isinstance(y[0], (list, tuple, np.ndarray)):
            return False
    elif getattr(y, "ndim", 1) != 2:
        return False
    from sklearn.utils.multiclass import is_multilabel

    try:
        return bool(is_multilabel(y))
    except (TypeError, ValueError):
        return False
