"""Averaged one-dependence estimators: every column in turn is the parent of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.graphs._families as _native
from assay.bayes.drawing import draw_rows
from assay.core import Card, Generative, PassLearner
from assay.core.parameters import Range
from assay.core.seeds import as_generator
from assay.core.stored import Each, FloatArray, Object
from assay.core.sums import Source
from assay.graphs.classifiers.intervals import card_of, codes_of, column_intervals, drawn_table
from assay.graphs.classifiers.network_learner import CUTS, check_draws
from assay.graphs.classifiers.pair_counts import PairCounts, pair_counts
from assay.types import RandomState

__all__ = ["AODEClassifier"]


class AODEClassifier(PassLearner, Generative):
    r"""The mean of d classifiers, in each of which one column is the parent of all others besides the class.

    .. math:: P(k, x) = \frac{1}{|J|} \sum_{j \in J} P(k, x_j) \prod_i P(x_i \mid k, x_j)          \quad (1)

    J are the columns whose value in the row occurs in at least ``min_count`` training rows; without such a column the
    answer is that of naive Bayes. No structure is searched, so that the variance is small. A missing value is no parent
    and no child. Counts of all pairs are sums over rows.

    Cost: fit O(n S^2) for S states of all columns; predict O(d^2 K) a row; memory O(S^2 K).

    Parameters
    ----------
    alpha : float, default 1
        Pseudo-count of each entry of the tables.
    min_count : float, default 1
        The weight of training rows that a value needs to be a parent.
    cuts : "mdl" or int, default "mdl"
        Intervals of numbers: by class entropy and description length, or that many of equal weight.

    Attributes
    ----------
    counts_ : PairCounts      cuts_ : list of d arrays      class_count_ : (K,)

    Examples
    --------
    >>> from assay.graphs import AODEClassifier
    >>> from assay.tables.data import load_weather
    >>> data = load_weather()
    >>> AODEClassifier().fit(data.X, data.y).predict(data.X[:3]).tolist()
    ['no', 'no', 'yes']

    See Also
    --------
    TANClassifier, KDBClassifier, NaiveBayes

    References
    ----------
    - Webb, G. I., Boughton, J. R. and Wang, Z. (2005). Not so naive Bayes: aggregating one-dependence estimators.
      Machine
      Learning 58, 5-24. doi:10.1007/s10994-005-4258-6
    """

    card = Card(
        "aode",
        "the mean of classifiers with one column each as parent of all others",
        also=("averaged one-dependence estimators",),
        suits="any",
        most_columns=300,
        learns=(
            "a mean of networks in which one column is a parent of all others",
            "negative log joint likelihood, smoothed",
            "counts",
            "analytic",
        ),
    )
    accepts = {"alpha": Range(0, open="high"), "min_count": Range(0), "cuts": CUTS}
    stored = {
        "counts_": Object(PairCounts, K="K", d="d"),
        "cuts_": Each(FloatArray("*", finite=True), "d"),
        "class_count_": FloatArray("K", low=0),
        "ranges_": FloatArray("d", "2") | None,
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(self, *, alpha: float = 1.0, min_count: float = 1.0, cuts: Any = "mdl"):
        self.alpha = alpha
        self.min_count = min_count
        self.cuts = cuts

    def _learn_from(self, source: Source) -> None:
        K, who = len(self.classes_), type(self).__name__
        self.cuts_, self.ranges_ = column_intervals(source, self.schema_, K, self.cuts)
        cards = np.array([card_of(self.schema_, self.cuts_, j) for j in range(len(self.schema_))], np.int64)
        self.counts_ = source.add_up(
            lambda b: pair_counts(codes_of(b.X, self.schema_, self.cuts_), b.y, b.w, K, cards, who)
        )
        self.class_count_ = self.counts_.class_count

    def _prior(self) -> np.ndarray:
        total = self.class_count_.sum()
        return self.class_count_ / total if total > 0 else np.full(len(self.classes_), 1 / len(self.classes_))

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        codes = codes_of(X, self.schema_, self.cuts_)
        parents, children, singles, usable = self._tables()
        K = len(self.classes_)
        out = np.empty((len(codes), K))
        with np.errstate(divide="ignore"):
            prior = np.log(self._prior())
        _native.one_dependence(
            codes=codes,
            start=self.counts_.start,
            parents=parents,
            children=children,
            singles=singles,
            usable=usable,
            prior=prior,
            out=out,
        )
        return out

    def _tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Log P(k, x_j) (S, K); log P(x_i | k, x_j) (S, S K); log P(x_i | k) (S, K); states that may be parents."""
        counts, alpha = self.counts_, float(self.alpha)
        K, S = len(counts.class_count), int(counts.start[-1])
        start = counts.start[:-1]
        single = np.diagonal(counts.cells, axis1=1, axis2=2)  # (K, S)
        card = np.repeat(counts.cards, counts.cards).astype(np.float64)
        both = np.add.reduceat(
            counts.cells, start, axis=2
        )  # (K, S, d) of a parent's state, with each child there
        total = np.repeat(both, counts.cards, axis=2)
        column = np.repeat(np.add.reduceat(single, start, axis=1), counts.cards, axis=1)
        everything = column.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            children = np.log((counts.cells + alpha) / (total + alpha * card[None, None, :]))
            children = np.where(total + alpha == 0, -np.log(card), children)
            parents = np.log((single + alpha) / (everything + alpha * K * card))
            singles = np.log((single + alpha) / (column + alpha * card))
            singles = np.where(column + alpha == 0, -np.log(card), singles)
        usable = single.sum(axis=0) >= max(self.min_count, 1e-300)
        table = np.ascontiguousarray(np.moveaxis(children, 0, 2).reshape(S, S * K))
        return (
            np.ascontiguousarray(parents.T),
            table,
            np.ascontiguousarray(singles.T),
            usable.astype(np.uint8),
        )

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Any, np.ndarray]:
        """n rows drawn from the average of the networks: a table, and (n,) classes.

        A column is drawn to be the parent, it and the class by their joint probability (among its states that occur
        often enough to be one), and all other columns given both. In an interval of numbers all from the least to the
        largest that training had there are equally likely.
        """
        self._ready()
        check_draws(n, self)
        rng = as_generator(random_state, type(self).__name__)
        parents, children, singles, usable = self._tables()
        K, start, d = len(self.classes_), self.counts_.start, len(self.schema_)
        pairs = children.reshape(len(singles), len(singles), K)
        eligible = [j for j in range(d) if usable[start[j] : start[j + 1]].any()]
        codes, y = np.empty((n, d), np.int64), np.empty(n, np.int64)
        spode = rng.integers(len(eligible) or 1, size=n)
        for place, j in enumerate(eligible or [-1]):
            rows = np.flatnonzero(spode == place)
            if not len(rows):
                continue
            if j < 0:  # no state occurs often enough: naive Bayes
                y[rows] = rng.choice(K, size=len(rows), p=self._prior())
            else:
                part = slice(start[j], start[j + 1])
                joint = np.exp(parents[part]) * usable[part, None]
                y[rows], codes[rows, j] = _cells(rng, joint.T, len(rows))
            for i in range(d):
                if i != j:
                    of_column = slice(start[i], start[i + 1])
                    if j < 0:
                        logs = singles[of_column].T[y[rows]]
                    else:
                        logs = pairs[start[j] + codes[rows, j], of_column, y[rows]]
                    codes[rows, i] = draw_rows(rng, np.exp(logs), np.arange(len(rows)))
        return drawn_table(codes, self.schema_, self.cuts_, self.ranges_, rng), self.classes_[y]

    def _check_stored(self) -> None:
        if "counts_" not in vars(self):
            return
        cards = [card_of(self.schema_, self.cuts_, j) for j in range(len(self.schema_))]
        if self.counts_.cards.tolist() != cards or self.counts_.cells.shape[1] != sum(cards):
            raise ValueError("AODEClassifier: its counts do not fit its columns.")
        for edges in self.cuts_:
            if (np.diff(edges) <= 0).any():
                raise ValueError("AODEClassifier: cuts must ascend.")


def _cells(rng: np.random.Generator, weights: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of n cells of a table, drawn by their weights."""
    flat = rng.choice(weights.size, size=n, p=weights.ravel() / weights.sum())
    return np.unravel_index(flat, weights.shape)  # type: ignore[return-value]
