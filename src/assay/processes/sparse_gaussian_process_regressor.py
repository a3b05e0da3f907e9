"""Gaussian process regression of more rows than fit in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.core import Card, PassLearner
from assay.core.parameters import Choice, Count, Flag, Function, Range, Seed
from assay.core.stored import Object, Plain, Scalar
from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import RBF, ConstantKernel, Kernel, WhiteKernel, kernel_of
from assay.kernels.kernel_learner import KERNEL
from assay.processes import selection as choosing
from assay.processes.reasons_of_points import ReasonsOfPoints
from assay.processes.routes.collapsed_bound import CollapsedBound, PointsPosterior
from assay.processes.routes.inducing_points import choose_points, sample_size
from assay.processes.targets import LARGEST, ROUNDING, refuse_far_rows
from assay.tables.rows import row_count
from assay.types import KernelLike, RandomState, TableLike

__all__ = ["SparseGaussianProcessRegressor"]

ROUNDS = 3  # of choosing points and parameters in turn, at most
WORTH_A_ROUND = 1.0  # gain of the bound, in units of the log evidence


class SparseGaussianProcessRegressor(PassLearner, ReasonsOfPoints):
    r"""Gaussian process regression by inducing points, from memory, from blocks on disk or on a cluster alike.

    At most m training rows stand for all others. Parameters of the kernel maximise a lower bound of the evidence, which
    is a sum over rows, and so are its derivatives (`CollapsedBound`); an upper bound tells how much is lost at most.
    Points and parameters are chosen in turn: points by pivoted Cholesky decomposition of the kernel matrix of a sample
    of rows, at the parameters so far, then parameters with these points, until the bound gains less than 1.

    Cost: fit O(n m^2) for each set of parameters that is tried, in two passes over the rows; predict O(m^2) a row;
    memory O(m^2), the sample and one block of rows.

    Parameters
    ----------
    kernel : Kernel, scikit-learn's kernel object, name or function of two tables, default None
        The covariance, with a `WhiteKernel` for the noise. None is ``ConstantKernel() * RBF() + WhiteKernel()`` with a
        length scale for each column, beginning at typical ones.
    alpha : float, default 1e-10
        Variance of the noise beyond that of a `WhiteKernel` in the kernel; of the normalised targets, if they are.
    n_inducing : int, default 400
        m, the number of points at most.
    optimizer : "fmin_l_bfgs_b", callable or None, default "fmin_l_bfgs_b"
        As of `GaussianProcessRegressor`; None leaves the parameters as they are.
    normalize_y : bool, default True
        Whether targets are brought to mean 0 and variance 1 inside.
    random_state : int, RandomState or None, default None
        Draws the sample among which points are chosen, if there are more rows.

    Attributes
    ----------
    kernel_ : Kernel, with the parameters that were chosen      inducing_points_ : (m, d) the points
    lower_bound_ : float, of the log evidence of the normalised targets      upper_bound_ : float
    choice_ : Choice, how the parameters were chosen
    jitter_ : float
        What was added to the diagonal of the points' kernel matrix because it was singular in arithmetic; 0 if nothing
        was.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes import SparseGaussianProcessRegressor
    >>> x = np.linspace(0, 10, 2000)[:, None]
    >>> y = np.sin(x[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=2000)
    >>> blocks = [(x[i : i + 500], y[i : i + 500]) for i in range(0, 2000, 500)]
    >>> model = SparseGaussianProcessRegressor().fit_blocks(blocks)
    >>> mean, sd = model.predict([[1.0]], return_std=True)
    >>> mean.round(1), sd.round(1)  # sin(1) = 0.84, and the noise
    (array([0.8]), array([0.1]))

    See Also
    --------
    GaussianProcessRegressor

    References
    ----------
    - Titsias, M. K. (2009). Variational learning of inducing variables in sparse Gaussian processes. Proceedings of the
      12th International Conference on Artificial Intelligence and Statistics, 567-574.
    - Burt, D. R., Rasmussen, C. E. and van der Wilk, M. (2020). Convergence of sparse variational inference in Gaussian
      processes regression. Journal of Machine Learning Research 21(131), 1-63.
    """

    card = Card(
        "sparse gaussian process",
        "a Gaussian process of which few rows stand for all",
        also=("sgpr",),
        scale=True,
        learns=(
            "a Gaussian process by inducing rows",
            "variational bound of the marginal likelihood",
            "a Cholesky factor, L-BFGS for the kernel",
            "local",
        ),
    )
    accepts = {
        "kernel": KERNEL | None,
        "alpha": Range(0),
        "n_inducing": Count(1),
        "optimizer": Choice("fmin_l_bfgs_b") | Function() | None,
        "normalize_y": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "posterior_": Object(PointsPosterior),
        "choice_": Object(choosing.Choice),
        "lower_bound_": Scalar(),
        "upper_bound_": Scalar(),
        "y_mean_": Scalar(finite=True),
        "y_scale_": Scalar(low=0, finite=True),
        "shape_fit_": Plain(tuple),
    }
    posterior_: PointsPosterior

    def __init__(
        self,
        kernel: KernelLike | None = None,
        *,
        alpha: float = 1e-10,
        n_inducing: int = 400,
        optimizer: str | Callable[..., Any] | None = "fmin_l_bfgs_b",
        normalize_y: bool = True,
        random_state: RandomState = None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.n_inducing = n_inducing
        self.optimizer = optimizer
        self.normalize_y = normalize_y
        self.random_state = random_state

    def _kernel(self) -> Kernel:
        if self.kernel is None:
            return ConstantKernel() * RBF() + WhiteKernel(0.1)
        kernel = kernel_of(self.kernel)
        if kernel.precomputed:
            raise ParameterError(
                f"{type(self).__name__}: points are rows that a kernel compares with others; a precomputed matrix has "
                "none. Give rows and a kernel."
            )
        return kernel

    def _learn_from(self, source: Source) -> None:
        random = check_random_state(self.random_state)
        targets = source.add_up(_Targets.of)
        sd = float(np.sqrt(targets.squares / targets.weight))
        if not np.isfinite(sd) or (not self.normalize_y and sd + abs(targets.mean) > LARGEST):
            raise DataError(
                "y has values so large that sums of their squares are no finite numbers. Choose another unit.",
                who=type(self).__name__,
            )
        constant = sd <= ROUNDING * abs(targets.mean)
        self.y_mean_ = targets.mean if self.normalize_y else 0.0
        self.y_scale_ = sd if self.normalize_y and not constant else 1.0
        sample = self._sample(source, random)
        refuse_far_rows(sample, type(self).__name__)
        self._fit_kernel(sample)
        self.shape_fit_ = (int(targets.rows), *self.shape_fit_[1:])
        if self.kernel is None:
            self.kernel_ = ConstantKernel() * RBF(_typical_scales(sample)) + WhiteKernel(0.1)
        bound = self._choose(source, sample, random)
        self.kernel_, self.posterior_ = bound.kernel, bound.posterior
        self.lower_bound_, self.upper_bound_ = bound.value, bound.upper

    def _sample(self, source: Source, random: np.random.RandomState) -> Any:
        """Rows among which points are chosen, those of no weight left out."""
        counted = np.flatnonzero(np.concatenate(source.add_up(_counted)))
        size = sample_size(self.n_inducing)
        return source.take(counted if len(counted) <= size else np.sort(random.permutation(counted)[:size]))

    def _choose(self, source: Source, sample: Any, random: np.random.RandomState) -> CollapsedBound:
        """The parameters and the points of the largest bound."""
        read = partial(_read, alpha=float(self.alpha), mean=self.y_mean_, scale=self.y_scale_)
        kernel, best = self.kernel_, None
        self.choice_ = choosing.Choice(kernel.theta, np.nan, 1, True, "as given")
        for _ in range(ROUNDS):
            Z = choose_points(kernel, sample, self.n_inducing, random)
            bound = CollapsedBound(kernel, Z, source, read)
            if best is not None and bound.value < best.value + WORTH_A_ROUND:
                return bound if bound.value > best.value else best
            best = bound
            if self.optimizer is None or not kernel.free:
                return best

            def objective(theta: np.ndarray, start: Kernel = kernel, Z: Any = Z) -> tuple[float, np.ndarray]:
                try:
                    tried = CollapsedBound(start.with_theta(theta), Z, source, read)
                except DegenerateError:
                    return np.inf, np.zeros(len(theta))
                return -tried.value, -tried.gradient()

            self.choice_ = choosing.choose_theta(
                objective,
                kernel,
                prior=choosing.KernelPrior.of(kernel, sample),
                optimizer=self.optimizer,
                random_state=random,
            )
            kernel = kernel.with_theta(self.choice_.theta)
            best = CollapsedBound(kernel, Z, source, read)
        assert best is not None
        return best

    @property
    def inducing_points_(self) -> Any:
        """(m, d) the rows that stand for all."""
        if "posterior_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no inducing_points_ before it is fitted")
        return self.posterior_.Z

    @property
    def jitter_(self) -> float:
        """What was added to the diagonal of the points' kernel matrix because it was singular in arithmetic."""
        if "posterior_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no jitter_ before it is fitted")
        return self.posterior_.L.jitter

    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """The expected target of each row, with ``return_std`` also its standard deviation, that of noise included.

        Parameters
        ----------
        X : rows as in fit
        return_std : whether to give the (n,) standard deviations, too
        """
        values = self._admit_to_answer(X)
        if not return_std:
            return self._predict(values)
        mean, variance = self._moments(values)
        return mean, np.sqrt(variance)

    def _predict(self, X: Any) -> np.ndarray:
        return self._moments(X)[0]

    def _moments(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self.posterior_.moments(X)
        return mean[:, 0] * self.y_scale_ + self.y_mean_, variance * self.y_scale_**2

    def _distribution(self, X: Any) -> Any:
        from assay.stats.distributions.predictive import Normal

        mean, variance = self._moments(X)
        return Normal(mean, np.sqrt(variance + self.alpha * self.y_scale_**2))


class _Targets:
    """The mean of targets and the sum of their squared distances from it, which a large mean does not cancel."""

    def __init__(self, rows: int, weight: float, mean: float, squares: float):
        self.rows, self.weight, self.mean, self.squares = rows, weight, mean, squares

    @classmethod
    def of(cls, block: Block) -> _Targets:
        if block.y.ndim != 1:
            raise DataError(
                f"y must be one target, got the shape {block.y.shape}. Fit one model for each, or use "
                "GaussianProcessRegressor(method='inducing').",
                who="SparseGaussianProcessRegressor",
            )
        w = np.ones(len(block.y)) if block.w is None else block.w
        weight = float(w.sum())
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name when all are added up
            mean = float(w @ block.y) / weight if weight > 0 else 0.0
            return cls(len(w), weight, mean, float(w @ (block.y - mean) ** 2))

    def __add__(self, other: _Targets) -> _Targets:
        weight, apart = self.weight + other.weight, other.mean - self.mean
        share = other.weight / weight if weight > 0 else 0.0
        squares = self.squares + other.squares + self.weight * share * apart**2
        return _Targets(self.rows + other.rows, weight, self.mean + share * apart, squares)


def _typical_scales(X: Any) -> np.ndarray:
    """(d,) the standard deviation of as wide a uniform distribution as each column, times the root of their number."""
    d = X.shape[1]
    if hasattr(X, "tocsr"):
        widths = (X.max(axis=0) - X.min(axis=0)).toarray().ravel()
    else:
        widths = np.ptp(X, axis=0)
    return np.sqrt(d / 12.0) * np.where(widths > 0, widths, 1.0)


def _counted(block: Block) -> list[np.ndarray]:
    """Which rows of a block have weight."""
    return [np.ones(row_count(block.X, "rows"), dtype=bool) if block.w is None else block.w > 0]


def _read(block: Block, alpha: float, mean: float, scale: float) -> tuple[Any, np.ndarray, np.ndarray, Any]:
    Y = (block.y[:, None] - mean) / scale
    return block.X, Y, np.full(len(Y), alpha), block.w
