"""The numbers behind the figures of two views, discriminants and maps."""

import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-6-40")
def test_fishers_direction_separates_and_nine_discriminants_of_digits():
    drawn = draw("plot_discriminant_directions.py")
    criteria = drawn["directions"].criteria
    assert criteria["Fisher's direction"] > 100 * criteria["principal component"]
    assert drawn["lda"].scalings_.shape[1] == 9
    assert_allclose(abs(drawn["tumour_display"].means[:, 0]), [2.40373, 1.42743], atol=5e-6)


def test_the_map_of_the_firm_and_the_pairs_of_the_irises():
    assert_allclose(draw("plot_correspondence_map.py")["analysis"].inertia_shares_, [0.878, 0.118], atol=5e-4)
    assert_allclose(
        draw("plot_canonical_pairs.py")["cca"].canonical_correlations_, [0.940969, 0.123937], atol=5e-7
    )
