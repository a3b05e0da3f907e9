"""Empirical risk and its minimiser over a list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import zero_one_loss

from assay.errors import DataError, ParameterError
from assay.theory.risk import empirical_risk, erm

THRESHOLDS = [lambda x, t=t: x >= t for t in np.linspace(0, 1, 11)]


@pytest.mark.capability("BC-47")
def test_the_empirical_risk_is_the_share_of_wrong_answers():
    truth, answer = ["a", "b", "b", "a", "a"], ["a", "b", "a", "b", "a"]
    assert empirical_risk(truth, answer) == 0.4 == pytest.approx(zero_one_loss(truth, answer))
    w = [1, 2, 3, 4, 5]
    assert empirical_risk(truth, answer, sample_weight=w) == pytest.approx(
        zero_one_loss(truth, answer, sample_weight=w)
    )


@pytest.mark.capability("BC-48")
def test_the_hypothesis_with_least_risk_is_returned():
    rng = np.random.default_rng(0)
    x = rng.random(400)
    y = (x >= 0.4) ^ (rng.random(400) < 0.1)
    result = erm(THRESHOLDS, x, y)
    by_hand = [np.mean((x >= t) != y) for t in np.linspace(0, 1, 11)]
    np.testing.assert_allclose(result.risks, by_hand, rtol=1e-12)
    assert result.index == 4 and result.risk == min(by_hand) and result.ties == (4,)
    assert result.hypothesis is THRESHOLDS[4]


def test_of_equal_hypotheses_the_first_is_chosen_and_all_are_named():
    result = erm(THRESHOLDS, np.array([0.05, 0.55]), np.array([False, True]))
    assert result.index == 1 and result.risk == 0 and result.ties == (1, 2, 3, 4, 5)


def test_another_loss_and_fitted_classifiers_are_taken():
    from assay.baselines import MajorityClassifier

    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    result = erm([MajorityClassifier().fit(X, y), lambda X: (X[:, 0] > 0).astype(int)], X, y)
    assert result.index == 1 and result.risks.tolist() == [1 / 3, 0.0]
    costly = erm(
        [lambda X: np.ones(3), lambda X: np.zeros(3)], X, y, loss=lambda y, a: np.where(a > y, 10.0, y - a)
    )
    assert costly.risks.tolist() == [10 / 3, 2 / 3]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
@settings(deadline=None, max_examples=30)
def test_the_minimum_is_below_every_risk(pairs):
    y = np.array([p[0] for p in pairs])
    x = np.array([p[1] for p in pairs])
    result = erm([lambda x, k=k: x + k for k in range(-2, 3)], x, y)
    assert (result.risk <= result.risks + 1e-15).all() and 0 <= result.risk <= 1


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: erm([], [1], [1]), "list of hypotheses is empty"),
        (lambda: erm([3], [1], [1]), "must be a function or have predict, got int"),
        (lambda: empirical_risk([], []), "non-empty"),
        (lambda: empirical_risk([1, 2], [1]), "one label per row, 2"),
        (lambda: empirical_risk([1, 2], [1, 1], sample_weight=[0, 0]), "at least one non-zero number"),
        (lambda: empirical_risk([1, 2], [1, 1], loss=lambda y, a: [np.nan, 1]), "finite"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


def test_weights_and_losses_of_other_kinds():
    assert empirical_risk([1, 2], [1, 1], sample_weight=[1e307, 1e307]) == 0.5
    with pytest.raises(DataError, match="too large to be added up"):
        empirical_risk([1, 2], [1, 1], sample_weight=[1e308, 1e308])
    with pytest.raises(DataError, match="sample_weight"):
        empirical_risk([1, 2], [1, 1], sample_weight=["a", "b"])
    with pytest.raises(ParameterError, match="loss must be a function"):
        empirical_risk([1, 2], [1, 1], loss=3)
