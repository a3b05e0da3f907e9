"""Folds that disagree: the exact size of the test, and a fold that stands out."""

import numpy as np
from scipy.stats import chi2_contingency

from assay import compare
from assay.evaluate.doubts import doubts
from assay.evaluate.fold_doubts import _p
from assay.linear import LogisticRegression
from assay.tables.data import load_breast_cancer


def found(result):
    return {f.code: f for f in doubts(result)}


def test_the_statistic_is_pearsons_and_its_p_that_of_random_deals():
    """With many errors the deals agree with the chi-square distribution (scipy.stats.chi2_contingency)."""
    errors, size = np.array([30, 45, 28, 33, 60]), np.full(5, 200)
    peer = chi2_contingency(np.array([errors, size - errors]), correction=False)
    assert abs(_p(errors, size) - peer.pvalue) < 0.002
    errors = np.array([30, 35, 28, 33, 40])
    assert abs(_p(errors, size) - chi2_contingency(np.array([errors, size - errors])).pvalue) < 0.02


def test_p_is_uniform_or_larger_when_errors_are_dealt_by_chance():
    rng, size = np.random.default_rng(0), np.array([15] * 10)
    p = np.array([_p(rng.multivariate_hypergeometric(size, 9), size) for _ in range(100)])
    assert (p <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert 0.3 < p.mean() < 0.75


def test_no_errors_or_all_errors_agree():
    assert _p(np.zeros(5, int), np.full(5, 20)) == 1.0 == _p(np.full(5, 20), np.full(5, 20))


def test_a_fold_from_another_source_stands_out():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    y = (X[:, 0] > 0).astype(int)
    y[200:300] = 1 - y[200:300]  # these rows were labelled the other way round
    blocks = [
        (np.setdiff1d(np.arange(500), np.arange(k, k + 100)), np.arange(k, k + 100))
        for k in range(0, 500, 100)
    ]
    said = found(compare({"logistic": LogisticRegression()}, X, y, blocks))["folds-disagree"]
    assert said.severity == "warning" and said.column == "logistic"
    assert (
        "fold 2 stands out" in said.sentence and "(rows 201, 202, 203, 204, 205 and 95 more)" in said.sentence
    )
    both = found(compare({"logistic": LogisticRegression(), "lda": "lda"}, X, y, blocks))["folds-disagree"]
    assert "; so does " in both.sentence
    mixed = rng.permutation(500)
    assert "folds-disagree" not in found(
        compare({"logistic": LogisticRegression()}, X[mixed], y[mixed], "5-fold")
    )


def test_shuffled_folds_of_respectable_data_agree():
    result = compare(["lda", "naive bayes", "knn"], load_breast_cancer(), design="10-fold")
    assert "folds-disagree" not in found(result)


def test_one_split_cannot_disagree():
    assert "folds-disagree" not in found(compare(["lda"], load_breast_cancer(), design="holdout"))
