"""Both multilayer perceptrons: parity with scikit-learn, options beyond it, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neural_network as peers
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, DegenerateError, ParameterError
from assay.neural import MLPClassifier, MLPRegressor, NetworkClassifier, NetworkRegressor
from assay.neural.dense_net import DenseNet, forward
from assay.neural.mlp import Epoch

digits = load_digits()
X_digits, y_digits = digits.data[:600] / 16, digits.target[:600]
X_iris, y_iris = load_iris(return_X_y=True)
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def weights(model):
    return np.concatenate([part.ravel() for part in (*model.coefs_, *model.intercepts_)])


@pytest.mark.capability("IML-11-09", "DC-99")
@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("two", [False, True])
def test_same_weights_as_scikit_learn(solver, activation, two):
    """Peer: MLPClassifier, scikit-learn 1.9, 20 passes, the same seed."""
    y = y_digits > 4 if two else y_digits
    settings = {
        "hidden_layer_sizes": (12, 7),
        "activation": activation,
        "solver": solver,
        "max_iter": 20,
        "random_state": 3,
    }
    ours, peer = MLPClassifier(**settings).fit(X_digits, y), peers.MLPClassifier(**settings).fit(X_digits, y)
    assert_allclose(weights(ours), weights(peer), atol=1e-8)
    assert_allclose(ours.predict_proba(X_digits), peer.predict_proba(X_digits), atol=1e-8)
    assert_allclose(ours.loss_, peer.loss_, rtol=1e-9)
    assert ours.n_iter_ == peer.n_iter_


@pytest.mark.parametrize(
    "setting",
    [
        {"early_stopping": True, "max_iter": 30, "n_iter_no_change": 3},
        {"solver": "sgd", "learning_rate": "invscaling", "momentum": 0.5, "nesterovs_momentum": False},
        {"solver": "sgd", "learning_rate": "adaptive", "tol": 0.1, "n_iter_no_change": 2},
        {"batch_size": 33, "shuffle": False, "alpha": 3.0},
        {"tol": 0.05, "n_iter_no_change": 4, "max_iter": 60},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_same_passes_as_scikit_learn(setting, weighted):
    w = np.random.default_rng(0).random(600) if weighted else None
    settings = {"hidden_layer_sizes": 9, "max_iter": 15, "random_state": 0} | setting
    ours = MLPClassifier(**settings).fit(X_digits, y_digits, w)
    peer = peers.MLPClassifier(**settings).fit(X_digits, y_digits, w)
    assert_allclose(ours.loss_curve_, peer.loss_curve_, rtol=1e-8)
    assert_allclose(weights(ours), weights(peer), atol=1e-8)
    assert ours.validation_scores_ == peer.validation_scores_


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
def test_same_numbers_as_scikit_learn(loss, solver):
    X, y = load_diabetes(return_X_y=True)
    settings = {
        "loss": loss,
        "hidden_layer_sizes": 8,
        "solver": solver,
        "max_iter": 20,
        "random_state": 1,
        "learning_rate_init": 1e-3,
        "early_stopping": solver == "adam",
    }
    ours, peer = (
        MLPRegressor(**settings).fit(X, y / 100),
        peers.MLPRegressor(**settings).fit(X, y / 100),
    )
    assert_allclose(weights(ours), weights(peer), atol=1e-7)
    assert_allclose(ours.predict(X), peer.predict(X), atol=1e-7)


def test_several_targets_by_passes_are_those_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, X[:, 0] * 50]) / 100
    settings = {"hidden_layer_sizes": 8, "max_iter": 20, "random_state": 1}
    ours, peer = MLPRegressor(**settings).fit(X, Y), peers.MLPRegressor(**settings).fit(X, Y)
    assert_allclose(ours.predict(X), peer.predict(X), atol=1e-8)
    assert_allclose(ours.loss_curve_, peer.loss_curve_, rtol=1e-9)


def test_single_precision_stays_single():
    X = X_digits.astype(np.float32)
    ours = MLPClassifier(9, max_iter=10, random_state=0).fit(X, y_digits)
    peer = peers.MLPClassifier(9, max_iter=10, random_state=0).fit(X, y_digits)
    assert ours.coefs_[0].dtype == np.float32 == ours.predict_proba(X).dtype
    assert_allclose(weights(ours), weights(peer), atol=2e-4)


@pytest.mark.capability("DC-99")
def test_hidden_units_solve_the_exclusive_or():
    """Two to three hidden nodes are enough; no line separates it."""
    y = [0, 1, 1, 0]
    right = [
        MLPClassifier(3, "tanh", solver="lbfgs", random_state=seed).fit(XOR, y).score(XOR, y)
        for seed in range(5)
    ]
    assert max(right) == 1.0
    linear = MLPClassifier(3, "identity", solver="lbfgs", random_state=0).fit(XOR, y)
    assert linear.score(XOR, y) <= 0.75


@pytest.mark.capability("DC-99")
def test_a_region_in_the_middle_of_others_needs_three_hidden_units():
    """Three lines enclose a triangle, two enclose nothing: each unit cuts off a part of the ring, none the middle."""
    angles, rng = np.linspace(0, 2 * np.pi, 60, endpoint=False), np.random.default_rng(0)
    ring = 3 * np.column_stack([np.cos(angles), np.sin(angles)])
    X, y = np.vstack([rng.normal(scale=0.3, size=(30, 2)), ring]), np.repeat([1, 0], [30, 60])
    best = {}
    for units in (2, 3):
        models = [
            MLPClassifier(units, "tanh", solver="lbfgs", alpha=1e-3, max_iter=500, random_state=seed).fit(
                X, y
            )
            for seed in range(6)
        ]
        best[units] = max(models, key=lambda model: model.score(X, y))
    assert best[3].score(X, y) == 1.0 > best[2].score(X, y)
    lines = (
        X @ best[3].coefs_[0] + best[3].intercepts_[0]
    )  # (90, 3) on which side of each unit's line a row lies
    for h in range(3):
        inside = np.sign(np.median(lines[:30, h]))
        assert (np.sign(lines[:30, h]) == inside).all()
        assert 0 < np.mean(np.sign(lines[30:, h]) != inside) < 0.6
    cut_off = (np.sign(lines[30:]) != np.sign(np.median(lines[:30], axis=0))).any(axis=1)
    assert cut_off.all()


@pytest.mark.capability("IML-11-21")
def test_early_stopping_restores_the_best_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    X_val = rng.normal(size=(200, 10))
    y_val = (X_val[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = MLPClassifier(
        50, learning_rate_init=0.01, max_iter=150, n_iter_no_change=np.inf, random_state=0
    ).fit(X, y, validation=(X_val, y_val))
    scores = [epoch.score for epoch in model.history_]
    assert model.score(X_val, y_val) == max(scores) == model.best_validation_score_
    assert scores[-1] < max(scores)  # the validation error has turned upward
    assert model.history_[-1].loss < model.history_[int(np.argmax(scores))].loss


def test_weights_of_classes_are_weights_of_rows():
    w = np.where(y_iris == 0, 1.0, np.where(y_iris == 1, 5.0, 0.5))
    settings = {"hidden_layer_sizes": 5, "max_iter": 15, "random_state": 0}
    by_class = MLPClassifier(class_weight={0: 1.0, 1: 5.0, 2: 0.5}, **settings).fit(X_iris, y_iris)
    assert_allclose(weights(by_class), weights(MLPClassifier(**settings).fit(X_iris, y_iris, w)))
    rare = np.r_[np.arange(50), 50, 100]
    balanced = MLPClassifier(class_weight="balanced", **settings).fit(X_iris[rare], y_iris[rare])
    factors = np.where(y_iris[rare] == 0, 52 / 150, 52 / 3)
    assert_allclose(
        weights(balanced), weights(MLPClassifier(**settings).fit(X_iris[rare], y_iris[rare], factors))
    )


def test_weight_two_is_a_row_twice():
    w = np.random.default_rng(0).integers(0, 3, size=150).astype(float)
    settings = {"hidden_layer_sizes": 4, "solver": "lbfgs", "max_iter": 30, "random_state": 0}
    twice = np.repeat(np.arange(150), w.astype(int))
    a = MLPClassifier(**settings).fit(X_iris, y_iris, w)
    b = MLPClassifier(**settings).fit(X_iris[twice], y_iris[twice])
    assert_allclose(weights(a), weights(b), atol=1e-6)


def test_a_raw_table_with_missing_values():
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {
            "income": rng.normal(5e4, 2e4, n),
            "town": rng.choice(["A", "B", "C"], n),
            "age": rng.normal(40, 10, n),
        }
    )
    y = (table.town == "B") ^ (table.income > 5e4)
    table.loc[rng.random(n) < 0.2, "age"] = np.nan
    y = np.where(table.age.isna(), "gone", np.where(y, "yes", "no"))
    model = MLPClassifier(20, max_iter=300, scale="standard", missing="indicator", random_state=0)
    model.set_params(learning_rate_init=0.01).fit(table, y)
    assert model.score(table, y) > 0.95  # what is missing tells the third class
    assert model.coefs_[0].shape[0] == 2 + 3 + 1
    with pytest.raises(DataError, match=r"age has .* Set missing='indicator' to learn from them too"):
        MLPClassifier().fit(table, y)
    frame = model.explain(table.head(3)).to_frame()
    assert list(frame.columns[-3:]) == ["income", "town", "age"]


@pytest.mark.parametrize("scale", ["standard", "robust"])
def test_columns_of_any_scale(scale):
    big = X_iris * [1e9, 1, 1e-6, 1] + [1e10, 0, 0, 5]
    table = np.column_stack([big, np.full(150, 7.0)])  # and a constant one
    model = MLPClassifier(10, max_iter=200, learning_rate_init=0.02, scale=scale, random_state=0).fit(
        table, y_iris
    )
    assert model.score(table, y_iris) > 0.95


def test_divergence_names_column_or_rate():
    X = X_iris * [1e9, 1, 1, 1]
    with pytest.raises(DegenerateError, match=r"Column x0 has values up to 7\.9e\+09: set scale='standard'"):
        MLPRegressor(activation="identity", solver="sgd", max_iter=20).fit(X, y_iris)
    with pytest.raises(DegenerateError, match=r"Lower learning_rate_init \(now 1e\+10\)"):
        MLPRegressor(activation="identity", solver="sgd", learning_rate_init=1e10, max_iter=20).fit(
            X_iris, y_iris
        )


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MLPClassifier(5, solver="sgd", random_state=0), "x0 has values up to 7.9e.09: set scale='standard'"),
        (MLPClassifier(5, random_state=0), "x0 has values up to 7.9e.09: set scale='standard'"),
        (
            MLPRegressor(hidden_layer_sizes=5, random_state=0),
            "x0 has values up to 7.9e.09: set scale='standard'",
        ),
        (NetworkClassifier(random_state=0), "x0 has values up to 7.9e.09: set scale=True"),
        (NetworkRegressor(random_state=0), "x0 has values up to 7.9e.09: set scale=True"),
    ],
)
def test_a_fit_that_brought_nothing_names_the_column(model, words):
    with pytest.warns(ConvergenceWarning, match=f"no more than a constant answer knows.*{words}"):
        model.fit(X_iris * [1e9, 1, 1, 1], y_iris)


def test_large_targets_are_named():
    model = MLPRegressor(hidden_layer_sizes=5, max_iter=5, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"Targets have values up to 2e\+09: set scale_target=True"):
        model.fit(X_iris, 1e9 * y_iris)
    sgd = MLPRegressor(hidden_layer_sizes=5, solver="sgd", random_state=0)
    with pytest.raises(DegenerateError, match=r"the error grew to .* set scale_target=True"):
        sgd.fit(X_iris, 1e9 * y_iris)
    with pytest.raises(DegenerateError, match=r"the error grew to .*x0 has values up to 7\.9e\+09"):
        sgd.fit(X_iris * [1e9, 1, 1, 1], y_iris)


@pytest.mark.parametrize("learner", [MLPClassifier, NetworkClassifier])
def test_rows_that_cannot_be_set_aside(learner):
    with pytest.raises(
        DataError, match=r"cannot set 0\.1 of 10 rows aside, with some of each class in both parts"
    ):
        learner(early_stopping=True).fit(X_iris[:10], list("aaaaaaaaab"))


def test_interruption_keeps_what_was_learned(monkeypatch):
    from assay.neural.dense_net import DenseNet

    passes, whole = [], DenseNet.epoch

    def interrupted(self, *args, **kwargs):
        passes.append(1)
        if len(passes) == 6:
            raise KeyboardInterrupt
        return whole(self, *args, **kwargs)

    monkeypatch.setattr(DenseNet, "epoch", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = MLPClassifier(5, random_state=0).fit(X_iris, y_iris)
    monkeypatch.undo()
    five = MLPClassifier(5, random_state=0, max_iter=5).fit(X_iris, y_iris)
    assert_allclose(weights(model), weights(five))
    assert model.n_iter_ == 5


@pytest.mark.parametrize("schedule", ["cosine", "one_cycle"])
@pytest.mark.parametrize("solver", ["adam", "adamw", "rmsprop", "sgd"])
def test_schedules_and_optimizers_learn(schedule, solver):
    model = MLPClassifier(
        15,
        solver=solver,
        learning_rate=schedule,
        learning_rate_init=0.2 if solver == "sgd" else 0.02,
        max_iter=60,
        dropout=0.1,
        clip=1.0,
        average=40,
        n_iter_no_change=np.inf,
        scale="standard",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X_iris, y_iris)
    assert model.score(X_iris, y_iris) > 0.93
    assert model.history_[-1].rate < 0.01 * max(epoch.rate for epoch in model.history_)


def test_averaged_weights_are_the_mean_over_the_passes():
    settings = {"hidden_layer_sizes": 4, "random_state": 0}
    stages = [MLPClassifier(max_iter=k, **settings).fit(X_iris, y_iris) for k in (3, 4, 5)]
    mean = np.mean([weights(model) for model in stages], axis=0)
    assert_allclose(
        weights(MLPClassifier(max_iter=5, average=3, **settings).fit(X_iris, y_iris)), mean, rtol=1e-9
    )


def test_quantile_median_and_huber():
    """The best constant of each loss: quantile 0.9, median, and a mean that outliers hardly move."""
    rng = np.random.default_rng(0)
    y = rng.exponential(size=2000)
    X = np.ones((2000, 1))
    settings = {
        "hidden_layer_sizes": 1,
        "activation": "identity",
        "alpha": 0,
        "max_iter": 150,
        "learning_rate": "cosine",
        "learning_rate_init": 0.05,
        "random_state": 0,
        "n_iter_no_change": np.inf,
    }
    for loss, more, truth in (
        ("quantile", {"quantile": 0.9}, np.quantile(y, 0.9)),
        ("absolute_error", {}, np.median(y)),
    ):
        model = MLPRegressor(loss=loss, **more, **settings).fit(X, y)
        assert_allclose(model.predict([[1.0]]), truth, atol=0.02)
    wild = np.r_[np.zeros(99), 1e4]
    model = MLPRegressor(loss="huber", delta=0.1, **settings).fit(np.ones((100, 1)), wild)
    assert_allclose(model.predict([[1.0]]), 0.1 / 99, atol=5e-3)


def test_scaled_targets_answer_in_their_units():
    X, y = load_diabetes(return_X_y=True)
    settings = {"hidden_layer_sizes": 10, "scale": "standard", "max_iter": 100, "random_state": 0}
    far = 1e6 + 1e4 * y
    assert MLPRegressor(**settings).fit(X, far).score(X, far) < 0
    model = MLPRegressor(scale_target=True, **settings).fit(X, far)
    assert model.score(X, far) > 0.4
    explanation = model.explain(X[:2])
    frame = explanation.to_frame()
    assert_allclose(frame.iloc[:, 2:].sum(axis=1), model.predict(X[:2]), rtol=1e-9)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_contributions_are_complete(activation):
    """Base and contributions add up to the score (completeness); of a linear net they are weight times change."""
    model = MLPClassifier((8, 6), activation, max_iter=100, learning_rate_init=0.01, random_state=0)
    model.fit(X_iris, y_iris)
    known = model.explain(X_iris[:30]).contributions()
    total = known.values.sum(axis=1) + known.base
    p = np.exp(total - total.max(axis=1, keepdims=True))
    assert_allclose(p / p.sum(axis=1, keepdims=True), model.predict_proba(X_iris[:30]), atol=1e-12)
    line = MLPClassifier(3, "identity", max_iter=20, random_state=0).fit(X_iris, y_iris)
    slope = line.coefs_[0] @ line.coefs_[1]
    way = X_iris[:5] - X_iris.mean(axis=0)
    assert_allclose(line.explain(X_iris[:5]).contributions().values, way[:, :, None] * slope, rtol=1e-9)


def test_blocks_one_after_the_other_are_those_of_scikit_learn():
    ours, peer = MLPClassifier(6, random_state=0), peers.MLPClassifier(6, random_state=0)
    for at in range(0, 150, 30):
        rows = slice(at, at + 30)
        ours.partial_fit(X_iris[rows], y_iris[rows], classes=[0, 1, 2])
        peer.partial_fit(X_iris[rows], y_iris[rows], classes=[0, 1, 2])
    assert_allclose(weights(ours), weights(peer), atol=1e-10)
    with pytest.raises(DataError, match="7"):
        ours.partial_fit(X_iris[:2], [0, 7])


def test_a_saved_model_goes_on_where_it_stood(tmp_path):
    whole = MLPClassifier(6, random_state=0)
    for k in range(6):
        whole.partial_fit(X_iris, y_iris, classes=[0, 1, 2])
        if k == 2:
            assay.save(whole, tmp_path / "half.assay")
    half = assay.load(tmp_path / "half.assay")
    for _ in range(3):
        half.partial_fit(X_iris, y_iris)
    assert_array_equal(weights(half), weights(whole))


def test_several_labels_of_a_row():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] + X[:, 2] > 0]).astype(int)
    settings = {"hidden_layer_sizes": 10, "max_iter": 30, "random_state": 0, "learning_rate_init": 0.01}
    ours, peer = MLPClassifier(**settings).fit(X, Y), peers.MLPClassifier(**settings).fit(X, Y)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-9)
    with pytest.raises(DataError, match="other than 0 and 1"):
        MLPClassifier().fit(X, Y + 1)


def test_three_hundred_classes_and_one():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 300
    X = np.column_stack([np.cos(y), np.sin(y), y / 100]) + 0.001 * rng.normal(size=(600, 3))
    model = MLPClassifier(60, max_iter=150, learning_rate_init=0.02, random_state=0, scale="standard").fit(
        X, y
    )
    assert model.score(X, y) > 0.5
    alone = MLPClassifier(3, max_iter=5, random_state=0).fit(X[:4], ["only"] * 4)
    assert alone.predict(X[:2]).tolist() == ["only", "only"]
    assert_array_equal(alone.predict_proba(X[:2]), [[1.0], [1.0]])


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"hidden_layer_sizes": 0}, "hidden_layer_sizes must be"),
        ({"activation": ["relu", "tanh"]}, "activation has 2 names for 1 hidden layers"),
        ({"dropout": [0.1, 0.1]}, "dropout has 2 shares for 1 hidden layers"),
        ({"dropout": 1.0}, "dropout must be"),
        ({"class_weight": {9: 1.0}}, "class_weight has the label 9"),
        ({"solver": "newton"}, "solver must be"),
    ],
)
def test_parameters_that_make_no_sense(setting, words):
    with pytest.raises(ParameterError, match=words):
        MLPClassifier(**setting).fit(X_iris, y_iris)


@pytest.mark.capability("IML-11-20")
def test_parameter_count():
    """A 64-2-10 network: H (d + 1) + K (H + 1) = 2 * 65 + 10 * 3 = 160."""
    model = MLPClassifier(2, max_iter=1, random_state=0).fit(digits.data, digits.target)
    assert model.n_parameters_ == 160


def test_history_has_a_record_for_each_pass():
    model = MLPClassifier(4, max_iter=7, random_state=0).fit(X_iris, y_iris)
    assert [epoch.number for epoch in model.history_] == list(range(1, 8))
    assert isinstance(model.history_[0], Epoch) and [e.loss for e in model.history_] == model.loss_curve_


@pytest.mark.parametrize(
    ("output", "loss", "K"),
    [("softmax", "focal", 3), ("softmax", "hinge", 3), ("logistic", "focal", 1), ("logistic", "hinge", 2)],
)
def test_losses_of_classes_have_their_gradient_and_value(output, loss, K):
    """Oracle: the loss written out in NumPy, and central differences of the native value."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(12, 3)), rng.integers(1, 4, 12).astype(float)
    net = DenseNet([3, 5, K], ["tanh"], output, loss, parameter=1.5)
    net.theta[:] = rng.normal(size=len(net.theta))
    codes = rng.integers(K, size=12) if output == "softmax" else None
    numbers = None if output == "softmax" else rng.integers(2, size=(12, K)).astype(float)
    data = net.data(X, codes, numbers, w)
    value, grad = net.value_gradient(data, 0.0, net.theta)
    scores = forward(X, *net.parts(net.theta), ["tanh"], "identity")[0]
    if codes is not None:
        own, others = scores[np.arange(12), codes], scores.copy()
        others[np.arange(12), codes] = -np.inf
        p = np.exp(own - np.logaddexp.reduce(scores, axis=1))[:, None]
        margins = (1 + others.max(axis=1) - own)[:, None]
    else:
        signed = (2 * numbers - 1) * scores
        p, margins = 1 / (1 + np.exp(-signed)), 1 - signed
    losses = -((1 - p) ** 1.5) * np.log(p) if loss == "focal" else np.maximum(margins, 0)
    assert_allclose(value, (w * losses.sum(axis=1)).sum() / w.sum(), rtol=1e-12)
    for i in range(len(grad)):
        step = np.zeros_like(grad)
        step[i] = 1e-6
        up, down = (net.value_gradient(data, 0.0, net.theta + s)[0] for s in (step, -step))
        assert_allclose(grad[i], (up - down) / 2e-6, rtol=1e-5, atol=1e-8)


