"""The convergence bound of the perceptron, and the trace behind it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from assay.errors import DataError
from assay.linear.discriminants.convergence import convergence_bound, convergence_trace, widest_separator
from assay.linear.discriminants.perceptron_rule import PerceptronRule
from assay.tables.data import load_charity_donors

IRIS, KIND = load_iris(return_X_y=True)


@pytest.mark.capability("LS-07")
@pytest.mark.parametrize(
    ("columns", "square", "margin", "bound", "made"),
    [([0, 1, 2, 3], 84.48, 0.7491173, 150.54, 5), ([0, 2], 72.62, 0.4316853, 389.69, 10)],
)
def test_iris(columns, square, margin, bound, made):
    """LS-2."""
    X, y = IRIS[:100][:, columns], KIND[:100]
    result = convergence_bound(X, y)
    assert_allclose(result.radius**2, square, rtol=1e-12)
    assert_allclose(result.margin, margin, atol=5e-8)
    assert_allclose(result.updates, bound, atol=5e-3)
    assert PerceptronRule(training_tie="positive").fit(X, y).n_updates_ == made <= result.updates


@pytest.mark.capability("LS-07")
def test_charity():
    """DC 10.7.1: with the hard-margin separator the bound is 2176.65; the best homogeneous one gives less."""
    table = load_charity_donors()
    X = table.X.values / [50, 50_000]
    result = convergence_bound(X, table.y)
    hard = np.array([-18.049180, 8.196721, 9.836066])
    assert_allclose(result.radius**2 * (hard @ hard), 2176.65, atol=5e-3)
    assert_allclose(result.updates, 2155.976, atol=5e-4)


@pytest.mark.capability("LS-07")
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(["cyclic", "random", "first"]))
def test_the_proof_holds_along_every_walk(seed, order):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    score = X @ rng.normal(size=2) + 0.1
    X, y = X[np.abs(score) > 0.1], (score[np.abs(score) > 0.1] > 0) * 1
    if len(set(y)) < 2:
        return
    model = PerceptronRule(order=order, random_state=seed, max_iter=10**6, keep=True).fit(X, y)
    bound = convergence_bound(X, y)
    assert model.n_updates_ <= bound.updates * (1 + 1e-9)
    trace = convergence_trace(model.path_, bound)
    assert len(trace.cosine) == model.n_updates_
    assert (trace.cosine >= trace.cosine_floor - 1e-9).all() and (trace.cosine <= 1 + 1e-12).all()
    assert (trace.norm <= trace.norm_ceiling * (1 + 1e-12)).all()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 5))
def test_the_separator_meets_the_conditions_of_the_optimum(seed, n, p):
    """Every z.w >= 1, and w is a non-negative combination of the rows that reach just 1."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=p)
    Z = rng.normal(size=(n, p))
    Z *= np.where(Z @ direction > 0, 1.0, -1.0)[:, None]
    Z += 0.1 * direction / np.linalg.norm(direction)
    w = widest_separator(Z)
    reach = Z @ w
    assert_allclose(reach.min(), 1, rtol=1e-7)
    from scipy.optimize import nnls

    support = Z[reach < 1 + 1e-6]
    assert nnls(support.T, w)[1] <= 1e-6 * np.linalg.norm(w)


def test_many_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4))
    y = (X[:, 0] + X[:, 1] > 0.1) * 1
    X[:, 0] += np.where(y == 1, 0.2, -0.2)
    result = convergence_bound(X, y)
    ones = np.column_stack([np.ones(5000), X])
    peer = LinearSVC(C=1e5, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=10**6, random_state=0).fit(
        ones, y
    )
    margin = ((2 * y - 1) * peer.decision_function(ones)).min() / np.linalg.norm(peer.coef_)
    assert result.margin >= margin * (1 - 1e-9)
    assert_allclose(result.margin, margin, rtol=1e-2)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_does_not_matter_to_a_homogeneous_separator(scale):
    Z = np.array([[1.0, 0.2], [0.5, 1.0], [2.0, 3.0]])
    assert_allclose(widest_separator(Z * scale) * scale, widest_separator(Z), rtol=1e-10)


def test_without_separability_there_is_no_bound():
    with pytest.raises(DataError, match=r"not separable by a hyperplane .*: 100 rows"):
        convergence_bound(IRIS[50:], KIND[50:])
    with pytest.raises(DataError, match="not separable"):
        convergence_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    with pytest.raises(DataError, match="must hold two classes, got 3"):
        convergence_bound(IRIS, KIND)
    with pytest.raises(DataError, match="not all zero"):
        widest_separator(np.zeros((2, 2)))


def test_text_is_not_read_as_numbers():
    frame = pd.DataFrame({"job": ["cook", "nurse", "smith"]})
    bound = convergence_bound(frame, [0, 1, 0])  # as codes 0, 1, 2 the rows would not be separable
    assert bound.separator.shape == (4,)
    assert_allclose(bound.radius, np.sqrt(2))


def test_numbers_whose_squares_overflow():
    bound = convergence_bound([[-1e200], [1e200]], [0, 1])
    assert_allclose([bound.radius, bound.margin, bound.updates], [1e200, 1e200, 1.0])
