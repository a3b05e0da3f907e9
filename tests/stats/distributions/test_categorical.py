import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats import Categorical

COLOURS = ["green", "yellow", "yellow-green"]
FUJI = ["yellow", "yellow-green", "yellow-green", "yellow", "yellow-green", "yellow-green"]  # C3 table 3-1


@pytest.mark.capability("IML-4-03", "C3-14")
def test_relative_frequencies():
    fuji = Categorical(categories=COLOURS).fit(FUJI)
    assert_array_equal(fuji.p, [0, 2 / 6, 4 / 6])
    assert_allclose(fuji.loglik(FUJI), 2 * np.log(1 / 3) + 4 * np.log(2 / 3), rtol=1e-14)
    assert_array_equal(fuji.mean, fuji.p)
    assert_allclose(fuji.var, fuji.p * (1 - fuji.p))


@pytest.mark.capability("C3-15")
def test_laplace_smoothing_of_the_apples():
    assert_allclose(Categorical(categories=COLOURS, alpha=1).fit(FUJI).p, [1 / 9, 3 / 9, 5 / 9], rtol=1e-15)


@pytest.mark.capability("IML-4-03", "C3-14")
@given(counts=st.lists(st.integers(0, 20), min_size=2, max_size=5).filter(any), seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_no_other_probabilities_make_the_sample_more_likely(counts, seed):
    K = len(counts)
    x = np.repeat(np.arange(K), counts)
    best = Categorical(categories=range(K)).fit(x)
    other = Categorical(np.random.default_rng(seed).dirichlet(np.ones(K)))
    near = Categorical(0.999 * best.p + 0.001 * other.p)
    assert best.loglik(x) >= max(other.loglik(x), near.loglik(x)) - 1e-12


def test_the_domain_is_found_or_declared():
    assert Categorical().fit(["b", "a", "b"]).categories.tolist() == ["a", "b"]
    assert Categorical([0.2, 0.8]).categories.tolist() == [0, 1]
    assert_array_equal(Categorical(categories=["x", "y", "z"]).p, np.full(3, 1 / 3))
    result = Categorical()
    assert result.fit([1, 2]).categories.tolist() == [1, 2]
    assert result.fit([5, 7]).categories.tolist() == [5, 7]


def test_codes_and_names_mean_the_same():
    codes = Categorical(categories=[0, 1, 2], alpha=1).fit([1, 2, 2, 1, 2, 2])
    assert_array_equal(codes.p, Categorical(categories=COLOURS, alpha=1).fit(FUJI).p)
    assert_array_equal(codes.logpdf([2.0, 0.0]), codes.logpdf([2, 0]))


def test_outside_the_domain_is_impossible():
    fuji = Categorical(categories=COLOURS).fit(FUJI)
    assert_array_equal(fuji.pdf(["blue", "yellow", "zebra", "a"]), [0, 1 / 3, 0, 0])
    assert_array_equal(fuji.logpdf([1.0]), [-np.inf])  # a number is none of these names
    assert_array_equal(Categorical([1.0]).logpdf(["0"]), [-np.inf])


@pytest.mark.parametrize("missing_one", [None, np.nan, pd.NA])
def test_missing_is_missing_not_a_category(missing_one):
    with pytest.raises(ValueError, match=r"row 2 is missing \(1 in all\)"):
        Categorical().fit(pd.Series(["a", missing_one, "b"], dtype=object))
    with pytest.raises(ValueError, match="row 1 is missing"):
        Categorical(categories=["a", "b"]).logpdf([missing_one])
    with pytest.raises(ValueError, match="row 3 is missing"):
        Categorical().fit([1.0, 2.0, np.nan])


def test_objects_keep_their_kind():
    numbers = Categorical(categories=[1, 2]).fit(pd.Series([1, 2, 2, 2], dtype=object))
    assert_array_equal(numbers.p, [0.25, 0.75])
    assert_array_equal(Categorical().fit([True, False, True, True]).pdf([True]), [0.75])
    names = pd.Series(["x", "y", "y", "y"], dtype="category")
    assert_array_equal(Categorical().fit(names).p, [0.25, 0.75])


def test_a_probability_may_be_zero():
    assert_array_equal(Categorical([1.0, 0.0]).pdf([0, 1]), [1, 0])


def test_weights_are_counts():
    assert_array_equal(Categorical(categories=["a", "b"]).fit(["a", "b"], weights=[3, 1]).p, [0.75, 0.25])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Categorical([0.5, 0.6]), "sum to 1"),
        (lambda: Categorical([0.5, np.nan]), "sum to 1"),
        (lambda: Categorical(categories=["a", "a"]), "occurs twice"),
        (lambda: Categorical([1.0], categories=["a", "b"]), "1 probabilities for 2 categories"),
        (lambda: Categorical(alpha=-1), "alpha"),
        (lambda: Categorical(categories=COLOURS).fit(["green", "blue"]), "row 2 is 'blue'"),
        (lambda: Categorical().fit([]), "at least|non-empty"),
        (lambda: Categorical().logpdf(["a"]), "no probabilities yet"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
