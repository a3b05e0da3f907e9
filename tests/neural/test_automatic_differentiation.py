"""Gradients and values against torch, which differentiates by itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.neural import (
    GRU,
    LSTM,
    BatchNormalization,
    CellwiseLinear,
    Convolution,
    Dense,
    Direct,
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
)
from assay.neural.dense_net import DenseNet

torch = pytest.importorskip(
    "torch", reason="torch is a peer of the tests only, and not among what they install"
)
functional = torch.nn.functional
rng = np.random.default_rng(0)


def leaves(parts):
    """The weights of each layer as tensors that keep their gradients."""
    return [
        {name: torch.tensor(part.copy(), requires_grad=True) for name, part in layer.items()}
        for layer in parts
    ]


def affine(w, x):
    return x @ w["W"] + w["b"]


def normalised(parts, x):
    x = torch.tanh(affine(parts[0], x))
    return affine(parts[2], functional.layer_norm(x, x.shape[-1:], parts[1]["g"], parts[1]["b"], eps=1e-5))


def pictures(parts, x):
    x = torch.tanh(functional.conv2d(x.permute(0, 3, 1, 2), parts[0]["W"].permute(3, 2, 0, 1), parts[0]["b"]))
    return affine(parts[3], functional.max_pool2d(x, 2).permute(0, 2, 3, 1).flatten(1))


def signals(parts, x):
    x = functional.conv1d(x.permute(0, 2, 1), parts[0]["W"].permute(2, 1, 0), parts[0]["b"], stride=2)
    return affine(parts[2], functional.elu(x).permute(0, 2, 1).flatten(1))


def simple(parts, x):
    h = torch.zeros(len(x), 3, dtype=x.dtype)
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ parts[0]["W"] + h @ parts[0]["R"] + parts[0]["b"])
    return affine(parts[1], h)


def lstm(parts, x):
    """torch's own cell, whose gates stand in the order i, f, g, o."""
    cell, w, H = torch.nn.LSTM(x.shape[2], 3, batch_first=True, dtype=x.dtype), parts[0], 3
    order = [*range(2 * H), *range(3 * H, 4 * H), *range(2 * H, 3 * H)]
    given = {
        "weight_ih_l0": w["W"][:, order].T,
        "weight_hh_l0": w["R"][:, order].T,
        "bias_ih_l0": w["b"][order],
        "bias_hh_l0": torch.zeros(4 * H, dtype=x.dtype),
    }
    return affine(parts[1], torch.func.functional_call(cell, given, (x,))[0][:, -1])


def gru(parts, x):
    w, h = parts[0], torch.zeros(len(x), 3, dtype=x.dtype)
    for t in range(x.shape[1]):
        z, r = torch.sigmoid(x[:, t] @ w["Wg"] + h @ w["Rg"] + w["bg"]).chunk(2, dim=1)
        h = z * h + (1 - z) * torch.tanh(x[:, t] @ w["Wn"] + (r * h) @ w["Rn"] + w["bn"])
    return affine(parts[1], h)


def over_the_batch(parts, x):
    """In training: mean and variance are those of the rows at hand."""
    x = torch.tanh(affine(parts[0], x))
    w = parts[1]
    x = functional.batch_norm(x, None, None, w["g"], w["b"], training=True, eps=1e-5)
    return affine(parts[2], x)


def local(parts, x):
    """Windows of three steps of two inputs, each with weights of its own."""
    windows = x.unfold(1, 3, 1).permute(0, 1, 3, 2).flatten(2)  # (rows, places, 3 * 2)
    y = torch.tanh(torch.einsum("npk,pkf->npf", windows, parts[0]["W"].reshape(4, 6, 2)) + parts[0]["b"])
    return affine(parts[2], y.flatten(1))


def averaged(parts, x):
    x = functional.avg_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1).flatten(1)
    return affine(parts[2], x)


def fed_back(parts, x):
    w = parts[0]
    h, y = torch.zeros(len(x), 3, dtype=x.dtype), torch.zeros(len(x), 2, dtype=x.dtype)
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ w["W"] + w["b"] + h @ w["R"] + y @ w["Q"])
        y = torch.sigmoid(h @ w["V"] + w["bc"] + y @ w["S"])
    return y


