"""Pocket algorithm: the perceptron, keeping the best weights so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, NumberArray, Object, Scalar
from assay.linear.discriminants.mistakes import SignedRows, Walk
from assay.linear.discriminants.perceptron_rule import starting_weights, visiting_order
from assay.linear.sign_classifier import SignClassifier
from assay.types import RandomState

__all__ = ["Exchange", "PocketClassifier"]


@dataclass(frozen=True)
class Exchange:
    """The pocket got new weights, w_0 first: after which correction, and how many errors (or what they weigh)."""

    update: int
    errors: float
    weights: np.ndarray
    stored = {
        "update": Integer(),
        "weights": FloatArray("*"),
    }


class PocketClassifier(SignClassifier):
    r"""Perceptron that keeps the weights with the fewest training errors, also for inseparable classes.

    Corrects mistakes as the perceptron does, :math:`w \leftarrow w + \eta\,y_i(1, x_i)`. After each correction it
    counts the errors on all rows; weights with fewer errors than those in the pocket take their place. Counting makes
    a correction cost O(n d).

    Cost: fit O(n d) a pass, and O(n d) for each better pocket; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    max_updates : int, default 1000
        Corrections to make; it ends before if no error is left.
    rate : float, default 1
        eta.
    order : {"cyclic", "random"} or array of row numbers, default "cyclic"
        In which order rows are visited; "random" draws a fresh one for each pass.
    start : {"zero", "random"} or array (d + 1,), default "zero"
        Where to begin, w_0 first.
    fit_intercept : bool, default True
        Whether w_0 is learned.
    training_tie : {"mistake", "positive"}, default "mistake"
        What a score of 0 is while learning: always a mistake, or by sign(0) = +1 one for the first class only.
    tie : {"positive", "random", "reject"}, default "positive"
        What a score of 0 is when predicting.
    random_state : seed of the order, of the start and of random ties

    Attributes
    ----------
    coef_ : (1, D)      intercept_ : (1,)      classes_ : (2,)
    n_errors_ : rows that the weights in the pocket get wrong
    n_updates_ : corrections made      n_iter_ : passes begun
    history_ : list of Exchange, the start first
    errors_ : (n_updates_ + 1,) errors of the walking weights, the start first

    Examples
    --------
    One row lies behind the other class; the best hyperplane errs once:

    >>> from assay.linear import PocketClassifier
    >>> X, y = [[0.0], [0.4], [2.0], [3.0], [-1.0]], [0, 0, 1, 1, 1]
    >>> model = PocketClassifier(max_updates=100).fit(X, y)
    >>> model.n_errors_, model.predict([[0.2], [2.5]])
    (1, array([0, 1]))

    See Also
    --------
    PerceptronRule, Perceptron

    References
    ----------
    - Gallant, S. I. (1990). Perceptron-based learning algorithms. IEEE Transactions on Neural Networks 1(2),
      179-191. doi:10.1109/72.80230
    """

    card = Card(
        "pocket",
        "two classes: the best weights that the perceptron has met",
        scale=True,
        learns=("a linear score", "errors", "perceptron steps, the best of them kept", "local"),
    )
    multiclass = "two classes only"
    accepts = {
        "max_updates": Count(),
        "rate": Range(0, open="low"),
        "order": Choice("cyclic", "random") | Array(1, low=0),
        "start": Choice("zero", "random") | Array(1),
        "fit_intercept": Flag(),
        "training_tie": Choice("mistake", "positive"),
        "tie": Choice("positive", "random", "reject"),
        "random_state": Seed(),
    }
    stored = {
        "errors_": NumberArray("*"),
        "n_errors_": Integer() | Scalar(),
        "n_updates_": Integer(),
        "history_": Each(Object(Exchange)),
    }

    def __init__(
        self,
        max_updates: int = 1000,
        *,
        rate: float = 1.0,
        order: ArrayLike | str = "cyclic",
        start: ArrayLike | None = "zero",
        fit_intercept: bool = True,
        training_tie: str = "mistake",
        tie: str = "positive",
        random_state: RandomState = None,
    ):
        self.max_updates = max_updates
        self.rate = rate
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.training_tie = training_tie
        self.tie = tie
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._refuse_other_than_two()
        rows = SignedRows(
            X,
            y,
            w,
            who=type(self).__name__,
            tie_is_mistake=self.training_tie == "mistake",
            bias=self.fit_intercept,
        )
        rng, nobody = random_state_of(self.random_state), Walk(np.empty(0))
        weights = starting_weights(self, rows, rng)
        pocket, least = weights.copy(), rows.wrong(weights)
        errors, self.history_ = [least], [Exchange(0, least, pocket)]
        self.n_iter_, place, order, quiet = 0, 0, np.empty(0, dtype=np.int64), 0
        with progress(self.max_updates, "corrections") as bar:
            while len(errors) <= self.max_updates and least and quiet < 2:
                if place >= len(order):
                    order, place = visiting_order(self, rows, rng), 0
                    self.n_iter_ += 1
                    quiet += 1  # passes begun since the last correction
                place, corrected = rows.correct(weights, order, self.rate, nobody, place, 1)
                if not len(corrected):
                    continue
                quiet = 0
                errors.append(rows.wrong(weights))
                if errors[-1] < least:
                    pocket, least = weights.copy(), errors[-1]
                    self.history_.append(Exchange(len(errors) - 1, least, pocket))
                bar.advance()
        self.errors_ = np.array(errors)
        self.n_updates_, self.n_errors_ = len(errors) - 1, least
        self.coef_, self.intercept_ = pocket[None, 1:].copy(), pocket[:1].copy()
