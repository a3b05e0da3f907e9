"""Decision processes that are known: values, policies, returns, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError, DegenerateError, ParameterError
from assay.reinforcement import MDP, GridWorld, discounted_return

METHODS = ["value iteration", "policy iteration", "modified policy iteration", "linear programming"]


def stay_or_go():
    return MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[1, 0], [2, 0]], 0.9, actions=["stay", "go"])


def uncertain():
    P = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.5, 0.5], [0.0, 1.0]]])
    return MDP(P, [[5, 0], [-1, 2]], 0.9)


@st.composite
def processes(draw):
    """A random process with some terminal states and actions that cannot be taken everywhere."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    S, A = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    P = rng.dirichlet(np.full(S, 0.5), size=(S, A))
    P[:, 1:][rng.random((S, A - 1)) < 0.3] = 0
    ends = np.flatnonzero(rng.random(S) < 0.3).tolist()
    return MDP(P, rng.normal(size=(S, A, S)), draw(st.sampled_from([0.0, 0.5, 0.95])), terminal=ends)


# ------------------------------------------------------------------ oracles


@pytest.mark.capability("IML-18-02")
def test_the_return_of_four_rewards():
    assert discounted_return([1, 0, 2, 5], 0.9) == pytest.approx(6.265, abs=1e-12)


@pytest.mark.capability("IML-18-03")
def test_sweeps_over_two_states():
    """Oracle M1: five synchronous sweeps from 0, then the values and those of the actions."""
    best = stay_or_go().solve("value iteration", history=True)
    expected = [(1, 2), (1.9, 3.8), (3.42, 5.42), (4.878, 6.878), (6.1902, 8.1902)]
    assert_allclose(best.history[:5], expected, rtol=1e-12)
    assert_allclose(best.values, [18, 20], atol=1e-6)
    assert_allclose(best.q, [[17.2, 18], [20, 16.2]], atol=1e-6)
    assert best.actions == ["go", "stay"]
    assert best.converged and best.error_bound <= 1e-6


@pytest.mark.capability("IML-18-03")
@pytest.mark.parametrize("method", METHODS)
def test_uncertain_outcomes(method):
    """Oracle M2."""
    best = uncertain().solve(method)
    assert_allclose(best.values, [35.20547945, 26.98630137], atol=1e-6)
    assert_allclose(best.q, [[35.20547945, 25.02739726], [26.98630137, 26.28767123]], atol=1e-6)
    assert best.actions == [0, 0]
    sweeps = uncertain().solve("value iteration", history=True).history[:3]
    assert_allclose(sweeps, [(5, 2), (8.96, 3.8), (12.1352, 5.42)], rtol=1e-12)


@pytest.mark.capability("IML-18-04")
def test_three_policies_to_the_best():
    """Oracle M2: policy iteration from (a2, a2)."""
    best = uncertain().solve("policy iteration", start=[1, 1], history=True)
    assert [policy.tolist() for policy, _ in best.history] == [[1, 1], [0, 1], [0, 0]]
    values = [values for _, values in best.history]
    assert_allclose(values[0], [17.80219780, 20], atol=5e-9)
    assert_allclose(values[1], [30.71428571, 20], atol=5e-9)
    assert_allclose(values[2], [35.20547945, 26.98630137], atol=5e-9)
    assert best.iterations == 3