def embedded(parts, x):
    return affine(parts[2], parts[0]["W"][x.detach().long()].flatten(1))


def bumps(parts, x):
    w = parts[0]
    square = ((x[:, None] - w["m"]) ** 2).sum(2)
    return affine(parts[1], torch.exp(-square / (2 * torch.exp(2 * w["b"]))))


def direct(parts, x):
    w = parts[0]
    return torch.tanh(x @ w["0.W"] + w["0.b"]) @ w["1.W"] + w["1.b"] + x @ w["U"]


def of_cells(parts, x):
    w = parts[0]
    z = torch.softmax(x @ w["0.W"] + w["0.b"], dim=1)
    wide = torch.cat([torch.ones(len(x), 1, dtype=x.dtype), x], dim=1)
    return torch.einsum("nh,nj,hjk->nk", z, wide, w["U"].reshape(3, 6, 2))


NETWORKS = {
    "normalised": ([Dense(6, "tanh"), LayerNormalization(), Dense(2)], (5,), normalised),
    "pictures": ([Convolution(3, 3, "tanh"), MaxPooling(2), Flatten(), Dense(2)], (8, 8, 2), pictures),
    "signals": ([Convolution(3, 3, "elu", stride=2), Flatten(), Dense(2)], (9, 2), signals),
    "recurrent": ([Recurrent(3), Dense(2)], (6, 2), simple),
    "lstm": ([LSTM(3), Dense(2)], (6, 2), lstm),
    "gru": ([GRU(3), Dense(2)], (6, 2), gru),
    "local": ([LocalFields(2, 3, "tanh"), Flatten(), Dense(2)], (6, 2), local),
    "averaged": ([MeanPooling(2), Flatten(), Dense(2)], (4, 6, 2), averaged),
    "fed back": (
        [
            PartiallyRecurrent(
                3, 2, ("hidden", "output", "output to hidden"), output="logistic", sequences=False
            )
        ],
        (5, 2),
        fed_back,
    ),
    "bumps": ([Radial(4), Dense(2)], (3,), bumps),
    "direct": ([Direct((Dense(3, "tanh"), Dense(2)))], (4,), direct),
    "cells": ([CellwiseLinear((Dense(3, "softmax"),), 2)], (5,), of_cells),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_layers(name):
    layers, shape, answer = NETWORKS[name]
    net = Network(layers, shape, random_state=0)
    net.theta += 0.2 * rng.normal(size=net.n_parameters)
    X, dE_dy = rng.normal(size=(7, *shape)), rng.normal(size=(7, 2))
    parts, x = leaves(net.parts), torch.tensor(X, requires_grad=True)
    y = answer(parts, x)
    assert_allclose(net.outputs(X), y.detach(), rtol=1e-12, atol=1e-12)
    (y * torch.tensor(dE_dy)).sum().backward()
    for ours, theirs in zip(net.split(net.gradient(X, dE_dy)), parts):
        for key, gradient in ours.items():
            assert_allclose(gradient, theirs[key].grad, rtol=1e-10, atol=1e-12)
    _, memories = net.run(X)
    assert_allclose(net.backward(memories, dE_dy)[0], x.grad, rtol=1e-10, atol=1e-12)


def test_normalisation_over_the_batch():
    """While learning, since the gradient then goes through mean and variance of the rows at hand as well."""
    net = Network([Dense(6, "tanh"), BatchNormalization(), Dense(2)], (5,), random_state=0)
    X, dE_dy = rng.normal(size=(7, 5)), rng.normal(size=(7, 2))
    parts, x = leaves(net.parts), torch.tensor(X, requires_grad=True)
    (over_the_batch(parts, x) * torch.tensor(dE_dy)).sum().backward()
    _, memories = net.run(X, np.random.default_rng(0))
    dx, grad = net.backward(memories, dE_dy)
    assert_allclose(dx, x.grad, rtol=1e-9, atol=1e-12)
    for ours, theirs in zip(net.split(grad), parts):
        for key in set(ours) - {"mean", "variance"}:
            assert_allclose(ours[key], theirs[key].grad, rtol=1e-9, atol=1e-12)


def test_numbers_of_categories():
    net = Network([Embedding(5, 3), Flatten(), Dense(2)], (2,), random_state=0)
    X, dE_dy = rng.integers(5, size=(7, 2)).astype(float), rng.normal(size=(7, 2))
    parts = leaves(net.parts)
    y = embedded(parts, torch.tensor(X))
    assert_allclose(net.outputs(X), y.detach(), rtol=1e-12)
    (y * torch.tensor(dE_dy)).sum().backward()
    for ours, theirs in zip(net.split(net.gradient(X, dE_dy)), parts):
        for key, gradient in ours.items():
            assert_allclose(gradient, theirs[key].grad, rtol=1e-10, atol=1e-12)


ACTIVATIONS = {
    "tanh": torch.tanh,
    "relu": torch.relu,
    "leaky_relu": functional.leaky_relu,
    "elu": functional.elu,
    "selu": functional.selu,
    "softplus": functional.softplus,
    "logistic": torch.sigmoid,
}
CLASSES = torch.tensor([0, 2, 1, 1, 2, 0, 0, 2])
NUMBERS = torch.tensor(np.random.default_rng(1).poisson(2, size=(8, 3)) + 0.25)
LOSSES = {
    "log_loss": lambda o: functional.cross_entropy(o, CLASSES, reduction="none"),
    "smoothed": lambda o: functional.cross_entropy(o, CLASSES, reduction="none", label_smoothing=0.2),
    "focal": lambda o: _focal(functional.cross_entropy(o, CLASSES, reduction="none")),
    "squared_error": lambda o: functional.mse_loss(o, NUMBERS, reduction="none").sum(1) / 2,
    "absolute_error": lambda o: functional.l1_loss(o, NUMBERS, reduction="none").sum(1),
    "huber": lambda o: functional.huber_loss(o, NUMBERS, reduction="none", delta=1.5).sum(1),
    "quantile": lambda o: torch.maximum(0.7 * (NUMBERS - o), 0.3 * (o - NUMBERS)).sum(1),
    "poisson": lambda o: functional.poisson_nll_loss(o, NUMBERS, reduction="none").sum(1),
}


def _focal(cross_entropy):
    return (1 - torch.exp(-cross_entropy)) ** 1.5 * cross_entropy


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("loss", LOSSES)
def test_native_gradients(loss, activation):
    kind = {"log_loss": "softmax", "smoothed": "softmax", "focal": "softmax", "poisson": "exp"}.get(
        loss, "identity"
    )
    parameter = {"focal": 1.5, "huber": 1.5, "quantile": 0.7}.get(loss, 0.0)
    name = "log_loss" if loss == "smoothed" else loss
    net = DenseNet([4, 5, 6, 3], [activation] * 2, kind, name, parameter=parameter)
    net.theta[:] = rng.normal(scale=0.5, size=len(net.theta))
    X, w = rng.normal(size=(8, 4)), rng.random(8) + 0.5
    classes = kind == "softmax"
    data = net.data(
        X,
        CLASSES.numpy() if classes else None,
        None if classes else NUMBERS.numpy(),
        w,
        0.2 if loss == "smoothed" else 0.0,
    )
    _, grad = net.value_gradient(data, 0.3, net.theta)
    theta = torch.tensor(net.theta.copy(), requires_grad=True)
    weights, biases, at = [], [], 0
    for size in zip(net.sizes, net.sizes[1:]):
        weights.append(theta[at : at + size[0] * size[1]].reshape(size))
        at += size[0] * size[1]
    for width in net.sizes[1:]:
        biases.append(theta[at : at + width])
        at += width
    h = torch.tensor(X)
    for U, a in zip(weights[:-1], biases[:-1]):
        h = ACTIVATIONS[activation](h @ U + a)
    weight = torch.tensor(w)
    objective = (weight * LOSSES[loss](h @ weights[-1] + biases[-1])).sum() / weight.sum()
    objective = objective + 0.15 / weight.sum() * sum((U**2).sum() for U in weights)
    objective.backward()
    assert_allclose(grad, theta.grad, rtol=1e-9, atol=1e-11)
