"""Hidden Markov model of counts of symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Count
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError
from assay.sequences.families import Family, Multinomial
from assay.sequences.families.counts import refuse_what_is_no_count
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.types import RandomState

__all__ = ["MultinomialHMM"]


class MultinomialHMM(HiddenMarkovModel):
    r"""Hidden states that emit counts of M symbols in a number of trials; a drop-in for hmmlearn's.

    A row holds how often each symbol came up:

    .. math:: p(x_t \mid q_t = j) = \frac{n_t!}{\prod_m x_{tm}!} \prod_m b_j(m)^{x_{tm}} \quad (1)

    One trial a row is `CategoricalHMM` with indicators. A row with a missing count says nothing. Cost: O(n K (K + M))
    an iteration.

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    n_trials : int, array or None, default None
        Trials of each row. None takes the sums of the rows; ``sample`` needs a number.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` and ``decode`` find states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter : int, default 10
        Steps of EM at most.
    tol : float, default 1e-2
        Stop when the log likelihood rises by less.
    verbose : bool, default False
        Accepted for hmmlearn's sake; ``history_`` keeps what it would print.
    params, init_params : str, default "ste"
        What fit may change, and what it begins anew, by letters: "s" start, "t" transitions, "e" emissions.
    implementation : "log" or "scaling", default "log"
        Accepted for hmmlearn's sake: numbers are scaled, and where these get lost, logarithms are used.
    topology : "ergodic", "left-to-right", (K, K) mask or None, default None
        Which transitions are possible. Zeros of a model that is set by hand stay zeros without it, too.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      emissionprob_ : (K, M)
    converged_ : bool      n_iter_ : int      log_likelihood_ : float      history_ : list of dict
    monitor_ : Monitor

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import MultinomialHMM
    >>> X = np.array([[5, 0], [4, 1], [0, 5], [1, 4], [5, 0], [0, 5]])
    >>> model = MultinomialHMM(2, random_state=0, n_iter=50, n_init=3).fit(X)
    >>> path = model.predict(X)
    >>> (path == path[0]).tolist()
    [True, True, False, False, True, False]

    See Also
    --------
    CategoricalHMM, PoissonHMM, MixedHMM

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Baum, L. E., Petrie, T., Soules, G. and Weiss, N. (1970). A maximization technique occurring in the statistical
      analysis of probabilistic functions of Markov chains. Annals of Mathematical Statistics 41(1), 164-171.
    """

    _has_native_steps = True
    card = Card("multinomial hmm", "hidden states that emit counts of symbols")
    accepts = {
        **HMM_PARAMETERS,
        "n_trials": Count(0) | Array(1, low=0) | None,
    }
    stored = {"emissionprob_": FloatArray("N", "*", low=0, high=1)}

    def __init__(
        self,
        n_components: int = 1,
        n_trials: ArrayLike | None = None,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: str = "log",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.n_trials = n_trials
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
    def family_(self) -> Multinomial:
        return Multinomial(self.emissionprob_)

    def _adopt(self, family: Multinomial) -> None:
        self.emissionprob_ = family.probabilities

    def _checked(self, X: Sequences) -> Sequences:
        who, counts = type(self).__name__, X.values
        refuse_what_is_no_count(X, "counts of symbols", who)
        if self.n_trials is not None:
            rows = ~np.isnan(counts).any(axis=1)
            trials = (
                np.broadcast_to(self.n_trials, (len(counts),))
                if np.ndim(self.n_trials) == 0
                else np.asarray(self.n_trials)
            )
            if trials.shape == (len(counts),) and (counts.sum(axis=1) != trials)[rows].any():
                raise DataError("the counts of each row should add up to n_trials.", who=who)
        return X

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        if self._needs("e", "emissionprob_"):
            drawn = random_state_of(seed).rand(self.n_components, X.values.shape[1])
            self.emissionprob_ = drawn / drawn.sum(axis=1, keepdims=True)

    def _emit(self, family: Family, state: int, draw: np.random.RandomState) -> np.ndarray:
        if self.n_trials is None or len(np.unique(self.n_trials)) != 1:
            raise ParameterError("to draw rows, n_trials must be one number.", who=type(self).__name__)
        return self.family_.draw(state, int(np.unique(self.n_trials)[0]), draw)
