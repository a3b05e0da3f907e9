"""Hidden Markov model of numbers, a mixture of Gaussians in each state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Flag, Range
from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.sequences.families import GaussianMixtures
from assay.sequences.families.gaussian import GaussianPrior
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.sequences.starts import covariance_of, means_of, numbers_only, warn_of_small_variances
from assay.types import RandomState

__all__ = ["GMMHMM"]


class GMMHMM(HiddenMarkovModel):
    r"""Hidden states that emit numbers by mixtures of Gaussians; hmmlearn's model, with an exact maximisation step.

    .. math:: p(x_t \mid q_t = j) = \sum_l c_{jl} N(x_t; \mu_{jl}, \Sigma_{jl}) \quad (1)

    The expectation step splits the posterior of a state over its components,
    :math:`\gamma_t(j, l) = \gamma_t(j)\, c_{jl} N_{jl}(x_t) / \sum_{l'} c_{jl'} N_{jl'}(x_t)`; weights, means and
    covariances are then those of rows weighed by it. With ``shared`` there is one pool of M components for all states,
    each with its own weights (a semi-continuous model). Scatter is about the new means, so that the likelihood never
    falls; hmmlearn takes it about the old ones. Missing entries are summed out as in `GaussianHMM`.

    Cost: O(n K (K + M d)) an iteration, O(n K (K + M d^2)) with full covariances.

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    n_mix : int, default 1
        Components of each state, M.
    min_covar : float, default 1e-3
        Added to the variances of the start; the least variance where there is no ``covars_prior``, and of a
        covariance matrix that would be singular.
    weights_prior : float or array, default 1
        Dirichlet prior of the weights.
    means_prior, means_weight : float or array, default 0
        Normal prior of the means.
    covars_prior, covars_weight : float or None, default None
        Scatter and rows that a prior adds; None is maximum likelihood.
    covariance_type : "spherical", "diag", "full" or "tied", default "diag"
        "tied" is one matrix for all components of a state.
    shared : bool, default False
        One pool of components for all states.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` and ``decode`` find states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter : int, default 10
        Steps of EM at most.
    tol : float, default 1e-2
        Stop when the log likelihood rises by less.
    verbose : bool, default False
        Accepted for hmmlearn's sake; ``history_`` keeps what it would print.
    params, init_params : str, default "stmcw"
        What fit may change, and what it begins anew, by letters: "s" start, "t" transitions,
        "m" means, "c" covariances, "w" weights.
    implementation : "log" or "scaling", default "log"
        Accepted for hmmlearn's sake: numbers are scaled, and where these get lost, logarithms are used.
    topology : "ergodic", "left-to-right", (K, K) mask or None, default None
        Which transitions are possible. Zeros of a model that is set by hand stay zeros without it, too.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      weights_ : (K, M)      means_ : (K, M, d)
    covars_ : (K, M), (K, M, d), (K, M, d, d) or (K, d, d)
    converged_ : bool      n_iter_ : int      log_likelihood_ : float      history_ : list of dict
    monitor_ : Monitor

    Examples
    --------
    >>> from assay.sequences import GMMHMM
    >>> X = [[0.0, 5.0, 0.1, 5.1, -0.1, 4.9, 20.0, 20.3, 19.8, 20.1, 0.0, 5.2]]
    >>> model = GMMHMM(2, n_mix=2, random_state=0, min_covar=0.01).fit(X)
    >>> path = model.predict(X)
    >>> (path == path[0]).tolist()
    [True, True, True, True, True, True, False, False, False, False, True, True]

    See Also
    --------
    GaussianHMM, MixedHMM, assay.mixture.GaussianMixture

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Baum, L. E., Petrie, T., Soules, G. and Weiss, N. (1970). A maximization technique occurring in the statistical
      analysis of probabilistic functions of Markov chains. Annals of Mathematical Statistics 41(1), 164-171.
    """

    card = Card("gmm hmm", "hidden states that emit numbers by mixtures of Gaussians")
    accepts = {
        **HMM_PARAMETERS,
        "n_mix": Count(1),
        "min_covar": Range(0),
        "weights_prior": Range(0) | Array(2, low=0),
        "means_prior": Range() | Array(3),
        "means_weight": Range(0) | Array(2, low=0),
        "covars_prior": Range(0) | None,
        "covars_weight": Range() | None,
        "covariance_type": Choice("spherical", "diag", "full", "tied"),
        "shared": Flag(),
    }
    stored = {
        "weights_": FloatArray("N", "M", low=0, high=1),
        "means_": FloatArray("N", "M", "p", finite=True) | FloatArray("M", "p", finite=True),
        "covars_": FloatArray("*", finite=True)
        | FloatArray("*", "*", finite=True)
        | FloatArray("*", "*", "*", finite=True)
        | FloatArray("N", "M", "p", "p", finite=True),
    }

    def __init__(
        self,
        n_components: int = 1,
        n_mix: int = 1,
        min_covar: float = 1e-3,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        weights_prior: ArrayLike = 1.0,
        means_prior: ArrayLike = 0.0,
        means_weight: ArrayLike = 0.0,
        covars_prior: float | None = None,
        covars_weight: float | None = None,
        algorithm: str = "viterbi",
        covariance_type: str = "diag",
        random_state: RandomState = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stmcw",
        init_params: str = "stmcw",
        implementation: str = "log",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
        shared: bool = False,
    ):
        self.n_components = n_components
        self.n_mix = n_mix
        self.min_covar = min_covar
        self.weights_prior = weights_prior
        self.means_prior = means_prior
        self.means_weight = means_weight
        self.covars_prior = covars_prior
        self.covars_weight = covars_weight
        self.covariance_type = covariance_type
        self.shared = shared
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
    def family_(self) -> GaussianMixtures:
        none = not self.covars_prior
        d = np.shape(self.means_)[-1]
        means_prior, means_weight = (
            np.asarray(self.means_prior, dtype=np.float64),
            np.asarray(self.means_weight, dtype=np.float64),
        )
        prior = GaussianPrior(
            means_prior.reshape(-1, d) if means_prior.ndim else means_prior,
            means_weight.reshape(-1, 1) if means_weight.ndim else means_weight,
            self.covars_prior or 0.0,
            0.0 if self.covars_weight is None else self.covars_weight,
            self.min_covar if none else 0.0,
            self.min_covar,
        )
        return GaussianMixtures(
            self.weights_, self.means_, self.covars_, self.covariance_type, self.shared, self.weights_prior, prior,
            type(self).__name__,
        )  # fmt: skip

    def _adopt(self, family: GaussianMixtures) -> None:
        self.weights_, self.means_, self.covars_ = family.weights, family.means, family.covars

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return int(np.shape(self.means_)[-1])

    def _checked(self, X: Sequences) -> Sequences:
        numbers_only(X, type(self).__name__)
        if "means_" in vars(self) and X.values.shape[1] != np.shape(self.means_)[-1]:
            raise DataError(
                f"X has {X.values.shape[1]} columns, the model {np.shape(self.means_)[-1]}.",
                who=type(self).__name__,
            )
        return X

    def _warn_of_units(self, X: Sequences) -> None:
        if not self.covars_prior:
            who = type(self).__name__
            warn_of_small_variances(X.values, X.schema.names, who, "min_covar", self.min_covar)

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        K, M, d, who = self.n_components, self.n_mix, X.values.shape[1], type(self).__name__
        groups = 1 if self.shared else K
        if self._needs("w", "weights_"):
            self.weights_ = np.full((K, M), 1.0 / M)
            if self.shared and M > 1:  # equal weights of equal components would never part
                leaning = 1.0 + (np.arange(M)[None, :] % K == np.arange(K)[:, None])
                self.weights_ = leaning / leaning.sum(axis=1, keepdims=True)
        if self._needs("m", "means_"):
            if self.shared:
                self.means_ = means_of(X.values, M, seed, who, X.schema.names)
            else:
                self.means_ = _means_in_groups(X, K, M, seed, who)
        if self._needs("c", "covars_"):
            matrix = covariance_of(X.values, self.min_covar)
            shape: tuple[int, ...] = (M,) if self.shared else (groups, M)
            self.covars_ = {
                "spherical": np.full(shape, matrix.mean()),
                "diag": np.broadcast_to(np.diag(matrix), (*shape, d)).copy(),
                "full": np.broadcast_to(matrix, (*shape, d, d)).copy(),
                "tied": matrix if self.shared else np.broadcast_to(matrix, (K, d, d)).copy(),
            }[self.covariance_type]


def _means_in_groups(X: Sequences, K: int, M: int, seed: Any, who: str) -> np.ndarray:
    """(K, M, d) centres of M groups within each of K groups."""
    from sklearn.metrics import pairwise_distances_argmin

    centers = means_of(X.values, K, seed, who, X.schema.names)
    observed = X.values[~np.isnan(X.values).any(axis=1)]
    label = pairwise_distances_argmin(observed, centers) if len(observed) else np.empty(0)
    means = []
    for k in range(K):
        rows = observed[label == k]
        means.append(
            means_of(rows, M, seed, who) if len(rows) >= M else np.repeat(centers[k : k + 1], M, axis=0)
        )
    return np.array(means)
