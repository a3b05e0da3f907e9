"""What all ways to compute a Gaussian process regression have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from assay.core.stored import FloatArray, Kind, Object, ObjectRows, Scalar, TableRows
from assay.errors import DataError
from assay.kernels import Kernel
from assay.processes.routes.support import Support

__all__ = ["Evidence", "Route", "rows_below"]

Evidence = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Route:
    r"""A regression :math:`y = f(x) + e`, f a Gaussian process of mean 0, with targets and noise as they are.

    The life of a route: ``fit`` keeps the training rows, ``log_evidence`` judges parameters of the kernel as often as
    it is asked, ``condition`` computes what the answers need, once the kernel is chosen. Then come ``mean``,
    ``variance``, ``covariance`` and ``leave_one_out``.

    The kernel may have a noise part (a `WhiteKernel`): it is noise of the training rows, and belongs to the variance
    that ``variance`` gives (as scikit-learn's does); `assay.processes.noise.without_noise` takes it away.

    A route writes ``log_evidence``, ``_condition``, ``mean``, ``variance``, and what else it can.

    Attributes
    ----------
    kernel : Kernel      X : the n training rows      Y : (n, t) targets
    noise : (n,) variances of the rows' noise beyond that of the kernel
    words : str
        What is announced: what is computed, at which cost, and how exact it is.
    """

    storable: ClassVar[bool] = True
    words: ClassVar[str] = ""
    stored: ClassVar[Mapping[str, Kind] | None] = {
        "kernel": Object(Kernel),
        "X": TableRows("n", "*") | ObjectRows("n"),
        "Y": FloatArray("n", "t", finite=True),
        "noise": FloatArray("n", low=0, finite=True),
        "jitter": Scalar(low=0, finite=True),
    }
    kernel: Kernel
    X: Any
    Y: np.ndarray
    noise: np.ndarray
    jitter: float = 0.0  # what was added to the diagonal of a covariance matrix to make it positive definite

    def fit(self, kernel: Kernel, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        """Keep the training rows X, their targets Y (n, t) and the variances of their noise (n,)."""
        self.kernel, self.X, self.Y, self.noise = kernel, X, Y, noise
        return self

    def log_evidence(self, theta: np.ndarray, gradient: bool = True) -> tuple[float, np.ndarray]:
        """The log evidence of all targets at the kernel's parameters theta, and its (p,) derivatives.

        Without ``gradient`` the second is empty. Minus infinity where the covariance matrix has no factor.
        """
        raise TypeError(f"{type(self).__name__} must define log_evidence")

    def searched_log_evidence(self) -> Evidence:
        """``log_evidence`` with derivatives for many parameters one after the other; memory may be used again."""
        return self.log_evidence

    def condition(self, kernel: Kernel) -> Self:
        """Compute what the answers need, with this kernel."""
        self.kernel = kernel
        self._condition()
        return self

    def _condition(self) -> None:
        raise TypeError(f"{type(self).__name__} must define _condition")

    def mean(self, Q: Any) -> np.ndarray:
        """(q, t) the expected targets of the rows Q."""
        raise TypeError(f"{type(self).__name__} must define mean")

    def variance(self, Q: Any) -> np.ndarray:
        """(q,) or (q, t) the variances of the rows Q, the kernel's noise part included, never below 0."""
        raise TypeError(f"{type(self).__name__} must define variance")

    def moments(self, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        """The means and the variances; a route in which they share work computes them together."""
        return self.mean(Q), self.variance(Q)

    def covariance(self, Q: Any) -> np.ndarray:
        """(q, q) or (q, q, t) the covariances of the rows Q."""
        raise TypeError(f"{type(self).__name__} has no covariances of several rows")

    def support(self, x: Any) -> Support:
        """What the answer at one row, the table x, is made of; if targets have rows of their own, that of the first."""
        raise TypeError(f"{type(self).__name__} must define support")

    def slopes(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """(d, t) and (d,) or (d, t) the derivatives of mean and variance by the columns of one row, the table x."""
        return self.support(x).slopes()

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) the mean and (n, t) the noisy variance of each training row's target by a fit without it."""
        raise TypeError(f"{type(self).__name__} has no leave-one-out in closed form")

    def leave_out(self, folds: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) means and noisy variances of the rows of each fold by a fit without it; NaN for rows of no fold."""
        raise DataError(
            "leave_out has the answers without whole folds of method='exact' alone; leave_one_out is there. This "
            f"model: {self.words}."
        )

    def log_pseudo_likelihood(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The log density of the training targets by leave-one-out at theta, and its (p,) derivatives."""
        raise TypeError(f"{type(self).__name__} has no leave-one-out in closed form")

    def extend(self, X: Any, Y: np.ndarray, noise: np.ndarray) -> Self:
        """Learn from further rows, with the same kernel; a route that can does it at less than the cost of all rows."""
        self.fit(
            self.kernel,
            rows_below(self.X, X),
            np.concatenate([self.Y, Y]),
            np.concatenate([self.noise, noise]),
        )
        return self.condition(self.kernel)


def rows_below(X: Any, more: Any) -> Any:
    """The rows of two tables, arrays of objects or sparse matrices, one below the other."""
    if hasattr(X, "tocsr"):
        import scipy.sparse

        return scipy.sparse.vstack([X, more], format="csr")
    return np.concatenate([X, more])
