"""Classification by a Gaussian process: smooth log odds of any shape, and how uncertain they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.available import available_if
from assay.core.parallel import in_threads
from assay.core.parameters import Choice, Count, Flag, Function, Seed
from assay.core.stored import Boolean, Each, Integer, Object, ObjectRows, Plain, Scalar, TableRows
from assay.errors import DataError, ParameterError, warn_user
from assay.kernels import RBF, ConstantKernel, Kernel, kernel_of
from assay.kernels.admitted import alike
from assay.kernels.kernel_learner import KERNEL
from assay.processes.automatic import MIXED, AutomaticKernel
from assay.processes.classification.kernels_of_classes import KernelsOfClasses
from assay.processes.classification.latent_process import LatentProcess, Search, fit_process
from assay.processes.classification.predictive import (
    averaged_logistic,
    averaged_softmax,
    flattened_softmax,
    probit_rule,
    probit_rule_of_softmax,
)
from assay.processes.classification.reasons import ReasonsOfProcesses
from assay.processes.targets import refuse_far_rows
from assay.tables.rows import row_count, take_rows
from assay.types import KernelLike, RandomState, TableLike

__all__ = ["GaussianProcessClassifier"]

ROWS_LOOKED_AT = 64  # training rows at which the average over the scores is compared with their mode
CONTRADICTIONS = 0.05  # share of them beyond which the average is not trusted


def _has_probabilities(model: GaussianProcessClassifier) -> bool:
    if model.multi_class == "one_vs_one" and len(getattr(model, "classes_", ())) > 2:
        raise AttributeError(
            "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode "
            "or softmax instead."
        )
    return True


@dataclass(frozen=True)
class _Several:
    """The processes of several classes, as scikit-learn's wrappers hold them."""

    estimators_: list[LatentProcess]


