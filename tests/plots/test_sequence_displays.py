"""Pictures of sequences: automaton, trellis, ribbons, forecasts, graphs."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.sequences.urns import O, urns

from assay.errors import DataError, ParameterError
from assay.plots import (
    AutomatonDisplay,
    ChainGraphDisplay,
    ForecastDisplay,
    StateRibbonDisplay,
    TrellisDisplay,
)
from assay.sequences import CategoricalHMM, DynamicNetwork, GaussianHMM, MarkovChain, left_to_right

rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.capability("IML-15-30")
def test_the_trellis_of_the_urns():
    display = TrellisDisplay.from_model(urns(), [O], observations=["red", "red", "green", "blue", "yellow"])
    assert display.path.tolist() == [0, 0, 2, 2, 2]
    assert display.rival.tolist() == [0, 0, 1, 1, 1]  # the best that ends elsewhere
    assert_array_equal(display.path_.get_ydata(), display.path)
    delta = [[0.25, 0.02, 0.03], [0.05, 0.0075, 0.0075], [0.004, 0.003, 0.009]]
    assert_allclose(np.exp(display.scores[:3]), delta, rtol=1e-9)  # Oracle: IML 15.6
    assert [label.get_text() for label in display.ax_.get_xticklabels()][-1] == "yellow"
    with pytest.raises(DataError, match="61 rows are too many"):
        TrellisDisplay.from_model(urns(), [O * 12 + O[:1]])


@pytest.mark.capability("IML-15-30")
def test_automata_draw_what_is_possible():
    display = AutomatonDisplay.from_model(urns())
    assert len(display.arrows_) == 9
    mask = left_to_right(4, jump=2)
    line = AutomatonDisplay(mask / mask.sum(axis=1, keepdims=True), np.eye(4)[0], layout="line").plot()
    assert set(line.arrows_) == set(zip(*np.nonzero(mask)))
    assert len(AutomatonDisplay.from_model(MarkovChain().fit([list("aaba")])).state_names) == 2
    for wrong in (lambda: AutomatonDisplay([[0.5, 0.5]]), lambda: AutomatonDisplay(np.eye(40))):
        with pytest.raises(DataError):
            wrong()


@pytest.mark.capability("IML-15-30")
def test_graphs_of_variants_have_their_arcs():
    arcs = {"hidden Markov model": 5, "input-output": 8, "factorial": 10, "coupled": 14, "switching": 15}
    for kind, count in arcs.items():
        assert len(ChainGraphDisplay.of_kind(kind, rows=3).arcs_) == count
    net = DynamicNetwork().add("a", [0, 1], [[0.5, 0.5]] * 2, before=["a"], start=[0.5, 0.5])
    net = net.add("b", [0, 1], [[0.5, 0.5]] * 2, parents=["a"])
    assert len(ChainGraphDisplay.from_network(net, observed=["b"], rows=4).arcs_) == 7
    with pytest.raises(ParameterError, match="kind must be one of"):
        ChainGraphDisplay.of_kind("unknown")
    with pytest.raises(DataError, match="'z', which is no node"):
        ChainGraphDisplay(["a"], [("a", "z")], [])


def test_ribbons_are_the_runs_of_states():
    y = np.repeat([0.0, 5.0, 0.0], 10) + 0.3 * rng.normal(size=30)
    model = GaussianHMM(2, random_state=0, n_init=3).fit(y)
    display = StateRibbonDisplay.from_model(model, y)
    assert [rows for _, _, rows in display.runs_] == [10, 10, 10]
    stacked = StateRibbonDisplay.from_model(model, y, probabilities=True)
    assert len(stacked.ribbon_) == 2
    gaps = StateRibbonDisplay([[np.nan], [1.0]], [0, 1]).plot()
    assert len(gaps.lines_) == 1
    with pytest.raises(DataError, match="as many states"):
        StateRibbonDisplay([[1.0]], [0, 1])


def test_forecasts_begin_behind_the_last_row():
    y = rng.normal(size=40)
    model = GaussianHMM(2, random_state=0).fit(y)
    display = ForecastDisplay.from_model(model, y, 5, future=np.zeros(5))
    ahead = model.forecast(y, 5)
    assert_allclose(display.mean_.get_ydata(), ahead.mean[:, 0])
    assert display.mean_.get_xdata()[0] == 40
    symbols = CategoricalHMM(2, random_state=0).fit([[0, 1, 0, 1, 1]])
    with pytest.raises(DataError, match="emits no numbers"):
        ForecastDisplay.from_model(symbols, [[0, 1]], 2)
