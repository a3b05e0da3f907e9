"""Tabular networks: the native ensemble against a twin in NumPy, and what the learners promise."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.model_selection import train_test_split

import assay
from assay.errors import DataError, ParameterError
from assay.neural import (
    MLPClassifier,
    MLPRegressor,
    TabularNetClassifier,
    TabularNetRegressor,
    tabular_descent,
)
from assay.neural.dense_net import forward
from assay.neural.held_out import held_out
from assay.neural.tabular_inputs import TabularInputs
from assay.neural.tabular_network import BETA_1, TabularNetwork
from assay.tables import Schema, Table

QUICK = {"hidden_layer_sizes": (12, 8), "members": 3, "max_iter": 15, "random_state": 0}


# ------------------------------------------------------------------ the twin


def a_net(output="softmax", loss="log_loss", K=4, waved=None):
    waves, width = (0, 0) if waved == 0 else (8, 3)
    sizes = np.array([7, 6, K])
    net = TabularNetwork(3, 2, np.array([4, 5]), waves, width, 2, 3, sizes, output, loss, 0.4, waved=waved)
    net.draw(np.random.default_rng(0))
    net.theta[:3] = [0.3, -0.2, 0.1]
    return net


def some_rows(n=30):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3)).astype(np.float32)
    X[::7, 1] = np.nan
    codes = np.column_stack([rng.integers(4, size=n), rng.integers(5, size=n)]).astype(np.int32)
    return X, rng.random((n, 2)).astype(np.float32), codes


def twin_inputs(net, theta, block):
    """a_0 in NumPy."""
    parts, (X, plain, codes) = net.parts(theta), block
    x = np.where(np.isnan(X), parts["replaced"], X)
    of_waves = x[:, : net.embedded, None]
    waves = np.cos(2 * np.pi * (parts["frequency"] * of_waves + parts["phase"]))
    embedded = parts["shift"] + np.einsum("npf,pef->npe", waves, parts["mix"])
    starts = np.concatenate([[0], np.cumsum(net.levels)[:-1]])
    tables = [parts["tables"][start + codes[:, j]] for j, start in enumerate(starts)]
    return np.hstack([x, embedded.reshape(len(x), -1), plain, *tables])


def twin_outputs(net, theta, block, output):
    """(k, n, K) the members' answers in NumPy."""
    parts, inputs, hidden = net.parts(theta), twin_inputs(net, theta, block), range(len(net.sizes) - 1)
    each = []
    for m in range(net.members):
        coefs = [*(parts[f"r{l}"][m][:, None] * parts[f"W{l}"] for l in hidden), parts["V"][m]]
        biases = [*(parts[f"b{l}"][m] for l in hidden), parts["c"][m]]
        each.append(forward(inputs, coefs, biases, ["relu"] * len(hidden), output)[0])
    return np.stack(each)


def twin_loss(net, theta, block, y, w):
    answers = twin_outputs(net, theta, block, net.output)
    if net.loss == "log_loss":
        losses = -np.log(answers[:, np.arange(len(y)), y])
    elif net.loss == "quantile":
        residual = answers - y
        losses = np.where(residual > 0, 0.6 * residual, -0.4 * residual).sum(axis=2)
    else:
        losses = ((answers - y) ** 2 / 2).sum(axis=2)
    return (losses.mean(axis=0) * w).sum() / w.sum()


