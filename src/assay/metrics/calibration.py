"""Calibration of probabilities: calibration error and the reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from assay.core.seeds import as_generator
from assay.core.targets import check_weights
from assay.decide.isotonic import pool_adjacent_violators
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import classes_of, probabilities, scored
from assay.metrics.bins import binned, grouped
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.stats.checks import is_whole
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.significance.test_result import check_alpha
from assay.types import Floats, Label, Labels, RandomState, Scores, Target, Weights

__all__ = ["ReliabilityCurve", "calibration_error"]


def calibration_error(
    truth: Target,
    posterior: Scores,
    *,
    bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    of: str = "auto",
    debias: bool = False,
    labels: Labels | None = None,
    sample_weight: Weights | None = None,
) -> float:
    r"""Distance of observed frequencies from predicted probabilities, over bins of the probabilities.

    .. math:: ECE = \sum_b \tfrac{n_b}n |o_b - p_b|, \quad
              RMSCE = \sqrt{\sum_b \tfrac{n_b}n (o_b - p_b)^2}, \quad MCE = \max_b |o_b - p_b|

    Noise alone makes it larger than zero, the more so the fewer rows a bin has: ``debias=True`` subtracts the noise
    expected at :math:`\sigma_b^2 = o_b(1-o_b)/(n_b-1)` (Kumar, Liang and Ma 2019; Broecker 2012).

    Parameters
    ----------
    truth : (n,) labels
    posterior : (n, K) probabilities, or (n,) of the second of two classes
    bins : int
    strategy : "uniform" (equal widths) or "quantile" (equal mass, also called adaptive)
    norm : "l1" (ECE), "l2" (root mean square) or "max" (MCE)
    of : "positive" (the second of two classes), "answer" (the largest probability against accuracy), "class" (mean
        over the classes of each one's error), or "auto": "positive" for two classes, else "answer"
    debias : subtract the expected noise; not for "max"
    labels : (K,) classes of the columns, if not those of truth
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import calibration_error
    >>> round(calibration_error([0, 0, 0, 1, 1], [0.2, 0.2, 0.2, 0.2, 0.9], bins=2), 4)
    0.06
    """
    who = "calibration_error"
    P = probabilities(posterior, who)
    _, codes = classes_of(truth, P.shape[1], labels, who)
    if len(codes) != len(P):
        raise DataError(f"{len(codes)} true labels and {len(P)} rows of probabilities.", who=who)
    w = check_weights(sample_weight, len(P), who, squared=True)
    return _error(P, codes, w, bins, strategy, norm, of, debias, who)


def _error(
    P: np.ndarray,
    codes: np.ndarray,
    w: np.ndarray | None,
    bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    of: str = "auto",
    debias: bool = False,
    who: str = "calibration_error",
) -> float:
    if norm not in ("l1", "l2", "max"):
        raise ParameterError(f"norm must be l1, l2 or max, got {norm!r}.", who=who)
    if of not in ("auto", "positive", "answer", "class"):
        raise ParameterError(f"of must be auto, positive, answer or class, got {of!r}.", who=who)
    if debias and norm == "max":
        raise ParameterError("the noise of a maximum is not known; debias is for l1 and l2.", who=who)
    K = P.shape[1]
    if of == "auto":
        of = "positive" if K == 2 else "answer"
    w = np.ones(len(P)) if w is None else w
    if of == "positive":
        if K != 2:
            raise ParameterError(f"of='positive' is for two classes, there are {K}.", who=who)
        return _distance(P[:, 1], (codes == 1) * 1.0, w, bins, strategy, norm, debias, who)
    if of == "answer":
        answer = P.argmax(axis=1)
        confidence = P[np.arange(len(P)), answer]
        return _distance(confidence, (answer == codes) * 1.0, w, bins, strategy, norm, debias, who)
    each = [_distance(P[:, k], (codes == k) * 1.0, w, bins, strategy, norm, debias, who) for k in range(K)]
    return float(np.mean(each))


def _distance(
    p: np.ndarray, y: np.ndarray, w: np.ndarray, bins: int, strategy: str, norm: str, debias: bool, who: str
) -> float:
    mass, forecast, came, place, _ = binned(p, y, w, bins, strategy, who)
    gap, share = np.abs(came - forecast), mass / mass.sum()
    if norm == "max":
        return float(gap.max())
    noise = np.zeros_like(gap)
    if debias:
        rows = mass**2 / np.bincount(place, weights=w * w)  # effective rows of each bin
        var = came * (1 - came) / np.maximum(rows - 1, 1)
        noise = var if norm == "l2" else _folded(gap, np.sqrt(var)) - gap
    if norm == "l2":
        return float(np.sqrt(max(0.0, share @ (gap**2 - noise))))
    return float(max(0.0, share @ (gap - noise)))


def _folded(d: Floats, s: Floats) -> Floats:
    """E|d + s Z| of a standard normal Z."""
    from scipy.special import ndtr

    z = np.divide(d, s, out=np.full_like(d, 40.0), where=s > 0)
    mean: Floats = s * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + d * (1 - 2 * ndtr(-z))
    return mean


@dataclass(frozen=True)
class ReliabilityCurve:
    """Observed frequency against predicted probability.

    Parameters
    ----------
    predicted, observed : (m,) mean forecast and mean outcome of each group
    count : (m,) rows, or weight
    low, high : (m,) Wilson interval of the outcome's share; NaN for "isotonic"
    method : "uniform", "quantile" or "isotonic"
    alpha : of the intervals
    label : the positive class
    consistent_low, consistent_high : (m,) where the outcomes would lie, with probability 1 - alpha each, were the
        forecasts calibrated; None if not computed

    Examples
    --------
    >>> from assay.metrics import ReliabilityCurve
    >>> curve = ReliabilityCurve.of([0, 0, 0, 1, 1, 1], [0.1, 0.1, 0.6, 0.6, 0.9, 0.9], bins=3)
    >>> curve.predicted.round(2), curve.observed.round(2), curve.count
    (array([0.1, 0.6, 0.9]), array([0. , 0.5, 1. ]), array([2., 2., 2.]))
    """

    predicted: np.ndarray
    observed: np.ndarray
    count: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: str
    alpha: float
    label: Label | None = None
    consistent_low: np.ndarray | None = None
    consistent_high: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        truth: Target,
        probability: Scores,
        *,
        method: str = "quantile",
        bins: int = 10,
        alpha: float = 0.05,
        resamples: int = 0,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
        random_state: RandomState = 0,
    ) -> ReliabilityCurve:
        """Compare forecasts with outcomes.

        Parameters
        ----------
        truth : (n,) labels of two classes
        probability : (n,) of the positive class, or (n, 2)
        method : "quantile" or "uniform" bins, or "isotonic" (isotonic regression: CORP; Dimitriadis,
            Gneiting and Jordan 2021)
        bins : int, not for "isotonic"
        alpha : of the intervals
        resamples : if above 0, so many sets of outcomes are drawn from the forecasts for the consistency band
        pos_label, sample_weight : as in :func:`brier_score_loss`
        """
        who = "ReliabilityCurve"
        alpha = check_alpha(alpha, who)
        if not is_whole(resamples):
            raise ParameterError(f"resamples must be a whole number from 0 up, got {resamples!r}.", who=who)
        resamples = int(resamples)
        scores = scored(truth, probability, who, pos_label, sample_weight)
        p, y = scores.score, scores.positive.astype(np.float64)
        if p.min() < 0 or p.max() > 1:
            raise DataError(f"probabilities lie between 0 and 1, got {p.min():g} to {p.max():g}.", who=who)
        w = np.ones(len(p)) if scores.weight is None else scores.weight
        if method == "isotonic":
            mass, forecast, came = grouped(p, y, w)
            fitted = pool_adjacent_violators(came, mass)
            nothing = np.full(len(mass), np.nan)
            band = _isotonic_band(p, w, resamples, alpha, random_state)
            return cls(forecast, fitted, mass, nothing, nothing, method, alpha, scores.label, *band)
        if method not in ("uniform", "quantile"):
            raise ParameterError(f"method must be quantile, uniform or isotonic, got {method!r}.", who=who)
        mass, forecast, came, place, _ = binned(p, y, w, bins, method, who)
        rows = mass**2 / np.bincount(place, weights=w * w)
        low, high = wilson_interval(came, rows, alpha)
        band = _bin_band(p, w, place, mass, resamples, alpha, random_state)
        return cls(
            forecast, came, mass, np.asarray(low), np.asarray(high), method, alpha, scores.label, *band
        )

    def recalibrated(self, probability: Scores) -> Floats:
        """Recalibrated probabilities, interpolated linearly on the curve."""
        rates: Floats = np.interp(np.asarray(probability, dtype=np.float64), self.predicted, self.observed)
        return rates


def _bin_band(
    p: np.ndarray, w: np.ndarray, place: np.ndarray, mass: np.ndarray, resamples: int, alpha: float, seed: Any
) -> tuple[Any, Any]:
    if not resamples:
        return None, None
    rng = as_generator(seed, "CalibrationCurve")
    resampled = np.empty((resamples, len(mass)))
    for b in range(resamples):
        resampled[b] = np.bincount(place, weights=w * (rng.random(len(p)) < p), minlength=len(mass)) / mass
    low, high = np.quantile(resampled, [alpha / 2, 1 - alpha / 2], axis=0)
    return low, high


def _isotonic_band(p: np.ndarray, w: np.ndarray, resamples: int, alpha: float, seed: Any) -> tuple[Any, Any]:
    if not resamples:
        return None, None
    rng = as_generator(seed, "CalibrationCurve")
    resampled = []
    for _ in range(resamples):
        mass, _, came = grouped(p, (rng.random(len(p)) < p) * 1.0, w)
        resampled.append(pool_adjacent_violators(came, mass))
    low, high = np.quantile(resampled, [alpha / 2, 1 - alpha / 2], axis=0)
    return low, high


def _error_of(outcome: Outcome, **options: Any) -> float:
    if outcome.posterior is None:
        return float("nan")
    P = np.clip(outcome.posterior.astype(np.float64), 0, 1)
    return _error(P, outcome.truth, outcome.weight, **options)


def _ece(
    bins: int = 15, strategy: str = "uniform", norm: str = "l1", of: str = "auto", debias: bool = False
) -> OfOutcome:
    """Noise adds to the error in the data, once more in a resample: the basic bootstrap removes it."""
    options: dict[str, Any] = {"bins": bins, "strategy": strategy, "norm": norm, "of": of, "debias": debias}
    return OfOutcome(partial(_error_of, **options), bootstrap="basic")


ECE = Measure(
    "ece", _ece(), "lower", "mean distance of what came true from what was forecast, in 15 bins", "probabilities",
    bounds=(0.0, 1.0), functions=(calibration_error,), options=_ece,
)  # fmt: skip