@pytest.mark.capability("IML-18-02", "IML-18-03")
@pytest.mark.parametrize("method", METHODS)
def test_grids(method):
    """IML 18.4 and exercises 1, 3: one goal, two goals, a goal and a pit."""
    one = GridWorld("...G\n....\n....\n....", goal_reward=100)
    rows = [(81, 90, 100, 0), (72.9, 81, 90, 100), (65.61, 72.9, 81, 90), (59.049, 65.61, 72.9, 81)]
    assert_allclose(one.on_grid(one.solve(method).values), rows, atol=1e-6)
    small = GridWorld("..G\n...\n...", goal_reward=100)
    assert_allclose(
        small.on_grid(small.solve(method).values), [(90, 100, 0), (81, 90, 100), (72.9, 81, 90)], atol=1e-6
    )
    two = GridWorld("...G\n....\n....\n...G", goal_reward=100)
    rows_of_two = [(81, 90, 100, 0), (72.9, 81, 90, 100), (72.9, 81, 90, 100), (81, 90, 100, 0)]
    assert_allclose(two.on_grid(two.solve(method).values), rows_of_two, atol=1e-6)
    pit = GridWorld("...G\n....\n....\n...X", goal_reward=100, pit_reward=-100)
    rows[3] = (59.049, 65.61, 72.9, 0)
    assert_allclose(pit.on_grid(pit.solve(method).values), rows, atol=1e-6)


@pytest.mark.capability("IML-18-03")
@pytest.mark.parametrize("method", METHODS)
def test_a_grid_on_which_moves_go_astray(method):
    """IML 18.9 exercise 5: intended direction .5, each side .25."""
    world = GridWorld("...G\n....\n....\n....", goal_reward=100, slip=0.25)
    expected = [(51.8002, 65.8775, 84.8834, 0), (46.6680, 57.1448, 70.1539, 84.8834),
                (40.9725, 47.7915, 57.1448, 65.8775), (35.6857, 40.9725, 46.6680, 51.8002)]  # fmt: skip
    assert_allclose(world.on_grid(world.solve(method).values), expected, atol=6e-5)


@pytest.mark.capability("IML-18-03")
@pytest.mark.parametrize("method", METHODS)
def test_a_cost_of_steps_without_discount(method):
    """IML 18.9 exercise 4: the penalty is linear in the length of the way."""
    world = GridWorld("..G\n...\nS..", goal_reward=100, step_reward=-3, discount=1)
    assert_allclose(
        world.on_grid(world.solve(method).values), [(94, 97, 0), (91, 94, 97), (88, 91, 94)], atol=1e-5
    )


# ------------------------------------------------------------------ properties


