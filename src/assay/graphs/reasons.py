"""Why a belief is what it is: the weight of each piece of evidence, explaining away, the best explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.explanation import Explanation, Section
from assay.errors import DataError
from assay.graphs.node import as_evidence

__all__ = ["ExplainingAway", "explain_belief", "explaining_away"]


def explain_belief(network: Any, of: str, evidence: Mapping[str, Any]) -> Explanation:
    r"""What each piece of evidence does to the belief in the most probable state of a node.

    The weight of a piece is how much the log odds of that state fall if it is taken away:

    .. math:: w_i = \ln\frac{P(s|E)}{P(\bar s|E)} - \ln\frac{P(s|E \setminus e_i)}{P(\bar s|E \setminus e_i)} \quad (1)

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> print(load_network("sprinkler").explain("rain", {"wet": "yes", "sprinkler": "no"}))
    BayesianNetwork answers yes (probability 0.9167)
    for the row wet = yes, sprinkler = no
    <BLANKLINE>
    Weight of the evidence for rain=yes (log odds)
      evidence            alone  without it  weight
      wet=yes       yes  0.6269        0.55   2.197
      sprinkler=no   no    0.55      0.6269   1.879
      Without evidence the probability is 0.45, with all of it 0.9167.
    ...
    """
    if network[of].states is None:
        raise DataError(
            f"explain: node {of!r} is a number, and explain weighs the evidence for a state. Ask for its distribution: "
            f"network.query({of!r}, evidence).",
            who="BayesianNetwork",
        )
    evidence = as_evidence(evidence)
    prior, posterior = network.query(of), network.query(of, evidence)
    state = posterior.mode
    rows: list[list[Any]] = []
    for name, value in evidence.items():
        others = {n: v for n, v in evidence.items() if n != name}
        alone, without = network.query(of, {name: value})[state], network.query(of, others)[state]
        weight = _log_odds(posterior[state]) - _log_odds(without)
        rows.append([f"{name}={value}", str(value), alone, without, weight])
    rows.sort(key=lambda row: -abs(row[-1]))
    sections = [
        Section(
            f"Weight of the evidence for {of}={state} (log odds)",
            ["evidence", "", "alone", "without it", "weight"],
            rows,
            f"Without evidence the probability is {prior[state]:.4g}, with all of it {posterior[state]:.4g}.",
        )
    ]
    if not network._numeric:
        best, p = network.most_probable(evidence)
        cells = [[n, str(s)] for n, s in best.items() if n not in evidence]
        sections.append(
            Section("Most probable explanation", ["node", "state"], cells, f"Its probability is {p:.4g}.")
        )
        if network.kind != "multiply connected":
            messages = network.propagate(evidence).messages
            steps = [
                [str(i + 1), m.kind, m.sender, m.receiver, ", ".join(f"{v:.4g}" for v in m.values)]
                for i, m in enumerate(messages)
            ]
            sections.append(Section("Messages in order", ["step", "message", "from", "to", "values"], steps))
    return Explanation("BayesianNetwork", state, posterior.to_dict(), dict(evidence), sections)


def _log_odds(p: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(p) - np.log1p(-p)) if p < 1 else np.inf


@dataclass(frozen=True)
class ExplainingAway:
    """The belief in a cause before and after another cause of the same effect is known.

    Attributes
    ----------
    prior, before, after : float, the probability of the cause: at first, given the effect, given also the other cause
    """

    cause: str
    state: Any
    effect: dict[str, Any]
    other: dict[str, Any]
    prior: float
    before: float
    after: float
    notes: list[str] = field(default_factory=list)

    @property
    def explained_away(self) -> bool:
        """Whether the other cause takes belief from this one."""
        return self.after < self.before

    def __str__(self) -> str:
        effect = ", ".join(f"{n}={v}" for n, v in self.effect.items())
        other = ", ".join(f"{n}={v}" for n, v in self.other.items())
        move = "falls" if self.after < self.before else "rises" if self.after > self.before else "stays"
        verdict = "explains it away" if self.explained_away else "does not explain it away"
        return (
            f"P({self.cause}={self.state}) is {self.prior:.4g}; {effect} makes it {self.before:.4g}; when {other} is "
            f"known as well it {move} to {self.after:.4g}: {other} {verdict}."
        )


def explaining_away(
    network: Any, cause: str, effect: Mapping[str, Any], other: Mapping[str, Any], state: Any = None
) -> ExplainingAway:
    """How much belief in a cause is left once another cause of the same effect is known.

    Parameters
    ----------
    network : BayesianNetwork
    cause : name of the cause      state : its state, default the first
    effect, other : mappings of names to states: what was observed first, and what becomes known then

    Examples
    --------
    >>> from assay.graphs import explaining_away, load_network
    >>> print(explaining_away(load_network("rain or sprinkler"), "sprinkler", {"wet": "yes"}, {"rain": "yes"}))
    P(sprinkler=yes) is 0.2; wet=yes makes it 0.3538; when rain=yes is known as well it falls to 0.2088: rain=yes
    explains it away.
    """
    node = network[cause]
    state = node.states[0] if state is None else node.states[node.code(state, "explaining_away")]
    effect, other = dict(effect), dict(other)
    return ExplainingAway(
        cause,
        state,
        effect,
        other,
        network.query(cause)[state],
        network.query(cause, effect)[state],
        network.query(cause, {**effect, **other})[state],
    )
