"""The most confident errors of a learner, with its explanations of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from assay.core.explanation import Explanation
from assay.evaluate import Comparison
from assay.evaluate.design import Split
from assay.tables.rows import take_rows

__all__ = ["ConfidentError", "explanations_of", "most_confident_errors", "row_values"]

MAX_LENGTH = 3600  # characters of one explanation
SHOWN_VALUES = 12  # of a row


@dataclass(frozen=True)
class ConfidentError:
    """A wrong prediction of high probability, with its explanation."""

    row: str  # its name: "row 17", "index ann"
    values: list[tuple[str, str]]
    hidden: int
    truth: str
    answer: str
    probability: float
    true_probability: float
    text: str


def most_confident_errors(
    result: Comparison, name: str, splits: list[Split], limit: int
) -> list[ConfidentError] | None:
    """The wrong predictions with the largest probability; None for a learner without probabilities.

    The learner is fitted again on the split that held the row out, so the explained model is that of the comparison.

    Parameters
    ----------
    splits : of the first repetition
    limit : how many are listed
    """
    answers = result.out_of_fold(name)
    if answers.posterior is None:
        return None
    wrong = np.flatnonzero((answers.answer != answers.truth) & (answers.answer >= 0))
    confidence = answers.posterior[wrong, answers.answer[wrong]]
    selected = wrong[np.argsort(-confidence, kind="stable")[:limit]]
    reasoning = explanations_of(result, name, splits, [int(answers.rows[i]) for i in selected])
    errors = []
    for i in selected:
        row = int(answers.rows[i])
        values, hidden = row_values(result, row)
        errors.append(
            ConfidentError(
                row=result.row_names(row),
                values=values,
                hidden=hidden,
                truth=str(result.classes[answers.truth[i]]),
                answer=str(result.classes[answers.answer[i]]),
                probability=float(answers.posterior[i, answers.answer[i]]),
                true_probability=float(answers.posterior[i, answers.truth[i]]),
                text=reasoning.get(row, ""),
            )
        )
    return errors


def explanations_of(result: Comparison, name: str, splits: list[Split], rows: list[int]) -> dict[int, str]:
    """Explanations of rows, each by the model of the split that held it out."""
    assert result.source is not None
    candidate, texts = result.candidates[name], {}
    for split in splits:
        positions = np.flatnonzero(np.isin(split.test, rows))
        learner = clone(candidate.seeded(result.settings["seed"]))
        if not len(positions) or not hasattr(learner, "explain"):
            continue
        fold = result.source.fold(split)
        train, test = fold.tables(candidate)
        learner = fold.fit(learner, train)
        block = learner.explain(take_rows(test, positions))
        texts |= zip(
            split.test[positions].tolist(), map(_text, [block] if isinstance(block, Explanation) else block)
        )
    return texts


def _text(explanation: Explanation) -> str:
    # the page shows learner, prediction and row above it
    head, _, reasons = str(explanation).partition("\n\n")
    text = reasons or head
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH].rsplit("\n", 1)[0] + "\n  ..."


def row_values(result: Comparison, row: int) -> tuple[list[tuple[str, str]], int]:
    """The first values of a row as text, and how many more there are."""
    assert result.source is not None
    table = result.source.table
    cells = table.values[[row]]
    numbers = np.asarray(cells.todense() if hasattr(cells, "todense") else cells, dtype=float).ravel()
    texts = []
    for j, (column, value) in list(enumerate(zip(table.schema, numbers)))[:SHOWN_VALUES]:
        if np.isnan(value):
            text = "missing"
        elif column.kind == "numeric" and not column.date:
            text = f"{value:.6g}"
        else:
            text = str(table.schema.label(j, value))
        texts.append((str(column.name), text))
    return texts, max(0, len(numbers) - SHOWN_VALUES)
