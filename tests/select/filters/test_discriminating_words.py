"""Words that tell classes of documents apart."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from assay.errors import DataError, ParameterError
from assay.reduce import count_words
from assay.select import discriminating_words

SPORT = [
    "the team won the goal",
    "the team lost a goal",
    "a goal for the team",
    "the race was won",
    "the team trains",
]
ART = [
    "the brush on canvas",
    "a canvas by the painter",
    "the painter and the brush",
    "the museum",
    "a canvas sold",
]
MONEY = [
    "the bank sold a bond",
    "the bond fell",
    "a bank lost the race",
    "the bank and the bond",
    "bond and bank",
]
CLASSES = ["sport"] * 5 + ["art"] * 5 + ["money"] * 5


@pytest.mark.capability("IML-1-11")
def test_five_documents_in_each_of_three_classes():
    result = discriminating_words(count_words([*SPORT, *ART, *MONEY]), CLASSES)
    assert {"team", "goal"} <= set(result.best["sport"])
    assert {"canvas", "brush", "painter"} <= set(result.best["art"])
    assert {"bank", "bond"} <= set(result.best["money"])
    assert {"sold", "lost"} <= set(result.ambiguous_words)  # once in two of the classes
    listed = [word for words in result.best.values() for word in words]
    assert not set(listed) & set(result.ambiguous_words)
    assert "ambiguous: " in str(result)


@pytest.mark.capability("IML-1-11")
def test_words_with_equal_class_probability_are_flagged():
    result = discriminating_words([[4, 0, 2], [0, 4, 2]], ["a", "b"], ["u", "v", "both"], tie=1)
    assert_allclose(result.probability[:, 2], [0.5, 0.5])
    assert result.ambiguous.tolist() == [False, False, True]


def test_sparse_dense_frame_weights_and_smoothing():
    rng = np.random.default_rng(0)
    counts, y = rng.poisson(1.0, (20, 6)), np.arange(20) % 2
    w = rng.integers(0, 3, 20)
    plain = discriminating_words(counts, y, list("abcdef"))
    for same in (csr_matrix(counts), pd.DataFrame(counts, columns=list("abcdef"))):
        other = discriminating_words(same, y, list("abcdef"))
        assert_allclose(other.probability, plain.probability)
        assert other.best == plain.best
    again = discriminating_words(np.repeat(counts, w, axis=0), np.repeat(y, w))
    assert_allclose(discriminating_words(counts, y, sample_weight=w).chi2, again.chi2)
    smooth = discriminating_words(counts, y, alpha=1e9)
    assert smooth.ambiguous.all() and not any(smooth.best.values())


def test_a_word_that_never_occurs_speaks_for_nobody():
    result = discriminating_words([[1, 0], [2, 0]], ["a", "b"], ["u", "never"])
    assert not result.ambiguous[1] and "never" not in result.best["a"] + result.best["b"]
    assert result.table()[1]["class"] is None


def test_what_is_wrong_is_said():
    with pytest.raises(DataError, match="y has one class"):
        discriminating_words([[1], [2]], ["a", "a"])
    for texts in (["a text", "another"], pd.Series(["a text", "another"]), np.array(["a", "b"])):
        with pytest.raises(DataError, match=r"expected counts of words, got texts\. Count them first"):
            discriminating_words(texts, ["a", "b"])
    with pytest.raises(DataError, match="non-negative"):
        discriminating_words([[-1], [2]], ["a", "b"])
    with pytest.raises(ParameterError, match="1 columns and 2 words"):
        discriminating_words([[1], [2]], ["a", "b"], ["u", "v"])
