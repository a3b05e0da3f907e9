"""The test that fits the design: F on 5x2, McNemar on one split, a corrected t elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.evaluate.pairs import any_difference
from assay.metrics import measures
from assay.stats.bayesian.correlated_t import correlated_t
from assay.stats.effects.cohen import hedges_g
from assay.stats.effects.dominance import discordant_odds
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.significance.cochran_q import cochran_q
from assay.stats.significance.five_by_two import five_by_two_f
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.which_test import which_test
from assay.tables.data import load_breast_cancer, load_iris, load_wine

STUMP, TREE = DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier(max_depth=4)


def test_on_five_halvings_it_is_the_combined_f_test_and_its_own_interval():
    result = compare({"stump": STUMP, "tree": TREE}, *load_breast_cancer(), design="5x2")
    verdict = result.test("stump", "tree")
    d = (result.values("stump") - result.values("tree")).reshape(5, 2)
    wanted = five_by_two_f(d)
    assert verdict.result.p == wanted.p and verdict.result.df == (10, 5)
    assert "combined 5 x 2 cv F test on 10 splits" in str(verdict)
    # the ends of the interval are the differences at which the test is just at its level
    for end in (verdict.result.low, verdict.result.high):
        assert_allclose(five_by_two_f(d - end).p, 0.05, rtol=1e-9)
    other = result.test("tree", "stump").result
    assert (other.low, other.high, other.statistic) == (
        -verdict.result.high,
        -verdict.result.low,
        wanted.statistic,
    )


def test_on_repeated_splits_all_pairs_are_tested_with_the_corrected_variance():
    learners = {"stump": STUMP, "tree": TREE, "majority": "majority"}
    result = compare(learners, *load_wine(), design="3x5")
    for a, b in (("stump", "tree"), ("majority", "tree"), ("tree", "stump")):
        sizes = [len(s.test) / len(s.train) for s in result.splits]
        wanted = paired_t(result.values(a) - result.values(b), np.mean(sizes), folds=5)
        found = result.test(a, b).result
        assert_allclose(
            [found.p, found.low, found.statistic], [wanted.p, wanted.low, wanted.statistic], rtol=1e-3
        )
        assert found.test == "corrected resampled t test"


def test_a_bootstrap_counts_distinct_training_rows():
    result = compare({"stump": STUMP, "tree": TREE}, *load_wine(), design="bootstrap(10)")
    test = np.mean([len(t) for t in result.tests])
    distinct = np.mean([len(np.unique(s.train)) for s in result.splits])
    wanted = paired_t(result.values("stump") - result.values("tree"), test / distinct)
    assert_allclose(result.test("stump", "tree").result.p, wanted.p, rtol=1e-9)


def test_one_split_is_mcnemars_and_by_another_metric_a_bootstrap_of_its_rows():
    result = compare(
        {"stump": STUMP, "tree": TREE}, *load_wine(), design="holdout", metrics=["error", "brier"]
    )
    assert result.test("stump", "tree").result.test.startswith("McNemar's test")
    assert result.test("stump", "tree", "brier").result.test == "paired bootstrap on 59 test rows"


def test_rows_tested_one_by_one_are_the_sample():
    """Leave-one-out: McNemar's test, Cochran's Q and Wilson's interval over all rows, as which_test advises."""
    X, y = load_wine()
    learners = {"stump": STUMP, "lda": "lda", "nb": "naive bayes"}
    result = compare(learners, X, y, design="leave-one-out", metrics=["error", "accuracy", "brier"])
    wrong = {k: result.out_of_fold(k).answer != result.out_of_fold(k).truth for k in learners}
    only = [int((wrong[a] & ~wrong[b]).sum()) for a, b in (("stump", "lda"), ("lda", "stump"))]
    wanted = mcnemar(*only, n=len(y))
    found = result.test("stump", "lda")
    assert (found.result.p, found.result.low) == (wanted.p, wanted.low)
    assert "McNemar's test (chi-square) on 178 test rows: p < 0.001" in str(found)
    assert result.test("stump", "lda", "accuracy").result.estimate == -wanted.estimate
    assert result.test("stump", "lda", "brier").result.test == "corrected resampled t test"
    assert "McNemar's" in which_test(learners=2, splits=result.design, measure="rate").words
    Q = cochran_q(np.column_stack([wrong[k] for k in learners]))
    assert (result.omnibus().statistic, result.omnibus().p) == (Q.statistic, Q.p)
    assert result.effect("stump", "lda").value == discordant_odds(*only).value
    assert result.interval("stump") == wilson_interval(wrong["stump"].mean(), len(y))


def test_the_omnibus_of_two_learners_is_the_square_of_their_t():
    result = compare({"stump": STUMP, "tree": TREE}, *load_wine(), design="2x5")
    t, F = result.test("stump", "tree").result, result.omnibus()
    assert_allclose([F.statistic, F.p], [t.statistic**2, t.p], rtol=1e-9)
    assert F.df == (1, 9)


