"""Any measure with its interval: analytic where there is one, by resampling elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.core.progress import track
from assay.errors import DataError, ParameterError
from assay.metrics import _tables
from assay.metrics._given import (
    Scored,
    classes_of,
    labelled,
    numbers,
    one_column,
    probabilities,
    scored,
    weights,
)
from assay.metrics._table_intervals import (
    class_of,
    delta,
    function_of,
    gradient,
    mean_of_shares,
    squares_of,
    wilson,
)
from assay.metrics.areas import area_of, average_precision_of
from assay.metrics.bootstrap import Plan, bounds, plan
from assay.metrics.calibration import _error
from assay.metrics.costs import cost_per_row
from assay.metrics.curves import tallies
from assay.metrics.delong import interval_of, placements
from assay.metrics.estimate import Estimate
from assay.metrics.measures import Measure, measure_named
from assay.metrics.proper import brier_rows, log_losses
from assay.stats.significance.test_result import check_alpha

__all__ = ["with_interval"]

BOOTSTRAPS = ("percentile", "basic", "bca")
OPTIONS = {"cost": ("loss", "classes", "reject"), "ece": ("bins", "strategy", "norm", "of", "debias")}
METHODS = ("auto", "analytic", "bootstrap", *BOOTSTRAPS)
MANY = 100  # classes: a derivative by each of more cells than so many squared takes longer than resampling


def with_interval(
    measure: Any,
    truth: Any,
    answer: Any,
    *,
    method: str = "auto",
    alpha: float = 0.05,
    pos_label: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    stratify: bool = False,
    resamples: int = 2000,
    random_state: Any = 0,
    **options: Any,
) -> Estimate:
    r"""A measure of test rows, with the interval that holds its true value in 1 - alpha of all samples.

    Shares of rows (accuracy, error, recall, precision, specificity, Jaccard) have Wilson's interval; so has F1 of one
    class, which is :math:`2J/(1+J)` of the Jaccard index J. Means of recalls or precisions over classes square and add
    Wilson's (Newcombe 1998). Other functions g of the table of counts have the delta method's,

    .. math:: \operatorname{var} g = \sum_c n_c\,(\partial g/\partial n_c)^2                       \quad (1)

    on a scale without bounds (the logarithm of the odds, or Fisher's z). Means over rows (log-loss, Brier, cost) have
    Student's, the area under the ROC curve of two classes DeLong's. Everything else, and every measure of rows in
    groups, is resampled: "bca" where rows are independent, percentiles of whole groups where they are not.

    The rows must be such that the learner did not see them; the interval speaks of these test rows and of one fitted
    learner, not of learning anew.

    Parameters
    ----------
    measure : name, such as "accuracy", "f1", "kappa", "auc" or "log-loss" (see ``assay.metrics.measures.MEASURES``), or
        a function of (truth, answer) that returns a number
    truth : (n,) labels
    answer : (n,) labels, or scores or probabilities, as the measure needs
    method : "auto", "analytic", "bootstrap", or one of its kinds "percentile", "basic", "bca"
    alpha : float
    pos_label : the class of recall, precision, F1 and their like, or of scores; default as in the function of that
        name (1, or the last of two labels), of more than two classes the mean
    labels : (K,) classes of the columns of probabilities, if not those of truth
    sample_weight : (n,)
    groups : (n,) rows that belong together (a patient, a document) and are resampled together
    stratify : resample within the classes, as if their numbers had been fixed by design
    resamples, random_state : of the bootstrap; the same seed draws the same rows for every measure
    options : given on to the measure: ``loss`` of "cost", ``weights`` of "kappa", ``bins`` and others of "ece"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import with_interval
    >>> truth, answer = np.repeat([1, 1, 0, 0], [40, 10, 5, 45]), np.repeat([1, 0, 1, 0], [40, 10, 5, 45])
    >>> print(with_interval("accuracy", truth, answer))
    0.8500 (0.7672 to 0.9069, Wilson)
    >>> print(with_interval("kappa", truth, answer))
    0.7000 (0.5329 to 0.8145, delta method)
    """
    alpha = check_alpha(alpha, "with_interval")
    if method not in METHODS:
        raise ParameterError(f"with_interval: method must be one of {', '.join(METHODS)}, got {method!r}.")
    known = measure_named(measure)

    def planned(n: int) -> Plan:
        strata = one_column(truth, "with_interval", "the truth") if stratify else None
        return plan(
            n,
            strata=strata,
            groups=groups,
            resamples=resamples,
            random_state=random_state,
            who="with_interval",
        )

    analytic = method == "analytic" or (method == "auto" and groups is None)
    if analytic and groups is not None:
        raise ParameterError("with_interval: rows in groups have no analytic interval; use method='auto'.")
    kind = method if method in BOOTSTRAPS else "bca" if groups is None else "percentile"
    if known is None:
        if method == "analytic":
            raise ParameterError("with_interval: a function has no analytic interval; use method='auto'.")
        return _any(measure, truth, answer, sample_weight, planned, kind, alpha, options)
    if known.name == "kappa" and "weights" in options:
        apart = options.pop("weights")
        if apart not in (None, "linear", "quadratic"):
            raise ParameterError(f"with_interval: weights must be None, linear or quadratic, got {apart!r}.")
        known = replace(known, of=partial(_tables.kappa, weights=apart))
    unknown = [name for name in options if name not in OPTIONS.get(known.name, ())]
    if unknown:
        raise ParameterError(f"with_interval: {known.name} has no option {unknown[0]!r}.")
    if known.kind == "table":
        return _of_table(
            known, truth, answer, pos_label, sample_weight, method, analytic, planned, kind, alpha
        )
    if known.kind == "rows":
        return _of_rows(
            known, truth, answer, pos_label, labels, sample_weight, analytic, planned, kind, alpha, options
        )
    if known.kind == "score":
        return _of_scores(
            known, truth, answer, pos_label, labels, sample_weight, method, groups, planned, kind, alpha
        )
    return _of_calibration(truth, answer, labels, sample_weight, method, planned, alpha, options)


def _named(kind: str, planned: Plan) -> str:
    words = {"bca": "BCa bootstrap", "basic": "basic bootstrap", "percentile": "percentile bootstrap"}[kind]
    return words if planned.of_rows else f"{words} of {planned.units} groups"


def _resampled(
    value: float,
    drawn: np.ndarray,
    planned: Plan,
    kind: str,
    alpha: float,
    limits: tuple[float, float],
    influence: Any,
) -> Estimate:
    """The interval of resampled values; resamples that leave the measure undefined are left out and counted."""
    kept = drawn[~np.isnan(drawn)]
    if np.isnan(value) or len(kept) < len(drawn) / 2:
        why = (
            "the measure is not defined here"
            if np.isnan(value)
            else "most resamples leave it undefined; stratify=True?"
        )
        return Estimate(value, alpha=alpha, why=why)
    lost = len(drawn) - len(kept)
    why = f"{lost} of {len(drawn)} resamples leave the measure undefined and were left out." if lost else ""
    if kept.min() == kept.max():
        why = "Every resample gives the same value, so the interval has no width; it says nothing."
    low, high = bounds(kept, value, alpha, kind, influence)
    low, high = np.clip([low, high], *limits)
    return Estimate(value, float(low), float(high), _named(kind, planned), alpha, why)


# functions of the table ------------------------------------------------------------------------------


def _of_table(
    known: Measure, truth: Any, answer: Any, pos_label: Any, sample_weight: Any, method: str, analytic: bool,
    planned: Callable[[int], Plan], kind: str, alpha: float,
) -> Estimate:  # fmt: skip
    seen = labelled(truth, answer, "with_interval", sample_weight)
    k = class_of(known, seen.labels.tolist(), pos_label)
    g = function_of(known, k)
    table = seen.table().astype(np.float64)
    value = float(g(table))
    if np.isnan(value):
        return Estimate(value, alpha=alpha, why="the measure is not defined here")
    squares = (
        table if seen.weight is None else squares_of(seen.truth * seen.K + seen.answer, seen.weight, seen.K)
    )
    if analytic and known.rate is not None and (k >= 0 or not known.per_class):
        return wilson(known, table, squares, k, value, alpha)
    if analytic and known.mean_of is not None:
        return mean_of_shares(known, table, squares, value, alpha)
    if analytic and (seen.K <= MANY or method == "analytic"):
        return delta(known, g, table, squares, value, alpha)
    drawn_by = planned(len(seen.truth))
    drawn = drawn_by.tables(seen.truth, seen.answer, seen.weight, seen.K, g)
    influence = None
    if kind == "bca" and seen.K <= MANY:
        there = table > 0
        influence = (gradient(g, table)[0][there], squares[there])
    return _resampled(value, drawn, drawn_by, kind, alpha, known.bounds, influence)


# means over rows -------------------------------------------------------------------------------------


def _of_rows(
    known: Measure, truth: Any, answer: Any, pos_label: Any, labels: Any, sample_weight: Any, analytic: bool,
    planned: Callable[[int], Plan], kind: str, alpha: float, options: dict[str, Any],
) -> Estimate:  # fmt: skip
    if known.name == "log-loss":
        v = log_losses(truth, answer, labels, "with_interval")
    elif known.name == "brier":
        v, K = brier_rows(truth, answer, pos_label, labels, "with_interval")
        v = v / 2 if K == 2 else v
    else:
        v = cost_per_row(truth, answer, **options)
    w = weights(sample_weight, len(v), "with_interval")
    value = float(np.average(v, weights=w))
    share = np.full(len(v), 1 / len(v)) if w is None else w / w.sum()
    influence = share * (v - value)
    if analytic:
        from scipy.special import stdtrit

        n = 1 / float(share @ share)  # effective rows
        if len(v) < 2 or n <= 1:
            return Estimate(value, alpha=alpha, why="one row shows no spread")
        half = float(stdtrit(n - 1, 1 - alpha / 2)) * float(np.sqrt(influence @ influence * n / (n - 1)))
        low, high = max(known.bounds[0], value - half), min(known.bounds[1], value + half)
        return Estimate(value, low, high, "t", alpha)
    drawn_by = planned(len(v))
    mass = np.ones(len(v)) if w is None else w
    sums = drawn_by.sums(np.column_stack([mass * v, mass]))
    drawn = _tables.share(sums[:, 0], sums[:, 1])
    return _resampled(value, drawn, drawn_by, kind, alpha, known.bounds, (influence, np.ones(len(v))))


# the order of scores ---------------------------------------------------------------------------------


def _of_scores(
    known: Measure, truth: Any, answer: Any, pos_label: Any, labels: Any, sample_weight: Any, method: str, groups: Any,
    planned: Callable[[int], Plan], kind: str, alpha: float,
) -> Estimate:  # fmt: skip
    precise = known.name == "average precision"
    if precise and pos_label is None and 1 in one_column(truth, "with_interval", "the truth").tolist():
        pos_label = 1  # as average_precision_score has it
    each, w = _binary_problems(truth, answer, pos_label, labels, sample_weight)
    values = [(average_precision_of if precise else area_of)(seen) for seen in each]
    double = known.name == "gini"
    value = float(np.mean(values))
    if groups is None and method in ("auto", "analytic") and not precise and len(each) == 1 and w is None:
        found = interval_of(tallies(each[0]), alpha, "auto", "with_interval")
        return (
            Estimate(2 * value - 1, 2 * found.low - 1, 2 * found.high - 1, found.method, alpha, found.why)
            if double
            else found
        )
    if method == "analytic":
        raise ParameterError(
            f"with_interval: {known.name} has an analytic interval for two classes of rows that weigh alike only; "
            "use method='auto'."
        )
    drawn_by = planned(len(each[0].score))
    drawn = np.mean([drawn_by.areas(seen, precise)[:, 1 if precise else 0] for seen in each], axis=0)
    influence = None
    if len(each) == 1 and not precise and w is None and each[0].positive.any() and not each[0].positive.all():
        V, W = placements(each[0].positive, each[0].score)
        l = np.concatenate([(V - value) / len(V), (W - value) / len(W)])
        influence = (l, np.ones(len(l)))
    if double:
        value, drawn = 2 * value - 1, 2 * drawn - 1
    return _resampled(value, drawn, drawn_by, kind, alpha, known.bounds, influence)


def _binary_problems(
    truth: Any, answer: Any, pos_label: Any, labels: Any, sample_weight: Any
) -> tuple[list[Scored], np.ndarray | None]:
    """One problem for two classes, one per class for more; all rows stay, whatever they weigh."""
    s = numbers(answer, "with_interval", "the score", (1, 2))
    n = len(s)
    w = weights(sample_weight, n, "with_interval")
    if s.ndim == 2 and s.shape[1] > 2:
        P = probabilities(s, "with_interval")
        _, codes = classes_of(truth, P.shape[1], labels, "with_interval")
        if len(codes) != n:
            raise DataError(f"with_interval: {len(codes)} true labels and {n} rows of scores.")
        sizes = np.bincount(codes if w is None else codes[w > 0], minlength=P.shape[1])
        there = np.flatnonzero((sizes > 0) & (sizes < sizes.sum())).tolist()
        if not there:
            raise DataError("with_interval: the truth has one class only.")
        return [Scored(codes == k, P[:, k], w, k) for k in there], w
    seen = scored(truth, s, "with_interval", pos_label)
    return [Scored(seen.positive, seen.score, w, seen.label)], w


# whatever else ---------------------------------------------------------------------------------------


def _of_calibration(
    truth: Any, answer: Any, labels: Any, sample_weight: Any, method: str, planned: Callable[[int], Plan], alpha: float,
    options: dict[str, Any],
) -> Estimate:  # fmt: skip
    """Noise adds to the error in the data, once more in a resample: the basic bootstrap takes it away."""
    if method == "analytic":
        raise ParameterError("with_interval: ece has no analytic interval; use method='auto'.")
    P = probabilities(answer, "with_interval")
    _, codes = classes_of(truth, P.shape[1], labels, "with_interval")
    if len(codes) != len(P):
        raise DataError(f"with_interval: {len(codes)} true labels and {len(P)} rows of probabilities.")
    w = weights(sample_weight, len(P), "with_interval")
    value, drawn_by = _error(P, codes, w, **options), planned(len(P))
    drawn = np.empty(drawn_by.resamples)
    for b in track(range(drawn_by.resamples), "resampling"):
        rows = drawn_by.rows(b)
        drawn[b] = _error(P[rows], codes[rows], None if w is None else w[rows], **options)
    kind = method if method in BOOTSTRAPS else "basic"
    return _resampled(value, drawn, drawn_by, kind, alpha, (0.0, 1.0), None)


def _any(
    measure: Callable[..., float], truth: Any, answer: Any, sample_weight: Any, planned: Callable[[int], Plan],
    kind: str, alpha: float, options: dict[str, Any],
) -> Estimate:  # fmt: skip
    """A function of truth and answer, and of sample_weight if there is one."""
    y = one_column(truth, "with_interval", "the truth")
    z = np.asarray(answer)
    if len(z) != len(y):
        raise DataError(f"with_interval: {len(y)} true labels and {len(z)} answers.")
    w = weights(sample_weight, len(y), "with_interval")

    def value_of(rows: Any) -> float:
        more = options if w is None else {**options, "sample_weight": w[rows]}
        return float(measure(y[rows], z[rows], **more))

    value, drawn_by = value_of(slice(None)), planned(len(y))
    drawn = np.empty(drawn_by.resamples)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a resample lacks is counted, not warned of a thousand times
        for b in track(range(drawn_by.resamples), "resampling"):
            try:
                drawn[b] = value_of(drawn_by.rows(b))
            except (ValueError, ZeroDivisionError):
                drawn[b] = np.nan
        influence = _jackknife(value_of, len(y), value) if kind == "bca" else None
    return _resampled(value, drawn, drawn_by, kind, alpha, (-np.inf, np.inf), influence)


def _jackknife(value_of: Callable[[Any], float], n: int, value: float) -> Any:
    """Influences from leaving out up to 200 blocks of rows; None where one of them has no value."""
    blocks = np.array_split(np.arange(n), min(n, 200))
    left = np.empty(len(blocks))
    for i, block in enumerate(blocks):
        kept = np.ones(n, dtype=bool)
        kept[block] = False
        try:
            left[i] = value_of(np.flatnonzero(kept))
        except (ValueError, ZeroDivisionError):
            return None
    if not np.isfinite(left).all():
        return None
    return left.mean() - left, np.ones(len(left))
