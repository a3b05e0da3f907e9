"""Histogram gradient boosting: worked examples, scikit-learn's trees, LightGBM's loss, raw tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_regression,
)
from sklearn.metrics import log_loss, mean_pinball_loss
from sklearn.model_selection import cross_val_predict

import assay
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.errors import DataError, DegenerateError, ParameterError, SchemaError

LOADS = [load_iris, load_wine, load_breast_cancer]


# Worked examples


@pytest.mark.capability("IML-17-11")
def test_least_squares_boosting_of_five_points():
    """Oracle: stumps, rate 1; sums of squares 10.672, 2.56, .4475, .09541667, worked by hand."""
    X, y = np.arange(1.0, 6.0)[:, None], np.array([1.0, 1.2, 3.0, 3.1, 5.0])
    model = HistGradientBoostingRegressor(
        learning_rate=1, max_iter=3, max_leaf_nodes=2, min_samples_leaf=1
    ).fit(X, y)
    assert_allclose(model.baseline_, [2.66], rtol=1e-12)
    stages = list(model.staged_predict(X))
    assert_allclose(stages[0], [1.1, 1.1, 3.7, 3.7, 3.7], rtol=1e-7)
    assert_allclose(stages[1], [0.775, 0.775, 3.375, 3.375, 5], rtol=1e-7)
    errors = [((y - f) ** 2).sum() for f in (2.66, *stages)]
    assert_allclose(errors, [10.672, 2.56, 0.4475, 0.09541667], rtol=1e-6)
    tests = model.trees_.number[model.trees_.column >= 0]
    assert_array_equal(tests, [2.5, 4.5, 2.5])


def test_first_newton_step_of_two_classes():
    """Worked by hand: p = 3/4 for all, so g = p - y, h = 3/16, and a leaf of zeros says -(3/4)/(3/16) = -4."""
    X, y = np.array([[0.0]] * 2 + [[1.0]] * 6), np.array([0, 0, 1, 1, 1, 1, 1, 1])
    model = HistGradientBoostingClassifier(max_iter=1, learning_rate=0.5, min_samples_leaf=1).fit(X, y)
    assert_allclose(
        model.decision_function([[0.0], [1.0]]), np.log(3) + 0.5 * np.array([-4, 4 / 3]), rtol=1e-7
    )


def test_missing_values_go_to_the_better_side():
    X = np.array([[0.0]] * 30 + [[1.0]] * 30 + [[np.nan]] * 30)
    y = np.array([0] * 30 + [1] * 30 + [1] * 30)
    model = HistGradientBoostingClassifier(max_iter=30, random_state=0).fit(X, y)
    assert_array_equal(model.predict([[0.0], [1.0], [np.nan]]), [0, 1, 1])
    other = HistGradientBoostingClassifier(max_iter=30).fit(X, np.array([0] * 30 + [1] * 30 + [0] * 30))
    assert_array_equal(other.predict([[0.0], [1.0], [np.nan]]), [0, 1, 0])


def test_values_missing_only_later_go_with_most_rows():
    X, y = np.array([[0.0]] * 30 + [[1.0]] * 50), np.array([0] * 30 + [1] * 50)
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    assert_array_equal(model.decision_function([[np.nan]]), model.decision_function([[1.0]]))


# scikit-learn


SETTINGS = [
    {},
    {"max_leaf_nodes": 5, "learning_rate": 0.3},
    {"max_leaf_nodes": None, "max_depth": 3, "l2_regularization": 2.0},
    {"min_samples_leaf": 3, "max_bins": 12},
    {"class_weight": "balanced"},
]


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("settings", SETTINGS)
def test_trees_are_scikit_learns(settings, K):
    """Peer: scikit-learn 1.9, on columns without ties: the same trees, values apart by its single precision."""
    rng = np.random.default_rng(K)
    X = rng.normal(size=(1500, 5))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.digitize(np.nansum(X[:, :3], axis=1) + rng.normal(size=len(X)), [0.0, 1.0, 2.0][: K - 1])
    for w in (None, rng.random(len(X)) + 0.1):
        ours = HistGradientBoostingClassifier(max_iter=12, **settings).fit(X, y, w)
        peer = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=12, **settings).fit(X, y, w)
        assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-5)
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("load", LOADS)
def test_real_data_are_fitted_as_by_scikit_learn(load, settings):
    """Columns that say the same of some rows tie exactly, which the peer settles by its rounding errors."""
    X, y = load(return_X_y=True)
    ours = HistGradientBoostingClassifier(max_iter=10, **settings).fit(X, y)
    peer = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=10, **settings).fit(X, y)
    assert_allclose(log_loss(y, ours.predict_proba(X)), log_loss(y, peer.predict_proba(X)), rtol=0.02)
    assert abs(ours.score(X, y) - peer.score(X, y)) < 0.01


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
def test_trees_of_smooth_losses_are_scikit_learns(loss, weighted):
    X, y = load_diabetes(return_X_y=True)
    w = np.random.default_rng(0).random(len(y)) + 0.1 if weighted else None
    ours = HistGradientBoostingRegressor(loss=loss, max_iter=40).fit(X, y, w)
    peer = sklearn.ensemble.HistGradientBoostingRegressor(loss=loss, max_iter=40).fit(X, y, w)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("loss", "q"), [("absolute_error", 0.5), ("quantile", 0.3)])
def test_losses_with_corners_are_lowered_as_by_scikit_learn(loss, q, weighted):
    """The first tree is the same. The peer then goes on to split nodes whose gradients all agree, where the gain is 0
    but for its rounding errors (weighted, in the first tree already); so of more rounds only the loss is compared.
    """
    X, y = load_diabetes(return_X_y=True)
    w = np.random.default_rng(0).random(len(y)) + 0.1 if weighted else None
    settings = {"loss": loss, "quantile": q if loss == "quantile" else None}
    if not weighted:
        ours = HistGradientBoostingRegressor(max_iter=1, **settings).fit(X, y)
        peer = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=1, **settings).fit(X, y)
        assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
    ours = HistGradientBoostingRegressor(max_iter=40, **settings).fit(X, y, w)
    peer = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=40, **settings).fit(X, y, w)
    found, expected = (mean_pinball_loss(y, m.predict(X), alpha=q, sample_weight=w) for m in (ours, peer))
    assert_allclose(found, expected, rtol=0.03)


@pytest.mark.parametrize(
    "settings", [{"monotonic_cst": [1, -1, 0, 0, 1]}, {"interaction_cst": [[0, 1], [2, 3, 4]]}]
)
def test_constrained_trees_are_scikit_learns(settings):
    X, y = make_regression(500, 5, noise=20.0, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    ours = HistGradientBoostingRegressor(max_iter=5, **settings).fit(X, y)
    peer = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=5, **settings).fit(X, y)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-4)


def frame(n=1500, seed=0, categories=12):
    """Numbers with gaps and two nominal columns; y depends on all."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=categories)
    town = rng.integers(0, categories, n)
    X = pd.DataFrame({"age": rng.normal(40, 10, n), "town": pd.Categorical([f"t{c:03}" for c in town])})
    X["job"] = pd.Categorical(rng.choice(["cook", "nurse", "smith"], n))
    score = (X["age"] - 40) / 10 + effect[town] + (X["job"] == "nurse")
    y = (score + 0.5 * rng.normal(size=n) > 0.3).astype(int)
    X.loc[rng.random(n) < 0.1, "age"] = np.nan
    X.loc[rng.random(n) < 0.1, "job"] = None
    return X, y.to_numpy()


