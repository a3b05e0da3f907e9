"""Draws of partitions: similarity and the partition nearest to all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import mutual_info_score

from assay.errors import DataError, ParameterError
from assay.mixture import partition_estimate, posterior_similarity


def distance(a, b, loss):
    if loss == "binder":
        return np.sum((a[:, None] == a) != (b[:, None] == b))
    entropy = [-sum(p * np.log(p) for p in np.bincount(z) / len(z) if p) for z in (a, b)]
    return sum(entropy) - 2 * mutual_info_score(a, b)


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_the_estimate_is_the_draw_with_the_least_expected_distance(loss):
    rng = np.random.default_rng(0)
    draws = rng.integers(3, size=(12, 9))
    sums = [sum(distance(a, b, loss) for b in draws) for a in draws]
    estimate = partition_estimate(draws, loss=loss)
    own = sum(distance(estimate, b, loss) for b in draws)
    assert_allclose(own, min(sums), rtol=1e-9, atol=1e-9)


def test_similarity_is_the_share_of_draws_together():
    draws = np.array([[0, 0, 1, 2], [4, 4, 4, 1], [0, 1, 1, 1]])
    similarity = posterior_similarity(draws)
    assert_allclose(similarity, np.mean([z[:, None] == z for z in draws], axis=0))


def test_what_are_no_partitions_is_refused():
    with pytest.raises(DataError, match="whole numbers"):
        partition_estimate([0.5, 1.0])
    with pytest.raises(DataError, match="whole numbers"):
        posterior_similarity(np.empty((0, 3), dtype=int))
    with pytest.raises(ParameterError, match="loss"):
        partition_estimate([[0, 1]], loss="pairs")
