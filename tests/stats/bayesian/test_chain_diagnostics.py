import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats import effective_sample_size, shortest_interval, split_r_hat


def autoregressive(memory, chains, draws, seed):
    steps = np.random.default_rng(seed).normal(size=(chains, draws))
    for t in range(1, draws):
        steps[:, t] += memory * steps[:, t - 1]
    return steps


random_walk = np.random.default_rng(2).standard_t(2, (4, 50)).cumsum(axis=1)


# Peer: ArviZ 0.23.4, whose rhat and ess (bulk, tail, mean) gave these numbers for these draws. It calls the R-hat of
# one chain and of constant draws NaN; ours compares the halves of one chain, and calls constant draws 1.
@pytest.mark.parametrize(
    ("draws", "r_hat", "bulk", "tail", "mean"),
    [
        (autoregressive(0.7, 3, 401, 1), 1.0169157966, 206.3493261151, 276.0463337066, 204.9180343954),
        (random_walk, 2.5628068823, 5.388673094, 12.3724095268, 5.2029883491),
        (np.random.default_rng(4).poisson(1.5, (4, 33)), 0.9822772425, 149.3592160941, 136.9592739648, 141.8710604672),
    ],
    ids=["autoregressive", "random walk", "counts"],
)  # fmt: skip
def test_same_numbers_as_arviz(draws, r_hat, bulk, tail, mean):
    assert_allclose(split_r_hat(draws), r_hat, rtol=1e-9)
    sizes = [effective_sample_size(draws, kind) for kind in ("bulk", "tail", "mean")]
    assert_allclose(sizes, [bulk, tail, mean], rtol=1e-9)


def test_memory_costs_draws_and_its_absence_does_not():
    for memory in (0.0, 0.5, 0.8):
        draws = autoregressive(memory, 4, 20_000, 0)
        worth = (1 - memory) / (1 + memory)  # of an autoregressive chain, exactly
        assert_allclose(effective_sample_size(draws, "mean") / draws.size, worth, rtol=0.1)


def test_each_place_of_an_array_is_its_own_parameter():
    draws = np.random.default_rng(0).normal(size=(4, 60, 3, 2))
    for function in (split_r_hat, effective_sample_size, lambda x: effective_sample_size(x, "tail")):
        assert_allclose(function(draws)[2, 1], function(draws[:, :, 2, 1]), rtol=1e-12)


def test_chains_that_stand_still_agree_only_on_one_value():
    assert split_r_hat(np.ones((2, 10))) == 1
    assert split_r_hat(np.repeat([[1.0], [2.0]], 10, axis=1)) == np.inf
    assert effective_sample_size(np.ones((2, 10))) == 20


def test_the_shortest_interval_of_a_skewed_sample_begins_at_its_mode():
    x = np.random.default_rng(0).exponential(size=20_000)
    low, high = shortest_interval(x, 0.9)
    assert low < 0.01
    assert_allclose(high, -np.log(0.1), rtol=0.05)
    columns = shortest_interval(np.column_stack([x, -x]), 0.9)
    assert_allclose(columns[:, 0], [low, high])
    assert_allclose(columns[:, 1], [-high, -low])


def test_what_is_no_set_of_chains_is_refused():
    for function in (split_r_hat, effective_sample_size):
        with pytest.raises(DataError, match=r"at least 4 draws, got shape \(2, 3\)"):
            function(np.zeros((2, 3)))
        with pytest.raises(DataError, match="nan"):
            function([[1.0, 2, 3, np.nan]])
    with pytest.raises(ParameterError, match="kind must be one of bulk, tail, mean, got 'all'"):
        effective_sample_size(np.zeros((2, 8)), "all")
    with pytest.raises(ParameterError, match="level must lie between 0 and 1"):
        shortest_interval([1.0, 2.0], 95)
