"""k-dependence Bayes: each column may depend on k others besides the class."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, PassLearner
from assay.core.parameters import Count
from assay.core.sums import Source
from assay.errors import DataError
from assay.graphs.classifiers.intervals import codes_of
from assay.graphs.classifiers.network_learner import NetworkLearner
from assay.graphs.classifiers.pair_counts import MOST_CELLS, pair_counts

__all__ = ["KDBClassifier"]


class KDBClassifier(PassLearner, NetworkLearner):
    r"""Naive Bayes in which each column depends on up to k columns that say more about the class than it does.

    Columns are ordered by their mutual information with the class; each takes as parents, besides the class, the k
    columns before it with which it shares most information given the class. k = 0 is naive Bayes.

    Cost: fit O(n S^2 + n d k) for S states of all columns; predict O(d (k + K)) look-ups a row; memory O(K S^2) counts
    of
    pairs and the tables, which grow with the k-th power of the states.

    Parameters
    ----------
    k : int, default 2
    alpha : float, default 1
        Pseudo-count of each entry of the tables.
    cuts : "mdl" or int, default "mdl"
        Intervals of numbers: by class entropy and description length, or that many of equal weight.

    Attributes
    ----------
    network_ : BayesianNetwork of the class and the columns      cuts_ : list of d arrays      class_count_ : (K,)

    Examples
    --------
    >>> from assay.graphs import KDBClassifier
    >>> from assay.tables.data import load_weather
    >>> data = load_weather()
    >>> len(KDBClassifier(k=1).fit(data.X, data.y).network_.arcs)
    7

    See Also
    --------
    TANClassifier, AODEClassifier, BayesianNetworkClassifier

    References
    ----------
    - Sahami, M. (1996). Learning limited dependence Bayesian classifiers. Knowledge Discovery and Data Mining, 335-338.
    """

    card = Card(
        "kdb",
        "naive Bayes in which each column depends on k others",
        most_columns=500,
        learns=(
            "a network: the class, and k parents of each column",
            "negative log joint likelihood, smoothed",
            "counts, parents by mutual information",
            "greedy",
        ),
    )
    accepts = {**NetworkLearner.accepts, "k": Count(0)}

    def __init__(self, k: int = 2, *, alpha: float = 1.0, cuts: Any = "mdl"):
        self.k = k
        self.alpha = alpha
        self.cuts = cuts

    def _learn_from(self, source: Source) -> None:
        NetworkLearner._learn_from(self, source)

    def _parents(self, source: Source) -> tuple[list[int], list[list[int]]]:
        cards, who, K = self._card_list, type(self).__name__, len(self.classes_)
        counts = source.add_up(
            lambda b: pair_counts(codes_of(b.X, self.schema_, self.cuts_), b.y, b.w, K, cards, who)
        )
        between = counts.conditional_information()
        order = _descending(counts.class_information())
        parents: list[list[int]] = [[-1] for _ in order]
        for place, j in enumerate(order):
            before = order[:place]
            best = before[_descending(between[j, before])][: self.k]
            parents[j] = [-1, *map(int, best)]
            entries = K * int(np.prod(cards[[j, *best]], dtype=np.float64))
            if entries > MOST_CELLS:
                raise DataError(
                    f"the table of column {self.schema_[j].name!r} with {len(best)} parents would have {entries:,} "
                    "entries. Take a smaller k.",
                    who=who,
                    code="too-large",
                )
        return [], parents


def _descending(information: np.ndarray) -> np.ndarray:
    """The places from the largest to the smallest; of those that are equal up to rounding the first comes first."""
    scale = np.abs(information).max(initial=0.0) or 1.0
    return np.argsort(-np.round(information / scale, 10), kind="stable")
