"""Sammon's mapping by a function of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.explanations import Explanations, RowValues, dense_block
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Instance
from assay.core.stored import FloatArray, Object
from assay.errors import ParameterError
from assay.reduce.components.explained_moves import ExplainedMoves
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.embedding.classical_scaling import checked_distances, classical_scaling
from assay.reduce.embedding.sammon_mapping import SammonMapping
from assay.reduce.embedding.sammon_terms import quasi_newton, sammon_terms
from assay.types import Estimator, MetricLike

__all__ = ["ParametricSammon"]

MOST_FITS = 30  # of a regressor


class ParametricSammon(ExplainedSums, SammonMapping):
    r"""Sammon's mapping by a function of the columns, so that new rows need no more than the function.

    Without a regressor the function is linear, :math:`z = W^T x`; W starts at the principal components and descends by
    the gradient

    .. math:: \nabla_W E = \sum_{r,s} \frac{2(q - \delta)}{q\,\delta^2} u u^T W,\; u = x_r - x_s, q = \|W^Tu\| \quad (1)

    Any regressor of several targets can take its place: in turn, the points move one step of majorisation from where
    the regressor puts them, and the regressor is fitted to where they went (Tipping and Lowe 1998); the fit of least
    stress is kept.

    Cost: fit O(n^2 k t) for t steps and, of a regressor, t fits; transform O(d k) a row; memory O(n^2).

    Parameters
    ----------
    n_components : int, default 2
    regressor : estimator or None, default None
        The function; None is linear.
    normalization, max_iter, tol, metric, metric_params : as in :class:`SammonMapping`

    Attributes
    ----------
    coef_ : (d, k) W, of the linear function      mean_ : (d,) what is subtracted from a row first
    regressor_ : the fitted regressor      embedding_ : (n, k)      stress_ : float      n_iter_ : int

    Examples
    --------
    >>> from assay.reduce import ParametricSammon, SammonMapping
    >>> from assay.tables.data import load_iris
    >>> X = load_iris().X
    >>> linear, free = ParametricSammon().fit(X), SammonMapping().fit(X)
    >>> free.stress_ < linear.stress_  # free points fit better; the linear map places any row at once
    True

    See Also
    --------
    SammonMapping, PCA

    References
    ----------
    - Tipping, M. E. and Lowe, D. (1998). Shadow targets: a novel algorithm for topographic projections by radial basis
      functions. Neurocomputing 19, 211-222. doi:10.1016/S0925-2312(97)00066-0
    """

    card = Card("parametric sammon", "Sammon's mapping by a linear map or a regressor")
    accepts = {
        **{
            name: kind
            for name, kind in SammonMapping.accepts.items()
            if name not in ("solver", "n_init", "extension", "random_state")
        },
        "regressor": Instance(having="predict", words="a regressor") | None,
    }
    stored = {
        "coef_": FloatArray("p", "m", finite=True),
        "mean_": FloatArray("p", finite=True),
        "regressor_": Object(BaseEstimator),
    }
    ways = ("map",)
    takes = frozenset()  # what the function can use: numbers
    alternative_for_missing = "Use SammonMapping(metric='heom'), which compares the values that are known."

    def __init__(
        self,
        n_components: int = 2,
        *,
        regressor: Estimator | None = None,
        normalization: str = "sammon",
        max_iter: int = 500,
        tol: float = 1e-10,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
    ):
        self.n_components = n_components
        self.regressor = regressor
        self.normalization = normalization
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.metric_params = metric_params

    def _embed(self, X: Any) -> np.ndarray:
        who = type(self).__name__
        if self.distance_.precomputed:
            raise ParameterError(f"{who}: its function needs columns of numbers, not distances.")
        D = checked_distances(self.distance_.between(X, X), who)
        unit = float(D.max(initial=0.0)) or 1.0
        delta = D[np.triu_indices(len(D), 1)] / unit
        for name in ("coef_", "mean_", "regressor_"):
            self.__dict__.pop(name, None)
        Z, stresses = self._linear(X, delta, unit) if self.regressor is None else self._fitted(X, delta, unit)
        self.stress_, self.n_iter_ = min(stresses), max(1, len(stresses) - 1)
        self.history_ = [{"iteration": t, "stress": stress} for t, stress in enumerate(stresses)]
        return Z

    def _linear(self, X: np.ndarray, delta: np.ndarray, unit: float) -> tuple[np.ndarray, list[float]]:
        self.mean_ = X.mean(axis=0)
        centred = (X - self.mean_) / unit
        axes = with_fixed_signs(np.linalg.svd(centred, full_matrices=False)[2][: self.n_components]).T
        start = np.zeros((X.shape[1], self.n_components))
        start[:, : axes.shape[1]] = axes

        def terms(w: np.ndarray) -> tuple[float, np.ndarray]:
            end_if_abandoned()
            stress, slope = sammon_terms(delta, centred @ w.reshape(start.shape), self.normalization)
            return stress, (centred.T @ slope).ravel()  # (1)

        at, stresses = quasi_newton(terms, start.ravel(), self.max_iter, self.tol)
        self.coef_ = at.reshape(start.shape)
        return (X - self.mean_) @ self.coef_, stresses

    def _fitted(self, X: np.ndarray, delta: np.ndarray, unit: float) -> tuple[np.ndarray, list[float]]:
        """Points move towards less stress from where the regressor puts them, and the regressor follows."""
        steps = min(self.max_iter, MOST_FITS)
        Z = classical_scaling(self.distance_.between(X, X) / unit, self.n_components).coordinates
        best, stresses = None, []
        mover = SammonMapping(self.n_components, normalization=self.normalization, max_iter=1, tol=0.0)
        for _ in range(steps):
            end_if_abandoned()
            target = mover._majorized(delta, Z)[0] * unit
            model = clone(self.regressor).fit(X, target[:, 0] if self.n_components == 1 else target)
            placed = np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), self.n_components)
            Z = placed / unit
            stress = sammon_terms(delta, Z, self.normalization)[0]
            stresses.append(stress)
            if stress <= min(stresses):
                best, self.regressor_ = placed, model
            if len(stresses) > 1 and abs(stresses[-2] - stress) <= max(self.tol, 1e-6) * stress:
                break
        assert best is not None
        return best, stresses

    def _place(self, X: Any, way: str) -> np.ndarray:
        if self.regressor is None:
            return (X - self.mean_) @ self.coef_
        return np.asarray(self.regressor_.predict(X), dtype=np.float64).reshape(len(X), self._n_features_out)

    # What a linear function is made of

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        """What each column adds, of the linear function; of a regressor, how far each column moves the row."""
        kind = ExplainedSums if self.regressor is None else ExplainedMoves
        return kind._explain_block(self, X, rows)

    def _deviations(self, X: Any) -> np.ndarray:
        return dense_block(X) - self.mean_

    def _weights(self) -> np.ndarray:
        return np.asarray(self.coef_.T)
