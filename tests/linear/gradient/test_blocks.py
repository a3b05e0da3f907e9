"""Stochastic gradient descent over blocks: the steps of partial_fit, pass after pass."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.linear import Perceptron, SGDClassifier, SGDRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
LABELS = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.3 * rng.normal(size=(300, 3)), axis=1)]
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.normal(size=300)
PARTS = [slice(0, 120), slice(120, 130), slice(130, 300)]

LEARNERS = [
    (SGDClassifier(loss="log_loss", tol=None, max_iter=4, random_state=0), LABELS),
    (SGDClassifier(penalty="l1", average=True, tol=None, max_iter=3, random_state=0), LABELS == "a"),
    (SGDClassifier(learning_rate="pa1", eta0=1.0, tol=None, max_iter=3, random_state=0), LABELS),
    (Perceptron(tol=None, max_iter=3), LABELS),
    (SGDRegressor(tol=None, max_iter=4, random_state=0), NUMBERS),
    (
        SGDRegressor(learning_rate="pa2", loss="epsilon_insensitive", tol=None, max_iter=2, random_state=0),
        NUMBERS,
    ),
]


@pytest.mark.parametrize("learner, y", LEARNERS)
def test_passes_over_blocks_are_passes_of_partial_fit(learner, y):
    from sklearn.base import clone, is_classifier

    streamed = clone(learner).fit_blocks([(X[s], y[s]) for s in PARTS])
    by_hand = clone(learner)
    for _ in range(learner.max_iter):
        for s in PARTS:
            more = {"classes": np.unique(y)} if is_classifier(learner) else {}
            by_hand.partial_fit(X[s], y[s], **more)
    assert_array_equal(streamed.coef_, by_hand.coef_)
    assert_array_equal(streamed.intercept_, by_hand.intercept_)
    assert streamed.t_ == by_hand.t_ and streamed.n_iter_ == learner.max_iter
    assert len(streamed.history_) == learner.max_iter * (len(np.unique(y)) if y is LABELS else 1)


def test_the_passes_end_when_the_loss_stalls():
    model = SGDClassifier(loss="log_loss", random_state=0).fit_blocks([(X[s], LABELS[s]) for s in PARTS])
    assert 5 < model.n_iter_ < 100
    assert model.score(X, LABELS) > 0.85
    losses = [record.loss for record in model.history_ if record.label == "a"]
    assert losses[-1] < losses[0]


def test_an_adaptive_rate_falls_where_the_passes_stall():
    settings = {"learning_rate": "adaptive", "eta0": 0.1, "random_state": 0}
    model = SGDRegressor(**settings).fit_blocks([(X[s], NUMBERS[s]) for s in PARTS])
    rates = [record.rate for record in model.history_]
    assert rates[0] == 0.1 and rates[-1] <= 1e-5 and "_lowered_rate" not in vars(model)
    assert_allclose(model.coef_, [1.0, -2.0, 0.5, 0.0], atol=0.03)


def test_balanced_weights_are_of_all_blocks():
    y = np.where(np.arange(300) % 10 == 0, "rare", "common")
    sorted_rows = np.argsort(y, kind="stable")  # a block has one class
    blocks = [(X[s], y[s]) for s in (sorted_rows[:270], sorted_rows[270:])]
    same = {"loss": "log_loss", "tol": None, "max_iter": 3, "random_state": 0}
    balanced = SGDClassifier(class_weight="balanced", **same).fit_blocks(blocks)
    by_hand = SGDClassifier(class_weight={"rare": 5.0, "common": 300 / 540}, **same).fit_blocks(blocks)
    assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-12)


def test_a_warm_start_goes_on_and_a_cold_one_begins_anew():
    blocks, same = [(X, NUMBERS)], {"tol": None, "max_iter": 2, "random_state": 0}
    once = SGDRegressor(**same).fit_blocks(blocks)
    assert_array_equal(SGDRegressor(**same).fit_blocks(blocks).fit_blocks(blocks).coef_, once.coef_)
    warm = SGDRegressor(warm_start=True, **same).fit_blocks(blocks).fit_blocks(blocks)
    assert_array_equal(
        warm.coef_, SGDRegressor(tol=None, max_iter=4, random_state=0).fit_blocks(blocks).coef_
    )


def test_rows_are_not_set_aside_of_blocks():
    with pytest.raises(ParameterError, match="early_stopping should be False"):
        SGDClassifier(early_stopping=True).fit_blocks([(X, LABELS)])
