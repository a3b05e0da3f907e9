"""Measures of answers against the book and against scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay.errors import DataError, ParameterError
from assay.metrics import rates
from assay.metrics.rates import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    geometric_mean_score,
    macro_f1_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    specificity_score,
    youden_score,
    zero_one_loss,
)

DRAWN = (st.integers(0, 10_000), st.integers(2, 5), st.integers(3, 60))


def drawn(seed, K, n):
    rng = np.random.default_rng(seed)
    return rng.integers(K, size=n), rng.integers(K, size=n), rng.random(n) + 0.1


@pytest.mark.capability("C3-51", "BC-47")
def test_accuracy_and_empirical_risk_of_the_master_table(cancer):
    """Oracle: C3 master table rows 6 and 7: 3 and 7 errors on 114 rows; the risk is the share of errors."""
    assert_allclose(accuracy_score(cancer.truth, cancer.logistic), 0.9736842105263158, rtol=1e-15)
    assert_allclose(accuracy_score(cancer.truth, cancer.tree), 0.9385964912280702, rtol=1e-15)
    assert accuracy_score(cancer.truth, cancer.tree, normalize=False) == 107
    assert zero_one_loss(cancer.truth, cancer.logistic, normalize=False) == 3
    assert_allclose(zero_one_loss(cancer.truth, cancer.tree), 7 / 114, rtol=1e-15)
    always = np.ones_like(cancer.truth)  # the imbalance diagnostic: the majority class, said always
    assert_allclose(accuracy_score(cancer.truth, always), 66 / 114, rtol=1e-15)
    assert recall_score(cancer.truth, always, pos_label=0) == 0


@pytest.mark.capability("C3-53")
def test_precision_recall_f1_of_either_class(cancer):
    """Oracle: C3 3.3.2 and master table rows 6 and 7."""
    for answer, positive, told in (
        (cancer.logistic, 1, (64 / 65, 64 / 66, 0.9770992366412213)),
        (cancer.tree, 1, (62 / 65, 62 / 66, 0.9465648854961832)),
        (cancer.logistic, 0, (0.9591836735, 0.9791666667, 0.9690721649)),
        (cancer.tree, 0, (0.9183673469, 0.9375, 0.9278350515)),
    ):
        P, R, F, _ = precision_recall_fscore_support(
            cancer.truth, answer, average="binary", pos_label=positive
        )
        assert_allclose((P, R, F), told, atol=5e-11)
        assert precision_score(cancer.truth, answer, pos_label=positive) == P
        assert recall_score(cancer.truth, answer, pos_label=positive) == R
        assert f1_score(cancer.truth, answer, pos_label=positive) == F


@pytest.mark.capability("C3-54")
def test_macro_and_micro_averages(cancer):
    """Oracle: C3 3.3.2; micro is the accuracy, and the two conventions of macro F1 differ."""
    for answer, told in (
        (cancer.logistic, (0.9718995290, 0.9744318182, 0.9730857008)),
        (cancer.tree, (0.9361067504, 0.9384469697, 0.9371999685)),
    ):
        P, R, F, support = precision_recall_fscore_support(cancer.truth, answer, average="macro")
        assert_allclose((P, R, F), told, atol=5e-11)
        assert support is None
        assert_allclose(macro_f1_score(cancer.truth, answer), F, rtol=1e-15)
        assert_allclose(macro_f1_score(cancer.truth, answer, of="means"), 2 * P * R / (P + R), rtol=1e-15)
        micro = precision_recall_fscore_support(cancer.truth, answer, average="micro")[:3]
        assert_allclose(micro, accuracy_score(cancer.truth, answer), rtol=1e-15)


@pytest.mark.capability("IML-19-07")
def test_two_classes_of_the_book():
    """Oracle: IML 19.7: tp 40, fn 10, fp 5, tn 45."""
    truth, answer = np.repeat([1, 1, 0, 0], [40, 10, 5, 45]), np.repeat([1, 0, 1, 0], [40, 10, 5, 45])
    assert_allclose(zero_one_loss(truth, answer), 0.15)
    assert_allclose(recall_score(truth, answer), 0.8)
    assert_allclose(1 - specificity_score(truth, answer), 0.1)
    assert_allclose(specificity_score(truth, answer), 0.9)
    assert_allclose(precision_score(truth, answer), 0.88888889, atol=5e-9)
    assert_allclose(f1_score(truth, answer), 0.84210526, atol=5e-9)
    assert_allclose(youden_score(truth, answer), 0.7)
    assert_allclose(geometric_mean_score(truth, answer), np.sqrt(0.8 * 0.9))


@given(*DRAWN, st.sampled_from(["macro", "micro", "weighted", None]), st.sampled_from([0, 1, np.nan, "warn"]))
@settings(deadline=None, max_examples=25)
def test_same_averages_as_scikit_learn(seed, K, n, average, zero):
    """Peer: scikit-learn 1.9; labels subset and unknown, weights, beta from 0 to infinity."""
    y, z, w = drawn(seed, K, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for more in ({}, {"sample_weight": w}, {"labels": [1, 0]}, {"labels": [0, 9]}):
            for beta in (1.0, 0.5, 0.0, np.inf):
                ours, theirs = (
                    f(y, z, average=average, zero_division=zero, beta=beta, **more)
                    for f in (precision_recall_fscore_support, peer.precision_recall_fscore_support)
                )
                for a, b in zip(ours, theirs):
                    assert (a is None) == (b is None)
                    if a is not None:
                        assert_allclose(a, b, rtol=1e-12)
            if zero is not np.nan:
                ours, theirs = (
                    f(y, z, average=average, zero_division=zero, **more)
                    for f in (rates.jaccard_score, peer.jaccard_score)
                )
                assert_allclose(ours, theirs, rtol=1e-12)


@given(*DRAWN)
@settings(deadline=None, max_examples=20)
def test_same_accuracies_as_scikit_learn(seed, K, n):
    y, z, w = drawn(seed, K, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for more in ({}, {"sample_weight": w}):
            for name in ("accuracy_score", "zero_one_loss", "balanced_accuracy_score"):
                assert_allclose(
                    getattr(rates, name)(y, z, **more), getattr(peer, name)(y, z, **more), rtol=1e-12
                )
            for name in ("accuracy_score", "zero_one_loss"):
                assert_allclose(
                    getattr(rates, name)(y, z, normalize=False, **more),
                    getattr(peer, name)(y, z, normalize=False, **more),
                    rtol=1e-12,
                )
        if len(np.unique(y)) > 1:
            assert_allclose(
                balanced_accuracy_score(y, z, adjusted=True), peer.balanced_accuracy_score(y, z, adjusted=True),
                rtol=1e-9, atol=1e-12,
            )  # fmt: skip
            assert_allclose(youden_score(y, z), balanced_accuracy_score(y, z, adjusted=True), atol=1e-12)


@given(*DRAWN)
@settings(deadline=None, max_examples=30)
def test_specificity_is_the_recall_of_the_rest(seed, K, n):
    y, z, w = drawn(seed, K, n)
    for k in range(K):
        if 0 < (y == k).sum() < n:
            assert_allclose(
                specificity_score(y, z, labels=[k], average="macro", sample_weight=w),
                recall_score(y != k, z != k, pos_label=True, sample_weight=w),
                atol=1e-12,
            )


def test_words_numbers_frames_and_lists_are_read_alike():
    import pandas as pd
    import polars as pl

    y, z = ["b", "a", "b", "c"], ["b", "b", "b", "c"]
    for convert in (
        list,
        np.array,
        lambda v: np.array(v, dtype=object),
        pd.Series,
        pl.Series,
        pd.Categorical,
    ):
        assert accuracy_score(convert(y), convert(z)) == 0.75
        assert_allclose(f1_score(convert(y), convert(z), average="macro", zero_division=0), (0 + 0.8 + 1) / 3)
    assert accuracy_score(np.array(["no", "yes"]), ["no", "no"]) == 0.5
    assert accuracy_score(np.array([True, False]), np.array([1, 0])) == 1
    assert accuracy_score([1.0, 2.0], [1, 2]) == 1


def test_what_nothing_defines_is_zero_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined"):
        assert precision_score([1, 0], [0, 0]) == 0
    with pytest.warns(UndefinedMetricWarning, match="Recall is ill-defined"):
        assert recall_score([0, 0], [1, 0]) == 0
    with pytest.warns(UndefinedMetricWarning, match="not in y_true"):
        assert balanced_accuracy_score([0, 0], [0, 1]) == 0.5
    assert precision_score([1, 0], [0, 0], zero_division=1) == 1


def test_bad_input_is_told_plainly():
    with pytest.raises(ParameterError, match="Target is multiclass but average='binary'"):
        f1_score([0, 1, 2], [0, 1, 2])
    with pytest.raises(ParameterError, match="pos_label='x' is not a valid label"):
        f1_score([0, 1], [0, 1], pos_label="x")
    with pytest.raises(ParameterError, match="average must be"):
        f1_score([0, 1], [0, 1], average="samples")
    with pytest.raises(ParameterError, match="zero_division must be"):
        precision_score([1, 0], [0, 0], zero_division="zero")
    with pytest.raises(ParameterError, match="beta must be a number from 0 up, got -1"):
        rates.fbeta_score([1, 0], [0, 0], beta=-1)
    with pytest.raises(ParameterError, match="'classes' or 'means'"):
        macro_f1_score([1, 0], [0, 0], of="all")
    with pytest.raises(DataError, match="one class only"):
        youden_score([1, 1], [1, 0])
    with pytest.warns(UserWarning, match="pos_label .* is ignored"):
        f1_score([0, 1], [0, 1], pos_label=0, average="macro")


@pytest.mark.parametrize("wrong", ["zero", 2, -1, None, "nan"])
def test_zero_division_is_checked_even_where_nothing_is_divided_by_zero(wrong):
    with pytest.raises(ParameterError, match="zero_division"):
        f1_score([0, 1], [0, 1], zero_division=wrong)


@pytest.mark.parametrize("beta", [1e-200, 1e-8, 0.3, 1, 7, 1e8, 1e200])
def test_f_of_any_beta_lies_between_precision_and_recall(beta):
    y, z = [1, 1, 1, 0, 0], [1, 0, 0, 1, 0]  # precision 1/2, recall 1/3
    expected = 0.5 if beta < 1e-4 else 1 / 3 if beta > 1e4 else peer.fbeta_score(y, z, beta=beta)
    assert_allclose(rates.fbeta_score(y, z, beta=beta), expected, rtol=1e-12)


def test_bytes_are_no_text():
    with pytest.raises(DataError, match="Mix of label input types"):
        accuracy_score(np.array([b"a", b"b"]), np.array(["a", "b"]))


def test_rows_of_several_classes_are_measured_one_column_at_a_time():
    with pytest.raises(
        DataError, match=r"one label per row, got shape \(2, 2\)\. Measure one column at a time"
    ):
        f1_score([[0, 1], [1, 2]], [[0, 1], [1, 0]], average="macro")
