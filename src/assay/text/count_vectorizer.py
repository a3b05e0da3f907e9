"""Counts of words."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike
from sklearn.exceptions import NotFittedError

from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Any_, Count, Range
from assay.core.stored import Boolean, Integer, Mapped
from assay.errors import DataError, ParameterError, warn_user
from assay.text.analyzer import TOKEN_PATTERN, DocumentAnalyzer
from assay.text.words import texts_of
from assay.types import TableLike, Target

__all__ = ["CountVectorizer"]

DOCUMENTS_IN_BLOCK = 4096  # whose counts are in memory at a time while only the vocabulary is learned
LIMIT = Range(0, 1) | Count(0)


class CountVectorizer(DocumentAnalyzer):
    """Documents as rows of counts, one column for each term of a dictionary.

    A term is a word, a run of words (``ngram_range``) or of characters (``analyzer``). The dictionary is that of the
    training documents, in alphabetical order, or given (``vocabulary``); terms that it lacks are passed over. Names,
    parameters and answers are scikit-learn's; in addition words may be stemmed (``stemmer``).

    ``fit`` needs a pass over any iterable of documents and keeps sums alone (in how many documents a term is, and how
    often), so that more documents than memory are no obstacle; ``fit_transform`` keeps the counts.

    Cost: fit O(terms of all documents); transform O(terms of a document); memory O(vocabulary), of fit_transform
    O(entries).

    Parameters
    ----------
    input : "content", "file" or "filename", default "content"
    encoding, decode_error : str, default "utf-8" and "strict"
        Of documents that are bytes.
    strip_accents : "ascii", "unicode", function or None, default None
    lowercase : bool, default True
    preprocessor, tokenizer : function or None, default None
        In place of lower case and accents; in place of ``token_pattern``.
    stop_words : "english", "function words", collection of words or None, default None
        Words to leave out; see :func:`stop_words_of`.
    token_pattern : str, default two or more letters or digits
        Regular expression of a word.
    ngram_range : (int, int), default (1, 1)
        (2, 2) are pairs of words, (1, 2) words and pairs.
    analyzer : "word", "char", "char_wb" or function, default "word"
    max_df, min_df : float or int, default 1.0 and 1
        Terms in more than ``max_df`` or fewer than ``min_df`` documents are left out; a float is a share of documents.
    max_features : int or None, default None
        Only so many terms, the most frequent ones.
    vocabulary : dict, collection of terms or None, default None
        The dictionary, if it is given.
    binary : bool, default False
        Whether entries are 1 where a term is, instead of how often it is.
    dtype : type, default numpy.int64
    stemmer : "porter", "simple", function or None, default None
        What is done to each word: :func:`porter_stem`, :func:`strip_suffix`.

    Attributes
    ----------
    vocabulary_ : dict from terms to columns      fixed_vocabulary_ : bool, whether it was given

    Examples
    --------
    >>> from assay.text import CountVectorizer
    >>> texts = ["Party elections were held.", "A cocktail party was held."]
    >>> counter = CountVectorizer(ngram_range=(2, 2), stop_words="function words")
    >>> X = counter.fit_transform(texts)
    >>> list(counter.get_feature_names_out()), X.toarray().tolist()
    (['cocktail party', 'elections held', 'party elections', 'party held'], [[0, 1, 1, 0], [1, 0, 0, 1]])

    See Also
    --------
    TfidfVectorizer, HashingVectorizer, count_words

    References
    ----------
    - Alpaydin, E. (2014). Introduction to Machine Learning, third edition. MIT Press, section 1.2.4.
    """

    card = Card("word counts", "documents as counts of words")
    accepts = {
        **DocumentAnalyzer.accepts,
        "max_df": LIMIT,
        "min_df": LIMIT,
        "max_features": Count(1) | None,
        "vocabulary": Any_("a dict or a collection of terms", lambda v: isinstance(v, (Mapping, Iterable)))
        | None,
        "dtype": None,
    }
    stored = {"vocabulary_": Mapped(Integer(low=0)), "fixed_vocabulary_": Boolean()}

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
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: DTypeLike = np.int64,
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
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.stemmer = stemmer

    @all_or_nothing
    def fit(self, raw_documents: Iterable[Any], y: Target | None = None) -> Self:
        """Learn the dictionary of the documents; y is ignored."""
        self._begin(raw_documents)
        if self.fixed_vocabulary_:
            return self
        terms, counter = _Numbers(), self._counter()
        documents, sums = iter(texts_of(raw_documents, type(self).__name__)), _Sums()
        while block := list(islice(documents, DOCUMENTS_IN_BLOCK)):
            sums.add(counter(block, terms.__getitem__, lambda: len(terms)))
        self._settle(terms, sums)
        return self

    def fit_transform(self, raw_documents: Iterable[Any], y: Target | None = None) -> Any:
        """Learn the dictionary of the documents and count their terms: (n, terms) CSR matrix."""
        self._begin(raw_documents)
        if self.fixed_vocabulary_:
            return self._counts(raw_documents)
        terms, sums = _Numbers(), _Sums()
        X = self._counter()(raw_documents, terms.__getitem__, lambda: len(terms))
        sums.add(X)
        order = self._settle(terms, sums)
        place = np.full(len(terms), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        return self._typed(_renumbered(X, place, len(order)))

    def transform(self, raw_documents: Iterable[Any]) -> Any:
        """(n, terms) CSR matrix: how often each document has the terms of the dictionary."""
        texts_of(raw_documents, type(self).__name__)
        self._check_vocabulary()
        return self._counts(raw_documents)

    def inverse_transform(self, X: TableLike) -> list[np.ndarray]:
        """The terms of each row of X, as arrays."""
        import scipy.sparse as sp

        self._check_vocabulary()
        names, rows = self._names().astype(str), sp.csr_matrix(X)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return [names[rows.indices[a:b]] for a, b in zip(rows.indptr, rows.indptr[1:])]

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The terms, in the order of the columns."""
        self._check_vocabulary()
        return self._names()

    # Learning

    def _begin(self, raw_documents: Any) -> None:
        self._check_parameters()
        texts_of(raw_documents, type(self).__name__)
        self._warn_of_odd_stop_words()
        self.__dict__.pop("vocabulary_", None)
        self._read_vocabulary()
        if self.fixed_vocabulary_ and self.lowercase and any(map(_has_capital, self.vocabulary_)):
            warn_user(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be "
                "matched with any documents",
                UserWarning,
            )

    def _read_vocabulary(self) -> None:
        """Take the dictionary that was given, if one was."""
        dictionary = self.vocabulary
        self.fixed_vocabulary_ = dictionary is not None
        if dictionary is None:
            return
        if not isinstance(dictionary, Mapping):
            terms = sorted(dictionary) if isinstance(dictionary, (set, frozenset)) else list(dictionary)
            dictionary = {term: j for j, term in enumerate(terms)}
            if len(dictionary) < len(terms):
                twice = next(term for j, term in enumerate(terms) if dictionary[term] != j)
                raise ParameterError(f"{type(self).__name__}: Duplicate term in vocabulary: {twice!r}")
        columns = {int(j) for j in dictionary.values()}
        if len(columns) != len(dictionary):
            raise ParameterError(f"{type(self).__name__}: Vocabulary contains repeated indices.")
        for j in range(len(dictionary)):
            if j not in columns:
                raise ParameterError(
                    f"{type(self).__name__}: Vocabulary of size {len(dictionary)} doesn't contain index {j}."
                )
        if not dictionary:
            raise ParameterError(f"{type(self).__name__}: empty vocabulary passed to fit")
        self.vocabulary_ = {term: int(j) for term, j in dictionary.items()}

    def _check_vocabulary(self) -> None:
        if "vocabulary_" not in vars(self):
            self._read_vocabulary()
            if not self.fixed_vocabulary_:
                raise NotFittedError(
                    f"{type(self).__name__}: Vocabulary not fitted or provided; call fit first."
                )
        if not self.vocabulary_:
            raise DataError(f"{type(self).__name__}: Vocabulary is empty")

    def _settle(self, terms: dict[str, int], sums: _Sums) -> np.ndarray:
        """Keep the terms within the limits, in alphabetical order; gives their numbers."""
        who, n = type(self).__name__, sums.documents
        if not terms:
            raise DataError(f"{who}: empty vocabulary; perhaps the documents only contain stop words")
        high = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n
        low = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n
        if high < low:
            raise ParameterError(f"{who}: max_df corresponds to < documents than min_df")
        names = list(terms)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        within = sums.present[order]
        order = order[(within <= high) & (within >= low)]
        if self.max_features is not None and len(order) > self.max_features:
            often = (sums.present if self.binary else sums.total)[order]
            order = order[np.sort(np.argsort(-often, kind="stable")[: self.max_features])]
        if not len(order):
            raise DataError(f"{who}: After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        self.vocabulary_ = {names[j]: place for place, j in enumerate(order.tolist())}
        return order

    # Counting

    def _counts(self, raw_documents: Iterable[Any]) -> Any:
        vocabulary = self.vocabulary_
        X = self._counter()(raw_documents, vocabulary.get, lambda: len(vocabulary))
        return self._typed(X)

    def _counter(self) -> Callable[[Iterable[Any], Callable[[str], int | None], Callable[[], int]], Any]:
        """The function from documents, numbers of terms and their count to a CSR matrix of counts."""
        analyze, who = self.build_analyzer(), type(self).__name__

        def count(
            documents: Iterable[Any], number: Callable[[str], int | None], width: Callable[[], int]
        ) -> Any:
            places, starts = array("i"), [0]
            grows = getattr(number, "__self__", None).__class__ is _Numbers
            for document in texts_of(documents, who):
                numbers: Any = map(number, analyze(document))
                places.extend(numbers if grows else [j for j in numbers if j is not None])
                starts.append(len(places))
            indices = np.frombuffer(places, dtype=np.intc) if len(places) else np.empty(0, np.intc)
            X = compressed_matrix(
                "csr_matrix",
                np.ones(len(indices), dtype=np.int64),
                indices.astype(np.int32),
                np.array(starts, dtype=np.int64 if len(places) > np.iinfo(np.int32).max else np.int32),
                (len(starts) - 1, width()),
            )
            X.sum_duplicates()
            return X

        return count

    def _typed(self, X: Any) -> Any:
        if self.binary:
            X.data.fill(1)
        return X if X.dtype == self.dtype else X.astype(self.dtype)

    def _names(self) -> np.ndarray:
        names = np.empty(len(self.vocabulary_), dtype=object)
        names[list(self.vocabulary_.values())] = list(self.vocabulary_)
        return names

    def _check_stored(self) -> None:
        columns = getattr(self, "vocabulary_", {}).values()
        if sorted(columns) != list(range(len(columns))):
            raise ValueError("vocabulary_ must number the columns from 0 on, each once")


class _Numbers(dict):  # type: ignore[type-arg]
    """Terms by the order in which they were first met."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _Sums:
    """In how many documents each term is, and how often, over blocks of documents."""

    def __init__(self) -> None:
        self.documents = 0
        self.present = np.zeros(0, dtype=np.int64)
        self.total = np.zeros(0, dtype=np.int64)

    def add(self, X: Any) -> None:
        self.documents += X.shape[0]
        present = np.bincount(X.indices, minlength=X.shape[1])
        total = np.bincount(X.indices, weights=X.data, minlength=X.shape[1]).astype(np.int64)
        present[: len(self.present)] += self.present
        total[: len(self.total)] += self.total
        self.present, self.total = present, total


def _renumbered(X: Any, place: np.ndarray, width: int) -> Any:
    """X with column j at place[j]; those at -1 are left out."""
    columns = place[X.indices]
    kept = columns >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
    X = compressed_matrix(
        "csr_matrix",
        X.data[kept],
        columns[kept].astype(np.int32),
        starts.astype(X.indptr.dtype),
        (X.shape[0], width),
    )
    X.sort_indices()
    return X


def _has_capital(term: Any) -> bool:
    return isinstance(term, str) and any(map(str.isupper, term))