def test_trees_of_nominal_columns_are_scikit_learns():
    X, y = frame()
    ours = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    peer = sklearn.ensemble.HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    assert_array_equal(ours.is_categorical_, peer.is_categorical_)
    assert_array_equal(ours.is_categorical_, [False, True, True])


def test_cross_validated_loss_is_lightgbms():
    """Peer: LightGBM 4.7 at the same settings. Its bins differ a little, so the loss does: by less than 0.5 %."""
    import lightgbm

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + rng.normal(size=len(X)) > 0).astype(int)
    train, test = slice(0, 12_000), slice(12_000, None)
    ours = HistGradientBoostingClassifier(max_iter=60, early_stopping=False).fit(X[train], y[train])
    peer = lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1).fit(X[train], y[train])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = log_loss(y[test], peer.predict_proba(X[test]))
    assert log_loss(y[test], ours.predict_proba(X[test])) <= 1.005 * theirs


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_cross_validated_accuracy_is_scikit_learns(load):
    X, y = load(return_X_y=True)
    X, y = X[:600], y[:600]
    ours, theirs = (
        (cross_val_predict(learner(max_iter=15), X, y, cv=3) == y).mean()
        for learner in (HistGradientBoostingClassifier, sklearn.ensemble.HistGradientBoostingClassifier)
    )
    assert abs(ours - theirs) < 0.015


