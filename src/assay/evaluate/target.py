"""The classes of a comparison: labels, codes, and rows that have none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import encode_labels, plain_values
from assay.errors import DataError

__all__ = ["CUT_FIRST", "MOST_NUMBERED", "Target", "as_target", "looks_measured", "missing", "most_classes"]

CUT_FIRST = "Cut the numbers into classes first, for example with pandas.qcut(column, 3)"
MOST_NUMBERED = 20  # distinct whole numbers that may be classes without a word; as many values in few rows


@dataclass(frozen=True)
class Target:
    """Class codes of the rows; -1 where a row has no class."""

    name: str
    labels: np.ndarray  # (K,) sorted
    codes: np.ndarray  # (n,)
    measured: bool = False  # numbers with fractions, or many whole ones, rather than classes

    @property
    def labelled(self) -> np.ndarray:
        """(n,) bool."""
        return self.codes >= 0


def as_target(y: Any, n: int, who: str, lenient: bool = False, name: str | None = None) -> Target:
    """Labels and codes of y; a missing label gets the code -1. Its name is the given one, or y's own.

    Numbers that look measured rather than counted, and a target of one class, are errors unless ``lenient``.

    >>> from assay.evaluate.target import as_target
    >>> as_target(["b", None, "a", "b"], 4, "compare").codes
    array([ 1, -1,  0,  1])
    """
    name = name or str(getattr(y, "name", None) or "class")
    values = plain_values(y)
    if not isinstance(values, np.ndarray):
        objects = np.empty(len(values), dtype=object)
        objects[:] = list(values)
        values = (
            objects if any(v is None or isinstance(v, str) for v in objects) else np.asarray(list(values))
        )
    if values.shape != (n,):
        raise DataError(
            f"X has {n} rows, so y must have {n} labels in one column; its shape is {values.shape}.", who=who
        )
    lost = missing(values)
    if lost.all():
        raise DataError(f"no row of {name} has a label.", who=who)
    known, measured = values[~lost], False
    if known.dtype == object and all(isinstance(v, (int, float, np.number)) for v in known):
        known = known.astype(np.float64)
    if known.dtype.kind == "f":
        measured = not (known == np.floor(known)).all()
        if measured and not lenient:
            raise DataError(
                f"{name} holds {len(np.unique(known))} distinct numbers with fractions, expected classes. "
                f"{CUT_FIRST}, or choose another target.",
                who=who,
            )
        if not measured and np.abs(known).max() < 2**53:
            known = known.astype(np.int64)
        elif lenient:
            known = np.array([str(v) for v in known.tolist()])
    measured = measured or (lenient and looks_measured(known))
    labels, found = encode_labels(known, len(known), who)
    if not lenient and len(labels) < 2:
        raise DataError(
            f"all rows of {name} have the class {labels[0]}; there is nothing to tell apart.", who=who
        )
    if not lenient and len(labels) > most_classes(len(known)):
        raise DataError(
            f"{name} has {len(labels)} distinct values in {len(known)} rows, expected classes. Is it an "
            f"identifier or a measurement? Choose another target. {CUT_FIRST}.",
            who=who,
        )
    codes = np.full(n, -1, dtype=np.int64)
    codes[~lost] = found
    return Target(name, labels, codes, measured)


def most_classes(n: int) -> float:
    """The number of distinct values in n rows beyond which they are no classes."""
    return max(MOST_NUMBERED, n / 3)


def looks_measured(values: np.ndarray) -> bool:
    """Whether values that are there look like measurements: numbers with fractions, or more than 20 whole ones.

    >>> import numpy as np
    >>> from assay.evaluate.target import looks_measured
    >>> looks_measured(np.array([0.5, 1.0])), looks_measured(np.arange(116)), looks_measured(np.array([1, 2, 1]))
    (True, True, False)
    """
    if values.dtype.kind not in "iuf":
        return False
    whole = values.dtype.kind in "iu" or bool((values == np.floor(values)).all())
    return not whole or len(np.unique(values)) > MOST_NUMBERED


def missing(values: np.ndarray) -> np.ndarray:
    """(n,) bool: which entries are None, NaN, NaT or pandas' NA.

    >>> import numpy as np
    >>> from assay.evaluate.target import missing
    >>> missing(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    nothing = ("NAType", "NaTType")  # pandas.NA refuses to be compared, even with itself
    return np.array([v is None or type(v).__name__ in nothing or v != v for v in values], dtype=bool)
