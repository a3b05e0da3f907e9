"""Rows and classes as the search for separating weights wants them, and its weights in the user's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError
from assay.linear.number_columns import number_columns
from assay.linear.separation.row_pairs import independent
from assay.linear.separation.separating_cone import MAX_NEWTON_UNKNOWNS, Cone, Search

__all__ = ["SeparationProblem"]


class SeparationProblem:
    """The rows as the search wants them: weightless ones left out, columns centred, of size 1 and independent."""

    def __init__(
        self,
        X: Any,
        y: Any,
        w: Any,
        fit_intercept: bool,
        who: str,
        names: Sequence[str] | None = None,
        classes: Any = None,
    ):
        X, own_names = number_columns(X, who)
        n, sparse = X.shape[0], not isinstance(X, np.ndarray)
        labels, codes = encode_labels(y, n, who)
        weights = check_weights(w, X)
        self.kept = np.arange(n) if weights is None else np.flatnonzero(weights > 0)
        if weights is not None and len(self.kept) < n:
            X = X[self.kept]
            present, codes = np.unique(codes[self.kept], return_inverse=True)
            labels = labels[present]
        if len(labels) < 2:
            raise DataError(f"{who}: y has one class, {labels[0]!s}; separation needs at least two.")
        self.labels = labels if classes is None else _named(labels, np.asarray(classes), who)
        self.n, self.K, self.d, self.rows = len(self.kept), len(labels), X.shape[1], n
        self.names = own_names if names is None else list(names)
        if len(self.names) != self.d:
            raise DataError(f"{who}: names has {len(self.names)} entries for {self.d} columns.")
        self.X, self.y, self.fit_intercept = X, codes, fit_intercept
        self.single = None if sparse or self.K > 2 or not fit_intercept else _one_column(X, codes)
        self._cone: Cone | None = None

    @property
    def cone(self) -> Cone:
        if self._cone is None:
            Z, self.place, self.centre, self.scale = _scaled(self.X, self.fit_intercept)
            self._cone = Cone(Z, self.y, self.K)
        return self._cone

    def search(self) -> Search:
        cone, start = self.cone, None
        if self.single is not None and self.single[0] in self.place:  # one column separates some rows
            j, cut, _, sign = self.single
            start = np.zeros((cone.p, 2))
            start[1 + int(np.flatnonzero(self.place == j)[0]), 1] = sign
            start[0, 1] = sign * (self.centre[j] - cut) / self.scale[j]
        return cone.search(start)

    @property
    def gave_up(self) -> str:
        return (
            f"whether linear scores separate the {self.K} classes could not be settled for {self.n} rows and {self.d} "
            "columns: neither separating weights nor a point common to the classes was found with certainty. Try fewer "
            "columns, or columns of more similar size."
        )

    def alone(self) -> tuple[np.ndarray, float]:
        """Weights of the single column that separates the two classes."""
        assert self.single is not None
        j, cut, _, sign = self.single
        coef = np.zeros(self.d)
        coef[j] = sign
        return coef, -sign * cut

    def outside(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(K, d) and (K,) the weights for the columns as they were given."""
        coef, intercept = np.zeros((self.K, self.d)), np.zeros(self.K)
        inner = W[1:] if self.fit_intercept else W
        coef[:, self.place] = (inner / self.scale[self.place, None]).T
        if self.fit_intercept:
            intercept = W[0] - coef @ self.centre
        return coef, intercept


def _named(labels: np.ndarray, classes: np.ndarray, who: str) -> np.ndarray:
    """The classes of these numbers."""
    if labels.dtype.kind not in "biu" or not 0 <= int(labels.min()) <= int(labels.max()) < len(classes):
        raise DataError(
            f"{who}: with classes given, y must hold their numbers from 0 to {len(classes) - 1}, got "
            f"{labels.tolist()!r:.80}."
        )
    return classes[labels.astype(np.intp)]


def _one_column(X: np.ndarray, y: np.ndarray) -> tuple[int, float, bool, float] | None:
    """The column that separates two classes alone: its number, the cut, whether all rows, the sign; or None.

    Of several that separate all rows the one with the widest gap for its spread; rows that lie at the cut in both
    classes make the separation quasi-complete.
    """
    first, second = X[y == 0], X[y == 1]
    low0, high0, low1, high1 = first.min(0), first.max(0), second.min(0), second.max(0)
    spread = np.maximum(high0, high1) / 2 - np.minimum(low0, low1) / 2
    up, down = low1 / 2 - high0 / 2, low0 / 2 - high1 / 2
    gap = np.divide(np.maximum(up, down), spread, out=np.full(len(spread), -1.0), where=spread > 0)
    if not len(gap) or gap.max() < 0:
        return None
    j = int(np.argmax(gap))
    sign = 1.0 if up[j] >= down[j] else -1.0
    below, above = (high0[j], low1[j]) if sign > 0 else (high1[j], low0[j])
    return j, float(below / 2 + above / 2), bool(below < below / 2 + above / 2 < above), sign


def _scaled(X: Any, centred: bool) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Columns centred and of size 1, a constant first, without those that depend on others.

    Returns the matrix, the numbers of the columns it has, and centre and scale of all d. Sparse columns are not
    centred.
    """
    dense = isinstance(X, np.ndarray)
    top = np.asarray(abs(X).max(axis=0).toarray()).ravel() if not dense else np.abs(X).max(axis=0, initial=0)
    scale = np.where(top > 0, top, 1.0)
    n, d = X.shape
    centre = np.zeros(d)
    if not dense:
        from scipy.sparse import csr_array, diags_array, hstack

        place = np.flatnonzero(top > 0)
        Z = csr_array(X @ diags_array(1.0 / scale))[:, place]
        if centred:
            Z = hstack((csr_array(np.ones((n, 1))), Z), format="csr")
        if Z.shape[1] <= MAX_NEWTON_UNKNOWNS:
            kept = independent((Z.T @ Z).toarray())
            Z, place = Z[:, kept], place[kept[centred:] - centred]
        return Z, place, centre, scale
    Z = X / scale
    if centred:
        middle = Z.mean(axis=0)
        Z -= middle
        centre = middle * scale
    size = np.sqrt(np.mean(Z * Z, axis=0))
    place = np.flatnonzero(size > 1e-13)
    Z = Z[:, place] / size[place]
    scale = np.where(size > 1e-13, scale * size, 1.0)
    if centred:
        Z = np.column_stack((np.ones(n), Z))
    if Z.shape[1] <= MAX_NEWTON_UNKNOWNS:
        kept = independent(Z.T @ Z)
        Z, place = np.ascontiguousarray(Z[:, kept]), place[kept[centred:] - centred]
    return Z, place, centre, scale
