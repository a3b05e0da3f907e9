"""Areas, their resamples, and the twins of the native code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay import threads
from assay.errors import DataError, ParameterError
from assay.metrics import _areas
from assay.metrics._inputs import Scored
from assay.metrics.areas import auc, average_precision_score, roc_auc_score
from assay.metrics.bootstrap import plan
from assay.metrics.intervals import with_interval
from assay.tables.data import load_ranks

# --- the book


@pytest.mark.capability("C3-57")
def test_area_and_average_precision_of_the_logistic_regression(cancer):
    """Oracle: C3 3.3.3."""
    assert_allclose(roc_auc_score(cancer.truth, cancer.score), 3138 / 3168, rtol=1e-12)
    assert_allclose(average_precision_score(cancer.truth, cancer.score), 0.9914394698, atol=5e-11)


@pytest.mark.capability("DC-115")
def test_areas_of_the_book():
    """Oracle: DC 10.9.2.2, ranks of Table 10.2."""
    data = load_ranks()
    for name, area, precision in (
        ("A", 441, 0.458333),
        ("B", 441, 0.306560),
        ("random", 267, 0.064920),
        ("oracle", 475, 1),
    ):
        score = -data.X.values[:, data.feature_names.index(name)]
        assert_allclose(roc_auc_score(data.y == "positive", score), area / 475, rtol=1e-12)
        assert_allclose(average_precision_score(data.y == "positive", score), precision, atol=5e-7)


@pytest.mark.capability("IML-19-07")
def test_areas_with_and_without_ties():
    """Oracle: IML 19.7."""
    assert_allclose(
        roc_auc_score([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1]),
        0.84,
    )
    assert_allclose(roc_auc_score([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.6, 0.6, 0.4]), 7 / 9, rtol=1e-12)


# --- scikit-learn


@given(st.integers(0, 10_000), st.integers(2, 80), st.sampled_from([3, 1000]), st.booleans())
@settings(deadline=None, max_examples=30)
def test_same_areas_as_scikit_learn(seed, n, levels, weighted):
    rng = np.random.default_rng(seed)
    y, s = np.append([0, 1], rng.integers(2, size=n)), rng.integers(levels, size=n + 2) / 7
    w = np.append([1, 1], rng.integers(0, 4, size=n)) * 1.0 if weighted else None
    for max_fpr in (None, 0.3, 0.05, 1):
        assert_allclose(
            roc_auc_score(y, s, max_fpr=max_fpr, sample_weight=w),
            peer.roc_auc_score(y, s, max_fpr=max_fpr, sample_weight=w),
            atol=1e-12,
        )
    assert_allclose(
        average_precision_score(y, s, sample_weight=w),
        peer.average_precision_score(y, s, sample_weight=w),
        atol=1e-12,
    )
    assert_allclose(
        average_precision_score(y, -s, pos_label=0),
        peer.average_precision_score(y, -s, pos_label=0),
        atol=1e-12,
    )


@given(st.integers(0, 10_000), st.integers(3, 5), st.integers(10, 60), st.booleans())
@settings(deadline=None, max_examples=12)
def test_same_areas_of_many_classes_as_scikit_learn(seed, K, n, words):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(K), rng.integers(K, size=n))
    P = rng.dirichlet(np.ones(K), size=len(y)).round(2)
    P[:, 0] += 1 - P.sum(axis=1)
    w = rng.random(len(y)) + 0.1
    y = np.array(list("abcdefg"))[y] if words else y
    for average in ("macro", "weighted", "micro", None):
        for more in ({}, {"sample_weight": w}):
            assert_allclose(
                roc_auc_score(y, P, multi_class="ovr", average=average, **more),
                peer.roc_auc_score(y, P, multi_class="ovr", average=average, **more),
                atol=1e-12,
            )
            assert_allclose(
                average_precision_score(y, P, average=average, **more),
                peer.average_precision_score(y, P, average=average, **more),
                atol=1e-12,
            )
    for average in ("macro", "weighted"):
        assert_allclose(
            roc_auc_score(y, P, multi_class="ovo", average=average),
            peer.roc_auc_score(y, P, multi_class="ovo", average=average),
            atol=1e-12,
        )


def test_words_are_classes_and_the_last_is_positive():
    y, s = ["no", "yes", "no", "yes"], [0.1, 0.9, 0.4, 0.3]
    assert roc_auc_score(y, s) == peer.roc_auc_score(y, s) == 0.75
    assert average_precision_score(y, s) == peer.average_precision_score(y, s, pos_label="yes")
    assert roc_auc_score([-1, 0, -1, 0], s) == 0.75
    assert roc_auc_score([2, 5, 2, 5], s) == 0.75


def test_trapezoids_and_bad_input():
    assert auc([1, 0.5, 0], [1, 1, 0]) == 0.75
    for x, y, said in (
        ([0, 1, 0.5], [0, 1, 1], "neither increasing nor decreasing"),
        ([0], [1], "at least 2 points"),
    ):
        with pytest.raises(DataError, match=said):
            auc(x, y)
    with pytest.raises(DataError, match="leaves the range"):
        auc([1e308, -1e308], [1, 1])
    with pytest.raises(DataError, match="0 true labels, 1 scores"):
        roc_auc_score([], [1])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(roc_auc_score([1, 1], [0.1, 0.2]))
    with pytest.raises(ParameterError, match="3 classes and the score one column"):
        roc_auc_score([0, 1, 2], [0.1, 0.2, 0.3])
    P = np.full((3, 3), 1 / 3)
    with pytest.raises(ParameterError, match="'ovr' or 'ovo'"):
        roc_auc_score([0, 1, 2], P)
    with pytest.raises(ParameterError, match="average must be one of"):
        roc_auc_score([0, 1, 2], P, multi_class="ovo", average=None)
    with pytest.raises(ParameterError, match="not defined for pairs"):
        roc_auc_score([0, 1, 2], P, multi_class="ovo", sample_weight=[1, 2, 3])
    with pytest.raises(DataError, match="sum to 1"):
        roc_auc_score([0, 1, 2], P * 2, multi_class="ovr")
    with pytest.raises(ParameterError, match=r"max_fpr must lie in \(0, 1\], got 2"):
        roc_auc_score([0, 1], [0.1, 0.2], max_fpr=2)


# --- resamples and their twins


def area_by_the_book(positive, score, count):
    """Every pair of a positive and a negative row, each as often as both were drawn."""
    pos, neg = np.flatnonzero(positive), np.flatnonzero(~positive)
    better = (score[pos][:, None] > score[neg]) + (score[pos][:, None] == score[neg]) / 2
    mass = np.outer(count[pos], count[neg])
    return (better * mass).sum() / mass.sum()


@pytest.mark.parametrize("levels", [4, 10_000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scheme", ["rows", "strata", "groups"])
def test_resampled_areas_are_the_areas_of_the_resampled_rows(levels, weighted, scheme):
    rng = np.random.default_rng(5)
    n = 60
    y, s = rng.integers(2, size=n) == 1, rng.integers(levels, size=n) / 3
    w = rng.random(n) + 0.5 if weighted else None
    groups = rng.integers(12, size=n) if scheme == "groups" else None
    drawn = plan(n, strata=y if scheme == "strata" else None, groups=groups, resamples=20, random_state=3)
    found = drawn.areas(Scored(y, s, w, 1), precise=True)
    for b in range(20):
        rows = drawn.rows(b)
        count = np.bincount(rows, minlength=n) * (1.0 if w is None else w)
        assert_allclose(found[b, 0], area_by_the_book(y, s, count), rtol=1e-12)
        assert_allclose(
            found[b, 1],
            peer.average_precision_score(y[rows], s[rows], sample_weight=None if w is None else w[rows]),
            rtol=1e-12,
        )
        if scheme == "strata":
            assert y[rows].sum() == y.sum()
        if scheme == "groups":
            held = np.bincount(groups[rows], minlength=12) / np.maximum(np.bincount(groups, minlength=12), 1)
            assert_array_equal(held, held.round())  # whole groups


def test_resampled_sums_and_cells_are_those_of_the_resampled_rows():
    rng = np.random.default_rng(1)
    V, cell, w = rng.normal(size=(30, 3)), rng.integers(4, size=30), rng.random(30)
    for groups in (None, rng.integers(8, size=30)):
        drawn = plan(30, groups=groups, resamples=25, random_state=9)
        sums, cells = drawn.sums(V), drawn.cells(cell, w, 4)
        for b in range(25):
            rows = drawn.rows(b)
            assert_allclose(sums[b], V[rows].sum(axis=0), rtol=1e-12)
            assert_allclose(cells[b], np.bincount(cell[rows], weights=w[rows], minlength=4), rtol=1e-12)


def test_resamples_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    y, s = rng.integers(2, size=3000) == 1, rng.normal(size=3000)
    drawn = plan(3000, resamples=600, random_state=2)
    found = []
    for n in ("1", "2", "4"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", n)
        monkeypatch.setattr(threads, "_cores", lambda: 4)
        found.append(drawn.areas(Scored(y, s, None, 1)))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])
    few = plan(3000, resamples=100, random_state=2).areas(Scored(y, s, None, 1))
    assert_array_equal(few, found[0][:100])


def test_every_unit_is_drawn_as_often_as_every_other():
    """Chi-square of 2,000 resamples of 7 units, 14,000 draws: 6 degrees of freedom, 22.5 is the 0.1 % point."""
    drawn = plan(7, resamples=2000, random_state=4)
    count = np.bincount(np.concatenate([drawn.rows(b) for b in range(2000)]), minlength=7)
    assert ((count - 2000) ** 2 / 2000).sum() < 22.5
    pairs = np.array(
        [len(np.unique(drawn.rows(b))) for b in range(2000)]
    )  # distinct units: mean 7 (1 - (6/7)^7)
    assert abs(pairs.mean() - 7 * (1 - (6 / 7) ** 7)) < 4 * pairs.std() / np.sqrt(2000)


def test_a_resample_without_a_class_has_no_area():
    y = np.array([True, False, False])
    found = plan(3, resamples=200, random_state=0).areas(Scored(y, np.array([3.0, 2.0, 1.0]), None, 1))
    empty = np.isnan(found[:, 0])
    assert 0.2 < empty.mean() < 0.5  # no positive row: (2/3)^3 = 0.30; no negative: 1/27
    assert (found[~empty, 0] == 1).all()


def test_kernels_refuse_what_does_not_fit():
    short, long = np.zeros(2), np.zeros(5)
    with pytest.raises(ValueError, match="too little room"):
        _areas.tallies(long, long, short, short, short)
    with pytest.raises(ValueError, match="lengths differ"):
        _areas.resampled_sums(np.zeros((2, 1)), np.array([0, 5]), 0, 0, np.zeros((1, 1)))
    with pytest.raises(ValueError, match="no such unit"):
        _areas.resampled_areas(
            positive=np.zeros(1, np.uint8),
            last=np.ones(1, np.uint8),
            unit=np.array([3], np.int32),
            weight=np.empty(0),
            starts=np.array([0, 1]),
            seed=0,
            first=0,
            precise=False,
            out=np.zeros((1, 2)),
        )
    with pytest.raises(ValueError, match="no such cell"):
        _areas.resampled_cells(np.array([9], np.int32), np.ones(1), np.array([0, 1]), 0, 0, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="lengths differ"):
        _areas.drawn_units(np.array([0, 5]), 0, 0, np.zeros(3, np.int64))
    for starts in ([], [1, 2], [-3, 2], [0, 100, 2]):  # the last would draw units beyond the end
        with pytest.raises(ValueError, match="begin at 0 and rise"):
            _areas.drawn_units(np.array(starts, dtype=np.int64), 0, 0, np.zeros(2, np.int64))
        with pytest.raises(ValueError, match="begin at 0 and rise"):
            _areas.resampled_sums(np.zeros((2, 1)), np.array(starts, dtype=np.int64), 0, 0, np.zeros((1, 1)))


def test_classes_without_rows_count_as_scikit_learn_counts_them():
    """Peer: scikit-learn 1.9. Pairs of classes that both have rows; a class of no weight has no part in "weighted"."""
    y, P = np.array([0, 2, 0, 2]), np.array([[0.2, 0, 0.8], [0.6, 0, 0.4], [0.55, 0, 0.45], [0.4, 0, 0.6]])
    for average in ("macro", "weighted"):
        options = {"labels": [0, 1, 2], "multi_class": "ovo", "average": average}
        assert_allclose(roc_auc_score(y, P, **options), peer.roc_auc_score(y, P, **options), rtol=1e-12)
    options = {"labels": [0, 1, 2], "multi_class": "ovr", "average": "weighted"}
    with pytest.warns(UndefinedMetricWarning):
        expected = peer.roc_auc_score(y, P, **options)
    assert_allclose(roc_auc_score(y, P, **options), expected, rtol=1e-12)
    with pytest.warns(UndefinedMetricWarning, match="one class"):
        assert np.isnan(roc_auc_score([0, 0], P[:2], labels=[0, 1, 2], multi_class="ovo"))


@pytest.mark.parametrize("labels", [[2, 1, 0], [0, 1, 1], [0, 1, 2, 3]])
def test_labels_of_columns_are_sorted_and_named_once(labels):
    with pytest.raises(ParameterError, match="labels"):
        roc_auc_score([0, 1, 2], np.eye(3), multi_class="ovr", labels=labels)


@pytest.mark.parametrize("weighed", [False, True])
def test_average_precision_over_the_rows_ranks_the_classes_of_each(weighed):
    rng = np.random.default_rng(0)
    y, P = rng.integers(4, size=50), rng.dirichlet(np.ones(4), 50).round(1)  # with ties
    w = rng.integers(0, 3, 50).astype(float) if weighed else None
    ours = average_precision_score(y, P, average="samples", sample_weight=w)
    assert_allclose(ours, peer.average_precision_score(y, P, average="samples", sample_weight=w), rtol=1e-12)


def test_average_precision_of_three_classes_needs_three_columns():
    y, P = [0, 1, 2], np.full((3, 3), 1 / 3)
    with pytest.raises(ParameterError, match="3 classes and the score one column"):
        average_precision_score(y, P[:, 0])
    with pytest.raises(ParameterError, match="pos_label"):
        average_precision_score(y, P, pos_label=2)
    with pytest.raises(DataError, match="2 classes"):
        average_precision_score([0, 1], P)
    with pytest.raises(DataError, match="4 true labels and 3 rows"):
        average_precision_score([0, 1, 2, 2], P)


def test_one_is_positive_whatever_the_numbers_are_kept_in():
    y, s = np.array([1, 2, 1, 2, 2]), np.array([0.9, 0.8, 0.3, 0.2, 0.1])
    expected = peer.average_precision_score(y, s)
    assert_allclose([average_precision_score(y, s), average_precision_score(y.astype(object), s)], expected)


def test_rows_that_weigh_nothing_change_no_precision():
    y, s, w = [0, 1, 0, 1], [0.9, 0.8, 0.3, 0.2], [0, 1, 1, 1]
    found = with_interval("average precision", y, s, sample_weight=w, resamples=20, stratify=True)
    assert_allclose(found.value, average_precision_score(y[1:], s[1:]), rtol=1e-12)
