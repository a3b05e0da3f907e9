"""Hidden Markov model of counts of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Range
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.sequences.families import Poisson
from assay.sequences.families.counts import refuse_what_is_no_count
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.types import RandomState

__all__ = ["PoissonHMM"]


class PoissonHMM(HiddenMarkovModel):
    r"""Hidden states with rates of events; a drop-in for hmmlearn's.

    .. math:: p(x_t \mid q_t = j) = \prod_c e^{-\lambda_{jc}} \lambda_{jc}^{x_{tc}} / x_{tc}! \quad (1)

    With a gamma prior :math:`(\alpha, \beta)` the new rate is
    :math:`(\alpha + \sum_t \gamma_t(j) x_{tc}) / (\beta + \sum_t \gamma_t(j))`. (hmmlearn weighs the data by the
    rows of all states there, which differs if there is a prior.) A missing count is left out.

    Cost: O(n K (K + d)) an iteration.

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    lambdas_prior, lambdas_weight : float or array, default 0
        Gamma prior of the rates; 0 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` and ``decode`` find states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter : int, default 10
        Steps of EM at most.
    tol : float, default 1e-2
        Stop when the log likelihood rises by less.
    verbose : bool, default False
        Accepted for hmmlearn's sake; ``history_`` keeps what it would print.
    params, init_params : str, default "stl"
        What fit may change, and what it begins anew, by letters: "s" start, "t" transitions, "l" rates.
    implementation : "log" or "scaling", default "log"
        Accepted for hmmlearn's sake: numbers are scaled, and where these get lost, logarithms are used.
    topology : "ergodic", "left-to-right", (K, K) mask or None, default None
        Which transitions are possible. Zeros of a model that is set by hand stay zeros without it, too.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      lambdas_ : (K, d)
    converged_ : bool      n_iter_ : int      log_likelihood_ : float      history_ : list of dict
    monitor_ : Monitor

    Examples
    --------
    >>> from assay.sequences import PoissonHMM
    >>> model = PoissonHMM(2, random_state=0, n_iter=50).fit([[1, 0, 2, 1, 9, 8, 10, 9, 1, 0, 1]])
    >>> sorted(model.lambdas_.ravel().round(1).tolist())
    [0.9, 9.0]

    See Also
    --------
    GaussianHMM, MultinomialHMM, MixedHMM

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Baum, L. E., Petrie, T., Soules, G. and Weiss, N. (1970). A maximization technique occurring in the statistical
      analysis of probabilistic functions of Markov chains. Annals of Mathematical Statistics 41(1), 164-171.
    """

    _has_native_steps = True
    card = Card("poisson hmm", "hidden states with rates of events")
    accepts = {
        **HMM_PARAMETERS,
        "lambdas_prior": Range(0) | Array(1, low=0) | Array(2, low=0),
        "lambdas_weight": Range(0) | Array(1, low=0) | Array(2, low=0),
    }
    stored = {"lambdas_": FloatArray("N", "*", low=0)}

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        lambdas_prior: ArrayLike = 0.0,
        lambdas_weight: ArrayLike = 0.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stl",
        init_params: str = "stl",
        implementation: str = "log",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.lambdas_prior = lambdas_prior
        self.lambdas_weight = lambdas_weight
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
    def family_(self) -> Poisson:
        columns = [np.asarray(v, dtype=np.float64) for v in (self.lambdas_prior, self.lambdas_weight)]
        prior, weight = (v[:, None] if v.ndim == 1 else v for v in columns)
        return Poisson(np.atleast_2d(self.lambdas_), prior, weight)

    def _adopt(self, family: Poisson) -> None:
        self.lambdas_ = family.rates

    def _checked(self, X: Sequences) -> Sequences:
        refuse_what_is_no_count(X, "counts", type(self).__name__)
        return X

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        if not self._needs("l", "lambdas_"):
            return
        mean, variance = float(np.nanmean(X.values)), float(np.nanvar(X.values))
        shape = (self.n_components, X.values.shape[1])
        if mean > 0 and variance > 0:
            self.lambdas_ = random_state_of(seed).gamma(
                shape=mean**2 / variance, scale=variance / mean, size=shape
            )
        else:
            self.lambdas_ = np.full(shape, mean)
