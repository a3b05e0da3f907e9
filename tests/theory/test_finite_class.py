"""Finite classes: the worked sample sizes, inverses, and what the bound promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.theory.finite_class import (
    consistent_epsilon,
    consistent_sample_size,
    erm_excess,
    finite_class_bound,
    finite_class_epsilon,
    finite_class_sample_size,
    linear_class_log_size,
)


@pytest.mark.capability("BC-50", "BC-51")
def test_a_thousand_hypotheses():
    """|H| = 1000, eps = 0.1, delta = 0.05: 529.83, so 530; back: 0.099984; excess twice that."""
    assert np.log(2 * 1000 / 0.05) / (2 * 0.1**2) == pytest.approx(529.83, abs=0.005)
    assert finite_class_sample_size(1000, 0.1, 0.05) == 530
    assert finite_class_epsilon(1000, 530, 0.05) == pytest.approx(0.099984, abs=5e-7)
    assert erm_excess(1000, 530, 0.05) == pytest.approx(2 * 0.099984, abs=1e-6)
    assert finite_class_bound(1000, 529, 0.1) > 0.05 > finite_class_bound(1000, 530, 0.1)


@pytest.mark.capability("BC-52")
@pytest.mark.parametrize("bits, columns, exact", [(16, 10, 6284.14), (32, 10, 12383.83), (16, 20, 11829.32)])
def test_linear_models_with_weights_of_so_many_bits(bits, columns, exact):
    h = linear_class_log_size(bits, columns)
    assert (h + np.log(2 / 0.05)) / 0.02 == pytest.approx(exact, abs=0.005)
    assert finite_class_sample_size(None, 0.1, 0.05, log_size=h) == np.ceil(exact)
    assert finite_class_sample_size(2 ** (bits * (columns + 1)), 0.1, 0.05) == np.ceil(exact)


@given(st.integers(1, 10**9), st.floats(0.001, 0.9), st.floats(0.001, 0.99))
@settings(deadline=None, max_examples=50)
def test_the_sample_size_is_the_least_that_will_do(size, eps, delta):
    n = finite_class_sample_size(size, eps, delta)
    assert finite_class_bound(size, n, eps) <= delta * (1 + 1e-9)
    assert n == 1 or finite_class_bound(size, n - 1, eps) >= delta * (1 - 1e-9)
    assert finite_class_epsilon(size, n, delta) <= eps * (1 + 1e-9)
    small = consistent_sample_size(size, eps, delta)
    assert consistent_epsilon(size, small, delta) <= eps * (1 + 1e-9)
    if eps <= 0.5:
        assert small <= n  # a learner without errors needs 1/eps, not 1/eps^2


def test_the_promise_of_the_consistent_learner_holds_in_simulation():
    """20 thresholds, truth among them: of 2000 samples no more than delta leave a bad one without an error."""
    rng, eps, delta, t = np.random.default_rng(0), 0.1, 0.1, np.linspace(0, 1, 20)
    n = consistent_sample_size(20, eps, delta)
    x = rng.random((2000, n))
    truth = t[10]
    bad = t[np.abs(t - truth) > eps]
    free = [((x >= b) == (x >= truth)).all(axis=1) for b in bad]
    assert np.mean(np.any(free, axis=0)) <= delta


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: finite_class_sample_size(None, 0.1, 0.05), "give either size"),
        (lambda: finite_class_sample_size(10, 0.1, 0.05, log_size=3), "give either size"),
        (lambda: finite_class_sample_size(0, 0.1, 0.05), "size must be a whole number from 1 up, got 0"),
        (lambda: finite_class_epsilon(10, 0, 0.05), "n must be"),
        (lambda: linear_class_log_size(0, 3), "bits must be"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
