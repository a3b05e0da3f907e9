"""Softmax weights in two forms: one class as reference, or all classes alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError

__all__ = ["one_score", "reference_form", "symmetric_form"]

Floats = NDArray[np.float64]


def reference_form(coef: ArrayLike, intercept: ArrayLike, reference: int = -1) -> tuple[Floats, Floats]:
    r"""The weights that make the scores of one class 0: those of the others are log odds against it.

    .. math:: w_k^{ref} = w_k - w_r,\qquad \ln\frac{P(k|x)}{P(r|x)} = w_k^{ref}\cdot x               \quad (1)

    The posterior stays as it is, because adding the same vector to the weights of every class changes nothing.

    Parameters
    ----------
    coef : (K, d), or (1, d) of two classes, whose score is that of the second against the first
    intercept : (K,) or (1,)
    reference : number of the reference class, the last one by default

    Returns
    -------
    coef, intercept : (K, d) and (K,), zeros for the reference

    Examples
    --------
    >>> from assay.linear import reference_form
    >>> reference_form([[1.0], [2.0], [4.0]], [0.0, 1.0, 1.0])
    (array([[-3.],
           [-2.],
           [ 0.]]), array([-1.,  0.,  0.]))
    """
    W, b = _every_class(coef, intercept, "reference_form")
    whole = isinstance(reference, (int, np.integer)) and not isinstance(reference, bool)
    if not whole or not -len(W) <= reference < len(W):
        raise ParameterError(
            f"reference_form: reference must be the number of one of {len(W)} classes, got {reference!r}."
        )
    return W - W[reference], b - b[reference]  # (1)


def symmetric_form(coef: ArrayLike, intercept: ArrayLike) -> tuple[Floats, Floats]:
    r"""The weights that sum to 0 over the classes, as a penalised fit or gradient steps from zero leave them.

    .. math:: w_k^{sym} = w_k - \tfrac1K\textstyle\sum_j w_j                                         \quad (1)

    Of all weights with the same posterior these are the shortest.

    Parameters
    ----------
    coef : (K, d), or (1, d) of two classes      intercept : (K,) or (1,)

    Examples
    --------
    >>> from assay.linear import symmetric_form
    >>> symmetric_form([[2.0]], [1.0])          # the log odds of two classes, shared between them
    (array([[-1.],
           [ 1.]]), array([-0.5,  0.5]))
    """
    W, b = _every_class(coef, intercept, "symmetric_form")
    return W - W.mean(axis=0), b - b.mean()  # (1)


def one_score(coef: ArrayLike, intercept: ArrayLike) -> tuple[Floats, Floats]:
    r"""(1, d) and (1,) the binary model that two softmax scores are: :math:`\sigma(s_2 - s_1)`.

    >>> from assay.linear import one_score
    >>> one_score([[1.0, 0.0], [3.0, 1.0]], [0.5, 0.0])
    (array([[2., 1.]]), array([-0.5]))
    """
    W, b = _every_class(coef, intercept, "one_score")
    if len(W) != 2:
        raise ParameterError(f"one_score: two classes have one score, got weights of {len(W)} classes.")
    return W[1:] - W[0], b[1:] - b[0]


def _every_class(coef: ArrayLike, intercept: ArrayLike, who: str) -> tuple[Floats, Floats]:
    """(K, d) and (K,), a zero row put before the single one of two classes."""
    if hasattr(coef, "toarray"):  # after sparsify()
        coef = coef.toarray()
    try:
        W, b = np.asarray(coef, dtype=np.float64), np.atleast_1d(np.asarray(intercept, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError(f"{who}: coef and intercept must be numbers, got {coef!r:.80}.") from None
    if W.ndim != 2 or b.shape != (len(W),) or not len(W):
        raise ParameterError(
            f"{who}: coef must be (K, d) and intercept (K,), got shapes {W.shape} and {b.shape}."
        )
    if len(W) == 1:
        return np.vstack((np.zeros_like(W), W)), np.append(0.0, b)
    return W, b
