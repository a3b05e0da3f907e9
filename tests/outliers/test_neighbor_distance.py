"""NeighborDistanceOutliers: distances to the neighbours, a row without itself."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.outliers.neighbor_distance import NeighborDistanceOutliers

LINE = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [10.0]])


def test_distances_to_the_second_neighbour_of_six_points():
    # Oracle: IML 8.7, d_2 of 0, 1, 2, 3, 4, 10.
    model = NeighborDistanceOutliers(2).fit(LINE)
    assert_array_equal(-model.training_scores_, [2, 1, 1, 1, 2, 7])
    mean = NeighborDistanceOutliers(2, method="mean").fit(LINE)
    assert_array_equal(-mean.training_scores_, [1.5, 1, 1, 1, 1.5, 6.5])


@pytest.mark.capability("IML-1-04")
def test_planted_outliers_are_ranked_first():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(4, 3)) + 12])
    scores = NeighborDistanceOutliers(5).fit(X).training_scores_
    assert set(np.argsort(scores)[:4]) == {200, 201, 202, 203}


def test_a_training_row_asked_again_is_judged_as_before_and_a_copy_is_its_neighbour():
    X = np.array([[0.0], [0.0], [3.0], [7.0]])
    model = NeighborDistanceOutliers(1).fit(X)
    assert_array_equal(-model.training_scores_, [0, 0, 3, 4])
    assert_array_equal(model.score_samples(X), model.training_scores_)
    assert_array_equal(model.fit_predict(X), model.predict(X))
    assert_array_equal(-model.score_samples([[1.0]]), [1.0])


def test_the_threshold_without_a_share_is_far_out():
    model = NeighborDistanceOutliers(2).fit(LINE)
    low, high = np.percentile(model.training_scores_, [25, 75])
    assert_allclose(model.offset_, low - 3 * (high - low))
    assert_array_equal(model.predict(LINE), [1, 1, 1, 1, 1, -1])
    share = NeighborDistanceOutliers(2, contamination=0.5).fit(LINE)
    assert_array_equal(share.predict(LINE), [-1, 1, 1, 1, -1, -1])


def test_mixed_tables_few_rows_and_one_row():
    table = pd.DataFrame({"x": [1.0, np.nan, 1.2, 1.1, 1.05], "kind": ["a", "a", "a", "a", "z"]})
    assert int(NeighborDistanceOutliers(3).fit(table).training_scores_.argmin()) == 4
    assert NeighborDistanceOutliers(50).fit(LINE).n_neighbors_ == 5
    with pytest.raises(DataError, match="compared with others"):
        NeighborDistanceOutliers().fit([[1.0]])


def test_an_explanation_names_the_neighbours():
    text = NeighborDistanceOutliers(2).fit(LINE).explain([[20.0]])
    assert text.answer == "outlier"
    assert text.sections[1].rows == [[6, 10.0], [5, 16.0]]
