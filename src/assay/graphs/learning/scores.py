"""Scores of structures: how well a child's parents explain it, less a penalty for their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod

import numpy as np

import assay.graphs._families as _native
from assay.errors import ParameterError
from assay.graphs.learning.states import StateTable, state_table
from assay.types import TableLike

__all__ = ["SCORES", "FamilyScorer", "network_score"]

SCORES = ("bic", "aic", "bdeu", "k2", "log-likelihood")
MOST_CONFIGURATIONS = 65_535  # of parents, whose code is two bytes
MOST_CELLS = 4_000_000  # of one family's counts


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
        if score not in SCORES:
            raise ParameterError(
                f"score must be one of {', '.join(SCORES)}, got {score!r}.", who="learn_structure"
            )
        if not equivalent_sample_size > 0:
            raise ParameterError("equivalent_sample_size must be above 0.", who="learn_structure")
        self.data, self.score, self.s = data, score, float(equivalent_sample_size)
        self.n, self.weights = data.codes.shape[1], weights
        total = float(self.n if weights is None else weights.sum())
        counts = np.arange(self.n + 1, dtype=np.float64)
        self._logs = counts * np.log(np.maximum(counts, 1.0))
        self._gammas = lru_cache(maxsize=512)(self._log_gammas)
        self._codes: dict[tuple[int, ...], tuple[np.ndarray, int]] = {}
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

    def with_each(self, child: int, parents: Iterable[int], candidates: np.ndarray) -> np.ndarray:
        """(m,) the scores of a child with these parents and each candidate (-1: none) besides; -inf if too large."""
        code, q = self.code(tuple(sorted(parents)))
        cards, r = self.data.cards, int(self.data.cards[child])
        out = np.full(len(candidates), -np.inf)
        widths = np.where(candidates < 0, 1, cards[candidates])
        fits = (q * widths <= MOST_CONFIGURATIONS) & (q * widths * r <= MOST_CELLS)
        groups = (
            [fits] if self.score not in ("bdeu", "k2") else [fits & (widths == k) for k in np.unique(widths)]
        )
        for group in groups:
            some = np.ascontiguousarray(candidates[group], np.int64)
            if not len(some) or q > MOST_CONFIGURATIONS:
                continue
            if self.weights is not None:
                scores = np.array([self._weighted(child, code, q, int(z)) for z in some])
                out[group] = scores - self.penalty * q * widths[group] * (r - 1)
                continue
            cell, total = self._values(q * int(widths[group][0]), r)
            scores = np.empty(len(some))
            _native.family_scores(
                columns=self.data.codes,
                cards=cards,
                child=child,
                code=code,
                configurations=q,
                candidates=some,
                cell=cell,
                total=total,
                out=scores,
            )
            out[group] = scores - self.penalty * q * widths[group] * (r - 1)  # (1)
        return out

    def _weighted(self, child: int, code: np.ndarray, q: int, z: int) -> float:
        """The score of one family from weighted counts, without its penalty."""
        from scipy.special import gammaln, xlogy

        r, rz = int(self.data.cards[child]), 1 if z < 0 else int(self.data.cards[z])
        joint = code.astype(np.int64) if z < 0 else code.astype(np.int64) * rz + self.data.codes[z]
        counts = np.bincount(joint * r + self.data.codes[child], self.weights, minlength=q * rz * r).reshape(
            -1, r
        )
        totals = counts.sum(axis=1)
        if self.score not in ("bdeu", "k2"):
            return float(xlogy(counts, counts).sum() - xlogy(totals, totals).sum())
        a = self.s / (q * rz * r) if self.score == "bdeu" else 1.0
        return float(
            (gammaln(counts + a) - gammaln(a)).sum() - (gammaln(totals + a * r) - gammaln(a * r)).sum()
        )

    def code(self, parents: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """(n,) the configuration of some parents in each row, and how many there are."""
        if parents not in self._codes:
            q = prod(int(self.data.cards[p]) for p in parents)
            if q > MOST_CONFIGURATIONS:
                return np.zeros(self.n, np.uint16), q
            if parents:
                before, k = self.code(parents[:-1])
                code = before.copy()
                _native.join_code(code, self.data.codes[parents[-1]], int(self.data.cards[parents[-1]]), k)
            else:
                code = np.zeros(self.n, np.uint16)
            if len(self._codes) > 4096:
                self._codes.clear()
            self._codes[parents] = (code, q)
        return self._codes[parents]

    def _values(self, q: int, r: int) -> tuple[np.ndarray, np.ndarray]:
        if self.score == "bdeu":
            return self._gammas(self.s / (q * r)), self._gammas(self.s / q)
        if self.score == "k2":
            return self._gammas(1.0), self._gammas(float(r))
        return self._logs, self._logs

    def _log_gammas(self, a: float) -> np.ndarray:
        """ln Gamma(a + c) - ln Gamma(a) for all counts c."""
        from scipy.special import gammaln

        return gammaln(a + np.arange(self.n + 1)) - gammaln(a)


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
