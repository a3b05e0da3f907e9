"""RankSVM: an order of rows with a margin, from preferences."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.stored import Integer, Scalar
from assay.linear.ranking.ranker import LinearRanker
from assay.linear.ranking.ranking_pairs import ranking_error
from assay.svm.linear.linear_machine import seed_of, solver_rows, warn_unfinished
from assay.svm.linear.linear_solver import minimise
from assay.svm.linear.slack_problem import SlackProblem
from assay.types import RandomState, RowLabels, TableLike, Target

__all__ = ["RankSVM"]


class RankSVM(LinearRanker):
    r"""Score rows by :math:`g(x)=w^Tx` such that rows preferred to others score higher by a margin.

    .. math:: \min_w\;\tfrac12\lVert w\rVert^2+C\sum_{(u,v)}\bigl(1-w^T(x_u-x_v)\bigr)_+^p                    \quad (1)

    over pairs (u, v), u preferred to v: of a total order, of grades within queries, or any partial order. It is a
    machine without constant that separates the differences :math:`x_u-x_v` from 0, each pair once with the label +1;
    with the mirrored differences and labels -1 added it would be (1) with 2 C. Like :class:`LinearSVC` it is solved
    to its minimum whatever the scale of the columns.

    Cost: fit O(m d^2) a step over m pairs, of which a list of n rows has up to n (n - 1) / 2, or O(m d) a pass where
    rows are sparse; predict O(d) a row; memory O(m d) to fit, O(d) kept.

    Parameters
    ----------
    C : float, default 1.0
        The price of slack of a pair.
    loss : "hinge" or "squared_hinge", default "hinge"
        p of (1): 1 or 2.
    tol : float, default 1e-4
        Stop once the objective is within tol / 100 of its minimum, relatively; most solvers come closer.
    max_iter : int, default 1000
        Steps or passes of the solver at most, as in :class:`LinearSVC`.
    best : "highest" or "lowest", default "highest"
        Which target is the best: "highest" for grades, "lowest" for ranks, 1 being the first.
    max_pairs : int, default 1 million
        If the grades make more pairs, this many are drawn at random.
    random_state : int, RandomState or None, default None
        Seed of that draw.

    Attributes
    ----------
    coef_ : (d,) w, in the columns of ``design_``      intercept_ : 0.0
    error_ : RankingError of the training pairs      objective_ : float, (1)      n_iter_ : int

    Examples
    --------
    Three items, the larger the better:

    >>> from assay.svm import RankSVM
    >>> model = RankSVM(C=0.5).fit([[1.0], [2.0], [3.0]], [1, 2, 3])
    >>> model.coef_.round(6), round(model.objective_, 6), model.rank([[1.0], [2.0], [3.0]])
    (array([1.]), 0.5, array([3, 2, 1]))

    See Also
    --------
    KernelRankSVM, PairwiseRanker, LinearSVC, ranking_error, pairs_from_clicks

    References
    ----------
    - Herbrich, R., Graepel, T. and Obermayer, K. (2000). Large margin rank boundaries for ordinal regression. In
      Advances in Large Margin Classifiers, 115-132. MIT Press.
    - Joachims, T. (2002). Optimizing search engines using clickthrough data. Knowledge Discovery and Data Mining,
      133-142. doi:10.1145/775047.775067
    """

    card = Card("rank svm", "an order of rows with a margin, from preferences", also=("ranksvm",), scale=True)
    margin = 1.0
    accepts = {
        "C": Range(0, np.inf, open="both"),
        "loss": Choice("hinge", "squared_hinge"),
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
        "best": Choice("highest", "lowest"),
        "max_pairs": Count(1),
        "random_state": Seed(),
    }
    stored = {"objective_": Scalar(low=0), "n_iter_": Integer(low=0)}

    objective_: float
    n_iter_: int

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        tol: float = 1e-4,
        max_iter: int = 1000,
        best: str = "highest",
        max_pairs: int = 1_000_000,
        random_state: RandomState = None,
    ):
        self.C = C
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.best = best
        self.max_pairs = max_pairs
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self,
        X: TableLike,
        y: Target | None = None,
        *,
        group: RowLabels | None = None,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Learn from grades or ranks y, compared within groups, or from pairs.

        Parameters
        ----------
        X : table of n rows
        y : (n,) grades or ranks, see ``best``; not needed with ``pairs``
        group : (n,) the query that each row belongs to; None for one list
        pairs : (m, 2) row numbers, the preferred row first; any partial order
        """
        self._check_parameters()
        values = self._admit(X, fitting=True)
        rows = self._pairs(values.shape[0], y, group, pairs)
        values = solver_rows(values)
        m = len(rows)
        differences = values[rows[:, 0]] - values[rows[:, 1]]
        target, price = np.ones(m), np.full(m, float(self.C))
        power = 1 if self.loss == "hinge" else 2
        problem = SlackProblem(differences, target, price, np.zeros(m), 0.0, power, 0.0)
        problem.check_sizes(type(self).__name__)
        solution = minimise(problem, float(self.tol), self.max_iter, seed_of(self.random_state))
        self.coef_, self.intercept_ = solution.v, 0.0
        self.objective_, self.n_iter_ = solution.value, solution.n_iter
        self.error_ = ranking_error(np.asarray(values @ self.coef_).ravel(), rows, self.margin)
        warn_unfinished(type(self).__name__, [solution], self.max_iter, self.tol)
        return self
