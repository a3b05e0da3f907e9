"""Base of hidden Markov models: Baum-Welch as sums over whole sequences, and what every model answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parameters import Any_, Array, Choice, Count, Flag, Range, Seed
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import Boolean, FloatArray, Scalar
from assay.core.sums import Block, Source, is_dask
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.sequences.asked import check_draw, check_forecast
from assay.sequences.baum_welch import Steps, like
from assay.sequences.chain import Chain, Expected, Frames
from assay.sequences.explain import Trellis, explain_paths
from assay.sequences.families import Family, Sums
from assay.sequences.families.family import shares
from assay.sequences.monotone import warn_if_fell
from assay.sequences.sequences import Sequences
from assay.sequences.shown import chain_section, emission_sections
from assay.sequences.source import SequenceRows, check_bag, dask_sequences, stream_of
from assay.sequences.topology import mask_of
from assay.types import RandomState, SequencesLike, Weights

__all__ = ["HMM_PARAMETERS", "Filter", "Forecast", "HiddenMarkovModel", "Monitor"]

ROUNDED = 1e-5  # how far a sum of probabilities may be from 1
NATIVE_TRIES = 3  # steps that native code may refuse (a state lost, a floor reached) before it is left
HMM_PARAMETERS: dict[str, Any] = {
    "n_components": Count(1),
    "startprob_prior": Range(0) | Array(1, low=0),
    "transmat_prior": Range(0) | Array(2, low=0),
    "algorithm": Choice("viterbi", "map"),
    "random_state": Seed(),
    "n_iter": Count(0),
    "tol": Range(),
    "verbose": Flag() | Count(0),
    "params": Any_("letters of what fit may change", lambda v: isinstance(v, str)),
    "init_params": Any_("letters of what fit may begin anew", lambda v: isinstance(v, str)),
    "implementation": Choice("log", "scaling"),
    "topology": Choice("ergodic", "left-to-right") | Array(2) | None,
    "n_init": Count(1),
}


@dataclass(frozen=True)
class Monitor:
    """How EM went: the log likelihood before each step, and whether it came to rest."""

    tol: float
    n_iter: int
    history: list[float]
    converged: bool

    @property
    def iter(self) -> int:
        return len(self.history)


@dataclass(frozen=True)
class Forecast:
    """What follows after the last row: steps are rows.

    states : (h, K) probabilities      mean, deviation : (h, d), if the states emit numbers
    low, high : (h, d) the central band of ``coverage`` by a normal distribution of that mean and deviation
    """

    states: np.ndarray
    mean: np.ndarray | None = None
    deviation: np.ndarray | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None


class Filter:
    """The belief over states while observations arrive one by one, without the future.

    >>> import numpy as np
    >>> from assay.sequences import CategoricalHMM
    >>> model = CategoricalHMM(2)
    >>> model.startprob_, model.transmat_ = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> model.emissionprob_ = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> stream = model.stream()
    >>> [stream.update([x]).round(2).tolist() for x in (0, 0, 1)]
    [[0.8, 0.2], [0.92, 0.08], [0.56, 0.44]]
    """

    def __init__(self, model: HiddenMarkovModel):
        self._model = model
        self._joint: np.ndarray | None = None
        self._recent: list[np.ndarray] = []
        self.belief: np.ndarray | None = None
        self.log_likelihood, self.n_rows = 0.0, 0

    def update(self, row: ArrayLike) -> np.ndarray:
        """(K,) the belief after one more row."""
        model = self._model
        X = Sequences.of([np.asarray(row, dtype=object).reshape(1, -1)], schema=vars(model).get("schema_"))
        self._recent = [*self._recent, model._checked(X).values[0]][-1 - max(1, model._context) :]
        recent = Sequences(np.array(self._recent), [0, len(self._recent)], X.schema)
        start, transitions, logs = model._filtering(recent)
        before = start if self._joint is None else self._joint @ transitions
        with np.errstate(divide="ignore"):
            joint = np.log(before) + logs
        total = np.logaddexp.reduce(joint)
        self.n_rows += 1
        if np.isneginf(total):
            raise DegenerateError(
                f"row {self.n_rows} is impossible in every state that can be reached.",
                who=type(model).__name__,
            )
        self.log_likelihood += float(total)
        self._joint = np.exp(joint - total)
        self.belief = model._shown(self._joint)
        return self.belief


class HiddenMarkovModel(Learner):
    """What all hidden Markov models share. A model says its family of emissions, and where it starts.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)      history_ : list of dict, iteration and log_likelihood
    converged_ : bool      n_iter_ : int      log_likelihood_ : float, of the training sequences before the last step
    """

    stored: ClassVar[Any] = {
        "startprob_": FloatArray("N", low=0, high=1),
        "transmat_": FloatArray("N", "N", low=0, high=1),
        "converged_": Boolean(),
        "log_likelihood_": Scalar(),
        "_step": Scalar(),
    }
    takes = frozenset({"nominal", "missing"})
    takes_sequences = True
    n_components: int
    startprob_prior: Any
    transmat_prior: Any
    algorithm: str
    random_state: Any
    n_iter: int
    tol: float
    params: str
    init_params: str
    topology: Any
    n_init: int

    # ------------------------------------------------------------------ what a model says

    _has_native_steps = False  # whether steps of EM are taken in native code, several at once
    _context = 0  # rows before a row that its emission depends on

    @property
    def _n_states(self) -> int:
        """How many states the chain has."""
        return self.n_components

    @property
    def family_(self) -> Family:
        """What the states emit, of the current attributes."""
        raise TypeError(f"{type(self).__name__} must say its family")

    def _adopt(self, family: Any) -> None:
        """Keep the parameters of a family as attributes."""
        raise TypeError(f"{type(self).__name__} must keep its family")

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        """Where EM starts."""
        raise TypeError(f"{type(self).__name__} must say where it starts")

    def _checked(self, X: Sequences) -> Sequences:
        """The sequences, if the family can have emitted such rows."""
        return X

    # ------------------------------------------------------------------ learning

    def fit(
        self,
        X: SequencesLike,
        lengths: ArrayLike | None = None,
        *,
        sample_weight: Weights | None = None,
        states: ArrayLike | None = None,
    ) -> Self:
        """Learn by Baum-Welch from one or many sequences.

        Parameters
        ----------
        X : whatever `Sequences.of` takes, or a Dask bag of sequences
        lengths : (S,) rows of each sequence, if X is one array
        sample_weight : (S,) how much each sequence counts
        states : (n,) known states of rows, -1 where unknown: a vector of all rows, or a list of one for each sequence
        """
        return self._fit(X, lengths, sample_weight, states)

    @all_or_nothing
    def _fit(self, X: Any, lengths: Any, sample_weight: Any, states: Any) -> Self:
        self._check_parameters()
        who = type(self).__name__
        if is_dask(X):
            check_bag(X, who)
            if not (lengths is None and sample_weight is None and states is None):
                raise DataError(
                    "lengths, sample_weight and states are for sequences in memory; of a Dask bag every sequence "
                    "counts once.",
                    who=who,
                )
            first = Sequences.of(list(X.take(10, npartitions=-1, warn=False)), who=who)
            self._remember(first.schema)
            return self._learn_from(dask_sequences(X, first.schema, who, self._checked), first)
        data = self._admitted(X, lengths)
        weights = None
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64)
            if weights.shape != (len(data),) or not np.isfinite(weights).all() or (weights < 0).any():
                raise DataError(
                    f"sample_weight must be {len(data)} numbers from 0 up, one a sequence.", who=who
                )
            if not weights.any():
                raise DataError("sample_weight is 0 for every sequence.", who=who)
        known = None if states is None else self._known(states, data)
        return self._learn_from(SequenceRows(data, known, weights), data)

    @all_or_nothing
    def fit_blocks(self, blocks: Any, *, id: str | None = None, order: str | None = None) -> Self:
        """Learn from more sequences than fit in memory, one block of whole sequences at a time.

        Parameters
        ----------
        blocks : an iterable that starts anew each time, or a function that returns one: of Sequences, lists of
            sequences, pairs (X, lengths), or long tables
        id, order : columns of long tables, as in `Sequences.of`

        The start is made of the first block, all else of all blocks: with ``init_params=""`` the numbers are those of
        ``fit``.
        """
        self._check_parameters()
        who = type(self).__name__
        first = next(iter(stream_of(blocks, None, id, order, who))).X
        self._remember(first.schema)
        return self._learn_from(stream_of(blocks, first.schema, id, order, who, self._checked), first)

    def partial_fit(self, X: SequencesLike, lengths: ArrayLike | None = None) -> Self:
        """One step of EM by some sequences more, online: older sums fade as :math:`(1 - s)`, the new ones count
        :math:`s = 1/t` at the t-th call, so that calls weigh alike. The first call starts as ``fit`` does.
        """
        self._check_parameters()
        if not hasattr(self, "startprob_"):
            self._remember(Sequences.of(X, lengths, who=type(self).__name__).schema)
            self._begin(self._admitted(X, lengths), self.random_state)
        data = self._read_sequences(X, lengths)
        sums = SequenceRows(data).add_up(self._summarize)
        step = vars(self).get("_step", 0.0) + 1
        self._step = step
        sums = sums.scaled(1.0 / max(len(data), 1))
        running = vars(self).get("_running")
        self._running = sums if running is None else running.scaled(1 - 1 / step) + sums.scaled(1 / step)
        self._solve(self._running, self._possible())
        return self

    def __getstate__(self) -> Any:
        return {name: value for name, value in super().__getstate__().items() if name != "_running"}

    def _learn_from(self, source: Source, sample: Sequences) -> Self:
        best: Any = None
        seeds = [self.random_state]
        if self.n_init > 1:
            draw = random_state_of(self.random_state)
            seeds += [int(draw.randint(LARGEST_SEED)) for _ in range(self.n_init - 1)]
        for seed in seeds:
            given = {name: value for name, value in vars(self).items() if name.endswith("_")}
            self._begin(sample, seed)
            if best is None:
                self._warn_of_units(sample)
            self._run(source)
            score = self.log_likelihood_
            if best is None or score > best[0]:
                best = (score, {name: value for name, value in vars(self).items() if name.endswith("_")})
            if seed is not seeds[-1]:
                for name in [name for name in vars(self) if name.endswith("_")]:
                    delattr(self, name)
                self.__dict__.update(given)
        self.__dict__.update(best[1])
        self.__dict__.pop("_running", None)
        self.__dict__.pop("_step", None)
        return self

    def _warn_of_units(self, X: Sequences) -> None:
        """A warning if numbers are so small that a parameter in their units hides them."""

    def _begin(self, X: Sequences, seed: Any) -> None:
        """Where EM starts: what is set and not to be begun anew stays."""
        self._start_chain(random_state_of(seed))
        self._start_emissions(X, seed)
        self._check_chain()

    def _start_chain(self, draw: np.random.RandomState) -> None:
        K = self.n_components
        mask, starts = mask_of(self.topology, K, type(self).__name__)
        if self._needs("s", "startprob_"):
            drawn = draw.dirichlet(np.full(K, 1.0 / K))
            self.startprob_ = shares(drawn * starts, starts / starts.sum())
        if self._needs("t", "transmat_"):
            drawn = draw.dirichlet(np.full(K, 1.0 / K), size=K)
            self.transmat_ = shares(drawn * mask, mask / mask.sum(axis=1, keepdims=True))

    def _needs(self, letter: str, name: str) -> bool:
        return letter in self.init_params or name not in vars(self)

    def _run(self, source: Source) -> None:
        history: list[float] = []
        possible = self._possible()
        tries = NATIVE_TRIES if self._has_native_steps else 0
        self.converged_ = False
        while len(history) < self.n_iter and not self.converged_:
            taken = self._native_steps(source, possible, history) if tries else []
            if not taken:
                tries = max(tries - 1, 0)
                sums = source.add_up(self._summarize)
                taken = [float(sums["log_likelihood"])]
                self._solve(sums, possible)
            history += taken
            self.converged_ = len(history) > 1 and history[-1] - history[-2] < self.tol
        if history:
            if not self._has_prior():
                warn_if_fell(history, type(self).__name__)
        else:
            history = [float(source.add_up(self._summarize)["log_likelihood"])]
        self.log_likelihood_ = history[-1]
        self.history_ = [{"iteration": i + 1, "log_likelihood": v} for i, v in enumerate(history)]
        self.n_iter_ = len(history)

    def _native_steps(self, source: Source, possible: Any, history: list[float]) -> list[float]:
        """Steps that native code takes at once: their log likelihoods; none if it cannot."""
        X = source.whole() if isinstance(source, SequenceRows) else None
        if not isinstance(source, SequenceRows) or X is None:
            return []
        K, who = self._n_states, type(self).__name__
        steps = Steps(
            np.array(self.startprob_, dtype=np.float64, order="C"),
            np.array(self.transmat_, dtype=np.float64, order="C"),
            np.where(possible[0], like(self.startprob_prior, (K,), "startprob_prior", who), -np.inf),
            np.where(possible[1], like(self.transmat_prior, (K, K), "transmat_prior", who), -np.inf),
            self.params,
            self.tol,
        )
        before = history[-1] if history else -np.inf
        taken, family = steps.take(self.family_, X, source.weights, self.n_iter - len(history), before)
        if taken:
            self.startprob_, self.transmat_ = steps.start, steps.transitions
            self._adopt(family)
        return taken

    def _has_prior(self) -> bool:
        """Whether something else than the likelihood is maximised, so that it may fall."""
        priors = (self.startprob_prior, self.transmat_prior, getattr(self, "emissionprob_prior", 1.0))
        return any(np.any(np.asarray(prior) != 1) for prior in priors) or bool(
            np.any(np.asarray(vars(self).get("covars_prior") or 0.0) != 0)
            or np.any(np.asarray(vars(self).get("means_weight", 0.0)) != 0)
            or np.any(np.asarray(vars(self).get("lambdas_prior", 0.0)) != 0)
        )

    def _summarize(self, block: Block) -> Sums:
        """The expectation step: what a block of whole sequences adds."""
        X, family = block.X, self.family_
        frames = self._frames(family, X, block.y)
        expected = self._chain(X).expect(frames, X.offsets, block.w)
        self._refuse_impossible(expected, X)
        w = 1.0 if block.w is None else block.w
        return Sums(
            chain=self._chain_sums(expected, X),
            log_likelihood=float(np.sum(w * expected.log_likelihoods)),
            emissions=family.sums(self._rows(X), expected.gamma_padded),
        )

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        """What the rows add to the sums of which the chain is made."""
        return Sums(start=expected.start, transitions=expected.transitions)

    def _possible(self) -> Any:
        """Which first states and transitions are possible: zeros stay zeros."""
        return np.asarray(self.startprob_) > 0, np.asarray(self.transmat_) > 0

    def _solve(self, sums: Sums, possible: Any) -> None:
        """The maximisation step: what follows from the sums. Zeros stay zeros; a state without rows keeps its own."""
        self._solve_chain(sums["chain"], possible)
        self._adopt(self.family_.updated(sums["emissions"], self.params))

    def _solve_chain(self, sums: Sums, possible: Any) -> None:
        starts, allowed = possible
        if "s" in self.params:
            counts = np.maximum(np.asarray(self.startprob_prior) - 1 + sums["start"], 0) * starts
            self.startprob_ = shares(counts, np.asarray(self.startprob_))
        if "t" in self.params:
            counts = np.maximum(np.asarray(self.transmat_prior) - 1 + sums["transitions"], 0) * allowed
            self.transmat_ = shares(counts, np.asarray(self.transmat_))

    def _refuse_impossible(self, expected: Expected, X: Sequences) -> None:
        for s, t in expected.impossible.items():
            raise DegenerateError(
                f"{_place(X, s, t)} is impossible in every state that can be reached: all such states give it "
                "probability 0. A prior above 1 keeps probabilities above 0.",
                who=type(self).__name__,
            )

    # ------------------------------------------------------------------ reading

    def _admitted(self, X: Any, lengths: Any) -> Sequences:
        data = Sequences.of(X, lengths, who=type(self).__name__)
        if not len(data.values):
            raise DataError("there is no row to learn from.", who=type(self).__name__)
        self._remember(data.schema)
        return self._checked(data)

    def _read_sequences(self, X: Any, lengths: Any) -> Sequences:
        self._check_chain()
        return self._checked(
            Sequences.of(X, lengths, schema=vars(self).get("schema_"), who=type(self).__name__)
        )

    def _check_chain(self) -> None:
        who, K = type(self).__name__, self._n_states
        if not hasattr(self, "startprob_") or not hasattr(self, "transmat_"):
            raise NotFittedError(
                f"{who} has no model yet: call fit, or set startprob_, transmat_ and the emissions."
            )
        for name, shape in (("startprob_", (K,)), ("transmat_", (K, K))):
            value = np.asarray(getattr(self, name), dtype=np.float64)
            if value.shape != shape:
                raise ParameterError(f"{name} must have the shape {shape}, it has {value.shape}.", who=who)
            if not (value >= 0).all() or not (np.abs(value.sum(axis=-1) - 1) <= ROUNDED).all():
                raise ParameterError(
                    f"{name} must be probabilities: none negative, rows that sum to 1.", who=who
                )

    def _known(self, states: Any, X: Sequences) -> np.ndarray:
        listed = [states] if np.ndim(states) == 0 else list(states)
        nested = len(listed) > 0 and np.ndim(listed[0]) > 0
        known = np.concatenate([np.asarray(s).ravel() for s in listed]) if nested else np.asarray(listed)
        if known.shape != (len(X.values),):
            raise DataError(
                f"states must have an entry for each of {len(X.values)} rows.", who=type(self).__name__
            )
        try:
            known = known.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                "states must be whole numbers, or -1 where unknown.", who=type(self).__name__
            ) from None
        known = np.where(np.isnan(known), -1, known).astype(np.int64)
        if ((known < -1) | (known >= self._n_states)).any():
            raise DataError(f"states must be from 0 to {self._n_states - 1}, or -1.", who=type(self).__name__)
        return known

    def _chain(self, X: Sequences) -> Any:
        """The chain that passes through the rows."""
        return Chain(self.startprob_, self.transmat_)

    def _rows(self, X: Sequences) -> np.ndarray:
        """(n, d) what the emissions see of each row."""
        return X.values

    def _filtering(self, recent: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First states, the transitions to the last of the recent rows, and its log densities."""
        chain = self._chain(recent)
        moves = chain.transitions
        moves = moves[max(len(moves) - 2, 0)] if moves.ndim == 3 else moves
        return chain.start, moves, self.family_.log_density(self._rows(recent))[-1]

    def _shown(self, belief: np.ndarray) -> np.ndarray:
        """The belief over states, of that over what is filtered."""
        return belief

    def _frames(self, family: Family, X: Sequences, states: np.ndarray | None = None) -> Frames:
        frames = family.frames(self._rows(X))
        return frames if states is None else frames.restricted(states)

    # ------------------------------------------------------------------ answers

    def _posterior_of(self, X: Any, lengths: Any, states: Any = None) -> tuple[Sequences, Expected]:
        data = self._read_sequences(X, lengths)
        known = None if states is None else self._known(states, data)
        expected = self._chain(data).expect(self._frames(self.family_, data, known), data.offsets)
        self._warn_impossible(expected, data)
        return data, expected

    def _warn_impossible(self, expected: Expected, X: Sequences) -> None:
        for s, t in list(expected.impossible.items())[:1]:
            warn_user(
                f"{type(self).__name__}: {_place(X, s, t)} is impossible in every state that can be reached; "
                "its log likelihood is -inf.",
                DegenerateWarning,
            )

    def score(self, X: SequencesLike, lengths: ArrayLike | None = None) -> float:
        """The log likelihood of all sequences together."""
        return float(self.log_likelihoods(X, lengths).sum())

    def log_likelihoods(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) the log likelihood of each sequence; -inf, with a warning that says when, if it is impossible."""
        data = self._read_sequences(X, lengths)
        expected = self._chain(data).filter(self._frames(self.family_, data), data.offsets)
        self._warn_impossible(expected, data)
        return expected.log_likelihoods

    def score_samples(self, X: SequencesLike, lengths: ArrayLike | None = None) -> tuple[float, np.ndarray]:
        """The log likelihood of all, and the (n, K) posterior of the states of all rows."""
        _, expected = self._posterior_of(X, lengths)
        return float(expected.log_likelihoods.sum()), expected.gamma.copy()

    def predict_proba(
        self, X: SequencesLike, lengths: ArrayLike | None = None, *, states: ArrayLike | None = None
    ) -> np.ndarray:
        """(n, K) probability of each state at each row, given the whole sequence (and the states that are known)."""
        return self._posterior_of(X, lengths, states)[1].gamma.copy()

    def filter(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(n, K) probability of each state at each row, given the rows up to it alone."""
        data = self._read_sequences(X, lengths)
        expected = self._chain(data).filter(self._frames(self.family_, data), data.offsets)
        self._warn_impossible(expected, data)
        return expected.gamma.copy()

    def stream(self) -> Filter:
        """A belief to be updated row by row."""
        self._check_chain()
        return Filter(self)

    def decode(
        self, X: SequencesLike, lengths: ArrayLike | None = None, algorithm: str | None = None
    ) -> tuple[float, np.ndarray]:
        """The states: jointly most probable ("viterbi", with the log probability of path and rows), or each by itself
        ("map", with the sum of their probabilities).
        """
        algorithm = self.algorithm if algorithm is None else algorithm
        if algorithm not in ("viterbi", "map"):
            raise ParameterError(
                f"algorithm must be 'viterbi' or 'map', got {algorithm!r}.", who=type(self).__name__
            )
        if algorithm == "map":
            gamma = self.score_samples(X, lengths)[1]
            return float(gamma.max(axis=1).sum()), gamma.argmax(axis=1)
        data = self._read_sequences(X, lengths)
        chain, frames = self._chain(data), self._frames(self.family_, data)
        paths = chain.best_paths(frames, data.offsets)
        if np.isneginf(paths.log_probabilities).any():
            self._warn_impossible(chain.filter(frames, data.offsets), data)
        return float(paths.log_probabilities.sum()), paths.states

    def predict(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(n,) the states, by ``algorithm``."""
        return self.decode(X, lengths)[1]

    def forecast(self, X: SequencesLike, steps: int = 1, *, coverage: float = 0.9) -> Forecast:
        """What follows one sequence: probabilities of states, and mean and band of the numbers they emit."""
        from scipy.stats import norm

        check_forecast(type(self).__name__, coverage, steps=steps)
        data = self._read_sequences(X, None)
        if len(data) != 1 or not len(data.values):
            raise DataError(f"forecast goes on with one sequence, got {len(data)}.", who=type(self).__name__)
        belief, rows = self.filter(data)[-1], []
        for _ in range(steps):
            belief = belief @ self.transmat_
            rows.append(belief)
        states, family = np.array(rows).reshape(steps, self._n_states), self.family_
        if not family.emits_numbers():
            return Forecast(states)
        means, variances = family.mean(), family.variance()
        mean = states @ means
        deviation = np.sqrt(np.maximum(states @ (variances + means**2) - mean**2, 0.0))
        z = norm.ppf(0.5 + coverage / 2)
        return Forecast(states, mean, deviation, mean - z * deviation, mean + z * deviation)

    def sample(
        self, n_samples: int = 1, random_state: RandomState = None, currstate: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sequence: (n, d) observations and (n,) states; ``currstate`` is the first state, if it is known."""
        check_draw(type(self).__name__, self._n_states, currstate, n_samples=n_samples)
        self._check_chain()
        draw = random_state_of(self.random_state if random_state is None else random_state)
        ways, family = np.cumsum(self.transmat_, axis=1), self.family_
        first = int((np.cumsum(self.startprob_) > draw.rand()).argmax()) if currstate is None else currstate
        state = int(first)
        states, rows = [state], [self._emit(family, state, draw)]
        for _ in range(n_samples - 1):
            state = int((ways[state] > draw.rand()).argmax())
            states.append(state)
            rows.append(self._emit(family, state, draw))
        return np.array(rows), np.array(states, dtype=np.int64)

    def _emit(self, family: Family, state: int, draw: np.random.RandomState) -> np.ndarray:
        return family.sample(state, draw)

    def get_stationary_distribution(self) -> np.ndarray:
        """(K,) the shares of time in each state in the long run."""
        from assay.sequences.markov_chain import stationary

        self._check_chain()
        return stationary(np.asarray(self.transmat_))

    def n_parameters(self) -> int:
        """How many numbers are free: zeros of the start and the transitions are not."""
        start = (
            int((np.asarray(self.startprob_) > 0).sum()) if self.topology is not None else self.n_components
        )
        ways = np.asarray(self.transmat_) > 0
        moves = int(ways.sum()) if self.topology is not None else ways.size
        return start - 1 + moves - self.n_components + self.family_.n_parameters()

    def aic(self, X: SequencesLike, lengths: ArrayLike | None = None) -> float:
        """Akaike's information criterion, the lower the better: -2 log likelihood + 2 parameters."""
        return -2 * self.score(X, lengths) + 2 * self.n_parameters()

    def bic(self, X: SequencesLike, lengths: ArrayLike | None = None) -> float:
        """Bayes' information criterion, the lower the better: -2 log likelihood + parameters log(rows)."""
        data = self._read_sequences(X, lengths)
        return float(-2 * self.score(data) + self.n_parameters() * np.log(len(data.values)))

    def explain(self, X: SequencesLike) -> Any:
        """How the best path of one sequence was found: the trellis with scores and back-pointers, and where the
        runner-up left it.
        """
        data = self._read_sequences(X, None)
        frames = self._frames(self.family_, data)
        chain = self._chain(data)
        return explain_paths(type(self).__name__, data, frames, chain.start, chain.transitions)

    def trellis(self, X: SequencesLike) -> Trellis:
        """The scores and back-pointers of Viterbi's algorithm on one sequence, as `TrellisDisplay` draws them."""
        data = self._read_sequences(X, None)
        if len(data) != 1 or not len(data.values):
            raise DataError(f"a trellis is of one sequence, got {len(data)}.", who=type(self).__name__)
        frames, chain = self._frames(self.family_, data), self._chain(data)
        return Trellis(frames.logs()[:, : frames.n_states], chain.start, chain.transitions)

    def _model_parts(self) -> list[Part]:
        """The chain, and what the states emit."""
        if self._n_states != len(self.startprob_):
            return super()._model_parts()
        chain = chain_section(np.asarray(self.startprob_), np.asarray(self.transmat_))
        emissions = emission_sections(self.family_, vars(self).get("schema_"))
        return [chain, *(emissions or super()._model_parts())]

    @property
    def monitor_(self) -> Monitor:
        """How EM went, as hmmlearn says it."""
        history = [record["log_likelihood"] for record in vars(self).get("history_", [])]
        done = bool(vars(self).get("converged_", False)) or len(history) == self.n_iter
        return Monitor(self.tol, self.n_iter, history, done)


def _place(X: Sequences, s: int, t: int) -> str:
    where = f"row {t} (counted from 0)"
    return f"{where} of sequence {X.ids[s]}" if len(X) > 1 else where
