"""Thresholds and class weights on held-out scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import f1_score, make_scorer

from assay.decide import decide, tune_threshold, tune_weights
from assay.errors import DataError, ParameterError


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_threshold_costs_less(seed, weighted):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(0, 15, size=40) / 3, rng.integers(0, 2, size=40)
    y[:2] = [0, 1]
    w = rng.integers(1, 4, size=40).astype(float) if weighted else np.ones(40)
    L = rng.random((2, 2))
    choice = tune_threshold(y, s, loss=L, sample_weight=w)
    for t, value in zip(choice.thresholds, choice.values):
        assert_allclose(value, np.average(L[(s >= t).astype(int), y], weights=w), atol=1e-12)
    every = [np.average(L[(s >= t).astype(int), y], weights=w) for t in np.append(np.unique(s), np.inf)]
    assert_allclose(choice.value, min(every), atol=1e-12)


def test_with_calibrated_scores_it_comes_back_to_the_theory():
    """Losses 10 and 5 put the threshold at 2/3 (IML exercise 3.4); 40000 rows whose scores are exact."""
    rng = np.random.default_rng(2)
    p = rng.random(40000)
    y = (rng.random(40000) < p).astype(int)
    choice = tune_threshold(y, p, loss=[[0, 5], [10, 0]])
    assert abs(choice.threshold - 2 / 3) < 0.03
    theory = decide(np.column_stack([1 - p, p]), [[0, 5], [10, 0]]).chosen
    assert choice.value <= np.array([[0, 5], [10, 0]])[theory, y].mean()


def test_the_positive_class_can_be_the_first():
    y = ["bad", "bad", "good", "good"]
    assert tune_threshold(y, [0.9, 0.7, 0.3, 0.1], pos_label="bad").threshold == 0.5
    assert tune_threshold(y, [0.1, 0.3, 0.7, 0.9]).threshold == 0.5


def test_by_metric():
    rng = np.random.default_rng(0)
    s = rng.random(200)
    y = (rng.random(200) < s**2).astype(int)
    choice = tune_threshold(y, s, scoring="f1", thresholds=50)
    assert len(choice.values) == 50
    assert choice.value == max(f1_score(y, s >= t) for t in choice.thresholds)
    mine = tune_threshold(y, s, scoring=make_scorer(f1_score), thresholds=[0.2, 0.5])
    assert mine.threshold in (0.2, 0.5)


@given(seed=st.integers(0, 10**6), K=st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_weights_are_never_worse_than_the_plain_maximum(seed, K):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(K), size=40)
    y = np.append(np.arange(K), rng.integers(K, size=40 - K))
    L = rng.random((K, K))
    np.fill_diagonal(L, 0)
    choice = tune_weights(y, P, loss=L)
    said = (P * choice.threshold).argmax(axis=1)
    assert_allclose(choice.value, L[said, y].mean(), atol=1e-12)
    assert choice.value <= L[P.argmax(axis=1), y].mean() + 1e-12
    assert_allclose(np.log(choice.threshold).mean(), 0, atol=1e-12)


def test_weights_recover_a_prior_that_the_posteriors_forgot():
    """Posteriors made under equal priors, rows with shares 0.1, 0.2, 0.7: the best weights are those shares."""
    rng = np.random.default_rng(1)
    share = np.array([0.1, 0.2, 0.7])
    y = rng.choice(3, p=share, size=3000)
    x = rng.normal(np.array([-1.5, 0.0, 1.5])[y])
    f = np.exp(-0.5 * (x[:, None] - [-1.5, 0.0, 1.5]) ** 2)
    P = f / f.sum(axis=1, keepdims=True)
    choice = tune_weights(y, P)
    best = 1 - ((f * share).argmax(axis=1) == y).mean()
    assert choice.value < 1 - (P.argmax(axis=1) == y).mean() - 0.05
    assert choice.value <= best + 0.003
    macro = tune_weights(y, P, scoring="f1_macro", thresholds=12)
    assert_allclose(
        macro.value, f1_score(y, (P * macro.threshold).argmax(axis=1), average="macro"), atol=1e-12
    )


def test_bad_input_is_told():
    with pytest.raises(DataError, match="separates two classes, y has 3"):
        tune_threshold([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(DataError, match="finite scores"):
        tune_threshold([0, 1], [0.1, np.nan])
    with pytest.raises(ParameterError, match="a loss or a scoring, not both"):
        tune_threshold([0, 1], [0.1, 0.2], loss=1 - np.eye(2), scoring="f1")
    with pytest.raises(ParameterError, match="pos_label 7 is not among classes"):
        tune_threshold([0, 1], [0.1, 0.2], pos_label=7)
    with pytest.raises(ParameterError, match="every action must be a class"):
        tune_threshold([0, 1], [0.1, 0.2], loss=np.ones((3, 2)))
    with pytest.raises(ParameterError, match="every action must be a class"):
        tune_weights([0, 1], np.eye(2), loss=np.ones((3, 2)))
    with pytest.raises(ParameterError, match="2 columns, but 1 classes"):
        tune_weights([0, 0], np.eye(2))
    with pytest.raises(ParameterError, match="not both"):
        tune_weights([0, 1], np.eye(2), loss=1 - np.eye(2), scoring="f1")
    with pytest.raises(ParameterError, match="name of a scorer or a function"):
        tune_threshold([0, 1], [0.1, 0.2], scoring=3)
