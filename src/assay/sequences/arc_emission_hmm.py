"""Arc-emission hidden Markov model: symbols belong to transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Range
from assay.sequences.asked import check_draw
from assay.sequences.chain import Chain, Expected
from assay.sequences.column_emissions import COLUMN_PARAMETERS, ColumnEmissions
from assay.sequences.families import Sums
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, Filter, Forecast
from assay.sequences.mixed_hmm import MixedHMM
from assay.sequences.sequences import Sequences
from assay.types import RandomState, SequencesLike

__all__ = ["ArcEmissionHMM"]


class ArcEmissionHMM(ColumnEmissions):
    r"""A hidden Markov model that emits on its way: each row is drawn on the arc from one state to the next.

    .. math:: P(O, Q) = \pi_{q_1} \prod_{t=1}^{T} a_{q_t q_{t+1}}\, b_{q_t q_{t+1}}(O_t) \quad (1)

    (a Mealy machine with chance). It has no more power than emissions by states: with pairs of states as states,
    :math:`\pi'_{ij} = \pi_i a_{ij},\ a'_{(ij)(jk)} = a_{jk},\ b'_{ij} = b_{ij}`, all likelihoods are the same. That is
    what ``of_pairs`` gives, and how passes and EM are done here, with transitions shared by all pairs.

    Cost: fit O(n K^4) an iteration; memory O(n K^2).

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    families : dict of column name to "gaussian", "categorical" or "poisson", default None
        Text columns are categorical and numbers Gaussian unless it says otherwise.
    min_covar : float, default 1e-3
        The least variance.
    emissionprob_prior, startprob_prior, transmat_prior : float, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 50 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stmcle"
        What fit may change, and what it begins anew: "s" start, "t" transitions, "m" means, "c" variances, "l" rates,
        "e" categories.
    topology, n_init
        As in `CategoricalHMM`.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      families_ : list of str
    emissions_ : list of arrays, one for each column, with a line for each arc, i K + j for that from i to j

    Examples
    --------
    A coin that says whether it was turned:

    >>> import numpy as np
    >>> from assay.sequences import ArcEmissionHMM
    >>> model = ArcEmissionHMM(2)
    >>> model.startprob_, model.transmat_ = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> model.families_ = ["categorical"]
    >>> model.emissions_ = [np.array([[0.9, 0.1], [0.1, 0.9], [0.1, 0.9], [0.9, 0.1]])]
    >>> round(model.score([[0, 0, 1]]) - model.of_pairs().score([[0, 0, 1]]), 12)
    0.0

    See Also
    --------
    MixedHMM, CategoricalHMM

    References
    ----------
    - Jelinek, F. (1997). Statistical Methods for Speech Recognition. MIT Press.
    """

    card = Card("arc-emission hmm", "hidden states that emit on the way to the next")
    accepts = {
        **COLUMN_PARAMETERS,
        **{name: kind for name, kind in HMM_PARAMETERS.items() if name not in ("verbose", "implementation")},
        "startprob_prior": Range(0),
        "transmat_prior": Range(0),
    }

    def __init__(
        self,
        n_components: int = 1,
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
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
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
        self.topology = topology
        self.n_init = n_init

    def of_pairs(self) -> MixedHMM:
        """The model of pairs of states that emits as this one: (K^2,) states, i K + j for the arc from i to j."""
        self._check_chain()
        pairs = MixedHMM(self.n_components**2, algorithm=self.algorithm, random_state=self.random_state)
        chain = self._pairs()
        pairs.startprob_, pairs.transmat_ = chain.start, chain.transitions
        pairs.families_, pairs.emissions_ = list(self.families_), [np.array(e) for e in self.emissions_]
        if "schema_" in vars(self):
            pairs.schema_ = self.schema_
        return pairs

    def _pairs(self) -> Chain:
        start, A = np.asarray(self.startprob_), np.asarray(self.transmat_)
        K = len(start)
        moves = np.zeros((K, K, K, K))  # (ij) -> (jk)
        for j in range(K):
            moves[:, j, j, :] = A[j]
        return Chain((start[:, None] * A).ravel(), moves.reshape(K * K, K * K))

    def _emitting(self, column: int, n_columns: int) -> tuple[int, np.ndarray | None]:
        return self.n_components**2, None

    def _chain(self, X: Sequences) -> Chain:
        return self._pairs()

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        K = self.n_components
        first = expected.start.reshape(K, K)
        arcs = first + expected.transitions.reshape(K, K, K, K).sum(axis=(0, 1))
        return Sums(start=first.sum(axis=1), transitions=arcs)

    # ------------------------------------------------------------------ answers: of the state that an arc leaves

    def _left(self, joint: np.ndarray) -> np.ndarray:
        K = self.n_components
        return joint.reshape(-1, K, K).sum(axis=2)

    def predict_proba(
        self, X: SequencesLike, lengths: ArrayLike | None = None, *, states: ArrayLike | None = None
    ) -> np.ndarray:
        """(n, K) probability of the state before each row, given the whole sequence."""
        return self._left(self.of_pairs().predict_proba(X, lengths))

    def score_samples(self, X: SequencesLike, lengths: ArrayLike | None = None) -> tuple[float, np.ndarray]:
        """The log likelihood of all, and the (n, K) posterior of the states before all rows."""
        total, joint = self.of_pairs().score_samples(X, lengths)
        return total, self._left(joint)

    def filter(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(n, K) probability of the state before each row, given the rows up to it alone."""
        return self._left(self.of_pairs().filter(X, lengths))

    def stream(self) -> Filter:
        """A belief over arcs to be updated row by row."""
        return self.of_pairs().stream()

    def decode(
        self, X: SequencesLike, lengths: ArrayLike | None = None, algorithm: str | None = None
    ) -> tuple[float, np.ndarray]:
        """The states before the rows: of the best path of arcs ("viterbi"), or each by itself ("map")."""
        if (self.algorithm if algorithm is None else algorithm) == "map":
            gamma = self.predict_proba(X, lengths)
            return float(gamma.max(axis=1).sum()), gamma.argmax(axis=1)
        total, arcs = self.of_pairs().decode(X, lengths, algorithm)
        return total, arcs // self.n_components

    def forecast(self, X: SequencesLike, steps: int = 1, *, coverage: float = 0.9) -> Forecast:
        """What follows one sequence; ``states`` are those before each row."""
        ahead = self.of_pairs().forecast(X, steps, coverage=coverage)
        return Forecast(self._left(ahead.states), ahead.mean, ahead.deviation, ahead.low, ahead.high)

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None, currstate: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sequence: (n, d) observations and (n,) the states before them."""
        check_draw(type(self).__name__, self.n_components, currstate, n_samples=n_samples)
        pairs = self.of_pairs()
        if currstate is not None:
            K = self.n_components
            pairs.startprob_ = np.zeros(K * K)
            pairs.startprob_[currstate * K : (currstate + 1) * K] = self.transmat_[currstate]
        rows, arcs = pairs.sample(n_samples, random_state)
        return rows, arcs // self.n_components

    def explain(self, X: SequencesLike) -> Any:
        """The trellis of the pairs of states."""
        return self.of_pairs().explain(X)
