"""The mismatch kernel: substrings that two strings share up to a few other characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import Integer
from assay.errors import ParameterError
from assay.kernels.objects import objects_of
from assay.kernels.structures.bags import Bags, mix
from assay.kernels.structures.count_kernel import CountKernel
from assay.kernels.structures.sequences import Sequences
from assay.types import TableLike

__all__ = ["Mismatch"]

MOST_PATTERNS = 5_000  # for each substring


@dataclass(frozen=True, eq=False)
class Mismatch(CountKernel):
    r"""Strings are alike if their substrings of length k are, up to m other characters.

    .. math:: K(a, b) = \sum_{|w| = k} c_w(a)\,c_w(b) \quad (1)

    over all words w of an alphabet of A characters, :math:`c_w(a)` the number of substrings of a that differ from w at
    m places or fewer. Two substrings that differ at d places share a number I(d) of words, so that K is the sum of
    :math:`I(d)\,M_d`, with :math:`M_d` pairs of substrings that differ at d places, d up to 2m. These follow from
    patterns, substrings with t characters left out: with :math:`P_t` pairs that share a pattern,

    .. math:: P_t = \sum_{d \le t} \binom{k-d}{t-d}\,M_d \quad (2)

    No word of the alphabet is written down: a large alphabet costs no more than a small one. m = 0 is `Spectrum`. Long
    strings have large values: use ``normalized()``.

    Cost: O(k^(2m)) for each character, then O(shared patterns) a pair.

    Parameters
    ----------
    k : int, default 5
    m : int, default 1
        Below k.
    alphabet : int or None, default None
        A, the number of characters or items that there are: 4 of DNA, 20 of proteins. None counts those of the training
        rows.

    Examples
    --------
    "cat" and "car" differ at one place, and are both one place or less from cat, car and 24 others of 26 letters:

    >>> from assay.kernels import Mismatch
    >>> Mismatch(3, 1, alphabet=26)(["cat"], ["cat", "car", "cot", "dog"])
    array([[76., 26., 26.,  0.]])

    See Also
    --------
    Spectrum, Subsequences, EditSimilarity

    References
    ----------
    - Leslie, C. S., Eskin, E., Cohen, A., Weston, J. and Noble, W. S. (2004). Mismatch string kernels for
      discriminative protein classification. Bioinformatics 20(4), 467-476. doi:10.1093/bioinformatics/btg431
    - Ghandi, M., Lee, D., Mohammad-Noori, M. and Beer, M. A. (2014). Enhanced regulatory sequence prediction using
      gapped k-mer features. PLoS Computational Biology 10(7), e1003711. doi:10.1371/journal.pcbi.1003711
    """

    k: int = 5
    m: int = 1
    alphabet: int | None = None
    alphabet_: int | None = None
    stored = {
        "k": Integer(low=1),
        "m": Integer(low=0),
        "alphabet": Integer(low=1) | None,
        "alphabet_": Integer(low=1) | None,
    }

    def __post_init__(self) -> None:
        check_count("Mismatch", "k", self.k)
        check_count("Mismatch", "m", self.m, low=0)
        check_count("Mismatch", "alphabet", self.alphabet, none=True)
        if self.m >= self.k:
            raise ParameterError(
                f"Mismatch: m must be below k, or all substrings are alike; got m={self.m}, k={self.k}."
            )
        patterns = comb(self.k, self._most)
        if patterns > MOST_PATTERNS:
            raise ParameterError(
                f"Mismatch: k={self.k} and m={self.m} make {patterns} patterns of each substring, at most "
                f"{MOST_PATTERNS} are allowed. Lower m, or k."
            )

    @property
    def _most(self) -> int:
        """The places at which two substrings may differ and still share a word."""
        return min(2 * self.m, self.k)

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Mismatch:
        codes = Sequences.of(objects_of(X, "Mismatch"), "Mismatch").codes
        return replace(self, alphabet_=max(1, len(np.unique(codes))))

    def _prepared(self, X: Any) -> Any:
        return X if isinstance(X, Layers) else self._layers(objects_of(X, "Mismatch"))

    def _layers(self, rows: np.ndarray) -> Layers:
        size = self.alphabet_ if self.alphabet is None else self.alphabet
        if size is None:
            raise ParameterError(
                "Mismatch: alphabet=None counts the characters of training rows; give their number, or fit the kernel "
                "to some rows first: learn(strings)."
            )
        sequences = Sequences.of(rows, "Mismatch")
        codes, start = sequences.codes, sequences.start
        counts = np.maximum(np.diff(start) - self.k + 1, 0)
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        at = np.repeat(start[:-1] - first[:-1], counts) + np.arange(first[-1])  # where each substring begins
        with np.errstate(over="ignore"):
            here = [mix(mix(codes[at + j]) + np.uint64(j + 1)) for j in range(self.k)]
        weights = _pattern_weights(int(self.k), int(self.m), int(size))
        return Layers([(w, _patterns(here, t, first)) for t, w in enumerate(weights) if w])


class Layers:
    """Bags of patterns, one for each number of characters left out, and their weights."""

    def __init__(self, parts: list[tuple[float, Bags]]):
        self.parts = parts

    @property
    def shape(self) -> tuple[int]:
        return self.parts[0][1].shape

    def __len__(self) -> int:
        return len(self.parts[0][1])

    def __getitem__(self, rows: Any) -> Layers:
        return Layers([(weight, bags[rows]) for weight, bags in self.parts])

    def products(self, other: Layers) -> np.ndarray:
        return np.sum([w * bags.products(b) for (w, bags), (_, b) in zip(self.parts, other.parts)], axis=0)

    def squares(self) -> np.ndarray:
        return np.sum([w * bags.squares() for w, bags in self.parts], axis=0)

    def sums(self, other: Layers, coef: np.ndarray) -> np.ndarray:
        return np.sum([w * bags.sums(b, coef) for (w, bags), (_, b) in zip(self.parts, other.parts)], axis=0)


def _patterns(here: list[np.ndarray], t: int, first: np.ndarray) -> Bags:
    """The substrings with each choice of t characters left out, as features."""
    k, total = len(here), np.zeros(len(here[0]), np.uint64)
    with np.errstate(over="ignore"):
        for part in here:
            total = total + part
        choices = list(combinations(range(k), t))
        features = np.empty((len(total), len(choices)), np.uint64)
        for c, left_out in enumerate(choices):
            masked = total.copy()
            for j in left_out:
                masked -= here[j]
            features[:, c] = mix(masked + mix(np.array([c], np.uint64)))
    return Bags(first * len(choices), features.ravel())


@lru_cache(maxsize=64)
def _pattern_weights(k: int, m: int, alphabet: int) -> tuple[float, ...]:
    """v with K = sum_t v_t P_t: I(d) M_d by (2), solved for M."""
    most = min(2 * m, k)
    shared = [_shared_words(k, m, alphabet, d) for d in range(most + 1)]
    weights = [0] * (most + 1)
    for t in range(most, -1, -1):  # I(d) = sum_t v_t C(k - d, t - d)
        weights[t] = shared[t] - sum(weights[s] * comb(k - t, s - t) for s in range(t + 1, most + 1))
    return tuple(map(float, weights))


def _shared_words(k: int, m: int, alphabet: int, d: int) -> int:
    """I(d): words at m places or fewer from both of two words that differ at d places."""
    total = 0
    for first in range(d + 1):  # places where the word is as the first of the two
        for second in range(d - first + 1):
            others = d - first - second
            ways = factorial(d) // (factorial(first) * factorial(second) * factorial(others))
            ways *= max(alphabet - 2, 0) ** others
            for more in range(k - d + 1):  # other characters where the two agree
                if max(d - first, d - second) + more <= m:
                    total += ways * comb(k - d, more) * (alphabet - 1) ** more
    return total
