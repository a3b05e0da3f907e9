"""Agreement beyond chance: Cohen's kappa and the correlation of Matthews."""

from __future__ import annotations

from functools import partial

import numpy as np

from assay.errors import ParameterError
from assay.metrics import _tables
from assay.metrics._inputs import labelled, undefined
from assay.metrics.confusion import selected
from assay.metrics.forms import OfTable
from assay.metrics.measure import Measure
from assay.types import Labels, Target, Weights

__all__ = ["cohen_kappa_score", "matthews_corrcoef"]


def cohen_kappa_score(
    y1: Target,
    y2: Target,
    *,
    labels: Labels | None = None,
    weights: str | None = None,
    sample_weight: Weights | None = None,
    replace_undefined_by: float = np.nan,
) -> float:
    r"""Agreement beyond what the two margins give by chance (Cohen 1960, weighted 1968).

    .. math:: \kappa = 1 - \frac{\sum_{ij} d_{ij} n_{ij}}{\sum_{ij} d_{ij} n_{i\cdot} n_{\cdot j}/n}

    with the disagreement :math:`d_{ij}` = 1 if :math:`i \ne j`, or :math:`|i-j|`, or its square.

    Parameters
    ----------
    y1, y2 : (n,) labels; the order of the two does not matter
    labels : classes and their order, which "linear" and "quadratic" need to be the natural one
    weights : None, "linear" or "quadratic"
    sample_weight : (n,)
    replace_undefined_by : returned, with a warning, if the agreement expected by chance is 1

    Examples
    --------
    >>> from assay.metrics import cohen_kappa_score
    >>> cohen_kappa_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    form = _kappa(weights, "cohen_kappa_score")
    pair = labelled(y1, y2, "cohen_kappa_score", sample_weight)
    table, _ = selected(pair, labels, "cohen_kappa_score")
    kappa = float(form.function(table.astype(np.float64)))
    if np.isnan(kappa):
        undefined(
            f"cohen_kappa_score: only one label in common, kappa is undefined and set to {replace_undefined_by}."
        )
        return replace_undefined_by
    return kappa


def matthews_corrcoef(y_true: Target, y_pred: Target, *, sample_weight: Weights | None = None) -> float:
    r"""Correlation of true and predicted labels, from -1 to 1 (Matthews 1975; K classes: Gorodkin 2004).

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}

    0 if either has one class only.

    Parameters
    ----------
    y_true, y_pred : (n,) labels
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.metrics import matthews_corrcoef
    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 4)
    -0.3333
    """
    return float(_tables.matthews(labelled(y_true, y_pred, "matthews_corrcoef", sample_weight).table()))


def _kappa(weights: str | None = None, who: str = "kappa") -> OfTable:
    if weights not in (None, "linear", "quadratic"):
        raise ParameterError(f"weights must be None, linear or quadratic, got {weights!r}.", who=who)
    return OfTable(partial(_tables.kappa, weights=weights))


KAPPA = Measure(
    "kappa", _kappa(), "higher", "agreement beyond chance", bounds=(-1.0, 1.0), functions=(cohen_kappa_score,),
    options=_kappa,
)  # fmt: skip
MCC = Measure(
    "mcc", OfTable(_tables.matthews), "higher", "correlation of truth and answer", bounds=(-1.0, 1.0),
    functions=(matthews_corrcoef,), aliases=("matthews",),
)  # fmt: skip
