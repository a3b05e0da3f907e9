"""Training and validation rows of early stopping."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["set_aside"]


def set_aside(
    n: int,
    share: float,
    random_state: Any,
    who: str,
    remedy: str,
    codes: np.ndarray | None = None,
    labels: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows to learn from, and of those to judge by; scikit-learn draws the same.

    Parameters
    ----------
    n : rows
    share : of them that is set aside, or how many
    who, remedy : for the error that says that there are too few rows, and what to do then
    codes, labels : (n,) and (K,): with them the classes are divided in proportion

    Examples
    --------
    >>> from assay.ensembles.set_aside import set_aside
    >>> [len(part) for part in set_aside(10, 0.2, 0, "Learner", "do without")]
    [8, 2]
    """
    from sklearn.model_selection import train_test_split

    if codes is not None and labels is not None and len(labels) > 1:
        counts = np.bincount(codes, minlength=len(labels))
        rare = np.flatnonzero(counts == 1)
        if len(rare):
            raise DataError(
                f"{who}: the class {labels.tolist()[rare[0]]!r} has one row, too few to learn from some rows and to "
                f"judge by others when to stop. Give it more rows, or {remedy}."
            )
    try:
        learn, judge = train_test_split(
            np.arange(n), test_size=share, stratify=codes, random_state=random_state
        )
    except ValueError as error:
        raise DataError(
            f"{who}: with validation_fraction={share!r} the {n} rows cannot be divided into some to learn from and "
            f"some to judge by when to stop ({str(error).rstrip('.')}). Choose another share, or {remedy}."
        ) from None
    return learn, judge
