"""Documents as tables of counts, and documents that are drawn."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix, dok_array

from assay.errors import DataError, ParameterError
from assay.reduce import count_words, make_documents
from assay.reduce.topics.word_counts import counts_of, is_documents


def test_words_are_counted_in_alphabetical_order():
    table = count_words(["B a, a!", ["A", "b"], ""])
    assert table.schema.names == ["A", "a", "b"]
    assert table.values.toarray().tolist() == [[0, 2, 1], [1, 0, 1], [0, 0, 0]]


def test_rare_common_and_stop_words_are_left_out():
    texts = ["the cat sat", "the cat ran", "the dog"]
    assert count_words(texts, min_documents=2).schema.names == ["cat", "the"]
    assert count_words(texts, max_share=0.5).schema.names == ["dog", "ran", "sat"]
    assert "the" not in count_words(texts, stop_words="english").schema.names
    assert count_words(texts, vocabulary=["dog", "zebra", "cat"]).values.toarray().tolist() == [
        [0, 0, 1],
        [0, 0, 1],
        [1, 0, 0],
    ]
    with pytest.raises(DataError, match="no word is left of 5"):
        count_words(texts, min_documents=4)
    with pytest.raises(ParameterError, match="stop_words"):
        count_words(texts, stop_words="french")
    with pytest.raises(DataError, match="document 2 must be a text or a list of words, got float"):
        count_words(["a", 1.5])


@pytest.mark.parametrize(
    ("X", "documents"),
    [
        (["a b", "c"], True),
        ([["a", "b"], ["c"]], True),
        (np.array(["a", "b"]), True),
        (pd.Series(["a", "b"]), True),
        ({"en": ["a"], "fr": ["b"]}, True),
        ([[1, 2], [3, 4]], False),
        (np.ones((2, 2)), False),
        (dok_array((3, 4)), False),
        (pd.DataFrame({"a": ["x", "y"]}), False),
        ({"a": [1, 2]}, False),
        ([], False),
        ("text", False),
    ],
    ids=str,
)
def test_documents_are_told_from_tables(X, documents):
    assert is_documents(X) == documents


def test_the_callers_matrix_stays_as_it_is():
    X = csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert counts_of(X, "test", ["a", "b"]).toarray().tolist() == [[2, 5]]
    assert X.indices.tolist() == [1, 0, 1]


@pytest.mark.capability("IML-16-30")
def test_drawn_documents_have_the_moments_of_the_model():
    made = make_documents(3_000, 3, 5, length=20, doc_topic_prior=[1.0, 2.0, 5.0], random_state=0)
    assert_allclose(made.mixtures.mean(axis=0), [1 / 8, 2 / 8, 5 / 8], atol=0.02)
    assert_allclose(made.counts.sum(axis=1).mean(), 20, rtol=0.02)
    assert_allclose(made.topic_counts.sum(axis=1), np.asarray(made.counts.sum(axis=1)).ravel())
    share = np.asarray(made.counts.sum(axis=0)).ravel() / made.counts.sum()
    assert_allclose(share, [1 / 8, 2 / 8, 5 / 8] @ made.topics, atol=0.02)
    with pytest.raises(ParameterError, match="rows of probabilities"):
        make_documents(topics=[[0.5, 0.1]])
    with pytest.raises(ParameterError, match="from 1 up"):
        make_documents(3, 0)


def test_one_text_is_not_taken_for_documents_of_a_letter():
    with pytest.raises(DataError, match=r"got one text\. Put it in a list"):
        count_words("the cat sat")
    with pytest.raises(DataError, match="got one text"):
        count_words({"en": "the cat sat"})
