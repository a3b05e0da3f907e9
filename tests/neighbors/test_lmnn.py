"""LMNN: the convex metric of large margins."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError
from assay.neighbors import LMCA, LMNN, KNeighborsClassifier


def noisy(seed=0, n=90, noise=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n // 3)
    return np.column_stack([rng.normal(size=(n, 2)) + 2.5 * y[:, None], rng.normal(size=(n, noise))]), y


def objective_by_the_book(M, X, y, targets, mu=0.5, others=None, w=None):
    """Equation (1) by its loops."""
    apart = X[:, None] - X[None]
    D = np.einsum("ijk,kl,ijl->ij", apart, M, apart)
    total = 0.0
    for i in range(len(X)):
        far = np.flatnonzero(y != y[i]) if others is None else others[i]
        for j in targets[i][targets[i] >= 0]:
            hinge = np.maximum(0, 1 + D[i, j] - D[i, far]).sum()
            total += (1 if w is None else w[i]) * ((1 - mu) * D[i, j] + mu * hinge)
    return total


@pytest.mark.capability("IML-13-42")
def test_the_worked_example():
    """Oracle: x = 0, 1, 2 of A, A, B: objective M + max(0, 1 - 3M) / 2 + 1/2, least at M = 1/3 with 5/6."""
    model = LMNN(n_neighbors=1, tol=1e-9).fit([[0.0], [1.0], [2.0]], ["A", "A", "B"])
    assert_allclose(model.metric_, [[1 / 3]], atol=1e-7)
    assert_allclose(model.objective_, 5 / 6, atol=1e-8)
    assert_allclose(model.bound_, 5 / 6, atol=1e-8)


@pytest.mark.capability("IML-13-42")
def test_the_objective_never_rises_and_the_metric_is_positive():
    X, y = noisy()
    model = LMNN().fit(X, y)
    objective = [record["objective"] for record in model.history_]
    assert np.all(np.diff(objective) <= 0)
    assert objective[-1] < 0.9 * objective[0]
    assert np.linalg.eigvalsh(model.metric_)[0] > -1e-12
    assert model.history_[-1]["violations"] < model.history_[0]["violations"]


@pytest.mark.parametrize("mu", [0.3, 0.5, 0.8])
def test_no_metric_nearby_costs_less_than_the_bound(mu):
    """The objective is that of the book, and the bound of the dual lies below it within tol."""
    X, y = noisy(1)
    model = LMNN(mu=mu, tol=1e-4).fit(X, y)
    assert_allclose(
        model.objective_,
        objective_by_the_book(model.metric_, X, y, model.target_neighbors_, mu),
        rtol=1e-6,  # directions of next to no size were left out
    )
    assert model.bound_ <= model.objective_ <= model.bound_ * (1 + 1e-3)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(10):
            S = rng.normal(size=(6, 6)) * size
            L = model.components_ @ (np.eye(6) + S)
            assert objective_by_the_book(L.T @ L, X, y, model.target_neighbors_, mu) >= model.bound_


@pytest.mark.parametrize("loader", [load_wine, load_breast_cancer])
def test_the_bound_closes_on_columns_of_any_units(loader):
    X, y = loader(return_X_y=True)
    model = LMNN(max_iter=3000).fit(X, y)
    assert model.objective_ <= model.bound_ * 1.02


def test_units_of_the_columns_do_not_matter_when_targets_are_the_same():
    """One column in other units: as long as the targets stay, the distances stay."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 1)), np.repeat([0, 1], 20)
    X[y == 1] += 2
    small, large = LMNN(tol=1e-6).fit(X, y), LMNN(tol=1e-6).fit(1e6 * X, y)
    assert_allclose(large.metric_ * 1e12, small.metric_, rtol=1e-4)


def test_the_learned_metric_is_the_metric_of_neighbours():
    X, y = noisy(2)
    model = LMNN().fit(X, y)
    direct = KNeighborsClassifier(3, metric=model.distance_).fit(X, y)
    mapped = KNeighborsClassifier(3).fit(model.transform(X), y)
    assert_allclose(direct.kneighbors(X)[0], mapped.kneighbors(model.transform(X))[0], atol=1e-9)
    assert_allclose(model.metric_, model.components_.T @ model.components_)


def test_neighbours_do_better_among_noise_columns():
    X, y = noisy(3, n=300, noise=15)
    X[:, 2:] *= 3
    train, test = np.arange(0, 300, 2), np.arange(1, 300, 2)
    plain = KNeighborsClassifier(3).fit(X[train], y[train]).score(X[test], y[test])
    learned = LMNN().fit(X[train], y[train]).distance_
    assert KNeighborsClassifier(3, metric=learned).fit(X[train], y[train]).score(X[test], y[test]) > plain


