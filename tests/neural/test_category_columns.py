"""Learned numbers for the categories of nominal columns, in the multilayer perceptrons."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import DataError, SchemaWarning
from assay.neural import MLPClassifier, MLPRegressor
from assay.neural.category_columns import CategoryColumns
from assay.neural.dense_net import OPTIMIZERS, DenseNet, forward, native, with_categories
from assay.tables import Table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
rng = np.random.default_rng(0)
LEVELS = [4, 3]
CODED = np.column_stack([rng.normal(size=(1500, 2)), rng.integers(4, size=1500), rng.integers(3, size=1500)])


def a_net(**options):
    net = DenseNet(
        [2 + 2 * 3, 5, 2], ["tanh"], "identity", "squared_error", levels=LEVELS, category_width=3, **options
    )
    net.theta[:] = np.random.default_rng(1).normal(scale=0.5, size=len(net.theta))
    return net


@pytest.mark.parametrize("normalization", [None, "batch", "layer"])
@pytest.mark.parametrize("rows", [40, 1500])
def test_the_gradient_agrees_with_finite_differences(rows, normalization):
    net, X, Y = a_net(normalization=normalization), CODED[:rows], rng.normal(size=(rows, 2))
    data = net.data(X, numbers=Y, weight=rng.random(rows))
    _, grad = net.value_gradient(data, 0.1, net.theta)
    learned = net.n_weighted + (10 if normalization == "layer" else 5 if normalization else 0)
    for i in [*range(0, learned, 7), *range(net.n_normalized, len(net.theta))]:  # running means have no slope
        step = np.zeros(len(net.theta))
        step[i] = 1e-6
        up, down = (net.value_gradient(data, 0.1, net.theta + s)[0] for s in (step, -step))
        assert_allclose(grad[i], (up - down) / 2e-6, rtol=1e-5, atol=1e-8)


def test_embedded_categories_are_indicators_times_a_table():
    """x E W = x (E W): the network of indicators with the product of both as its first weights says the same."""
    net = a_net()
    (W, V), (b, c) = net.parts(net.theta)
    tables = net.tables(net.theta)
    wide = np.vstack([W[:2], tables[0] @ W[2:5], tables[1] @ W[5:]])
    indicators = np.hstack(
        [CODED[:, :2], np.eye(4)[CODED[:, 2].astype(int)], np.eye(3)[CODED[:, 3].astype(int)]]
    )
    expected = forward(indicators, [wide, V], [b, c], ["tanh"], "identity")[0]
    inputs = with_categories(CODED, tables)
    assert_allclose(forward(inputs, [W, V], [b, c], ["tanh"], "identity")[0], expected, rtol=1e-12)
    data = net.data(CODED, numbers=expected)
    assert_allclose(net.value_gradient(data, 0.0, net.theta)[0], 0, atol=1e-20)
    assert_allclose(net.scores(data, np.array([3, 999]), net.theta), expected[[3, 999]], rtol=1e-12)


def test_a_pass_moves_the_tables_along_their_gradient_and_no_decay_does():
    net, Y = a_net(), rng.normal(size=(1500, 2))
    data, before = net.data(CODED, numbers=Y), net.theta.copy()
    grad = net.value_gradient(data, 0.0, before)[1]
    rule = native.Rule(optimizer=OPTIMIZERS["sgd"], alpha=50.0, first=0.0, second=0.0, epsilon=1e-8, clip=0.0)
    rest = np.zeros_like(before), np.zeros_like(before)
    net.epoch(data, rule, np.arange(1500), 1500, np.array([0.1]), *rest, 0)
    assert_allclose(
        (net.theta - before)[net.n_weighted :], -0.1 * grad[net.n_weighted :], rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize("code", [-1, 4])
def test_codes_beyond_their_table_are_refused(code):
    X = CODED[:5].copy()
    X[3, 2] = code
    with pytest.raises(ValueError, match="a category that its table lacks"):
        a_net().data(X)
    data = DenseNet([8, 5, 2], ["tanh"], "identity", "squared_error", levels=[9, 3], category_width=3).data(
        CODED
    )
    with pytest.raises(ValueError, match="tables of categories"):
        a_net().scores(data, np.arange(3), a_net().theta)


def towns(n=400):
    """Three of fourteen towns and high incomes, but not both; some towns and ages are missing."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "income": random.normal(5e4, 2e4, n),
            "town": random.choice(list("ABCDEFGHIJKLMN"), n),
            "age": random.normal(40, 10, n),
        }
    )
    y = np.where(table.town.isin(list("ABC")) ^ (table.income > 5e4), "yes", "no")
    table.loc[random.random(n) < 0.1, "town"] = np.nan
    table.loc[random.random(n) < 0.2, "age"] = np.nan
    return table, y


SETTINGS = {
    "hidden_layer_sizes": 16,
    "category_size": 2,
    "scale": "standard",
    "missing": "indicator",
    "max_iter": 60,
    "learning_rate": "cosine",
    "learning_rate_init": 0.03,
    "random_state": 0,
}


