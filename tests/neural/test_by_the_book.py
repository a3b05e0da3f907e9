"""Backpropagation and its relatives, against the numbers of the textbook (worked out anew by hand or by algebra)."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.datasets import load_digits

from assay.errors import DegenerateError, ParameterError
from assay.linear import Perceptron, Ridge, SGDClassifier, SGDRegressor, is_linearly_separable
from assay.neural import (
    AdaptiveRate,
    Autoencoder,
    Convolution,
    Dense,
    Direct,
    Flatten,
    IntervalHint,
    InvarianceHint,
    MLPClassifier,
    Network,
    PartiallyRecurrent,
    ProjectionPursuitRegressor,
    Recurrent,
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
)
from assay.neural.growing import _with_more_units
from assay.neural.penalties import is_bias
from assay.neural.sammon_network import relative_stress
from assay.reduce import PCA

rng = np.random.default_rng(0)
XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])


def rows_of(d):
    return np.array(list(product((0, 1), repeat=d)), dtype=float)


# ---------------------------------------------------------------------- single units


@pytest.mark.capability("IML-11-04")
def test_one_online_step_of_a_perceptron():
    """x = (1, 2) with the bias first, r = 3, rate 0.1 from 0: change (0.3, 0.6), new output 1.5."""
    net = Network([Dense(1)], 1).load([[0.0]], [0.0])
    backpropagation(net, [[2.0]], [[3.0]], rate=0.1, epochs=1)
    assert_allclose(net.theta, [0.6, 0.3])  # W, then the bias
    assert_allclose(net.outputs([[2.0]]), [[1.5]])
    learner = SGDRegressor(eta0=0.1, learning_rate="constant", alpha=0.0, penalty=None)
    learner.partial_fit([[2.0]], [3.0])
    assert_allclose([learner.intercept_[0], learner.coef_[0]], [0.3, 0.6])
    before = net.theta.copy()
    backpropagation(net, [[2.0]], net.outputs([[2.0]]), rate=0.1, epochs=1)
    assert_array_equal(net.theta, before)  # no change where output and target agree


@pytest.mark.capability("IML-11-04")
def test_online_softmax_and_logistic_steps_have_the_same_form():
    x, r = np.array([[0.5, -1.0]]), np.array([[0.0, 1.0, 0.0]])
    net = Network([Dense(3, "softmax")], 2).load(np.zeros((2, 3)), np.zeros(3))
    backpropagation(net, x, r, error="cross_entropy", rate=0.3, epochs=1)
    assert_allclose(net.parts[0]["W"], 0.3 * np.outer(x[0], r[0] - 1 / 3))
    net = Network([Dense(1, "logistic")], 2).load(np.zeros((2, 1)), np.zeros(1))
    backpropagation(net, x, [[1.0]], error="binary_entropy", rate=0.3, epochs=1)
    assert_allclose(net.parts[0]["W"][:, 0], 0.3 * (1 - 0.5) * x[0])
    stream = SGDClassifier(loss="log_loss", penalty=None, alpha=1e-9, learning_rate="constant", eta0=0.3)
    stream.partial_fit(x, [1], classes=[0, 1])
    assert_allclose(stream.coef_[0], 0.3 * 0.5 * x[0])


@pytest.mark.capability("IML-11-05")
def test_the_perceptron_rule_ends_on_and_and_cycles_on_xor():
    model = Perceptron(shuffle=False, max_iter=50, tol=None).fit(XOR, [0, 0, 0, 1])
    assert model.score(XOR, [0, 0, 0, 1]) == 1.0
    weights = set()
    for passes in range(1, 40):
        cycling = Perceptron(shuffle=False, max_iter=passes, tol=None).fit(XOR, [0, 1, 1, 0])
        assert cycling.score(XOR, [0, 1, 1, 0]) < 1.0
        weights.add((*cycling.coef_[0].round(9), float(cycling.intercept_[0].round(9))))
    assert len(weights) < 15  # the same weights come back


@pytest.mark.capability("IML-11-07")
def test_gates_with_given_weights():
    answers = {name: gate(name).outputs(XOR).ravel().tolist() for name in ("and", "or", "nand", "nor")}
    assert answers == {
        "and": [0, 0, 0, 1],
        "or": [0, 1, 1, 1],
        "nand": [1, 1, 1, 0],
        "nor": [1, 0, 0, 0],
    }
    assert gate("not").outputs([[0], [1]]).ravel().tolist() == [1, 0]
    assert_allclose(gate("and").theta, [1, 1, -1.5])
    with pytest.raises(ParameterError, match="name must be"):
        gate("xor")


@pytest.mark.capability("IML-11-08")
def test_how_many_boolean_functions_a_line_separates():
    """14 of the 16 functions of two inputs, 104 of the 256 of three; XOR has a certificate."""
    for d, expected in ((2, 14), (3, 104)):
        X = rows_of(d)
        count = 2  # constant functions: one class, separated by a bias alone
        for table in product((0, 1), repeat=2**d):
            if 0 < sum(table) < 2**d:
                count += bool(is_linearly_separable(X, np.array(table)))
        assert count == expected
    answer = is_linearly_separable(XOR, np.array([0, 1, 1, 0]))
    assert not answer
    signs = np.array([-1, 1, 1, -1])  # multipliers from 0 up, not all 0, that balance the signed rows
    wide = np.column_stack([np.ones(4), XOR])
    assert answer.multipliers.min() >= 0 and answer.multipliers.max() > 0
    assert_allclose((answer.multipliers * signs) @ wide, 0, atol=1e-9)
    apart = is_linearly_separable(XOR, np.array([0, 0, 0, 1]))
    assert apart


# ---------------------------------------------------------------------- compiled networks


@pytest.mark.capability("IML-11-10")
def test_networks_of_the_book_for_xor_and_parity():
    net = boolean_network([0, 1, 1, 0])
    assert_array_equal(net.outputs(XOR).ravel(), [0, 1, 1, 0])
    z = net.hidden(XOR)[0]
    assert sorted(map(tuple, z.T.tolist())) == [(0, 0, 1, 0), (0, 1, 0, 0)]
    W = np.array([[-1, -1, 2, 1], [-1, 2, -1, 1], [2, -1, -1, 1]])
    by_hand = Network([Dense(4, "threshold"), Dense(1, "threshold")], 3)
    by_hand.load(W, [-1.5, -1.5, -1.5, -2.5], np.ones((4, 1)), [-0.5])
    assert_array_equal(by_hand.outputs(rows_of(3)).ravel(), [0, 1, 1, 0, 1, 0, 0, 1])


@pytest.mark.capability("IML-11-10")
@pytest.mark.parametrize("d", [2, 3, 4])
def test_random_truth_tables_compile(d):
    for _ in range(5):
        table = rng.integers(2, size=2**d)
        assert_array_equal(boolean_network(table).outputs(rows_of(d)).ravel(), table)
    assert not boolean_network(np.zeros(2**d, int)).outputs(rows_of(d)).any()


@pytest.mark.capability("IML-11-10")
@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_parity_by_counting(d):
    X = rows_of(d)
    net = parity_network(d)
    assert_array_equal(net.outputs(X).ravel(), X.sum(axis=1) % 2)
    assert_array_equal(net.outputs(np.roll(X, 1, axis=1)), net.outputs(X))


@pytest.mark.capability("IML-11-11")
def test_cells_approximate_a_sine():
    """Errors 0.5646, 0.2955, 0.0749 with 5, 10, 40 cells, below 6 times half the width of a cell."""
    x = np.linspace(-0.5, 0.5, 20001)[:, None]
    truth = np.sin(6 * x)
    for cells, expected in ((5, 0.5646), (10, 0.2955), (40, 0.0749)):
        edges = [np.linspace(-0.5, 0.5, cells + 1)]
        net = cell_network(lambda X: np.sin(6 * X[:, 0]), edges)
        error = np.abs(net.outputs(x) - truth).max()
        assert_allclose(error, expected, atol=2e-4)
        assert error <= 6 * 0.5 / cells
        lines = cell_network(lambda X: np.sin(6 * X[:, 0]), edges, slopes=lambda X: 6 * np.cos(6 * X))
        assert np.abs(lines.outputs(x) - truth).max() <= 36 / 2 * (0.5 / cells) ** 2 + 1e-12


@pytest.mark.capability("IML-11-11")
def test_cells_of_two_inputs_and_their_edges():
    net = cell_network(lambda X: 10 * X[:, 0] + X[:, 1], [[0, 1, 2], [0, 1, 2]])
    points = [[0.5, 0.5], [1.0, 0.5], [1.5, 0.2], [1.5, 1.9], [0, 0]]
    assert_allclose(net.outputs(points).ravel(), [5.5, 5.5, 15.5, 16.5, 5.5])  # cells are (a, b]


# ---------------------------------------------------------------------- steps of backpropagation

W = np.array([[0.5, -0.4]])
w0 = np.array([0.1, -0.2])
v, v0 = np.array([[0.3], [-0.6]]), np.array([0.05])


def one_step(net, target, error="squared_error"):
    before = net.copy()
    backpropagation(net, [[0.7]], target, error=error, rate=0.1, epochs=1)
    return [{name: new[name] - old[name] for name in new} for new, old in zip(net.parts, before.parts)]


@pytest.mark.capability("IML-11-12", "IML-11-09")
def test_one_step_with_a_linear_output():
    net = Network([Dense(2, "logistic"), Dense(1)], 1).load(W, w0, v, v0)
    assert_allclose(net.hidden([[0.7]])[0], [[0.610639, 0.382252]], atol=5e-7)
    assert_allclose(net.outputs([[0.7]]), [[0.003840]], atol=5e-7)
    assert_allclose(net.value_gradient([[0.7]], [[1.0]])[0], 0.496167, atol=5e-7)
    hidden, output = one_step(net, [[1.0]])
    assert_allclose(output["b"], [0.099616], atol=5e-7)
    assert_allclose(output["W"].ravel(), [0.060829, 0.038078], atol=5e-7)
    assert_allclose(hidden["b"], [0.007105, -0.014114], atol=5e-7)
    assert_allclose(hidden["W"].ravel(), [0.004974, -0.009880], atol=5e-7)
    assert_allclose(net.outputs([[0.7]]), [[0.158847]], atol=5e-7)
    assert_allclose(net.value_gradient([[0.7]], [[1.0]])[0], 0.353769, atol=5e-7)


@pytest.mark.capability("IML-11-13", "IML-11-09")
def test_one_step_with_a_logistic_output():
    net = Network([Dense(2, "logistic"), Dense(1, "logistic")], 1).load(W, w0, v, v0)
    assert_allclose(net.outputs([[0.7]]), [[0.500960]], atol=5e-7)
    assert_allclose(net.value_gradient([[0.7]], [[1.0]], "binary_entropy")[0], 0.691229, atol=5e-7)
    hidden, output = one_step(net, [[1.0]], "binary_entropy")
    assert_allclose([*output["b"], *output["W"].ravel()], [0.049904, 0.030473, 0.019076], atol=5e-7)
    assert_allclose(hidden["b"], [0.003560, -0.007070], atol=5e-7)
    assert_allclose(hidden["W"].ravel(), [0.002492, -0.004949], atol=5e-7)


@pytest.mark.capability("IML-11-14", "IML-11-09")
def test_one_step_with_a_softmax():
    V = np.array([[0.3, -0.2, 0.4], [-0.6, 0.1, 0.2]])
    net = Network([Dense(2, "logistic"), Dense(3, "softmax")], 1).load(W, w0, V, [0.05, 0.0, 0.1])
    assert_allclose(net.outputs([[0.7]]), [[0.291274, 0.266806, 0.441920]], atol=5e-7)
    assert_allclose(net.value_gradient([[0.7]], [[0, 1, 0]], "cross_entropy")[0], 1.321234, atol=5e-7)
    hidden, output = one_step(net, [[0, 1, 0]], "cross_entropy")
    expected = [
        [-0.029127, -0.017786, -0.011134],
        [0.073319, 0.044772, 0.028027],
        [-0.044192, -0.026985, -0.016892],
    ]
    assert_allclose(np.vstack([output["b"], output["W"]]).T, expected, atol=5e-7)
    assert_allclose(
        np.vstack([hidden["b"], hidden["W"]]).T, [[-0.009767, -0.006837], [0.003771, 0.002640]], atol=5e-7
    )


@pytest.mark.capability("IML-11-15")
def test_one_step_with_tanh_units():
    net = Network([Dense(2, "tanh"), Dense(1)], 1).load(W, w0, v, v0)
    assert_allclose(net.hidden([[0.7]])[0], [[0.421899, -0.446244]], atol=5e-7)
    assert_allclose(net.outputs([[0.7]]), [[0.444316]], atol=5e-7)
    hidden, _ = one_step(net, [[1.0]])
    expected = [[0.013703, 0.009592], [-0.026702, -0.018691]]
    assert_allclose(np.vstack([hidden["b"], hidden["W"]]).T, expected, atol=5e-7)


@pytest.mark.capability("IML-11-15")
def test_two_hidden_layers_by_the_formulas_of_the_book():
    net = Network([Dense(3, "logistic"), Dense(2, "logistic"), Dense(2)], 4, random_state=0)
    X, r = rng.normal(size=(6, 4)), rng.normal(size=(6, 2))
    z1, z2 = net.hidden(X)
    e = r - net.outputs(X)
    e2 = e @ net.parts[2]["W"].T * z2 * (1 - z2)
    e1 = e2 @ net.parts[1]["W"].T * z1 * (1 - z1)
    grad = net.split(net.value_gradient(X, r)[1])
    for part, (inputs, errors) in zip(grad, ((X, e1), (z1, e2), (z2, e))):
        assert_allclose(part["W"], -inputs.T @ errors, rtol=1e-12)
        assert_allclose(part["b"], -errors.sum(axis=0), rtol=1e-12)
    assert gradient_check(net, X, r) < 1e-8


@pytest.mark.capability("IML-11-12")
def test_batch_is_the_sum_of_the_rows_and_several_outputs_share_units():
    net = Network([Dense(3, "logistic"), Dense(2)], 2, random_state=0)
    X, r = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    whole = net.value_gradient(X, r)[1]
    assert_allclose(whole, sum(net.value_gradient(X[[i]], r[[i]])[1] for i in range(5)), rtol=1e-10)
    before = net.theta.copy()
    backpropagation(net, X, r, rate=0.01, epochs=1, online=False)
    assert_allclose(net.theta, before - 0.01 * whole)


def sine_rows(seed, n=50):
    random = np.random.default_rng(seed)
    x = random.uniform(-0.5, 0.5, n)
    return x[:, None], (np.sin(6 * x) + 0.1 * random.normal(size=n))[:, None]


@pytest.mark.capability("IML-11-12", "IML-11-17")
def test_the_sine_of_the_book_is_learned_step_by_step():
    """Two hidden units, online, rate 0.1, weights from (-0.01, 0.01): the error falls over 100, 200, 300 passes."""
    x, r = sine_rows(0)
    net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0, start=0.01)
    training = backpropagation(net, x, r, rate=0.1, epochs=600, snapshots=[100, 200, 300], random_state=0)
    mse = [2 * training.history[k - 1].error / 50 for k in (100, 200, 300, 600)]
    assert 0.22 > mse[0] > mse[1] > mse[2] > mse[3] and mse[3] < 0.05
    again = 2 * training.at(200).value_gradient(x, r)[0] / 50
    assert_allclose(again, mse[1], rtol=1e-12)
    with pytest.raises(ParameterError, match="no snapshot of pass 150"):
        training.at(150)
    with pytest.raises(DegenerateError, match="Lower the rate"):
        backpropagation(net, x * 1e200, r, rate=1e200, epochs=3)


@pytest.mark.capability("IML-11-18")
def test_momentum_on_a_constant_slope():
    """Slope 1, rate 0.1, momentum 0.9: the step tends to -rate / (1 - momentum) = -1."""

    class Slope:
        def value_gradient(self, network):
            return float(network.theta.sum()), np.ones(len(network.theta))

    net = Network([Dense(1, bias=False)], 1).load([[0.0]])
    training = backpropagation(
        net, [[0.0]], [[0.0]], rate=0.1, momentum=0.9, epochs=200, online=False, penalties=[Slope()]
    )
    assert_allclose(training.steps, [-1.0], rtol=1e-6)


@pytest.mark.capability("IML-11-19")
def test_the_rate_rises_while_the_error_falls():
    rule = AdaptiveRate(a=0.01, b=0.1, window=5)
    falling = [10.0 - k for k in range(10)]
    assert_allclose(rule.changed(0.2, falling), 0.21)
    assert_allclose(rule.changed(0.2, falling[::-1]), 0.18)
    assert rule.changed(0.2, falling[:7]) == 0.2  # between two looks
    x, r = sine_rows(1)
    net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0, start=0.1)
    training = backpropagation(
        net, x, r, rate=0.001, epochs=30, online=False, adapt=AdaptiveRate(0.0005, 0.1), random_state=0
    )
    rates = [record.rate for record in training.history]
    assert rates[-1] > rates[0]
    too_fast = backpropagation(
        Network([Dense(1)], 1).load([[1.0]], [0.0]),
        [[1.0]],
        [[0.0]],
        rate=1.05,
        epochs=20,
        online=False,
        adapt=AdaptiveRate(0.01, 0.1, window=1),
    )
    assert min(record.rate for record in too_fast.history) < 1.0  # errors rose, so the rate fell


@pytest.mark.capability("IML-11-21", "IML-11-17")
def test_overtraining_and_the_best_pass():
    x, r = sine_rows(2, 12)
    x_val, r_val = sine_rows(3, 200)
    net = Network([Dense(15, "tanh"), Dense(1)], 1, random_state=0)
    training = backpropagation(net, x, r, rate=0.01, epochs=60, validation=(x_val, r_val), random_state=0)
    curve = [record.validation for record in training.history]
    assert training.best == int(np.argmin(curve)) + 1
    assert_allclose(net.value_gradient(x_val, r_val)[0], min(curve), rtol=1e-12)
    errors = {}
    for units in (1, 2, 5, 15):  # several starts for each size: mean validation error and its spread
        sets = []
        for seed in range(3):
            some = Network([Dense(units, "tanh"), Dense(1)], 1, random_state=seed)
            minimize_error(some, x, r, penalties=[WeightDecay(1e-5)], max_iter=150)
            sets.append((some.value_gradient(x, r)[0] / 12, some.value_gradient(x_val, r_val)[0] / 200))
        errors[units] = np.mean(sets, axis=0)
    assert errors[15][0] < errors[1][0]  # more units fit the training rows better
    assert errors[15][1] > min(errors[2][1], errors[5][1])  # and new rows worse


# ---------------------------------------------------------------------- hints and priors


def slope_check(penalty, net):
    _, grad = penalty.value_gradient(net)
    for i in range(net.n_parameters):
        kept = net.theta[i]
        net.theta[i] = kept + 1e-6
        above = penalty.value_gradient(net)[0]
        net.theta[i] = kept - 1e-6
        below = penalty.value_gradient(net)[0]
        net.theta[i] = kept
        assert_allclose(grad[i], (above - below) / 2e-6, rtol=1e-5, atol=1e-7)


def test_ctrl_c_leaves_the_best_weights_of_a_search(monkeypatch):
    x = np.linspace(-1, 1, 10)[:, None]
    net, values, whole = Network([Dense(3, "tanh"), Dense(1)], 1, random_state=0), [], Network.value_gradient

    def interrupted(self, *args, **kwargs):
        if len(values) == 9:
            raise KeyboardInterrupt
        answer = whole(self, *args, **kwargs)
        values.append(answer[0])
        return answer

    monkeypatch.setattr(Network, "value_gradient", interrupted)
    with pytest.raises(KeyboardInterrupt):
        minimize_error(net, x, x**2)
    monkeypatch.undo()
    assert net.value_gradient(x, x**2)[0] == min(values)


@pytest.mark.parametrize("judged", [False, True])
def test_ctrl_c_keeps_the_passes_so_far(judged, monkeypatch):
    x = np.linspace(-1, 1, 10)[:, None]
    net, calls, outputs = Network([Dense(3, "tanh"), Dense(1)], 1, random_state=0), [], Network.outputs

    def interrupted(self, X):
        calls.append(1)
        if len(calls) > (8 if judged else 4):  # of the rows, and of those that judge
            raise KeyboardInterrupt
        return outputs(self, X)

    monkeypatch.setattr(Network, "outputs", interrupted)
    with pytest.warns(UserWarning, match="interrupted in pass 5; the passes so far are kept"):
        training = backpropagation(
            net, x, x**2, epochs=50, rate=0.05, validation=(x, x**2) if judged else None, random_state=0
        )
    monkeypatch.undo()
    assert [each.number for each in training.history] == [1, 2, 3, 4]
    errors = [each.validation for each in training.history]
    if judged:
        assert ((net.outputs(x) - x**2) ** 2 / 2).sum() == pytest.approx(min(errors), rel=1e-12)
        assert training.best == 1 + int(np.argmin(errors))


@pytest.mark.capability("IML-11-25", "IML-11-26", "IML-11-27")
def test_gradients_of_hints():
    net = Network([Dense(4, "tanh"), Dense(3, "logistic"), Dense(2)], 3, random_state=0)
    X, V = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    slope_check(InvarianceHint(0.7, X, X[:, ::-1]), net)
    slope_check(IntervalHint(0.7, X, -0.05, 0.1), net)
    slope_check(TangentHint(0.7, X, V), net)
    h = 1e-6
    rise = (net.outputs(X + h * V) - net.outputs(X - h * V)) / (2 * h)
    assert_allclose(net.along(X, V), rise, rtol=1e-6, atol=1e-9)


@pytest.mark.capability("IML-11-25")
def test_an_invariance_hint_makes_outputs_coincide():
    """Parity does not change when the inputs are rotated: "0101" and "1010"."""
    X = rows_of(4)
    same = np.roll(X, 1, axis=1)
    r = (X[:, 0] > 0).astype(float)[:, None]  # a target that is not invariant
    gaps = []
    for strength in (0.0, 1000.0):
        net = Network([Dense(4, "tanh"), Dense(1)], 4, random_state=0)
        minimize_error(net, X, r, penalties=[InvarianceHint(strength, X, same)], max_iter=300)
        gaps.append(float(np.abs(net.outputs(X) - net.outputs(same)).max()))
    assert gaps[0] > 0.5 and gaps[1] < 0.02


@pytest.mark.capability("IML-11-26")
def test_an_interval_hint():
    """[1, 2]: 0.5 -> 0.25, 1.5 -> 0, 3 -> 1; and outputs where nothing else is known move into it."""
    assert_allclose(IntervalHint(1.0, [[0.0]], 1.0, 2.0).errors(np.array([0.5, 1.5, 3.0])), [0.25, 0, 1])
    net = Network([Dense(4, "tanh"), Dense(1)], 1, random_state=0)
    minimize_error(net, [[0.0]], [[0.0]], penalties=[IntervalHint(10.0, [[2.0]], 1.0, 2.0)])
    assert_allclose(net.outputs([[0.0]]), [[0.0]], atol=1e-3)
    assert 0.999 <= net.outputs([[2.0]])[0, 0] <= 2.001


@pytest.mark.capability("IML-11-27")
def test_tangent_prop_flattens_the_outputs():
    X = rng.normal(size=(30, 2))
    r = X.sum(axis=1, keepdims=True)
    V = np.tile([1.0, -1.0], (30, 1)) + np.array([0.0, 0.3])
    slopes = []
    for strength in (0.0, 100.0):
        net = Network([Dense(5, "tanh"), Dense(1)], 2, random_state=0)
        minimize_error(net, X, r, penalties=[TangentHint(strength, X, V)], max_iter=300)
        slopes.append(float(np.abs(net.along(X, V)).max()))
    assert slopes[0] > 0.25 and slopes[1] < 0.02


@pytest.mark.capability("IML-11-28", "IML-11-32")
def test_weight_decay_of_a_linear_network_is_ridge_regression():
    """(X'X + lambda I)^-1 X'r; with the prior N(0, 1/(2 lambda2)) it is lambda = 2 lambda2."""
    X, r = rng.normal(size=(20, 3)), rng.normal(size=(20, 1))
    for lambda_, biases in ((2.5, False), (2.5, True)):
        net = Network([Dense(1)], 3, random_state=0)
        minimize_error(net, X, r, penalties=[WeightDecay(lambda_, biases)], tol=1e-10)
        wide = np.column_stack([X, np.ones(20)])
        D = lambda_ * np.diag([1, 1, 1, float(biases)])
        assert_allclose(net.theta, np.linalg.solve(wide.T @ wide + D, wide.T @ r).ravel(), rtol=1e-6)
        if not biases:
            ridge = Ridge(alpha=lambda_).fit(X, r.ravel())
            assert_allclose(net.parts[0]["W"].ravel(), ridge.coef_, rtol=1e-6)
    lambda2 = 0.8
    posterior = WeightDecay(2 * lambda2).value_gradient(net)[0]  # E' = E + lambda2 |w|^2
    assert_allclose(posterior, lambda2 * net.theta @ net.theta)
    normal = 0.5 * net.theta @ net.theta / (1 / (2 * lambda2))  # -log N(0, 1 / (2 lambda2)), constants aside
    assert_allclose(posterior, normal)


@pytest.mark.capability("IML-11-28")
def test_decay_alone_is_geometric():
    """With E = 0 each update multiplies the weights by 1 - rate lambda."""
    net = Network([Dense(1, bias=False)], 2).load([[3.0], [-4.0]])
    backpropagation(
        net, [[0.0, 0.0]], [[0.0]], rate=0.1, epochs=10, online=False, penalties=[WeightDecay(0.5)]
    )
    assert_allclose(net.theta, np.array([3.0, -4.0]) * (1 - 0.05) ** 10)


@pytest.mark.capability("IML-11-28")
def test_pruning_keeps_what_matters():
    x, r = sine_rows(0)
    net = Network([Dense(3, "tanh"), Dense(1)], 1, random_state=1)
    minimize_error(net, x, r, max_iter=300)
    large = _with_more_units(net, 0, rng, units=6)  # no influence on the output: outgoing weights are 0
    small = prune(large, 0.34)
    assert (large.n_parameters, small.n_parameters) == (28, 10)
    assert_allclose(small.outputs(x), net.outputs(x), rtol=1e-12)
    assert prune(net, 0.0).n_parameters == 10
    constant = Network([Dense(2, "tanh"), Dense(1)], 1).load([[1.0, 0.0]], [0.0, 0.7], [[2.0], [3.0]], [0.5])
    folded = prune(constant, 0.25)
    assert folded.layers[0].units == 1
    assert_allclose(folded.outputs([[0.3]]), constant.outputs([[0.3]]))


@pytest.mark.capability("IML-11-33")
def test_soft_weight_sharing():
    """alpha (.6, .4), m (0, 1), s (.3, .5), w = .9: responsibilities (.027553, .972447), pull -.113450."""
    prior = SoftWeightSharing(1.0, [0.6, 0.4], [0.0, 1.0], [0.3, 0.5], rate=0.0)
    assert_allclose(prior.responsibilities([0.9]), [[0.027553, 0.972447]], atol=5e-7)
    assert_allclose(prior.slopes(np.array([0.9]))["w"], [-0.113450], atol=5e-7)
    w, h = rng.normal(size=6), 1e-6

    shares = np.log([0.6, 0.4])

    def value(w=w, means=(0.0, 1.0), spreads=(0.3, 0.5), gamma=shares):
        weights = np.exp(gamma) / np.exp(gamma).sum()
        return SoftWeightSharing(0.7, weights, means, spreads).value(w)

    exact = SoftWeightSharing(0.7, [0.6, 0.4], [0.0, 1.0], [0.3, 0.5]).slopes(w)
    first = {
        "w": w,
        "means": np.array([0.0, 1.0]),
        "spreads": np.array([0.3, 0.5]),
        "gamma": np.log([0.6, 0.4]),
    }
    for name, start in first.items():
        for i in range(len(start)):
            e = np.zeros(len(start))
            e[i] = h
            rise = (value(**{name: start + e}) - value(**{name: start - e})) / (2 * h)
            assert_allclose(exact[name][i], rise, rtol=1e-5, atol=1e-7)


@pytest.mark.capability("IML-11-33")
def test_soft_weight_sharing_gathers_the_weights():
    X = rng.normal(size=(60, 8))
    truth = np.array([1.0] * 4 + [0.0] * 4)
    r = (rng.random(60) < expit(2 * X @ truth)).astype(float)[:, None]
    spread = {}
    for strength in (0.0, 1.0):
        net = Network([Dense(1, "logistic", bias=False)], 8, random_state=0)
        prior = SoftWeightSharing(strength, [0.5, 0.5], [0.0, 1.5], [0.5, 0.5], rate=0.05)
        backpropagation(
            net, X, r, error="binary_entropy", rate=0.01, epochs=300, online=False, penalties=[prior]
        )
        spread[strength] = net.theta[:4].std() + net.theta[4:].std()
    assert spread[1.0] < 0.6 * spread[0.0]


# ---------------------------------------------------------------------- size


@pytest.mark.capability("IML-11-29")
def test_dynamic_node_creation_solves_the_exclusive_or():
    for seed in range(3):
        search = dynamic_node_creation(XOR, [0, 1, 1, 0], random_state=seed)
        assert_array_equal(search.state.outputs(XOR).ravel() > 0.5, [0, 1, 1, 0])
        assert search.state.layers[0].units <= 3
        assert all(a > b for a, b in zip(search.badness, search.badness[1:]))


@pytest.mark.capability("IML-11-30")
@pytest.mark.parametrize("only_new", [False, True])
def test_cascade_correlation(only_new):
    net = cascade_correlation(XOR, [0, 1, 1, 0], random_state=0)
    assert_array_equal(net.outputs(XOR).ravel() > 0.5, [0, 1, 1, 0])
    assert len(net.units) <= 3
    X = rng.uniform(-1, 1, size=(60, 2))
    Y = np.column_stack([np.sin(3 * X[:, 0]) * X[:, 1], X[:, 0] ** 2])
    net = cascade_correlation(X, Y, most=5, goal=0.0, candidates=3, only_new=only_new, random_state=0)
    assert all(b <= a + 1e-12 for a, b in zip(net.error, net.error[1:]))  # the error never rises
    assert net.error[-1] < 0.5 * net.error[0]
    assert [len(w) for w in net.units] == [3, 4, 5, 6, 7]  # each sees all before it
    assert_allclose(((net.outputs(X) - Y) ** 2).mean(), net.error[-1])


@pytest.mark.capability("IML-11-31", "DC-100")
def test_architecture_search_never_gets_worse():
    x, r = sine_rows(0, 40)
    search = search_architecture(
        x[:25], r[:25], (x[25:], r[25:]), start=(1,), price=1e-5, most=3, max_iter=100, random_state=0
    )
    assert len(search.badness) >= 2
    assert all(a > b for a, b in zip(search.badness, search.badness[1:]))


@pytest.mark.capability("IML-11-31")
def test_node_creation_is_a_search_with_one_move():
    x, r = sine_rows(0, 30)
    grown = dynamic_node_creation(x, r, goal=0.004, most=3, max_iter=60, random_state=5)
    random = np.random.default_rng(5)

    def trained(net):
        minimize_error(net, x, r, max_iter=60)
        return net

    start = trained(Network([Dense(1, "logistic"), Dense(1)], 1, random))
    same = hill_climb(
        start,
        {"add a unit": lambda net: trained(_with_more_units(net, 0, random))},
        lambda net: net.value_gradient(x, r)[0] / 30,
        goal=0.004,
        most=3,
    )
    assert_allclose(same.badness, grown.badness)


@pytest.mark.capability("IML-11-31")
def test_a_cascade_is_a_search_with_one_move():
    X = rng.uniform(-1, 1, size=(40, 2))
    Y = np.sin(3 * X[:, 0]) * X[:, 1]
    whole = cascade_correlation(X, Y, most=3, goal=0.0, candidates=2, random_state=0)
    search = hill_climb(
        0,
        {"add a cascade unit": lambda k: k + 1},
        lambda k: cascade_correlation(X, Y, most=k, goal=0.0, candidates=2, random_state=0).error[-1],
        most=3,
    )
    assert_allclose(search.badness, whole.error)


# ---------------------------------------------------------------------- fewer dimensions


@pytest.mark.capability("IML-11-35")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_hidden_units_of_a_digit_network():
    """64-2-10, logistic units: training accuracy of the best of five starts 0.77 to 0.83 (here on 1797 rows)."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    settings = {"activation": "logistic", "solver": "lbfgs", "alpha": 1e-5 * len(X), "max_iter": 300}
    models = [MLPClassifier(2, tol=1e-7, random_state=seed, **settings).fit(X, y) for seed in range(5)]
    best = max(models, key=lambda model: model.score(X, y))
    assert 0.77 <= best.score(X, y) <= 0.83
    Z = best.hidden(X)
    assert Z.shape == (1797, 2) and Z.min() >= 0 and Z.max() <= 1
    assert np.mean((np.abs(Z - 0.5) > 0.25).any(axis=1)) > 0.7  # near corners and edges


@pytest.mark.capability("IML-11-36")
def test_a_linear_autoencoder_finds_the_principal_space():
    """Least error = the sum of the discarded squared singular values; the decoder spans the leading eigenvectors."""
    X = np.random.default_rng(1).normal(size=(200, 5)) * [3, 2, 1, 1, 0.5]
    model = Autoencoder(2, tol=1e-10, max_iter=2000, random_state=0).fit(X)
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    assert_allclose(model.reconstruction_error_, (s[2:] ** 2).sum(), rtol=1e-6)
    decoder = np.linalg.qr(model.regressor_.coefs_[1].T)[0]
    cosines = np.linalg.svd(PCA(2).fit(X).components_ @ decoder, compute_uv=False)
    assert_allclose(cosines, 1.0, atol=1e-5)


@pytest.mark.capability("IML-11-36")
def test_a_deep_autoencoder_beats_the_plane_on_a_bent_surface():
    t = np.random.default_rng(0).uniform(-1, 1, 120)
    X = np.column_stack([t, t**2, np.sin(3 * t)])
    plane = Autoencoder(1, random_state=0).fit(X)
    deep = Autoencoder(1, hidden_layer_sizes=(8,), max_iter=1500, random_state=0).fit(X)
    assert deep.reconstruction_error_ < 0.1 * plane.reconstruction_error_
    again = deep.inverse_transform(deep.transform(X))
    assert_allclose(((again - X) ** 2).sum(), deep.reconstruction_error_, rtol=1e-9)


@pytest.mark.capability("IML-11-37")
def test_the_curve_of_code_sizes_has_its_elbow_at_the_true_size():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2)) @ random.normal(size=(2, 5)) + 0.01 * random.normal(size=(80, 5))
    curve = reconstruction_curve(X, [1, 2, 3], random_state=0)
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    assert_allclose([curve[k] for k in (1, 2)], [(s[k:] ** 2).sum() for k in (1, 2)], rtol=0.1)
    assert curve[1] > 50 * curve[2]


