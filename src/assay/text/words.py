"""The words of a document: one way to cut a text, for kernels, topics and whoever else counts them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.types import TableLike

__all__ = ["WORD", "shared_words", "word_ngrams", "words_of"]

WORD = re.compile(r"[^\W_]+")  # letters and digits of any language


def words_of(document: Any, place: int, who: str) -> list[str]:
    """The words of a text, in lower case and cut at everything that is neither letter nor digit; or a list of words.

    >>> from assay.text.words import words_of
    >>> words_of("It's a cat!", 0, "example")
    ['it', 's', 'a', 'cat']
    """
    if isinstance(document, str):
        return WORD.findall(document.lower())
    if isinstance(document, (list, tuple)) and all(isinstance(word, str) for word in document):
        return list(document)
    raise DataError(
        f"{who}: document {place + 1} must be a text or a list of words, got {type(document).__name__}."
    )


def word_ngrams(words: Sequence[str], low: int = 1, high: int = 2) -> list[str]:
    """The runs of ``low`` to ``high`` words: single words, pairs and so on, each joined by a space.

    >>> from assay.text import word_ngrams
    >>> word_ngrams(["cocktail", "party", "elections"], 2, 2)
    ['cocktail party', 'party elections']
    """
    runs: list[str] = []
    for n in range(low, min(high, len(words)) + 1):
        if n == 1:
            runs += words
        elif n == 2:
            runs += [f"{a} {b}" for a, b in pairwise(words)]
        else:
            runs += map(" ".join, zip(*(words[i:] for i in range(n))))
    return runs


def shared_words(X: TableLike, Y: TableLike | None = None) -> np.ndarray:
    """(n, m) how many distinct words each document of X shares with each of Y, from their rows of counts.

    Documents are rows of counts or of ones, as :class:`CountVectorizer` makes them; Y=None compares X with itself.

    >>> from assay.text import CountVectorizer, shared_words
    >>> X = CountVectorizer().fit_transform(["the cat sat", "the cat ran", "a dog ran"])
    >>> shared_words(X).tolist()
    [[3, 2, 0], [2, 3, 1], [0, 1, 2]]
    """
    A = _zero_or_one(X)
    B = A if Y is None else _zero_or_one(Y)
    if A.shape[1] != B.shape[1]:
        raise DataError(f"shared_words: X has {A.shape[1]} words, Y has {B.shape[1]}.")
    return np.asarray((A @ B.T).toarray()).astype(np.int64)


def _zero_or_one(X: Any) -> Any:
    import scipy.sparse as sp

    X = sp.csr_matrix(X, copy=True)
    X.sum_duplicates()
    X.data = (X.data != 0).astype(np.int64)
    return X


def texts_of(documents: Any, who: str) -> Iterable[Any]:
    """A sequence of documents, and not one text, whose letters would be documents."""
    if isinstance(documents, str):
        raise DataError(
            f"{who}: Iterable over raw text documents expected, string object received. Put it in a list: [text]."
        )
    if hasattr(documents, "columns"):  # whose names would be documents
        raise DataError(
            f"{who}: expected a list or a column of texts, got a table. Choose one of its columns."
        )
    if hasattr(documents, "to_pylist"):  # a column of pyarrow, whose entries are no str
        return documents.to_pylist()
    return documents
