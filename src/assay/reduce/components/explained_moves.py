"""Explanations of new columns that are no sums over the columns: what moves a row, and the training rows behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues, dense_block
from assay.core.learner import Transformer
from assay.types import TableLike

__all__ = ["ExplainedMoves", "terms_of_rows"]

SHOWN_COMPONENTS = 10
SHOWN_COLUMNS = 12
SHOWN_ROWS = 10
COLUMNS_TRIED = 200  # of a wide table those in which the row is farthest from the usual
VALUES_TRIED = 1 << 22  # in the rows that are tried


class ExplainedMoves(Transformer):
    r"""Mixin of transformers whose answer is no sum over the columns.

    The columns are asked one at a time: how far does the row move if the column is set to its usual value, the mean of
    the training rows, or of categories and of two values the most frequent one? A subclass has the training rows as
    its mathematics sees them, ``_training_block()``, and may say in ``_sources(X, row, placed)`` which of them place
    the row (1, p).
    """

    def explain(self, X: TableLike) -> Any:
        """What places each row among the training rows: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _training_block(self) -> Any:
        """(n, p) the training rows as ``_transform`` takes rows; None where they are no rows of columns."""
        raise TypeError(f"{type(self).__name__} must define _training_block")

    def _sources(self, X: Any, row: dict[str, Any], placed: np.ndarray) -> list[Section]:
        """The training rows behind the place (k,) of the row X (1, p), and its values by column."""
        return []

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        placed = np.asarray(self._transform(X), dtype=np.float64)

        def sections(i: int) -> list[Section]:
            row = X[i : i + 1]
            return [*self._moves(row, placed[i]), *self._sources(row, rows[i], placed[i])]

        return Explanations(type(self).__name__, placed.tolist(), rows, Reasons(sections))

    def _moves(self, row: Any, placed: np.ndarray) -> list[Section]:
        training = self._training_block()
        if training is None:
            return []
        source = self._columns_behind(row.shape[1])
        usual = _usual_values(training, source, self._categorical(source))
        x = dense_block(row)[0].astype(np.float64)
        unlike = np.flatnonzero(~((x == usual) | (np.isnan(x) & np.isnan(usual))))
        tried = np.unique(source[unlike])
        most = max(SHOWN_COLUMNS, min(COLUMNS_TRIED, VALUES_TRIED // len(x)))
        if len(tried) > most:
            gap = np.abs(x - usual) / _spread(training)
            far = np.zeros(source.max() + 1)
            np.maximum.at(far, source, np.where(np.isnan(gap), np.inf, gap))
            tried = np.sort(np.argsort(-far, kind="stable")[:most])
        if not len(tried):
            return []
        changed = np.where(source[None, :] == tried[:, None], usual, x)
        if not isinstance(row, np.ndarray):
            changed = type(row)(changed)
        moves = placed - np.asarray(self._transform(changed), dtype=np.float64)
        names, columns = self._names_out()[:SHOWN_COMPONENTS], self.schema_.names
        moves = moves[:, : len(names)]
        order = np.argsort(-np.abs(moves).max(axis=1, initial=0.0), kind="stable")[:SHOWN_COLUMNS]
        lines: list[list[Any]] = [[columns[tried[t]], *moves[t].tolist()] for t in order]
        note = "From where the row would be with the usual value of this column alone; moves of columns do not add up."
        heads = ["column", *names]
        return [Section("How far each column moves the row", heads, lines, note)]

    def _columns_behind(self, p: int) -> np.ndarray:
        """(p,) the table's column behind each column of the block."""
        design = getattr(self, "design_", None)
        return np.arange(p) if design is None or design.plain else np.asarray(design.source)

    def _categorical(self, source: np.ndarray) -> np.ndarray:
        """(p,) whether a column of the block holds categories, or indicates one."""
        return np.array([column.kind == "nominal" for column in self.schema_], dtype=bool)[source]


def terms_of_rows(
    learner: Any, values: np.ndarray, terms: np.ndarray, values_are: str, base: np.ndarray | None = None
) -> Section:
    """What the training rows (n, k) add to new columns that are sums over them, those that add most first.

    Parameters
    ----------
    learner : one with ``keeps_row_names``
    values : (n,) what the row is compared by with each training row      values_are : what they are called
    base : (k,) what stands before the sum, if anything
    """
    names = learner._names_out()[:SHOWN_COMPONENTS]
    terms = terms[:, : len(names)]
    order = np.argsort(-np.abs(terms).max(axis=1, initial=0.0), kind="stable")[:SHOWN_ROWS]
    lines: list[list[Any]] = [
        [learner._cases.label(int(t)), float(values[t]), *terms[t].tolist()] for t in order
    ]
    start = np.zeros(len(names)) if base is None else base[: len(names)]
    sums = ", ".join(f"{name} {total:.6g}" for name, total in zip(names, start + terms.sum(axis=0)))
    before = "" if base is None else f" from {', '.join(f'{b:.6g}' for b in start)}"
    heads = [learner._cases.head, values_are, *names]
    return Section(
        "What training rows add", heads, lines, f"Sums over all {len(values)} rows{before}: {sums}."
    )


def _usual_values(training: Any, source: np.ndarray, categorical: np.ndarray) -> np.ndarray:
    """(p,) means of numbers, the most frequent of categories and of two values; NaN where no value is known."""
    if not isinstance(training, np.ndarray):
        return np.asarray(training.mean(axis=0), dtype=np.float64).ravel()
    known = ~np.isnan(training)
    counts = known.sum(axis=0)
    size = np.abs(np.where(known, training, 0.0)).max(axis=0, initial=0.0)
    size[size == 0] = 1.0
    sums = np.where(known, training / size, 0.0).sum(axis=0)  # of numbers up to 1, which cannot overflow
    usual = np.where(counts > 0, sums / np.maximum(counts, 1) * size, np.nan)
    for j in np.unique(source):
        places = np.flatnonzero(source == j)
        if len(places) > 1:
            usual[places] = np.arange(len(places)) == np.argmax(usual[places])  # indicators
            continue
        values, often = np.unique(training[known[:, places[0]], places[0]], return_counts=True)
        if len(values) and (categorical[places[0]] or len(values) <= 2):
            usual[places] = values[often.argmax()]
    return usual


def _spread(training: Any) -> np.ndarray:
    """(p,) the largest difference of two values, 1 for constant columns."""
    if isinstance(training, np.ndarray):
        known = np.isfinite(training)
        high = np.where(known, training, -np.inf).max(axis=0)
        low = np.where(known, training, np.inf).min(axis=0)
    else:
        high, low = (dense_block(ends).ravel() for ends in (training.max(axis=0), training.min(axis=0)))
    spread = np.asarray(high, dtype=np.float64) - low
    return np.where((spread > 0) & np.isfinite(spread), spread, 1.0)
