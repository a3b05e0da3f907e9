"""Kernel logistic regression: log odds that are functions in the space of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.core.scores import logistic, softmax
from assay.core.stored import Scalar
from assay.core.targets import EncodedLabels
from assay.errors import DataError, DegenerateError
from assay.kernels import GramRows, pivoted_cholesky
from assay.kernels.memory import refuse_beyond_memory
from assay.linear import LogisticRegression
from assay.svm.kernel_machine import KERNEL, KernelMachine
from assay.types import ClassWeight, KernelLike, TableLike

__all__ = ["KernelLogisticRegression"]

NEGLIGIBLE_TRACE = 1e-12  # share of the kernel matrix's trace that rows beyond the landmarks may add


class KernelLogisticRegression(KernelMachine, Classifier):
    r"""Logistic regression on the images of the rows in the space of a kernel.

    Each class has a function :math:`f_k(x) = \sum_j c_{jk} K(x_j, x) + b_k`, and the posterior is the softmax of
    their values; two classes have one function, the log odds of the second. They minimise

    .. math:: C \sum_i w_i \left(-\ln P(y_i \mid x_i)\right) + \tfrac12 \sum_k \|f_k\|^2, \quad
              \|f_k\|^2 = c_k^T K c_k \quad (1)

    With the linear kernel this is :class:`~assay.linear.LogisticRegression` with the same C. Compared with a support
    vector machine it knows several classes at once and gives probabilities by itself.

    The kernel matrix is written as :math:`K = ZZ^T` by a pivoted Cholesky factor, whose columns belong to landmarks
    among the rows, and (1) is logistic regression on the columns of Z. Where rows resemble each other few landmarks
    are enough: the factor ends when what is left over is rounding, or at ``n_components`` of them with the bound
    ``error_bound_``. Only landmarks have coefficients.

    Cost: fit O(n m^2) for the factor with m landmarks and as much for each Newton step; predict O(m d) a row; memory
    O(n m) to fit, O(m d) kept.

    Parameters
    ----------
    C : float, default 1
        The weight of the likelihood against the penalty; small values make flat functions.
    kernel : str, callable of two tables, or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", ... (:func:`assay.kernels.kernel_of`).
    degree : float, default 3
        Of "poly".
    gamma : float, "scale" or "auto", default "scale"
        1 / (d var(X)) or 1 / d.
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    fit_intercept : bool, default True
        Whether there are constants :math:`b_k`, which cost nothing.
    class_weight : dict, "balanced" or None, default None
        What a row of each class counts.
    n_components : int, default None
        The most landmarks; None takes as many as the kernel matrix has rank.
    tol : float, default 1e-6
        Of the logistic regression: the largest derivative that may be left.
    max_iter : int, default 1000
        Steps at the most.

    Attributes
    ----------
    support_ : (m,) the places of the landmarks      support_vectors_ : (m, p)
    dual_coef_ : (k, m) c      intercept_ : (k,) b; k is 1 for two classes
    coef_ : (k, p) the weights of the columns, for the linear kernel
    error_bound_ : float, the share of the kernel matrix's trace that the landmarks leave over
    kernel_ : Kernel      classes_ : (K,)      n_iter_ : int

    Examples
    --------
    A class inside another:

    >>> import numpy as np
    >>> from assay.svm import KernelLogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "in", "out")
    >>> model = KernelLogisticRegression(C=100.0).fit(X, y)
    >>> model.predict_proba([[0.0, 0.0], [2.0, 0.0]]).round(2)
    array([[1., 0.],
           [0., 1.]])

    See Also
    --------
    assay.linear.LogisticRegression, KernelFisherDiscriminant, KernelRidge

    References
    ----------
    - Zhu, J. and Hastie, T. (2005). Kernel logistic regression and the import vector machine. Journal of Computational
      and Graphical Statistics 14(1), 185-205. doi:10.1198/106186005X25619
    """

    card = Card(
        "kernel logistic",
        "logistic regression in the space of a kernel: smooth boundaries with probabilities",
        also=("kernel logistic regression", "klr"),
        scale=True,
        most_rows=5_000,
        learns=(
            "log odds linear in the kernel's space",
            "log loss + squared weights",
            "Newton steps",
            "global",
        ),
    )
    accepts = {
        "C": Range(0, open="low"),
        "kernel": KERNEL,
        "degree": Range(0),
        "gamma": Range(0) | Choice("scale", "auto"),
        "coef0": Range(),
        "fit_intercept": Flag(),
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
        "n_components": Count(1) | None,
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
    }
    stored = {"error_bound_": Scalar(low=0)}

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: ClassWeight | None = None,
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        from scipy.linalg import solve_triangular

        if len(self.classes_) < 2:
            raise DataError(
                f"{type(self).__name__}: y has only one class, {self.classes_.tolist()[0]!r}; at least 2 classes are "
                "needed."
            )
        gram = self._learn_kernel(X, y, w)
        most = gram.n if self.n_components is None else min(self.n_components, gram.n)
        if most == gram.n:
            refuse_beyond_memory(
                type(self).__name__,
                gram.n,
                "Give n_components, such as 1000: the cost then grows with the rows alone.",
            )
        pivots, Z, self.error_bound_ = _factor(gram, most)
        if not len(pivots):
            raise DegenerateError(
                f"{type(self).__name__}: all kernel values are 0, so that no function separates anything. Choose "
                "another kernel, or scale the columns."
            )
        model = LogisticRegression(
            C=self.C,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(np.ascontiguousarray(Z), EncodedLabels(y, self.classes_), sample_weight=w)
        coef = solve_triangular(Z[pivots], model.coef_.T, trans="T", lower=True)  # f = Z W = K(x, pivots) c
        intercept = np.broadcast_to(model.intercept_, len(model.coef_)).astype(np.float64)
        self._keep(X, pivots, np.ascontiguousarray(coef.T), intercept)
        self.n_iter_, self.fit_status_ = int(np.max(model.n_iter_)), 0

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the log odds of the second of two classes, or (n, K) the functions of several."""
        scores = self._outputs(self._admit(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _explained_outputs(self, X: Any) -> np.ndarray:
        return self._outputs(X).argmax(axis=1) if len(self.classes_) > 2 else super()._explained_outputs(X)

    def _output_words(self, p: int) -> str:
        if len(self.classes_) == 2:
            return f"the log odds of {self.classes_[1]}"
        return f"the score of {self.classes_[p]}"

    def _posterior(self, X: Any) -> np.ndarray:
        scores = self._outputs(X)
        return softmax(scores) if len(self.classes_) > 2 else logistic(scores[:, 0])


def _factor(gram: GramRows, most: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Landmarks, (n, m) Z with K close to ZZ', and the share of the trace of K that is left over."""
    if most < gram.n:
        pivots, Z, left = pivoted_cholesky(gram, most, NEGLIGIBLE_TRACE)
        return pivots, Z, float(left[-1] / left[0]) if left[0] > 0 else 0.0
    from scipy.linalg.lapack import dpstrf

    K = np.array(gram.whole())  # its own: the factor takes its place
    trace = float(np.trace(K))
    factor, order, rank, _ = dpstrf(K.T, tol=NEGLIGIBLE_TRACE * trace / gram.n, lower=1, overwrite_a=1)
    Z = np.empty((gram.n, rank))
    Z[order - 1] = np.tril(factor)[:, :rank]
    left_over = trace - float(np.einsum("ij,ij->", Z, Z))
    return order[:rank] - 1, Z, max(left_over / trace, 0.0) if trace > 0 else 0.0
