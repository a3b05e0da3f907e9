"""Probabilistic principal components: a Gaussian model of few directions and equal noise, missing values included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import class_moments
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Count, Range
from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Integer, Plain, Scalar
from assay.core.sum_learner import PassLearner, WithoutTarget
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, warn_user
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.pca import scatter_of_block
from assay.reduce.components.spectrum import spectrum_of_matrix, with_fixed_signs
from assay.reduce.factors.factor_fits import vanishing
from assay.reduce.factors.patterns import patterns_of
from assay.types import RandomState, TableLike, Target

__all__ = ["ProbabilisticPCA"]

SMALLEST_NOISE = 1e-12  # share of the mean variance of a column


class ProbabilisticPCA(WithoutTarget, PassLearner, ExplainedSums, NumberedColumns):
    r"""Principal components as a Gaussian model, which needs no complete rows.

    .. math:: x = Wz + \mu + \epsilon, \quad z \sim N(0, I_k),\; \epsilon \sim N(0, \sigma^2I)         \quad (1)

    For complete rows the maximum of the likelihood is known: :math:`\sigma^2` is the mean of the eigenvalues of the
    covariance matrix (divisor n) beyond k, and :math:`W = U_k(\Lambda_k - \sigma^2I)^{1/2}`. With missing values it is
    found by expectation and maximisation over what is there (missing at random), with no row left out. Each step is a
    sum over rows, so ``fit_blocks`` and Dask give the same. Use it to reduce, to fill in (``complete``), to judge
    (``score_samples``) or to draw (``sample``) incomplete tables.

    Cost: fit O(n d^2) for complete rows, else O(n d k + p d k^2) a step for p patterns of missing values; transform
    O(d k) a row, O(d k^2) if some of it is missing; memory O(d^2).

    Parameters
    ----------
    n_components : int or None, default None
        The number k of directions; fewer than columns. None leaves one direction for the noise.
    tol : float, default 1e-7
        Steps stop when the mean log-likelihood of a row gains less.
    max_iter : int, default 1000

    Attributes
    ----------
    components_ : (k, d) W transposed      noise_variance_ : sigma^2      mean_ : (d,)
    explained_variance_ : (k,) the largest eigenvalues of the covariance matrix of the model
    loglike_ : log-likelihood of each step      n_iter_ : steps, 1 for complete rows

    Examples
    --------
    >>> from assay.reduce import ProbabilisticPCA
    >>> from assay.tables.data import load_iris
    >>> model = ProbabilisticPCA(n_components=2).fit(load_iris().X)
    >>> round(model.noise_variance_, 7), round(model.loglike_[-1], 4)
    (0.0506821, -404.9628)
    >>> model.complete([[6.3, None, 5.0, None]]).round(2)
    array([[6.3 , 2.9 , 5.  , 1.71]])

    See Also
    --------
    PCA, FactorAnalysis

    References
    ----------
    - Tipping, M. E. and Bishop, C. M. (1999). Probabilistic principal component analysis. Journal of the Royal
      Statistical Society B 61, 611-622.
    - Ilin, A. and Raiko, T. (2010). Practical approaches to principal component analysis in the presence of missing
      values. Journal of Machine Learning Research 11, 1957-2000.
    """

    card = Card(
        "ppca", "principal components as a Gaussian model, with missing values", also=("probabilistic pca",)
    )
    accepts = {"n_components": Count(1) | None, "tol": Range(0), "max_iter": Count(1)}
    takes = frozenset({"missing"})
    stored = {
        "components_": FloatArray("m", "p", finite=True),
        "mean_": FloatArray("p", finite=True),
        "noise_variance_": Scalar(low=0),
        "explained_variance_": FloatArray("m", low=0, finite=True),
        "loglike_": Plain(list),
        "n_iter_": Integer(low=1),
    }

    def __init__(self, n_components: int | None = None, *, tol: float = 1e-7, max_iter: int = 1000):
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter

    # Learning

    def _learn_from(self, source: Source) -> None:
        moments = source.add_up(_known_moments)
        count, observed, d = float(moments.count[0]), moments.observed[0], moments.mean.shape[1]
        k = self._number(d, count)
        if (observed == 0).any():
            column = self._column_names()[int(np.argmin(observed))]
            raise DegenerateError(
                f"{type(self).__name__}: all values of column {column!r} are missing. Leave it out."
            )
        mean, complete = moments.mean[0], bool((observed == count).all())
        filled = source.add_up(lambda block: scatter_of_block(_filled(block, mean)))
        S = filled.scatter[0] / count
        if not np.isfinite(S).all():
            raise DegenerateError(
                f"{type(self).__name__}: the squares of the columns overflow. Scale them first."
            )
        if vanishing(np.diag(S)):
            raise DegenerateError(
                f"{type(self).__name__}: the squares of the columns underflow. Scale them first."
            )
        spectrum = spectrum_of_matrix(S, k, d)
        noise = max(spectrum.rest, SMALLEST_NOISE * (spectrum.total / d if spectrum.total > 0 else 1.0))
        W = (np.sqrt(np.maximum(spectrum.values - noise, 0.0))[:, None] * spectrum.vectors).T
        model = _Model(W, filled.mean[0], noise)
        history: list[float] = []
        if complete:
            capped = np.maximum(spectrum.values, noise)
            log_det = float(np.sum(np.log(capped))) + (d - k) * float(np.log(noise))
            inside = (
                float(np.sum(spectrum.values / capped))
                + max(spectrum.total - spectrum.values.sum(), 0.0) / noise
            )
            history.append(-count / 2 * (d * float(np.log(2 * np.pi)) + log_det + float(inside)))
        else:
            model = self._climb(source, model, count, history)
        self._keep(model, history)

    def _climb(self, source: Source, model: _Model, count: float, history: list[float]) -> _Model:
        for _ in range(self.max_iter):
            sums = source.add_up(model.expect)
            history.append(sums.log_likelihood)
            if len(history) > 1 and history[-1] - history[-2] < self.tol * count:
                return model
            model = sums.maximise(model)
        warn_user(
            f"{type(self).__name__} did not converge in {self.max_iter} steps; the last gained "
            f"{history[-1] - history[-2] if len(history) > 1 else np.inf:.3g}. Raise max_iter or tol.",
            ConvergenceWarning,
        )
        return model

    def _number(self, d: int, count: float) -> int:
        k = max(1, d - 1) if self.n_components is None else self.n_components
        if not count > 1:
            raise DegenerateError(f"{type(self).__name__} needs at least 2 rows, got {count:g} sample.")
        if k >= d and d > 1:
            raise DataError(
                f"{type(self).__name__}: n_components={k} must be less than the {d} columns, so that one direction is "
                "left for the noise."
            )
        return min(k, d)

    def _keep(self, model: _Model, history: list[float]) -> None:
        values, V = np.linalg.eigh(model.W.T @ model.W)
        order = np.argsort(values)[::-1]
        self.components_ = np.ascontiguousarray(with_fixed_signs((model.W @ V[:, order]).T))
        self.mean_, self.noise_variance_ = model.mean, float(model.noise)
        self.explained_variance_ = np.maximum(values[order], 0.0) + model.noise
        self.loglike_, self.n_iter_, self._n_features_out = history, len(history), len(values)

    # Answers

    @property
    def _model(self) -> _Model:
        return _Model(self.components_.T, self.mean_, self.noise_variance_)

    def _transform(self, X: np.ndarray) -> np.ndarray:
        """(n, k) the expected z of each row."""
        Z = np.zeros((len(X), self._n_features_out))
        for pattern in patterns_of(X):
            Z[pattern.rows] = self._model.scores(X[pattern.rows], pattern.observed)[0]
        return Z

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) the rows that are expected for components X (n, k)."""
        self._ready()
        Z = np.asarray(X, dtype=float)
        if Z.ndim != 2 or Z.shape[1] != self._n_features_out:
            raise ValueError(f"{type(self).__name__}: expected rows of {self._n_features_out} components.")
        return Z @ self.components_ + self.mean_

    def complete(self, X: TableLike) -> np.ndarray:
        """(n, d) the rows with their missing values replaced by what the model expects."""
        return self._completed(self._admit(X))

    def _completed(self, X: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(X), self.inverse_transform(self._transform(X)), X)

    def _deviations(self, X: Any) -> np.ndarray:
        return self._completed(X) - self.mean_  # expected z of expected values are those of what is known

    def _weights(self) -> np.ndarray:
        W = self.components_
        return np.linalg.solve(W @ W.T + self.noise_variance_ * np.eye(len(W)), W)

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the log density of what is known of each row."""
        values = self._admit(X)
        out = np.zeros(len(values))
        for pattern in patterns_of(values):
            out[pattern.rows] = self._model.log_density(values[pattern.rows], pattern.observed)
        return out

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean log density of the rows; y is ignored."""
        return float(np.mean(self.score_samples(X)))

    def get_covariance(self) -> np.ndarray:
        """(d, d) the covariance matrix of the model."""
        self._ready()
        C = self.components_.T @ self.components_
        C.flat[:: len(C) + 1] += self.noise_variance_
        return C

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> np.ndarray:
        """(n, d) rows drawn from the model."""
        self._ready()
        random = as_generator(random_state, type(self).__name__)
        k, d = self.components_.shape
        noise = np.sqrt(self.noise_variance_) * random.standard_normal((n_samples, d))
        return random.standard_normal((n_samples, k)) @ self.components_ + self.mean_ + noise

    def _model_parts(self) -> list[Part]:
        total = float(self.explained_variance_.sum())
        total += (self.components_.shape[1] - len(self.explained_variance_)) * self.noise_variance_
        rows: list[list[Any]] = [
            [name, float(v), float(v) / total] for name, v in zip(self._names_out(), self.explained_variance_)
        ]
        note = f"Noise of variance {self.noise_variance_:.4g} in the other directions."
        return [Section("Components", ["component", "variance", "share"], rows, note)]

    def _column_names(self) -> list[str]:
        design = getattr(self, "design_", None)
        return self.schema_.names if design is None or design.plain else list(design.names)


