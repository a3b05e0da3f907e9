"""RankSVM in the space of a kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

import assay.svm.ranking._pair_descent as _pair_descent
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DataError, warn_user
from assay.linear.ranking.ranker import Ranker
from assay.linear.ranking.ranking_pairs import ranking_error
from assay.svm.kernel_machine import KernelMachine
from assay.svm.linear.linear_machine import seed_of
from assay.types import KernelLike, RandomState, RowLabels, TableLike, Target

__all__ = ["KernelRankSVM"]

MAX_ROWS_HELD = 15_000  # whose kernel matrix is held as a whole, 1.8 GB
FIRST_VIOLATION = 0.1  # of a margin, at which the gap is looked at first
VALUES_BETWEEN_LOOKS = 1 << 28  # of the kernel matrix that are gone through before Ctrl-C is looked for
MAX_SHOWN = 8  # support vectors of an explanation


class KernelRankSVM(KernelMachine, Ranker):
    r"""Score rows by a function in the space of a kernel such that preferred rows lead by a margin.

    .. math:: g(x)=\sum_t\alpha_t\,[K(x_{u_t},x)-K(x_{v_t},x)],\qquad 0\le\alpha_t\le C                       \quad (1)

    maximises :math:`\sum_t\alpha_t-\tfrac12\lVert g\rVert^2` over the multipliers of pairs (u, v), u preferred to v:
    the dual of :class:`RankSVM` with the entries :math:`K(u,k)-K(u,l)-K(v,k)+K(v,l)` of its matrix, the product of
    differences of images (not the kernel of differences of rows). A pair in the margin has :math:`\alpha=C`, one on the
    margin less. There is no constant. For ``loss="squared_hinge"`` the multipliers have no upper bound.

    Cost: fit O(n^2 d) for the kernel matrix and O(m + n s) a pass over m pairs of which s move; predict O(n d) a row;
    memory O(n^2 + m) to fit, O(n d) kept.

    Parameters
    ----------
    C : float, default 1.0
        The price of slack of a pair.
    kernel : str, callable or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", ..., or an object of :mod:`assay.kernels`.
    degree, gamma, coef0 : of the kernel, as in :class:`SVC`
    loss : "hinge" or "squared_hinge", default "hinge"
    tol : float, default 1e-4
        Gap between the objective and its dual, relative to it, at which to stop.
    max_iter : int, default 10000
        Passes over the pairs at most.
    best : "highest" or "lowest", default "highest"
        Which target is the best: "highest" for grades, "lowest" for ranks, 1 being the first.
    max_pairs : int, default 1 million
        If the grades make more pairs, this many are drawn at random.
    random_state : int, RandomState or None, default None
        Seed of that draw, and of the order in which pairs are visited.

    Attributes
    ----------
    dual_coef_ : (1, m) coefficients of the support vectors, sums of (1)      support_ : (m,)
    support_vectors_ : (m, p)      kernel_ : Kernel, as fitted      intercept_ : (1,) of 0
    alpha_ : multipliers of the training pairs      error_ : RankingError of the training pairs
    objective_ : float      gap_ : float      n_iter_ : int, passes

    Examples
    --------
    Rows near 0 are preferred, which no straight line says:

    >>> from assay.svm import KernelRankSVM
    >>> x, grade = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], [0, 1, 2, 1, 0]
    >>> model = KernelRankSVM(C=10.0, gamma=1.0).fit(x, grade)
    >>> model.rank([[1.5], [0.1], [-0.7]]), model.error_.violated
    (array([3, 1, 2]), 0)

    See Also
    --------
    RankSVM, PairwiseRanker, SVC

    References
    ----------
    - Joachims, T. (2002). Optimizing search engines using clickthrough data. Knowledge Discovery and Data Mining,
      133-142. doi:10.1145/775047.775067
    - Kuo, T.-M., Lee, C.-P. and Lin, C.-J. (2014). Large-scale kernel RankSVM. SIAM International Conference on Data
      Mining, 812-820. doi:10.1137/1.9781611973440.93
    """

    card = Card("kernel rank svm", "an order of rows in the space of a kernel", scale=True)
    margin = 1.0
    accepts = {
        "C": Range(0, open="low"),
        **{name: KernelMachine.accepts[name] for name in ("kernel", "degree", "gamma", "coef0")},
        "loss": Choice("hinge", "squared_hinge"),
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
        "best": Choice("highest", "lowest"),
        "max_pairs": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "alpha_": FloatArray("*", low=0, finite=True),
        "objective_": Scalar(low=0),
        "gap_": Scalar(),
        "n_iter_": Integer(low=0),
    }

    alpha_: np.ndarray
    objective_: float
    gap_: float
    n_iter_: int

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        tol: float = 1e-4,
        max_iter: int = 10_000,
        best: str = "highest",
        max_pairs: int = 1_000_000,
        random_state: RandomState = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
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
        X : table of n rows, or what the kernel compares
        y : (n,) grades or ranks, see ``best``; not needed with ``pairs``
        group : (n,) the query that each row belongs to; None for one list
        pairs : (m, 2) row numbers, the preferred row first; any partial order
        """
        self._check_parameters()
        values = self._admit(X, fitting=True)
        n = values.shape[0]
        rows = self._pairs(n, y, group, pairs)
        gram = self._learn_kernel(values)
        if n > MAX_ROWS_HELD:
            raise DataError(
                f"{type(self).__name__}: the kernel matrix of {n} rows does not fit into memory (at most "
                f"{MAX_ROWS_HELD}). Use assay.kernels.Nystroem before RankSVM, or draw a sample of the rows."
            )
        alpha, g = self._descend(gram.whole(), rows)
        coefficient = np.bincount(rows[:, 0], alpha, n) - np.bincount(rows[:, 1], alpha, n)
        support = np.flatnonzero(coefficient)
        self._keep(values, support, coefficient[None, support], 0.0)
        self.alpha_, self.fit_status_ = alpha, int(self.gap_ > self.tol * self.objective_)
        self.error_ = ranking_error(g, rows, self.margin)
        if self.fit_status_:
            warn_user(
                f"{type(self).__name__} stopped after {self.n_iter_} passes with a gap of "
                f"{self.gap_ / self.objective_:.2g} to the dual (tol={self.tol:g}). Raise max_iter, or lower C.",
                ConvergenceWarning,
            )
        return self

    def _descend(self, gram: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The multipliers of the pairs, and the scores of the rows."""
        m, n, C = len(rows), len(gram), float(self.C)
        squared = self.loss == "squared_hinge"
        ridge, high = (0.5 / C, np.inf) if squared else (0.0, C)
        alpha, g, order = np.zeros(m), np.zeros(n), np.arange(m)
        state = np.array([m, np.inf, float(seed_of(self.random_state)), np.inf, 0.0, 0.0])
        violation, made = FIRST_VIOLATION, 0
        while True:
            made += _pair_descent.descend(
                gram=gram,
                pairs=rows,
                high=np.full(m, high),
                ridge=ridge,
                tol=violation,
                most=self.max_iter - made,
                visits=max(1, VALUES_BETWEEN_LOOKS // n),
                a=alpha,
                g=g,
                order=order,
                state=state,
            )
            end_if_abandoned()
            if state[3] > violation and made < self.max_iter:
                continue
            lead = g[rows[:, 0]] - g[rows[:, 1]]
            norm, slack = float(alpha @ lead), np.maximum(0.0, 1.0 - lead)
            value = 0.5 * norm + C * float((slack**2 if squared else slack).sum())
            gap = value - (float(alpha.sum()) - 0.5 * norm - 0.5 * ridge * float(alpha @ alpha))
            if gap <= self.tol * value or made >= self.max_iter or violation < 1e-12:
                break
            violation *= 0.1
            state[:2] = m, np.inf
        self.objective_, self.gap_, self.n_iter_ = value, gap, made
        return alpha, g

    def _predict(self, X: Any) -> np.ndarray:
        return self._outputs(X)[:, 0]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        def sections(i: int) -> list[Section]:
            Q, S = self._query(X[i : i + 1])
            values = np.asarray(self._comparing.between(Q, S))[0]
            coefficient = self._coefficients[:, 0]
            share = coefficient * values
            order = np.argsort(-np.abs(share), kind="stable")[:MAX_SHOWN]
            lines: list[list[Any]] = [
                [self._cases.label(int(self.support_[j])), *map(float, (values[j], coefficient[j], share[j]))]
                for j in order
            ]
            if len(share) > len(order):
                others = float(share.sum() - share[order].sum())
                lines.append([f"{len(share) - len(order)} more", "", "", others])
            lines.append(["sum", "", "", float(share.sum())])
            heads = ["support vector", "kernel", "coefficient", "product"]
            return [Section("Support vectors of the score", heads, lines)]

        return Reasons(sections)
