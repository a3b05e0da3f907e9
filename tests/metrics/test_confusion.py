"""Confusion tables: worked ones, scikit-learn's answers, names and orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as peer

from assay.errors import DataError, ParameterError
from assay.metrics.confusion import Confusion, confusion_matrix


@pytest.mark.capability("C3-52")
def test_positive_class_first_with_names(cancer):
    """Oracle: C3 3.3.2, layout [[TP, FN], [FP, TN]] with code 1, benign, positive."""
    for answer, table in ((cancer.logistic, [[64, 2], [1, 47]]), (cancer.tree, [[62, 4], [3, 45]])):
        seen = Confusion.of(cancer.truth, answer, positive=1, names=["malignant", "benign"])
        assert_array_equal(seen.counts, table)
        assert seen.labels == ("benign", "malignant")
        assert (seen.tp[0], seen.fn[0], seen.fp[0], seen.tn[0]) == (*table[0], *table[1])
        assert seen.tp[0] + seen.fn[0] == 66 and seen.tn[0] + seen.fp[0] == 48
        assert_array_equal(confusion_matrix(cancer.truth, answer, labels=[1, 0]), table)


@pytest.mark.capability("IML-19-07")
def test_three_classes_of_the_book():
    """Oracle: IML 19.7; kappa and the rates are exact fractions of the table."""
    seen = Confusion(np.array([[50, 3, 2], [4, 40, 6], [1, 5, 39]]), ("a", "b", "c"))
    assert_allclose(seen.accuracy, 0.86, rtol=1e-12)
    assert_allclose(seen.recall, [0.90909091, 0.8, 0.86666667], atol=5e-9)
    assert_allclose(seen.precision, [0.90909091, 0.83333333, 0.82978723], atol=5e-9)
    assert_allclose(seen.kappa, 0.78943850, atol=5e-9)


def test_printed_and_as_html_it_names_the_classes_and_escapes_them():
    seen = Confusion.of(["<b>", "x", "x"], ["<b>", "<b>", "x"])
    assert str(seen).splitlines()[0].split() == ["truth", "answered", "<b>", "answered", "x"]
    assert "&lt;b&gt;" in seen._repr_html_() and "<b>1</b>" in seen._repr_html_()
    assert str(Confusion.of([0, 1], [0, 1], sample_weight=[0.5, 2])).splitlines()[1].split() == [
        "0",
        "0.5",
        "0",
    ]


@given(
    st.integers(0, 10_000),
    st.integers(1, 5),
    st.integers(1, 60),
    st.sampled_from(["int", "str", "object", "float"]),
)
@settings(deadline=None, max_examples=60)
@pytest.mark.filterwarnings("ignore:A single label was found")  # the peer's; a table of one class is a table
def test_same_table_as_scikit_learn(seed, K, n, kind):
    """Peer: scikit-learn 1.9, with weights, orders, left-out and unknown labels, and shares."""
    rng = np.random.default_rng(seed)
    words = np.array([f"c{k}" for k in range(K)])
    names = {
        "int": np.arange(K) * 3 - 2,
        "float": np.arange(K) * 1.0,
        "str": words,
        "object": words.astype(object),
    }[kind]
    y, z = names[rng.integers(K, size=n)], names[rng.integers(K, size=n)]
    w = rng.random(n) + 0.1
    for more in (
        {},
        {"sample_weight": w},
        {"normalize": "true"},
        {"normalize": "pred"},
        {"normalize": "all"},
    ):
        assert_allclose(confusion_matrix(y, z, **more), peer.confusion_matrix(y, z, **more), rtol=1e-12)
    some = rng.permutation(np.unique(y))[: max(1, K - 1)]
    assert_array_equal(confusion_matrix(y, z, labels=some), peer.confusion_matrix(y, z, labels=some))
    assert confusion_matrix(y, z).dtype == np.int64


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(5, 80))
@settings(deadline=None, max_examples=30)
def test_margins_add_up_to_the_rows(seed, K, n):
    rng = np.random.default_rng(seed)
    seen = Confusion.of(rng.integers(K, size=n), rng.integers(K, size=n))
    assert_array_equal(seen.tp + seen.fn + seen.fp + seen.tn, n)
    assert seen.tp.sum() + seen.fn.sum() == n == seen.tp.sum() + seen.fp.sum()
    assert_allclose(seen.error + seen.accuracy, 1)


def test_one_class_and_classes_never_answered():
    seen = Confusion.of([1, 1], [1, 1])
    assert (
        seen.accuracy == 1 and np.isnan(seen.kappa) and seen.matthews == 0 and np.isnan(seen.specificity[0])
    )
    seen = Confusion.of([0, 0, 1], [0, 0, 0])
    assert np.isnan(seen.precision[1]) and seen.recall[1] == 0 and seen.g_mean == 0


@pytest.mark.parametrize(
    ("truth", "answer", "more", "said"),
    [
        ([], [], {}, "there are no rows"),
        ([0, 1], [0], {}, "inconsistent numbers of samples: 2 true labels, 1 answers"),
        ([0, 1], ["a", "b"], {}, "Mix of label input types"),
        ([0, 1], np.array(["2020", "2021"], dtype="datetime64[Y]"), {}, "Mix of label input types"),
        ([[0, 1], [1, 0]], [0, 1], {}, "one label per row, got shape"),
        ([0.5, 1.5], [0, 1], {}, "Row 1 of y is 0.5, expected classes"),
        ([0, np.nan], [0, 1], {}, "row 2 has no label"),
        (
            [0, 1],
            [0, 1],
            {"sample_weight": [1, -1]},
            "Negative values in data passed to `sample_weight`: row 2 has -1",
        ),
        ([0, 1], [0, 1], {"sample_weight": [0, 0]}, "all are zero"),
        ([0, 1], [0, 1], {"sample_weight": [1e300, 1]}, r"from 1e-100 to 1e100, got 1e\+300\. Divide"),
        ([0, 1], [0, 1], {"sample_weight": [1e-300, 0]}, "from 1e-100 to 1e100, got 1e-300"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, r"expected \(2,\)! Give one weight for each of the 2 rows"),
        ([0, 1], [0, 1], {"labels": [7]}, "At least one label specified must be in y_true"),
        ([0, 1], [0, 1], {"labels": []}, "at least one label"),
    ],
)
def test_bad_input_is_told_plainly(truth, answer, more, said):
    with pytest.raises(DataError, match=said):
        confusion_matrix(truth, answer, **more)


def test_bad_choices_are_told_plainly():
    with pytest.raises(ParameterError, match="normalize must be true, pred, all or None, got 'rows'"):
        confusion_matrix([0], [0], normalize="rows")
    with pytest.raises(ParameterError, match=r"positive=2 is not among the classes \[0, 1\]"):
        Confusion.of([0, 1], [0, 1], positive=2)
    with pytest.raises(ParameterError, match="2 classes and 1 names"):
        Confusion.of([0, 1], [0, 1], names=["no"])


def test_whole_weights_that_floats_cannot_add_are_refused():
    assert_array_equal(confusion_matrix([0, 1], [0, 1], sample_weight=[2**52, 1]), [[2**52, 0], [0, 1]])
    with pytest.raises(DataError, match="2\\*\\*53"):
        confusion_matrix([0, 1], [0, 1], sample_weight=np.array([2**62, 2**62]))


def test_names_of_several_lines_are_shown_in_one():
    assert len(str(Confusion.of(["a\nb", "c"], ["a\nb", "c"])).splitlines()) == 3


def test_labels_of_64_bits_without_a_sign():
    y = np.array([2**63 + 5, 2**63 + 6, 2**63 + 5], dtype=np.uint64)
    assert_array_equal(confusion_matrix(y, y), [[2, 0], [0, 1]])