class GaussianProcessClassifier(AutomaticKernel, ReasonsOfProcesses):
    r"""Classification by a Gaussian process, approximated at its mode (Laplace).

    The log odds of two classes are a function f that is a Gaussian process: before any class is seen the values at
    n rows are :math:`f \sim N(0, K)` with the kernel matrix K. Given the classes t (0 or 1), the posterior is
    approximated by the Gaussian about its mode :math:`\hat f`, where :math:`\hat f = K(t - \pi)`, with the curvature
    :math:`W = \mathrm{diag}(\pi(1 - \pi))` there. At x, with :math:`k = K(x, \cdot)`,

    .. math:: m = k^T (t - \pi), \quad v = K(x, x) - k^T (K + W^{-1})^{-1} k, \quad
              P(1 \mid x) = \int \sigma(f)\, N(f; m, v)\, df \quad (1)

    Far from all rows the probability returns to 1/2. The free parameters of the kernel maximise the approximate
    evidence :math:`\log P(t \mid \hat f) - \tfrac12 \hat f^T K^{-1} \hat f - \tfrac12 \log |I + W^{1/2} K W^{1/2}|`.

    Several classes have a process each, fitted against the rest (``"one_vs_rest"``) or together (``"softmax"``, with
    one kernel for all), or there is one for each pair (``"one_vs_one"``, without probabilities). Row weights multiply
    the log-likelihood; rows without weight are left out.

    Cost: fit O(n^3) for each set of parameters that is tried (about K times that for K classes), with more than 200
    to 400 rows begun on a quarter of them; predict O(n d) a row, probabilities O(n^2); memory O(n^2).

    Parameters
    ----------
    kernel : Kernel, scikit-learn's kernel object, name or function of two tables, default None
        None is ``1.0 * RBF(1.0)`` with fixed parameters, as with scikit-learn. A name such as "rbf" or "mixed" (tables
        with categories and missing values) is that kernel times a constant, with parameters to be chosen. "auto" takes
        any table as it is: a Matern kernel with a length scale for each column of numbers, times one of the other
        columns.
    optimizer : "fmin_l_bfgs_b", callable or None, default "fmin_l_bfgs_b"
        None leaves the parameters as they are; a function gets the objective, a start and ``bounds=``, and returns the
        best theta and its value.
    n_restarts_optimizer : int, default 0
        Further starts, drawn from the default priors of the parameters.
    max_iter_predict : int, default 100
        Newton steps to the mode at the most.
    warm_start : bool, default False
        Whether the search for the mode begins at that of the fit before.
    copy_X_train : bool, default True
        Accepted; the rows are copied if somebody could change them.
    random_state : int, RandomState or None, default None
        Of the further starts.
    multi_class : "one_vs_rest", "one_vs_one" or "softmax", default "one_vs_rest"
    n_jobs : int, default None
        Threads over classes or pairs at the most.
    selection : "evidence" or "map", default "evidence"
        What is maximised: the evidence, or the evidence times the default priors (`KernelPrior`).
    predictive : "quadrature" or "probit", default "quadrature"
        How (1) is integrated: to 6e-9 (the softmax to about 1e-3), or by the probit rule
        :math:`\sigma(m / \sqrt{1 + \pi v / 8})`.

    Attributes
    ----------
    kernel_ : Kernel with the parameters that were chosen; of several processes a KernelsOfClasses
    base_estimator_ : LatentProcess with ``pi_``, ``W_sr_``, ``L_``, ``f_cached``; of several ``.estimators_``
    X_train_ : the training rows      classes_ : (K,)      n_classes_ : K
    log_marginal_likelihood_value_ : float, of several processes the mean

    Examples
    --------
    >>> from assay.kernels import RBF
    >>> from assay.processes import GaussianProcessClassifier
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"]
    >>> model = GaussianProcessClassifier(4.0 * RBF(1.0), optimizer=None).fit(X, y)
    >>> model.predict_proba([[0.0], [0.5], [1.5]]).round(4)
    array([[0.5   , 0.5   ],
           [0.3781, 0.6219],
           [0.253 , 0.747 ]])
    >>> mean, variance = model.latent_mean_and_variance([[0.5]])
    >>> mean.round(4), variance.round(4)
    (array([0.7255]), array([2.5823]))

    See Also
    --------
    GaussianProcessRegressor, assay.svm.KernelLogisticRegression, assay.svm.SVC

    References
    ----------
    - Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, chapter 3. MIT Press.
    - Williams, C. K. I. and Barber, D. (1998). Bayesian classification with Gaussian processes. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 20(12), 1342-1351. doi:10.1109/34.735807
    """

    card = Card(
        "gaussian process",
        "smooth log odds of any shape, with their uncertainty",
        also=("gp", "gpc"),
        scale=True,
        most_rows=2_000,
        settings={"kernel": "rbf", "selection": "map"},
        learns=(
            "a Gaussian process behind a logistic function",
            "negative log marginal likelihood",
            "Laplace's approximation by Newton steps, L-BFGS for the kernel",
            "local",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "kernel": KERNEL | None,
        "optimizer": Choice("fmin_l_bfgs_b") | Function() | None,
        "n_restarts_optimizer": Count(0),
        "max_iter_predict": Count(1),
        "warm_start": Flag(),
        "copy_X_train": Flag(),
        "random_state": Seed(),
        "multi_class": Choice("one_vs_rest", "one_vs_one", "softmax"),
        "n_jobs": Count(-1) | None,
        "selection": Choice("evidence", "map"),
        "predictive": Choice("quadrature", "probit"),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "processes_": Each(Object(LatentProcess)),
        "X_train_": TableRows("n", "p") | ObjectRows("n"),
        "shape_fit_": Plain(tuple),
        "n_classes_": Integer("K"),
        "log_marginal_likelihood_value_": Scalar(finite=True),
        "spread_doubted_": Boolean(),
    }
    noise_in_kernel = False
    processes_: list[LatentProcess]

    def __init__(
        self,
        kernel: KernelLike | None = None,
        *,
        optimizer: str | Callable[..., Any] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: RandomState = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        selection: str = "evidence",
        predictive: str = "quadrature",
    ):
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.selection = selection
        self.predictive = predictive

    def _kernel(self) -> Kernel:
        if self.kernel is None:
            return ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed")
        if self._automatic:
            return MIXED.k1  # until the table is known
        if type(self.kernel).__name__ in ("CompoundKernel", "KernelsOfClasses"):
            raise ParameterError(
                f"{type(self).__name__}: kernel cannot be a CompoundKernel; give the kernel of one process."
            )
        kernel = kernel_of(self.kernel)
        if kernel.precomputed:
            raise ParameterError(
                f"{type(self).__name__}: a precomputed kernel has no values of new rows with themselves, and so no "
                "variances. Give the kernel itself, or use KernelLogisticRegression(kernel='precomputed')."
            )
        return ConstantKernel(1.0) * kernel if isinstance(self.kernel, str) else kernel

    def _known_rows(self) -> Any:
        return self.X_train_

    # ---------------------------------------------------------------- fit

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        counted = np.arange(len(y)) if w is None else np.flatnonzero(w)
        known = np.unique(y[counted])
        if len(known) == 1:
            raise DataError(
                f"{type(self).__name__} requires 2 or more distinct classes, each with rows that count; got 1 class "
                f"(only class {self.classes_[known[0]]} is present)."
            )
        if len(known) < K:
            absent = ", ".join(str(self.classes_[k]) for k in range(K) if k not in known)
            raise DataError(
                f"{type(self).__name__}: some classes have no row with a weight above 0: {absent}. Leave their rows "
                "out."
            )
        self.n_classes_, self.X_train_ = K, X.tocsr() if hasattr(X, "tocsr") else X
        before = vars(self).get("processes_", []) if self.warm_start else []
        refuse_far_rows(X, type(self).__name__)
        self._fit_kernel(X, y, w)
        problems = self._problems(y, counted)
        search = Search(self.optimizer, self.n_restarts_optimizer, self.selection, self.random_state)
        kernel = self.kernel_

        def solve(p: int) -> LatentProcess:
            rows, t = problems[p]
            weight = None if w is None else np.asarray(w, dtype=np.float64)[rows]
            start = before[p].mode.a if len(before) == len(problems) else None
            return fit_process(kernel, X, rows, t, weight, search, self.max_iter_predict, start)

        self.processes_ = in_threads(solve, range(len(problems)), self.n_jobs or 1)
        kernels = [process.kernel_ for process in self.processes_]
        self.kernel_ = kernels[0] if len(kernels) == 1 else KernelsOfClasses(tuple(kernels))
        evidences = [process.mode.log_evidence for process in self.processes_]
        self.log_marginal_likelihood_value_ = float(np.mean(evidences))
        modes = [process.mode for process in self.processes_]
        if any(not mode.converged and mode.iterations < self.max_iter_predict for mode in modes):
            warn_user(
                f"{type(self).__name__}: the mode of the posterior was not reached, since the numbers are too large "
                "for the arithmetic. Divide the sample weights by their mean, or bound the variance of the kernel.",
                ConvergenceWarning,
            )
        elif self.multi_class == "softmax" and K > 2:
            self._doubt_spread(self.processes_[0])

    def _doubt_spread(self, process: LatentProcess) -> None:
        """Give up the average over the Gaussian about the mode if it contradicts the mode at its own training rows."""
        self.__dict__.pop("spread_doubted_", None)
        places = np.linspace(0, len(process.rows) - 1, ROWS_LOOKED_AT).astype(np.int64)
        rows = np.unique(process.rows[places])
        mean, covariance = process.mean_and_covariance(self.X_train_, take_rows(self.X_train_, rows))
        p = self._combined([(mean, covariance)])
        wrong = int(np.count_nonzero(np.argmax(p, axis=1) != np.argmax(mean, axis=1)))
        self.spread_doubted_ = wrong > CONTRADICTIONS * len(rows)
        if self.spread_doubted_:
            warn_user(
                f"{type(self).__name__}: the scores are so uncertain about their mode that its class is not the most "
                f"probable one for {wrong} of {len(rows)} training rows looked at: Laplace's approximation does not "
                "hold for a kernel of so large a variance. Answers are those of the mode, and probabilities say little "
                "more than their order. Lower the variance, or let the optimizer choose it.",
                ConvergenceWarning,
            )

    def _problems(self, y: np.ndarray, counted: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The rows and the targets of each process."""
        K, codes = len(self.classes_), y[counted]
        if K == 2:
            return [(counted, (codes == 1).astype(np.float64))]
        if self.multi_class == "softmax":
            return [(counted, (codes[:, None] == np.arange(K)).astype(np.float64))]
        if self.multi_class == "one_vs_rest":
            return [(counted, (codes == k).astype(np.float64)) for k in range(K)]
        pairs = []
        for i, j in combinations(range(K), 2):
            some = (codes == i) | (codes == j)
            pairs.append((counted[some], (codes[some] == j).astype(np.float64)))
        return pairs

    def _check_stored(self) -> None:
        """Raise a ValueError if the processes are not those of the classes and training rows."""
        if "processes_" not in vars(self):
            return
        K, n = len(self.classes_), row_count(self.X_train_, type(self).__name__)
        together = K == 2 or self.multi_class == "softmax"
        expected = 1 if together else K if self.multi_class == "one_vs_rest" else K * (K - 1) // 2
        if len(self.processes_) != expected:
            raise ValueError(f"{len(self.processes_)} processes do not tell {K} classes apart")
        for process in self.processes_:
            if len(process.rows) and int(process.rows.max()) >= n:
                raise ValueError("a row of a process lies beyond the training rows")
            if process.t.shape[1:] != ((K,) if K > 2 and together else ()):
                raise ValueError(f"scores of shape {process.t.shape} are not those of {K} classes")

    # ---------------------------------------------------------------- what scikit-learn's has

    @property
    def base_estimator_(self) -> Any:
        """The latent process; of several an object that has them as ``estimators_``."""
        if "processes_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no base_estimator_ before it is fitted")
        return self.processes_[0] if len(self.processes_) == 1 else _Several(self.processes_)

    def log_marginal_likelihood(
        self, theta: ArrayLike | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The log evidence of the training rows at parameters theta of the kernel; of several processes the mean.

        Parameters
        ----------
        theta : (p,) or, for several processes, also (p times their number,) array, default None
            The logs of the kernel's free parameters; None takes those that were chosen.
        eval_gradient : bool, default False
            Whether the derivatives by theta are given as well.
        clone_kernel : bool, default True
            Accepted; kernels are never changed.
        """
        self._ready()
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        parts, p = len(self.processes_), len(self.processes_[0].kernel_.theta)
        theta = np.asarray(theta, dtype=np.float64).ravel()
        if len(theta) not in (p, p * parts):
            raise ParameterError(
                f"{type(self).__name__}: Shape of theta must be either {p} or {p * parts}. Obtained theta with shape "
                f"{len(theta)}."
            )
        alike = len(theta) == p
        values, slopes = [], []
        for i, process in enumerate(self.processes_):
            evidence = process.evidence(self.X_train_, self.max_iter_predict)
            part = theta if alike else theta[p * i : p * (i + 1)]
            if eval_gradient:
                value, slope = evidence(part)
                values.append(-value)
                slopes.append(-slope / parts)
            else:
                values.append(evidence.mode(part)[1].log_evidence)
        if not eval_gradient:
            return np.mean(values)
        return np.mean(values), np.sum(slopes, axis=0) if alike else np.concatenate(slopes)

    def latent_mean_and_variance(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """The means and variances of the scores behind the classes.

        Returns
        -------
        (n,) log odds of the second of two classes; of more classes (n, K) scores of each, or (n, pairs) of each pair
        """
        means, spreads = zip(*self._latent(self._admit_to_answer(X)))
        if len(self.processes_) > 1:
            return np.stack(means, axis=1), np.stack(spreads, axis=1)
        mean, spread = means[0], spreads[0]
        return mean, spread if mean.ndim == 1 else np.einsum("qkk->qk", spread).copy()

    def predict_gradient(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """The derivatives of the expected scores behind the classes by the columns, and those of their variances.

        For kernels of distances and products, and what is made of them, exact; for others by central differences.

        Returns
        -------
        (n, d) of the log odds of the second of two classes; of more classes (n, d, K) of the scores of each, or
        (n, d, pairs) of each pair
        """
        values = self._admit_to_answer(X)
        if hasattr(values, "tocsr") or hasattr(self.X_train_, "tocsr") or values.ndim != 2:
            raise DataError(
                f"{type(self).__name__}: derivatives are for dense tables of numbers without gaps."
            )
        if np.isnan(values).any():
            raise DataError(f"{type(self).__name__}: derivatives are for tables of numbers without gaps.")
        each = [[p.slopes(self.X_train_, row[None]) for p in self.processes_] for row in values]
        if len(self.processes_) == 1:
            return np.array([row[0][0] for row in each]), np.array([row[0][1] for row in each])
        means, spreads = (np.array([[part[k] for part in row] for row in each]) for k in (0, 1))
        return means.transpose(0, 2, 1), spreads.transpose(0, 2, 1)

    def leave_one_out(self) -> np.ndarray:
        """(n, K) the probabilities of the classes of each training row, as the others alone would give them.

        Of the Gaussian approximation the row's own term is taken away, with the same parameters of the kernel and the
        same terms of the others; no fit is repeated. A row without weight has its prediction.
        """
        self._ready()
        _has_probabilities(self)
        left_out = [process.leave_one_out(self.X_train_) for process in self.processes_]
        rows, p = self.processes_[0].rows, self._combined(left_out)
        if len(rows) == row_count(self.X_train_, type(self).__name__):
            return p
        everywhere = self._posterior(self.X_train_)
        everywhere[rows] = p
        return everywhere

    # ---------------------------------------------------------------- answers

    @available_if(_has_probabilities)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each class, averaged over the uncertainty of the scores."""
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the probabilities."""
        return super().predict_log_proba(X)

    def _alike(self, X: Any) -> Any:
        return alike(X, self.X_train_)

    def _latent(self, X: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Means and variances (or covariances) of the scores of each process."""
        X = self._alike(X)
        return [process.mean_and_covariance(self.X_train_, X) for process in self.processes_]

    def _posterior(self, X: Any) -> np.ndarray:
        return self._combined(self._latent(X))

    def _combined(self, latent: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """(q, K) the probabilities of the classes from the scores."""
        exact, mean = self.predictive == "quadrature", latent[0][0]
        if mean.ndim == 2 and vars(self).get("spread_doubted_", False):
            return flattened_softmax(*latent[0])
        if mean.ndim == 2:
            return (averaged_softmax if exact else probit_rule_of_softmax)(*latent[0])
        average = averaged_logistic if exact else probit_rule
        if len(latent) == 1:
            p = average(*latent[0])
            return np.column_stack([1.0 - p, p])
        each = np.column_stack([average(*scores) for scores in latent])
        total = each.sum(axis=1, keepdims=True)
        return np.divide(each, total, out=np.full_like(each, 1.0 / each.shape[1]), where=total > 0)

    def _choose(self, X: Any) -> np.ndarray:
        if len(self.classes_) == 2:
            return (self.processes_[0].mean(self.X_train_, self._alike(X)) > 0).astype(np.int64)
        if self._pairwise:
            return np.argmax(self._votes(X), axis=1)
        return super()._choose(X)

    def _votes(self, X: Any) -> np.ndarray:
        """(q, K) pairs that each class wins, and less than half a vote for how probable that was."""
        K = len(self.classes_)
        votes, sums = np.zeros((row_count(X, "votes"), K)), np.zeros((row_count(X, "votes"), K))
        for (i, j), scores in zip(combinations(range(K), 2), self._latent(X)):
            p = averaged_logistic(*scores)
            votes[:, j] += p > 0.5
            votes[:, i] += p <= 0.5
            sums[:, j] += p - 0.5
            sums[:, i] -= p - 0.5
        return votes + sums / (3 * (np.abs(sums) + 1))
