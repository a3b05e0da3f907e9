"""compare: several learners on the same splits of the same rows, and which differences are real."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.seeds import as_seed
from assay.decide import LossMatrix, as_loss
from assay.errors import ParameterError
from assay.evaluate.candidates import as_candidates, task_of_learners
from assay.evaluate.cluster import check_one_place, connected
from assay.evaluate.comparison import Comparison
from assay.evaluate.describe import description
from assay.evaluate.fold import Data, Task
from assay.evaluate.learners import not_tried
from assay.evaluate.metrics import as_measures, task_of_metrics
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import gather
from assay.evaluate.run import INTERRUPTED, remarks_on, run
from assay.evaluate.weights import weight_keyword
from assay.learners import KIND_OF_TASK
from assay.metrics.measure import Measure, measures
from assay.stats.checks import is_number
from assay.stats.significance.test_result import check_alpha
from assay.tables.data import Dataset
from assay.types import Estimator, Losses, MeasureLike, RowLabels, TableLike, Target, Weights

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["compare", "decisions_of"]


def compare(
    learners: Estimator | str | Sequence[Estimator | str] | Mapping[str, Estimator | str] | None,
    X: TableLike,
    y: Target | None = None,
    design: Any = None,
    metrics: MeasureLike | Sequence[MeasureLike] | None = None,
    alpha: float = 0.05,
    *,
    loss: Losses | str | None = None,
    reject: Any = None,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    sample_weight: Weights | None = None,
    test: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    budget: float | None = None,
    probabilities: bool = True,
    name: str | None = None,
    target: str | None = None,
    task: str | None = None,
    client: Client | str | None = None,
) -> Comparison:
    """Fit and test learners on the same splits; say which are better, by how much, and how sure that is.

    Every learner sees the same splits, so differences are paired. Whatever is learned from data is learned
    in each fold from its training rows alone: categories, means that fill missing values, scales. A learner that fails
    is reported with its reason, and the others go on. Ctrl-C ends the run after the last whole split: the result then
    says in ``partial`` on how many splits it rests, the same for every learner.

    Intervals use Student's t with the variance corrected for splits that share rows. The test of two learners
    is the one that fits the design: the same t on repeated splits, the combined F test on 5x2, McNemar's on one
    split and by leave-one-out; by another metric on one split, DeLong's, a paired t test of the rows' losses or a
    paired bootstrap; Diebold and Mariano's on the losses of numbers that were predicted in order of time.
    P-values are adjusted (Holm) over all pairs, because the best learner is chosen by looking at the results; those of
    a learner against the majority learner over the pairs with it alone, since that is a question of its own.

    Parameters
    ----------
    learners : list of learners, short names (``assay.learners``) or both; or a dict of name to
        learner; None for all short names that suit the table
        A learner is anything with scikit-learn's ``fit`` and ``predict``. A scikit-learn ``Pipeline`` gets the
        rows as they came; other learners get what they can use: missing values are imputed and categories expanded
        into indicators where needed, and the result says so.
    X : anything that ``Table.of`` takes, (n, d): text, numbers, missing values; or a built-in Dataset, without y
    y : (n,) classes to tell apart or numbers to predict; rows without one are left out, and a note says how many
    design : how rows are split; default "3x10", with times "5-time"
        "3x10" (repetitions x folds), "10-fold", "5x2", "holdout", "20xholdout(0.25)", "leave-one-out",
        "leave-one-group-out", "bootstrap(200)", "5-time", "5-time(gap=10,window=500)", a Resampling, a scikit-learn
        splitter, or a list of (train, test) row numbers or masks
    metrics : names of :func:`assay.metrics.measures` or of scikit-learn's scorers, Measures or functions; the
        first one ranks. Default: the error of classes; RMSE, MAE and R2 of numbers
    alpha : 1 - confidence of intervals, and the level of tests
    loss : what wrong answers cost, {(said, truth): cost} or an array; adds the metric cost
    reject : what it costs to leave a row undecided; adds the metrics cost and rejected
    groups : (n,) rows of one group (a patient, a document) stay on one side of every split
    times : (n,) when each row was (numbers, dates, ISO text): training rows come before test rows
    sample_weight : (n,) how much each row counts, in learning and in the metrics; learners that cannot use
        weights are named in a note
    test : the test rows of a single holdout, as row numbers, as a mask, or as a second table (X_test, y_test)
    random_state : whole number; the splits, and every learner's own open random_state
    n_jobs : number of processes, one fold each, as in joblib; the result does not depend on it
    budget : seconds after which no further fold is started
    probabilities : whether to keep the posteriors of the first repetition, in which each row is tested once at
        most; ``Comparison.out_of_fold`` and the curves of the report need them
    name, target : what the data and the target are called; default: as X and y say
    task : "classification" or "regression". None goes by the learners if all are for one of them, then by the
        metrics, else by y: numbers with fractions, or more than 20 distinct whole ones (10 if there are fewer than two
        rows for each), are predicted as numbers, and a note says so
    client : a ``distributed.Client``, or the address of a Dask scheduler, on whose workers learners are fitted
        Each learner on each split is a task; rows are sent once. A worker that dies costs the cells it was running,
        which are run elsewhere; a learner that takes its worker with it every time has failed. The numbers stay
        the same.

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
    alpha = check_alpha(alpha, "compare")
    if budget is not None and not (is_number(budget) and budget >= 0):
        raise ParameterError(f"budget must be a number of seconds from 0 up, got {budget!r}.", who="compare")
    if n_jobs == 0:
        raise ParameterError(
            "n_jobs must be a number of processes, or -1 for all cores, got 0.", who="compare"
        )
    check_one_place(n_jobs, client, "compare")
    if reject is not None and not (is_number(reject) and reject >= 0):
        raise ParameterError(f"reject must be a number from 0 up, or None, got {reject!r}.", who="compare")
    seed = as_seed(random_state, "compare")
    if isinstance(X, Dataset) and y is None:
        name, target, (X, y) = name or X.name, target or X.target_name, X
    rows = gather(
        X,
        y,
        design,
        groups=groups,
        times=times,
        weights=sample_weight,
        test=test,
        loss=loss,
        target=target,
        task=task,
        of_learners=task_of_learners(learners) or task_of_metrics(metrics),
    )
    data, notes = rows.data, rows.notes
    aim = data.target
    costs, measured = decisions_of(rows.loss, reject, as_measures(metrics, task=aim.task), data)
    plan, changes = rows.design.fitted_to(aim.codes, aim.labels, data.groups, data.times)
    notes += changes
    folds = plan.folds if plan.kind == "folds" else 10
    about = description(data.table, aim, name or "data", folds, plan, data.groups, data.times)
    candidates = as_candidates(learners, data.table, aim.task)
    if learners is None:
        notes.append(not_tried(data.table, KIND_OF_TASK[aim.task]))
    notes += _unweighed(candidates, data)
    asked = Task(measured, costs, reject, seed, probabilities)
    start = time.perf_counter()
    deadline = None if budget is None else start + budget
    with connected(client, "compare") as cluster:
        finished, done, ended = run(candidates, data, plan, asked, n_jobs, deadline, cluster)
    partial = ""
    if ended:
        partial = f"{ended} after {len(finished)} of {plan.count(len(data.codes), data.groups)} splits"
        notes.append(f"{partial}; the result rests on these.")
    cells = {c.name: [row[i] for row in finished] for i, c in enumerate(candidates)}
    result = Comparison(
        learners=[c.name for c in candidates],
        metrics=measured,
        design=plan,
        alpha=alpha,
        data=about,
        classes=[v.item() if isinstance(v, np.generic) else v for v in data.labels],
        truths=[data.truth[test] for _, test in done],
        tests=[test for _, test in done],
        places=[place for place, _ in done],
        cells=cells,
        candidates={c.name: c for c in candidates},
        notes=notes,
        settings=_settings(seed, time.perf_counter() - start, data, costs, reject),
        weights=[] if data.weight is None else [data.weight[test] for _, test in done],
        partial=partial,
        interrupted=ended == INTERRUPTED,
        source=data,
    )
    result.notes += remarks_on(result)
    return result


