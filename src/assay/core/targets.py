"""Targets and weights as learners see them: class codes, numbers, row weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import DataError
from assay.tables.row_names import row_name
from assay.types import Codes, Floats, Target

__all__ = [
    "EncodedLabels",
    "check_weights",
    "encode_labels",
    "encode_targets",
    "is_table",
    "label_codes",
    "numeric_target",
    "plain_values",
    "side_by_side",
]


class EncodedLabels:
    """Class labels that were checked and numbered once; learners take them as y without doing so again.

    Some of them, ``y[rows]``, are encoded labels, too. To anything else they are an array of labels.

    Parameters
    ----------
    codes : (n,) the number of each row's class
    classes : (K,) the sorted labels of all classes, whether or not a row has them

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.targets import EncodedLabels, encode_labels
    >>> y = EncodedLabels(np.array([2, 0, 2]), np.array(["a", "b", "c"]))
    >>> encode_labels(y, 3, "Learner")
    (array(['a', 'c'], dtype='<U1'), array([1, 0, 1]))
    >>> np.asarray(y[[0, 2]])
    array(['c', 'c'], dtype='<U1')
    """

    ndim = 1

    def __init__(self, codes: np.ndarray, classes: np.ndarray):
        self.codes, self.classes = codes, classes

    @property
    def shape(self) -> tuple[int]:
        return (len(self.codes),)

    @property
    def dtype(self) -> np.dtype:
        return self.classes.dtype

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> EncodedLabels:
        return EncodedLabels(self.codes[rows], self.classes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        labels = self.classes[self.codes]
        entries: np.ndarray = labels if dtype is None else labels.astype(dtype, copy=False)
        return entries

    def present(self) -> tuple[np.ndarray, np.ndarray]:
        """The labels that some row has, and for each row the number of its class among these."""
        present = np.bincount(self.codes, minlength=len(self.classes)) > 0
        if present.all():
            return self.classes, self.codes
        return self.classes[present], (np.cumsum(present) - 1)[self.codes]


def encode_labels(y: Any, n: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The sorted class labels, and for each row the number of its class.

    >>> from assay.core.targets import encode_labels
    >>> encode_labels(["b", "a", "b"], 3, "Learner")
    (array(['a', 'b'], dtype=...), array([1, 0, 1]))
    """
    y = _one_column(y, n, who)
    if isinstance(y, EncodedLabels):
        return y.present()
    if y.dtype.kind in "iu":
        low, high = int(y.min()), int(y.max())
        if (
            high - low <= max(1024, 2 * n) and high < 2**63
        ):  # larger ones of 64 bits without a sign are sorted below
            place = y.astype(np.int64, copy=False)  # first: 127 - (-128) is more than 8 bits hold
            place = place - low if low else place
            present = np.bincount(place, minlength=high - low + 1) > 0
            labels = (present.nonzero()[0] + low).astype(y.dtype)
            if present.all():
                return labels, place
            return labels, (np.cumsum(present) - 1)[place]
    elif y.dtype.kind == "f":
        from sklearn.utils import assert_all_finite

        _refuse_missing(np.isnan(y), who)
        assert_all_finite(y, input_name="y")
        fractions = y != np.floor(y)
        if fractions.any():
            i = int(np.argmax(fractions))
            raise DataError(
                f"Unknown label type: continuous. {row_name(i).capitalize()} of y is {y[i]:g}, expected "
                "classes. To predict numbers, use a regressor.",
                who=who,
            )
    elif y.dtype.kind == "O":
        return _encode_objects(y, who)
    elif y.dtype.kind == "M":
        _refuse_missing(np.isnat(y), who)
    elif y.dtype.kind not in "bUS":
        raise DataError(f"Unknown label type: y holds {y.dtype}.", who=who)
    labels, codes = np.unique(y, return_inverse=True)
    return labels, codes.astype(np.int64, copy=False)


