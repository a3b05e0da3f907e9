"""A table of probabilities, one row for each configuration of the parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray
from assay.errors import DataError, ParameterError
from assay.graphs.conditionals.conditional import Conditional, configuration_names
from assay.tables import Column

__all__ = ["TableConditional"]

ROUNDING = 1e-4  # by which a row may miss 1: files write a few digits; then it is divided by its sum


@dataclass(frozen=True, eq=False)
class TableConditional(Conditional):
    r"""The probabilities of a node's states, for each configuration of its parents.

    .. math:: P(x = k \mid u_1, ..., u_m) = \theta_{jk}, \qquad j = \text{the configuration}              \quad (1)

    Learned from counts :math:`N_{jk}` with a pseudo-count a for each entry (0: maximum likelihood; 1: Laplace's rule):

    .. math:: \theta_{jk} = \frac{N_{jk} + a}{N_j + a\,r}                                                 \quad (2)

    A configuration that never occurs has, without a pseudo-count, equal probabilities.

    Parameters
    ----------
    values : probabilities of r states; with parents an array of one axis for each parent and one for the states, or
        the (q, r) rows in the order in which the last parent runs quickest

    Examples
    --------
    >>> from assay.graphs import TableConditional
    >>> from assay.tables import Column
    >>> wet, rain = Column("wet", "nominal", ("yes", "no")), Column("rain", "nominal", ("yes", "no"))
    >>> TableConditional([[0.9, 0.1], [0.2, 0.8]]).table(wet, [rain])
    array([[0.9, 0.1],
           [0.2, 0.8]])

    See Also
    --------
    NoisyOrConditional, SoftmaxConditional, BayesianNetwork
    """

    values: Any
    stored = {"values": FloatArray("*", "*", low=0, high=1)}

    def __post_init__(self) -> None:
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError("TableConditional: probabilities must be numbers.") from None
        if values.ndim == 0 or values.shape[-1] == 0:
            raise ParameterError("TableConditional: give the probabilities of each state.")
        values = values.reshape(-1, values.shape[-1])
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def table(self, column: Column, parents: Sequence[Column]) -> np.ndarray:
        return self.values

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        return int(np.prod([len(p.categories) for p in parents], dtype=np.int64)) * (
            len(column.categories) - 1
        )

    def fitted(
        self, counts: np.ndarray, column: Column, parents: Sequence[Column], alpha: float = 0.0
    ) -> TableConditional:
        return TableConditional.from_counts(counts, alpha)

    @classmethod
    def from_counts(cls, counts: np.ndarray, alpha: float = 0.0) -> TableConditional:
        """Formula (2) for (q, r) counts."""
        counts = np.asarray(counts, np.float64)
        total = counts.sum(axis=1, keepdims=True) + alpha * counts.shape[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(np.where(total > 0, (counts + alpha) / total, 1.0 / counts.shape[1]))  # (2)

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        super().check(column, parents, who)
        q, r = int(np.prod([len(p.categories) for p in parents], dtype=np.int64)), len(column.categories)
        if self.values.size != q * r:
            given_by = f" given {', '.join(p.name for p in parents)}" if parents else ""
            raise DataError(
                f"{who}: node {column.name!r} needs {q} x {r} probabilities ({r} states{given_by}), got "
                f"{self.values.size}."
            )
        values = self.values.reshape(q, r)
        sums = values.sum(axis=1)
        wrong = ~np.isfinite(values).all(axis=1) | (values < 0).any(axis=1) | ~(abs(sums - 1) <= ROUNDING)
        if wrong.any():
            j = int(np.argmax(wrong))
            at = ", ".join(f"{p.name}={s}" for p, s in zip(parents, configuration_names(parents)[j]))
            raise DataError(
                f"{who}: the probabilities of node {column.name!r}{f' given {at}' if at else ''} must be from 0 up and "
                f"sum to 1, got {', '.join(f'{v:g}' for v in values[j][:8])} (sum {sums[j]:g})."
            )
        if not (abs(sums - 1) <= 1e-12).all():
            values = values / sums[:, None]
        values = np.ascontiguousarray(values)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
