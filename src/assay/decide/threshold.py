"""Thresholds and class weights chosen on held-out scores, by cost or by any metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from assay.core.targets import check_weights, encode_labels, label_codes
from assay.decide.losses import as_loss
from assay.errors import DataError, ParameterError
from assay.types import Floats, Label, Labels, Losses, Scores, Scoring, TableLike, Target, Weights

__all__ = ["ThresholdChoice", "tune_threshold", "tune_weights"]


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold, or class weights, and how it was found.

    Attributes
    ----------
    threshold : float; say the positive class where the score is at least this. For weights: (K,) weights
    value : mean loss at the threshold (least), or the metric's score there (largest)
    thresholds, values : (m,) everything tried; None for weights
    """

    threshold: Any
    value: float
    thresholds: np.ndarray | None = None
    values: np.ndarray | None = None


def tune_threshold(
    y: Target,
    scores: Scores,
    *,
    loss: Losses | str | None = None,
    scoring: Scoring | None = None,
    pos_label: Label | None = None,
    thresholds: Any = None,
    sample_weight: Weights | None = None,
) -> ThresholdChoice:
    """The threshold on a score of two classes that costs least, or scores best, on rows with known labels.

    By cost, every cut between two different scores is tried, in one pass over the sorted rows; by a metric,
    a grid. Among equals the lowest threshold. Use scores of rows that the classifier did not learn from.
    Cost: O(n log n), and the metric's own for each threshold.

    Parameters
    ----------
    y : (n,) labels of two classes
    scores : (n,) larger for the positive class
    loss : as in :func:`as_loss`, for the sorted labels; default 0/1 if no ``scoring`` is given
    scoring : name of a scikit-learn scorer of labels, or a function (model, X, y) that returns a number
    pos_label : the positive class, default the last of the sorted labels
    thresholds : int or array, default every cut (by cost), 100 (by a metric)
    sample_weight : (n,)

    Examples
    --------
    Missing a "yes" costs ten times a false alarm:

    >>> from assay.decide import tune_threshold
    >>> y = ["no", "no", "yes", "no", "yes", "yes"]
    >>> scores = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9]
    >>> tune_threshold(y, scores, loss={("no", "yes"): 10}).threshold
    0.25
    >>> tune_threshold(y, scores, loss={("yes", "no"): 10}).threshold
    0.5

    See Also
    --------
    TunedThresholdClassifierCV, tune_weights

    References
    ----------
    - Sheng, V. S. and Ling, C. X. (2006). Thresholding for making classifiers cost-sensitive. AAAI Conference on
      Artificial Intelligence, 476-481.
    """
    s = np.asarray(scores, dtype=np.float64)
    if s.ndim != 1 or not np.isfinite(s).all():
        raise DataError(f"tune_threshold: expected (n,) finite scores, got shape {s.shape}.")
    classes, codes = encode_labels(y, len(s), "tune_threshold")
    if len(classes) != 2:
        raise DataError(
            f"tune_threshold: a threshold separates two classes, y has {len(classes)}. See tune_weights."
        )
    positive = positive_class(classes, pos_label, "tune_threshold")
    w = check_weights(sample_weight, s[:, None])
    if scoring is None:
        return _by_cost(s, codes, positive, as_loss(loss, classes, who="tune_threshold").costs, w, thresholds)
    if loss is not None:
        raise ParameterError("tune_threshold: give a loss or a scoring, not both.")
    grid = (
        np.linspace(s.min(), s.max(), 100 if thresholds is None else thresholds)
        if np.ndim(thresholds) == 0
        else thresholds
    )
    tried = np.asarray(grid, dtype=np.float64)
    judge = judge_of(scoring, classes[codes], classes, w)
    values = np.array([judge(np.where(s >= t, positive, 1 - positive)) for t in tried])
    best = int(values.argmax())
    return ThresholdChoice(float(tried[best]), float(values[best]), tried, values)


def tune_weights(
    y: Target,
    posterior: Scores,
    *,
    loss: Losses | str | None = None,
    scoring: Scoring | None = None,
    classes: Labels | None = None,
    thresholds: int = 100,
    sweeps: int = 20,
    sample_weight: Weights | None = None,
) -> ThresholdChoice:
    r"""Class weights c for the rule :math:`\arg\max_k c_k P(C_k|x)`, the threshold of more than two classes.

    One weight at a time is moved to the best of at most ``thresholds`` cuts, in turn over the classes, until
    a sweep improves nothing: each step is at least as good as the last, so the end is no worse than the plain
    maximum, though it need not be the best of all. Weights have geometric mean 1.

    Parameters
    ----------
    y, posterior : (n,) labels and (n, K) posteriors of rows that the classifier did not learn from
    loss, scoring : as in :func:`tune_threshold`
    classes : (K,) labels of the columns, default the sorted labels of y
    thresholds : cuts tried for one weight
    sweeps : at most this many rounds
    sample_weight : (n,)

    Examples
    --------
    >>> from assay.decide import tune_weights
    >>> posterior = [[0.6, 0.4, 0.0], [0.6, 0.1, 0.3], [0.5, 0.2, 0.3], [0.2, 0.7, 0.1]]
    >>> choice = tune_weights(["a", "a", "c", "b"], posterior, classes=["a", "b", "c"])
    >>> choice.value  # class c had to be worth more: 0.3 c beats 0.5, but not 0.6
    0.0
    >>> bool(5 / 3 < choice.threshold[2] / choice.threshold[0] < 2)
    True
    """
    from assay.decide.decision import check_posterior

    P = check_posterior(posterior, "tune_weights")
    names = encode_labels(y, len(P), "tune_weights")[0] if classes is None else np.asarray(classes)
    if len(names) != P.shape[1]:
        raise ParameterError(f"tune_weights: {P.shape[1]} columns, but {len(names)} classes.")
    codes = label_codes(y, names, len(P), "tune_weights")
    w = check_weights(sample_weight, P)
    if scoring is not None and loss is not None:
        raise ParameterError("tune_weights: give a loss or a scoring, not both.")
    if scoring is None:
        judge = _thrift(as_loss(loss, names, who="tune_weights").costs, codes, w)
    else:
        judge = judge_of(scoring, names[codes], names, w)
    weights, value = _climb(P, judge, thresholds, sweeps)
    return ThresholdChoice(weights / np.exp(np.log(weights).mean()), -value if scoring is None else value)


