"""The textbook perceptron: visit rows, correct mistakes, stop when none is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, IntArray, Integer, Object
from assay.errors import ParameterError, warn_user
from assay.linear.discriminants.mistakes import SignedRows, Walk
from assay.linear.sign_classifier import SignClassifier
from assay.types import RandomState

__all__ = ["Epoch", "PerceptronRule"]


@dataclass(frozen=True)
class Epoch:
    """One pass: its number from 1, how many corrections it made, at which rate."""

    iteration: int
    corrections: int
    rate: float
    stored = {
        "iteration": Integer(),
        "corrections": Integer(),
    }


class PerceptronRule(SignClassifier):
    r"""Separate two classes by a hyperplane, learning from mistakes only, one row at a time.

    .. math:: y_i(w^Tx_i + w_0) \le \rho:\quad w \leftarrow w + \eta y_ix_i,\; w_0 \leftarrow w_0 + \eta y_i  \quad (1)

    with y = -1 for the first class and +1 for the second. It is gradient descent, row by row, on the perceptron
    criterion :math:`-\sum y_iw^Tx_i` over the mistakes; with ``batch`` it is the same on all of them at once. If the
    classes are separable it stops after at most :math:`R^2/\rho^2` corrections (see ``convergence_bound``), else never:
    ``max_iter`` ends it, with a warning. The answer depends on the start and on the order of the rows; it is no widest
    margin. ``Perceptron`` is the drop-in for scikit-learn's, with more than two classes.

    Cost: fit O(n d) a pass; predict O(d K) a row; memory O(n d) to fit, O(d K) kept, and O(d) for each correction that
    is recorded.

    Parameters
    ----------
    rate : float, default 1
        eta in (1). From a zero start it only scales the weights. Books that write :math:`\eta(y - \hat y)x` mean
        twice this number.
    schedule : {"constant", "inverse"}, default "constant"
        "inverse" divides the rate by the number of the epoch.
    order : {"cyclic", "random", "first"} or array of row numbers, default "cyclic"
        Rows as they come; in a fresh random order each epoch; from the first row to the first mistake, which counts
        as an epoch; or these rows in this order.
    batch : bool, default False
        Correct all mistakes of a pass at once, which needs no order.
    max_iter : int, default 1000
        Most epochs.
    margin : float, default 0
        rho in (1): rows that are right, but not by more than this, are corrected as well.
    average : bool, default False
        Use the mean of the weights over all visits, which is steadier when the classes are not separable.
    start : {"zero", "random"} or array (d + 1,), default "zero"
        Where to begin, w_0 first; "random" draws from -0.01 to 0.01.
    fit_intercept : bool, default True
        Whether w_0 is learned.
    training_tie : {"mistake", "positive"}, default "mistake"
        What a score of exactly the margin is while learning: a mistake, as in (1), or by sign(0) = +1 a mistake
        for the first class only.
    tie : {"positive", "random", "reject"}, default "positive"
        What a score of 0 is when predicting: the second class, either of them, or "reject".
    keep : bool, default False
        Keep which rows were corrected in ``updates_``, and the weights after each correction in ``path_``.
    random_state : seed of the order, of the start and of random ties

    Attributes
    ----------
    coef_ : (1, D)      intercept_ : (1,)      classes_ : (2,)
    n_iter_ : epochs, the clean one counted
    n_updates_ : corrections
    converged_ : whether an epoch without a mistake was reached
    history_ : list of Epoch
    updates_ : with ``keep``: (n_updates_,) the rows corrected, one after another; none with ``batch``
    path_ : with ``keep``: (n_updates_ + 1, D + 1) the weights, w_0 first, from the start on; after each epoch with
        ``batch``

    Examples
    --------
    The exclusive or, mapped so that the second coordinate separates it:

    >>> from assay.linear import PerceptronRule
    >>> X, y = [[-1, 1], [-1, -1], [1, -1], [1, 1]], [0, 1, 1, 0]
    >>> model = PerceptronRule().fit(X, y)
    >>> model.coef_, model.intercept_, model.n_updates_, model.n_iter_
    (array([[ 0., -2.]]), array([0.]), 2, 2)

    See Also
    --------
    Perceptron, PocketClassifier, convergence_bound

    References
    ----------
    - Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in the
      brain. Psychological Review 65(6), 386-408. doi:10.1037/h0042519
    - Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the Mathematical Theory of
      Automata 12, 615-622.
    """

    card = Card(
        "perceptron rule",
        "two classes: the perceptron of the textbook, mistake by mistake",
        scale=True,
        learns=(
            "a linear score",
            "perceptron loss: distance of mistakes from the boundary",
            "one row after the other",
            "global",
        ),
    )
    multiclass = "two classes only"
    accepts = {
        "rate": Range(0, open="low"),
        "schedule": Choice("constant", "inverse"),
        "order": Choice("cyclic", "random", "first") | Array(1, low=0),
        "batch": Flag(),
        "max_iter": Count(),
        "margin": Range(0),
        "average": Flag(),
        "start": Choice("zero", "random") | Array(1),
        "fit_intercept": Flag(),
        "training_tie": Choice("mistake", "positive"),
        "tie": Choice("positive", "random", "reject"),
        "keep": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "converged_": Boolean(),
        "n_updates_": Integer(),
        "path_": FloatArray("*", "*"),
        "updates_": IntArray("*"),
        "history_": Each(Object(Epoch)),
    }

    def __init__(
        self,
        rate: float = 1.0,
        *,
        schedule: str = "constant",
        order: ArrayLike | str | None = "cyclic",
        batch: bool = False,
        max_iter: int = 1000,
        margin: float = 0.0,
        average: bool = False,
        start: ArrayLike | None = "zero",
        fit_intercept: bool = True,
        training_tie: str = "mistake",
        tie: str = "positive",
        keep: bool = False,
        random_state: RandomState = None,
    ):
        self.rate = rate
        self.schedule = schedule
        self.order = order
        self.batch = batch
        self.max_iter = max_iter
        self.margin = margin
        self.average = average
        self.start = start
        self.fit_intercept = fit_intercept
        self.training_tie = training_tie
        self.tie = tie
        self.keep = keep
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._refuse_other_than_two()
        rows = SignedRows(
            X,
            y,
            w,
            who=type(self).__name__,
            margin=self.margin,
            tie_is_mistake=self.training_tie == "mistake",
            bias=self.fit_intercept,
        )
        rng = random_state_of(self.random_state)
        weights = starting_weights(self, rows, rng)
        walk = Walk(rows.zero() if self.average else np.empty(0))
        path, updates = [weights.copy()], []
        self.history_, self.converged_ = [], False
        with progress(self.max_iter, "epochs") as bar:
            while len(self.history_) < self.max_iter and not self.converged_:
                epoch = len(self.history_) + 1
                rate = self.rate / epoch if self.schedule == "inverse" else self.rate
                before = weights.copy()
                corrected, count, clean = self._pass(rows, weights, rate, walk, rng)
                self.history_.append(Epoch(epoch, count, float(rate)))
                self.converged_ = clean
                if self.keep and count:
                    updates.append(corrected)
                    path.append(weights[None].copy() if self.batch else _steps(rows, before, corrected, rate))
                bar.advance()
        self.n_iter_ = len(self.history_)
        self.n_updates_ = sum(epoch.corrections for epoch in self.history_)
        if self.keep:
            self.path_ = np.vstack(path)
            self.updates_ = np.concatenate([np.empty(0, dtype=np.int64), *updates])
        if not (self.converged_ or self.average):
            self._warn_unfinished(rows, weights)
        learned = walk.mean(weights) if self.average else weights
        self.coef_, self.intercept_ = learned[None, 1:].copy(), learned[:1].copy()

    def _pass(
        self, rows: SignedRows, weights: np.ndarray, rate: float, walk: Walk, rng: Any
    ) -> tuple[np.ndarray, int, bool]:
        """One epoch: the rows corrected, how many, and whether it was clean."""
        if self.batch:
            before = weights.copy()
            count = rows.correct_all(weights, rate)
            if self.average:
                walk.drift += walk.visits * (weights - before)
            walk.visits += 1  # each epoch is one visit
            return np.empty(0, dtype=np.int64), count, count == 0
        order = visiting_order(self, rows, rng)
        limit = 1 if isinstance(self.order, str) and self.order == "first" else None
        end, corrected = rows.correct(weights, order, rate, walk, limit=limit)
        walk.visits += end
        return corrected, len(corrected), not len(corrected)

    def _warn_unfinished(self, rows: SignedRows, weights: np.ndarray) -> None:
        left = rows.wrong(weights)
        what = (
            f"mistakes of weight {left:g}"
            if len(rows.weight)
            else f"{left} mistake{'' if left == 1 else 's'}"
        )
        warn_user(
            f"{type(self).__name__} stopped after {self.n_iter_} epochs with {what} left; the classes may "
            "not be separable. Raise max_iter, or use PocketClassifier, which keeps the best weights it has seen, or "
            "LogisticRegression.",
            ConvergenceWarning,
        )


def starting_weights(model: Any, rows: SignedRows, rng: Any) -> np.ndarray:
    """(D + 1,) according to the parameter ``start``."""
    zero = rows.zero()
    if isinstance(model.start, str):
        if model.start == "random":
            zero[:] = rng.uniform(-0.01, 0.01, len(zero))
            zero[0] *= model.fit_intercept
        return zero
    weights = np.array(model.start, dtype=np.float64)
    if len(weights) != len(zero):
        raise ParameterError(
            f"{type(model).__name__}: start must hold {len(zero)} weights, the constant first, got {len(weights)}."
        )
    return weights


def visiting_order(model: Any, rows: SignedRows, rng: Any) -> np.ndarray:
    """The rows to visit in one epoch, according to the parameter ``order``; rows without weight are left out."""
    if isinstance(model.order, str):
        return rng.permutation(rows.rows) if model.order == "random" else rows.rows
    order = np.asarray(model.order, dtype=np.float64)
    n = rows.X.shape[0]
    if not len(order) or (order != np.floor(order)).any() or order.max() >= n:
        raise ParameterError(
            f"{type(model).__name__}: order must hold row numbers from 0 to {n - 1}, got {model.order!r:.80}."
        )
    chosen = order.astype(np.int64)
    return chosen[np.isin(chosen, rows.rows)]


def _steps(rows: SignedRows, before: np.ndarray, corrected: np.ndarray, rate: float) -> np.ndarray:
    """(len(found), D + 1) the weights after each correction."""
    X = rows.X[corrected]
    step = rate * rows.y[corrected] * (rows.weight[corrected] if len(rows.weight) else 1.0)
    moves = step[:, None] * (X if isinstance(X, np.ndarray) else X.toarray())
    constant = step if rows.bias else np.zeros_like(step)
    return np.cumsum(np.vstack([before, np.column_stack([constant, moves])]), axis=0)[1:]
