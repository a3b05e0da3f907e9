"""Counts of words: hand-made documents, the peer, sums over blocks, and files of models."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.feature_extraction.text as peer
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import BagOfWords
from assay.reduce import count_words
from assay.text import (
    FUNCTION_WORDS,
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
    shared_words,
    stop_words_of,
    word_ngrams,
)
from assay.text import count_vectorizer as module

TEXTS = [
    "The cats of the house were sleeping, and the dogs slept.",
    "A dog is barking at cats; dogs bark!",
    "Élève: naïve cafés, 3 cats and 12 dogs",
    "",
    "House prices rise and rise and rise.",
]


@pytest.mark.capability("IML-1-08")
def test_binary_bag_of_words_of_hand_made_documents():
    """A fixed dictionary, suffixes stripped, stop words out: the vectors worked by hand."""
    words = ["cat", "sleep", "dog", "bark", "hous"]
    counter = CountVectorizer(
        vocabulary=words, binary=True, stemmer="porter", stop_words=["the", "of", "and", "were", "is", "at"]
    )
    X = counter.fit_transform(TEXTS)
    assert X.toarray().tolist() == [
        [1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0],
        [1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
    ]
    assert list(counter.get_feature_names_out()) == words
    assert shared_words(X).tolist() == [
        [4, 2, 2, 0, 1],
        [2, 3, 2, 0, 0],
        [2, 2, 2, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 0, 0, 0, 1],
    ]
    simple = CountVectorizer(vocabulary=["cat", "sleep", "dog", "bark"], binary=True, stemmer="simple")
    assert simple.transform(TEXTS[:2]).toarray().tolist() == [[1, 1, 1, 0], [1, 0, 1, 1]]


@pytest.mark.capability("IML-5-30")
def test_counts_of_word_pairs():
    texts = ["cocktail party", "party elections and cocktail party", "party"]
    counter = CountVectorizer(ngram_range=(2, 2))
    X = counter.fit_transform(texts)
    names = ["and cocktail", "cocktail party", "elections and", "party elections"]
    assert list(counter.get_feature_names_out()) == names
    assert X.toarray().tolist() == [[0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert word_ngrams(["a", "b", "c"], 1, 3) == ["a", "b", "c", "a b", "b c", "a b c"]
    assert word_ngrams(["a"], 2, 3) == []


SETTINGS = [
    {},
    {"binary": True, "ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["the", "and"]},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"max_df": 0.6, "min_df": 2},
    {"max_features": 4, "lowercase": False},
    {"strip_accents": "unicode", "token_pattern": r"(?u)\b(\w)\w*\b"},
    {"strip_accents": "ascii", "stop_words": "english", "dtype": np.float32},
    {"vocabulary": {"cats": 1, "dogs": 0, "rise": 2}},
    {"tokenizer": str.split, "token_pattern": None},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_the_peer_counts_alike(name, settings):
    """Peer: scikit-learn 1.9. Equal frequencies under max_features: ours keeps the first in the alphabet."""
    if name == "TfidfVectorizer" and settings.get("dtype") is np.float32:
        settings = {**settings, "sublinear_tf": True, "norm": "l1"}
    ours, theirs = getattr(assay.text, name)(**settings), getattr(peer, name)(**settings)
    A, B = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    if "max_features" not in settings:
        assert ours.vocabulary_ == {term: int(j) for term, j in theirs.vocabulary_.items()}
        assert_allclose(A.toarray(), B.toarray(), rtol=1e-6)
        new = [TEXTS[1] + " " + TEXTS[2], "unknown words"]
        assert_allclose(ours.transform(new).toarray(), theirs.transform(new).toarray(), rtol=1e-6)
    assert A.dtype == B.dtype and A.shape == B.shape
    assert [sorted(row) for row in ours.inverse_transform(A)] == [
        sorted(map(str, ours.get_feature_names_out()[np.flatnonzero(row)])) for row in A.toarray()
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_features": 16, "alternate_sign": False, "norm": None},
        {"binary": True},
        {"ngram_range": (1, 3)},
        {"analyzer": "char", "ngram_range": (2, 4)},
        {"dtype": np.int32},
        {"dtype": np.int32, "norm": None},
    ],
    ids=str,
)
def test_hashed_words_are_the_peers(settings):
    settings = {"n_features": 64, **settings}
    ours, theirs = HashingVectorizer(**settings), peer.HashingVectorizer(**settings)
    A, B = ours.transform(TEXTS), theirs.transform(TEXTS)
    assert_allclose(A.toarray(), B.toarray(), rtol=1e-12)
    assert A.dtype == B.dtype


@parametrize_with_checks([TfidfTransformer()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_fit_is_a_sum_over_blocks_and_takes_any_iterable(monkeypatch):
    whole = CountVectorizer(min_df=2, max_features=5)
    whole.fit_transform(TEXTS * 7)
    monkeypatch.setattr(module, "DOCUMENTS_IN_BLOCK", 3)
    streamed = CountVectorizer(min_df=2, max_features=5).fit(text for text in TEXTS * 7)
    assert streamed.vocabulary_ == whole.vocabulary_
    X = CountVectorizer().fit_transform(TEXTS * 3)
    parts = TfidfTransformer()
    for start in range(0, 15, 4):
        parts.partial_fit(X[start : start + 4])
    assert_array_equal(parts.idf_, TfidfTransformer().fit(X).idf_)
    assert parts.n_documents_ == 15


def test_kernels_topics_and_stop_words_know_the_same_words():
    for texts in (TEXTS[:2], TEXTS[:3]):
        counts = CountVectorizer(token_pattern=r"[^\W_]+", stop_words="function words").fit_transform(texts)
        table = count_words(texts, stop_words="function words")
        assert_array_equal(table.values.toarray(), counts.toarray())
        kernel = BagOfWords(stop_words="function words")
        assert_array_equal(kernel(texts, texts), shared_words(counts))
    assert stop_words_of("english") == frozenset(peer.ENGLISH_STOP_WORDS)
    assert {"the", "of", "and", "were"} <= FUNCTION_WORDS and not {"system", "fire", "cat"} & FUNCTION_WORDS


def test_what_is_wrong_is_said():
    with pytest.raises(DataError, match=r"\[text\]"):
        CountVectorizer().fit("one text")
    with pytest.raises(DataError, match="only contain stop words"):
        CountVectorizer(stop_words=["cat"]).fit(["cat"])
    with pytest.raises(ParameterError, match="stop_words must be 'english'"):
        CountVectorizer(stop_words="german").fit(TEXTS)
    with pytest.raises(ParameterError, match="stemmer must be"):
        CountVectorizer(stemmer="snow").fit(TEXTS)
    with pytest.raises(ParameterError, match="Duplicate term in vocabulary: 'a'"):
        CountVectorizer(vocabulary=["a", "b", "a"]).fit(TEXTS)
    with pytest.raises(ValueError, match=r"np\.nan is an invalid document"):
        CountVectorizer().fit(["a text", float("nan")])
    with pytest.raises(ParameterError, match="lower boundary larger"):
        CountVectorizer(ngram_range=(2, 1)).fit(TEXTS)
    with pytest.raises(ParameterError, match=r"token_pattern='\(' is no regular expression: missing \)"):
        CountVectorizer(token_pattern="(").fit(TEXTS)
    with pytest.raises(
        UnicodeDecodeError, match=r"as CountVectorizer reads it\. Set encoding, such as 'latin-1'"
    ):
        CountVectorizer().fit([b"a text", b"caf\xe9"])
    with pytest.raises(ParameterError, match="encoding must be one that Python knows"):
        CountVectorizer(encoding="utf-80").fit([b"a text"])


@pytest.mark.parametrize("reader", [CountVectorizer(), TfidfVectorizer(), HashingVectorizer()], ids=repr)
@pytest.mark.parametrize(
    "column", [pa.array, lambda texts: pa.chunked_array([texts[:1], texts[1:]]), pd.Series]
)
def test_columns_of_texts_count_as_lists_do(reader, column):
    plain, of_column = (clone(reader).fit_transform(kind(TEXTS)) for kind in (list, column))
    assert_allclose(of_column.toarray(), plain.toarray())
    assert_allclose(clone(reader).fit(column(TEXTS)).transform(column(TEXTS)).toarray(), plain.toarray())


@pytest.mark.parametrize("reader", [CountVectorizer(), TfidfVectorizer(), HashingVectorizer()], ids=repr)
def test_what_is_no_text_is_refused_in_a_sentence(reader):
    name = type(reader).__name__
    for document in (None, 7, ["a", "list"]):
        with pytest.raises(
            DataError, match=rf"{name}: a document must be a text .* got {type(document).__name__}\."
        ):
            clone(reader).fit_transform(["a text", document])
    with pytest.raises(DataError, match=f"{name}: expected a list or a column of texts, got a table"):
        clone(reader).fit_transform(pd.DataFrame({"texts": TEXTS}))
    words = clone(reader).set_params(tokenizer=list, lowercase=False, token_pattern=None)
    assert (
        words.fit_transform([["a", "list"], ["of", "words"]]).shape[0] == 2
    )  # a tokenizer of its own may read it


def test_logarithms_of_counts_need_counts():
    X = csr_matrix([[2.0, 1.0, 0.0], [0.0, 1.0, 4.0]])
    stored = csr_matrix((np.r_[X.data, 0.0], np.r_[X.indices, 0], [0, 2, 5]), shape=X.shape)
    model = TfidfTransformer(sublinear_tf=True, norm=None, use_idf=False)
    assert_allclose(model.fit(stored).transform(stored).toarray(), model.fit(X).transform(X).toarray())
    assert stored.nnz == 5  # the caller's matrix stays
    with pytest.raises(DataError, match="some are below 0"):
        model.fit(-X).transform(-X)


def test_models_survive_a_file(tmp_path):
    for model in (
        CountVectorizer(ngram_range=(1, 2), stemmer="porter", dtype=np.float32).fit(TEXTS),
        TfidfVectorizer(stop_words="function words").fit(TEXTS),
        TfidfTransformer().fit(CountVectorizer().fit_transform(TEXTS)),
    ):
        assay.save(model, tmp_path / "m.assay")
        again = assay.load(tmp_path / "m.assay")
        documents = CountVectorizer().fit_transform(TEXTS) if isinstance(model, TfidfTransformer) else TEXTS
        assert_array_equal(again.transform(documents).toarray(), model.transform(documents).toarray())
        assert again.transform(documents).dtype == model.transform(documents).dtype


def test_long_texts_count_every_word():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in rng.integers(0, 50, 5000)]
    X = CountVectorizer().fit_transform([" ".join(words)])
    expected = dict(itertools.groupby(sorted(words)))
    assert X.sum() == 5000 and X.shape[1] == len(expected)
