"""The native passes against their readable twin, and against finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from assay.neural.activations import ACTIVATIONS, softmax_rows
from assay.neural.dense_net import HIDDEN, LOSSES, OPTIMIZERS, ROWS_AT_ONCE, DenseNet, forward, native

rng = np.random.default_rng(0)
X = rng.normal(size=(23, 4))


def losses_by_the_book(loss, s, y, parameter):
    """Sum over the outputs of the loss of scores s, row by row."""
    r = s - y
    if loss == "squared_error":
        return (r**2 / 2).sum(axis=1)
    if loss == "absolute_error":
        return np.abs(r).sum(axis=1)
    if loss == "huber":
        near = np.abs(r) <= parameter
        return np.where(near, r**2 / 2, parameter * (np.abs(r) - parameter / 2)).sum(axis=1)
    if loss == "quantile":
        return np.where(r > 0, (1 - parameter) * r, -parameter * r).sum(axis=1)
    mean = np.exp(s)  # poisson
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.where(y > 0, y * np.log(y / mean), 0) - y + mean).sum(axis=1)


def net_of(activation="tanh", output="identity", loss="squared_error", K=2, **options):
    net = DenseNet([4, 5, 3, K], [activation] * 2, output, loss, **options)
    net.theta[:] = np.random.default_rng(1).normal(scale=0.6, size=len(net.theta))
    return net


@pytest.mark.parametrize("activation", sorted(HIDDEN))
def test_gradient_of_every_activation_agrees_with_finite_differences(activation):
    net, Y = net_of(activation), rng.normal(size=(23, 2))
    check_gradient(net, net.data(X, numbers=Y, weight=rng.random(23)))


@pytest.mark.parametrize("loss", sorted(set(LOSSES) - {"log_loss", "focal", "hinge", "given"}))
def test_gradient_and_value_of_every_loss(loss):
    Y = rng.poisson(2.0, size=(23, 2)).astype(float) + (0 if loss == "poisson" else 0.25)
    net = net_of(output="exp" if loss == "poisson" else "identity", loss=loss, parameter=0.3)
    w = rng.random(23)
    data = net.data(X, numbers=Y, weight=w)
    check_gradient(net, data)
    coefs, intercepts = net.parts(net.theta)
    s = forward(X, coefs, intercepts, ["tanh", "tanh"], "identity")[0]
    penalty = 0.1 / (2 * w.sum()) * sum((W**2).sum() for W in coefs)
    by_hand = np.average(losses_by_the_book(loss, s, Y, 0.3), weights=w) + penalty
    assert_allclose(net.value_gradient(data, 0.1, net.theta)[0], by_hand, rtol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_gradient_of_the_softmax(smoothing):
    net = net_of(output="softmax", loss="log_loss", K=3)
    data = net.data(X, codes=rng.integers(3, size=23), smoothing=smoothing)
    check_gradient(net, data)


def test_gradient_of_the_logistic_output():
    net = net_of(output="logistic", loss="log_loss", K=1)
    check_gradient(net, net.data(X, numbers=rng.integers(2, size=(23, 1)).astype(float)))


def check_gradient(net, data, alpha=0.1, step=1e-6):
    _, grad = net.value_gradient(data, alpha, net.theta)
    for i in range(0, len(net.theta), 5):
        shift = np.zeros(len(net.theta))
        shift[i] = step
        rise = (
            net.value_gradient(data, alpha, net.theta + shift)[0]
            - net.value_gradient(data, alpha, net.theta - shift)[0]
        )
        assert_allclose(grad[i], rise / (2 * step), rtol=1e-5, atol=1e-8)


def epoch_by_the_book(net, X, Y, rule, order, size, rates, t=0):
    """One pass with numbers as targets, tanh units and squared error."""
    theta, p, q = net.theta.copy(), np.zeros_like(net.theta), np.zeros_like(net.theta)
    total = 0.0
    for k, at in enumerate(range(0, len(order), size)):
        rows = order[at : at + size]
        m = len(rows)
        coefs, intercepts = net.parts(theta)
        values = [X[rows], *forward(X[rows], coefs, intercepts, ["tanh", "tanh"], "identity", keep=True)]
        delta = (values[-1] - Y[rows]) / m
        total += ((values[-1] - Y[rows]) ** 2).sum() / 2
        grads, biases = [], []
        for l in (2, 1, 0):
            grads.insert(0, values[l].T @ delta)
            biases.insert(0, delta.sum(axis=0))
            delta = delta @ coefs[l].T * (ACTIVATIONS["tanh"].slope(None, values[l]) if l else 1)
        grad = np.concatenate([g.ravel() for g in grads] + biases)
        decay = np.concatenate([W.ravel() for W in coefs] + [np.zeros(len(b)) for b in intercepts])
        t += 1
        rate, name = rates[k], rule["optimizer"]
        total += rule["alpha"] / 2 * (decay @ decay) if name != "adamw" else 0.0
        length = np.sqrt(grad @ grad)
        scale = min(1.0, rule["clip"] / length) if rule["clip"] else 1.0
        g = (grad + (0 if name == "adamw" else rule["alpha"] / m) * decay) * scale
        if name in ("sgd", "nesterov"):
            p = rule["first"] * p - rate * g
            theta = theta + (rule["first"] * p - rate * g if name == "nesterov" else p)
            continue
        q = rule["second"] * q + (1 - rule["second"]) * g**2
        if name == "rmsprop":
            theta = theta - rate * g / (np.sqrt(q) + rule["epsilon"])
            continue
        p = rule["first"] * p + (1 - rule["first"]) * g
        corrected = rate * np.sqrt(1 - rule["second"] ** t) / (1 - rule["first"] ** t)
        step = corrected * p / (np.sqrt(q) + rule["epsilon"])
        theta = theta - step - (rate * rule["alpha"] * decay if name == "adamw" else 0)
    return theta, total / len(order)


@pytest.mark.parametrize("clip", [0.0, 0.5])
@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_a_pass_is_that_of_the_twin(optimizer, clip):
    Y = rng.normal(size=(23, 2))
    net, order = net_of(), rng.permutation(23)
    numbers = {"alpha": 0.3, "first": 0.8, "second": 0.95, "epsilon": 1e-8, "clip": clip}
    rates = np.array([0.1, 0.05, 0.02])
    theta, objective = epoch_by_the_book(net, X, Y, {"optimizer": optimizer, **numbers}, order, 10, rates)
    rule = native.Rule(optimizer=OPTIMIZERS[optimizer], **numbers)
    value = net.epoch(
        net.data(X, numbers=Y), rule, order, 10, rates, np.zeros_like(theta), np.zeros_like(theta), 0
    )
    assert_allclose(net.theta, theta, rtol=1e-9, atol=1e-12)
    assert_allclose(value, objective, rtol=1e-12)


def test_sparse_rows_are_the_same_rows():
    S = sparse.random(30, 4, density=0.4, random_state=0, format="csr")
    Y = rng.normal(size=(30, 2))
    net = net_of()
    dense = net.value_gradient(net.data(S.toarray(), numbers=Y), 0.1, net.theta)
    thin = net.value_gradient(net.data(S, numbers=Y), 0.1, net.theta)
    assert_allclose(dense[1], thin[1], rtol=1e-12, atol=1e-15)


def test_dropout_keeps_the_mean_of_the_gradient():
    """Of a linear network the expected gradient of the outputs' mean shift is that without dropout."""
    Y = np.zeros((23, 1))
    grads = []
    for seed in range(400):
        net = DenseNet([4, 6, 1], ["identity"], "identity", "absolute_error", dropout=[0.0, 0.5])
        net.theta[:] = 0.3
        net.theta[-1] = 50.0  # far from 0: the slope of the loss is 1 for every row
        before = net.theta.copy()
        rule = native.Rule(optimizer=0, alpha=0.0, first=0.0, second=0.0, epsilon=1e-8, clip=0.0)
        zeros = np.zeros_like(before)
        net.epoch(net.data(X, numbers=Y), rule, np.arange(23), 23, np.ones(1), zeros, zeros.copy(), 0, seed)
        grads.append(before - net.theta)
    plain = DenseNet([4, 6, 1], ["identity"], "identity", "absolute_error")
    plain.theta[:] = before
    exact = plain.value_gradient(plain.data(X, numbers=Y), 0.0, plain.theta)[1]
    assert_allclose(np.mean(grads, axis=0), exact, atol=4 * np.std(grads, axis=0).max() / 20)
    assert np.std(grads, axis=0)[:24].min() > 0


