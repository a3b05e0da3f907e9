"""What transformers share that stand for a kernel: as many new columns as asked for, whatever the rows are."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

import assay.kernels.approximations._feature_maps as _feature_maps
from assay.core.fitting import all_or_nothing
from assay.core.new_columns import NumberedColumns
from assay.core.parallel import in_threads
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.types import TableLike, Target

__all__ = ["DrawnFeatures", "FeatureMap", "wave_features"]

BLOCK_BYTES = 1 << 21  # of new numbers in one piece of work: they stay in the cache


class FeatureMap(NumberedColumns):
    """A transformer that stands for a kernel; rows have no weights."""

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Learn what the map needs of the rows of X; y is ignored."""
        return super().fit(X)


class DrawnFeatures(WithoutTarget, SumLearner, FeatureMap):
    """A map by random numbers: of the rows it needs their number of columns, and perhaps their variance."""

    keeps_single: ClassVar[bool] = True  # whether float32 in is float32 out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.keeps_single:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def partial_fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Add some rows to what was learned so far; y is ignored."""
        return super().partial_fit(X)


def wave_features(X: Any, weights: np.ndarray, offset: np.ndarray, scale: float) -> np.ndarray:
    r"""(n, m) :math:`s \cos(x^T w_j + b_j)`.

    Parameters
    ----------
    X : (n, d) rows, dense or sparse
    weights : (d, m)
    offset : (m,)
    scale : float

    >>> import numpy as np
    >>> from assay.kernels.approximations.feature_map import wave_features
    >>> wave_features(np.zeros((1, 2)), np.ones((2, 3)), np.array([0.0, np.pi / 3, np.pi]), 2.0).round(12)
    array([[ 2.,  1., -2.]])
    """
    n, m = X.shape[0], weights.shape[1]
    dtype = np.result_type(X.dtype, weights.dtype)
    out = np.empty((n, m), dtype if dtype == np.float32 else np.float64)
    size = max(64, BLOCK_BYTES // (m * out.itemsize))

    def some(start: int) -> None:
        rows = slice(start, start + size)
        if isinstance(X, np.ndarray):
            np.matmul(X[rows], weights, out=out[rows])
        else:
            out[rows] = X[rows] @ weights
        if out.dtype == np.float64:
            _feature_maps.waves(out[rows], offset, scale)
            return
        out[rows] += offset
        np.cos(out[rows], out=out[rows])
        out[rows] *= out.dtype.type(scale)

    in_threads(some, range(0, n, size))
    return out