def label_codes(y: Target, classes: np.ndarray, n: int, who: str) -> np.ndarray:
    """(n,) the number of each row's class among known classes; an unknown label is an error.

    >>> from assay.core.targets import label_codes
    >>> label_codes(["b", "a"], np.array(["a", "b", "c"]), 2, "Learner")
    array([1, 0])
    """
    if isinstance(y, EncodedLabels) and len(y.codes) == n and y.classes.tolist() == classes.tolist():
        return np.asarray(y.codes, dtype=np.int64)
    labels, codes = encode_labels(y, n, who)
    position = {label: k for k, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in position]
    if unknown:
        raise DataError(
            f"y has the label {unknown[0]!r}, which is not among classes {classes.tolist()}.", who=who
        )
    codes_of_rows: Codes = np.array([position[label] for label in labels.tolist()], dtype=np.int64)[codes]
    return codes_of_rows


def encode_targets(Y: Any, n: int, who: str) -> tuple[list[np.ndarray], np.ndarray]:
    """Of several targets: the sorted class labels of each, and (n, O) the number of each row's classes.

    >>> from assay.core.targets import encode_targets
    >>> encode_targets([["b", 2], ["a", 2]], 2, "Learner")
    ([array(['a', 'b'], dtype=...), array([2])], array([[1, 0],
           [0, 0]]))
    """
    Y = plain_values(Y)
    if not isinstance(Y, np.ndarray):  # numbers beside text stay numbers
        Y = np.array(Y, dtype=object if any(isinstance(v, str) for row in Y for v in row) else None)
    if len(Y) != n:
        raise DataError(f"X has {n} rows and y has {len(Y)}.", who=who)
    encoded = [encode_labels(Y[:, o], n, who) for o in range(Y.shape[1])]
    return [labels for labels, _ in encoded], np.stack([codes for _, codes in encoded], axis=1)


def is_table(y: Target, who: str) -> bool:
    """Whether y has several columns, one for each target.

    >>> from assay.core.targets import is_table
    >>> is_table([0, 1], "Learner"), is_table([[0, 1], [1, 1]], "Learner")
    (False, True)
    """
    if hasattr(y, "tocsr"):
        raise DataError(
            "sparse multilabel-indicator for y is not supported. Use y.toarray(), if y is small enough.",
            who=who,
        )
    if isinstance(y, (list, tuple)):
        return bool(y) and isinstance(y[0], (list, tuple, np.ndarray)) and len(y[0]) > 1
    shape: Any = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] > 1


def target_names(y: Any) -> list[str]:
    """The names of several targets: the columns of a frame; nothing for one target or an array.

    >>> import pandas as pd
    >>> from assay.core.targets import target_names
    >>> target_names(pd.DataFrame({"ill": [0, 1], "old": [1, 1]})), target_names([[0, 1], [1, 1]])
    (['ill', 'old'], [])
    """
    names = getattr(y, "columns", ()) if len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1 else ()
    return [str(name) for name in names]


def side_by_side(columns: list[np.ndarray]) -> np.ndarray:
    """(n, O) the labels of several targets; of different kinds (numbers, text) as objects, so that each stays as it is.

    >>> import numpy as np
    >>> from assay.core.targets import side_by_side
    >>> side_by_side([np.array([1, 2]), np.array(["low", "high"])]).tolist()
    [[1, 'low'], [2, 'high']]
    """
    kinds = {column.dtype.kind for column in columns}
    alike = len(kinds) == 1 or kinds <= set("biuf")
    dtype = np.result_type(*(column.dtype for column in columns)) if alike else np.dtype(object)
    table = np.empty((len(columns[0]), len(columns)), dtype)
    for o, column in enumerate(columns):
        table[:, o] = column
    return table


def numeric_target(y: Any, n: int, who: str) -> np.ndarray:
    """(n,) or (n, outputs) float64 without gaps."""
    from sklearn.utils import check_array

    if y is None:
        raise DataError(f"{who} requires y to be passed, but the target y is None.")
    y = plain_values(y)
    if type(y) is np.ndarray and y.dtype == np.float64 and y.shape == (n,) and np.isfinite(y).all():
        return y  # as the check below would say, without its 30 microseconds
    try:
        numbers: Floats = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=who)
    except (TypeError, ValueError) as error:
        raise DataError(f"{_not_numbers(y, str(error))}", who=who) from None
    if numbers.shape[0] != n:
        raise DataError(f"X has {n} rows and y has {numbers.shape[0]}.", who=who)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = _one_column(numbers, n, who)
    return numbers


