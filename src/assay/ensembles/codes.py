"""Codes of classes: a word of -1, 0 and +1 for each, and how many wrong bits they forgive."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError

__all__ = ["CODES", "code_distance", "exhaustive_code", "one_vs_one_code", "one_vs_rest_code"]

MOST_CLASSES = 12  # of an exhaustive code, which has 2^(K - 1) - 1 bits


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


CODES = {"one vs rest": one_vs_rest_code, "one vs one": one_vs_one_code, "exhaustive": exhaustive_code}


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
