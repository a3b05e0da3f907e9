"""Hidden semi-Markov model: how long a state lasts has a distribution of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Explanation, Section
from assay.core.parameters import Count, Range
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError
from assay.sequences.asked import check_draw, check_forecast
from assay.sequences.chain import Expected
from assay.sequences.column_emissions import COLUMN_PARAMETERS, ColumnEmissions
from assay.sequences.families import Sums
from assay.sequences.families.family import shares
from assay.sequences.hidden_markov_model import HMM_PARAMETERS, Forecast
from assay.sequences.segments import SegmentChain
from assay.sequences.sequences import Sequences
from assay.types import RandomState, SequencesLike

__all__ = ["HiddenSemiMarkovModel"]

SEGMENTS_SHOWN = 50  # in an explanation


class HiddenSemiMarkovModel(ColumnEmissions):
    r"""Hidden states with explicit durations: a state is entered, lasts for a drawn number of rows, and is then left.

    In a hidden Markov model the time in a state is geometric, shortest stays being the most frequent. Here

    .. math:: P(\text{state } k \text{ lasts } r \text{ rows}) = d_k(r),\quad r = 1, \dots, D, \qquad
              P(\text{next state } j \mid \text{left } i) = a_{ij} \quad (1)

    with a table of durations for each state, learned by EM beside transitions and emissions. The end of a sequence may
    cut a segment off; its beginning does not. With :math:`D = 1` it is a hidden Markov model.

    Cost: fit O(n K (K + D)) an iteration, in native code; memory O(T K D) for the longest sequence.

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    max_duration : int, default 20
        The longest segment, D.
    families : dict of column name to "gaussian", "categorical" or "poisson", default None
        Text columns are categorical and numbers Gaussian unless it says otherwise.
    self_transitions : bool, default False
        Whether a segment may be followed by another one of the same state.
    min_covar : float, default 1e-3
        The least variance.
    emissionprob_prior, startprob_prior, transmat_prior, duration_prior : float, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 50 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stdmcle"
        What fit may change, and what it begins anew: "s" start, "t" transitions, "d" durations, "m" means,
        "c" variances, "l" rates, "e" categories.
    n_init : int, default 1
        Starts, of which the most likely is kept.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      durations_ : (K, D), column r - 1 for r rows
    families_ : list of str      emissions_ : list of arrays, one for each column, as in `MixedHMM`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import HiddenSemiMarkovModel
    >>> rng = np.random.default_rng(0)
    >>> level = np.tile(np.repeat([0.0, 3.0], 5), 10)           # always five rows
    >>> y = level + rng.normal(size=100)
    >>> model = HiddenSemiMarkovModel(2, max_duration=10, random_state=0).fit(y)
    >>> model.durations_.argmax(axis=1) + 1
    array([5, 5])

    See Also
    --------
    MixedHMM, GaussianHMM

    References
    ----------
    - Yu, S.-Z. (2010). Hidden semi-Markov models. Artificial Intelligence 174(2), 215-243.
      doi:10.1016/j.artint.2009.11.011
    """

    card = Card("hidden semi-markov model", "hidden states with explicit durations", also=("hsmm",))
    accepts = {
        **COLUMN_PARAMETERS,
        **{
            name: HMM_PARAMETERS[name]
            for name in (
                "n_components", "algorithm", "random_state", "n_iter", "tol", "params", "init_params", "n_init",
            )
        },
        "max_duration": Count(1),
        "self_transitions": HMM_PARAMETERS["verbose"],
        "startprob_prior": Range(0),
        "transmat_prior": Range(0),
        "duration_prior": Range(0),
    }  # fmt: skip
    stored = {"durations_": FloatArray("N", "*", low=0, high=1)}

    def __init__(
        self,
        n_components: int = 1,
        max_duration: int = 20,
        families: dict[str, str] | None = None,
        *,
        self_transitions: bool = False,
        min_covar: float = 1e-3,
        emissionprob_prior: float = 1.0,
        startprob_prior: float = 1.0,
        transmat_prior: float = 1.0,
        duration_prior: float = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 50,
        tol: float = 1e-2,
        params: str = "stdmcle",
        init_params: str = "stdmcle",
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.max_duration = max_duration
        self.families = families
        self.self_transitions = self_transitions
        self.min_covar = min_covar
        self.emissionprob_prior = emissionprob_prior
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.duration_prior = duration_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.n_init = n_init

    # ------------------------------------------------------------------ learning

    def _chain(self, X: Sequences) -> SegmentChain:
        return SegmentChain(self.startprob_, self.transmat_, self.durations_)

    def _start_chain(self, draw: np.random.RandomState) -> None:
        K, D = self.n_components, self.max_duration
        if self._needs("s", "startprob_"):
            self.startprob_ = np.full(K, 1 / K)
        if self._needs("t", "transmat_"):
            mask = np.ones((K, K)) if self.self_transitions or K == 1 else 1.0 - np.eye(K)
            self.transmat_ = mask / mask.sum(axis=1, keepdims=True)
        if self._needs("d", "durations_"):
            self.durations_ = np.full((K, D), 1 / D)

    def _check_chain(self) -> None:
        super()._check_chain()
        d = np.asarray(vars(self).get("durations_"))
        if (
            d.ndim != 2
            or len(d) != self.n_components
            or not (d >= 0).all()
            or not np.allclose(d.sum(axis=1), 1)
        ):
            raise ParameterError(
                f"durations_ must be probabilities, {self.n_components} rows that sum to 1.",
                who=type(self).__name__,
            )

    def _possible(self) -> Any:
        return (*super()._possible(), np.asarray(self.durations_) > 0)

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        return Sums(start=expected.start, transitions=expected.transitions, lasted=expected.lasted)  # type: ignore[attr-defined]

    def _solve_chain(self, sums: Sums, possible: Any) -> None:
        super()._solve_chain(sums, possible[:2])
        if "d" in self.params:
            counts = np.maximum(self.duration_prior - 1 + sums["lasted"], 0) * possible[2]
            self.durations_ = shares(counts, np.asarray(self.durations_))

    def _has_prior(self) -> bool:
        return super()._has_prior() or self.duration_prior != 1

    # ------------------------------------------------------------------ answers

    def _moves_left(self) -> tuple[np.ndarray, np.ndarray]:
        """First states and transitions of the chain of (state, rows left), which a stream filters."""
        K, D = self.durations_.shape
        A = np.zeros((K, D, K, D))
        for r in range(1, D):
            A[np.arange(K), r, np.arange(K), r - 1] = 1.0
        A[:, 0] = np.asarray(self.transmat_)[:, :, None] * self.durations_
        return (np.asarray(self.startprob_)[:, None] * self.durations_).ravel(), A.reshape(K * D, K * D)

    def _filtering(self, recent: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        start, moves = self._moves_left()
        logs = self.family_.log_density(self._rows(recent))[-1]
        return start, moves, np.repeat(logs, self.durations_.shape[1])

    def _shown(self, belief: np.ndarray) -> np.ndarray:
        return belief.reshape(self.durations_.shape).sum(axis=1)

    def segments(self, X: SequencesLike) -> list[list[tuple[int, int, int]]]:
        """For each sequence the segments of the best path: (state, first row, rows that it has)."""
        data = self._read_sequences(X, None)
        paths, left = self._chain(data).best_segments(self._frames(self.family_, data), data.offsets)
        parts = []
        for states, remaining in zip(data.split(paths.states), data.split(left)):
            first = [t for t in range(len(states)) if t == 0 or remaining[t - 1] == 1]
            parts.append([(int(states[a]), a, b - a) for a, b in zip(first, [*first[1:], len(states)])])
        return parts

    def forecast(self, X: SequencesLike, steps: int = 1, *, coverage: float = 0.9) -> Forecast:
        """What follows one sequence: probabilities of states, and mean and band of the numbers they emit."""
        from scipy.stats import norm

        check_forecast(type(self).__name__, coverage, steps=steps)
        data = self._read_sequences(X, None)
        if len(data) != 1 or not len(data.values):
            raise DataError(f"forecast goes on with one sequence, got {len(data)}.", who=type(self).__name__)
        belief = self._chain(data).filter_lengths(self._frames(self.family_, data), data.offsets)[0][-1]
        moves, rows = self._moves_left()[1], []
        for _ in range(steps):
            belief = belief @ moves
            rows.append(self._shown(belief))
        states, family = np.array(rows).reshape(steps, self.n_components), self.family_
        means, variances = family.mean(), family.variance()
        if np.isnan(means).all():
            return Forecast(states)
        mean = states @ means
        deviation = np.sqrt(np.maximum(states @ (variances + means**2) - mean**2, 0.0))
        z = norm.ppf(0.5 + coverage / 2)
        return Forecast(states, mean, deviation, mean - z * deviation, mean + z * deviation)

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None, currstate: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sequence: (n, d) observations and (n,) states; ``currstate`` is the first state, if it is known."""
        check_draw(type(self).__name__, self.n_components, currstate, n_samples=n_samples)
        self._check_chain()
        draw = random_state_of(self.random_state if random_state is None else random_state)
        state = int((np.cumsum(self.startprob_) > draw.rand()).argmax()) if currstate is None else currstate
        states: list[int] = []
        while len(states) < n_samples:
            length = int((np.cumsum(self.durations_[state]) > draw.rand()).argmax()) + 1
            states += [state] * length
            state = int((np.cumsum(self.transmat_[state]) > draw.rand()).argmax())
        family = self.family_
        rows = [family.sample(s, draw) for s in states[:n_samples]]
        return np.array(rows), np.array(states[:n_samples], dtype=np.int64)

    def n_parameters(self) -> int:
        """How many numbers are free."""
        K, D = self.durations_.shape
        moves = int((np.asarray(self.transmat_) > 0).sum()) - K
        return K - 1 + moves + K * (D - 1) + self.family_.n_parameters()

    def explain(self, X: SequencesLike) -> Explanation:
        """The segments of the best path of one sequence, with what each adds to its log probability."""
        data = self._read_sequences(X, None)
        if len(data) != 1 or not len(data.values):
            raise DataError(
                f"explain takes one sequence at a time, got {len(data)}.", who=type(self).__name__
            )
        logs = self.family_.log_density(self._rows(data))
        parts, lines, before = self.segments(data)[0], [], -1
        with np.errstate(divide="ignore"):
            for i, (state, first, length) in enumerate(parts):
                step = np.log(self.startprob_[state] if before < 0 else self.transmat_[before, state])
                table = self.durations_[state]
                cut = i == len(parts) - 1  # the end may cut it off: all longer stays are possible
                lasts = np.log(table[length - 1 :].max() if cut else table[length - 1])
                emitted = logs[first : first + length, state].sum()
                lines.append([first, state, length, float(step), float(lasts), float(emitted)])
                before = state
        columns = ["first row", "state", "rows", "log step", "log duration", "log densities"]
        note = "" if len(lines) <= SEGMENTS_SHOWN else f"The first {SEGMENTS_SHOWN} of {len(lines)} segments."
        total = float(sum(sum(line[3:]) for line in lines))
        section = Section("Segments of the best path", columns, lines[:SEGMENTS_SHOWN], note)
        answer = " ".join(f"{state}x{length}" for state, _, length in parts[:SEGMENTS_SHOWN])
        facts = {"rows": len(data.values), "log probability": total}
        return Explanation(type(self).__name__, answer, {}, facts, [section])
