"""Networks of Gaussian units: worked examples, gradients, and what they become at their limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression

from assay.errors import DataError, ParameterError
from assay.local import RBFFeatures, RBFNetworkClassifier, RBFNetworkRegressor, Units
from assay.local.placing import spreads_of
from assay.local.rbf_objective import RBFLayers, error_and_gradient

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
rng = np.random.default_rng(0)


@pytest.mark.capability("IML-12-14")
def test_exclusive_or_with_two_units():
    """Printed: units at (0, 1) and (1, 0), s = 0.5, weights 1 and 1, constant -0.5."""
    units = Units.of([[0, 1], [1, 0]], 0.5)
    net = RBFLayers(units, np.ones((1, 2)), np.zeros((1, 0)), np.array([-0.5]), False)
    assert_allclose(net.outputs(XOR)[:, 0], [-0.2293, 0.5183, 0.5183, -0.2293], atol=5e-5)
    model = RBFNetworkClassifier(2, units=[[0, 1], [1, 0]], spread=0.5).fit(XOR, [0, 1, 1, 0])
    assert (model.predict(XOR) == [0, 1, 1, 0]).all()
    assert_allclose(model.predict_proba(XOR).sum(axis=1), 1)


@pytest.mark.capability("IML-12-16")
def test_exclusive_or_with_one_elliptical_unit():
    """Printed: centre (0.5, 0.5), covariance 0.25 (1, -0.8; -0.8, 1): 0.0067, 0.5738, 0.5738, 0.0067."""
    unit = Units.of([[0.5, 0.5]], 0.25 * np.array([[[1, -0.8], [-0.8, 1]]]))
    assert_allclose(unit.activations(XOR)[:, 0], [0.0067, 0.5738, 0.5738, 0.0067], atol=5e-5)


@pytest.mark.capability("IML-12-11")
def test_units_of_all_shapes_agree_where_they_are_the_same():
    X, m, s = rng.normal(size=(20, 3)), rng.normal(size=(4, 3)), np.array([0.5, 1.0, 2.0, 0.7])
    one = Units.of(m, s).activations(X)
    assert_allclose(Units.of(m, np.tile(s[:, None], (1, 3))).activations(X), one, rtol=1e-12)
    assert_allclose(Units.of(m, s[:, None, None] ** 2 * np.eye(3)).activations(X), one, rtol=1e-10)
    assert_allclose(np.diag(Units.of(m, s).activations(m)), 1, rtol=1e-12)
    hard = RBFFeatures(units=m, hard=True, spread=1.0).fit(X).transform(X)
    assert (hard.sum(axis=1) == 1).all()
    nearest = ((X[:, None] - m) ** 2).sum(axis=2).argmin(axis=1)
    assert (hard.argmax(axis=1) == nearest).all()


@pytest.mark.capability("IML-12-12")
def test_spreads_are_half_the_distance_to_the_farthest_row():
    """By hand: rows 0 and 4 around 1 (3 / 2), row 9 alone at 9: half the distance to the centre at 1."""
    X = np.array([[0.0], [4.0], [9.0]])
    assert_allclose(spreads_of(X, np.array([[1.0], [9.0]]), np.array([0, 0, 1])), [1.5, 4.0])
    assert_allclose(spreads_of(X, np.array([[1.0], [9.0]]), np.array([0, 0, 1]), 1 / 3), [1.0, 8 / 3])


@pytest.mark.capability("IML-12-13")
@pytest.mark.parametrize("places", ["kmeans", "anchors", "mixture"])
def test_a_unit_at_each_row_interpolates(places):
    X, y = rng.uniform(size=(12, 2)) * 10, rng.normal(size=12)
    exact = RBFNetworkRegressor(12, units=X, spread=1.0, fit_intercept=False, alpha=0.0).fit(X, y)
    assert_allclose(exact.predict(X), y, atol=1e-7)
    few = RBFNetworkRegressor(4, units=places, random_state=0).fit(X, y)
    assert few.centers_.shape == (4, 2) and np.isfinite(few.predict(X)).all()


@pytest.mark.capability("IML-12-17")
def test_far_units_leave_the_linear_rule():
    """Units far from all rows respond nowhere, and the model is linear regression."""
    X = rng.normal(size=(40, 2))
    y = X @ [2.0, -1.0] + 3 + 0.1 * rng.normal(size=40)
    model = RBFNetworkRegressor(1, units=[[1e3, 1e3]], spread=1.0, direct=True, alpha=0.0).fit(X, y)
    peer = LinearRegression().fit(X, y)
    assert_allclose(model.predict(X), peer.predict(X), rtol=1e-8)
    bent = y + 5 * np.exp(-0.5 * (X**2).sum(axis=1) / 0.09)
    better = RBFNetworkRegressor(1, units=[[0.0, 0.0]], spread=0.3, direct=True, alpha=0.0).fit(X, bent)
    assert better.score(X, bent) > 0.98 > LinearRegression().fit(X, bent).score(X, bent)


@pytest.mark.capability("IML-12-21")
def test_normalised_units():
    """Printed: centres 0 and 1, s = 1: shares at 0.5 are even, the second at 2 is 0.8176; 1.04377 and 1.21301."""
    two = Units.of([[0.0], [1.0]], 1.0)
    assert_allclose(two.shares([[0.5]]), [[0.5, 0.5]])
    assert_allclose(two.shares([[2.0]])[0, 1], 1 / (1 + np.exp(-1.5)), rtol=1e-12)
    centers, w = [[0.0], [1.0], [2.0]], np.array([[0.0, 1.0, 4.0]])
    for x, s, expected in ((0.5, 1.0, 1.04377), (1.0, 0.5, 1.21301)):
        net = RBFLayers(Units.of(centers, s), w, np.zeros((1, 0)), np.zeros(1), True)
        assert_allclose(net.outputs(np.array([[x]])), [[expected]], atol=5e-6)
    assert_allclose(two.shares([[1e6]]), [[0, 1]], atol=1e-12)  # far from all centres, no 0 / 0


@pytest.mark.capability("IML-12-22")
def test_a_unit_for_every_row_is_the_general_regression_network():
    """Rows 0, 1, 2 with targets 0, 1, 4, s = 0.5, at 1: 1.2130, as the kernel smoother says."""
    from assay.smoothers import KernelSmoother

    X, r = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 4.0])
    net = RBFLayers(Units.of(X, 0.5), r[None], np.zeros((1, 0)), np.zeros(1), True)
    assert_allclose(net.outputs(np.array([[1.0]]))[0, 0], 1.2130, atol=5e-5)
    assert_allclose(
        KernelSmoother(bandwidth=0.5).fit(X, r).predict([[1.0]]), net.outputs(np.array([[1.0]]))[0], rtol=1e-9
    )


@pytest.mark.capability("IML-12-15")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_gradients_are_those_of_finite_differences(normalize, kind, shape):
    X = rng.normal(size=(15, 3))
    target = np.eye(2)[rng.integers(0, 2, 15)] if kind == "classes" else rng.normal(size=(15, 2))
    weight = rng.uniform(0.5, 2, 15)
    parts = {
        "weights": rng.normal(size=(2, 4)), "direct": rng.normal(size=(2, 3)), "intercept": rng.normal(size=2),
        "centers": rng.normal(size=(4, 3)), "spreads": rng.normal(size=shape) * 0.2,
    }  # fmt: skip

    def value(changed):
        units = Units(changed["centers"], np.exp(changed["spreads"]))
        net = RBFLayers(units, changed["weights"], changed["direct"], changed["intercept"], normalize)
        return error_and_gradient(net, X, target, weight, kind, 0.1)

    _, gradient = value(parts)
    for name, part in parts.items():
        for place in list(np.ndindex(part.shape))[:5]:
            up, down = ({k: v.copy() for k, v in parts.items()} for _ in range(2))
            up[name][place] += 1e-6
            down[name][place] -= 1e-6
            slope = (value(up)[0] - value(down)[0]) / 2e-6
            assert_allclose(gradient[name][place], slope, rtol=1e-5, atol=1e-6)


def test_supervised_units_do_better_and_their_error_falls():
    x = np.linspace(-3, 3, 80)[:, None]
    y = np.sin(3 * x[:, 0]) * (x[:, 0] > 0)
    hybrid = RBFNetworkRegressor(5, random_state=0).fit(x, y)
    moved = RBFNetworkRegressor(5, supervised=True, max_iter=2000, random_state=0).fit(x, y)
    errors = [step["error"] for step in moved.history_]
    assert moved.score(x, y) > 0.97 > hybrid.score(x, y)
    assert (np.diff(errors) <= 1e-9).all()
    assert moved.centers_.min() >= -3 and moved.centers_.max() <= 3


@pytest.mark.capability("IML-12-18")
def test_parameter_counts():
    """d = 10, K = 3, H = 5: 5 x 10 centres, 5 spreads, 6 x 3 weights are 73."""
    X, y = rng.normal(size=(60, 10)), rng.integers(0, 3, 60)
    assert RBFNetworkClassifier(5, random_state=0).fit(X, y).parameter_count() == 73


def test_iris_weights_count_as_copies_and_targets_in_columns():
    X, y = load_iris(return_X_y=True)
    model = RBFNetworkClassifier(12, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert "unit" in str(model.explain(X[:1])) and "activation" in str(model.explain(X[:1]))
    w = rng.integers(1, 4, 150)
    centers = X[::15]
    heavy = RBFNetworkRegressor(units=centers, spread=1.0).fit(X, X[:, 0] ** 2, sample_weight=w)
    copies = RBFNetworkRegressor(units=centers, spread=1.0).fit(
        np.repeat(X, w, axis=0), np.repeat(X[:, 0] ** 2, w)
    )
    assert_allclose(heavy.predict(X), copies.predict(X), rtol=1e-6)
    both = RBFNetworkRegressor(8, random_state=0).fit(X, X[:, :2])
    assert both.predict(X).shape == (150, 2)


@given(shift=st.floats(-100, 100), scale=st.floats(0.01, 100))
def test_shifting_and_scaling_rows_and_units_changes_nothing(shift, scale):
    X = np.random.default_rng(1).normal(size=(20, 2))
    y = X[:, 0] * X[:, 1]
    plain = RBFNetworkRegressor(units=X[:5], spread=1.0, alpha=1e-3).fit(X, y).predict(X)
    moved = RBFNetworkRegressor(units=X[:5] * scale + shift, spread=scale, alpha=1e-3)
    assert_allclose(moved.fit(X * scale + shift, y).predict(X * scale + shift), plain, atol=1e-5)


def test_odd_tables():
    same = RBFNetworkRegressor(5, random_state=0).fit(np.ones((6, 2)), np.arange(6.0))
    assert_allclose(same.predict(np.ones((1, 2))), 2.5, atol=1e-3)
    assert np.isfinite(RBFNetworkRegressor(3, random_state=0).fit([[1.0]], [2.0]).predict([[5.0]])).all()
    for settings, message in (
        ({"units": [[1.0]]}, "must be"), ({"shape": "full", "supervised": True}, "cannot be moved"),
        ({"n_units": 0}, "n_units"), ({"spread": -1.0}, "spread"), ({"units": "nowhere"}, "units"),
    ):  # fmt: skip
        with pytest.raises((DataError, ParameterError), match=message):
            RBFNetworkRegressor(**settings).fit(np.eye(3), [1.0, 2.0, 3.0])
    for centers, spreads in (([1.0], 1.0), ([[1.0]], 0.0), ([[1.0, 2.0]], [1.0, 2.0, 3.0])):
        with pytest.raises(ParameterError):
            Units.of(centers, spreads)
