import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.ensembles import combine
from assay.errors import DataError, ParameterError
from assay.stats import model_probabilities

# Oracle: four learners and three classes, worked by hand.
OUTPUTS = np.array([[0.6, 0.3, 0.1], [0.1, 0.5, 0.4], [0.2, 0.35, 0.45], [0.55, 0.35, 0.10]])
RESULTS = {
    "plurality": ([0.5, 0.25, 0.25], 0),
    "mean": ([0.3625, 0.375, 0.2625], 1),
    "median": ([0.375, 0.35, 0.25], 0),
    "min": ([0.1, 0.3, 0.1], 1),
    "max": ([0.6, 0.5, 0.45], 0),
    "product": ([0.0066, 0.018375, 0.0018], 1),
    "borda": ([4, 5, 3], 1),
}


@pytest.mark.capability("IML-17-04")
@pytest.mark.parametrize("rule", RESULTS)
def test_every_rule_on_the_table_of_four_learners(rule):
    result, winner = RESULTS[rule]
    assert_allclose(combine(OUTPUTS, rule), result, rtol=1e-12)
    assert np.argmax(combine(OUTPUTS, rule)) == winner


@pytest.mark.capability("IML-17-04")
def test_weights_ordered_weights_and_shares():
    assert_allclose(combine(OUTPUTS, "mean", [0.4, 0.3, 0.2, 0.1]), [0.365, 0.375, 0.26], rtol=1e-12)
    assert_allclose(combine(OUTPUTS, "owa", [0.1, 0.4, 0.4, 0.1]), [0.37, 0.36, 0.255], rtol=1e-12)
    shares = combine(OUTPUTS, "product", normalize=True)
    assert_allclose(shares, [0.24649860, 0.68627451, 0.06722689], atol=5e-9)


@pytest.mark.capability("IML-17-05")
def test_bayesian_combination_by_evidence():
    weights = np.asarray(model_probabilities([-10, -11, -13, -12]).posterior)
    assert_allclose(weights, [0.64391426, 0.23688282, 0.03205860, 0.08714432], atol=5e-9)
    mixed = combine(OUTPUTS, "mean", weights)
    assert_allclose(mixed, [0.46437793, 0.35333671, 0.18228536], atol=5e-9)
    assert np.argmax(mixed) == 0


@given(seed=st.integers(0, 10**6), L=st.integers(1, 6), n=st.integers(1, 4), K=st.integers(2, 4))
@settings(max_examples=25)
def test_rows_are_combined_one_by_one_and_members_in_any_order(seed, L, n, K):
    rng = np.random.default_rng(seed)
    d, w = rng.dirichlet(np.ones(K), (L, n)), rng.uniform(0.1, 1, L)
    mixed = rng.permutation(L)
    for rule in RESULTS:
        weights = None if rule in ("min", "max") else w
        whole = combine(d, rule, weights)
        rows = [combine(d[:, i], rule, weights) for i in range(n)]
        assert_allclose(whole, rows, rtol=1e-12, atol=1e-300)
        again = combine(d[mixed], rule, None if weights is None else w[mixed])
        assert_allclose(again, whole, rtol=1e-9, atol=1e-15)


@given(seed=st.integers(0, 10**6), counts=st.lists(st.integers(1, 4), min_size=1, max_size=4))
@settings(max_examples=25)
def test_a_weight_of_two_is_two_members(seed, counts):
    d = np.random.default_rng(seed).dirichlet(np.ones(3), len(counts))
    repeated = np.repeat(d, counts, axis=0)
    for rule in ("mean", "plurality", "median"):
        assert_allclose(combine(d, rule, counts), combine(repeated, rule), rtol=1e-12)
    power = combine(d, "product", counts) ** (len(repeated) / len(d))
    assert_allclose(power, combine(repeated, "product"), rtol=1e-9)


def test_a_zero_vetoes_a_product_and_all_zeros_share_equally():
    vetoed = combine([[1.0, 0.0], [0.0, 1.0]], "product", normalize=True)
    assert_array_equal(vetoed, [0.5, 0.5])
    assert combine([[0.9, 0.1], [0.0, 1.0]], "product")[0] == 0
    assert combine([[0.9, 0.1], [0.0, 1.0]], "product", [1, 0])[0] > 0  # a member of weight 0 has no veto


def test_equal_places_share_points_in_borda():
    assert_array_equal(combine([[0.4, 0.4, 0.2]], "borda"), [1.5, 1.5, 0])


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: combine([1.0, 2.0]), DataError, "outputs of learners"),
        (lambda: combine(np.empty((0, 2))), DataError, "outputs of learners"),
        (lambda: combine([[np.nan, 1.0]]), DataError, "finite"),
        (lambda: combine(OUTPUTS, "sum"), ParameterError, "rule must be one of"),
        (lambda: combine(OUTPUTS, "mean", [1, 2]), ParameterError, "weights must be 4"),
        (lambda: combine(OUTPUTS, "mean", [0, 0, 0, 0]), ParameterError, "not all 0"),
        (lambda: combine(OUTPUTS, "mean", [1, -1, 1, 1]), ParameterError, "from 0 up"),
        (lambda: combine(OUTPUTS, "min", [1, 1, 1, 1]), ParameterError, "has no weights"),
        (lambda: combine(-OUTPUTS, "product"), DataError, "from 0 up"),
    ],
)
def test_what_cannot_be_combined_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
