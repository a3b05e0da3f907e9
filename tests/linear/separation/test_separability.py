"""Separability: proofs that can be checked, against a linear programme over all rows and the chapters' examples."""

import itertools
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError
from assay.linear.separation.separability import is_linearly_separable, separation
from assay.tables.data import load_charity_donors, load_xor


def separated_by_one_programme(X, y, fit_intercept=True):
    """(n, K) which pairs of a row and another class can be separated: max sum t, 0 <= t <= 1, margin >= t."""
    X = np.column_stack((np.ones(len(X)), X)) if fit_intercept else np.asarray(X, dtype=float)
    n, p = X.shape
    K = int(y.max()) + 1
    pairs = [(i, k) for i in range(n) for k in range(K) if k != y[i]]
    Z = np.zeros((len(pairs), K, p))
    for row, (i, k) in enumerate(pairs):
        Z[row, y[i]] += X[i]
        Z[row, k] -= X[i]
    Z = Z.reshape(len(pairs), -1)
    m, size = Z.shape
    result = linprog(
        np.r_[np.zeros(size), -np.ones(m)],
        A_ub=np.hstack((-Z, np.eye(m))),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * size + [(0, 1)] * m,
    )
    t = np.zeros((n, K), dtype=bool)
    t[tuple(np.array(pairs).T)] = result.x[size:] > 0.5
    return t


def check_proof(answer, X, y, fit_intercept=True):
    """Either weights that separate, or multipliers that balance."""
    X, (labels, codes) = np.asarray(X, dtype=float), np.unique(y, return_inverse=True)
    if answer:
        if len(labels) == 2:
            assert ((X @ answer.coef + answer.intercept > 0) == (codes == 1)).all()
            assert (X @ answer.coef + answer.intercept != 0).all()
        else:
            scores = X @ answer.coef.T + answer.intercept
            own = scores[np.arange(len(X)), codes].copy()
            scores[np.arange(len(X)), codes] = -np.inf
            assert (own > scores.max(axis=1)).all()
        return
    lam = answer.multipliers
    assert (lam >= 0).all() and lam.any()
    size = np.abs(X).max(axis=0) + 1e-300
    if len(labels) == 2:
        one, other = codes == 1, codes == 0
        assert_allclose((X[one] / size).T @ lam[one], (X[other] / size).T @ lam[other], atol=1e-10)
        if fit_intercept:
            assert_allclose([lam[one].sum(), lam[other].sum()], 1.0, rtol=1e-12)
            assert_allclose(answer.point / size, (X[other] / size).T @ lam[other], atol=1e-10)
        return
    for c in range(len(labels)):
        own, against = lam[codes == c].sum(axis=1), lam[codes != c, c]
        if fit_intercept:
            assert_allclose(own.sum(), against.sum(), atol=1e-10)
        assert_allclose((X[codes == c] / size).T @ own, (X[codes != c] / size).T @ against, atol=1e-10)


def check_direction(result, X, y, fit_intercept=True):
    X, codes = np.asarray(X, dtype=float), np.unique(y, return_inverse=True)[1]
    scores = X @ result.coef.T + result.intercept
    margin = scores[np.arange(len(X)), codes][:, None] - scores
    size = np.abs(X).max(axis=0) @ np.abs(result.coef).max(axis=0) + np.abs(result.intercept).max()
    assert (margin >= -1e-8 * size).all()
    assert ((margin > 1e-8 * size).any(axis=1) == np.isin(np.arange(len(X)), result.rows)).all()
    used = (result.coef != result.coef[0]).any(axis=0)
    assert np.flatnonzero(used).tolist() == result.columns
    if not fit_intercept:
        assert not result.intercept.any()


@pytest.mark.capability("BC-07", "LS-06")
def test_xor_is_not_separable_and_the_mapped_one_is():
    # Oracle: 5.2.2 and 11.4: multipliers (1, 1, 1, 1), the common point is the centre; phi maps it apart.
    plain, mapped = load_xor(), load_xor(mapped=True)
    X, y = plain.X.values, plain.y
    answer = is_linearly_separable(X, y)
    assert not answer
    assert_allclose(answer.multipliers, 0.5, rtol=1e-12)
    assert_allclose(answer.point, [0.5, 0.5], rtol=1e-12)
    assert "convex hull of both (4 rows prove it)" in str(answer)
    answer = is_linearly_separable(mapped.X.values, mapped.y)
    check_proof(answer, mapped.X.values, mapped.y)
    assert answer.hyperplane is not None
    assert_allclose(answer.hyperplane.normal[0] / answer.hyperplane.normal[1], 0, atol=1e-9)


