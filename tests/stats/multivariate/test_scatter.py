import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from assay.stats import class_scatter, discriminant_directions, fisher_criterion, fisher_direction

IRIS, SPECIES = load_iris(return_X_y=True)


def breast_cancer():
    """C3's setting: standardised on all rows, then split; 455 training and 114 test rows."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return train_test_split(X, y, test_size=0.2, random_state=2020)


def unit(w):
    return w / np.linalg.norm(w)


def test_iris_has_fishers_values():
    """Rows 35 and 38 (from 1) differ between copies of the file; scikit-learn's has Fisher's own values."""
    assert_allclose(IRIS[[34, 37]], [[4.9, 3.1, 1.5, 0.2], [4.9, 3.6, 1.4, 0.1]])


@pytest.mark.capability("BC-11")
def test_iris_matrices():
    s = class_scatter(IRIS, SPECIES)
    within = [
        [38.9562, 13.63, 24.6246, 5.645],
        [13.63, 16.962, 8.1208, 4.8084],
        [24.6246, 8.1208, 27.2226, 6.2718],
        [5.645, 4.8084, 6.2718, 6.1566],
    ]
    between = [
        [63.212133, -19.952667, 165.2484, 71.279333],
        [-19.952667, 11.344933, -57.2396, -22.932667],
        [165.2484, -57.2396, 437.1028, 186.774],
        [71.279333, -22.932667, 186.774, 80.413333],
    ]
    assert_allclose(s.within, within, atol=5e-7)
    assert_allclose(s.between, between, atol=5e-7)
    assert_allclose(s.total, s.within + s.between, rtol=1e-12)


@pytest.mark.capability("BC-11", "C3-34")
@given(seed=st.integers(0, 10**6), K=st.integers(1, 4), d=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_total_is_within_plus_between_and_weights_count_rows(seed, K, d):
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(30, d)), rng.integers(0, K, 30), rng.integers(0, 3, 30)
    w[0] = 1
    s = class_scatter(X, y, w)
    assert_allclose(s.total, s.within + s.between, atol=1e-10)
    repeated = class_scatter(np.repeat(X, w, axis=0), np.repeat(y, w))
    for name in ("counts", "means", "mean", "within", "between", "total"):
        assert_allclose(getattr(s, name), getattr(repeated, name), atol=1e-10)
    by_hand = sum(
        (X[y == k] - s_mean).T @ np.diag(w[y == k]) @ (X[y == k] - s_mean)
        for k, s_mean in zip(s.classes, s.means)
    )
    assert_allclose(s.within, by_hand, atol=1e-10)


@pytest.mark.capability("C3-34")
def test_two_weightings_differ_by_a_factor_only_for_balanced_classes():
    X, y = IRIS[50:], SPECIES[50:]
    plain, weighted = class_scatter(X, y), class_scatter(X, y, within="prior-weighted-scatter")
    assert_allclose(weighted.within, plain.within / 2, rtol=1e-12)
    assert_allclose(weighted.between, plain.between, rtol=1e-12)
    tilted = (
        class_scatter(X[10:], y[10:]).within
        / class_scatter(X[10:], y[10:], within="prior-weighted-scatter").within
    )
    assert np.ptp(tilted) > 0.01


@pytest.mark.capability("C3-34")
@pytest.mark.parametrize(
    ("load", "values", "share"),
    [(load_iris, [0.643838584, 0.00570782085], 0.9912126), (load_wine, None, 0.68427289)],
)
def test_directions_in_the_books_weighting(load, values, share):
    """C3 3.4.3: for balanced classes only the scale differs, for wine (59, 71, 48) the shares too."""
    X, y = load(return_X_y=True)
    book = class_scatter(X, y, within="prior-weighted-scatter")
    result = discriminant_directions(book.within, book.between / len(y))
    assert_allclose(result.shares[0], share, atol=5e-8)
    if values:
        assert_allclose(result.eigenvalues, values, rtol=1e-8)
    else:
        plain = discriminant_directions(class_scatter(X, y).within, book.between)
        assert_allclose(plain.eigenvalues, [9.08173944, 4.12846905], atol=5e-9)
        assert_allclose(plain.shares[0], 0.68747889, atol=5e-9)


@pytest.mark.capability("C3-34", "C3-35")
@pytest.mark.parametrize(
    ("within", "start", "means", "threshold", "J", "errors"),
    [
        (
            "sum",
            (-0.38531265, -0.01918484, 0.19595375, 0.15025737, 0.00250163),
            (0.3195341, -0.1939802),
            0.0627769,
            0.0346033561,
            (14, 4),
        ),
        (
            "prior-weighted-scatter",
            (-0.45715822, -0.00936583, 0.14494568, 0.24374305, 0.00454625),
            (0.2756683, -0.1683170),
            0.0536756,
            0.0752677966,
            (19, 4),
        ),
    ],
)
def test_fisher_on_breast_cancer(within, start, means, threshold, J, errors):
    X_train, X_test, y_train, y_test = breast_cancer()
    s = class_scatter(X_train, y_train, within=within)
    w = unit(fisher_direction(s.means[0], s.means[1], s.within))
    assert_allclose(w[:5], start, atol=5e-9)
    assert_allclose(s.means @ w, means, atol=5e-8)
    T = (s.means @ w).mean()
    assert_allclose(T, threshold, atol=5e-8)
    assert_allclose(fisher_criterion(w, s.within, s.difference), J, atol=5e-11)
    wrong = tuple(int(np.sum((X @ w > T) != (y == 0))) for X, y in ((X_train, y_train), (X_test, y_test)))
    assert wrong == errors


@pytest.mark.capability("BC-13", "C3-35")
def test_fisher_on_two_kinds_of_iris():
    s = class_scatter(IRIS[50:], SPECIES[50:])
    versicolor, virginica = s.means
    w = fisher_direction(virginica, versicolor, s.within)
    assert_allclose(w, [-0.0362888, -0.0569247, 0.0711238, 0.1263882], atol=5e-8)
    assert_allclose(unit(w), [-0.226850, -0.355850, 0.444612, 0.790083], atol=5e-7)
    J = fisher_criterion(w, s.within, s.difference)
    assert_allclose(J, 0.145091, atol=5e-7)
    assert_allclose(J, (virginica - versicolor) @ w, rtol=1e-10)  # the closed form at the optimum
    assert_allclose(w @ (virginica + versicolor) / 2, 0.170031, atol=5e-7)
    side = IRIS[50:] @ w >= w @ (virginica + versicolor) / 2
    assert (side[:50].sum(), 50 - side[50:].sum()) == (2, 1)


@pytest.mark.capability("C3-35", "BC-13")
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3))
@settings(max_examples=40, deadline=None)
def test_criterion_ignores_length_and_is_largest_at_the_fisher_direction(seed, scale):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(20, 3)), rng.normal(1, 2, size=(30, 3))])
    s = class_scatter(X, np.repeat([0, 1], [20, 30]))
    other = rng.normal(size=3)
    J = fisher_criterion(other, s.within, s.difference)
    assert_allclose(fisher_criterion(-scale * other, s.within, s.difference), J, rtol=1e-9)
    best = fisher_direction(s.means[0], s.means[1], s.within)
    assert fisher_criterion(best, s.within, s.difference) >= J - 1e-12
    projected = class_scatter((X @ other)[:, None], np.repeat([0, 1], [20, 30]))
    assert_allclose(J, (projected.means[0] - projected.means[1]) ** 2 / projected.within[0], rtol=1e-9)


@pytest.mark.capability("C3-35")
def test_collinear_columns_do_no_harm():
    """A copied column adds nothing: same criterion, same projection up to a factor."""
    X, y = IRIS[50:], SPECIES[50:]
    doubled = np.column_stack([X, X[:, 2], 3 * X[:, 0] - X[:, 1]])
    plain, wide = class_scatter(X, y), class_scatter(doubled, y)
    w = fisher_direction(plain.means[1], plain.means[0], plain.within)
    v = fisher_direction(wide.means[1], wide.means[0], wide.within)
    assert_allclose(doubled @ v, X @ w, rtol=1e-8)
    assert_allclose(
        fisher_criterion(v, wide.within, wide.difference),
        fisher_criterion(w, plain.within, plain.difference),
        rtol=1e-9,
    )
    assert_allclose(
        discriminant_directions(wide.within, wide.between).eigenvalues,
        discriminant_directions(plain.within, plain.between).eigenvalues,
        rtol=1e-9,
    )


@pytest.mark.capability("BC-11")
def test_three_kinds_of_iris():
    s = class_scatter(IRIS, SPECIES)
    result = discriminant_directions(s.within, s.between)
    assert_allclose(result.eigenvalues, [32.191929, 0.285391], atol=5e-7)
    expected = [(0.208742, 0.386204, -0.554012, -0.707350), (0.006532, 0.586611, -0.252562, 0.769453)]
    for w, book in zip(result.directions.T, expected):
        sign = np.sign(w @ np.array(book))
        assert_allclose(sign * unit(w), book, atol=5e-7)
    W = result.directions
    assert_allclose(W.T @ s.within @ W, np.eye(2), atol=1e-10)
    assert_allclose(W.T @ s.between @ W, np.diag(result.eigenvalues), atol=1e-9)
    residual = s.between @ W - s.within @ W * result.eigenvalues  # BC exercise 2
    assert_allclose(residual, 0, atol=1e-10)
    assert_allclose(fisher_criterion(W, s.within, s.between), result.eigenvalues.sum(), rtol=1e-10)
    assert_allclose(result.shares.sum(), 1)
    assert (W[np.abs(W).argmax(axis=0), [0, 1]] > 0).all()


@pytest.mark.capability("BC-11")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_projected_scatter_is_the_scatter_of_projections(seed):
    # BC exercise 1
    W = np.random.default_rng(seed).normal(size=(4, 2))
    s, p = class_scatter(IRIS, SPECIES), class_scatter(IRIS @ W, SPECIES)
    assert_allclose(p.within, W.T @ s.within @ W, atol=1e-8)
    assert_allclose(p.between, W.T @ s.between @ W, atol=1e-8)


def test_never_more_directions_than_classes_less_one():
    X, y = load_breast_cancer(return_X_y=True)
    s = class_scatter(X, y)  # raw units: variances from 1e-6 to 1e5
    result = discriminant_directions(s.within, s.between, n_components=5)
    assert result.directions.shape == (30, 1)
    w = fisher_direction(s.means[0], s.means[1], s.within)
    assert_allclose(np.abs(unit(w)), np.abs(unit(result.directions[:, 0])), atol=1e-8)
    assert discriminant_directions(
        class_scatter(IRIS, SPECIES).within, class_scatter(IRIS, SPECIES).between, 1
    ).directions.shape == (4, 1)


def test_no_spread_inside_the_classes():
    s = class_scatter([[0.0, 0], [0, 0], [1, 0], [1, 0]], [0, 0, 1, 1])
    assert fisher_criterion([1, 0], s.within, s.between) == np.inf
    assert fisher_criterion([0, 1], s.within, s.between) == 0
    with pytest.raises(ValueError, match="within-class scatter is zero"):
        fisher_direction(s.means[0], s.means[1], s.within)
    with pytest.raises(ValueError, match="within-class scatter is zero"):
        discriminant_directions(s.within, s.between)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: class_scatter(IRIS, SPECIES[:5]), "150 labels"),
        (lambda: class_scatter(IRIS, SPECIES, within="mean"), "one of sum, prior-weighted-scatter"),
        (lambda: class_scatter(IRIS, SPECIES).difference, "two classes, there are 3"),
        (lambda: fisher_criterion([0, 0], np.eye(2), np.eye(2)), "not be zero"),
        (lambda: fisher_criterion([[1, 1], [1, 1]], np.eye(2), np.eye(2)), "span only 1"),
        (lambda: fisher_direction([1], [0], np.eye(2)), "do not fit"),
        (lambda: discriminant_directions(np.eye(2), np.eye(3)), "shapes differ"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
