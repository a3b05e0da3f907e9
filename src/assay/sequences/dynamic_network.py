"""Dynamic Bayesian network: a network of discrete variables, repeated for each row and linked to the row before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import random_state_of
from assay.errors import DataError, DegenerateError, ParameterError
from assay.sequences.asked import check_draw
from assay.sequences.chain import Chain, Frames, pad
from assay.types import RandomState

__all__ = ["DynamicNetwork", "Variable"]

MOST_JOINT_STATES = 4096  # of one row, beyond which the exact passes would take too long


@dataclass(frozen=True)
class Variable:
    """A variable of each row.

    states : what it may be      parents : variables of the same row      before : variables of the row before
    table : probabilities (parents ..., before ..., states)      start : (parents ..., states), those of the first row
    """

    name: str
    states: tuple[Any, ...]
    parents: tuple[str, ...]
    before: tuple[str, ...]
    table: np.ndarray
    start: np.ndarray


class DynamicNetwork:
    r"""A Bayesian network for each row of a sequence, the same in all of them, with arcs from the row before.

    .. math:: P(x_1, \dots, x_T) = \prod_t \prod_v P(x_t^v \mid x_t^{\mathrm{parents}(v)}, x_{t-1}^{\mathrm{before}(v)})
              \quad (1)

    Unrolled over T rows it is an ordinary network (``unrolled``); here inference is exact by forward and backward
    passes over the joint states of a row, with any evidence, at a cost that grows with T alone and not with the width
    of what is unrolled. A hidden Markov model is the network of two variables.

    Examples
    --------
    Was it cloudy, if the grass was wet for two days and then dry?

    >>> from assay.sequences import DynamicNetwork
    >>> net = DynamicNetwork()
    >>> net = net.add("cloudy", ["no", "yes"], [[0.7, 0.3], [0.3, 0.7]], before=["cloudy"], start=[0.5, 0.5])
    >>> net = net.add("sprinkler", ["no", "yes"], [[0.5, 0.5], [0.9, 0.1]], parents=["cloudy"])
    >>> net = net.add("rain", ["no", "yes"], [[0.9, 0.1], [0.2, 0.8]], parents=["cloudy"])
    >>> wet = [[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.05, 0.95]]]
    >>> net = net.add("wet", ["no", "yes"], wet, parents=["sprinkler", "rain"])
    >>> evidence = {"wet": ["yes", "yes", "no"]}
    >>> net.smooth(evidence)["cloudy"][:, 1].round(3)
    array([0.592, 0.555, 0.387])

    See Also
    --------
    CategoricalHMM, CoupledHMM

    References
    ----------
    - Murphy, K. P. (2002). Dynamic Bayesian Networks: Representation, Inference and Learning. PhD thesis, University of
      California, Berkeley.
    """

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}

    def add(
        self,
        name: str,
        states: Sequence[Any],
        table: ArrayLike,
        *,
        parents: Sequence[str] = (),
        before: Sequence[str] = (),
        start: ArrayLike | None = None,
    ) -> DynamicNetwork:
        """The network with one more variable.

        Parameters
        ----------
        name, states : what it is called, and what it may be
        table : probabilities, with an axis for each parent, one for each variable before, and one for the states
        parents : variables of the same row, which must have been added
        before : variables of the row before; its own name among them, or those added earlier or later
        start : probabilities in the first row, with an axis for each parent; needed if there is something before
        """
        who = type(self).__name__
        if name in self.variables:
            raise ParameterError(f"there is a variable {name!r} already.", who=who)
        for parent in parents:
            if parent not in self.variables:
                raise ParameterError(
                    f"the parent {parent!r} of {name!r} is not there yet; add it first.", who=who
                )
        if before and start is None:
            raise ParameterError(
                f"{name!r} depends on the row before; say its start in the first row.", who=who
            )
        values = np.asarray(table, dtype=np.float64)
        first = values if start is None else np.asarray(start, dtype=np.float64)
        made = Variable(name, tuple(states), tuple(parents), tuple(before), values, first)
        shape = (*(len(self.variables[p].states) for p in parents), len(states))
        if (
            first.shape != shape
            or values.ndim != len(parents) + len(before) + 1
            or values.shape[-1] != len(states)
        ):
            raise ParameterError(
                f"the tables of {name!r} must have an axis for each of {[*parents, *before, name]}; their shapes are "
                f"{values.shape} and, in the first row, {first.shape}.",
                who=who,
            )
        for part in (values, first):
            if not (part >= 0).all() or not np.allclose(part.sum(axis=-1), 1):
                raise ParameterError(f"the tables of {name!r} must be probabilities that sum to 1.", who=who)
        larger = DynamicNetwork()
        larger.variables = {**self.variables, name: made}
        return larger

    # ------------------------------------------------------------------ joint states of a row

    def _joint(self) -> np.ndarray:
        """(N, variables) the joint states of a row."""
        sizes = tuple(len(v.states) for v in self.variables.values())
        if not sizes:
            raise DataError("the network has no variables.", who=type(self).__name__)
        if np.prod(sizes, dtype=np.float64) > MOST_JOINT_STATES:
            raise DataError(
                f"a row has {int(np.prod(sizes))} joint states, too many for exact passes (at most "
                f"{MOST_JOINT_STATES}).",
                who=type(self).__name__,
            )
        return np.indices(sizes).reshape(len(sizes), -1).T

    def _chain(self) -> Chain:
        states, order = self._joint(), {name: i for i, name in enumerate(self.variables)}
        N = len(states)
        start, moves = np.ones(N), np.ones((N, N))
        for name, v in self.variables.items():
            for other in v.before:
                if other not in order:
                    raise ParameterError(
                        f"{name!r} depends on {other!r}, which is not there.", who=type(self).__name__
                    )
            now = [states[:, order[p]] for p in v.parents]
            state = states[:, order[name]]
            start *= v.start[(*now, state)]
            earlier = [states[:, order[p]][:, None] for p in v.before]
            moves *= v.table[(*(p[None, :] for p in now), *earlier, state[None, :])]
        return Chain(start, moves)

    def _frames(self, evidence: Mapping[str, Sequence[Any]]) -> tuple[Frames, int]:
        """What evidence says of the joint states: possible or not."""
        who, states = type(self).__name__, self._joint()
        if not evidence:
            raise DataError(
                "there is no evidence; give at least one variable, with None where nothing is known.", who=who
            )
        lengths = {len(values) for values in evidence.values()}
        if len(lengths) != 1 or 0 in lengths:
            raise DataError(
                f"all evidence must have the same rows, at least one; got {sorted(lengths)}.", who=who
            )
        T, order = lengths.pop(), {name: i for i, name in enumerate(self.variables)}
        logs = np.zeros((T, len(states)))
        for name, values in evidence.items():
            if name not in order:
                raise DataError(f"there is no variable {name!r}. Variables: {', '.join(order)}.", who=who)
            known = self.variables[name].states
            for t, value in enumerate(values):
                if value is None or (isinstance(value, float) and np.isnan(value)):
                    continue
                if value not in known:
                    raise DataError(
                        f"{name!r} is {value!r} in row {t}, expected one of {list(known)}.", who=who
                    )
                logs[t, states[:, order[name]] != known.index(value)] = -np.inf
        return Frames(len(states), pad(logs, -np.inf)), T

    def _marginals(self, joint: np.ndarray) -> dict[str, np.ndarray]:
        states = self._joint()
        return {
            name: np.stack([joint[:, states[:, i] == k].sum(axis=1) for k in range(len(v.states))], axis=1)
            for i, (name, v) in enumerate(self.variables.items())
        }

    def _refuse_impossible(self, expected: Any) -> None:
        for t in expected.impossible.values():
            raise DegenerateError(
                f"the evidence up to row {t} (counted from 0) is impossible.", who=type(self).__name__
            )

    # ------------------------------------------------------------------ answers

    def log_likelihood(self, evidence: Mapping[str, Sequence[Any]]) -> float:
        """The log probability of the evidence; -inf if it is impossible."""
        frames, T = self._frames(evidence)
        return float(self._chain().filter(frames, np.array([0, T])).log_likelihoods[0])

    def filter(self, evidence: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        """For each variable (T, states): its distribution by the evidence up to each row."""
        frames, T = self._frames(evidence)
        expected = self._chain().filter(frames, np.array([0, T]))
        self._refuse_impossible(expected)
        return self._marginals(expected.gamma)

    def smooth(self, evidence: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        """For each variable (T, states): its distribution by all evidence."""
        frames, T = self._frames(evidence)
        expected = self._chain().expect(frames, np.array([0, T]))
        self._refuse_impossible(expected)
        return self._marginals(expected.gamma)

    def most_probable(self, evidence: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """For each variable its states in the jointly most probable explanation of the evidence."""
        frames, T = self._frames(evidence)
        paths = self._chain().best_paths(frames, np.array([0, T]))
        if np.isneginf(paths.log_probabilities[0]):
            self.smooth(evidence)  # names the row
        rows = self._joint()[paths.states]
        return {name: [v.states[k] for k in rows[:, i]] for i, (name, v) in enumerate(self.variables.items())}

    def sample(self, n_rows: int, random_state: RandomState = None) -> dict[str, list[Any]]:
        """Draw a sequence: for each variable its states."""
        check_draw(type(self).__name__, n_rows=n_rows)
        draw, chain, states = random_state_of(random_state), self._chain(), self._joint()
        path: list[int] = []
        for t in range(n_rows):
            p = chain.start if t == 0 else chain.transitions[path[-1]]
            path.append(int((np.cumsum(p) > draw.rand()).argmax()))
        rows = states[path]
        return {name: [v.states[k] for k in rows[:, i]] for i, (name, v) in enumerate(self.variables.items())}

    def unrolled(self, n_rows: int) -> dict[str, tuple[list[str], np.ndarray]]:
        """The same as one network of n_rows rows: for each "name[t]" its parents and its table.

        >>> from assay.sequences import DynamicNetwork
        >>> net = DynamicNetwork().add("x", [0, 1], [[0.9, 0.1], [0.2, 0.8]], before=["x"], start=[0.5, 0.5])
        >>> {name: parents for name, (parents, _) in net.unrolled(3).items()}
        {'x[0]': [], 'x[1]': ['x[0]'], 'x[2]': ['x[1]']}
        """
        flat: dict[str, tuple[list[str], np.ndarray]] = {}
        for t in range(n_rows):
            for name, v in self.variables.items():
                parents = [f"{p}[{t}]" for p in v.parents]
                if t == 0:
                    flat[f"{name}[0]"] = (parents, v.start)
                else:
                    flat[f"{name}[{t}]"] = ([*parents, *(f"{p}[{t - 1}]" for p in v.before)], v.table)
        return flat
