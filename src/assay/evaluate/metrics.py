"""What is measured on the test rows of a fold, and which direction is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate.outcome import (
    Outcome,
    accuracy,
    brier,
    cost,
    ece,
    error,
    gini,
    lift,
    log_loss,
    of_class,
    of_classes,
    of_scores,
    of_table,
    rejected,
    top_k,
)  # fmt: skip
from assay.metrics import _tables
from assay.metrics.areas import area_of, average_precision_of
from assay.metrics.estimate import Estimate

__all__ = ["METRICS", "Metric", "Outcome", "as_metrics"]


@dataclass(frozen=True)
class Metric:
    """One number for one fold.

    Parameters
    ----------
    name : str
        As the table prints it.
    of : function of an Outcome, giving the number; NaN where the fold does not define it
    better : "lower" or "higher"
    words : str
        What it is, in one sentence, for the report.
    rate : bool
        A share of test rows, so that the number of rows alone bounds how sure one can be.
    needs : "posterior", "price" or ""
        What the outcome must hold.
    bounds : the smallest and the largest possible value
    measure : str
        The measure of :mod:`assay.metrics` that has an interval on given rows; "" if resampling them has to do.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.evaluate import METRICS, Outcome
    >>> seen = Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]), None, 2)
    >>> METRICS["error"].of(seen), METRICS["balanced error"].of(seen)
    (0.25, 0.5)
    >>> print(METRICS["error"].estimate(seen))
    0.2500 (0.0456 to 0.6994, Wilson)
    """

    name: str
    of: Callable[[Outcome], float]
    better: str = "lower"
    words: str = ""
    rate: bool = False
    needs: str = ""
    bounds: tuple[float, float] = field(default=(-np.inf, np.inf))
    measure: str = ""

    @property
    def sign(self) -> int:
        """+1 if lower is better, -1 if higher is."""
        return 1 if self.better == "lower" else -1

    def estimate(self, seen: Outcome, alpha: float = 0.05, resamples: int = 1000) -> Estimate:
        """The metric of these rows with an interval: the measure's own, or by resampling the rows."""
        from assay.metrics.intervals import with_interval

        value = float(self.of(seen))
        if np.isnan(value):
            return Estimate(value, alpha=alpha, why="the metric is not defined on these rows")
        whole = not (seen.answer < 0).any()
        if len(seen.truth) < 2 and not (self.rate and self.measure and whole):
            return Estimate(value, alpha=alpha, why="one row shows no spread")
        if self.measure and whole:
            answer = seen.posterior if self.needs == "posterior" else seen.answer
            classes = np.arange(seen.K) if self.needs == "posterior" else None
            return with_interval(
                self.measure,
                seen.truth,
                answer,
                alpha=alpha,
                labels=classes,
                sample_weight=seen.weight,
                resamples=resamples,
            )
        rows = np.arange(len(seen.truth))
        found = with_interval(lambda _, drawn: self.of(seen.take(drawn)), seen.truth, rows, alpha=alpha,
                              resamples=resamples, method="percentile")  # fmt: skip
        low, high = np.clip([found.low, found.high], *self.bounds)
        return Estimate(value, float(low), float(high), found.method, alpha, found.why)


_UNIT, _SIGNED = (0.0, 1.0), (-1.0, 1.0)
METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric("error", error, "lower", "share of rows classified wrongly", True, "", _UNIT, "error"),
        Metric("accuracy", accuracy, "higher", "share of rows classified rightly", True, "", _UNIT, "accuracy"),
        Metric("balanced error", partial(of_table, _tables.balanced_error), "lower", "mean error of the classes",
               False, "", _UNIT, "balanced error"),
        Metric("balanced accuracy", partial(of_table, _tables.balanced_accuracy), "higher",
               "mean recall of the classes", False, "", _UNIT, "balanced accuracy"),
        Metric("f1", partial(of_classes, _tables.f_measures), "higher",
               "mean over classes of the harmonic mean of precision and recall", False, "", _UNIT, "macro f1"),
        Metric("precision", partial(of_classes, _tables.precisions), "higher",
               "mean over the classes answered of the share of answers that are right", False, "", _UNIT,
               "macro precision"),
        Metric("recall", partial(of_classes, _tables.recalls), "higher",
               "mean over classes of the share of rows recognised", False, "", _UNIT, "balanced accuracy"),
        Metric("specificity", partial(of_classes, _tables.specificities), "higher",
               "mean over classes of the share of other rows not taken for the class", False, "", _UNIT),
        Metric("jaccard", partial(of_classes, _tables.jaccards), "higher",
               "mean over classes of the rows in both over the rows in either", False, "", _UNIT),
        Metric("g-mean", partial(of_table, _tables.g_mean), "higher", "geometric mean of the classes' recalls",
               False, "", _UNIT, "g-mean"),
        Metric("youden", partial(of_table, _tables.youden), "higher", "mean recall with chance at 0", False, "",
               _SIGNED, "youden"),
        Metric("kappa", partial(of_table, _tables.kappa), "higher", "agreement beyond chance", False, "", _SIGNED,
               "kappa"),
        Metric("mcc", partial(of_table, _tables.matthews), "higher", "correlation of truth and answer", False, "",
               _SIGNED, "matthews"),
        Metric("log-loss", log_loss, "lower", "mean surprise at the true class, in nats", False, "posterior",
               (0.0, np.inf), "log-loss"),
        Metric("brier", brier, "lower", "mean squared error of the probabilities", False, "posterior",
               (0.0, 2.0), "brier"),
        Metric("auc", partial(of_scores, area_of), "higher",
               "area under the ROC curve, mean over classes if more than two", False, "posterior", _UNIT, "auc"),
        Metric("gini", gini, "higher", "twice the area under the ROC curve less one", False, "posterior", _SIGNED,
               "gini"),
        Metric("average precision", partial(of_scores, average_precision_of), "higher",
               "mean precision over the steps of recall, mean over classes if more than two", False, "posterior",
               _UNIT, "average precision"),
        Metric("lift", partial(lift, 0.1), "higher",
               "rows of the class in the best tenth, relative to a tenth drawn by lot", False, "posterior",
               (0.0, np.inf)),
        Metric("ece", ece, "lower", "mean distance of what came true from what was forecast, in 15 bins", False,
               "posterior", _UNIT, "ece"),
        Metric("top-2", partial(top_k, 2), "higher", "share of rows whose class is among the 2 most probable", True,
               "posterior", _UNIT),
        Metric("cost", cost, "lower", "mean loss of the decisions", False, "price"),
        Metric("rejected", rejected, "lower", "share of rows left undecided", True, "price", _UNIT),
    )
}  # fmt: skip