# Raw tables


def test_text_columns_need_no_preparation():
    X, y = frame()
    text = X.assign(town=X["town"].astype(str), job=X["job"].astype(object))
    as_text = HistGradientBoostingClassifier(max_iter=10).fit(text, y)
    as_dtype = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    assert_array_equal(as_text.predict_proba(text), as_dtype.predict_proba(X))


def test_numbers_can_be_declared_nominal():
    X, y = frame()
    codes = np.column_stack([X["age"], X["town"].cat.codes, X["job"].cat.codes.replace(-1, np.nan)])
    by_mask = HistGradientBoostingClassifier(max_iter=10, categorical_features=[False, True, True]).fit(
        codes, y
    )
    by_place = HistGradientBoostingClassifier(max_iter=10, categorical_features=[1, 2]).fit(codes, y)
    by_dtype = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    assert_array_equal(by_mask.predict_proba(codes), by_dtype.predict_proba(X))
    assert_array_equal(by_place.predict_proba(codes), by_dtype.predict_proba(X))


@pytest.mark.parametrize("categories", [300, 1000])
def test_any_number_of_categories(categories):
    """More than a byte holds; every category has its own effect, so the model must tell them apart."""
    X, y = frame(30 * categories, categories=categories)
    model = HistGradientBoostingClassifier(max_iter=40, early_stopping=False).fit(X, y)
    without = HistGradientBoostingClassifier(max_iter=40, early_stopping=False).fit(X.drop(columns="town"), y)
    assert model.score(X, y) > without.score(X.drop(columns="town"), y) + 0.08
    assert len(X["town"].cat.categories) == categories


def test_unseen_categories_are_missing():
    X, y = frame()
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    strange, gap = X.head(5).copy(), X.head(5).copy()
    strange["town"], gap["town"] = "elsewhere", None
    with pytest.warns(UserWarning, match="elsewhere"):
        found = model.predict_proba(strange)
    assert_array_equal(found, model.predict_proba(gap))


def test_ordered_categories_are_split_by_their_order():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 9, 900)
    X = pd.DataFrame({"level": pd.Categorical.from_codes(level, [*"abcdefghi"], ordered=True)})
    model = HistGradientBoostingRegressor(max_iter=5).fit(X, (level > 3).astype(float))
    assert model.is_categorical_ is None
    assert set(model.trees_.number[model.trees_.column >= 0]) == {3.5}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_every_frame_library_gives_the_same_model(library):
    X, y = frame()
    X = X.assign(town=X["town"].astype(str), job=X["job"].astype(object))
    expected = HistGradientBoostingClassifier(max_iter=5).fit(X, y).predict_proba(X)
    if library == "polars":
        X = pytest.importorskip("polars").from_pandas(X)
    elif library == "pyarrow":
        X = pytest.importorskip("pyarrow").Table.from_pandas(X)
    assert_array_equal(HistGradientBoostingClassifier(max_iter=5).fit(X, y).predict_proba(X), expected)


# Promises


