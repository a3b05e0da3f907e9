"""Distances that SciPy and scikit-learn have by name, for numbers, binary columns and coordinates on the earth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.distances._mixed as _mixed
from assay.core.stored import FloatArray, Plain, Text
from assay.distances.cosine import unit_rows
from assay.distances.metric import Metric
from assay.errors import DataError

__all__ = ["Named"]

_TRIANGLE = {"canberra", "hamming", "haversine", "jaccard", "rogerstanimoto", "sokalsneath"}
_YES_NO = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


@dataclass(frozen=True, eq=False)
class Named(Metric):
    """A distance by its usual name.

    "hamming" is the share of columns that differ; "jaccard", "dice" and similar ones take each number as true (not
    zero) or false (zero), and two rows without any yes are at distance 0; "haversine" is the angle between two places
    given by latitude and longitude in radians; "nan_euclidean" is Euclid's over the columns that both rows have,
    scaled up to all columns (rows that share none are infinitely far apart).

    Parameters
    ----------
    which : str
    w : (d,) weights of the columns, where SciPy's distance of that name takes them

    Examples
    --------
    >>> from assay.distances import metric_of
    >>> metric_of("hamming").between([[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 0.0, 0.0]])
    array([[0.5]])
    """

    which: str = "hamming"
    w: np.ndarray | None = None
    stored = {
        "which": Text(),
        "w": FloatArray("d", low=0, finite=True) | Plain((list, tuple)) | None,
    }

    @property
    def name(self) -> str:
        return self.which

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset({"missing"}) if self.which == "nan_euclidean" else frozenset()

    @property
    def triangle(self) -> bool:  # type: ignore[override]
        return self.which in _TRIANGLE

    def _prepared(self, X: Any) -> Any:
        X = np.ascontiguousarray(self._dense(X))
        if self.which == "haversine" and X.shape[1] != 2:
            raise DataError(f"haversine: rows are latitude and longitude, two columns, got {X.shape[1]}.")
        if self.which == "correlation":
            X = X - X.mean(axis=1, keepdims=True)
        return X != 0 if self.which in _YES_NO else X

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        if self.which == "haversine":
            return _haversine(A, B)
        if self.which == "nan_euclidean":
            return _over_what_is_there(A, B)
        if self.which == "correlation":
            return _one_minus_cosine(A, B)
        from scipy.spatial.distance import cdist

        more = {} if self.w is None else {"w": np.asarray(self.w, dtype=np.float64)}
        with np.errstate(invalid="ignore", divide="ignore"):
            distances = cdist(A, B, self.which, **more)
        return np.where(np.isnan(distances), 0.0, distances)  # 0 / 0: two rows of zeros do not differ


def _over_what_is_there(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """sqrt(d / |J| sum_{j in J} (a_j - b_j)^2), J the columns that both have."""
    d, out = A.shape[1], np.empty((len(A), len(B)))
    _mixed.distances(
        A=A,
        B=B,
        kind=np.zeros(d, np.uint8),
        start=np.zeros(d + 1, np.int64),
        worth=np.zeros(0),
        square=True,
        gaps=False,
        out=out,
    )
    return out


def _haversine(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """2 asin sqrt(sin^2(dlat / 2) + cos lat cos lat' sin^2(dlon / 2))."""
    half = np.sin((A[:, None, :] - B) / 2) ** 2
    inside = half[..., 0] + np.cos(A[:, :1]) * np.cos(B[:, 0]) * half[..., 1]
    return 2 * np.arcsin(np.sqrt(np.clip(inside, 0.0, 1.0)))


def _one_minus_cosine(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """1 - r of centred rows; a constant row correlates with nothing, so its distance is 1, or 0 to another one."""
    distances = np.clip(1.0 - unit_rows(A) @ unit_rows(B).T, 0.0, 2.0)
    distances[np.ix_(~A.any(axis=1), ~B.any(axis=1))] = 0.0
    return distances
