"""Metrics against worked numbers and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer

from assay.errors import ParameterError
from assay.evaluate import METRICS, Metric, Outcome
from assay.evaluate.metrics import as_metrics


def outcome(truth, answer, posterior=None, K=None, **more):
    truth, answer = np.asarray(truth), np.asarray(answer)
    return Outcome(truth, answer, posterior, K or int(max(truth.max(), answer.max())) + 1, **more)


def value(name, seen):
    return METRICS[name].of(seen)


def test_two_classes_by_hand():
    # tp 40, fn 10, fp 5, tn 45: error .15, F1 of the positive class .84210526, of the other .85714286.
    seen = outcome(np.repeat([1, 1, 0, 0], [40, 10, 5, 45]), np.repeat([1, 0, 1, 0], [40, 10, 5, 45]))
    assert_allclose(value("error", seen), 0.15, rtol=1e-12)
    assert_allclose(value("accuracy", seen), 0.85, rtol=1e-12)
    assert_allclose(value("balanced error", seen), (0.2 + 0.1) / 2, rtol=1e-12)
    assert_allclose(value("f1", seen), (16 / 19 + 6 / 7) / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("scores", "truth", "area"),
    [([0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1], [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], 0.84),
     ([0.9, 0.8, 0.8, 0.6, 0.6, 0.4], [1, 1, 0, 1, 0, 0], 7 / 9)],
)  # fmt: skip
def test_area_under_the_curve_of_worked_scores(scores, truth, area):
    p = np.array(scores)
    assert_allclose(value("auc", outcome(truth, truth, np.column_stack([1 - p, p]))), area, rtol=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(8, 60))
@settings(deadline=None, max_examples=40)
def test_same_numbers_as_scikit_learn(seed, K, n):
    """Peer: scikit-learn 1.9. Every class is in the test rows, as the peer demands for log-loss and AUC."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(K), rng.integers(K, size=n)])
    posterior = rng.dirichlet(np.ones(K), size=len(truth)).round(3)
    posterior /= posterior.sum(axis=1, keepdims=True)
    answer = posterior.argmax(axis=1)
    seen = outcome(truth, answer, posterior, K)
    score = posterior[:, 1] if K == 2 else posterior
    assert_allclose(
        value("balanced error", seen), 1 - peer.balanced_accuracy_score(truth, answer), atol=1e-12
    )
    assert_allclose(
        value("f1", seen), peer.f1_score(truth, answer, average="macro", zero_division=0), atol=1e-12
    )
    assert_allclose(value("log-loss", seen), peer.log_loss(truth, posterior), atol=1e-12)
    assert_allclose(value("brier", seen), peer.brier_score_loss(truth, score), atol=1e-12)
    assert_allclose(value("auc", seen), peer.roc_auc_score(truth, score, multi_class="ovr"), atol=1e-12)


def test_a_true_class_of_probability_zero_costs_36_nats_and_not_infinity():
    seen = outcome([0], [1], np.array([[0.0, 1.0]]), 2)
    assert_allclose(value("log-loss", seen), 52 * np.log(2), rtol=1e-12)


def test_a_class_without_test_rows_is_left_out_and_none_left_is_nan():
    posterior = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.7, 0.1]])
    assert value("auc", outcome([0, 1, 1], [0, 1, 1], posterior, 3)) == 1.0
    assert np.isnan(value("auc", outcome([1, 1], [1, 1], posterior[:2], 3)))
    assert value("balanced error", outcome([0, 0], [0, 1], None, 3)) == 0.5


def test_an_answer_that_is_no_class_is_wrong_and_has_a_column_of_its_own():
    seen = outcome([0, 0, 1], [0, -1, 1], K=2)
    assert value("error", seen) == pytest.approx(1 / 3)
    assert seen.confusion.tolist() == [[1, 0, 1], [0, 1, 0]]


def test_without_probabilities_the_metrics_that_need_them_are_nan():
    seen = outcome([0, 1], [0, 1])
    assert all(np.isnan(value(name, seen)) for name in ("log-loss", "brier", "auc"))


def test_names_are_read_kindly_and_unknown_ones_refused():
    own = Metric("own", lambda seen: 0.0)
    assert [m.name for m in as_metrics(["Log_Loss", "balanced_error", own])] == [
        "log-loss",
        "balanced error",
        "own",
    ]
    assert [m.name for m in as_metrics("auc")] == ["auc"]
    with pytest.raises(ParameterError, match=r"no metric 'acuracy'\. Known: error, accuracy"):
        as_metrics(["acuracy"])
    with pytest.raises(ParameterError, match="twice"):
        as_metrics(["error", "error"])
    with pytest.raises(ParameterError, match="empty"):
        as_metrics([])
