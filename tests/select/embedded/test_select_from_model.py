"""Columns by the size of their weights in one model: parity with scikit-learn, one size for a nominal column."""

import numpy as np
import pandas as pd
import pytest
import sklearn.feature_selection as peer
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

import assay
from assay.errors import ParameterError
from assay.linear import Lasso, LogisticRegression, Ridge, SGDClassifier
from assay.prepare import PreparedRegressor
from assay.select import SelectFromModel

WINE, KIND = scale(load_wine().data), load_wine().target
DIABETES, PROGRESS = load_diabetes(return_X_y=True)


@pytest.mark.parametrize(
    "settings",
    [{}, {"threshold": "1.25*median"}, {"norm_order": 2, "max_features": 3}, {"norm_order": np.inf, "threshold": 0.5}],
)  # fmt: skip
def test_the_same_columns_as_scikit_learn(settings):
    """Peer: SelectFromModel of scikit-learn 1.9, around softmax regression on wine and the lasso on diabetes."""
    mine = SelectFromModel(LogisticRegression(tol=1e-9), **settings).fit(WINE, KIND)
    other = peer.SelectFromModel(sklearn.linear_model.LogisticRegression(tol=1e-9, max_iter=5000), **settings)
    other.fit(WINE, KIND)
    assert_array_equal(mine.get_support(), other.get_support())
    assert_allclose(mine.threshold_, other.threshold_, rtol=1e-5)
    lasso = SelectFromModel(Lasso(0.3), **settings).fit(DIABETES, PROGRESS)
    their_lasso = peer.SelectFromModel(sklearn.linear_model.Lasso(0.3), **settings).fit(DIABETES, PROGRESS)
    assert_array_equal(lasso.get_support(), their_lasso.get_support())


def test_the_size_of_a_nominal_column_is_over_all_its_indicators():
    frame = pd.DataFrame({"x": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], "kind": list("aabbcc")})
    selector = SelectFromModel(Ridge(1e-9), norm_order=2, threshold=-np.inf)
    selector.fit(frame, [0.0, 0.1, 3.0, 3.1, -3.0, -2.9])
    weights = selector.estimator_.coef_
    assert len(weights) == 4
    assert_allclose(selector._sizes(), [abs(weights[0]), np.linalg.norm(weights[1:])])
    selector.max_features_ = 1
    assert selector.selected_ == ["kind"]


def test_the_threshold_can_be_changed_after_fitting_and_survives_saving(tmp_path):
    selector = SelectFromModel(LogisticRegression()).fit(WINE, KIND)
    many = selector.get_support().sum()
    selector.threshold = "1.5*mean"
    assert 0 < selector.get_support().sum() < many
    assay.save(selector, tmp_path / "s.assay")
    assert_array_equal(assay.load(tmp_path / "s.assay").get_support(), selector.get_support())
    assert "threshold" in selector.reasons()[0]["why"]


def test_a_fitted_estimator_is_used_as_it_is():
    model = LogisticRegression().fit(WINE, KIND)
    before = SelectFromModel(model, prefit=True).transform(WINE)
    assert_array_equal(before, SelectFromModel(model, prefit=True).fit(WINE).transform(WINE))
    with pytest.raises(NotFittedError, match="prefit=True"):
        SelectFromModel(LogisticRegression(), prefit=True).transform(WINE)


def test_rows_may_come_in_parts():
    selector = SelectFromModel(SGDClassifier(random_state=0))
    for part in np.array_split(np.random.default_rng(0).permutation(len(WINE)), 3):
        selector.partial_fit(WINE[part], KIND[part], classes=[0, 1, 2])
    assert 0 < len(selector.selected_) < 13


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="threshold='mean' or threshold='median'"):
        SelectFromModel(LogisticRegression(), threshold="2*mode").fit(WINE, KIND).get_support()
    with pytest.raises(ParameterError, match="threshold must be a number, a word or None, got nan"):
        SelectFromModel(Ridge(), threshold=np.nan).fit(DIABETES, PROGRESS)
    with pytest.raises(ParameterError, match="factor"):
        SelectFromModel(LogisticRegression(), threshold="two*mean").fit(WINE, KIND).get_support()
    with pytest.raises(ParameterError, match="norm_order"):
        SelectFromModel(LogisticRegression(), norm_order=0).fit(WINE, KIND)


def test_a_lasso_behind_its_preparation_keeps_what_is_not_zero():
    plain = SelectFromModel(Lasso(0.5)).fit(DIABETES, PROGRESS)
    prepared = SelectFromModel(PreparedRegressor(Lasso(0.5))).fit(DIABETES, PROGRESS)
    assert_array_equal(prepared.get_support(), plain.get_support())
    assert prepared.threshold_ == plain.threshold_ == 1e-5
