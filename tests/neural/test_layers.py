"""Every layer: gradients by finite differences, and what it computes against its formula written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.signal import correlate
from scipy.special import expit

import assay
from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression
from assay.neural import (
    GRU,
    LSTM,
    Activation,
    BatchNormalization,
    CellwiseLinear,
    Convolution,
    Dense,
    Direct,
    Dropout,
    Embedding,
    Flatten,
    LayerNormalization,
    LocalFields,
    MaxPooling,
    MeanPooling,
    Network,
    PartiallyRecurrent,
    Radial,
    Recurrent,
    Reshape,
    backpropagation,
    gradient_check,
    minimize_error,
)
from assay.neural.activations import ACTIVATIONS
from assay.reduce import PCA
from assay.svm import LinearSVC
from assay.tables.data import load_iris

rng = np.random.default_rng(0)

NETWORKS = {
    "dense": ([Dense(4, "tanh"), Dense(3, "logistic"), Dense(2)], 5),
    "softmax inside": ([Dense(4, "softmax"), Dense(2)], 5),
    "no bias": ([Dense(4, "softplus", bias=False), Activation("silu"), Dense(2)], 5),
    "normalised": ([Dense(6, "tanh"), LayerNormalization(), Dense(2)], 5),
    "convolution": ([Convolution(3, 2, "tanh"), Flatten(), Dense(2)], (6, 2)),
    "picture": (
        [Convolution(2, (2, 3), "tanh", stride=2), MeanPooling((1, 2)), Flatten(), Dense(2)],
        (6, 8, 2),
    ),
    "pooled": ([Reshape((6, 1)), Convolution(3, 3, "elu"), MaxPooling(2), Flatten(), Dense(2)], 6),
    "local": ([LocalFields(2, 3, "tanh"), Flatten(), Dense(2)], (5, 2)),
    "local picture": ([LocalFields(2, 2, "tanh", stride=2), Flatten(), Dense(2)], (4, 5, 1)),
    "recurrent": ([Recurrent(3), Dense(2)], (5, 2)),
    "recurrent, logistic, all steps": (
        [Recurrent(3, "logistic", sequences=True), Flatten(), Dense(2)],
        (5, 2),
    ),
    "lstm": ([LSTM(3), Dense(2)], (5, 2)),
    "lstm, all steps": ([LSTM(2, sequences=True), LSTM(2), Dense(2)], (4, 2)),
    "gru": ([GRU(3, sequences=True), GRU(2), Dense(2)], (4, 2)),
    "feedback of the outputs": (
        [PartiallyRecurrent(3, 2, ("hidden", "output", "output to hidden"), output="tanh", sequences=False)],
        (4, 2),
    ),
    "radial": ([Radial(4), Dense(2)], 3),
    "direct": ([Direct((Dense(3, "tanh"), Dense(2)))], 4),
    "cells": ([CellwiseLinear((Dense(3, "softmax"),), 2)], 4),
}


@pytest.mark.capability("IML-11-16", "IML-11-15", "IML-11-41", "IML-11-22")
@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_gradients_agree_with_finite_differences(name):
    layers, shape = NETWORKS[name]
    net = Network(layers, shape, random_state=1)
    net.theta += 0.1 * rng.normal(size=net.n_parameters)
    X, T = rng.normal(size=(4, *net.input_shape)), rng.normal(size=(4, 2))
    assert gradient_check(net, X, T) < 1e-7
    values, memories = net.run(X)
    dx = net.backward(memories, values[-1] - T)[0]
    where = (2, *(0 for _ in net.input_shape))
    step = np.zeros(X.shape)
    step[where] = 1e-6
    rise = (net.value_gradient(X + step, T)[0] - net.value_gradient(X - step, T)[0]) / 2e-6
    assert_allclose(dx[where], rise, rtol=1e-5, atol=1e-8)


def test_the_check_can_fail():
    class Wrong(Dense):
        def backward(self, w, memory, dy):
            dx, grads = super().backward(w, memory, dy)
            return dx, {**grads, "W": 1.01 * grads["W"]}

    net = Network([Wrong(3, "tanh"), Dense(1)], 2, random_state=0)
    own = np.random.default_rng(0)  # whatever tests drew before
    assert gradient_check(net, own.normal(size=(5, 2)), own.normal(size=(5, 1))) > 1e-3


def test_gradients_of_embedded_categories_and_of_units_left_out():
    net = Network([Embedding(4, 3), Flatten(), Dense(2)], 2, random_state=0)
    codes = np.array([[0, 1], [1, 1], [3, 0], [-1, 9]])
    assert gradient_check(net, codes, rng.normal(size=(4, 2))) < 1e-7
    assert_array_equal(net.hidden(codes)[0][3], np.zeros((2, 3)))  # unknown categories
    net = Network([Dense(5, "tanh"), BatchNormalization(), Dropout(0.3), Dense(1)], 3, random_state=0)
    X, T = rng.normal(size=(6, 3)), rng.normal(size=(6, 1))
    assert gradient_check(net, X, T, seed=3) < 1e-6  # means of the batch; running means have no slope


@pytest.mark.parametrize("name", sorted(set(ACTIVATIONS) - {"threshold"}))
def test_derivatives_of_activations(name):
    f, a, h = ACTIVATIONS[name], np.array([-2.1, -0.3, 0.4, 1.7]), 1e-6
    y = f.value(a)
    assert_allclose(f.slope(a, y), (f.value(a + h) - f.value(a - h)) / (2 * h), rtol=1e-6, atol=1e-9)
    rise = (f.slope(a + h, f.value(a + h)) - f.slope(a - h, f.value(a - h))) / (2 * h)
    assert_allclose(f.curvature(a, y), rise, rtol=1e-5, atol=1e-8)


@pytest.mark.capability("IML-11-22")
def test_a_shared_weight_layer_is_a_cross_correlation():
    net = Network([Convolution(2, 5)], (64, 1), random_state=0)
    x, w = rng.normal(size=64), net.parts[0]
    for f in range(2):
        by_hand = correlate(x, w["W"][:, 0, f], mode="valid") + w["b"][f]
        assert_allclose(net.outputs(x[None, :, None])[0, :, f], by_hand, rtol=1e-10, atol=1e-12)
    picture = rng.normal(size=(7, 6))
    net = Network([Convolution(1, 3)], (7, 6, 1), random_state=0)
    by_hand = correlate(picture, net.parts[0]["W"][:, :, 0, 0], mode="valid")
    assert_allclose(net.outputs(picture[None, :, :, None])[0, :, :, 0], by_hand, rtol=1e-9, atol=1e-12)


@pytest.mark.capability("IML-11-22")
def test_shifted_inputs_give_shifted_maps_and_the_counts_of_weights():
    """Window 5 on 64 inputs, one map: 6 shared, 360 local, 3900 fully connected weights."""
    net = Network([Convolution(1, 5, "tanh")], (64, 1), random_state=0)
    x = rng.normal(size=65)
    a, b = net.outputs(x[None, :64, None])[0], net.outputs(x[None, 1:, None])[0]
    assert_allclose(a[1:], b[:-1])
    assert net.n_parameters == 6
    assert Network([LocalFields(1, 5)], (64, 1)).n_parameters == 360
    assert Network([Dense(60)], 64).n_parameters == 3900


def test_local_fields_with_equal_weights_are_a_convolution():
    shared = Network([Convolution(2, 3)], (6, 2), random_state=0)
    local = Network([LocalFields(2, 3)], (6, 2))
    w = shared.parts[0]
    local.parts[0]["W"][:] = w["W"].reshape(-1, 2)
    X = rng.normal(size=(3, 6, 2))
    assert_allclose(local.outputs(X), shared.outputs(X), rtol=1e-12)


def test_pooling():
    x = np.arange(20.0).reshape(1, 4, 5, 1)
    assert_array_equal(Network([MaxPooling(2)], (4, 5, 1)).outputs(x)[0, :, :, 0], [[6, 8], [16, 18]])
    assert_array_equal(Network([MeanPooling(2)], (4, 5, 1)).outputs(x)[0, :, :, 0], [[3, 5], [13, 15]])


def test_gates_of_an_lstm_by_hand():
    """One unit, one step: c = sigmoid(i) tanh(g), h = sigmoid(o) tanh(c)."""
    net = Network([LSTM(1)], (1, 1)).load([[0.5, 0.1, -0.3, 0.8]], np.zeros((1, 4)), [0.1, 0.2, 0.3, 0.4])
    x = 2.0
    c = expit(1.1) * np.tanh(2.0)
    assert_allclose(net.outputs([[[x]]]), [[expit(-0.3) * np.tanh(c)]], rtol=1e-12)
    gru = Network([GRU(1)], (1, 1)).load([[0.5, 0.1]], np.zeros((1, 2)), [0.0, 0.0], [[0.7]], [[0.0]], [0.1])
    assert_allclose(gru.outputs([[[x]]]), [[(1 - expit(1.0)) * np.tanh(1.5)]], rtol=1e-12)


@pytest.mark.capability("IML-11-01")
def test_perceptron_units_and_the_collapse_of_linear_layers():
    """V(Wx) = (VW)x, a bias of the second layer added to that of the product."""
    net = Network([Dense(3), Dense(2)], 4, random_state=0)
    net.theta[:] = rng.normal(size=net.n_parameters)
    (W, b), (V, c) = (tuple(part.values()) for part in net.parts)
    single = Network([Dense(2)], 4).load(W @ V, b @ V + c)
    X = rng.normal(size=(7, 4))
    assert_allclose(net.outputs(X), single.outputs(X), rtol=1e-12)
    scores = single.outputs(X)
    kinds = {
        name: Network([Dense(2, name)], 4).load(W @ V, b @ V + c).outputs(X)
        for name in ("threshold", "logistic", "softmax")
    }
    assert_array_equal(kinds["threshold"], scores > 0)
    assert_allclose(kinds["logistic"], 1 / (1 + np.exp(-scores)), rtol=1e-12)
    p = np.exp(scores)
    assert_allclose(kinds["softmax"], p / p.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_array_equal(kinds["softmax"].argmax(axis=1), scores.argmax(axis=1))


@pytest.mark.capability("IML-11-02")
def test_layers_take_over_the_weights_of_linear_learners():
    data = load_iris()
    X, y = np.asarray(data.X), np.asarray(data.y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    net = Network([Dense(3, "softmax")], 4).load(lda.coef_.T, lda.intercept_)
    assert_allclose(net.outputs(X), lda.predict_proba(X), atol=1e-10)
    logit = LogisticRegression().fit(X, y)
    net = Network([Dense(3, "softmax")], 4).load(logit.coef_.T, logit.intercept_)
    assert_allclose(net.outputs(X), logit.predict_proba(X), atol=1e-10)
    machine = LinearSVC().fit(X, y)
    net = Network([Dense(3)], 4).load(machine.coef_.T, machine.intercept_)
    assert_allclose(net.outputs(X), machine.decision_function(X), atol=1e-10)
    pca = PCA(2).fit(X)
    net = Network([Dense(2)], 4).load(pca.components_.T, -pca.mean_ @ pca.components_.T)
    assert_allclose(net.outputs(X), pca.transform(X), atol=1e-10)


@pytest.mark.capability("IML-11-20")
def test_counts_of_weights_and_products():
    net = Network([Dense(2, "logistic"), Dense(10, "softmax")], 64)
    assert net.n_parameters == 160  # H (d + 1) + K (H + 1)
    assert "160 weights; one row takes 148 products" in net.describe()  # H (d + K)


def test_tanh_and_logistic_networks_are_the_same_functions():
    """tanh(a) = 2 logistic(2a) - 1."""
    net = Network([Dense(3, "tanh"), Dense(2)], 4, random_state=0)
    (W, b), (V, c) = (tuple(part.values()) for part in net.parts)
    twin = Network([Dense(3, "logistic"), Dense(2)], 4).load(2 * W, 2 * b, 2 * V, c - V.sum(axis=0))
    X = rng.normal(size=(5, 4))
    assert_allclose(twin.outputs(X), net.outputs(X), rtol=1e-10, atol=1e-12)


@pytest.mark.capability("IML-11-44")
def test_gradients_vanish_layer_by_layer():
    """Six layers of 20 logistic units, weights N(0, 0.1^2): sizes fall about tenfold a layer."""
    net = Network([*[Dense(20, "logistic")] * 6, Dense(1)], 20, random_state=0)
    net.theta[:] = 0.1 * np.random.default_rng(1).normal(size=net.n_parameters)
    X = rng.normal(size=(50, 20))
    sizes = net.gradient_sizes(X, np.ones((50, 1)))
    assert sizes[0] < 1e-3 * sizes[-1]
    ratios = np.array(sizes[1:6]) / np.array(sizes[:5])
    assert np.all(ratios > 3) and np.all(ratios < 40)


def test_a_network_can_be_stored(tmp_path):
    for layers, shape in NETWORKS.values():
        net = Network(layers, shape, random_state=0)
        assay.save(net, tmp_path / "net.assay")
        again = assay.load(tmp_path / "net.assay")
        X = rng.normal(size=(3, *net.input_shape))
        assert_array_equal(again.outputs(X), net.outputs(X))


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(DataError, match=r"rows of X have the shape \(3,\), expected \(4,\)"):
        Network([Dense(1)], 4).outputs(np.ones((2, 3)))
    with pytest.raises(DataError, match="Put Flatten"):
        Network([Dense(1)], (4, 2))
    with pytest.raises(DataError, match="does not fit"):
        Network([Convolution(1, 9)], (4, 1))
    with pytest.raises(ParameterError, match="activation must be one of"):
        Dense(3, "bent")
    with pytest.raises(ParameterError, match=r"W has the shape \(4, 1\), got \(3, 1\)"):
        Network([Dense(1)], 4).load(np.ones((3, 1)), [0])
    with pytest.raises(ParameterError, match="got 1 arrays"):
        Network([Dense(1)], 4).load(np.ones((4, 1)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dense(2.5), "Dense: units must be a whole number from 1 up, got 2.5"),
        (lambda: LSTM(0), "LSTM: units must be a whole number"),
        (lambda: Embedding(0, 3), "Embedding: categories must be a whole number"),
        (lambda: Convolution(True, 3), "Convolution: filters must be a whole number"),
        (
            lambda: Convolution(4, (3, 0)),
            "Convolution: size must be a whole number from 1 up, or one for each axis",
        ),
        (lambda: MaxPooling(0), "MaxPooling: size must be"),
        (lambda: Reshape((2, 1.5)), "Reshape: shape must be"),
        (lambda: Dropout("half"), "Dropout: rate must be a number"),
        (lambda: Direct([]), "Direct: layers must be a list of layers"),
        (lambda: Direct([3]), "Direct: layers must be a list of layers"),
        (lambda: Network([Dense(1)], 0), "input_shape must be a whole number from 1 up"),
        (lambda: Network([Dense(1)], ()), "input_shape must be a whole number from 1 up"),
    ],
)
def test_layers_that_make_no_sense_are_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_lists_among_the_settings_of_layers_are_kept_as_tuples():
    layers = [Reshape([3, 2]), Convolution(2, [2]), Flatten(), Direct([Dense(3, "tanh"), Dense(2)])]
    net = Network(layers, 6, random_state=0)
    assert Reshape(6).shape == (6,)
    assert net.layers[0] == Reshape((3, 2))
    assert len(dict.fromkeys(net.layers)) == 4  # can be hashed
    assert repr(net).endswith(
        "Direct(layers=(Dense(units=3, activation='tanh', bias=True), Dense(units=2, "
        "activation='identity', bias=True)))], (6,))"
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda net: net.outputs([[1.0, np.nan]]), r"X has the value nan at \[0, 1\]"),
        (lambda net: net.outputs([["a", "b"]]), "X must be numbers, row by row"),
        (lambda net: net.outputs([[1.0], [1.0, 2.0]]), "X must be numbers, row by row"),
        (
            lambda net: net.gradient(np.ones((4, 2)), np.ones((4, 2))),
            r"dE_dy has the shape \(4, 2\), expected \(4, 3\)",
        ),
        (lambda net: net.input_gradient(np.ones((4, 2)), np.ones(3)), r"dE_dy has the shape \(3,\)"),
        (lambda net: net.value_gradient(np.ones((4, 2)), np.ones(4)), r"target has the shape \(4,\)"),
        (lambda net: backpropagation(net, np.ones((4, 2)), np.ones((5, 3))), "target has the shape"),
        (lambda net: backpropagation(net, np.ones((0, 2)), np.ones((0, 3))), "no rows to learn from"),
        (
            lambda net: minimize_error(net, np.ones((2, 2)), np.full((2, 3), np.inf)),
            "target has the value inf",
        ),
    ],
)
def test_what_a_network_cannot_take_is_named(call, words):
    with pytest.raises(DataError, match=words):
        call(Network([Dense(3)], 2, random_state=0))


def test_codes_of_categories_are_whole():
    """Codes beyond the table are unknown; what is no code, such as a column that was scaled, is refused."""
    net = Network([Embedding(3, 2)], 2, random_state=0)
    assert_array_equal(net.outputs([[-1, 7]]), np.zeros((1, 2, 2)))
    with pytest.raises(DataError, match=r"categories 0, 1, 2, ..., got 0.5"):
        net.outputs([[1, 0.5]])
