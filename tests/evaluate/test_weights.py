"""Weights of rows: a row of weight two counts as two rows, in learning, in metrics and in intervals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.evaluate.pairs import _on_weighted_rows
from assay.evaluate.weights import effective_rows, weight_keyword
from assay.learners import learners
from assay.prepare import Prepared
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.tables.data import load_iris, load_wine

X, Y = load_wine()
rng = np.random.default_rng(0)
COUNTS = rng.integers(1, 4, size=178).astype(float)


def test_whole_weights_are_rows_that_come_so_many_times():
    """Training on weights is training on repeated rows, and the weighted error is that of repeated test rows."""
    pairs = [(np.arange(178) % 3 != k, np.arange(178) % 3 == k) for k in range(3)]
    weighted = compare(
        [GaussianNB(var_smoothing=0)],
        X.values,
        Y,
        design=pairs,
        sample_weight=COUNTS,
        metrics=["error", "brier"],
    )
    for j, (train, test) in enumerate(pairs):
        again = np.repeat(np.arange(178), (COUNTS * train).astype(int))
        model = GaussianNB(var_smoothing=0).fit(X.values[again], Y[again])
        tested = np.repeat(np.arange(178), (COUNTS * test).astype(int))
        error = np.mean(model.predict(X.values[tested]) != Y[tested])
        assert_allclose(weighted.values("GaussianNB")[j], error, rtol=1e-9)
        odds = model.predict_proba(X.values[tested])
        truth = Y[tested][:, None] == model.classes_
        assert_allclose(
            weighted.values("GaussianNB", "brier")[j], ((odds - truth) ** 2).sum(1).mean(), rtol=1e-9
        )
    assert weighted.settings["weighted"]


def test_weights_of_one_change_nothing():
    learners = ["majority", "naive bayes", "lda", "c45"]
    metrics = ["error", "auc", "log-loss"]
    plain = compare(learners, X, Y, design="5-fold", metrics=metrics)
    ones = compare(learners, X, Y, design="5-fold", metrics=metrics, sample_weight=np.ones(178))
    for name in learners:
        for m in metrics:
            assert_allclose(ones.values(name, m), plain.values(name, m), rtol=1e-9)
        assert_allclose(ones.interval(name), plain.interval(name), rtol=1e-9)


def test_learners_that_cannot_use_weights_are_named_and_still_measured_by_them():
    learners = {"tree": DecisionTreeClassifier(), "near": KNeighborsClassifier(), "named": "knn"}
    result = compare(learners, X.values, Y, design="3-fold", sample_weight=COUNTS)
    assert result.failures == {}
    assert result.notes[0].startswith("near")
    assert "cannot learn from weighted rows; the weights count in the metrics alone." in result.notes[0]
    assert "tree" not in result.notes[0]


@pytest.mark.parametrize("name", list(learners()))
def test_every_learner_known_by_name_takes_weights_or_is_named(name):
    iris = load_iris()
    n = 100 if learners()[name].multiclass == "two classes only" else 150
    result = compare([name], iris.X[:n], iris.y[:n], design="2-fold", sample_weight=np.arange(n) % 4 + 0.5)
    assert result.failures == {}


def test_each_learner_hears_of_weights_under_its_own_name():
    tree = DecisionTreeClassifier()
    assert weight_keyword(tree) == weight_keyword(GaussianNB()) == "sample_weight"
    assert weight_keyword(make_pipeline(StandardScaler(), tree)) == "decisiontreeclassifier__sample_weight"
    assert weight_keyword(GridSearchCV(tree, {"max_depth": [1]})) == "sample_weight"
    assert weight_keyword(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]})) is None
    assert weight_keyword(Prepared(GaussianNB())) == "sample_weight"
    assert weight_keyword(make_pipeline(KNeighborsClassifier())) is None
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2
    )
    result = compare({"it": search, "tree": tree}, X.values, Y, design="2-fold", sample_weight=COUNTS)
    assert result.failures == {} and result.notes == []


def test_the_interval_rests_on_as_many_rows_as_tell_as_much():
    weights = np.where(np.arange(178) < 100, 1.0, 0.0)
    result = compare(["majority"], X, Y, test=np.arange(178) % 2 == 0, sample_weight=weights)
    error = result.values("majority")[0]
    assert_allclose(result.interval("majority"), wilson_interval(error, 50, 0.05), rtol=1e-9)
    assert effective_rows(np.array([5.0, 5.0])) == 2.0 and effective_rows(np.zeros(3)) == 0.0


def test_one_split_of_weighted_rows_has_a_test_that_knows_them():
    held = np.arange(178) % 2 == 0
    learners = {"stump": DecisionTreeClassifier(max_depth=1, random_state=0), "lda": "lda"}
    result = compare(learners, X.values, Y, test=held, sample_weight=COUNTS)
    a, b = (result.cells[k][0].answer != result.truths[0] for k in learners)
    w, d = COUNTS[held], a.astype(float) - b
    gap = (w * d).sum() / w.sum()
    error = np.sqrt((w**2 * (d - gap) ** 2).sum()) / w.sum()
    found = result.test("stump", "lda").result
    assert_allclose([found.estimate, found.statistic], [gap, gap / error], rtol=1e-9)
    assert "z test of 89 weighted test rows" in found.test and found.rejected
    twins = compare({"a": "lda", "b": "lda"}, X, Y, test=held, sample_weight=COUNTS).test("a", "b")
    assert twins.result.p == 1 and np.isnan(result.omnibus().p)


def test_the_weighted_test_keeps_its_level():
    """Two learners that guess alike on weighted rows: 5 % of 400 tests, band of four standard errors: 0.7 to 9.4 %."""
    rng = np.random.default_rng(2)
    n, rejected = 200, 0
    weights = rng.exponential(size=n)
    y = np.arange(n) % 2

    for _ in range(400):
        first, second = (rng.integers(2, size=n) != y for _ in range(2))
        rejected += _on_weighted_rows(first.astype(float) - second, weights, 0.05).rejected
    assert 0.007 * 400 < rejected < 0.094 * 400


@pytest.mark.parametrize(
    ("weights", "words"),
    [(np.ones(5), "one weight for each of the 178"), (-COUNTS, "row 1 has -"), (COUNTS * np.nan, "contains NaN: row 1"),
     (["a"] * 178, "must be numbers"), (np.zeros(178), "all are zero"),
     (COUNTS * 1e299, "from 1e-100 to 1e100"), (COUNTS * 1e-299, "from 1e-100 to 1e100")],
)  # fmt: skip
def test_weights_that_are_none_are_refused(weights, words):
    with pytest.raises(DataError, match=words):
        compare(["majority"], X, Y, sample_weight=weights)


def test_rows_tested_one_by_one_count_by_their_weights():
    """Leave-one-out: a fold of one row cannot weigh it, so the mean over folds must."""
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 3, len(Y)).astype(float)
    learners = {"stump": DecisionTreeClassifier(max_depth=1), "lda": "lda"}
    result = compare(
        learners, X, Y, design="leave-one-out", metrics=["error", "brier"], sample_weight=weights
    )
    seen = result.out_of_fold("stump")
    wrong = seen.answer != seen.truth
    standing = next(s for s in result.ranking() if s.learner == "stump")
    assert_allclose(standing.mean, weights @ wrong / weights.sum(), rtol=1e-12)
    off = ((seen.posterior - np.eye(3)[seen.truth]) ** 2).sum(axis=1)
    by_brier = {s.learner: s.mean for s in result.ranking("brier")}
    assert_allclose(by_brier["stump"], weights @ off / weights.sum(), rtol=1e-12)
    for metric in ("error", "brier"):
        means = {s.learner: s.mean for s in result.ranking(metric)}
        found = result.test("stump", "lda", metric).result
        assert_allclose(found.estimate, means["stump"] - means["lda"], rtol=1e-9)


def test_a_fold_whose_rows_weigh_nothing_is_left_out_and_fails_nobody():
    weights = np.ones(len(Y))
    weights[:60] = 0
    folds = [(np.setdiff1d(np.arange(len(Y)), test), test) for test in np.split(np.arange(len(Y))[:176], 8)]
    result = compare(["lda", "majority"], X, Y, design=folds, sample_weight=weights)
    assert not result.failures and np.isnan(result.values("lda")[:2]).all()
    assert any("error is not defined on 2 of 8 splits" in note for note in result.notes)
