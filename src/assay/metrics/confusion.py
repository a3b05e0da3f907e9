"""The confusion matrix, with names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from assay.core.words import one_line
from assay.errors import DataError, ParameterError
from assay.metrics import _tables
from assay.metrics._inputs import Labelled, labelled
from assay.sentence import in_notebook
from assay.types import Floats, Label, Labels, Target, Weights

__all__ = ["Confusion", "confusion_matrix"]


def confusion_matrix(
    y_true: Target,
    y_pred: Target,
    *,
    labels: Labels | None = None,
    sample_weight: Weights | None = None,
    normalize: str | None = None,
) -> np.ndarray:
    """(K, K) number of rows by true class (table rows) and predicted class (table columns).

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    labels : classes and their order; default all that occur, sorted. Rows of other classes are left out
    sample_weight : (n,)
    normalize : "true" (each row sums to 1), "pred" (each column), "all", or None for counts

    Examples
    --------
    >>> from assay.metrics import confusion_matrix
    >>> confusion_matrix(["cat", "ant", "cat"], ["cat", "cat", "cat"], labels=["cat", "ant"])
    array([[2, 0],
           [1, 0]])
    """
    if normalize not in (None, "true", "pred", "all"):
        raise ParameterError(
            f"confusion_matrix: normalize must be true, pred, all or None, got {normalize!r}."
        )
    pair = labelled(y_true, y_pred, "confusion_matrix", sample_weight)
    table, _ = selected(pair, labels, "confusion_matrix")
    if sample_weight is not None and np.asarray(sample_weight).dtype.kind in "biu":
        if pair.table().sum() > 2**53:
            raise DataError(
                "confusion_matrix: whole weights must add up to at most 2**53. Give them as floats."
            )
        table = table.astype(np.int64)
    if normalize is None:
        return table
    whole = {"true": table.sum(axis=1, keepdims=True), "pred": table.sum(axis=0), "all": table.sum()}[
        normalize
    ]
    return np.nan_to_num(_tables.share(table, whole))


def selected(pair: Labelled, labels: Labels | None, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The table of some classes in a given order, and their labels; classes that do not occur have no rows."""
    table = pair.table()
    if labels is None:
        return table, pair.labels
    requested = (
        np.asarray(labels, dtype=object).tolist() if not isinstance(labels, np.ndarray) else labels.tolist()
    )
    if not len(requested):
        raise DataError("'labels' should contain at least one label.", who=who)
    place = {label: k for k, label in enumerate(pair.labels.tolist())}
    codes = np.array([place.get(label, -1) for label in requested])
    if not any(k >= 0 and seen_rows for k, seen_rows in zip(codes, table.sum(axis=1)[np.maximum(codes, 0)])):
        raise DataError(
            f"At least one label specified must be in y_true; none of {requested[:5]} is.", who=who
        )
    padded = np.zeros((pair.K + 1, pair.K + 1), dtype=table.dtype)
    padded[:-1, :-1] = table
    kinds = {type(v) for v in requested}
    return padded[np.ix_(codes, codes)], np.array(requested, dtype=object if len(kinds) > 1 else None)


