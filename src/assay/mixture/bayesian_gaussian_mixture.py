"""Variational Bayesian mixture of Gaussians, with a Dirichlet distribution or a Dirichlet process of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, digamma, gammaln

from assay.core import Card
from assay.core.parameters import Array, Choice, Flag, Range
from assay.core.stored import Each, FloatArray, Scalar
from assay.core.sums import Source
from assay.errors import ParameterError
from assay.mixture.components import Estimates, Moments
from assay.mixture.gaussian_mixture import LOG_2PI, check_shape
from assay.mixture.mixture_learner import MIXTURE_PARAMETERS, MixtureLearner, Run, row_moments
from assay.mixture.moves import with_moves
from assay.types import RandomState

__all__ = ["BayesianGaussianMixture"]


@dataclass(frozen=True)
class _Posterior:
    concentration: Any  # (K,), or a pair of them: the beta distributions of the sticks
    mean_precision: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    dof: Any  # (K,), tied a scalar
    covariances: np.ndarray  # expected scale, as the form has it
    roots: np.ndarray


class BayesianGaussianMixture(MixtureLearner):
    r"""A mixture of Gaussians with a posterior of weights, means and precisions, by mean-field variational inference.

    The posterior is approximated by :math:`q(z)\,q(\pi)\prod_k q(\mu_k,\Lambda_k)`, each factor by turns set to its
    optimum, so that the lower bound of the log evidence never falls (but for ``reg_covar``):

    .. math::
       \ln h_{ik} &= E[\ln\pi_k] + \tfrac12 E[\ln|\Lambda_k|]
                  - \tfrac12\left[\tfrac d{\kappa_k} + \nu_k(x_i-m_k)^TW_k(x_i-m_k)\right] + c          \quad (1) \\
       \kappa_k &= \kappa_0 + N_k,\quad \nu_k = \nu_0 + N_k,\quad
       m_k = \frac{\kappa_0 m_0 + N_k\bar x_k}{\kappa_k}                                                \quad (2) \\
       W_k^{-1} &= W_0^{-1} + C_k + \frac{\kappa_0 N_k}{\kappa_k}(\bar x_k-m_0)(\bar x_k-m_0)^T         \quad (3)

    A component that the rows do not need keeps next to no weight, so ``n_components`` is the most there can be. The
    weights have a Dirichlet distribution, or come of a Dirichlet process cut after K sticks.

    The bound has many maxima: coordinate steps alone leave one group shared by several components, and creep. With
    ``moves`` the search also tries to merge components, to empty one and to split one, and keeps a trial only if the
    bound rises; it ends with fewer components, sooner. Without, steps and answers are those of scikit-learn's class of
    this name from the same start.

    Cost: fit O(n K d^2) an iteration, in one fused native loop, with ``moves`` some tens of iterations more for trials;
    score O(K d^2) a row; memory O(K d^2) beside X.

    Parameters
    ----------
    n_components : int, default 1
        The most components.
    covariance_type, reg_covar, max_iter, n_init, init_params : as in GaussianMixture
    random_state, warm_start, verbose, verbose_interval : as in GaussianMixture
    tol : float, default 1e-3
        Stop when the bound, that of all rows, changes by less.
    weight_concentration_prior_type : "dirichlet_process" or "dirichlet_distribution", default "dirichlet_process"
    weight_concentration_prior : float, default None
        The lower, the fewer components; None is 1 / n_components.
    mean_precision_prior : float, default None
        :math:`\kappa_0`, rows that the prior mean is worth; None is 1.
    mean_prior : (p,), default None
        :math:`m_0`; None is the mean of the rows.
    degrees_of_freedom_prior : float, default None
        :math:`\nu_0`, above p - 1; None is p.
    covariance_prior : array or float, as ``covariance_type``, default None
        :math:`W_0^{-1}`; None is the covariance of the rows.
    moves : bool, default False
        Whether to merge, empty and split components between the steps.

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : expected values, as in GaussianMixture
    weight_concentration_ : (K,), or a pair of them for a Dirichlet process
    mean_precision_ : (K,)      degrees_of_freedom_ : (K,), or a number if tied
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_
    converged_ : bool           n_iter_ : int            lower_bound_ : float       lower_bounds_ : list
    history_ : list of dict, iteration and lower_bound

    Examples
    --------
    Of five components allowed, two are used:

    >>> import numpy as np
    >>> from assay.mixture import BayesianGaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (100, 2)), rng.normal(8, 1, (100, 2))])
    >>> model = BayesianGaussianMixture(n_components=5, moves=True, random_state=0).fit(X)
    >>> model.weights_.round(2).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]

    See Also
    --------
    GaussianMixture, DirichletProcessMixture, MixturePrior

    References
    ----------
    - Attias, H. (2000). A variational Bayesian framework for graphical models. Advances in Neural Information
      Processing Systems 12.
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 10.2. Springer.
    - Blei, D. M. and Jordan, M. I. (2006). Variational inference for Dirichlet process mixtures. Bayesian Analysis
      1(1), 121-144. doi:10.1214/06-BA104
    - Ueda, N. and Ghahramani, Z. (2002). Bayesian model search for mixture models based on optimizing variational
      bounds. Neural Networks 15(10), 1223-1241. doi:10.1016/S0893-6080(02)00040-0
    """

    card = Card(
        "bayesian gaussian mixture",
        "a sum of Gaussians that uses as many as it needs",
        also=("variational mixture",),
        settings={"n_components": 10, "moves": True, "random_state": 0},
    )
    accepts = {
        **MIXTURE_PARAMETERS,
        "weight_concentration_prior_type": Choice("dirichlet_process", "dirichlet_distribution"),
        "weight_concentration_prior": Range(0, open="both") | None,
        "mean_precision_prior": Range(0, open="both") | None,
        "mean_prior": Array(1) | None,
        "degrees_of_freedom_prior": Range(0, open="both") | None,
        "covariance_prior": Range(0, open="both") | Array(1) | Array(2) | None,
        "moves": Flag(),
    }
    stored = {
        "weight_concentration_": FloatArray("c", low=0) | Each(FloatArray("c", low=0), "2"),
        "mean_precision_": FloatArray("c", low=0),
        "degrees_of_freedom_": FloatArray("c", low=0) | Scalar(low=0),
        "weight_concentration_prior_": Scalar(low=0),
        "mean_precision_prior_": Scalar(low=0),
        "mean_prior_": FloatArray("p", finite=True),
        "degrees_of_freedom_prior_": Scalar(low=0),
        "covariance_prior_": FloatArray("p", "p") | FloatArray("p") | Scalar(),
    }

    def __init__(
        self,
        *,
        n_components: int = 1,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weight_concentration_prior_type: str = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: ArrayLike | None = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: float | ArrayLike | None = None,
        moves: bool = False,
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
        self.weight_concentration_prior_type = weight_concentration_prior_type
        self.weight_concentration_prior = weight_concentration_prior
        self.mean_precision_prior = mean_precision_prior
        self.mean_prior = mean_prior
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.moves = moves
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    # ------------------------------------------------------------------ prior

    def _prepare_prior(self, source: Source) -> None:
        d, who = len(self._names), type(self).__name__
        alpha = self.weight_concentration_prior
        self.weight_concentration_prior_ = 1.0 / self.n_components if alpha is None else float(alpha)
        self.mean_precision_prior_ = (
            1.0 if self.mean_precision_prior is None else float(self.mean_precision_prior)
        )
        dof = self.degrees_of_freedom_prior
        if dof is not None and not dof > d - 1:
            raise ParameterError(
                f"The parameter 'degrees_of_freedom_prior' should be greater than {d - 1}, but got {dof:.3f}.",
                who=who,
            )
        self.degrees_of_freedom_prior_ = d if dof is None else dof
        rows = (
            None if self.mean_prior is not None and self.covariance_prior is not None else row_moments(source)
        )
        if self.mean_prior is None:
            assert rows is not None
            self.mean_prior_ = rows.mean[0]
        else:
            self.mean_prior_ = np.asarray(self.mean_prior, dtype=np.float64)
            check_shape(self.mean_prior_, (d,), "means", who)
            _check_finite(self.mean_prior_, "mean_prior", who)
        if self.covariance_prior is None:
            assert rows is not None
            self.covariance_prior_ = self._form.of_matrix(rows.scatter[0] / (rows.count.sum() - 1))
        else:
            self.covariance_prior_ = self._given_covariance(d, who)

    def _given_covariance(self, d: int, who: str) -> Any:
        name = f"{self.covariance_type} covariance_prior"
        values = np.asarray(self.covariance_prior, dtype=np.float64)
        _check_finite(values, "covariance_prior", who)
        check_shape(values, self._form.shape(1, d)[-values.ndim :] if values.ndim else (), name, who)
        if self.covariance_type == "spherical":
            if values.ndim:
                raise ParameterError(f"'{name}' should be a number, got an array.", who=who)
            return float(values)
        check_shape(values, (d, d) if self.covariance_type in ("full", "tied") else (d,), name, who)
        form = self._form
        return form.check_precisions(values if form.name == "tied" else values[None], 1, d, who).reshape(
            values.shape
        )

    # ------------------------------------------------------------------ steps

    def _search(self, source: Source, state: Any, bound: float) -> Run:
        if not self.moves or self.max_iter == 0:
            return super()._search(source, state, bound)
        return with_moves(self, source, state, self.max_iter, self.tol)

    def _maximise(self, estimates: Estimates, state: Any) -> _Posterior:
        form, counts, kappa = self._form, estimates.counts, self.mean_precision_prior_
        mean_precision = kappa + counts
        gaps = estimates.means - self.mean_prior_
        means = self.mean_prior_ + gaps * (counts / mean_precision)[:, None]  # (2)
        scatter = form.widened(estimates, self.reg_covar)
        pull = (kappa * counts / mean_precision)[:, None]
        share = 1.0
        if form.name == "tied":  # as if each component had an equal part of the rows
            share = 1.0 / len(counts)
            dof = self.degrees_of_freedom_prior_ + counts.sum() * share
        else:
            dof = self.degrees_of_freedom_prior_ + counts
        scale = form.with_prior(self.covariance_prior_, scatter * share, pull * share, gaps)  # (3)
        covariances = scale / (dof if form.name == "tied" else dof.reshape(-1, *(1,) * (form.rank - 1)))
        return _Posterior(
            self._concentration(counts), mean_precision, means, dof, covariances, form.roots(covariances)
        )

    def _concentration(self, counts: np.ndarray) -> Any:
        if self.weight_concentration_prior_type == "dirichlet_distribution":
            return self.weight_concentration_prior_ + counts
        behind = np.append(np.cumsum(counts[::-1])[-2::-1], 0.0)
        return 1.0 + counts, self.weight_concentration_prior_ + behind

    def _log_weights(self, concentration: Any) -> np.ndarray:
        """(K,) the expected logarithms of the weights."""
        if self.weight_concentration_prior_type == "dirichlet_distribution":
            return digamma(concentration) - digamma(concentration.sum())
        a, b = concentration
        total = digamma(a + b)
        left = np.cumsum(digamma(b) - total)
        return digamma(a) - total + np.append(0.0, left[:-1])

    def _constants(self, state: _Posterior) -> np.ndarray:
        d = state.means.shape[1]
        dof = np.atleast_1d(state.dof)
        log_precision = d * np.log(2.0) + digamma(0.5 * (dof - np.arange(d)[:, None])).sum(axis=0)
        shape = self._form.log_det(state.roots, d) - 0.5 * d * (LOG_2PI + np.log(dof))
        return (
            self._log_weights(state.concentration)
            + shape
            + 0.5 * (log_precision - d / state.mean_precision)  # (1)
        )

    def _bound(self, before: _Posterior, state: _Posterior, moments: Moments) -> float:
        """The lower bound of the log evidence, up to terms that no step changes."""
        return moments.entropy + self._bound_without_entropy(state)

    def _bound_without_entropy(self, state: _Posterior) -> float:
        K, d = state.means.shape
        dof = np.atleast_1d(state.dof)
        log_det = self._form.log_det(state.roots, d) - 0.5 * d * np.log(dof)
        normalizers = -(
            dof * log_det
            + dof * d * 0.5 * np.log(2.0)
            + gammaln(0.5 * (dof - np.arange(d)[:, None])).sum(axis=0)
        )
        shapes = K * float(normalizers[0]) if self._form.name == "tied" else float(normalizers.sum())
        if self.weight_concentration_prior_type == "dirichlet_distribution":
            weights = float(gammaln(state.concentration.sum()) - gammaln(state.concentration).sum())
        else:
            weights = -float(betaln(*state.concentration).sum())
        return -shapes - weights - 0.5 * d * float(np.log(state.mean_precision).sum())

    def _adopt_state(self, state: _Posterior) -> None:
        self.weight_concentration_, self.mean_precision_ = state.concentration, state.mean_precision
        self.means_, self.degrees_of_freedom_ = state.means, state.dof
        self.covariances_, self.precisions_cholesky_ = state.covariances, state.roots
        if self.weight_concentration_prior_type == "dirichlet_distribution":
            self.weights_ = state.concentration / state.concentration.sum()
            return
        a, b = state.concentration
        self.weights_ = a / (a + b) * np.append(1.0, np.cumprod(b / (a + b))[:-1])
        self.weights_ /= self.weights_.sum()

    def _state(self) -> _Posterior:
        return _Posterior(
            self.weight_concentration_,
            self.mean_precision_,
            self.means_,
            self.degrees_of_freedom_,
            self.covariances_,
            self.precisions_cholesky_,
        )


def _check_finite(values: np.ndarray, name: str, who: str) -> None:
    if not np.isfinite(values).all():
        raise ParameterError(f"{name} must be finite numbers", who=who, got=values.tolist())
