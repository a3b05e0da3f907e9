"""Codes of classes: a word of -1, 0 and +1 for each, and how many wrong bits they forgive."""

from __future__ import annotations

from functools import partial
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.types import RandomState

__all__ = [
    "CODES",
    "RANDOM_CODES",
    "code_distance",
    "exhaustive_code",
    "one_vs_one_code",
    "one_vs_rest_code",
    "random_code",
]

MOST_CLASSES = 12  # of an exhaustive code, which has 2^(K - 1) - 1 bits
BITS_PER_DOUBLING = {False: 10, True: 15}  # of the classes: bits of a dense, and of a sparse random code
MOST_BATCHES = 200  # of columns, after which a code is as long as it is


def one_vs_rest_code(K: int) -> np.ndarray:
    """(K, K) the code of one against the rest: +1 on the diagonal, -1 elsewhere.

    >>> from assay.ensembles import one_vs_rest_code
    >>> one_vs_rest_code(2)
    array([[ 1, -1],
           [-1,  1]])
    """
    return 2 * np.eye(K, dtype=np.int64) - 1


def one_vs_one_code(K: int) -> np.ndarray:
    """(K, K (K - 1) / 2) the code of one against one: -1 for the first of a pair, +1 for the second, 0 for others.

    >>> from assay.ensembles import one_vs_one_code
    >>> one_vs_one_code(2)
    array([[-1],
           [ 1]])
    """
    first, second = np.triu_indices(K, 1)
    code = np.zeros((K, len(first)), dtype=np.int64)
    code[first, np.arange(len(first))] = -1
    code[second, np.arange(len(first))] = 1
    return code


def exhaustive_code(K: int) -> np.ndarray:
    """(K, 2^(K - 1) - 1) every way to part K classes in two, once.

    All words are 2^(K - 2) bits apart: the farthest possible. Beyond 12 classes it is too long to be learned.

    >>> from assay.ensembles import exhaustive_code
    >>> exhaustive_code(3)
    array([[ 1,  1,  1],
           [-1, -1,  1],
           [-1,  1, -1]])
    """
    if not 2 <= K <= MOST_CLASSES:
        raise ParameterError(
            f"an exhaustive code is for 2 to {MOST_CLASSES} classes, got {K}: it would have 2^{K - 1} - 1 bits. Draw "
            "one: OutputCodeClassifier(code_size=...).",
            who="exhaustive_code",
        )
    bits = np.arange(2 ** (K - 1) - 1)
    rows = [2 * ((bits >> (K - 1 - i)) & 1) - 1 for i in range(1, K)]
    return np.vstack([np.ones_like(bits), *rows]).astype(np.int64)


def random_code(
    K: int,
    L: int | None = None,
    *,
    sparse: bool = False,
    n_draws: int = 100,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""(K, L) the best of many codes drawn at random: the one whose words are farthest apart.

    Bits are +1 and -1 alike, in a sparse code also 0 with probability one half. Every column has both signs, and none
    is another one or its complement, for that would err with it.

    Parameters
    ----------
    K : int, classes
    L : int, default None
        Bits; None is :math:`\lceil 10 \log_2 K\rceil`, of a sparse code :math:`\lceil 15 \log_2 K\rceil`, or as many
        as there are.
    sparse : bool
    n_draws : int, codes that are drawn
    random_state : seed

    Examples
    --------
    >>> from assay.ensembles import code_distance, random_code
    >>> code = random_code(10, random_state=0)
    >>> code.shape, code_distance(code)
    ((10, 34), 13.0)

    References
    ----------
    - Allwein, E. L., Schapire, R. E. and Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for
      margin classifiers. Journal of Machine Learning Research 1, 113-141.
    """
    for name, number, least in (("K", K, 2), ("L", 1 if L is None else L, 1), ("n_draws", n_draws, 1)):
        check_count("random_code", name, number, low=least)
    there_are = (3**K - 2 ** (K + 1) + 1) // 2 if sparse else 2 ** (K - 1) - 1
    length = min(int(ceil(BITS_PER_DOUBLING[sparse] * log2(K)) if L is None else L), there_are)
    random = as_generator(random_state, "random_code")
    best, most = None, (-1, -1.0)
    for _ in range(n_draws):
        code = _columns(K, length, sparse, random)
        parted = int((_opposed(code) > 0).sum())  # pairs of classes that some column tells apart
        score = parted, code_distance(code)
        if score > most:
            best, most = code, score
    assert best is not None
    return best


def _columns(K: int, L: int, sparse: bool, random: np.random.Generator) -> np.ndarray:
    """(K, L) different columns with both signs, or as many as were found."""
    kept = np.zeros((0, K), dtype=np.int64)
    for _ in range(MOST_BATCHES):
        drawn = random.choice(
            [-1, 0, 1] if sparse else [-1, 1], (2 * L, K), p=[0.25, 0.5, 0.25] if sparse else None
        )
        drawn = drawn[(drawn == 1).any(axis=1) & (drawn == -1).any(axis=1)]
        first = np.take_along_axis(drawn, (drawn != 0).argmax(axis=1)[:, None], axis=1)
        together = np.vstack(
            [kept, drawn * first]
        )  # of a column and its complement the one that begins with +1
        kept = together[np.sort(np.unique(together, axis=0, return_index=True)[1])][:L]
        if len(kept) == L:
            break
    return np.ascontiguousarray(kept.T)


def _opposed(code: np.ndarray) -> np.ndarray:
    """(pairs,) in how many columns two words have opposite signs."""
    first, second = np.triu_indices(len(code), 1)
    return (code[first] * code[second] < 0).sum(axis=1)


CODES: dict[str, Any] = {
    "one vs rest": one_vs_rest_code,
    "one vs one": one_vs_one_code,
    "exhaustive": exhaustive_code,
}
RANDOM_CODES: dict[str, Any] = {
    "random dense": partial(random_code, sparse=False),
    "random sparse": partial(random_code, sparse=True),
}


def code_distance(code: ArrayLike) -> float:
    """The least number of bits in which two words differ; a bit that is 0 in one of them counts one half.

    A code of distance h forgives (h - 1) // 2 wrong bits.

    >>> from assay.ensembles import code_distance, exhaustive_code, one_vs_rest_code
    >>> code_distance(exhaustive_code(4)), code_distance(one_vs_rest_code(4))
    (4.0, 2.0)
    """
    words = np.asarray(code, dtype=np.float64)
    if words.ndim != 2 or len(words) < 2 or not words.shape[1]:
        raise ParameterError(
            f"a code has two words or more, got the shape {words.shape}.", who="code_distance"
        )
    apart = 0.5 * (words.shape[1] - words @ words.T)
    return float(apart[np.triu_indices(len(words), 1)].min())