@pytest.mark.parametrize(
    "change",
    [
        {"order": np.array([23])},
        {"order": np.array([-1])},
        {"rates": np.ones(1)},
        {"batch_size": 0},
        {"moment": np.zeros(3)},
    ],
)
def test_arrays_that_do_not_fit_are_refused(change):
    net = net_of()
    zeros = np.zeros_like(net.theta)
    arguments = {
        "data": net.data(X, numbers=np.zeros((23, 2))),
        "rule": native.Rule(optimizer=2, alpha=0.0, first=0.9, second=0.999, epsilon=1e-8, clip=0.0),
        "order": np.arange(23),
        "batch_size": 10,
        "rates": np.ones(3),
        "moment": zeros,
        "square": zeros.copy(),
        "t": 0,
    }
    with pytest.raises(ValueError, match=r"epoch|dense_net"):
        net.epoch(**{**arguments, **change})


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("m", "sizes"),
    [
        (1, (1, 1, 1)),
        (8, (3, 8, 5)),
        (16, (33, 49, 24)),
        (64, (24, 7, 50)),
        (4, (2100, 16, 3)),
        (1024, (5, 1, 97)),
    ],
)
def test_products_of_every_shape_are_exact(dtype, m, sizes):
    """Whole numbers and a power of two of rows have no rounding: NumPy's products to the last bit."""
    rng = np.random.default_rng(m)
    net = DenseNet(sizes, ["identity"], "identity", "squared_error", dtype=dtype)
    net.theta[:] = rng.integers(-1, 2, size=len(net.theta))
    rows, Y = rng.integers(-1, 2, size=(m, sizes[0])), rng.integers(-2, 3, size=(m, sizes[2])).astype(dtype)
    _, grad = net.value_gradient(net.data(rows.astype(dtype), numbers=Y), 0.0, net.theta)
    (W, V), (b, c) = net.parts(net.theta.astype(np.float64))
    hidden = rows @ W + b
    error = hidden @ V + c - Y
    expected = [rows.T @ error @ V.T, hidden.T @ error, (error @ V.T).sum(axis=0), error.sum(axis=0)]
    assert_array_equal(grad, np.concatenate([part.ravel() for part in expected]) / m)


