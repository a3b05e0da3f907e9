"""The losses that linear machines are compared by, and linear machines on polynomial columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.linear import is_linearly_separable
from assay.optimize.losses import margin_loss
from assay.prepare import PolynomialFeatures
from assay.svm import HardMarginSVC, LinearSVC
from assay.tables.generators import make_ellipse


@pytest.mark.capability("IML-13-05", "IML-13-07")
def test_losses_of_the_book_at_five_scores():
    y = [-1.0, 0.0, 0.5, 1.0, 2.0]
    table = {
        "zero_one": [1, 1, 0, 0, 0],
        "hinge": [2, 1, 0.5, 0, 0],
        "squared_error": [4, 1, 0.25, 0, 1],
        "log_loss": [1.3133, 0.6931, 0.4741, 0.3133, 0.1269],
    }
    for name, values in table.items():
        assert_allclose(margin_loss(name).value(y), values, atol=5e-5)


@pytest.mark.capability("IML-13-07")
def test_the_four_curves_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    from assay.plots import LossCurvesDisplay

    names = ["zero_one", "hinge", "squared_error", "log_loss"]
    display = LossCurvesDisplay.from_losses(names, low=-3, high=3, steps=7)
    assert list(display.curves) == names
    assert_allclose(display.curves["hinge"], [4, 3, 2, 1, 0, 0, 0])


@pytest.mark.capability("DC-86")
def test_an_ellipse_is_linear_in_the_squares():
    data = make_ellipse(300, random_state=0)
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    Z = np.column_stack((X[:, 0] ** 2, X[:, 0], X[:, 1] ** 2, X[:, 1]))
    assert not is_linearly_separable(X, y) and is_linearly_separable(Z, y)
    raw = LinearSVC(C=1e3).fit(X, y)
    assert raw.score(X, y) < 0.9
    machine = HardMarginSVC().fit(Z, y)
    assert machine.score(Z, y) == 1.0
    w = machine.coef_[0] / machine.coef_[0, 0] * 8  # 8 z1 - 16 z2 + 50 z3 - 200 z4 + 207 = 0
    assert_allclose(w, [8, -16, 50, -200], rtol=0.1)


@pytest.mark.capability("DC-86")
def test_squares_of_a_linear_truth_count_little():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=20_000) > 0
    expand = PolynomialFeatures(2, include_bias=False).fit(X)
    model = LinearSVC().fit(expand.transform(X), y)
    w = dict(zip(expand.get_feature_names_out(["a", "b"]), model.coef_[0]))
    linear = min(abs(w["a"]), abs(w["b"]))
    assert all(abs(w[name]) < 0.1 * linear for name in ("a^2", "a b", "b^2"))
