"""Canonical correlation analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Range
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DegenerateError, ParameterError
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.views.canonical_tests import canonical_correlation_tests, wilks_lambdas
from assay.reduce.views.pls_learner import PLS_PARAMETERS, PairedDirections
from assay.reduce.views.two_views import Covariances
from assay.stats.multivariate.scatter import whitener
from assay.stats.significance.test_result import TestResult

__all__ = ["CCA", "CanonicalPairs", "canonical_pairs", "whitener_of_view"]


class CCA(PairedDirections, Regressor):
    r"""Pairs of weighted sums of the columns of two tables, each pair with the largest correlation that is left.

    .. math:: \rho_i = \max_{w,v} \frac{w^TS_{xy}v}{\sqrt{w^TS_{xx}w}\sqrt{v^TS_{yy}v}}, \qquad
              S_{xx}^{-1}S_{xy}S_{yy}^{-1}S_{yx}\,w_i = \rho_i^2\,w_i                             \quad (1)

    New columns of one table are uncorrelated with all new columns of either table but their partner. There are
    min(p, q) pairs. The units of the columns do not matter. With indicators of K classes as the second table the
    directions are those of linear discriminant analysis, and :math:`\rho_i^2 = \lambda_i/(1+\lambda_i)`.

    ``test`` says whether there is anything to find. Where there is not, reduce each table by itself.
    ``joint_transform`` gives the new columns of both tables side by side, for another learner.

    Names, parameters and attributes are scikit-learn's, whose directions have length 1 and whose new columns are
    therefore not scaled to variance 1; ``x_canonical_weights_`` are. The answer is exact and needs one pass over the
    rows: correlations come from the singular values of :math:`S_{xx}^{-1/2}S_{xy}S_{yy}^{-1/2}`, without iteration.
    Directions without variance (constant columns, columns that others determine) are left out. The learner is a sum:
    ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the same numbers. ``predict`` is scikit-learn's,
    who puts the new column of X in the place of its partner; to predict, take :class:`PLSRegression`.

    Cost: fit O(n (p + q)^2 + (p + q)^3), with fewer rows than columns O(n^2 p); transform O(p k) a row; memory
    O((p + q)^2).

    Parameters
    ----------
    n_components : int, default 2
        Pairs of new columns, at most min(n, p, q).
    scale : bool, default True
        Whether to divide the columns by their standard deviations; it changes the length of the new columns alone.
    max_iter, tol, copy : accepted as scikit-learn's
        Nothing is iterated, and X is never changed.
    ridge : float, default 0
        Added to the variances of the columns (which are 1 with ``scale``, and at most 1 in units of the widest column
        of their table without): for columns that nearly determine each other, or outnumber the rows.

    Attributes
    ----------
    canonical_correlations_ : (s,) of all pairs, the largest first; with a ridge, those of the new columns
    shares_ : (s,) :math:`\rho_i^2` as shares of their sum      wilks_ : (s,) Wilks' lambda of the pairs from each on
    x_canonical_weights_ : (p, k), y_canonical_weights_ : (q, k) of the columns as they are, for variances of 1
    x_weights_, x_loadings_, x_rotations_ : (p, k)      y_weights_, y_loadings_, y_rotations_ : (q, k)
    x_rank_, y_rank_ : int      coef_ : (q, p)      intercept_ : (q,) the means of y

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import CCA
    >>> from assay.tables.data import load_iris
    >>> X = np.asarray(load_iris().X)
    >>> cca = CCA().fit(X[:, :2], X[:, 2:])                       # sepals and petals
    >>> cca.canonical_correlations_.round(6), cca.shares_.round(4)
    (array([0.940969, 0.123937]), array([0.9829, 0.0171]))
    >>> print(cca.test()[1])
    Bartlett's test that 1 correlation is 0: statistic 2.2678 with 1 degree of freedom, p = 0.132: not significant ...

    See Also
    --------
    GeneralizedCCA, ProbabilisticCCA, KernelCCA, PLSCanonical

    References
    ----------
    - Hotelling, H. (1936). Relations between two sets of variates. Biometrika 28, 321-377.
    - Bartlett, M. S. (1941). The statistical significance of canonical correlations. Biometrika 32, 29-37.
    """

    card = Card(
        "cca",
        "pairs of directions of two tables with the largest correlation",
        settings={"n_components": 1},  # one target has one pair
        learns=(
            "pairs of directions of two tables",
            "negative correlation",
            "a singular value decomposition",
            "analytic",
        ),
    )
    accepts = {**PLS_PARAMETERS, "ridge": Range(0)}
    stored = {
        "canonical_correlations_": FloatArray("s", low=0, finite=True),
        "shares_": FloatArray("s", finite=True),
        "wilks_": FloatArray("s", finite=True),
        "x_canonical_weights_": FloatArray("p", "m", finite=True),
        "y_canonical_weights_": FloatArray("q", "m", finite=True),
        "x_rank_": Integer(low=0),
        "y_rank_": Integer(low=0),
        "_count": Scalar(low=0, finite=True),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
        ridge: float = 0.0,
    ):
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy
        self.ridge = ridge

    def _solve_views(self, views: Covariances) -> None:
        k = self._check_number(min(views.rows, len(views.x_mean), len(views.y_mean)))
        views = views.reduced()
        pairs = canonical_pairs(views, float(self.ridge), type(self).__name__)
        self.canonical_correlations_ = rho = pairs.correlations
        total = float(np.sum(rho**2))
        self.shares_ = rho**2 / total if total > 0 else np.zeros(len(rho))
        self.wilks_ = wilks_lambdas(rho)
        self.x_rank_, self.y_rank_, self._count = pairs.x_rank, pairs.y_rank, views.count
        A, B = pairs.x_weights[:, :k], pairs.y_weights[:, :k]
        missing = k - A.shape[1]
        W, x_lengths = _orthonormal(views.columns(A))
        V, y_lengths = _orthonormal(B)
        self.x_weights_ = with_fixed_signs(W.T).T
        signs = np.where(np.sum(W * self.x_weights_, axis=0) < 0, -1.0, 1.0)  # as scikit-learn's
        A, B, self.y_weights_ = A * signs, B * signs, V * signs
        x_rotations, y_rotations = A / x_lengths, B / y_lengths
        self.x_loadings_ = views.columns(_loadings(views.xx, x_rotations))
        self.y_loadings_ = _loadings(views.yy, y_rotations)
        self.x_rotations_, self.y_rotations_ = views.columns(x_rotations), y_rotations
        self.x_canonical_weights_ = views.columns(A) / views.x_unit[:, None]
        self.y_canonical_weights_ = B / views.y_unit[:, None]
        if missing:  # ranks below the columns: pairs that do not exist, as columns of 0
            for name in ("weights_", "loadings_", "rotations_", "canonical_weights_"):
                for view in "xy":
                    W = getattr(self, f"{view}_{name}")
                    setattr(self, f"{view}_{name}", np.pad(W, ((0, 0), (0, missing))))
        self._keep_answer()

    def test(self, method: str = "bartlett", alpha: float = 0.05) -> list[TestResult]:
        """Whether the two tables are independent, and whether the correlations after the first, second ... are 0.

        Parameters
        ----------
        method : "bartlett" or "rao", default "bartlett"
            Chi-squared, or F, of Wilks' lambda; see :func:`canonical_correlation_tests`.
        alpha : float, default 0.05
        """
        self._ready()
        if self.ridge > 0:
            raise ParameterError(
                f"{type(self).__name__}: the test is of correlations without a ridge, got ridge={self.ridge:g}. Fit "
                "with ridge=0."
            )
        return canonical_correlation_tests(
            self.canonical_correlations_, self._count, self.x_rank_, self.y_rank_, method, alpha
        )

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            [i + 1, float(r), float(s), float(w)]
            for i, (r, s, w) in enumerate(zip(self.canonical_correlations_, self.shares_, self.wilks_))
        ]
        heads = ["pair", "correlation", "share", "Wilks' lambda from here"]
        notes = ""
        if self.ridge == 0 and self._count - 1 > (self.x_rank_ + self.y_rank_ + 1) / 2:
            heads += ["statistic", "df", "p"]
            for line, result in zip(lines, self.test()):
                line += [result.statistic, result.df, result.p]
            notes = "Statistic and p: Bartlett's test that the correlations from this pair on are 0."
        columns = [f"pair {j + 1}" for j in range(self._n_features_out)]
        return [
            Section("Canonical correlations", heads, lines, notes),
            Section(
                "Weights of the columns of X",
                ["column", *columns],
                [[name, *w] for name, w in zip(self._names, self.x_canonical_weights_.tolist())],
            ),
            Section(
                "Weights of the columns of y",
                ["column", *columns],
                [
                    [name, *w]
                    for name, w in zip(
                        self._target_names(len(self._y_mean)), self.y_canonical_weights_.tolist()
                    )
                ],
            ),
        ]


class CanonicalPairs:
    """correlations : (s,)      x_weights : (r, s), y_weights : (q, s) for variances of 1      x_rank, y_rank : int"""

    def __init__(self, correlations: np.ndarray, x_weights: np.ndarray, y_weights: np.ndarray, ranks: Any):
        self.correlations, self.x_weights, self.y_weights = correlations, x_weights, y_weights
        self.x_rank, self.y_rank = ranks


def canonical_pairs(views: Covariances, ridge: float, who: str) -> CanonicalPairs:
    """All canonical pairs of two views, in the coordinates of their covariances."""
    P, Q = whitener_of_view(views.xx, ridge), whitener_of_view(views.yy, ridge)
    for W, name in ((P, "X"), (Q, "y")):
        if not W.shape[1]:
            raise DegenerateError(f"{who}: no column of {name} varies, so there is nothing to correlate.")
    U, _, V = np.linalg.svd(P.T @ views.xy @ Q, full_matrices=False)
    A, B = P @ U, Q @ V.T
    with np.errstate(divide="ignore", invalid="ignore"):  # for variances of 1, whatever the ridge
        A = A / np.sqrt(np.einsum("ij,ij->j", A, views.xx @ A))
        B = B / np.sqrt(np.einsum("ij,ij->j", B, views.yy @ B))
    in_columns = views.columns(A).T
    signs = np.where(np.sum(with_fixed_signs(in_columns) * in_columns, axis=1) < 0, -1.0, 1.0)
    A, B = A * signs, B * signs
    rho = np.clip(np.einsum("ij,ij->j", A, views.xy @ B), 0.0, 1.0)
    return CanonicalPairs(rho, A, B, (P.shape[1], Q.shape[1]))


def whitener_of_view(S: np.ndarray, ridge: float) -> np.ndarray:
    """P with P'(S + ridge I)P = I in the space where columns vary; of equally good ones that of smallest weights."""
    if ridge > 0:
        S = S + ridge * np.eye(len(S))
    P = whitener(S)
    if P.shape[1] < len(S):
        values, V = np.linalg.eigh(S)
        V = V[:, len(S) - P.shape[1] :]
        P = V @ (V.T @ P)
    return P


def _orthonormal(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each column less its part along those before, of length 1; and the lengths that were left, signs as in A."""
    Q, R = np.linalg.qr(A)
    lengths = np.diag(R)
    flip = np.where(lengths < 0, -1.0, 1.0)
    return Q * flip, np.where(lengths == 0, 1.0, lengths * flip)


def _loadings(S: np.ndarray, W: np.ndarray) -> np.ndarray:
    """What a unit of each new column is in the columns: S w / w'S w."""
    return S @ W / np.einsum("ij,ij->j", W, S @ W)
