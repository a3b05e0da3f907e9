"""The soft margin by subgradient steps on its primal objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, Integer, Object, Scalar
from assay.errors import warn_user
from assay.linear.sign_classifier import SignClassifier
from assay.svm.linear.margin_machine import check_squares, signed_rows
from assay.types import RandomState

__all__ = ["PrimalStep", "SubgradientSVC"]


@dataclass(frozen=True)
class PrimalStep:
    """One pass over the rows, as ``history_`` keeps it.

    Attributes
    ----------
    iteration : from 0, the start      objective : after the pass      best : the least so far
    rate : the learning rate of its last step      errors : weight of the rows with a margin below 1
    """

    iteration: int
    objective: float
    best: float
    rate: float
    errors: float
    stored = {"iteration": Integer()}


class SubgradientSVC(SignClassifier):
    r"""A soft margin without its dual: steps against a subgradient of the objective itself.

    .. math:: O(w,b)=\tfrac12\lVert w\rVert^2+C\sum_iv_i\,(1-y_i(w^Tx_i+b))_+                    \quad (1)

    .. math:: w\leftarrow w-\eta_t\Bigl(w-C\sum_{i:\,y_if_i<1}v_iy_ix_i\Bigr),\qquad
              b\leftarrow b+\eta_t\,C\sum_{i:\,y_if_i<1}v_iy_i                    \quad (2)

    The batch rule makes one such step a pass; the stochastic one steps after each row (or ``batch_size`` rows), whose
    sum stands for that of all, so that a pass makes many. The rate is :math:`\eta_t=\eta_0/(t+1)` by default, with
    :math:`\eta_0=1`, for which steps cannot leave the ball that holds the optimum. The objective does not fall at every
    step: the best weights so far are kept, or the average of the second half of the passes. An answer close to the
    optimum comes soon, the last digits never; for those :class:`LinearSVC`, for large tables :class:`SGDClassifier`.

    Cost: fit O(n d) a pass; predict O(d) a row; memory O(n d) to fit, O(d) kept.

    Parameters
    ----------
    C : float, default 1.0
        The price of slack.
    rule : "batch" or "stochastic", default "batch"
    batch_size : int, default 1
        Rows of one step of the stochastic rule.
    rate : float, default 1.0
        eta_0.
    schedule : "inverse", "root" or "constant", default "inverse"
        :math:`\eta_0/(t+1)`, :math:`\eta_0/\sqrt{t+1}` or :math:`\eta_0` at step t.
    average : bool, default False
        Answer with the mean weights of the second half of the passes instead of the best.
    fit_intercept : bool, default True
        Whether there is a constant b; it is not penalised.
    max_iter : int, default 1000
        Passes.
    random_state : default None
        Seed of the order of rows of the stochastic rule.
    tie : "positive", "random" or "reject", default "positive"
        The answer where the score is 0.

    Attributes
    ----------
    coef_ : (1, d)      intercept_ : (1,)      n_iter_ : int      history_ : list of PrimalStep
    objective_ : float, (1) of the answer

    Examples
    --------
    >>> from assay.svm import SubgradientSVC
    >>> model = SubgradientSVC(C=0.5, max_iter=3000).fit([[-2.0], [-1.0], [1.0], [2.0], [1.5]], [-1, -1, 1, 1, -1])
    >>> bool(abs(model.objective_ - 1.388889) < 0.01)              # the optimum, from the dual
    True

    See Also
    --------
    ProjectedGradientSVC, LinearSVC, SGDClassifier

    References
    ----------
    - Shalev-Shwartz, S., Singer, Y., Srebro, N. and Cotter, A. (2011). Pegasos: primal estimated sub-gradient solver
      for SVM. Mathematical Programming 127, 3-30. doi:10.1007/s10107-010-0420-4
    - Shor, N. Z. (1985). Minimization Methods for Non-Differentiable Functions. Springer.
    """

    card = Card(
        "subgradient svm",
        "a machine with margin by steps against the subgradient",
        scale=True,
        learns=("a linear score", "hinge loss + squared weights", "subgradient descent", "global"),
    )
    multiclass = "two classes only"
    remedy_for_more = "For more: LinearSVC, or OneVsRestClassifier around it."
    accepts = {
        "C": Range(0, np.inf, open="both"),
        "rule": Choice("batch", "stochastic"),
        "batch_size": Count(1),
        "rate": Range(0, open="low"),
        "schedule": Choice("inverse", "root", "constant"),
        "average": Flag(),
        "fit_intercept": Flag(),
        "max_iter": Count(1),
        "random_state": Seed(),
        "tie": Choice("positive", "random", "reject"),
    }
    stored = {"history_": Each(Object(PrimalStep)), "objective_": Scalar()}

    history_: list[PrimalStep]
    objective_: float

    def __init__(
        self,
        *,
        C: float = 1.0,
        rule: str = "batch",
        batch_size: int = 1,
        rate: float = 1.0,
        schedule: str = "inverse",
        average: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        random_state: RandomState = None,
        tie: str = "positive",
    ):
        self.C = C
        self.rule = rule
        self.batch_size = batch_size
        self.rate = rate
        self.schedule = schedule
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.tie = tie

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._refuse_other_than_two()
        X, s = signed_rows(X, y)
        check_squares(X, type(self).__name__)
        price = float(self.C) * (np.ones(len(s)) if w is None else w)
        v, b, best = np.zeros(X.shape[1]), 0.0, (np.zeros(X.shape[1]), 0.0)
        mean, counted, t = (np.zeros(X.shape[1]), 0.0), 0, 0
        value, errors = self._objective(X, s, price, v, b)
        least, self.history_ = value, [PrimalStep(0, value, value, 0.0, errors)]
        draw = random_state_of(self.random_state)
        with progress(self.max_iter, f"{type(self).__name__}: passes") as bar:
            for iteration in range(1, self.max_iter + 1):
                for rows in self._batches(len(s), draw):
                    rate, t = self._rate(t), t + 1
                    v, b = self._step(X, s, price, rows, v, b, rate)
                value, errors = self._objective(X, s, price, v, b)
                if value < least:
                    best, least = (v.copy(), b), value
                if 2 * iteration > self.max_iter:
                    counted += 1
                    mean = (mean[0] + (v - mean[0]) / counted, mean[1] + (b - mean[1]) / counted)
                self.history_.append(PrimalStep(iteration, value, least, rate, errors))
                bar.advance(note=f"objective {value:.4g}")
        if not least < self.history_[0].objective:
            warn_user(
                f"{type(self).__name__}: no pass lowered the objective. Lower the rate or C, or scale the columns.",
                ConvergenceWarning,
            )
        v, b = mean if self.average else best
        self.coef_, self.intercept_, self.n_iter_ = v[None], np.array([b]), self.max_iter
        self.objective_ = self._objective(X, s, price, v, b)[0]

    def _batches(self, n: int, draw: np.random.RandomState) -> list[Any]:
        if self.rule == "batch":
            return [slice(None)]
        order = draw.permutation(n)
        return [order[a : a + self.batch_size] for a in range(0, n, self.batch_size)]

    def _rate(self, t: int) -> float:
        steps = {"inverse": t + 1.0, "root": (t + 1.0) ** 0.5, "constant": 1.0}
        return float(self.rate) / steps[self.schedule]

    def _step(
        self, X: Any, s: np.ndarray, price: np.ndarray, rows: Any, v: np.ndarray, b: float, rate: float
    ) -> tuple[np.ndarray, float]:
        """(2) over some rows, whose sum stands for that of all."""
        part, signs = X[rows], s[rows]
        pull = np.where(signs * (np.asarray(part @ v).ravel() + b) < 1, price[rows] * signs, 0.0)
        pull *= len(s) / len(signs)
        v = v - rate * (v - np.asarray(pull @ part).ravel())
        return v, b + rate * float(pull.sum()) if self.fit_intercept else b

    @staticmethod
    def _objective(X: Any, s: np.ndarray, price: np.ndarray, v: np.ndarray, b: float) -> tuple[float, float]:
        """(1), and the weight of the rows with a margin below 1."""
        slack = np.maximum(0.0, 1.0 - s * (np.asarray(X @ v).ravel() + b))
        return 0.5 * float(v @ v) + float(price @ slack), float((slack > 0).sum())
