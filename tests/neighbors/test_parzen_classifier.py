import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import KernelDensity

from assay.densities.kernels import KERNELS
from assay.errors import DegenerateError, DegenerateWarning, ParameterError
from assay.neighbors.parzen_classifier import ParzenClassifier

# Oracle: IML 8.4, seven points of two classes and one query.
X7 = np.array([[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4], [2, 2]])
Y7 = np.array(["C1"] * 3 + ["C2"] * 4)


@pytest.mark.capability("IML-8-08")
def test_the_seven_points():
    model = ParzenClassifier(bandwidth=1.0).fit(X7, Y7)
    assert_allclose(
        np.exp(model.predict_joint_log_proba([[1.2, 1.2]])), [[0.027082614, 0.013057739]], atol=5e-10
    )
    assert_allclose(model.predict_proba([[1.2, 1.2]]), [[0.674698, 0.325302]], atol=5e-7)
    assert model.predict([[1.2, 1.2]]) == ["C1"]


@pytest.mark.capability("IML-8-08")
@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "epanechnikov"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_same_posterior_as_densities_of_scikit_learn(load, kernel):
    """Peer: one KernelDensity (scikit-learn 1.9) a class, times given priors; only where all classes are in reach."""
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = X[:, :4]
    K, h = y.max() + 1, 3.5
    priors = np.arange(1, K + 1) / np.arange(1, K + 1).sum()
    model = ParzenClassifier(h, kernel=kernel, priors=priors).fit(X[::2], y[::2])
    logs = np.stack(
        [
            KernelDensity(bandwidth=h, kernel=kernel).fit(X[::2][y[::2] == k]).score_samples(X[1::2])
            for k in range(K)
        ],
        axis=1,
    )
    near = logs.min(axis=1) > -12
    joint = priors * np.exp(logs[near])
    assert near.sum() > 20
    assert_allclose(
        model.predict_proba(X[1::2][near]), joint / joint.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-9
    )


def test_far_rows_get_a_posterior_from_a_gaussian():
    """In logarithms: at x = 10^5 the nearer class is sure, though both densities underflow."""
    model = ParzenClassifier(0.1).fit([[0.0], [1.0]], ["a", "b"])
    assert_array_equal(model.predict_proba([[1e5], [-1e5]]), [[0, 1], [1, 0]])
    assert_allclose(model.predict_log_proba([[10.0]])[0, 0], -0.5 * (100**2 - 90**2))


@pytest.mark.capability("IML-8-08")
def test_rows_that_no_kernel_reaches():
    far = [[100.0, 100.0], [-50.0, -50.0]]
    with pytest.warns(DegenerateWarning, match=r"no kernel of width 1 reaches 2 row"):
        prior = ParzenClassifier(1.0, kernel="epanechnikov").fit(X7, Y7).predict_proba(far)
    assert_allclose(prior, [[3 / 7, 4 / 7]] * 2)
    nearest = ParzenClassifier(1.0, kernel="epanechnikov", fallback="nearest").fit(X7, Y7)
    assert_array_equal(nearest.predict_proba(far), [[0, 1], [1, 0]])
    assert_array_equal(nearest.predict(far), ["C2", "C1"])
    with pytest.raises(DegenerateError, match="Raise bandwidth"):
        ParzenClassifier(1.0, kernel="box", fallback="raise").fit(X7, Y7).predict(far)


@given(seed=st.integers(0, 10**6), kernel=st.sampled_from(list(KERNELS)), h=st.floats(0.3, 3))
@settings(max_examples=40, deadline=None)
def test_posteriors_are_shares_of_the_kernels_and_the_bookkeeping_factor_cancels(seed, kernel, h):
    rng = np.random.default_rng(seed)
    X, y, Q = rng.normal(size=(30, 2)), rng.integers(0, 3, 30), rng.normal(size=(8, 2))
    y[:3] = [0, 1, 2]
    u = np.linalg.norm(Q[:, None] - X, axis=2) / h
    g = KERNELS[kernel].profile(u) @ np.eye(3)[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        ours = ParzenClassifier(h, kernel=kernel).fit(X, y).predict_proba(Q)
    reached = g.sum(axis=1) > 1e-9
    assert_allclose(
        ours[reached], (g / np.maximum(g.sum(axis=1, keepdims=True), 1e-300))[reached], rtol=1e-6, atol=1e-9
    )
    assert_allclose(ours.sum(axis=1), 1)


@pytest.mark.capability("IML-8-33")
def test_leave_one_out_chooses_the_width_with_the_greatest_posterior_of_the_others():
    X, y = load_iris(return_X_y=True)
    model = ParzenClassifier("leave_one_out").fit(X, y)

    def by_the_book(h):
        k = np.exp(-0.5 * (np.linalg.norm(X[:, None] - X, axis=2) / h) ** 2)
        np.fill_diagonal(k, 0)
        g = k @ np.eye(3)[y]
        return np.mean(np.log(g[np.arange(150), y] / g.sum(axis=1)))

    around = [by_the_book(model.bandwidth_ * factor) for factor in (1, 1.4, 1 / 1.4)]
    assert np.argmax(around) == 0
    assert np.mean(model.predict(X) == y) > 0.95


@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "logistic"])
def test_the_width_follows_the_unit_of_the_rows_and_a_weight_of_two_is_two_rows(kernel):
    rng = np.random.default_rng(2)
    X, y, w = rng.normal(size=(60, 2)), rng.integers(0, 3, 60), rng.integers(0, 4, 60).astype(float)
    model = ParzenClassifier(kernel=kernel)
    width = model.fit(X, y, w).bandwidth_
    again = np.repeat(np.arange(60), w.astype(int))
    assert_allclose(model.fit(X[again], y[again]).bandwidth_, width, rtol=1e-12)
    assert_allclose(
        model.fit(X, y, w * 1e-9).bandwidth_, model.fit(X, y, w / w[w > 0].mean()).bandwidth_, rtol=1e-9
    )
    for unit in (1e-200, 1e6, 1e200):
        assert_allclose(model.fit(X * unit, y, w).bandwidth_ / unit, width, rtol=1e-9)


