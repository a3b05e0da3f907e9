"""Markov mixture of experts: the inputs also say where the chain goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.scores import softmax
from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError
from assay.sequences.chain import Chain, Expected
from assay.sequences.families import Sums
from assay.sequences.families.family import shares
from assay.sequences.families.regression import softmax_step, with_intercept
from assay.sequences.input_output_hmm import INPUTS, REGRESSION_PARAMETERS, InputOutputHMM
from assay.sequences.sequences import Sequences
from assay.types import RandomState

__all__ = ["MarkovMixtureOfExperts"]


class MarkovMixtureOfExperts(InputOutputHMM):
    r"""A mixture of experts whose gate remembers its last decision: inputs drive outputs and transitions.

    .. math:: P(q_{t+1} = j \mid q_t = i, x_t) = \frac{e^{v_{ij}^T (1, x_t)}}{\sum_k e^{v_{ik}^T (1, x_t)}},\qquad
              p(y_t \mid q_t = j, x_t) = N(y_t; W_j^T (1, x_t), \sigma_j^2) \quad (1)

    EM: experts are weighted regressions as in `InputOutputHMM`; each state's gate takes a step that cannot lower the
    likelihood (a bound of its curvature), so that it never falls. Inputs must be complete: they drive the chain.

    Cost: fit O(n K (K q + m q^2)) an iteration; memory O(n K^2).

    Parameters
    ----------
    n_components : int, default 1
        Number of experts, K.
    inputs : list of column names or numbers, default None
        The columns that are inputs; None: all but the last.
    min_covar : float, default 1e-3
        The least variance.
    startprob_prior : float or array, default 1
        Dirichlet prior of the first state.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 100 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stwc"
        What fit may change, and what it begins anew: "s" start, "t" gates, "w" weights of experts, "c" variances.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      gates_ : (K, q + 1, K) weights of the gate of each state, the intercepts first
    coef_ : (K, q + 1, m)      variances_ : (K, m)
    transmat_ : (K, K) the transitions at inputs of 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import MarkovMixtureOfExperts
    >>> model = MarkovMixtureOfExperts(2)
    >>> model.startprob_ = np.array([0.5, 0.5])
    >>> model.coef_, model.variances_ = np.array([[[0.0], [1.0]], [[2.0], [-1.0]]]), np.full((2, 1), 0.25)
    >>> model.gates_ = np.array([[[0.5, 0.0], [1.0, -1.0]], [[0.0, 0.5], [-1.0, 1.0]]])
    >>> round(model.score([[[0, 0.1], [1, 1.2], [2, 0.2], [1, 0.9]]]), 8)
    -2.7186856

    See Also
    --------
    InputOutputHMM, SwitchingHMM

    References
    ----------
    - Meila, M. and Jordan, M. I. (1996). Markov mixtures of experts. In: Murray-Smith and Johansen (eds.), Multiple
      Model Approaches to Modelling and Control. Taylor and Francis.
    """

    card = Card("markov mixture of experts", "experts whose gate remembers its last decision")
    accepts = {
        **{
            name: kind
            for name, kind in REGRESSION_PARAMETERS.items()
            if name not in ("transmat_prior", "topology")
        },
        "inputs": INPUTS,
    }
    stored = {"gates_": FloatArray("N", "*", "N", finite=True)}

    def __init__(
        self,
        n_components: int = 1,
        inputs: Sequence[str | int] | None = None,
        *,
        min_covar: float = 1e-3,
        startprob_prior: ArrayLike = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 100,
        tol: float = 1e-2,
        params: str = "stwc",
        init_params: str = "stwc",
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.inputs = inputs
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.n_init = n_init

    def transitions_at(self, inputs: ArrayLike) -> np.ndarray:
        """(n, K, K) the transitions that (n, q) inputs cause."""
        X = np.asarray(inputs, dtype=np.float64)
        X = X.reshape(-1, 1) if X.ndim == 1 else X
        K = self.n_components
        logits = np.einsum("nq,iqj->nij", with_intercept(X), self.gates_)
        return softmax(logits.reshape(-1, K)).reshape(-1, K, K)

    @property
    def transmat_(self) -> np.ndarray:  # type: ignore[override]
        """(K, K) the transitions at inputs of 0."""
        if "gates_" not in vars(self):
            raise AttributeError("transmat_")
        return softmax(np.asarray(self.gates_)[:, 0])

    def _moves(self, inputs: np.ndarray) -> np.ndarray:
        return self.transitions_at(inputs)

    def _chain(self, X: Sequences) -> Chain:
        return Chain(self.startprob_, self.transitions_at(X.values[:, self._places()[0]]))

    def _checked(self, X: Sequences) -> Sequences:
        X = super()._checked(X)
        if "gates_" in vars(self) and np.isnan(X.values[:, self._places()[0]]).any():
            row = int(np.argmax(np.isnan(X.values[:, self._places()[0]]).any(axis=1)))
            raise DataError(
                f"an input of row {row} (counted from 0) is missing; inputs drive the chain and must be complete.",
                who=type(self).__name__,
            )
        return X

    def _start_chain(self, draw: np.random.RandomState) -> None:
        K = self.n_components
        if self._needs("s", "startprob_"):
            self.startprob_ = draw.dirichlet(np.ones(K))

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        super()._start_emissions(X, seed)
        K, q = self.n_components, len(self._places()[0]) + 1
        if self._needs("t", "gates_"):
            self.gates_ = np.zeros((K, q, K))
        if np.shape(self.gates_) != (K, q, K):
            raise ParameterError(
                f"gates_ must have the shape {(K, q, K)}, it has {np.shape(self.gates_)}.",
                who=type(self).__name__,
            )
        self._checked(X)

    def _possible(self) -> Any:
        return np.asarray(self.startprob_) > 0

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        design = with_intercept(X.values[:, self._places()[0]])
        gates = self.transitions_at(design[:, 1:])
        K, q = self.n_components, design.shape[1]
        gradient, gram = np.zeros((K, q, K)), np.zeros((K, q, q))
        for i in range(K):
            counts = expected.transitions[:, i]
            leaving = counts.sum(axis=1)
            gradient[i] = design.T @ (counts - leaving[:, None] * gates[:, i])
            gram[i] = (design * leaving[:, None]).T @ design
        return Sums(start=expected.start, gradient=gradient, gram=gram)

    def _solve_chain(self, sums: Sums, possible: Any) -> None:
        if "s" in self.params:
            counts = np.maximum(np.asarray(self.startprob_prior) - 1 + sums["start"], 0) * possible
            self.startprob_ = shares(counts, np.asarray(self.startprob_))
        if "t" in self.params:
            self.gates_ = softmax_step(np.asarray(self.gates_), sums["gradient"], sums["gram"])

    def _has_prior(self) -> bool:
        return bool(np.any(np.asarray(self.startprob_prior) != 1))

    def n_parameters(self) -> int:
        """How many numbers are free."""
        K, q, _ = self.gates_.shape
        return K - 1 + K * q * (K - 1) + self.family_.n_parameters()

    def get_stationary_distribution(self) -> np.ndarray:
        """There is none while inputs drive the chain."""
        raise TypeError("MarkovMixtureOfExperts has no stationary distribution: the inputs move it.")
