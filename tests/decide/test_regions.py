"""Decision regions of any rule of one variable."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.decide import decision_regions


@given(cuts=st.lists(st.integers(1, 99), min_size=1, max_size=6, unique=True))
@settings(max_examples=40, deadline=None)
def test_the_cuts_of_a_staircase_are_found_to_the_last_bit(cuts):
    edges = np.sort(np.array(cuts) / 100 + 0.003)
    found = decision_regions(lambda x: np.searchsorted(edges, x, side="right"), 0, 1, points=201)
    assert [r.action for r in found] == list(range(len(edges) + 1))
    assert_allclose([r.high for r in found[:-1]], edges, rtol=4e-16)


def test_regions_of_a_fitted_classifier():
    model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    found = decision_regions(lambda x: model.predict(x[:, None]), -5, 15)
    assert [r.action for r in found] == ["a", "b"]
    assert_allclose(found[0].high, 3, rtol=1e-12)