def _not_numbers(y: Any, why: str) -> str:
    """What is wrong with targets that should be numbers: the first that is none, or what scikit-learn says."""
    if "Complex data" in why:
        return why
    try:
        values = np.asarray(y, dtype=object).ravel().tolist()
    except ValueError:
        values = [[]]
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return "y should be one number for each row, its entries differ in length."
    for i, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError):
            if value is not None and not is_missing(value):
                hint = " For classes take a classifier." if isinstance(value, str) else ""
                return f"y should be numbers, {row_name(i)} is {value!r}.{hint}"
    return why


def check_weights(
    weights: Any, rows: Any, who: str = "", name: str = "sample_weight", squared: bool = False
) -> np.ndarray | None:
    """(n,) float64 weights, none negative, not all zero; None stays None, and one number is the weight of every row.

    The sentences have scikit-learn's words, which people search for and its tests look for.

    Parameters
    ----------
    weights : (n,) numbers, a number or None
    rows : the rows that are weighed, or how many they are
    who : the learner or function that was called
    name : its parameter that holds the weights
    squared : whether the squares of the weights have to be numbers, too

    Examples
    --------
    >>> from assay.core.targets import check_weights
    >>> check_weights([1, 2, 0], 3)
    array([1., 2., 0.])
    >>> check_weights([1, -2, 0], 3, "compare")
    Traceback (most recent call last):
    assay.errors.DataError: compare: Negative values in data passed to `sample_weight`: row 2 has -2.
    """
    if weights is None:
        return None
    n = rows if isinstance(rows, int) else rows.shape[0]
    plain = type(weights) is np.ndarray and weights.shape == (n,) and weights.dtype.kind in "fiu"
    w = weights.astype(np.float64, copy=False) if plain else _as_weights(weights, n, who, name)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(w.sum())
    if not (0 < total < np.inf and w.min() >= 0):
        raise DataError(_fault_of_weights(w, weights, name), who=who)
    if squared and not 1e-100 <= w.max() <= 1e100:
        raise DataError(
            f"the largest {name} must be from 1e-100 to 1e100, got {w.max():g}. Divide all by it.", who=who
        )
    return w


def _as_weights(weights: Any, n: int, who: str, name: str) -> np.ndarray:
    """(n,) float64 of what is no plain array of numbers of that shape."""
    values = plain_values(weights)
    try:
        values = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if values.dtype.kind in "mMc":  # dates and durations would lose their unit
            raise TypeError("Complex data not supported." if values.dtype.kind == "c" else values.dtype)
        w = np.ma.filled(values.astype(np.float64), np.nan)  # what is masked is missing
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}", who=who) from None
    if w.ndim == 0:
        return np.full(n, float(w))
    if w.ndim > 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {w.ndim}D array: {name} has the shape {w.shape}.",
            who=who,
        )
    if w.shape != (n,):
        raise DataError(
            f"{name}.shape == {w.shape}, expected ({n},)! Give one weight for each of the {n} rows.", who=who
        )
    return w


def _fault_of_weights(w: np.ndarray, weights: Any, name: str) -> str:
    """What keeps (n,) numbers from being weights; the row that is to blame has the name it has in ``weights``."""
    for kind, bad in (("NaN", np.isnan(w)), ("infinity", np.isinf(w))):
        if bad.any():
            i = int(np.argmax(bad))
            return f"Input {name} contains {kind}: {row_name(i, weights)} has {w[i]:g}."
    if (w < 0).any():
        i = int(np.argmax(w < 0))
        return f"Negative values in data passed to `{name}`: {row_name(i, weights)} has {w[i]:g}."
    if not w.any():
        return "Sample weights must contain at least one non-zero number; all are zero, so no row counts."
    return f"{name} is too large to be added up. Divide all of them by some power of ten."