@pytest.mark.parametrize("loss", ["binomial", "squared_error"])
def test_the_model_does_not_depend_on_the_number_of_threads(monkeypatch, loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 40))
    X[rng.random(X.shape) < 0.05] = np.nan
    monkeypatch.setattr("assay.ensembles.hist_growing.WORTH_SHARING", 1)
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2
    models = []
    for count in ("1", "2", "5"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", count)
        monkeypatch.setattr("assay.threads._cores", lambda: 5)
        if loss == "binomial":
            model = HistGradientBoostingClassifier(max_iter=4, random_state=0).fit(X, y > 1)
        else:
            model = HistGradientBoostingRegressor(max_iter=4, random_state=0).fit(X, y)
        models.append(model)
    for model in models[1:]:
        assert_array_equal(model.trees_.number, models[0].trees_.number)
        assert_array_equal(model.trees_.column, models[0].trees_.column)
        assert_array_equal(model.validation_score_, models[0].validation_score_)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), sign=st.sampled_from([-1, 1]), leaves=st.integers(2, 40))
def test_constrained_scores_rise_or_fall(seed, sign, leaves):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=200)
    model = HistGradientBoostingRegressor(
        max_iter=10, max_leaf_nodes=leaves, min_samples_leaf=5, monotonic_cst=[sign, 0]
    ).fit(X, y)
    grid = np.column_stack([np.linspace(-3, 3, 200), np.full(200, rng.normal())])
    assert (sign * np.diff(model.predict(grid)) >= 0).all()


def test_columns_that_may_not_interact_add_up():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 2))
    y = X[:, 0] * X[:, 1] + X[:, 0]
    model = HistGradientBoostingRegressor(interaction_cst="no_interactions").fit(X, y)
    a, b = [[-0.5, -0.5], [0.5, -0.5]], [[-0.5, 0.5], [0.5, 0.5]]
    assert_allclose(np.diff(model.predict(a)), np.diff(model.predict(b)), rtol=1e-9)


def test_rows_of_weight_two_are_rows_that_come_twice():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:, :3], y
    w = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=1).fit(X, y, w)
    repeated = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=1).fit(
        np.repeat(X, w, axis=0), np.repeat(y, w)
    )
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6)


def test_class_weights_are_given_by_label():
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    by_class = HistGradientBoostingClassifier(max_iter=5, class_weight={"malignant": 3.0, "benign": 1.0}).fit(
        X, names
    )
    by_row = HistGradientBoostingClassifier(max_iter=5).fit(
        X, names, np.where(names == "malignant", 3.0, 1.0)
    )
    assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


def test_stages_end_in_the_model():
    X, y = load_iris(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=4).fit(X, y)
    assert len(list(model.staged_predict(X))) == 4
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert_array_equal(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
    assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))


def test_training_scores_are_those_of_prediction():
    X, y = load_diabetes(return_X_y=True)
    model = HistGradientBoostingRegressor(max_iter=10, early_stopping=True, validation_fraction=None).fit(
        X, y
    )
    assert_allclose(model.train_score_[-1], -np.mean((model.predict(X) - y) ** 2) / 2, rtol=1e-12)


@pytest.mark.parametrize(
    ("learner", "K"),
    [
        (HistGradientBoostingClassifier, 2),
        (HistGradientBoostingClassifier, 3),
        (HistGradientBoostingRegressor, 0),
    ],
)
def test_a_saved_model_answers_the_same(tmp_path, learner, K):
    X, y = frame()
    y = y if K == 2 else np.digitize(X["age"].fillna(0), [30, 50]) if K == 3 else X["age"].fillna(0)
    model = learner(max_iter=5).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.history_ == model.history_
    assert again.get_params() == model.get_params()
    again.set_params(warm_start=True, max_iter=8).fit(X, y)  # a loaded model can go on
    assert again.n_iter_ == 8


def test_contributions_add_up_to_the_scores():
    X, y = frame(400)
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    phi, base = model.contributions(X)
    assert_allclose(phi.sum(axis=1)[:, 0] + base[0], model.decision_function(X), atol=1e-9)
    iris, kinds = load_iris(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=5).fit(iris, kinds)
    phi, base = model.contributions(iris)
    assert_allclose(phi.sum(axis=1) + base, model.decision_function(iris), atol=1e-9)


