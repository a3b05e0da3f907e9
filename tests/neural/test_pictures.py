"""Pictures in a normal form, and their copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from assay.errors import DataError, ParameterError
from assay.neural import ImageNormalizer, virtual_examples

X, y = load_digits(return_X_y=True)
figures = np.pad(X[:20].reshape(-1, 8, 8), ((0, 0), (4, 4), (4, 4)))  # room to move


@pytest.mark.capability("IML-1-12", "IML-11-24")
@pytest.mark.parametrize("settings", [{}, {"center": "box"}, {"size": True}, {"size": True, "margin": 2}])
def test_shifted_pictures_become_the_same(settings):
    normal = ImageNormalizer((16, 16), **settings)
    rows = figures.reshape(20, -1)
    first = normal.fit_transform(rows)
    for shift in ((3, 0), (-2, 1), (4, -4)):
        moved = np.roll(figures, shift, axis=(1, 2)).reshape(20, -1)
        assert_array_equal(normal.transform(moved), first)


@pytest.mark.capability("IML-1-12", "IML-11-24")
@pytest.mark.parametrize("settings", [{}, {"center": "box", "size": True}, {"slant": True, "center": None}])
def test_a_second_time_changes_nothing(settings):
    normal = ImageNormalizer((16, 16), **settings)
    once = normal.fit_transform(figures.reshape(20, -1))
    assert_array_equal(normal.transform(once), once)


@pytest.mark.capability("IML-1-12")
def test_figures_of_two_sizes_become_the_same():
    small, large = np.zeros((16, 16)), np.zeros((16, 16))
    small[2:6, 3:5] = 1.0
    large[4:12, 6:10] = 1.0
    made = ImageNormalizer((16, 16), size=True, center="box").fit_transform([small.ravel(), large.ravel()])
    assert_allclose(made[0], made[1])


@pytest.mark.capability("IML-11-24")
def test_a_leaning_line_is_put_upright():
    picture = np.zeros((11, 11))
    for k in range(11):
        picture[k, 10 - k] = 1.0
    made = ImageNormalizer((11, 11), slant=True).fit_transform([picture.ravel()]).reshape(11, 11)
    assert_array_equal(np.flatnonzero(made.any(axis=0)), [5])  # one column, in the middle


def test_empty_pictures_and_shapes_that_do_not_fit():
    assert not ImageNormalizer((4, 4), size=True, slant=True).fit_transform(np.zeros((2, 16))).any()
    with pytest.raises(DataError, match="have 12 columns, X has 16"):
        ImageNormalizer((3, 4)).fit(np.zeros((2, 16)))
    with pytest.raises(ParameterError, match="leaves nothing"):
        ImageNormalizer((4, 4), margin=2).fit(np.zeros((2, 16)))


@pytest.mark.capability("IML-11-23")
def test_virtual_examples_keep_their_labels():
    rows = figures.reshape(20, -1)
    more, labels = virtual_examples(rows, y[:20], (16, 16), angles=[10, -10], factors=[0.9])
    assert more.shape == (20 * 8, 256)
    assert_array_equal(labels, np.tile(y[:20], 8))
    assert_array_equal(more[:20], rows)
    assert_array_equal(more[20:40].reshape(-1, 16, 16), np.roll(figures, 1, axis=2))
    turned = virtual_examples(rows, y[:20], (16, 16), shifts=(), angles=[90])[0][20:].reshape(-1, 16, 16)
    assert_allclose(turned, np.rot90(figures, 1, axes=(1, 2)), atol=1e-9)
    with pytest.raises(DataError, match="have 64 columns"):
        virtual_examples(rows, y[:20], (8, 8))
