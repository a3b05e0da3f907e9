"""Inputs of measures: true and predicted labels, or labels and scores, read and checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, encode_labels, plain_values
from assay.errors import DataError, ParameterError, warn_user
from assay.tables.row_names import row_name
from assay.types import Label, Labels, Scores, Target, Weights


@dataclass(frozen=True)
class Labelled:
    """Two labellings of the same rows.

    labels : (K,) sorted union of both; truth, answer : (n,) codes into it; weight : (n,) or None
    """

    labels: np.ndarray
    truth: np.ndarray
    answer: np.ndarray
    weight: np.ndarray | None

    @property
    def K(self) -> int:
        return len(self.labels)

    def table(self) -> np.ndarray:
        """(K, K) weight of the rows by truth (rows) and answer (columns); counts are integers."""
        K = self.K
        cells = np.bincount(self.truth * K + self.answer, weights=self.weight, minlength=K * K)
        return cells.reshape(K, K)


def labelled(truth: Target, answer: Target, who: str, weight: Weights | None = None) -> Labelled:
    """Read true and predicted labels, with the labels that occur in either."""
    y, z = one_column(truth, who, "the truth"), one_column(answer, who, "the answer")
    n = len(y)
    if not n:
        raise DataError("there are no rows.", who=who)
    if len(z) != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {n} true labels, {len(z)} answers.",
            who=who,
        )
    w = check_weights(weight, n, who, squared=True)
    if y.dtype.kind in "iub" and z.dtype.kind in "iub":
        low, high = min(int(y.min()), int(z.min())), max(int(y.max()), int(z.max()))
        if high - low <= max(1024, 2 * n) and high < 2**63:
            return _integers(y, z, low, high, w)
    first, t = encode_labels(y, n, who)
    second, a = encode_labels(z, n, who)
    if len(first) == len(second) and first.dtype.kind == second.dtype.kind and (first == second).all():
        return Labelled(first, t, a, w)
    both = _union(first, second, who)
    place = {label: k for k, label in enumerate(both.tolist())}
    t = np.array([place[v] for v in first.tolist()])[t]
    a = np.array([place[v] for v in second.tolist()])[a]
    return Labelled(both, t, a, w)


def _integers(y: np.ndarray, z: np.ndarray, low: int, high: int, w: np.ndarray | None) -> Labelled:
    """Integers in a short range: no sorting."""
    t, a = y.astype(np.int64, copy=False), z.astype(np.int64, copy=False)
    if low:
        t, a = t - low, a - low
    size = high - low + 1
    occurs = (np.bincount(t, minlength=size) + np.bincount(a, minlength=size)) > 0
    if occurs.all():
        labels = np.arange(low, high + 1)
    else:
        labels = np.flatnonzero(occurs) + low
        place = np.cumsum(occurs) - 1
        t, a = place[t], place[a]
    return Labelled(labels.astype(bool) if y.dtype.kind == z.dtype.kind == "b" else labels, t, a, w)


def _union(first: np.ndarray, second: np.ndarray, who: str) -> np.ndarray:
    try:
        together = sorted(set(first.tolist()) | set(second.tolist()))
    except TypeError:
        raise DataError(
            f"Mix of label input types: the truth has {first.tolist()[0]!r}, the answer "
            f"{second.tolist()[0]!r}.",
            who=who,
        ) from None
    return np.array(together, dtype=object if first.dtype.kind == "O" else None)


def one_column(y: Target, who: str, what: str) -> np.ndarray:
    """(n,) of any type; a table of one column is a column."""
    y = plain_values(y)
    if not isinstance(y, np.ndarray):
        if isinstance(y, (list, tuple)) and any(isinstance(v, str) for v in y):
            y = np.array(y, dtype=object)
        else:
            try:
                y = np.asarray(y)
            except ValueError:
                raise DataError(f"{what} is not one value per row.", who=who) from None
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        hint = " Measure one column at a time." if y.ndim == 2 else ""
        raise DataError(f"{what} must be one label per row, got shape {y.shape}.{hint}", who=who)
    return y


def numbers(
    x: ArrayLike, who: str, what: str, ndim: tuple[int, ...] = (1,), finite: bool = True
) -> np.ndarray:
    """Float64 of one of the given dimensions, not empty; finite, or at least not NaN."""
    try:
        x = np.asarray(plain_values(x), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers, got {type(x).__name__}.", who=who) from None
    if x.ndim not in ndim:
        raise DataError(
            f"{what} must have {' or '.join(map(str, ndim))} dimensions, got shape {x.shape}.", who=who
        )
    if not x.size:
        raise DataError("there are no rows.", who=who)
    if x.flags.c_contiguous and np.isfinite(
        np.vdot(x, x)
    ):  # one pass; larger numbers and NaN are looked at one by one
        return x
    unusable = ~np.isfinite(x) if finite else np.isnan(x)
    if unusable.any():
        row = f" of {row_name(np.argwhere(unusable)[0][0])}" if x.ndim else ""
        wrong = "NaN or infinite, expected finite numbers" if finite else "NaN"
        raise DataError(f"{what}{row} is {wrong}.", who=who)
    return x


@dataclass(frozen=True)
class Scored:
    """Scores of two classes.

    positive : (n,) bool; score : (n,); weight : (n,) or None; label : the positive class, None if not known
    """

    positive: np.ndarray
    score: np.ndarray
    weight: np.ndarray | None
    label: Any


def scored(
    truth: Target, score: Scores, who: str, pos_label: Label | None = None, weight: Weights | None = None
) -> Scored:
    """Read labels of two classes and a score that is larger for the positive one.

    The positive class is ``pos_label``, else 1 where the labels are 0 or -1 and 1, else the last of the sorted
    labels. Scores of two columns are a posterior, of which the positive class's column is used. Rows of weight
    0 are left out.
    """
    s = numbers(score, who, "the score", (1, 2))
    y = one_column(truth, who, "the truth")
    if len(y) != len(s):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {len(y)} true labels, {len(s)} scores.",
            who=who,
        )
    w = check_weights(weight, len(s), who, squared=True)
    positive, label, column = _positive(y, pos_label, who)
    if s.ndim == 2:
        if s.shape[1] > 2:
            raise DataError(
                f"a curve is of two classes, the scores have {s.shape[1]} columns. Take one of them.", who=who
            )
        s = s[:, column if s.shape[1] == 2 else 0]
    if w is not None and not w.all():
        positive_weight = w > 0
        positive, s, w = positive[positive_weight], s[positive_weight], w[positive_weight]
    return Scored(positive, s, w, label)


def _positive(y: np.ndarray, pos_label: Any, who: str) -> tuple[np.ndarray, Any, int]:
    """Which rows are positive, the positive label, and its index among two sorted labels."""
    if y.dtype.kind == "b" and pos_label is None:
        return y, True, 1
    if pos_label is None and y.dtype.kind in "iuf" and len(y):
        low, high = y.min(), y.max()
        if (high == 1 and low in (-1, 0, 1)) or (low == high and low in (-1, 0)):
            positive = y == 1
            if low == high or (positive | (y == low)).all():
                return positive, 1, 1
    labels, codes = encode_labels(y, len(y), who)
    names = labels.tolist()
    if pos_label is None:
        if len(names) != 2:
            raise DataError(
                f"the truth has {len(names)} class{'' if len(names) == 1 else 'es'}, expected two. "
                "Say which class is positive: pos_label=...",
                who=who,
            )
        return codes == 1, names[1], 1
    if pos_label not in names:
        if len(names) > 1:
            raise DataError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of {names}.", who=who
            )
        return np.zeros(len(y), dtype=bool), pos_label, 1
    k = names.index(pos_label)
    return codes == k, pos_label, min(k, 1)


def probabilities(posterior: Scores, who: str) -> np.ndarray:
    """(n, K) float64 in 0..1; (n,) is the probability of the second of two classes."""
    P = numbers(posterior, who, "the probability", (1, 2))
    low, high = P.min(), P.max()
    if low < 0 or high > 1:
        raise DataError(f"probabilities lie between 0 and 1, got {low:g} to {high:g}.", who=who)
    if P.ndim == 1 or P.shape[1] == 1:
        P = P.reshape(-1)
        return np.column_stack([1 - P, P])
    return P


def classes_of(truth: Target, K: int, labels: Labels | None, who: str) -> tuple[np.ndarray, np.ndarray]:
    """(K,) labels of K columns and (n,) codes of the truth among them."""
    y = one_column(truth, who, "the truth")
    occurring, codes = encode_labels(y, len(y), who)
    if labels is None:
        if len(occurring) != K:
            raise DataError(
                f"the truth has {len(occurring)} classes {occurring.tolist()[:5]} and there are {K} columns. "
                "Name the classes of the columns: labels=[...].",
                who=who,
            )
        return occurring, codes
    declared = one_column(labels, who, "labels")
    names = encode_labels(declared, len(declared), who)[0] if len(declared) else declared
    if len(declared) != K:
        raise ParameterError(f"labels names {len(declared)} classes, there are {K} columns.", who=who)
    if names.tolist() != declared.tolist():
        raise ParameterError(
            f"labels must be sorted, each named once, as the columns are: {names.tolist()[:5]}, got "
            f"{declared.tolist()[:5]}.",
            who=who,
        )
    place = {label: k for k, label in enumerate(names.tolist())}
    unknown = [label for label in occurring.tolist() if label not in place]
    if unknown:
        raise DataError(f"the truth has the label {unknown[0]!r}, which is not among labels.", who=who)
    return names, np.array([place[v] for v in occurring.tolist()], dtype=np.int64)[codes]


def undefined(message: str) -> None:
    """Warn, as scikit-learn does, that a measure has no value here and which was given instead."""

    from sklearn.exceptions import UndefinedMetricWarning

    warn_user(message, UndefinedMetricWarning)