def row_counts(w: np.ndarray) -> np.ndarray:
    """What each row counts: a weight of 2 is a row that came twice; weights below 1 on average are shares.

    Shares are scaled until the rows that count at all count once on average, so that "the 10 nearest" stay about ten
    rows, and n - 1 a divisor, whatever the unit of the weights.

    >>> import numpy as np
    >>> from assay.core.targets import row_counts
    >>> row_counts(np.array([2.0, 0.0, 1.0])), row_counts(np.array([0.2, 0.0, 0.1])).round(4)
    (array([2., 0., 1.]), array([1.3333, 0.    , 0.6667]))
    """
    top = float(w.max(initial=0.0))
    if not top:
        return w
    mean = float((w / top).sum() / np.count_nonzero(w)) * top
    return w if mean >= 1 else (w / top) / (mean / top)


def _one_column(y: Any, n: int, who: str) -> Any:
    if y is None:
        raise DataError(f"{who} requires y to be passed, but the target y is None.")
    if not isinstance(y, (np.ndarray, EncodedLabels)):
        if hasattr(y, "to_numpy"):
            y = plain_values(y)
        elif isinstance(y, (list, tuple)) and any(isinstance(v, str) for v in y):
            y = np.array(y, dtype=object)
        y = np.asarray(y)
    if y.ndim != 1:
        if y.ndim == 2 and y.shape[1] != 1:
            raise DataError(
                f"y should be a 1d array, got an array of shape {y.shape} instead. Give one column of y at a "
                "time. Several at once are learned by trees, forests and neighbours (DecisionTreeClassifier, "
                "RandomForestClassifier, KNeighborsClassifier), by themselves rather than inside another learner.",
                who=who,
            )
        from sklearn.utils import column_or_1d

        y = column_or_1d(y, warn=True)
    if y.shape[0] != n:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {[n, y.shape[0]]}.", who=who
        )
    return y


def plain_values(y: Target) -> Any:
    """A column of any frame library as a NumPy array; anything else as it is."""
    if not hasattr(y, "to_numpy"):
        return y
    arrow = type(y).__module__.partition(".")[0] == "pyarrow"
    return y.to_numpy(zero_copy_only=False) if arrow and not hasattr(y, "chunks") else y.to_numpy()


def _encode_objects(y: np.ndarray, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Python objects: text, or numbers in disguise; a missing label is an error."""
    values = y.tolist()
    if not _hashable(values):
        raise DataError(f"Unknown label type: y holds {type(values[0]).__name__}.", who=who)
    distinct = set(values)
    if any(isinstance(v, np.generic) for v in distinct):
        values = [v.item() if isinstance(v, np.generic) else v for v in values]
        distinct = set(values)
    if any(map(is_missing, distinct)):
        _refuse_missing([is_missing(v) for v in values], who)
    kinds = {type(v) for v in distinct}
    for numbers, dtype in (({bool}, np.bool_), ({int, bool}, np.int64), ({int, float, bool}, np.float64)):
        if kinds <= numbers:
            return encode_labels(np.array(values, dtype=dtype), len(y), who)
    if len(kinds) > 1:
        raise DataError(
            f"Unknown label type: y mixes {', '.join(sorted(k.__name__ for k in kinds))}. Use one type.",
            who=who,
        )
    labels = sorted(distinct)
    position = {label: k for k, label in enumerate(labels)}
    array = np.array(labels) if kinds == {str} else np.array(labels, dtype=object)
    return array, np.fromiter((position[v] for v in values), dtype=np.int64, count=len(values))


def is_missing(value: Any) -> bool:
    """None, NaN, NaT, or pandas' NA, which does not even say whether it equals itself.

    >>> import numpy as np
    >>> from assay.core.targets import is_missing
    >>> [is_missing(value) for value in (None, np.nan, np.float64(1), "a", ())]
    [True, True, False, False, False]
    """
    same = value == value
    if isinstance(same, (bool, np.bool_)):
        return value is None or not same
    return type(same).__name__ == "NAType"


def _refuse_missing(missing: Any, who: str) -> None:
    if np.any(missing):
        row = int(np.argmax(missing))
        raise DataError(
            f"Input y contains NaN: {row_name(row)} has no label (missing). Drop the row or give it a label.",
            who=who,
        )


def _hashable(values: list[Any]) -> bool:
    try:
        set(values)
    except TypeError:
        return False
    return True
