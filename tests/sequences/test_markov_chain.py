"""Chains that can be seen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.sequences.urns import START, A

from assay.errors import DataError, DegenerateError, DegenerateWarning
from assay.sequences import MarkovChain

THREE = [[1, 1, 3, 3], [2, 2, 1, 3], [1, 3, 3, 2]]


@pytest.mark.capability("IML-15-02")
def test_probability_of_the_urns_and_sampling():
    # Oracle: IML 15.2: 0.5 * 0.4 * 0.3 * 0.8.
    chain = MarkovChain.of(START, A)
    assert_allclose(chain.probability([0, 0, 2, 2]), 0.048, rtol=1e-12)
    drawn = np.array(chain.sample(4000, 3, random_state=0))
    assert_allclose(np.bincount(drawn[:, 0]) / 4000, START, atol=0.03)
    first = drawn[drawn[:, 0] == 2][:, 1]
    assert_allclose(np.bincount(first) / len(first), A[2], atol=0.03)


@pytest.mark.capability("IML-15-03")
def test_estimates_are_shares_of_departures():
    chain = MarkovChain().fit(THREE)
    assert_allclose(chain.startprob_, [2 / 3, 1 / 3, 0])
    assert_array_equal(chain.counts_[1], [[1, 0, 3], [1, 1, 0], [0, 1, 2]])
    assert_allclose(chain.transmat_, [[0.25, 0, 0.75], [0.5, 0.5, 0], [0, 1 / 3, 2 / 3]])
    smooth = MarkovChain(pseudo_count=1).fit(THREE)
    assert_allclose(smooth.transmat_[0], [2 / 7, 1 / 7, 4 / 7])
    with pytest.warns(DegenerateWarning, match="never left"):
        uniform = MarkovChain().fit([[0, 1]])
    assert_allclose(uniform.transmat_[1], [0.5, 0.5])


@pytest.mark.capability("IML-15-03")
def test_a_chain_is_found_again_in_what_it_draws():
    # Oracle: IML 15.12, exercises 1 and 2: 100 sequences of 1000 states.
    again = MarkovChain().fit(MarkovChain.of(START, A).sample(100, 1000, random_state=1))
    assert np.abs(again.transmat_ - A).max() < 0.02 and np.abs(again.startprob_ - START).max() < 0.2


@pytest.mark.capability("IML-15-04")
def test_stationary_distribution_steps_and_drawing():
    chain = MarkovChain.of(START, A, states=["red", "blue", "green"])
    assert_allclose(chain.stationary_distribution(), np.array([2, 3, 6]) / 11, rtol=1e-12)
    third = [[0.208, 0.315, 0.477], [0.21, 0.364, 0.426], [0.159, 0.213, 0.628]]
    assert_allclose(chain.n_step(3), third, atol=1e-12)
    dot = chain.automaton().to_dot()
    assert dot.count("->") == 12 and '"red" -> "green" [label="0.3"]' in dot
    with pytest.raises(DegenerateError, match="several stationary"):
        MarkovChain.of([0.5, 0.5], np.eye(2)).stationary_distribution()


@pytest.mark.capability("IML-15-05")
def test_second_order_chain_and_its_first_order_form():
    # Oracle: IML 15.12, exercises 3 and 4.
    a = [[[0.9, 0.1], [0.4, 0.6]], [[0.7, 0.3], [0.2, 0.8]]]
    chain = MarkovChain.of([0.5, 0.5], [[0.6, 0.4], [0.3, 0.7]], a)
    assert_allclose(chain.probability([0, 0, 1, 1, 0]), 0.0036, rtol=1e-12)
    pairs = chain.first_order()
    assert_allclose(pairs.transmat_, [[0.9, 0.1, 0, 0], [0, 0, 0.4, 0.6], [0.7, 0.3, 0, 0], [0, 0, 0.2, 0.8]])
    assert_allclose(pairs.probability(["0,0", "0,1", "1,1", "1,0"]), 0.0036, rtol=1e-12)
    counted = MarkovChain(order=2).fit(THREE).counts_
    triples = {(0, 0, 2): 1, (0, 2, 2): 2, (1, 0, 2): 1, (1, 1, 0): 1, (2, 2, 1): 1}
    assert {tuple(map(int, t)): counted[2][tuple(t)] for t in np.argwhere(counted[2])} == triples
    assert_array_equal(np.argwhere(counted[1]), [[0, 0], [0, 2], [1, 1]])


def test_blocks_parts_and_weights_count_the_same():
    whole = MarkovChain(pseudo_count=0.5).fit(THREE)
    blocks = MarkovChain(pseudo_count=0.5).fit_blocks([THREE[:1], THREE[1:]])
    assert_allclose(blocks.transmat_, whole.transmat_)
    parts = MarkovChain(pseudo_count=0.5).partial_fit(THREE[:2]).partial_fit(THREE[2:])
    assert_allclose(parts.transmat_, whole.transmat_)
    weighed = MarkovChain(pseudo_count=0.5).fit(THREE, sample_weight=[2, 0, 1])
    assert_allclose(
        weighed.counts_[1], MarkovChain(pseudo_count=0.5).fit([THREE[0], THREE[0], THREE[2], [2]]).counts_[1]
    )


def test_states_with_names_and_states_nobody_knows():
    chain = MarkovChain(pseudo_count=1).fit([list("abba"), list("ab")])
    assert chain.states_.tolist() == ["a", "b"] and set(chain.sample(1, 5, random_state=0)[0]) <= {"a", "b"}
    with pytest.raises(DataError, match="state z is none of"):
        chain.log_probability([list("az")])
    with pytest.raises(DataError, match="sample_weight must be 2 numbers"):
        MarkovChain().fit([[0, 1], [1, 0]], sample_weight=[1.0, np.nan])
    assert_allclose(chain.log_likelihoods([list("ab")]), chain.log_probability(list("ab")))
    with pytest.raises(DataError, match="missing"):
        MarkovChain().fit([[0.0, np.nan]])


def test_a_table_of_one_column_is_one_sequence():
    chain = MarkovChain(pseudo_count=1).fit({"weather": list("ssrs")})
    assert_allclose(chain.score({"weather": list("sr")}), chain.score(list("sr")))
