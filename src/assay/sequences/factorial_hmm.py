"""Factorial hidden Markov model: independent chains that emit together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core import Card
from assay.sequences.chain import Expected
from assay.sequences.families import Sums
from assay.sequences.independent_chains import IndependentChains
from assay.sequences.interacting_chains import CHAIN_PARAMETERS, InteractingChains
from assay.sequences.sequences import Sequences
from assay.types import RandomState

__all__ = ["FactorialHMM"]

CHAINWISE = 150  # joint states from which on steps chain by chain are quicker than those of all pairs


class FactorialHMM(InteractingChains):
    r"""Several independent hidden chains that together emit one observation.

    .. math:: P(q_t \mid q_{t-1}) = \prod_m a^m(q_{t-1}^m, q_t^m), \qquad p(x_t \mid q_t^1, \dots, q_t^M) \quad (1)

    A distributed memory: M chains of k states have the :math:`k^M` joint states of a large chain, with M small
    transition matrices. Inference is exact, on the joint states; a step goes along one chain after the other, and so do
    the expected transitions of Baum-Welch. Each combination of states has emissions of its own.

    Cost: fit O(n K M sum of k_m) an iteration for :math:`K = \prod_m k_m` joint states of M chains, best paths
    O(n K^2);
    memory O(n K).

    Parameters
    ----------
    n_components : list of int, default (2, 2)
        States of each chain.
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
    startprobs_ : list of (k_m,)      transmats_ : list of (k_m, k_m)
    families_ : list of str, one for each column
    emissions_ : list of arrays, one for each column, with a line for each joint state:
        (., 2) mean and variance, (., M) probabilities or (., 1) rate
    startprob_ : (K,)      transmat_ : (K, K) of the joint states
    history_ : list of dict      log_likelihood_ : float      converged_ : bool      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import FactorialHMM
    >>> model = FactorialHMM((2, 2))
    >>> model.startprobs_ = [np.array([0.5, 0.5]), np.array([0.3, 0.7])]
    >>> model.transmats_ = [np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.5, 0.5]])]
    >>> lit = np.array([0.1, 0.4, 0.6, 0.9])                 # of the pairs 00, 01, 10, 11
    >>> model.families_, model.emissions_ = ["categorical"], [np.column_stack([1 - lit, lit])]
    >>> round(float(np.exp(model.score([[1, 0, 1]]))), 6)
    0.101311
    >>> model.chain_posteriors([[1, 0, 1]])[0][:, 1].round(3)
    array([0.684, 0.538, 0.619])

    See Also
    --------
    CoupledHMM, SwitchingHMM, MixedHMM

    References
    ----------
    - Ghahramani, Z. and Jordan, M. I. (1997). Factorial hidden Markov models. Machine Learning 29, 245-273.
      doi:10.1023/A:1007425814087
    """

    card = Card("factorial hmm", "independent hidden chains that emit together")
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

    def _chain(self, X: Sequences) -> Any:
        if self._n_states < CHAINWISE:
            return super()._chain(X)
        matrices = [np.asarray(A, np.float64) for A in self.transmats_]
        return IndependentChains(self.startprob_, matrices, lambda: self.transmat_)

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        if self._n_states < CHAINWISE:
            return super()._chain_sums(expected, X)
        first, M = expected.start.reshape(self._sizes), len(self._sizes)
        sums = Sums()
        for m in range(M):
            sums[f"start {m}"] = first.sum(axis=tuple(i for i in range(M) if i != m))
            sums[f"moves {m}"] = expected.transitions[m]
        return sums
