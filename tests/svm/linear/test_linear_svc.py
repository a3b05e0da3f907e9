"""The linear support vector machine: oracles of the books, properties of a minimum, parity with scikit-learn."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC as Peer

from assay.svm import LinearSVC
from assay.tables.data import load_charity_donors

FREE = 1e5  # a scale of the intercept at which its penalty does not show in eight digits


@pytest.fixture(scope="module")
def charity():
    """Age / 50 and Salary / 50000 of the eleven people; +1 gives to charity."""
    data = load_charity_donors()
    return np.asarray(data.X, dtype=float) / [50.0, 50000.0], np.asarray(data.y)


def objective(model, X, y, C=1.0, weight=1.0):
    """(1) of the class, written down once more."""
    s = 2 * (np.asarray(y) == model.classes_[1]) - 1.0
    slack = np.maximum(0.0, 1.0 - s * model.decision_function(X))
    w, b = model.coef_[0], model.intercept_[0] / model.intercept_scaling
    power = 1 if model.loss == "hinge" else 2
    size = np.abs(w).sum() + abs(b) if model.penalty == "l1" else 0.5 * (w @ w + b * b)
    return size + C * np.sum(weight * slack**power)


# ---------------------------------------------------------------- oracles


@pytest.mark.capability("DC-81")
@pytest.mark.parametrize(
    "C, w, b, value",
    [
        (1.0, (1.034611, 1.890824), -2.833747, 6.163711),
        (10.0, (25 / 14, 50 / 14), -4.892857, 22.614796),
        (100.0, (8.196721, 9.836066), -18.049180, 81.967213),  # the hard margin
    ],
)
def test_charity_table(charity, C, w, b, value):
    X, y = charity
    model = LinearSVC(loss="hinge", C=C, intercept_scaling=FREE, tol=1e-8).fit(X, y)
    assert_allclose(model.coef_[0], w, atol=2e-6)
    assert_allclose(model.intercept_[0], b, atol=2e-6)
    assert_allclose(model.objective_[0], value, atol=2e-6)
    assert (model.predict(X) == y).sum() == (11 if C == 100.0 else 10)


@pytest.mark.capability("IML-13-03", "IML-13-05")
@pytest.mark.parametrize("C, value", [(0.5, 1.388889), (1.0, 2.555556)])
def test_one_column_of_the_book(C, value):
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [1.5]]), [-1, -1, 1, 1, -1]
    model = LinearSVC(loss="hinge", C=C, intercept_scaling=FREE, tol=1e-8).fit(X, y)
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [2 / 3, -1 / 3], atol=1e-6)
    assert_allclose(model.objective_[0], value, atol=1e-6)
    slack = np.maximum(0, 1 - np.array(y) * model.decision_function(X))
    assert_allclose(slack, [0, 0, 2 / 3, 0, 5 / 3], atol=1e-5)


@pytest.mark.capability("DC-82")
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_the_gradient_of_quadratic_slack_vanishes(charity, C):
    X, y = charity
    model = LinearSVC(C=C).fit(X, y)
    s = np.where(y == "Y", 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - s * model.decision_function(X))
    alpha = 2 * C * slack  # the multipliers of quadratic slack
    assert_allclose(model.coef_[0], (alpha * s) @ X, rtol=1e-9)
    assert_allclose(model.intercept_[0], alpha @ s, rtol=1e-9)


@pytest.mark.capability("DC-84")
def test_the_absolute_penalty_leaves_out_columns():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    kept = [np.count_nonzero(LinearSVC(penalty="l1", C=C).fit(X, y).coef_) for C in (1e-3, 1e-2, 1.0)]
    assert kept[0] < kept[1] < kept[2] and kept[0] < 8
    model = LinearSVC(penalty="l1", C=1e-2).fit(X, y)
    s = 2.0 * y - 1
    slope = -2e-2 * (s * np.maximum(0, 1 - s * model.decision_function(X))) @ X
    inside = model.coef_[0] == 0
    assert (np.abs(slope[inside]) <= 1 + 1e-4).all()
    assert_allclose(slope[~inside], -np.sign(model.coef_[0][~inside]), atol=1e-3)


# ---------------------------------------------------------------- the peer


def scaled(load):
    X, y = load(return_X_y=True)
    return (X - X.mean(0)) / X.std(0), y


def words():
    """300 short texts of three classes, 2000 columns: too many numbers to be made dense."""
    rng = np.random.default_rng(3)
    X = sp.random(300, 2000, density=0.01, random_state=4, format="csr")
    return X, (X @ rng.normal(size=(2000, 3)) + 0.1 * rng.normal(size=(300, 3))).argmax(axis=1)


TABLES = {
    "iris": lambda: scaled(load_iris),
    "wine": lambda: scaled(load_wine),
    "breast cancer": lambda: scaled(load_breast_cancer),
    "sparse": words,
}

SETTINGS = [
    {},
    {"loss": "hinge"},
    {"penalty": "l1", "dual": False},
    {"C": 0.03, "fit_intercept": False},
    {"loss": "hinge", "C": 0.03, "intercept_scaling": 5.0},
    {"class_weight": "balanced"},
    {"class_weight": {1: 3.0}, "loss": "hinge"},
    {"multi_class": "crammer_singer", "C": 0.1},
    {"multi_class": "crammer_singer", "class_weight": "balanced", "fit_intercept": False, "C": 0.1},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("table", ["iris", "wine", "breast cancer", "sparse"])
def test_the_weights_of_scikit_learn(table, settings):
    """Peer: LinearSVC, scikit-learn 1.9, solved to 1e-8 on columns of one scale, on which it converges."""
    X, y = TABLES[table]()
    weight = np.linspace(0.0, 2.0, len(y))
    peer = Peer(tol=1e-8, max_iter=1_000_000, random_state=0, **settings).fit(X, y, weight)
    ours = LinearSVC(tol=1e-7, max_iter=100_000, **settings).fit(X, y, weight)
    assert_allclose(ours.coef_, peer.coef_, atol=2e-3 * np.abs(peer.coef_).max())
    assert_allclose(ours.intercept_, np.zeros(len(ours.coef_)) + peer.intercept_, atol=5e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_no_objective_is_above_the_peers(loss):
    X, y = load_digits(return_X_y=True)
    y = (y > 4).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = Peer(loss=loss, C=0.01).fit(X, y)
    for table in (X, sp.csr_array(X)):
        ours = LinearSVC(loss=loss, C=0.01).fit(table, y)
        assert_allclose(ours.objective_[0], objective(ours, X, y, 0.01), rtol=1e-9)
        assert objective(ours, X, y, 0.01) <= objective(peer, X, y, 0.01) * (1 + 1e-6)


# ---------------------------------------------------------------- properties


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_columns_of_any_scale_converge_with_defaults(loss, C):
    """Raw columns from 1e-3 to 1e3: a minimum, without a warning (which the suite makes an error)."""
    X, y = load_breast_cancer(return_X_y=True)
    model = LinearSVC(loss=loss, C=C).fit(X, y)
    v = np.append(model.coef_[0], model.intercept_[0])
    at = objective(model, X, y, C)
    rng, other = np.random.default_rng(0), copy.copy(model)
    for size in (1e-2, 1e-4):  # E is convex: no point nearby is lower
        for _ in range(10):
            step = rng.normal(size=31) * size * np.abs(v).clip(1e-9)
            other.coef_, other.intercept_ = (v + step)[None, :-1], (v + step)[-1:]
            assert objective(other, X, y, C) >= at * (1 - 1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_weight_is_a_number_of_copies_and_zero_none(loss):
    X, y = load_iris(return_X_y=True)
    copies = np.arange(150) % 3
    weighted = LinearSVC(loss=loss, tol=1e-8).fit(X, y, copies)
    repeated = LinearSVC(loss=loss, tol=1e-8).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-8)
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)


@pytest.mark.parametrize("penalty, loss", [("l2", "hinge"), ("l2", "squared_hinge"), ("l1", "squared_hinge")])
def test_constant_and_equal_columns(penalty, loss):
    X, y = load_iris(return_X_y=True)
    y = y > 0
    plain = LinearSVC(penalty, loss, tol=1e-8).fit(X, y)
    more = LinearSVC(penalty, loss, tol=1e-8).fit(np.column_stack((X, X[:, 0], np.zeros(150))), y)
    assert more.coef_[0, -1] == 0
    if penalty == "l2":  # equal columns share a weight
        assert_allclose(more.coef_[0, 0], more.coef_[0, 4], atol=1e-6)
    assert more.objective_[0] <= plain.objective_[0] * (1 + 1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_wide_tables_and_tall_ones_agree(loss):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 900)), rng.integers(0, 2, 60)
    model = LinearSVC(loss=loss, C=0.01).fit(X, y)
    again = LinearSVC(loss=loss, C=0.01).fit(sp.csr_array(np.hstack((X, np.zeros((60, 4000))))), y)
    assert_allclose(model.objective_, again.objective_, rtol=2e-6)
    assert_allclose(model.objective_[0], objective(model, X, y, 0.01), rtol=1e-9)


def test_many_rows_are_solved_by_a_sample_first():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40_000, 3)) * [1.0, 1e3, 1e-3]
    y = X[:, 0] + X[:, 1] * 1e-3 + rng.normal(size=40_000) > 0.3
    for loss in ("hinge", "squared_hinge"):
        whole = LinearSVC(loss=loss).fit(X, y)
        s = np.where(y, 1.0, -1.0)
        margin = s * whole.decision_function(X)
        if loss == "squared_hinge":
            g = whole.coef_[0] - 2 * (s * np.maximum(0, 1 - margin)) @ X
            assert (np.abs(g) <= 1e-9 * np.abs(X).sum(axis=0)).all()
        else:  # the subgradient holds 0: rows on the margin make up what the others leave
            near = np.abs(margin - 1) < 1e-5
            left = whole.coef_[0] - (s * (margin < 1) * ~near) @ X
            assert near.sum() >= 3 and (np.abs(left) <= np.abs(X[near]).sum(axis=0)).all()


def test_one_class_and_other_bad_input():
    with pytest.raises(ValueError, match="at least 2 classes"):
        LinearSVC().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="penalty='l1' and loss='hinge' is not supported"):
        LinearSVC("l1", "hinge").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="too large to be squared"):
        LinearSVC().fit([[1e200], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="at least one non-zero"):
        LinearSVC().fit([[1.0], [2.0]], [0, 1], [0.0, 0.0])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_too_few_iterations_are_reported(loss):
    X, y = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        model = LinearSVC(loss=loss, max_iter=1).fit(X, y)
    assert model.n_iter_ == 1


def test_scores_explanations_and_files(tmp_path):
    import assay

    X, y = load_iris(return_X_y=True)
    model = LinearSVC().fit(X, y)
    assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))
    assert not hasattr(model, "predict_proba")
    assert "Terms of the scores" in str(model.explain(X[:1]))
    assay.save(model, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").decision_function(X), model.decision_function(X))
