"""Gaussian mixture by EM: maximum likelihood, or the mode of a posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from assay.core import Card
from assay.core.fitting import observed
from assay.core.parameters import Array, Choice, Flag, Instance
from assay.core.stored import Object, Scalar
from assay.core.sums import Block, Rows, Source
from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.mixture.column_ranges import ColumnRanges
from assay.mixture.components import CovarianceForm, Estimates, Moments
from assay.mixture.missing_values import (
    KnownColumns,
    complete_groups,
    gaussian_of,
    known_counts,
    lacks_values,
    widened_for_missing,
)
from assay.mixture.mixture_learner import MIXTURE_PARAMETERS, MixtureLearner, Run, row_moments
from assay.mixture.prior import MixturePrior
from assay.mixture.shaped_covariances import FORMS
from assay.mixture.starts import start
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["GaussianMixture"]

LOG_2PI = float(np.log(2 * np.pi))
FORMS_OF_PRIORS = ("full", "tied", "diag", "spherical")
FORGETTING = (
    0.6  # power of the share of new rows: above a half, so that steps settle, below 1, so that they get there
)


@dataclass(frozen=True)
class _Parameters:
    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    covariances: np.ndarray  # as the form has them
    roots: np.ndarray
    log_prior: float = 0.0
    alphas: Any = None  # (K,) concentrations of the components that are left, with a prior


class GaussianMixture(MixtureLearner):
    r"""A density made of K Gaussians, found by EM; a drop-in for scikit-learn's, and its MAP with a prior.

    .. math:: p(x) = \sum_k \pi_k N(x; \mu_k, \Sigma_k) \quad (1)

    The expectation step finds the probability :math:`h_{ik}` that row i belongs to component k, the maximisation step
    gives each component the mean and the covariance of the rows by these probabilities:

    .. math:: N_k = \sum_i h_{ik},\quad \pi_k = N_k / n,\quad \mu_k = \frac1{N_k}\sum_i h_{ik} x_i,\quad
              \Sigma_k = \frac1{N_k}\sum_i h_{ik}(x_i-\mu_k)(x_i-\mu_k)^T + \epsilon I \quad (2)

    Neither step lowers the likelihood (but for :math:`\epsilon`). Both together are sums over rows, so blocks from
    disk and Dask collections give the same model. With ``prior`` the second step finds the mode of the posterior, as
    :class:`MixturePrior` says: components cannot collapse, :math:`\epsilon` is not needed and not added, and what never
    falls is the log likelihood plus the log density of the prior.

    Missing values are no obstacle, and nothing is imputed: a row has the density of what is known of it, and the
    expectation step adds the conditional means and covariances of what is not, given what is (Ghahramani and Jordan
    1994), so that the likelihood of the known values never falls. That is right if values are missing at random. Rows
    are grouped by the columns they lack, blocks and Dask included. Nominal columns count as indicators.

    ``partial_fit`` learns from rows as they come, by EM in steps (Cappé and Moulines 2009): the sums behind (2), a row,
    move by a rate :math:`\gamma` towards those of the new rows,

    .. math:: s \leftarrow (1-\gamma)\,s + \gamma\,s_{new}, \qquad \gamma = (n_{new} / n)^{0.6}       \quad (3)

    with n rows so far, so that early rows, which were shared out badly, are forgotten.

    Cost: fit O(n K d^2) an iteration ("diag", "spherical": O(n K d)), in one fused native loop; score O(K d^2) a row;
    memory O(K d^2) beside X. With missing values, O(K d^3) more an iteration for each pattern of missing columns.

    Parameters
    ----------
    n_components : int, default 1
    covariance_type : "full", "tied", "diag", "spherical", "tied_spherical" or three letters, default "full"
        A covariance matrix for each component, one for all, variances alone, one variance, one variance for all.
        Between them "EEI", "VEI", "EVI", "VEE", "EVE", "VVE", "EEV", "VEV" and "EVV", as in R's mclust: whether volume,
        shape and axes of the ellipsoids are Equal or Variable, I for axes along the columns.
    tol : float, default 1e-3
        Stop when the mean log likelihood (with the prior) of a row changes by less.
    reg_covar : float, default 1e-6
        Added to the variances, without a prior.
    max_iter : int, default 100
    n_init : int, default 1
        Starts, of which the best is kept.
    init_params : "kmeans", "k-means++", "random" or "random_from_data", default "kmeans"
        Where it starts; the same seed draws what scikit-learn's draws.
    weights_init, means_init, precisions_init : arrays, default None
        Where to start instead.
    prior : MixturePrior, default None
    equal_weights : bool, default False
        Whether all components weigh the same. With "tied_spherical" and labels instead of probabilities this is
        k-means.
    random_state : int, RandomState or None, default None
    warm_start : bool, default False
        Whether fit goes on from the last fit.
    verbose, verbose_interval : int
        Accepted for scikit-learn's sake; ``history_`` keeps what it would print.

    Attributes
    ----------
    weights_ : (K,)      means_ : (K, p)      covariances_, precisions_, precisions_cholesky_ : as ``covariance_type``
    converged_ : bool    n_iter_ : int        lower_bound_ : float of the best start, of a row    lower_bounds_ : list
    history_ : list of dict, iteration and lower_bound
    prior_ : MixturePrior, with its component, if there is a prior

    Examples
    --------
    >>> from assay.mixture import GaussianMixture
    >>> model = GaussianMixture(n_components=2, random_state=0).fit([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model.means_[model.predict([[0, 0], [12, 3]])]
    array([[ 1.,  2.],
           [10.,  2.]])
    >>> model.explain([[9.0, 4.0]]).answer == model.predict([[10, 2]])[0]
    np.True_

    The second value of a row that lacks it is expected where its component says:

    >>> import numpy as np
    >>> table = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [4.0, np.nan]])
    >>> GaussianMixture().fit(table).means_.round(2)
    array([[1.75, 3.5 ]])

    See Also
    --------
    BayesianGaussianMixture, DirichletProcessMixture, MixedMixture, MixturePrior, KernelDensity

    References
    ----------
    - Browne, R. P. and McNicholas, P. D. (2014). Orthogonal Stiefel manifold optimization for eigen-decomposed
      covariance parameter estimation in mixture models. Statistics and Computing 24, 203-210.
      doi:10.1007/s11222-012-9364-2
    - Cappé, O. and Moulines, E. (2009). On-line expectation-maximization algorithm for latent data models. Journal of
      the Royal Statistical Society B 71(3), 593-613. doi:10.1111/j.1467-9868.2009.00698.x
    - Celeux, G. and Govaert, G. (1995). Gaussian parsimonious clustering models. Pattern Recognition 28(5), 781-793.
      doi:10.1016/0031-3203(94)00125-6
    - Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM
      algorithm. Journal of the Royal Statistical Society B 39(1), 1-38.
    - Ghahramani, Z. and Jordan, M. I. (1994). Supervised learning from incomplete data via an EM approach. Advances in
      Neural Information Processing Systems 6, 120-127.
    - McLachlan, G. J. and Peel, D. (2000). Finite Mixture Models. Wiley. doi:10.1002/0471721182
    """

    card = Card(
        "gaussian mixture",
        "a sum of Gaussians, found by EM",
        also=("gmm", "mixture"),
        settings={"n_components": 3, "random_state": 0},
    )
    takes = frozenset({"missing"})
    accepts = {
        **MIXTURE_PARAMETERS,
        "weights_init": Array(1) | Array(2) | None,
        "means_init": Array(1) | Array(2) | None,
        "precisions_init": Array(1) | Array(2) | Array(3) | None,
        "prior": Instance(MixturePrior) | None,
        "covariance_type": Choice(*FORMS),
        "equal_weights": Flag(),
    }
    stored = {"prior_": Object(MixturePrior) | None, "_rows_so_far": Scalar(low=0, finite=True)}

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: ArrayLike | None = None,
        means_init: ArrayLike | None = None,
        precisions_init: ArrayLike | None = None,
        prior: MixturePrior | None = None,
        equal_weights: bool = False,
        random_state: RandomState = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.prior = prior
        self.equal_weights = equal_weights
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    @property
    def _form(self) -> CovarianceForm:
        return FORMS[self.covariance_type]

    # ------------------------------------------------------------------ rows as they come

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """One step of EM with the rows of X, (3); the first rows are learned by ``fit``, and need to be as many as the
        components.

        ``lower_bounds_`` gets the mean log density of the rows before they were learned.
        """
        self._check_parameters()
        who = type(self).__name__
        if self.prior is not None or self.equal_weights:
            raise ParameterError(
                "partial_fit knows neither a prior nor equal_weights. Use fit_blocks.", who=who
            )
        if "means_" not in vars(self):
            return self.fit(X, sample_weight=sample_weight)
        before = vars(self).get("_rows_so_far", 0.0)
        if not before:
            raise ParameterError(
                "this model has not counted its rows, so that none can follow. Fit it anew.", who=who
            )
        values = self._admit(X)
        w = check_weights(sample_weight, values, who)
        state, form = self._state(), self._form
        new = self._expect(Rows(values, None, w), state)
        rows = float(new.counts.sum())
        rate = (rows / (before + rows)) ** FORGETTING
        old, share = self._sums_a_row(state), rate / rows
        sums = Moments(
            (1 - rate) * old.counts + share * new.counts,
            share * new.first,
            (1 - rate) * old.second + share * new.second,
            new.log_evidence,
            new.entropy,
        )  # (3)
        self._adopt_state(self._maximise(form.estimates(sums, state.means), state))
        self.precisions_ = form.precisions(self.precisions_cholesky_)
        self._rows_so_far, self.n_iter_ = before + rows, self.n_iter_ + 1
        self.lower_bound_ = new.log_evidence / rows
        self.lower_bounds_ = [*self.lower_bounds_, self.lower_bound_]
        self.history_ = [*self.history_, {"iteration": self.n_iter_, "lower_bound": self.lower_bound_}]
        return self

    def _sums_a_row(self, state: _Parameters) -> Moments:
        """The sums about the means that the state follows from, divided by the rows: :math:`\\pi_k` and
        :math:`\\pi_k(\\Sigma_k - \\epsilon I)`."""
        K, d = state.means.shape
        spread = np.array([self._form.of_component(state.covariances, k, d) for k in range(K)])
        spread = (spread - float(self.reg_covar) * np.eye(d)) * state.weights[:, None, None]
        second = spread
        if self._form.name == "tied":
            second = spread.sum(axis=0)
        elif self._form.rank < 3:
            second = np.maximum(np.diagonal(spread, axis1=1, axis2=2), 0.0)
        return Moments(state.weights, np.zeros((K, d)), second, 0.0, 0.0)

    def _keep(self, run: Run) -> None:
        super()._keep(run)
        self._rows_so_far = 0.0 if run.estimates is None else float(run.estimates.counts.sum())

    def _check_ranges(self, ranges: ColumnRanges) -> None:
        if self.prior is None:
            super()._check_ranges(ranges)
        else:  # reg_covar is not added
            ranges.refuse_without_squares(self._names, type(self).__name__)

    def _prepare_prior(self, source: Source) -> None:
        if self.prior is not None and (self.covariance_type not in FORMS_OF_PRIORS or self.equal_weights):
            raise ParameterError(
                "a prior goes with covariance_type "
                f"{', '.join(map(repr, FORMS_OF_PRIORS))} alone, and not with equal_weights.",
                who=type(self).__name__,
            )
        self._check_starts(len(self._names))
        incomplete = self._check_columns(source)
        self.prior_ = self.prior
        if self.prior is not None and self.prior.component is None:
            if incomplete:
                mean, covariance = gaussian_of(source, len(self._names))
            else:
                rows = row_moments(source)
                mean, covariance = rows.mean[0], rows.scatter[0] / rows.count.sum()
            self.prior_ = self.prior.filled(mean, covariance, self.n_components)
        if self.prior_ is not None and self.prior_.component is not None:
            d = len(self.prior_.component.mean)
            if d != len(self._names):
                raise ParameterError(
                    f"the prior's component has {d} columns, X has {len(self._names)}.",
                    who=type(self).__name__,
                )

    def _check_columns(self, source: Source) -> bool:
        """Whether values are missing; a DataError if a column has no value."""
        counts = known_counts(source, len(self._names))
        empty = np.flatnonzero(counts[:-1] == 0)
        if len(empty) and counts[-1]:
            raise DataError(
                f"column {self._names[empty[0]]!r} has no value at all. Leave it out.",
                who=type(self).__name__,
            )
        return bool((counts[:-1] < counts[-1]).any())

    def _check_starts(self, d: int) -> None:
        K, who = self.n_components, type(self).__name__
        if self.weights_init is not None:
            weights = np.asarray(self.weights_init, dtype=np.float64)
            check_shape(weights, (K,), "weights", who)
            if ((weights < 0) | (weights > 1)).any():
                raise ParameterError(
                    "The parameter 'weights' should be in the range [0, 1], "
                    f"but got max value {weights.min():.5f}, min value {weights.max():.5f}",
                    who=who,
                )
            if abs(1 - weights.sum()) > 1e-6:
                raise ParameterError(
                    f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}",
                    who=who,
                )
        if self.means_init is not None:
            check_shape(np.asarray(self.means_init), (K, d), "means", who)
        if self.precisions_init is not None:
            self._form.check_precisions(self.precisions_init, K, d, who)

    def _start(self, source: Source, n: int, draw: np.random.RandomState) -> _Parameters:
        if self.weights_init is None or self.means_init is None or self.precisions_init is None:
            return super()._start(source, n, draw)
        means = np.asarray(self.means_init, dtype=np.float64)
        return self._with_starts(
            _Parameters(np.asarray(self.weights_init, dtype=np.float64), means, means, means)
        )

    def _first_estimates(self, X: np.ndarray, w: Any, draw: np.random.RandomState) -> Estimates:
        if not lacks_values(X):
            return super()._first_estimates(X, w, draw)
        filled = complete_groups(X, w, self.n_components, draw)
        shares = start(self.init_params, filled, w, self.n_components, draw)
        return widened_for_missing(self._form, self._form.estimates_of(filled, shares), X, shares)

    def _expect(self, source: Source, state: _Parameters) -> Moments:
        form, constants, known = self._form, self._constants(state), self._known_columns(state)

        def summarize(block: Block) -> Moments:
            X = np.ascontiguousarray(block.X, dtype=np.float64)
            moments = form.expect(X, block.w, state.means, state.roots, constants)
            if np.isnan(moments.log_evidence) and lacks_values(X):
                return known.expect(X, block.w)
            return moments

        return self._possible(source.add_up(summarize))

    def _known_columns(self, state: _Parameters) -> KnownColumns:
        with np.errstate(divide="ignore"):
            return KnownColumns(self._form, np.log(state.weights), state.means, state.covariances)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        if not lacks_values(X):
            return super()._log_joint(X)
        return self._known_columns(self._state()).log_joint(np.ascontiguousarray(X, dtype=np.float64))

    def _gaps(self, X: np.ndarray, k: int) -> np.ndarray:
        if not lacks_values(X):
            return super()._gaps(X, k)
        return self._known_columns(self._state()).gaps(X, k)

    def _begin(self, estimates: Estimates) -> _Parameters:
        return self._with_starts(self._maximise(estimates, None))

    def _with_starts(self, state: _Parameters) -> _Parameters:
        """The state with what the user gave put in its place."""
        if self.weights_init is None and self.means_init is None and self.precisions_init is None:
            return state
        weights, means, roots, covariances = state.weights, state.means, state.roots, state.covariances
        if self.weights_init is not None:
            weights = np.asarray(self.weights_init, dtype=np.float64)
        if self.means_init is not None:
            means = np.asarray(self.means_init, dtype=np.float64)
        if self.precisions_init is not None:
            roots = self._form.roots_of_precisions(np.asarray(self.precisions_init, dtype=np.float64))
            precisions = self._form.precisions(roots)
            covariances = np.linalg.inv(precisions) if self._form.correlated else 1 / precisions
        return self._made(weights, means, covariances, roots, state.alphas)

    def _made(self, weights: Any, means: Any, covariances: Any, roots: Any, alphas: Any) -> _Parameters:
        if self.prior_ is None:
            return _Parameters(weights, means, covariances, roots)
        if alphas is None:
            alphas = self.prior_.alphas(self.n_components, type(self).__name__)
        density = self.prior_.log_density(self._form, weights, means, roots, alphas)
        return _Parameters(weights, means, covariances, roots, density, alphas)

    def _maximise(self, estimates: Estimates, state: _Parameters | None) -> _Parameters:
        form = self._form
        if self.prior_ is None:
            before = None if state is None else state.covariances
            covariances = form.next_covariances(estimates, self.reg_covar, before)  # (2)
            weights = estimates.counts / estimates.counts.sum()
            if self.equal_weights:
                weights = np.full(len(weights), 1 / len(weights))
            return _Parameters(weights, estimates.means, covariances, form.roots(covariances))
        who = type(self).__name__
        alphas = self.prior_.alphas(self.n_components, who) if state is None else state.alphas
        weights, kept = self.prior_.weights(estimates.counts, alphas, who)
        means, covariances = self.prior_.mode_of(form, estimates)
        covariances = form.keep(covariances, kept)
        return self._made(weights, means[kept], covariances, form.roots(covariances), alphas[kept])

    def _constants(self, state: _Parameters) -> np.ndarray:
        d = state.means.shape[1]
        with np.errstate(divide="ignore"):
            return np.log(state.weights) + self._form.log_det(state.roots, d) - 0.5 * d * LOG_2PI

    def _bound(self, before: _Parameters, state: _Parameters, moments: Moments) -> float:
        """The mean log likelihood of the state before, with its prior, as scikit-learn has it."""
        return (moments.log_evidence + before.log_prior) / float(moments.counts.sum())

    def _adopt_state(self, state: _Parameters) -> None:
        self.weights_, self.means_ = state.weights, state.means
        self.covariances_, self.precisions_cholesky_ = state.covariances, state.roots

    def _state(self) -> _Parameters:
        prior = vars(self).get("prior_")
        if prior is None:
            return _Parameters(self.weights_, self.means_, self.covariances_, self.precisions_cholesky_)
        alphas = None
        if len(self.weights_) != self.n_components:  # some were dropped
            alphas = np.full(len(self.weights_), np.mean(prior.concentration))
        return self._made(self.weights_, self.means_, self.covariances_, self.precisions_cholesky_, alphas)

    def _n_parameters(self) -> int:
        K, d = self.means_.shape
        return self._form.covariance_parameters(K, d) + K * d + (0 if self.equal_weights else K - 1)

    def bic(self, X: TableLike) -> float:
        """Bayes' information criterion on the rows of X, the lower the better: -2 log likelihood + parameters log n."""
        logs = self.score_samples(X)
        return float(-2 * logs.sum() + self._n_parameters() * np.log(len(logs)))

    def icl(self, X: TableLike) -> float:
        """The integrated likelihood of rows and their groups, the lower the better: ``bic`` plus twice the entropy of
        the probabilities of components, so that groups that overlap cost something."""
        joint = self._log_joint(self._admit(X))
        logs = joint - logsumexp(joint, axis=1, keepdims=True)
        entropy = -float(np.sum(np.where(np.isfinite(logs), np.exp(logs) * logs, 0.0)))
        return self.bic(X) + 2 * entropy

    def aic(self, X: TableLike) -> float:
        """Akaike's information criterion on the rows of X, the lower the better: -2 log likelihood + 2 parameters."""
        return float(-2 * self.score_samples(X).sum() + 2 * self._n_parameters())


def check_shape(values: np.ndarray, shape: tuple[int, ...], name: str, who: str) -> None:
    """A ParameterError if an array that the user gave has another shape."""
    if values.shape != shape:
        raise ParameterError(
            f"The parameter '{name}' should have the shape of {shape}, but got {values.shape}", who=who
        )