def test_the_omnibus_is_the_two_way_analysis_of_variance_without_the_correction():
    """Peer: scipy's F tail and a two-way table worked by sums of squares."""
    learners = {"stump": STUMP, "tree": TREE, "lda": "lda", "nb": "naive bayes"}
    result = compare(learners, *load_wine(), design="2x5")
    V = np.array([result.values(name) for name in learners])
    L, J = V.shape
    ss_learner = J * ((V.mean(1) - V.mean()) ** 2).sum()
    ss_split = L * ((V.mean(0) - V.mean()) ** 2).sum()
    ss_rest = ((V - V.mean()) ** 2).sum() - ss_learner - ss_split
    plain = (ss_learner / (L - 1)) / (ss_rest / ((L - 1) * (J - 1)))
    ratio = np.mean([len(s.test) for s in result.splits]) / np.mean([len(s.train) for s in result.splits])
    found = result.omnibus()
    assert_allclose(found.statistic, plain / (1 + J * ratio), rtol=1e-9)
    assert_allclose(found.p, stats.f.sf(found.statistic, L - 1, (L - 1) * (J - 1)), rtol=1e-9)


def test_the_omnibus_of_one_split_is_cochrans_q():
    """Peer: statsmodels 0.14, stats.contingency_tables.cochrans_q, formula written out here."""
    learners = {"stump": STUMP, "tree": TREE, "lda": "lda", "majority": "majority"}
    result = compare(learners, *load_wine(), design="holdout")
    wrong = np.array([result.cells[k][0].answer != result.truths[0] for k in learners]).astype(int)
    L, T, R = 4, wrong.sum(1), wrong.sum(0)
    Q = L * (L - 1) * ((T - T.mean()) ** 2).sum() / (R * (L - R)).sum()
    found = result.omnibus()
    assert_allclose([found.statistic, found.p], [Q, stats.chi2.sf(Q, 3)], rtol=1e-9)


def test_equal_learners_and_single_ones_have_an_answer_and_a_reason():
    twins = compare({"a": TREE, "b": TREE}, *load_iris(), design="3-fold", random_state=1)
    assert twins.omnibus().p == 1 and "equal on every split" in twins.omnibus().why
    one = compare({"a": TREE}, *load_iris(), design="3-fold").omnibus()
    assert np.isnan(one.p) and one.why == "fewer than two learners finished"
    same = compare({"a": TREE, "b": TREE}, *load_iris(), design="holdout").omnibus()
    assert same.p == 1 and same.why


def test_practical_equality_and_effect_sizes_are_those_of_the_statistics():
    learners = {"stump": STUMP, "tree": TREE, "again": TREE}
    result = compare(learners, *load_wine(), design="2x5", random_state=1)
    d = result.values("stump") - result.values("tree")
    ratio = np.mean([len(s.test) for s in result.splits]) / np.mean([len(s.train) for s in result.splits])
    found, wanted = result.bayes("stump", "tree", rope=0.05), correlated_t(d, ratio=ratio, rope=0.05)
    assert_allclose(
        [found.left, found.within, found.right], [wanted.left, wanted.within, wanted.right], rtol=1e-9
    )
    assert result.bayes("tree", "again").within == 1
    effect = result.effect("stump", "tree")
    assert effect.value == hedges_g(result.values("stump"), result.values("tree"), paired=True).value > 0.8
    assert effect.word == "large"
    one = compare(learners, *load_wine(), design="holdout", metrics=["error", "brier"])
    wrong = {k: one.cells[k][0].answer != one.truths[0] for k in learners}
    only = [int((wrong[a] & ~wrong[b]).sum()) for a, b in (("stump", "tree"), ("tree", "stump"))]
    assert one.effect("stump", "tree").value == discordant_odds(*only).value
    for call in (lambda: one.bayes("stump", "tree"), lambda: one.effect("stump", "tree", "brier")):
        with pytest.raises(DataError, match="needs at least two splits"):
            call()
    with pytest.raises(ParameterError, match="against itself"):
        result.bayes("tree", "tree")


def test_the_corrected_omnibus_keeps_its_level():
    """Four learners of equal worth, splits correlated as those of 10-fold are taken to be (1/J).

    A binomial band of 4 standard errors above 5 % of 400 runs ends at 9.4 %; without the correction the same
    splits reject three times as often.
    """
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(400, 4, 1)) * np.sqrt(0.1)
    V = shared + rng.normal(size=(400, 4, 10)) * np.sqrt(0.9)
    rejected = [
        any_difference(Pretended(v, rows), measures()["error"]).rejected for v in V for rows in (10, 1)
    ]
    corrected, plain = np.reshape(rejected, (400, 2)).mean(axis=0)
    assert corrected < 0.094 < 0.15 < plain


class Pretended:
    """A comparison that is nothing but its values on splits of 90 training rows and some test rows."""

    alpha, settings, design = 0.05, {}, Resampling.of("10-fold")

    def __init__(self, values, test_rows):
        self.finished = list(range(len(values)))
        self.values = lambda learner, metric: values[learner]
        self.places = [(0, j, 90) for j in range(values.shape[1])]
        self.tests = [np.arange(test_rows if test_rows > 1 else 0)] * values.shape[1]
