"""Base class of Gaussian classifiers with one covariance per class: quadratic scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from assay.bayes._own_covariances import scores as quadratic_scores
from assay.bayes.gaussian_classifier import (
    ScoresClasses,
    SingularCovarianceError,
    by_rows,
    log_of,
)
from assay.bayes.low_rank import LowRank, whitening_of_rows
from assay.core.moments import ClassScatter, RowScatter
from assay.core.stored import Each, FloatArray, Object

_EPS = np.finfo(np.float64).eps


class OwnCovariances(ScoresClasses):
    r"""Base of quadratic Gaussian classifiers. ``_settle`` takes a covariance for each class and makes scores of it.

    .. math:: g_k(x) = \ln\pi_k - \tfrac12\ln|\Sigma_k| - \tfrac12\lVert A_k (x-m_k)\rVert^2,\qquad
              \Sigma_k = L_k L_k^T,\quad A_k = L_k^{-1}                                        \quad (1)

    The triangle :math:`A_k` is made in units of the columns' own spread, so badly scaled columns lose no digits.
    """

    stored = {
        "_sums": Object(ClassScatter, RowScatter, K="K", d="p"),
        "_axes": Each(FloatArray("p", "*"), "K"),
        "_along": Each(FloatArray("*", low=0), "K"),
        "_across": FloatArray("K", low=0),
        "_scales": FloatArray("K", "p", low=0),
        "_log_dets": FloatArray("K"),
        "_whiteners": FloatArray("K", "p", "p") | Each(FloatArray("p", "*"), "K"),
        "means_": FloatArray("K", "p"),
        "priors_": FloatArray("K", low=0),
    }

    _sum_of_terms = "Score"

    def _check_stored(self) -> None:
        sizes = zip(vars(self).get("_axes", ()), vars(self).get("_along", ()), strict=True)
        if any(axes.shape[1] != len(along) for axes, along in sizes):
            raise ValueError(f"{type(self).__name__}: not one variance along each axis.")

    def _settle(self, covariances: np.ndarray, tol: float, advice: Callable[[int], str]) -> None:
        """covariances : (K, d, d), each of full rank, or it is an error that ends with the advice for class k."""
        K, d = self.means_.shape
        for name in ("_axes", "_along", "_across", "_scales"):
            self.__dict__.pop(name, None)
        self._whiteners, self._log_dets = np.empty((K, d, d)), np.empty(K)
        for k in range(K):
            if self.priors_[k] == 0:  # never chosen, perhaps never seen
                self._whiteners[k], self._log_dets[k] = np.eye(d), 0.0
                continue
            whitener = _triangle(covariances[k], tol)
            if whitener is None:
                self._refuse_singular(k, _rank(covariances[k], tol), advice)
            self._whiteners[k] = whitener
            self._log_dets[k] = -2.0 * np.log(np.diag(whitener)).sum()

    def _refuse_singular(self, k: int, rank: int, advice: Callable[[int], str]) -> NoReturn:
        raise SingularCovarianceError(
            f"{type(self).__name__}: The covariance matrix of class {self.classes_[k]} is not full rank "
            f"(rank {rank} of {self.means_.shape[1]}). {advice(k)}"
        )

    def _settle_rows(
        self, shapes: list[LowRank], tol: float, dense: Callable[[], np.ndarray], advice: Callable[[int], str]
    ) -> None:
        """The same for covariances of few rows, each a few axes and a variance across them.

        ``dense`` makes the matrices, if they are needed to determine the rank.
        """
        d = self.means_.shape[1]
        floor = max(tol**2, 10 * d * _EPS)
        for k, shape in enumerate(shapes):
            if self.priors_[k] > 0 and shape.across == 0:  # as many axes as rows at most: no matrix is needed
                self._refuse_singular(k, whitening_of_rows(shape.root.T, tol).rank, advice)
            spread = shape.across + np.einsum("ij,j->i", shape.axes**2, shape.along - shape.across)
            if self.priors_[k] > 0 and not shape.across > floor * spread.max():  # perhaps not of full rank
                self._settle(dense(), tol, advice)
                return
        for name in ("_whiteners", "_scales"):
            self.__dict__.pop(name, None)
        if any((shape.scale != 1).any() for shape in shapes):
            self._scales = np.array([shape.scale for shape in shapes])
        self._axes, self._along = [shape.axes for shape in shapes], [shape.along for shape in shapes]
        self._across = np.array([shape.across for shape in shapes])
        self._log_dets = np.array([shape.log_det for shape in shapes])

    @property
    def _shapes(self) -> list[LowRank] | None:
        """The covariances of few rows, or None."""
        if "_axes" not in vars(self):
            return None
        scales = vars(self).get("_scales", np.ones(self.means_.shape))
        return [LowRank(*each) for each in zip(scales, self._axes, self._along, self._across)]

    def _scores(self, X: Any) -> np.ndarray:
        return self._quadratic(X, log_of(self.priors_) - 0.5 * self._log_dets)

    def _quadratic(self, X: Any, constants: np.ndarray) -> np.ndarray:
        """(n, K) the constants less half the squared Mahalanobis distances."""
        shapes = self._shapes
        if shapes is not None:
            squares = [shape.squares(X - mean) for shape, mean in zip(shapes, self.means_)]
            return constants - 0.5 * np.column_stack(squares)
        triangles = self._whiteners.reshape(-1, X.shape[1])

        def score(block: np.ndarray, out: np.ndarray) -> None:
            block = np.ascontiguousarray(block, dtype=np.float64)
            quadratic_scores(block, self.means_, triangles, constants, out)  # (1)

        return by_rows(score, X, len(constants))

    def _log_joint(self, X: Any) -> np.ndarray:
        return self._scores(X) - 0.5 * X.shape[1] * np.log(2 * np.pi)

    def _terms(self, x: np.ndarray) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
        gap, shapes = x - self.means_, self._shapes
        if shapes is not None:
            pull = np.array([shape.solve(g[None])[0] for shape, g in zip(shapes, gap)])
        else:  # inverse covariance times gap
            pull = np.einsum("kba,kbc,kc->ka", self._whiteners, self._whiteners, gap)
        heads = [("log prior", log_of(self.priors_)), ("-1/2 log determinant", -0.5 * self._log_dets)]
        return heads, (-0.5 * gap * pull).T

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        shapes = self._shapes
        if shapes is not None:
            precision = np.array([shape.precision() for shape in shapes])
        else:
            precision = np.einsum("kba,kbc->kac", self._whiteners, self._whiteners)
        w = np.einsum("kab,kb->ka", precision, self.means_)
        w0 = -0.5 * np.sum(w * self.means_, axis=1) - 0.5 * self._log_dets + log_of(self.priors_)
        return -0.5 * precision, w, w0

    def _deviations(self, k: int, noise: np.ndarray) -> np.ndarray:
        from scipy.linalg import solve_triangular

        shapes = self._shapes
        if shapes is not None:
            return shapes[k].deviations(noise)
        return solve_triangular(self._whiteners[k], noise.T, lower=True).T


def _scaled(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spread = np.sqrt(np.diag(S))
    spread = np.where(spread > 0, spread, 1.0)
    return S / np.outer(spread, spread), spread


def _rank(S: np.ndarray, tol: float) -> int:
    """How many singular values of the standardised rows exceed tol."""
    values = np.linalg.eigvalsh(_scaled(S)[0])
    return int(np.sum(values > max(tol**2, 10 * len(S) * _EPS)))


def _triangle(S: np.ndarray, tol: float) -> np.ndarray | None:
    """Lower triangular A with A S A' = I; None if S is not of full rank."""
    from scipy.linalg.lapack import dtrtri

    C, spread = _scaled(S)
    d = len(S)
    try:
        L = np.linalg.cholesky(C)
    except np.linalg.LinAlgError:
        return None
    floor = max(tol**2, 10 * d * _EPS)
    if np.min(np.diag(L)) ** 2 <= floor:  # the smallest eigenvalue is smaller still
        return None
    A = dtrtri(L, lower=1)[0]
    if (
        1.0 / np.sum(A * A) <= floor and _rank(S, tol) < d
    ):  # the left side bounds the smallest eigenvalue from below
        return None
    return A / spread
