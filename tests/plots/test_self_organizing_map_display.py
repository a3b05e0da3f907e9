"""Views of a self-organising map show what it holds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.local import SelfOrganizingMap
from assay.plots import SelfOrganizingMapDisplay


@pytest.mark.capability("IML-12-10")
def test_the_lattice_of_even_rows_in_a_square_is_drawn_unfolded():
    """No two links of the net may cross: columns rise along one axis in every row of the map, rows along the other."""
    X = np.random.default_rng(0).uniform(size=(1500, 2))
    model = SelfOrganizingMap((5, 5), random_state=0).fit(X)
    display = SelfOrganizingMapDisplay(model, X).plot("lattice")
    links = [line for line in display.ax_.lines if line.get_linestyle() == "-"]
    assert len(links) == 40  # 2 x 5 x 4
    net = model.units_.reshape(5, 5, 2)
    across, down = np.diff(net, axis=1), np.diff(net, axis=0)
    a = np.abs(across.mean(axis=(0, 1))).argmax()
    for steps, axis in ((across, a), (down, 1 - a)):
        assert (np.sign(steps[..., axis]) == np.sign(steps[..., axis].mean())).all()


@pytest.mark.parametrize("topology", ["grid", "hexagonal"])
def test_hits_and_distances_are_those_of_the_model(topology):
    X = np.random.default_rng(1).normal(size=(60, 3))
    model = SelfOrganizingMap((3, 4), topology=topology, random_state=0).fit(X)
    hits = SelfOrganizingMapDisplay(model, X).plot("hits").ax_.collections[0].get_array()
    assert_array_equal(hits, model.hits(X).ravel())
    far = SelfOrganizingMapDisplay(model, X).plot("distances").ax_.collections[0].get_array()
    assert_allclose(far, model.distance_map().ravel())
    with pytest.raises(ParameterError, match="kind must be"):
        SelfOrganizingMapDisplay(model, X).plot("heat")
    with pytest.raises(ParameterError, match="columns must be"):
        SelfOrganizingMapDisplay(model, X).plot("lattice", columns=(0, 7))
