"""Preparation and learner from blocks: the numbers of a fit in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB, NaiveBayes
from assay.errors import DataError
from assay.linear import LinearRegression, LogisticRegression, SGDClassifier
from assay.prepare import Prepared, PreparedRegressor
from assay.trees import C45Classifier

rng = np.random.default_rng(0)
N = 300
TABLE = pd.DataFrame(
    {"size": rng.normal(50, 10, N), "tone": rng.choice(["a", "b", "c"], N), "age": rng.normal(size=N)}
)
LABELS = np.where(TABLE["size"] + 5 * (TABLE["tone"] == "a") > 50, "yes", "no")
TABLE = TABLE.mask(rng.random(TABLE.shape) < 0.1)
NUMBERS = rng.normal(size=N) + TABLE["size"].fillna(50) / 10
CUTS = [slice(0, 90), slice(90, 91), slice(91, N)]


def blocks(target):
    return [TABLE.iloc[s].assign(target=target[s]) for s in CUTS]


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("estimator", [GaussianNB(), NaiveBayes(), LogisticRegression(tol=1e-10)])
def test_classifiers_behind_preparation_are_those_of_memory(estimator, scale):
    whole = Prepared(estimator, scale).fit(TABLE, LABELS)
    streamed = Prepared(estimator, scale).fit_blocks(blocks(LABELS), target="target")
    assert [type(step) for step in streamed.steps_] == [type(step) for step in whole.steps_]
    assert streamed.estimator_.schema_ == whole.estimator_.schema_
    assert_allclose(streamed.predict_proba(TABLE), whole.predict_proba(TABLE), atol=1e-7)
    for ours, theirs in zip(streamed.explain(TABLE.iloc[:2]), whole.explain(TABLE.iloc[:2])):
        assert ours.answer == theirs.answer


def test_a_regressor_behind_preparation_and_weights():
    w = rng.uniform(0.5, 2, N)
    whole = PreparedRegressor(LinearRegression(), scale=True).fit(TABLE, NUMBERS, sample_weight=w)
    parts = [TABLE.iloc[s].assign(target=NUMBERS[s], w=w[s]) for s in CUTS]
    streamed = PreparedRegressor(LinearRegression(), scale=True).fit_blocks(
        parts, target="target", weights="w"
    )
    assert_allclose(streamed.predict(TABLE), whole.predict(TABLE), rtol=1e-9)
    assert_allclose(streamed.predict_interval(TABLE), whole.predict_interval(TABLE), rtol=1e-8)


def test_steps_of_gradient_descent_behind_preparation_are_the_same_on_dask():
    import dask
    import dask.dataframe as dd

    model = Prepared(SGDClassifier(loss="log_loss", random_state=0), scale=True)
    streamed = model.fit_blocks(blocks(LABELS), target="target").estimator_.coef_
    parts = blocks(LABELS)
    with dask.config.set(scheduler="synchronous"):
        frame = dd.from_map(lambda i: parts[i], range(3), meta=parts[0].iloc[:0])
        there = model.fit(frame[list(TABLE)], frame["target"]).estimator_.coef_
    assert_allclose(there, streamed, rtol=1e-12)


def test_a_learner_that_is_no_sum_is_named_with_what_works():
    with pytest.raises(
        DataError, match=r"C45Classifier needs all rows in memory.*SubsampledClassifier\(C45Class"
    ):
        Prepared(C45Classifier()).fit_blocks(blocks(LABELS), target="target")
