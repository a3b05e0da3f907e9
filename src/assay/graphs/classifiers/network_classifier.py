"""A classifier by any Bayesian network of the class and the columns, its structure learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.stored import Scalar
from assay.core.sums import Rows
from assay.errors import DataError
from assay.graphs.classifiers.intervals import codes_of
from assay.graphs.classifiers.network_learner import NetworkLearner
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.scores import SCORES
from assay.graphs.learning.states import MOST_STATES, StateTable, interval_names, missing_state
from assay.graphs.learning.structure import METHODS, structure_of
from assay.graphs.node import Node
from assay.types import RandomState

__all__ = ["BayesianNetworkClassifier"]


class BayesianNetworkClassifier(NetworkLearner):
    r"""Learn a Bayesian network of the class and all columns, and answer by the class given the others.

    .. math:: P(k \mid x) \propto P(k \mid \text{parents}) \prod_{j:\ k \to x_j} P(x_j \mid \text{parents of } x_j)

    Only the Markov blanket of the class matters: its parents, its children and their parents. Numbers are cut into
    intervals; missing values are a state while the structure is searched, and summed out in answers.

    Cost: fit O(n d) for each move of the search after O(n d^2) for the first; predict O(d K) look-ups a row; memory
    O(n d)
    bytes and the tables.

    Parameters
    ----------
    search : "hill climbing", "tabu", "chow-liu" or "pc", default "hill climbing"
    criterion : "bic", "aic", "bdeu", "k2" or "log-likelihood", default "bic"
    augmented : bool, default False
        Whether the class is a parent of every column, as in naive Bayes.
    max_parents : int, default 4
        Of a node; the class counts.
    restarts : int, default 0
        How often the search starts again from a perturbed best structure.
    equivalent_sample_size : float, default 1
        Of BDeu.
    alpha : float, default 1
        Pseudo-count of each entry of the tables.
    cuts : "mdl" or int, default "mdl"
        Intervals of numbers: by class entropy and description length, or that many of equal weight.
    random_state : seed of the restarts, default 0

    Attributes
    ----------
    network_ : BayesianNetwork of the class and the columns      score_ : float
    cuts_ : list of d arrays      class_count_ : (K,)

    Examples
    --------
    >>> from assay.graphs import BayesianNetworkClassifier
    >>> from assay.tables.data import load_weather
    >>> data = load_weather()
    >>> model = BayesianNetworkClassifier(augmented=True).fit(data.X, data.y)
    >>> print(model.network_)
    P(class) P(outlook | class) P(temperature | class) P(humidity | class) P(windy | class)

    See Also
    --------
    TANClassifier, learn_network

    References
    ----------
    - Friedman, N., Geiger, D. and Goldszmidt, M. (1997). Bayesian network classifiers. Machine Learning 29, 131-163.
      doi:10.1023/A:1007465528199
    """

    card = Card(
        "bayesian network",
        "a Bayesian network of the class and all columns, its structure learned",
        also=("bayes net",),
        most_columns=200,
        learns=(
            "a network of the columns and the class",
            "description length (BIC), or another score of the network",
            "a search over networks, then counts",
            "local",
        ),
    )
    accepts = {
        **NetworkLearner.accepts,
        "search": Choice(*METHODS),
        "criterion": Choice(*SCORES),
        "augmented": Flag(),
        "max_parents": Count(1),
        "restarts": Count(0),
        "equivalent_sample_size": Range(0, open="low"),
        "random_state": Seed(),
    }
    stored = {"score_": Scalar()}

    def __init__(
        self,
        search: str = "hill climbing",
        *,
        criterion: str = "bic",
        augmented: bool = False,
        max_parents: int = 4,
        restarts: int = 0,
        equivalent_sample_size: float = 1.0,
        alpha: float = 1.0,
        cuts: Any = "mdl",
        random_state: RandomState = 0,
    ):
        self.search = search
        self.criterion = criterion
        self.augmented = augmented
        self.max_parents = max_parents
        self.restarts = restarts
        self.equivalent_sample_size = equivalent_sample_size
        self.alpha = alpha
        self.cuts = cuts
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_from(Rows(X, y, w))

    def _parents(self, source: Any) -> tuple[list[int], list[list[int]]]:
        names = ["", *self.schema_.names]
        data, weights = self._states(source.X, source.y, source.w)
        required = [("", name) for name in names[1:]] if self.augmented else []
        learned = structure_of(
            data,
            Constraints(names, required, who=type(self).__name__),
            self.search,
            score=self.criterion,
            max_parents=self.max_parents,
            restarts=self.restarts,
            equivalent_sample_size=self.equivalent_sample_size,
            weights=weights,
            random_state=self.random_state,
        )
        self.score_ = float(learned.score)
        place = {name: i - 1 for i, name in enumerate(names)}
        above: list[list[int]] = [[] for _ in names]
        for a, b in learned.arcs:
            above[place[b] + 1].append(place[a])
        return above[0], above[1:]

    def _states(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None
    ) -> tuple[StateTable, np.ndarray | None]:
        """The class and the columns as codes; missing values are a state of their own here."""
        codes = codes_of(X, self.schema_, self.cuts_, first=1)
        codes[:, 0] = y
        nodes = [Node("", list(range(len(self.classes_))))]
        for j, column in enumerate(self.schema_):
            states = list(column.categories) if column.coded else list(interval_names(self.cuts_[j]))
            gaps = codes[:, j + 1] < 0
            codes[gaps, j + 1] = len(states)
            if gaps.any() or not states:
                states = [*states, missing_state(states)]
            if len(states) > MOST_STATES:
                raise DataError(
                    f"column {column.name!r} has {len(states)} categories, at most {MOST_STATES} can be counted. Leave "
                    "it out: a column that names rows says nothing.",
                    who=type(self).__name__,
                )
            nodes.append(Node(column.name, states))
        if len(self.classes_) > MOST_STATES:
            raise DataError(f"y has more than {MOST_STATES} classes.", who=type(self).__name__)
        kept = slice(None) if w is None or (w > 0).all() else w > 0
        weights = None if w is None or (w[kept] == 1).all() else np.asarray(w[kept], np.float64)
        table = StateTable(
            nodes, np.ascontiguousarray(codes[kept].T.astype(np.uint8)), np.zeros(len(nodes)), {}
        )
        return table, weights
