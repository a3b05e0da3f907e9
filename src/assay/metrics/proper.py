"""Proper scores of probabilities: log-loss, Brier, and the decomposition of the Brier score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import check_weights
from assay.decide.isotonic import pool_adjacent_violators
from assay.errors import DataError, ParameterError, warn_user
from assay.metrics._inputs import classes_of, numbers, probabilities, scored
from assay.metrics._label_tables import also_of_label_tables
from assay.metrics.bins import binned, grouped
from assay.metrics.forms import OfRows
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.types import Floats, Label, Labels, RowLabels, Scores, Target, Weights

__all__ = ["BrierParts", "brier_score_loss", "log_loss"]


@also_of_label_tables
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Weights | None = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    r"""Minus the mean logarithm of the predicted probability of the true class, :math:`-\frac1n\sum_i\ln P(y_i|x_i)`.

    Probabilities are clipped to 2.2e-16 and 1 - 2.2e-16, so a certain error costs 36 nats.

    Parameters
    ----------
    y_true : (n,) labels
    y_proba : (n, K) probabilities, or (n,) of the second of two classes
    normalize : False gives the sum
    sample_weight : (n,)
    labels : (K,) classes of the columns (sorted), if not those of y_true
    y_pred : former name of y_proba

    Examples
    --------
    >>> from assay.metrics import log_loss
    >>> round(log_loss(["spam", "ham"], [[0.1, 0.9], [0.8, 0.2]]), 4)
    0.1643
    """
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        if y_proba is not None:
            raise ParameterError("log_loss: y_pred is the former name of y_proba; give y_proba alone.")
        warn_user(
            "log_loss: y_pred was renamed to y_proba in scikit-learn 1.9 and goes in 1.11.",
            FutureWarning,
        )
        y_proba = y_pred
    elif y_proba is None:
        raise ParameterError("log_loss: y_proba, the probabilities, is missing.")
    P, codes = read_posterior(y_true, y_proba, labels, "log_loss")
    lost = log_losses(Outcome(codes, codes, P, P.shape[1]))
    assert lost is not None
    w = check_weights(sample_weight, len(lost), "log_loss", squared=True)
    if normalize:
        return float(np.average(lost, weights=w))
    return float(lost.sum()) if w is None else float(w @ lost)


def log_losses(outcome: Outcome) -> np.ndarray | None:
    """(n,) minus the logarithm of the predicted probability of the true class, in nats; None without probabilities."""
    probability = outcome.true_class_probability()
    if probability is None:
        return None
    eps = np.finfo(probability.dtype).eps
    return -np.log(np.clip(probability.astype(np.float64), eps, 1 - eps))


def read_posterior(
    y_true: Target, y_proba: Scores, labels: Labels, who: str
) -> tuple[np.ndarray, np.ndarray]:
    """(n, K) probabilities, in as many digits as they were given, and (n,) codes of the truth; checked."""
    P = probabilities(y_proba, who)
    kind = getattr(y_proba, "dtype", None)
    P = P.astype(kind, copy=False) if kind in (np.float32, np.float16) else P
    _, codes = classes_of(y_true, P.shape[1], labels, who)
    if len(codes) != len(P):
        raise DataError(f"{len(codes)} true labels and {len(P)} rows of probabilities.", who=who)
    if P.shape[1] > 2 or np.ndim(y_proba) == 2:
        off = np.abs(P.sum(axis=1, dtype=np.float64) - 1).max()
        if off > 1e-3 or (off > 1e-7 and getattr(y_proba, "dtype", None) != np.float32):
            warn_user(
                f"{who}: the probabilities of a row do not sum to one (off by up to {off:.2g}).",
                UserWarning,
            )
    return P, codes


@also_of_label_tables
def brier_score_loss(
    y_true: Target,
    y_proba: Scores,
    *,
    sample_weight: Weights | None = None,
    pos_label: Label | None = None,
    labels: Labels | None = None,
    scale_by_half: Any = "auto",
) -> float:
    r"""The mean squared distance of the probabilities from the truth.

    .. math:: \frac1n\sum_i\sum_k (p_{ik} - [y_i = k])^2

    halved for two classes, where it is the mean of :math:`(p_i - y_i)^2`.

    Parameters
    ----------
    y_true : (n,) labels
    y_proba : (n,) probabilities of the positive class, or (n, K)
    sample_weight : (n,)
    pos_label : the positive class of two; default 1, or the last of the sorted labels
    labels : (K,) classes of the columns (sorted), if not those of y_true
    scale_by_half : True, False, or "auto" for two classes only

    Examples
    --------
    >>> from assay.metrics import brier_score_loss
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    """
    if isinstance(scale_by_half, str) and scale_by_half != "auto":
        raise ParameterError(
            f"brier_score_loss: scale_by_half must be True, False or auto, got {scale_by_half!r}."
        )
    outcome = probability_outcome(y_true, y_proba, "brier_score_loss", pos_label, labels, sample_weight)
    half = outcome.K == 2 if isinstance(scale_by_half, str) else bool(scale_by_half)
    return BRIER.of(outcome) * (2 if outcome.K == 2 else 1) / (2 if half else 1)


def probability_outcome(
    y_true: Any,
    y_proba: Any,
    who: str,
    pos_label: Label | None = None,
    labels: Any = None,
    sample_weight: Weights | None = None,
) -> Outcome:
    """Labels and (n, K) probabilities, or (n,) of the positive class, as an outcome."""
    p = numbers(y_proba, who, "the probability", (1, 2))
    if p.ndim == 2 and p.shape[1] > 1:
        P, codes = read_posterior(y_true, y_proba, labels, who)
    else:
        P = probabilities(p, who)
        codes = scored(y_true, p, who, pos_label).positive.astype(np.int64)
    return Outcome(
        codes, P.argmax(axis=1), P, P.shape[1], weight=check_weights(sample_weight, len(P), who, squared=True)
    )


def brier_rows(outcome: Outcome) -> np.ndarray | None:
    """(n,) squared distance of the probabilities from the truth, halved for two classes."""
    if outcome.posterior is None:
        return None
    off = outcome.posterior.astype(np.float64)
    off[np.arange(len(off)), outcome.truth] -= 1
    distances: Floats = np.einsum("ij,ij->i", off, off) / (2 if outcome.K == 2 else 1)
    return distances


LOG_LOSS = Measure(
    "log-loss", OfRows(log_losses), "lower", "mean surprise at the true class, in nats", "probabilities",
    bounds=(0.0, np.inf), functions=(log_loss,), aliases=("logloss",),
)  # fmt: skip
BRIER = Measure(
    "brier", OfRows(brier_rows), "lower", "mean squared error of the probabilities", "probabilities",
    bounds=(0.0, 2.0), functions=(brier_score_loss,),
)  # fmt: skip


@dataclass(frozen=True)
class BrierParts:
    r"""The decomposition of the Brier score of two classes (Murphy 1973).

    With groups of equal forecasts :math:`p_g`, of which the share :math:`o_g` came true, and of all :math:`o`:

    .. math:: \frac1n\sum_i(p_i-y_i)^2 = \underbrace{\sum_g \tfrac{n_g}n (p_g-o_g)^2}_{reliability}
              - \underbrace{\sum_g \tfrac{n_g}n (o_g-o)^2}_{resolution} + \underbrace{o(1-o)}_{uncertainty}

    Bins put unequal forecasts together, which leaves a remainder, ``within`` (Stephenson et al. 2008). The isotonic
    decomposition (CORP; Dimitriadis, Gneiting and Jordan 2021) lets the data choose the groups and has no remainder.

    Attributes
    ----------
    score : the Brier score = reliability - resolution + uncertainty + within
    reliability : lack of calibration, the lower the better
    resolution : variance of the groups' shares, the higher the better
    uncertainty : of the classes themselves
    within : remainder of the bins

    Examples
    --------
    >>> from assay.metrics import BrierParts
    >>> parts = BrierParts.of([0, 0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    >>> round(parts.reliability, 4), round(parts.resolution, 4), parts.uncertainty, round(parts.score, 4)
    (0.0178, 0.0278, 0.25, 0.24)
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float = 0.0

    @classmethod
    def of(
        cls,
        truth: Target,
        probability: Scores,
        *,
        groups: RowLabels = "distinct",
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
    ) -> BrierParts:
        """Decompose a Brier score.

        Parameters
        ----------
        truth : (n,) labels of two classes
        probability : (n,) of the positive class
        groups : "distinct" (equal forecasts), "isotonic", or the number of bins of equal width
        pos_label, sample_weight : as in :func:`brier_score_loss`
        """
        rows = scored(truth, probability, "BrierParts", pos_label, sample_weight)
        p, y = rows.score, rows.positive.astype(np.float64)
        if p.min() < 0 or p.max() > 1:
            raise DataError("BrierParts: probabilities lie between 0 and 1.")
        w = np.full(len(p), 1 / len(p)) if rows.weight is None else rows.weight / rows.weight.sum()
        score, o = float(w @ (p - y) ** 2), float(w @ y)
        if groups == "isotonic":
            mass, forecast, came = grouped(p, y, w)
            g = pool_adjacent_violators(came, mass)
            recalibrated = float(mass @ (g * g - 2 * g * came + came))
            unsure = o * (1 - o)
            return cls(score, score - recalibrated, unsure - recalibrated, unsure)
        mass, forecast, came = (
            grouped(p, y, w) if groups == "distinct" else binned(p, y, w, groups, "uniform", "BrierParts")[:3]
        )
        reliability, resolution = float(mass @ (forecast - came) ** 2), float(mass @ (came - o) ** 2)
        remainder = score - (reliability - resolution + o * (1 - o))
        return cls(score, reliability, resolution, o * (1 - o), 0.0 if groups == "distinct" else remainder)