@pytest.mark.parametrize("waved", [0, 2, None])
@pytest.mark.parametrize(
    ("output", "loss", "K"),
    [("softmax", "log_loss", 4), ("identity", "squared_error", 2), ("identity", "quantile", 1)],
)
def test_the_native_gradient_is_that_of_the_twin(output, loss, K, waved):
    """Twin: NumPy in 64 bits, differentiated by central differences; native code computes in 32 bits."""
    net, block = a_net(output, loss, K, waved), some_rows()
    n, rng = len(block[0]), np.random.default_rng(2)
    w = rng.integers(1, 4, n).astype(float)
    y = rng.integers(K, size=n) if output == "softmax" else rng.normal(size=(n, K))
    theta = net.theta.astype(np.float64)
    slopes = np.empty_like(theta)
    for i in range(len(theta)):
        step = np.zeros_like(theta)
        step[i] = 1e-6
        slopes[i] = (
            twin_loss(net, theta + step, block, y, w) - twin_loss(net, theta - step, block, y, w)
        ) / 2e-6
    moment, square = np.zeros_like(net.theta), np.zeros_like(net.theta)
    targets = net.targets(codes=y, weight=w) if output == "softmax" else net.targets(numbers=y, weight=w)
    loss_there = net.epoch(
        net.rows(block), targets, net.rule(0.0), np.arange(n), n, np.zeros(1), moment, square, 0
    )
    assert_allclose(loss_there, twin_loss(net, theta, block, y, w), rtol=1e-5)
    assert_allclose(moment / (1 - BETA_1), slopes, rtol=1e-3, atol=2e-6)  # the first moment of Adam
    assert_array_equal(net.theta, theta.astype(np.float32))  # a rate of 0 moves nothing


def test_answers_and_inputs_are_those_of_the_twin():
    net, block = a_net(), some_rows(600)  # several blocks of rows
    theta = net.theta.astype(np.float64)
    assert_allclose(net.first_inputs(block), twin_inputs(net, theta, block), atol=2e-6)
    assert_allclose(net.answers(block), twin_outputs(net, theta, block, "softmax").mean(axis=0), atol=1e-5)
    coefs, biases = net.member(1)
    alone = forward(twin_inputs(net, theta, block), coefs, biases, ["relu"] * 2, "softmax")[0]
    assert_allclose(alone, twin_outputs(net, theta, block, "softmax")[1], atol=1e-12)


def test_weights_decay_and_nothing_else():
    net, block = a_net(), some_rows()
    y = np.zeros(30, dtype=int)
    before, moment, square = net.theta.copy(), np.zeros_like(net.theta), np.zeros_like(net.theta)
    free = a_net()
    for each, decay in ((net, 0.5), (free, 0.0)):
        moment[:], square[:] = 0, 0
        each.epoch(
            each.rows(block),
            each.targets(codes=y),
            each.rule(decay),
            np.arange(30),
            30,
            np.full(1, 1e-2),
            moment,
            square,
            0,
        )
    for name, part in net.parts().items():
        shrunk = 1e-2 * 0.5 * net.parts(before)[name] if name[0] in "WV" or name == "mix" else 0
        assert_allclose(free.parts()[name] - part, shrunk, atol=2e-7, err_msg=name)


def test_dropout_leaves_out_its_share_and_keeps_the_mean():
    net, block = a_net(), some_rows(200)
    y = np.zeros(200, dtype=int)
    losses = []
    for seed in range(200):
        moment, square = np.zeros_like(net.theta), np.zeros_like(net.theta)
        losses.append(
            net.epoch(
                net.rows(block),
                net.targets(codes=y),
                net.rule(0.0, dropout=0.25),
                np.arange(200),
                200,
                np.zeros(1),
                moment,
                square,
                0,
                seed,
            )
        )
    assert np.std(losses) > 0
    assert_allclose(
        np.mean(losses), twin_loss(net, net.theta.astype(float), block, y, np.ones(200)), rtol=0.02
    )


# ------------------------------------------------------------------ inputs


