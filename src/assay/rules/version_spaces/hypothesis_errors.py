"""Where a hypothesis and a known concept differ: counted on rows, and as areas of boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import check_weights
from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.rules.version_spaces.box import Box
from assay.rules.version_spaces.version_space import as_box
from assay.types import TableLike, Weights

__all__ = ["HypothesisErrors", "hypothesis_areas", "hypothesis_errors"]


@dataclass(frozen=True)
class HypothesisErrors:
    """How often, or on what area, a hypothesis is right and wrong about a concept.

    Attributes
    ----------
    tp, fp, fn, tn : float
        Both yes; the hypothesis alone yes; the concept alone yes; both no.
    """

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def count(self) -> float:
        """The empirical error as a sum: false positives and false negatives."""
        return self.fp + self.fn

    @property
    def rate(self) -> float:
        """The empirical error as a share of all; 0 of nothing."""
        total = self.tp + self.fp + self.fn + self.tn
        return self.count / total if total else 0.0


def hypothesis_errors(
    h: Any, concept: Any, X: TableLike, sample_weight: Weights | None = None
) -> HypothesisErrors:
    """Compare a hypothesis with a known concept on the rows of a float block.

    Parameters
    ----------
    h, concept : Box, Rule, conditions, a function of X, or (n,) of 0 and 1
    X : (n, d)
    sample_weight : (n,) or None

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rules.version_spaces.hypothesis_errors import hypothesis_errors
    >>> concept, h = [Condition(0, 2, 6, "both")], [Condition(0, 3, 8, "both")]
    >>> result = hypothesis_errors(h, concept, np.arange(10.0)[:, None])
    >>> result
    HypothesisErrors(tp=4.0, fp=2.0, fn=1.0, tn=3.0)
    >>> result.count, result.rate
    (3.0, 0.3)
    """
    values = np.asarray(X, np.float64)
    predicted, truth = _yes(h, values), _yes(concept, values)
    w = check_weights(sample_weight, values, "hypothesis_errors")
    w = np.ones(len(values)) if w is None else w
    cells = (predicted & truth, predicted & ~truth, ~predicted & truth, ~predicted & ~truth)
    return HypothesisErrors(*(float(w[cell].sum()) for cell in cells))


def hypothesis_areas(h: Any, concept: Any, domain: Any) -> HypothesisErrors:
    """The exact areas (volumes) on which two boxes agree and differ, within a box of all values.

    Parameters
    ----------
    h, concept : Box, Rule or conditions on ordered columns
    domain : (d, 2) lowest and highest value of each column

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rules.version_spaces.hypothesis_errors import hypothesis_areas
    >>> concept = [Condition(0, 2, 6, "both"), Condition(1, 2, 6, "both")]
    >>> h = [Condition(0, 4, 7, "both"), Condition(1, 2, 6, "both")]
    >>> hypothesis_areas(h, concept, [[0, 10], [0, 10]])
    HypothesisErrors(tp=8.0, fp=4.0, fn=8.0, tn=80.0)
    """
    ends = np.asarray(domain, np.float64)
    if ends.ndim != 2 or ends.shape[1] != 2 or (ends[:, 0] > ends[:, 1]).any():
        raise DataError("hypothesis_areas: domain must be a lowest and a highest value for each column.")
    (a, c), whole = (
        (_ends(as_box(box), ends) for box in (h, concept)),
        float(np.prod(ends[:, 1] - ends[:, 0])),
    )
    both = _volume(np.maximum(a[:, 0], c[:, 0]), np.minimum(a[:, 1], c[:, 1]))
    volume, true = _volume(*a.T), _volume(*c.T)
    return HypothesisErrors(both, volume - both, true - both, whole - volume - true + both)


def _yes(h: Any, X: np.ndarray) -> np.ndarray:
    if callable(h) and not hasattr(h, "covers"):
        h = h(X)
    if isinstance(h, (np.ndarray, list)) and not any(isinstance(v, Condition) for v in h):
        labels = np.asarray(h)
        if labels.shape != (len(X),):
            raise DataError(f"hypothesis_errors: X has {len(X)} rows, got answers of shape {labels.shape}.")
        return labels.astype(bool)
    return np.asarray((h if hasattr(h, "covers") else as_box(h)).covers(X), bool)


def _ends(box: Box, domain: np.ndarray) -> np.ndarray:
    ends = domain.copy()
    if box.empty:
        ends[:, 1] = ends[:, 0]
        return ends
    for c in box.conditions:
        if c.codes is not None:
            raise DataError("hypothesis_areas: categories have no area; boxes must be on ordered columns.")
        low, high = domain[c.column]
        ends[c.column] = np.clip([c.low, c.high], low, high)
    return ends


def _volume(low: np.ndarray, high: np.ndarray) -> float:
    return float(np.prod(np.maximum(high - low, 0.0)))
