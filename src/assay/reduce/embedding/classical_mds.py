"""Classical multidimensional scaling: the points whose distances are given, by one eigendecomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Flag
from assay.core.stored import FloatArray, Scalar
from assay.errors import DegenerateWarning, warn_user
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.embedding.classical_scaling import (
    ZERO_SHARE,
    additive_constant,
    centred_products,
    checked_distances,
    classical_scaling,
    place,
    squarable,
)
from assay.reduce.embedding.embedding import Embedding
from assay.types import Estimator, MetricLike

__all__ = ["ClassicalMDS"]


class ClassicalMDS(Embedding):
    r"""Points whose distances are those of the rows, or as near as k axes allow (principal coordinates, Torgerson).

    The squared distances, centred twice, are the dot products of centred points, whose eigenvectors are axes:

    .. math:: B = -\tfrac12 J D^{(2)} J, \qquad z_{tj} = \sqrt{\lambda_j}\, c_{tj}                        \quad (1)

    On Euclidean distances these are the scores of :class:`PCA`, and are computed as such. Distances that no points have
    (roads, geodesics, ratings) give negative eigenvalues: they are reported and never used; ``additive_constant=True``
    adds to all distances the smallest constant that makes them distances of points. New rows are placed by their
    distances to the training rows,

    .. math:: z_j = -\tfrac1{2\sqrt{\lambda_j}}\, c_j^T(\delta - \bar\delta)                              \quad (2)

    which gives training rows their own coordinates. The solution is centred, and unique up to rotation and reflection;
    the largest entry of an axis is positive here. Names, parameters and answers are scikit-learn's; the last two
    parameters are ours.

    Cost: fit O(n d^2) for Euclidean distances, else O(n^2 d + n^3); transform O(n (d + k)) a row; memory O(n^2).

    Parameters
    ----------
    n_components : int, default 2
    metric : str, callable or Metric, default "euclidean"
        Any of our metrics (:func:`assay.distances.metric_of`), "precomputed" for distances; "gower" and "heom" take
        categories and missing values.
    metric_params : dict or None, default None
    additive_constant : bool, default False
        Whether distances that no points have are enlarged by a constant until points have them.
    extension : "auto", "distances", "weights", LocalWeights or regressor, default "auto"
        How new rows are placed: "distances" is (2), "weights" the weights that rebuild a row of its neighbours.

    Attributes
    ----------
    embedding_ : (n, k)      eigenvalues_ : (k,) the largest of B      spectrum_ : all of them, the largest first
    goodness_of_fit_ : (2,) the sum of the k eigenvalues as a share of the sum of all absolute and of all positive ones
    dissimilarity_matrix_ : (n, n) the distances      additive_constant_ : float      extension_ : see Embedding

    Examples
    --------
    A rectangle of 3 by 4, from the distances of its corners.

    >>> from assay.reduce import ClassicalMDS
    >>> mds = ClassicalMDS(metric="precomputed").fit([[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0]])
    >>> mds.eigenvalues_.round(6)
    array([16.,  9.])
    >>> abs(mds.embedding_).round(6)[0]
    array([2. , 1.5])

    See Also
    --------
    MDS, Isomap, PCA

    References
    ----------
    - Torgerson, W. S. (1952). Multidimensional scaling: I. Theory and method. Psychometrika 17, 401-419.
      doi:10.1007/BF02288916
    - Gower, J. C. (1968). Adding a point to vector diagrams in multivariate analysis. Biometrika 55, 582-585.
      doi:10.1093/biomet/55.3.582
    """

    card = Card("classical mds", "points that have the given distances", also=("classicalmds",))
    accepts = {**Embedding.accepts, "additive_constant": Flag()}
    stored = {
        "eigenvalues_": FloatArray("m", finite=True),
        "spectrum_": FloatArray("*", finite=True),
        "goodness_of_fit_": FloatArray(2),
        "additive_constant_": Scalar(low=0, finite=True),
        "_means": FloatArray("n", finite=True),
    }
    ways = ("distances", "weights")

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: MetricLike = "euclidean",
        metric_params: dict[str, Any] | None = None,
        additive_constant: bool = False,
        extension: str | Estimator | None = "auto",
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.additive_constant = additive_constant
        self.extension = extension

    def _embed(self, X: Any) -> np.ndarray:
        self.additive_constant_ = 0.0
        if self.distance_.name == "euclidean" and not hasattr(X, "tocsr"):
            return self._principal(np.asarray(self.distance_.points(X), dtype=np.float64))
        D = checked_distances(self.distance_.between(X, X), type(self).__name__)
        if self.additive_constant:
            self.additive_constant_ = additive_constant(D)
            D = D + self.additive_constant_ * (1 - np.eye(len(D)))
        solution = classical_scaling(D, self.n_components)
        self._means = solution.means
        spectrum = np.linalg.eigvalsh(centred_products(D))[::-1]
        self._report(spectrum, solution.values)
        return solution.coordinates

    def _principal(self, points: np.ndarray) -> np.ndarray:
        """The same from the rows: the axes of B are those of the centred rows' singular value decomposition."""
        k, n = min(self.n_components, len(points)), len(points)
        centred = points - points.mean(axis=0)
        left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", centred, centred)
            self._means = squarable(squares, float(squares.sum())) + squares.mean()
        rounding = max(n * lengths.max(initial=0.0), 8 * np.sqrt(n) * np.abs(points).max(initial=0.0))
        solid = (
            lengths > np.finfo(float).eps * rounding
        )  # less is what taking the means away leaves of equal rows
        values = np.zeros(k)
        axes = np.zeros((n, k))
        m = min(k, len(lengths))
        values[:m] = np.where(solid[:m], lengths[:m] ** 2, 0.0)
        axes[:, :m] = with_fixed_signs(left[:, :m].T).T
        self._report(np.pad(lengths**2, (0, max(0, n - len(lengths))))[:n], values)
        return axes * np.sqrt(values)

    def _report(self, spectrum: np.ndarray, values: np.ndarray) -> None:
        rounding = ZERO_SHARE * np.abs(spectrum).max(initial=0.0)
        self.eigenvalues_, self.spectrum_ = values, np.where(np.abs(spectrum) > rounding, spectrum, 0.0)
        used = float(np.maximum(values, 0.0).sum())
        totals = [np.abs(self.spectrum_).sum(), np.maximum(self.spectrum_, 0.0).sum()]
        self.goodness_of_fit_ = np.array([used / total if total > 0 else 1.0 for total in totals])
        if (values < -rounding).any():
            warn_user(
                f"{type(self).__name__}: {int((values < 0).sum())} of {len(values)} leading eigenvalues are negative "
                "(no points have these distances): their coordinates are 0. Ask for fewer components, or set "
                "additive_constant=True.",
                DegenerateWarning,
            )

    def _place(self, X: Any, way: str) -> np.ndarray:
        apart = self.distance_.between(X, self._fit_X)
        if self.additive_constant_:
            apart = np.where(apart > 0, apart + self.additive_constant_, 0.0)
        return place(apart, self.eigenvalues_, self.embedding_, self._means, type(self).__name__)

    @property
    def dissimilarity_matrix_(self) -> np.ndarray:
        """(n, n) the distances of the training rows, without the additive constant."""
        self._ready()
        return checked_distances(self.distance_.between(self._fit_X, self._fit_X), type(self).__name__)

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            [name, float(v), float(s)]
            for name, v, s in zip(
                self._names_out(),
                self.eigenvalues_,
                self.eigenvalues_ / max(np.abs(self.spectrum_).sum(), 1e-300),
            )
        ]
        negative = int((self.spectrum_ < 0).sum())
        note = (
            f"share of all absolute eigenvalues {self.goodness_of_fit_[0]:.4f}, of the positive ones "
            f"{self.goodness_of_fit_[1]:.4f}; {negative} are negative"
        )
        return [Section("Axes", ["axis", "eigenvalue", "share"], lines, note)]
