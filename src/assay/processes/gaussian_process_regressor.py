"""Gaussian process regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from assay.core import Card
from assay.core.fitting import all_or_nothing, observed
from assay.core.model_view import ModelView
from assay.core.parameters import Array, Choice, Count, Flag, Function, Range, Seed
from assay.core.stored import FloatArray, Object, Plain, Scalar, Text
from assay.core.targets import plain_values
from assay.errors import DataError, ParameterError
from assay.kernels import RBF, ConstantKernel, Kernel, kernel_of
from assay.kernels.admitted import alike
from assay.kernels.kernel_learner import KERNEL
from assay.processes import selection as choosing
from assay.processes.automatic import MIXED, AutomaticKernel
from assay.processes.leave_out import checked_folds
from assay.processes.noise import noise_variance
from assay.processes.reasons import ReasonsOfRegression
from assay.processes.routes.by_targets import route_of_targets
from assay.processes.routes.ladder import METHODS, Step, choose_route
from assay.processes.routes.route import Route, rows_below
from assay.processes.targets import Targets, refuse_far_rows
from assay.tables.rows import row_count, take_rows
from assay.types import KernelLike, RandomState, TableLike, Target

__all__ = ["GaussianProcessRegressor", "Variances"]

LEAST_ROWS_OF_A_SUBSET = 150  # on which parameters are chosen first


class Variances(NamedTuple):
    """How uncertain answers are.

    Attributes
    ----------
    latent : (n,) or (n, t) of the function that is learned
    noisy : (n,) or (n, t) of a new target: the function and its noise
    """

    latent: np.ndarray
    noisy: np.ndarray


class GaussianProcessRegressor(AutomaticKernel, ReasonsOfRegression):
    r"""Regression by a Gaussian process: an answer and its uncertainty from a kernel and noise.

    The targets are :math:`y = f(x) + e`; f is a Gaussian process of mean 0 and covariance K, e is noise. For the
    training rows :math:`y \sim N(0, C)`, :math:`C = K + \alpha I`, and at x

    .. math:: m(x) = k(x)^T C^{-1} y, \qquad v(x) = K(x, x) - k(x)^T C^{-1} k(x) \quad (1)

    The free parameters of the kernel are chosen by the evidence :math:`\ln p(y)`, or as ``selection`` says.

    Cost: fit O(n^3) for each set of parameters that is tried; predict O(n) a row, O(n^2) with its variance; memory
    O(n^2), whatever the number of parameters. With many rows the parameters are approached on a sixteenth and a quarter
    of them, and some ten sets are tried on all.

    Parameters
    ----------
    kernel : Kernel, scikit-learn's kernel object, name or function of two tables, default None
        The covariance K. None is ``ConstantKernel() * RBF()``, as with scikit-learn. "auto" takes any table as it is:
        a length scale for each column of numbers, categories and missing values by a `MixedKernel`, and noise. A value
        that is missing in a new row, in a column of numbers of which no training row lacks one, is taken as their mean.
    alpha : float or (n,) array, default 1e-10
        Variance of the noise beyond that of a `WhiteKernel` in the kernel; of the normalised targets, if they are.
    optimizer : "fmin_l_bfgs_b", callable or None, default "fmin_l_bfgs_b"
        None leaves the parameters as they are; a function gets the objective, a start and ``bounds=``, and returns the
        best theta and its value. The name stands for quasi-Newton steps within the bounds
        (`assay.processes.box_descent`).
    n_restarts_optimizer : int, default 0
        Further starts, drawn from the default priors of the parameters.
    normalize_y : bool, default False
        Whether targets are brought to mean 0 and variance 1 inside.
    copy_X_train : bool, default True
        Accepted; the rows are copied if somebody could change them.
    n_targets : int, default None
        Number of targets of a model that has not been fitted.
    random_state : int, RandomState or None, default None
    selection : "evidence", "map" or "loo", default "evidence"
        What is maximised: the evidence; the evidence times the default priors of the parameters (`KernelPrior`), which
        keep length scales and noise from running to their bounds where the rows say little; or the log density of the
        training targets by leave-one-out, which asks less of the model (with ``method="exact"``).
    method : "auto", "exact", "line", "vecchia" or "inducing", default "auto"
        How it is computed: by the whole matrix; in linear time on one column (`StateSpace`), with the same answers; by
        neighbours (`Vecchia`); by few points that stand for all rows (`InducingPoints`). "auto" chooses by the number
        of rows and columns and the kernel, and says so in ``method_``.

    Attributes
    ----------
    kernel_ : Kernel, with the parameters that were chosen
    X_train_ : the training rows      y_train_ : (n,) or (n, t) the targets, normalised if asked for
    L_ : (n, n) the Cholesky factor of C      alpha_ : (n,) or (n, t) :math:`C^{-1}y`
    log_marginal_likelihood_value_ : float
    choice_ : Choice, how the parameters were chosen
    method_ : str, what was computed and why
    jitter_ : float
        What was added to the diagonal of C because it was singular in arithmetic; 0 if nothing was.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes import GaussianProcessRegressor
    >>> from assay.kernels import RBF
    >>> x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 0.0, -1.0])
    >>> model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(x, y)
    >>> mean, sd = model.predict([[1.5]], return_std=True)
    >>> mean.round(6), (sd**2 + 0.1).round(6)  # with the noise
    (array([0.547753]), array([0.498727]))

    See Also
    --------
    assay.svm.KernelRidge, assay.svm.SVR

    References
    ----------
    - Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning. MIT Press.
    """

    card = Card(
        "gaussian process",
        "the mean of all smooth functions that fit, and its uncertainty",
        also=("gp", "gpr"),
        most_rows=5_000,
        settings={"kernel": "auto", "normalize_y": True, "selection": "map"},
        learns=(
            "a Gaussian process with noise",
            "negative log marginal likelihood",
            "a Cholesky factor, L-BFGS for the kernel",
            "local",
        ),
    )
    accepts = {
        "kernel": KERNEL | None,
        "alpha": Range(0) | Array(1, low=0),
        "optimizer": Choice("fmin_l_bfgs_b") | Function() | None,
        "n_restarts_optimizer": Count(0),
        "normalize_y": Flag(),
        "copy_X_train": Flag(),
        "n_targets": Count(1) | None,
        "random_state": Seed(),
        "selection": Choice("evidence", "map", "loo"),
        "method": Choice("auto", *METHODS),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "route_": Object(Route),
        "choice_": Object(choosing.Choice),
        "method_": Text(),
        "log_marginal_likelihood_value_": Scalar(),
        "y_mean_": FloatArray("t", finite=True),
        "y_scale_": FloatArray("t", low=0, finite=True),
        "several_": Plain(bool),
        "shape_fit_": Plain(tuple),
    }
    route_: Route
    choice_: choosing.Choice
    log_marginal_likelihood_value_: float

    def __init__(
        self,
        kernel: KernelLike | None = None,
        *,
        alpha: ArrayLike = 1e-10,
        optimizer: str | Callable[..., Any] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: RandomState = None,
        selection: str = "evidence",
        method: str = "auto",
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.selection = selection
        self.method = method

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        tags.requires_fit = False
        return tags

    def show(self, limit: int | None = 50) -> ModelView:
        self._ready()
        return super().show(limit)

    def _ready(self) -> None:
        if "route_" not in vars(self):  # predict and sample_y alone answer before a fit
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first.")

    def _kernel(self) -> Kernel:
        if self.kernel is None:
            return ConstantKernel() * RBF()
        if self._automatic:
            return MIXED  # until the table is known
        kernel = kernel_of(self.kernel)
        if kernel.precomputed:
            raise ParameterError(
                f"{type(self).__name__}: a precomputed kernel has no values of new rows with themselves, and so no "
                "variances. Give the kernel itself, or use KernelRidge(kernel='precomputed')."
            )
        return kernel

    def _known_rows(self) -> Any:
        return self.route_.X

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        return values if fitting or "route_" not in vars(self) else alike(values, self.route_.X)

    # ---------------------------------------------------------------- fit

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, noise: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix or frame, (n, d), or a sequence of objects that the kernel compares
        y : (n,) numbers, or (n, t) for several targets, NaN where one of several is missing
        noise : (n,) variances of the noise of each row, in squared units of y; None for no other than alpha
        """
        self._check_parameters()
        if self.selection == "loo" and self.method not in ("auto", "exact"):
            raise ParameterError(
                f"{type(self).__name__}: selection='loo' is computed by method='exact' alone, got {self.method!r}."
            )
        values = self._admit(X, fitting=True)
        targets = self._targets(y, values)
        self.several_, self.y_mean_, self.y_scale_ = targets.several, targets.mean, targets.scale
        refuse_far_rows(values, type(self).__name__)
        self._fit_kernel(values)
        Y, variances = targets.normalised, self._noise(noise, len(targets.values))
        method = "exact" if self.selection == "loo" else self.method
        step = choose_route(method, self.kernel_, values, Y, variances, self.optimizer is not None)
        self.kernel_ = step.kernel
        self.route_ = self._route(step.make, values, Y, variances)
        self._choose(step)
        self.route_.condition(self.kernel_)
        self.method_ = self.route_.words + step.reason
        return self

    @observed
    def partial_fit(self, X: TableLike, y: Target, noise: ArrayLike | None = None) -> Self:
        """Learn from further rows with the kernel that the first call chose, in O(n^2) a row.

        The Cholesky factor is bordered; normalisation and parameters stay. The first call is a fit.
        """
        if "route_" not in vars(self):
            return self.fit(X, y, noise)
        if np.ndim(self.alpha) and np.size(self.alpha) > 1:
            raise ParameterError(
                f"{type(self).__name__}: alpha has a value for each row of the first fit. Give a number, and the noise "
                "of the rows as noise=."
            )
        values = self._admit(X)
        new = self._targets(y, values, further=True)
        if new.values.shape[1] != len(self.y_mean_):
            raise DataError(
                f"{type(self).__name__}: y has {new.values.shape[1]} targets, the model {len(self.y_mean_)}."
            )
        Y = (new.values - self.y_mean_) / self.y_scale_
        variances, reason = self._noise(noise, len(Y)), self.method_.removeprefix(self.route_.words)
        if np.isnan(Y).any() or variances.ndim != self.route_.noise.ndim:
            self._regroup(values, Y, variances)
        else:
            self.route_.extend(values, Y, variances)
        self.method_ = self.route_.words + reason
        self.log_marginal_likelihood_value_ = self.route_.log_evidence(self.kernel_.theta, gradient=False)[0]
        return self

    def _regroup(self, X: Any, Y: np.ndarray, noise: np.ndarray) -> None:
        """Learn from further rows of which targets are missing, or whose noise has another scale for each target."""
        old, t = self.route_, Y.shape[1]
        X, Y = rows_below(old.X, X), np.concatenate([old.Y, Y])
        both = [np.repeat(v[:, None], t, axis=1) if v.ndim == 1 else v for v in (old.noise, noise)]
        variances = np.concatenate(both)
        make = choose_route(self.method, self.kernel_, X, Y, variances, False).make
        self.route_ = self._route(make, X, Y, variances).condition(self.kernel_)

    def _route(self, make: Callable[[], Route], X: Any, Y: np.ndarray, noise: np.ndarray) -> Route:
        return route_of_targets(make, Y, noise).fit(self.kernel_, X, Y, noise)

    def _targets(self, y: Any, X: Any, further: bool = False) -> Targets:
        who = type(self).__name__
        self._remember_targets(y)
        targets = Targets.of(y, row_count(X, who), who, self.normalize_y, further)
        t = targets.values.shape[1]
        if self.n_targets is not None and t != self.n_targets:
            raise DataError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. Got "
                f"{t} != {self.n_targets}.",
                who=who,
            )
        return targets

    def _noise(self, noise: Any, n: int) -> np.ndarray:
        """(n,) or (n, t) the noise of the rows in units of the normalised targets."""
        who, alpha = type(self).__name__, np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim and len(alpha) not in (1, n):
            raise DataError(
                f"{who}: alpha must be a scalar or an array with same number of entries as y. ({len(alpha)} != {n})"
            )
        total = np.full(n, alpha) if alpha.size == 1 else alpha.copy()
        if noise is None:
            return total
        noise = np.asarray(noise, dtype=np.float64)
        unusable = np.flatnonzero(~(np.isfinite(noise) & (noise >= 0)) if noise.shape == (n,) else [])
        if noise.shape != (n,) or len(unusable):
            got = (
                f"{noise[unusable[0]]:g} in row {unusable[0] + 1}"
                if len(unusable)
                else f"the shape {noise.shape}"
            )
            raise DataError(
                f"{who}: noise must be one variance from 0 up for each of the {n} rows, got {got}."
            )
        scales = self.y_scale_
        if (scales == scales[0]).all():
            return total + noise / scales[0] / scales[0]
        return total[:, None] + noise[:, None] / scales / scales

    def _choose(self, step: Step) -> None:
        """The parameters of the kernel."""
        route, theta = self.route_, self.kernel_.theta
        if self.optimizer is None or not len(theta):
            value = route.log_evidence(theta, gradient=False)[0]
            self.choice_ = choosing.Choice(theta, -value, 1, True, "as given")
            self.log_marginal_likelihood_value_ = value
            return
        prior = choosing.KernelPrior.of(self.kernel_, route.X, float(np.nanvar(route.Y)) or 1.0)
        penalised, coarse = self.selection == "map", self._coarse(step)
        self.choice_ = choosing.choose_theta(
            self._objective(route),
            self.kernel_,
            prior=prior,
            penalised=penalised,
            coarse=coarse,
            tol=step.tolerance if coarse else 1e-10,
            restarts=self.n_restarts_optimizer,
            optimizer=self.optimizer,
            random_state=self.random_state,
        )
        self.kernel_ = self.kernel_.with_theta(self.choice_.theta)
        value = (prior.loss(self.choice_.theta)[0] if penalised else 0.0) - self.choice_.value
        if self.selection == "loo":
            value = route.log_evidence(self.choice_.theta, gradient=False)[0]
        self.log_marginal_likelihood_value_ = value

    def _objective(self, route: Route) -> choosing.Objective:
        """What is minimised over the parameters of the kernel."""
        judge = route.log_pseudo_likelihood if self.selection == "loo" else route.searched_log_evidence()

        def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = judge(theta)
            return -value, -gradient

        return objective

    def _coarse(self, step: Step) -> list[tuple[choosing.Objective, float]]:
        """Objectives of some of the rows, if these are enough."""
        whole, parts = self.route_, list[tuple[choosing.Objective, float]]()
        n = len(whole.Y)
        for make, rows in step.subsets(n) if n >= 4 * LEAST_ROWS_OF_A_SUBSET else ():
            if len(rows) < LEAST_ROWS_OF_A_SUBSET or np.isnan(whole.Y[rows]).all(axis=0).any():
                continue
            route = self._route(make, take_rows(whole.X, rows), whole.Y[rows], whole.noise[rows])
            parts.append((self._objective(route), len(rows) / n))
        return parts

    # ---------------------------------------------------------------- what scikit-learn's has

    @property
    def X_train_(self) -> Any:
        """The training rows."""
        return self._fitted().X

    @property
    def y_train_(self) -> np.ndarray:
        """(n,) or (n, t) the targets, normalised if asked for."""
        return self._shaped(self._fitted().Y)

    @property
    def L_(self) -> np.ndarray:
        """(n, n) the Cholesky factor of C."""
        return self._fitted().factor.lower  # type: ignore[attr-defined]

    @property
    def alpha_(self) -> np.ndarray:
        r"""(n,) or (n, t) :math:`C^{-1}y`."""
        return self._shaped(self._fitted().a)  # type: ignore[attr-defined]

    @property
    def jitter_(self) -> float:
        """What was added to the diagonal of C because it was singular in arithmetic."""
        return self._fitted().jitter

    def _fitted(self) -> Route:
        self._ready()
        return self.route_

    def _shaped(self, Y: np.ndarray) -> np.ndarray:
        return Y if self.several_ else Y[:, 0]

    def log_marginal_likelihood(
        self, theta: ArrayLike | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The log evidence at theta, with ``eval_gradient`` also its (p,) derivatives; None is that of the fit."""
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            self._ready()
            return self.log_marginal_likelihood_value_
        value, gradient = self._fitted().log_evidence(np.asarray(theta), eval_gradient)
        if not clone_kernel:
            self.kernel_ = self.kernel_.with_theta(theta)
        value = np.float64(value)  # as scikit-learn's, which differs from float beside float32
        return (value, gradient) if eval_gradient else value

    # ---------------------------------------------------------------- answers

    def predict(self, X: TableLike, return_std: bool = False, return_cov: bool = False) -> Any:
        """The expected target of each row, and how uncertain it is.

        The uncertainty is that of the function f, and of a `WhiteKernel` in the kernel, as with scikit-learn, but not
        that of alpha; see :meth:`variances` and :meth:`predict_distribution`. Before a fit the prior answers.

        Parameters
        ----------
        X : rows as in fit
        return_std : whether to give the standard deviations, (n,) or (n, t), too
        return_cov : whether to give the covariances of the rows, (n, n) or (n, n, t), too
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if "route_" not in vars(self):
            return self._predict_prior(X, return_std, return_cov)
        values = self._admit_to_answer(X)
        if return_cov:
            return self._predict(values), self._in_units(self.route_.covariance(values), 2)
        if return_std:
            mean, variance = self.route_.moments(values)
            return self._mean_in_units(mean), self._sd_in_units(variance)
        return self._predict(values)

    def _predict(self, X: Any) -> np.ndarray:
        return self._mean_in_units(self.route_.mean(X))

    def _mean_in_units(self, mean: np.ndarray) -> np.ndarray:
        mean = mean * self.y_scale_ + self.y_mean_
        return mean if mean.shape[1] > 1 else mean[:, 0]

    def _in_units(self, variance: np.ndarray, ndim: int) -> np.ndarray:
        """Variances of the normalised targets in squared units of the targets, without an axis for a single one."""
        variance = variance[..., None] if variance.ndim == ndim else variance
        scaled = variance * self.y_scale_**2
        return scaled if scaled.shape[-1] > 1 else scaled[..., 0]

    def _sd_in_units(self, variance: np.ndarray) -> np.ndarray:
        """Standard deviations from variances (n,) or (n, t) of the normalised targets, where squares would overflow."""
        sd = np.sqrt(variance.reshape(len(variance), -1)) * self.y_scale_
        return sd if sd.shape[1] > 1 else sd[:, 0]

    def _predict_prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        kernel, t = self._kernel(), self.n_targets or 1
        values = X if "objects" in kernel.takes else np.asarray(plain_values(X), dtype=np.float64)
        mean = np.zeros((row_count(values, type(self).__name__), t))
        mean = mean if t > 1 else mean[:, 0]
        if not (return_std or return_cov):
            return mean
        spread = kernel.gram(values) if return_cov else np.sqrt(kernel.diagonal(values))
        return mean, np.repeat(spread[..., None], t, axis=-1) if t > 1 else spread

    def variances(self, X: TableLike) -> Variances:
        """The variance of the function at each row, and that of a new target there, with its noise.

        The noise of a new row is that of the kernel's noise part and alpha; if alpha or ``noise`` differ from row to
        row, their mean.
        """
        values = self._fitted_rows(X)
        variance = self.route_.variance(values)
        noise = self._noise_of(values).reshape(-1, *[1] * (variance.ndim - 1))
        latent = np.maximum(variance - noise, 0.0)
        return Variances(*(self._in_units(v, 1) for v in (latent, variance + self._mean_noise)))

    def _noise_of(self, X: Any) -> np.ndarray:
        return noise_variance(self.kernel_, X)

    @property
    def _mean_noise(self) -> Any:
        """The noise of a new row beyond that of the kernel; (t,) if targets differ in it."""
        return self.route_.noise.mean(axis=0)

    def _fitted_rows(self, X: Any) -> Any:
        self._ready()
        return self._admit_to_answer(X)

    def _distribution(self, X: Any) -> Any:
        """The targets of new rows, with their noise."""
        from assay.stats.distributions.predictive import Normal

        self._refuse_several_targets(len(self.y_mean_) > 1)
        mean, variance = self.route_.moments(X)
        return Normal(self._mean_in_units(mean), self._sd_in_units(variance + self._mean_noise))

    def sample_y(self, X: TableLike, n_samples: int = 1, random_state: RandomState = 0) -> np.ndarray:
        """(n, s) or (n, t, s) draws of the function at the rows of X, all rows of a draw together."""
        from sklearn.utils import check_random_state

        random = check_random_state(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return random.multivariate_normal(mean, covariance, n_samples).T
        draws = [
            random.multivariate_normal(mean[:, j], covariance[..., j], n_samples).T[:, None]
            for j in range(mean.shape[1])
        ]
        return np.hstack(draws)

    def predict_gradient(self, X: TableLike) -> tuple[np.ndarray, np.ndarray]:
        """(n, d) or (n, d, t) the derivatives of the mean by the columns, and those of the variance of the function.

        For kernels of distances and products, and what is made of them, exact; for others by central differences. By
        neighbours they are those of the answer by the nearest rows, which jumps where other rows become the nearest.
        """
        values, route = self._fitted_rows(X), self.route_
        if not isinstance(values, np.ndarray) or values.ndim != 2:
            raise DataError(f"{type(self).__name__}: derivatives are for tables of numbers without gaps.")
        parts = [route.slopes(values[i : i + 1]) for i in range(len(values))]
        means = np.array([mean for mean, _ in parts]).reshape(*values.shape, len(self.y_scale_))
        spreads = np.array([spread for _, spread in parts]).reshape(*values.shape, -1) if parts else means
        means = means * self.y_scale_
        spread = self._in_units(spreads[..., 0] if spreads.shape[2] == 1 else spreads, 2)
        return (means, spread) if means.shape[2] > 1 else (means[..., 0], spread)

    def leave_one_out(self) -> Any:
        """(n,) or (n, t) the mean and the standard deviation of each training target by a fit without its row.

        In closed form, with the parameters of the kernel as they are; with noise.
        """
        return self._left_out(*self._fitted().leave_one_out())

    def leave_out(self, folds: Sequence[Any]) -> Any:
        """The same for whole folds, each given by the places of its rows: k-fold cross-validation without refitting.

        With ``method="exact"``. A fold may be a mask of all rows; no row is in two folds, and rows of none get NaN.
        """
        route = self._fitted()
        return self._left_out(*route.leave_out(checked_folds(folds, len(route.Y), type(self).__name__)))

    def _left_out(self, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._shaped(mean * self.y_scale_ + self.y_mean_), self._shaped(
            np.sqrt(variance) * self.y_scale_
        )
