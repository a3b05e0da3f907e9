"""The figures of embeddings show what the books say of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-6-32")
def test_the_map_of_roads_has_north_up():
    v = draw("plot_road_map.py")
    at = dict(zip(v["cities"], v["Z"]))
    assert at["Stockholm"][1] == max(z[1] for z in v["Z"])
    assert at["Athens"][0] == max(z[0] for z in v["Z"])
    assert at["Gibraltar"][1] < at["Madrid"][1] < at["Paris"][1] < at["Hamburg"][1] < at["Copenhagen"][1]
    assert_allclose(v["mds"].goodness_of_fit_[0], 0.753754, atol=5e-7)


@pytest.mark.capability("IML-6-51")
def test_the_eigenmap_of_iris_makes_setosa_denser():
    v = draw("plot_iris_scaling_and_eigenmap.py")
    assert v["needed"] == 25
    shares = []
    for Z in v["maps"].values():
        setosa = Z[v["data"].codes == 0]
        shares.append(((setosa - setosa.mean(axis=0)) ** 2).mean() / ((Z - Z.mean(axis=0)) ** 2).mean())
    assert shares[1] < shares[0]


@pytest.mark.capability("C3-68")
def test_the_pendulum_and_the_s_curve():
    v = draw("plot_along_the_curve.py")
    assert_allclose(v["shares"], [0.9254486, 0.0745514], atol=5e-8)
    assert np.corrcoef(v["angle"], v["theta"])[0, 1] > 1 - 2e-11
    best = {
        name: max(abs(np.corrcoef(Z[:, j], v["along"])[0, 1]) for j in range(2))
        for name, Z in v["maps"].items()
    }
    assert_allclose(list(best.values()), [0.93924, 0.99997, 0.99975], atol=1e-5)
