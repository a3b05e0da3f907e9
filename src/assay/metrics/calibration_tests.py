"""Tests of calibration: Hosmer and Lemeshow's, Spiegelhalter's."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import DataError
from assay.metrics._inputs import scored
from assay.metrics.bins import binned
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative
from assay.types import Label, Scores, Target

__all__ = ["hosmer_lemeshow", "spiegelhalter"]


def hosmer_lemeshow(
    truth: Target,
    probability: Scores,
    *,
    groups: int = 10,
    fitted: bool = False,
    pos_label: Label | None = None,
    alpha: float = 0.05,
) -> TestResult:
    r"""Test whether probabilities are calibrated, over groups of about equal size (Hosmer and Lemeshow 1980).

    .. math:: C = \sum_g \frac{(O_g - n_g \bar p_g)^2}{n_g \bar p_g (1 - \bar p_g)}

    against chi-square with G degrees of freedom on test rows, G - 2 on training rows.
    Rows of equal probability stay in one group, so there may be fewer groups than requested.

    Parameters
    ----------
    truth : (n,) labels of two classes
    probability : (n,) of the positive class
    groups : int
    fitted : whether these are training rows
    pos_label : the positive class

    Examples
    --------
    >>> from assay.metrics import hosmer_lemeshow
    >>> result = hosmer_lemeshow([0, 0, 1, 1, 0, 1, 1, 1], [.3, .3, .3, .3, .8, .8, .8, .8], groups=2)
    >>> round(result.statistic, 4), result.df, round(result.p, 4)
    (0.8244, 2, 0.6622)
    """
    who = "hosmer_lemeshow"
    alpha = check_alpha(alpha, who)
    p, y = _read(truth, probability, pos_label, who)
    check_count(who, "groups", groups, low=2)
    from scipy.special import chdtrc

    mass, forecast, came, _, _ = binned(p, y, np.ones(len(p)), groups, "quantile", who)
    name, df = "Hosmer-Lemeshow test of calibration", len(mass) - 2 * fitted
    if df < 1:
        why = (
            f"The probabilities make {len(mass)} groups only, too few for rows that the model was fitted to."
        )
        return TestResult(name, np.nan, np.nan, alpha=alpha, why=why)
    off, var = mass * (came - forecast), mass * forecast * (1 - forecast)
    if ((var <= 0) & (off != 0)).any():
        why = "A group has predicted probability 0 or 1 and holds rows of the other class."
        return TestResult(name, np.inf, 0.0, df, alpha=alpha, why=why)
    with np.errstate(over="ignore"):  # a group all but certain, and wrong
        statistic = float(np.sum(np.divide(off**2, var, out=np.zeros_like(var), where=var > 0)))
    why = "" if len(mass) == groups else f"Equal probabilities leave {len(mass)} groups instead of {groups}."
    return TestResult(name, statistic, float(chdtrc(df, statistic)), df, alpha=alpha, why=why)


def spiegelhalter(
    truth: Target,
    probability: Scores,
    *,
    pos_label: Label | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test whether the Brier score is what calibrated probabilities would give (Spiegelhalter 1986).

    .. math:: z = \frac{\sum_i (y_i - p_i)(1 - 2p_i)}{\sqrt{\sum_i (1-2p_i)^2\, p_i(1-p_i)}}

    No groups needed; "greater" tests for a Brier score that is too large: overconfident probabilities.

    Parameters
    ----------
    truth : (n,) labels of two classes
    probability : (n,) of the positive class
    pos_label : the positive class

    Examples
    --------
    >>> from assay.metrics import spiegelhalter
    >>> result = spiegelhalter([0, 0, 1, 0, 1, 1, 0, 1], [.1, .2, .2, .3, .7, .8, .8, .9])
    >>> round(result.statistic, 4), round(result.p, 4)
    (0.4981, 0.6184)
    """
    alpha, alternative = check_alpha(alpha, "spiegelhalter"), check_alternative(alternative, "spiegelhalter")
    p, y = _read(truth, probability, pos_label, "spiegelhalter")
    from scipy.special import ndtr

    name = "Spiegelhalter's test of calibration"
    over, var = float((y - p) @ (1 - 2 * p)), float((1 - 2 * p) ** 2 @ (p * (1 - p)))
    if var <= 0:
        if abs(over) <= 1e-12:
            why = "Every probability is 0, 1/2 or 1, and no certain one is wrong: no evidence against calibration."
            return TestResult(name, 0.0, 1.0, alternative=alternative, alpha=alpha, why=why)
        why = "Every probability is 0, 1/2 or 1, and a certain one was wrong."
        return TestResult(name, np.inf, 1.0 if alternative == "less" else 0.0, alternative=alternative, alpha=alpha,
                          why=why)  # fmt: skip
    z = over / np.sqrt(var)
    p_value = {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}[alternative]
    return TestResult(name, float(z), float(p_value), alternative=alternative, alpha=alpha)


def _read(truth: Any, probability: Any, pos_label: Any, who: str) -> tuple[np.ndarray, np.ndarray]:
    rows = scored(truth, probability, who, pos_label)
    if rows.score.min() < 0 or rows.score.max() > 1:
        raise DataError("probabilities lie between 0 and 1.", who=who)
    return rows.score, rows.positive.astype(np.float64)
