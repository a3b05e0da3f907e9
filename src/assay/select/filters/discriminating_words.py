"""The words that tell classes of documents apart, and those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.counts import FeatureSums
from assay.core.parameters import Count, Range, check
from assay.core.targets import check_weights, encode_labels
from assay.errors import DataError, ParameterError
from assay.select.filters.score import counts_of
from assay.select.filters.tests_of_columns import chi2_of_counts
from assay.sentence import Sentence
from assay.tables import Table
from assay.types import TableLike, Target, Weights

__all__ = ["DiscriminatingWords", "discriminating_words"]


@dataclass(frozen=True)
class DiscriminatingWords(Sentence):
    """Words by the class that they speak for.

    Attributes
    ----------
    classes : list of the classes
    words : list of all words      probability : (K, words) P(class | word)
    chi2 : (words,) the statistic of each word against the classes' shares of all words      p_values : (words,)
    ambiguous : (words,) bool, whether two classes or more are about equally probable given the word
    best : dict of class to its most discriminating words, best first

    Examples
    --------
    >>> from assay.select import discriminating_words
    >>> result = discriminating_words([[3, 0, 1], [0, 3, 1]], ["sport", "art"], ["goal", "brush", "team"])
    >>> result.best, result.ambiguous_words
    ({'art': ['brush'], 'sport': ['goal']}, ['team'])
    """

    classes: list[Any]
    words: list[str]
    probability: np.ndarray
    chi2: np.ndarray
    p_values: np.ndarray
    ambiguous: np.ndarray
    best: dict[Any, list[str]]

    @property
    def ambiguous_words(self) -> list[str]:
        """The words that speak for no class, in the order of the table."""
        return [word for word, flag in zip(self.words, self.ambiguous) if flag]

    def table(self) -> list[dict[str, Any]]:
        """One record for each word: its class, the probability of that class given the word, chi-squared, p, a flag."""
        return [
            {
                "word": word,
                "class": None
                if np.isnan(self.chi2[j])
                else self.classes[int(np.argmax(self.probability[:, j]))],
                "probability": float(self.probability[:, j].max()),
                "chi2": float(self.chi2[j]),
                "p": float(self.p_values[j]),
                "ambiguous": bool(self.ambiguous[j]),
            }
            for j, word in enumerate(self.words)
        ]

    def __str__(self) -> str:
        place = {word: j for j, word in enumerate(self.words)}
        lines = []
        for k, label in enumerate(self.classes):
            shown = [f"{word} ({self.probability[k, place[word]]:.2f})" for word in self.best[label]]
            lines.append(f"{label}: {', '.join(shown) if shown else 'no word speaks for it'}")
        if self.ambiguous.any():
            lines.append(f"ambiguous: {', '.join(self.ambiguous_words)}")
        return "\n".join(lines)


def discriminating_words(
    X: TableLike,
    y: Target,
    words: Sequence[str] | None = None,
    *,
    n_words: int = 10,
    tie: float = 1.25,
    alpha: float = 0.0,
    sample_weight: Weights | None = None,
) -> DiscriminatingWords:
    r"""List, for each class of documents, the words that tell it from the others, and flag the ambiguous ones.

    With the relative frequency of word j in class k, :math:`f_{kj} = (o_{kj} + \alpha) / \sum_j (o_{kj} + \alpha)`, a
    document of any class is thought equally likely:

    .. math:: P(k | j) = f_{kj} / \sum_l f_{lj}                                                     \quad (1)

    A word speaks for the class with the largest (1), and words are ranked by chi-squared of their counts against the
    classes' shares of all words. A word is ambiguous if the second largest (1) times ``tie`` reaches the largest: it
    occurs about as often in several classes. Cost: one pass over the counts.

    Parameters
    ----------
    X : (n, words) counts from 0 up: an array, a sparse matrix, or a frame with the words as names
    y : (n,) class of each document
    words : names of the columns; None takes those of the table
    n_words : int, default 10
        The most words for each class.
    tie : float from 1 up, default 1.25
        How much more probable the first class must be than the second; 1 flags equal ones alone.
    alpha : float, default 0
        Added to each count, so that rare words do not decide by accident.
    sample_weight : (n,) a document of weight 2 is two documents; or None

    Returns
    -------
    DiscriminatingWords

    Examples
    --------
    >>> from assay.select import discriminating_words
    >>> counts = [[4, 0, 2], [3, 1, 2], [0, 5, 2], [1, 4, 2]]
    >>> print(discriminating_words(counts, ["sport", "sport", "art", "art"], ["goal", "brush", "the"]))
    art: brush (0.89)
    sport: goal (0.89)
    ambiguous: the

    See Also
    --------
    chi2, feature_scores, MultinomialNB, count_words

    References
    ----------
    - Yang, Y. and Pedersen, J. O. (1997). A comparative study on feature selection in text categorization.
      International Conference on Machine Learning, 412-420.
    """
    who = "discriminating_words"
    accepts = {"n_words": Count(1), "tie": Range(1, open="high"), "alpha": Range(0, open="high")}
    check(who, accepts, {"n_words": n_words, "tie": tie, "alpha": alpha})
    if _are_texts(X):
        raise DataError(
            "expected counts of words, got texts. Count them first: CountVectorizer of assay.text, and its "
            "get_feature_names_out() as words.",
            who=who,
        )
    table = Table.of(X, who=who)
    names = table.schema.names if words is None else [str(word) for word in words]
    if len(names) != table.shape[1]:
        raise ParameterError(f"there are {table.shape[1]} columns and {len(names)} words.", who=who)
    labels, codes = encode_labels(y, table.shape[0], who)
    if len(labels) < 2:
        raise DataError(f"y has one class, {labels[0]!r}; words tell apart two or more.", who=who)
    w = check_weights(sample_weight, table.values, who)
    counts = counts_of(table.values, codes, w, len(labels), table.schema, who).feature_count
    size = (counts + alpha).sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        frequency = np.nan_to_num((counts + alpha) / size)
        probability = np.nan_to_num(frequency / frequency.sum(axis=0))
    statistic, p = chi2_of_counts(FeatureSums(counts.sum(axis=1), counts))
    second, first = np.sort(probability, axis=0)[-2:]
    occurs = counts.sum(axis=0) > 0
    ambiguous = occurs & (second * tie >= first * (1 - 1e-12))
    winner = np.argmax(probability, axis=0)
    order = np.argsort(-np.nan_to_num(statistic), kind="stable")
    best = {
        label: [names[j] for j in order if winner[j] == k and occurs[j] and not ambiguous[j]][:n_words]
        for k, label in enumerate(labels.tolist())
    }
    return DiscriminatingWords(labels.tolist(), names, probability, statistic, p, ambiguous, best)


def _are_texts(X: Any) -> bool:
    """Whether X is one text, or a list or a column of texts."""
    if hasattr(X, "columns") or len(getattr(X, "shape", (0,))) != 1:
        return False
    entries = X.tolist() if hasattr(X, "tolist") else X
    return isinstance(entries, str) or (
        isinstance(entries, (list, tuple)) and any(isinstance(entry, str) for entry in entries)
    )
