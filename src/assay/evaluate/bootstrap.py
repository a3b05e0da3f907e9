"""The error of one learner by the bootstrap: plain, leave-one-out, .632 and .632+."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.candidates import as_candidates, task_of_learners
from assay.evaluate.deal import bootstrap_rows
from assay.evaluate.design import Split
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import Data, Task, run_cell
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import gather
from assay.evaluate.work import each
from assay.metrics.measure import measures
from assay.sentence import Sentence
from assay.stats.significance.test_result import check_alpha, shown_confidence
from assay.types import RowLabels, Target

__all__ = ["BootstrapError", "bootstrap_error", "error_632", "error_632_plus", "no_information_rate"]


def error_632(training: float, left_out: float) -> float:
    """The training error is too low, the error on rows left out too high: :math:`.368 e_{train} + .632 e_{oob}`.

    >>> from assay.evaluate import error_632
    >>> round(error_632(0.05, 0.25), 4)
    0.1764
    """
    return 0.368 * training + 0.632 * left_out


def error_632_plus(training: float, left_out: float, no_information: float) -> float:
    r"""The .632 estimate that trusts the training error less, the more the learner overfits.

    .. math:: R = \frac{e_{oob} - e_{train}}{\gamma - e_{train}}, \qquad w = \frac{.632}{1 - .368 R}, \qquad
              (1 - w) e_{train} + w\, e_{oob}                                                   \quad (1)

    with :math:`e_{oob}` no larger than the error :math:`\gamma` without information, and R = 0 unless both are
    above the training error (Efron and Tibshirani 1997).

    >>> from assay.evaluate import error_632_plus
    >>> round(error_632_plus(0.05, 0.25, 0.5), 8)
    0.20111583
    """
    left_out = min(left_out, no_information)
    overfit = left_out > training and no_information > training
    R = (left_out - training) / (no_information - training) if overfit else 0.0
    w = 0.632 / (1 - 0.368 * R)
    return (1 - w) * training + w * left_out  # (1)


def no_information_rate(truth: Target, answer: Target) -> float:
    r"""The error if classes and answers had nothing to do with each other: :math:`\sum_k p_k (1 - q_k)`.

    >>> from assay.evaluate import no_information_rate
    >>> no_information_rate(["a", "a", "a", "b"], ["a", "a", "b", "b"])
    0.5
    """
    truth, answer = np.asarray(truth), np.asarray(answer)
    if truth.shape != answer.shape or truth.ndim != 1 or not len(truth):
        raise DataError(
            f"no_information_rate: needs one answer for each row, got shapes {truth.shape} and {answer.shape}."
        )
    return float(sum(np.mean(truth == k) * np.mean(answer != k) for k in np.unique(truth)))


def no_information_loss(truth: np.ndarray, predicted: np.ndarray, loss: str = "squared") -> float:
    r"""The mean loss if numbers and predictions had nothing to do with each other: over all pairs of rows,
    :math:`\frac{1}{n^2} \sum_{ij} L(y_i, \hat y_j)`.

    >>> import numpy as np
    >>> from assay.evaluate.bootstrap import no_information_loss
    >>> no_information_loss(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    1.0
    >>> no_information_loss(np.array([0.0, 4.0]), np.array([1.0, 2.0]), "absolute")
    2.0
    """
    if loss == "squared":
        gap = float(truth.mean() - predicted.mean())
        return float(truth.var() + predicted.var()) + gap * gap
    ordered = np.sort(predicted)
    below = np.searchsorted(ordered, truth)  # how many predictions are below each number
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    total = truth * below - sums[below] + (sums[-1] - sums[below]) - truth * (len(ordered) - below)
    return float(total.mean() / len(ordered))


@dataclass(frozen=True)
class BootstrapError(Sentence):
    """Four estimates of one error, each with its interval.

    Attributes
    ----------
    plain : error of the resampled learners on all rows, most of which they have seen: too low
    leave_one_out : for each row the error of those that have not seen it, then the mean over rows: too high
    point_632, point_632_plus : the compromises
    training : the error on the training rows
    no_information : the error if the columns said nothing
    intervals : {name: (low, high)} of the four
    left_out : (B,) the error of each resampled learner on the rows it has not seen
    row_error : (n,) how often each row was missed by learners that have not seen it, of numbers its mean loss; NaN if
        all have seen it
    loss : "error" of classes; "squared error" or "absolute error" of numbers, of which the estimates are means
    """

    learner: str
    plain: float
    leave_one_out: float
    point_632: float
    point_632_plus: float
    training: float
    no_information: float
    intervals: dict[str, tuple[float, float]]
    alpha: float
    left_out: np.ndarray = field(repr=False)
    row_error: np.ndarray = field(repr=False)
    notes: tuple[str, ...] = ()
    loss: str = "error"

    def __str__(self) -> str:
        what = "Error" if self.loss == "error" else f"Mean {self.loss}"
        m = measures()[_MEASURES[self.loss]]
        lines = [
            f"{what} of {self.learner} by {len(self.left_out)} bootstrap samples of {len(self.row_error)} rows:"
        ]
        for name, words in _WORDS.items():
            value, low, high = (
                shown_metric(m, v, self.plain) for v in (getattr(self, name), *self.intervals[name])
            )
            lines.append(f"  {words:<14} {value}, {shown_confidence(self.alpha)} interval {low} to {high}")
        training, gamma = (shown_metric(m, v, self.plain) for v in (self.training, self.no_information))
        lines.append(f"  training       {training}; without information {gamma}")
        return "\n".join([*lines, *self.notes])


FEWEST = 20  # samples that an estimate rests on
_MEASURES = {"error": "error", "squared error": "mse", "absolute error": "mae"}
_WORDS = {"plain": "plain", "leave_one_out": "leave-one-out", "point_632": ".632", "point_632_plus": ".632+"}


@spoken_as("bootstrap_error")
def bootstrap_error(
    learner: Any,
    X: Any,
    y: Any = None,
    n_resamples: int = 200,
    *,
    training: str = "all rows",
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
    loss: str = "squared",
) -> BootstrapError:
    r"""How often a learner errs, or by how much, by fitting it to samples of n rows drawn with replacement.

    A sample leaves out a row with probability :math:`(1 - 1/n)^n \approx .368`. The learners that have not seen a
    row judge it; the mean over rows is the leave-one-out bootstrap, which is too high, because a sample has but
    .632 n distinct rows. The .632 estimate pulls it towards the training error, .632+ does so less for a learner
    that overfits.

    Interval of the leave-one-out estimate: the middle of the resampled errors, with their distances from the mean
    shrunk by :math:`\sqrt{m/(n-m)}`, since an error on m of n rows varies by so much more than one on all n (the
    factor of the delete-d jackknife). The intervals of the .632 estimates reach as far: the training error is of the
    same rows and moves with it. The interval of the plain estimate treats rows as the sample, and is about that
    estimate, not about the error in use.

    Parameters
    ----------
    learner : a learner or its short name; it is prepared as in ``compare``
    X, y : rows and their classes or numbers, as in ``compare``
    n_resamples : B, at least 20
    training : "all rows": the error, on all rows, of the learner fitted to all rows (Efron); "own samples": the mean
        error of each resampled learner on the rows of its own sample
    alpha : 1 - confidence of the interval
    groups : (n,) groups to be drawn whole
    random_state, n_jobs, task : as in ``compare``
    loss : of numbers, the "squared" or the "absolute" error of a row

    Returns
    -------
    BootstrapError

    Examples
    --------
    >>> from assay.evaluate import bootstrap_error
    >>> from assay.tables.data import load_iris
    >>> found = bootstrap_error("lda", load_iris(), n_resamples=50)
    >>> found.plain < found.point_632 < found.leave_one_out
    True
    """
    alpha = check_alpha(alpha, "bootstrap_error")
    check_count("bootstrap_error", "n_resamples", n_resamples, low=FEWEST)
    if training not in ("all rows", "own samples"):
        raise ParameterError(
            f'bootstrap_error: training must be "all rows" or "own samples", got {training!r}.'
        )
    if loss not in ("squared", "absolute"):
        raise ParameterError(f'loss must be "squared" or "absolute", got {loss!r}.', who="bootstrap_error")
    if y is None and hasattr(X, "target_name"):
        X, y = X
    rows = gather(X, y, "holdout", groups=groups, task=task, of_learners=task_of_learners([learner]),
                  who="bootstrap_error")  # fmt: skip
    random_state = as_seed(random_state, "bootstrap_error")
    data = rows.data
    loss = f"{loss} error" if data.target.task == "regression" else "error"
    (candidate,) = as_candidates([learner], data.table, data.target.task)
    drawn, wrong = _resampled(candidate, data, int(n_resamples), random_state, n_jobs, loss)
    answer = _answers(
        candidate, data, Split(0, 0, np.arange(len(data.codes)), np.arange(len(data.codes))), random_state
    )
    shown = float(np.mean(_losses(data.truth, answer, loss)))
    if training == "own samples":
        shown = float((drawn * wrong).sum() / drawn.sum())
    notes = list(rows.notes)
    if len(drawn) < n_resamples:
        notes.append(f"Interrupted after {len(drawn)} of {n_resamples} samples; the result rests on these.")
    unseen = drawn == 0
    judges = unseen.sum(axis=0)
    if (judges == 0).any():
        notes.append(
            f"{int((judges == 0).sum())} rows are in every sample and are left out. Raise n_resamples."
        )
    row_error = np.full(len(judges), np.nan)
    has_judges = judges > 0
    row_error[has_judges] = (unseen * wrong).sum(axis=0)[has_judges] / judges[has_judges]
    leave_one_out = float(row_error[has_judges].mean())
    if loss == "error":
        gamma, top = no_information_rate(data.codes, answer), 1.0
    else:
        gamma, top = no_information_loss(data.truth, answer, loss.split()[0]), np.inf
    left_out = (unseen * wrong).sum(axis=1) / unseen.sum(axis=1)
    low, high = _middle(left_out, leave_one_out, unseen.sum(axis=1).mean() / len(judges), alpha, top)
    return BootstrapError(
        candidate.name,
        float(wrong.mean()),
        leave_one_out,
        error_632(shown, leave_one_out),
        error_632_plus(shown, leave_one_out, gamma),
        shown,
        gamma,
        {
            "plain": _of_rows(wrong.mean(axis=0), alpha, top),
            "leave_one_out": (low, high),
            "point_632": _moved(error_632(shown, leave_one_out), leave_one_out, low, high, top),
            "point_632_plus": _moved(
                error_632_plus(shown, leave_one_out, gamma), leave_one_out, low, high, top
            ),
        },
        alpha,
        left_out,
        row_error,
        tuple(notes),
        loss,
    )


def _resampled(
    candidate: Candidate, data: Data, B: int, seed: int, n_jobs: int | None, loss: str
) -> tuple[np.ndarray, np.ndarray]:
    """(B, n) how often each sample holds each row, and whether its learner errs on it, or by how much."""
    n = len(data.codes)
    drawn = np.zeros((B, n), dtype=np.int32)
    wrong = np.zeros((B, n), dtype=bool if loss == "error" else np.float64)
    everyone = np.arange(n)
    splits = []
    for b in range(B):
        rows = bootstrap_rows(data.codes, np.random.default_rng([seed, b]), data.groups)
        drawn[b] = np.bincount(rows, minlength=n)
        splits.append(Split(b, 0, rows, everyone))
    with progress(total=B, description="bootstrap samples") as bar:
        answers, done = each(_answers, ((candidate, data, split, seed) for split in splits), n_jobs), 0
        try:
            for done, answer in enumerate(answers, 1):
                wrong[done - 1] = _losses(data.truth, answer, loss)
                bar.advance()
        except KeyboardInterrupt:
            if done < FEWEST:
                raise
        finally:
            answers.close()
    return drawn[:done], wrong[:done]


def _answers(candidate: Candidate, data: Data, split: Split, seed: int) -> np.ndarray:
    name = "error" if data.target.task == "classification" else "mse"
    task = Task([measures()[name]], None, None, seed, probabilities=False)
    cell = run_cell(candidate, data.fold(split), task)
    if cell.answer is None:
        raise DataError(f"bootstrap_error: {candidate.name} failed. {cell.failure}")
    return cell.answer if data.target.task == "regression" else cell.answer.astype(np.int64)


def _losses(truth: np.ndarray, answer: np.ndarray, loss: str) -> np.ndarray:
    losses: np.ndarray
    if loss == "error":
        losses = truth != answer
    else:
        losses = (truth - answer) ** 2 if loss == "squared error" else np.abs(truth - answer)
    return losses


def _middle(
    left_out: np.ndarray, centre: float, share: float, alpha: float, top: float
) -> tuple[float, float]:
    """The middle 1 - alpha of the resampled errors about the estimate, at the spread of an error on all rows."""
    shrink = np.sqrt(share / (1 - share))
    ends = centre + shrink * (np.quantile(left_out, [alpha / 2, 1 - alpha / 2]) - left_out.mean())
    return float(np.clip(ends[0], 0.0, centre)), float(np.clip(ends[1], centre, top))


def _moved(point: float, centre: float, low: float, high: float, top: float) -> tuple[float, float]:
    """The interval of the centre, moved to another point; within 0 and the largest possible value."""
    return max(point - (centre - low), 0.0), min(point + (high - centre), top)


def _of_rows(errors: np.ndarray, alpha: float, top: float) -> tuple[float, float]:
    from scipy.special import ndtri

    mean = float(errors.mean())
    half = float(-ndtri(alpha / 2) * errors.std(ddof=1) / np.sqrt(len(errors)))
    return max(mean - half, 0.0), min(mean + half, top)
