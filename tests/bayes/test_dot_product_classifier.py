"""Dot-product templates: the book's numbers, and when they agree with the nearest mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import DotProductClassifier, NearestMean

T5 = np.array([(1, 2), (2, 3), (3, 3), (4, 5), (5, 7), (4, 1), (5, 3), (6, 2), (7, 3), (8, 6), (6, 3)], float)
T5_CLASS = np.repeat([1, 2], [5, 6])


# Oracle: IML 5-28, T5 at (5, 4): 31 and 42.
@pytest.mark.capability("IML-5-16")
def test_dot_products_of_the_book():
    model = DotProductClassifier().fit(T5, T5_CLASS)
    assert_allclose(model.similarities([[5, 4]]), [[31, 42]])
    assert_allclose(model.decision_function([[5, 4]]), [11])
    assert_array_equal(model.predict([[5, 4]]), [2])


@pytest.mark.capability("IML-5-16")
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_templates_of_equal_length_give_the_nearest_mean(seed):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(4, 3))
    M /= np.linalg.norm(M, axis=1, keepdims=True)
    x = rng.normal(size=(20, 3))
    ours, near = DotProductClassifier().fit(M, range(4)), NearestMean().fit(M, range(4))
    assert_array_equal(ours.predict(x), near.predict(x))


def test_a_longer_template_pulls_more_than_its_share():
    model = DotProductClassifier().fit([[1.0], [10.0]], ["near", "far"])
    assert_array_equal(model.predict([[1.0]]), ["far"])
    assert_array_equal(NearestMean().fit([[1.0], [10.0]], ["near", "far"]).predict([[1.0]]), ["near"])


def test_there_are_no_probabilities():
    model = DotProductClassifier().fit(T5, T5_CLASS)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="predict_proba") as text:
        model.predict_proba(T5)
    assert "NearestMean for probabilities" in str(text.value.__cause__)


def test_an_explanation_lists_the_products():
    model = DotProductClassifier().fit(T5, T5_CLASS)
    (section,) = model.explain([[5, 4]]).sections
    assert section.rows == [["x0", 5.0, 15.0, 30.0], ["x1", 4.0, 16.0, 12.0], ["sum", "", 31.0, 42.0]]


def test_weights_mean_repeated_rows():
    w = np.arange(11) % 3
    weighted = DotProductClassifier().fit(T5, T5_CLASS, w)
    assert_allclose(
        weighted.means_, DotProductClassifier().fit(np.repeat(T5, w, 0), np.repeat(T5_CLASS, w)).means_
    )


def test_a_class_without_weight_never_wins():
    X, y = np.array([[1.0], [2.0], [5.0]]), np.array(["a", "a", "b"])
    model = DotProductClassifier().fit(X, y, sample_weight=[1, 1, 0])
    assert model.predict([[-3.0], [3.0]]).tolist() == [
        "a",
        "a",
    ]  # -4.5 is less than the 0 of an empty template