def test_focal_loss_without_focus_is_cross_entropy():
    X, y = load_iris(return_X_y=True)
    for labels in (y, y > 0):
        plain = MLPClassifier(5, max_iter=20, random_state=0, learning_rate="cosine").fit(X, labels)
        focal = MLPClassifier(
            5, max_iter=20, random_state=0, learning_rate="cosine", loss="focal", gamma=0.0
        ).fit(X, labels)
        assert_allclose(focal.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    with pytest.raises(ParameterError, match="label_smoothing"):
        MLPClassifier(loss="hinge", label_smoothing=0.1).fit(X, y)


def test_the_hinge_separates():
    X, y = load_iris(return_X_y=True)
    model = MLPClassifier(
        8, solver="lbfgs", loss="hinge", scale="standard", alpha=0.1, random_state=0, max_iter=300
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a kink has no gradient of 0
        assert model.fit(X, y).score(X, y) > 0.96


@pytest.mark.parametrize("learner", [MLPClassifier, MLPRegressor])
def test_groups_and_last_rows_judge(learner, monkeypatch):
    X, y = load_iris(return_X_y=True)
    groups, judged = np.arange(150) % 10, []

    def judge(self, rows, goal, w, original=learner._judge):
        judged.append(rows)
        return original(self, rows, goal, w)

    monkeypatch.setattr(learner, "_judge", judge)
    setting = {"early_stopping": True, "max_iter": 3, "learning_rate": "cosine", "random_state": 0}
    learner(validation_fraction=0.2, **setting).fit(X, y, groups=groups)
    members = [int(np.flatnonzero((row == X).all(axis=1))[0]) % 10 for row in judged[0]]
    assert len(judged[0]) == 30
    assert len(set(members)) <= 4  # two groups, and rows that others have as well
    learner(validation_split="last", validation_fraction=0.2, **setting).fit(X, y)
    assert_array_equal(judged[1], X[-30:])
    with pytest.raises(ParameterError, match="early_stopping"):
        learner(max_iter=3).fit(X, y, groups=groups)


def test_a_rate_that_does_harm_is_named():
    """The scores of wrong classes end far above those of right ones, all numbers finite and all columns small."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(
        ConvergenceWarning, match=r"constant 0\.\d+\)\. Lower learning_rate_init \(now 1e\+06\), or set"
    ):
        MLPClassifier(learning_rate_init=1e6, max_iter=5, n_iter_no_change=1, random_state=0).fit(X, y)
