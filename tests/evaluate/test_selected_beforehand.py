"""A table whose columns were chosen by the rows that are to test is recognised."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from assay import compare
from assay.bayes import LinearDiscriminantAnalysis
from assay.evaluate import diagnose
from assay.select import SelectKBest, SequentialFeatureSelector, SubsetSelector, VarianceThreshold

CODE = "selected-before-split"


@pytest.fixture
def noise(request):
    """Numbers of its own for each test: what one test has chosen is nobody else's table."""
    seed = sum(map(ord, request.node.name))
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 30)), np.repeat(["a", "b"], 30)


def found(X, y):
    return {f.code: f for f in diagnose(X, y)}


@pytest.mark.parametrize(
    "selector",
    [SelectKBest(k=3), SubsetSelector("nearest mean", stop=3, cv=3), SequentialFeatureSelector(
        LinearDiscriminantAnalysis(), n_features_to_select=3, cv=3)],
    ids=lambda s: type(s).__name__,
)  # fmt: skip
def test_a_choice_by_all_rows_is_a_warning_that_names_the_columns_and_the_way_out(noise, selector):
    X, y = noise
    frame = pd.DataFrame(X).add_prefix("c")
    kept = selector.fit(frame, y).transform(frame)
    said = found(kept, y)[CODE]
    assert said.severity == "warning" and said.columns == tuple(kept.columns)
    assert f"out of 30 by {type(selector).__name__} on all 60 rows" in said.sentence
    assert "make_pipeline(selector, learner)" in said.sentence
    assert CODE not in found(frame, y)


def test_compare_says_so_and_a_pipeline_is_no_such_thing(noise):
    X, y = noise
    pipe = make_pipeline(SelectKBest(k=3), LinearDiscriminantAnalysis())
    honest = compare({"inside": pipe}, X, y, design="3-fold")
    assert CODE not in {f.code for f in honest.data.findings}
    kept = SelectKBest(k=3).fit_transform(X, y)
    flattered = compare(["lda"], kept, y, design="3-fold")
    assert CODE in {f.code for f in flattered.data.findings}
    assert "were chosen out of 30 by SelectKBest" in str(flattered)


def test_other_rows_and_choices_without_the_classes_are_no_leak(noise):
    X, y = noise
    selector = SelectKBest(k=3).fit(X[:30], np.arange(30) % 2)
    assert CODE not in found(selector.transform(X[30:]), y[30:])
    X = np.column_stack([X, np.ones(60)])
    assert CODE not in found(VarianceThreshold().fit(X, y).transform(X), y)
