"""Coupled hidden Markov model: chains that influence each other, each with its stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_
from assay.errors import ParameterError
from assay.sequences.interacting_chains import CHAIN_PARAMETERS, InteractingChains
from assay.types import RandomState

__all__ = ["CoupledHMM"]


class CoupledHMM(InteractingChains):
    r"""Hidden chains that influence each other, each with columns of its own: sound and lips, two dancers.

    .. math:: P(q_t \mid q_{t-1}) = \prod_m P(q_t^m \mid q_{t-1}^1, \dots, q_{t-1}^M),\qquad
              p(x_t \mid q_t) = \prod_m p(x_t^m \mid q_t^m) \quad (1)

    Inference is exact, on the joint states of all chains.

    Cost: fit O(n K^2) an iteration for :math:`K = \prod_m k_m` joint states; memory O(n K).

    Parameters
    ----------
    n_components : list of int, default (2, 2)
        States of each chain.
    streams : list of lists of column numbers, default None
        The columns that each chain emits; None gives each chain one column, in their order.
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
    startprobs_ : list of (k_m,)      transmats_ : list of (k_1, ..., k_M, k_m)
    families_ : list of str, one for each column
    emissions_ : list of arrays, one for each column, with a line for each state of the chain that emits it:
        (., 2) mean and variance, (., M) probabilities or (., 1) rate
    startprob_ : (K,)      transmat_ : (K, K) of the joint states
    history_ : list of dict      log_likelihood_ : float      converged_ : bool      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import CoupledHMM
    >>> model = CoupledHMM((2, 2))
    >>> follow = np.array([[[0.9, 0.1], [0.5, 0.5]], [[0.5, 0.5], [0.1, 0.9]]])       # both pull
    >>> model.startprobs_, model.transmats_ = [np.array([0.5, 0.5])] * 2, [follow, follow]
    >>> model.families_ = ["categorical", "categorical"]
    >>> model.emissions_ = [np.array([[0.9, 0.1], [0.1, 0.9]])] * 2
    >>> model.predict_chains([[[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]]]).T
    array([[0, 0, 0, 1, 1],
           [0, 0, 1, 1, 1]])

    See Also
    --------
    FactorialHMM, SwitchingHMM, MixedHMM

    References
    ----------
    - Brand, M., Oliver, N. and Pentland, A. (1997). Coupled hidden Markov models for complex action recognition.
      Computer Vision and Pattern Recognition, 994-999. doi:10.1109/CVPR.1997.609450
    """

    card = Card("coupled hmm", "hidden chains that influence each other, each with columns of its own")
    accepts = {
        **CHAIN_PARAMETERS,
        "streams": Any_(
            "lists of column numbers, one a chain",
            lambda v: (
                v is None or (isinstance(v, (list, tuple)) and all(isinstance(c, (list, tuple)) for c in v))
            ),
        ),
    }

    def __init__(
        self,
        n_components: Sequence[int] = (2, 2),
        streams: Sequence[Sequence[int]] | None = None,
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
        self.streams = streams
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

    def _parents(self, chain: int) -> list[int]:
        return list(range(len(self._sizes)))

    def _emitting(self, column: int, n_columns: int) -> tuple[int, np.ndarray | None]:
        streams = [[m] for m in range(len(self._sizes))] if self.streams is None else self.streams
        if len(streams) != len(self._sizes) or sorted(c for part in streams for c in part) != list(
            range(n_columns)
        ):
            raise ParameterError(
                f"streams must give each of {n_columns} columns to one of {len(self._sizes)} chains, got "
                f"{[list(part) for part in streams]}.",
                who=type(self).__name__,
            )
        chain = next(m for m, part in enumerate(streams) if column in part)
        return self._sizes[chain], self.joint_states()[:, chain]
