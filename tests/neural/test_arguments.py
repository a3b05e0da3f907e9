"""Functions of networks are asked for what cannot be, and answer in sentences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.neural import (
    Autoencoder,
    Dense,
    ImageNormalizer,
    IntervalHint,
    InvarianceHint,
    Network,
    NetworkRegressor,
    PartiallyRecurrent,
    ProjectionPursuitRegressor,
    SammonNetwork,
    SoftWeightSharing,
    TangentHint,
    WeightDecay,
    backpropagation,
    boolean_network,
    cascade_correlation,
    cell_network,
    dynamic_node_creation,
    gate,
    gradient_check,
    hill_climb,
    lagged_windows,
    minimize_error,
    parity_network,
    pretrained_network,
    prune,
    real_time_gradient,
    reconstruction_curve,
    search_architecture,
    virtual_examples,
)
from assay.neural.arguments import are_counts, finite_numbers

X = np.random.default_rng(0).normal(size=(12, 3))
r = X[:, :1] * 2 + 1
WRONG = ("text", np.nan, None, [np.nan], [["a"]], -1)


def net():
    return Network([Dense(2, "tanh"), Dense(1)], 3, random_state=0)


def recurrent():
    return Network([PartiallyRecurrent(2, 1)], (5, 1), random_state=0)


# what is called with one wrong argument, and the arguments that may be wrong; None is right for some of them
CALLS = {
    "backpropagation": (
        lambda **k: backpropagation(net(), **{"X": X, "target": r, "epochs": 2, **k}),
        ("X", "target", "rate", "epochs", "momentum", "penalties", "snapshots", "error", "online"),
    ),
    "adaptive rate": (lambda adapt: backpropagation(net(), X, r, adapt=adapt or 0.1), ("adapt",)),
    "minimize_error": (
        lambda **k: minimize_error(net(), **{"X": X, "target": r, "max_iter": 2, **k}),
        ("X", "target", "penalties", "max_iter", "tol", "error"),
    ),
    "gradient_check": (lambda **k: gradient_check(net(), X, r, **k), ("step", "error")),
    "gate": (gate, ("name",)),
    "conjunctions": (lambda inputs: boolean_network([[1, 0]], inputs=inputs or "two"), ("inputs",)),
    "conjunction": (lambda table: boolean_network(table, inputs=2), ("table",)),
    "parity_network": (parity_network, ("d",)),
    "cell_network": (
        lambda **k: cell_network(**{"function": np.ravel, "edges": [[0, 1]], **k}),
        ("function", "edges"),
    ),
    "lagged_windows": (
        lambda **k: lagged_windows(**{"sequence": [1, 2, 3], "width": 2, **k}),
        ("sequence", "width", "ahead"),
    ),
    "hill_climb": (lambda **k: hill_climb(0, {}, float, **k), ("goal", "most")),
    "dynamic_node_creation": (
        lambda **k: dynamic_node_creation(**{"X": X, "target": r, "most": 1, "max_iter": 2, **k}),
        ("X", "target", "activation", "output", "error", "goal", "most", "max_iter"),
    ),
    "cascade_correlation": (
        lambda **k: cascade_correlation(**{"X": X, "target": r, "most": 1, "max_iter": 2, **k}),
        ("X", "target", "goal", "most", "candidates", "max_iter"),
    ),
    "search_architecture": (
        lambda **k: search_architecture(
            **{"X": X, "target": r, "validation": (X, r), "most": 1, "max_iter": 2, **k}
        ),
        ("X", "target", "validation", "start", "penalties", "price", "most", "max_iter"),
    ),
    "prune": (lambda share: prune(net(), share), ("share",)),
    "pretrained_network": (
        lambda **k: pretrained_network(**{"X": X, "sizes": [2], "outputs": 1, "max_iter": 2, **k}),
        ("X", "sizes", "outputs", "decay", "max_iter"),
    ),
    "real_time_gradient": (
        lambda **k: real_time_gradient(
            recurrent(), **{"sequence": np.ones((5, 1)), "target": np.ones((5, 1)), **k}
        ),
        ("sequence", "target", "error"),
    ),
    "reconstruction_curve": (
        lambda **k: reconstruction_curve(**{"X": X, "sizes": [1], **k}),
        ("sizes", "starts"),
    ),
    "virtual_examples": (
        lambda **k: virtual_examples(**{"X": [[0, 1, 0, 0]], "y": [1], "shape": (2, 2), **k}),
        ("X", "y", "shape", "shifts", "angles", "factors"),
    ),
    "WeightDecay": (WeightDecay, ("decay",)),
    "SoftWeightSharing": (
        lambda **k: SoftWeightSharing(**{"strength": 1, "weights": [1], "means": [0], "spreads": [1], **k}),
        ("strength", "weights", "spreads", "rate"),
    ),
    "InvarianceHint": (
        lambda **k: InvarianceHint(**{"strength": 1, "X": X, "X_same": X, **k}),
        ("strength", "X_same"),
    ),
    "TangentHint": (lambda **k: TangentHint(**{"strength": 1, "X": X, "V": X, **k}), ("strength", "V")),
    "IntervalHint": (
        lambda **k: IntervalHint(**{"strength": 1, "X": X, "low": 0, "high": 1, **k}),
        ("strength", "X"),
    ),
    "PartiallyRecurrent": (
        lambda **k: PartiallyRecurrent(**{"units": 2, "outputs": 1, **k}),
        ("feedback", "activation", "output"),
    ),
    "Autoencoder": (lambda **k: Autoencoder(**k).fit(X), ("hidden_layer_sizes",)),
    "ImageNormalizer": (lambda shape: ImageNormalizer(shape or "square").fit(X), ("shape",)),
    "NetworkRegressor": (
        lambda input_shape: NetworkRegressor([Dense(2)], input_shape or "3").fit(X, X[:, 0]),
        ("input_shape",),
    ),
}
POSSIBLE = {
    ("goal", "-1"),
    ("y", "[nan]"),
    ("y", "[['a']]"),
    ("X", "-1"),
}  # a goal below all, labels, one number
WAYS = [
    (call, name, value)
    for call, (_, names) in CALLS.items()
    for name in names
    for value in WRONG
    if (name, repr(value)) not in POSSIBLE
]


@pytest.mark.parametrize(("call", "name", "value"), WAYS)
def test_what_cannot_be_gets_a_sentence(call, name, value):
    with pytest.raises((DataError, ParameterError), match=r"[.]$"):
        CALLS[call][0](**{name: value})


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e150, 1e300])
def test_columns_whose_squares_are_no_numbers(unit):
    small = ProjectionPursuitRegressor(random_state=0).fit(X, X[:, 0]).predict(X)
    assert_allclose(
        ProjectionPursuitRegressor(random_state=0).fit(X * unit, X[:, 0]).predict(X * unit),
        small,
        rtol=1e-4,
        atol=1e-6,
    )
    map_ = SammonNetwork(random_state=0, max_iter=5)
    assert_allclose(map_.fit_transform(X * unit) / unit, map_.fit_transform(X), rtol=1e-5, atol=1e-7)


def test_sizes_are_whole_numbers_of_any_type_in_what_can_be_gone_through_again():
    for sizes in ([3, 2], (3.0,), np.array([3]), range(1, 3), [np.int32(3)], [np.float32(2)], []):
        assert are_counts(sizes)
    for sizes in ("32", 3, None, [0], [2.5], [True], [np.inf], ["3"], [10**400], iter([3])):
        assert not are_counts(sizes)


def test_masked_and_endless_numbers_are_not_finite():
    """What stands behind a mask is no number of the data."""
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    for values in (masked, masked.astype(int), [10**400], [1, None]):
        with pytest.raises(DataError, match="example: X must be finite numbers"):
            finite_numbers(values, "example", "X")
    assert_allclose(finite_numbers(np.ma.masked_array([1, 2]), "example", "X"), [1, 2])