def test_numbers_are_scaled_by_quartiles_and_clipped_smoothly():
    """By hand: quartiles 1 and 3, median 2, so 4 is z = 1 and u = 1 / sqrt(1 + 1/9)."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    inputs = TabularInputs.learn(X, Schema.numeric(1))
    assert_allclose(inputs.apply(X)[0][4, 0], 1 / np.sqrt(1 + 1 / 9), rtol=1e-6)
    assert_allclose(inputs.apply(np.array([[1e300], [-1e308]]))[0][:, 0], [3, -3], rtol=1e-6)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_any_numbers_become_numbers_within_three(values):
    X = np.array(values)[:, None]
    u = TabularInputs.learn(X, Schema.numeric(1)).apply(X)[0]
    assert np.isfinite(u).all()
    assert (np.abs(u) <= 3.0001).all()


def test_few_categories_have_indicators_and_many_have_codes():
    many = [f"c{i % 12:02d}" for i in range(24)]
    few = ["a", "b", None] * 8
    table = Table.of({"x": [float(i) for i in range(24)], "few": few, "many": many})
    inputs = TabularInputs.learn(np.asarray(table.values), table.schema)
    numbers, plain, codes = inputs.apply(np.asarray(table.values))
    assert numbers.shape == (24, 1)
    assert_array_equal(
        plain[:3], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    )  # a, b, and the flag of a missing category
    assert_array_equal(codes[:, 0], np.arange(24) % 12)
    assert_array_equal(inputs.tables, [13])  # one more, for missing and unseen ones
    assert_array_equal(inputs.sources(3, 2), [0, 0, 0, 0, 1, 1, 1, 2, 2])


# ------------------------------------------------------------------ rows set aside


@given(st.integers(4, 200), st.floats(0.05, 0.5), st.integers(1, 5))
def test_each_class_gives_its_share(n, share, K):
    codes = np.random.default_rng(0).integers(K, size=n)
    learn, judge = held_out(n, share, np.random.default_rng(1), "test", codes)
    assert_array_equal(np.sort(np.concatenate([learn, judge])), np.arange(n))
    for k in range(K):
        count = (codes == k).sum()
        assert abs((codes[judge] == k).sum() - share * count) <= 1 + 1e-9
        if count:
            assert k in codes[learn]


def test_groups_stay_together_and_the_last_rows_are_the_last():
    groups = np.repeat(np.arange(10), 5)
    learn, judge = held_out(50, 0.2, np.random.default_rng(0), "test", groups=groups)
    assert not set(groups[learn]) & set(groups[judge])
    assert len(judge) == 10
    assert_array_equal(
        held_out(50, 0.2, np.random.default_rng(0), "test", split="last")[1], np.arange(40, 50)
    )
    with pytest.raises(DataError, match="one group"):
        held_out(5, 0.2, np.random.default_rng(0), "test", groups=np.zeros(5))


# ------------------------------------------------------------------ learners


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_no_worse_than_scikit_learns_network_on_scaled_columns(load):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load(return_X_y=True)
    a, b, ya, yb = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = make_pipeline(StandardScaler(), MLPClassifier(random_state=0)).fit(a, ya)
    ours = TabularNetClassifier((64, 64), 4, random_state=0).fit(a, ya)
    assert ours.score(b, yb) >= peer.score(b, yb) - 0.02  # some rows more or less


@pytest.mark.parametrize(
    ("n", "columns", "waves"), [(580, 5, 0), (600, 5, 16), (700, 201, 0), (110, 1, 0), (130, 1, 16)]
)
def test_numbers_are_embedded_from_500_rows_or_100_of_a_column(n, columns, waves):
    """15 % are set aside: 580 rows leave 493, 600 leave 510; of one column 100 are enough."""
    X, y = np.random.default_rng(0).normal(size=(n, columns)), np.arange(n) % 2
    quick = {
        "hidden_layer_sizes": (4,),
        "members": 2,
        "max_iter": 1,
        "random_state": 0,
        "early_stopping": True,
    }
    for learner in (TabularNetClassifier, TabularNetRegressor):
        assert learner(**quick).fit(X, y).network_.waves == waves
        assert learner(**quick, embedding="periodic").fit(X[:30], y[:30]).network_.waves == 16
        assert learner(**quick, embedding=None).fit(X, y).network_.waves == 0


def test_a_smooth_function_is_learned_far_better_than_by_the_mean():
    X, y = make_friedman1(400, random_state=0)
    model = TabularNetRegressor(hidden_layer_sizes=(64, 64), members=4, batch_size=64, random_state=0)
    assert model.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.9


def test_raw_columns_with_missing_values_and_unseen_categories():
    rng = np.random.default_rng(0)
    n = 200
    x, few, many = rng.normal(size=n), rng.integers(3, size=n), rng.integers(15, size=n)
    y = np.where((few == 1) ^ (many < 7), "yes", "no")
    frame = {
        "x": [None if i % 9 == 0 else v for i, v in enumerate(x)],
        "few": [f"f{v}" for v in few],
        "many": [f"m{v}" for v in many],
    }
    model = TabularNetClassifier((32, 32), 4, batch_size=32, early_stopping=True, random_state=0)
    model.fit(Table.of(frame), y)
    assert model.score(Table.of(frame), y) > 0.95
    new = {"x": [None, 0.0], "few": ["f1", "unseen"], "many": ["m3", "unseen"]}
    with pytest.warns(UserWarning, match="unseen"):
        chances = model.predict_proba(new)
    assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)


def test_missing_numbers_carry_what_they_say():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = rng.random(300) < 0.5
    X[y, 0] = np.nan
    model = TabularNetClassifier((32,), 4, random_state=0, batch_size=64, max_iter=30).fit(X, y)
    assert model.score(X, y) > 0.98  # half of the rows without the flag


@pytest.mark.parametrize("learner", [TabularNetClassifier, TabularNetRegressor])
def test_contributions_add_up_to_the_score(learner):
    X, y = (load_iris if learner is TabularNetClassifier else load_diabetes)(return_X_y=True)
    model = learner(**QUICK).fit(X, y)
    explanations = model.explain(X[:4])
    contributions = explanations.reasons.contributions(np.arange(4))
    total = contributions.values.sum(axis=1) + contributions.base
    inputs = model.network_.first_inputs(model.inputs_.apply(X[:4])).astype(float)
    scores = model._members_on(inputs, "identity").mean(axis=0)
    if learner is TabularNetRegressor:
        scores = model.predict(X[:4])[:, None]
    assert_allclose(total, scores, rtol=1e-5, atol=1e-5)


def test_two_classes_are_explained_by_log_odds():
    X, y = load_breast_cancer(return_X_y=True)
    model = TabularNetClassifier(**QUICK).fit(X, y)
    contributions = model.explain(X[:3]).reasons.contributions(np.arange(3))
    inputs = model.network_.first_inputs(model.inputs_.apply(X[:3])).astype(float)
    scores = model._members_on(inputs, "identity").mean(axis=0)
    assert_allclose(
        contributions.values.sum(axis=1)[:, 0] + contributions.base, scores[:, 1] - scores[:, 0], rtol=1e-5
    )


def test_the_best_pass_is_kept():
    X, y = load_breast_cancer(return_X_y=True)
    model = TabularNetClassifier(**QUICK).fit(X, y, validation=(X[:80], y[:80]))
    scores = [record.score for record in model.history_]
    assert model.best_iter_ == int(np.argmax(scores)) + 1
    chances = model.predict_proba(X[:80])[np.arange(80), y[:80]]
    assert_allclose(np.log(np.maximum(chances, 1e-7)).mean(), max(scores), rtol=1e-9)


def test_ctrl_c_keeps_the_best_so_far(monkeypatch):
    X, y = load_iris(return_X_y=True)
    passes = []

    def interrupted(self, *arguments, original=TabularNetwork.epoch):
        passes.append(1)
        if len(passes) == 6:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(TabularNetwork, "epoch", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = TabularNetClassifier(**QUICK, early_stopping=False).fit(X, y)
    assert model.n_iter_ == 5
    monkeypatch.undo()
    full = TabularNetClassifier(**QUICK, early_stopping=False).fit(X, y)
    assert_allclose(
        [record.loss for record in model.history_], [record.loss for record in full.history_[:5]], rtol=0
    )


def test_many_native_calls_for_one_pass_are_one_pass(monkeypatch):
    X, y = load_diabetes(return_X_y=True)
    whole = TabularNetRegressor(**QUICK).fit(X, y)
    monkeypatch.setattr(tabular_descent, "ROWS_AT_ONCE", 32)
    parts = TabularNetRegressor(**QUICK).fit(X, y)  # no units are left out, so no draws differ
    assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-6)


def test_a_saved_model_answers_the_same(tmp_path):
    table = Table.of({"x": [1.0, None, 3.0, 4.0] * 10, "sort": ["a", "b", "a", None] * 10})
    for learner, y in (
        (TabularNetClassifier, ["u", "v", "u", "v"] * 10),
        (TabularNetRegressor, np.arange(40.0)),
    ):
        model = learner(**QUICK).fit(table, y)
        assay.save(model, tmp_path / "net.assay")
        again = assay.load(tmp_path / "net.assay")
        assert_array_equal(again.predict(table), model.predict(table))
        assert str(again.explain(table[:1])) == str(model.explain(table[:1]))


@pytest.mark.parametrize(
    ("loss", "low", "high"), [("absolute_error", 0.4, 0.6), ("quantile", 0.8, 0.98), ("huber", 0.35, 0.65)]
)
def test_losses_aim_at_their_own_place(loss, low, high):
    """A share of the rows lies below: half of them for the median, 0.9 for that quantile."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 1))
    y = 1e3 * (X[:, 0] + rng.normal(size=600))
    model = TabularNetRegressor(loss, (32,), 4, quantile=0.9, random_state=0, batch_size=64, max_iter=30).fit(
        X, y
    )
    assert low < (y < model.predict(X)).mean() < high


