"""Any measure with its interval: analytic where there is one, by resampling elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.progress import track
from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.metrics._inputs import labelled, numbers, one_column, scored
from assay.metrics.costs import cost_per_row
from assay.metrics.estimate import Estimate
from assay.metrics.forms import BOOTSTRAPS, IntervalRequest, OfScores, OfTable
from assay.metrics.measure import Measure, find_measure, measure_named
from assay.metrics.outcome import Outcome
from assay.metrics.proper import probability_outcome
from assay.stats.significance.test_result import check_alpha
from assay.types import Label, Labels, MeasureLike, RandomState, RowLabels, Target, Weights

__all__ = ["with_interval"]

METHODS: tuple[str, ...] = ("auto", "analytic", "bootstrap", *BOOTSTRAPS)
MAX_JACKKNIFE_BLOCKS = 200  # of rows, each left out once for the influences of a user's function


def with_interval(
    measure: MeasureLike,
    truth: Target,
    answer: Target,
    *,
    method: str = "auto",
    alpha: float = 0.05,
    pos_label: Label | None = None,
    labels: Labels | None = None,
    sample_weight: Weights | None = None,
    coverage: float | None = None,
    columns: int | None = None,
    groups: RowLabels | None = None,
    stratify: bool = False,
    resamples: int = 2000,
    random_state: RandomState = 0,
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

    The rows must be test rows; the interval is for one fitted learner and does not cover refitting it on other
    training rows.

    Parameters
    ----------
    measure : name, such as "accuracy", "f1", "kappa", "auc" or "log-loss" (see :func:`assay.metrics.measures`), a
        :class:`Measure`, or a function of (truth, answer) that returns a number
    truth : (n,) labels, or numbers
    answer : (n,) labels, or scores or probabilities, as the measure needs; of numbers, (n,) predictions, (n, 2) ends
        of prediction intervals or a predictive distribution
    method : "auto", "analytic", "bootstrap", or one of its kinds "percentile", "basic", "bca"
    alpha : float
    pos_label : the class of recall, precision, F1 and their like, or of scores; default as in the function of that
        name (1, or the last of two labels), of more than two classes the mean
    labels : (K,) classes of the columns of probabilities, if not those of truth
    sample_weight : (n,)
    coverage : nominal coverage of the prediction intervals, for measures of these
    columns : of the table that the predictions were made from, for the adjusted R2
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
    if method == "analytic" and groups is not None:
        raise ParameterError("with_interval: rows in groups have no analytic interval; use method='auto'.")
    strata = one_column(truth, "with_interval", "the truth") if stratify else None
    request = IntervalRequest(alpha, method, groups, strata, resamples, random_state)
    record = measure if isinstance(measure, Measure) else find_measure(measure, ranked=False)
    if record is None:
        if callable(measure):
            return _of_function(measure, truth, answer, sample_weight, request, options)
        record = measure_named(measure, "with_interval")
    if record.name == "cost":
        outcome = _of_costs(truth, answer, sample_weight, options)
    else:
        record = record.with_options("with_interval", **options)
        known = {"coverage": coverage, "columns": columns}
        record, outcome = _outcome(record, truth, answer, pos_label, labels, sample_weight, known)
    estimate = record.of.interval(outcome, request, record.bounds)
    if np.isnan(estimate.value) and record.reason is not None:
        return replace(estimate, why=record.why_undefined(outcome))
    return estimate


def _outcome(
    record: Measure,
    truth: Any,
    answer: Any,
    pos_label: Any,
    labels: Any,
    sample_weight: Any,
    known: dict[str, Any],
) -> tuple[Measure, Outcome]:
    """The inputs, read as the measure needs them; and the measure, of ``pos_label`` if it has a class."""
    who = "with_interval"
    if record.needs == "labels":
        pair = labelled(truth, answer, who, sample_weight)
        names = pair.labels.tolist()
        if pos_label is not None and isinstance(record.of, OfTable) and record.of.per_class:
            if pos_label not in names:
                raise ParameterError(f"pos_label={pos_label!r} is not among the labels {names}.", who=who)
            record = record.of_class(pos_label)
        return record, Outcome(pair.truth, pair.answer, None, pair.K, weight=pair.weight, labels=pair.labels)
    if record.needs == "probabilities":
        return record, probability_outcome(truth, answer, who, pos_label, labels, sample_weight)
    if record.needs == "scores":
        return record, _of_scores(record, truth, answer, pos_label, labels, sample_weight)
    if record.needs == "costs":
        answers = one_column(answer, who, "the answer")
        codes = np.zeros(len(answers), dtype=np.int64)
        rejected = np.array([str(v) == "reject" for v in answers.tolist()])
        w = check_weights(sample_weight, len(answers), who, squared=True)
        return record, Outcome(codes, codes, None, 1, rejected=rejected, weight=w)
    return record, Outcome.of_numbers(
        truth, weight=sample_weight, who=who, **_prediction(record, answer), **known
    )


def _prediction(record: Measure, answer: Any) -> dict[str, Any]:
    """What was predicted of each row's number: the number, the ends of an interval or a distribution."""
    if hasattr(answer, "cdf"):
        return {"answer": None, "distribution": answer}
    if record.needs == "numbers":
        return {"answer": answer}
    if record.needs == "distribution":
        raise ParameterError(
            f"{record.name} is of predictive distributions, as predict_distribution gives them; got "
            f"{type(answer).__name__}.",
            who="with_interval",
        )
    ends = numbers(answer, "with_interval", "the interval", (2,), finite=False)
    if ends.shape[1] != 2:
        raise DataError(
            f"an interval has two ends, so answer has two columns; got {ends.shape[1]}.", who="with_interval"
        )
    return {"answer": None, "lower": ends[:, 0], "upper": ends[:, 1]}


