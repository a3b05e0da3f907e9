"""Singular vectors of the covariance of two views."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Count, Flag
from assay.core.stored import FloatArray
from assay.core.targets import numeric_target
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.views.two_views import Covariances, TwoViews

__all__ = ["PLSSVD"]


class PLSSVD(TwoViews, ExplainedSums):
    r"""Project two tables on the singular vectors of their covariance.

    .. math:: S_{xy} = U D V^T, \qquad t = U_k^T x, \quad u = V_k^T y                            \quad (1)

    with centred columns, divided by their standard deviations. The pairs of new columns have the largest covariances
    that directions at right angles can have, which are the singular values. Unlike :class:`PLSCanonical`, all pairs are
    found at once. Names, parameters and answers are scikit-learn's, and the learner is a sum: ``fit_blocks``,
    ``partial_fit``, Dask and ``sample_weight`` give the same numbers.

    Cost: fit O(n (p + q)^2), with fewer rows than columns O(n^2 p); transform O(p k) a row; memory O((p + q)^2).

    Parameters
    ----------
    n_components : int, default 2
        At most min(n, p, q).
    scale : bool, default True
        Whether to divide the columns by their standard deviations.
    copy : bool, default True
        Accepted as scikit-learn's; X is never changed.

    Attributes
    ----------
    x_weights_ : (p, k) U      y_weights_ : (q, k) V
    covariances_ : (k,) of the pairs of new columns

    Examples
    --------
    >>> from assay.reduce import PLSSVD
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> Y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> model = PLSSVD(n_components=2).fit(X, Y)
    >>> model.covariances_.round(4)
    array([2.2764, 0.0048])

    See Also
    --------
    PLSCanonical, CCA

    References
    ----------
    - Wegelin, J. A. (2000). A survey of partial least squares (PLS) methods, with emphasis on the two-block case.
      Technical report 371, University of Washington.
    """

    card = Card("pls svd", "singular vectors of the covariance of two tables")
    accepts = {"n_components": Count(1), "scale": Flag(), "copy": Flag()}
    stored = {"covariances_": FloatArray("m", low=0, finite=True)}

    def __init__(self, n_components: int = 2, *, scale: bool = True, copy: bool = True):
        self.n_components = n_components
        self.scale = scale
        self.copy = copy

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        super()._learn(X, numeric_target(y, X.shape[0], type(self).__name__), w)

    def _solve_views(self, views: Covariances) -> None:
        from scipy.linalg import svd

        k = self._check_number(min(views.rows, len(views.x_mean), len(views.y_mean)))
        U, values, V = svd(views.xy, full_matrices=False)
        left = views.columns(U[:, :k]).T
        upright = with_fixed_signs(left)
        signs = np.where(np.sum(upright * left, axis=1) < 0, -1.0, 1.0)
        self.x_weights_, self.y_weights_ = upright.T, (V[:k] * signs[:, None]).T
        self.x_loadings_, self.y_loadings_ = self.x_weights_, self.y_weights_
        self.x_rotations_, self.y_rotations_ = self.x_weights_, self.y_weights_
        self.covariances_ = (
            values[:k] * (views.x_unit[0] / views.x_std[0]) * (views.y_unit[0] / views.y_std[0])
        )

    def _model_parts(self) -> list[Part]:
        rows: list[list[Any]] = [[name, float(c)] for name, c in zip(self._names_out(), self.covariances_)]
        weights = [[name, *w] for name, w in zip(self._names, self.x_weights_.tolist())]
        return [
            Section("Pairs of new columns", ["pair", "covariance"], rows),
            Section("Weights of the columns of X", ["column", *self._names_out()], weights),
        ]
