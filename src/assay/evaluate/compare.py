"""compare: several learners on the same splits of the same rows, and which differences are real."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.decide import Loss, as_loss
from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import as_candidates
from assay.evaluate.comparison import Comparison
from assay.evaluate.describe import description
from assay.evaluate.design import Resampling
from assay.evaluate.fold import Data, Task, take
from assay.evaluate.metrics import METRICS, Metric, as_metrics
from assay.evaluate.run import remarks_on, run
from assay.evaluate.target import Target, as_target
from assay.tables import Table
from assay.tables.data import Dataset

__all__ = ["compare"]


def compare(
    learners: Any,
    X: Any,
    y: Any = None,
    design: Any = "3x10",
    metrics: Any = ("error",),
    alpha: float = 0.05,
    *,
    loss: Any = None,
    reject: Any = None,
    groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    budget: float | None = None,
    probabilities: bool = True,
    name: str | None = None,
    target: str | None = None,
) -> Comparison:
    """Fit and test learners on the same splits; say which are better, by how much, and how sure that is.

    Every learner sees the same splits, so differences are paired. Whatever is learned from data is learned
    in each fold from its training rows alone: categories, means that fill holes, scales. A learner that fails
    is reported with its reason, and the others go on.

    Intervals and tests use Student's t with the variance corrected for splits that share rows; p-values are
    adjusted (Holm) over all pairs, because the best learner is chosen by looking at the results.

    Parameters
    ----------
    learners : list of learners, short names (see ``assay.evaluate.LEARNERS``) or both; or a dict of name to
        learner; None for all short names that suit the table
        A learner is anything with scikit-learn's ``fit`` and ``predict``. A scikit-learn ``Pipeline`` gets the
        rows as they came; other learners get what they can use: holes are imputed and categories expanded
        into indicators where needed, and the result says so.
    X : anything that ``Table.of`` takes, (n, d): text, numbers, holes; or a built-in Dataset, without y
    y : (n,) classes; rows without one are left out, and a note says how many
    design : "3x10" (repetitions x folds), "10-fold", "5x2", "holdout", "20xholdout", "leave-one-out", or a
        Resampling
    metrics : names of METRICS, or Metric objects; the first one ranks
    alpha : 1 - confidence of intervals, and the level of tests
    loss : what wrong answers cost, {(said, truth): cost} or an array; adds the metric cost
    reject : what it costs to leave a row undecided; adds the metrics cost and rejected
    groups : (n,) rows of one group (a patient, a document) stay on one side of every split
    random_state : whole number; the splits, and every learner's own open random_state
    n_jobs : number of processes, one fold each, as in joblib; the result does not depend on it
    budget : seconds after which no further fold is started
    probabilities : whether to keep the posteriors of the first repetition, in which each row is tested once at
        most; ``Comparison.out_of_fold`` and the curves of the report need them
    name, target : what the data and the classes are called; default: as X and y say

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay import compare
    >>> from assay.bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> result = compare(["majority", GaussianNB()], X, y, design="10-fold")
    >>> result.best
    'GaussianNB'
    >>> result.test("GaussianNB", "majority").significant
    True
    """
    if not 0 < alpha < 1:
        raise ParameterError(f"compare: alpha must be a number above 0 and below 1, got {alpha!r}.")
    if n_jobs == 0:
        raise ParameterError("compare: n_jobs must be a number of processes, or -1 for all cores, got 0.")
    if reject is not None and not (np.ndim(reject) == 0 and 0 <= float(reject) < np.inf):
        raise ParameterError(f"compare: reject must be a number from 0 up, or None, got {reject!r}.")
    seed = _seed(random_state)
    if isinstance(X, Dataset) and y is None:
        name, target, (X, y) = name or X.name, target or X.target_name, X
    if y is None:
        raise ParameterError("compare: y is missing; give the class of each row.")
    data, groups, loss, target, notes = _rows(X, y, groups, loss, target)
    loss, measured = _decisions(loss, reject, as_metrics(metrics), data)
    plan, changes = Resampling.of(design).fitted_to(data.codes, data.labels, groups)
    notes += changes
    classes = Target(target, data.labels, data.codes)
    about = description(data.table, classes, name or "data", plan.folds if plan.kind == "folds" else 10)
    candidates = as_candidates(learners, data.table)
    if not any(c.raw for c in candidates):
        data.raw = None  # nobody needs the rows as they came, so no process has to be sent them
    splits = list(plan.splits(data.codes, seed, groups))
    task = Task(measured, loss, reject, seed, probabilities)
    start = time.perf_counter()
    deadline = None if budget is None else start + budget
    finished, ended = run(candidates, data, splits, task, n_jobs, deadline)
    if ended:
        notes.append(f"{ended} after {len(finished)} of {len(splits)} splits; the result rests on these.")
    done = splits[: len(finished)]
    cells = {c.name: [row[i] for row in finished] for i, c in enumerate(candidates)}
    notes += remarks_on(cells, measured)
    return Comparison(
        learners=[c.name for c in candidates],
        metrics=measured,
        design=plan,
        alpha=alpha,
        data=about,
        classes=[v.item() if isinstance(v, np.generic) else v for v in data.labels],
        truths=[data.codes[s.test] for s in done],
        tests=[s.test for s in done],
        places=[(s.repetition, s.fold, len(s.train)) for s in done],
        cells=cells,
        candidates={c.name: c for c in candidates},
        notes=notes,
        settings=_settings(seed, time.perf_counter() - start, groups is not None, loss, reject),
        source=data,
    )


def _seed(random_state: Any) -> int:
    if (
        isinstance(random_state, (int, np.integer))
        and not isinstance(random_state, bool)
        and random_state >= 0
    ):
        return int(random_state)
    raise ParameterError(
        "compare: random_state must be a whole number from 0 up, so that the result can be had again, "
        f"got {random_state!r}."
    )


def _rows(X: Any, y: Any, groups: Any, loss: Any, name: str | None) -> tuple[Data, Any, Any, str, list[str]]:
    """The rows with a class; groups and costs of those rows; what the class is called; notes."""
    table = Table.of(X, who="compare")
    n = table.shape[0]
    target = as_target(y, n, "compare", name=name)
    if groups is not None:
        groups = np.asarray(groups.to_numpy() if hasattr(groups, "to_numpy") else groups)
        if groups.shape != (n,):
            raise DataError(
                f"compare: X has {n} rows, so groups must have {n} entries; its shape is {groups.shape}."
            )
    kept, codes, notes = target.labelled, target.codes, []
    if not kept.all():
        lost = int((~kept).sum())
        notes.append(
            f"{lost} of {n} rows {'has' if lost == 1 else 'have'} no {target.name} and "
            f"{'was' if lost == 1 else 'were'} left out."
        )
        rows = np.flatnonzero(kept)
        X, table, codes = take(X, rows), take(table, rows), codes[rows]
        groups = None if groups is None else groups[rows]
        if loss is not None and not isinstance(loss, (Mapping, Loss)) and np.ndim(loss) == 3:
            loss = np.asarray(loss)[rows]
    return Data(X, table, target.labels, codes, groups), groups, loss, target.name, notes


def _decisions(loss: Any, reject: Any, metrics: list[Metric], data: Data) -> tuple[Loss | None, list[Metric]]:
    """The loss table, and the metrics with cost and rejected added where a loss or a reject cost asks for them."""
    names = [m.name for m in metrics]
    if loss is None and reject is None:
        for m in metrics:
            if m.needs == "price":
                raise ParameterError(
                    f"compare: the metric {m.name} needs to know what answers cost: loss={{(said, truth): cost}}"
                    + (" or reject=cost." if m.name == "cost" else ", and reject=cost.")
                )
        return None, metrics
    table = as_loss(loss, data.labels, who="compare")
    if table.actions != table.classes:
        raise ParameterError(
            f"compare: the loss has actions that are no class: {[a for a in table.actions if a not in table.classes]}. "
            "For leaving a row undecided, give reject=cost."
        )
    wanted = ["cost"] + (["rejected"] if reject is not None else [])
    return table, metrics + [METRICS[m] for m in wanted if m not in names]


def _settings(seed: int, seconds: float, grouped: bool, loss: Loss | None, reject: Any) -> dict[str, Any]:
    import sklearn

    import assay

    return {
        "seed": seed,
        "seconds": seconds,
        "grouped": grouped,
        "loss": None if loss is None else "per row" if loss.per_row else _pairs(loss),
        "reject": reject if reject is None or np.ndim(reject) == 0 else "per row",
        "versions": {
            "assay": assay.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


def _pairs(loss: Loss) -> list[tuple[Any, Any, float]]:
    """(said, truth, cost) of every pair whose cost is not that of the 0/1 loss."""
    usual = 1.0 - np.eye(len(loss.classes))
    return [
        (loss.actions[i], loss.classes[k], float(loss.costs[i, k]))
        for i, k in np.argwhere(loss.costs != usual)
    ]
