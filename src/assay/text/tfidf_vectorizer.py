"""Documents as weighed words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from sklearn.exceptions import NotFittedError

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.stored import Object
from assay.errors import ParameterError, warn_user
from assay.text.analyzer import TOKEN_PATTERN
from assay.text.count_vectorizer import CountVectorizer
from assay.text.tfidf_transformer import TfidfTransformer
from assay.types import Target

__all__ = ["TfidfVectorizer"]


class TfidfVectorizer(CountVectorizer):
    """Documents as rows of terms, each weighed by its count and its rarity: counting, then :class:`TfidfTransformer`.

    Cost: fit O(terms of all documents); transform O(terms of a document); memory O(vocabulary), of fit_transform
    O(entries).

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer : as of CountVectorizer
    analyzer, stop_words, token_pattern, ngram_range : as of CountVectorizer
    max_df, min_df, max_features, vocabulary, binary, stemmer : as of CountVectorizer
    dtype : type, default numpy.float64
    norm, use_idf, smooth_idf, sublinear_tf : as of TfidfTransformer

    Attributes
    ----------
    vocabulary_ : dict from terms to columns      fixed_vocabulary_ : bool      idf_ : (terms,)

    Examples
    --------
    >>> from assay.text import TfidfVectorizer
    >>> weigher = TfidfVectorizer()
    >>> weigher.fit_transform(["a cat sat", "a cat ran"]).toarray().round(3).tolist()
    [[0.58, 0.0, 0.815], [0.58, 0.815, 0.0]]

    See Also
    --------
    CountVectorizer, TfidfTransformer

    References
    ----------
    - Salton, G. and Buckley, C. (1988). Term-weighting approaches in automatic text retrieval. Information Processing
      and Management 24, 513-523.
    """

    card = Card("tf-idf", "documents as words weighed by how rare they are")
    accepts = {**CountVectorizer.accepts, **TfidfTransformer.accepts}
    stored = {"_tfidf": Object(TfidfTransformer)}
    _tfidf: TfidfTransformer

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
        analyzer: str | Callable[..., Any] = "word",
        stop_words: str | Iterable[str] | None = None,
        token_pattern: str | None = TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: DTypeLike = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        stemmer: str | Callable[[str], str] | None = None,
    ):
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            analyzer=analyzer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            vocabulary=vocabulary,
            binary=binary,
            dtype=dtype,
            stemmer=stemmer,
        )
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    @property
    def idf_(self) -> np.ndarray:
        """(terms,) the weights of the terms."""
        if "_tfidf" not in vars(self):
            raise NotFittedError(
                f"{type(self).__name__} is not fitted yet. Call 'fit' before using this attribute."
            )
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value: Any) -> None:
        if not self.use_idf:
            raise ParameterError("`idf_` cannot be set when `use_idf=False`.")
        if "vocabulary_" not in vars(self):
            self._read_vocabulary()
        if "vocabulary_" in vars(self) and len(self.vocabulary_) != len(value):
            raise ParameterError(
                f"idf length = {len(value)} must be equal to vocabulary size = {len(self.vocabulary_)}"
            )
        weigher = self._weigher()
        weigher.idf_ = np.asarray(value, dtype=np.float64)
        weigher.n_features_in_ = len(weigher.idf_)
        self._tfidf = weigher

    def _weigher(self) -> TfidfTransformer:
        return TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf, sublinear_tf=self.sublinear_tf
        )

    @all_or_nothing
    def fit(self, raw_documents: Iterable[Any], y: Target | None = None) -> Self:
        """Learn the dictionary and how rare its terms are; y is ignored."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Target | None = None) -> Any:
        """Learn the dictionary and how rare its terms are: (n, terms) CSR matrix of the weighed terms."""
        if self.dtype not in (np.float64, np.float32, np.float16):
            warn_user(
                "Only (float64, float32, float16) 'dtype' should be used. "
                f"{self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
            )
        X = super().fit_transform(raw_documents)
        self._tfidf = self._weigher().fit(X)
        return self._tfidf.transform(X, copy=False)

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """(n, terms) CSR matrix: the weighed terms of each document."""
        if "_tfidf" not in vars(self):
            raise NotFittedError(
                f"{type(self).__name__}: The TF-IDF vectorizer is not fitted; call fit first."
            )
        return self._tfidf.transform(super().transform(raw_documents), copy=False)
