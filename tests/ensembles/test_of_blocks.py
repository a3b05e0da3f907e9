"""Learners that are no sums, from blocks: on a sample of the rows, and one for each part."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier as ForeignTree

import assay
from assay.ensembles import (
    PartitionBaggingClassifier,
    PartitionBaggingRegressor,
    SubsampledClassifier,
    SubsampledRegressor,
)
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, SGDClassifier
from assay.neighbors import KNeighborsClassifier, KNeighborsRegressor
from assay.rules import RipperClassifier
from assay.trees import C45Classifier

rng = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "size": rng.normal(size=600),
        "tone": rng.choice(["low", "high"], 600),
        "age": np.where(rng.random(600) < 0.1, np.nan, rng.integers(0, 90, 600)),
    }
)
LABELS = np.where((TABLE["size"] > 0) ^ (TABLE["tone"] == "low"), "yes", "no")
BLOCKS = [TABLE.iloc[a : a + 100].assign(answer=LABELS[a : a + 100]) for a in range(0, 600, 100)]


@pytest.mark.parametrize(
    "estimator", [C45Classifier(), RipperClassifier(random_state=0), KNeighborsClassifier()]
)
def test_a_sample_that_holds_all_rows_gives_the_learner_of_all_rows(estimator):
    table = TABLE.drop(columns="age")
    whole = estimator.fit(table, LABELS)
    model = SubsampledClassifier(estimator, 600).fit_blocks(
        [b.drop(columns="age") for b in BLOCKS], target="answer"
    )
    assert model.n_samples_drawn_ == model.n_samples_seen_ == 600
    assert_array_equal(model.predict_proba(table), whole.predict_proba(table))
    if not isinstance(estimator, KNeighborsClassifier):  # which names the rows of a frame by their index
        assert str(model.explain(table.iloc[[3]])) == str(whole.explain(table.iloc[[3]]))


def test_the_sample_is_that_of_its_seed_and_is_named():
    models = [SubsampledClassifier(max_samples=200, random_state=s).fit(TABLE, LABELS) for s in (0, 0, 1)]
    posteriors = [model.predict_proba(TABLE) for model in models]
    assert_array_equal(posteriors[0], posteriors[1])
    assert (posteriors[0] != posteriors[2]).any()
    assert "fitted to 200 of 600 rows, drawn at random" in str(models[0].show())


def test_rows_keep_their_numbers():
    """The nearest row to each row of the sample is that row itself, by its number in the whole table, from 1."""
    x = np.arange(600.0)[:, None]
    model = SubsampledClassifier(KNeighborsClassifier(1), 50, random_state=0).fit(x, LABELS)
    drawn = int(model.estimator_._cases.labels[7])
    assert f"{drawn} " in str(model.explain([[drawn - 1.0]])).split("decided")[1].split("\n")[2]


def test_a_class_that_the_sample_lacks_has_probability_zero():
    y = LABELS.astype("U4")
    y[0] = "rare"
    model = SubsampledClassifier(max_samples=50, random_state=0).fit(TABLE, y)
    assert model.classes_.tolist() == ["no", "rare", "yes"]
    assert_array_equal(model.predict_proba(TABLE)[:, 1], 0)


def test_the_members_are_those_of_the_blocks_and_vote_by_their_rows():
    parts = [BLOCKS[0], pd.concat(BLOCKS[1:])]
    model = PartitionBaggingClassifier().fit_blocks(parts, target="answer")
    members = [C45Classifier().fit(part.drop(columns="answer"), part["answer"]) for part in parts]
    expected = sum(share * m.predict_proba(TABLE) for share, m in zip((1 / 6, 5 / 6), members))
    assert_allclose(model.predict_proba(TABLE), expected, rtol=1e-12)
    votes = PartitionBaggingClassifier(combine="vote").fit_blocks(BLOCKS, target="answer")
    assert set(np.unique(votes.predict_proba(TABLE).round(9) * 6).round(6)) <= set(range(7))
    assert "Votes of 6 members, one for each part of the rows" in str(votes.explain(TABLE.iloc[[0]]))


def test_bagging_over_partitions_is_about_as_good_as_all_rows():
    X = rng.normal(size=(4000, 3))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0.5)).astype(int)
    fresh = rng.normal(size=(2000, 3))
    truth = ((fresh[:, 0] > 0) & (fresh[:, 1] > 0.5)).astype(int)
    whole = C45Classifier().fit(X, y).score(fresh, truth)
    parts = (
        PartitionBaggingClassifier().fit_blocks([(X[a::8], y[a::8]) for a in range(8)]).score(fresh, truth)
    )
    sample = SubsampledClassifier(max_samples=1000, random_state=0).fit(X, y).score(fresh, truth)
    assert whole > 0.95 and parts > 0.9 and sample > 0.9


def test_regressors_average_and_pass_their_distributions_on():
    x = np.linspace(0, 1, 400)[:, None]
    y = 3 * x[:, 0]
    parts = [(x[a::4], y[a::4]) for a in range(4)]
    model = PartitionBaggingRegressor(KNeighborsRegressor(1)).fit_blocks(parts)
    expected = np.mean([KNeighborsRegressor(1).fit(*part).predict(x) for part in parts], axis=0)
    assert_allclose(model.predict(x), expected, rtol=1e-12)
    noisy = y + 0.1 * rng.normal(size=400)
    sampled = SubsampledRegressor(LinearRegression(), 100, random_state=0).fit(x, noisy)
    low, high = sampled.predict_interval(x, 0.9).T
    assert 0.8 < np.mean((low < noisy) & (noisy < high)) < 0.97


def test_parts_in_memory_hold_the_classes_alike():
    from assay.ensembles.partition_bagging import _dealt

    y = np.repeat([0, 1, 2], [100, 50, 6])
    part = _dealt(y, 3, 0)
    for k, n in ((0, 100), (1, 50), (2, 6)):
        counts = np.bincount(part[y == k], minlength=3)
        assert counts.sum() == n and np.ptp(counts) <= 1


def test_models_of_blocks_are_saved(tmp_path):
    for model in (
        SubsampledClassifier(max_samples=90, random_state=0).fit_blocks(BLOCKS, target="answer"),
        PartitionBaggingClassifier().fit_blocks(BLOCKS, target="answer"),
    ):
        assay.save(model, tmp_path / "model.assay")
        back = assay.load(tmp_path / "model.assay")
        assert_array_equal(back.predict_proba(TABLE), model.predict_proba(TABLE))


def test_what_cannot_be_learned_is_a_sentence():
    with pytest.raises(
        ParameterError, match="estimator must be one of Assay's classifiers, got DecisionTree"
    ):
        SubsampledClassifier(ForeignTree()).fit(TABLE[["size"]], LABELS)
    with pytest.raises(ParameterError, match="estimator must be"):
        PartitionBaggingRegressor(C45Classifier()).fit(TABLE[["size"]], np.arange(600.0))
    X = rng.normal(size=(40, 2))
    blocks = [(X[:20], np.zeros(20, int)), (X[20:], np.ones(20, int))]
    with pytest.raises(DataError, match=r"member of a part of 20 rows.*in no order"):
        PartitionBaggingClassifier(SGDClassifier()).fit_blocks(blocks)
    with pytest.raises(DataError, match="There is no block of rows"):
        SubsampledClassifier().fit_blocks([])
