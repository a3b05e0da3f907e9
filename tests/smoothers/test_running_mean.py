import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsRegressor, RadiusNeighborsRegressor

from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers import local_smoother
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
from assay.smoothers.running_line import RunningLine
from assay.smoothers.running_mean import RunningMean
from assay.smoothers.running_median import RunningMedian

# The table of 8.8; queries .5, 2, 3.25, 6.
TABLE = {1.0: [1.5, 1.5, 4.5, 7], 1.5: [1.5, 2.5, 3.5, 35 / 6], 2.5: [1.5, 2.7, 3.4, 5.625]}


@pytest.mark.capability("IML-8-24")
@pytest.mark.parametrize("h", TABLE)
def test_the_table(eight, h):
    x, r, q = eight
    assert_allclose(RunningMean(h).fit(x, r).predict(q), TABLE[h], rtol=1e-14)


@pytest.mark.capability("IML-8-26")
def test_the_mean_of_the_three_nearest(eight):
    x, r, q = eight
    assert_allclose(RunningMean(n_neighbors=3).fit(x, r).predict(q), [1.5, 2.5, 3.5, 35 / 6], rtol=1e-14)


@pytest.mark.parametrize("load", [load_iris, load_diabetes])
@pytest.mark.parametrize("columns", [1, 4])
def test_same_means_as_scikit_learn(load, columns):
    """Peers: RadiusNeighborsRegressor, whose window is closed (no row is at the radius here), and KNeighborsRegressor.

    Neighbours are compared on rows moved at random: the peer does not say which of equally far ones it takes.
    """
    X, y = load(return_X_y=True)
    X = X[:, :columns] + np.random.default_rng(0).uniform(-0.01, 0.01, (len(X), columns))
    y, radius = X @ np.arange(1.0, columns + 1), float(np.median(np.ptp(X, axis=0))) / 3
    peer = RadiusNeighborsRegressor(radius).fit(X[::2], y[::2])
    near = np.array([len(rows) > 0 for rows in peer.radius_neighbors(X[1::2])[1]])
    assert near.any()
    ours = RunningMean(radius).fit(X[::2], y[::2])
    assert_allclose(ours.predict(X[1::2][near]), peer.predict(X[1::2][near]), rtol=1e-10)
    for k in (1, 5, 20):
        peer = KNeighborsRegressor(k).fit(X[::2], y[::2])
        assert_allclose(
            RunningMean(n_neighbors=k).fit(X[::2], y[::2]).predict(X[1::2]), peer.predict(X[1::2]), rtol=1e-10
        )


def test_of_equally_far_rows_the_first_are_taken():
    X, y = [[2.0], [0.0], [4.0], [1.0], [3.0]], [1.0, 2.0, 3.0, 4.0, 5.0]
    for rows in (X, [[*row, 0.0] for row in X]):  # on a line, and in a plane
        query = [2.0] if len(rows[0]) == 1 else [2.0, 0.0]
        model = RunningMean(n_neighbors=2).fit(rows, y)
        assert_array_equal(model.weights([query]), [[0.5, 0, 0, 0.5, 0]])
        model = RunningMean(n_neighbors=4).fit(rows, y)
        assert_array_equal(model.weights([query]), [[0.25, 0.25, 0, 0.25, 0.25]])


def test_more_neighbours_than_rows_are_all_rows(eight):
    x, r, q = eight
    assert_allclose(RunningMean(n_neighbors=99).fit(x, r).predict(q), np.full(4, r.mean()))


def test_what_an_empty_window_gets():
    X, y = [[0.0], [1.0], [9.0]], [1.0, 2.0, 6.0]
    far = [[5.0], [0.0]]
    answers = {
        "nearest": [4.0, 1.0],
        "mean": [3.0, 1.0],
        "nan": [np.nan, 1.0],
    }  # 1 and 9 are equally near to 5
    for empty, expected in answers.items():
        model = RunningMean(0.5, empty=empty).fit(X, y)
        assert_allclose(model.predict(far), expected)
    assert_allclose(RunningMean(0.5).fit(X, y).weights(far[:1]), [[0, 0.5, 0.5]])
    with pytest.raises(DataError, match=r"query row 1, \[5.0\].*Raise bandwidth"):
        RunningMean(0.5, empty="raise").fit(X, y).predict(far)


def test_windows_that_would_be_empty_do_not_disturb_the_choice_of_the_width(waves):
    x, y = waves
    for empty in ("nan", "raise"):
        assert_allclose(RunningMean(empty=empty).fit(x, y).bandwidth_, RunningMean().fit(x, y).bandwidth_)
        alone = RunningMean(0.4, empty=empty).fit([[0.0], [0.1], [5.0]], [1.0, 2.0, 3.0])
        assert_allclose(alone.leave_one_out(), [2, 1, np.nan])


def test_many_empty_windows(monkeypatch):
    monkeypatch.setattr(local_smoother, "BLOCK_DISTANCES", 10)
    X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]
    far = np.linspace(10, 90, 31)[:, None] * [[-1.0]]
    assert_allclose(RunningMean(0.5).fit(X, y).predict(far), np.ones(31))


