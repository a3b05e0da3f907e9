"""Base class of Gaussian classifiers with a shared covariance: linear scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import ScoresClasses, by_rows
from assay.bayes.low_rank import LowRank
from assay.core.scores import logistic
from assay.core.stored import Boolean, FloatArray, Scalar

_EPS = np.finfo(np.float64).eps
_NOT_SO = np.array([np.nan])  # the log odds are not enough: more classes, or numbers that overflow


class SharedCovariance(ScoresClasses):
    r"""Base of linear Gaussian classifiers. ``_settle`` takes what was solved for and makes scores of it.

    .. math:: g_k(x) = a_k^T (x - c) + b_k,\qquad a_k = \Sigma^{-1}(m_k - c),\quad
              b_k = \ln\pi_k - \tfrac12 (m_k - c)^T\Sigma^{-1}(m_k - c)

    about a centre c among the rows, so that data far from the origin lose no digits.
    """

    stored = {
        "_centre": FloatArray("p"),
        "_constants": FloatArray("K"),
        "_far": Boolean(),
        "_root": FloatArray("p", "r"),
        "_weights": FloatArray("K", "p"),
        "_whitener": FloatArray("p", "r"),
        "_scale": FloatArray("p", low=0),
        "_axes": FloatArray("p", "a"),
        "_along": FloatArray("a", low=0),
        "_across": Scalar(),
    }

    _sum_of_terms = "Score"

    def _settle(
        self,
        centre: np.ndarray,
        weights: np.ndarray,
        constants: np.ndarray,
        shape: LowRank | tuple[np.ndarray, np.ndarray],
    ) -> None:
        """centre c (d,), weights a (K, d), constants b (K,), and the covariance S: of few rows, or as a pair.

        The pair is a whitener P (d, r) with P' S P = I, and the root S P, whose product with itself is S.
        """
        self._centre, self._weights, self._constants = centre, weights, constants
        for name in ("_whitener", "_root", "_scale", "_axes", "_along", "_across"):
            self.__dict__.pop(name, None)
        if isinstance(shape, LowRank) and shape.across > 0:
            self._scale, self._axes, self._along = shape.scale, shape.axes, shape.along
            self._across = shape.across
        else:
            self._whitener, self._root = (shape.whitener, shape.root) if isinstance(shape, LowRank) else shape
        # digits lost by scoring about the origin instead of the centre, as a rounding error of the score
        self._far = bool(np.max(np.abs(weights) @ np.abs(centre), initial=0.0) * _EPS > 1e-11)

    @property
    def _shape(self) -> LowRank | None:
        """The covariance if it is a few axes and a variance across them, else None."""
        if "_axes" not in vars(self):
            return None
        return LowRank(self._scale, self._axes, self._along, self._across)

    @property
    def _two(self) -> bool:
        """Whether the log odds of two classes, about the origin, are all that is needed."""
        return len(self._constants) == 2 and not self._far and bool(np.isfinite(self._constants).all())

    def _log_odds(self, X: Any) -> np.ndarray:
        w = self._weights[1] - self._weights[0]
        with np.errstate(over="ignore", invalid="ignore"):
            odds = X @ w
        odds += self._constants[1] - self._constants[0] - w @ self._centre
        return odds

    def _scores(self, X: Any) -> np.ndarray:
        if not self._two:
            return self._linear(X)
        scores = np.zeros((X.shape[0], 2))
        scores[:, 1] = self._log_odds(X)
        return scores

    def _posterior(self, X: Any) -> np.ndarray:
        odds = self._log_odds(X) if self._two else _NOT_SO
        return super()._posterior(X) if np.isnan(odds).any() else logistic(odds)

    def _choose(self, X: Any) -> np.ndarray:
        odds = self._log_odds(X) if self._two else _NOT_SO
        return super()._choose(X) if np.isnan(odds).any() else (odds > 0).astype(np.int64)

    def _linear(self, X: Any) -> np.ndarray:
        """(n, K) the scores in full."""
        if not self._far:
            with np.errstate(over="ignore", invalid="ignore"):
                scores = X @ self._weights.T
            scores += self._constants - self._weights @ self._centre
            return scores

        def score(block: np.ndarray, out: np.ndarray) -> None:
            with np.errstate(over="ignore", invalid="ignore"):
                np.matmul(block - self._centre, self._weights.T, out=out)

        scores = by_rows(score, X, len(self._constants))
        scores += self._constants
        return scores

    def _log_joint(self, X: Any) -> np.ndarray:
        shape = self._shape
        if shape is not None:
            common = -0.5 * (shape.squares(X - self._centre) + shape.log_det + X.shape[1] * np.log(2 * np.pi))
            return self._linear(X) + common[:, None]
        Z = (X - self._centre) @ self._whitener
        rank = Z.shape[1]
        log_det = np.linalg.slogdet(self._whitener.T @ self._whitener)[1] if rank else 0.0
        common = -0.5 * np.einsum("ij,ij->i", Z, Z) + 0.5 * log_det - 0.5 * rank * np.log(2 * np.pi)
        return self._linear(X) + common[:, None]

    def _terms(self, x: np.ndarray) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
        return [("at the centre", self._constants)], (self._weights * (x - self._centre)).T

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        shape = self._shape  # w_k is the inverse covariance times m_k
        if shape is not None:
            common = shape.solve(self._centre[None])[0]
        else:
            common = self._whitener @ (self._whitener.T @ self._centre)
        w = self._weights + common
        w0 = self._constants - self._weights @ self._centre - 0.5 * (common @ self._centre)
        return None, w, w0

    def _deviations(self, k: int, noise: np.ndarray) -> np.ndarray:
        shape = self._shape
        if shape is not None:
            return shape.deviations(noise)
        return noise[:, : self._root.shape[1]] @ self._root.T


def whitening(S: np.ndarray, tol: float = 0.0) -> np.ndarray:
    """P (d, r) with P' S P = I, longest axes first, without the axes shorter than ``tol`` in units of the columns.

    >>> import numpy as np
    >>> from assay.bayes.shared_covariance import whitening
    >>> whitening(np.array([[4.0, 0.0], [0.0, 0.0]]))
    array([[0.5],
           [0. ]])
    """
    spread = np.sqrt(np.diag(S))
    spread = np.where(spread > 0, spread, 1.0)
    values, vectors = np.linalg.eigh(S / np.outer(spread, spread))
    keep = values > max(tol**2, 10 * len(S) * _EPS * values[-1], 0.0)
    return (vectors[:, keep] / np.sqrt(values[keep]) / spread[:, None])[:, ::-1]
