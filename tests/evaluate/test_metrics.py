"""Metrics against worked numbers and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer

from assay.errors import ParameterError
from assay.evaluate.metrics import as_measures
from assay.metrics import Measure, Outcome, measures


def outcome(truth, answer, posterior=None, K=None, **more):
    truth, answer = np.asarray(truth), np.asarray(answer)
    return Outcome(truth, answer, posterior, K or int(max(truth.max(), answer.max())) + 1, **more)


def value(name, seen):
    return measures()[name].of(seen)


def test_two_classes_by_hand():
    # tp 40, fn 10, fp 5, tn 45: error .15, F1 of the positive class .84210526, of the other .85714286.
    seen = outcome(np.repeat([1, 1, 0, 0], [40, 10, 5, 45]), np.repeat([1, 0, 1, 0], [40, 10, 5, 45]))
    assert_allclose(value("error", seen), 0.15, rtol=1e-12)
    assert_allclose(value("accuracy", seen), 0.85, rtol=1e-12)
    assert_allclose(value("balanced error", seen), (0.2 + 0.1) / 2, rtol=1e-12)
    assert_allclose(value("f1", seen), 16 / 19, rtol=1e-12)
    assert_allclose(value("macro f1", seen), (16 / 19 + 6 / 7) / 2, rtol=1e-12)


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
        value("macro f1", seen), peer.f1_score(truth, answer, average="macro", zero_division=0), atol=1e-12
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
    own = Measure("own", lambda seen: 0.0)
    assert [m.name for m in as_measures(["Log_Loss", "balanced_error", own])] == [
        "log-loss",
        "balanced error",
        "own",
    ]
    assert [m.name for m in as_measures("auc")] == ["auc"]
    with pytest.raises(
        ParameterError, match=r"no metric 'acuracy'\. Did you mean accuracy\? Known: accuracy, auc"
    ):
        as_measures(["acuracy"])
    with pytest.raises(ParameterError, match="twice"):
        as_measures(["error", "error"])
    with pytest.raises(ParameterError, match="empty"):
        as_measures([])


# --- more metrics, scorers, weights, intervals

RNG = np.random.default_rng(4)


def three_classes(n=120, weighted=False, named=True):
    truth = np.concatenate([np.arange(3), RNG.integers(3, size=n)])
    posterior = RNG.dirichlet(np.ones(3), size=n + 3)
    posterior[np.arange(n + 3), truth] += 0.5
    posterior /= posterior.sum(axis=1, keepdims=True)
    weight = RNG.random(n + 3) + 0.1 if weighted else None
    labels = np.array(["ant", "bee", "cat"]) if named else None
    return Outcome(truth, posterior.argmax(axis=1), posterior, 3, weight=weight, labels=labels)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_metric_honours_weights_as_scikit_learn_does(weighted):
    seen = three_classes(weighted=weighted)
    y, z, P, w = seen.truth, seen.answer, seen.posterior, seen.weight
    told = {
        "error": peer.zero_one_loss(y, z, sample_weight=w),
        "accuracy": peer.accuracy_score(y, z, sample_weight=w),
        "balanced accuracy": peer.balanced_accuracy_score(y, z, sample_weight=w),
        "balanced error": 1 - peer.balanced_accuracy_score(y, z, sample_weight=w),
        "f1": peer.f1_score(y, z, average="macro", sample_weight=w),
        "precision": peer.precision_score(y, z, average="macro", sample_weight=w),
        "recall": peer.recall_score(y, z, average="macro", sample_weight=w),
        "jaccard": peer.jaccard_score(y, z, average="macro", sample_weight=w),
        "kappa": peer.cohen_kappa_score(y, z, sample_weight=w),
        "mcc": peer.matthews_corrcoef(y, z, sample_weight=w),
        "log-loss": peer.log_loss(y, P, sample_weight=w),
        "brier": peer.brier_score_loss(y, P, sample_weight=w),
        "auc": peer.roc_auc_score(y, P, multi_class="ovr", sample_weight=w),
        "average precision": peer.average_precision_score(y, P, sample_weight=w),
        "top-2": peer.top_k_accuracy_score(y, P, k=2, sample_weight=w),
        "youden": peer.balanced_accuracy_score(y, z, sample_weight=w, adjusted=True),
        "gini": 2 * peer.roc_auc_score(y, P, multi_class="ovr", sample_weight=w) - 1,
    }
    for name, number in told.items():
        assert_allclose(value(name, seen), number, rtol=1e-9, err_msg=name)


def test_equal_weights_change_no_metric_and_copies_are_weights():
    seen = three_classes()
    price, left = RNG.random(len(seen.truth)), RNG.random(len(seen.truth)) < 0.2
    seen = Outcome(seen.truth, seen.answer, seen.posterior, 3, price, left)
    times = RNG.integers(1, 4, size=len(seen.truth))
    heavy = Outcome(seen.truth, seen.answer, seen.posterior, 3, price, left, times * 1.0)
    copies = seen.take(np.repeat(np.arange(len(times)), times))
    for name, metric in measures("classification").items():
        assert_allclose(metric.of(heavy), metric.of(copies), rtol=1e-9, err_msg=name)
        low, high = metric.bounds
        assert low <= metric.of(heavy) <= high, name


def test_metrics_of_one_class_and_with_numbers():
    seen = three_classes()
    y, z = seen.labels[seen.truth], seen.labels[seen.answer]
    for name, function in (
        ("recall", peer.recall_score),
        ("precision", peer.precision_score),
        ("f1", peer.f1_score),
    ):
        [metric] = as_measures(f"{name.capitalize()} of bee")
        assert metric.name == f"{name} of bee" and metric.better == "higher"
        assert_allclose(metric.of(seen), function(y, z, labels=["bee"], average="macro"))
    with pytest.raises(ParameterError, match="of class 'dog', the classes are ant, bee, cat"):
        as_measures("recall of dog")[0].of(seen)
    assert as_measures("recall of 1")[0].of(three_classes(named=False)) > 0
    top, best = as_measures(["top-3", "lift at 20%"])
    assert top.of(seen) == 1 and best.of(seen) > 1


def test_scorers_by_name_made_and_written_by_hand():
    """Peer: the same scorers on a classifier that gives these answers."""
    seen = three_classes(weighted=True)
    y, z = seen.labels[seen.truth], seen.labels[seen.answer]
    w = seen.weight
    scorers = [
        "roc_auc_ovr",
        "neg_log_loss",
        "f1_weighted",
        peer.make_scorer(peer.fbeta_score, beta=2, average="macro"),
        lambda model, X, y, sample_weight=None: float(np.sum(model.predict(X) == y)),
        peer.hamming_loss,
    ]
    found = as_measures(scorers)
    assert [m.needs for m in found] == [
        "probabilities",
        "probabilities",
        "labels",
        "labels",
        "probabilities",
        "labels",
    ]
    assert [m.better for m in found] == ["higher"] * 5 + ["lower"]
    told = [
        peer.roc_auc_score(y, seen.posterior, multi_class="ovr", sample_weight=w),
        -peer.log_loss(y, seen.posterior, sample_weight=w),
        peer.f1_score(y, z, average="weighted", sample_weight=w),
        peer.fbeta_score(y, z, beta=2, average="macro", sample_weight=w),
        np.sum(y == z),
        peer.hamming_loss(y, z, sample_weight=w),
    ]
    assert_allclose([m.of(seen) for m in found], told, rtol=1e-9)
    assert found[3].name == "fbeta_score(beta=2, average='macro')"
    without = Outcome(seen.truth, seen.answer, None, 3, labels=seen.labels)
    assert np.isnan(found[0].of(without)) and np.isnan(found[1].of(without))
    some = seen.take(np.flatnonzero(seen.truth < 2))  # the fold lacks a class, which the peer refuses
    assert np.isnan(found[1].of(some)) and not np.isnan(measures()["log-loss"].of(some))


def test_scorers_that_cannot_be_used_say_so():
    rejecting = outcome([0, 1], [0, -1])
    with pytest.raises(ParameterError, match="no answer that is not a class"):
        as_measures("f1_weighted")[0].of(rejecting)
    with pytest.raises(ParameterError, match="it takes 1 arguments"):
        as_measures([lambda seen: 0.0])
    with pytest.raises(ParameterError, match="list of names, got 3"):
        as_measures(3)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_metric_has_an_interval_around_its_value(weighted):
    seen = three_classes(60, weighted=weighted)
    price, left = RNG.random(len(seen.truth)), RNG.random(len(seen.truth)) < 0.2
    seen = Outcome(seen.truth, seen.answer, seen.posterior, 3, price, left, seen.weight)
    for name, metric in measures("classification").items():
        found = metric.estimate(seen, resamples=100)
        assert_allclose(found.value, metric.of(seen), rtol=1e-9, err_msg=name)
        assert metric.bounds[0] <= found.low <= found.value <= found.high <= metric.bounds[1], (name, found)
    pair = Outcome(np.array([0, 1, 1, 0]), np.array([0, 1, -1, 0]), None, 2)
    assert measures()["f1"].estimate(pair).method == "Wilson"
    assert measures()["macro f1"].estimate(pair, resamples=50).method == "percentile bootstrap"
    assert measures()["error"].estimate(outcome([0, 1] * 10, [0, 1] * 10)).method == "Wilson"
    assert measures()["auc"].estimate(outcome([0, 1], [0, 1])).why


def test_a_comparison_takes_all_of_them():
    from assay.evaluate.compare import compare
    from assay.tables.data import load_iris

    data = load_iris()
    wanted = ["kappa", "recall of versicolor", "roc_auc_ovo", "ece"]
    found = compare(["lda", "majority"], data.X, data.y, design="3-fold", metrics=wanted)
    values = {m.name: found.values("lda", m.name) for m in found.metrics}
    assert all(np.isfinite(v).all() for v in values.values())
    assert (values["recall of versicolor"] > 0.8).all() and (values["roc_auc_ovo"] > 0.95).all()


SCORERS = (
    "accuracy", "balanced_accuracy", "f1", "f1_macro", "precision", "precision_macro", "recall", "recall_macro",
    "jaccard", "matthews_corrcoef", "roc_auc", "average_precision", "neg_log_loss", "neg_brier_score",
    "f1_weighted", "f1_micro", "jaccard_macro",
)  # fmt: skip


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (-1, 1)])
def test_scikit_learns_names_have_scikit_learns_numbers(labels):
    """Peer: cross_val_score of scikit-learn 1.9 with the scorer of that name, on the same splits."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, cross_val_score

    from assay import compare

    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0.3, labels[1], labels[0])
    splits = list(KFold(3).split(X))
    result = compare({"lr": LogisticRegression()}, X, y, design=splits, metrics=list(SCORERS))
    for name, m in zip(SCORERS, result.metrics):
        theirs = cross_val_score(LogisticRegression(), X, y, cv=splits, scoring=name)
        assert_allclose(result.values("lr", m.name), theirs, rtol=1e-9, err_msg=name)


def test_a_class_never_predicted_has_precision_zero_as_in_scikit_learn():
    seen = outcome([0, 0, 1, 2], [0, 0, 0, 2], K=3)
    assert_allclose(value("macro precision", seen), (2 / 3 + 0 + 1) / 3)
    assert_allclose(value("precision", seen), value("macro precision", seen))
    found = measures()["macro precision"].estimate(seen)
    assert found.low < found.value < found.high and found.method.startswith("delta")
