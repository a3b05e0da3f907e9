"""What follows from the records: intervals, tests, letters, and plain data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import confusion_matrix

from assay import compare
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis
from assay.errors import ParameterError
from assay.evaluate import Resampling, corrected_interval, holm, mcnemar, paired_t, wilson_interval
from assay.tables.data import load_breast_cancer, load_iris, load_wine


class Always(ClassifierMixin, BaseEstimator):
    """Says the same class of every row; a learner without probabilities."""

    def __init__(self, label=0):
        self.label = label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


@pytest.fixture(scope="module")
def result():
    learners = ["majority", "naive bayes", "lda", "nearest mean"]
    return compare(learners, load_breast_cancer(), design="3x5", metrics=["error", "auc", "log-loss"])


def test_ranked_by_the_first_metric_in_its_direction(result):
    means = [s.mean for s in result.ranking()]
    assert means == sorted(means)
    areas = [s.mean for s in result.ranking("auc")]
    assert areas == sorted(areas, reverse=True)
    assert result.best == result.ranking()[0].learner


def test_every_test_is_the_corrected_t_on_the_splits_and_holm_runs_over_each_question(result):
    ratio = np.mean([len(t) for t in result.tests]) / np.mean([p[2] for p in result.places])
    names = result.learners
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    plain = [paired_t(result.values(a) - result.values(b), ratio).p for a, b in pairs]
    assert_allclose([result.test(a, b).result.p for a, b in pairs], plain, rtol=1e-12)
    for question in (True, False):  # against the majority, and among the others
        asked = [i for i, pair in enumerate(pairs) if ("majority" in pair) == question]
        adjusted = [result.test(*pairs[i]).adjusted for i in asked]
        assert_allclose(adjusted, holm([plain[i] for i in asked]), rtol=1e-12)
        assert {result.test(*pairs[i]).pairs for i in asked} == {3}


def test_a_test_turned_round_says_the_same(result):
    one, other = result.test("lda", "majority"), result.test("majority", "lda")
    assert one.result.estimate == -other.result.estimate
    assert (one.result.low, one.result.high) == (-other.result.high, -other.result.low)
    assert one.result.p == other.result.p and one.adjusted == other.adjusted


def test_marks_letters_and_p_values_tell_one_story(result):
    for metric in ("error", "auc", "log-loss"):
        standings = result.ranking(metric)
        for s in standings[1:]:
            verdict = result.test(s.learner, standings[0].learner, metric)
            assert s.level == (verdict.adjusted > result.alpha) == (not verdict.significant)
            assert s.level == bool(set(s.letters) & set(standings[0].letters))
            assert s.p == verdict.adjusted and s.difference == verdict.result.estimate


def test_the_sentence_names_test_size_interval_and_level(result):
    said = str(result.test("majority", "lda"))
    assert said.startswith("majority has a higher error than lda by 0.3")
    for part in ("95% interval +0.3142 to +0.3478", "corrected resampled t test on 15 splits: p < 0.001",
                 "adjusted for 3 pairs p < 0.001", "significant at 0.05."):  # fmt: skip
        assert part in said
    assert "lower auc" in str(result.test("majority", "lda", "auc"))


def test_an_interval_of_a_share_is_the_wider_of_t_and_wilson(result):
    ratio = np.mean([len(t) for t in result.tests]) / np.mean([p[2] for p in result.places])
    rows = result.data.rows
    for name in result.learners:
        v = result.values(name)
        by_splits, by_rows = corrected_interval(v, ratio), wilson_interval(v.mean(), rows)
        wider = max((by_splits, by_rows), key=lambda i: i[1] - i[0])
        assert_allclose(result.interval(name), np.clip(wider, 0, 1), rtol=1e-12)
    # stratified folds hardly vary for the majority: by the splits alone it would be sure to a thousandth
    low, high = result.interval("majority")
    assert high - low > 0.05


def test_never_wrong_is_not_never_wrong_for_sure():
    X, y = load_iris()
    result = compare([LinearDiscriminantAnalysis()], X, y == y[0], design="10-fold")
    assert result.values("LinearDiscriminantAnalysis").max() == 0
    assert_allclose(result.interval("LinearDiscriminantAnalysis"), wilson_interval(0, 150), rtol=1e-12)
    assert "auc" not in str(result)


def test_an_interval_stays_within_the_bounds_of_its_metric(result):
    for metric in ("error", "auc", "log-loss"):
        for s in result.ranking(metric):
            low, high = {"error": (0, 1), "auc": (0, 1), "log-loss": (0, np.inf)}[metric]
            assert np.isnan(s.low) or low <= s.low <= s.mean <= s.high <= high


def test_a_constant_value_of_another_metric_has_no_interval(result):
    assert np.isnan(result.interval("majority", "auc")).all()  # 0.5 on every split


def test_learners_that_are_the_same_do_not_differ():
    same = compare({"one": GaussianNB(), "two": GaussianNB()}, load_wine(), design="5-fold")
    verdict = same.test("one", "two")
    assert verdict.result.p == 1 and verdict.adjusted == 1 and not verdict.significant
    assert str(verdict) == "one and two do not differ in error (no test: equal on every split)."
    assert [s.letters for s in same.ranking()] == ["a", "a"]


def test_the_same_difference_on_every_split_is_judged_by_folds():
    y = np.repeat([0, 1, 1], 20)
    result = compare({"zero": Always(0), "one": Always(1)}, np.zeros((60, 1)), y, design="10x10")
    verdict = result.test("zero", "one")
    assert_allclose(verdict.result.estimate, 1 / 3)
    assert verdict.result.p == 2.0**-9 and verdict.significant and "sign test" in str(verdict)
    assert np.isnan(result.ranking()[1].difference_low)
    assert "zero" in str(result)


def test_one_holdout_is_judged_by_its_rows():
    data = load_breast_cancer()
    result = compare(["majority", "lda"], data, design="holdout")
    codes = np.unique(data.y, return_inverse=True)[1]
    split = next(iter(Resampling.of("holdout").splits(codes, 0)))
    model = LinearDiscriminantAnalysis().fit(data.X.values[split.train], data.y[split.train])
    wrong_lda = model.predict(data.X.values[split.test]) != data.y[split.test]
    wrong_majority = data.y[split.test] != "benign"
    e01, e10 = (wrong_majority & ~wrong_lda).sum(), (wrong_lda & ~wrong_majority).sum()
    verdict = result.test("majority", "lda")
    assert verdict.result.p == mcnemar(e01, e10).p
    assert_allclose(verdict.result.estimate, (e01 - e10) / len(split.test))
    assert verdict.result.low < verdict.result.estimate < verdict.result.high
    accuracy = compare(["majority", "lda"], data, design="holdout", metrics="accuracy").test(
        "majority", "lda"
    )
    assert_allclose(accuracy.result.estimate, -verdict.result.estimate)


def test_one_split_whose_probabilities_were_not_kept_has_no_test_and_says_why():
    result = compare(
        ["majority", "lda"], load_iris(), design="holdout", metrics=["log-loss"], probabilities=False
    )
    verdict = result.test("majority", "lda")
    assert np.isnan(verdict.result.p) and not verdict.significant
    assert str(verdict) == (
        "majority and lda cannot be compared by log-loss: no test: what it rests on was not kept."
    )
    assert [s.letters for s in result.ranking()] == ["a", "a"]


def test_a_metric_that_some_splits_do_not_define_uses_the_others():
    y = np.repeat(["a", "b"], [57, 3])
    X = np.arange(60.0)[:, None]
    result = compare(["majority", "naive bayes"], X, y, metrics=["auc"], design="10-fold")
    there = np.isfinite(result.values("naive bayes"))
    assert 0 < there.sum() < len(there)
    assert result.test("majority", "naive bayes").splits == there.sum()
    assert np.isfinite(result.ranking()[0].mean)
    assert any(
        note.startswith("auc is not defined on") and note.endswith("rests on the others.")
        for note in result.notes
    )


def test_a_metric_that_no_split_defines_says_nothing_and_says_so():
    result = compare(["majority", "lda"], load_iris(), design="leave-one-out", metrics=["auc"])
    assert result.notes == ["auc is not defined on 150 of 150 splits and says nothing here."]
    assert [(s.letters, s.level) for s in result.ranking()] == [("", False), ("", False)]
    assert "No split defines auc, so nothing can be said by it." in str(result) and "nan" not in str(result)
    with pytest.raises(ParameterError, match="auc is defined on no split"):
        _ = result.best


def test_a_learner_without_probabilities_has_no_auc_and_ranks_last_by_it():
    X, y = load_iris()
    result = compare({"always": Always(y[0]), "nb": "naive bayes"}, X, y, metrics=["error", "auc"])
    assert result.failures == {}
    assert [s.learner for s in result.ranking("auc")] == ["nb", "always"]
    assert np.isnan(result.ranking("auc")[1].mean)
    assert "no split defines it for both" in str(result.test("always", "nb", "auc"))


def test_one_learner_alone_is_described_without_a_comparison():
    result = compare(["lda"], load_iris())
    assert [s.letters for s in result.ranking()] == ["a"]
    assert "share a letter" not in str(result)
    with pytest.raises(ParameterError, match="against itself"):
        result.test("lda", "lda")


def test_confusion_matrices_count_every_test_row():
    data = load_iris()
    result = compare(["lda"], data, design="2x5")
    counts = result.confusion("lda")
    assert counts.sum(axis=1).tolist() == [100, 100, 100]  # twice fifty
    codes = np.unique(data.y, return_inverse=True)[1]
    total = np.zeros((3, 3), dtype=int)
    for s in Resampling.of("2x5").splits(codes, 0):
        model = LinearDiscriminantAnalysis().fit(data.X.values[s.train], data.y[s.train])
        total += confusion_matrix(data.y[s.test], model.predict(data.X.values[s.test]))
    assert (counts == total).all()


def test_the_best_estimator_can_be_fitted_with_its_preparation():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0] * 10, "b": ["x", "y", "y", None] * 10})
    y = ["p", "q"] * 20
    result = compare(["nearest mean", "lda"], frame, y, design="5-fold")
    model = result.estimator().fit(frame, y)
    assert set(model.predict(frame)) <= {"p", "q"}
    assert type(result.estimator("lda")).__name__ == "Prepared"


def test_unknown_learners_and_metrics_are_named(result):
    with pytest.raises(
        ParameterError, match="no learner 'ldaa' here. It has: majority, naive bayes".replace(".", r"\.")
    ):
        result.test("ldaa", "lda")
    with pytest.raises(ParameterError, match=r"'f1' was not measured here\. Measured: error, auc, log-loss"):
        result.ranking("f1")


def test_with_nothing_to_find_a_family_of_learners_rarely_raises_an_alarm():
    """Six learners of pure noise, each on a column of its own: any significant pair is a false alarm.

    The best one is chosen by looking, which is why all pairs are paid for. 40 worlds, level 0.05: more than
    six alarms would come up with probability below 0.004.
    """

    class Column(Always):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.cut_ = np.median(X[:, self.label])
            self.up_ = np.mean(y[X[:, self.label] > self.cut_]) >= np.mean(y[X[:, self.label] <= self.cut_])
            return self

        def predict(self, X):
            return ((X[:, self.label] > self.cut_) == self.up_).astype(int)

    alarms = 0
    for world in range(40):
        rng = np.random.default_rng(world)
        X, y = rng.normal(size=(60, 6)), np.repeat([0, 1], 30)
        found = compare({f"c{j}": Column(j) for j in range(6)}, X, y, design="2x5", random_state=world)
        assert found.failures == {}
        alarms += any(not s.level for s in found.ranking())
    assert alarms <= 6


def test_learners_are_found_by_their_name_whatever_spaces_and_capitals_it_has():
    result = compare({" lda ": "lda", "LDA": "lda", "Tree": "c45"}, load_iris(), design="3-fold")
    assert result.test(" lda ", "tree").first == " lda "
    assert result.test("LDA", " Tree ").first == "LDA"
    assert [s.learner for s in result.ranking()][-1] == "Tree"


def test_costs_of_any_size_are_ranked():
    X, y = load_wine()
    usual = compare(
        ["majority", "lda", "naive bayes"], X, y, design="3-fold", loss=np.ones((3, 3)) - np.eye(3)
    )
    tiny = compare(
        ["majority", "lda", "naive bayes"], X, y, design="3-fold", metrics=["cost"],
        loss=1e-15 * (np.ones((3, 3)) - np.eye(3)),
    )  # fmt: skip
    assert [s.learner for s in tiny.ranking()] == [s.learner for s in usual.ranking("cost")]
    assert tiny.ranking()[-1].learner == "majority" and tiny.ranking()[-1].p < 0.01


def test_learners_are_found_by_every_name_that_compare_takes():
    """A short name, another name, a class name, in any writing; a name of one's own comes first."""
    result = compare(["c45", "nb"], load_iris(), design="5-fold")
    verdict = result.test("C45Classifier", "nb")
    assert (verdict.first, verdict.second) == ("c45", "naive bayes")
    assert result.bayes("c45", "NB").left == result.bayes("c45", "naive bayes").left
    assert result.effect("c45", "nb") == result.effect("c45", "naive bayes")
    for answer in (result.values, result.confusion, result.interval):
        assert_allclose(answer("Naive-Bayes"), answer("naive bayes"))
    assert (result.out_of_fold("nb").answer == result.out_of_fold("naive bayes").answer).all()
    assert type(result.estimator("nb")) is type(result.estimator("naive bayes"))
    assert result.importance("nb", n_repeats=1, splits=1).learner == "naive bayes"
    own = compare({"nb": "lda", "Naive Bayes": "qda"}, load_iris(), design="5-fold")
    assert isinstance(own.estimator("nb"), LinearDiscriminantAnalysis)
    with pytest.raises(ParameterError, match=r"there is no learner 'lda' here\. It has: c45, naive bayes"):
        result.test("c45", "lda")
