"""Curves of two classes: the book's, scikit-learn's, and what must hold for every score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay.errors import DataError
from assay.metrics.curves import det_curve, precision_recall_curve, roc_curve
from assay.metrics.rates import f1_score, precision_score
from assay.tables.data import load_ranks

SEEN = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1]


@pytest.mark.capability("C3-57")
def test_corners_of_the_logistic_regression(cancer):
    """Oracle: C3 3.3.3, eight corners and the thresholds at the exact optimum; 115 points in all."""
    fpr, tpr, thresholds = roc_curve(cancer.truth, cancer.score)
    assert_allclose(fpr, np.array([0, 0, 0, 1, 1, 2, 2, 48]) / 48, rtol=1e-12)
    assert_allclose(tpr, np.array([0, 1, 38, 38, 64, 64, 66, 66]) / 66, rtol=1e-12)
    assert thresholds[0] == np.inf
    told = [0.999999998, 0.998636688, 0.998437907, 0.565651024, 0.468206289, 0.288480238]
    assert_allclose(thresholds[1:7], told, atol=2e-6)
    assert_allclose(thresholds[7], 3.99e-14, rtol=0.05)
    assert len(roc_curve(cancer.truth, cancer.score, drop_intermediate=False)[0]) == 115


@pytest.mark.capability("C3-56")
def test_precision_recall_full_and_truncated(cancer):
    """Oracle: C3 3.3.3 and master table row 8: 115 points today, 69 in the old habit, 70 without intermediates."""
    assert [len(v) for v in precision_recall_curve(cancer.truth, cancer.score)] == [115, 115, 114]
    precision, recall, thresholds = precision_recall_curve(cancer.truth, cancer.score, truncated=True)
    assert (len(precision), len(recall), len(thresholds)) == (69, 69, 68)
    assert_allclose((precision[0], recall[0]), (66 / 68, 1), rtol=1e-12)
    assert_allclose(thresholds[0], 0.288480238, atol=2e-6)
    assert len(precision_recall_curve(cancer.truth, cancer.score, drop_intermediate=True)[0]) == 70
    assert (precision[-1], recall[-1]) == (1, 0)


@pytest.mark.capability("IML-19-07")
def test_every_point_of_the_worked_curve():
    """Oracle: IML 19.7."""
    fpr, tpr, _ = roc_curve(*SEEN, drop_intermediate=False)
    assert_allclose(fpr, [0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.6, 0.8, 1], atol=1e-12)
    assert_allclose(tpr, [0, 0.2, 0.4, 0.4, 0.6, 0.8, 0.8, 1, 1, 1, 1], atol=1e-12)


@pytest.mark.capability("DC-114")
def test_precision_recall_and_f1_at_the_hits_of_the_book():
    """Oracle: DC 10.9.2.2, ranks of Table 10.2: percentages at each hit, F1 at the rank of the fifth."""
    data = load_ranks()
    truth = (data.y == "positive").astype(int)
    for name, false, precise, f1 in (
        ("A", [0, 3.158, 5.263, 11.579, 15.789], [100, 40, 37.5, 26.667, 25], 0.4),
        ("B", [2.105, 5.263, 8.421, 9.474, 10.526], [33.333, 28.571, 27.273, 30.769, 33.333], 0.5),
        ("oracle", [0] * 5, [100] * 5, 1.0),
    ):
        rank = data.X.values[:, data.feature_names.index(name)]
        fpr, tpr, thresholds = roc_curve(truth, -rank, drop_intermediate=False)
        hits = np.flatnonzero(np.diff(tpr)) + 1
        assert_allclose(100 * fpr[hits], false, atol=5e-4)
        assert_allclose(100 * tpr[hits], [20, 40, 60, 80, 100], atol=1e-9)
        said = [(rank <= -thresholds[i]).astype(int) for i in hits]
        assert_allclose([100 * precision_score(truth, answer) for answer in said], precise, atol=5e-4)
        assert_allclose(f1_score(truth, said[-1]), f1, rtol=1e-12)
        P, R, _ = precision_recall_curve(truth, -rank)
        assert_allclose(100 * P[:-1][::-1][np.flatnonzero(np.diff(R[::-1]))], precise, atol=5e-4)


@given(st.integers(0, 10_000), st.integers(2, 80), st.sampled_from([3, 1000]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_same_curves_as_scikit_learn(seed, n, levels, weighted):
    """Peer: scikit-learn 1.9, with ties, weights (zeros too) and words for classes."""
    rng = np.random.default_rng(seed)
    y, s = np.append([0, 1], rng.integers(2, size=n)), rng.integers(levels, size=n + 2) / 7
    w = np.append([1, 1], rng.integers(0, 4, size=n)) * 1.0 if weighted else None
    for drop in (False, True):
        for ours, theirs in ((roc_curve, peer.roc_curve), (precision_recall_curve, peer.precision_recall_curve),
                             (det_curve, peer.det_curve)):  # fmt: skip
            a = ours(y, s, sample_weight=w, drop_intermediate=drop)
            b = theirs(y, s, sample_weight=w, drop_intermediate=drop)
            for left, right in zip(a, b):
                assert_allclose(left, right, atol=1e-12)
    named = np.array(["no", "yes"])[y]
    for pos in ("no", "yes"):
        for left, right in zip(roc_curve(named, s, pos_label=pos), peer.roc_curve(named, s, pos_label=pos)):
            assert_allclose(left, right, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 60))
@settings(deadline=None, max_examples=40)
def test_only_the_order_of_the_scores_counts(seed, n):
    rng = np.random.default_rng(seed)
    y, s = np.append([0, 1], rng.integers(2, size=n)), rng.integers(9, size=n + 2)
    for curve in (roc_curve, precision_recall_curve):
        first, second = curve(y, s), curve(y, np.exp(s / 3.0))
        assert_array_equal(first[0], second[0])
        assert_array_equal(first[1], second[1])


def test_two_columns_are_a_posterior_and_bool_is_a_class():
    y, s = SEEN
    P = np.column_stack([1 - np.array(s), s])
    assert_array_equal(roc_curve(y, P)[1], roc_curve(y, s)[1])
    assert_array_equal(roc_curve(np.array(y, dtype=bool), s)[1], roc_curve(y, s)[1])
    assert_array_equal(
        roc_curve(1 - np.array(y), P, pos_label=0)[1], roc_curve(1 - np.array(y), P[:, 0], pos_label=0)[1]
    )
    assert_array_equal(roc_curve([2 if v else -1 for v in y], s)[1], roc_curve(y, s)[1])


def test_one_class_only():
    with pytest.warns(UndefinedMetricWarning, match="no negative row"):
        fpr, tpr, _ = roc_curve([1, 1], [0.1, 0.2])
    assert np.isnan(fpr).all() and tpr[-1] == 1
    with pytest.warns(UndefinedMetricWarning, match="no positive row"):
        assert (precision_recall_curve([0, 0], [0.1, 0.2])[1][:-1] == 1).all()
    with pytest.raises(DataError, match="Only one class is present"):
        det_curve([0, 0], [0.1, 0.2])


@pytest.mark.parametrize(
    ("truth", "score", "said"),
    [
        ([0, 1], [0.1, np.nan], "the score of row 2 is NaN or infinite"),
        ([0, 1], [0.1, np.inf], "the score of row 2 is NaN or infinite"),
        ([0, 1], ["a", "b"], "the score must be numbers"),
        ([0, 1, 2], [0.1, 0.2, 0.3], "3 classes, expected two. Say which class is positive"),
        (["a", "a"], [0.1, 0.2], "1 class, expected two"),
        ([0, 1], [0.1], "2 true labels, 1 scores"),
        ([], [], "no rows"),
        ([0, 1], [[0.1, 0.2, 0.7]] * 2, "3 columns"),
    ],
)
def test_bad_input_is_told_plainly(truth, score, said):
    with pytest.raises(DataError, match=said):
        roc_curve(truth, score)
