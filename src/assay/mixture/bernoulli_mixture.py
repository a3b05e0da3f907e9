"""Mixture of Bernoulli distributions: groups of rows of ones and zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from assay.core import Card
from assay.core.parameters import Array, Range
from assay.core.stored import FloatArray
from assay.core.sums import Source
from assay.errors import DataError, ParameterError
from assay.mixture.local_mixture import LOCAL_PARAMETERS, LocalMixture
from assay.types import RandomState

__all__ = ["BernoulliMixture"]


@dataclass(frozen=True)
class _Sums:
    counts: np.ndarray  # (K,)
    ones: np.ndarray  # (K, d)
    known: np.ndarray  # (K, d)
    log_likelihood: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.counts + other.counts,
            self.ones + other.ones,
            self.known + other.known,
            self.log_likelihood + other.log_likelihood,
        )


class BernoulliMixture(LocalMixture):
    r"""A mixture of rows of independent ones and zeros, by EM.

    .. math:: p(x) = \sum_k \pi_k \prod_j p_{kj}^{x_j}(1-p_{kj})^{1-x_j}, \qquad
              p_{kj} = \frac{\sum_i h_{ik} x_{ij} + \alpha}{\sum_i h_{ik} + 2\alpha}                    \quad (1)

    with the probabilities :math:`h_{ik}` of the components. A missing value is left out of the product and the sums, as
    the model has it. With :math:`\alpha` = 0 this is maximum likelihood, where probabilities of 0 and 1 are possible;
    above 0 the mode of a posterior with a beta prior.

    Cost: fit O(n K d) an iteration; score O(K d) a row; memory O(n K + K d).

    Parameters
    ----------
    n_components : int, default 2
    alpha : float, default 0
        Pseudo-counts of a one and a zero.
    binarize : float or None, default 0
        Numbers above it are ones; None refuses all but 0 and 1.
    tol : float, default 1e-6
        Stop when the log likelihood of all rows rises by less.
    max_iter : int, default 500
    n_init : int, default 5
    weights_init : (K,), default None
    probabilities_init : (K, p), default None
        Where to start; the weights are equal unless given.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    weights_ : (K,)      probabilities_ : (K, p)      log_likelihood_ : float      n_iter_ : int      converged_ : bool
    history_ : list of dict, iteration and log_likelihood

    Examples
    --------
    >>> from assay.mixture import BernoulliMixture
    >>> X = [[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 1, 0, 1, 1]]
    >>> start = [[0.6, 0.6, 0.6, 0.4, 0.4], [0.4, 0.4, 0.4, 0.6, 0.6]]
    >>> model = BernoulliMixture(2, probabilities_init=start, tol=1e-9).fit(X)
    >>> round(model.log_likelihood_, 6), model.probabilities_[0].round(4).tolist()
    (-9.887511, [1.0, 1.0, 0.6667, 0.0, 0.0])

    See Also
    --------
    MixedMixture, GaussianMixture, KModes

    References
    ----------
    - McLachlan, G. J. and Peel, D. (2000). Finite Mixture Models. Wiley. doi:10.1002/0471721182
    """

    card = Card("bernoulli mixture", "groups of rows of ones and zeros", settings={"n_components": 2})
    takes = frozenset({"missing"})
    accepts = {
        **LOCAL_PARAMETERS,
        "alpha": Range(0, open="high"),
        "binarize": Range() | None,
        "weights_init": Array(1, low=0) | None,
        "probabilities_init": Array(2, low=0) | None,
    }
    stored = {"probabilities_": FloatArray("c", "p", low=0, high=1)}

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 0.0,
        binarize: float | None = 0.0,
        tol: float = 1e-6,
        max_iter: int = 500,
        n_init: int = 5,
        weights_init: ArrayLike | None = None,
        probabilities_init: ArrayLike | None = None,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.weights_init = weights_init
        self.probabilities_init = probabilities_init
        self.random_state = random_state

    def _survey_rows(self, source: Source) -> None:
        if self.binarize is not None:
            return

        def odd(block: Any) -> np.ndarray:
            X = np.asarray(block.X, dtype=np.float64)
            return (~np.isnan(X) & (X != 0) & (X != 1)).sum(axis=0)

        strange = source.add_up(odd)
        if strange.any():
            j = int(np.argmax(strange > 0))
            raise DataError(
                f"column {self._names[j]} has values other than 0 and 1. Give binarize, or use MixedMixture.",
                who=type(self).__name__,
            )

    def _ones(self, X: np.ndarray) -> np.ndarray:
        return X if self.binarize is None else np.where(np.isnan(X), np.nan, self.binarize < X)

    def _starts(self) -> int:
        return 1 if self.probabilities_init is not None else self.n_init

    def _begin(self, X: Any, w: Any, draw: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        K, d, who = self.n_components, X.shape[1], type(self).__name__
        weights = (
            np.full(K, 1 / K)
            if self.weights_init is None
            else np.asarray(self.weights_init, dtype=np.float64)
        )
        if weights.shape != (K,) or not np.isclose(weights.sum(), 1):
            raise ParameterError(f"weights_init must be {K} numbers that sum to 1.", who=who)
        if self.probabilities_init is not None:
            p = np.asarray(self.probabilities_init, dtype=np.float64)
            if p.shape != (K, d) or p.max() > 1:
                raise ParameterError(f"probabilities_init must be ({K}, {d}) numbers from 0 to 1.", who=who)
            return weights, p
        X = self._ones(np.asarray(X, dtype=np.float64))
        with np.errstate(invalid="ignore"):
            mean = np.nan_to_num(np.nanmean(np.where(np.isnan(X).all(axis=0), 0.5, X), axis=0), nan=0.5)
        rows = np.nan_to_num(X[draw.choice(len(X), K, replace=len(X) < K)], nan=0.5)
        return weights, np.clip(
            0.5 * mean + 0.5 * (0.2 + 0.6 * rows) + draw.uniform(-0.05, 0.05, (K, d)), 0.02, 0.98
        )

    def _log_joint_of(self, X: np.ndarray, state: Any) -> np.ndarray:
        weights, p = state
        X = self._ones(X)
        known = ~np.isnan(X)
        ones = np.where(known, X, 0.0)
        zeros = np.where(known, 1 - X, 0.0)
        with np.errstate(divide="ignore"):
            on, off = np.log(p), np.log1p(-p)
            out = np.tile(np.log(weights), (len(X), 1))
        for k in range(len(weights)):  # 0 log 0 is 0
            out[:, k] += ones @ np.where(np.isneginf(on[k]), 0, on[k])
            out[:, k] += zeros @ np.where(np.isneginf(off[k]), 0, off[k])
            never = ones @ np.isneginf(on[k]) + zeros @ np.isneginf(off[k])
            out[never > 0, k] = -np.inf
        return out

    def _sums(self, X: np.ndarray, w: Any, state: Any) -> _Sums:
        joint = self._log_joint_of(X, state)
        evidence = logsumexp(joint, axis=1)
        weights = np.ones(len(X)) if w is None else w
        counted = weights > 0
        with np.errstate(invalid="ignore"):
            shares = np.where(counted[:, None], np.exp(joint - evidence[:, None]), 0.0) * weights[:, None]
        X = self._ones(X)
        known = ~np.isnan(X)
        return _Sums(
            shares.sum(axis=0),
            shares.T @ np.where(known, X, 0.0),
            shares.T @ known.astype(np.float64),
            float(evidence[counted] @ weights[counted]),
        )

    def _maximise(self, sums: _Sums, state: Any) -> tuple[np.ndarray, np.ndarray]:
        total = sums.known + 2 * self.alpha
        p = np.where(total > 0, (sums.ones + self.alpha) / np.where(total > 0, total, 1.0), state[1])  # (1)
        return sums.counts / sums.counts.sum(), np.clip(p, 0.0, 1.0)

    def _log_prior(self, state: Any) -> float:
        if self.alpha == 0:
            return 0.0
        return float(self.alpha * np.sum(np.log(state[1]) + np.log1p(-state[1])))

    def _adopt_state(self, state: Any) -> None:
        self.weights_, self.probabilities_ = state

    def _state(self) -> Any:
        return self.weights_, self.probabilities_

    def _n_parameters(self) -> int:
        K, d = self.probabilities_.shape
        return K * d + K - 1

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the mixture (n_samples, p), and the component of each."""
        from assay.core.seeds import random_state_of

        self._ready()
        draw = random_state_of(self.random_state)
        labels = draw.choice(len(self.weights_), n_samples, p=self.weights_)
        return (
            draw.uniform(size=(n_samples, self.probabilities_.shape[1])) < self.probabilities_[labels]
        ).astype(float), labels
