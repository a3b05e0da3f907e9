"""Textbook logistic discrimination: gradient descent with a full history."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.stored import Text
from assay.errors import DataError
from assay.linear.logistic.gradient_outputs import GradientOutputs
from assay.linear.logistic.logistic_outputs import Outputs

__all__ = ["LogisticDiscriminant"]


class LogisticDiscriminant(GradientOutputs):
    r"""Learn posteriors by gradient descent on the cross-entropy (or the squared error) of logistic outputs.

    Two classes have one output, :math:`y = \mathrm{sigmoid}(w^Tx + w_0)`, K > 2 classes have K of them, a softmax
    (with the squared error K sigmoids). With targets r of 0 and 1 the errors and their steps are

    .. math:: E = -\sum_i\sum_k r_{ik}\ln y_{ik},\qquad \Delta w_k = \eta\sum_i(r_{ik} - y_{ik})\,x_i      \quad (1)

    .. math:: E = \tfrac12\sum_i\sum_k(r_{ik} - y_{ik})^2,\qquad
              \Delta w_k = \eta\sum_i(r_{ik} - y_{ik})\,y_{ik}(1 - y_{ik})\,x_i                           \quad (2)

    sums, not means, over the rows of a step. ``LogisticRegression``
    finds the optimum of (1) much faster; this learner shows the way there. On separable classes there is no optimum:
    the weights grow for ever, which a warning says, and ``stop="errors"`` is the remedy.

    Cost: fit O(n d K) a pass; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    rate : "search", "backtracking", float or array (K,), default "search"
        eta: the best one along the gradient by bisection, a good one by halving, a number, or one for each class.
    error : {"cross_entropy", "squared_error"}, default "cross_entropy"
        (1) or (2).
    batch_size : int, default None
        Rows of a step, 1 for one row at a time; None takes all.
    schedule : {"constant", "inverse"}, default "constant"
        "inverse" divides the rate by the number of the iteration.
    max_iter : int, default 1000
        Most passes over the rows.
    start : {"zero", "random"} or array (outputs, d + 1), default "zero"
        Where to begin, the constants first; "random" draws from -0.01 to 0.01. Far from zero the sigmoids are flat.
    stop : {"gradient", "errors"}, default "gradient"
        Stop when no entry of the gradient is above ``tol``, or also when the number of misclassified rows is 0 or has
        not fallen for ``patience`` iterations.
    tol : float, default 1e-4
        Of the gradient, each entry divided by the root mean square of its column.
    patience : int, default 100
    snapshots : numbers of iterations, default none
        Whose weights the history keeps; 0 is the start.
    fit_intercept : bool, default True
    random_state : seed of the start and of the order of the rows

    Attributes
    ----------
    coef_ : (1 or K, D)      intercept_ : (1 or K,)      classes_ : (K,)
    n_iter_ : iterations made
    history_ : list of Snapshot (iteration, value, errors, weights), the start first
    error_ : the error that was descended on

    Examples
    --------
    >>> from assay.linear import LogisticDiscriminant
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = LogisticDiscriminant(rate=0.1, stop="errors", snapshots=[1]).fit(X, y)
    >>> model.history_[1].weights, round(model.history_[1].value, 6)
    (array([[0. , 0.2]]), 2.441789)
    >>> model.predict(X)
    array([0, 0, 1, 1])

    See Also
    --------
    LogisticRegression, IndependentSigmoids

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "logistic discriminant",
        "logistic regression by gradient descent, step by step",
        scale=True,
        learns=("log odds linear in the columns", "log loss, or squared error", "gradient descent", "global"),
    )
    stored = {"error_": Text()}

    @property
    def link(self) -> str:  # type: ignore[override]
        """What makes posteriors of the scores."""
        return "softmax" if getattr(self, "error_", self.error) == "cross_entropy" else "sigmoid"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        if K == 1:
            raise DataError(f"{type(self).__name__} tells classes apart, y has 1 class ({self.classes_[0]}).")
        self.error_ = self.error  # a later set_params does not change what the scores are
        R = y[:, None] == (np.arange(K) if K > 2 else np.array([1]))
        outputs = Outputs(
            X,
            R,
            w,
            who=type(self).__name__,
            softmax=K > 2 and self.link == "softmax",
            squared=self.error == "squared_error",
            bias=self.fit_intercept,
            exclusive=True,
        )
        self._descend(outputs)
