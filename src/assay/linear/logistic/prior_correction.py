"""Correction of the intercept of a logistic model for new class priors, without a new fit."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from assay.core.learner import Learner
from assay.errors import ParameterError
from assay.linear.linear_classifier import LinearClassifier
from assay.types import Priors

__all__ = ["correct_priors", "intercept_without_priors", "shift_intercept"]


def shift_intercept(
    intercept: ArrayLike, priors: Priors | None, trained_priors: Priors | None
) -> NDArray[np.float64]:
    r"""The intercepts of a logistic (softmax) model for other class priors.

    The log likelihood ratio of two classes is :math:`w^Tx + w_0^o`; the log odds of the posterior add the log odds
    of the priors, so that only they change:

    .. math:: w_0 = w_0^o + \ln\frac{P(C_2)}{P(C_1)},\qquad
              w_0' = w_0 + \ln\frac{\pi'_2}{\pi'_1} - \ln\frac{\pi_2}{\pi_1}                         \quad (1)

    For K scores :math:`w_{k0}' = w_{k0} + \ln\pi'_k - \ln\pi_k`. It holds if within each class the rows are as before:
    after sampling by class (cases and controls), class weights, or where the classes are more or less frequent.

    Parameters
    ----------
    intercept : (1,) or a number for two classes (the score of the second), else (K,)
    priors : (K,) the priors to be used, above 0
    trained_priors : (K,) the priors that the model was fitted with: class shares of the training rows, weighted ones

    Examples
    --------
    Trained on as many ill as healthy people, used where one in a hundred is ill:

    >>> from assay.linear import shift_intercept
    >>> shift_intercept([0.0], [0.99, 0.01], [0.5, 0.5]).round(6)         # ln(1/99)
    array([-4.59512])
    """
    b = np.asarray(intercept, dtype=np.float64)
    K = 2 if b.size == 1 else b.size
    shift = np.log(_above_zero(priors, K, "priors")) - np.log(
        _above_zero(trained_priors, K, "trained_priors")
    )
    return b + (shift[1] - shift[0] if b.size == 1 else shift)  # (1)


def intercept_without_priors(intercept: ArrayLike, trained_priors: Priors | None) -> NDArray[np.float64]:
    r"""The constant :math:`w_0^o` of the log likelihood ratio: the intercept for equal priors.

    >>> import numpy as np
    >>> from assay.linear import intercept_without_priors
    >>> intercept_without_priors([np.log(3)], [0.25, 0.75]).round(12)
    array([0.])
    """
    K = 2 if np.size(intercept) == 1 else np.size(intercept)
    return shift_intercept(intercept, np.full(K, 1 / K), trained_priors)


def correct_priors(model: Any, priors: Priors | None, trained_priors: Priors | None) -> Any:
    """A copy of a fitted logistic model that answers for other class priors; the model itself stays as it is.

    The same posteriors as ``assay.decide.adjust_priors`` gives, once and for all.

    Parameters
    ----------
    model : fitted LogisticRegression, or any linear classifier whose posterior is the softmax of its scores
    priors, trained_priors : (K,) in the order of ``classes_``, or dict from label to probability

    Examples
    --------
    >>> from assay.linear import LogisticRegression, correct_priors
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["ill", "well", "ill", "well"])
    >>> rare = correct_priors(model, {"ill": 0.01, "well": 0.99}, {"ill": 0.5, "well": 0.5})
    >>> bool(rare.intercept_[0] > model.intercept_[0]), bool((rare.coef_ == model.coef_).all())
    (True, True)

    See Also
    --------
    intercept_without_priors, shift_intercept

    References
    ----------
    - Anderson, J. A. (1972). Separate sample logistic discrimination. Biometrika 59(1), 19-35.
    - King, G. and Zeng, L. (2001). Logistic regression in rare events data. Political Analysis 9(2), 137-163.
    """
    check_is_fitted(model)
    labels = list(model.classes_.tolist())
    if not _of_softmax(model, len(labels)):
        raise ParameterError(
            f"correct_priors: the posterior of {type(model).__name__} is not the softmax of its scores. Use "
            "assay.decide.adjust_priors on its probabilities."
        )
    new, old = (
        _in_order(p, labels, name) for p, name in ((priors, "priors"), (trained_priors, "trained_priors"))
    )
    corrected = deepcopy(model)
    corrected.intercept_ = shift_intercept(np.broadcast_to(model.intercept_, model.coef_.shape[0]), new, old)
    return corrected


def _of_softmax(model: Any, K: int) -> bool:
    """Whether the posterior of K classes is the softmax of the scores (the logistic function of one)."""
    if getattr(model, "multilabel_", False) or not hasattr(model, "predict_proba"):
        return False
    if not hasattr(model, "coef_") or getattr(model, "loss", "log_loss") != "log_loss":
        return False
    if isinstance(model, Learner) and not isinstance(
        model, LinearClassifier
    ):  # it may not read its intercept
        return False
    return K == 2 or getattr(model, "link", "softmax") == "softmax"


def _in_order(priors: Any, labels: list[Any], name: str) -> Any:
    if not isinstance(priors, Mapping):
        return priors
    if set(priors) != set(labels):
        raise ParameterError(f"correct_priors: {name} must name the classes {labels}, got {list(priors)}.")
    return [priors[label] for label in labels]


def _above_zero(priors: Any, K: int, name: str) -> NDArray[np.float64]:
    try:
        p = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be {K} probabilities, got {priors!r:.80}.") from None
    if p.shape != (K,) or not (p > 0).all() or not abs(p.sum() - 1) <= 1e-8:
        raise ParameterError(f"{name} must be {K} probabilities above 0 that sum to 1, got {p.tolist()}.")
    return p