def test_counts_are_predicted_by_their_means():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = rng.poisson(np.exp(3 + X[:, 0]))
    model = TabularNetRegressor("poisson", (32,), 4, batch_size=64, random_state=0, max_iter=40).fit(X, y)
    assert (model.predict(X) > 0).all()
    assert_allclose(model.predict(X).mean(), y.mean(), rtol=0.1)
    with pytest.raises(DataError, match="from 0 up"):
        TabularNetRegressor("poisson").fit(X, y - 100)


def test_classes_with_more_weight_are_answered_more_often():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 1.5).astype(int)
    plain = TabularNetClassifier(**QUICK).fit(X, y).predict(X).sum()
    assert TabularNetClassifier(class_weight="balanced", **QUICK).fit(X, y).predict(X).sum() > plain
    with pytest.raises(ParameterError, match="not among the classes"):
        TabularNetClassifier(class_weight={7: 2}, **QUICK).fit(X, y)


def test_rows_without_weight_teach_nothing():
    X, y = load_iris(return_X_y=True)
    w = (np.arange(150) % 3 > 0).astype(float)
    wrong = np.where(w > 0, y, (y + 1) % 3)
    a = TabularNetClassifier(**QUICK).fit(X, y, w)
    b = TabularNetClassifier(**QUICK).fit(X, wrong, w)
    assert_array_equal(a.predict_proba(X), b.predict_proba(X))


