"""Switching hidden Markov model: a switch says which chain is seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core import Card
from assay.sequences.interacting_chains import CHAIN_PARAMETERS, InteractingChains
from assay.types import RandomState

__all__ = ["SwitchingHMM"]


class SwitchingHMM(InteractingChains):
    r"""Several hidden chains of which a switch, a chain itself, shows one at a time.

    All chains keep moving whether they are shown or not:

    .. math:: P(s_t, q_t \mid s_{t-1}, q_{t-1}) = P(s_t \mid s_{t-1}) \prod_m a^m(q_{t-1}^m, q_t^m),\qquad
              p(x_t \mid s_t, q_t) = p_{s_t}(x_t \mid q_t^{s_t}) \quad (1)

    Equal rows of the switch's transitions are independent choices. Inference is exact, on all joint states.

    Cost: fit O(n K^2) an iteration for :math:`K = M \prod_m k_m` joint states of M chains; memory O(n K).

    Parameters
    ----------
    n_components : list of int, default (2, 2)
        States of each chain; the switch has a state for each chain.
    families : dict of column name to "gaussian", "categorical" or "poisson", default None
        Text columns are categorical and numbers Gaussian unless it says otherwise.
    min_covar : float, default 1e-3
        The least variance.
    emissionprob_prior, startprob_prior, transmat_prior : float, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds joint states: the best path, or each by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 50 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stmcle"
        What fit may change, and what it begins anew: "s" starts, "t" transitions, "m" means, "c" variances, "l" rates,
        "e" categories.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprobs_ : list of (k_m,)      transmats_ : list of (k_m, k_m), the switch first
    families_ : list of str, one for each column
    emissions_ : list of arrays, one for each column, with a line for each state of each chain, chain by chain:
        (., 2) mean and variance, (., M) probabilities or (., 1) rate
    startprob_ : (K,)      transmat_ : (K, K) of the joint states
    history_ : list of dict      log_likelihood_ : float      converged_ : bool      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import SwitchingHMM
    >>> model = SwitchingHMM((1, 1))                            # two chains of one state: the switch alone is left
    >>> model.startprobs_ = [np.array([0.5, 0.5]), np.ones(1), np.ones(1)]
    >>> model.transmats_ = [np.array([[0.9, 0.1], [0.1, 0.9]]), np.ones((1, 1)), np.ones((1, 1))]
    >>> model.families_, model.emissions_ = ["gaussian"], [np.array([[0.0, 1.0], [4.0, 1.0]])]
    >>> model.predict_chains([[0.1, -0.3, 4.2, 3.9]])[:, 0]
    array([0, 0, 1, 1])

    See Also
    --------
    FactorialHMM, CoupledHMM, MarkovMixtureOfExperts

    References
    ----------
    - Ghahramani, Z. and Hinton, G. E. (2000). Variational learning for switching state-space models. Neural Computation
      12(4), 831-864. doi:10.1162/089976600300015619
    """

    card = Card("switching hmm", "hidden chains of which a switch shows one at a time")
    accepts = CHAIN_PARAMETERS

    def __init__(
        self,
        n_components: Sequence[int] = (2, 2),
        families: dict[str, str] | None = None,
        *,
        min_covar: float = 1e-3,
        emissionprob_prior: float = 1.0,
        startprob_prior: float = 1.0,
        transmat_prior: float = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 50,
        tol: float = 1e-2,
        params: str = "stmcle",
        init_params: str = "stmcle",
        n_init: int = 1,
    ):
        self.n_components = n_components  # type: ignore[assignment]
        self.families = families
        self.min_covar = min_covar
        self.emissionprob_prior = emissionprob_prior
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.n_init = n_init

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (len(self.n_components), *self.n_components)  # type: ignore[misc, arg-type]

    def _emitting(self, column: int, n_columns: int) -> tuple[int, np.ndarray | None]:
        states, sizes = self.joint_states(), np.array(self._sizes[1:])
        before = np.concatenate([[0], np.cumsum(sizes)])
        switch = states[:, 0]
        return int(before[-1]), before[switch] + states[np.arange(len(states)), 1 + switch]