@dataclass
class _Sums:
    """What a step adds up: for each column the products of the expected (z, 1) where it is known."""

    A: np.ndarray  # (d, k + 1, k + 1)
    b: np.ndarray  # (d, k + 1)
    squares: np.ndarray  # (d,) of the values
    known: np.ndarray  # (d,) their weight
    log_likelihood: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.A + other.A,
            self.b + other.b,
            self.squares + other.squares,
            self.known + other.known,
            self.log_likelihood + other.log_likelihood,
        )

    def maximise(self, model: _Model) -> _Model:
        """Each column's weights by least squares on the expected components; values are about the last mean."""
        weights = np.linalg.solve(self.A, self.b[:, :, None])[:, :, 0]
        left = float(np.sum(self.squares - np.einsum("jk,jk->j", weights, self.b)))
        smallest = SMALLEST_NOISE * float(self.squares.sum() / self.known.sum())
        noise = max(left / float(self.known.sum()), smallest)
        return _Model(weights[:, :-1], model.mean + weights[:, -1], noise)


@dataclass
class _Model:
    W: np.ndarray  # (d, k)
    mean: np.ndarray
    noise: float

    def scores(self, X: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Expected z of rows with these columns, the inverse of M = W'W + noise I, and the centred values."""
        W, A = self.W[observed], X[:, observed] - self.mean[observed]
        inverse = np.linalg.inv(W.T @ W + self.noise * np.eye(W.shape[1]))
        return A @ W @ inverse, inverse, A

    def log_density(self, X: np.ndarray, observed: np.ndarray) -> np.ndarray:
        return self._density(*self.scores(X, observed), observed)

    def _density(self, Z: np.ndarray, inverse: np.ndarray, A: np.ndarray, observed: np.ndarray) -> np.ndarray:
        o, k = len(observed), self.W.shape[1]
        left = A - Z @ self.W[observed].T
        square = np.einsum("ij,ij->i", left, left) / self.noise + np.einsum("ij,ij->i", Z, Z)
        log_det = (o - k) * np.log(self.noise) - np.linalg.slogdet(inverse)[1]
        return -0.5 * (o * np.log(2 * np.pi) + log_det + square)

    def expect(self, block: Block) -> _Sums:
        X, w = block.X, block.w
        d, k = self.W.shape
        A, b, squares, known, total = (
            np.zeros((d, k + 1, k + 1)),
            np.zeros((d, k + 1)),
            np.zeros(d),
            np.zeros(d),
            0.0,
        )
        for pattern in patterns_of(X):
            o = pattern.observed
            Z, inverse, centred = self.scores(X[pattern.rows], o)
            weight = np.ones(len(Z)) if w is None else w[pattern.rows]
            total += float(weight @ self._density(Z, inverse, centred, o))
            Z1 = np.column_stack([Z, np.ones(len(Z))])
            product = (Z1 * weight[:, None]).T @ Z1
            product[:k, :k] += weight.sum() * self.noise * inverse
            A[o] += product
            b[o] += (centred * weight[:, None]).T @ Z1
            squares[o] += weight @ (centred * centred)
            known[o] += weight.sum()
        return _Sums(A, b, squares, known, total)


def _known_moments(block: Block) -> Any:
    X = block.X
    return class_moments(X, np.zeros(len(X), dtype=np.int64), block.w, 1, complete=False)


def _filled(block: Block, mean: np.ndarray) -> Block:
    missing = np.isnan(block.X)
    return Block(np.where(missing, mean, block.X), None, block.w) if missing.any() else block
