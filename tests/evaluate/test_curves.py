"""Curves: nested training sets, a peer's numbers, intervals that a paired difference narrows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import learning_curve as their_learning_curve
from sklearn.model_selection import validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay.errors import AssayError, DataError, ParameterError
from assay.evaluate import Resampling
from assay.evaluate.curves import complexity_curve, learning_curve
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.tables.data import load_breast_cancer, load_iris, load_wine

X, Y = load_wine()
CODES = np.unique(Y, return_inverse=True)[1]
PAIRS = [(s.train[:133], s.test) for s in Resampling.of("4-fold").splits(CODES, 0)]


@pytest.mark.capability("IML-2-20")
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_iris])
def test_training_error_never_rises_in_nested_models_and_the_peer_agrees(load):
    """Peer: validation_curve, scikit-learn 1.9, on the same splits; its scores are accuracies."""
    X, y = load()
    pairs = [(s.train, s.test) for s in Resampling.of("4-fold").splits(np.unique(y, return_inverse=True)[1])]
    depths = [1, 2, 3, 4, 6, 9]
    tree = DecisionTreeClassifier(random_state=0)
    curve = complexity_curve(tree, X.values, y, param_name="max_depth", param_range=depths, design=pairs)
    train, test = validation_curve(tree, X.values, y, param_name="max_depth", param_range=depths, cv=pairs)
    ours_train, ours_test = curve
    assert_allclose(1 - ours_train, train, atol=1e-12)
    assert_allclose(1 - ours_test, test, atol=1e-12)
    assert (np.diff(curve.train_scores, axis=0) <= 1e-12).all()  # every split: a deeper tree errs no more
    error, se = curve.test_mean, curve.test_scores.std(axis=1, ddof=1) / 2
    assert curve.best == np.argmin(error)
    assert curve.chosen == np.flatnonzero(error <= error[curve.best] + se[curve.best])[0]


@pytest.mark.capability("IML-2-20")
def test_a_learning_curve_at_full_size_is_the_peers_and_training_sets_are_nested():
    """Peer: learning_curve, scikit-learn 1.9, exploit_incremental_learning off; its smaller sets are other rows."""
    curve = learning_curve(GaussianNB(), X.values, Y, train_sizes=[20, 60, 133], design=PAIRS)
    _, train, test = their_learning_curve(GaussianNB(), X.values, Y, train_sizes=[133], cv=PAIRS)
    sizes, ours_train, ours_test = curve
    assert_allclose(1 - ours_test[-1], test[0], atol=1e-12)
    assert_allclose(1 - ours_train[-1], train[0], atol=1e-12)
    assert sizes.tolist() == [20, 60, 133] and ours_train.shape == ours_test.shape == (3, 4)


def test_training_sets_are_nested_and_stratified():
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append((X[:, 0], y))
            return super().fit(X, y)

    table = np.column_stack([np.arange(178.0), X.values])
    learning_curve(Spy(), table, Y, train_sizes=[12, 40, 118], design="3-fold")
    shares = np.bincount(CODES) / 178
    for j in range(3):
        small, middle, whole = (set(rows) for rows, _ in seen[3 * j : 3 * j + 3])
        assert small < middle < whole
        for _, y in seen[3 * j : 3 * j + 3]:
            counts = np.unique(y, return_counts=True)[1]
            assert (np.abs(counts - shares * len(y)) < 1.5).all()


def test_the_band_is_the_corrected_interval_and_paired_bands_are_about_the_difference():
    options = {"design": "3x4", "train_sizes": [30, 133]}
    bayes, lda = (learning_curve(name, X, Y, **options) for name in ("naive bayes", "lda"))
    low, high = bayes.band[0]
    unbounded = corrected_interval(bayes.test_scores[0], 44.5 / 30, 0.05)
    assert_allclose((low, high), np.clip(unbounded, 0, 1), rtol=1e-9)  # an error is a share
    mean, band = bayes.difference(lda)
    gaps = bayes.test_scores - lda.test_scores
    assert_allclose(mean, gaps.mean(axis=1))
    assert_allclose(band[1], corrected_interval(gaps[1], 44.5 / 133, 0.05), rtol=1e-9)
    assert "error of naive bayes by rows" in str(bayes)
    with pytest.raises(ParameterError, match="the same splits"):
        bayes.difference(learning_curve("lda", X, Y, random_state=1, **options))


def test_by_time_the_latest_rows_teach():
    rng = np.random.default_rng(0)
    when = rng.permutation(178)
    curve = learning_curve(
        GaussianNB(), X.values, Y, times=when, design="3-time", train_sizes=[20], metric="brier"
    )
    split = curve.splits[0]
    latest = split.train[np.argsort(when[split.train])[-20:]]
    model = GaussianNB().fit(X.values[latest], Y[latest])
    odds = model.predict_proba(X.values[split.test])
    truth = np.eye(3)[CODES[split.test]]
    assert_allclose(curve.test_scores[0, 0], ((odds - truth) ** 2).sum(axis=1).mean(), rtol=1e-9)


def test_processes_do_not_matter_and_names_are_prepared():
    a = complexity_curve("knn", X, Y, param_name="n_neighbors", param_range=[15, 5, 1], design="2x3")
    b = complexity_curve(
        "knn", X, Y, param_name="n_neighbors", param_range=[15, 5, 1], design="2x3", n_jobs=2
    )
    assert_array_equal(a.test_scores, b.test_scores)
    assert a.train_mean[2] == 0 and a.test_mean[1] < 0.1  # scaled, as compare would
    words = complexity_curve(
        DecisionTreeClassifier(), X, Y, param_name="criterion", param_range=["gini", "entropy"]
    )
    assert words.ticks.tolist() == ["gini", "entropy"]


@pytest.mark.parametrize(
    ("options", "words"),
    [({"train_sizes": [1]}, "from 2 to"), ({"train_sizes": [1000]}, "from 2 to"), ({"train_sizes": []}, "numbers"),
     ({"train_sizes": [1.5]}, "at most 1"), ({"train_sizes": ["a"]}, "numbers of rows"),
     ({"train_sizes": 5}, "numbers"),
     ({"design": "holdout"}, "at least two splits"), ({"metric": "cost"}, "would need costs"),
     ({"metric": "often"}, "there is no metric")],
)  # fmt: skip
def test_what_makes_no_curve_is_refused(options, words):
    with pytest.raises(AssayError, match=words):
        learning_curve("lda", X, Y, **options)
    if "train_sizes" not in options:
        with pytest.raises(AssayError, match=words):
            complexity_curve("knn", X, Y, param_name="n_neighbors", param_range=[1], **options)


def test_unknown_parameters_and_failing_learners_are_named():
    with pytest.raises(ParameterError, match="knn does not take"):
        complexity_curve("knn", X, Y, param_name="depth", param_range=[1])
    with pytest.raises(ParameterError, match="param_range must be values"):
        complexity_curve("knn", X, Y, param_name="n_neighbors", param_range=[])
    with pytest.raises(DataError, match="knn failed"):
        complexity_curve("knn", X, Y, param_name="n_neighbors", param_range=[-1])


@pytest.mark.parametrize("values", [3, [], "ab", None])
def test_a_range_that_is_none_is_refused(values):
    with pytest.raises(ParameterError, match="param_range must be values from simple to complex"):
        complexity_curve("knn", load_iris(), param_name="n_neighbors", param_range=values)


def test_errors_name_the_function_that_was_called():
    iris = load_iris()
    more = {"param_name": "max_depth", "param_range": [1, 2]}
    for wrong, said in (({"design": "holdout"}, "at least two splits"), ({"alpha": 2}, "alpha"),
                        ({"metric": "cost"}, "would need costs"), ({"random_state": -1}, "random_state")):  # fmt: skip
        with pytest.raises(ParameterError, match=f"^complexity_curve: .*{said}"):
            complexity_curve("cart", iris, **more, **wrong)
        with pytest.raises(ParameterError, match=f"^learning_curve: .*{said}"):
            learning_curve("cart", iris, **wrong)
