"""The errors a learner was surest of, with its own reasoning about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.evaluate import Comparison
from assay.evaluate.design import Split
from assay.evaluate.fold import Fold
from assay.tables.rows import take_rows

__all__ = ["Mistake", "surest_mistakes"]

LONGEST = 3600  # characters of one explanation


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that the learner was sure of, with its reasoning."""

    row: str  # its name: "row 17", "index ann"
    values: list[tuple[str, str]]
    hidden: int
    truth: str
    answer: str
    believed: float
    truth_believed: float
    text: str


def surest_mistakes(result: Comparison, name: str, splits: list[Split], most: int) -> list[Mistake] | None:
    """The wrong answers with the largest probability; None for a learner without probabilities.

    The learner is fitted again on the split that held the row out, so its reasoning is that of the comparison.

    Parameters
    ----------
    splits : of the first repetition
    most : how many are told
    """
    answers = result.out_of_fold(name)
    if answers.posterior is None:
        return None
    wrong = np.flatnonzero((answers.answer != answers.truth) & (answers.answer >= 0))
    sure = answers.posterior[wrong, answers.answer[wrong]]
    chosen = wrong[np.argsort(-sure, kind="stable")[:most]]
    fitted: dict[int, tuple[Fold, Any]] = {}
    told = []
    for i in chosen:
        row = int(answers.rows[i])
        split = next(j for j, s in enumerate(splits) if row in s.test)
        if split not in fitted:
            fitted[split] = _fitted(result, name, splits[split])
        values, hidden = _values(result, row)
        told.append(
            Mistake(
                row=result.row_names(row),
                values=values,
                hidden=hidden,
                truth=str(result.classes[answers.truth[i]]),
                answer=str(result.classes[answers.answer[i]]),
                believed=float(answers.posterior[i, answers.answer[i]]),
                truth_believed=float(answers.posterior[i, answers.truth[i]]),
                text=_explained(*fitted[split], result.candidates[name], row),
            )
        )
    return told


def _fitted(result: Comparison, name: str, split: Split) -> tuple[Fold, Any]:
    assert result.source is not None
    candidate = result.candidates[name]
    learner, fold = clone(candidate.seeded(result.settings["seed"])), result.source.fold(split)
    if not hasattr(learner, "explain"):
        return fold, None
    return fold, fold.fit(learner, fold.tables(candidate)[0])


def _explained(fold: Fold, learner: Any, candidate: Any, row: int) -> str:
    if learner is None:
        return ""
    place = int(np.flatnonzero(fold.split.test == row)[0])
    said = str(learner.explain(take_rows(fold.tables(candidate)[1], np.array([place]))))
    head, _, reasons = said.partition("\n\n")  # who answers what for which row stands above already
    said = reasons or head
    return said if len(said) <= LONGEST else said[:LONGEST].rsplit("\n", 1)[0] + "\n  ..."


def _values(result: Comparison, row: int, most: int = 12) -> tuple[list[tuple[str, str]], int]:
    """The first values of a row as people read them, and how many more there are."""
    assert result.source is not None
    table = result.source.table
    cells = table.values[[row]]
    numbers = np.asarray(cells.todense() if hasattr(cells, "todense") else cells, dtype=float).ravel()
    said = []
    for j, (column, value) in list(enumerate(zip(table.schema, numbers)))[:most]:
        if np.isnan(value):
            text = "missing"
        elif column.kind == "numeric" and not column.date:
            text = f"{value:.6g}"
        else:
            text = str(table.schema.label(j, value))
        said.append((str(column.name), text))
    return said, max(0, len(numbers) - most)
