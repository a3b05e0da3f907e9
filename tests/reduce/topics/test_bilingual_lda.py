"""Topics of several languages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, hstack

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.reduce import BilingualLDA, LatentDirichletAllocation, make_documents

TEXTS = {
    "en": ["water boat", "boat fish water", "law vote", "vote law law"] * 5,
    "fr": ["bateau eau", "eau poisson", "loi voix", "loi loi voix"] * 5,
}


def two_languages(n=200, K=3):
    """The same mixtures, words of 20 and of 30 of each language."""
    rng = np.random.default_rng(0)
    mixtures = rng.dirichlet(np.full(K, 0.2), n)
    W = [rng.dirichlet(np.full(M, 0.1), K) for M in (20, 30)]
    X = [csr_matrix([rng.multinomial(25, p @ w) for p in mixtures]) for w in W]
    return hstack(X, format="csr"), W, mixtures


@pytest.mark.capability("IML-16-31")
def test_topics_are_shared_and_words_are_not():
    X, W, mixtures = two_languages()
    model = BilingualLDA(3, languages=["a"] * 20 + ["b"] * 30, n_chains=2, n_sweeps=150, random_state=0).fit(
        X
    )
    topics = model.topic_words()
    assert_allclose(topics[:, :20].sum(axis=1), 1.0)
    assert_allclose(topics[:, 20:].sum(axis=1), 1.0)
    order = np.abs(topics[:, None, :20] - W[0][None]).sum(axis=2).argmin(axis=0)
    assert sorted(order) == [0, 1, 2]
    assert (
        np.abs(topics[order] - np.hstack(W)).sum(axis=1).max() < 0.4
    )  # of at most 4, both languages together
    assert np.abs(model.transform(X)[:, order] - mixtures).mean() < 0.08


def test_one_language_is_latent_dirichlet_allocation():
    made = make_documents(30, 3, 20, random_state=0)
    settings = {"n_sweeps": 30, "random_state": 0}
    ours = BilingualLDA(3, topic_word_prior=1 / 3, **settings).fit(made.counts)
    plain = LatentDirichletAllocation(3, learning_method="gibbs", **settings).fit(made.counts)
    assert_allclose(ours.components_, plain.components_)
    assert ours.languages_ == [""]


def test_texts_by_language_and_documents_that_lack_one(tmp_path):
    model = BilingualLDA(2, n_sweeps=100, random_state=0).fit(TEXTS)
    assert model.languages_ == ["en", "fr"]
    boat = model.transform({"en": ["boat"]})
    assert (
        boat.argmax()
        == model.transform({"fr": ["eau"]}).argmax()
        != model.transform({"fr": ["loi"]}).argmax()
    )
    both = model.transform({"fr": ["eau"], "en": ["boat"]})
    assert_array_equal(both, model.transform({"en": ["boat"], "fr": ["eau"]}))
    assert both.max() > boat.max()
    text = str(model.show())
    assert "Topics in en" in text and "fr:loi" in text
    save(model, tmp_path / "model.assay")
    assert_array_equal(load(tmp_path / "model.assay").transform(TEXTS), model.transform(TEXTS))
    assert len(model.top_words(3).words[0]) == 3
    with pytest.raises(DataError, match="no language 'de'"):
        model.top_words(language="de")
    with pytest.raises(DataError, match="no language 'de'"):
        model.transform({"de": ["boot"]})
    with pytest.raises(DataError, match="a text for each document"):
        BilingualLDA(2).fit({"en": ["a b"], "fr": ["c", "d"]})


def test_priors_of_each_language_may_be_chosen():
    X, _, _ = two_languages(100)
    languages = ["a"] * 20 + ["b"] * 30
    model = BilingualLDA(
        3,
        languages=languages,
        topic_word_prior=[1.0, 2.0],
        optimize_priors=True,
        n_sweeps=100,
        random_state=0,
    ).fit(X)
    assert_allclose(model.topic_word_prior_, 0.1, rtol=0.6)
    with pytest.raises(ParameterError, match="languages has 3 labels for 50 columns"):
        BilingualLDA(3, languages=["a"] * 3).fit(X)
    with pytest.raises(ParameterError, match="topic_word_prior must be a number above 0, or 2 of them"):
        BilingualLDA(3, languages=languages, topic_word_prior=[1.0, 1.0, 1.0]).fit(X)