def _unweighed(candidates: list[Candidate], data: Data) -> list[str]:
    """A sentence that names the learners which cannot use the weights of rows."""
    if data.weight is None:
        return []
    names = [c.name for c in candidates if weight_keyword(c.estimator) is None]
    if not names:
        return []
    return [f"{', '.join(names)} cannot learn from weighted rows; the weights count in the metrics alone."]


def decisions_of(
    loss: Any, reject: Any, metrics: list[Measure], data: Data, who: str = "compare"
) -> tuple[LossMatrix | None, list[Measure]]:
    """The loss table, and the metrics with cost and rejected added where a loss or a reject cost asks for them."""
    names = [m.name for m in metrics]
    for m in metrics:
        if data.weight is not None and not m.takes_weights:
            raise ParameterError(
                f"the metric {m.name} does not take sample_weight, so it cannot count rows by their weights. "
                "Give its function that parameter, or leave the metric or the weights out.",
                who=who,
            )
    if loss is None and reject is None:
        for m in metrics:
            if m.needs == "costs":
                raise ParameterError(
                    f"the metric {m.name} needs to know what answers cost: loss={{(said, truth): cost}}"
                    + (" or reject=cost." if m.name == "cost" else ", and reject=cost."),
                    who=who,
                )
        return None, metrics
    if data.target.task == "regression":
        what = "loss" if loss is not None else "reject"
        raise ParameterError(
            f"{what}= is about wrong classes, and {data.target.name} has numbers. Costs of predicted numbers: the "
            "metric 'asymmetric cost'.",
            who=who,
        )
    table = as_loss(loss, data.labels, who=who)
    if table.actions != table.classes:
        raise ParameterError(
            f"the loss has actions that are no class: {[a for a in table.actions if a not in table.classes]}. "
            "For leaving a row undecided, give reject=cost.",
            who=who,
        )
    wanted = ["cost"] + (["rejected"] if reject is not None else [])
    return table, metrics + [measures()[m] for m in wanted if m not in names]


def _settings(seed: int, seconds: float, data: Data, loss: LossMatrix | None, reject: Any) -> dict[str, Any]:
    import sklearn

    import assay

    return {
        "seed": seed,
        "seconds": seconds,
        "grouped": data.groups is not None,
        "timed": data.times is not None,
        "weighted": data.weight is not None,
        "loss": None if loss is None else "per row" if loss.per_row else _pairs(loss),
        "reject": reject,
        "versions": {
            "assay": assay.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


def _pairs(loss: LossMatrix) -> list[tuple[Any, Any, float]]:
    """(said, truth, cost) of every pair whose cost is not that of the 0/1 loss."""
    usual = 1.0 - np.eye(len(loss.classes))
    return [
        (loss.actions[i], loss.classes[k], float(loss.costs[i, k]))
        for i, k in np.argwhere(loss.costs != usual)
    ]
