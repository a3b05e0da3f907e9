"""The rows that surprise a learner of numbers most, with its explanations of what it predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.evaluate import Comparison
from assay.evaluate.design import Split
from assay.evaluate.residuals import Residuals
from assay.report.confident_errors import explanations_of, row_values
from assay.report.numbers import shown_number
from assay.report.predictive_rows import PredictiveRows

__all__ = ["SurprisingRow", "most_surprising_rows"]


@dataclass(frozen=True)
class SurprisingRow:
    """A prediction that is far off, beside the spread that was predicted, with its explanation."""

    row: str  # its name: "row 17", "index ann"
    values: list[tuple[str, str]]
    hidden: int
    truth: str
    answer: str
    off: str  # how far the prediction is off: "30.5 too low"
    times: float  # the residual in units of the spread
    spread: str  # "the predicted spread, 12.1"
    text: str


def most_surprising_rows(
    result: Comparison, name: str, splits: list[Split], limit: int, predictive: PredictiveRows | None = None
) -> list[SurprisingRow]:
    """The rows with the largest residuals in units of their predicted spread, or of the spread of all residuals.

    The learner is fitted again on the split that held the row out, so the explained model is that of the comparison.

    Parameters
    ----------
    splits : of the first repetition
    limit : how many are listed
    predictive : the learner's predictive distributions of the test rows, or None
    """
    residuals = Residuals.of_comparison(result, name)
    spreads, word = surprise_units(residuals, predictive)
    times = np.divide(residuals.residual, spreads, out=np.zeros(len(spreads)), where=spreads > 0)
    if residuals.weight is not None:
        times = np.where(residuals.weight > 0, times, 0.0)
    selected = [int(i) for i in np.argsort(-np.abs(times), kind="stable")[:limit] if times[i] != 0]
    texts = explanations_of(result, name, splits, [int(residuals.rows[i]) for i in selected])
    surprising = []
    for i in selected:
        row, residual = int(residuals.rows[i]), float(residuals.residual[i])
        values, hidden = row_values(result, row)
        like = max(abs(residuals.truth[i]), abs(residuals.predicted[i]))
        surprising.append(
            SurprisingRow(
                row=result.row_names(row),
                values=values,
                hidden=hidden,
                truth=shown_number(residuals.truth[i], like),
                answer=shown_number(residuals.predicted[i], like),
                off=f"{shown_number(abs(residual), like)} too {'low' if residual > 0 else 'high'}",
                times=abs(float(times[i])),
                spread=f"{word}, {shown_number(spreads[i])}",
                text=texts.get(row, ""),
            )
        )
    return surprising


def surprise_units(residuals: Residuals, predictive: PredictiveRows | None) -> tuple[np.ndarray, str]:
    """(n,) the spread that each residual is measured in, and what it is."""
    if predictive is not None and np.array_equal(predictive.rows, residuals.rows):
        known = np.isfinite(predictive.spread) & (predictive.spread > 0)
        if known.all():
            return predictive.spread, "the spread predicted for it"
    return np.full(len(residuals.rows), residuals.spread), "the spread of all residuals"