def test_explanations_name_columns_and_add_up():
    X, y = frame(400)
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    told = model.explain(X.iloc[[3]])
    rows = {row[0]: row for row in told.sections[0].rows}
    assert set(rows) <= {"age", "town", "job", "base", "sum"}
    assert rows["town"][1] == X["town"].iloc[3]
    assert_allclose(rows["sum"][2], model.decision_function(X.iloc[[3]])[0], atol=1e-9)
    number = HistGradientBoostingRegressor(loss="poisson", max_iter=5).fit(X, y + 1)
    told = number.explain(X.iloc[[3]])
    assert_allclose(np.exp(told.sections[0].rows[-1][2]), told.answer, rtol=1e-9)
    assert "logarithm of the answer" in str(told)


def test_importances_are_shares_of_gain():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    model = HistGradientBoostingRegressor(max_iter=10).fit(X, 3 * X[:, 1] + X[:, 2])
    assert_allclose(model.feature_importances_.sum(), 1.0)
    assert model.feature_importances_[1] > model.feature_importances_[2] > model.feature_importances_[0]


# Degenerate tables


def test_one_class_alone_is_the_answer():
    model = HistGradientBoostingClassifier().fit(np.arange(50.0)[:, None], ["only"] * 50)
    assert_array_equal(model.predict([[3.0], [np.nan]]), ["only", "only"])
    assert_array_equal(model.predict_proba([[3.0]]), [[1.0]])


def test_one_row_and_constant_columns():
    model = HistGradientBoostingRegressor().fit([[1.0]], [3.0])
    assert_allclose(model.predict([[5.0]]), [3.0])
    X = np.column_stack([np.ones(60), np.full(60, np.nan), np.arange(60.0)])
    model = HistGradientBoostingRegressor(max_iter=5).fit(X, np.arange(60.0))
    assert set(model.trees_.column.tolist()) == {-1, 2}
    constant = HistGradientBoostingRegressor(max_iter=5).fit(X, np.full(60, 7.0))
    assert_allclose(constant.predict(X), 7.0)


def test_rows_alike_with_different_labels():
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=1).fit(np.zeros((4, 2)), [0, 1, 1, 1])
    assert_allclose(model.predict_proba(np.zeros((1, 2))), [[0.25, 0.75]], rtol=1e-12)


def test_a_few_huge_targets_do_not_hide_the_others():
    """One target a million times the rest: cells fine enough for both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    y = np.sign(X[:, 0])
    y[0] = 1e6
    model = HistGradientBoostingRegressor(max_iter=30, early_stopping=False).fit(X, y)
    peer = sklearn.ensemble.HistGradientBoostingRegressor(max_iter=30, early_stopping=False).fit(X, y)
    assert_allclose(model.predict(X), peer.predict(X), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(
    ("learner", "settings", "y", "error", "words"),
    [
        (HistGradientBoostingRegressor, {"loss": "gamma"}, np.zeros(40), DataError, "strictly positive y"),
        (HistGradientBoostingRegressor, {"loss": "poisson"}, -np.ones(40), DataError, "non-negative y"),
        (
            HistGradientBoostingRegressor,
            {"loss": "quantile"},
            np.ones(40),
            ParameterError,
            "quantile must be",
        ),
        (
            HistGradientBoostingRegressor,
            {"loss": "huber"},
            np.ones(40),
            ParameterError,
            "loss must be one of",
        ),
        (HistGradientBoostingRegressor, {}, np.ones((40, 2)), DataError, "1d array"),
        (HistGradientBoostingRegressor, {"max_bins": 256}, np.ones(40), ParameterError, "from 2 to 255"),
        (HistGradientBoostingRegressor, {"learning_rate": 0}, np.ones(40), ParameterError, "above 0"),
        (
            HistGradientBoostingClassifier,
            {"monotonic_cst": [1]},
            np.arange(40) % 3,
            ParameterError,
            "multiclass",
        ),
        (HistGradientBoostingClassifier, {"max_iter": 0}, np.arange(40) % 2, ParameterError, "max_iter"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_a_sentence(learner, settings, y, error, words):
    with pytest.raises(error, match=words):
        learner(**settings).fit(np.arange(40.0)[:, None], y)


def test_text_that_is_not_listed_is_refused():
    X, y = frame()
    with pytest.raises(SchemaError, match="'town' holds categories"):
        HistGradientBoostingClassifier(categorical_features=["job"]).fit(X, y)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "poisson", "gamma"])
def test_monotonic_constraints_hold_for_every_loss(loss, weighted):
    """Also for losses whose leaves are medians or quantiles, which the search for splits does not bound."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.exp((np.sin(3 * np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 1]) + rng.normal(size=500)) / 3)
    w = rng.uniform(0.1, 5, 500) if weighted else None
    settings = {"loss": loss, "quantile": 0.3, "max_iter": 12, "min_samples_leaf": 3}
    free = HistGradientBoostingRegressor(**settings).fit(X, y, w)
    bound = HistGradientBoostingRegressor(**settings, monotonic_cst=[1, 0, -1]).fit(X, y, w)
    grid = np.linspace(-3, 3, 60)

    def least_step(model, j, sign):
        rows = np.repeat(X[:20], 60, axis=0)
        rows[:, j] = np.tile(grid, 20)
        return np.min(sign * np.diff(model.predict(rows).reshape(20, 60), axis=1))

    for j, sign in ((0, 1), (2, -1)):
        assert least_step(bound, j, sign) >= -1e-12
        assert least_step(free, j, sign) < -1e-3  # without the constraint it does not hold by itself
    assert np.mean(np.abs(bound.predict(X) - y)) < np.mean(np.abs(np.median(y) - y))


