r"""Theory of voting ensembles: margins, and bounds on the training error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, label_codes
from assay.errors import DataError, ParameterError
from assay.types import TableLike, Target, Weights

__all__ = ["margin_distribution", "margins", "sample_weights", "three_learner_error", "training_error_bound"]


def margins(model: Any, X: TableLike, y: Target) -> np.ndarray:
    r"""The margin of each row: by how much the votes for its true class exceed the others.

    .. math:: \rho(x) = v_y(x) - \max_{k\ne y} v_k(x)

    with :math:`v_k` the share of the votes' weight that class k gets; for two classes coded -1 and +1 that is
    :math:`\sum_j w_j\,y\,d_j(x) / \sum_j w_j`. It lies between -1 and 1, and is positive where the vote is right.

    Parameters
    ----------
    model : a fitted ensemble with ``vote_shares``, such as AdaBoostClassifier
    X, y : rows and their true classes

    Examples
    --------
    >>> from assay.ensembles.adaboost_classifier import AdaBoostClassifier
    >>> from assay.ensembles.boosting_theory import margins
    >>> X, y = [[i] for i in range(10)], [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> margins(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)[[0, 3, 6]].round(4)
    array([0.176 , 0.2882, 0.5358])
    """
    if not hasattr(model, "vote_shares"):
        raise ParameterError(
            f"margins: {type(model).__name__} is no voting ensemble (it has no vote_shares). Use AdaBoostClassifier, "
            "for example."
        )
    shares = np.array(model.vote_shares(X))
    rows = np.arange(len(shares))
    codes = label_codes(y, model.classes_, len(shares), "margins")
    of_truth = shares[rows, codes].copy()
    shares[rows, codes] = -np.inf
    return of_truth - (shares.max(axis=1) if shares.shape[1] > 1 else 0.0)


def margin_distribution(
    margins: np.ndarray, sample_weight: Weights | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""The margins that occur, ascending, and the share of rows whose margin is at most each.

    Boosting keeps moving this curve to the right after the training error has reached 0.

    Examples
    --------
    >>> from assay.ensembles.boosting_theory import margin_distribution
    >>> margin_distribution([0.5, -0.1, 0.5, 1.0])
    (array([-0.1,  0.5,  1. ]), array([0.25, 0.75, 1.  ]))
    """
    rho = np.asarray(margins, np.float64)
    w = check_weights(sample_weight, rho[:, None])
    distinct, place = np.unique(rho, return_inverse=True)
    mass = np.bincount(place, weights=w, minlength=len(distinct))
    return distinct, np.cumsum(mass) / mass.sum()


def training_error_bound(errors: ArrayLike, learning_rate: float = 1.0) -> np.ndarray:
    r"""What the training error of a vote cannot exceed after each round, from the errors of its members.

    .. math:: \prod_j\left[(1-\epsilon_j)\,e^{-a_j/2} + \epsilon_j\,e^{a_j/2}\right],\qquad
              a_j = \nu\ln\frac{1-\epsilon_j}{\epsilon_j}

    With the learning rate :math:`\nu = 1` that is :math:`\prod_j 2\sqrt{\epsilon_j(1-\epsilon_j)}`. It holds for two
    classes, and for AdaBoost.M1 with any number of them.

    Examples
    --------
    >>> from assay.ensembles.boosting_theory import training_error_bound
    >>> training_error_bound([0.3, 3 / 14, 2 / 11]).round(8)
    array([0.91651514, 0.7521398 , 0.58019253])
    """
    e = np.asarray(errors, np.float64)
    if e.ndim != 1 or not ((e >= 0) & (e < 1)).all():
        raise DataError("training_error_bound: expected a list of errors from 0 to below 1.")
    odds = e / (1 - e)
    # (1 - e) odds^(nu / 2) + e odds^(-nu / 2); for e = 0 the limit, 0 for every nu below 2
    second = np.zeros_like(e)
    np.power(odds, -learning_rate / 2, out=second, where=e > 0)
    return np.cumprod((1 - e) * odds ** (learning_rate / 2) + e * second)


def three_learner_error(error: ArrayLike) -> Any:
    r"""The error of a majority of three independent classifiers that each err with probability e.

    .. math:: 3e^2(1-e) + e^3 = 3e^2 - 2e^3

    Examples
    --------
    >>> from assay.ensembles.boosting_theory import three_learner_error
    >>> three_learner_error([0.2, 0.3, 0.4]).round(3)
    array([0.104, 0.216, 0.352])
    """
    e = np.asarray(error, np.float64)
    if not ((e >= 0) & (e <= 1)).all():
        raise DataError("three_learner_error: an error is a probability, from 0 to 1.")
    return e**2 * (3 - 2 * e)


def sample_weights(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Iterator[np.ndarray]:
    """The weights of the rows after each round of an AdaBoostClassifier, played back on its training rows.

    Examples
    --------
    >>> from assay.ensembles.adaboost_classifier import AdaBoostClassifier
    >>> from assay.ensembles.boosting_theory import sample_weights
    >>> X, y = [[i] for i in range(10)], [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> first, *_ = sample_weights(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> first.round(6)[[0, 6]]
    array([0.071429, 0.166667])
    """
    votes = list(model.staged_votes(X))
    codes = label_codes(y, model.classes_, len(votes[0]), "sample_weights")
    w = check_weights(sample_weight, np.empty((len(codes), 1)))
    p = np.full(len(codes), 1 / len(codes)) if w is None else w / w.sum()
    for vote, a in zip(votes, model.estimator_weights_):
        p = p * np.exp(a * (vote != codes))
        p /= p.sum()
        yield p
