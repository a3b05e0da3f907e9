"""Checks and repairs of kernel matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.preprocessing import KernelCenterer

from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import (
    RBF,
    Linear,
    Sigmoid,
    center_gram,
    check_gram,
    kernel_alignment,
    normalize_gram,
    repair_gram,
)

ROWS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
TANH = Sigmoid(2.0, 1.0)(ROWS)
IRIS, CLASSES = load_iris(return_X_y=True)


@pytest.mark.capability("IML-13-13", "IML-13-16", "DC-92")
def test_the_sigmoid_kernel_of_three_rows_is_indefinite():
    """Oracle: tanh(2 x'y + 1) of (1, 0), (0, 1), (2, 2) has the eigenvalues -0.0855, 0.2335, 2.8421."""
    report = check_gram(TANH)
    assert_allclose(report.eigenvalues, [-0.0855, 0.2335, 2.8421], atol=5e-5)
    assert report.symmetric and not report.psd and report.rank == 3
    assert report.smallest == report.eigenvalues[0] and report.largest == report.eigenvalues[2]
    assert "smallest is -0.0855" in report.sentence


def test_reports_of_sound_and_of_asymmetric_matrices():
    report = check_gram(Linear()(IRIS))
    assert report.psd and report.rank == 4 and report.n == 150
    crooked = check_gram([[1.0, 0.5], [0.2, 1.0]])
    assert not crooked.symmetric and not crooked.psd and "differ by up to 0.3" in crooked.sentence
    assert check_gram(np.zeros((3, 3))).psd
    for bad in (np.ones((2, 3)), [[np.nan]], np.zeros((0, 0))):
        with pytest.raises(DataError):
            check_gram(bad)


@pytest.mark.capability("IML-13-13")
@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_repaired_matrices_are_semidefinite_and_new_rows_follow(how):
    K = Sigmoid(0.02, 0.1)(IRIS[:100] - IRIS.mean(axis=0)) + np.diag(np.full(100, -0.05))
    values = np.linalg.eigvalsh(K)
    assert values[0] < 0
    repaired = repair_gram(K, how)
    after = np.linalg.eigvalsh(repaired.K)
    expected = {"clip": np.maximum(values, 0), "flip": np.abs(values), "shift": values - values[0]}[how]
    assert_allclose(after, np.sort(expected), atol=1e-12 * np.abs(values).max() * 100)
    assert repaired.changed == (values < 0).sum() and repaired.change > 0
    same = repaired.rows(K)  # training rows as new rows
    if how == "shift":
        assert_allclose(same, K)
        assert_allclose(repaired.K - np.diag(np.diag(repaired.K)), K - np.diag(np.diag(K)))
    else:
        assert_allclose(same, repaired.K, atol=1e-11)
    with pytest.raises(DataError, match="100 training rows"):
        repaired.rows(np.ones((2, 3)))


def test_a_clipped_matrix_is_the_nearest_semidefinite_one():
    repaired = repair_gram(TANH, "clip").K
    distance = np.linalg.norm(repaired - TANH)
    rng = np.random.default_rng(0)
    for _ in range(200):
        factor = np.linalg.cholesky(repaired + 1e-12 * np.eye(3)) + 0.01 * rng.normal(size=(3, 3))
        assert np.linalg.norm(factor @ factor.T - TANH) >= distance - 1e-9


def test_a_sound_matrix_stays():
    K = RBF()(IRIS[:20]) + np.eye(20)
    repaired = repair_gram(K)
    assert (repaired.K == K).all() and repaired.change == 0 and repaired.sentence == "nothing to repair."
    assert (repaired.rows(K) == K).all()
    with pytest.raises(ParameterError, match="'clip', 'flip' or 'shift'"):
        repair_gram(K, "cut")


@pytest.mark.capability("DC-92")
def test_centring_takes_the_mean_of_the_features_away():
    train, test = IRIS[:100], IRIS[100:]
    K, rows = Linear()(train), Linear()(test, train)
    centred = train - train.mean(axis=0)
    assert_allclose(center_gram(K), centred @ centred.T, atol=1e-10)
    assert_allclose(center_gram(K, rows), (test - train.mean(axis=0)) @ centred.T, atol=1e-10)
    peer = KernelCenterer().fit(K)
    assert_allclose(center_gram(K, rows), peer.transform(rows), atol=1e-10)
    n = len(K)
    middle = np.eye(n) - np.ones((n, n)) / n
    assert_allclose(center_gram(K), middle @ K @ middle, atol=1e-9)


def test_normalising():
    K = Linear()(IRIS[:50])
    assert_allclose(normalize_gram(K), Linear().normalized()(IRIS[:50]), rtol=1e-12)
    rows = Linear()(IRIS[50:60], IRIS[:50])
    own = Linear().diagonal(IRIS[50:60])
    assert_allclose(normalize_gram(K, rows, own), Linear().normalized()(IRIS[50:60], IRIS[:50]), rtol=1e-12)
    with pytest.raises(ParameterError, match="diagonal"):
        normalize_gram(K, rows)
    with pytest.raises(DegenerateError, match="row 1 has -1"):
        normalize_gram(np.diag([-1.0, 1.0]))


def test_alignment_is_one_for_the_target_itself_and_ranks_kernels():
    y = np.where(CLASSES > 0, 1, -1)
    assert_allclose(kernel_alignment(np.outer(y, y), y, center=False), 1.0)
    assert_allclose(kernel_alignment(np.outer(y, y) + 7.0, y), 1.0)
    by_hand = (RBF()(IRIS) * np.outer(y, y)).sum() / (np.linalg.norm(RBF()(IRIS)) * len(y))
    assert_allclose(kernel_alignment(RBF()(IRIS), y, center=False), by_hand)
    noise = np.random.default_rng(0).normal(size=IRIS.shape)
    assert kernel_alignment(RBF()(IRIS), CLASSES) > 5 * abs(kernel_alignment(RBF()(noise), CLASSES))
    numbers = IRIS[:, 0]
    centred = numbers - numbers.mean()
    assert_allclose(kernel_alignment(np.outer(centred, centred), numbers), 1.0)
    assert kernel_alignment(np.ones((3, 3)), [0, 1, 1]) == 0.0
    assert_allclose(kernel_alignment(RBF()(IRIS), RBF()(IRIS)), 1.0)
    with pytest.raises(DataError, match="of 150 rows"):
        kernel_alignment(RBF()(IRIS), [0, 1])
