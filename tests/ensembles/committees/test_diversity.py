import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import cohen_kappa_score

from assay.ensembles import diversity, pair_diversity
from assay.errors import DataError

FIRST, SECOND = np.repeat([1, 1, 0, 0], [60, 15, 10, 15]), np.repeat([1, 0, 1, 0], [60, 15, 10, 15])


@pytest.mark.capability("IML-17-01")
def test_the_measures_of_a_pair():
    pair = pair_diversity(FIRST, SECOND)
    assert (pair.both, pair.first, pair.second, pair.none) == (60, 15, 10, 15)
    assert_allclose(pair.q, 0.71428571, atol=5e-9)
    assert_allclose(pair.correlation, 0.37796447, atol=5e-9)
    assert_allclose(pair.correlation, np.corrcoef(FIRST, SECOND)[0, 1], rtol=1e-12)
    assert_allclose([pair.disagreement, pair.double_fault, pair.kappa], [0.25, 0.15, 0.375], rtol=1e-12)


@given(seed=st.integers(0, 10**6), K=st.integers(2, 4))
@settings(max_examples=25)
def test_kappa_of_answers_is_cohens_and_weights_are_repeats(seed, K):
    rng = np.random.default_rng(seed)
    answers, y, times = rng.integers(K, size=(3, 40)), rng.integers(K, size=40), rng.integers(1, 4, 40)
    found = diversity(answers, y, sample_weight=times)
    again = diversity(np.repeat(answers, times, axis=1), np.repeat(y, times))
    for (i, j), kappa in found.kappas.items():
        peer = cohen_kappa_score(answers[i], answers[j], sample_weight=times)
        assert_allclose(kappa, peer, rtol=1e-9, atol=1e-12)
        assert_allclose(found.pairs[i, j].disagreement, again.pairs[i, j].disagreement, rtol=1e-9, atol=1e-12)
    assert_allclose([found.entropy, found.kohavi_wolpert], [again.entropy, again.kohavi_wolpert], rtol=1e-9)
    mean_disagreement = np.mean([p.disagreement for p in found.pairs.values()])
    assert_allclose(found.kohavi_wolpert, (3 - 1) / (2 * 3) * mean_disagreement, rtol=1e-9)


def test_members_that_always_agree_have_no_kappa_and_a_frame_says_all():
    found = diversity([[1, 1, 1], [1, 1, 1]], [1, 0, 1], names=["a", "b"])
    assert found.kappas == {(0, 1): None} and found.pairs[0, 1].q == 1.0
    frame = found.to_frame()
    assert list(frame["first"]) == ["a"] and frame["disagreement"][0] == 0 and "undefined" in str(found)


def test_what_has_no_diversity_is_refused():
    with pytest.raises(DataError, match="two or more members"):
        diversity([[1, 0]], [1, 0])
    with pytest.raises(DataError, match="one value a row"):
        pair_diversity([1, 0], [1])