def positive_class(classes: np.ndarray, pos_label: Label, who: str) -> int:
    """Number of the positive one of two classes."""
    if pos_label is None:
        return 1
    if pos_label not in classes.tolist():
        raise ParameterError(f"{who}: pos_label {pos_label!r} is not among classes {classes.tolist()}.")
    return int(classes.tolist().index(pos_label))


class _FixedAnswers(ClassifierMixin, BaseEstimator):
    """A classifier with given answers, which lets any scorer judge labels."""

    def __init__(self, labels: Labels | None = None, classes_: Any = None):
        self.labels = labels
        self.classes_ = classes_

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: TableLike) -> Any:
        return self.labels


def judge_of(
    scoring: Scoring,
    y: np.ndarray,
    classes: np.ndarray,
    w: np.ndarray | None,
    metadata: Mapping[str, Any] | None = None,
) -> Callable[[np.ndarray], float]:
    """A function from class numbers to a score, larger is better; the scorer is given the metadata besides."""
    from sklearn.metrics import get_scorer

    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if not callable(scorer):
        raise ParameterError(
            f"scoring must be the name of a scorer or a function (model, X, y), got {scoring!r}."
        )
    place = np.zeros((len(y), 1))
    options = {**(metadata or {}), **({} if w is None else {"sample_weight": w})}

    def judge(codes: np.ndarray) -> float:
        return float(scorer(_FixedAnswers(classes[codes], classes), place, y, **options))

    return judge


def _thrift(costs: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> Callable[[np.ndarray], float]:
    """A function from class numbers to minus their mean loss."""
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1]:
        raise ParameterError("tune_weights: every action must be a class.")
    return lambda answers: -float(np.average(costs[answers, codes], weights=w))


def _by_cost(
    s: np.ndarray, codes: np.ndarray, positive: int, costs: np.ndarray, w: np.ndarray | None, thresholds: Any
) -> ThresholdChoice:
    if costs.shape != (2, 2):
        raise ParameterError("tune_threshold: every action must be a class.")
    w = np.ones(len(s)) if w is None else w
    order = np.argsort(s, kind="stable")
    s, codes, w = s[order], codes[order], w[order]
    # from "all positive", moving the cut up past a row changes its cost by this
    change = w * (costs[1 - positive, codes] - costs[positive, codes])
    total = np.concatenate([[0.0], np.cumsum(change)]) + w @ costs[positive, codes]
    if thresholds is None:
        at = np.concatenate([[0], np.flatnonzero(np.diff(s)) + 1, [len(s)]])
        middle = s[at[1:-1] - 1] + (s[at[1:-1]] - s[at[1:-1] - 1]) / 2
        tried = np.concatenate([[s[0]], np.where(middle > s[at[1:-1] - 1], middle, s[at[1:-1]]), [np.inf]])
    else:
        tried = np.linspace(s[0], s[-1], thresholds) if np.ndim(thresholds) == 0 else np.asarray(thresholds)
        at = np.searchsorted(s, tried, side="left")
    values = total[at] / w.sum()
    best = int(np.flatnonzero(values <= values.min() + 1e-12 * np.abs(costs).max())[0])
    return ThresholdChoice(float(tried[best]), float(values[best]), tried, values)


def _climb(
    P: np.ndarray, judge: Callable[[np.ndarray], float], cuts: int, sweeps: int
) -> tuple[np.ndarray, float]:
    K = P.shape[1]
    weights = np.ones(K)
    value = judge(P.argmax(axis=1))
    for _ in range(sweeps):
        before = value
        for k in range(K):
            others = P * weights
            others[:, k] = -1.0
            rival, theirs = others.argmax(axis=1), others.max(axis=1)
            for c in _cuts(theirs, P[:, k], cuts):
                mine = c * P[:, k]
                # argmax takes the first of equals
                answers = np.where((mine > theirs) | ((mine == theirs) & (k < rival)), k, rival)
                if (new := judge(answers)) > value + 1e-12:
                    value, weights[k] = new, c
        if value <= before + 1e-12:
            break
    return weights, value


def _cuts(rival: Floats, score: Floats, most: int) -> Floats:
    """Weights between those at which a row changes sides."""
    with np.errstate(over="ignore"):
        flips = np.unique(rival[score > 0] / score[score > 0])
    flips = flips[np.isfinite(flips) & (flips > 0)]
    if not len(flips):
        return np.empty(0)
    middle = np.sqrt(flips[:-1]) * np.sqrt(flips[1:])
    every: Floats = np.concatenate([[flips[0] / 2], middle, [flips[-1] * 2]])
    every = every[np.isfinite(every) & (every > 0)]
    return every if len(every) <= most else every[np.linspace(0, len(every) - 1, most).astype(int)]
