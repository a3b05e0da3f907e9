"""Documents as rows of a fixed width, without a dictionary."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import TransformerMixin
from sklearn.utils import murmurhash3_32

from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.parameters import Choice, Count, Flag
from assay.text.analyzer import TOKEN_PATTERN, DocumentAnalyzer
from assay.text.tfidf_transformer import _scale_rows
from assay.text.words import texts_of
from assay.types import TableLike, Target

__all__ = ["HashingVectorizer"]


class HashingVectorizer(TransformerMixin, DocumentAnalyzer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Documents as rows of counts whose column is a hash of the term: nothing is learned, and no dictionary kept.

    Terms may fall into one column; with ``alternate_sign`` they then partly cancel, so that dot products are right on
    average. Columns have no names. Parameters and answers are scikit-learn's (MurmurHash3 of the term).

    Cost: fit O(1); transform O(terms of a document); memory O(entries).

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer : as of CountVectorizer
    stop_words, token_pattern, ngram_range, analyzer, binary, stemmer : as of CountVectorizer
    n_features : int, default 2**20
        Columns.
    norm : "l1", "l2" or None, default "l2"
    alternate_sign : bool, default True
    dtype : type, default numpy.float64

    Examples
    --------
    >>> from assay.text import HashingVectorizer
    >>> HashingVectorizer(n_features=8, norm=None).transform(["a cat sat on a cat"]).toarray().tolist()
    [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]]

    See Also
    --------
    CountVectorizer, TfidfTransformer

    References
    ----------
    - Weinberger, K., Dasgupta, A., Langford, J., Smola, A. and Attenberg, J. (2009). Feature hashing for large scale
      multitask learning. ICML, 1113-1120.
    """

    card = Card("hashed words", "documents as counts of hashed words")
    accepts = {
        **DocumentAnalyzer.accepts,
        "n_features": Count(1, 2**31 - 1),
        "norm": Choice("l1", "l2") | None,
        "alternate_sign": Flag(),
        "dtype": None,
    }

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], list[str]] | None = None,
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str | None = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str | Callable[..., Any] = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: DTypeLike = np.float64,
        stemmer: str | Callable[[str], str] | None = None,
    ):
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype
        self.stemmer = stemmer

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Check the parameters; nothing is learned."""
        self._check_parameters()
        texts_of(X, type(self).__name__)
        self._warn_of_odd_stop_words()
        return self

    def partial_fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Check the parameters; nothing is learned."""
        return self.fit(X)

    def fit_transform(self, X: Any, y: Target | None = None) -> Any:
        """(n, n_features) CSR matrix of the terms."""
        return self.fit(X).transform(X)

    def transform(self, X: Iterable[Any]) -> Any:
        """(n, n_features) CSR matrix of the terms."""
        self._check_parameters()
        texts = texts_of(X, type(self).__name__)
        analyze, hash_of = self.build_analyzer(), self._hash()
        hashes, starts = array("i"), [0]
        for document in texts:
            hashes.extend(map(hash_of, analyze(document)))
            starts.append(len(hashes))
        codes = np.frombuffer(hashes, dtype=np.intc) if len(hashes) else np.empty(0, np.intc)
        columns = np.abs(codes, dtype=np.int64) % self.n_features
        values = np.where(codes < 0, -1, 1) if self.alternate_sign else np.ones(len(codes), dtype=np.int64)
        rows = compressed_matrix(
            "csr_matrix",
            values.astype(self.dtype),
            columns.astype(np.int32),
            np.array(starts, dtype=np.int64),
            (len(starts) - 1, self.n_features),
        )
        rows.sum_duplicates()
        if self.binary:
            rows.data.fill(1)
        if self.norm is not None:
            if not np.issubdtype(rows.dtype, np.floating):
                rows = rows.astype(np.float64)
            _scale_rows(rows, self.norm)
        return rows

    def _hash(self) -> Callable[[Any], int]:
        """The hash of a term: kept where most terms come again, which runs of words do not."""
        return (
            murmurhash3_32 if self.analyzer == "word" and self.ngram_range[1] > 1 else _Hashes().__getitem__
        )


class _Hashes(dict):  # type: ignore[type-arg]
    """The hash of each term that was met."""

    def __missing__(self, term: Any) -> int:
        code = self[term] = murmurhash3_32(term)
        return code