def test_impostors_are_reported_as_the_book_has_them():
    X, y = noisy(4)
    model = LMNN().fit(X, y)
    Y = model.transform(X)
    D = np.sum((Y[:, None] - Y[None]) ** 2, axis=2)
    pairs, slacks = [], []
    for i in range(len(X)):
        farthest = D[i, model.target_neighbors_[i]].max()
        for other in np.flatnonzero((y != y[i]) & (1 + farthest > D[i])):
            pairs.append([i, other])
            slacks.append(1 + farthest - D[i, other])
    kept = np.array(slacks) > 1e-6  # at the edge of the margin rounding decides
    ours = model.slack_ > 1e-6
    assert_array_equal(model.impostors_[ours], np.array(pairs)[kept])
    assert_allclose(model.slack_[ours], np.array(slacks)[kept], atol=1e-6)
    assert "Impostors within the margin" in str(model.show())


def test_only_the_nearest_rows_of_other_classes_are_impostors_if_asked():
    X, y = noisy(5)
    model = LMNN(impostors="nearest", tol=1e-4).fit(X, y)
    D = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    D[y[:, None] == y[None]] = np.inf
    others = np.argsort(D, axis=1)[:, :3]
    book = objective_by_the_book(model.metric_, X, y, model.target_neighbors_, others=others)
    assert_allclose(model.objective_, book, rtol=1e-6)
    assert model.objective_ <= model.bound_ * (1 + 1e-3)
    assert model.objective_ < LMNN(tol=1e-4).fit(X, y).objective_  # fewer terms
    assert all(other in others[i] for i, other in model.impostors_.tolist())


def test_refreshed_targets_are_the_nearest_in_the_learned_metric_and_cost_no_more():
    X, y = noisy(6, noise=10)
    fixed, fresh = LMNN().fit(X, y), LMNN(n_refreshes=3).fit(X, y)
    assert fresh.objective_ < fixed.objective_
    assert (fresh.target_neighbors_ != fixed.target_neighbors_).any()
    objective = [record["objective"] for record in fresh.history_]
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])


def test_weights_count_the_terms_of_a_row():
    X, y = noisy(7)
    w = np.random.default_rng(0).uniform(0.2, 3, len(X))
    model = LMNN(tol=1e-4).fit(X, y, sample_weight=w)
    book = objective_by_the_book(model.metric_, X, y, model.target_neighbors_, w=w / w.mean())
    assert_allclose(model.objective_, book, rtol=1e-6)
    assert not np.allclose(model.metric_, LMNN(tol=1e-4).fit(X, y).metric_, rtol=1e-2)


def test_a_row_of_weight_zero_is_as_if_it_were_not_there():
    X, y = noisy(8)
    w = np.ones(len(X))
    w[::7] = 0
    model, without = LMNN().fit(X, y, sample_weight=w), LMNN().fit(X[w > 0], y[w > 0])
    assert_allclose(model.metric_, without.metric_, rtol=1e-10)
    assert (model.target_neighbors_[w == 0] == -1).all()
    assert_array_equal(np.flatnonzero(w)[without.impostors_], model.impostors_)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), np.repeat([0, 1], 15)
    model = LMNN().fit(X, y)
    assert model.objective_ <= model.history_[0]["objective"]
    assert model.components_.shape[0] <= 30
    assert KNeighborsClassifier(1, metric=model.distance_).fit(X, y).score(X, y) == 1


def test_duplicates_and_constant_columns_are_no_harm():
    X, y = noisy(9)
    X = np.column_stack([np.repeat(X, 2, axis=0), np.full(180, 0.1)])
    model = LMNN(1).fit(X, np.repeat(y, 2))  # every row has a copy as its target
    assert np.isfinite(model.components_).all()
    assert_allclose(model.components_[:, -1], 0, atol=1e-9)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], ["a", "a"], "all rows have one class"),
        ([[0.0], [1.0]], ["a", "b"], "every class has a single row"),
        ([[1.0], [1.0], [1.0]], ["a", "a", "b"], "all rows are alike"),
    ],
)
def test_rows_that_cannot_teach_a_metric(X, y, message):
    for learner in (LMNN(), LMCA()):
        with pytest.raises(DegenerateError, match=message):
            learner.fit(X, y)


def test_too_few_steps_are_said():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match="before it settled"):
        LMNN(max_iter=2).fit(X, y)


def test_single_precision_learns_the_metric_of_double():
    X, y = noisy()
    X = X.astype(np.float32)
    for learner in (LMNN(tol=1e-4), LMCA(tol=1e-4)):
        single = learner.fit(X, y).components_
        assert_array_equal(single, learner.fit(X.astype(np.float64), y).components_)