@dataclass(frozen=True)
class Confusion:
    r"""A confusion matrix with its class labels.

    ``counts[i, j]`` rows of class i were predicted j. For one class against the rest:

    .. math:: TP = n_{kk}, \quad FN = n_{k\cdot} - n_{kk}, \quad FP = n_{\cdot k} - n_{kk}, \quad
              TN = n - TP - FN - FP

    Parameters
    ----------
    counts : (K, K) or weights
    labels : (K,) the classes, in the order of the table

    Attributes
    ----------
    tp, fn, fp, tn : (K,) of each class against the rest
    recall, precision, specificity, f1, jaccard : (K,) NaN where undefined
    accuracy, error, balanced_accuracy, macro_f1, f1_of_means, g_mean, youden, kappa, matthews : float

    Examples
    --------
    >>> from assay.metrics import Confusion
    >>> matrix = Confusion.of(["ill", "ill", "well", "well", "well"], ["ill", "well", "well", "well", "well"],
    ...                     positive="ill")
    >>> print(matrix)
    truth   answered ill   answered well
    ill                1               1
    well               0               3
    >>> matrix.recall, matrix.accuracy
    (array([0.5, 1. ]), 0.8)
    """

    counts: np.ndarray
    labels: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        truth: Target,
        answer: Target,
        *,
        labels: Iterable[Any] | None = None,
        positive: Label | None = None,
        names: Any = None,
        sample_weight: Weights | None = None,
    ) -> Confusion:
        """Count rows by true and predicted class.

        Parameters
        ----------
        truth, answer : (n,) labels
        labels : classes and their order; default all that occur, sorted
        positive : the class that comes first, as textbooks lay out tp, fn / fp, tn
        names : {label: name} or a sequence of names in the order of the sorted labels, to show instead of the labels
        sample_weight : (n,)
        """
        pair = labelled(truth, answer, "Confusion", sample_weight)
        table, occurring = selected(pair, None if labels is None else list(labels), "Confusion")
        order = list(range(len(occurring)))
        printed = occurring.tolist()
        if positive is not None:
            if positive not in printed:
                raise ParameterError(f"Confusion: positive={positive!r} is not among the classes {printed}.")
            order.sort(key=lambda k: printed[k] != positive)
        if names is not None:
            printed = _renamed(printed, names)
        return cls(table[np.ix_(order, order)], tuple(printed[k] for k in order))

    @property
    def tp(self) -> np.ndarray:
        return _tables.correct(self.counts).copy()

    @property
    def fn(self) -> np.ndarray:
        missed: Floats = _tables.actual(self.counts) - self.tp
        return missed

    @property
    def fp(self) -> np.ndarray:
        alarms: Floats = _tables.predicted(self.counts) - self.tp
        return alarms

    @property
    def tn(self) -> np.ndarray:
        others: Floats = self.counts.sum() - self.tp - self.fn - self.fp
        return others

    @property
    def recall(self) -> np.ndarray:
        return _tables.recalls(self.counts)

    @property
    def precision(self) -> np.ndarray:
        return _tables.precisions(self.counts)

    @property
    def specificity(self) -> np.ndarray:
        return _tables.specificities(self.counts)

    @property
    def f1(self) -> np.ndarray:
        return _tables.f_measures(self.counts)

    @property
    def jaccard(self) -> np.ndarray:
        return _tables.jaccards(self.counts)

    @property
    def accuracy(self) -> float:
        return float(_tables.accuracy(self.counts))

    @property
    def error(self) -> float:
        return float(_tables.error(self.counts))

    @property
    def balanced_accuracy(self) -> float:
        return float(_tables.balanced_accuracy(self.counts))

    @property
    def macro_f1(self) -> float:
        """Mean of the classes' F1."""
        return float(_tables.mean_of_defined(_tables.f_measures(self.counts)))

    @property
    def f1_of_means(self) -> float:
        """F1 of the mean precision and the mean recall."""
        return float(_tables.f1_of_means(self.counts))

    @property
    def g_mean(self) -> float:
        return float(_tables.g_mean(self.counts))

    @property
    def youden(self) -> float:
        return float(_tables.youden(self.counts))

    @property
    def kappa(self) -> float:
        return float(_tables.kappa(self.counts))

    @property
    def matthews(self) -> float:
        return float(_tables.matthews(self.counts))

    def __str__(self) -> str:
        head = ["truth", *(f"answered {one_line(label)}" for label in self.labels)]
        rows = [[one_line(label), *map(_count_text, row)] for label, row in zip(self.labels, self.counts)]
        width = [max(len(line[j]) for line in [head, *rows]) for j in range(len(head))]
        lines = [
            "   ".join(c.ljust(w) if j == 0 else c.rjust(w) for j, (c, w) in enumerate(zip(line, width)))
            for line in [head, *rows]
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>answered {escape(str(label))}</th>" for label in self.labels)
        body = "".join(
            f"<tr><th>{escape(str(label))}</th>"
            + "".join(
                f"<td>{'<b>' if i == j else ''}{_count_text(v)}{'</b>' if i == j else ''}</td>"
                for j, v in enumerate(row)
            )
            + "</tr>"
            for i, (label, row) in enumerate(zip(self.labels, self.counts))
        )
        return in_notebook(
            f"<table><thead><tr><th>truth</th>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _count_text(value: Any) -> str:
    return f"{value:g}" if float(value) != int(value) else str(int(value))


def _renamed(labels: list[Any], names: Any) -> list[Any]:
    if isinstance(names, dict):
        return [names.get(label, label) for label in labels]
    names = list(names)
    if len(names) != len(labels):
        raise ParameterError(f"Confusion: {len(labels)} classes and {len(names)} names.")
    place = {label: names[k] for k, label in enumerate(sorted(labels))}
    return [place[label] for label in labels]
