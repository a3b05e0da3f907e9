"""What the machines on landmarks share: the features, passes over the rows, and the function that comes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import PassLearner
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.stored import FloatArray, Scalar
from assay.core.sums import Block, Rows, Source
from assay.errors import ParameterError, warn_user
from assay.kernels import Nystroem
from assay.svm.kernel_machine import KernelMachine
from assay.svm.landmarks.squared_slack_sums import minimise_slacks

__all__ = ["LandmarkMachine"]

CANDIDATES_A_LANDMARK = 20  # rows among which landmarks are chosen
LEAST_CANDIDATES = 5_000
ROWS_FOR_BOUND = 10_000  # over which the error is averaged where the choice of landmarks does not know it


class LandmarkMachine(PassLearner, KernelMachine):
    """Base of the machines whose function is a sum over landmarks.

    A machine writes ``_learn_from(source)`` and calls ``_fit_slacks``.
    """

    accepts: ClassVar[Any] = {
        **{
            name: KernelMachine.accepts[name] for name in ("kernel", "degree", "gamma", "coef0", "cache_size")
        },
        "C": Range(0, np.inf, open="both"),
        "n_landmarks": Count(1),
        "landmarks": Choice("random cholesky", "cholesky", "random", "leverage"),
        "fit_intercept": Flag(),
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {"error_bound_": Scalar(low=0), "objective_": FloatArray("*")}

    C: float
    n_landmarks: int
    landmarks: str
    fit_intercept: bool
    random_state: Any

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._kernel().precomputed:
            raise ParameterError(
                f"{type(self).__name__}: landmarks are rows that a kernel compares with others; a precomputed matrix "
                "has none. Give rows and a kernel."
            )

    def _fit_slacks(
        self,
        source: Source,
        targets: Callable[[np.ndarray], np.ndarray],
        slack: Callable[[np.ndarray, np.ndarray], np.ndarray],
        K: int,
        factors: np.ndarray | None = None,
    ) -> None:
        """Choose landmarks, and fit K functions of them to the targets; ``factors`` are of the classes' weights."""
        who = type(self).__name__
        n = source.count()
        described = Nystroem(
            self._kernel_of_table(),
            n_components=min(self.n_landmarks, n),
            landmarks=self.landmarks,
            random_state=self.random_state,
        )
        described.most_candidates = max(LEAST_CANDIDATES, CANDIDATES_A_LANDMARK * self.n_landmarks)
        described._learn_from(source)
        m = len(described.normalization_)
        inner: Source = source
        features: Callable[[Any], np.ndarray] = described._transform
        if isinstance(source, Rows) and n * m * 8 <= self.cache_size * 2**20:
            inner, features = Rows(described._transform(source.X), source.y, source.w), _as_they_are
        fitted = minimise_slacks(
            inner,
            features,
            targets,
            slack,
            partial(_row_weights, factors=factors),
            C=float(self.C),
            size=(K, m + 1),
            fit_intercept=self.fit_intercept,
            tol=1e-2 * self.tol,
            max_iter=self.max_iter,
            who=who,
        )
        self.kernel_ = described.kernel_
        self.support_ = np.asarray(described.component_indices_, dtype=np.int32)
        self.support_vectors_ = described.components_
        self.dual_coef_ = fitted.W[:, :m] @ described.normalization_
        self.intercept_ = fitted.W[:, m] if self.fit_intercept else np.zeros(K)
        self.shape_fit_ = (n, *map(int, described.components_.shape[1:]))
        self.error_bound_ = self._left_over(described, source)
        self.objective_, self.n_iter_ = fitted.objective, fitted.n_iter
        self.fit_status_ = int(not fitted.converged)
        if not fitted.converged:
            warn_user(
                f"{who} stopped after {fitted.n_iter} steps, before the objective settled. Raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _left_over(self, described: Nystroem, source: Source) -> float:
        """The share of the trace of the kernel matrix that the landmarks leave over."""
        if hasattr(described, "error_bound_"):
            return described.error_bound_
        rows = source.take(np.unique(np.linspace(0, source.count() - 1, ROWS_FOR_BOUND).astype(np.int64)))
        Z, total = described._transform(rows), described.kernel_.diagonal(rows)
        residual = np.maximum(total - np.einsum("ij,ij->i", Z, Z), 0.0)
        return float(residual.sum() / total.sum()) if total.sum() > 0 else 0.0


def _row_weights(block: Block, factors: np.ndarray | None) -> np.ndarray | None:
    if factors is None:
        return block.w
    return factors[block.y] if block.w is None else factors[block.y] * block.w


def _as_they_are(Z: Any) -> Any:
    return Z