def test_towns_alike_get_numbers_alike(tmp_path):
    table, y = towns()
    model = MLPClassifier(**SETTINGS).fit(table, y)
    assert model.score(table, y) > 0.93
    E = model.embeddings_[0]
    assert E.shape == (15, 2)
    assert model.coefs_[0].shape == (3 + 2, 16)  # income, age, its flag, and two numbers of the town
    assert model.n_parameters_ == 5 * 16 + 16 + 16 + 1 + 30
    within = max(np.linalg.norm(E[i] - E[:3].mean(axis=0)) for i in range(3))
    assert within < np.linalg.norm(E[:3].mean(axis=0) - E[3:14].mean(axis=0))
    strange = table.head(3).assign(town=["X", None, "Y"])
    same = table.head(3).assign(town=None)
    with pytest.warns(SchemaWarning, match="'town' has 2 unseen categories"):
        answers = model.predict_proba(strange)
    assert_array_equal(answers, model.predict_proba(same))  # unseen is missing
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(table), model.predict_proba(table))
    assert model.hidden(table).shape == (400, 16)


@pytest.mark.parametrize("members", [1, 3])
def test_contributions_of_categories_are_gathered_and_complete(members):
    table, y = towns()
    model = MLPRegressor(**{**SETTINGS, "max_iter": 10}, members=members).fit(
        table, np.where(y == "yes", 9.0, 7.0)
    )
    known = model.explain(table[:20]).contributions()
    assert list(known.columns) == ["income", "town", "age"]
    assert_allclose(known.values.sum(axis=1)[:, 0] + known.base[0], model.predict(table[:20]), rtol=1e-8)
    assert np.abs(known.values[:, 1]).max() > 0


def test_with_all_else_at_the_same_time():
    """Mixed columns, missing values, ensemble, normalisation, dropout, weights of classes, groups, own loss, pieces."""
    table, y = towns()

    def focal(scores, truth):
        p = 1 / (1 + np.exp(-scores))
        away = np.where(truth > 0, 1 - p, p)
        slope = np.where(truth > 0, -1.0, 1.0) * (3 * away**2 * -np.log1p(-away) * (1 - away) + away**3)
        return (-(away**2) * np.log1p(-away)).sum(axis=1), slope * 1.0

    more = {"dropout": 0.1, "members": 3, "class_weight": {"yes": 2.0}, "clip": 1.0, "average": 20}
    for normalization in ("batch", "layer"):
        for loss in ("focal", "hinge", focal):
            model = MLPClassifier(
                early_stopping=True, normalization=normalization, loss=loss, **{**SETTINGS, **more}
            )
            model.fit(table, y, groups=np.arange(400) % 20)
            assert model.score(table, y) > 0.75
            assert len(model.history_) == len(model.validation_scores_)
    pieces = MLPClassifier(**{**SETTINGS, "learning_rate": "constant"})
    for _ in range(25):
        for at in range(0, 400, 100):
            pieces.partial_fit(table[at : at + 100], y[at : at + 100], classes=["no", "yes"])
    assert pieces.score(table, y) > 0.9


def test_missing_categories_are_refused_unless_asked_for():
    table, y = towns()
    with pytest.raises(DataError, match="missing value"):
        MLPClassifier(category_size=2).fit(table[["town"]], y)
    whole = table[["town"]].dropna()
    model = MLPClassifier(category_size=2, max_iter=3).fit(whole, y[whole.index])
    with pytest.warns(SchemaWarning, match="unseen"):
        assert len(model.predict(whole.assign(town="X"))) == len(whole)  # unseen ones are not


def test_numbers_alone_are_as_without():
    X = rng.normal(size=(50, 3))
    a, b = (
        MLPClassifier(4, max_iter=5, random_state=0, category_size=s).fit(X, X[:, 0] > 0) for s in (None, 3)
    )
    assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_files_whose_tables_do_not_fit_are_refused():
    table, y = towns(60)
    model = MLPClassifier(**{**SETTINGS, "max_iter": 2}).fit(table, y)
    model._check_stored()
    embeddings = model.embeddings_
    model.embeddings_ = [embeddings[0][:-1]]
    with pytest.raises(ValueError, match="the categories of the columns"):
        model._check_stored()
    model.embeddings_, columns = embeddings, model.category_columns_
    model.category_columns_ = CategoryColumns(
        columns.numbers[:1], columns.nominal, columns.levels, columns.shares
    )
    with pytest.raises(ValueError, match="not those of the table"):
        model._check_stored()


def test_shares_of_categories_are_those_of_the_weighted_rows():
    table = Table.of({"x": [1.0, 2.0, 3.0], "taste": ["sweet", "sour", None]})
    columns = CategoryColumns.learn(np.asarray(table.values), table.schema, np.array([1.0, 2.0, 1.0]))
    assert_allclose(columns.shares, [0.5, 0.25, 0.25])  # sour, sweet, missing
    inputs = columns.mean_inputs(np.array([2.0]), [np.array([[1.0], [2.0], [4.0]])])
    assert_allclose(inputs, [2.0, 0.5 + 0.5 + 1.0])
