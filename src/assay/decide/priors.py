"""Priors: what changes when the classes are more or less frequent than they were in training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.tables.row_names import row_name
from assay.types import ClassWeight, Floats, Priors, Scores, Weights

__all__ = ["PriorShift", "adjust_priors", "effective_priors", "estimate_priors"]


def adjust_priors(posterior: Scores, priors: Priors, trained_priors: Priors) -> np.ndarray:
    r"""The posterior under new priors, without fitting again.

    If the classes look as before and only their frequencies changed, from :math:`\pi` to :math:`\pi'`,

    .. math:: P'(C_k|x) \propto P(C_k|x)\, \frac{\pi'_k}{\pi_k}                               \quad (1)

    Parameters
    ----------
    posterior : (n, K) probabilities
    priors : (K,) the new priors
    trained_priors : (K,) the priors behind the posterior, all above 0

    Examples
    --------
    Trained on as many ill as healthy people, used where one in a hundred is ill:

    >>> from assay.decide import adjust_priors
    >>> adjust_priors([[0.9, 0.1]], [0.01, 0.99], [0.5, 0.5]).round(4)
    array([[0.0833, 0.9167]])

    See Also
    --------
    estimate_priors

    References
    ----------
    - Saerens, M., Latinne, P. and Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
      probabilities: a simple procedure. Neural Computation 14(1), 21-41. doi:10.1162/089976602753284446
    """
    P = np.asarray(posterior, dtype=np.float64)
    if trained_priors is None:
        raise ParameterError(
            "adjust_priors: new priors can only replace known ones; give trained_priors, the class shares of "
            "the training rows (or the priors that the learner was given)."
        )
    new = check_priors(priors, P.shape[1], "priors")
    old = check_priors(trained_priors, P.shape[1], "trained_priors")
    if (old == 0).any():
        raise ParameterError(
            f"adjust_priors: trained_priors gives class {int(np.argmin(old))} probability 0, so the posterior "
            "says nothing about it. Leave the class out or train with it."
        )
    joint = P * (new / old)  # (1)
    total = joint.sum(axis=1, keepdims=True)
    if (total == 0).any():
        i = int(np.argmin(total[:, 0]))
        raise DegenerateError(
            f"adjust_priors: {row_name(i)} is certain of a class whose new prior is 0, so nothing is left of "
            "its posterior."
        )
    adjusted: Floats = joint / total
    return adjusted


@dataclass(frozen=True)
class PriorShift:
    """What :func:`estimate_priors` found.

    Attributes
    ----------
    priors : (K,) the class priors that make the new rows most likely
    posterior : (n, K) the posterior under them
    iterations : int
    statistic : twice the gain in log likelihood over the trained priors
    p_value : probability of such a gain, or a larger one, if the priors had not changed (chi-squared, K - 1)
    """

    priors: np.ndarray
    posterior: np.ndarray
    iterations: int
    statistic: float
    p_value: float


def estimate_priors(
    posterior: Scores, trained_priors: Priors, *, tol: float = 1e-10, max_iter: int = 10000
) -> PriorShift:
    r"""Class priors of new, unlabelled rows, by expectation-maximisation (Saerens, Latinne, Decaestecker 2002).

    Given posteriors under the trained priors, repeat

    .. math:: P^{(s)}(C_k|x_i) \propto P(C_k|x_i)\,\frac{\pi^{(s)}_k}{\pi_k}, \qquad
              \pi^{(s+1)}_k = \frac1n\sum_i P^{(s)}(C_k|x_i)                                  \quad (1)

    which climbs the likelihood of the new rows as a function of the priors alone. Right only if the classes
    look as they did in training and the posteriors are calibrated. Cost: O(n K) an iteration.

    Parameters
    ----------
    posterior : (n, K) posteriors of the new rows
    trained_priors : (K,)
    tol : stop when no prior moves by more than this
    max_iter : iterations at most; a ``ConvergenceWarning`` tells when they were not enough

    Examples
    --------
    Balanced training, but eight of ten new rows look like the second class; since a row of the second class
    looks like the first one time in ten, the shares are more uneven than 2 to 8:

    >>> from assay.decide import estimate_priors
    >>> shift = estimate_priors(2 * [[0.9, 0.1]] + 8 * [[0.1, 0.9]], [0.5, 0.5])
    >>> shift.priors.round(6)
    array([0.125, 0.875])

    See Also
    --------
    adjust_priors, effective_priors

    References
    ----------
    - Saerens, M., Latinne, P. and Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
      probabilities: a simple procedure. Neural Computation 14(1), 21-41. doi:10.1162/089976602753284446
    """
    from assay.decide.decision import check_posterior

    P = check_posterior(posterior, "estimate_priors")
    if not len(P):
        raise DataError("estimate_priors: there are no rows to learn the priors from.")
    old = check_priors(trained_priors, P.shape[1], "trained_priors")
    if (old == 0).any():
        raise ParameterError("estimate_priors: every trained prior must be above 0.")
    ratio = P / old
    new, step = old, np.inf
    iterations = 0
    while step > tol and iterations < max_iter:
        joint = ratio * new
        updated = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)  # (1)
        step, new = float(np.abs(updated - new).max()), updated
        iterations += 1
    if step > tol:
        from sklearn.exceptions import ConvergenceWarning

        warn_user(
            f"estimate_priors stopped after {max_iter} iterations, the priors still moving by {step:.2g}. "
            "Raise max_iter or tol.",
            ConvergenceWarning,
        )
    joint = ratio * new
    total = joint.sum(axis=1, keepdims=True)
    statistic = max(2 * float(np.log(total).sum()), 0.0)  # under the trained priors each row's total is 1
    from scipy.special import gammaincc

    degrees = P.shape[1] - 1
    p_value = float(gammaincc(degrees / 2, statistic / 2)) if degrees else 1.0
    return PriorShift(new, joint / total, iterations, statistic, p_value)


def effective_priors(
    y: Any, class_weight: ClassWeight = None, sample_weight: Weights | None = None
) -> np.ndarray:
    r"""The priors that a learner saw: class shares times class weights, in the order of the sorted labels.

    A learner that weights classes, or is given resampled rows, returns posteriors for these priors, not for the
    true shares. :func:`adjust_priors` brings them back:

    Parameters
    ----------
    y : (n,) labels
    class_weight : None, "balanced", or dict from label to weight
    sample_weight : (n,) what each row counted

    Examples
    --------
    >>> from assay.decide import adjust_priors, effective_priors
    >>> y = ["rare"] + 9 * ["usual"]
    >>> seen, true = effective_priors(y, "balanced"), effective_priors(y)
    >>> seen, true
    (array([0.5, 0.5]), array([0.1, 0.9]))
    >>> adjust_priors([[0.5, 0.5]], true, seen)
    array([[0.1, 0.9]])
    """
    from assay.core.targets import check_weights, encode_labels

    y = y if hasattr(y, "__len__") else list(y)
    labels, codes = encode_labels(y, len(y), "effective_priors")
    w = check_weights(sample_weight, np.empty((len(codes), 1)))
    share = np.bincount(codes, weights=w, minlength=len(labels)).astype(np.float64)
    if isinstance(class_weight, Mapping):
        strange = [label for label in class_weight if label not in labels.tolist()]
        if strange:
            raise ParameterError(
                f"effective_priors: class_weight names {strange[0]!r}, which is not among classes {labels.tolist()}."
            )
        share *= [class_weight.get(label, 1.0) for label in labels.tolist()]
    elif (
        isinstance(class_weight, str) and class_weight == "balanced"
    ):  # weights n / (K n_k), as scikit-learn does
        share /= np.bincount(codes)
    elif class_weight is not None:
        raise ParameterError(
            f"effective_priors: class_weight must be None, 'balanced' or a dict, got {class_weight!r}."
        )
    if (share < 0).any() or not share.sum() > 0:
        raise ParameterError("effective_priors: class weights must not be negative, nor all be 0.")
    effective: Floats = share / share.sum()
    return effective


def check_priors(priors: Priors, K: int, name: str) -> np.ndarray:
    """(K,) probabilities."""
    try:
        p = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be {K} probabilities, got {priors!r}.") from None
    if p.shape != (K,):
        raise ParameterError(f"{name} must be {K} probabilities, one per class, got shape {p.shape}.")
    if not (p >= 0).all() or abs(p.sum() - 1) > 1e-8:
        raise ParameterError(f"{name} must be probabilities that sum to 1, got {p.tolist()}.")
    return p
