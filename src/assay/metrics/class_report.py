"""Precision, recall and F1 of each class, with intervals: a classification report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.words import one_line
from assay.metrics import _report_tables, _tables
from assay.metrics._inputs import labelled
from assay.metrics._table_intervals import delta, mean_of_shares, wilson
from assay.metrics.confusion import Confusion
from assay.metrics.estimate import Estimate
from assay.metrics.forms import MAX_DELTA_CLASSES, OfTable
from assay.metrics.measure import measures
from assay.sentence import in_notebook
from assay.stats.significance.test_result import check_alpha
from assay.types import Floats, Target, Weights

__all__ = ["ClassReport"]

COLUMNS = {"precision": _tables.precisions, "recall": _tables.recalls, "f1": _tables.f_measures}


@dataclass(frozen=True)
class ClassReport:
    """Precision, recall and F1 of each class, and their averages, with intervals.

    Attributes
    ----------
    classes : {class: {"precision", "recall", "f1": Estimate}}; no interval where the measure is undefined
    support : {class: rows, or weight}
    averages : {"macro", "weighted"}: like a class; "macro" takes means over classes, "weighted" by their rows
    f1_of_means : F1 of the macro precision and the macro recall, the other convention
    accuracy : the micro average of all three
    confusion : Confusion

    Examples
    --------
    >>> from assay.metrics import ClassReport
    >>> report = ClassReport.of(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "b"])
    >>> print(report)
                    precision                   recall                      f1                          rows
    a               1.0000 (0.3424 to 1.0000)   0.6667 (0.2077 to 0.9385)   0.8000 (0.3439 to 0.9683)      3
    b               0.6667 (0.2077 to 0.9385)   1.0000 (0.3424 to 1.0000)   0.8000 (0.3439 to 0.9683)      2
    macro mean      0.8333 (0.4323 to 0.9693)   0.8333 (0.4323 to 0.9693)   0.8000 (0.3090 to 0.9728)      5
    weighted mean   0.8667 (0.6532 to 0.9573)   0.8000 (0.3755 to 0.9638)   0.8000 (0.3071 to 0.9730)      5
    F1 of means                                                             0.8333 (0.4642 to 0.9665)      5
    accuracy                                                                0.8000 (0.3755 to 0.9638)      5
    """

    classes: dict[Any, dict[str, Estimate]]
    support: dict[Any, float]
    averages: dict[str, dict[str, Estimate]]
    f1_of_means: Estimate
    accuracy: Estimate
    confusion: Confusion
    alpha: float = 0.05

    @classmethod
    def of(
        cls, truth: Target, answer: Target, *, sample_weight: Weights | None = None, alpha: float = 0.05
    ) -> ClassReport:
        """Report on (n,) true and (n,) predicted labels."""
        alpha = check_alpha(alpha, "ClassReport")
        pair = labelled(truth, answer, "ClassReport", sample_weight)
        squares = None if pair.weight is None else replace(pair, weight=pair.weight**2).table()
        return cls.of_table(pair.table(), tuple(pair.labels.tolist()), squares=squares, alpha=alpha)

    @classmethod
    def of_table(
        cls,
        table: np.ndarray,
        classes: Sequence[Any],
        *,
        squares: np.ndarray | None = None,
        alpha: float = 0.05,
    ) -> ClassReport:
        """Report on a (K, K) confusion matrix of counts or weights; ``squares`` of squared weights.

        An extra column holds rejected rows.

        >>> from assay.metrics import ClassReport
        >>> print(ClassReport.of_table([[2, 1], [0, 2]], ["a", "b"]).accuracy)
        0.8000 (0.3755 to 0.9638, Wilson)
        """
        K = len(classes)
        T = _squared(table)
        S = T if squares is None else _squared(squares)
        each = {label: {m: _one(m, T, S, k, alpha) for m in COLUMNS} for k, label in enumerate(classes)}
        accuracy = _of_share("accuracy", T, S, -1, float(_tables.accuracy(T)), alpha)

        def mean(m: str, by_rows: bool) -> Estimate:
            if by_rows and m == "recall":  # which is the accuracy
                return accuracy
            of = COLUMNS[m]

            def g(tables: np.ndarray) -> np.ndarray:
                values = np.nan_to_num(of(tables))[..., :K]
                mean: Floats
                if by_rows:
                    size = tables.sum(axis=-1)[..., :K]
                    mean = (values * size).sum(axis=-1) / size.sum(axis=-1)
                else:
                    mean = values.mean(axis=-1)
                return mean

            share = _form(m).mean_of
            if not by_rows and share is not None and len(T) == K and not np.isnan(of(T)).any():
                return mean_of_shares(share, T, S, float(g(T)), alpha)
            return _of_all(g, T, S, alpha)

        averages = {name: {m: mean(m, name == "weighted") for m in COLUMNS} for name in ("macro", "weighted")}
        return cls(
            each,
            dict(zip(classes, T.sum(axis=1).tolist())),
            averages,
            _of_all(_tables.f1_of_means, T, S, alpha),
            accuracy,
            Confusion(np.asarray(table) if len(T) == K else T, (*classes, *["rejected"] * (len(T) - K))),
            alpha,
        )

    def _lines(self) -> list[list[str]]:
        def row(name: Any, estimates: dict[str, Estimate], size: str) -> list[str]:
            return [one_line(name), *(estimates[m].short for m in COLUMNS), size]

        lines = [["", *COLUMNS, "rows"]]
        lines += [
            row(label, estimates_of, f"{self.support[label]:g}")
            for label, estimates_of in self.classes.items()
        ]
        whole = f"{sum(self.support.values()):g}"
        lines += [row(f"{name} mean", estimates_of, whole) for name, estimates_of in self.averages.items()]
        lines.append(["F1 of means", "", "", self.f1_of_means.short, whole])
        return [*lines, ["accuracy", "", "", self.accuracy.short, whole]]

    def __str__(self) -> str:
        return _report_tables.as_text(self._lines())

    def _repr_html_(self) -> str:
        return in_notebook(_report_tables.as_html(self._lines()))


def _squared(table: Any) -> np.ndarray:
    T = np.asarray(table, dtype=np.float64)
    return T if len(T) == T.shape[1] else np.vstack([T, np.zeros(T.shape[1])])


def _form(m: str) -> OfTable:
    form = measures()[m].of
    assert isinstance(form, OfTable)
    return form


def _one(m: str, T: np.ndarray, squares: np.ndarray, k: int, alpha: float) -> Estimate:
    value = float(COLUMNS[m](T)[k])
    if np.isnan(value):
        return Estimate(value, alpha=alpha, why="never answered" if m == "precision" else "not tested")
    return _of_share(m, T, squares, k, value, alpha)


def _of_share(m: str, T: np.ndarray, squares: np.ndarray, k: int, value: float, alpha: float) -> Estimate:
    form = _form(m)
    assert form.share is not None
    return wilson(form.share, T, squares, k, value, alpha, form.link)


def _of_all(g: Any, T: np.ndarray, squares: np.ndarray, alpha: float) -> Estimate:
    value = float(g(T))
    if len(T) > MAX_DELTA_CLASSES:
        return Estimate(value, alpha=alpha, why="many classes; with_interval resamples")
    return delta(g, T, squares, value, alpha)
