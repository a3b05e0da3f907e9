"""What selectors share that weigh what columns tell of the target against what they tell of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import Accepted, Any_, Choice
from assay.core.stored import FloatArray, Text
from assay.core.targets import encode_labels, numeric_target
from assay.errors import DataError, ParameterError
from assay.select.filters.bins import check_bins
from assay.select.filters.feature_scores import task_of
from assay.select.filters.pairwise import association_matrix, information_matrix
from assay.select.selector import Selector
from assay.tables import Table
from assay.tables.float_blocks import is_sparse

__all__ = ["BINS", "MEASURE", "PairwiseSelector"]

MEASURE: Accepted = Choice("auto", "information", "correlation")
BINS: Accepted = Any_("'mdl', a number of bins, or ('width', number)")


class PairwiseSelector(Selector):
    """A selector by relevance and redundancy; its author writes ``_pick(relevance, redundancy)``.

    Attributes
    ----------
    relevance_ : (d,) how strongly each column is tied to the target
    redundancy_ : (d, d) how strongly the columns are tied to each other
    measure_ : "information" or "correlation", what both are measured by
    """

    stored = {
        "relevance_": FloatArray("d"),
        "redundancy_": FloatArray("d", "d"),
        "measure_": Text(),
    }
    measure: str
    bins: Any
    relevance_: np.ndarray
    redundancy_: np.ndarray
    measure_: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _read_target(self, y: Any, n: int) -> Any:
        who = type(self).__name__
        if y is None:
            raise DataError(
                "requires y to be passed, but the target y is None: classes or numbers by which columns are judged.",
                who=who,
            )
        if task_of(y) == "regression":
            self.__dict__.pop("classes_", None)
            return numeric_target(y, n, who)
        self.classes_, codes = encode_labels(y, n, who)
        return codes

    def _matrix(self, table: Table, target: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        """(d + 1, d + 1) the measure of all pairs of columns and the target, which is the last."""
        who = type(self).__name__
        K = len(self.classes_) if hasattr(self, "classes_") else None
        check_bins(self.bins, who)
        self.measure_ = (
            self.measure if self.measure != "auto" else "correlation" if K is None else "information"
        )
        if is_sparse(table.values):
            table = table.replaced(values=table.values.toarray())
        if self.measure_ == "correlation":
            return association_matrix(table, target, w, K, who)
        if K is None:
            raise ParameterError(
                "the measure 'information' is for classes; y holds numbers. Use 'correlation'.", who=who
            )
        return information_matrix(table, target, w, K, self.bins, who)

    def _choose(self, table: Table, target: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        matrix = self._matrix(table, target, weights)
        self.relevance_, self.redundancy_ = self._strengths(matrix)
        mask = np.zeros(len(self.relevance_), dtype=bool)
        mask[self._pick(self.relevance_, self.redundancy_)] = True
        return mask

    def _strengths(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Relevance and redundancy from the measure of all pairs."""
        return matrix[:-1, -1].copy(), matrix[:-1, :-1].copy()

    def _pick(self, relevance: np.ndarray, redundancy: np.ndarray) -> list[int]:
        """The numbers of the columns to keep."""
        raise TypeError(f"{type(self).__name__} must define _pick")
