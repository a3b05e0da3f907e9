"""Displays of components: scree graph, biplot, pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from assay.plots import BiplotDisplay, ComponentPicturesDisplay, ScreeDisplay
from assay.reduce import NMF, PCA, KernelPCA
from assay.tables.data import load_iris

DIGITS = load_digits()


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


# Oracle: of the 1797 digits 21 components hold 90 % of the variance, 20 hold .8943.
@pytest.mark.capability("IML-6-14")
def test_scree_graph_of_digits():
    display = ScreeDisplay.from_estimator(PCA().fit(DIGITS.data))
    assert display.number_ == 21
    assert_allclose(display.cumulative[[1, 9, 19, 20]], [0.2851, 0.7382, 0.8943, 0.9032], atol=5e-5)
    assert_allclose(display.variances[:3], [179.0069, 163.7177, 141.7884], atol=5e-5)
    left, right = display.axes_
    assert_allclose(left.lines[0].get_ydata(), display.variances)
    assert_allclose(right.lines[0].get_ydata(), display.cumulative)
    few = ScreeDisplay.from_estimator(
        PCA(5).fit(DIGITS.data)
    )  # shares are of all variance, not of these five
    assert_allclose(few.cumulative, display.cumulative[:5])
    assert few.number_ is None
    assert ScreeDisplay.from_estimator(KernelPCA(3).fit(DIGITS.data[:100])).variances.shape == (3,)
    with pytest.raises(ValueError, match="Fit a PCA"):
        ScreeDisplay.from_estimator(NMF())


@pytest.mark.capability("IML-6-15")
def test_digits_in_two_components_with_printed_labels():
    display = BiplotDisplay.from_estimator(
        PCA(2).fit(DIGITS.data), DIGITS.data, DIGITS.target, arrows=False, printed=100, points=False
    )
    assert len(display.printed_) == 100
    texts = display.ax_.texts
    assert len(texts) == 100
    assert {text.get_text() for text in texts} <= {str(k) for k in range(10)}
    expected = PCA(2).fit(DIGITS.data).transform(DIGITS.data)[display.printed_]
    drawn = np.array(sorted(text.get_position() for text in texts))
    assert_allclose(drawn, np.array(sorted(map(tuple, expected))))


def test_biplot_has_an_arrow_for_each_column():
    iris = load_iris()
    display = BiplotDisplay.from_estimator(PCA(standardize=True).fit(iris.X), iris.X, iris.y)
    assert display.names == iris.X.schema.names
    assert {text.get_text() for text in display.ax_.texts} >= set(display.names)
    assert "73.0%" in display.axis_names[0]
    with pytest.raises(ValueError, match="3 labels for 2 rows"):
        BiplotDisplay([[0, 1], [1, 0]], labels=["a", "b", "c"])


@pytest.mark.capability("IML-6-15")
def test_components_as_pictures():
    display = ComponentPicturesDisplay.from_estimator(PCA(10).fit(DIGITS.data))
    assert display.shape == (8, 8) and len(display.axes_) == 10
    assert_allclose(display.axes_[0].images[0].get_array().ravel(), display.vectors[0])
    pcas = [PCA(k).fit(DIGITS.data) for k in (2, 10, 64)]
    back = ComponentPicturesDisplay.from_reconstruction(pcas, DIGITS.data[:1])
    errors = np.sum((back.vectors[1:] - back.vectors[0]) ** 2, axis=1)
    assert np.all(np.diff(errors) < 0) and errors[-1] < 1e-9
    with pytest.raises(ValueError, match="no square"):
        ComponentPicturesDisplay(np.ones((1, 10)))
