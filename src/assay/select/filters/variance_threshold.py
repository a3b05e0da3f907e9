"""Remove columns that hardly vary."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.core.stored import FloatArray, Object
from assay.errors import DegenerateError
from assay.prepare.preparation import Summed
from assay.select.filters.column_sums import ClassSums, class_sums
from assay.select.selector import Selector
from assay.stats import gini

__all__ = ["VarianceThreshold"]


class VarianceThreshold(Summed, Selector):
    r"""Remove the columns whose variance is not above a threshold; with 0, those that are constant.

    Of numbers the variance with divisor n, over the known values; of categories the Gini index
    :math:`1 - \sum_v p_v^2`, which is the sum of the variances of their indicators. A constant column has variance 0
    exactly, whatever its value; one that is all missing has none, and is removed. The target is not looked at. The
    learner is a sum: blocks, ``partial_fit`` and Dask give the same numbers.

    Cost: fit O(n d); transform O(d) a row; memory O(d).

    Parameters
    ----------
    threshold : float from 0 up, default 0

    Attributes
    ----------
    variances_ : (d,) NaN where nothing is known

    Examples
    --------
    >>> from assay.select import VarianceThreshold
    >>> VarianceThreshold().fit_transform([[0, 2, 0, 3], [0, 1, 4, 3], [0, 1, 1, 3]])
    array([[2, 0],
           [1, 4],
           [1, 1]])

    See Also
    --------
    SelectKBest, feature_scores

    References
    ----------
    - Chan, T. F., Golub, G. H. and LeVeque, R. J. (1982). Updating formulae and a pairwise algorithm for computing
      sample variances. COMPSTAT, 30-41.
    """

    card = Card("variance threshold", "removes columns that hardly vary")
    accepts = {"threshold": Range(0, open="high")}
    stored = {"variances_": FloatArray("d"), "_sums": Object(ClassSums)}

    def __init__(self, threshold: float = 0.0):
        self.threshold = threshold

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> ClassSums:
        return class_sums(X, np.zeros(X.shape[0], np.int64), w, 1, self.schema_)

    def _solve(self, sums: ClassSums) -> None:
        known = sums.moments.observed[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            variances = np.where(known > 0, sums.moments.scatter[0] / known, np.nan)
        for j in np.flatnonzero(self.schema_.coded).tolist():
            counts = sums.table(j, "leave out")[:, 0]
            variances[j] = float(gini(counts)) if counts.sum() > 0 else np.nan
        self.variances_ = variances
        if not (variances > self.threshold).any():
            single = " (X contains only one sample)" if sums.moments.count[0] <= 1 else ""
            raise DegenerateError(
                f"VarianceThreshold: No feature in X meets the variance threshold {self.threshold:.5f}{single}."
            )

    def _support(self) -> np.ndarray:
        return self.variances_ > self.threshold

    def _why(self, j: int) -> str:
        if np.isnan(self.variances_[j]):
            return "no value is known"
        side = "above" if self._support()[j] else "not above"
        return f"variance {self.variances_[j]:.6g}, {side} {self.threshold:g}"
