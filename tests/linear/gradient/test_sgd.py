"""Stochastic gradient descent: the native code against a twin that spells every step out, and its losses and orders."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.linear.gradient._sgd as _sgd
from assay.errors import DataError
from assay.linear.gradient.sgd import LOSSES, Visits
from assay.optimize.losses import margin_loss, residual_loss

EMPTY, NO_ROWS = np.empty(0), np.empty(0, dtype=np.uint8)
MARGIN = ("hinge", "perceptron", "squared_hinge", "log_loss", "modified_huber")
CONSTANT, OPTIMAL, INVSCALING, PA1, PA2 = range(5)


def loss_by_the_book(name, y, s, epsilon=0.1):
    """The loss and its slope by the score, from the table of losses; in a corner the slope from the left."""
    if name in MARGIN:
        loss, m = margin_loss(name), y * s
        left = np.nextafter(m, -np.inf) if name in ("hinge", "perceptron") else m
        return float(loss.value(m)), float(y * loss.slope(left))
    loss = residual_loss(name, **({} if name == "squared_error" else {"epsilon": epsilon}))
    return float(loss.value(y - s)), float(-loss.slope(y - s))


NAMES = ("y", "weight", "skip", "order", "rule", "state", "w", "mean", "paid")


def native_epoch(X):
    """The native pass over the rows of X, as a function of positional arguments like its twin."""
    run = Visits(X).epoch
    return lambda *arguments: run(**dict(zip(NAMES, arguments, strict=True)))


def epoch_by_the_book(X, y, weight, skip, order, rule, state, w, mean, paid):
    """The same pass with plain vectors: no scale, the mean updated in every step, the penalty of all weights."""
    names = {number: name for name, number in LOSSES.items()}
    loss_kind, rate_kind, epsilon, alpha, l1, eta, power, decay, average, batch, _ = rule
    penalised = l1 >= 0
    share = max(l1, 0.0)
    b, mean_b, t, owed = state[:4]
    losses = objective = 0.0
    rows = [i for i in order if not skip[i]]
    for first in range(0, len(rows), int(batch)):
        members = rows[first : first + int(batch)]
        rate = {
            OPTIMAL: 1 / (alpha * (alpha**-0.75 + (t - 1))) if alpha else np.nan,
            INVSCALING: eta / t**power,
        }.get(rate_kind, eta)
        steps = []
        for i in members:
            value, slope = loss_by_the_book(names[int(loss_kind)], y[i], X[i] @ w + b, epsilon)
            losses += value
            objective += value
            if penalised and rate_kind < PA1:
                objective += alpha * ((1 - share) / 2 * w @ w + share * np.abs(w).sum())
            if rate_kind == PA1:
                step = -np.sign(slope) * min(eta, value / (X[i] @ X[i])) if X[i].any() else 0.0
            elif rate_kind == PA2:
                step = -np.sign(slope) * value / (X[i] @ X[i] + 0.5 / eta)
            else:
                step = -rate * slope
            steps.append(step * weight[i])
        if rate_kind == PA1 and not X[members].any():
            continue
        if penalised:
            w *= max(0.0, 1 - (1 - share) * rate * alpha)
        for i, step in zip(members, steps, strict=True):
            w += step / len(members) * X[i]
        b += decay * np.mean(steps)
        if share > 0:
            owed += share * rate * alpha
            touched = np.any(X[members] != 0, axis=0)
            before = w.copy()
            pulled = np.where(
                w > 0, np.maximum(0, w - (owed + paid)), np.where(w < 0, np.minimum(0, w + (owed - paid)), w)
            )
            w[touched] = pulled[touched]
            paid += w - before
        if average and t >= average:
            number = t - average + 1
            mean += (w - mean) / number
            mean_b += (b - mean_b) / number
        t += 1
    state[:4] = b, mean_b, t, owed
    return losses, objective, len(rows)


def made(n, d, seed, labels=True, density=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0) if labels else rng.normal(size=n)
    return X, y, rng.uniform(0.5, 2, n), rng.permutation(n).astype(np.int32)


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_those_of_the_table(name):
    rng = np.random.default_rng(0)
    for s in [*rng.normal(scale=3, size=50), -900.0, 900.0, 0.25]:
        for y in (-1.0, 1.0, 0.7):
            if name in MARGIN and abs(y) != 1:
                continue
            result = _sgd.loss(LOSSES[name], y, float(s), 0.1)
            assert_allclose(result, loss_by_the_book(name, y, float(s)), rtol=1e-12, atol=1e-300)


def test_a_margin_that_is_just_reached_still_moves():
    """Where the hinge and the perceptron have a corner the left slope counts: else a zero start never moves."""
    assert _sgd.loss(LOSSES["perceptron"], 1.0, 0.0, 0.1) == (0.0, -1.0)
    assert _sgd.loss(LOSSES["hinge"], -1.0, -1.0, 0.1) == (0.0, 1.0)


# ---------------------------------------------------------------- one pass and its twin

CASES = {
    "plain": {},
    "log loss": {"loss": "log_loss"},
    "squared hinge, no constant": {"loss": "squared_hinge", "decay": 0.0},
    "modified huber, averaged": {"loss": "modified_huber", "average": 1},
    "averaged from step 20 on": {"average": 20},
    "optimal": {"rate": OPTIMAL, "alpha": 0.05},
    "falling": {"rate": INVSCALING, "loss": "log_loss"},
    "absolute penalty": {"l1": 1.0, "alpha": 0.05},
    "absolute penalty, averaged": {"l1": 1.0, "alpha": 0.05, "average": 3},
    "both penalties": {"l1": 0.4, "alpha": 0.05, "loss": "log_loss", "average": 3},
    "no penalty": {"l1": -1.0},
    "passive-aggressive 1": {"rate": PA1, "l1": -1.0},
    "passive-aggressive 2": {"rate": PA2, "alpha": 0.01},
    "batches of 7": {"batch": 7, "loss": "log_loss", "average": 2, "l1": 0.3, "alpha": 0.02},
    "a batch of all": {"batch": 10**6, "loss": "log_loss"},
    "strong decay": {
        "alpha": 40.0,
        "eta": 0.02,
    },  # the weights shrink by 0.2 each step, so that the scale runs out
    "decay beyond zero": {"alpha": 400.0, "average": 1},
    "residuals": {"loss": "squared_error"},
    "huber": {"loss": "huber"},
    "insensitive": {"loss": "epsilon_insensitive"},
    "squared insensitive": {"loss": "squared_epsilon_insensitive"},
}


def ruled(
    loss="hinge", rate=CONSTANT, alpha=0.01, l1=0.0, eta=0.05, power=0.4, decay=1.0, average=0, batch=1
):
    numbers = [LOSSES[loss], rate, 0.1, alpha, l1, eta, power, decay, average, batch, 1]
    return np.array(numbers, dtype=np.float64)


@pytest.mark.parametrize("kind", ["dense", "dense32", "sparse", "sparse32"])
@pytest.mark.parametrize("case", CASES)
def test_a_pass_agrees_with_its_twin(case, kind):
    sparse = kind.startswith("sparse")
    X, y, weight, order = made(60, 45 if "dense" in kind else 30, 1, density=0.3 if sparse else 1.0)
    X[:, :2] = X[:, :2] + 1.0  # never 0, so that every row has entries
    X = X.astype(np.float32 if "32" in kind else np.float64)
    run = native_epoch(sp.csr_matrix(X) if sparse else X)
    X = X.astype(np.float64)
    skip = (np.arange(60) % 11 == 3).astype(np.uint8)
    rule = ruled(**CASES[case])
    d = X.shape[1]
    w = np.random.default_rng(2).normal(size=d) * 0.1
    mean, paid = np.zeros(d), np.zeros(d)
    state = np.array([0.3, 0.0, 1.0, 0.0, w @ w, np.abs(w).sum()])
    book = [state.copy(), w.copy(), mean.copy(), paid.copy()]
    averaged, owing = rule[8] > 0, rule[4] > 0
    for _ in range(2):
        result = run(
            y, weight, skip, order, rule, state, w, mean if averaged else EMPTY, paid if owing else EMPTY
        )
        expected = epoch_by_the_book(X, y, weight, skip, order, rule, book[0], *book[1:])
        assert result[2] == expected[2]
        assert_allclose(result[0], expected[0], rtol=1e-9)
        if (
            not sparse and rule[9] == 1 and rule[4] < 0.1
        ):  # else the penalty is that of a few columns, or of before
            assert_allclose(result[1], expected[1], rtol=1e-9)
        assert_allclose(w, book[1], rtol=1e-8, atol=1e-12)
        assert_allclose(state[:4], book[0][:4], rtol=1e-8, atol=1e-12)
        if averaged:
            assert_allclose(mean, book[2], rtol=1e-8, atol=1e-12)
        if owing:
            assert_allclose(paid, book[3], rtol=1e-8, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 40),
    d=st.integers(1, 70),
    loss=st.sampled_from(list(LOSSES)),
    l1=st.sampled_from([-1.0, 0.0, 0.5, 1.0]),
    batch=st.integers(1, 50),
    average=st.integers(0, 5),
    seed=st.integers(0, 10**6),
)
def test_any_pass_agrees_with_its_twin_dense_and_sparse(n, d, loss, l1, batch, average, seed):
    X, y, weight, order = made(n, d, seed)
    rule = ruled(loss=loss, l1=l1, batch=batch, average=average, eta=0.01)
    skip = np.zeros(n, dtype=np.uint8)
    results = []
    for run in (native_epoch(X), native_epoch(sp.csr_matrix(X)), None):
        w, mean, paid = np.zeros(d), np.zeros(d), np.zeros(d)
        state = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        if run is None:
            epoch_by_the_book(X, y, weight, skip, order, rule, state, w, mean, paid)
        else:
            run(y, weight, skip, order, rule, state, w, mean if average else EMPTY, paid if l1 > 0 else EMPTY)
        results.append(np.concatenate((w, mean, state[:4])))
    assert_allclose(results[0], results[2], rtol=1e-7, atol=1e-10)
    assert_allclose(results[1], results[2], rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("batch", [1, 3])
def test_rows_without_entries_are_passed_over_by_passive_aggressive_steps(batch):
    """They cannot be repaired: no decay, no step of the average, no number of a step."""
    X, y, weight, order = made(40, 3, 8, density=0.3)
    X[::2], skip = 0.0, np.zeros(40, dtype=np.uint8)
    for table, l1 in ((X, 0.0), (sp.csr_matrix(X), 0.0), (sp.csr_matrix(X), 0.4)):
        rule, results = ruled(rate=PA1, l1=l1, alpha=0.5, average=2, batch=batch), []
        for run in (native_epoch(table), None):
            w, mean, paid = np.ones(3), np.zeros(3), np.zeros(3)
            state = np.array([0.0, 0.0, 1.0, 0.0, 3.0, 3.0])
            if run is None:
                epoch_by_the_book(X, y, weight, skip, order, rule, state, w, mean, paid)
            else:
                run(y, weight, skip, order, rule, state, w, mean, paid if l1 else EMPTY)
            results.append(np.concatenate((w, mean, state[:4])))
        assert_allclose(*results, rtol=1e-9, atol=1e-12)
        assert results[0][-2] < 1 + -(-40 // batch)  # some steps were not made


@pytest.mark.parametrize("eta", [0.06050267801918681, 0.025304236334754635, 0.0019949569579003684])
def test_a_step_and_its_opposite_leave_nothing(eta):
    """Else a tie of the perceptron would be decided by the last bit of a constant that should be 0."""
    X, y = sp.csr_matrix((2, 3)), np.array([1.0, -1.0])  # no entries: only the constant moves, there and back
    rule = ruled(loss="perceptron", l1=-1.0, eta=eta, decay=0.01)
    state = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    order = np.arange(2, dtype=np.int32)
    losses, _, _ = native_epoch(X)(y, EMPTY, NO_ROWS, order, rule, state, np.zeros(3), EMPTY, EMPTY)
    assert losses > 0 and state[0] == 0.0


def test_a_pass_without_weights_counts_every_row_once():
    X, y, _, order = made(30, 5, 3)
    rule, results = ruled(), []
    for weight in (EMPTY, np.ones(30)):
        w, state = np.zeros(5), np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        native_epoch(X)(y, weight, NO_ROWS, order, rule, state, w, EMPTY, EMPTY)
        results.append(w)
    assert_array_equal(*results)


def test_the_kernel_refuses_arrays_that_do_not_fit():
    X, y, _, order = made(5, 3, 0)
    state = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    run, w = native_epoch(X), np.zeros(3)
    with pytest.raises(ValueError, match="one entry a column"):
        run(y, EMPTY, NO_ROWS, order, ruled(), state, np.zeros(4), EMPTY, EMPTY)
    with pytest.raises(ValueError, match="one entry a row"):
        run(y[:3], EMPTY, NO_ROWS, order, ruled(), state, w, EMPTY, EMPTY)
    with pytest.raises(ValueError, match="needs paid"):
        run(y, EMPTY, NO_ROWS, order, ruled(l1=1.0), state, w, EMPTY, EMPTY)
    with pytest.raises(ValueError, match="needs mean"):
        run(y, EMPTY, NO_ROWS, order, ruled(average=1), state, w, EMPTY, EMPTY)


def test_a_damaged_sparse_matrix_is_refused():
    X = sp.csr_matrix(np.eye(3))
    X.indices[2] = 9
    with pytest.raises(DataError, match="damaged"):
        Visits(X)


# ---------------------------------------------------------------- orders


def shuffled_by_the_book(order, seed):
    draw = seed or 1
    order = list(order)
    for i in range(len(order) - 1):
        draw ^= (draw << 13) & 0xFFFFFFFF
        draw ^= draw >> 17
        draw ^= (draw << 5) & 0xFFFFFFFF
        j = i + (draw % 2**31) % (len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order


@settings(max_examples=40, deadline=None)
@given(n=st.integers(0, 50), seed=st.integers(0, 2**32 - 1))
def test_orders_are_those_of_the_twin(n, seed):
    order = np.arange(n, dtype=np.int32)
    _sgd.shuffle(order, seed)
    expected = shuffled_by_the_book(range(n), seed)
    assert order.tolist() == expected
    assert sorted(order.tolist()) == list(range(n))
