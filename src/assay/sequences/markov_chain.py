"""Observable Markov chains of any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import AnyArray, Each, FloatArray
from assay.core.sums import Block
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.sequences.asked import check_draw
from assay.sequences.families.family import Sums
from assay.sequences.sequences import Sequences
from assay.sequences.shown import chain_section
from assay.sequences.source import SequenceRows, stream_of
from assay.types import RandomState, SequencesLike, Weights

__all__ = ["MarkovChain", "stationary"]


TABLE = FloatArray("*") | FloatArray("*", "*") | FloatArray("*", "*", "*") | FloatArray("*", "*", "*", "*")


class MarkovChain(Learner):
    r"""A chain of states that can be seen; the next depends on the last ``order`` of them.

    .. math:: P(Q) = \pi_{q_1} \prod_{t=2}^T a_{q_{t-1} q_t},\qquad
              \hat a_{ij} = \frac{\#(i \to j)}{\#(i \to \cdot)} \quad (1)

    Departures are counted: the last state of a sequence is not one. In a chain of order r the first states follow
    chains of the orders 0, 1, ..., r - 1, which are estimated as well. ``pseudo_count`` is added to every count before
    rows are divided by their sums (a Dirichlet prior); without it, a state that is never left has a uniform row, with a
    warning. Counts are sums, so blocks and parts give the same chain. Cost: O(n) to fit, memory O(K^(r+1)).

    Parameters
    ----------
    order : int, default 1
    pseudo_count : float, default 0
    n_states : int or None, default None
        None takes the states of the training sequences; of categories all that the column has, also those that occur in
        sequences of other classes alone.
    random_state : int, RandomState or None, default None
        For ``sample``.

    Attributes
    ----------
    states_ : (K,) what the states are called      probabilities_ : list of (K,), (K, K), ... arrays, one for each order
    counts_ : list of arrays of the same shapes      startprob_ : (K,)      transmat_ : (K, K) of a chain of order 1

    Examples
    --------
    >>> from assay.sequences import MarkovChain
    >>> chain = MarkovChain().fit([[1, 1, 3, 3], [2, 2, 1, 3], [1, 3, 3, 2]])
    >>> chain.transmat_.round(4)
    array([[0.25  , 0.    , 0.75  ],
           [0.5   , 0.5   , 0.    ],
           [0.    , 0.3333, 0.6667]])
    >>> chain.probability([1, 3, 3])
    0.3333333333333333

    See Also
    --------
    CategoricalHMM, Sequences

    References
    ----------
    - Norris, J. R. (1997). Markov Chains. Cambridge University Press. doi:10.1017/CBO9780511810633
    """

    card = Card("markov chain", "the next state depends on the last ones")
    accepts = {
        "order": Count(1),
        "pseudo_count": Range(0),
        "n_states": Count(1) | None,
        "random_state": Seed(),
    }
    stored = {
        "states_": AnyArray("N"),
        "probabilities_": Each(TABLE),
        "counts_": Each(TABLE),
    }
    takes = frozenset({"nominal"})
    takes_sequences = True

    def __init__(
        self,
        order: int = 1,
        pseudo_count: float = 0.0,
        *,
        n_states: int | None = None,
        random_state: RandomState = None,
    ):
        self.order = order
        self.pseudo_count = pseudo_count
        self.n_states = n_states
        self.random_state = random_state

    @classmethod
    def of(
        cls,
        startprob: ArrayLike,
        *transitions: ArrayLike,
        states: ArrayLike | None = None,
        random_state: RandomState = None,
    ) -> MarkovChain:
        """A chain by its probabilities: (K,) start, (K, K), and for higher orders (K, K, K), ...

        >>> from assay.sequences import MarkovChain
        >>> MarkovChain.of([0.5, 0.5], [[0.75, 0.25], [0.5, 0.5]]).log_probability([[0, 0, 1]]).round(4)
        array([-2.3671])
        """
        tables = [np.asarray(t, dtype=np.float64) for t in (startprob, *transitions)]
        K = len(tables[0])
        for r, table in enumerate(tables):
            if table.shape != (K,) * (r + 1):
                raise ParameterError(
                    f"table {r} must have the shape {(K,) * (r + 1)}, it has {table.shape}.",
                    who="MarkovChain",
                )
            if not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1):
                raise ParameterError(
                    f"table {r} must be probabilities: none negative, rows that sum to 1.", who="MarkovChain"
                )
        chain = cls(order=max(len(tables) - 1, 1), n_states=K, random_state=random_state)
        chain.probabilities_, chain.counts_ = tables, [np.zeros(t.shape) for t in tables]
        chain.states_ = np.arange(K) if states is None else np.asarray(states)
        return chain

    # ------------------------------------------------------------------ learning

    @all_or_nothing
    def fit(
        self, X: SequencesLike, lengths: ArrayLike | None = None, *, sample_weight: Weights | None = None
    ) -> Self:
        """Count transitions; ``sample_weight`` says how much each sequence counts."""
        self._check_parameters()
        data = Sequences.of(X, lengths, who=type(self).__name__)
        self._adopt_states(data)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weights is not None and (
            weights.shape != (len(data),) or not (weights >= 0).all() or np.isinf(weights).any()
        ):
            raise DataError(f"sample_weight must be {len(data)} numbers from 0 up.", who=type(self).__name__)
        self._solve(SequenceRows(data, None, weights).add_up(self._summarize))
        return self

    @all_or_nothing
    def fit_blocks(
        self, blocks: Any, *, states: ArrayLike | None = None, id: str | None = None, order: str | None = None
    ) -> Self:
        """Count transitions in blocks of whole sequences; ``states`` are all that there are, if known."""
        self._check_parameters()
        who = type(self).__name__
        if states is None:
            stream = stream_of(blocks, None, id, order, who)
            names = stream.add_up(lambda block: _Union(_names(block.X)))
            states = sorted(names.members)
        self.states_ = np.asarray(states)
        self._solve(stream_of(blocks, None, id, order, who).add_up(self._summarize))
        return self

    def partial_fit(self, X: SequencesLike, lengths: ArrayLike | None = None) -> Self:
        """Count the transitions of some sequences more; the states are those of the first call, or ``n_states``."""
        self._check_parameters()
        data = Sequences.of(X, lengths, who=type(self).__name__)
        if "states_" not in vars(self):
            self._adopt_states(data)
        sums = SequenceRows(data).add_up(self._summarize)
        if "counts_" in vars(self):
            sums = sums + Sums({str(r): c for r, c in enumerate(self.counts_)})
        self._solve(sums)
        return self

    def _adopt_states(self, data: Sequences) -> None:
        if not len(data.values):
            raise DataError("there is no row to learn from.", who=type(self).__name__)
        declared = data.schema.columns[0].categories
        names: list[Any] = sorted(map(str, declared)) if declared else sorted(_names(data))
        if self.n_states is not None:
            if not all(isinstance(v, float) and 0 <= v < self.n_states for v in names):
                raise DataError(
                    f"states must be from 0 to n_states - 1 = {self.n_states - 1}.", who=type(self).__name__
                )
            names = list(range(self.n_states))
        self.states_ = np.array([int(v) if isinstance(v, float) and v == int(v) else v for v in names])
        if len(self.states_) ** (self.order + 1) > 10**8:
            raise DataError(
                f"{len(self.states_)} states and order {self.order} make {len(self.states_)}^{self.order + 1} numbers; "
                "take a lower order.",
                who=type(self).__name__,
            )

    def _summarize(self, block: Block) -> Sums:
        X, K = block.X, len(self.states_)
        codes = self._codes(X)
        weights = np.repeat(np.ones(len(X)) if block.w is None else block.w, X.lengths)
        place = np.arange(len(codes)) - np.repeat(X.offsets[:-1], X.lengths)
        sums = Sums()
        context = codes.copy()  # the last r + 1 states as one number
        for r in range(self.order + 1):
            rows = np.flatnonzero(place == r) if r < self.order else np.flatnonzero(place >= r)
            flat = np.bincount(context[rows], weights[rows], K ** (r + 1))
            sums[str(r)] = flat.reshape((K,) * (r + 1))
            before = np.concatenate([[0], context[:-1]])
            context = before * K + codes
            context %= K ** (r + 2)
        return sums

    def _codes(self, X: Sequences) -> np.ndarray:
        """(n,) numbers of the states."""
        who = type(self).__name__
        if X.values.shape[1] != 1:
            raise DataError(f"states are one column, X has {X.values.shape[1]}.", who=who)
        column, categories = X.values[:, 0], X.schema.columns[0].categories
        if np.isnan(column).any():
            at = int(np.argmax(np.isnan(column)))
            raise DataError(
                f"the state of row {at} is missing. CategoricalHMM sums missing ones out.", who=who
            )
        known = (
            {str(v) if categories else float(v): i for i, v in enumerate(self.states_.tolist())}
            if categories or self.states_.dtype.kind in "iuf"
            else {}
        )
        keys, where = np.unique(column, return_inverse=True)
        names = [str(categories[int(k)]) if categories else float(k) for k in keys]
        for name in names:
            if name not in known:
                raise DataError(
                    f"state {name:g} is none of {self.states_.tolist()}. n_states says how many there are."
                    if isinstance(name, float)
                    else f"state {name} is none of {self.states_.tolist()}.",
                    who=who,
                )
        return (
            np.array([known[name] for name in names], dtype=np.int64)[where.ravel()]
            if len(names)
            else np.empty(0, np.int64)
        )

    def _solve(self, sums: Sums) -> None:
        self.counts_ = [sums[str(r)] for r in range(self.order + 1)]
        self.probabilities_ = []
        K, never = len(self.states_), 0
        for r, counts in enumerate(self.counts_):
            smoothed = counts + self.pseudo_count
            totals = smoothed.sum(axis=-1, keepdims=True)
            if r == self.order:
                never = int((totals == 0).sum())
            self.probabilities_.append(
                np.where(totals > 0, smoothed / np.where(totals > 0, totals, 1.0), 1.0 / K)
            )
        if never and self.order == 1:
            lost = self.states_[np.flatnonzero(self.counts_[1].sum(axis=1) == 0)[0]]
            warn_user(
                f"MarkovChain: state {lost} is never left, so its transitions are unknown; a uniform row was taken. "
                "A pseudo_count above 0 says what to expect.",
                DegenerateWarning,
            )

    # ------------------------------------------------------------------ answers

    @property
    def startprob_(self) -> np.ndarray:
        """(K,) probability of each first state."""
        return self.probabilities_[0]

    @property
    def transmat_(self) -> np.ndarray:
        """(K, ..., K) the last axis is the next state, those before it the last ones."""
        return self.probabilities_[-1]

    def log_probability(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) log probability of each sequence; -inf if it is impossible."""
        data = Sequences.of(X if lengths is not None or _nested(X) else [X], lengths, who=type(self).__name__)
        codes, out = self._codes(data), np.empty(len(data))
        with np.errstate(divide="ignore"):
            logs = [np.log(p) for p in self.probabilities_]
        for s in range(len(data)):
            q = codes[data.offsets[s] : data.offsets[s + 1]]
            r = min(self.order, len(q))
            total = sum(float(logs[i][tuple(q[: i + 1])]) for i in range(r))
            if len(q) > r:
                windows = tuple(q[i : len(q) - self.order + i] for i in range(self.order + 1))
                total += float(logs[-1][windows].sum())
            out[s] = total
        return out

    def log_likelihoods(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) log probability of each sequence; a plain list is one of sequences, as for all models of sequences."""
        return self.log_probability(Sequences.of(X, lengths, who=type(self).__name__))

    def probability(self, X: SequencesLike) -> float:
        """The probability of one sequence of states."""
        return float(np.exp(self.log_probability(X)[0]))

    def score(self, X: SequencesLike, lengths: ArrayLike | None = None) -> float:
        """The log probability of all sequences together."""
        return float(self.log_probability(X, lengths).sum())

    def sample(
        self, n_sequences: int = 1, length: int = 1, random_state: RandomState = None
    ) -> list[np.ndarray]:
        """Draw sequences of states."""
        check_draw(type(self).__name__, n_sequences=n_sequences, length=length)
        draw = random_state_of(self.random_state if random_state is None else random_state)
        ways = [np.cumsum(p, axis=-1) for p in self.probabilities_]
        drawn = np.zeros((n_sequences, length), dtype=np.int64)
        for t in range(length):
            r = min(t, self.order)
            context = tuple(drawn[:, t - r + i] for i in range(r))
            rows = ways[r][context] if r else np.broadcast_to(ways[0], (n_sequences, len(ways[0])))
            drawn[:, t] = np.minimum(
                (rows <= draw.rand(n_sequences)[:, None]).sum(axis=1), len(self.states_) - 1
            )
        return [self.states_[row] for row in drawn]

    def n_step(self, n: int) -> np.ndarray:
        """(K, K) probability of each state n steps later, of a chain of order 1."""
        return np.linalg.matrix_power(self.first_order().transmat_ if self.order > 1 else self.transmat_, n)

    def stationary_distribution(self) -> np.ndarray:
        """The shares of time in the long run: of states, or of tuples of states for a higher order."""
        return stationary(self.first_order().transmat_ if self.order > 1 else self.transmat_)

    def first_order(self) -> MarkovChain:
        """The same chain as one of order 1, on tuples of states.

        A tuple holds the last ``order`` states; its first one is the start of a sequence of at least that length.
        """
        K, r = len(self.states_), self.order
        if r == 1:
            return self
        start = self.probabilities_[0]
        for table in self.probabilities_[1:r]:
            start = start[..., None] * table
        tuples = np.array(np.unravel_index(np.arange(K**r), (K,) * r)).T
        move = np.zeros((K**r, K**r))
        last = self.probabilities_[-1].reshape(K**r, K)
        for i, now in enumerate(tuples):
            for k in range(K):
                move[i, np.ravel_multi_index((*now[1:], k), (K,) * r)] = last[i, k]
        names = [",".join(str(self.states_[q]) for q in now) for now in tuples]
        return MarkovChain.of(start.ravel(), move, states=names)

    def _model_parts(self) -> list[Part]:
        """Start and transitions, of a chain of higher order those of its tuples."""
        chain = self if self.order == 1 else self.first_order()
        return [chain_section(chain.startprob_, chain.transmat_, [str(s) for s in chain.states_])]

    def automaton(self, least: float = 0.0) -> Automaton:
        """The chain as a graph: print it, or take its DOT text; transitions below ``least`` are left out."""
        chain = self.first_order()
        return Automaton([str(s) for s in chain.states_], chain.startprob_, chain.transmat_, least)


@dataclass(frozen=True)
class Automaton:
    """A chain as a directed graph with labelled arcs."""

    states: list[str]
    start: np.ndarray
    transitions: np.ndarray
    least: float = 0.0

    def arcs(self) -> list[tuple[str, str, float]]:
        """(from, to, probability) of every transition that is possible."""
        K = range(len(self.states))
        ways = [(self.states[i], self.states[j], float(self.transitions[i, j])) for i in K for j in K]
        return [arc for arc in ways if arc[2] > self.least]

    def to_dot(self) -> str:
        """The graph in the language of Graphviz.

        >>> from assay.sequences import MarkovChain
        >>> print(MarkovChain.of([1.0, 0.0], [[0.5, 0.5], [0.0, 1.0]]).automaton().to_dot())
        digraph {
          "start 0" [shape=point];
          "start 0" -> "0" [label="1"];
          "0" -> "0" [label="0.5"];
          "0" -> "1" [label="0.5"];
          "1" -> "1" [label="1"];
        }
        """
        lines = ["digraph {"]
        for name, p in zip(self.states, self.start):
            if p > self.least:
                lines += [
                    f'  "start {name}" [shape=point];',
                    f'  "start {name}" -> "{name}" [label="{p:.3g}"];',
                ]
        lines += [f'  "{a}" -> "{b}" [label="{p:.3g}"];' for a, b, p in self.arcs()]
        return "\n".join([*lines, "}"])


class _Union:
    """Sets that add up."""

    def __init__(self, members: set[Any]):
        self.members = members

    def __add__(self, other: _Union) -> _Union:
        return _Union(self.members | other.members)


def _names(X: Sequences) -> set[Any]:
    categories = X.schema.columns[0].categories
    column = X.values[:, 0]
    column = column[~np.isnan(column)]
    return set(
        np.unique(column).tolist() if not categories else [str(categories[int(c)]) for c in np.unique(column)]
    )


def _nested(X: Any) -> bool:
    return (
        isinstance(X, (Sequences, Mapping))
        or (len(X) > 0 and not np.isscalar(X[0]))
        or getattr(X, "ndim", 1) > 1
    )


def stationary(A: np.ndarray) -> np.ndarray:
    r"""(K,) the distribution with :math:`p A = p`.

    A chain that falls apart has several; then none is given, and the error says so.
    """
    K = len(A)
    system = np.vstack([A.T - np.eye(K), np.ones(K)])
    if np.linalg.matrix_rank(system) < K:
        raise DegenerateError(
            "the chain has several stationary distributions: some states never reach each other.",
            who="MarkovChain",
        )
    solution = np.linalg.lstsq(system, np.concatenate([np.zeros(K), [1.0]]), rcond=None)[0]
    solution = np.maximum(solution, 0.0)
    return solution / solution.sum()
