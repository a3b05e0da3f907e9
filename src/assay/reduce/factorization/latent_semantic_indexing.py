"""Latent semantic indexing: documents and words in one space of few directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.model_view import Part
from assay.core.moments import ClassScatter
from assay.core.parameters import Choice
from assay.core.stored import FloatArray, Object
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError
from assay.reduce.factorization.component_words import ComponentWords
from assay.reduce.factorization.truncated_svd import TruncatedSVD
from assay.reduce.topics.word_counts import count_words, is_documents, words_of_schema
from assay.tables import Table
from assay.types import RandomState, TableLike

__all__ = ["LatentSemanticIndexing"]

WORDS_SHOWN = 8  # of each direction in show()


@dataclass
class WordSums:
    """What documents add up to: products of (locally weighted) counts, and sums of each word."""

    scatter: ClassScatter
    words: np.ndarray
    stored = {"scatter": Object(ClassScatter), "words": FloatArray(3, "d")}

    def __add__(self, other: WordSums) -> WordSums:
        return WordSums(self.scatter + other.scatter, self.words + other.words)


class LatentSemanticIndexing(TruncatedSVD):
    r"""Documents by the few directions in which their words vary together, so that synonyms meet.

    The table of documents and words, weighted, is cut to its k largest singular values (:class:`TruncatedSVD`):
    :math:`X \approx \sum_{i\le k} a_iu_iv_i^T`. A document x is folded in as :math:`z_i = v_i^Tx`; a word j
    lies at :math:`(a_iv_{ij})_i`. Documents without a common word may be near each other, since words that occur with
    the same others have similar places. Give it texts, lists of words, or counts.

    Cost: fit O(n d^2 + d^3) for up to 1000 words, else O(N (k + 10)) a pass over N counts; transform O(k) a word of a
    document; memory O(d^2) or O(d k).

    Parameters
    ----------
    n_components : int, default 2
        The number of directions, at most the number of words; some hundred for large collections.
    weighting : "tfidf", "entropy" or "none", default "tfidf"
        What a count c of word j becomes, with df documents of n that have it and shares p of its tokens in each:
        :math:`c\,(1 + \ln\frac{1+n}{1+df})`; :math:`\ln(1+c)\,(1 + \sum_i p_i\ln p_i/\ln n)`; or c.
    algorithm, n_iter, n_oversamples, power_iteration_normalizer, random_state, tol : as in :class:`TruncatedSVD`

    Attributes
    ----------
    components_, singular_values_, explained_variance_, explained_variance_ratio_ : as in :class:`TruncatedSVD`
    word_weights_ : (d,) what the counts of each word are multiplied with

    Examples
    --------
    "car" and "auto" never occur together, but both with "wheel".

    >>> from assay.reduce import LatentSemanticIndexing
    >>> texts = ["car wheel", "auto wheel", "car wheel engine", "auto engine", "apple tree", "tree apple leaf"]
    >>> lsi = LatentSemanticIndexing(n_components=2, weighting="none").fit(texts)
    >>> abs(lsi.similarity(["car"], ["auto", "apple"])).round(2)
    array([[1., 0.]])
    >>> lsi.similar_words("apple", 2)
    [('leaf', 1.0), ('tree', 1.0)]

    See Also
    --------
    TruncatedSVD, LatentDirichletAllocation, count_words

    References
    ----------
    - Deerwester, S., Dumais, S. T., Furnas, G. W., Landauer, T. K. and Harshman, R. (1990). Indexing by latent semantic
      analysis. Journal of the American Society for Information Science 41, 391-407.
    - Dumais, S. T. (1991). Improving the retrieval of information from external sources. Behavior Research Methods,
      Instruments and Computers 23, 229-236.
    """

    card = Card(
        "latent semantic indexing",
        "documents by directions in which words vary together",
        also=("lsi", "lsa"),
    )
    accepts = {**TruncatedSVD.accepts, "weighting": Choice("tfidf", "entropy", "none")}
    stored = {"word_weights_": FloatArray("p", finite=True), "_sums": Object(WordSums)}

    def __init__(
        self,
        n_components: int = 2,
        *,
        weighting: str = "tfidf",
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: RandomState = None,
        tol: float = 0.0,
    ):
        super().__init__(
            n_components,
            algorithm=algorithm,
            n_iter=n_iter,
            n_oversamples=n_oversamples,
            power_iteration_normalizer=power_iteration_normalizer,
            random_state=random_state,
            tol=tol,
        )
        self.weighting = weighting

    # Learning

    def _read(self, X: Any, fitting: bool = False) -> Table:
        if not is_documents(X):
            return super()._read(X, fitting)
        if fitting:
            return super()._read(count_words(X), fitting)
        self._ready()
        return words_of_schema(X, self.schema_, type(self).__name__)

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> WordSums:  # type: ignore[override]
        return WordSums(super()._summarize(self._local(X), y, w), self._word_sums(Block(X, None, w)))

    def _solve(self, sums: WordSums, rows: Rows | None = None) -> None:  # type: ignore[override]
        self.word_weights_ = weights = self._global(sums.words)
        raw = sums.scatter
        scaled = ClassScatter(
            raw.count, raw.rows, raw.mean * weights, raw.scatter * np.outer(weights, weights)
        )
        super()._solve(scaled, None if rows is None else Rows(self._weighed(rows.X), None, rows.w))

    def _learn_by_passes(self, source: Source, d: int) -> None:
        self.word_weights_ = self._global(source.add_up(self._word_sums))
        if isinstance(source, Rows):
            super()._learn_by_passes(Rows(self._weighed(source.X), None, source.w), d)
        else:
            super()._learn_by_passes(_Mapped(source, self._weighed), d)

    # What words weigh: c becomes local(c) times a number of the word, which follows from sums over documents

    def _word_sums(self, block: Block) -> np.ndarray:
        """(3, d) sums over documents for each word: documents that have it (or tokens), c ln c, documents at all."""
        X, w = block.X, block.w
        each = np.ones(X.shape[0]) if w is None else w
        dense = isinstance(X, np.ndarray)
        if self.weighting == "entropy":
            logs = X.copy() if dense else X.astype(float)
            counts = X if dense else X.data
            product = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0)), 0.0)
            if dense:
                logs = product
            else:
                logs.data = product
            return np.vstack([X.T @ each, logs.T @ each, np.full(X.shape[1], float(each.sum()))])
        has = (X != 0).astype(float) if dense else X.astype(bool).astype(float)
        return np.vstack([has.T @ each, np.zeros(X.shape[1]), np.full(X.shape[1], float(each.sum()))])

    def _global(self, sums: np.ndarray) -> np.ndarray:
        totals, logs, n = sums
        if self.weighting == "none":
            return np.ones(len(totals))
        if self.weighting == "tfidf":
            return 1 + np.log((1 + n) / (1 + totals))
        safe = np.where(totals > 0, totals, 1.0)
        entropy = np.where(totals > 0, np.log(safe) - logs / safe, 0.0)
        return 1 - entropy / np.log(np.maximum(n, 2.0))  # 1: in one document, 0: evenly in all

    def _local(self, X: Any) -> Any:
        if self.weighting != "entropy":
            return X
        return np.log1p(X) if isinstance(X, np.ndarray) else X.log1p()

    def _weighed(self, X: Any) -> Any:
        X = self._local(X)
        if isinstance(X, np.ndarray):
            return X * self.word_weights_.astype(X.dtype, copy=False)
        X = X.copy()
        X.data = X.data * self.word_weights_.astype(X.dtype, copy=False)[X.indices]
        return X

    # Answers

    def _transform(self, X: Any) -> np.ndarray:
        return super()._transform(self._weighed(X))

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) the weighted counts that the directions give back for documents X (n, k)."""
        return super().inverse_transform(X)

    def reconstruction_error(self, X: TableLike) -> np.ndarray:
        """(n,) the squared distance between each document's weighted counts and what its directions give back."""
        values = self._weighed(self._admit(X))
        values = values if isinstance(values, np.ndarray) else values.toarray()
        left = values - self.inverse_transform(super()._transform(values))
        return np.einsum("ij,ij->i", left, left)

    def similarity(self, X: TableLike, Y: TableLike | None = None) -> np.ndarray:
        """(n, m) cosines between documents X and Y (X itself if None) in the space of the directions; 0 if empty."""
        A = _unit(self.transform(X))
        return A @ (A if Y is None else _unit(self.transform(Y))).T

    def similar_words(self, word: str, n_words: int = 10) -> list[tuple[str, float]]:
        """The words nearest to a word by their cosines, the nearest first."""
        self._ready()
        names = self._names
        if word not in names:
            raise DataError(f"{type(self).__name__}: no document that it learned from has the word {word!r}.")
        places = _unit((self.components_ * self.singular_values_[:, None]).T)
        cosines = np.round(places @ places[names.index(word)], 9)  # so that rounding orders no equals
        order = [j for j in np.argsort(-cosines, kind="stable").tolist() if names[j] != word][:n_words]
        return [(names[j], round(float(cosines[j]), 6)) for j in order]

    def top_words(self, n_words: int = 10) -> ComponentWords:
        """The words of largest weight in each direction, whatever its sign."""
        self._ready()
        return ComponentWords.of(self.components_, self._names, n_words)

    def _model_parts(self) -> list[Part]:
        return [super()._model_parts()[0], self.top_words(WORDS_SHOWN).section(self._names_out())]

    def _reasons(self, X: Any, rows: Any) -> Any:
        return super()._reasons(self._weighed(X), rows)


class _Mapped(Source):
    """The rows of another source, each block changed on its way."""

    def __init__(self, source: Source, change: Any):
        self._source, self._change = source, change

    def add_up(self, summarize: Any) -> Any:
        change = self._change
        return self._source.add_up(lambda block: summarize(Block(change(block.X), None, block.w)))


def _unit(A: np.ndarray) -> np.ndarray:
    length = np.sqrt(np.einsum("ij,ij->i", A, A))
    return A / np.where(length > 0, length, 1.0)[:, None]
