"""Explanations of new columns that are weighted sums of the columns: what each column adds to each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Explanations, Reasons, RowValues
from assay.core.learner import Transformer
from assay.types import TableLike

__all__ = ["ExplainedSums"]

SHOWN_COMPONENTS = 10
SHOWN_COLUMNS = 12


class ExplainedSums(Transformer):
    r"""Mixin of transformers with :math:`z = Wa`, a the deviations of a row: ``_deviations(X)`` and ``_weights()``.

    One whose weights depend on the row defines ``_terms(X)`` instead.
    """

    def _deviations(self, X: Any) -> np.ndarray:
        """(n, p) the numbers of the rows that the weights multiply: 0 for a row that says nothing."""
        raise TypeError(f"{type(self).__name__} must define _deviations")

    def _weights(self) -> np.ndarray:
        """(k, p) what a unit of each column adds to each component."""
        raise TypeError(f"{type(self).__name__} must define _weights")

    def _terms(self, X: Any) -> Callable[[np.ndarray], np.ndarray]:
        """From row numbers: (m, p, k) what each column adds to each component of these rows."""
        deviations, W = self._deviations(X), self._weights()
        return lambda some: deviations[some][:, :, None] * W.T[None]

    def explain(self, X: TableLike) -> Any:
        """What each column adds to each component: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        return Explanations(type(self).__name__, self._transform(X).tolist(), rows, self._reasons(X, rows))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        terms, names, columns = self._terms(X), self._names_out(), self.schema_.names

        def contributions(some: np.ndarray) -> Contributions:
            base, chosen = np.zeros(len(names)), np.zeros(len(some), dtype=np.int64)
            return self._contributions(terms(some), base, names, chosen)

        def sections(i: int) -> list[Section]:
            parts = contributions(np.array([i])).values[0]
            shown = min(len(names), SHOWN_COMPONENTS)
            order = np.argsort(-np.abs(parts[:, :shown]).max(axis=1, initial=0.0), kind="stable")
            lines = [[columns[j], *parts[j, :shown].tolist()] for j in order[:SHOWN_COLUMNS]]
            note = f"Sums over all {len(columns)} columns: " + ", ".join(
                f"{names[c]} {parts[:, c].sum():.6g}" for c in range(shown)
            )
            heads = ["column", *names[:shown]]
            return [Section("What the columns add to the components", heads, lines, f"{note}.")]

        return Reasons(sections, contributions)
