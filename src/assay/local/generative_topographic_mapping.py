"""Generative topographic mapping: a mixture of Gaussians whose means lie on a bent sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.parameters import Any_, Count, Range
from assay.core.stored import FloatArray, Scalar
from assay.core.sums import Source
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.local.lattice import Lattice
from assay.local.units import Units, squared_distances
from assay.mixture import EMRun, expectation_maximization
from assay.mixture.local_mixture import LocalMixture
from assay.types import TableLike, Target, Weights

__all__ = ["GenerativeTopographicMapping"]

LOG_2PI = float(np.log(2 * np.pi))
LEAST_VARIANCE = 1e-6  # of the noise, as a share of the columns' mean variance: below it rounding decides


@dataclass(frozen=True)
class _Sheet:
    """The state of EM: (U, m + 1) basis at the points, (m + 1, d) its weights, precision and least variance.

    Weights are those of rows less the center, and all but the constant's are penalised.
    """

    basis: np.ndarray
    weights: np.ndarray
    beta: float
    center: np.ndarray
    least: float = 0.0
    penalty: float = 0.0

    @property
    def points(self) -> np.ndarray:
        """(U, d) where the points of the grid are among the rows less the center."""
        return self.basis @ self.weights


@dataclass(frozen=True)
class _Sums:
    """What a block adds: responsibilities times rows and times what is known, squares, counts."""

    log_likelihood: float
    totals: np.ndarray  # (U,) responsibilities
    products: np.ndarray  # (U, d)
    known: np.ndarray  # (U, d) responsibilities of the values that are not missing, or (U, 1) if none is
    squares: float
    rows: float

    def __add__(self, other: _Sums) -> _Sums:
        wide = max(self.known.shape[1], other.known.shape[1])
        known = np.broadcast_to(self.known, (len(self.known), wide)) + other.known
        return _Sums(
            self.log_likelihood + other.log_likelihood,
            self.totals + other.totals,
            self.products + other.products,
            known,
            self.squares + other.squares,
            self.rows + other.rows,
        )


class GenerativeTopographicMapping(SquaredRows, TransformerMixin, LocalMixture):
    r"""A map of the rows with a density: a grid of points, bent into the space of the rows, with noise around it.

    Points u of a grid in the plane are mapped to :math:`y(u) = W\phi(u)` by Gaussian basis functions, and

    .. math:: p(x) = \frac1U \sum_u N(x;\, W\phi(u),\, \beta^{-1} I)                                         \quad (1)

    is made as likely as possible by EM (Bishop, Svensén and Williams 1998). What a self-organising map does by rules
    this does by a likelihood, which never falls: neighbours on the grid are neighbours among the rows because W bends
    smoothly. Missing values are left out of the distances, exactly. All steps are sums over rows.

    Cost: fit O(n U d) a step for U points; transform O(U d) a row; memory O(U d) and O(U) a row of a block.

    Parameters
    ----------
    shape : int or (rows, columns), default (10, 10)
        Points of the grid; a number is a curve instead of a sheet.
    basis : int or (rows, columns), default (4, 4)
        Basis functions: the more, the more the sheet may bend.
    width : float, default 2
        Of the basis functions, in distances between them.
    alpha : float, default 0.1
        Penalty on the squares of W, of all but the constant, for columns of variance 1: it is divided by the mean
        variance of the columns, so that neither units nor origins matter. 0 is maximum likelihood.
    max_iter : int, default 200
    tol : float, default 1e-3
        Steps end when the mean log likelihood of the rows rises by less.

    Attributes
    ----------
    basis_weights_ : (m + 1, p) W, the constant last
    beta_ : float, the precision of the noise, whose variance is no less than a millionth of the columns' own
    units_ : (U, p) the points in the space of the rows      weights_ : (U,) equal
    log_likelihood_ : float      lower_bounds_, history_ : of each step      n_iter_ : int      converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import GenerativeTopographicMapping
    >>> t = np.linspace(-1, 1, 200)
    >>> X = np.column_stack([t, t**2]) + 0.05 * np.random.default_rng(0).normal(size=(200, 2))
    >>> model = GenerativeTopographicMapping(20, basis=5).fit(X)
    >>> place = model.transform(X)[:, 0]
    >>> bool(abs(np.corrcoef(place, t)[0, 1]) > 0.98)
    True

    See Also
    --------
    SelfOrganizingMap, GaussianMixture, PCA

    References
    ----------
    - Bishop, C. M., Svensén, M. and Williams, C. K. I. (1998). GTM: the generative topographic mapping. Neural
      Computation 10(1), 215-234. doi:10.1162/089976698300017953
    """

    takes = frozenset({"missing"})
    card = Card(
        "generative topographic mapping",
        "a bent sheet of points with noise around it: a map with a density",
        also=("gtm",),
        scale=True,
    )
    accepts = {
        "shape": Any_(),
        "basis": Any_(),
        "width": Range(0, open="both"),
        "alpha": Range(0, open="high"),
        "max_iter": Count(0),
        "tol": Range(0),
    }
    stored = {
        "basis_weights_": FloatArray("m + 1", "p", finite=True),
        "units_": FloatArray("c", "p", finite=True),
        "beta_": Scalar(low=0, finite=True),
    }
    n_components = n_init = 1  # of LocalMixture: one start, by the principal plane
    random_state = None

    def __init__(
        self,
        shape: int | tuple[int, int] = (10, 10),
        *,
        basis: int | tuple[int, int] = (4, 4),
        width: float = 2.0,
        alpha: float = 0.1,
        max_iter: int = 200,
        tol: float = 1e-3,
    ):
        self.shape = shape
        self.basis = basis
        self.width = width
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    # ------------------------------------------------------------------ the grid

    def _grids(self) -> tuple[np.ndarray, np.ndarray]:
        """(U, 2) the points in the square from -1 to 1, and (U, m + 1) their basis functions with a constant."""
        who = type(self).__name__
        points = _square_places(Lattice.of(self.shape, "grid", who))
        coarse = Lattice.of(self.basis, "grid", who)
        centers = _square_places(coarse)
        gap = 2 / max(max(coarse.shape) - 1, 1)
        bells = Units(centers, np.full(len(centers), self.width * gap)).activations(points)
        return points, np.column_stack([bells, np.ones(len(points))])

    # ------------------------------------------------------------------ learning

    def _survey_rows(self, source: Source) -> None:
        """Means and the principal plane, with missing values at the mean."""

        def first(block: Any) -> np.ndarray:
            X = np.asarray(block.X, dtype=np.float64)
            w = np.ones(len(X)) if block.w is None else block.w
            return np.stack([w @ ~np.isnan(X), w @ np.nan_to_num(X), np.full(X.shape[1], w.sum())])

        known, sums, rows = source.add_up(first)
        if (known == 0).any():
            j = int(np.argmin(known))
            raise DataError(
                f"{type(self).__name__}: column {self._names[j]} has no value at all. Leave it out."
            )
        self._mean, self._rows = sums / known, float(rows[0])

        def second(block: Any) -> np.ndarray:
            C = np.nan_to_num(np.asarray(block.X, dtype=np.float64) - self._mean)
            return (C if block.w is None else C * block.w[:, None]).T @ C

        values, axes = np.linalg.eigh(source.add_up(second) / rows[0])
        largest = np.abs(axes).argmax(axis=0)
        axes = axes * np.where(axes[largest, np.arange(len(axes))] < 0, -1.0, 1.0)
        self._variances, self._axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]

    def _begin(self, X: Any, w: Any, draw: np.random.RandomState) -> _Sheet:
        points, Phi = self._grids()
        d = len(self._mean)
        spread = points.std(axis=0)
        flat = points / np.where(spread > 0, spread, 1.0)
        plane = np.zeros((2, d))
        sides = [k for k in np.argsort(-spread, kind="stable") if spread[k] > 0]  # a curve has one
        for k, (side, variance) in enumerate(zip(sides, self._variances[:d])):
            plane[side] = np.sqrt(variance) * self._axes[:, k]
        weights = np.linalg.lstsq(Phi, flat @ plane, rcond=None)[0]
        total = float(self._variances.mean()) or 1.0
        beyond = self._variances[len(sides)] if len(sides) < d else 0.0
        Y = Phi @ weights
        between = squared_distances(Y, Y)
        between[between < 1e-12 * total] = np.inf
        near = between.min(axis=1)
        gap = 0.5 * float(near[np.isfinite(near)].mean()) if np.isfinite(near).any() else 0.0
        center = self._mean
        del self._mean, self._variances, self._axes
        beta = 1 / max(float(beyond), gap, 0.01 * total)
        return _Sheet(Phi, weights, beta, center, LEAST_VARIANCE * total, float(self.alpha) / total)

    def _follow(self, source: Source, state: _Sheet) -> EMRun[_Sheet]:
        def step(at: _Sheet) -> tuple[_Sheet, float]:
            sums: _Sums = source.add_up(
                lambda block: self._sums(np.asarray(block.X, np.float64), block.w, at)
            )
            return self._maximise(sums, at), sums.log_likelihood + self._log_prior(at)

        rows = self._rows
        del self._rows
        return expectation_maximization(
            step, state, max_iter=self.max_iter, tol=float(self.tol) * rows, who=type(self).__name__
        )

    def _log_prior(self, state: _Sheet) -> float:
        return -0.5 * state.penalty * float((state.weights[:-1] ** 2).sum())

    def _log_joint_of(self, X: np.ndarray, state: _Sheet) -> np.ndarray:
        return self._log_joint_around(X - state.center, state)

    def _log_joint_around(self, X: np.ndarray, state: _Sheet) -> np.ndarray:
        """The same for rows less the center."""
        Y = state.points
        D, known = _distances(X, Y)
        constants = 0.5 * known * (np.log(state.beta) - LOG_2PI) - np.log(len(Y))
        D *= -0.5 * state.beta
        D += constants[:, None]
        return D

    def _sums(self, X: np.ndarray, w: Any, state: _Sheet) -> _Sums:
        X = X - state.center
        joint = self._log_joint_around(X, state)
        weight = np.ones(len(X)) if w is None else w
        top = joint.max(axis=1, keepdims=True)
        R = np.exp(np.subtract(joint, top, out=joint), out=joint)
        evidence = R.sum(axis=1, keepdims=True)
        logs = (top + np.log(evidence))[:, 0]
        R *= weight[:, None] / evidence
        missing = np.isnan(X)
        filled = np.where(missing, 0.0, X) if missing.any() else X
        totals = R.sum(axis=0)
        known = R.T @ (~missing).astype(np.float64) if missing.any() else totals[:, None]
        squares = float(weight @ np.einsum("ij,ij->i", filled, filled))
        return _Sums(float(weight @ logs), totals, R.T @ filled, known, squares, float(weight.sum()))

    def _maximise(self, sums: _Sums, state: _Sheet) -> _Sheet:
        Phi, old = state.basis, state.points
        d = old.shape[1]
        known = np.broadcast_to(sums.known, old.shape)
        absent = np.maximum(sums.totals[:, None] - known, 0.0)  # values that the sheet stands in for
        gram = (Phi * sums.totals[:, None]).T @ Phi
        bells = np.arange(len(gram) - 1)
        gram[bells, bells] += state.penalty / state.beta
        right = Phi.T @ (sums.products + absent * old)
        try:
            weights = np.linalg.solve(gram, right)
        except np.linalg.LinAlgError:
            weights = np.linalg.lstsq(gram, right, rcond=None)[0]
        new = Phi @ weights
        error = sums.squares + float((known * new**2 - 2 * sums.products * new).sum())
        error += float((absent * ((old - new) ** 2 + 1 / state.beta)).sum())
        return replace(state, weights=weights, beta=1 / max(error / (sums.rows * d), state.least))

    def _adopt_state(self, state: _Sheet) -> None:
        self.basis_weights_, self.beta_ = state.weights.copy(), float(state.beta)
        self.basis_weights_[-1] += state.center
        self.units_ = state.points + state.center
        self.weights_ = np.full(len(self.units_), 1 / len(self.units_))

    def _state(self) -> _Sheet:
        basis = self._grids()[1]
        if basis.shape[1] != len(self.basis_weights_):
            raise DataError(
                f"{type(self).__name__}: {len(self.basis_weights_)} weights are not those of this basis."
            )
        center = self.units_.mean(axis=0)
        weights = self.basis_weights_.copy()
        weights[-1] -= center
        return _Sheet(basis, weights, self.beta_, center)

    def _n_parameters(self) -> int:
        return self.basis_weights_.size + 1

    # ------------------------------------------------------------------ answers

    def fit_transform(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> np.ndarray:
        """(n, 2) the places of the rows of X on the map, after learning from these rows."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, 2) the mean place of each row on the map, row and column from -1 to 1; (n, 1) along a curve."""
        places = self.predict_proba(X) @ self._grids()[0]
        return places[:, 1:] if isinstance(self.shape, (int, np.integer)) else places

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the columns that ``transform`` makes."""
        check_is_fitted(self)
        names = ["map position"] if isinstance(self.shape, (int, np.integer)) else ["map row", "map column"]
        return np.array(names, dtype=object)


def _square_places(lattice: Lattice) -> np.ndarray:
    """(U, 2) the places of a grid, from -1 to 1 along its longer side."""
    places = lattice.places() - lattice.places().mean(axis=0)
    return places / max(float(np.abs(places).max()), 1e-300)


def _distances(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, U) squared distances over the columns that a row has, and (n,) how many these are."""
    missing = np.isnan(X)
    if not missing.any():
        return squared_distances(X, Y), np.full(len(X), float(X.shape[1]))
    middle = Y.mean(axis=0)
    A, B, M = np.where(missing, 0.0, X - middle), Y - middle, (~missing).astype(np.float64)
    D = (A**2).sum(axis=1)[:, None] - 2 * A @ B.T + M @ (B**2).T
    return np.maximum(D, 0.0), M.sum(axis=1)