@pytest.mark.capability("LS-06")
@pytest.mark.parametrize("pair,apart", [((0, 1), True), ((0, 2), True), ((1, 2), False)])
def test_pairs_of_iris(pair, apart):
    X, y = load_iris(return_X_y=True)
    rows = np.isin(y, pair)
    answer = is_linearly_separable(X[rows], y[rows])
    assert bool(answer) is apart
    check_proof(answer, X[rows], y[rows])
    assert separation(X[rows], y[rows]).kind == ("complete" if apart else "none")


@pytest.mark.capability("C3-23")
@pytest.mark.parametrize("part", ["train", "full"])
def test_breast_cancer_is_separable(part):
    # Oracle: 3.1.3, verified there by linear programming; the training part is that of the common set-up.
    X, y = load_breast_cancer(return_X_y=True)
    if part == "train":
        X = StandardScaler().fit_transform(X)
        X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=2020)
    check_proof(is_linearly_separable(X, y), X, y)
    result = separation(X, y)
    assert result.kind == "complete" and len(result.rows) == len(X) and not len(result.overlap)
    check_direction(result, X, y)


@pytest.mark.capability("DC-74")
def test_charity_table_is_flagged_and_the_columns_are_named():
    data = load_charity_donors()
    numeric = [j for j, column in enumerate(data.X.schema) if column.name in ("Age", "Salary")]
    names = [data.X.schema[j].name for j in numeric]
    X = data.X.values[:, numeric]
    result = separation(X, data.y, names=names)
    assert result.kind == "complete" and result.separated
    assert "a combination of the columns Age, Salary decides all rows" in str(result)
    assert "Give a penalty" in result.sentence
    check_direction(result, X, data.y)


@pytest.mark.capability("DC-121")
def test_charity_is_separable_the_diagonals_of_a_square_only_with_the_product():
    data = load_charity_donors()
    X = data.X.values[:, [j for j, c in enumerate(data.X.schema) if c.name in ("Age", "Salary")]]
    check_proof(is_linearly_separable(X, data.y), X, data.y)
    plane = X @ [1 / 50, 1 / 50000] - 2  # the plane of the text
    assert ((plane > 0) == (np.asarray(data.y) == np.unique(data.y)[1])).all()
    square = np.array([[-1.0, -1], [1, 1], [-1, 1], [1, -1]])
    y = np.array([0, 0, 1, 1])
    answer = is_linearly_separable(square, y)
    assert not answer
    check_proof(answer, square, y)
    assert_allclose(answer.point, [0, 0], atol=1e-12)  # the common midpoint
    product = np.column_stack((square, square[:, 0] * square[:, 1]))
    check_proof(is_linearly_separable(product, y), product, y)
    assert bool(is_linearly_separable(product, y))


@pytest.mark.parametrize(
    "points,count",
    [
        ([[0, 0], [1, 0], [0, 1]], 8),
        ([[0, 0], [1, 1], [2, 2]], 6),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], 14),
        ([[0, 0], [3, 0], [0, 3], [1, 1]], 14),
        (list(itertools.product([0, 1], repeat=3)), 104),
    ],
)
def test_number_of_labellings_that_lines_and_planes_realise(points, count):
    # Oracle: 5.5.2 and 11.4. A labelling with one class alone is separable: nothing is to be told apart.
    X = np.array(points, dtype=float)
    separable = 2
    for labels in itertools.product([0, 1], repeat=len(X)):
        if len(set(labels)) == 2:
            separable += bool(is_linearly_separable(X, np.array(labels)))
    assert separable == count


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.booleans())
@pytest.mark.parametrize("steps", [60, 0])
def test_same_as_one_programme_over_all_rows(steps, seed, K, fit_intercept):
    """Small whole numbers: many rows lie exactly on the boundary. Without Newton's steps programmes decide."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(K, 25)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, size=(n, d)).astype(float)
    y = rng.integers(0, K, size=n)
    if rng.random() < 0.6:
        y = np.clip((X.sum(axis=1) + rng.integers(0, 2, size=n)).astype(int), 0, K - 1)
    y[:K] = np.arange(K)
    truth = separated_by_one_programme(X, y, fit_intercept)
    with mock.patch("assay.linear.separation.separating_cone.STEPS", steps):
        result = separation(X, y, fit_intercept=fit_intercept)
        answer = is_linearly_separable(X, y, fit_intercept=fit_intercept)
    whole = truth.sum() == n * (K - 1)
    assert result.kind == ("complete" if whole else "quasi" if truth.any() else "none")
    if result.kind != "none":
        assert result.rows.tolist() == np.flatnonzero(truth.any(axis=1)).tolist()
        check_direction(result, X, y, fit_intercept)
    assert result.overlap.tolist() == np.flatnonzero(truth.sum(axis=1) < K - 1).tolist()
    assert bool(answer) == whole
    check_proof(answer, X, y, fit_intercept)


@pytest.mark.parametrize("kind", ["none", "quasi", "complete"])
@pytest.mark.parametrize("steps", [60, 0])
def test_many_rows(steps, kind):
    """Programmes see some rows, and others as they are violated."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20_000, 6))
    y = (X @ [1, 1, 0, 0, 0, 0] + (0 if kind == "complete" else 0.5) * rng.normal(size=20_000) > 0).astype(
        int
    )
    if kind == "quasi":
        seldom = (X[:, 4] > 1.8) & (X[:, 5] > 0.5)
        X[:, 3] = seldom + 1e-3 * X[:, 2]
        y[seldom] = 1
    with mock.patch("assay.linear.separation.separating_cone.STEPS", steps):
        result, answer = separation(X, y), is_linearly_separable(X, y)
    assert result.kind == kind
    check_proof(answer, X, y)
    if kind == "quasi":
        assert result.rows.tolist() == np.flatnonzero(seldom).tolist() and result.columns == [2, 3]
    if kind != "complete":
        assert (answer.multipliers > 0).sum() <= X.shape[1] + 2  # a vertex


