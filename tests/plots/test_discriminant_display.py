"""Pictures of discriminants and of correspondence maps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer

from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import DataError
from assay.plots import CorrespondenceDisplay, DirectionsDisplay, DiscriminantDisplay
from assay.reduce import CorrespondenceAnalysis
from assay.tables.data import load_iris

IRIS = load_iris()


@pytest.mark.capability("C3-70")
def test_one_coordinate_is_drawn_against_the_classes_with_their_means():
    X, y = load_breast_cancer(return_X_y=True)
    display = DiscriminantDisplay.from_estimator(LinearDiscriminantAnalysis(n_components=1).fit(X, y), X, y)
    means = display.means[:, 0] * np.sign(display.means[1, 0])
    assert_allclose(means, [-2.40373, 1.42743], atol=5e-6)
    drawn = [points.get_offsets() for points in display.ax_.collections]
    assert [len(points) for points in drawn] == np.bincount(y).tolist()
    assert_allclose(drawn[0][:, 1], 0)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["0", "1"]


@pytest.mark.capability("IML-6-40")
def test_two_coordinates_are_marks_or_labels_of_the_classes():
    lda = LinearDiscriminantAnalysis().fit(IRIS.X, IRIS.y)
    marks = DiscriminantDisplay.from_estimator(lda, IRIS.X, IRIS.y)
    assert sum(len(points.get_offsets()) for points in marks.ax_.collections) == 150
    assert [text.get_text() for text in marks.ax_.get_legend().get_texts()] == list(IRIS.classes)
    names = DiscriminantDisplay(lda.transform(IRIS.X), IRIS.codes).plot(labels=True, most_labels=50)
    assert [text.get_text() for text in names.ax_.texts] == [str(k) for k in IRIS.codes[::3]]
    with pytest.raises(DataError, match="coordinates and n classes"):
        DiscriminantDisplay(np.zeros((3, 2)), [0, 1])


@pytest.mark.capability("IML-6-40")
def test_lines_of_both_directions_and_their_criteria():
    points = np.array(
        [[1, 2], [2, 3], [3, 3], [4, 5], [5, 5], [1, 0], [2, 1], [3, 1], [3, 2], [5, 3], [6, 5]]
    )
    display = DirectionsDisplay.from_rows(points, [1] * 5 + [2] * 6)
    assert_allclose(list(display.criteria.values()), [0.017757, 1.688379], atol=5e-7)
    assert_allclose(display.directions["principal component"], [0.686891, 0.726761], atol=5e-7)
    plane, *strips = display.ax_.child_axes
    assert len(plane.lines) == 2 and "1.688" in strips[1].get_title()
    with pytest.raises(DataError, match="two columns and two classes"):
        DirectionsDisplay(IRIS.X, IRIS.y)


def test_the_map_has_rows_and_columns_with_their_names():
    staff = np.array([[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]])
    ca = CorrespondenceAnalysis().fit(staff)
    display = CorrespondenceDisplay.from_estimator(ca, staff, row_names=list("abcde"))
    rows, columns = (points.get_offsets() for points in display.ax_.collections)
    assert_allclose(rows, ca.transform(staff))
    assert_allclose(columns, ca.column_coordinates_)
    assert [text.get_text() for text in display.ax_.texts] == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "x0",
        "x1",
        "x2",
        "x3",
    ]
    assert display.ax_.get_ylabel() == "axis 2 (11.8% of the inertia)"
    with pytest.raises(DataError, match="n_components=2"):
        CorrespondenceDisplay.from_estimator(CorrespondenceAnalysis(n_components=1).fit(staff), staff)