@pytest.mark.parametrize("kind", [None, "batch", "layer"])
@pytest.mark.parametrize("activation", sorted(HIDDEN))
def test_many_rows_are_answered_as_few_are(activation, kind):
    """Native code block by block, on several threads, against NumPy row by row."""
    random = np.random.default_rng(5)
    net = DenseNet([4, 5, 3, 6], [activation] * 2, "softmax", "log_loss", normalization=kind)
    net.theta[:] = random.normal(scale=0.6, size=len(net.theta))
    net.theta[net.n_weighted :] = random.uniform(0.5, 2, len(net.theta) - net.n_weighted)
    many = random.normal(size=(2 * ROWS_AT_ONCE + 7, 4))
    network = (*net.parts(net.theta), [activation] * 2, "softmax", False, net.normalizations(net.theta))
    whole = forward(many, *network)[0]
    some = [0, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, len(many) - 1]
    assert_allclose(whole[some], forward(many[some], *network)[0], rtol=1e-13)
    assert_array_equal(forward(np.asfortranarray(many), *network)[0], whole)
    assert_allclose(forward(sparse.csr_array(many), *network)[0], whole, rtol=1e-12)
    single = forward(
        many.astype(np.float32), *[[W.astype(np.float32) for W in part] for part in network[:2]], *network[2:]
    )
    assert single[0].dtype == np.float32
    assert_allclose(single[0], whole, atol=1e-5)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize(("n", "K"), [(63, 5), (64, 1), (64, 5), (100, 16), (100, 17)])
def test_a_softmax_is_the_same_for_few_and_many_rows_and_leaves_its_scores(n, K, layout):
    scores = np.asarray(np.random.default_rng(n).normal(scale=300, size=(n, K)), order=layout)
    before = scores.copy()
    whole = softmax_rows(scores)
    assert_allclose(whole, np.vstack([softmax_rows(row) for row in scores]), rtol=1e-15)
    assert_array_equal(scores, before)
