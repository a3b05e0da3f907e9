"""Tables of classes taken for classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import GaussianNB
from assay.decide import DecisionRule
from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.plots.confusion_matrix_display import ConfusionMatrixDisplay
from assay.tables.data import load_iris

RESULT = compare(["majority", "lda"], load_iris(), design="5-fold")


def test_the_texts_are_the_counts():
    display = ConfusionMatrixDisplay.from_comparison(RESULT, "lda")
    shown = np.array([[int(t.get_text()) for t in row] for row in display.text_])
    assert_array_equal(shown, RESULT.confusion("lda"))
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == [str(c) for c in RESULT.classes]
    assert display.ax_.get_title() == "lda"


def test_shares_add_up_to_one():
    for how, axis in (("true", 1), ("all", None)):
        table = ConfusionMatrixDisplay.from_comparison(RESULT, "lda", normalize=how).confusion_matrix
        assert_allclose(table.sum(axis=axis), 1)
    with pytest.raises(DataError, match="normalize must be true, pred or all"):
        ConfusionMatrixDisplay.from_comparison(RESULT, normalize="rows")


def test_rejected_rows_have_a_column_of_their_own():
    careful = DecisionRule(GaussianNB(), reject=0.05)
    result = compare({"careful": careful}, load_iris(), design="5-fold")
    table = result.confusion("careful")
    assert table.shape == (3, 4) and table[:, 3].sum() > 0
    display = ConfusionMatrixDisplay.from_comparison(result, values_format="d")
    assert [t.get_text() for t in display.ax_.get_xticklabels()][-1] == "no class"
    assert [int(t.get_text()) for t in display.text_[:, 3]] == table[:, 3].tolist()
    plain = ConfusionMatrixDisplay.from_comparison(result, include_values=False)
    assert plain.text_ is None and len(plain.ax_.get_xticklabels()) == 4


def test_long_names_stand_upright():
    names = [f"a class with a long name {k}" for k in range(4)]
    display = ConfusionMatrixDisplay(np.eye(4, dtype=int), display_labels=names).plot()
    assert display.ax_.get_xticklabels()[0].get_rotation() == 90
    assert display.display_labels == names
    said = [f"class number {k}" for k in range(12)]
    counted = ConfusionMatrixDisplay.from_predictions(said, said)
    assert counted.ax_.get_xticklabels()[0].get_rotation() == 90
    short = ConfusionMatrixDisplay.from_predictions(["a", "b"], ["a", "b"])
    assert short.ax_.get_xticklabels()[0].get_rotation() == 0


def test_nothing_to_count_is_refused():
    with pytest.raises(DataError, match="no rows"):
        ConfusionMatrixDisplay.from_predictions([], [])
    with pytest.raises(ParameterError, match="'tree' is not among the finished learners: lda, majority"):
        ConfusionMatrixDisplay.from_comparison(RESULT, "tree")