@settings(max_examples=60, deadline=None)
@given(mdp=processes())
def test_all_methods_find_the_same_values(mdp):
    found = [mdp.solve(method) for method in METHODS] + [mdp.solve("value iteration", in_place=True)]
    for best in found:
        assert_allclose(best.values, found[1].values, atol=3e-6)
        assert (best.policy[mdp.terminal] == -1).all() and (best.values[mdp.terminal] == 0).all()
    assert_allclose(mdp.evaluate(found[0]), found[1].values, atol=3e-6)
    acting = ~mdp.terminal
    assert_allclose(mdp.q_values(found[1].values).max(axis=1)[acting], found[1].values[acting], atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(mdp=processes(), seed=st.integers(0, 1000))
def test_a_policy_of_chances_is_worth_the_mean_of_its_actions(mdp, seed):
    chances = np.random.default_rng(seed).random(mdp.rewards.shape) * mdp.available
    chances[mdp.available.any(axis=1)] /= chances[mdp.available.any(axis=1)].sum(axis=1, keepdims=True)
    values = mdp.evaluate(chances)
    q = np.where(mdp.available, mdp.q_values(values), 0)
    assert_allclose(values, (chances * q).sum(axis=1), atol=1e-9)
    assert (values <= mdp.solve("policy iteration").values + 1e-9).all()


def test_returns_of_episodes_have_the_mean_that_was_computed():
    mdp = uncertain()
    episodes = mdp.simulate([0, 1], 4000, max_steps=150, start=0, random_state=0)
    assert len(episodes) == 4000 and (episodes.lengths == 150).all()
    returns = episodes.returns(0.9)
    error = returns.std() / np.sqrt(4000)
    assert abs(returns.mean() - mdp.evaluate([0, 1])[0]) < 4 * error
    assert episodes.truncated.reshape(4000, 150)[:, -1].all() and not episodes.terminated.any()


def test_an_end_is_not_a_cut():
    world = GridWorld("S.G", goal_reward=5)
    whole = world.simulate(world.solve(), 3, random_state=1)
    assert_array_equal(whole.terminated.astype(bool), [False, True] * 3)
    assert not whole.truncated.any()
    cut = world.simulate(world.solve(), 1, max_steps=1, random_state=1)
    assert cut.truncated.astype(bool).tolist() == [True] and not cut.terminated.any()
    assert set(cut.to_dict()) == {
        "episode",
        "state",
        "action",
        "reward",
        "next_state",
        "terminated",
        "truncated",
    }


def test_the_same_seed_walks_the_same_way():
    mdp = uncertain()
    some = [mdp.simulate([0, 1], 20, max_steps=30, random_state=seed).state for seed in (3, 3, 4)]
    assert_array_equal(some[0], some[1])
    assert (some[0] != some[2]).any()


def test_rewards_in_every_form_are_the_same():
    P = np.array([[[0.8, 0.2], [0.1, 0.9]], [[0.5, 0.5], [0.0, 1.0]]])
    R = np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    whole = MDP(P, R)
    assert_allclose(MDP(P, (P * R).sum(axis=2)).rewards, whole.rewards)
    as_list = [sparse.csr_array(P[:, a]) for a in range(2)], [sparse.csr_array(R[:, a]) for a in range(2)]
    assert_allclose(MDP(*as_list).solve().values, whole.solve().values)
    assert_allclose(MDP(P, [1, 2]).rewards, [[1, 1], [2, 2]])


def test_states_that_cannot_be_reached_are_named():
    world = GridWorld("S.#.\n..#G")
    assert world.unreachable() == [(0, 3), (1, 3)]
    assert GridWorld("S..\n..G").unreachable() == []


def test_the_backup_written_out():
    best = uncertain().solve("policy iteration")
    told = best.explain(0)
    assert told.best == [0]
    assert str(told).splitlines() == [
        "0 is worth 35.2055, the most of:",
        "  0: 5 + 0.9 (0.8 x 35.2055 [0] + 0.2 x 26.9863 [1]) = 35.2055  <- best",
        "  1: 0 + 0.9 (0.1 x 35.2055 [0] + 0.9 x 26.9863 [1]) = 25.0274",
    ]
    assert "terminal" in str(GridWorld("SG").solve().explain((0, 1)))


# ------------------------------------------------------------------ wrong input

STAY = [[[1.0, 0.0], [0.0, 1.0]]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: MDP([[[0.5, 0.4], [0, 1]]], [0, 0]),
            r"action 0 in state 0 must be .* sum to 1; they sum to 0\.9",
        ),
        (lambda: MDP("abc", [0, 0]), "no matrix of numbers"),
        (lambda: MDP([[[1.5, -0.5], [0, 1]]], [0, 0]), "from 0 up"),
        (lambda: MDP([[[np.nan, 1], [0, 1]]], [0, 0]), "finite"),
        (lambda: MDP(STAY, [np.inf, 0]), "finite"),
        (lambda: MDP(STAY, [1, 2, 3]), r"rewards must have the shape \(2, 1\)"),
        (lambda: MDP(STAY, ["a", "b"]), "rewards must be numbers"),
        (lambda: MDP([[[1.0, 0.0]]], [0]), "square matrix for each action"),
        (lambda: MDP([], []), "a state and an action"),
        (lambda: MDP([[[0, 0], [0, 1]]], [0, 0]), "no action can be taken in state 0"),
        (lambda: MDP(STAY, [0, 0], 1.1), "discount must be"),
        (lambda: MDP(STAY, ["0", "0"]), "rewards must be numbers"),
        (lambda: MDP(STAY, [0, 0], 1.0), "with discount=1 every state must be able to reach a terminal"),
        (lambda: MDP(STAY, [0, 0], terminal=[7]), "there is no state 7"),
        (lambda: MDP(STAY, [0, 0], states=["a", "a"]), "2 different names"),
        (lambda: MDP(STAY, [0, 0], start=[1, 1]), "sum to 1"),
        (lambda: MDP(STAY, [0, 0]).solve("guess"), "method must be auto or one of value iteration"),
        (lambda: MDP(STAY, [0, 0]).solve(epsilon=0), "epsilon must be a number above 0"),
        (lambda: MDP(STAY, [0, 0]).solve(max_iter=0), "max_iter"),
        (lambda: MDP(STAY, [0, 0]).evaluate([0, 3]), "actions from 0 to 0"),
        (lambda: MDP(STAY, [0, 0]).evaluate([[0.5], [1]]), "sum to 1"),
        (lambda: MDP(STAY, [0, 0]).evaluate("ab"), "a policy must be"),
        (lambda: MDP(STAY, [0, 0]).simulate([0, 0], 0), "n_episodes must be"),
        (lambda: MDP(STAY, [0, 0]).q_values([1]), "2 finite numbers"),
        (lambda: GridWorld("S?G"), "'?' is no mark"),
        (lambda: GridWorld("S.\nG"), "same length"),
        (lambda: GridWorld("##"), "walls alone"),
        (lambda: GridWorld(""), "same length"),
        (lambda: GridWorld(3), "must be text"),
        (lambda: GridWorld("SG", slip=0.7), "slip must be"),
        (lambda: GridWorld("SG", rewards={(5, 5): 1}), "no cell"),
        (lambda: discounted_return([1], 2), "discount must be"),
    ],
)
def test_wrong_input_ends_in_a_sentence(make, words):
    with pytest.raises((DataError, ParameterError), match=words):
        make()


