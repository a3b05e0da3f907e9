"""The rows of a summary: those that weigh anything, in the columns that vary."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from assay.core.targets import plain_values
from assay.linear.inference.fisher_information import varying

__all__ = ["SummaryRows"]


class SummaryRows(NamedTuple):
    """The rows that weigh anything and the columns that vary."""

    X: Any
    y: Any
    w: Any
    groups: Any
    names: list[str]
    kept: np.ndarray  # numbers of the columns that vary
    dropped: np.ndarray  # (D,) the value of the columns that do not, 0 for the others
    constant: list[str]  # their names

    @classmethod
    def of(cls, X: Any, y: Any, w: Any, groups: Any, names: list[str], intercept: bool) -> SummaryRows:
        values = np.asarray(plain_values(y))
        if w is not None and not (w > 0).all() and len(values) == len(w):
            rows = np.flatnonzero(w > 0)
            X, y, w = X[rows], values[rows], w[rows]
            groups = None if groups is None else np.unique(groups[rows], return_inverse=True)[1]
        kept = varying(X, intercept)
        dropped = np.zeros(X.shape[1])
        if len(kept) == X.shape[1]:
            return cls(X, y, w, groups, names, kept, dropped, [])
        constant = np.setdiff1d(np.arange(X.shape[1]), kept)
        first = X[:1] if isinstance(X, np.ndarray) else X[:1].toarray()
        dropped[constant] = first[0, constant]
        names, lost = [names[j] for j in kept], [names[j] for j in constant]
        return cls(X[:, kept], y, w, groups, names, kept, dropped, lost)
