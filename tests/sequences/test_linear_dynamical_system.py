"""Kalman's filter, the smoother and EM, against the joint Gaussian of everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import DataError, ParameterError
from assay.sequences import LinearDynamicalSystem

rng = np.random.default_rng(0)
LEVEL = {"F": [[1.0]], "H": [[1.0]], "Q": [[1.0]], "R": [[1.0]], "mean": [0.0], "covariance": [[1.0]]}
TURN = {
    "F": 0.95 * np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]),
    "H": np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]),
    "Q": np.array([[0.2, 0.05], [0.05, 0.1]]),
    "R": np.array([[0.3, 0.1, 0.0], [0.1, 0.4, 0.1], [0.0, 0.1, 0.2]]),
    "mean": np.array([1.0, -1.0]),
    "covariance": np.eye(2),
}


def joint(system, T):
    """Mean and covariance of all states, and of all observations, below each other."""
    F, H, Q, R = system.transition_, system.observation_, system.transition_noise_, system.observation_noise_
    D = len(F)
    mean, covariance = [system.initial_mean_], np.zeros((T * D, T * D))
    now = system.initial_covariance_
    for t in range(T):
        block = now
        for s in range(t, T):
            covariance[s * D : (s + 1) * D, t * D : (t + 1) * D] = block
            covariance[t * D : (t + 1) * D, s * D : (s + 1) * D] = block.T
            block = F @ block
        now = F @ now @ F.T + Q
        mean.append(F @ mean[-1])
    big = np.kron(np.eye(T), H)
    z = np.concatenate(mean[:T])
    return z, covariance, big, np.kron(np.eye(T), R)


def by_the_joint_gaussian(system, Y):
    """Log likelihood, and smoothed means and covariances."""
    T = len(Y)
    z, P, H, R = joint(system, T)
    there = ~np.isnan(Y).ravel()
    H, R, gap = H[there], R[np.ix_(there, there)], Y.ravel()[there] - H[there] @ z
    S = H @ P @ H.T + R
    log = -0.5 * (len(gap) * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + gap @ np.linalg.solve(S, gap))
    gain = np.linalg.solve(S, H @ P).T
    D = len(z) // T
    smooth = P - gain @ H @ P
    return (
        log,
        (z + gain @ gap).reshape(T, D),
        [smooth[t * D : (t + 1) * D, t * D : (t + 1) * D] for t in range(T)],
    )


@pytest.mark.capability("IML-15-20")
def test_local_level():
    # Oracle: IML 15.9: gains are ratios of Fibonacci numbers.
    system = LinearDynamicalSystem.of(**LEVEL)
    filtered, smoothed = system.filter([[1.0, 2.0, 3.0, 2.5]]), system.smooth([[1.0, 2.0, 3.0, 2.5]])
    assert_allclose(filtered.covariances.ravel(), [1 / 2, 3 / 5, 8 / 13, 21 / 34], rtol=1e-12)
    assert_allclose(filtered.means.ravel(), [0.5, 1.4, 2.38461538, 2.45588235], atol=5e-9)
    assert_allclose(filtered.log_likelihoods, -6.63378734, atol=5e-9)
    assert_allclose(smoothed.means.ravel(), [0.92647059, 1.77941176, 2.41176471, 2.45588235], atol=5e-9)
    assert_allclose(smoothed.covariances.ravel(), [0.38235294, 0.44117647, 0.47058824, 0.61764706], atol=5e-9)


@pytest.mark.capability("IML-15-20")
@pytest.mark.parametrize("gaps", [False, True])
def test_filter_and_smoother_are_the_joint_gaussian(gaps):
    system = LinearDynamicalSystem.of(**TURN)
    Y, _ = system.sample(12, random_state=0)
    if gaps:
        Y[rng.uniform(size=Y.shape) < 0.3] = np.nan
        Y[5] = np.nan
    log, means, covariances = by_the_joint_gaussian(system, Y)
    smoothed = system.smooth(Y)
    assert_allclose(smoothed.log_likelihoods, log, rtol=1e-9)
    assert_allclose(smoothed.means, means, atol=1e-9)
    assert_allclose(smoothed.covariances, covariances, atol=1e-9)
    assert_allclose(system.filter(Y).means[-1], means[-1], atol=1e-9)
    several = system.smooth(np.vstack([Y, Y[:3]]), lengths=[12, 3])
    assert_allclose(several.means[:12], smoothed.means, atol=1e-12)
    assert_allclose(several.log_likelihoods[1], by_the_joint_gaussian(system, Y[:3])[0], rtol=1e-9)


@pytest.mark.capability("IML-15-20")
def test_samples_have_the_joint_covariance():
    system = LinearDynamicalSystem.of(**TURN)
    draws = np.array([system.sample(2, random_state=i)[0].ravel() for i in range(3000)])
    z, P, H, R = joint(system, 2)
    assert_allclose(draws.mean(axis=0), H @ z, atol=0.1)
    assert_allclose(np.cov(draws.T), H @ P @ H.T + R, atol=0.2)


@pytest.mark.capability("IML-15-21")
@pytest.mark.parametrize("gaps", [False, True])
def test_the_likelihood_never_falls_over_steps_of_em(gaps):
    true = LinearDynamicalSystem.of(**TURN)
    parts = [true.sample(60, random_state=i)[0] for i in range(3)]
    if gaps:
        for part in parts:
            part[rng.uniform(size=part.shape) < 0.2] = np.nan
    model = LinearDynamicalSystem(2, n_iter=40, tol=-1).fit(parts)
    history = [record["log_likelihood"] for record in model.history_]
    assert np.diff(history).min() > -1e-7
    assert model.score(parts) > true.score(parts) - 1.0  # as good as the truth, or better
    blocks = LinearDynamicalSystem(2, n_iter=3)
    memory = LinearDynamicalSystem(2, n_iter=3)
    for name in (
        "transition_",
        "observation_",
        "transition_noise_",
        "observation_noise_",
        "initial_mean_",
        "initial_covariance_",
    ):
        for each in (blocks, memory):
            setattr(each, name, getattr(true, name))
    blocks.fit_blocks([parts[:1], parts[1:]])
    assert_allclose(blocks.transition_, memory.fit(parts).transition_, rtol=1e-9)


@pytest.mark.parametrize("params", ["h", "c", "hr", "cr", "hc", "fhqrmp", "fhqrmpc"])
@pytest.mark.parametrize("gaps", [False, True])
def test_whatever_is_learned_the_likelihood_never_falls(params, gaps):
    Y = LinearDynamicalSystem.of(**TURN, offset=[3.0, -2.0, 0.5]).sample(80, random_state=0)[0]
    if gaps:
        Y[np.random.default_rng(0).uniform(size=Y.shape) < 0.2] = np.nan
    start = {**TURN, "H": np.eye(3)[:, :2], "offset": [2.0, 0.0, 0.0]}
    model = LinearDynamicalSystem.of(**start, params=params, n_iter=15, tol=-1).fit(Y)
    steps = np.diff([record["log_likelihood"] for record in model.history_])
    assert steps.min() > -1e-9 and steps[0] > 1.0
    assert_array_equal(model.observation_offset_ == [2.0, 0.0, 0.0], "c" not in params)
    assert_array_equal(model.observation_ == np.eye(3)[:, :2], "h" not in params)


@given(shift=st.tuples(*[st.floats(-1e6, 1e6)] * 3))
def test_a_shift_of_the_columns_is_a_shift_of_the_offset_alone(shift):
    """Moments about 0 lost the spread beside a mean of 1e6, so that the likelihood fell."""
    Y = LinearDynamicalSystem.of(**TURN).sample(60, random_state=0)[0]
    Y[7, 1] = Y[20] = np.nan
    near = LinearDynamicalSystem(2, n_iter=10, tol=-1).fit(Y)
    far = LinearDynamicalSystem(2, n_iter=10, tol=-1).fit(Y + shift)
    assert_allclose(far.observation_offset_, near.observation_offset_ + shift, rtol=1e-12, atol=1e-6)
    for name in ("transition_", "observation_", "transition_noise_", "observation_noise_", "initial_mean_"):
        assert_allclose(getattr(far, name), getattr(near, name), atol=1e-6, err_msg=name)
    assert_allclose(far.log_likelihood_, near.log_likelihood_, atol=1e-6)
    assert_allclose(far.smooth(Y + shift).means, near.smooth(Y).means, atol=1e-6)
    assert_allclose(far.forecast(Y + shift, 2).low - shift, near.forecast(Y, 2).low, atol=1e-6)
    drawn, states = far.sample(5, random_state=0)
    expected, same = near.sample(5, random_state=0)
    assert_allclose(drawn - shift, expected, atol=1e-6)
    assert_allclose(states, same, atol=1e-6)


def test_an_offset_is_one_number_for_each_column():
    system = LinearDynamicalSystem.of(**LEVEL, offset=5.0)
    assert_allclose(system.score([[6.0, 7.0, 8.0, 7.5]]), -6.63378734, atol=5e-9)
    with pytest.raises(
        ParameterError, match=r"offset must have one number for each of the 3 rows of H, got shape \(2,\)"
    ):
        LinearDynamicalSystem.of(**TURN, offset=[1.0, 2.0])


def test_forecast_goes_on_as_the_joint_gaussian():
    system = LinearDynamicalSystem.of(**TURN)
    Y, _ = system.sample(6, random_state=1)
    ahead = system.forecast(Y, 2, coverage=0.95)
    more = np.vstack([Y, np.full((2, 3), np.nan)])
    _, means, covariances = by_the_joint_gaussian(system, more)
    assert_allclose(ahead.mean, means[6:] @ system.observation_.T, atol=1e-9)
    spread = np.sqrt(
        np.diag(system.observation_ @ covariances[7] @ system.observation_.T + system.observation_noise_)
    )
    assert_allclose(ahead.high[1] - ahead.mean[1], 1.959963985 * spread, rtol=1e-8)


def test_no_noise_in_the_states_is_a_line():
    """Q = 0: a trend, whose smoothed states are the regression on the whole."""
    line = LinearDynamicalSystem.of(
        F=[[1.0, 1.0], [0.0, 1.0]],
        H=[[1.0, 0.0]],
        Q=np.zeros((2, 2)),
        R=[[1.0]],
        mean=[0.0, 0.0],
        covariance=1e6 * np.eye(2),
    )
    y = 2.0 + 0.5 * np.arange(10) + np.tile([0.1, -0.1], 5)
    smoothed = line.smooth([y])
    slope, start = np.polyfit(np.arange(10), y, 1)
    assert_allclose(smoothed.means[0], [start, slope], rtol=1e-4)


def test_one_row_wrong_sizes_and_storage(tmp_path):
    system = LinearDynamicalSystem.of(**TURN)
    assert np.isfinite(system.score(np.ones((1, 3))))
    with pytest.raises(DataError, match="X has 2 columns, the system 3"):
        system.score(np.ones((4, 2)))
    with pytest.raises(ParameterError, match="do not fit"):
        LinearDynamicalSystem.of(**{**TURN, "H": np.ones((3, 5))})
    with pytest.raises(ParameterError, match="covariance"):
        LinearDynamicalSystem.of(**{**LEVEL, "Q": [[-1.0]]})
    with pytest.raises(ValueError, match=r"no observation|infinity"):
        LinearDynamicalSystem().fit(np.full((4, 1), np.nan))
    fitted = LinearDynamicalSystem(2, n_iter=2).fit(system.sample(30, random_state=0)[0])
    assay.save(fitted, tmp_path / "system.assay")
    again = assay.load(tmp_path / "system.assay")
    assert_array_equal(again.transition_, fitted.transition_)


@pytest.mark.capability("IML-15-20")
def test_covariances_at_rest_are_those_of_the_recursion():
    # Long enough to come to rest, a gap that wakes them up, and a second sequence.
    D, m, n = 3, 2, 300
    draw = np.random.default_rng(5)
    F = 0.9 * np.linalg.qr(draw.normal(size=(D, D)))[0]
    H, Q, R = draw.normal(size=(m, D)), 0.2 * np.eye(D), np.eye(m) + 0.3
    system = LinearDynamicalSystem.of(F=F, H=H, Q=Q, R=R, mean=np.zeros(D), covariance=np.eye(D))
    Y = system.sample(n, random_state=0)[0]
    Y[150, 1] = Y[200] = np.nan
    lengths = [250, 50]
    filtered, smoothed = system.filter(Y, lengths), system.smooth(Y, lengths)
    begin, logs = 0, []
    for length in lengths:
        means, spreads, before, total = [], [], [], 0.0
        for t in range(begin, begin + length):
            mean = F @ means[-1] if means else np.zeros(D)
            P = F @ spreads[-1] @ F.T + Q if spreads else np.eye(D)
            before.append((mean, P))
            seen = ~np.isnan(Y[t])
            if seen.any():
                h, gap = H[seen], Y[t, seen] - H[seen] @ mean
                S = h @ P @ h.T + R[np.ix_(seen, seen)]
                K = np.linalg.solve(S, h @ P).T
                total -= 0.5 * (gap @ np.linalg.solve(S, gap) + np.linalg.slogdet(2 * np.pi * S)[1])
                mean, P = mean + K @ gap, P - K @ S @ K.T
            means.append(mean)
            spreads.append(P)
        logs.append(total)
        rows = slice(begin, begin + length)
        assert_allclose(filtered.means[rows], means, atol=1e-10)
        assert_allclose(filtered.covariances[rows], spreads, atol=1e-12)
        for t in range(length - 2, -1, -1):
            mean, P = before[t + 1]
            J = np.linalg.solve(P, F @ spreads[t]).T
            means[t] = means[t] + J @ (means[t + 1] - mean)
            spreads[t] = spreads[t] + J @ (spreads[t + 1] - P) @ J.T
        assert_allclose(smoothed.means[rows], means, atol=1e-10)
        assert_allclose(smoothed.covariances[rows], spreads, atol=1e-12)
        begin += length
    assert_allclose(filtered.log_likelihoods, logs, rtol=1e-10)
