"""Scores of structures: how well a child's parents explain it, less a penalty for their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.graphs.learning import _family_scores
from assay.graphs.learning.states import StateTable, state_table
from assay.types import TableLike

__all__ = ["SCORES", "FamilyScorer", "network_score"]

SCORES = ("bic", "aic", "bdeu", "k2", "log-likelihood")
MOST_CELLS = 4_000_000  # of one family's weighted counts


class FamilyScorer:
    r"""Scores of families of columns, by counting.

    With counts :math:`N_{jk}` of state k in the parents' configuration j, n rows, r states and q configurations:

    .. math:: \text{BIC} = \sum_{jk} N_{jk} \ln\frac{N_{jk}}{N_j} - \tfrac{\ln n}{2}\, q (r - 1)      \quad (1)

    .. math:: \text{BDeu} = \sum_j \Big[\ln\frac{\Gamma(s/q)}{\Gamma(s/q + N_j)}
              + \sum_k \ln\frac{\Gamma(s/(rq) + N_{jk})}{\Gamma(s/(rq))}\Big]                          \quad (2)

    AIC has 1 instead of ln n / 2; K2 is (2) with 1 for each cell instead of s/(rq).

    Parameters
    ----------
    data : StateTable      score : one of SCORES      equivalent_sample_size : s of BDeu
    weights : (n,) what each row counts, or None
    """

    def __init__(
        self,
        data: StateTable,
        score: str = "bic",
        equivalent_sample_size: float = 1.0,
        weights: np.ndarray | None = None,
    ):
        from scipy.special import xlogy

        if score not in SCORES:
            raise ParameterError(
                f"score must be one of {', '.join(SCORES)}, got {score!r}.", who="learn_structure"
            )
        if not equivalent_sample_size > 0:
            raise ParameterError("equivalent_sample_size must be above 0.", who="learn_structure")
        self.data, self.score, self.s = data, score, float(equivalent_sample_size)
        self.n, self.weights = data.codes.shape[1], weights
        total = float(self.n / data.copies if weights is None else weights.sum())
        self._counts = np.arange(self.n + 1) / data.copies
        self._logs = xlogy(self._counts, self._counts)
        self._gammas = lru_cache(maxsize=512)(self._log_gammas)
        self._known: dict[tuple[int, frozenset[int]], float] = {}
        self.penalty = {"bic": 0.5 * np.log(max(total, 1.0)), "aic": 1.0, "log-likelihood": 0.0}.get(
            score, 0.0
        )

    def family(self, child: int, parents: Iterable[int]) -> float:
        """The score of a child with these parents."""
        key = (child, frozenset(parents))
        if key not in self._known:
            self._known[key] = float(self.with_each(child, key[1], np.array([-1]))[0])
        return self._known[key]

    @cached_property
    def _columns(self) -> _family_scores.StateColumns:
        """The table as the compiled code reads it: rows of codes, and the set of rows of each state."""
        rows = np.ascontiguousarray(self.data.codes.T)
        begin = np.concatenate([[0], np.cumsum(self.data.cards)]).astype(np.int64)
        sets = np.empty((int(begin[-1]), -(-self.n // 64)), np.uint64)
        _family_scores.state_sets(rows, begin, sets)
        return _family_scores.StateColumns(rows=rows, begin=begin, sets=sets)

    def with_each(self, child: int, parents: Iterable[int], candidates: np.ndarray) -> np.ndarray:
        """(m,) the scores of a child with these parents and each candidate (-1: none) besides."""
        given = sorted(parents)
        cards, r = self.data.cards, int(self.data.cards[child])
        q = prod(int(cards[p]) for p in given)
        widths = np.where(candidates < 0, 1, cards[candidates])
        if self.weights is not None:
            scores = np.array([self._weighted(child, [*given, *([z] if z >= 0 else [])]) for z in candidates])
            return scores - self.penalty * (r - 1) * (float(q) * widths)
        scores = np.empty(len(candidates))
        before = np.array(given, np.int64)
        for group in self._alike(widths):
            cell, total = self._values(q * int(widths[group][0]), r)
            some = np.empty(len(widths[group]))
            _family_scores.family_scores(
                columns=self._columns,
                child=child,
                parents=before,
                candidates=candidates[group],
                cell=cell,
                total=total,
                out=some,
            )
            scores[group] = some
        return scores - self.penalty * (r - 1) * (float(q) * widths)  # (1)

    def _alike(self, widths: np.ndarray) -> list[Any]:
        """The candidates whose counts have the same values: all, or those with equally many states."""
        if not len(widths):
            return []
        if self.score not in ("bdeu", "k2"):
            return [slice(None)]
        return [widths == width for width in np.unique(widths)]

    def _weighted(self, child: int, parents: Sequence[int]) -> float:
        """The score of one family from weighted counts, without its penalty."""
        from scipy.special import gammaln, xlogy

        r, code, q = int(self.data.cards[child]), np.zeros(self.n, np.int64), 1
        for p in parents:
            code, q = code * int(self.data.cards[p]) + self.data.codes[p], q * int(self.data.cards[p])
            if q * r > MOST_CELLS:  # number those that occur
                values, code = np.unique(code, return_inverse=True)
                if len(values) * r > MOST_CELLS:
                    return -np.inf
        rows = int(code.max()) + 1
        counts = np.bincount(code * r + self.data.codes[child], self.weights, minlength=rows * r).reshape(
            -1, r
        )
        totals = counts.sum(axis=1)
        if self.score not in ("bdeu", "k2"):
            return float(xlogy(counts, counts).sum() - xlogy(totals, totals).sum())
        a = self.s / (q * r) if self.score == "bdeu" else 1.0
        return float(
            (gammaln(counts + a) - gammaln(a)).sum() - (gammaln(totals + a * r) - gammaln(a * r)).sum()
        )

    def _values(self, q: int, r: int) -> tuple[np.ndarray, np.ndarray]:
        if self.score == "bdeu":
            return self._gammas(self.s / (q * r)), self._gammas(self.s / q)
        if self.score == "k2":
            return self._gammas(1.0), self._gammas(float(r))
        return self._logs, self._logs

    def _log_gammas(self, a: float) -> np.ndarray:
        """ln Gamma(a + c) - ln Gamma(a) for all counts c."""
        from scipy.special import gammaln

        return gammaln(a + self._counts) - gammaln(a)


def network_score(
    X: TableLike,
    arcs: Sequence[tuple[str, str]],
    score: str = "bic",
    *,
    equivalent_sample_size: float = 1.0,
    cuts: int | None = None,
    missing: str = "raise",
) -> float:
    """The score of a structure on a table: BIC, AIC, BDeu, K2 or the log likelihood; more is better.

    Parameters
    ----------
    X : table      arcs : pairs (parent, child) of column names
    score : "bic", "aic", "bdeu", "k2" or "log-likelihood"
    equivalent_sample_size : float, of BDeu
    cuts : number of intervals of numeric columns, or a mapping of names to cuts
        Whole numbers of which a column has no more than intervals stay as they are.
    missing : "raise", or "state" to take missing as a state

    Examples
    --------
    >>> from assay.graphs import network_score
    >>> rows = {"a": list("0000011111"), "b": list("0000101111")}
    >>> round(network_score(rows, []), 5), round(network_score(rows, [("a", "b")]), 5)
    (-16.16553, -15.38937)

    References
    ----------
    - Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics 6, 461-464.
      doi:10.1214/aos/1176344136
    - Heckerman, D., Geiger, D. and Chickering, D. M. (1995). Learning Bayesian networks: the combination of knowledge
      and statistical data. Machine Learning 20, 197-243. doi:10.1007/BF00994016
    """
    from assay.graphs.directed_graph import DirectedGraph

    data = state_table(X, "network_score", cuts, missing)
    scorer = FamilyScorer(data, score, equivalent_sample_size)
    parents: dict[str, list[str]] = {name: [] for name in data.names}
    for a, b in arcs:
        if b not in parents:
            raise ParameterError(f"network_score: the arc {a!r} -> {b!r} names no column {b!r}.")
        parents[b].append(a)
    graph = DirectedGraph(parents, "network_score")
    place = {name: i for i, name in enumerate(data.names)}
    return sum(scorer.family(place[n], [place[p] for p in graph.parents[n]]) for n in data.names)
