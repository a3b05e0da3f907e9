"""One split: intervals and tests of any metric on its rows, against closed forms and by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.evaluate import one_split
from assay.metrics import auc_interval, delong, measures
from assay.tables.data import load_breast_cancer, load_iris, load_wine

TWO = {"lda": "lda", "stump": DecisionTreeClassifier(max_depth=1)}
OTHERS = ["auc", "gini", "brier", "log-loss", "f1", "kappa", "mcc", "ece", "f1_weighted", "cost"]


@pytest.fixture(scope="module")
def holdout():
    return compare(
        TWO, load_breast_cancer(), design="holdout", metrics=OTHERS, loss={("benign", "malignant"): 5}
    )


def test_areas_of_two_classes_are_delongs(holdout):
    lda, stump = (holdout.out_of_fold(name) for name in TWO)
    own = delong(lda.truth, lda.posterior[:, 1], stump.posterior[:, 1])
    found = holdout.test("lda", "stump", "auc").result
    assert_allclose([found.p, found.low, found.high], [own.p, own.low, own.high], rtol=1e-12)
    assert f"on {len(lda.truth)} test rows" in found.test
    bounds = auc_interval(lda.truth, lda.posterior[:, 1])
    assert_allclose(holdout.interval("lda", "auc"), (bounds.low, bounds.high), rtol=1e-12)
    twice = holdout.test("lda", "stump", "gini").result
    assert_allclose([twice.estimate, twice.low, twice.p], [2 * own.estimate, 2 * own.low, own.p], rtol=1e-9)


def test_the_bootstrap_knows_the_standard_error_of_a_mean_over_rows(holdout):
    lda, stump = (holdout.out_of_fold(name) for name in TWO)
    each = [np.square(s.posterior - np.eye(2)[s.truth]).sum(axis=1) / 2 for s in (lda, stump)]
    gap = each[0] - each[1]
    found = holdout.test("lda", "stump", "brier").result
    assert_allclose(found.estimate, gap.mean(), rtol=1e-9)
    error = gap.std() / np.sqrt(len(gap))
    assert_allclose(found.estimate / found.statistic, error, rtol=0.15)  # of 200 draws: 5 %
    back = holdout.test("stump", "lda", "brier").result
    assert (back.estimate, back.low, back.high, back.p) == (-found.estimate, -found.high, -found.low, found.p)


def test_draws_of_some_rows_tell_the_spread_of_all():
    """6000 test rows, of which a draw takes 2000: the standard error is still that of 6000."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12_000, 2))
    y = (X[:, 0] + rng.normal(size=12_000) > 0).astype(int)
    result = compare(TWO, X, y, test=np.arange(12_000) % 2 == 0, metrics=["brier", "mcc"])
    each = [np.square(s.posterior[:, 1] - s.truth) for s in (result.out_of_fold(name) for name in TWO)]
    found = result.test("lda", "stump").result
    error = (each[0] - each[1]).std() / np.sqrt(6000)
    assert_allclose(found.estimate / found.statistic, error, rtol=0.15)  # of 200 draws: 5 %


def test_every_metric_has_an_interval_and_a_test(holdout, monkeypatch):
    monkeypatch.setattr(one_split, "_DRAWS", 60)
    monkeypatch.setattr(one_split, "_TEST_DRAWS", 60)
    for name in OTHERS:
        low, high = holdout.interval("lda", name)
        assert low < holdout.values("lda", name)[0] < high or name == "ece", name  # ece is biased upwards
        found = holdout.test("lda", "stump", name).result
        assert 0 <= found.p <= 1 and found.low < found.estimate < found.high, name
    three = compare(TWO, load_wine(), design="holdout", metrics=["auc"], sample_weight=np.arange(1.0, 179.0))
    assert "paired bootstrap" in three.test("lda", "stump").result.test


def test_twins_do_not_differ_and_what_was_not_kept_is_said():
    twins = compare({"a": "lda", "b": "lda"}, load_iris(), design="holdout", metrics=["log-loss", "auc"])
    assert twins.test("a", "b").result.p == 1 and twins.test("a", "b", "auc").result.p == 1
    lost = compare(TWO, load_iris(), design="holdout", metrics=["log-loss"], probabilities=False)
    assert np.isnan(lost.interval("lda")).all() and "was not kept" in lost.test("lda", "stump").result.why
    few = compare(TWO, np.arange(12.0)[:, None], [0, 1] * 6, test=[0, 1, 2], metrics=["auc"])
    assert few.test("lda", "stump").result.why == "too few rows of some class"


def test_size_and_coverage_on_equal_learners(monkeypatch):
    """400 samples of 150 rows and two equally good scores: 5 % of differences are called significant."""
    monkeypatch.setattr(one_split, "_TEST_DRAWS", 100)
    shown = compare(TWO, load_breast_cancer(), design="holdout", metrics=["brier"])
    rng, rejected, covered = np.random.default_rng(0), 0, 0
    chance = rng.beta(2, 2, size=(400, 150))
    truth = (rng.random((400, 150)) < chance).astype(np.int64)
    for p, y in zip(chance, truth):
        for name in TWO:
            noisy = np.clip(p + rng.normal(0, 0.15, 150), 0, 1)
            cell = shown.cells[name][0]
            cell.posterior, cell.answer = np.column_stack([1 - noisy, noisy]), (noisy > 0.5).astype(np.int64)
            seen = one_split.Outcome(y, cell.answer, cell.posterior, 2)
            cell.values["brier"] = measures()["brier"].of(seen)
        shown.truths[0] = y
        found = one_split.tests_of_rows(shown, measures()["brier"])["lda", "stump"]
        rejected += found.p <= 0.05
        covered += found.low <= 0 <= found.high
    assert 8 <= rejected <= 34  # binomial band of 99.9 % around 20
    assert covered == 400 - rejected
