"""Mixture of factor analysers, and of probabilistic principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from assay.core import Card
from assay.core.parameters import Choice, Count, Range
from assay.core.stored import FloatArray
from assay.core.sums import Source
from assay.distances.squared_rows import SquaredRows
from assay.errors import DegenerateError, ParameterError
from assay.mixture.column_ranges import ColumnRanges
from assay.mixture.local_mixture import LOCAL_PARAMETERS, LocalMixture
from assay.mixture.starts import k_means
from assay.types import RandomState

__all__ = ["FactorAnalyzerMixture"]

LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class _State:
    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    loadings: np.ndarray  # (K, d, q)
    noise: np.ndarray  # (K, d)


@dataclass(frozen=True)
class _Sums:
    counts: np.ndarray  # (K,)
    first: np.ndarray  # (K, d) about the means before
    second: np.ndarray  # (K, d, d)
    log_likelihood: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.counts + other.counts,
            self.first + other.first,
            self.second + other.second,
            self.log_likelihood + other.log_likelihood,
        )


class FactorAnalyzerMixture(SquaredRows, LocalMixture):
    r"""A mixture of Gaussians whose covariances have few factors: shape without many parameters.

    .. math:: p(x \mid k) = N(x;\, m_k,\, V_kV_k^T + \Psi_k)                                          \quad (1)

    with q columns in :math:`V_k` and a diagonal :math:`\Psi_k` (factor analysers), or
    :math:`\Psi_k = \sigma_k^2 I` (``noise="spherical"``: probabilistic principal components, whose maximisation step
    is an eigendecomposition of each component's covariance). In many columns and few rows better than full covariances,
    which have d(d+1)/2 numbers each, and than diagonal ones, which drop all correlation.

    Cost: fit O(n K d^2 + K d^3) an iteration; score O(K d^2) a row; memory O(n K + K d^2).

    Parameters
    ----------
    n_components : int, default 2
    n_factors : int, default 1
        q, below the number of columns.
    noise : "diagonal" or "spherical", default "diagonal"
    floor : float, default 1e-6
        The smallest variance in :math:`\Psi`.
    tol : float, default 1e-5
        Stop when the log likelihood of all rows rises by less.
    max_iter : int, default 2000
    n_init : int, default 1
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    weights_ : (K,)      means_ : (K, p)      loadings_ : (K, p, q)      noise_variances_ : (K, p)
    log_likelihood_ : float      n_iter_ : int      converged_ : bool      history_ : list of dict

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.mixture import FactorAnalyzerMixture
    >>> model = FactorAnalyzerMixture(1, n_factors=2, noise="spherical").fit(load_iris().data)
    >>> round(model.log_likelihood_, 4)
    -404.9628

    See Also
    --------
    GaussianMixture, FactorAnalysis

    References
    ----------
    - Ghahramani, Z. and Hinton, G. E. (1997). The EM algorithm for mixtures of factor analyzers. University of Toronto
      CRG-TR-96-1.
    - Tipping, M. E. and Bishop, C. M. (1999). Mixtures of probabilistic principal component analyzers. Neural
      Computation 11(2), 443-482. doi:10.1162/089976699300016728
    """

    card = Card(
        "mixture of factor analysers",
        "Gaussians whose covariances have few factors",
        also=("mixture of ppca",),
        settings={"n_components": 2},
    )
    accepts = {
        **LOCAL_PARAMETERS,
        "n_factors": Count(1),
        "noise": Choice("diagonal", "spherical"),
        "floor": Range(0, open="both"),
    }
    stored = {
        "means_": FloatArray("c", "p", finite=True),
        "loadings_": FloatArray("c", "p", "q", finite=True),
        "noise_variances_": FloatArray("c", "p", low=0),
    }
    monotone = False  # a variance at its floor is no maximum of the likelihood

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_factors: int = 1,
        noise: str = "diagonal",
        floor: float = 1e-6,
        tol: float = 1e-5,
        max_iter: int = 2000,
        n_init: int = 1,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.n_factors = n_factors
        self.noise = noise
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    def _survey_rows(self, source: Source) -> None:
        who, ranges = type(self).__name__, source.add_up(ColumnRanges.of_block)
        ranges.refuse_without_squares(self._names, who)
        ranges.warn_below(self.floor, "floor", self._names, who)

    def _begin(self, X: Any, w: Any, draw: np.random.RandomState) -> _State:
        X = np.ascontiguousarray(X, dtype=np.float64)
        d, K = X.shape[1], self.n_components
        if self.n_factors >= d and d > 1:
            raise ParameterError(
                f"n_factors must be below the number of columns, {d}",
                who=type(self).__name__,
                got=self.n_factors,
            )
        labels = k_means(X, w, K, draw)[1]
        weights = np.ones(len(X)) if w is None else w
        means, scatters, counts = np.empty((K, d)), np.empty((K, d, d)), np.bincount(labels, weights, K)
        for k in range(K):
            part, here = X[labels == k], weights[labels == k]
            means[k] = np.average(part, axis=0, weights=here) if here.sum() > 0 else X.mean(axis=0)
            gaps = part - means[k]
            scatters[k] = (here * gaps.T) @ gaps / max(here.sum(), 1e-300)
        loadings, noise = self._components(scatters)
        return _State(np.maximum(counts, 1e-12) / np.maximum(counts, 1e-12).sum(), means, loadings, noise)

    def _components(self, covariances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loadings and noise of probabilistic principal components."""
        K, d, _ = covariances.shape
        q = min(self.n_factors, d)
        values, vectors = np.linalg.eigh(covariances)
        rest_of_values = values[:, : d - q]
        sigma = np.maximum(rest_of_values.mean(axis=1) if d > q else np.zeros(K), self.floor)
        top = np.maximum(values[:, d - q :] - sigma[:, None], 0.0)
        return vectors[:, :, d - q :] * np.sqrt(top)[:, None, :], np.tile(sigma[:, None], (1, d))

    def _log_joint_of(self, X: np.ndarray, state: _State) -> np.ndarray:
        out = np.empty((len(X), len(state.weights)))
        for k in range(len(state.weights)):
            covariance = state.loadings[k] @ state.loadings[k].T + np.diag(state.noise[k])
            try:
                root = cho_factor(covariance, lower=True)
            except np.linalg.LinAlgError:
                raise DegenerateError(
                    f"{type(self).__name__}: a component has collapsed. Raise floor, or take fewer components."
                ) from None
            gaps = X - state.means[k]
            quadratic = np.einsum("ij,ji->i", gaps, cho_solve(root, gaps.T))
            log_det = 2 * np.log(np.diag(root[0])).sum()
            out[:, k] = np.log(max(state.weights[k], 1e-300)) - 0.5 * (
                quadratic + log_det + X.shape[1] * LOG_2PI
            )
        return out

    def _sums(self, X: np.ndarray, w: Any, state: _State) -> _Sums:
        joint = self._log_joint_of(X, state)
        evidence = logsumexp(joint, axis=1)
        shares = np.exp(joint - evidence[:, None])
        if w is not None:
            shares = shares * w[:, None]
        K, d = state.means.shape
        first, second = np.empty((K, d)), np.empty((K, d, d))
        for k in range(K):
            gaps = X - state.means[k]
            first[k] = shares[:, k] @ gaps
            second[k] = (shares[:, k] * gaps.T) @ gaps
        return _Sums(shares.sum(axis=0), first, second, float(evidence.sum() if w is None else evidence @ w))

    def _maximise(self, sums: _Sums, state: _State) -> _State:
        counts = np.maximum(sums.counts, 1e-300)
        weights = sums.counts / sums.counts.sum()
        shift = sums.first / counts[:, None]
        covariances = sums.second / counts[:, None, None] - shift[:, :, None] * shift[:, None, :]
        if self.noise == "spherical":
            loadings, noise = self._components(covariances)
            return _State(weights, state.means + shift, loadings, noise)
        loadings, noise, means = (
            np.empty_like(state.loadings),
            np.empty_like(state.noise),
            np.empty_like(state.means),
        )
        q = state.loadings.shape[2]
        for k in range(len(weights)):
            V, about = state.loadings[k], sums.second[k] / counts[k]  # about the mean before
            beta = np.linalg.solve(V @ V.T + np.diag(state.noise[k]), V).T
            # Means of e, e e', x e' and x x', with x about the mean before: the expected factor is beta x.
            m1 = shift[k]
            e = beta @ m1
            ee = np.eye(q) - beta @ V + beta @ about @ beta.T
            wide = np.block([[ee, e[:, None]], [e[None, :], np.ones((1, 1))]])
            cross = np.hstack([about @ beta.T, m1[:, None]])
            both = np.linalg.solve(wide.T, cross.T).T  # [V m]
            loadings[k] = both[:, :q]
            means[k] = state.means[k] + both[:, q]
            noise[k] = np.maximum(np.diag(about - both @ cross.T), self.floor)
        return _State(weights, means, loadings, noise)

    def _adopt_state(self, state: _State) -> None:
        self.weights_, self.means_ = state.weights, state.means
        self.loadings_, self.noise_variances_ = state.loadings, state.noise

    def _state(self) -> _State:
        return _State(self.weights_, self.means_, self.loadings_, self.noise_variances_)

    def _n_parameters(self) -> int:
        K, d, q = self.loadings_.shape
        noise = K if self.noise == "spherical" else K * d
        return K - 1 + K * d + K * (d * q - q * (q - 1) // 2) + noise