_ALSO = {
    "log loss": "log-loss", "logloss": "log-loss", "f1 macro": "f1", "roc auc": "auc", "matthews corrcoef": "mcc",
    "matthews": "mcc", "cohen kappa": "kappa", "g mean": "g-mean", "average-precision": "average precision",
    "precision macro": "precision", "recall macro": "recall", "calibration error": "ece",
}  # fmt: skip
_OF_CLASS = {
    "precision": _tables.precisions, "recall": _tables.recalls, "f1": _tables.f_measures,
    "specificity": _tables.specificities, "jaccard": _tables.jaccards,
}  # fmt: skip


def as_metrics(metrics: Any) -> list[Metric]:
    """Metrics from whatever names them; the first one ranks.

    A Metric stays what it is. A name is one of METRICS, a measure of one class such as "recall of yes", "top-5" or
    "lift at 20%", or the name of one of scikit-learn's scorers ("roc_auc_ovr"). A function is a scorer, made by
    ``make_scorer`` or of (model, X, y), or takes the true labels and the answers.

    >>> from assay.evaluate.metrics import as_metrics
    >>> [m.better for m in as_metrics(["error", "auc", "recall of yes", "neg_log_loss"])]
    ['lower', 'higher', 'higher', 'higher']
    """
    if isinstance(metrics, (str, Metric)) or callable(metrics):
        metrics = [metrics]
    found = [_metric(m) for m in _listed(metrics)]
    if not found:
        raise ParameterError("compare: metrics is empty; name at least one, for example 'error'.")
    names = [m.name for m in found]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"compare: metrics names {next(n for n in names if names.count(n) > 1)!r} twice."
        )
    return found


def _listed(metrics: Any) -> Iterable[Any]:
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"compare: metrics must be a list of names, got {metrics!r}.")
    return list(metrics)


def _metric(m: Any) -> Metric:
    if isinstance(m, Metric):
        return m
    if callable(m):
        from assay.evaluate.scorers import metric_of

        return metric_of(m)
    return _named(m)


def _named(name: Any) -> Metric:
    key = " ".join(str(name).strip().lower().replace("_", " ").split())
    key = _ALSO.get(key, key)
    if key in METRICS:
        return METRICS[key]
    found = _of_class(str(name).strip()) or _with_number(key)
    if found is None:
        from assay.evaluate.scorers import scorer_named

        found = scorer_named(name)
    if found is None:
        raise ParameterError(
            f"compare: there is no metric {name!r}. Known: {', '.join(METRICS)}; of one class, as in "
            "'recall of yes'; and scikit-learn's scorers by name."
        )
    return found


def _of_class(name: str) -> Metric | None:
    """ "recall of yes" and its like."""
    what, _, label = name.partition(" of ")
    function = _OF_CLASS.get(what.strip().lower())
    if function is None or not label.strip():
        return None
    label = label.strip()
    words = f"{what.strip().lower()} of the class {label}"
    return Metric(
        words.replace(" the class", "", 1),
        partial(of_class, function, label),
        "higher",
        words,
        False,
        "",
        _UNIT,
    )


def _with_number(key: str) -> Metric | None:
    """ "top-5", "lift at 20%"."""
    words = key.replace("-", " ").split()
    if len(words) == 2 and words[0] == "top" and words[1].isdigit() and int(words[1]) > 0:
        k = int(words[1])
        told = f"share of rows whose class is among the {k} most probable"
        return Metric(f"top-{k}", partial(top_k, k), "higher", told, True, "posterior", _UNIT)
    if len(words) == 3 and words[:2] == ["lift", "at"] and words[2].endswith("%"):
        try:
            share = float(words[2][:-1]) / 100
        except ValueError:
            return None
        if 0 < share <= 1:
            told = f"rows of the class in the best {words[2]}, relative to as many drawn by lot"
            return Metric(
                f"lift at {words[2]}", partial(lift, share), "higher", told, False, "posterior", (0.0, np.inf)
            )
    return None
