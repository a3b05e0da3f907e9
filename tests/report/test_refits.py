"""What the report learns anew: within its allowance, on rows that were not seen, and the page lives without it."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from assay import compare
from assay.errors import ParameterError
from assay.neighbors import KNeighborsClassifier
from assay.report import render_report
from assay.report.refits import extras
from assay.tables.data import load_breast_cancer, load_iris


class Moody(ClassifierMixin, BaseEstimator):
    """Learns from many rows only."""

    def fit(self, X, y):
        if len(y) < 60:
            raise ValueError("too few rows for me")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


@pytest.fixture(scope="module")
def result():
    return compare(["knn", "lda", "majority"], load_breast_cancer(), design="2x5")


@pytest.fixture(scope="module")
def found(result):
    return extras(result, True, True)


def test_a_learning_curve_ends_at_the_comparison_itself(result, found):
    """With all training rows, three splits are refitted; the curve still ends at the number of the ranking."""
    for s in result.ranking():
        curve = found.learning[s.learner]
        assert (curve.test_mean[-1], *curve.band[-1]) == (
            s.mean,
            s.low,
            s.high,
        ) and curve.standing.mean == s.mean
        assert curve.ticks[-1] == np.mean([p[2] for p in result.places[:3]])
        assert curve.band[0, 0] <= curve.test_mean[0] <= curve.band[0, 1]


def test_a_learning_curve_grows_and_its_shares_are_nested(result, found):
    sizes = found.learning["knn"].ticks.tolist()
    assert sizes == sorted(sizes) and len(sizes) == 5
    taught, tested = found.learning["lda"].train_mean, found.learning["lda"].test_mean
    assert taught[0] == 0.0 < tested[0]  # 30 columns fit 46 rows by heart
    assert tested[0] > tested[-1]


def test_the_complexity_curve_of_neighbours_holds_the_value_compared(result, found):
    curve = found.complexity["knn"]
    assert curve.along == "n_neighbors" and curve.used == 5
    assert (
        curve.test_mean[curve.ticks == 5][0]
        == result.ranking("error")[[s.learner for s in result.ranking()].index("knn")].mean
    )
    assert curve.train_mean[curve.ticks == 1][0] == 0.0  # each row is its own neighbour
    assert set(found.complexity) == {"knn"}


def test_the_surest_errors_are_the_comparisons_own(result, found):
    answers = result.out_of_fold("lda")
    wrong = answers.answer != answers.truth
    sure = np.sort(answers.posterior[wrong].max(axis=1))[::-1][:3]
    told = found.errors["lda"]
    np.testing.assert_allclose([m.probability for m in told], sure)
    for m in told:
        row = int(m.row.removeprefix("row ")) - 1  # rows are told by number, counted from 1
        i = int(np.flatnonzero(answers.rows == row)[0])
        assert m.truth == result.classes[answers.truth[i]] != m.answer == result.classes[answers.answer[i]]
        assert m.hidden == 18 and len(m.values) == 12
        name, value = m.values[0]
        assert float(value) == pytest.approx(result.source.table.values[row, 0])
        assert name == "mean radius"


def test_the_refit_reasons_to_the_posterior_of_the_comparison(found):
    for m in found.errors["knn"]:
        assert f"{m.probability:.4g}" in m.text.split("Posterior")[1]


def test_a_learner_that_cannot_learn_from_few_rows_costs_its_points_alone():
    result = compare({"moody": Moody(), "lda": "lda"}, load_iris(), design="3-fold")
    told = extras(result, True, True)
    assert len(told.learning["moody"].ticks) == 2 and len(told.learning["lda"].ticks) == 5
    assert "moody" not in told.errors  # no probabilities


@pytest.mark.parametrize(
    ("design", "folds"), [("4xholdout", 3), ("4-time", 3), ("bootstrap(4)", 3), ("holdout", 1)]
)
def test_every_design_has_curves_over_its_own_splits(design, folds):
    X, y = load_breast_cancer()
    result = compare(["lda"], X, y, design=design, times=np.arange(len(y)) if "time" in design else None)
    curve = extras(result, True, False).learning["lda"]
    assert len(curve.splits) == folds
    np.testing.assert_allclose(curve.test_mean[-1], result.ranking()[0].mean, rtol=1e-12)


def test_splits_of_single_rows_have_no_curve_and_it_is_said():
    result = compare(["lda"], load_iris(), design="leave-one-out")
    told = extras(result)
    assert not told.learning and "too few rows" in told.notes[0] and told.errors["lda"]


def test_nothing_is_fitted_when_nothing_is_asked(result):
    told = extras(result, False, False)
    assert not told.learning and not told.complexity and not told.errors and not told.notes


def test_the_allowance_is_the_comparisons_own_time(result):
    slow = compare(["knn", "lda", "majority"], load_breast_cancer(), design="2x5")
    for cells in slow.cells.values():
        for cell in cells:
            cell.fit_seconds = 100.0
    told = extras(slow)
    assert not told.learning and "Learning curves of" in told.notes[1]
    assert "importance=True" in told.notes[0] and "learning_curves=True" in told.notes[1]


def test_a_comparison_without_its_rows_says_what_is_missing(result):
    bare = pickle.loads(pickle.dumps(result))
    told = extras(bare)
    assert not told.learning and "saved without its rows" in told.notes[0]
    assert "saved without its rows" in render_report(bare)


@pytest.mark.parametrize(("option", "value"), [("learning_curves", "yes"), ("explanations", 3)])
def test_a_wrong_option_is_told(result, option, value):
    with pytest.raises(ParameterError, match=f'{option} must be "auto", True or False, got'):
        render_report(result, **{option: value})


@pytest.mark.parametrize("rope", [-1, "x", float("inf")])
def test_a_wrong_region_is_told(result, rope):
    with pytest.raises(ParameterError, match='rope must be a number from 0 up, "auto" or None, got'):
        render_report(result, rope=rope)


def test_extras_that_fail_leave_a_page_and_a_sentence():
    class Proud(KNeighborsClassifier):
        def explain(self, X):
            raise RuntimeError("I owe you no reasons")

    result = compare({"proud": Proud()}, load_iris(), design="3-fold")
    assert "proud is missing: I owe you no reasons" in render_report(result)


def test_weights_count_in_refits_as_they_did_in_the_comparison():
    X, y = load_breast_cancer()
    weights = np.where(np.arange(len(y)) % 3 == 0, 5.0, 0.2)
    result = compare(["lda", "naive bayes"], X, y, design="5-fold", sample_weight=weights)
    found = extras(result, True, True)
    for s in result.ranking():
        np.testing.assert_allclose(found.learning[s.learner].test_mean[-1], s.mean, rtol=1e-12)
    for m in found.errors["naive bayes"]:
        assert f"{m.probability:.4g}" in m.text
