"""Tree-augmented naive Bayes: each column may depend on one other besides the class."""

from __future__ import annotations

from typing import Any

from assay.core import Card, PassLearner
from assay.core.sums import Source
from assay.graphs.classifiers.intervals import codes_of
from assay.graphs.classifiers.network_learner import NetworkLearner
from assay.graphs.classifiers.pair_counts import pair_counts
from assay.graphs.learning.chow_liu import spanning_tree

__all__ = ["TANClassifier"]


class TANClassifier(PassLearner, NetworkLearner):
    r"""Naive Bayes with a tree between the columns: each depends on the class and on one other column.

    .. math:: P(k, x) = P(k) \prod_j P(x_j \mid x_{\pi(j)}, k)                                  \quad (1)

    The tree is the spanning tree with the most mutual information given the class,
    :math:`\sum_j I(x_j; x_{\pi(j)} \mid k)`: of all trees it has the largest likelihood. Counts of all pairs are sums
    over rows. Numbers are cut into intervals; missing values are summed out exactly.

    Cost: fit O(n S^2) for S states of all columns, as one matrix product; predict O(d K) look-ups a row;
    memory O(K S^2) counts of pairs.

    Parameters
    ----------
    alpha : float, default 1
        Pseudo-count of each entry of the tables.
    cuts : "mdl" or int, default "mdl"
        Intervals of numbers: by class entropy and description length, or that many of equal weight.

    Attributes
    ----------
    network_ : BayesianNetwork of the class and the columns      cuts_ : list of d arrays      class_count_ : (K,)

    Examples
    --------
    >>> from assay.graphs import TANClassifier
    >>> from assay.tables.data import load_weather
    >>> data = load_weather()
    >>> model = TANClassifier().fit(data.X, data.y)
    >>> print(model.network_)
    P(class) P(outlook | class) P(temperature | class, outlook) P(humidity | class, outlook) P(windy | class, outlook)

    See Also
    --------
    KDBClassifier, AODEClassifier, BayesianNetworkClassifier, NaiveBayes

    References
    ----------
    - Friedman, N., Geiger, D. and Goldszmidt, M. (1997). Bayesian network classifiers. Machine Learning 29, 131-163.
      doi:10.1023/A:1007465528199
    """

    card = Card(
        "tan",
        "naive Bayes with a tree of dependencies between the columns",
        also=("tree-augmented naive bayes",),
        suits="any",
        most_columns=500,
        learns=(
            "a network: the class, and a tree over the columns",
            "negative log joint likelihood, smoothed",
            "counts and a maximum spanning tree",
            "global",
        ),
    )

    def __init__(self, *, alpha: float = 1.0, cuts: Any = "mdl"):
        self.alpha = alpha
        self.cuts = cuts

    def _learn_from(self, source: Source) -> None:
        NetworkLearner._learn_from(self, source)

    def _parents(self, source: Source) -> tuple[list[int], list[list[int]]]:
        cards, who, K = self._card_list, type(self).__name__, len(self.classes_)
        counts = source.add_up(
            lambda b: pair_counts(codes_of(b.X, self.schema_, self.cuts_), b.y, b.w, K, cards, who)
        )
        parent = spanning_tree(counts.conditional_information())
        return [], [[-1] if p < 0 else [-1, int(p)] for p in parent]
