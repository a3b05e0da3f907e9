"""Normalised hidden units of multilayer perceptrons: against the layers of that name, and finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris

import assay
from assay.errors import DataError, ParameterError
from assay.neural import (
    Activation,
    BatchNormalization,
    Dense,
    LayerNormalization,
    MLPClassifier,
    MLPRegressor,
    Network,
)
from assay.neural.dense_net import DenseNet, native

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(23, 4)), rng.normal(size=(23, 2))
X_iris, y_iris = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def drawn(normalization, **options):
    net = DenseNet(
        [4, 5, 3, 2], ["tanh", "logistic"], "identity", "squared_error", normalization=normalization
    )
    net.theta[: learned(net)] = np.random.default_rng(1).normal(scale=0.6, size=learned(net))
    return net


def learned(net):
    """How many parameters have a gradient: all but running means and variances."""
    return net.n_weighted + 8 * (1 if net.normalization == "batch" else 2)


def of_layers(net):
    """The same network as a list of layers; the biases of "batch" are those of the normalisation."""
    batch = net.normalization == "batch"
    layer = BatchNormalization if batch else LayerNormalization
    made = Network(
        [
            *(Dense(5, bias=not batch), layer(), Activation("tanh")),
            *(Dense(3, bias=not batch), layer(), Activation("logistic")),
            Dense(2),
        ],
        4,
    )
    coefs, intercepts = net.parts(net.theta)
    arrays = []
    for W, b, of in zip(coefs, intercepts, net.normalizations(net.theta)):
        arrays += [W, of.gain, b, of.mean, of.variance] if batch else [W, b, of.gain, of.shift]
    return made.load(*arrays, coefs[-1], intercepts[-1])


@pytest.mark.parametrize("normalization", ["batch", "layer"])
def test_a_step_is_that_of_the_layers(normalization):
    """One step of plain descent natively, and the gradient of the layers."""
    net = drawn(normalization)
    layers, before = of_layers(net), net.theta.copy()
    rule = native.Rule(optimizer=0, alpha=0.0, first=0.0, second=0.9, epsilon=1e-8, clip=0.0)
    moment, square = np.zeros_like(before), np.zeros_like(before)
    net.epoch(net.data(X, numbers=Y), rule, np.arange(23), 23, np.array([0.1]), moment, square, 0)
    _, grad = layers.value_gradient(X, Y, random=np.random.default_rng(0))
    for part, slope in zip(layers.parts, layers.split(grad)):
        for name in part:
            if name not in ("mean", "variance"):
                part[name] -= 0.1 * slope[name] / 23
    expected = of_layers(net)
    assert_allclose(expected.theta, layers.theta, rtol=1e-9, atol=1e-12)
    assert np.abs(net.theta - before).max() > 1e-4
    assert_allclose(net_outputs(net), layers.outputs(X), rtol=1e-9)


def net_outputs(net):
    from assay.neural.dense_net import forward

    coefs, intercepts = net.parts(net.theta)
    names = ["tanh", "logistic"]
    return forward(X, coefs, intercepts, names, "identity", normalizations=net.normalizations(net.theta))[0]


@pytest.mark.parametrize("normalization", ["batch", "layer"])
def test_gradient_over_all_rows(normalization):
    """Of "batch" by the means of training, which are constants here."""
    net = drawn(normalization)
    data = net.data(X, numbers=Y, weight=rng.random(23))
    _, grad = net.value_gradient(data, 0.1, net.theta)
    for i in range(learned(net)):
        shift = np.zeros_like(net.theta)
        shift[i] = 1e-6
        rise = net.value_gradient(data, 0.1, net.theta + shift)[0]
        fall = net.value_gradient(data, 0.1, net.theta - shift)[0]
        assert_allclose(grad[i], (rise - fall) / 2e-6, rtol=1e-5, atol=1e-8)
    assert not grad[learned(net) :].any()
    scores = net.scores(data, np.arange(23), net.theta)
    assert_allclose(scores, net_outputs(net), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("normalization", ["batch", "layer"])
def test_it_learns_survives_a_file_and_goes_on(normalization, dtype, tmp_path):
    data = load_digits()
    X, y = data.data[:600].astype(dtype), data.target[:600]
    settings = {"normalization": normalization, "dropout": 0.1, "learning_rate": "cosine", "random_state": 0}
    model = MLPClassifier((30, 20), max_iter=30, learning_rate_init=0.02, **settings).fit(X, y)
    assert model.score(X, y) > 0.97
    assert model.coefs_[0].dtype == dtype and model.predict_proba(X).dtype == dtype
    assert model.n_parameters_ == 64 * 30 + 30 + 30 * 20 + 20 + 20 * 10 + 10 + 50 * (
        1 + (normalization == "layer")
    )
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.hidden(X), model.hidden(X))
    for each in (again, model):
        each.partial_fit(X, y)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("normalization", ["batch", "layer"])
def test_contributions_are_complete(normalization):
    model = MLPRegressor(
        hidden_layer_sizes=(6, 4),
        activation="tanh",
        normalization=normalization,
        max_iter=20,
        scale="standard",
        learning_rate_init=0.01,
        random_state=0,
    ).fit(X_iris[:, :3], X_iris[:, 3])
    known = model.explain(X_iris[:20, :3]).contributions()
    answers = model.predict(X_iris[:20, :3])
    assert_allclose(known.values[:, :, 0].sum(axis=1) + known.base[0], answers, rtol=1e-12)
    means = model.scaling_.center  # along a straight path the parts are those of small steps
    x, steps = X_iris[0, :3], 4000
    points = means + np.linspace(0.5 / steps, 1 - 0.5 / steps, steps)[:, None] * (x - means)
    for j in range(3):
        shift = np.zeros(3)
        shift[j] = 1e-5
        slope = (model.predict(points + shift) - model.predict(points - shift)) / 2e-5
        assert_allclose(known.values[0, j, 0], (x - means)[j] * slope.mean(), rtol=1e-3, atol=1e-5)


def test_layers_suit_lbfgs_and_batches_do_not():
    model = MLPClassifier(5, normalization="layer", solver="lbfgs", alpha=0.1, random_state=0)
    assert model.fit(X_iris, y_iris).score(X_iris, y_iris) > 0.97
    with pytest.raises(ParameterError, match="needs batches"):
        MLPClassifier(5, normalization="batch", solver="lbfgs").fit(X_iris, y_iris)
    with pytest.raises(ParameterError, match="normalization must be"):
        MLPClassifier(5, normalization="rows").fit(X_iris, y_iris)
    model = MLPClassifier(5, normalization="layer", max_iter=2, warm_start=True).fit(X_iris, y_iris)
    with pytest.raises(DataError, match="normalization='layer', now it is None"):
        model.set_params(normalization=None).fit(X_iris, y_iris)


@pytest.mark.parametrize("normalization", ["batch", "layer"])
def test_awkward_columns_and_batches(normalization):
    """A batch of one row, constant columns, columns of any scale without scaling, no hidden layer."""
    settings = {"normalization": normalization, "random_state": 0, "learning_rate_init": 0.01}
    model = MLPClassifier(8, batch_size=149, max_iter=60, **settings).fit(X_iris * [1e9, 1, 1, 1], y_iris)
    assert np.isfinite(model.predict_proba(X_iris)).all()
    assert MLPClassifier(3, **settings).fit(np.ones((10, 2)), np.arange(10) % 2).predict([[1, 1]]).shape == (
        1,
    )
    assert MLPClassifier(3, **settings).fit([[1.0, 2.0]], ["a"]).predict([[1.0, 2.0]]) == "a"
    assert MLPClassifier((), **settings).fit(X_iris, y_iris).normalizations_ == []


def test_own_losses_see_the_same_batches():
    def squares(answer, target):
        return ((answer - target) ** 2 / 2).sum(axis=1), answer - target

    settings = {"hidden_layer_sizes": 5, "normalization": "batch", "max_iter": 6, "batch_size": 40}
    settings |= {"random_state": 0, "dropout": 0.2}
    own = MLPRegressor(squares, **settings).fit(X_iris[:, :3], X_iris[:, 3])
    built_in = MLPRegressor(**settings).fit(X_iris[:, :3], X_iris[:, 3])
    assert_allclose(own.coefs_[0], built_in.coefs_[0], rtol=1e-9, atol=1e-12)
    assert_allclose(own.normalizations_[0].variance, built_in.normalizations_[0].variance, rtol=1e-9)
