"""Latent semantic indexing: the decomposition of a table of documents and words, and what is asked of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from assay.reduce import LatentSemanticIndexing, count_words
from assay.reduce.factorization import truncated_svd
from assay.reduce.topics.make_documents import make_documents

# Nine titles in the manner of Deerwester et al. (1990): five on computers, four on graphs.
TITLES = [
    "human interface computer", "survey user computer system response time", "eps user interface system",
    "system human system eps", "user response time", "trees", "graph trees", "graph minors trees",
    "graph minors survey",
]  # fmt: skip


@pytest.mark.capability("IML-6-28")
def test_it_is_the_singular_value_decomposition_of_the_term_matrix():
    X = count_words(TITLES).values.toarray()
    U, a, V = np.linalg.svd(X, full_matrices=False)
    lsi = LatentSemanticIndexing(2, weighting="none").fit(TITLES)
    assert_allclose(lsi.singular_values_, a[:2], rtol=1e-12)
    # Oracle: the published singular values of this very table, 3.3409 and 2.5417
    assert_allclose(lsi.singular_values_, [3.3409, 2.5417], atol=5e-5)
    assert_allclose(np.abs(lsi.transform(TITLES)), np.abs(U[:, :2] * a[:2]), atol=1e-12)
    assert_allclose(lsi.inverse_transform(lsi.transform(TITLES)), (U[:, :2] * a[:2]) @ V[:2], atol=1e-12)


@pytest.mark.capability("IML-6-28")
def test_new_documents_are_folded_in_and_synonyms_meet():
    lsi = LatentSemanticIndexing(2, weighting="none").fit(TITLES)
    cosines = lsi.similarity(["human computer"], TITLES)[0]
    assert cosines[:5].min() > 0.8  # also those that share no word with the query, as published
    assert cosines[5:].max() < 0.3
    assert {word for word, _ in lsi.similar_words("minors", 2)} == {"graph", "trees"}
    words = lsi.top_words(3)
    assert set(words.words[1]) == {"graph", "trees", "minors"}
    assert "graph" in str(words) and "graph" in str(lsi.show())


def test_tfidf_is_that_of_scikit_learn():
    X = count_words(TITLES).values
    weighed = TfidfTransformer(norm=None).fit_transform(X).toarray()
    lsi = LatentSemanticIndexing(3).fit(TITLES)
    assert_allclose(lsi.singular_values_, np.linalg.svd(weighed, compute_uv=False)[:3], rtol=1e-12)
    assert_allclose(
        lsi.reconstruction_error(TITLES).sum(), np.sum(np.linalg.svd(weighed, compute_uv=False)[3:] ** 2)
    )


def test_entropy_weights():
    texts = [["a", "b"], ["a", "c", "c"], ["a"], ["a"]]
    lsi = LatentSemanticIndexing(1, weighting="entropy").fit(texts)
    assert_allclose(lsi.word_weights_, [0, 1, 1], atol=1e-12)  # everywhere, in one, in one


@pytest.mark.parametrize("weighting", ["tfidf", "entropy", "none"])
def test_blocks_give_the_same(weighting):
    X = make_documents(60, random_state=0).counts.toarray()
    lsi = LatentSemanticIndexing(2, weighting=weighting).fit(X)
    blocks = LatentSemanticIndexing(2, weighting=weighting).fit_blocks([X[:20], X[20:]])
    added = LatentSemanticIndexing(2, weighting=weighting).partial_fit(X[:20]).partial_fit(X[20:])
    for other in (blocks, added, LatentSemanticIndexing(2, weighting=weighting).fit(csr_matrix(X))):
        assert_allclose(other.singular_values_, lsi.singular_values_, rtol=1e-10)
        assert_allclose(other.components_, lsi.components_, atol=1e-8)


@pytest.mark.parametrize("weighting", ["tfidf", "entropy"])
def test_many_words_are_weighed_alike(weighting, monkeypatch):
    X = make_documents(60, random_state=0).counts
    lsi = LatentSemanticIndexing(2, weighting=weighting, n_iter=30).fit(X)
    monkeypatch.setattr(truncated_svd, "MOST_COLUMNS", 5)
    passes = LatentSemanticIndexing(2, weighting=weighting, n_iter=30).fit(X)
    blocks = LatentSemanticIndexing(2, weighting=weighting, n_iter=30).fit_blocks([X[:20], X[20:]])
    for other in (passes, blocks):
        assert_allclose(other.singular_values_, lsi.singular_values_, rtol=1e-9)
        assert_allclose(other.word_weights_, lsi.word_weights_, rtol=1e-12)


def test_sentences():
    lsi = LatentSemanticIndexing(1).fit(TITLES)
    with pytest.raises(ValueError, match="'zebra'"):
        lsi.similar_words("zebra")
    with pytest.raises(ValueError, match="without names"):
        LatentSemanticIndexing(1).fit([[1.0, 2.0], [0.0, 1.0]]).transform(["text"])
    parts = lsi.explain(TITLES[:2]).contributions().values
    assert_allclose(parts.sum(axis=1), lsi.transform(TITLES[:2]), atol=1e-12)
