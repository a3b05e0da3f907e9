"""Topics of several languages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, hstack
from tests.calibration import assert_calibrated

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.reduce import BilingualLDA, LatentDirichletAllocation, make_documents
from assay.reduce.topics.assignments import TopicAssignments

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


def bilingual_documents(rng, alpha, beta, sizes, lengths):
    """Mixtures (n, K), topics of each language, and the tokens of each document, topic and word, (n, K, M)."""
    n, K = len(lengths[0]), len(alpha)
    W = [rng.dirichlet(np.full(M, b), K) for M, b in zip(sizes, beta)]
    mixtures = rng.dirichlet(alpha, n)
    tokens = [
        [
            [rng.multinomial(m, w) for m, w in zip(rng.multinomial(of[d], mixtures[d]), words)]
            for d in range(n)
        ]
        for words, of in zip(W, lengths)
    ]
    return mixtures, W, np.concatenate([np.array(t) for t in tokens], axis=2)


# Two topics, three words of each of two languages; the second document has no words of the second language.
ALPHA, BETA, SIZES, LENGTHS = np.full(2, 0.6), np.array([0.5, 0.8]), (3, 3), ([6, 6, 3], [6, 0, 9])
VIEW = np.repeat([0, 1], SIZES)


@pytest.mark.capability("IML-16-31")
def test_the_posterior_of_mixtures_and_topics_is_calibrated():
    """Of numbers that do not depend on the order of topics: mixtures alike, topics concentrated, languages together."""

    def numbers(mixtures, W):
        across = np.sum(W[0][:, 0] * W[1][:, 0])  # word 0 of both languages in the same topic
        return [mixtures[0] @ mixtures[1], (W[0] ** 2).sum(), (W[1] ** 2).sum(), across]

    def simulate(rng):
        mixtures, W, tokens = bilingual_documents(rng, ALPHA, BETA, SIZES, LENGTHS)
        state = TopicAssignments(csr_matrix(tokens.sum(axis=1)), ALPHA, BETA, VIEW, rng)
        state.sweep(20)
        draws = []
        for _ in range(19):
            state.sweep(8)
            drawn = np.array([rng.dirichlet(g) for g in state.document_topics() + ALPHA])
            counts = state.word_topic[:, : state.K].T + BETA[VIEW]
            draws.append(
                numbers(drawn, [np.array([rng.dirichlet(c) for c in counts[:, v == VIEW]]) for v in (0, 1)])
            )
        return numbers(mixtures, W), draws

    assert_calibrated(simulate, rounds=400, bins=5)


@pytest.mark.capability("IML-16-31")
def test_the_draws_that_a_model_keeps_are_calibrated():
    """The rank of log p(w, z) of the true topics among ``draws_``."""

    def simulate(rng):
        tokens = bilingual_documents(rng, ALPHA, BETA, SIZES, LENGTHS)[2]
        X = csr_matrix(tokens.sum(axis=1))
        truth = TopicAssignments(X, ALPHA, BETA, VIEW, rng)
        truth.place(np.concatenate([np.repeat([0, 1], word) for document in tokens for word in document.T]))
        model = BilingualLDA(
            2, languages=VIEW, doc_topic_prior=ALPHA, topic_word_prior=BETA, n_sweeps=380,
            random_state=int(rng.integers(2**31)),
        ).fit(X)  # fmt: skip
        return truth.log_joint(), model.draws_["log_joint"][0]

    assert_calibrated(simulate, rounds=300, bins=5)


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
    with pytest.raises(ParameterError, match="topic_word_prior must be one number or 2 of them"):
        BilingualLDA(3, languages=languages, topic_word_prior=[1.0, 1.0, 1.0]).fit(X)
