"""Mixtures of experts: worked gradients, finite differences, EM that never falls, and what they are at their limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.errors import DataError, ParameterError
from assay.local import (
    HierarchicalMixtureOfExpertsClassifier,
    HierarchicalMixtureOfExpertsRegressor,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    Units,
)
from assay.local.expert_em import Maximiser, gaussian_offsets
from assay.local.expert_objective import value_and_gradient
from assay.local.expert_tree import ExpertTree, RadialGate, SoftmaxGates, with_constant
from assay.local.rbf_objective import RBFLayers, error_and_gradient

rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_draws():
    """Each test draws from the beginning, in whatever order tests run."""
    global rng
    rng = np.random.default_rng(0)


def random_tree(kind, gate, blended, branching=3, depth=1, K=2, d=3, seed=0):
    draw = np.random.default_rng(seed)
    E, nodes = branching**depth, sum(branching**level for level in range(depth))
    if gate == "softmax":
        gates = SoftmaxGates(draw.normal(size=(nodes, branching, d + 1)))
    else:
        spreads = np.exp(0.2 * draw.normal(size=(E,) if gate == "radial" else (E, d)))
        gates = RadialGate(Units(draw.normal(size=(E, d)), spreads), 0.1 * draw.normal(size=E))
    return ExpertTree(
        gates, draw.normal(size=(E, K, d + 1)), np.exp(0.1 * draw.normal(size=E)), kind, blended
    )


def moved(tree, name, place, step):
    """The tree with one of its numbers changed; spreads and noise by their logarithms."""
    if name == "coef":
        coef = tree.coef.copy()
        coef[place] += step
        return ExpertTree(tree.gates, coef, tree.noise, tree.kind, tree.blended)
    if name == "noise":
        noise = tree.noise.copy()
        noise[place] *= np.exp(step)
        return ExpertTree(tree.gates, tree.coef, noise, tree.kind, tree.blended)
    if name == "gates":
        weights = tree.gates.weights.copy()
        weights[place] += step
        return ExpertTree(SoftmaxGates(weights), tree.coef, tree.noise, tree.kind, tree.blended)
    centers, spreads = tree.gates.units.centers.copy(), tree.gates.units.spreads.copy()
    if name == "centers":
        centers[place] += step
    else:
        spreads[place] *= np.exp(step)
    gates = RadialGate(Units(centers, spreads), tree.gates.offsets)
    return ExpertTree(gates, tree.coef, tree.noise, tree.kind, tree.blended)


def assert_gradient_holds(tree, K):
    draw = np.random.default_rng(1)
    F, weight = with_constant(draw.normal(size=(12, 3))), draw.uniform(0.5, 2, 12)
    target = np.eye(K)[draw.integers(0, K, 12)] if tree.kind == "classes" else draw.normal(size=(12, K))
    _, gradient = value_and_gradient(tree, F, target, weight, 0.1)
    for name, slopes in gradient.items():
        for place in list(np.ndindex(slopes.shape))[:8]:
            up = value_and_gradient(moved(tree, name, place, 1e-6), F, target, weight, 0.1)[0]
            down = value_and_gradient(moved(tree, name, place, -1e-6), F, target, weight, 0.1)[0]
            assert_allclose(
                slopes[place], (up - down) / 2e-6, rtol=2e-5, atol=2e-6, err_msg=f"{name} {place}"
            )
    return set(gradient)


@pytest.mark.capability("IML-17-13")
def test_the_updates_of_one_row():
    """x = (1, .5), gate rows (0, 2), (.5, -1), expert rows (1, 1), (2, 1), target 2.4, step 1."""
    F, target, one = np.array([[0.5, 1.0]]), np.array([[2.4]]), np.ones(1)  # the constant stands last here
    gates = SoftmaxGates(np.array([[[2.0, 0.0], [-1.0, 0.5]]]))
    coef = np.array([[[1.0, 1.0]], [[1.0, 2.0]]])
    tree = ExpertTree(gates, coef, np.ones(2), "numbers", blended=True)
    assert_allclose(np.exp(tree.log_paths(F)), [[0.73105858, 0.26894142]], atol=1e-8)
    assert_allclose(tree.outputs(F)[0, :, 0], [1.5, 2.5])
    assert_allclose(tree.answers(F), [[1.76894142]], atol=1e-8)
    gradient = value_and_gradient(tree, F, target, one, 0.0)[1]
    assert_allclose(-gradient["coef"][:, 0, 1], [0.46134079, 0.16971779], atol=1e-8)
    assert_allclose(-gradient["gates"][0, :, 1], [-0.12407365, 0.12407365], atol=1e-8)
    rivals = ExpertTree(gates, coef, np.ones(2), "numbers")
    assert_allclose(rivals.responsibilities(F, target)[0], [[0.64565631, 0.35434369]], atol=1e-8)
    gradient = value_and_gradient(rivals, F, target, one, 0.0)[1]
    assert_allclose(
        -gradient["coef"][:, 0], [[0.29054534, 0.58109068], [-0.01771718, -0.03543437]], atol=1e-8
    )
    assert_allclose(-gradient["gates"][0], [[-0.04270113, -0.08540227], [0.04270113, 0.08540227]], atol=1e-8)


@pytest.mark.capability("IML-12-26")
@pytest.mark.capability("IML-12-27")
@pytest.mark.capability("IML-12-28")
@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("gate", ["softmax", "radial", "diagonal"])
def test_cooperative_gradients_are_those_of_finite_differences(kind, gate):
    K = 2 if kind == "numbers" else 3
    parts = assert_gradient_holds(random_tree(kind, gate, True, K=K), K)
    assert parts == {"coef", "gates"} if gate == "softmax" else {"coef", "centers", "spreads"}


@pytest.mark.capability("IML-12-29")
@pytest.mark.capability("IML-12-23")
@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("gate", ["softmax", "radial", "diagonal"])
def test_competitive_gradients_are_those_of_finite_differences(kind, gate):
    K = 2 if kind == "numbers" else 3
    parts = assert_gradient_holds(random_tree(kind, gate, False, K=K), K)
    assert ("noise" in parts) == (kind == "numbers")


@pytest.mark.capability("IML-12-34")
@pytest.mark.parametrize("kind", ["numbers", "classes"])
@pytest.mark.parametrize("blended", [False, True])
@pytest.mark.parametrize("depth", [2, 3])
def test_gradients_of_hierarchies(kind, blended, depth):
    """Each expert moves by its own error, r - y_ij: with the error of all, r - y, the check would fail."""
    tree = random_tree(kind, "softmax", blended, branching=2, depth=depth)
    assert_gradient_holds(tree, 2)
    paths = np.exp(tree.log_paths(with_constant(rng.normal(size=(20, 3)))))
    assert paths.shape == (20, 2**depth)
    assert_allclose(paths.sum(axis=1), 1, atol=1e-12)


@pytest.mark.capability("IML-12-34")
def test_two_levels_by_the_book():
    """Responsibilities and shares of a two-level tree as its formulas write them."""
    tree = random_tree("numbers", "softmax", False, branching=2, depth=2, K=1)
    tree = ExpertTree(tree.gates, tree.coef, np.ones(4), "numbers")
    F, r = with_constant(rng.normal(size=(10, 3))), rng.normal(size=(10, 1))
    top, low = tree.gates.weights[0], tree.gates.weights[1:]
    g = np.exp(F @ top.T)
    g /= g.sum(axis=1, keepdims=True)
    inner = np.exp(np.einsum("np,ijp->nij", F, low))
    inner /= inner.sum(axis=2, keepdims=True)
    joint = g[:, :, None] * inner * np.exp(-0.5 * (r[:, :, None] - tree.outputs(F).reshape(10, 2, 2)) ** 2)
    f = joint / joint.sum(axis=(1, 2), keepdims=True)
    assert_allclose(tree.responsibilities(F, r)[0], f.reshape(10, 4), atol=1e-12)
    gradient = value_and_gradient(tree, F, r, np.ones(10), 0.0)[1]
    assert_allclose(-gradient["gates"][0], (f.sum(axis=2) - g).T @ F, atol=1e-10)
    below = f.sum(axis=2)[:, :, None] * (f / f.sum(axis=2, keepdims=True) - inner)
    assert_allclose(-gradient["gates"][1:], np.einsum("nij,np->ijp", below, F), atol=1e-10)


@pytest.mark.capability("IML-12-26")
@pytest.mark.parametrize("training", ["em", "competitive", "cooperative"])
def test_one_expert_is_least_squares(training):
    X, y = load_diabetes(return_X_y=True)
    w = rng.integers(1, 4, len(X))
    model = MixtureOfExpertsRegressor(1, training=training, alpha=0.0).fit(X, y, sample_weight=w)
    peer = LinearRegression().fit(X, y, sample_weight=w)
    assert_allclose(model.predict(X), peer.predict(X), rtol=1e-5)
    assert_allclose(model.coef_[0, 0], peer.coef_, rtol=1e-3, atol=0.05)


@pytest.mark.capability("IML-12-30")
@pytest.mark.parametrize("training", ["em", "competitive", "cooperative"])
def test_one_expert_is_logistic_regression(training):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    model = MixtureOfExpertsClassifier(1, training=training, alpha=0.0, tol=1e-9, max_iter=2000).fit(X, y)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10000).fit(X, y)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=2e-3)


@pytest.mark.capability("IML-12-28")
def test_constant_experts_with_a_radial_gate_are_normalised_units():
    """The same answers, the same error and the same gradients as the network of normalised units."""
    X, target, weight = rng.normal(size=(20, 3)), rng.normal(size=(20, 2)), rng.uniform(0.5, 2, 20)
    units, values = Units.of(rng.normal(size=(4, 3)), [0.5, 1.0, 2.0, 0.7]), rng.normal(size=(2, 4))
    net = RBFLayers(units, values, np.zeros((2, 0)), np.zeros(2), True)
    coef = np.zeros((4, 2, 4))
    coef[:, :, -1] = values.T
    F = with_constant(X)
    for kind in ("numbers", "classes"):
        tree = ExpertTree(RadialGate(units, np.zeros(4)), coef, np.ones(4), kind, blended=True)
        goal = target if kind == "numbers" else np.eye(2)[(target[:, 0] > 0).astype(int)]
        if kind == "numbers":
            assert_allclose(tree.answers(F), net.outputs(X), atol=1e-12)
        ours, theirs = (
            value_and_gradient(tree, F, goal, weight, 0.0),
            error_and_gradient(net, X, goal, weight, kind, 0.0),
        )
        assert_allclose(ours[0], theirs[0], rtol=1e-12)
        for name in ("centers", "spreads"):
            assert_allclose(ours[1][name], theirs[1][name], atol=1e-10)
        assert_allclose(ours[1]["coef"][:, :, -1].T, theirs[1]["weights"], atol=1e-10)


def objectives(model):
    return np.array([step["objective"] for step in model.history_])


@pytest.mark.capability("IML-12-30")
@pytest.mark.parametrize("gate", ["softmax", "radial"])
@pytest.mark.parametrize("alpha", [0.0, 1e-3])
def test_the_likelihood_never_falls_under_em(gate, alpha):
    """With alpha 0 and a softmax gate it is the conditional likelihood itself."""
    X, y = load_diabetes(return_X_y=True)
    kinds = load_iris(return_X_y=True)
    with np.errstate(all="raise", under="ignore"):
        numbers = MixtureOfExpertsRegressor(
            3, gate=gate, alpha=alpha, n_init=2, noise="each", tol=1e-5, random_state=0
        )
        classes = MixtureOfExpertsClassifier(
            2, gate=gate, alpha=max(alpha, 1e-3), n_init=1, tol=1e-5, random_state=0
        )
        for model in (numbers.fit(X[:, :4], y), classes.fit(*kinds)):
            rises = np.diff(objectives(model))
            assert len(rises) > 3 and (rises > -1e-8 * abs(objectives(model)[-1])).all()


@pytest.mark.capability("IML-12-24")
@pytest.mark.parametrize("shape", ["spherical", "diagonal", "full"])
def test_competitive_units_by_em_raise_the_joint_likelihood(shape):
    """The history is the joint log likelihood, recomputed here from the Gaussians of rows and targets."""
    X = rng.normal(size=(150, 2)) @ [[1.0, 0.6], [0.0, 0.5]]
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=150)
    model = MixtureOfExpertsRegressor(
        4, experts="constant", gate="radial", shape=shape, alpha=0.0, n_init=1, random_state=0
    ).fit(X, y)
    values = objectives(model)
    assert (np.diff(values) > -1e-9 * abs(values[-1])).all()
    from scipy.stats import multivariate_normal, norm

    unit, deviation = X.std(axis=0), y.std()
    weights = np.exp(model.gate_offsets_) / np.exp(
        gaussian_offsets(model.gate_centers_ / unit, spread_of(model, unit), np.ones(4))
    )
    density = sum(
        a / 4 * multivariate_normal(m, np.diag(s**2) if s.ndim == 1 else s).pdf(X) * norm(b, t).pdf(y)
        for a, m, s, b, t in zip(
            weights, model.gate_centers_, model.gate_spreads_, model.intercept_[:, 0], model.noise_
        )
    )
    assert_allclose(
        np.log(density).sum() + 150 * (np.log(unit).sum() + np.log(deviation)), values[-1], rtol=1e-8
    )


def spread_of(model, unit):
    spreads = model.gate_spreads_
    return spreads / unit if spreads.ndim == 2 else spreads / np.outer(unit, unit)


@pytest.mark.capability("IML-12-23")
@pytest.mark.capability("IML-12-24")
@pytest.mark.parametrize("training", ["em", "competitive"])
def test_a_step_has_two_units(training):
    """-1 below zero, 2 above, noise of deviation 0.3: units near -1 and 2, variance near 0.09."""
    draw = np.random.default_rng(0)
    x = draw.uniform(-3, 3, (200, 1))
    y = np.where(x[:, 0] < 0, -1.0, 2.0) + 0.3 * draw.normal(size=200)
    model = MixtureOfExpertsRegressor(
        2, experts="constant", gate="radial", training=training, random_state=0
    ).fit(x, y)
    assert_allclose(np.sort(model.intercept_.ravel()), [-1, 2], atol=0.1)
    assert_allclose(model.noise_**2, 0.09, atol=0.02)
    assert (model.coef_ == 0).all()


@pytest.mark.parametrize("training", ["em", "competitive", "cooperative"])
def test_the_absolute_value_has_slopes_of_one(training):
    x = np.linspace(-1, 1, 101)[:, None]
    model = MixtureOfExpertsRegressor(2, training=training, alpha=1e-6, max_iter=2000, random_state=0)
    model.fit(x, abs(x[:, 0]))
    assert_allclose(np.sort(model.coef_.ravel()), [-1, 1], atol=0.02)
    assert np.mean((model.predict(x) - abs(x[:, 0])) ** 2) < 1e-5


@pytest.mark.capability("IML-12-33")
@pytest.mark.parametrize("training", ["em", "cooperative"])
def test_experts_with_directions_of_their_own(training):
    """Full rank is the plain expert; one direction suffices where a region needs one."""
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, 2 * X[:, 1], -X[:, 1] + 3)
    settings = {"training": training, "alpha": 1e-4, "n_init": 1, "random_state": 0, "max_iter": 3000}
    plain = MixtureOfExpertsRegressor(2, **settings).fit(X, y)
    full = MixtureOfExpertsRegressor(2, n_components=3, **settings).fit(X, y)
    tolerance = 1e-6 if training == "em" else 0.02  # L-BFGS takes another way there
    assert_allclose(full.predict(X), plain.predict(X), atol=tolerance)
    low = MixtureOfExpertsRegressor(2, n_components=1, **settings).fit(X, y)
    assert low.projections_.shape == (2, 1, 3)
    slopes = low.coef_[:, 0]
    for projection, slope in zip(low.projections_, slopes):
        assert (
            np.linalg.matrix_rank(np.vstack([projection * X.std(axis=0), slope * X.std(axis=0)]), tol=1e-6)
            == 1
        )
    if training == "em":
        values = objectives(low)
        assert (np.diff(values) > -1e-8 * abs(values[-1])).all()
    else:
        assert low.score(X, y) > 0.95


@pytest.mark.capability("IML-12-34")
@pytest.mark.parametrize("training", ["em", "competitive", "cooperative"])
def test_a_hierarchy_of_one_level_is_a_mixture(training):
    X, y = load_iris(return_X_y=True)
    settings = {"training": training, "n_init": 2, "random_state": 0, "max_iter": 1000, "tol": 1e-4}
    flat = MixtureOfExpertsRegressor(2, **settings).fit(X, X @ [1, -1, 2, 0] * X[:, 0])
    tree = HierarchicalMixtureOfExpertsRegressor(1, 2, **settings).fit(X, X @ [1, -1, 2, 0] * X[:, 0])
    assert_allclose(tree.predict(X), flat.predict(X), rtol=1e-10)
    flat = MixtureOfExpertsClassifier(2, **settings).fit(X, y)
    tree = HierarchicalMixtureOfExpertsClassifier(1, 2, **settings).fit(X, y)
    assert_allclose(tree.predict_proba(X), flat.predict_proba(X), atol=1e-12)


@pytest.mark.capability("IML-12-34")
@pytest.mark.capability("IML-12-35")
def test_steep_gates_make_the_hard_tree():
    X, y = load_diabetes(return_X_y=True)
    model = HierarchicalMixtureOfExpertsRegressor(2, 2, n_init=1, random_state=0).fit(X[:, :3], y)
    assert (np.diff(objectives(model)) > -1e-6).all()
    assert_allclose(model.predict_experts(X[:, :3]).sum(axis=1), 1, atol=1e-12)
    model.gate_coef_, model.gate_intercept_ = model.gate_coef_ * 1e7, model.gate_intercept_ * 1e7
    scores = np.einsum("nd,gbd->ngb", X[:, :3], model.gate_coef_) + model.gate_intercept_
    side = scores.argmax(axis=2)
    leaf = 2 * side[:, 0] + side[np.arange(len(X)), 1 + side[:, 0]]
    each = model.expert_answers(X[:, :3])[np.arange(len(X)), leaf, 0]
    assert_allclose(model.predict(X[:, :3]), each, rtol=1e-9)


def test_what_experts_learn_on_real_tables():
    """Better than one line where a line is not enough; no worse than it where it is."""
    from sklearn.model_selection import cross_val_score

    draws = np.random.default_rng(0)
    X = draws.uniform(-2, 2, (400, 2))
    y = np.where(X.sum(axis=1) > 0, X[:, 0] * 3, -X[:, 1]) + 0.1 * draws.normal(size=400)
    line = cross_val_score(LinearRegression(), X, y).mean()
    for model in (
        MixtureOfExpertsRegressor(2, n_init=2, random_state=0),
        MixtureOfExpertsRegressor(2, n_init=5, training="cooperative", random_state=0),
        HierarchicalMixtureOfExpertsRegressor(2, n_init=2, tol=1e-4, random_state=0),
    ):
        assert cross_val_score(model, X, y, cv=3).mean() > 0.98 > line


def test_distributions_have_two_peaks_where_two_lines_hold():
    x = rng.uniform(-1, 1, (300, 1))
    y = np.where(rng.uniform(size=300) < 0.5, 1.0, -1.0) + 0.1 * rng.normal(size=300)
    model = MixtureOfExpertsRegressor(2, random_state=0).fit(x, y)
    density = model.predict_distribution([[0.0], [0.0], [0.0]]).logpdf(np.array([-1.0, 0.0, 1.0]))
    assert density[1] < -5 < 0 < min(density[0] + 1, density[2] + 1)
    low, high = model.predict_interval([[0.0]], coverage=0.9)[0]
    assert low < -0.95 and high > 0.95
    assert not hasattr(MixtureOfExpertsRegressor(training="cooperative"), "predict_interval")


def test_mixed_tables_weights_targets_and_reasons():
    import pandas as pd

    n = 120
    frame = pd.DataFrame(
        {"size": rng.normal(size=n), "place": np.where(rng.uniform(size=n) < 0.5, "town", "land")}
    )
    y = np.where(frame["place"] == "town", 3 * frame["size"], -frame["size"])
    model = MixtureOfExpertsRegressor(2, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.99
    text = str(model.explain(frame.iloc[[0]]))
    assert "share" in text and "place=town" in text
    parts = model.explain(frame).contributions()
    added, base = parts.of_answers()
    assert_allclose(added.sum(axis=1) + base, model.predict(frame), atol=1e-9)
    w = rng.integers(1, 4, n)
    heavy = MixtureOfExpertsRegressor(2, n_init=1, random_state=0).fit(frame, y, sample_weight=w)
    copies = MixtureOfExpertsRegressor(2, n_init=1, random_state=0).fit(
        frame.loc[frame.index.repeat(w)], np.repeat(y, w)
    )
    assert_allclose(heavy.predict(frame), copies.predict(frame), atol=1e-4)
    both = MixtureOfExpertsRegressor(2, random_state=0).fit(frame, np.column_stack([y, -y]))
    assert both.predict(frame).shape == (n, 2) and "y1" in str(both.show())
    labels = np.where(y > 0, "up", "down")
    kinds = MixtureOfExpertsClassifier(2, random_state=0).fit(frame, labels)
    assert kinds.score(frame, labels) > 0.95 and "probability of up" in str(kinds.explain(frame.iloc[[3]]))


@given(shift=st.floats(-100, 100), scale=st.floats(0.01, 100))
@settings(max_examples=10, deadline=None)
def test_units_of_columns_and_targets_do_not_matter(shift, scale):
    X = np.random.default_rng(1).normal(size=(40, 2))
    y = np.abs(X[:, 0]) + X[:, 1]
    settings_ = {"n_init": 1, "random_state": 0, "tol": 1e-4}
    plain = MixtureOfExpertsRegressor(2, **settings_).fit(X, y).predict(X)
    other = MixtureOfExpertsRegressor(2, **settings_).fit(X * scale + shift, y * scale - shift)
    assert_allclose((other.predict(X * scale + shift) + shift) / scale, plain, atol=1e-3)


def test_odd_tables_and_settings():
    same = MixtureOfExpertsRegressor(3, random_state=0).fit(np.ones((6, 2)), np.arange(6.0))
    assert_allclose(same.predict(np.ones((1, 2))), 2.5, atol=1e-6)
    assert_allclose(
        MixtureOfExpertsRegressor(2, random_state=0).fit([[1.0]], [2.0]).predict([[1.0]]), 2.0, atol=1e-6
    )
    one = MixtureOfExpertsClassifier(2, random_state=0).fit([[1.0], [2.0]], ["a", "a"])
    assert_allclose(one.predict_proba([[5.0]]), 1.0)
    flat = MixtureOfExpertsRegressor(2, random_state=0).fit(np.arange(5.0)[:, None], np.full(5, 7.0))
    assert_allclose(flat.predict([[2.0]]), 7.0, atol=1e-9)
    huge = MixtureOfExpertsRegressor(2, random_state=0).fit(
        1e140 * np.arange(9.0)[:, None], 1e140 * np.arange(9.0)
    )
    assert_allclose(huge.predict([[4e140]]), 4e140, rtol=1e-3)
    X = np.random.default_rng(0).normal(size=(30, 2))
    for settings_, message in (
        ({"n_components": 3}, "at most the 2 columns"), ({"n_components": 1, "experts": "constant"}, "linear experts"),
        ({"gate": "radial", "shape": "full", "training": "cooperative"}, "covariance"), ({"noise": -1.0}, "noise"),
        ({"n_experts": 0}, "n_experts"), ({"training": "hard"}, "training"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            MixtureOfExpertsRegressor(**settings_).fit(X, X[:, 0])
    with pytest.raises(DataError, match="no row counts"):
        MixtureOfExpertsRegressor().fit(X, X[:, 0], sample_weight=np.zeros(30))
    with pytest.warns(ConvergenceWarning):
        MixtureOfExpertsRegressor(3, max_iter=2, n_init=1, random_state=0).fit(X, X[:, 0] ** 2)
    fixed = MixtureOfExpertsRegressor(2, noise=0.5, random_state=0).fit(X, X[:, 0] ** 2)
    assert_allclose(fixed.noise_, 0.5)


@pytest.mark.capability("IML-12-18")
def test_parameter_counts():
    """d = 10, K = 3, H = 5: 5 x 11 of the gate, either kind, and 5 x 3 x 11 of the experts are 220."""
    X, y = rng.normal(size=(60, 10)), rng.integers(0, 3, 60)
    for gate in ("softmax", "radial"):
        model = MixtureOfExpertsClassifier(5, gate=gate, n_init=1, alpha=1.0, random_state=0).fit(X, y)
        assert model.parameter_count() == 220


def test_a_step_of_em_fits_weighted_regressions():
    """The M step by NumPy alone: least squares with the responsibilities as weights, and their residual variance."""
    X, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 1))
    tree = random_tree("numbers", "softmax", False, branching=3, K=1, d=2)
    F = with_constant(X)
    maximiser = Maximiser(F, y, np.ones(50), "numbers", 0.0, False, "each", "spherical")
    f, value = maximiser.expectation(tree)
    after = maximiser.maximisation(tree, f)
    for e in range(3):
        root = np.sqrt(f[:, e])[:, None]
        V = np.linalg.lstsq(root * F, root * y, rcond=None)[0].T
        assert_allclose(after.coef[e], V, atol=1e-8)
        assert_allclose(after.noise[e] ** 2, f[:, e] @ (y - F @ V.T)[:, 0] ** 2 / f[:, e].sum(), rtol=1e-8)
    assert maximiser.expectation(after)[1] > value