def test_classes_that_touch_are_quasi_separated():
    X, y = np.array([[0.0], [1], [1], [2]]), np.array(["a", "a", "b", "b"])
    result = separation(X, y, names=["dose"])
    assert result.kind == "quasi" and result.rows.tolist() == [0, 3] and result.overlap.tolist() == [1, 2]
    assert "the one row with dose below 1 is a and the one row with dose above 1 is b" in result.sentence
    answer = is_linearly_separable(X, y)
    assert not answer and answer.point.tolist() == [1.0]


def test_an_indicator_that_decides_some_rows_is_named():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] + rng.logistic(size=2000) > 0).astype(int)
    X[:, 2] = X[:, 2] > 1.5
    y[X[:, 2] > 0] = 1
    result = separation(X, y, names=["a", "b", "smoker", "d"], classes=["healthy", "ill"])
    rows = np.flatnonzero(X[:, 2])
    assert result.kind == "quasi" and result.columns == [2] and result.rows.tolist() == rows.tolist()
    assert f"all {len(rows)} rows with smoker above 0 are ill" in result.sentence
    assert "quasi-complete" in result.sentence


def test_separation_in_two_stages_is_found_whole():
    """The first column decides the outer rows, the second those that lie at its cut."""
    X = np.array([[-1.0, 3], [1, -3], [0, -1], [0, 1], [2, -5]])
    y = np.array([0, 1, 0, 1, 1])
    result = separation(X, y)
    assert result.kind == "complete" and result.columns == [0, 1]
    check_direction(result, X, y)
    check_proof(is_linearly_separable(X, y), X, y)


@pytest.mark.parametrize("load,apart", [(load_wine, True), (load_digits, True), (load_iris, False)])
def test_several_classes(load, apart):
    X, y = load(return_X_y=True)
    answer = is_linearly_separable(X, y)
    assert bool(answer) is apart and answer.hyperplane is None
    check_proof(answer, X, y)
    result = separation(X, y, classes=[f"c{k}" for k in range(y.max() + 1)])
    assert result.kind == ("complete" if apart else "quasi")
    if not apart:  # setosa stands alone
        assert "tells c0 from c1, c0 from c2 without a mistake" in result.sentence
        assert result.overlap.tolist() == list(range(50, 150))


@pytest.mark.parametrize("seed", range(3))
def test_scales_and_dependent_columns_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 5))
    noisy = X @ [1, -1, 0.5, 0, 0] + 0.3 * rng.normal(size=300)
    scale = 10.0 ** np.array([-12, 12, 6, -6, 0])
    shifted = (X + 3) * scale
    wide = np.column_stack((shifted, shifted[:, 0] * 1e12 - shifted[:, 4], np.full(300, 7.0), np.zeros(300)))
    for score, kind in ((X @ [1, -1, 0.5, 0, 0], "complete"), (noisy, "none")):
        y = score > 0
        result = separation(wide, y)
        assert result.kind == kind == separation(X, y).kind
        answer = is_linearly_separable(wide, y)
        check_proof(answer, wide, y)


