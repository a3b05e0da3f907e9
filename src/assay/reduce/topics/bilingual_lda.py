"""Topics of documents in several languages: one mixture for each document, words of each language of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Any_, Array, Count, Flag, Range, Seed
from assay.core.seeds import as_generator
from assay.core.stored import CodeArray, Each, Object, Text
from assay.errors import DataError, ParameterError, did_you_mean
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.chains import run_chains
from assay.reduce.topics.topic_model import PRIOR, WORDS_SHOWN, SampledTopicModel, TopWords
from assay.stats.bayesian.draws import Draws
from assay.types import RandomState

__all__ = ["BilingualLDA"]


class BilingualLDA(SampledTopicModel):
    r"""Find topics in documents that exist in two or more languages: the topics are shared, the words are not.

    A document has one mixture :math:`\pi_d` whatever the language; topic k has words :math:`w^v_k \sim
    \mathrm{Dir}(\beta_v)` in each vocabulary v. Texts need not be translations of each other, sentence by sentence, and
    a language may be missing in some documents. Any views of the same rows will do: words and tags, say. Learned by
    collapsed Gibbs sampling,

    .. math:: P(z_i = k \mid \cdot) \propto (n_{dk} + \alpha_k)\,\frac{n^v_{kw} + \beta_v}{n^v_k + M_v\beta_v},
              \quad (1)

    with v the language of token i and :math:`n_{dk}` counting the document's tokens in all languages. With one language
    it is latent Dirichlet allocation.

    Cost: fit O(T K) a sweep over T tokens; transform O(K) a word and update; memory O(T + M K).

    Parameters
    ----------
    n_components : int, default 10
        K.
    languages : sequence with a label for each column, default None
        None takes what stands before a colon in the columns' names ("en:house"), as :func:`count_words` calls words of
        several languages; names without a colon are all one language.
    doc_topic_prior : float or (K,), default None
        alpha; None is 1 / K.
    topic_word_prior : float or (V,), default 0.1
        beta, one number for all languages or one for each in the order of ``languages_``.
    n_sweeps : int, default 500
    n_chains : int, default 1
    optimize_priors : bool, default False
    n_jobs : int, default None
    random_state : int, RandomState, Generator or None, default None
        All as in :class:`LatentDirichletAllocation`.

    Attributes
    ----------
    languages_ : list of str      language_codes_ : (M,) the language of each column, as its place in that list
    components_ : (K, M) mean counts of tokens plus beta; ``topic_words()`` are probabilities within each language
    doc_topic_prior_ : (K,)      topic_word_prior_ : (V,)
    draws_ : Draws of log p(w, z) and chosen priors      history_ : list of dict

    Examples
    --------
    >>> from assay.reduce import BilingualLDA
    >>> texts = {
    ...     "en": ["water boat", "boat fish water", "law vote", "vote law law"] * 5,
    ...     "fr": ["bateau eau", "eau poisson", "loi voix", "loi loi voix"] * 5,
    ... }
    >>> model = BilingualLDA(2, n_sweeps=200, random_state=0).fit(texts)
    >>> sorted(sorted(words) for words in model.top_words(2, language="fr").words)
    [['fr:bateau', 'fr:eau'], ['fr:loi', 'fr:voix']]
    >>> english = model.transform({"en": ["boat"]})  # a document without French words
    >>> bool(english.argmax() == model.transform({"fr": ["eau"]}).argmax())
    True

    See Also
    --------
    LatentDirichletAllocation, HierarchicalDirichletProcess, count_words

    References
    ----------
    - Mimno, D., Wallach, H. M., Naradowsky, J., Smith, D. A. and McCallum, A. (2009). Polylingual topic models.
      Proceedings of the 2009 Conference on Empirical Methods in Natural Language Processing, 880-889.
    """

    card = Card(
        "bilingual lda", "topics that documents in several languages share", also=("polylingual topics",)
    )
    accepts = {
        "n_components": Count(1),
        "languages": Any_("a label for each column, or None"),
        "doc_topic_prior": PRIOR,
        "topic_word_prior": Range(0, open="both") | Array(1, low=0, open="both"),
        "n_sweeps": Count(1),
        "n_chains": Count(1),
        "optimize_priors": Flag(),
        "n_jobs": Count(-(2**31)) | None,
        "random_state": Seed(),
    }
    stored = {"languages_": Each(Text()), "language_codes_": CodeArray("p"), "draws_": Object(Draws)}

    def __init__(
        self,
        n_components: int = 10,
        *,
        languages: Sequence[str] | None = None,
        doc_topic_prior: ArrayLike | None = None,
        topic_word_prior: ArrayLike | None = 0.1,
        n_sweeps: int = 500,
        n_chains: int = 1,
        optimize_priors: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.languages = languages
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.n_sweeps = n_sweeps
        self.n_chains = n_chains
        self.optimize_priors = optimize_priors
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        counts = self._counts(X, whole=True)
        labels = self._labels()
        self.languages_ = list(dict.fromkeys(labels))
        self.language_codes_ = np.array([self.languages_.index(label) for label in labels], dtype=np.int64)
        alpha = self._prior("doc_topic_prior", self.n_components, 1.0 / self.n_components)
        beta = self._prior("topic_word_prior", len(self.languages_), 0.1)
        generators = as_generator(self.random_state, who).spawn(self.n_chains)
        states = [TopicAssignments(counts, alpha, beta, self.language_codes_, g) for g in generators]
        best, self.draws_ = run_chains(states, self.n_sweeps, self.optimize_priors, who, self.n_jobs)
        self.doc_topic_prior_, self.topic_word_prior_ = best.alpha, best.beta
        self.components_ = best.words.T + best.beta[self.language_codes_]
        self.n_iter_, self.history_ = self.n_sweeps, best.history()
        self._keep_precision(X)

    def _labels(self) -> list[str]:
        names = self._names
        if self.languages is None:
            prefixes = [name.partition(":") for name in names]
            return (
                [p for p, _, _ in prefixes] if all(colon for _, colon, _ in prefixes) else [""] * len(names)
            )
        labels = list(map(str, self.languages))
        if len(labels) != len(names):
            raise ParameterError(
                f"languages has {len(labels)} labels for {len(names)} columns; expected one for each.",
                who=type(self).__name__,
            )
        return labels

    def _prior(self, name: str, size: int, default: float) -> np.ndarray:
        value = getattr(self, name)
        prior = np.asarray(default if value is None else value, dtype=np.float64)
        if prior.shape not in ((), (size,)):
            raise ParameterError(
                f"{name} must be one number or {size} of them", who=type(self).__name__, got=value
            )
        return np.broadcast_to(prior, size).copy()

    def _blocks(self) -> np.ndarray:
        return self.language_codes_

    def top_words(self, n_words: int = 10, relevance: float = 1.0, language: str | None = None) -> TopWords:
        """The words that say most about each topic, of one language or of all.

        Parameters
        ----------
        n_words, relevance : as in :meth:`LatentDirichletAllocation.top_words`
        language : str, default None
            One of ``languages_``.
        """
        check_is_fitted(self)
        if language is not None and language not in self.languages_:
            raise DataError(
                f"top_words: there is no language {language!r}.{did_you_mean(language, self.languages_)}"
            )
        of_all = super().top_words(len(self._names) if language is not None else n_words, relevance)
        if language is None:
            return of_all
        wanted = self.language_codes_ == self.languages_.index(language)
        places = np.array([row[wanted[row]][:n_words] for row in of_all.places])
        words = [[self._names[j] for j in row] for row in places]
        return TopWords(words, np.take_along_axis(self.topic_words(), places, axis=1), places, of_all.shares)

    def _model_parts(self) -> list[Part]:
        sections = [(v, self.top_words(WORDS_SHOWN, language=v).section()) for v in self.languages_]
        return [
            Section(f"Topics in {v}" if v else "Topics", section.columns, section.rows, section.note)
            for v, section in sections
        ]

    def _check_stored(self) -> None:
        if "language_codes_" in vars(self) and self.language_codes_.max(initial=-1) >= len(self.languages_):
            raise ValueError("BilingualLDA.language_codes_ names a language that is not there")
