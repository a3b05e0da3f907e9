"""Hidden Markov model of symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Count, Range
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError, SchemaWarning, warn_user
from assay.sequences.families import Categorical
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, HiddenMarkovModel
from assay.sequences.sequences import Sequences
from assay.types import RandomState

__all__ = ["CategoricalHMM"]

MOST_NUMBERS = 10**8  # probabilities of symbols, of all states together


class CategoricalHMM(HiddenMarkovModel):
    r"""Hidden states that emit symbols, learned by Baum-Welch; a drop-in for hmmlearn's.

    A chain of K states moves by :math:`a_{ij}`, starts by :math:`\pi_i`, and in state j emits the symbol m with
    probability :math:`b_j(m)`:

    .. math:: P(O, Q) = \pi_{q_1} b_{q_1}(O_1) \prod_{t=2}^T a_{q_{t-1} q_t} b_{q_t}(O_t) \quad (1)

    EM replaces counts by their expectations under the posterior of the states (forward and backward recursion,
    :math:`\gamma, \xi`):

    .. math:: a_{ij} = \frac{\sum_t \xi_t(i, j)}{\sum_t \gamma_t(i)},\quad
              b_j(m) = \frac{\sum_t \gamma_t(j)\,1(O_t = m)}{\sum_t \gamma_t(j)},\quad \pi_i = \bar\gamma_1(i) \quad (2)

    Symbols are whole numbers from 0, or categories (text). A missing observation (NaN, None) says nothing and is summed
    out; so is a symbol that was not there in training, with a warning. The likelihood never falls, and reaches a local
    maximum: use several starts (``n_init``). An observation that no state can emit is an error in fit, and a log
    likelihood of -inf with a warning after it, both saying at which row.

    Cost: O(n K^2) an iteration, in native code; memory O(n K). Differences to hmmlearn: a state that nothing visits
    keeps its row instead of zeros; parameters are not overwritten by fit.

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    emissionprob_prior : float or (K, M) array, default 1
        The same for the emissions.
    n_features : int or None, default None
        Number of symbols; None takes those of the training sequences.
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
    >>> from assay.sequences import CategoricalHMM
    >>> model = CategoricalHMM(3)
    >>> model.startprob_ = np.array([0.5, 0.2, 0.3])
    >>> model.transmat_ = np.array([[0.4, 0.3, 0.3], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
    >>> model.emissionprob_ = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.6, 0.2]])
    >>> urns = [0, 0, 2, 1, 3]                     # red, red, green, blue, yellow
    >>> round(float(np.exp(model.score([urns]))), 10)
    0.0007938592
    >>> model.predict([urns])
    array([0, 0, 2, 2, 2])

    See Also
    --------
    MultinomialHMM, GaussianHMM, MixedHMM, MarkovChain, SequenceClassifier

    References
    ----------
    - Rabiner, L. R. (1989). A tutorial on hidden Markov models and selected applications in speech recognition.
      Proceedings of the IEEE 77(2), 257-286. doi:10.1109/5.18626
    - Baum, L. E., Petrie, T., Soules, G. and Weiss, N. (1970). A maximization technique occurring in the statistical
      analysis of probabilistic functions of Markov chains. Annals of Mathematical Statistics 41(1), 164-171.
    """

    _has_native_steps = True
    card = Card("categorical hmm", "hidden states that emit symbols")
    accepts = {
        **HMM_PARAMETERS,
        "emissionprob_prior": Range(0) | Array(2, low=0),
        "n_features": Count(1) | None,
    }
    stored = {"emissionprob_": FloatArray("N", "*", low=0, high=1)}

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        *,
        emissionprob_prior: ArrayLike = 1.0,
        n_features: int | None = None,
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
        self.emissionprob_prior = emissionprob_prior
        self.n_features = n_features
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
    def family_(self) -> Categorical:
        return Categorical(self.emissionprob_, np.asarray(self.emissionprob_prior, dtype=np.float64))

    def _adopt(self, family: Categorical) -> None:
        self.emissionprob_ = family.probabilities

    def _checked(self, X: Sequences) -> Sequences:
        who = type(self).__name__
        if X.values.shape[1] != 1:
            raise DataError(
                f"symbols are one column, X has {X.values.shape[1]}. For several: MixedHMM.", who=who
            )
        column = X.values[:, 0]
        gone = np.isnan(column)
        observed = column[~gone] if gone.any() else column
        if len(observed) and (observed.min() < 0 or (observed != np.floor(observed)).any()):
            at = int(np.argmax((column < 0) | (~gone & (column != np.floor(column)))))
            raise DataError(
                f"symbols should be whole numbers from 0 up, or categories; row {at} (counted from 0) has "
                f"{column[at]:g}.",
                who=who,
            )
        M = np.shape(self.emissionprob_)[1] if "emissionprob_" in vars(self) else self.n_features
        if M is not None and len(observed) and observed.max() >= M and vars(self).get("history_") is not None:
            warn_user(
                f"{who}: {int((observed >= M).sum())} rows have symbols from {M} up, which training did not have; "
                "treated as missing.",
                SchemaWarning,
            )
        return X

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        K, who = self.n_components, type(self).__name__
        column = X.schema.columns[0]
        symbols = len(column.categories) or int(np.nanmax(X.values, initial=-1)) + 1
        M = symbols if self.n_features is None else self.n_features
        if symbols > M:
            raise DataError(f"the largest symbol is {symbols - 1}, but n_features is {M}.", who=who)
        if M * K > MOST_NUMBERS:
            raise DataError(
                f"the largest symbol is {symbols - 1}, so {K} states would have {M} probabilities each. Number the "
                "symbols that occur from 0 on, or give them as categories.",
                who=who,
            )
        if M < 1:
            raise DataError("every observation is missing.", who=who)
        if self._needs("e", "emissionprob_"):
            drawn = random_state_of(seed).rand(K, M)
            self.emissionprob_ = drawn / drawn.sum(axis=1, keepdims=True)
        if np.ndim(self.emissionprob_) != 2 or len(self.emissionprob_) != K:
            raise ParameterError(f"emissionprob_ must have {K} rows.", who=who)
