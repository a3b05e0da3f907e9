"""Prediction intervals of RidgeCV: those of the ridge regression it chose."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay import load, save
from assay.linear import Ridge, RidgeCV

rng = np.random.default_rng(2)


@pytest.mark.parametrize("shape", [(40, 3), (10, 20)])
@pytest.mark.parametrize("settings", [{}, {"cv": 3}, {"fit_intercept": False}, {"penalize_intercept": True}])
def test_intervals_are_those_of_the_chosen_penalty(shape, settings, tmp_path):
    X = rng.normal(size=shape)
    y = X[:, 0] + rng.normal(size=len(X)) + 1
    model = RidgeCV(**settings).fit(X, y)
    settings.pop("cv", None)
    ridge = Ridge(alpha=model.alpha_, **settings).fit(X, y)
    assert_allclose(model.predict_interval(X), ridge.predict_interval(X), rtol=1e-9)
    save(model, tmp_path / "m.assay")
    assert (load(tmp_path / "m.assay").predict_interval(X) == model.predict_interval(X)).all()
