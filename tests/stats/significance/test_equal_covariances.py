import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2
from sklearn.datasets import load_iris

from assay.stats import box_m

IRIS, SPECIES = load_iris(return_X_y=True)


def test_iris():
    # Recalled from the R package biotools on the same rows: chi-squared 140.94 with 20 degrees of freedom.
    test = box_m(IRIS, SPECIES)
    assert_allclose(test.statistic, 140.94, atol=5e-3)
    assert_allclose(test.p, chi2.sf(test.statistic, 20), rtol=1e-12)


def test_units_and_labels_do_not_matter():
    names = np.array(["c", "a", "b"])[SPECIES]
    assert_allclose(
        box_m(IRIS * [1, 10, 1000, 0.001], names).statistic, box_m(IRIS, SPECIES).statistic, rtol=1e-9
    )


def test_level_holds_for_equal_covariances():
    rng, A = np.random.default_rng(3), np.array([[1.0, 0.5], [0, 2]])
    y = np.repeat([0, 1, 2], [30, 40, 50])
    p = [box_m(rng.normal(size=(120, 2)) @ A, y).p for _ in range(600)]
    for alpha in (0.05, 0.2):
        assert abs(np.mean(np.array(p) <= alpha) - alpha) < 4 * np.sqrt(alpha * (1 - alpha) / 600)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (IRIS, SPECIES[:9], "150 labels"),
        (IRIS[:50], SPECIES[:50], "at least two classes"),
        (IRIS[46:], SPECIES[46:], "class 0 has 4 rows; with 4 columns each class needs more than 4"),
        (np.column_stack([IRIS, IRIS[:, 0]]), SPECIES, "rank 4 of 5"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        box_m(X, y)
