"""Signals and pictures as rows, and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.prepare import flatten
from assay.reduce import PCA


@pytest.mark.capability("C3-59")
@pytest.mark.parametrize(("shape", "d"), [((220,), 220), ((64, 64), 4096), ((64, 64, 3), 12288)])
def test_the_dimensions_of_the_book(shape, d):
    signals = np.random.default_rng(0).random((4, *shape))
    flat = flatten(signals)
    assert (
        flat.values.shape == (4, d) and flat.shape == shape and len(flat.names) == len(set(flat.names)) == d
    )
    assert_array_equal(flat.restore(flat.values), signals)
    assert_array_equal(flat.values[1], signals[1].ravel())
    assert_array_equal(flatten(list(signals)).values, flat.values)


def test_components_are_pictures_again():
    flat = flatten(np.random.default_rng(0).random((12, 5, 7)))
    pca = PCA(3).fit(flat.values)
    assert flat.restore(pca.components_).shape == (3, 5, 7)
    assert flat.names[8] == "1,1" and flatten(np.ones((2, 3))).names == ["x0", "x1", "x2"]


def test_what_is_no_row_is_refused():
    with pytest.raises(DataError, match="one shape"):
        flatten([np.ones(3), np.ones(4)])
    with pytest.raises(DataError, match="expected numbers"):
        flatten(np.array(["a", "b"]))
    with pytest.raises(DataError, match="rows of 6 numbers"):
        flatten(np.ones((2, 2, 3))).restore(np.ones((1, 5)))


@pytest.mark.capability("IML-6-53")
def test_categories_are_coded_before_projection_and_come_back():
    """Indicators of 0 and 1, projected on all components and back, give the table's categories."""
    table = pd.DataFrame({"a": list("xyzxyz"), "b": list("uuvvuv"), "c": [1.0, 2, 3, 4, 5, 7]})
    pca = PCA().fit(table)
    assert pca.design_.names == ["a=x", "a=y", "a=z", "b=u", "b=v", "c"]
    back = pca.inverse_transform(pca.transform(table))
    assert_allclose(back[0], [1, 0, 0, 1, 0, 1], atol=1e-9)
    assert [["x", "y", "z"][k] for k in back[:, :3].argmax(axis=1)] == table["a"].tolist()
    assert [["u", "v"][k] for k in back[:, 3:5].argmax(axis=1)] == table["b"].tolist()
    assert_allclose(back[:, 5], table["c"], atol=1e-9)
