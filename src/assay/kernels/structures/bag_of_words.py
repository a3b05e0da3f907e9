"""The bag-of-words kernel: words that two documents share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from assay.core.stored import FloatArray, IntArray, Integer, Plain, Text
from assay.errors import ParameterError
from assay.kernels.objects import objects_of
from assay.kernels.structures.bags import Bags, feature_number
from assay.kernels.structures.count_kernel import CountKernel
from assay.text.stop_words import stop_words_of
from assay.text.words import words_of
from assay.types import TableLike

__all__ = ["BagOfWords"]

WEIGHTS = ("distinct", "counts", "tf-idf")


@dataclass(frozen=True, eq=False)
class BagOfWords(CountKernel):
    r"""Documents are alike if they share many words.

    .. math:: K(a, b) = \sum_{u \in a \cap b} v_u(a)\,v_u(b) \quad (1)

    A document is a text, which is turned to lower case and cut at everything that is neither letter nor digit, or a
    list of words. No vocabulary is fixed: new documents may have new words. :math:`v_u` is 1 ("distinct": K counts the
    distinct shared words), the number of times u occurs ("counts"), or that number times

    .. math:: \ln\frac{1 + n}{1 + n_u} + 1 \quad (2)

    with :math:`n_u` of the n training documents having the word ("tf-idf"). Long documents have large values: use
    ``normalized()``.

    Parameters
    ----------
    weights : "distinct", "counts" or "tf-idf", default "distinct"
    stop_words : tuple of str, "english" or "function words", default none
        Words that do not count.

    Examples
    --------
    >>> from assay.kernels import BagOfWords
    >>> BagOfWords(stop_words=("the", "on"))(["The cat sat on the mat."], ["The dog sat."])
    array([[1.]])

    See Also
    --------
    Spectrum

    References
    ----------
    - Alpaydin, E. (2014). Introduction to Machine Learning, third edition. MIT Press, section 13.7.
    """

    weights: str = "distinct"
    stop_words: str | Iterable[str] = ()
    documents_: int | None = None
    words_: np.ndarray | None = None
    occurrences_: np.ndarray | None = None
    stored = {
        "weights": Text(*WEIGHTS),
        "stop_words": Plain((tuple, list, str, set, frozenset)),
        "documents_": Integer() | None,
        "words_": IntArray("f", ascending=True) | None,
        "occurrences_": FloatArray("f", low=0) | None,
    }

    def __post_init__(self) -> None:
        if self.weights not in WEIGHTS:
            raise ParameterError(f"BagOfWords: weights must be one of {WEIGHTS}, got {self.weights!r}.")
        if isinstance(self.stop_words, str):
            stop_words_of(self.stop_words, "BagOfWords")

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> BagOfWords:
        if self.weights != "tf-idf":
            return self
        bags = replace(self, weights="distinct")._bags(objects_of(X, "BagOfWords"))
        words, first, _, _ = bags.index
        return replace(
            self, documents_=len(bags), words_=words, occurrences_=np.diff(first).astype(np.float64)
        )

    def _bags(self, rows: np.ndarray) -> Bags:
        stop, numbers = self._stop(), dict[str, int]()
        documents = []
        for i, row in enumerate(rows):
            words = words_of(row, i, "BagOfWords")
            for word in words:
                if word not in numbers:
                    numbers[word] = feature_number(word)
            words = [word for word in words if word not in stop]
            documents.append(
                [numbers[word] for word in (set(words) if self.weights == "distinct" else words)]
            )
        bags = Bags.of_rows(documents)
        if self.weights == "tf-idf":
            bags.value = bags.value * self._rarity(bags.feature)
        return bags

    def _rarity(self, features: np.ndarray) -> np.ndarray:
        """(2) of some words."""
        if self.words_ is None or self.occurrences_ is None or self.documents_ is None:
            raise ParameterError(
                "BagOfWords: weights='tf-idf' counts documents; fit the kernel to some first: learn(documents)."
            )
        occurrences = np.zeros(len(features))
        if len(self.words_):
            places = np.minimum(np.searchsorted(self.words_, features), len(self.words_) - 1)
            occurrences = np.where(self.words_[places] == features, self.occurrences_[places], 0.0)
        return np.log((1 + self.documents_) / (1 + occurrences)) + 1.0

    def _stop(self) -> frozenset[str]:
        if isinstance(self.stop_words, str):
            return stop_words_of(self.stop_words, "BagOfWords")
        return frozenset(word.lower() for word in self.stop_words)

    def _check_stored(self) -> None:
        """Raise a ValueError if what was learned is not whole."""
        if self.words_ is not None and self.words_.dtype != np.uint64:
            raise ValueError("BagOfWords.words_ must be numbers of 64 bits")
