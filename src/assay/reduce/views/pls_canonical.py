"""Partial least squares of two views that are treated alike."""

from __future__ import annotations

from assay.core import Card, Regressor
from assay.core.parameters import Choice
from assay.reduce.views.latent_directions import latent_directions
from assay.reduce.views.pls_learner import PLS_PARAMETERS, PairedDirections
from assay.reduce.views.two_views import Covariances

__all__ = ["PLSCanonical"]


class PLSCanonical(PairedDirections, Regressor):
    r"""Pairs of directions of two tables whose projections vary together most.

    Each pair (w, c) maximises the covariance of :math:`t=Xw` and :math:`u=Yc` with vectors of length 1; t is then
    taken out of X and u out of Y. Directions in which a view varies much count more than in :class:`CCA`, which looks
    at correlations alone, so columns may outnumber rows. Names, parameters and answers are scikit-learn's; the singular
    vectors are exact, and the learner is a sum: ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the
    same numbers. ``predict`` puts t in the place of u, as scikit-learn's does; to predict, take :class:`PLSRegression`.

    Cost: fit O(n (p + q)^2), with fewer rows than columns O(n^2 p); transform O(p k) a row; memory O((p + q)^2).

    Parameters
    ----------
    n_components : int, default 2
        At most min(n, p, q).
    scale : bool, default True
        Whether to divide the columns by their standard deviations.
    algorithm, max_iter, tol, copy : accepted as scikit-learn's
        The singular vectors are computed directly, and X is never changed.

    Attributes
    ----------
    x_weights_, x_loadings_, x_rotations_ : (p, k)      y_weights_, y_loadings_, y_rotations_ : (q, k)
    coef_ : (q, p)      intercept_ : (q,) the means of y

    Examples
    --------
    >>> from assay.reduce import PLSCanonical
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> Y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> t, u = PLSCanonical(n_components=1).fit_transform(X, Y)
    >>> t.ravel().round(2), u.ravel().round(2)
    (array([-1.4 , -1.2 ,  0.56,  2.03]), array([-1.23, -0.96,  0.32,  1.86]))

    See Also
    --------
    CCA, PLSRegression, PLSSVD

    References
    ----------
    - Wegelin, J. A. (2000). A survey of partial least squares (PLS) methods, with emphasis on the two-block case.
      Technical report 371, University of Washington.
    """

    card = Card(
        "pls canonical",
        "pairs of directions of two tables that vary together most",
        settings={"n_components": 1},  # one target has one pair
        learns=(
            "directions of two tables",
            "negative covariance of the scores",
            "singular vectors, one pair after the other",
            "greedy",
        ),
    )
    accepts = {**PLS_PARAMETERS, "algorithm": Choice("nipals", "svd")}

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        algorithm: str = "nipals",
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
    ):
        self.n_components = n_components
        self.scale = scale
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy

    def _solve_views(self, views: Covariances) -> None:
        k = self._check_number(min(views.rows, len(views.x_mean), len(views.y_mean)))
        directions = latent_directions(views, k, regression=False, who=type(self).__name__)
        self._keep_directions(views, directions)
