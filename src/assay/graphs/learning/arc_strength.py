"""How sure an arc is: the share of bootstrap samples in which it is learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.states import WITH_EM, state_table
from assay.graphs.learning.structure import METHODS, structure_of
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.types import RandomState, TableLike

__all__ = ["ArcStrength", "arc_strength"]


@dataclass(frozen=True)
class ArcStrength:
    """The strength of each arc.

    Attributes
    ----------
    rows : list of dicts with "from", "to", "strength" (the share of samples with an edge between the two), "low" and
        "high" (its interval), and "direction" (the share of these in which it goes this way)
    n_boot : int, the number of samples
    """

    rows: list[dict[str, Any]]
    n_boot: int

    def above(self, strength: float = 0.5) -> list[tuple[str, str]]:
        """The arcs that are learned in more than this share of the samples, in their more frequent direction."""
        return [(r["from"], r["to"]) for r in self.rows if r["strength"] > strength and r["direction"] >= 0.5]

    def __str__(self) -> str:
        columns = ["from", "to", "strength", "low", "high", "direction"]
        return text_table(columns, [[r[c] for c in columns] for r in self.rows])


def arc_strength(
    X: TableLike,
    method: str = "hill climbing",
    *,
    n_boot: int = 100,
    level: float = 0.95,
    required: Sequence[tuple[str, str]] = (),
    forbidden: Sequence[tuple[str, str]] = (),
    tiers: Sequence[Sequence[str]] | None = None,
    cuts: int | Mapping[str, Any] | None = None,
    missing: str = "raise",
    random_state: RandomState = 0,
    **options: Any,
) -> ArcStrength:
    """Learn the structure again from samples of the rows, drawn with replacement, and count the arcs.

    Parameters
    ----------
    X : table      method, options : as in :func:`learn_structure`
    n_boot : int, samples      level : float, of the intervals (Wilson's)

    Examples
    --------
    >>> from assay.graphs import arc_strength, load_network
    >>> rows = load_network("rain").sample(500, random_state=0)
    >>> strength = arc_strength(rows, n_boot=20)
    >>> strength.rows[0]["strength"]
    1.0

    References
    ----------
    - Friedman, N., Goldszmidt, M. and Wyner, A. (1999). Data analysis with Bayesian networks: a bootstrap approach.
      Uncertainty in Artificial Intelligence, 196-205.
    """
    who = "arc_strength"
    check_count(who, "n_boot", n_boot)
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}.", who=who)
    data = state_table(X, who, cuts, missing, WITH_EM)
    constraints = Constraints(data.names, required, forbidden, tiers, who)
    rng = as_generator(random_state, who)
    d, n = data.codes.shape
    place = {name: i for i, name in enumerate(data.names)}
    directed = np.zeros((d, d))
    for _ in range(int(n_boot)):
        learned = structure_of(data.take(np.asarray(rng.integers(0, n, n))), constraints, method, **options)
        for a, b in learned.partial.arcs:
            directed[place[a], place[b]] += 1.0
        for a, b in learned.partial.edges:  # a direction that data cannot tell counts half each way
            directed[place[a], place[b]] += 0.5
            directed[place[b], place[a]] += 0.5
    both = directed + directed.T
    rows = []
    for i, j in np.argwhere(directed > 0):
        share = both[i, j] / n_boot
        low, high = wilson_interval(share, n_boot, 1 - level)
        rows.append(
            {
                "from": data.names[i],
                "to": data.names[j],
                "strength": float(share),
                "low": float(low),
                "high": float(high),
                "direction": float(directed[i, j] / both[i, j]),
            }
        )
    rows.sort(key=lambda r: (-r["strength"], -r["direction"], place[r["from"]], place[r["to"]]))
    return ArcStrength(rows, int(n_boot))
