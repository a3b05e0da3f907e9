import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.ensembles import (
    ambiguity_decomposition,
    committee_variance,
    jury,
    jury_accuracy,
    minimum_variance_weights,
)
from assay.errors import DataError, DegenerateError, ParameterError

C = np.array([[1, 0.5, -0.2], [0.5, 2, 0.1], [-0.2, 0.1, 1.5]])


@pytest.mark.capability("IML-17-06")
@pytest.mark.parametrize(
    "p, L, right",
    [
        (0.6, 3, 0.648), (0.6, 5, 0.68256), (0.6, 11, 0.753498), (0.6, 21, 0.825622), (0.6, 101, 0.979103),
        (0.7, 3, 0.784), (0.7, 5, 0.83692), (0.7, 11, 0.921775), (0.7, 21, 0.973610),
        (0.45, 3, 0.42525), (0.45, 101, 0.156245),
    ],
)  # fmt: skip
def test_the_jury_theorem(p, L, right):
    assert_allclose(jury_accuracy(p, L), right, atol=6e-7)


def test_an_even_jury_decides_ties_by_a_coin():
    assert_allclose(jury_accuracy(0.7, 2), 0.7, rtol=1e-12)
    assert jury_accuracy(1.0, 4) == 1.0 and jury_accuracy(0.0, 4) == 0.0


@pytest.mark.capability("IML-17-06")
@pytest.mark.parametrize("L", [1, 2, 5, 8])
def test_what_a_jury_is_promised_and_what_it_does(L):
    """Oracle: the theorem for equal accuracies; a sum over all sets of right members; a count of rows."""
    rng = np.random.default_rng(L)
    y = rng.integers(0, 3, 200)
    answers = np.where(rng.random((L, 200)) < rng.uniform(0.4, 0.9, (L, 1)), y, (y + 1) % 3)
    report = jury(answers, y)
    right = answers == y
    assert_allclose(report.accuracies, right.mean(axis=1))
    wins = right.sum(axis=0)
    assert_allclose(report.observed, np.mean(wins > L / 2) + 0.5 * np.mean(wins == L / 2))
    promised = 0.0
    for set_of_right in itertools.product([0, 1], repeat=L):
        share = np.prod(np.where(set_of_right, report.accuracies, 1 - report.accuracies))
        promised += share * ((sum(set_of_right) > L / 2) + 0.5 * (2 * sum(set_of_right) == L))
    assert_allclose(report.promised, promised, rtol=1e-12)
    again = jury(np.repeat(answers, 2, axis=1), np.repeat(y, 2))
    counted = jury(answers, y, sample_weight=np.full(200, 2.0))
    assert_allclose([again.promised, again.observed], [counted.promised, counted.observed], rtol=1e-12)
    alike = np.array([[1, 1, 1, 0, 0]] * L)
    same = jury(alike, np.ones(5))
    assert_allclose([same.promised, same.observed], [jury_accuracy(0.6, L), 0.6], rtol=1e-12)
    assert ("they err together" in str(same)) == (jury_accuracy(0.6, L) > 0.601)


@pytest.mark.capability("IML-17-06")
def test_the_variance_of_a_committee():
    assert_allclose(committee_variance(C), 0.58888889, atol=5e-9)
    w = minimum_variance_weights(C)
    assert_allclose(w, [0.51744186, 0.09496124, 0.38759690], atol=5e-9)
    assert_allclose(w @ C @ w, 0.48740310, atol=5e-9)
    for rho, L, factor in ((0.2, 5, 0.36), (0.2, 10, 0.28), (0.2, 100, 0.208), (0.5, 100, 0.505)):
        alike = np.full((L, L), rho) + (1 - rho) * np.eye(L)
        assert_allclose(committee_variance(alike), factor, rtol=1e-12)


@pytest.mark.capability("IML-17-06")
def test_the_ambiguity_decomposition():
    found = ambiguity_decomposition([2, 3, 5], 3, [0.2, 0.5, 0.3])
    assert_allclose([found.committee_error, found.mean_error, found.ambiguity], [0.16, 1.4, 1.24], rtol=1e-12)


@given(
    seed=st.integers(0, 10**6),
    L=st.integers(1, 5),
    n=st.integers(1, 6),
    scale=st.sampled_from([1e-100, 1, 1e100]),
)
@settings(max_examples=25)
def test_a_committee_errs_as_its_members_less_their_disagreement(seed, L, n, scale):
    rng = np.random.default_rng(seed)
    d, r, w = rng.normal(size=(L, n)) * scale, rng.normal(size=n) * scale, rng.uniform(0.1, 1, L)
    found = ambiguity_decomposition(d, r, w)
    assert_allclose(
        found.committee_error, found.mean_error - found.ambiguity, rtol=1e-9, atol=1e-9 * scale**2
    )


@given(seed=st.integers(0, 10**6), L=st.integers(2, 5))
@settings(max_examples=25)
def test_no_other_weights_have_less_variance(seed, L):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(L, 2 * L))
    S = A @ A.T * np.outer(s := 10.0 ** rng.integers(-60, 60, L), s)
    w = minimum_variance_weights(S)
    assert_allclose(w.sum(), 1, rtol=1e-9)
    gradient = (S / S[0, 0] ** 0.5) @ w
    assert np.ptp(gradient) <= 1e-6 * max(
        np.abs(S / S[0, 0] ** 0.5).max(axis=1) @ np.abs(w), np.abs(gradient).max()
    )


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: jury_accuracy(1.2, 3), ParameterError, "probability"),
        (lambda: jury_accuracy(0.6, 2.5), ParameterError, "whole number"),
        (lambda: committee_variance([[1, 2, 3]]), DataError, "square"),
        (lambda: committee_variance([[1.0, 0.3], [0.1, 1.0]]), DataError, "symmetric"),
        (lambda: minimum_variance_weights([[1.0, 1.0], [1.0, 1.0]]), DegenerateError, "singular"),
        (lambda: minimum_variance_weights([[0.0, 0.0], [0.0, 1.0]]), DegenerateError, "no variance"),
        (lambda: ambiguity_decomposition([[1, 2]], [1.0]), DataError, "shapes"),
    ],
)
def test_what_has_no_answer_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()