@given(seed=st.integers(0, 1000), d=st.integers(1, 2), k=st.sampled_from([None, 4]))
@settings(max_examples=30, deadline=None)
def test_a_row_of_weight_two_is_two_rows(seed, d, k):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(25, d)).round(2), random.normal(size=25)
    counts = random.integers(0, 3, 25)
    counts[0] = 2
    settings = {"n_neighbors": k} if k else {"bandwidth": "loo"}
    once = RunningMean(**settings).fit(X, y, sample_weight=counts)
    twice = RunningMean(**settings).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    Q = random.normal(size=(15, d))
    assert once.bandwidth_ == pytest.approx(twice.bandwidth_) if k is None else once.bandwidth_ is None
    assert_allclose(once.predict(Q), twice.predict(Q), rtol=1e-9)


@pytest.mark.parametrize("settings", [{"bandwidth": 1.7}, {"n_neighbors": 3}])
def test_leaving_out_is_leaving_out(eight, settings):
    x, r, _ = eight
    again = [
        RunningMean(**settings).fit(np.delete(x, i, 0), np.delete(r, i)).predict(x[[i]])[0] for i in range(8)
    ]
    assert_allclose(RunningMean(**settings).fit(x, r).leave_one_out(), again, rtol=1e-12)


def test_the_chosen_width_has_the_least_left_out_error(waves):
    x, y = waves
    chosen = RunningMean().fit(x, y)
    error = np.mean((y - chosen.leave_one_out()) ** 2)
    for factor in (0.25, 0.5, 2**-0.5, 2**0.5, 2.0, 4.0):
        other = RunningMean(chosen.bandwidth_ * factor).fit(x, y)
        assert error <= np.mean((y - other.leave_one_out()) ** 2)
    assert 0.1 < chosen.bandwidth_ < 2


def test_categories_and_gaps_are_measured_as_they_are():
    """Oracle: by hand. HEOM: other colours are at 1, sizes in units of their range, and a gap is at 1."""
    frame = pd.DataFrame({"size": [0.0, 1.0, 10.0, np.nan], "colour": ["red", "red", "red", "blue"]})
    model = RunningMean(0.95).fit(frame, [1.0, 3.0, 50.0, 7.0])
    asked = pd.DataFrame({"size": [0.5, 3.0], "colour": ["red", None]})
    assert_allclose(model.predict(asked.iloc[:1]), [2.0])  # 50 is at 0.95, which is not nearer
    assert model.explain(asked.iloc[:1]).sections[0].rows[0][1:3] == [0.0, "red"]
    assert np.isfinite(model.predict(asked)).all()


def test_a_gap_where_training_had_none_is_refused_by_name():
    with pytest.raises(DataError, match=r"column x0 has 1 missing value"):
        RunningMean(1.0).fit([[1.0], [2.0]], [1, 2]).predict([[np.nan]])


def test_one_width_for_each_column():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 2)), random.normal(size=40)
    both = RunningMean([0.5, 2.0]).fit(X, y).predict(X)
    assert_allclose(both, RunningMean(1.0).fit(X / [0.5, 2.0], y).predict(X / [0.5, 2.0]))
    for wrong in ([1.0], [1.0, 0.0]):
        with pytest.raises(ParameterError, match="one for each of 2 columns"):
            RunningMean(wrong).fit(X, y)


def test_degenerate_rows():
    constant = RunningMean().fit([[3.0]] * 5, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert_allclose(constant.predict([[3.0], [99.0]]), [3, 3])
    one = RunningMean().fit([[3.0]], [7.0])
    assert_allclose(one.predict([[3.0], [-50.0]]), [7, 7])
    with pytest.raises(DegenerateError, match="one row"):
        one.leave_one_out()
    counted = RunningMean().fit([[3.0], [4.0]], [7.0, 1.0], sample_weight=[1.0, 0.0])
    assert_allclose(counted.predict([[4.0]]), [7])
    with pytest.raises(DegenerateError, match="one row counts"):
        counted.leave_one_out()
    with pytest.raises(DataError, match="1d array, got 2"):
        RunningMean().fit([[1.0], [2.0]], [[1, 2], [3, 4]])
    with pytest.raises(ParameterError, match="precomputed"):
        RunningMean(1.0, metric="precomputed").fit([[0.0, 1.0], [1.0, 0.0]], [1, 2])
    with pytest.raises(ParameterError, match=r"RunningMean: metric must be one of .*got 'as the crow flies'"):
        RunningMean(1.0, metric="as the crow flies").fit([[0.0], [1.0]], [1, 2])


@pytest.mark.parametrize(
    "smoother",
    [
        RunningMean(n_neighbors=7),
        RunningMean(0.1),
        RunningMean(0.3, metric="mahalanobis"),
        RunningMedian(n_neighbors=7),
        RunningLine(n_neighbors=20),
        Loess(0.02, robust_iterations=1),
        KernelSmoother(0.1, kernel="tricube"),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_search_gives_the_same_answers_as_all_distances(smoother, weighted, monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.uniform(0, 1, (1100, 2)).round(2), random.normal(size=1100)  # many equal distances
    w = random.integers(0, 3, 1100) if weighted else None
    text = []
    for many in (10, 10**9):
        monkeypatch.setattr(local_smoother, "SEARCH_ROWS", many)
        model = smoother.fit(X, y, w)
        text.append((model.predict(X), model.leave_one_out(), model.weights(X[:30])))
    for result, expected in zip(*text):
        assert_allclose(result, expected, atol=1e-12)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(3000, 2)), random.normal(size=3000)
    model, text = RunningMean(0.4).fit(X, y), []
    for threads in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        text.append(model.predict(X))
    assert_array_equal(*text)
