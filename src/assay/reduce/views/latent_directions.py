"""Directions of two views, one after the other: the largest covariance of what the earlier ones left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import warn_user
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.views.two_views import Covariances

__all__ = ["Directions", "latent_directions", "rotations"]

NOTHING_LEFT = 1e-14  # of the spread of both views, below which a covariance is rounding
X_EXHAUSTED = 1e-13  # of the variance of X, below which a direction has none


@dataclass(frozen=True)
class Directions:
    """In the coordinates of the covariances: weights, loadings (p, k) and (q, k), and x_squares (k,), the variances."""

    x_weights: np.ndarray
    y_weights: np.ndarray
    x_loadings: np.ndarray
    y_loadings: np.ndarray
    x_squares: np.ndarray

    def first(self, k: int) -> Directions:
        """The first k alone."""
        x_weights, y_weights, x_loadings, y_loadings = (
            W[:, :k] for W in (self.x_weights, self.y_weights, self.x_loadings, self.y_loadings)
        )
        return Directions(x_weights, y_weights, x_loadings, y_loadings, self.x_squares[:k])


def latent_directions(views: Covariances, k: int, regression: bool, who: str = "") -> Directions:
    r"""k pairs of directions by partial least squares, from covariances alone.

    Each pair (w, c) is the first pair of singular vectors of the covariance :math:`S_{xy}` of what is left; then
    :math:`t=Xw` is taken out of X, and out of Y (``regression``) or :math:`u=Yc` out of Y:

    .. math:: p = \frac{S_{xx}w}{w^TS_{xx}w},\quad S_{xx} \leftarrow S_{xx} - w^TS_{xx}w\,pp^T,\quad
              S_{xy} \leftarrow (I - pw^T)\,S_{xy}\,(I - cq^T)                                    \quad (1)

    Directions end, with a warning, where nothing common is left; further columns are 0, as scikit-learn's.

    >>> import numpy as np
    >>> from assay.core.moments import class_scatter
    >>> from assay.reduce.views.latent_directions import latent_directions
    >>> from assay.reduce.views.two_views import covariances_of
    >>> Z = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [2.0, 2.0, 4.0], [3.0, 1.0, 5.0]])
    >>> views = covariances_of(class_scatter(Z, np.zeros(4, int), None, 1, pooled=True), 2, True, "PLS")
    >>> latent_directions(views, 1, regression=True).x_weights.ravel().round(4)
    array([0.9113, 0.4117])
    """
    xx, xy, yy = views.xx.copy(), views.xy.copy(), views.yy.copy()
    D = None if views.x_rows is None else views.x_rows.copy()
    r, q = xy.shape
    columns = [np.zeros((r, k)), np.zeros((q, k)), np.zeros((r, k)), np.zeros((q, k))]
    squares = np.zeros(k)
    least = NOTHING_LEFT * max(r, q) * np.sqrt(max(views.x_variance, 0.0) * max(np.trace(yy), 0.0))
    least_x = X_EXHAUSTED * views.x_variance
    for j in range(k):
        w, s, c = _first_pair(xy, views)
        products = xx @ w if D is None else D.T @ (D @ w)
        variance = float(w @ products)
        if not s > least or not variance > least_x:
            warn_user(f"{who}: y residual is constant at iteration {j}: nothing is left to explain.")
            break
        loadings = products / variance
        if regression:
            c = y_loadings = xy.T @ w / variance
            xy = xy - variance * np.outer(loadings, y_loadings)  # (1), with c and q such that Y loses t q'
        else:
            u = yy @ c
            y_variance = float(c @ u)
            y_loadings = u / y_variance
            common, wy, xc = float(w @ xy @ c), w @ xy, xy @ c
            xy = (
                xy
                - np.outer(loadings, wy)
                - np.outer(xc, y_loadings)
                + common * np.outer(loadings, y_loadings)
            )
            yy = yy - y_variance * np.outer(y_loadings, y_loadings)
        if D is None:
            xx -= variance * np.outer(loadings, loadings)
        else:
            D -= np.outer(D @ w, loadings)
        for column, value in zip(columns, (w, c, loadings, y_loadings)):
            column[:, j] = value
        squares[j] = variance
    x_weights, y_weights, x_loadings, y_loadings = columns
    return Directions(x_weights, y_weights, x_loadings, y_loadings, squares)


def _first_pair(xy: np.ndarray, views: Covariances) -> tuple[np.ndarray, float, np.ndarray]:
    """The first singular vectors of xy and their value; the largest entry of the first, in the columns, is positive."""
    if xy.shape[1] == 1:
        s = float(np.linalg.norm(xy))
        w, c = (xy[:, 0] / s if s > 0 else xy[:, 0]), np.ones(1)
    else:
        from scipy.linalg import svd

        U, values, V = svd(xy, full_matrices=False, check_finite=False)
        w, s, c = U[:, 0], float(values[0]), V[0]
    in_columns = views.columns(w[:, None]).T
    if not np.array_equal(with_fixed_signs(in_columns), in_columns):
        w, c = -w, -c
    return w, s, c


def rotations(weights: np.ndarray, loadings: np.ndarray) -> np.ndarray:
    """W (P'W)^-1: what gives the scores of all components from the rows at once."""
    from scipy.linalg import pinv

    return weights @ pinv(loadings.T @ weights, check_finite=False)
