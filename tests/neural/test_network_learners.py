"""Learners around layers of any kind: their reasons."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

import assay
from assay.neural import (
    GRU,
    LSTM,
    BatchNormalization,
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
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    PartiallyRecurrent,
    Radial,
    Recurrent,
    Reshape,
)

digits, labels = load_digits(n_class=4, return_X_y=True)
digits = digits[:150] / 16
labels = labels[:150]

LAYERS = {
    "dense": ([Dense(6, "tanh")], None),
    "convolution": ([Convolution(3, 3, "relu"), MaxPooling(2), Flatten()], (8, 8, 1)),
    "time": ([LSTM(4)], (8, 8)),
    "normalised": (
        [Dense(6), BatchNormalization(), Dropout(0.1), LayerNormalization(), Dense(4, "tanh")],
        None,
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_contributions_to_scores_are_complete(name):
    """Base and contributions are scores whose softmax is the answer, up to a constant of each row."""
    layers, shape = LAYERS[name]
    model = NetworkClassifier(layers, shape, max_iter=3, learning_rate_init=0.01, scale=True, random_state=0)
    model.fit(digits, labels)
    known = model.explain(digits[:5]).contributions()
    scores = known.values.sum(axis=1) + known.base
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert_allclose(chances / chances.sum(axis=1, keepdims=True), model.predict_proba(digits[:5]), atol=1e-10)
    text = str(model.explain(digits[:1]))
    assert "Hidden units that weigh most" in text and "the score of" in text


def test_contributions_to_numbers_are_in_the_units_of_the_targets():
    targets = np.column_stack([100 + 7 * digits[:, 20], digits[:, 30] - digits[:, 31]])
    model = NetworkRegressor([Dense(5, "tanh")], max_iter=3, random_state=0).fit(digits, targets)
    known = model.explain(digits[:5]).contributions()
    assert_allclose(known.values.sum(axis=1) + known.base, model.predict(digits[:5]), rtol=1e-10)
    one = NetworkRegressor([Dense(5, "tanh")], max_iter=3, random_state=0).fit(digits, targets[:, 0])
    words = str(one.explain(digits[:1]))
    assert f"the answer: {one.predict(digits[:1])[0]:.6g}" in words


@pytest.mark.parametrize(
    ("dense", "free"), [(MLPClassifier, NetworkClassifier), (MLPRegressor, NetworkRegressor)]
)
def test_the_same_network_has_the_same_contributions(dense, free):
    layers = [Dense(5, "tanh")]
    given = free(layers, max_iter=1, random_state=0).fit(digits, labels)
    same = dense(hidden_layer_sizes=5, activation="tanh", solver="lbfgs", max_iter=1, random_state=0)
    with pytest.warns(UserWarning, match="converge"):
        same.fit(digits, labels)
    parts = given.network_.parts
    same.coefs_, same.intercepts_ = [p["W"] for p in parts], [p["b"] for p in parts]
    known, expected = (model.explain(digits[:4]).contributions() for model in (given, same))
    factor = getattr(given, "target_spread_", 1.0)
    assert_allclose(known.values, expected.values * factor, rtol=1e-9, atol=1e-12)


def test_numbers_of_categories_have_no_contributions():
    X = np.arange(40).reshape(-1, 1) % 4.0
    model = NetworkClassifier([Embedding(4, 2), Flatten()], max_iter=2, random_state=0).fit(X, X[:, 0] > 1)
    assert model.explain(X[:3]).contributions() is None
    assert "Hidden units that weigh most" in str(model.explain(X[:1]))


KINDS = {
    "convolution in time": ([Convolution(3, 3, "relu"), MaxPooling(2), Flatten()], (8, 8)),
    "convolution of pictures": ([Convolution(3, (3, 2), "relu"), MeanPooling(2), Flatten()], [8, 8, 1]),
    "local fields": ([LocalFields(2, 3, "tanh", stride=2), Flatten()], (8, 8, 1)),
    "recurrent": ([Recurrent(4, sequences=True), GRU(3)], (8, 8)),
    "partially recurrent": ([PartiallyRecurrent(4, 3, ["output to hidden"], sequences=False)], (8, 8)),
    "long memory": ([Reshape([8, 8]), LSTM(4)], None),
    "direct connections": ([Direct([Dense(4, "tanh"), Dense(3)])], None),
    "radial": ([Radial(6)], None),
    "embedding": ([Embedding(17, 3), GRU(4)], None),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_layer_learns_and_survives_a_file(name, tmp_path):
    layers, shape = KINDS[name]
    X = np.rint(16 * digits) if name == "embedding" else digits
    model = NetworkClassifier(layers, shape, max_iter=8, learning_rate_init=0.02, random_state=0).fit(
        X, labels
    )
    assert model.history_[-1].loss < 0.95 * model.history_[0].loss
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.network_.n_parameters == model.network_.n_parameters
    assert model.explain(X[:1]).to_frame().shape[0] == 1


def test_the_history_has_the_rate_of_the_last_step():
    """Half a cosine over 3 passes of 2 batches: steps 1, 3 and 5 of 6."""
    model = NetworkRegressor([Dense(2)], max_iter=3, batch_size=75, learning_rate_init=0.1, random_state=0)
    rates = [epoch.rate for epoch in model.fit(digits, labels).history_]
    assert_allclose(rates, 0.05 * (1 + np.cos(np.pi * np.array([1, 3, 5]) / 6)), rtol=1e-12)
