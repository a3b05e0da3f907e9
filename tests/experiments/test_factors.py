"""Effects of settings."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.experiments.experiment import Experiment
from assay.experiments.factors import factorial_anova

# Spec 19.2: 2^3, standard order (A fastest); effects A 23, B -5, C 1.5, AB 1.5, AC 10, BC 0, ABC .5 and
# SS 1058, 50, 4.5, 4.5, 200, 0, .5 = total 1317.5.
RUNS = [{"A": a, "B": b, "C": c} for c, b, a in product((-1, 1), repeat=3)]
RESPONSE = np.array([60.0, 72, 54, 68, 52, 83, 45, 80])


def test_the_factorial_example_of_the_book():
    terms, error_ss, error_df = factorial_anova(RUNS, RESPONSE[None, :])
    ss = {t.name: t.ss for t in terms}
    assert_allclose(
        [ss[k] for k in ("A", "B", "C", "A x B", "A x C", "B x C")], [1058, 50, 4.5, 4.5, 200, 0], atol=1e-9
    )
    assert_allclose([error_ss, error_df], [0.5, 1], atol=1e-9)  # what three together do is left as error
    effects = [t.means[1] - t.means[0] for t in terms[:3]]
    assert_allclose(effects, [23, -5, 1.5], atol=1e-12)


def test_the_same_as_statsmodels_with_blocks():
    """Peer: statsmodels 0.15, anova_lm of an additive block model, type 2 sums of squares; 2 x 3 runs, 4 blocks."""
    pd = pytest.importorskip("pandas")
    sm = pytest.importorskip("statsmodels.formula.api", reason="the test group brings statsmodels")
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(1)
    runs = [{"a": a, "b": b} for a in ("x", "y") for b in (1, 2, 3)]
    response = rng.normal(size=(4, 6)) + np.arange(6) + 10 * np.arange(4)[:, None]
    frame = pd.DataFrame(
        [{"y": response[i, j], "block": str(i), **runs[j]} for i in range(4) for j in range(6)]
    )
    table = anova_lm(sm.ols("y ~ C(block) + C(a) + C(b) + C(a):C(b)", frame).fit(), typ=2)
    terms, error_ss, error_df = factorial_anova(runs, response)
    for term, row in zip(terms, ("C(a)", "C(b)", "C(a):C(b)")):
        assert_allclose([term.ss, term.df], table.loc[row, ["sum_sq", "df"]].astype(float), rtol=1e-9)
        assert_allclose(
            [term.test.statistic, term.test.p], table.loc[row, ["F", "PR(>F)"]].astype(float), rtol=1e-8
        )
    assert_allclose([error_ss, error_df], table.loc["Residual", ["sum_sq", "df"]].astype(float), rtol=1e-9)


def test_a_half_fraction_leaves_out_what_it_cannot_tell_apart():
    """I = ABC: each interaction is one of the main effects under another name; 72, 54, 52, 80."""
    half = [r for r in RUNS if r["A"] * r["B"] * r["C"] == 1]
    values = np.array([RESPONSE[RUNS.index(r)] for r in half])
    terms, _, error_df = factorial_anova(half, values[None, :])
    assert error_df == 0
    assert [t.name for t in terms] == ["A", "B", "C"]
    assert_allclose([t.means[1] - t.means[0] for t in terms], [23, 5, 3], atol=1e-12)  # A+BC, B+AC, C+AB
    assert all(np.isnan(t.test.p) and "taken up by a term" in t.test.why for t in terms)


def test_no_variation_has_outcomes_and_sentences():
    terms, _, _ = factorial_anova([{"a": 1}, {"a": 2}], np.ones((3, 2)))
    assert terms[0].test.p == 1.0 and terms[0].test.why == "All runs are equal."
    terms, _, _ = factorial_anova([{"a": 1}, {"a": 2}], np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert terms[0].test.p == 0.0 and "no error at all" in terms[0].test.why
    with pytest.raises(ParameterError, match="no factor has more than one level"):
        factorial_anova([{"a": 1}, {"a": 1}], np.ones((3, 2)))


def test_the_size_of_the_test_is_alpha():
    """Two factors without effect, 1000 experiments of 5 blocks: each rejects in 5 % of them, within 4 deviations."""
    rng = np.random.default_rng(0)
    runs = [{"a": a, "b": b} for a in (0, 1) for b in (0, 1, 2)]
    block = rng.normal(size=(1000, 5, 1)) * 3
    draws = rng.normal(size=(1000, 5, 6)) + block
    rejected = np.array([[t.test.rejected for t in factorial_anova(runs, y)[0]] for y in draws])
    assert (np.abs(rejected.mean(axis=0) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 1000)).all()


def study(learners, data):
    return Experiment(learners, data, design="3-fold").run()


TREE = {"tree": ("decision tree", {"max_depth": [1, 3], "min_samples_leaf": [1, 4]}), "lda": "lda"}


def test_effects_of_a_learner_over_data_sets_and_over_splits():
    over = study(TREE, ["iris", "wine", "breast_cancer"]).effects()
    assert [t.name for t in over.terms] == ["max_depth", "min_samples_leaf", "max_depth x min_samples_leaf"]
    assert (over.blocks, over.n_blocks, over.notes) == ("data sets", 3, [])
    assert over.terms[0].means[0] > over.terms[0].means[1]  # a stump cannot tell three classes apart
    assert over.best["max_depth"] == 3
    assert "Best run: max_depth=3" in str(over)
    one = study(TREE, ["iris"]).effects("tree")
    assert (one.blocks, one.n_blocks) == ("splits", 3)
    assert "share training rows" in one.notes[0]


def test_effects_that_are_not_there_are_explained():
    with pytest.raises(ParameterError, match="no learner here has settings that vary"):
        study(["lda"], ["iris"]).effects()
    two = study({**TREE, "nb": ("knn", {"n_neighbors": [1, 5]})}, ["iris"])
    with pytest.raises(ParameterError, match=r"effects of which learner.*tree, nb"):
        two.effects()
    with pytest.raises(ParameterError, match="'lda' has no settings that vary"):
        two.effects("lda")