def test_a_policy_that_takes_what_cannot_be_taken():
    mdp = MDP([[[1, 0], [0, 1]], [[0, 1], [0, 0]]], [[0, 0], [0, 0]])
    with pytest.raises(ParameterError, match="takes action 1 in state 1, where it cannot be taken"):
        mdp.evaluate([0, 1])


def test_a_policy_that_never_ends_has_no_values_without_discount():
    world = GridWorld("S.G", discount=1)
    with pytest.raises(DegenerateError, match="may never end"):
        world.evaluate(["left", "left", "left"])


def test_too_few_sweeps_are_told():
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
        best = stay_or_go().solve("value iteration", max_iter=2)
    assert not best.converged and best.error_bound > 1


def test_rewards_that_rise_without_limit_are_told():
    loop = MDP([[[0.5, 0.5], [0, 1]], [[1, 0], [0, 1]]], [[1, 1], [0, 0]], 1.0, terminal=[1])
    for method in ("value iteration", "linear programming"):
        with pytest.raises(DegenerateError, match="grow without limit: going round from state 0"):
            loop.solve(method)


def test_the_steps_of_a_solution_are_pictures_of_one_scale():
    from assay.plots import GridWorldDisplay

    world = GridWorld("..G\n...\nS..", goal_reward=100)
    solution = world.solve("value iteration", history=True)
    pictures = GridWorldDisplay.frames(solution, dpi=40)
    assert len(pictures) == len(solution.history) >= 4
    assert len({picture.shape for picture in pictures}) == 1 and pictures[0].shape[2] == 4
    assert (pictures[0] != pictures[-1]).any()
    assert len(GridWorldDisplay.frames(world.solve("policy iteration", history=True), dpi=40)) >= 1
    with pytest.raises(DataError, match="history=True"):
        GridWorldDisplay.frames(world.solve())


@pytest.mark.parametrize("method", ["value iteration", "policy iteration", "modified policy iteration"])
def test_rewards_whose_sums_are_no_numbers_are_refused(method):
    with pytest.raises(DegenerateError, match="exceed the largest number"):
        MDP([np.eye(2)], [[1e308], [1e308]], 0.99).solve(method)
