"""Procrustes: a turned map falls on its reference, mirrored or not; SciPy's disparity; the map of Europe."""

import numpy as np
import pytest
import scipy.spatial
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.stats import procrustes

REFERENCE = np.random.RandomState(0).normal(size=(9, 2))
TURN = np.array([[np.cos(1.0), np.sin(1.0)], [-np.sin(1.0), np.cos(1.0)]])


@pytest.mark.capability("IML-6-32")
@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_a_turned_moved_and_scaled_copy_falls_on_its_reference(mirror):
    points = 4.0 * (REFERENCE * [1.0, mirror]) @ TURN + [3.0, -8.0]
    aligned = procrustes(points, REFERENCE)
    assert_allclose(aligned.points, REFERENCE, atol=1e-12)
    assert_allclose(aligned.scale, 0.25)
    assert_allclose(aligned.apply(points[:2]), REFERENCE[:2], atol=1e-12)
    assert_allclose(aligned.rotation @ aligned.rotation.T, np.eye(2), atol=1e-12)
    turned = procrustes(points, REFERENCE, reflection=False)
    assert_allclose(np.linalg.det(turned.rotation), 1.0)
    assert (turned.residual < 1e-12) == (mirror == 1.0)


def test_same_disparity_as_scipy():
    points = np.random.RandomState(1).normal(size=(9, 2))
    assert_allclose(procrustes(points, REFERENCE).disparity, scipy.spatial.procrustes(REFERENCE, points)[2])


@pytest.mark.parametrize("scale", [True, False])
def test_no_other_turn_is_better(scale):
    points = np.random.RandomState(2).normal(size=(9, 2))
    best = procrustes(points, REFERENCE, scale=scale)
    centred = points - points.mean(axis=0)
    for angle in np.linspace(0, 2 * np.pi, 60):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for mirror in ([1.0, 1.0], [1.0, -1.0]):
            placed = best.scale * centred * mirror @ turn + REFERENCE.mean(axis=0)
            assert ((placed - REFERENCE) ** 2).sum() >= best.residual - 1e-12


def test_what_is_refused():
    with pytest.raises(DataError, match=r"must be \(n, k\)"):
        procrustes(REFERENCE, REFERENCE[:3])
    with pytest.raises(DataError, match="finite"):
        procrustes(REFERENCE * np.nan, REFERENCE)