@pytest.mark.parametrize("n", [90, 600])  # of folds, and with rows set aside
def test_rows_without_weight_scale_nothing(n):
    rng = np.random.default_rng(0)
    X, others = rng.normal(size=(n, 3)), 1e6 * rng.normal(size=(n, 3))
    others[::7, 1] = np.nan  # no flag for what is never missing where rows count
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, 0.0)
    w, both, targets = np.repeat([1.0, 0.0], n), np.vstack([X, others]), np.append(y, 1 - y)
    for learner, method in ((TabularNetClassifier, "predict_proba"), (TabularNetRegressor, "predict")):
        a, b = learner(**QUICK).fit(both, targets, w), learner(**QUICK).fit(X, y, np.ones(n))
        assert_array_equal(getattr(a, method)(X), getattr(b, method)(X))


@settings(max_examples=5, deadline=None)
@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_shifted_and_stretched_targets_give_shifted_and_stretched_answers(shift, factor):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], (y[:60] - y[:60].mean()) / y[:60].std()
    model = TabularNetRegressor(**QUICK)
    first, other = model.fit(X, y).predict(X), model.fit(X, shift + factor * y).predict(X)
    assert_allclose(other, shift + factor * first, rtol=1e-2, atol=1e-2 * factor)


def test_awkward_tables():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [1e9 + 1e9 * rng.normal(size=60), np.full(60, 7.0), np.full(60, np.nan), rng.normal(size=60)]
    )
    y = (X[:, 3] > 0).astype(int)
    assert TabularNetClassifier((32,), 4, batch_size=16, random_state=0).fit(X, y).score(X, y) > 0.8
    assert TabularNetClassifier(**QUICK).fit([[1.0]], ["only"]).predict([[5.0]]) == ["only"]
    alone = TabularNetRegressor(**QUICK).fit([[1.0], [2.0], [3.0]], [0.1, 0.1, 0.1])
    assert_array_equal(alone.predict([[1.5], [9.0]]), [0.1, 0.1])
    labels = np.arange(300)
    assert TabularNetClassifier(**QUICK, early_stopping=True).fit(X, y).best_iter_ <= 15
    many = TabularNetClassifier(**QUICK).fit(labels[:, None] * 1.0, labels)
    assert_allclose(many.predict_proba([[3.0]]).sum(), 1, rtol=1e-9)