def test_of_many_rows_some_are_judged_whatever_their_order(monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(1).uniform(0, 1e-3, X.shape)  # no two alike
    all_ = ParzenClassifier().fit(X, y).bandwidth_
    monkeypatch.setattr("assay.neighbors.parzen_classifier.PAIRS", 1)
    monkeypatch.setattr("assay.neighbors.parzen_classifier.MIN_JUDGED", 75)
    half = ParzenClassifier().fit(X, y).bandwidth_
    assert half == ParzenClassifier().fit(X[::-1], y[::-1]).bandwidth_
    assert 0.5 < half / all_ < 2


def test_a_table_with_categories_and_gaps():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue"], 120)
    size = rng.normal(size=120)
    y = np.where((colour == "red") ^ (size > 0), "yes", "no")
    table = pd.DataFrame({"colour": colour, "size": np.where(rng.random(120) < 0.1, np.nan, size)})
    model = ParzenClassifier(0.3).fit(table, y)
    assert model.distance_.name == "heom"
    assert np.mean(model.predict(table) == y) > 0.85
    assert_allclose(model.predict_proba(pd.DataFrame({"colour": [None], "size": [np.nan]})).sum(), 1)


def test_weights_are_copies_and_a_class_without_weight_is_never_the_answer():
    w = np.array([1, 2, 1, 1, 3, 1, 2])
    a = ParzenClassifier(1.0).fit(X7, Y7, sample_weight=w).predict_proba([[1.2, 1.2], [9, 9]])
    b = (
        ParzenClassifier(1.0)
        .fit(np.repeat(X7, w, axis=0), np.repeat(Y7, w))
        .predict_proba([[1.2, 1.2], [9, 9]])
    )
    assert_allclose(a, b, rtol=1e-10)
    gone = ParzenClassifier(1.0).fit(X7, Y7, sample_weight=[0, 0, 0, 1, 1, 1, 1])
    assert_array_equal(gone.predict_proba([[0.0, 0.0]]), [[0, 1]])


def test_the_explanation_lists_the_rows_that_spoke():
    explanation = ParzenClassifier(1.0).fit(X7, Y7).explain([[1.2, 1.2]])
    section, beside = explanation.sections
    assert beside.columns[2:5] == ["row 7", "row 2", "row 3"] and beside.rows[0][2] == X7[6][0]
    assert section.columns == ["row", "class", "distance", "share"]
    assert [line[:2] for line in section.rows[:4]] == [[7, "C2"], [2, "C1"], [3, "C1"], [1, "C1"]]
    assert_allclose(
        [line[2] for line in section.rows[:4]], [1.131371, 1.216553, 1.216553, 1.697056], atol=5e-7
    )
    shares = {label: sum(line[3] for line in section.rows if line[1] == label) for label in ("C1", "C2")}
    assert_allclose([shares["C1"], shares["C2"]], [0.674698, 0.325302], atol=5e-7)
    far = ParzenClassifier(1.0, kernel="box", fallback="nearest").fit(X7, Y7).explain([[99.0, 99.0]])
    assert far.sections[0].rows == [] and "No stored row" in far.sections[0].note


def test_one_class_one_row_and_wrong_input():
    assert_array_equal(ParzenClassifier(1.0).fit([[1.0]], ["a"]).predict_proba([[2.0]]), [[1]])
    with pytest.raises(DegenerateError, match="leave_one_out needs two"):
        ParzenClassifier("leave_one_out").fit([[1.0]], ["a"])
    assert ParzenClassifier("leave_one_out").fit(np.zeros((4, 1)), [0, 0, 1, 1]).bandwidth_ > 0
    for wrong, said in (({"priors": [0.2, 0.3, 0.5]}, "priors has 3"), ({"metric": "precomputed"}, "compare rows"),
                        ({"metric_params": {"q": 1}}, "'q'"), ({"bandwidth": 0}, "bandwidth")):  # fmt: skip
        with pytest.raises(ParameterError, match=f"ParzenClassifier.*{said}"):
            ParzenClassifier(**wrong).fit(X7, Y7)
