"""Networks repeated for each row: the wet grass, enumeration of what is unrolled, hidden Markov models as networks."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateError, ParameterError
from assay.sequences import CategoricalHMM, DynamicNetwork

from tests.sequences.urns import START, A, B, O  # isort: skip

WET = {"wet": ["yes", "yes", "no"]}


def grass():
    net = DynamicNetwork()
    net = net.add("cloudy", ["no", "yes"], [[0.7, 0.3], [0.3, 0.7]], before=["cloudy"], start=[0.5, 0.5])
    net = net.add("sprinkler", ["no", "yes"], [[0.5, 0.5], [0.9, 0.1]], parents=["cloudy"])
    net = net.add("rain", ["no", "yes"], [[0.9, 0.1], [0.2, 0.8]], parents=["cloudy"])
    table = [[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.05, 0.95]]]
    return net.add("wet", ["no", "yes"], table, parents=["sprinkler", "rain"])


@pytest.mark.capability("IML-15-29")
def test_dynamic_wet_grass():
    # Oracle: IML 15.11.
    net = grass()
    assert_allclose(np.exp(net.log_likelihood(WET)), 0.1452507968, atol=5e-11)
    assert_allclose(net.filter(WET)["cloudy"][:, 1], [0.58349328, 0.61560120, 0.38706980], atol=5e-9)
    smoothed = net.smooth(WET)
    assert_allclose(smoothed["cloudy"][:, 1], [0.59185934, 0.55481641, 0.38706980], atol=5e-9)
    assert_allclose(smoothed["rain"][:, 1], [0.63341470, 0.60444252, 0.13262014], atol=5e-9)
    assert_allclose(smoothed["wet"], [[0, 1], [0, 1], [1, 0]], atol=1e-12)


@pytest.mark.capability("IML-15-29")
def test_it_equals_the_unrolled_network_by_enumeration():
    net, T = grass(), 2
    flat = net.unrolled(T)
    names = list(flat)
    total, best = 0.0, (0.0, None)
    marginal = np.zeros((T, 2))
    for values in product(range(2), repeat=len(names)):
        state = dict(zip(names, values))
        if state["wet[1]"] != 1 or state["sprinkler[0]"] != 0:
            continue
        p = np.prod(
            [table[(*(state[q] for q in parents), state[name])] for name, (parents, table) in flat.items()]
        )
        total += p
        best = max(best, (p, values))
        for t in range(T):
            marginal[t, state[f"rain[{t}]"]] += p
    evidence = {"wet": [None, "yes"], "sprinkler": ["no", None]}
    assert_allclose(np.exp(net.log_likelihood(evidence)), total, rtol=1e-12)
    assert_allclose(net.smooth(evidence)["rain"], marginal / total, rtol=1e-12)
    answer = net.most_probable(evidence)
    wanted = dict(zip(names, best[1]))
    assert all(answer[v][t] == ("no", "yes")[wanted[f"{v}[{t}]"]] for v in answer for t in range(T))


@pytest.mark.capability("IML-15-29")
def test_a_hidden_markov_model_is_a_network_of_two():
    net = DynamicNetwork().add("state", [0, 1, 2], A, before=["state"], start=START)
    net = net.add("ball", [0, 1, 2, 3], B, parents=["state"])
    hmm = CategoricalHMM(3)
    hmm.startprob_, hmm.transmat_, hmm.emissionprob_ = START, A, B
    assert_allclose(net.log_likelihood({"ball": O}), hmm.score([O]), rtol=1e-12)
    assert_allclose(net.smooth({"ball": O})["state"], hmm.predict_proba([O]), atol=1e-12)
    drawn = net.sample(3000, random_state=0)["ball"]
    share = hmm.get_stationary_distribution() @ np.asarray(B)
    assert_allclose(np.bincount(drawn) / 3000, share, atol=0.05)


def test_what_does_not_fit_is_said():
    net = grass()
    for call, error, words in [
        (lambda: net.add("wet", [0, 1], [0.5, 0.5]), ParameterError, "already"),
        (
            lambda: net.add("mood", [0, 1], [0.5, 0.5], parents=["sun"]),
            ParameterError,
            "'sun' of 'mood' is not there",
        ),
        (lambda: net.add("mood", [0, 1], [0.7, 0.5]), ParameterError, "sum to 1"),
        (lambda: net.add("mood", [0, 1], [[0.5, 0.5]] * 2, before=["mood"]), ParameterError, "say its start"),
        (lambda: net.add("mood", [0, 1], [0.5, 0.5], parents=["wet"]), ParameterError, "an axis for each"),
        (lambda: net.smooth({"wet": ["maybe"]}), DataError, "'maybe' in row 0"),
        (lambda: net.smooth({"wet": ["yes"], "rain": []}), DataError, "same rows"),
        (lambda: net.smooth({"snow": ["yes"]}), DataError, "no variable 'snow'"),
    ]:
        with pytest.raises(error, match=words):
            call()
    never = DynamicNetwork().add("x", [0, 1], [[1.0, 0.0], [0.0, 1.0]], before=["x"], start=[1.0, 0.0])
    assert never.log_likelihood({"x": [0, 1]}) == -np.inf
    with pytest.raises(DegenerateError, match="up to row 1"):
        never.smooth({"x": [0, 1]})
