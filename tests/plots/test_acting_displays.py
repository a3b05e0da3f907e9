"""Pictures of acting: maps of values and moves, lines of plans, returns of agents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.plots import BeliefValueDisplay, GridWorldDisplay, ReturnsDisplay
from assay.reinforcement import POMDP, GridWorld, QLearning, Sarsa, TemporalDifference, tiger

WORLD = GridWorld("...G\n.#..\nS..X", goal_reward=100, pit_reward=-100)
DOORS = ["open left", "open right"]


@pytest.mark.capability("IML-18-12")
def test_a_map_shows_the_values_and_every_best_move():
    best = WORLD.solve()
    display = GridWorldDisplay.from_solution(best)
    assert_allclose(display.image_.get_array().filled(np.nan), WORLD.on_grid(best.values))
    assert display.image_.get_array().mask.sum() == 1  # the wall
    assert [text.get_text() for text in display.numbers_[:4]] == ["81", "90", "100", "0"]
    equally_good = (np.isclose(best.q, best.q.max(axis=1, keepdims=True)) & ~WORLD.terminal[:, None]).sum()
    assert len(display.arrows_.U) == equally_good > (~WORLD.terminal).sum()
    lowest = display.ax_.get_ylim()
    assert lowest[0] > lowest[1]  # rows downwards, as in the text


@pytest.mark.capability("IML-18-12")
def test_what_an_agent_learned_is_drawn_alike():
    agent = QLearning(1.0, random_state=0).fit(WORLD, 300)
    display = GridWorldDisplay.from_agent(WORLD, agent)
    assert_allclose(display.values, agent.values_)
    values = TemporalDifference(random_state=0).fit(WORLD, 50)
    assert GridWorldDisplay.from_agent(WORLD, values).arrows_ is None


@pytest.mark.capability("IML-18-12")
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_lines_of_the_tiger_and_their_envelope(horizon):
    value = tiger().plan(horizon, last=DOORS)
    display = BeliefValueDisplay(value).plot()
    assert len(display.lines_) == len(value.plans)
    for p in (0.0, 0.2, 0.45, 0.5, 0.9, 1.0):
        most = max(np.interp(p, [0, 1], line.get_ydata()) for line in display.lines_)
        assert_allclose(np.interp(p, *display.envelope_.get_data()), most, atol=1e-9)
    if horizon == 2:
        assert_allclose([float(p) for p in display.bounds_], [0.29411765, 0.68306011], atol=5e-9)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[-1] == "the best" and len(labels) == len(set(labels))
    assert display.ax_.get_xlabel() == "probability of tiger left"


@pytest.mark.capability("IML-18-12")
def test_curves_are_means_over_the_same_seeds():
    display = ReturnsDisplay.from_agents({"Q": QLearning(), "Sarsa": Sarsa()}, WORLD, 20, n_runs=4)
    first = np.array([QLearning(random_state=s).fit(WORLD, 20).returns_ for s in range(4)])
    assert_allclose(display.lines_[0].get_ydata(), first.mean(axis=0))
    assert len(display.bands_) == 2
    smooth = ReturnsDisplay({"a": [[1.0, 2.0, 6.0]]}, window=2).plot()
    assert_allclose(smooth.lines_[0].get_data(), [[2, 3], [1.5, 4.0]])
    assert not smooth.bands_


def test_wrong_input_ends_in_a_sentence():
    with pytest.raises(DataError, match="no returns"):
        ReturnsDisplay({})
    with pytest.raises(ParameterError, match="window"):
        ReturnsDisplay({"a": [1.0]}, window=0)
    with pytest.raises(ParameterError, match="level"):
        ReturnsDisplay({"a": [1.0]}, level=2)
    three = POMDP(np.eye(3)[None], np.ones((1, 3, 1)), np.zeros((3, 1)))
    with pytest.raises(ParameterError, match="two states"):
        BeliefValueDisplay(three.plan(1))
