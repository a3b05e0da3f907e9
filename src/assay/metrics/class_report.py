"""Precision, recall and F1 of each class, with intervals: a report that can be printed, shown and asked."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from assay.core.words import one_line
from assay.metrics._given import labelled
from assay.metrics._table_intervals import delta, function_of, mean_of_shares, squares_of, wilson
from assay.metrics.confusion import Confusion
from assay.metrics.estimate import Estimate
from assay.metrics.intervals import MANY
from assay.metrics.measures import MEASURES, Measure
from assay.stats.significance.test_result import check_alpha

__all__ = ["ClassReport"]

COLUMNS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class ClassReport:
    """What a classifier achieves on each class, and on average.

    Attributes
    ----------
    classes : {class: {"precision", "recall", "f1": Estimate}}; no interval where nothing defines the measure
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
    def of(cls, truth: Any, answer: Any, *, sample_weight: Any = None, alpha: float = 0.05) -> ClassReport:
        """Report on (n,) true labels and (n,) answers."""
        alpha = check_alpha(alpha, "ClassReport")
        seen = labelled(truth, answer, "ClassReport", sample_weight)
        T = seen.table().astype(np.float64)
        squares = (
            T if seen.weight is None else squares_of(seen.truth * seen.K + seen.answer, seen.weight, seen.K)
        )
        names = seen.labels.tolist()
        each = {label: {m: _one(m, T, squares, k, alpha) for m in COLUMNS} for k, label in enumerate(names)}
        rows = T.sum(axis=1)
        accuracy = wilson(MEASURES["accuracy"], T, squares, -1, float(MEASURES["accuracy"].of(T)), alpha)

        def mean(m: str, by_rows: bool) -> Estimate:
            known = MEASURES[m]

            def g(tables: np.ndarray) -> np.ndarray:
                values = np.nan_to_num(known.of(tables))
                if not by_rows:
                    return values.mean(axis=-1)
                size = tables.sum(axis=-1)
                return (values * size).sum(axis=-1) / size.sum(axis=-1)

            if by_rows and m == "recall":  # which is the accuracy
                return accuracy
            if not by_rows and known.mean_of is not None and not np.isnan(known.of(T)).any():
                return mean_of_shares(known, T, squares, float(g(T)), alpha)
            return _of_all(_plain(m), g, T, squares, alpha)

        averages = {
            "macro": {m: mean(m, False) for m in COLUMNS},
            "weighted": {m: mean(m, True) for m in COLUMNS},
        }
        both = MEASURES["f1 of means"]
        return cls(
            each,
            dict(zip(names, rows.tolist())),
            averages,
            _of_all(both, both.of, T, squares, alpha),
            accuracy,
            Confusion(seen.table(), tuple(names)),
            alpha,
        )

    def _lines(self) -> list[list[str]]:
        def row(name: Any, found: dict[str, Estimate], size: str) -> list[str]:
            return [one_line(name), *(_shown(found[m]) for m in COLUMNS), size]

        lines = [["", *COLUMNS, "rows"]]
        lines += [row(label, found, f"{self.support[label]:g}") for label, found in self.classes.items()]
        whole = f"{sum(self.support.values()):g}"
        lines += [row(f"{name} mean", found, whole) for name, found in self.averages.items()]
        lines.append(["F1 of means", "", "", _shown(self.f1_of_means), whole])
        return [*lines, ["accuracy", "", "", _shown(self.accuracy), whole]]

    def __str__(self) -> str:
        lines = self._lines()
        width = [max(len(line[j]) for line in lines) for j in range(5)]
        return "\n".join(
            "   ".join(
                c.rjust(w) if j == 4 else c.ljust(w) for j, (c, w) in enumerate(zip(line, width))
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head, *rows = self._lines()
        cells = "".join(
            f"<tr><th>{escape(row[0])}</th>" + "".join(f"<td>{escape(c)}</td>" for c in row[1:]) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{''.join(f'<th>{c}</th>' for c in head)}</tr></thead><tbody>{cells}</tbody></table>"


def _one(m: str, T: np.ndarray, squares: np.ndarray, k: int, alpha: float) -> Estimate:
    value = float(function_of(MEASURES[m], k)(T))
    if np.isnan(value):
        return Estimate(value, alpha=alpha, why="never answered" if m == "precision" else "not tested")
    return wilson(MEASURES[m], T, squares, k, value, alpha)


def _of_all(known: Measure, g: Any, T: np.ndarray, squares: np.ndarray, alpha: float) -> Estimate:
    value = float(g(T))
    if len(T) > MANY:
        return Estimate(value, alpha=alpha, why="many classes; with_interval resamples")
    return delta(known, g, T, squares, value, alpha)


def _plain(m: str) -> Measure:
    return Measure(m, "table", bounds=(0.0, 1.0))


def _shown(found: Estimate) -> str:
    if np.isnan(found.value):
        return f"- ({found.why})"
    if np.isnan(found.low):
        return f"{found.value:.4f} ({found.why})"
    return f"{found.value:.4f} ({found.low:.4f} to {found.high:.4f})"
