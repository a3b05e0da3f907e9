"""LocalOutlierFactor: both forms of the factor, new rows, duplicates, and the peer."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import LocalOutlierFactor as Peer

from assay.errors import AssayWarning, DataError
from assay.outliers.local_outlier_factor import LocalOutlierFactor

# Oracle: IML 8.7, worked by hand: points 0, 1, 2, 3, 4, 10 and k = 2.
LINE = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [10.0]])


@pytest.mark.capability("IML-8-21")
def test_both_factors_of_six_points():
    simple = LocalOutlierFactor(2, variant="simple").fit(LINE)
    assert_allclose(-simple.negative_outlier_factor_, [2, 2 / 3, 1, 2 / 3, 2, 14 / 3], rtol=1e-12)
    published = LocalOutlierFactor(2).fit(LINE)
    assert_allclose(-published.negative_outlier_factor_, [1.25, 1.25, 2 / 3, 1.25, 1.25, 13 / 3], rtol=1e-9)


def factor_by_the_book(X, k, variant):
    """(2) or (3) from all distances, row by row."""
    D = np.abs(X[:, None] - X).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1, kind="stable")[:, :k]
    reach = np.array([D[i, near[i, -1]] for i in range(len(X))])
    if variant == "simple":
        return reach / reach[near].mean(axis=1)
    lrd = [1 / (np.mean([max(reach[s], D[i, s]) for s in near[i]]) + 1e-10) for i in range(len(X))]
    return np.array([np.mean([lrd[s] for s in near[i]]) / lrd[i] for i in range(len(X))])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 6), variant=st.sampled_from(["simple", "breunig"]))
def test_the_factor_is_the_formula(seed, k, variant):
    X = np.random.default_rng(seed).normal(size=(25, 2))
    model = LocalOutlierFactor(k, metric="manhattan", variant=variant).fit(X)
    assert_allclose(-model.negative_outlier_factor_, factor_by_the_book(X, k, variant), rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(scale=st.floats(0.01, 100), shift=st.floats(-50, 50))
def test_the_simple_factor_does_not_know_units(scale, shift):
    X = np.random.default_rng(1).normal(size=(40, 3))
    a = LocalOutlierFactor(5, variant="simple").fit(X).negative_outlier_factor_
    b = LocalOutlierFactor(5, variant="simple").fit(scale * X + shift).negative_outlier_factor_
    assert_allclose(a, b, rtol=1e-7)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "settings_",
    [
        {},
        {"n_neighbors": 5, "metric": "manhattan"},
        {"contamination": 0.1, "p": 3},
        {"algorithm": "kd_tree", "metric": "chebyshev"},
    ],
)
def test_same_factors_and_answers_as_scikit_learn(load, settings_):
    X = load(return_X_y=True)[0]
    X = np.unique(X, axis=0)  # ties at the last neighbour are broken by row here, by chance there
    X = X + np.random.default_rng(0).normal(size=X.shape) * 1e-6
    ours, peer = LocalOutlierFactor(**settings_), Peer(**settings_)
    assert_array_equal(ours.fit_predict(X), peer.fit_predict(X))
    assert_allclose(ours.negative_outlier_factor_, peer.negative_outlier_factor_, rtol=1e-9)
    assert_allclose(ours.offset_, peer.offset_, rtol=1e-9)
    train, new = X[::2], X[1::2]
    ours, peer = (cls(**settings_, novelty=True).fit(train) for cls in (LocalOutlierFactor, Peer))
    assert_allclose(ours.decision_function(new), peer.decision_function(new), rtol=1e-8, atol=1e-9)
    assert_array_equal(ours.predict(new), peer.predict(new))
    assert_allclose(ours.kneighbors(new)[0], peer.kneighbors(new)[0], rtol=1e-9)


def test_copies_have_factor_one_and_a_row_beside_copies_infinity():
    X = np.array([[0.0]] * 4 + [[5.0]])
    model = LocalOutlierFactor(2, variant="simple", contamination=0.2).fit(X)
    assert_array_equal(-model.negative_outlier_factor_, [1, 1, 1, 1, np.inf])
    assert_array_equal(LocalOutlierFactor(2, variant="simple").fit_predict(X), [1, 1, 1, 1, -1])
    new = LocalOutlierFactor(2, variant="simple", novelty=True, contamination=0.2).fit(X)
    assert not np.isnan(new.decision_function(np.array([[0.0], [1.0], [5.0]]))).any()
    with pytest.warns(AssayWarning, match="Duplicate values"):
        LocalOutlierFactor(2).fit(X)


def test_more_neighbours_than_rows_are_all_other_rows():
    with pytest.warns(AssayWarning, match=r"n_neighbors \(20\) is greater"):
        many = LocalOutlierFactor().fit(LINE)
    assert many.n_neighbors_ == 5
    assert_array_equal(
        many.negative_outlier_factor_, LocalOutlierFactor(5).fit(LINE).negative_outlier_factor_
    )
    with pytest.raises(DataError, match="Give two rows or more"):
        LocalOutlierFactor(1).fit([[1.0]])


def test_new_rows_need_novelty_and_training_rows_none():
    model = LocalOutlierFactor(2).fit(LINE)
    for method in ("predict", "decision_function", "score_samples"):
        assert not hasattr(model, method)
    with pytest.raises(AttributeError) as text:
        _ = model.predict
    assert "predict is not available when novelty=False" in str(text.value.__cause__)
    assert not hasattr(LocalOutlierFactor(novelty=True), "fit_predict")


def test_a_mixed_table_with_gaps_is_compared_as_it_is():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60)})
    table.loc[3, "size"] = np.nan
    table.loc[59] = [40.0, "green"]
    model = LocalOutlierFactor(10, metric="auto").fit(table)
    assert model.effective_metric_ == "heom"  # a gap is as far from all as can be
    assert set(np.argsort(model.negative_outlier_factor_)[:2]) == {3, 59}
    gower = LocalOutlierFactor(10, metric="gower").fit(table)  # here it has no say
    assert int(np.argmin(gower.negative_outlier_factor_)) == 59


def test_an_explanation_names_the_neighbours():
    model = LocalOutlierFactor(2, novelty=True, variant="simple").fit(LINE)
    text = model.explain([[12.0]])
    assert text.answer == "outlier"
    near = text.sections[1].rows
    assert [row[0] for row in near] == [6, 5] and [row[1] for row in near] == [2.0, 8.0]
    assert "Factor 1.778" in text.sections[1].note  # 8 / ((7 + 2) / 2)
