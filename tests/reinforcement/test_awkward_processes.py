"""Processes, logs and agents that are easily misread."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.baselines import MeanRegressor
from assay.errors import DataError, DegenerateError, ParameterError
from assay.evaluate import compare_agents, compare_policies
from assay.reinforcement import (
    MDP,
    POMDP,
    UCB1,
    DoubleQLearning,
    EpsilonGreedy,
    GridWorld,
    LinearSarsa,
    LinUCB,
    ModelBandit,
    ObservedProcess,
    QLearning,
    RadialFeatures,
    Sarsa,
    Schedule,
    Softmax,
    TemporalDifference,
    ThompsonSampling,
    TileCoding,
    ValueBandit,
    discounted_return,
    off_policy_value,
    semi_gradient_step,
    simulate_bandit,
    tiger,
)


def test_a_state_that_goes_on_is_not_terminal_though_only_ends_lead_to_it():
    """By hand: 0 earns 3 and leads to 1, which earns 5 and ends on the way to 0: 3 + 0.9 5 = 7.5."""

    class Trip:
        P = {0: {0: [(1.0, 1, 3.0, False)]}, 1: {0: [(1.0, 0, 5.0, True)]}}

    assert_allclose(MDP.from_gymnasium(Trip(), 0.9).solve().values, [7.5, 5.0, 0.0])
    observed = ObservedProcess([0, 1], [0, 0], [3, 5], [1, 0], [False, True]).expected()
    assert_allclose(observed.solve().values, [7.5, 5.0, 0.0])
    steps = ObservedProcess([0, 1], [0, 0], [3, 5], [0, 1], [True, True]).expected()
    assert_allclose(steps.solve().values, [3.0, 5.0, 0.0])
    for table in ({}, {0: {0: [(1.0, 0, 0.0, True)]}, 1: {0: [(1.0, 0, 0.0, True)], 1: []}}):
        with pytest.raises(DataError, match="MDP: P must have"):
            MDP.from_gymnasium(type("Torn", (), {"P": table})())


def test_rewards_as_a_list_of_matrices_go_by_action():
    chances = [np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.2, 0.8]])]
    rewards = [np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 6], [7, 8]])]
    assert_allclose(MDP(chances, rewards).rewards, [[1.5, 5.8], [3.5, 7.8]])
    stacked = np.stack(chances, axis=1), np.stack(rewards, axis=1)  # (S, A, S)
    assert_allclose(MDP(*stacked).rewards, [[1.5, 5.8], [3.5, 7.8]])
    assert MDP([np.eye(3)], [0, 0, 0], terminal=np.array([0, 2])).terminal.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "method", ["auto", "value iteration", "modified policy iteration", "linear programming"]
)
def test_without_a_discount_ties_go_to_an_end(method):
    world = GridWorld("S.G", goal_reward=1, discount=1)
    solution = world.solve(method)
    assert solution.actions[:2] == ["right", "right"]
    assert_allclose(world.evaluate(solution), [1, 1, 0])


def test_episodes_that_end_where_they_begin_are_counted():
    world = GridWorld("S.G", goal_reward=1)
    for seed in range(4):
        episodes = world.simulate(world.solve(), 5, start=[0.2, 0, 0.8], random_state=seed)
        assert len(episodes) == len(episodes.returns()) == len(episodes.lengths) == 5


def test_one_row_of_an_action_leaves_it_open():
    action, reward = np.array(["a"] * 50 + ["b"]), np.array([0, 1] * 25 + [1.0])
    result = compare_policies(None, action, reward)
    low, high = result.values["always b"].interval
    assert high - low > 1.5 and result.differences["always b"][1] < 0
    assert any("always b" in note and "rows in effect" in note for note in result.notes)
    with pytest.raises(DegenerateError, match="never do what was done"):
        off_policy_value([0, 0, 0], [1, 0, 1], [0.5] * 3, [1, 1, 1], method="inverse propensity")
    with pytest.raises(ParameterError, match="another name"):
        compare_policies(None, action, reward, policies={"as logged": action})


def test_agents_of_different_discounts_are_not_compared():
    agents = {"short": QLearning(discount=0.5), "long": QLearning(discount=0.9)}
    with pytest.raises(ParameterError, match="discounted differently"):
        compare_agents(agents, GridWorld("S.G", goal_reward=1), 10, n_runs=2)


@pytest.mark.parametrize("schedule", [Schedule.linear(1.0, -1.0, 5), Schedule.exponential(0.5, 1.5)])
def test_schedules_are_checked_to_their_end(schedule):
    with pytest.raises(ParameterError):
        EpsilonGreedy(schedule)


def test_steps_that_cannot_be():
    agent = QLearning().begin(3, 2)
    steps = [((0, 0, np.nan, 1), "finite number"), ((0, 0, 1.0, -1), "next state -1")]
    for step, message in (*steps, ((0, 5, 1.0, 1), "from 0 to 1")):
        with pytest.raises(DataError, match=message):
            agent.observe(*step)
    linear = LinearSarsa(TileCoding([0.0], [1.0], bins=4, tilings=2), 2)
    for action, reward in ((-1, 1.0), (0, np.inf)):
        with pytest.raises(DataError):
            linear.observe([0.3], action, reward, [0.5], 0)
    walker = TemporalDifference(np.array([0, 1])).begin(2, 2)
    assert "policy=array" in repr(walker) and walker.act(0) in (0, 1)
    assert_array_equal(walker.policy_, np.full((2, 2), 0.5))


class TwoWays:
    """Two actions, one step; an environment of somebody else."""

    action_space = SimpleNamespace(n=2)

    def reset(self):
        return [0.5], {}

    def step(self, action):
        return [0.5], 1.0, True, False, {}


def two_states():
    return MDP([np.eye(2), np.eye(2)[::-1]], [[1, 0], [2, 0]])


AWKWARD_NUMBERS = {
    "discount": lambda: QLearning(discount="0.9").fit(GridWorld("S.G"), 1),
    "fade": lambda: QLearning(fade="0.5").fit(GridWorld("S.G"), 1),
    "initial": lambda: QLearning(initial=np.nan).fit(GridWorld("S.G"), 1),
    "n_states": lambda: QLearning().begin("3", 2),
    "n_actions": lambda: QLearning().begin(3, 0),
    "slip": lambda: GridWorld("S.G", slip="0.1"),
    "goal_reward": lambda: GridWorld("S.G", goal_reward="10"),
    "scale": lambda: UCB1(3, scale="1"),
    "learning_rate": lambda: ValueBandit(2, learning_rate="0.1"),
    "initial of a bandit": lambda: ValueBandit(2, initial=np.inf),
    "prior": lambda: ThompsonSampling(2, prior="flat"),
    "prior of 0": lambda: ThompsonSampling(2, prior=(0, 1)),
    "alpha": lambda: LinUCB(2, 3, alpha="1"),
    "growth": lambda: ModelBandit(MeanRegressor(), 2, growth="2"),
    "width": lambda: RadialFeatures([0], [1], width="1"),
    "fade of features": lambda: LinearSarsa(TileCoding([0.0], [1.0]), 2, fade="1"),
    "schedule": lambda: Schedule.power("1"),
    "level": lambda: off_policy_value([0, 1], [1, 0], [0.5, 0.5], [1, 1], level="0.9"),
    "belief": lambda: tiger().update("left", "listen", "hear left"),
    "belief as text": lambda: tiger().update(["0.5", "0.5"], "listen", "hear left"),
    "belief of a value": lambda: tiger().plan(2).value([0.5, 0.7]),
    "discount of rewards": lambda: discounted_return([1, 2], "0.9"),
    "state": lambda: QLearning().begin(3, 2).act("a"),
    "state beyond": lambda: QLearning().begin(3, 2).action_values(3),
    "state below": lambda: QLearning().begin(3, 2).action_values(-1),
    "reward": lambda: QLearning().begin(3, 2).observe(0, 0, "1", 1),
    "next state": lambda: QLearning().begin(3, 2).observe(0, 0, 1.0, None),
    "rewards": lambda: discounted_return(["a"], 0.9),
    "context": lambda: LinUCB(2, 3).choose("abc"),
    "arm": lambda: LinUCB(2, 3).learn([1, 2, 3], "a", 1.0),
    "arm of a model": lambda: ModelBandit(MeanRegressor(), 2).learn([1, 2], "a", 1.0),
    "epsilon": lambda: two_states().solve(epsilon="0.1"),
    "first values": lambda: two_states().solve("value iteration", start=["1", "2"]),
    "values": lambda: two_states().q_values(["1", "2"]),
    "no transitions": lambda: MDP(None, [[1]]),
    "rewards of matrices": lambda: MDP([np.eye(2)] * 3, [[["1", "0"], ["0", "1"]]] * 3),
    "terminal": lambda: MDP([np.eye(2)], [[1], [2]], terminal="end", states=["go", "end"]),
    "terminal state": lambda: MDP([np.eye(2)], [[1], [2]], terminal=1),
    "names": lambda: MDP([np.eye(2)], [[1], [2]], states=[["a"], ["b"]]),
    "state that is a list": lambda: two_states().solve().explain([1]),
    "discount of returns": lambda: two_states().simulate([0, 1], max_steps=3, random_state=0).returns("1"),
    "rewards of cells": lambda: GridWorld("..G", rewards={(0, 0): "1"}),
    "rewards of no cells": lambda: GridWorld("..G", rewards=[1]),
    "map": lambda: GridWorld("..G").on_grid("abc"),
    "box": lambda: TileCoding(["0"], ["1"]),
    "state of features": lambda: TileCoding([0.0], [1.0])(["0.5"]),
    "reliability": lambda: tiger("0.7"),
    "cost": lambda: tiger(cost="1"),
    "moves": lambda: tiger(moves=None),
    "door": lambda: tiger(open_left=(1,)),
    "last": lambda: tiger().plan(2, last="open left"),
    "last of none": lambda: tiger().plan(2, last=[]),
    "tolerance": lambda: tiger().solve_by_points(tol="0"),
    "beliefs": lambda: tiger().solve_by_points([["0.5", "0.5"]]),
    "discount of beliefs": lambda: POMDP([np.eye(2)], [np.eye(2)], [[1], [1]], "1"),
    "ends": lambda: POMDP([np.eye(2)], [np.eye(2)], [[1], [1]], ends="wait", actions=["wait"]),
    "prior of transitions": lambda: ObservedProcess(["a"], ["x"], [1], ["b"], terminal=["b"], prior="1"),
    "rewards of transitions": lambda: ObservedProcess(["a"], ["x"], ["1"], ["b"], terminal=["b"]),
    "end of transitions": lambda: ObservedProcess(["a"], ["x"], [1], ["b"], terminal="b"),
    "discount of transitions": lambda: ObservedProcess(
        ["a"], ["x"], [1], ["b"], terminal=["b"], discount="1"
    ),
    "level of transitions": lambda: ObservedProcess(["a"], ["x"], [1], ["b"], terminal=["b"]).solve(
        level="1"
    ),
    "reward of a pull": lambda: UCB1(3).learn(1, "1"),
    "arms": lambda: simulate_bandit(UCB1(2), [0.1, "0.2"], 3),
    "noise": lambda: simulate_bandit(UCB1(2), [0.1, 0.2], 3, noise="1"),
    "log": lambda: off_policy_value([0, 1], ["a", "b"], [0.5, 0.5], [1, 1]),
    "in_place": lambda: two_states().solve("value iteration", in_place="yes"),
    "history": lambda: two_states().solve("value iteration", history="yes"),
    "missing reward": lambda: discounted_return([1, np.nan], 0.9),
    "start": lambda: MDP([np.eye(2)], [[1], [2]], start=["0.5", "0.5"]),
    "most steps": lambda: QLearning().fit(GridWorld("S.G"), 1, max_steps=None),
    "available": lambda: QLearning().begin(2, 2, available=[[True, False]]),
    "table beyond memory": lambda: QLearning().begin(10**12, 10**6),
    "next action": lambda: Sarsa().begin(3, 2).observe(0, 0, 1.0, 1, 9),
    "next action of traces": lambda: QLearning(fade=0.5).begin(3, 2).observe(0, 0, 1.0, 1, "a"),
    "next action of features": lambda: LinearSarsa(TileCoding([0.0], [1.0]), 2).observe(
        [0.3], 0, 1.0, [0.5], 2
    ),
    "state of a policy": lambda: TemporalDifference().begin(3, 2).act(7),
    "episodes of features": lambda: LinearSarsa(TileCoding([0.0], [1.0]), 2).fit(TwoWays(), "ten"),
    "steps of features": lambda: LinearSarsa(TileCoding([0.0], [1.0]), 2).fit(TwoWays(), 1, max_steps=0),
    "values of actions": lambda: Softmax(1.0).probabilities("abc"),
    "arms that are a function": lambda: simulate_bandit(UCB1(2), lambda n, random: n, 3),
    "weights": lambda: semi_gradient_step("a", [1], 1, 1, 1, 0.9, 0.1),
    "gradient": lambda: semi_gradient_step([1, 2], [1], 1, 1, 1, 0.9, 0.1),
    "class of a learner": lambda: ModelBandit(MeanRegressor, 2),
    "policies": lambda: compare_policies(None, ["a", "b"], [0, 1], policies=[["a", "a"]]),
    "empty log": lambda: compare_policies(np.zeros((0, 2)), [], []),
}


@pytest.mark.parametrize("call", AWKWARD_NUMBERS.values(), ids=AWKWARD_NUMBERS)
def test_what_is_no_number_gets_a_sentence(call):
    with pytest.raises(
        (DataError, ParameterError), match=r"must|are|expected|is 2 numbers|there is no state|needs two"
    ):
        call()


def endless_reward(amount):
    return MDP([np.ones((1, 1))], [[amount]], discount=0.99)


BEYOND_THE_LARGEST_NUMBER = {
    "values": lambda: QLearning(0.5).fit(endless_reward(1e308), n_steps=10_000),
    "two tables": lambda: DoubleQLearning(0.5).fit(endless_reward(1e308), n_steps=10_000),
    "steps one by one": lambda: [agent.observe(0, 0, 1e308, 0) for agent in [QLearning(1.0).begin(1, 1)] * 9],
    "plans": lambda: POMDP([np.eye(2)], [np.eye(2)], [[1e308], [1e308]], 0.9).plan(9),
    "plans of beliefs": lambda: POMDP([np.eye(2)], [np.eye(2)], [[1e308], [1e308]], 0.9).solve_by_points(),
    "weighted rewards": lambda: off_policy_value([0, 1], [1e300, 2e300], [0.5, 0.5], [0, 1]),
    "tiny propensities": lambda: off_policy_value([0, 1], [1, 2], [1e-300, 0.5], [0, 1]),
}


@pytest.mark.parametrize("call", BEYOND_THE_LARGEST_NUMBER.values(), ids=BEYOND_THE_LARGEST_NUMBER)
def test_worths_that_are_no_numbers_are_refused(call):
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(DegenerateError, match="large"):
        call()


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_the_linear_program_knows_no_unit(unit):
    """Textbook process of two states, whose values are 18 and 20 times the unit of its rewards."""
    process = MDP([np.eye(2), np.eye(2)[::-1]], np.array([[1, 0], [2, 0]]) * unit, discount=0.9)
    assert_allclose(process.solve("linear programming").values, [18 * unit, 20 * unit], rtol=1e-9)


def test_states_and_actions_of_narrow_integers_are_counted_exactly():
    """As 32-bit numbers their product is below 0, and the table was made."""
    with pytest.raises(
        ParameterError, match="50000 states and 50000 actions are more pairs than a table holds"
    ):
        QLearning().begin(np.int32(50_000), np.int32(50_000))
    assert QLearning().begin(np.uint8(20), np.uint8(20)).q_.shape == (20, 20)


def test_amounts_without_end_are_taken():
    world = GridWorld("S.G", goal_reward=1)
    agent = QLearning(random_state=0).fit(world, 5, n_steps=2**70, max_steps=2**70)
    assert len(agent.returns_) == 5


def test_a_step_that_gives_no_weights_leaves_the_bandit_as_it_was():
    bandit = LinUCB(2, 2, random_state=0).learn([1.0, 2.0], 0, True)
    before = bandit.coef_
    assert before[0].any()
    with pytest.raises(DataError, match="another unit"):
        bandit.learn([1e90, 2.0], 0, 1e308)
    assert_array_equal(bandit.coef_, before)
    assert bandit.counts.tolist() == [1, 0] and bandit.choose([1.0, 1.0]) in (0, 1)
    assert ModelBandit(MeanRegressor(), 2).learn([1.0], 1, np.True_).counts.tolist() == [0, 1]


def test_actions_of_an_environment_are_counted_first():
    with pytest.raises(ParameterError, match="n_actions is 5, and the environment has 2 actions"):
        LinearSarsa(lambda state: np.ones(1), 5).fit(TwoWays(), 1)


def test_rewards_that_a_column_gives_away_are_noticed():
    rng = np.random.default_rng(0)
    age, action = rng.uniform(20, 60, 400), rng.choice(["a", "b"], 400)
    bought = (rng.random(400) < np.where((age > 40) == (action == "a"), 0.8, 0.2)).astype(float)
    settings = {"propensity": np.full(400, 0.5), "learner": "tree"}
    before = compare_policies({"age": age}, action, bought, **settings)
    assert not any("known only after" in note for note in before.notes)
    after = compare_policies({"age": age, "paid": bought * 9.9}, action, bought, **settings)
    assert any("known only after" in note for note in after.notes)
