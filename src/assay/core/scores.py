"""Rows of scores, one a class: which rows have none, which class wins, what the posterior is."""

from __future__ import annotations

import numpy as np

import assay.core._scores as _scores
from assay.types import Floats

__all__ = ["impossible_rows", "log_softmax", "logistic", "softmax", "winner"]


def impossible_rows(scores: np.ndarray) -> int:
    """How many rows of the (n, K) scores are -inf for every class.

    >>> import numpy as np
    >>> from assay.core.scores import impossible_rows
    >>> impossible_rows(np.array([[-np.inf, -np.inf], [-np.inf, 0.0]]))
    1
    """
    return _scores.impossible_rows(_block(scores))


def winner(scores: np.ndarray) -> np.ndarray:
    """(n,) the number of the class with the highest score; the first among equals.

    >>> import numpy as np
    >>> from assay.core.scores import winner
    >>> winner(np.array([[0.0, 2.0], [1.0, 1.0]]))
    array([1, 0])
    """
    out = np.empty(len(scores), dtype=np.int64)
    _scores.winner(_block(scores), out)
    return out


def softmax(scores: np.ndarray) -> np.ndarray:
    r"""(n, K) :math:`e^{s_{ik}} / \sum_l e^{s_{il}}`, computed about each row's largest score; may reuse ``scores``.

    >>> import numpy as np
    >>> from assay.core.scores import softmax
    >>> softmax(np.array([[1000.0, 1000.0 + np.log(3)]])).round(12)
    array([[0.25, 0.75]])
    """
    scores = _block(scores)
    _scores.softmax(scores)
    return scores


def logistic(odds: np.ndarray) -> np.ndarray:
    """(n, 2) the posteriors of two classes from the (n,) log odds of the second.

    >>> import numpy as np
    >>> from assay.core.scores import logistic
    >>> logistic(np.array([0.0, np.log(3.0), -1000.0])).round(12)
    array([[0.5 , 0.5 ],
           [0.25, 0.75],
           [1.  , 0.  ]])
    """
    out = np.empty((len(odds), 2))
    _scores.logistic(np.ascontiguousarray(odds, dtype=np.float64), out)
    return out


def log_softmax(scores: Floats) -> Floats:
    """(n, K) the logarithm of the softmax, exact also where the softmax underflows.

    >>> import numpy as np
    >>> from assay.core.scores import log_softmax
    >>> log_softmax(np.array([[0.0, -2000.0]]))
    array([[    0., -2000.]])
    """
    top = np.take_along_axis(scores, winner(scores)[:, None], axis=1)
    logs: Floats = scores - (top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True)))
    return logs


def _block(scores: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(scores, dtype=np.float64)
