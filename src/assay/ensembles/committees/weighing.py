"""Weights of the members of a committee, given or learned from rows that the members did not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.ensembles.committees.combining import shares_of
from assay.ensembles.committees.voting_theory import minimum_variance_weights
from assay.errors import DegenerateError, ParameterError
from assay.optimize.simplex_least_squares import simplex_least_squares
from assay.stats.bayesian.model_comparison import model_probabilities

__all__ = [
    "CLASS_WEIGHINGS",
    "NUMBER_WEIGHINGS",
    "accuracy_weights",
    "error_weights",
    "evidence_weights",
    "is_weights",
    "pool_weights",
]

CLASS_WEIGHINGS = ("accuracy", "simplex", "evidence")
NUMBER_WEIGHINGS = ("simplex", "variance", "evidence")
LEAST_VARIANCE = 1e-20  # of errors, in units of the mean square of the target
LEAST_CHANCE = 1e-15  # of the true class, so that one impossible answer does not rule a member out


def is_weights(names: Sequence[str]) -> Callable[[Any], bool]:
    """Whether a value is None, one of the names of ways to learn weights, or a list of numbers."""
    return lambda v: v is None or (v in names if isinstance(v, str) else hasattr(v, "__len__"))


def weights_of(weights: Any, names: list[str], members: list[str], who: str) -> np.ndarray:
    """(members,) the weights of the members that take part, brought to sum 1; equal ones where they are learned."""
    if weights is None or isinstance(weights, str):
        return shares_of(None, len(members), who)
    if len(weights) != len(names):
        raise ParameterError(
            f"Number of `estimators` and weights must be equal; got {len(weights)} weights, {len(names)} estimators.",
            who=who,
        )
    kept = [weight for name, weight in zip(names, weights) if name in members]
    return shares_of(kept, len(members), who)


def accuracy_weights(outputs: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(L,) weights by the accuracy of each member's outputs, (L, n, K)."""
    right = outputs.argmax(axis=2) == y
    accuracy = np.average(right, axis=1, weights=w)
    return shares_of(accuracy if accuracy.any() else None, len(outputs), "accuracy")


def pool_weights(outputs: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(L,) the weights from 0 up, of sum 1, whose mean of the posteriors (L, n, K) has the least Brier score."""
    L, n, K = outputs.shape
    target = np.eye(K)[y]
    return simplex_least_squares(
        outputs.reshape(L, n * K).T, target.ravel(), None if w is None else np.repeat(w, K)
    )


def evidence_weights(outputs: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(L,) the posterior probabilities of members, by the likelihood of classes that they did not see, (L, n, K)."""
    chance = np.maximum(np.take_along_axis(outputs, y[None, :, None], axis=2)[:, :, 0], LEAST_CHANCE)
    logs = np.log(chance) if w is None else w * np.log(chance)
    return np.asarray(model_probabilities(logs.sum(axis=1)).posterior)


def error_weights(outputs: np.ndarray, r: np.ndarray, w: np.ndarray | None, how: str, who: str) -> np.ndarray:
    """(L,) weights of numbers (L, n) for a target r: least squares on the simplex, least variance, evidence."""
    if how == "simplex":
        return simplex_least_squares(outputs.T, r, w)
    errors = outputs - r
    if how == "evidence":  # of Gaussian errors with the variance that each member has
        total = len(r) if w is None else w.sum()
        variance = np.average(errors**2, axis=1, weights=w)
        with np.errstate(divide="ignore"):
            logs = (
                -0.5
                * total
                * np.log(np.maximum(variance, LEAST_VARIANCE * float(np.average(r**2, weights=w))))
            )
        return np.asarray(model_probabilities(logs).posterior)
    try:
        return minimum_variance_weights(np.cov(errors, aweights=w))
    except DegenerateError as problem:
        raise DegenerateError(
            f"{problem} Or use weights='simplex', which needs no inverse.", who=who
        ) from problem
