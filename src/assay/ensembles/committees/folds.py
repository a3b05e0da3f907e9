"""Folds in which the members of a committee answer for rows that they did not learn from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from assay.core.targets import EncodedLabels, plain_values
from assay.core.times import as_moments, time_blocks
from assay.errors import DataError

__all__ = ["Folds", "folds_of", "is_cv", "row_column"]

USUAL_FOLDS = 5
Folds = list[tuple[np.ndarray, np.ndarray]]


def is_cv(value: Any) -> bool:
    """Whether it is None, a number of folds, a splitter or a list of pairs (train, test)."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value) >= 2
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(hasattr(v, "__len__") and len(v) == 2 for v in value)
    return value is None or (hasattr(value, "split") and not isinstance(value, str))


def folds_of(
    cv: Any, X: Any, y: Any, classes: bool, who: str, split: Mapping[str, Any] | None = None
) -> Folds:
    """Pairs (train, test) of row numbers.

    A number of folds keeps groups together, or follows time, if ``split`` has ``groups`` or ``times``. A splitter is
    given what else ``split`` holds, and rows in the order of their times; groups are its own affair.
    """
    labels, n = y.codes if isinstance(y, EncodedLabels) else np.asarray(y), len(y)
    if n < 2:
        raise DataError("out-of-fold answers need two rows at least, got n_samples=1.", who=who)
    beside = dict(split or {})
    times = as_moments(row_column(beside.pop("times", None), n, "times", who), who)
    groups = row_column(beside.get("groups"), n, "groups", who)
    if groups is not None and times is not None:
        raise DataError(
            "folds by time cannot also keep groups together. Give times or groups, not both.", who=who
        )
    if isinstance(cv, Integral) or cv is None:
        k = None if cv is None else int(cv)
        if groups is not None:
            return _by_group(k, labels, groups, classes, who)
        if times is not None:
            return _by_time(k, times, y, labels, classes, who)
        return _by_class(k, labels, classes, who)
    order = None if times is None else np.argsort(times, kind="stable")
    return _of_splitter(cv, X, y, labels, classes, who, beside, order)


def _by_class(k: int | None, labels: np.ndarray, classes: bool, who: str) -> Folds:
    from sklearn.model_selection import KFold, StratifiedKFold

    n = len(labels)
    most = int(np.bincount(labels).max()) if classes else n
    if k is not None and most < k:
        raise DataError(
            f"{k} folds need {k} rows{' of some class' if classes else ''}, there are {most}. Lower cv.",
            who=who,
        )
    count = min(USUAL_FOLDS, most) if k is None else k
    if classes and count > 1:
        return _split(StratifiedKFold(count), labels)
    return _split(KFold(max(2, min(USUAL_FOLDS if k is None else count, n))), labels)


def _by_group(k: int | None, labels: np.ndarray, groups: np.ndarray, classes: bool, who: str) -> Folds:
    """Folds of whole groups, with classes as even as groups allow."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    number = np.unique(groups, return_inverse=True)[1]
    have = int(number.max()) + 1
    if have < (2 if k is None else k):
        raise DataError(
            f"{2 if k is None else k} folds of whole groups need as many groups, there {'is' if have == 1 else 'are'} "
            f"{have}. Lower cv, or leave groups out.",
            who=who,
        )
    count = min(USUAL_FOLDS, have) if k is None else k
    most = int(np.bincount(labels).max()) if classes else 0
    splitter = StratifiedGroupKFold(count) if classes and most >= count else GroupKFold(count)
    return [(train, test) for train, test in _split(splitter, labels, number) if len(test)]


def _split(splitter: Any, labels: np.ndarray, groups: np.ndarray | None = None) -> Folds:
    with warnings.catch_warnings():  # a class of fewer rows than folds is absent from some of them
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(np.zeros((len(labels), 1)), labels, groups))


def _by_time(k: int | None, times: np.ndarray, y: Any, labels: np.ndarray, classes: bool, who: str) -> Folds:
    """Blocks of rows, each answered for by members that learned from all rows before it; the first have no answer."""
    k, n = USUAL_FOLDS if k is None else k, len(labels)
    folds = [(train, test) for train, test in time_blocks(times, n, k) if len(train) and len(test)]
    if not folds:
        raise DataError(
            f"{k} blocks of time after the rows that are learned from first are too many for {n} rows at "
            f"{len(np.unique(times))} moments. Lower cv.",
            who=who,
        )
    for train, test in folds if classes else []:
        if len(np.unique(labels[train])) < 2:
            label = np.asarray(y)[train[0]]
            raise DataError(
                f"the {len(train)} rows before the first {len(test)} that are answered for are all of class {label}; "
                "members cannot learn from them. Lower cv, so that more rows come before.",
                who=who,
            )
    return folds


def _of_splitter(
    cv: Any,
    X: Any,
    y: Any,
    labels: np.ndarray,
    classes: bool,
    who: str,
    beside: dict[str, Any],
    order: np.ndarray | None,
) -> Folds:
    from sklearn.model_selection import check_cv

    n, named = len(labels), type(cv).__name__
    plain = np.zeros((n, 1)), labels
    splitter = check_cv(cv, labels, classifier=classes)
    shown = (X, np.asarray(y)) if hasattr(cv, "split") and hasattr(X, "shape") else plain
    if order is not None and hasattr(cv, "split"):
        shown = plain[0], labels[order]
    try:
        pairs = list(splitter.split(*shown, **beside))
    except ValueError as error:
        wants_groups = hasattr(cv, "get_metadata_routing") and cv.get_metadata_routing().split.requests.get(
            "groups"
        )
        if wants_groups and "groups" not in beside:
            raise DataError(f"{named} needs groups: fit(X, y, groups=...).", who=who) from None
        raise DataError(f"{named}: {error}", who=who) from None
    folds = [(_rows_of(train, n, who), _rows_of(test, n, who)) for train, test in pairs]
    if order is not None and hasattr(cv, "split"):
        return [(order[train], order[test]) for train, test in folds]
    return folds


def _rows_of(part: Any, n: int, who: str) -> np.ndarray:
    """Row numbers of one side of a split; flags are turned into numbers."""
    rows = np.asarray(part)
    if rows.dtype == bool and rows.shape == (n,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n)):
        raise DataError(
            f"cv must hold pairs (train, test) of row numbers from 0 to {n - 1}, got {part!r}.", who=who
        )
    return rows.astype(np.int64)


def row_column(values: Any, n: int, name: str, who: str) -> np.ndarray | None:
    """(n,) one entry for each row, none of them missing; None for None."""
    if values is None:
        return None
    column = np.asarray(plain_values(values))
    if column.shape != (n,):
        raise DataError(
            f"X has {n} rows, so {name} must have {n} entries; its shape is {column.shape}.", who=who
        )
    lost = [i for i, value in enumerate(column.tolist()) if value is None or value != value]
    if column.dtype.kind in "mM":
        lost = np.flatnonzero(np.isnat(column)).tolist()
    if lost:
        raise DataError(
            f"{name} is missing in {len(lost)} of {n} rows, the first is row {lost[0]} (counted from 0). Fill it or "
            "leave these rows out.",
            who=who,
        )
    return column.astype(str) if name == "groups" and column.dtype == object else column
