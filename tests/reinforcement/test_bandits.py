"""Bandits: values, bounds and draws by hand, regret over many runs, contexts, and logs of other policies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, DegenerateError, ParameterError
from assay.reinforcement import (
    UCB1,
    EpsilonGreedy,
    LinUCB,
    Schedule,
    Softmax,
    ThompsonSampling,
    ValueBandit,
    off_policy_value,
    simulate_bandit,
)
from assay.stats import BetaBernoulli, NormalGamma

STRATEGIES = {
    "epsilon": lambda **k: ValueBandit(3, exploration=EpsilonGreedy(0.1), **k),
    "softmax": lambda **k: ValueBandit(3, exploration=Softmax(0.1), **k),
    "ucb1": lambda **k: UCB1(3, **k),
    "thompson": lambda **k: ThompsonSampling(3, **k),
}


@pytest.mark.capability("IML-18-01")
def test_values_by_hand():
    """IML 18.2: rewards 1, 0, 1, 1 with a rate of one half, and with 1/t."""
    half, mean = ValueBandit(1, learning_rate=0.5), ValueBandit(1)
    assert [half.learn(0, r).values[0, 0] for r in (1, 0, 1, 1)] == [0.5, 0.25, 0.625, 0.8125]
    assert_allclose(
        [mean.learn(0, r).values[0, 0] for r in (1, 0, 1, 1)], [1, 0.5, 0.66666667, 0.75], atol=5e-9
    )


@pytest.mark.capability("IML-18-01")
def test_upper_bounds_by_hand():
    """IML 18.2: means .5, .6, .4 after 10, 20, 5 pulls: the third arm."""
    bandit = UCB1(3)
    bandit.counts[:], bandit.values[:] = [10, 20, 5], [0.5, 0.6, 0.4]
    assert_allclose(bandit.scores()[0], [1.34324944, 1.19626739, 1.59253479], atol=5e-9)
    assert bandit.choose() == 2


@pytest.mark.capability("IML-18-01")
def test_the_greedy_arm_is_chosen_in_so_many_runs():
    """IML 18.2: epsilon .1 and 4 arms: .925, the greedy arm included in what is explored."""
    bandit = ValueBandit(4, n_runs=40_000, random_state=0)
    bandit.values[:] = [0, 2, 1, 0]
    assert_allclose(bandit.probabilities()[0], [0.025, 0.925, 0.025, 0.025])
    assert_allclose((bandit.choose() == 1).mean(), 0.925, atol=0.005)


@pytest.mark.capability("IML-18-01")
def test_every_arm_is_tried_once_first():
    bandit = UCB1(5, n_runs=20, random_state=0)
    chosen = []
    for _ in range(5):
        chosen.append(bandit.choose())
        bandit.learn(chosen[-1], np.zeros(20))
    assert_array_equal(np.sort(chosen, axis=0).T, np.tile(np.arange(5), (20, 1)))


@pytest.mark.capability("IML-18-01")
@pytest.mark.parametrize("name", STRATEGIES)
def test_regret_is_far_below_that_of_chance(name):
    course = simulate_bandit(
        STRATEGIES[name](n_runs=300, random_state=0), [0.2, 0.5, 0.8], 600, random_state=1
    )
    assert course.rewards.shape == course.regrets.shape == (600, 300)
    assert_allclose(course.regret[-1], course.regrets.sum(axis=0).mean())
    low, high = course.interval()
    assert low < course.regret[-1] < high < 0.4 * 600 * 0.3
    assert course.best_share[-50:].mean() > 0.8


def test_draws_have_the_posterior_of_the_conjugate_models():
    beta = ThompsonSampling(2, n_runs=40_000, random_state=0)
    normal = ThompsonSampling(1, rewards="normal", prior=(1.0, 0.5, 2.0, 3.0), n_runs=40_000, random_state=0)
    numbers = np.array([2.0, 3.5, 1.0])
    for one, number in zip([1, 1, 0], numbers):
        beta.learn(np.zeros(40_000, dtype=int), np.full(40_000, float(one)))
        normal.learn(np.zeros(40_000, dtype=int), np.full(40_000, number))
    posterior = BetaBernoulli(1, 1).update([1, 1, 0])
    draws = beta.scores()
    assert_allclose(draws[:, 0].mean(), posterior.mean, atol=0.005)
    assert_allclose(draws[:, 0].var(), posterior.var, atol=0.002)
    assert_allclose(draws[:, 1].mean(), 0.5, atol=0.006)
    means, _ = NormalGamma(1.0, 0.5, 2.0, 3.0).update(numbers).sample(40_000, random_state=1)
    quantiles = np.linspace(0.05, 0.95, 19)
    assert_allclose(np.quantile(normal.scores()[:, 0], quantiles), np.quantile(means, quantiles), atol=0.04)


def test_many_runs_are_as_one_run():
    """Each of many runs has the law of one: means of regret agree."""
    many = simulate_bandit(UCB1(2, n_runs=200, random_state=0), [0.3, 0.7], 100, random_state=0)
    single = [
        simulate_bandit(UCB1(2, random_state=s), [0.3, 0.7], 100, random_state=s).regret[-1]
        for s in range(60)
    ]
    error = np.hypot(np.std(single) / np.sqrt(60), many.regrets.sum(axis=0).std() / np.sqrt(200))
    assert abs(np.mean(single) - many.regret[-1]) < 4 * error


def test_a_constant_rate_follows_arms_that_change():
    bandits = [ValueBandit(1, learning_rate=rate) for rate in (None, 0.1)]
    for bandit in bandits:
        for t in range(200):
            bandit.learn(0, 0.0 if t < 100 else 1.0)
    assert_allclose(bandits[0].values[0, 0], 0.5)
    assert bandits[1].values[0, 0] > 0.99


def test_exploration_that_ends():
    fading = ValueBandit(3, exploration=EpsilonGreedy(Schedule.linear(1.0, 0.0, 50, by="steps")), n_runs=50)
    simulate_bandit(fading, [0.1, 0.2, 0.9], 60, random_state=0)
    assert (fading.probabilities().max(axis=1) == 1).all()


def test_arms_of_any_rewards():
    arms = [lambda n, rng: rng.exponential(1.0, n), lambda n, rng: rng.exponential(3.0, n)]
    course = simulate_bandit(
        ThompsonSampling(2, rewards="normal", n_runs=100, random_state=0), arms, 200, random_state=0
    )
    assert course.best_share[-20:].mean() > 0.9
    noisy = simulate_bandit(
        UCB1(2, scale=2.0, n_runs=50, random_state=0), [-1.0, 1.0], 200, noise=1.0, random_state=0
    )
    assert noisy.best_share[-20:].mean() > 0.9


# ------------------------------------------------------------------ contexts


def test_linear_models_are_ridge_regressions():
    rng = np.random.default_rng(0)
    X, arm, reward = rng.normal(size=(80, 3)), rng.integers(0, 2, 80), rng.normal(size=80)
    bandit = LinUCB(2, 3, penalty=0.7)
    for x, a, r in zip(X, arm, reward):
        bandit.learn(x, int(a), r)
    for a in range(2):
        Z = np.column_stack([np.ones((arm == a).sum()), X[arm == a]])
        expected = np.linalg.solve(Z.T @ Z + 0.7 * np.eye(4), Z.T @ reward[arm == a])
        assert_allclose(bandit.coef_[a], expected, rtol=1e-9)
    width = np.array([1, *X[0]])
    spread = [width @ np.linalg.solve(0.7 * np.eye(4) + Z.T @ Z, width) for Z in (
        np.column_stack([np.ones((arm == a).sum()), X[arm == a]]) for a in range(2))]  # fmt: skip
    assert_allclose(bandit.scores(X[0]) - bandit.predict(X[0]), np.sqrt(spread), rtol=1e-9)


def test_contexts_are_used():
    rng = np.random.default_rng(1)
    theta = np.array([[1.0, -1.0], [-1.0, 1.0], [0.5, 0.5]])
    bandit, earned, best = LinUCB(3, 2, random_state=0), 0.0, 0.0
    for x in rng.normal(size=(1500, 2)):
        arm = bandit.choose(x)
        bandit.learn(x, arm, theta[arm] @ x + 0.1 * rng.normal())
        earned, best = earned + theta[arm] @ x, best + (theta @ x).max()
    assert earned > 0.97 * best


# ------------------------------------------------------------------ off policy


def logged(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    chances = np.column_stack([0.2 + 0.6 * x, 0.8 - 0.6 * x])
    action = (rng.random(n) < chances[:, 1]).astype(int)
    expected = np.column_stack([x, 1 - x])
    reward = (rng.random(n) < expected[np.arange(n), action]).astype(float)
    target = np.column_stack([(x > 0.5) * 0.9 + 0.05, (x <= 0.5) * 0.9 + 0.05])
    return action, reward, chances[np.arange(n), action], target, expected


TRUTH = 0.95 * 0.75 + 0.05 * 0.25  # of the target policy of ``logged``


@pytest.mark.parametrize("method", ["inverse propensity", "self-normalised", "doubly robust"])
def test_intervals_hold_the_truth(method):
    inside = []
    for seed in range(300):
        action, reward, propensity, target, expected = logged(400, seed)
        model = np.clip(expected + 0.2, 0, 1)  # wrong, which the doubly robust estimate may be
        found = off_policy_value(action, reward, propensity, target, predicted=model, method=method)
        inside.append(found.interval[0] <= TRUTH <= found.interval[1])
    assert abs(np.mean(inside) - 0.95) < 0.03


def test_good_predictions_narrow_the_interval_and_bad_ones_mislead_alone():
    action, reward, propensity, target, expected = logged(5000, 0)
    plain = off_policy_value(action, reward, propensity, target)
    robust = off_policy_value(action, reward, propensity, target, predicted=expected)
    assert plain.method == "inverse propensity" and robust.method == "doubly robust"
    assert robust.standard_error < plain.standard_error
    wrong = off_policy_value(action, reward, propensity, target, predicted=expected * 0, method="direct")
    assert wrong.estimate == 0
    same = off_policy_value(action, reward, propensity, target, predicted=expected * 0)
    assert_allclose(same.estimate, plain.estimate)
    assert "rows in effect" in str(plain)
    assert 1 <= plain.effective_rows <= 5000


def test_the_policy_in_use_is_worth_the_mean_of_the_log():
    rng = np.random.default_rng(0)
    action, reward = rng.integers(0, 3, 500), rng.normal(size=500)
    chances = np.full((500, 3), 1 / 3)
    for method in ("inverse propensity", "self-normalised"):
        found = off_policy_value(action, reward, np.full(500, 1 / 3), chances, method=method)
        assert_allclose(found.estimate, reward.mean())
        assert_allclose(found.standard_error, reward.std(ddof=1) / np.sqrt(500), rtol=1e-9)


# ------------------------------------------------------------------ wrong input

LOG = (np.array([0, 1]), np.array([1.0, 0.0]), np.array([0.5, 0.5]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: UCB1(0), "n_arms must be"),
        (lambda: UCB1(2, n_runs=1.5), "n_runs must be"),
        (lambda: UCB1(2, scale=0), "scale must be"),
        (lambda: ValueBandit(2, learning_rate=2), "learning_rate must be"),
        (lambda: ValueBandit(2, exploration=0.1), "exploration must be"),
        (lambda: ThompsonSampling(2, rewards="poisson"), "bernoulli or normal"),
        (lambda: ThompsonSampling(2, prior=(1.0,)), "is 2 numbers"),
        (lambda: ThompsonSampling(2).learn(0, 0.5), "0 or 1"),
        (lambda: UCB1(2).learn(5, 1.0), "arms are 0 to 1"),
        (lambda: UCB1(2).learn(0, np.nan), "finite"),
        (lambda: UCB1(2, n_runs=3).learn([0], [1.0]), "for each of 3 runs"),
        (lambda: simulate_bandit(UCB1(2), [0.1], 5), "2 arms"),
        (lambda: simulate_bandit(UCB1(2), [0.1, 2.0], 5), "from 0 to 1"),
        (lambda: simulate_bandit(UCB1(2), [0.1, 0.2], 0), "n_steps"),
        (lambda: simulate_bandit(UCB1(2), [0.1, 0.2], 5).interval(), "several runs"),
        (lambda: LinUCB(2, 0), "n_features must be"),
        (lambda: LinUCB(2, 2).choose([1.0]), "2 finite numbers"),
        (lambda: LinUCB(2, 1).learn([1.0], 2, 0.0), "arms are"),
        (lambda: LinUCB(2, 1, penalty=0), "penalty above 0"),
        (lambda: LinUCB(2, 1, fit_intercept="no"), "True or False"),
        (lambda: LinUCB(2, 1).choose([1e200]), "numbers up to 1e.100"),
        (lambda: simulate_bandit(3, [0.1, 0.2], 5), "strategy must be UCB1"),
        (lambda: off_policy_value(*LOG, np.array([0, 1]), method="magic"), "method must be one of"),
        (lambda: off_policy_value(*LOG, np.array([0, 1]), method="direct"), "needs predicted"),
        (lambda: off_policy_value(LOG[0], LOG[1], [0.0, 0.5], np.array([0, 1])), "above 0"),
        (lambda: off_policy_value(LOG[0], [1.0, np.nan], LOG[2], np.array([0, 1])), "row 2 is not"),
        (lambda: off_policy_value(*LOG, np.array([[0.5, 0.6], [1, 0]])), "sum to 1"),
        (lambda: off_policy_value(*LOG, np.array([[1.0], [1.0]])), "no column"),
        (lambda: off_policy_value(*LOG, "best"), "policy must be"),
        (lambda: off_policy_value([0], [1.0], [1.0], np.array([0])), "2 rows or more"),
        (lambda: off_policy_value(*LOG, np.array([0, 1]), predicted=[[1.0]]), "predicted must be"),
    ],
)
def test_wrong_input_ends_in_a_sentence(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


def test_a_policy_that_the_log_says_nothing_of():
    with pytest.raises(DegenerateError, match="says nothing"):
        off_policy_value([0, 0], [1.0, 0.0], [0.5, 0.5], np.array([1, 1]), method="self-normalised")


# One pull at a time goes by plain numbers; its twin is the way of many runs, forced upon the same bandit.

PULLED = {
    "epsilon": lambda **k: ValueBandit(4, exploration=EpsilonGreedy(0.3), **k),
    "softmax": lambda **k: ValueBandit(4, exploration=Softmax(0.4), learning_rate=0.2, initial=1.0, **k),
    "ucb": lambda **k: UCB1(4, scale=0.7, **k),
    "beta": lambda **k: ThompsonSampling(4, **k),
    "normal": lambda **k: ThompsonSampling(4, rewards="normal", **k),
}


@pytest.mark.parametrize("name", PULLED)
def test_one_pull_learns_what_an_array_of_one_pull_learns(name):
    plain, arrays = PULLED[name](random_state=0), PULLED[name](random_state=0)
    rng = np.random.default_rng(1)
    for _ in range(60):
        arm, reward = int(rng.integers(4)), float(rng.integers(2))
        plain.learn(arm, reward)
        arrays.learn(np.array([arm]), np.array([reward]))
    assert plain.counts.tolist() == arrays.counts.tolist()
    assert_allclose(plain.values, arrays.values, rtol=1e-14)
    if name in ("beta", "normal"):
        plain, arrays = (
            [b.scores() for _ in range(3)] for b in (plain, arrays)
        )  # draws by the same seed from the same posterior
        assert_allclose(plain, arrays, rtol=1e-12)


@pytest.mark.parametrize("name", PULLED)
def test_one_pull_is_chosen_as_often_as_by_arrays(name):
    """A chi-squared test of 4000 choices each at one state of knowledge; two arms have the same highest bound."""
    bandit = PULLED[name](random_state=3)
    for arm, reward in [(0, 1.0), (0, 0.0), (1, 1.0), (1, 1.0), (1, 0.0), (2, 0.0), (3, 1.0), (3, 0.0)]:
        bandit.learn(arm, reward)
    plain = np.bincount([bandit.choose() for _ in range(4000)], minlength=4)
    arrays = np.bincount([int(bandit._choose()[0]) for _ in range(4000)], minlength=4)
    seen = (plain + arrays) > 0
    difference = ((plain - arrays) ** 2 / np.maximum(plain + arrays, 1))[seen].sum()
    assert difference < 16.3  # the 0.1 % point with 3 degrees of freedom
    if name == "ucb":
        assert set(np.flatnonzero(plain)) == {0, 3}


def test_arms_that_were_never_tried_come_first_in_random_order():
    orders = set()
    for seed in range(30):
        bandit, order = UCB1(3, random_state=seed), []
        for _ in range(3):
            order.append(bandit.choose())
            bandit.learn(order[-1], 1.0)
        assert sorted(order) == [0, 1, 2]
        orders.add(tuple(order))
    assert len(orders) == 6


@pytest.mark.parametrize(
    "arm, reward", [(4, 1.0), (-1, 1.0), (True, 1.0), (0, np.nan), (0, np.inf), (1.5, 0.0), ("a", 1.0)]
)
def test_one_pull_refuses_what_arrays_refuse(arm, reward):
    bandit = UCB1(4, random_state=0)
    with pytest.raises(DataError):
        bandit.learn(arm, reward)
    assert bandit.counts.sum() == 0


def test_a_bernoulli_reward_that_is_no_zero_or_one_changes_nothing():
    for n_runs, arm, reward in ((1, 0, 0.5), (2, [0, 1], [1.0, 0.5])):
        bandit = ThompsonSampling(2, n_runs=n_runs, random_state=0)
        with pytest.raises(DataError, match="0 or 1"):
            bandit.learn(arm, reward)
        assert bandit.counts.sum() == 0


def test_weights_of_contexts_are_the_ridge_solution():
    rng = np.random.default_rng(0)
    bandit, rows, earned = LinUCB(2, 3, penalty=0.5, random_state=0), [[], []], [[], []]
    for x in rng.normal(size=(200, 3)):
        arm = bandit.choose(x)
        reward = float(x @ [1, -1, 2] + arm)
        bandit.learn(x, arm, reward)
        rows[arm].append([1.0, *x])
        earned[arm].append(reward)
    for arm in range(2):
        R = np.array(rows[arm])
        exact = np.linalg.solve(R.T @ R + 0.5 * np.eye(4), R.T @ np.array(earned[arm]))
        assert_allclose(bandit.coef_[arm], exact, rtol=1e-9, atol=1e-11)