@pytest.mark.parametrize(
    "learner", [TabularNetRegressor(**QUICK), MLPRegressor(scale_target=True, random_state=0, max_iter=20)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_targets_whose_squares_are_no_numbers(learner):
    X = np.random.default_rng(0).normal(size=(60, 2))
    small = clone(learner).fit(X, X[:, 0]).predict(X)
    for unit in (1e300, 1e-300):
        other = clone(learner).fit(X, X[:, 0] * unit).predict(X) / unit
        assert_allclose(other, small, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("unit", [2.0, 1e-300, 1e300])
def test_only_what_rows_count_beside_each_other_matters(unit):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 2)), rng.integers(0, 3, 60).astype(float)
    first = TabularNetRegressor(**QUICK).fit(X, X[:, 0], w).predict(X)
    assert_allclose(TabularNetRegressor(**QUICK).fit(X, X[:, 0], w * unit).predict(X), first, rtol=1e-6)


def test_rates_that_diverge_are_named():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(assay.errors.DegenerateError, match="learning_rate_init"):
        TabularNetRegressor(random_state=0, learning_rate_init=1e30, early_stopping=False).fit(X, y)


@pytest.mark.parametrize(
    "wrong",
    [
        {"members": 0},
        {"hidden_layer_sizes": ()},
        {"dropout": 1.0},
        {"embedding": "wavelets"},
        {"max_iter": "few"},
        {"validation_split": "first"},
    ],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        TabularNetClassifier(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("learner", [TabularNetClassifier, TabularNetRegressor, MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("validation", [np.ones((9, 2)), (np.ones((9, 2)),), "rows"])
def test_a_validation_set_is_a_pair(learner, validation):
    with pytest.raises(ParameterError, match=r"validation must be a pair \(X, y\) of rows and their targets"):
        learner(max_iter=1).fit(np.ones((9, 2)), np.arange(9) % 2, validation=validation)


def test_groups_with_a_validation_set_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="groups"):
        TabularNetClassifier(**QUICK).fit(X, y, groups=y, validation=(X, y))
    TabularNetClassifier(**QUICK).fit(X, y, groups=np.arange(150) // 10)
    TabularNetClassifier(validation_split="last", **QUICK).fit(X, y)
