"""Probabilities that are not calibrated: distorted by class weights, or over- and underconfident."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluate.doubts import Doubt
from assay.evaluate.finding import Finding

__all__ = ["PROBABILITY_DOUBTS"]

LARGE_ERROR = 0.05  # a mean probability, or a calibration error, that is off by more
_SAMPLERS = ("SMOTE", "OverSampler", "UnderSampler", "ADASYN", "Balanced")


def weighted_probabilities(case: Doubt) -> Iterator[Finding]:
    """Class weights, or rows drawn to even the classes: mean probabilities far from the classes' shares."""
    for name in case.ranked:
        cause = _cause(case, name)
        P = case.result.out_of_fold(name).posterior if cause else None
        if P is None or case.result.weights:
            continue
        off = P.mean(axis=0) - case.shares
        k = int(np.argmax(np.abs(off)))
        error = np.sqrt(np.mean(P[:, k] * (1 - P[:, k])) / len(P))
        if abs(off[k]) > max(LARGE_ERROR, 4 * error):
            label = case.result.classes[k]
            yield Finding(
                "weighted-probabilities",
                "warning",
                (),
                f"{name} was trained with {cause}: on average it gives {label} a probability of "
                f"{P[:, k].mean():.1%}, and {case.shares[k]:.1%} of the rows have it.",
                "Before probabilities or costs are used, put the true shares back: decide.adjust_priors(posterior, "
                "priors=shares, trained_priors=effective_priors(y, class_weight)), or teach without weights and give "
                "the costs to decide.",
                "Before probabilities or costs are used, teach without weights and give the costs with --cost.",
                name,
            )


def _cause(case: Doubt, name: str) -> str:
    """What evens the classes in this learner: "class_weight=balanced", "SMOTE"; or ""."""
    if name not in case.result.candidates:
        return ""
    estimator = case.result.candidates[name].learner
    parts = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    for key, value in parts.items():
        if key.split("__")[-1] == "class_weight" and value is not None:
            return f"class_weight={value}"
        if any(word in type(value).__name__ for word in _SAMPLERS):
            return type(value).__name__
    return type(estimator).__name__ if any(word in type(estimator).__name__ for word in _SAMPLERS) else ""


def not_calibrated(case: Doubt) -> Iterator[Finding]:
    """The probability of the answer given is not the share of right answers: beyond chance, and by much."""
    from assay.metrics.calibration import calibration_error
    from assay.metrics.calibration_tests import spiegelhalter

    if case.result.weights:
        return
    for name in case.ranked:
        answers = case.result.out_of_fold(name)
        P = answers.posterior
        if P is None or name in case.blind or len(answers.truth) < 50 or _cause(case, name):
            continue
        sure, chosen = P.max(axis=1), P.argmax(axis=1)
        right = (chosen == answers.truth).astype(np.int64)
        if len(np.unique(right)) < 2 or spiegelhalter(right, sure, pos_label=1).p > 0.001 / len(case.ranked):
            continue
        far = calibration_error(
            right, sure, bins=10, strategy="quantile", of="positive", labels=[0, 1], debias=True
        )
        if far > LARGE_ERROR:
            way = "overconfident" if sure.mean() > right.mean() else "underconfident"
            yield Finding(
                "not-calibrated",
                "note",
                (),
                f"probabilities of {name} are not calibrated: it is {way}, on average by "
                f"{100 * abs(sure.mean() - right.mean()):.1f} percentage points.",
                "Before costs or a reject option use them, calibrate: CalibratedClassifierCV.",
                "Before costs or a reject option use them, calibrate: assay fit --calibrate.",
                name,
            )


PROBABILITY_DOUBTS = [weighted_probabilities, not_calibrated]
