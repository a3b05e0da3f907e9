"""DensityOutliers: the scores are log densities of whatever density is given."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity as PeerDensity

from assay.errors import ParameterError
from assay.outliers.density_outliers import DensityOutliers

rng = np.random.default_rng(0)
GROUPS = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(12, 1, (60, 2)), [[6.0, 6.0]]])


@pytest.mark.capability("IML-8-20", "IML-1-04")
def test_a_mixture_finds_the_row_between_the_groups_where_one_gaussian_sees_its_centre():
    mixture = DensityOutliers(GaussianMixture(2, random_state=0)).fit(GROUPS)
    assert int(mixture.score_samples(GROUPS).argmin()) == 120
    one = DensityOutliers(GaussianMixture(1, random_state=0)).fit(GROUPS)
    assert int(one.score_samples(GROUPS).argmax()) == 120


def test_without_a_density_it_is_a_kernel_density_of_scaled_columns():
    model = DensityOutliers().fit(GROUPS)
    assert int(model.score_samples(GROUPS).argmin()) == 120
    scale, n = GROUPS.std(axis=0), len(GROUPS)
    peer = PeerDensity(bandwidth=n ** (-1 / 6)).fit(GROUPS / scale)
    assert_allclose(model.score_samples(GROUPS), peer.score_samples(GROUPS / scale), rtol=1e-6)


def test_the_share_of_outliers_is_what_was_asked_for_and_the_given_density_is_not_changed():
    density = GaussianMixture(2, random_state=0)
    model = DensityOutliers(density, contamination=0.05).fit(GROUPS)
    assert np.count_nonzero(model.predict(GROUPS) == -1) == 6  # 5 % of 121
    assert not hasattr(density, "means_")
    auto = DensityOutliers(density, contamination="auto").fit(GROUPS)
    assert_array_equal(auto.predict(GROUPS), DensityOutliers(density).fit(GROUPS).predict(GROUPS))


def test_a_density_that_cannot_score_is_refused():
    with pytest.raises(ParameterError, match="estimator must be a density with fit and score_samples"):
        DensityOutliers(object()).fit(GROUPS)


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e9, 1e200])
def test_the_unit_of_a_column_changes_no_answer(unit):
    X = np.random.default_rng(0).normal(size=(80, 2))
    one, other = DensityOutliers().fit(X), DensityOutliers().fit(X * [1, unit])
    assert_allclose(other.score_samples(X * [1, unit]), one.score_samples(X), rtol=1e-9)


def test_a_constant_column_is_not_divided_by_rounding():
    X = np.c_[np.random.default_rng(0).normal(size=80), np.full(80, 0.1)]
    model = DensityOutliers().fit(X)
    assert model.scale_[1] == 1
    assert_allclose(model.score_samples(X + np.array([0, 1e-12])), model.score_samples(X), rtol=1e-9)
