"""A chain of Gibbs sampling of topics: sweeps, priors on the way, records, mean counts of the second half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.priors import update_asymmetric, update_symmetric
from assay.stats.bayesian.draws import Draws

__all__ = ["Chain", "run_chain", "run_chains"]

SWEEPS_A_RECORD = 10  # sweeps between two records, and between two updates of the priors
FEWEST_RECORDS = 4  # of the second half: short chains are recorded more often


@dataclass(frozen=True)
class Chain:
    """What a chain leaves behind.

    Parameters
    ----------
    records : lists of numbers by name, one entry for each record
    words : (M, K) mean counts of tokens over the second half
    alpha, beta : the priors at the end
    """

    records: dict[str, list[Any]]
    words: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    def kept(self, name: str) -> np.ndarray:
        """The records of the second half."""
        values = self.records[name]
        return np.array(values[len(values) // 2 :])

    def history(self) -> list[dict[str, Any]]:
        """One dict for each record: its sweep and the joint probability."""
        return [
            {"sweep": int(s), "log_joint": float(v)}
            for s, v in zip(self.records["sweep"], self.records["log_joint"])
        ]


def run_chain(
    state: TopicAssignments, sweeps: int, optimize: bool, advance: Callable[[float], None] | None = None
) -> Chain:
    """Sweep over the tokens, choose priors on the way if asked to, and keep records.

    Parameters
    ----------
    state : TopicAssignments
    sweeps : int
    optimize : whether alpha and beta are updated after every tenth sweep
    advance : function of a number of sweeps, called as they are done
    """
    step = max(1, min(SWEEPS_A_RECORD, sweeps // (2 * FEWEST_RECORDS)))
    records: dict[str, list[Any]] = {"sweep": [], "log_joint": []}
    if optimize:
        records |= {"alpha": [], "beta": []}
    words, times, done = np.zeros((len(state.view), state.K)), 0, 0
    while done < sweeps:
        now = min(step, sweeps - done)
        state.sweep(now)
        done += now
        if optimize:
            state.alpha[: state.K] = update_asymmetric(state.document_topics(), state.alpha[: state.K])
            for v in range(len(state.size)):
                state.beta[v] = update_symmetric(
                    state.word_topic[state.view == v, : state.K].T, state.beta[v]
                )
            records["alpha"].append(state.alpha[: state.K].copy())
            records["beta"].append(state.beta.copy())
        records["sweep"].append(done)
        records["log_joint"].append(state.log_joint())
        if 2 * done >= sweeps:
            words += state.word_topic[:, : state.K]
            times += 1
        if advance is not None:
            advance(now)
    return Chain(records, words / times, state.alpha[: state.K].copy(), state.beta.copy())


def run_chains(
    states: Sequence[TopicAssignments], sweeps: int, optimize: bool, who: str, n_jobs: int | None = None
) -> tuple[Chain, Draws]:
    """Run a chain from each state; gives the one of highest mean joint probability, and the draws of all."""
    with progress(sweeps * len(states), f"{who}: sampling") as bar:
        chains = in_threads(lambda state: run_chain(state, sweeps, optimize, bar.advance), states, n_jobs)
    best = max(chains, key=lambda chain: float(np.mean(chain.kept("log_joint"))))
    names = [name for name in best.records if name != "sweep"]
    return best, Draws({name: np.stack([chain.kept(name) for chain in chains]) for name in names})