@pytest.mark.capability("IML-11-38")
def test_sammon_network():
    X = np.random.default_rng(0).normal(size=(25, 4))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    net = Network([Dense(5, "tanh"), Dense(2)], 4, random_state=0)
    stress, slope = relative_stress(net.outputs(X), D)
    grad = net.gradient(X, slope)
    for i in range(0, net.n_parameters, 3):
        kept, values = net.theta[i], []
        for step in (1e-6, -1e-6):
            net.theta[i] = kept + step
            values.append(relative_stress(net.outputs(X), D)[0])
        net.theta[i] = kept
        assert_allclose(grad[i], (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-6)
    model = SammonNetwork(random_state=0, max_iter=300).fit(X)
    assert model.stress_ < 0.5 * stress
    assert_allclose(model.transform(X[:3]), model.embedding_[:3])  # new rows need no more than the network


@pytest.mark.capability("IML-11-45")
def test_projection_pursuit_finds_the_direction():
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = (X[:, 0] + X[:, 1]) ** 2
    model = ProjectionPursuitRegressor(1, random_state=0).fit(X, y)
    w = model.directions_[0] / model.scale_
    assert_allclose(np.abs(w) / np.linalg.norm(w), [np.sqrt(0.5)] * 2, atol=1e-3)
    assert model.score(X, y) > 0.999
    far = model.predict([[30.0, 30.0]])  # straight on beyond the training rows
    assert np.isfinite(far).all()


@pytest.mark.capability("IML-11-46")
def test_direct_connections_leave_little_to_the_hidden_units():
    """y = u x + v z: of a linear target the hidden part stays small; its gradient is (r - y) x."""
    X = rng.normal(size=(60, 3))
    r = X @ np.array([[1.0], [-2.0], [0.5]])
    net = Network([Direct((Dense(4, "tanh"), Dense(1)))], 3, random_state=0)
    u = net.split(net.value_gradient(X, r)[1])[0]["U"]
    assert_allclose(u, -X.T @ (r - net.outputs(X)), rtol=1e-10)
    minimize_error(net, X, r, penalties=[WeightDecayOfHidden(0.1)], max_iter=300)
    parts = net.parts[0]
    assert_allclose(parts["U"].ravel(), [1.0, -2.0, 0.5], atol=0.01)
    assert np.abs(parts["1.W"]).max() < 0.02


class WeightDecayOfHidden:
    """Decay of all but the direct connections."""

    def __init__(self, decay):
        self.decay = decay

    def value_gradient(self, network):
        mask = np.ones(network.n_parameters)
        network.split(mask)[0]["U"][...] = 0.0
        w = network.theta * mask
        return self.decay / 2 * (w @ w), self.decay * w


# ---------------------------------------------------------------------- time


@pytest.mark.capability("IML-11-39")
def test_a_time_delay_network_is_a_convolution_in_time():
    X, y = lagged_windows(np.arange(10.0), 4, ahead=1)
    assert_array_equal(X[0], [0, 1, 2, 3])
    assert_array_equal(y, np.arange(4.0, 10.0))
    assert len(lagged_windows(np.zeros((9, 2)), 3)[0]) == 7  # no row for t < T
    sequence = rng.normal(size=(12, 2))
    shared = Network([Convolution(3, 4, "tanh")], (12, 2), random_state=0)
    windows = lagged_windows(sequence, 4)[0]
    dense = Network([Dense(3, "tanh")], 8).load(shared.parts[0]["W"].reshape(8, 3), shared.parts[0]["b"])
    assert_allclose(dense.outputs(windows), shared.outputs(sequence[None])[0], rtol=1e-12)


@pytest.mark.capability("IML-11-42", "IML-11-41")
def test_real_time_learning_equals_backpropagation_through_time():
    """Six steps, three hidden units: both are the gradient of the summed error."""
    net = Network(
        [PartiallyRecurrent(3, 2, activation="logistic", output="logistic")], (6, 2), random_state=0
    )
    X, r = rng.normal(size=(6, 2)), rng.normal(size=(6, 2))
    through_time = net.value_gradient(X[None], r[None])[1]
    assert_allclose(real_time_gradient(net, X, r), through_time, rtol=1e-9, atol=1e-12)
    assert gradient_check(net, X[None], r[None]) < 1e-8


@pytest.mark.capability("IML-11-41")
def test_backpropagation_through_time_by_the_formulas_of_the_book():
    net = Network([Recurrent(3, "logistic", sequences=True)], (5, 2), random_state=0)
    X, e = rng.normal(size=(1, 5, 2)), rng.normal(size=(1, 5, 3))
    h = np.vstack([np.zeros(3), net.outputs(X)[0]])
    part, delta = net.parts[0], np.zeros((6, 3))
    for t in range(4, -1, -1):
        delta[t] = (e[0, t] + delta[t + 1] @ part["R"].T) * h[t + 1] * (1 - h[t + 1])
    grad = net.split(net.gradient(X, e))[0]
    assert_allclose(grad["R"], h[:5].T @ delta[:5], rtol=1e-12)
    assert_allclose(grad["W"], X[0].T @ delta[:5], rtol=1e-12)


@pytest.mark.capability("IML-11-40")
@pytest.mark.parametrize("feedback", [("hidden",), ("hidden", "output to hidden")])
def test_running_exclusive_or(feedback):
    """Target x(t) xor x(t - 1); four hidden units, the best of three starts gets all right."""
    random = np.random.default_rng(0)
    bits = random.integers(2, size=(12, 10)).astype(float)
    target = np.zeros((12, 10, 1))
    target[:, 1:, 0] = bits[:, 1:] != bits[:, :-1]
    best = 0.0
    for seed in range(3):
        net = Network([PartiallyRecurrent(4, 1, feedback)], (10, 1), random_state=seed)
        net.theta *= 2
        minimize_error(net, bits[:, :, None], target, max_iter=250)
        right = (net.outputs(bits[:, :, None]) > 0.5) == (target > 0.5)
        best = max(best, float(right[:, 1:].mean()))
        if best == 1.0:
            break
    assert best == 1.0


@pytest.mark.capability("IML-11-40")
@pytest.mark.parametrize("feedback", [("hidden",), ("output",), ("output to hidden",)])
def test_a_sine_is_predicted_one_step_ahead(feedback):
    wave = np.sin(0.4 * np.arange(41))
    net = Network([PartiallyRecurrent(4, 1, feedback)], (40, 1), random_state=1)
    minimize_error(net, wave[None, :40, None], wave[None, 1:, None], max_iter=150)
    error = (net.outputs(wave[None, :40, None]).ravel() - wave[1:]) ** 2
    assert error[5:].mean() < (1e-3 if "hidden" in feedback else 5e-2)


# ---------------------------------------------------------------------- deep


@pytest.mark.capability("IML-11-43")
def test_pretraining_helps_or_does_no_harm_with_few_labels():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    labelled, test = np.arange(60), np.arange(600, 1200)
    scores = {}
    for name in ("random", "pretrained"):
        scores[name] = []
        for seed in range(2):
            if name == "random":
                net = Network([Dense(25, "logistic"), Dense(15, "logistic"), Dense(10, "softmax")], 64, seed)
            else:
                net = pretrained_network(X[:300], [25, 15], 10, max_iter=60, random_state=seed)
            minimize_error(
                net,
                X[labelled],
                np.eye(10)[y[labelled]],
                error="cross_entropy",
                penalties=[WeightDecay(1e-3)],
                max_iter=100,
            )
            scores[name].append(np.mean(net.outputs(X[test]).argmax(axis=1) == y[test]))
    assert np.mean(scores["pretrained"]) >= np.mean(scores["random"]) - 0.02
    assert np.mean(scores["pretrained"]) > 0.6


def test_biases_are_known_by_their_names():
    net = Network([Dense(2), Flatten(), Dense(1, bias=False)], 3)
    assert is_bias(net).sum() == 2
