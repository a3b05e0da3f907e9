"""Learning by experience: updates by hand, native steps as Python's, values that converge, ends and cuts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from assay.errors import DataError, ParameterError
from assay.reinforcement import (
    MDP,
    DoubleQLearning,
    EpsilonGreedy,
    ExpectedSarsa,
    GridWorld,
    QLearning,
    Sarsa,
    Schedule,
    Softmax,
    TemporalDifference,
)

AGENTS = [QLearning, Sarsa, ExpectedSarsa, DoubleQLearning]


def uncertain():
    P = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.5, 0.5], [0.0, 1.0]]])
    return MDP(P, [[5, 0], [-1, 2]], 0.9)


def random_walk():
    walk = np.eye(7, k=1) / 2 + np.eye(7, k=-1) / 2
    return MDP([walk], [np.tile(np.arange(7) == 6, (7, 1))], 1, terminal=[0, 6], start=3)


def ready(agent, q):
    """An agent with a table that was learned before."""
    agent.begin(*np.shape(q), discount=0.9)
    agent._table[:] = q
    return agent


# ------------------------------------------------------------------ oracles


@pytest.mark.capability("IML-18-05")
def test_chances_by_temperature_and_by_epsilon():
    q = [1, 2, 3]
    assert_allclose(Softmax(1).probabilities(q), [0.09003057, 0.24472847, 0.66524096], atol=5e-9)
    assert_allclose(Softmax(0.5).probabilities(q), [0.01587624, 0.11731043, 0.86681333], atol=5e-9)
    assert_allclose(Softmax(10).probabilities(q), [0.30060961, 0.33222499, 0.36716540], atol=5e-9)
    assert_allclose(EpsilonGreedy(0.1).probabilities([0, 9, 1, 2]).max(), 0.925)
    assert_allclose(
        EpsilonGreedy(0.2).probabilities([5, 5, -np.inf, 1]), [0.4 + 0.2 / 3, 0.4 + 0.2 / 3, 0, 0.2 / 3]
    )
    cooling = Softmax(Schedule.exponential(1.0, 0.5, least=0.25))
    assert_allclose(cooling.probabilities(q, n=2), Softmax(0.5).probabilities(q))
    assert_allclose(cooling.probabilities(q, n=9), Softmax(0.25).probabilities(q))


@pytest.mark.capability("IML-18-06")
def test_rewards_and_actions_without_chance():
    """IML 18.5.2: a state whose best value is 81 gives 72.9; when it is found to be worth 100, 90."""
    agent = ready(QLearning(1.0), np.zeros((2, 2)))
    agent._table[1] = [81, 0]
    assert_allclose(agent.observe(0, 0, 0.0, 1).q_[0, 0], 72.9)
    agent._table[1, 1] = 100
    assert_allclose(agent.observe(0, 0, 0.0, 1).q_[0, 0], 90)


@pytest.mark.capability("IML-18-06")
def test_without_chance_values_never_fall():
    world = GridWorld("...G\n....\n....\n....", goal_reward=100)
    agent, last = QLearning(1.0, exploration=EpsilonGreedy(1.0), random_state=3), 0.0
    for episodes in (1, 5, 20, 100, 2000):
        q = agent.fit(world, episodes).q_.copy()
        assert (q >= last - 1e-12).all()
        last = q
    best = world.solve()
    assert_allclose(agent.q_[~world.terminal], best.q[~world.terminal], atol=1e-9)


@pytest.mark.capability("IML-18-07")
def test_one_step_of_each_rule():
    """IML 18.5.3: (s1, a2, 3, s2, a2), rate .1, discount .9."""
    q = [[0, 1], [2, 0.5]]
    assert_allclose(ready(QLearning(0.1), q).observe(0, 1, 3.0, 1, 1).q_[0, 1], 1.38)
    assert_allclose(ready(Sarsa(0.1), q).observe(0, 1, 3.0, 1, 1).q_[0, 1], 1.245)
    assert_allclose(ready(ExpectedSarsa(0.1), q).observe(0, 1, 3.0, 1, 1).q_[0, 1], 1.37325)
    assert_allclose(ready(QLearning(1.0), q).observe(0, 1, 3.0, 1, 1).q_[0, 1], 4.8)
    values = TemporalDifference(learning_rate=0.1).begin(2, 1, discount=0.9)
    values._table[:, 0] = [0, 1]
    assert_allclose(values.observe(0, 0, 3.0, 1).values_[0], 0.39)


@pytest.mark.capability("IML-18-07")
def test_q_learning_of_an_uncertain_process():
    agent = QLearning(Schedule.power(0.7), exploration=EpsilonGreedy(0.3), random_state=0)
    agent.fit(uncertain(), n_steps=300_000)
    assert agent.lengths_.sum() == 300_000
    assert_allclose(agent.q_, uncertain().solve().q, atol=0.4)


@pytest.mark.capability("IML-18-07")
def test_the_walk_of_five_states():
    learned = TemporalDifference(learning_rate=Schedule.power(0.7), random_state=0).fit(random_walk(), 40_000)
    assert_allclose(learned.values_[1:6], np.arange(1, 6) / 6, atol=0.03)
    assert_allclose(random_walk().evaluate([0] * 7)[1:6], np.arange(1, 6) / 6, rtol=1e-12)


@pytest.mark.capability("IML-18-08")
@pytest.mark.parametrize(
    ("trace", "traces", "values"),
    [
        ("replacing", [0.373248, 0.72, 1], [0.186624, 0.36, 0.5]),
        ("accumulating", [0.373248, 1.2384, 1], [0.186624, 0.6192, 0.5]),
    ],
)
@pytest.mark.parametrize("learner", [TemporalDifference, Sarsa])
def test_traces_of_a_path(learner, trace, traces, values):
    """IML 18.5.4: 1, 2, 2, 3, end, and a reward of 1 at the end."""
    agent = learner(learning_rate=0.5, fade=0.8, trace=trace).begin(4, 1, discount=0.9)
    for s, after in ((0, 1), (1, 1), (1, 2)):
        agent.observe(s, 0, 0.0, after, 0)
    assert_allclose(agent._traces[:3, 0] * [1, 1, 1], np.array(traces) * [1, 1, 0], atol=1e-12)
    agent.observe(2, 0, 1.0, 3, terminated=True)
    assert_allclose(agent._table[:3, 0], values, atol=1e-12)
    assert not agent._traces.any()  # every episode begins without


@pytest.mark.capability("IML-18-08")
def test_watkins_traces_end_with_an_action_that_is_not_the_best():
    agent = ready(QLearning(0.5, fade=0.8), np.zeros((3, 2)))
    agent._table[1] = [1, 2]
    agent.observe(0, 0, 0.0, 1, 1)
    assert_allclose(agent._traces[0, 0], 0.72)
    agent.observe(0, 0, 0.0, 1, 0)
    assert not agent._traces.any()


@pytest.mark.capability("IML-18-08")
@pytest.mark.parametrize("fade", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("trace", ["replacing", "accumulating"])
def test_values_with_traces_converge_too(fade, trace):
    settings = {"learning_rate": Schedule.power(0.8, 0.5, by="episodes"), "fade": fade, "trace": trace}
    learned = TemporalDifference(random_state=1, **settings).fit(random_walk(), 20_000)
    assert_allclose(learned.values_[1:6], np.arange(1, 6) / 6, atol=0.05)


# ------------------------------------------------------------------ native code and its twin


@pytest.mark.parametrize("exploration", [EpsilonGreedy(Schedule.exponential(1.0, 0.9, 0.1)), Softmax(2.0)])
@pytest.mark.parametrize("rate", [0.3, Schedule.power(0.7), Schedule.linear(0.5, 0.1, 50, by="steps")])
@pytest.mark.parametrize(
    ("learner", "settings"),
    [
        (QLearning, {}), (Sarsa, {}), (ExpectedSarsa, {}),
        (QLearning, {"fade": 0.7}), (Sarsa, {"fade": 0.7, "trace": "accumulating"}), (Sarsa, {"fade": 0.7}),
        (ExpectedSarsa, {"fade": 0.5}),
    ],
)  # fmt: skip
def test_native_steps_learn_what_observe_learns(learner, settings, rate, exploration):
    world = GridWorld("..G\n.#.\nS.X", goal_reward=10, pit_reward=-5, step_reward=-0.1, slip=0.1)
    agent = learner(rate, exploration=exploration, random_state=5, **settings)
    agent.fit(world, 30, record=True)
    steps = agent.episodes_
    assert not steps.truncated.any()  # what would have been done after a cut is in no log
    twin = agent.fresh(5).begin(world.n_states, 4, discount=0.9, available=world.available)
    for t in range(len(steps.state)):
        following = None if steps.terminated[t] else int(steps.action[t + 1])
        twin.observe(
            int(steps.state[t]), int(steps.action[t]), float(steps.reward[t]), int(steps.next_state[t]), following,
            terminated=bool(steps.terminated[t]),
        )  # fmt: skip
    assert_allclose(agent.q_, twin.q_, atol=1e-12)
    assert_array_equal(agent.visits_, twin.visits_)
    assert_allclose(steps.returns(0.9), agent.returns_, atol=1e-12)
    assert_array_equal(steps.lengths, agent.lengths_)


@pytest.mark.parametrize("learner", AGENTS)
@pytest.mark.parametrize("planning", [0, 5])
def test_every_agent_finds_the_best_policy(learner, planning):
    world = GridWorld("..G\n.#.\nS..", goal_reward=10, step_reward=-1)
    fewer = EpsilonGreedy(Schedule.linear(0.5, 0.0, 600))
    agent = learner(0.2, exploration=fewer, planning_steps=planning, random_state=0).fit(world, 800)
    assert_allclose(world.evaluate(agent.policy_), world.solve().values, atol=1e-9)


def test_planning_needs_fewer_steps():
    world = GridWorld("......\n.###..\n...#.G\nS..#..", goal_reward=1)
    plain, dyna = (
        QLearning(0.3, planning_steps=k, random_state=0).fit(world, 30).lengths_.sum() for k in (0, 20)
    )
    assert dyna < plain / 2


def test_double_q_is_not_too_optimistic():
    """Of two ways, one ends at once and earns 0, the other goes on to noise of mean -0.1 (Sutton and Barto, 6.7)."""
    S, A = 4, 8
    P = np.zeros((S, A, S))
    P[0, 0, 2] = P[0, 1, 1] = 1  # stop; or go on to state 1, from which all actions end in a win or a loss
    P[1, :, 2] = P[1, :, 3] = 0.5
    R = np.zeros((S, A, S))
    R[1, :, 2], R[1, :, 3] = 0.9, -1.1
    mdp = MDP(P, R, 1, terminal=[2, 3], start=0)
    tries = EpsilonGreedy(1.0)
    one, two = (
        np.mean(
            [learner(0.1, exploration=tries, random_state=seed).fit(mdp, 3000).q_[0, 1] for seed in range(20)]
        )
        for learner in (QLearning, DoubleQLearning)
    )
    assert one > 0.05  # too high: the truth is -0.1
    assert abs(two + 0.1) < 0.05


def test_what_follows_a_cut_still_counts():
    """One state for ever, 1 a step: worth 10 at a discount of 0.9, however short episodes are."""
    mdp = MDP([[[1.0]]], [1.0], 0.9)
    for agent in (QLearning(0.2), Sarsa(0.2), TemporalDifference(learning_rate=0.2)):
        assert_allclose(agent.fit(mdp, 1500, max_steps=1).values_, 10, atol=1e-6)


def test_the_same_seed_learns_the_same():
    world = GridWorld("..G\n.#.\nS..", slip=0.1)
    q = [QLearning(random_state=seed).fit(world, 50).q_ for seed in (1, 1, 2)]
    assert_array_equal(q[0], q[1])
    assert (q[0] != q[2]).any()


class Corridor:
    """An environment as Gymnasium has them: five cells, the last one is the goal."""

    class _Space:
        def __init__(self, n):
            self.n = n

    observation_space, action_space = _Space(5), _Space(2)

    def reset(self, seed=None):
        self.cell = 0
        return 0, {}

    def step(self, action):
        self.cell = max(self.cell + (1 if action else -1), 0)
        return self.cell, float(self.cell == 4), self.cell == 4, False, {}


@pytest.mark.parametrize("learner", AGENTS)
def test_environments_of_others(learner):
    agent = learner(0.5, discount=0.9, random_state=0).fit(Corridor(), 200, record=True)
    assert agent.policy_[:4].tolist() == [1, 1, 1, 1]
    assert len(agent.returns_) == 200 == len(agent.episodes_)
    assert_allclose(agent.episodes_.returns(0.9), agent.returns_)
    short = learner(0.5, random_state=0).fit(Corridor(), n_steps=57)
    assert short.lengths_.sum() == 57


@pytest.mark.parametrize(
    ("agent", "most"),
    [
        (QLearning(0.5, random_state=0), 7),
        (QLearning(Schedule.power(0.7), fade=0.5, random_state=0), 7),
        (ExpectedSarsa(0.5, exploration=EpsilonGreedy(Schedule.linear(0.5, 0.1, 20)), random_state=0), 7),
        (
            Sarsa(0.5, random_state=0),
            10_000,
        ),  # not cut: the log does not hold what would have been done after it
        (Sarsa(0.5, fade=0.5, trace="accumulating", random_state=0), 10_000),
        (Sarsa(0.5, lookahead=3, random_state=0), 10_000),
    ],
)
def test_steps_in_an_environment_are_those_of_observe(agent, most):
    """Twin of the native companion: the same steps told one by one."""
    learned = agent.fit(Corridor(), 30, max_steps=most, record=True)
    q, log = learned.q_.copy(), learned.episodes_
    assert log.truncated.any() == (most == 7)
    twin = agent.begin(5, 2)
    actions = [*log.action[1:], None]
    for i, (ended, cut) in enumerate(zip(log.terminated, log.truncated)):
        step = (log.state[i], log.action[i], log.reward[i], log.next_state[i])
        twin.observe(*step, None if ended or cut else actions[i], terminated=ended, truncated=cut)
    assert_allclose(twin.q_, q, rtol=1e-12)


def test_planning_in_an_environment_knows_which_steps_were_the_last():
    """In the goal nothing follows, though it is a state as any other to the table; its value must stay out."""
    agent = QLearning(0.5, discount=0.9, planning_steps=20, initial=5.0, random_state=0).fit(Corridor(), 200)
    assert_allclose(agent.values_[:4], 0.9 ** np.arange(3, -1, -1), rtol=1e-6)


# ------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w: QLearning(-1).fit(w), "learning_rate must be from 0 to 1"),
        (lambda w: Sarsa(1.5).fit(w), "learning_rate must be from 0 to 1"),
        (lambda w: QLearning(Schedule.power(0.7, 2.0)).fit(w), "learning_rate must be from 0 to 1"),
        (lambda w: QLearning("fast").fit(w), "learning_rate must be a number or a Schedule"),
        (lambda w: QLearning(fade=2).fit(w), "fade, the lambda of traces, must be from 0 to 1"),
        (lambda w: QLearning(trace="dutch").fit(w), "trace must be one of replacing, accumulating"),
        (lambda w: QLearning(exploration=0.1).fit(w), "exploration must be EpsilonGreedy"),
        (lambda w: QLearning(discount=1.5).fit(w), "discount must be"),
        (lambda w: QLearning(planning_steps=-1).fit(w), "planning_steps must be"),
        (lambda w: QLearning(planning_steps=2, fade=0.5).fit(w), "do not go together"),
        (lambda w: DoubleQLearning(fade=0.5).fit(w), "no traces of two tables"),
        (lambda w: QLearning().fit(w, 0), "n_episodes must be"),
        (lambda w: QLearning().fit(w, n_steps=1.5), "n_steps must be"),
        (lambda w: QLearning().fit("grid"), "expected an MDP, or an environment"),
        (lambda w: Sarsa().begin(2, 2).observe(0, 0, 1.0, 1), "observe needs next_action"),
        (lambda w: Sarsa().begin(2, 2).observe(0, 5, 1.0, 1, 0), "from 0 to 1"),
        (lambda w: TemporalDifference().fit(Corridor()), "a policy of an MDP"),
        (lambda w: EpsilonGreedy(1.5), "epsilon must be from 0 to 1"),
        (lambda w: Softmax(0), "temperature must be above 0"),
        (lambda w: Softmax(1).probabilities([np.nan, 1]), "values must be numbers"),
        (lambda w: Schedule("steps", 1.0), "kind must be one of"),
        (lambda w: Schedule.power(1.0, by="days"), "by must be one of"),
        (lambda w: Schedule.constant(np.inf), "finite"),
    ],
)
def test_wrong_input_ends_in_a_sentence(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call(GridWorld("S.G"))


def test_an_agent_that_has_not_learned_says_so():
    with pytest.raises(NotFittedError, match="has not learned yet"):
        QLearning().act(0)
    with pytest.raises(NotFittedError):
        _ = QLearning().policy_


def test_an_agent_explains_what_it_has_learned_of_a_state():
    """Oracle: the agent's own tables, and epsilon 0.1 of four moves."""
    world = GridWorld("S.G", goal_reward=10)
    agent = QLearning(1.0, random_state=0).fit(world, 50)
    report = agent.explain((0, 1))
    names, worths, visits, chances = zip(*report.actions)
    assert names == ("up", "right", "down", "left") and report.best == ["right"]
    assert_allclose(worths, agent.q_[1])
    assert_array_equal(visits, agent.visits_[1])
    assert_allclose(chances, [0.025, 0.925, 0.025, 0.025])
    assert report.value == 10.0 and report.visits == agent.visits_[1].sum()
    assert "right: 10, taken 50 times, next with probability 0.925  <- best" in str(report)
    assert "terminal" in str(agent.explain((0, 2)))
    assert "never left" in str(QLearning().begin(2, 2).explain(1))
    told = TemporalDifference(random_state=0).fit(world, 50).explain((0, 1))
    assert [line[1:] for line in told.actions] == [(None, None, 0.25)] * 4 and not told.best
    with pytest.raises(ParameterError, match=r"there is no state 7; states are \(0, 0\)"):
        agent.explain(7)
    with pytest.raises(NotFittedError):
        QLearning().explain(0)


def test_an_agent_shows_what_is_not_as_usual_and_gives_fresh_ones():
    agent = Sarsa(0.5, fade=0.3, random_state=7)
    assert repr(agent) == "Sarsa(learning_rate=0.5, fade=0.3, random_state=7)"
    assert (
        repr(agent.fit(GridWorld("S.G"), 3).fresh(1)) == "Sarsa(learning_rate=0.5, fade=0.3, random_state=1)"
    )
    assert repr(TemporalDifference(fade=0.2)) == "TemporalDifference(fade=0.2)"


def test_a_start_that_is_terminal_ends_at_once():
    agent = QLearning(random_state=0).fit(MDP([[[1, 0], [0, 1]]], [0, 0], terminal=[0], start=0), 5)
    assert agent.lengths_.sum() == 0