def test_more_columns_than_rows_and_huge_values():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), np.arange(20) % 2
    check_proof(is_linearly_separable(X, y), X, y)
    assert separation(X, y).kind == "complete"
    huge = rng.normal(size=(20, 2)) * 1e300
    assert not is_linearly_separable(huge, y)
    wide = rng.normal(size=(12, 2000))
    check_proof(is_linearly_separable(wide, np.arange(12) % 3), wide, np.arange(12) % 3)


def test_sparse_rows_and_rows_without_weight():
    rng = np.random.default_rng(3)
    X = (rng.random((400, 6)) < 0.3) * rng.integers(1, 4, size=(400, 6)).astype(float)
    for y in ((X[:, 0] > 0).astype(int), rng.integers(0, 3, 400)):
        dense, sparse = separation(X, y), separation(csr_array(X), y)
        assert dense.kind == sparse.kind and dense.rows.tolist() == sparse.rows.tolist()
        check_proof(is_linearly_separable(csr_array(X), y), X, y)
    X, y = np.array([[0.0], [1], [2], [5], [9]]), np.array([0, 0, 1, 0, 2])
    assert separation(X, y).kind == "quasi"
    result = separation(X, y, sample_weight=[1, 1, 1, 0, 0])
    assert result.kind == "complete" and result.rows.tolist() == [0, 1, 2]


def test_columns_of_zeros_separate_nothing_without_a_constant():
    X, y = np.zeros((3, 2)), np.array([0, 1, 1])
    assert separation(X, y, fit_intercept=False).kind == "none"
    check_proof(is_linearly_separable(X, y, fit_intercept=False), X, y, fit_intercept=False)


def test_identical_rows_in_both_classes_overlap():
    X, y = np.ones((6, 3)), np.array([0, 1, 0, 1, 0, 1])
    assert separation(X, y).kind == "none"
    answer = is_linearly_separable(X, y)
    assert not answer and answer.point.tolist() == [1, 1, 1]


def test_what_cannot_be_settled_is_said():
    """So many columns that only gradient steps are taken; they find no separating weights where there are none."""
    rng = np.random.default_rng(0)
    X = (rng.random((30, 1600)) < 0.1).astype(float)
    X[1] = X[0]
    result = separation(X, np.arange(30) % 2)  # single columns decide some rows
    assert result.kind == "quasi" and "at least partly separated" in str(result)
    y = np.arange(30) % 3
    assert separation(X, y).kind == "unknown"
    answer = is_linearly_separable(X, y)
    assert answer.separable is None and answer.hyperplane is None
    with pytest.raises(DataError, match="could not be settled"):
        bool(answer)


@pytest.mark.parametrize(
    "X,y,text",
    [
        ([[1.0], [2.0]], ["a", "a"], "one class, a"),
        ([[1.0], [np.nan]], ["a", "b"], "has 1 missing value"),
        ([[1.0], [np.inf]], ["a", "b"], "X contains infinity"),
        ([1.0, 2.0], ["a", "b"], "Expected 2D array"),
    ],
)
def test_what_is_refused(X, y, text):
    for ask in (separation, is_linearly_separable):
        with pytest.raises(ValueError, match=text):
            ask(X, y)


def test_text_columns_are_indicators():
    frame = pd.DataFrame({"job": ["cook", "cook", "smith", "nurse"], "age": [1.0, 2.0, 1.0, 2.0]})
    result = separation(frame, ["a", "a", "b", "b"])
    assert result.kind == "complete" and result.columns == [0] and "job=cook" in result.sentence
    assert is_linearly_separable(frame, ["a", "a", "b", "b"])


def test_sparse_duplicates_add_up():
    rows = csr_array(([1.0, 1.0, 3.0, 5.0, -3.0], [0, 0, 0, 0, 0], [0, 2, 3, 5]), shape=(3, 1))  # 2, 3, 2
    result = separation(rows, ["a", "b", "a"])
    assert result.kind == "complete" and rows.nnz == 5


@pytest.mark.parametrize(
    "given,text",
    [
        ({"names": ["age"]}, "names has 1 entries for 2 columns"),
        ({"classes": ["a"]}, "numbers from 0 to 0, got"),
        ({"classes": ["a", "b"], "y": ["a", "b", "b"]}, "numbers from 0 to 1, got"),
        ({"classes": ["a", "b"], "y": [-1, 1, 1]}, "numbers from 0 to 1, got"),
    ],
)
def test_names_and_classes_fit_the_table(given, text):
    y = given.pop("y", [0, 1, 1])
    with pytest.raises(DataError, match=text):
        separation([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]], y, **given)
