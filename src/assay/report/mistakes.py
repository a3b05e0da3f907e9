"""The errors a learner was surest of, with its own reasoning about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from assay.core.explanation import Explanation
from assay.evaluate import Comparison
from assay.evaluate.design import Split
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
    reasoning = _reasoning(result, name, splits, [int(answers.rows[i]) for i in chosen])
    told = []
    for i in chosen:
        row = int(answers.rows[i])
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
                text=reasoning.get(row, ""),
            )
        )
    return told


def _reasoning(result: Comparison, name: str, splits: list[Split], rows: list[int]) -> dict[int, str]:
    """The learner's reasoning about some rows, each by the model of the split that held it out."""
    assert result.source is not None
    candidate, texts = result.candidates[name], {}
    for split in splits:
        places = np.flatnonzero(np.isin(split.test, rows))
        learner = clone(candidate.seeded(result.settings["seed"]))
        if not len(places) or not hasattr(learner, "explain"):
            continue
        fold = result.source.fold(split)
        train, test = fold.tables(candidate)
        learner = fold.fit(learner, train)
        block = learner.explain(take_rows(test, places))
        texts |= zip(
            split.test[places].tolist(), map(_text, [block] if isinstance(block, Explanation) else block)
        )
    return texts


def _text(explanation: Explanation) -> str:
    # who answers what for which row stands above already
    head, _, reasons = str(explanation).partition("\n\n")
    text = reasons or head
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit("\n", 1)[0] + "\n  ..."


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