def test_weights_beyond_single_precision_count_as_they_should():
    X, y = load_breast_cancer(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    settings = {"max_iter": 5, "l2_regularization": 0.0}
    posterior = HistGradientBoostingClassifier(**settings).fit(X, y, w).predict_proba(X)
    for scale in (2.0**300, 2.0**900):
        scaled = HistGradientBoostingClassifier(**settings).fit(X, y, w * scale)
        assert_allclose(scaled.predict_proba(X), posterior, rtol=1e-9)
        assert scaled.feature_importances_.sum() == pytest.approx(1)
    wide = 10.0 ** np.random.default_rng(1).uniform(-150, 150, len(y))
    for model in (HistGradientBoostingClassifier(**settings), HistGradientBoostingRegressor(**settings)):
        answers = model.fit(X, y, wide).predict(X)
        assert np.isfinite(answers).all()
        assert answers[np.argmax(wide)] == pytest.approx(
            y[np.argmax(wide)], abs=0.1
        )  # the heaviest row decides


def test_targets_beyond_single_precision_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.exp(X[:, 0] + rng.normal(size=300) ** 3)  # a few are far larger than the others
    small = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=5).fit(X, y)
    for scale in (2.0**70, 2.0**200):  # gains, and then gradients, that no float32 holds
        large = HistGradientBoostingRegressor(max_iter=5, max_leaf_nodes=5).fit(X, y * scale)
        assert_allclose(large.predict(X) / scale, small.predict(X), rtol=1e-12)
        assert_allclose(large.feature_importances_, small.feature_importances_, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_learning_rate_without_end_is_an_error_and_no_nan(classes):
    X = np.arange(60.0)[:, None]
    with pytest.raises(DegenerateError, match="the scores overflow after 0 rounds"):
        HistGradientBoostingClassifier(learning_rate=np.inf, min_samples_leaf=1).fit(
            X, np.arange(60) % classes
        )


def test_targets_whose_squares_overflow_are_refused():
    X = np.arange(60.0)[:, None]
    with pytest.raises(DegenerateError, match="bring the targets and weights to a smaller range"):
        HistGradientBoostingRegressor(max_iter=3).fit(X, np.arange(60) * 1e200)


@pytest.mark.parametrize("frame", [False, True])
def test_infinite_numbers_stand_beyond_all_others(frame):
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf], [np.nan]])
    table = pd.DataFrame(X, columns=["a"]) if frame else X
    settings = {"min_samples_leaf": 1, "max_iter": 1, "learning_rate": 1, "max_depth": 2}
    for y in (X[:, 0] == np.inf, X[:, 0] == -np.inf, np.isnan(X[:, 0])):
        model = HistGradientBoostingClassifier(**settings).fit(table, y)
        assert model.score(table, y) == 1
    assert np.isinf(X).sum() == 2  # the caller's table is as it was
