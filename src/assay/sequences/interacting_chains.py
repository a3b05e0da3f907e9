"""Several hidden chains side by side, as one chain of joint states."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import Any_, Range
from assay.core.stored import Each, FloatArray
from assay.errors import ParameterError
from assay.sequences.chain import Expected
from assay.sequences.column_emissions import COLUMN_PARAMETERS, ColumnEmissions
from assay.sequences.families import Sums
from assay.sequences.families.family import shares
from assay.sequences.hidden_markov_model import HMM_PARAMETERS
from assay.sequences.sequences import Sequences
from assay.types import SequencesLike

__all__ = ["CHAIN_PARAMETERS", "InteractingChains"]

MOST_JOINT_STATES = 4096  # beyond which the exact passes would take too long
CHAIN_PARAMETERS: dict[str, Any] = {
    **COLUMN_PARAMETERS,
    **{
        name: HMM_PARAMETERS[name]
        for name in ("algorithm", "random_state", "n_iter", "tol", "params", "init_params", "n_init")
    },
    "n_components": Any_(
        "numbers of states, one a chain",
        lambda v: (
            isinstance(v, (list, tuple)) and len(v) > 0 and all(isinstance(k, int) and k >= 1 for k in v)
        ),
    ),
    "startprob_prior": Range(0),
    "transmat_prior": Range(0),
}


class InteractingChains(ColumnEmissions):
    r"""A joint state holds one state of each chain; exact passes on all joint states.

    Chain m moves by a table of its own, given the states of its ``parents`` one row before:

    .. math:: P(q_t \mid q_{t-1}) = \prod_m P(q_t^m \mid q_{t-1}^{\mathrm{parents}(m)})

    Attributes
    ----------
    startprobs_ : list of (k_m,)      transmats_ : list of (k of each parent ..., k_m)
    startprob_ : (K,) and transmat_ : (K, K) of the joint states, the last chain running fastest
    """

    stored = {
        "startprobs_": Each(FloatArray("*", low=0, high=1)),
        "transmats_": Each(
            FloatArray("*", "*", low=0, high=1)
            | FloatArray("*", "*", "*", low=0, high=1)
            | FloatArray("*", "*", "*", "*", low=0, high=1)
            | FloatArray("*", "*", "*", "*", "*", low=0, high=1)
        ),
    }

    @property
    def _sizes(self) -> tuple[int, ...]:
        """States of each chain."""
        return tuple(self.n_components)  # type: ignore[arg-type]

    def _parents(self, chain: int) -> list[int]:
        """The chains on which the next state of a chain depends."""
        return [chain]

    @property
    def _n_states(self) -> int:
        return int(np.prod(self._sizes))

    def joint_states(self) -> np.ndarray:
        """(K, chains) the state of each chain in each joint state."""
        return np.indices(self._sizes).reshape(len(self._sizes), -1).T

    @property
    def startprob_(self) -> np.ndarray:  # type: ignore[override]
        """(K,) probabilities of the first joint state."""
        states, parts = self.joint_states(), vars(self).get("startprobs_")
        if parts is None:
            raise AttributeError("startprob_")
        return np.prod([np.asarray(p)[states[:, m]] for m, p in enumerate(parts)], axis=0)

    @property
    def transmat_(self) -> np.ndarray:  # type: ignore[override]
        """(K, K) probabilities of the next joint state."""
        states, parts = self.joint_states(), vars(self).get("transmats_")
        if parts is None:
            raise AttributeError("transmat_")
        A = np.ones((len(states), len(states)))
        for m, table in enumerate(parts):
            A *= np.asarray(table)[tuple(states[:, self._parents(m)].T)][:, states[:, m]]
        return A

    def _check_chain(self) -> None:
        who = type(self).__name__
        for name in ("startprobs_", "transmats_"):
            parts = vars(self).get(name)
            if parts is not None and len(parts) != len(self._sizes):
                raise ParameterError(
                    f"{name} must be a list of {len(self._sizes)} arrays, one a chain.", who=who
                )
        for m, size in enumerate(self._sizes):
            wanted = (*(self._sizes[p] for p in self._parents(m)), size)
            for name, shape in (("startprobs_", (size,)), ("transmats_", wanted)):
                parts = vars(self).get(name)
                if parts is not None and np.shape(parts[m]) != shape:
                    raise ParameterError(
                        f"{name}[{m}] must have the shape {shape}, it has {np.shape(parts[m])}.", who=who
                    )
        super()._check_chain()

    def _start_chain(self, draw: np.random.RandomState) -> None:
        if self._n_states > MOST_JOINT_STATES:
            raise ParameterError(
                f"{self._n_states} joint states are too many for exact passes (at most {MOST_JOINT_STATES}). Fewer "
                "chains, or fewer states a chain.",
                who=type(self).__name__,
            )
        if self._needs("s", "startprobs_"):
            self.startprobs_ = [draw.dirichlet(np.ones(k)) for k in self._sizes]
        if self._needs("t", "transmats_"):
            self.transmats_ = []
            for m, k in enumerate(self._sizes):
                before = tuple(self._sizes[p] for p in self._parents(m))
                self.transmats_.append(draw.dirichlet(np.ones(k), size=before))

    def _possible(self) -> Any:
        return [np.asarray(p) > 0 for p in self.startprobs_], [np.asarray(p) > 0 for p in self.transmats_]

    def _chain_sums(self, expected: Expected, X: Sequences) -> Sums:
        sizes, M = self._sizes, len(self._sizes)
        first = expected.start.reshape(sizes)
        moves = expected.transitions.reshape(sizes + sizes)
        sums = Sums()
        for m in range(M):
            sums[f"start {m}"] = first.sum(axis=tuple(i for i in range(M) if i != m))
            kept = [*self._parents(m), M + m]
            counts = moves.sum(axis=tuple(i for i in range(2 * M) if i not in kept))
            sums[f"moves {m}"] = counts  # axes keep their order: parents rise, the next state is last
        return sums

    def _solve_chain(self, sums: Sums, possible: Any) -> None:
        starts, allowed = possible
        if "s" in self.params:
            prior = float(np.asarray(self.startprob_prior))
            self.startprobs_ = [
                shares(np.maximum(prior - 1 + sums[f"start {m}"], 0) * starts[m], np.asarray(old))
                for m, old in enumerate(self.startprobs_)
            ]
        if "t" in self.params:
            prior = float(np.asarray(self.transmat_prior))
            self.transmats_ = [
                shares(np.maximum(prior - 1 + sums[f"moves {m}"], 0) * allowed[m], np.asarray(old))
                for m, old in enumerate(self.transmats_)
            ]

    # ------------------------------------------------------------------ answers by chain

    def predict_chains(self, X: SequencesLike) -> np.ndarray:
        """(n, chains) the state of each chain on the jointly best path."""
        return self.joint_states()[self.predict(X)]

    def chain_posteriors(self, X: SequencesLike) -> list[np.ndarray]:
        """(n, k_m) for each chain: the posterior of its states at each row, given the whole sequence."""
        joint = self.predict_proba(X).reshape(-1, *self._sizes)
        M = len(self._sizes)
        return [joint.sum(axis=tuple(i + 1 for i in range(M) if i != m)) for m in range(M)]

    def n_parameters(self) -> int:
        """How many numbers are free."""
        starts = sum(k - 1 for k in self._sizes)
        moves = sum(np.size(table) // k * (k - 1) for table, k in zip(self.transmats_, self._sizes))
        return starts + moves + self.family_.n_parameters()
