"""What all topic models share: they read documents, say what a document is about, and show their topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Transformer
from assay.core.explanation import Explanation, Section, text_table
from assay.core.explanations import Contributions, Explanations, Reasons
from assay.core.model_view import Part
from assay.core.parameters import Array, Range, check_count
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, ParameterError
from assay.reduce.topics.variational import Inferred, exp_dirichlet_expectation, infer, mixtures
from assay.reduce.topics.word_counts import count_words, counts_of, is_documents, words_of_schema
from assay.tables import RowNames, Table
from assay.types import TableLike, Target

__all__ = ["PRIOR", "SampledTopicModel", "TopWords", "TopicModel"]

WORDS_SHOWN = 8  # of each topic in show() and explain()
WORDS_EXPLAINED = 20  # of one document
PRIOR = Range(0, open="both") | Array(1, low=0, open="both") | None


@dataclass(frozen=True)
class TopWords:
    """The most probable words of each topic; prints as a table.

    Parameters
    ----------
    words : K lists of words, the most probable first
    probabilities : (K, m) their probabilities in the topic
    places : (K, m) their columns
    shares : (K,) share of the tokens that each topic has
    """

    words: list[list[str]]
    probabilities: np.ndarray
    places: np.ndarray
    shares: np.ndarray

    def section(self) -> Section:
        """The table, one topic a row."""
        rows = [[k, float(s), ", ".join(words)] for k, (s, words) in enumerate(zip(self.shares, self.words))]
        return Section("Topics", ["topic", "share", "most probable words"], rows, "Shares of the tokens.")

    def to_frame(self) -> Any:
        """A pandas frame with one line for each topic and word."""
        import pandas as pd

        K, m = self.probabilities.shape
        return pd.DataFrame(
            {
                "topic": np.repeat(np.arange(K), m),
                "word": [word for words in self.words for word in words],
                "probability": self.probabilities.ravel(),
            }
        )

    def __str__(self) -> str:
        section = self.section()
        return text_table(section.columns, section.rows)

    __repr__ = __str__


class TopicModel(Transformer):
    """Base of the topic models: documents in, mixtures of topics out.

    Not for direct use; a subclass learns ``components_`` (K, M), parameters of the Dirichlet distributions of its
    topics, and ``doc_topic_prior_``.
    """

    takes = frozenset({"sparse"})
    kept_in_single = ("components_", "exp_dirichlet_component_")
    max_doc_update_iter: int = 100
    mean_change_tol: float = 1e-3
    n_jobs: int | None = None
    components_: np.ndarray
    doc_topic_prior_: Any
    stored = {
        "components_": FloatArray("k", "p", low=0, finite=True),
        "exp_dirichlet_component_": FloatArray("k", "p", low=0, finite=True),
        "doc_topic_prior_": Scalar(low=0) | FloatArray("k", low=0, finite=True),
        "topic_word_prior_": Scalar(low=0) | FloatArray("*", low=0, finite=True),
        "bound_": Scalar(),
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _read(self, X: Any, fitting: bool = False) -> Table:
        if not is_documents(X):
            return super()._read(X, fitting)
        if fitting:
            return super()._read(count_words(X), fitting)
        self._ready()
        return words_of_schema(X, self.schema_, type(self).__name__)

    def _counts(self, X: Any, whole: bool = False) -> Any:
        return counts_of(X, type(self).__name__, self._names, whole)

    # ------------------------------------------------------------------ what documents are about

    def _alpha(self) -> np.ndarray:
        """(K,) prior of the documents' mixtures."""
        return np.broadcast_to(
            np.asarray(self.doc_topic_prior_, dtype=np.float64), len(self.components_)
        ).copy()

    def _blocks(self) -> np.ndarray:
        """(M,) the vocabulary of each column; topics are probabilities within each."""
        return np.zeros(self.components_.shape[1], dtype=np.int64)

    def topic_words(self) -> np.ndarray:
        """(K, M) probabilities of the words in each topic: means of the Dirichlet distributions ``components_``."""
        check_is_fitted(self)
        W = self.components_.astype(np.float64)
        blocks = self._blocks()
        for v in np.unique(blocks):
            W[:, blocks == v] /= W[:, blocks == v].sum(axis=1, keepdims=True)
        return W

    def _expected_topics(self) -> np.ndarray:
        """(K, M) exp E[log W]."""
        components = self.components_.astype(np.float64)
        blocks, expected = self._blocks(), np.empty_like(components)
        for v in np.unique(blocks):
            expected[:, blocks == v] = exp_dirichlet_expectation(components[:, blocks == v])
        return expected

    def _infer(self, X: Any) -> Inferred:
        """What the documents of a CSR matrix are about; every document starts from 1 for each topic."""
        alpha = self._alpha()
        start, limits = np.ones((X.shape[0], len(alpha))), (self.max_doc_update_iter, self.mean_change_tol)
        return infer(X, self._expected_topics(), alpha, start, *limits, n_jobs=self.n_jobs)

    def transform(self, X: TableLike, *, normalize: bool = True) -> np.ndarray:
        """(n, K) the mixture of topics of each document.

        Parameters
        ----------
        X : counts, a frame of counts, or documents
        normalize : bool, default True
            False gives the parameters of the documents' Dirichlet distributions, whose sum is the number of tokens
            plus that of the prior.
        """
        check_is_fitted(self)
        return self._transform(self._admit(X), normalize)

    def _transform(self, X: Any, normalize: bool = True) -> np.ndarray:
        gamma = self._infer(self._counts(X)).gamma
        shares = gamma / gamma.sum(axis=1, keepdims=True) if normalize else gamma
        return shares.astype(X.dtype if X.dtype == np.float32 else np.float64, copy=False)

    def fit_transform(
        self, X: TableLike, y: Target | None = None, *, normalize: bool = True, **fit_params: Any
    ) -> np.ndarray:
        """Learn from the documents and give their mixtures of topics."""
        return self.fit(X, y, **fit_params).transform(X, normalize=normalize)

    def plug_in_perplexity(self, X: TableLike) -> float:
        r"""The perplexity of documents by point estimates, their mixtures folded in with the topics fixed.

        .. math:: \exp\Bigl(-\frac{\sum_{d,i}\ln\sum_k\hat\pi_{dk}\hat w_{k,x_{di}}}{\sum_d N_d}\Bigr)

        A document's mixture is estimated from the same words, which flatters the model a little;
        :func:`document_completion` keeps them apart.
        """
        check_is_fitted(self)
        counts = self._counts(self._admit(X))
        gamma = self._infer(counts).gamma
        logs = np.log(mixtures(counts, self.topic_words(), gamma / gamma.sum(axis=1, keepdims=True)))
        return float(np.exp(-(counts.data @ logs) / self._tokens(counts)))

    def _tokens(self, counts: Any) -> float:
        total = float(counts.data.sum())
        if total <= 0:
            raise DataError(
                "the documents have no words, so there is no perplexity.", who=type(self).__name__
            )
        return total

    # ------------------------------------------------------------------ what topics are

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(len(self.components_))]

    def top_words(self, n_words: int = 10, relevance: float = 1.0) -> TopWords:
        """The words that say most about each topic.

        Parameters
        ----------
        n_words : int, default 10
        relevance : float from 0 to 1, default 1
            Weight of log p(word | topic); the other part is log p(word | topic) / p(word), which favours words that
            other topics lack (Sievert and Shirley, 2014).
        """
        check_is_fitted(self)
        check_count("top_words", "n_words", n_words)
        if not 0 <= relevance <= 1:
            raise ParameterError("relevance must be a number from 0 to 1", who="top_words", got=relevance)
        W, shares = self.topic_words(), self.components_.sum(axis=1, dtype=np.float64)
        shares = shares / shares.sum()
        with np.errstate(divide="ignore"):
            score = np.log(W) - (1 - relevance) * np.log(shares @ W)
        places = np.argsort(-score, axis=1, kind="stable")[:, :n_words]
        words = [[self._names[j] for j in row] for row in places]
        return TopWords(words, np.take_along_axis(W, places, axis=1), places, shares)

    def _model_parts(self) -> list[Part]:
        return [self.top_words(WORDS_SHOWN).section()]

    # ------------------------------------------------------------------ why

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Which topics a document is about, and which words spoke for which."""
        check_is_fitted(self)
        table = self._read(X)
        counts = self._counts(self._numbers(table, getattr(self, "design_", None)))
        inferred = self._infer(counts)
        shares = inferred.gamma / inferred.gamma.sum(axis=1, keepdims=True)
        K, top = len(self.components_), self.top_words(WORDS_SHOWN)
        labels, topics = [f"topic {k}" for k in range(K)], self._expected_topics()
        alpha, names = self._alpha(), self._names

        def responsibilities(i: int) -> tuple[Any, np.ndarray]:
            row = counts[[i]]
            weights = inferred.expected[i] * topics[:, row.indices].T
            sums = weights.sum(axis=1, keepdims=True)
            return row, weights / np.where(sums > 0, sums, 1.0)

        def sections(i: int) -> list[Section]:
            row, resp = responsibilities(i)
            order = (
                np.argsort(-row.data * resp.max(axis=1), kind="stable")[:WORDS_EXPLAINED] if row.nnz else []
            )
            words = [
                [names[row.indices[j]], float(row.data[j]), f"topic {resp[j].argmax()}", float(resp[j].max())]
                for j in order
            ]
            most = np.argsort(-shares[i], kind="stable")[:WORDS_SHOWN]
            about = [[labels[k], float(shares[i, k]), ", ".join(top.words[k])] for k in most]
            more = f"{row.nnz - len(words)} more words." if row.nnz > len(words) else ""
            return [
                Section("Topics of the document", ["topic", "share", "most probable words"], about),
                Section("What the words speak for", ["word", "count", "topic", "probability"], words, more),
            ]

        def contributions(rows: np.ndarray) -> Contributions:
            values = np.zeros((len(rows), len(names), K))
            for a, i in enumerate(rows.tolist()):
                row, resp = responsibilities(i)
                values[a, row.indices] = row.data[:, None] * resp
            outputs = [f"the tokens of {label}" for label in labels]
            return Contributions(values, alpha, names, outputs, shares[rows].argmax(axis=1))

        rows = [_words_of(counts[[i]], names) for i in range(counts.shape[0])]
        answers = [labels[k] for k in shares.argmax(axis=1)]
        reasons = Reasons(sections, contributions)
        who = type(self).__name__
        return Explanations(who, answers, rows, reasons, labels, shares, RowNames.of(X)).one_or_all()

    def _missing_remedy(self) -> str:
        return (
            f"make_pipeline(SimpleImputer(strategy='constant', fill_value=0), {type(self).__name__}()) with "
            "assay.prepare.SimpleImputer takes words that were not counted for absent; or drop the documents."
        )


class SampledTopicModel(TopicModel):
    """Base of the topic models that give each token a topic: whole counts, and no weights.

    Not for direct use; subclasses are HierarchicalDirichletProcess and BilingualLDA.
    """

    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Learn the topics of the documents of X; y is ignored."""
        return super().fit(X)


def _words_of(row: Any, names: list[str]) -> dict[str, Any]:
    return {names[j]: float(v) for j, v in zip(row.indices, row.data)}
