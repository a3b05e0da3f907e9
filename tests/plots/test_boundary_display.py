"""Lines where scores are zero, thick ones where answers meet, and the hatched area of refusals."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NearestMean
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.errors import DataError
from assay.linear import SGDClassifier
from assay.plots.boundary_display import BoundaryDisplay
from assay.trees import DecisionTreeClassifier

IRIS, KIND = load_iris(return_X_y=True)
X = IRIS[:, 2:]
TWO = KIND < 2


def points_of(drawn):
    """All vertices of a contour."""
    return np.vstack([path.vertices for path in drawn.get_paths() if len(path.vertices)])


@pytest.mark.capability("IML-10-06")
def test_the_line_of_two_classes_is_where_the_score_is_zero():
    model = LinearDiscriminantAnalysis().fit(X[TWO], KIND[TWO])
    display = BoundaryDisplay.from_estimator(model, X[TWO], KIND[TWO], grid=60, normals=True)
    assert len(display.lines_) == len(display.boundaries_[:1]) == 1
    along = points_of(display.lines_[0])
    assert np.abs(model.decision_function(along)).max() < 1e-6 * np.abs(display.scores).max()
    plane = display.planes["1"]
    assert_allclose(plane.score(X), model.decision_function(X), rtol=1e-6, atol=1e-8)
    (arrow,) = display.normals_
    start, end = np.array(arrow.xyann), np.array(arrow.xy)
    assert_allclose(plane.score(start), 0, atol=1e-6 * plane.length)
    assert plane.score(end) > 0  # to the positive side, at a right angle
    assert_allclose(np.cross([*(end - start), 0], [*plane.normal, 0])[2], 0, atol=1e-9 * plane.length)


@pytest.mark.capability("IML-10-06")
def test_thick_lines_run_where_the_two_largest_scores_are_equal():
    model = LinearDiscriminantAnalysis().fit(X, KIND)
    display = BoundaryDisplay.from_estimator(model, X, KIND, grid=80)
    assert display.margins is not None and len(display.lines_) <= 3
    for drawn in display.boundaries_:
        g = np.sort(model.decision_function(points_of(drawn)), axis=1)
        assert np.abs(g[:, -1] - g[:, -2]).max() < 0.02 * np.ptp(display.margins)


@pytest.mark.capability("IML-10-06")
def test_refusals_are_hatched():
    model = OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject").fit(X, KIND)
    display = BoundaryDisplay.from_estimator(model, X, KIND, grid=50)
    assert display.rejected_ is not None and (display.answers == -1).any() and display.margins is None
    said = model.predict(np.column_stack([a.ravel() for a in np.meshgrid(display.x, display.y)]))
    assert_array_equal((display.answers == -1).ravel(), said == "reject")
    assert np.ma.getmaskarray(display.surface_.get_array()).sum() == (said == "reject").sum()
    assert list(display.planes) == ["0", "1", "2"]
    none = BoundaryDisplay.from_estimator(NearestMean().fit(X, KIND), X, KIND, grid=20)
    assert none.rejected_ is None


@pytest.mark.capability("IML-10-06")
def test_pairs_of_classes_have_lines_of_their_own():
    model = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, KIND)
    display = BoundaryDisplay.from_estimator(model, X, KIND, grid=40, normals=True)
    assert display.labels == ["0 : 1", "0 : 2", "1 : 2"] == list(display.planes)
    middle = X[KIND == 0].mean(axis=0)
    assert display.planes["0 : 1"].score(middle) > 0  # the first of the pair is on the positive side
    linear = LinearDiscriminantAnalysis().fit(X, KIND)
    display = BoundaryDisplay.from_estimator(linear, X, KIND, grid=40, pairs=True)
    g = linear.decision_function(X)
    assert_allclose(display.planes["0 : 2"].score(X), g[:, 0] - g[:, 2], rtol=1e-6, atol=1e-6)
    i, j = 7, 31
    at = linear.decision_function([[display.x[j], display.y[i]]])[0]
    assert_allclose(display.scores[i, j], [at[0] - at[1], at[0] - at[2], at[1] - at[2]], rtol=1e-9)


@pytest.mark.capability("IML-10-06", "IML-10-05")
def test_distances_go_to_the_foot_on_the_nearest_line():
    model = LinearDiscriminantAnalysis().fit(X[TWO], KIND[TWO])
    points = X[TWO][[0, 99]]
    display = BoundaryDisplay.from_estimator(model, X[TWO], grid=20, distances=points)
    plane = display.planes["1"]
    for point, drawn in zip(points, display.distances_):
        ends = drawn.get_xydata()
        assert_allclose(ends[0], point)
        assert_allclose(ends[1], plane.project(point), rtol=1e-9)
    assert display.truth is None


def test_two_of_many_columns_the_others_at_their_medians():
    frame, rest = pd.DataFrame(IRIS, columns=["sl", "sw", "pl", "pw"]), np.median(IRIS, axis=0)
    ours = LinearDiscriminantAnalysis().fit(frame, KIND), frame, ["pl", "pw"]
    peer = LogisticRegression(max_iter=500).fit(IRIS, KIND), IRIS, [2, 3]
    for model, given, columns in (ours, peer):
        display = BoundaryDisplay.from_estimator(model, given, KIND, columns=columns, grid=12)
        asked = np.array([[rest[0], rest[1], display.x[3], display.y[9]]])
        g = model.decision_function(pd.DataFrame(asked, columns=frame.columns) if given is frame else asked)[
            0
        ]
        assert_allclose(display.scores[9, 3], g, rtol=1e-9)
        shown = [plane.score([display.x[3], display.y[9]]) for plane in display.planes.values()]
        assert_allclose(shown, g, rtol=1e-6, atol=1e-8)


def test_models_that_are_not_linear_have_lines_but_no_planes():
    for model in (GaussianNB().fit(X, KIND), DecisionTreeClassifier(random_state=0).fit(X, KIND)):
        display = BoundaryDisplay.from_estimator(model, X, KIND, grid=30, normals=True, distances=X[:1])
        assert display.planes == {} and display.normals_ == [] and display.distances_ == [None]
        assert len(display.boundaries_) == 3
    nested = OneVsRestClassifier(DecisionTreeClassifier(random_state=0)).fit(X, KIND)
    assert BoundaryDisplay.from_estimator(nested, X, KIND, grid=20).planes == {}


def test_planes_that_are_none_are_refused():
    with pytest.raises(DataError, match="the table has 4 columns; name the two to show"):
        BoundaryDisplay.from_estimator(LinearDiscriminantAnalysis().fit(IRIS, KIND), IRIS)


def test_weights_kept_sparse_have_their_lines():
    plain, sparse = (
        SGDClassifier(max_iter=5, tol=None, random_state=0).fit(X[TWO], KIND[TWO]) for _ in range(2)
    )
    expected, found = (
        BoundaryDisplay.from_estimator(model, X[TWO], KIND[TWO], grid=20).planes
        for model in (plain, sparse.sparsify())
    )
    assert_allclose(found["1"].normal, expected["1"].normal)
