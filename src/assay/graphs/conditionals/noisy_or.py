"""Noisy-or: each present cause fails to bring about the effect independently of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError
from assay.graphs.conditionals.conditional import (
    Conditional,
    configurations,
    number_given,
    numbers_given,
    present_state,
)
from assay.tables import Column

__all__ = ["NoisyOrConditional"]

EM_STEPS = 1000  # of learning, at most
TOLERANCE = 1e-10  # change of a probability at which learning ends


@dataclass(frozen=True, eq=False)
class NoisyOrConditional(Conditional):
    r"""A yes-or-no node whose present causes act independently of each other.

    Cause i alone fails with probability :math:`q_i`; nothing but the leak l brings the effect about without a cause:

    .. math:: P(x \mid T) = 1 - (1 - l) \prod_{i \in T} q_i                                      \quad (1)

    for the set T of causes that are present. One number for each parent, where a table needs :math:`2^m`.

    Parameters
    ----------
    failures : (m,) probabilities :math:`q_i`
    leak : float, default 0

    Examples
    --------
    >>> from assay.graphs import NoisyOrConditional
    >>> from assay.tables import Column
    >>> wet, rain, sprinkler = (Column(n, "nominal", ("yes", "no")) for n in ("wet", "rain", "sprinkler"))
    >>> NoisyOrConditional([0.1, 0.1]).table(wet, [rain, sprinkler]).round(4)[:, 0]
    array([0.99, 0.9 , 0.9 , 0.  ])

    See Also
    --------
    TableConditional, LogisticConditional

    References
    ----------
    - Pearl, J. (1988). Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann.
    """

    failures: Any
    leak: float = 0.0
    stored = {"failures": FloatArray("*", low=0, high=1), "leak": Scalar(low=0, high=1)}

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "failures", numbers_given(self.failures, "NoisyOrConditional", "failures").ravel()
        )
        object.__setattr__(self, "leak", number_given(self.leak, "NoisyOrConditional", "leak"))

    def table(self, column: Column, parents: Sequence[Column]) -> np.ndarray:
        present = self._present(parents)
        absent = (1.0 - self.leak) * np.prod(np.where(present, self.failures, 1.0), axis=1)  # (1)
        table = np.empty((len(absent), 2))
        yes = present_state(column)
        table[:, yes], table[:, 1 - yes] = 1.0 - absent, absent
        return table

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        return len(parents) + (self.leak > 0)

    def fitted(
        self, counts: np.ndarray, column: Column, parents: Sequence[Column], alpha: float = 0.0
    ) -> NoisyOrConditional:
        """Maximum likelihood by EM: which of the present causes acted is what nobody observed.

        The leak stays 0 if it is 0.
        """
        present, yes = self._present(parents), present_state(column)
        effect, none = counts[:, yes] + alpha, counts[:, 1 - yes] + alpha
        active = np.column_stack([present, np.full(len(present), self.leak > 0)])
        act = np.where(np.append(np.ones(len(parents)), self.leak > 0), 0.5, 0.0)  # chance that a cause acts
        total = active.T @ (effect + none)
        for _ in range(EM_STEPS):
            chance = 1.0 - np.prod(np.where(active, 1.0 - act, 1.0), axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                acted = np.where(active, act / chance[:, None], 0.0)  # of a cause, given the effect
                new = np.where(total > 0, np.nan_to_num(acted).T @ effect / total, act)
            step, act = np.abs(new - act).max(initial=0.0), new
            if step < TOLERANCE:
                break
        return NoisyOrConditional(1.0 - act[:-1], float(act[-1]))

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        super().check(column, parents, who)
        wide = next((c for c in (column, *parents) if len(c.categories) != 2), None)
        if wide is not None:
            raise DataError(
                f"{who}: node {column.name!r} is a noisy-or, for which {wide.name!r} must have two states, not "
                f"{len(wide.categories)}."
            )
        if len(self.failures) != len(parents):
            raise DataError(
                f"{who}: node {column.name!r} has {len(parents)} parents and its noisy-or {len(self.failures)} "
                "failure probabilities; expected one for each parent."
            )
        inside = (self.failures >= 0) & (self.failures <= 1)
        if not inside.all() or not 0 <= self.leak <= 1:
            raise DataError(f"{who}: the noisy-or of {column.name!r} must have probabilities from 0 to 1.")

    def _present(self, parents: Sequence[Column]) -> np.ndarray:
        codes = configurations(parents)
        return codes == np.array([present_state(p) for p in parents], np.int64)
