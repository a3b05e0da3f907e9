"""Hidden Markov model of numbers, a Gaussian in each state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Choice, Range
from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError
from assay.sequences.families import Gaussian
from assay.sequences.families.gaussian import GaussianPrior, full_matrices
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.sequences.starts import by_kind, covariance_of, means_of, numbers_only, warn_of_small_variances
from assay.types import RandomState

__all__ = ["GaussianHMM"]


class GaussianHMM(HiddenMarkovModel):
    r"""Hidden states that emit Gaussian numbers, learned by Baum-Welch; a drop-in for hmmlearn's.

    .. math:: p(x_t \mid q_t = j) = N(x_t; \mu_j, \Sigma_j) \quad (1)

    The maximisation step weighs rows by the posterior :math:`\gamma_t(j)` of their state, with the priors that
    hmmlearn's parameters say: by default ``covars_prior`` = 0.01 is added to the scatter, 0 is maximum likelihood.

    .. math:: \mu_j = \frac{\sum_t \gamma_t(j) x_t}{\sum_t \gamma_t(j)},\quad
              \Sigma_j = \frac{\sum_t \gamma_t(j) (x_t - \mu_j)(x_t - \mu_j)^T}{\sum_t \gamma_t(j)} \quad (2)

    Missing entries are summed out: left out of "diag" and "spherical" models, by their conditional Gaussian in "full"
    and "tied" ones. Cost: O(n K (K + d)) an iteration, O(n K (K + d^2)) with full covariances; memory O(n K).

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    covariance_type : "spherical", "diag", "full" or "tied", default "diag"
        One variance for each state, one for each column, a matrix, or one matrix for all states.
    min_covar : float, default 1e-3
        Added to the variances of the start; the least variance where ``covars_prior`` is 0, and of a covariance
        matrix that would be singular.
    means_prior, means_weight : float or array, default 0
        Normal prior of the means: its mean and precision.
    covars_prior, covars_weight : float or array, default 0.01 and 1
        Inverse gamma or Wishart prior of the covariances.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` and ``decode`` find states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter : int, default 10
        Steps of EM at most.
    tol : float, default 1e-2
        Stop when the log likelihood rises by less.
    verbose : bool, default False
        Accepted for hmmlearn's sake; ``history_`` keeps what it would print.
    params, init_params : str, default "stmc"
        What fit may change, and what it begins anew, by letters: "s" start, "t" transitions,
        "m" means, "c" covariances.
    implementation : "log" or "scaling", default "log"
        Accepted for hmmlearn's sake: numbers are scaled, and where these get lost, logarithms are used.
    topology : "ergodic", "left-to-right", (K, K) mask or None, default None
        Which transitions are possible. Zeros of a model that is set by hand stay zeros without it, too.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      means_ : (K, d)
    covars_ : (K, d, d) matrices; (d, d) given to a "tied" model
    converged_ : bool      n_iter_ : int      log_likelihood_ : float      history_ : list of dict
    monitor_ : Monitor

    Examples
    --------
    >>> from assay.sequences import GaussianHMM
    >>> X = [[-0.5, 0.2, 2.8, 3.5, 0.1, 2.9]]
    >>> model = GaussianHMM(2, random_state=0).fit(X)
    >>> sorted(model.means_.ravel().round(1).tolist())
    [-0.1, 3.1]
    >>> path = model.predict(X)
    >>> (path == path[0]).tolist()
    [True, True, False, False, True, False]

    See Also
    --------
    GMMHMM, MixedHMM, LinearDynamicalSystem, SequenceClassifier

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Baum, L. E., Petrie, T., Soules, G. and Weiss, N. (1970). A maximization technique occurring in the statistical
      analysis of probabilistic functions of Markov chains. Annals of Mathematical Statistics 41(1), 164-171.
    """

    _covars_: np.ndarray
    _has_native_steps = True
    card = Card("gaussian hmm", "hidden states that emit Gaussian numbers")
    accepts = {
        **HMM_PARAMETERS,
        "covariance_type": Choice("spherical", "diag", "full", "tied"),
        "min_covar": Range(0),
        "means_prior": Range() | Array(1) | Array(2),
        "means_weight": Range(0) | Array(1, low=0) | Array(2, low=0),
        "covars_prior": Range(0) | Array(1) | Array(2) | Array(3),
        "covars_weight": Range(),
    }
    stored = {
        "means_": FloatArray("N", "p", finite=True),
        "_covars_": FloatArray("*", "*", finite=True) | FloatArray("N", "*", "*", finite=True),
    }

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: str = "diag",
        min_covar: float = 1e-3,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        means_prior: ArrayLike = 0,
        means_weight: ArrayLike = 0,
        covars_prior: ArrayLike = 1e-2,
        covars_weight: float = 1,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: str = "log",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.min_covar = min_covar
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.verbose = verbose
        self.params = params
        self.init_params = init_params
        self.implementation = implementation
        self.topology = topology
        self.n_init = n_init

    @property
    def covars_(self) -> np.ndarray:
        """(K, d, d) the covariance matrices of the states."""
        K, d = np.shape(self.means_)
        return full_matrices(self._covars_, self.covariance_type, K, d).copy()

    @covars_.setter
    def covars_(self, covars: ArrayLike) -> None:
        covars = np.array(covars, dtype=np.float64)
        if self.covariance_type == "spherical" and covars.ndim == 1:
            covars = np.repeat(
                covars[:, None], np.shape(self.means_)[1] if "means_" in vars(self) else 1, axis=1
            )
        shown = {"spherical": 2, "diag": 2, "full": 3, "tied": 2}[self.covariance_type]
        if covars.ndim != shown:
            raise ParameterError(
                f"covars_ of a {self.covariance_type} model must have {shown} dimensions, got {covars.ndim}.",
                who=type(self).__name__,
            )
        self._covars_ = covars

    @property
    def family_(self) -> Gaussian:
        floor = self.min_covar if np.all(np.asarray(self.covars_prior) == 0) else 0.0
        mean, weight = (
            np.reshape(v, (-1, 1)) if np.ndim(v) == 1 else v for v in (self.means_prior, self.means_weight)
        )
        prior = GaussianPrior(mean, weight, self.covars_prior, self.covars_weight, floor, self.min_covar)
        means, covars = np.asarray(self.means_, dtype=np.float64), self._covars_
        if self.covariance_type == "spherical" and covars.shape[1] == 1:
            covars = np.repeat(covars, means.shape[1], axis=1)
        return Gaussian(means, covars, self.covariance_type, prior, type(self).__name__)

    def _adopt(self, family: Gaussian) -> None:
        self.means_, self._covars_ = family.means, family.covars

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return int(np.shape(self.means_)[1])

    def _checked(self, X: Sequences) -> Sequences:
        numbers_only(X, type(self).__name__)
        if "means_" in vars(self) and X.values.shape[1] != np.shape(self.means_)[1]:
            raise DataError(
                f"X has {X.values.shape[1]} columns, the model {np.shape(self.means_)[1]}.",
                who=type(self).__name__,
            )
        return X

    def _warn_of_units(self, X: Sequences) -> None:
        who, names, K = type(self).__name__, X.schema.names, self.n_components
        if np.all(np.asarray(self.covars_prior) == 0):
            warn_of_small_variances(X.values, names, who, "min_covar", self.min_covar)
        else:
            added = float(np.min(self.covars_prior))
            warn_of_small_variances(X.values, names, who, "covars_prior", added, K / max(len(X.values), 1))

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        K, who = self.n_components, type(self).__name__
        if self._needs("m", "means_"):
            self.means_ = means_of(X.values, K, seed, who, X.schema.names)
        if self._needs("c", "_covars_"):
            self._covars_ = by_kind(covariance_of(X.values, self.min_covar), self.covariance_type, K)