def _of_scores(
    record: Measure, truth: Any, answer: Any, pos_label: Any, labels: Any, sample_weight: Any
) -> Outcome:
    who = "with_interval"
    s = numbers(answer, who, "the score", (1, 2))
    if s.ndim == 2 and s.shape[1] > 2:
        outcome = probability_outcome(truth, s, who, None, labels, sample_weight)
        if not outcome.problems():
            raise DataError("the truth has one class only.", who=who)
        return outcome
    one_is_positive = isinstance(record.of, OfScores) and record.of.positive_is_one
    if one_is_positive and pos_label is None and 1 in one_column(truth, who, "the truth").tolist():
        pos_label = 1
    rows = scored(truth, s, who, pos_label)
    codes, w = rows.positive.astype(np.int64), check_weights(sample_weight, len(s), who, squared=True)
    return Outcome(codes, codes, None, 2, weight=w, scores=rows.score)


def _of_costs(truth: Any, answer: Any, sample_weight: Any, options: dict[str, Any]) -> Outcome:
    unknown = [name for name in options if name not in ("loss", "classes", "reject")]
    if unknown:
        raise ParameterError(f"with_interval: cost has no option {unknown[0]!r}.")
    price = cost_per_row(truth, answer, **options)
    codes = np.zeros(len(price), dtype=np.int64)
    w = check_weights(sample_weight, len(price), "with_interval", squared=True)
    return Outcome(codes, codes, None, 1, price=price, weight=w)


def _of_function(
    measure: Callable[..., float],
    truth: Any,
    answer: Any,
    sample_weight: Any,
    request: IntervalRequest,
    options: dict[str, Any],
) -> Estimate:
    """A function of truth and answer, and of sample_weight if there is one."""
    if request.method == "analytic":
        raise ParameterError("with_interval: a function has no analytic interval; use method='auto'.")
    y = one_column(truth, "with_interval", "the truth")
    z = np.asarray(answer)
    if len(z) != len(y):
        raise DataError(f"with_interval: {len(y)} true labels and {len(z)} answers.")
    w = check_weights(sample_weight, len(y), "with_interval", squared=True)

    def value_of(rows: Any) -> float:
        arguments = options if w is None else {**options, "sample_weight": w[rows]}
        return float(measure(y[rows], z[rows], **arguments))

    value, planned, kind = value_of(slice(None)), request.plan(len(y)), request.kind()
    resampled = np.empty(planned.resamples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # undefined resamples are counted instead
        for b in track(range(planned.resamples), "resampling"):
            try:
                resampled[b] = value_of(planned.rows(b))
            except (ValueError, ZeroDivisionError):
                resampled[b] = np.nan
        influence = _jackknife(value_of, len(y)) if kind == "bca" else None
    return request.of_resamples(value, resampled, planned, kind, (-np.inf, np.inf), influence)


def _jackknife(value_of: Callable[[Any], float], n: int) -> Any:
    """Influences from leaving out blocks of rows; None where one of them has no value."""
    blocks = np.array_split(np.arange(n), min(n, MAX_JACKKNIFE_BLOCKS))
    values_without = np.empty(len(blocks))
    for i, block in enumerate(blocks):
        included = np.ones(n, dtype=bool)
        included[block] = False
        try:
            values_without[i] = value_of(np.flatnonzero(included))
        except (ValueError, ZeroDivisionError):
            return None
    if not np.isfinite(values_without).all():
        return None
    return values_without.mean() - values_without, np.ones(len(values_without))
