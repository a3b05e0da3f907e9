"""An experiment: learners with their settings on data sets, planned, run, interrupted, resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import ParameterError, spoken_as
from assay.evaluate import Resampling
from assay.evaluate.cluster import Cluster, check_one_place, connected
from assay.evaluate.fold import Cell, Task
from assay.evaluate.metrics import as_measures, task_of_metrics
from assay.evaluate.target import check_task
from assay.experiments.cells import FIELDS, Job, Trial, as_record, in_random_order
from assay.experiments.checklist import Checklist
from assay.experiments.checks import check_jobs, check_seconds, check_seed
from assay.experiments.clock import Clock
from assay.experiments.fingerprint import settings_text
from assay.experiments.folder import Block, Manifest, as_plain, check_folder, sessions_of, versions
from assay.experiments.grid import as_entrants, task_of_entrants
from assay.experiments.journal import Journal, write_whole
from assay.experiments.plan import Plan
from assay.experiments.problem import Problem, named_sources
from assay.experiments.schedule import run_jobs
from assay.experiments.study import Study
from assay.metrics.measure import Measure
from assay.stats.significance.test_result import check_alpha
from assay.types import MeasureLike, PathLike

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Experiment"]


class Experiment:
    """Learners x settings x data sets x splits, each cell run once, even if interrupted.

    The same splits test every learner, the order of the runs is random within blocks, and each finished cell is on
    disk before the next one counts. After a crash, a kill or Ctrl-C, ``run`` goes on with what is missing. A cell is
    identified by the content of its rows, the settings of its learner (and the code of a class of your own), its split
    and the seed: add a learner, a data set or repetitions, and only what is new is run. A learner that fails, or
    crashes its process, is recorded with the reason.

    Parameters
    ----------
    learners : as in ``compare``, or with settings: ``{"tree": (DecisionTreeClassifier(), {"max_depth": [2, 4]})}``
        tries every combination of levels, a list of runs (dicts, such as those of a factorial design) tries these.
        None takes all short names that suit every data set.
    data : list or dict of data sets: names of built-in ones, ``Dataset`` objects, pairs ``(X, y)``,
        ``dict(X=..., y=..., groups=...)``, files as ``dict(file="loans.csv", target="default")``
    design : name of a resampling design, such as "3x10"
    metrics : as in :func:`assay.compare`; the first one ranks. Default: the error of classes; R2, RMSE and MAE of
        numbers
    factors : settings as above, for every learner without settings
    alpha : 1 - confidence of intervals, and the level of tests
    folder : where the experiment lives; None keeps it in memory
    random_state : whole number; splits, run order, and every learner's own open random_state
    probabilities : whether to keep the posteriors of the first repetition
    checklist : Checklist, written into the folder before the first cell is run; None generates it
    name : of the experiment; default: the folder's name
    task : "classification" or "regression"; None as in :func:`assay.compare`, the same for all data sets

    Examples
    --------
    >>> from assay.experiments import Experiment
    >>> study = Experiment(["majority", "lda", "naive bayes"], ["iris", "wine"], design="5-fold").run()
    >>> study.table().round(3)
    array([[0.667, 0.02 , 0.047],
           [0.601, 0.006, 0.017]])
    """

    def __init__(
        self,
        learners: Any,
        data: Any,
        *,
        design: Any = "3x10",
        metrics: MeasureLike | Sequence[MeasureLike] | None = None,
        factors: Any = None,
        alpha: float = 0.05,
        folder: PathLike | None = None,
        random_state: int = 0,
        probabilities: bool = True,
        checklist: Checklist | None = None,
        name: str | None = None,
        task: str | None = None,
    ):
        self.learners, self.factors = learners, factors
        self.sources = named_sources(data)
        with spoken_as("experiment"):
            self.design = Resampling.of(design)
            named = [] if metrics is None else as_measures(metrics, task=None)  # wrong names are refused here
            self._task = check_task(task, "experiment")
        self.alpha = check_alpha(alpha, "experiment")
        self.folder = check_folder(folder)
        self.seed = check_seed(random_state)
        self.probabilities = probabilities
        self.checklist = checklist
        self.name = name or (self.folder.name if self.folder is not None else "experiment")
        if checklist is not None and not isinstance(checklist, Checklist):
            raise ParameterError(f"checklist must be a Checklist, got {checklist!r}.", who="experiment")
        if self.design.given_splits is not None or Resampling.of(self.design.name) != self.design:
            raise ParameterError(
                f"the design {self.design} has no name by which it can be found again. Give a name, such "
                'as "3x10" or "20xholdout".',
                who="experiment",
            )
        self._metrics = metrics
        for m in named:
            if m.needs == "costs":
                raise ParameterError(
                    f"the metric {m.name} rests on costs, which differ between data sets. Use compare on "
                    "each, or another metric.",
                    who="experiment",
                )
        self.described: dict[str, str] | None = None  # the text that describes it, if it came from a file
        self._memory = Journal(None)

    # what there is to do

    @cached_property
    def task(self) -> str:
        """ "classification" or "regression", of all data sets."""
        tasks = {problem.name: problem.data.target.task for problem in self.problems}
        if len(set(tasks.values())) > 1:
            named = ", ".join(f"{name} ({task})" for name, task in tasks.items())
            raise ParameterError(
                f"the data sets are not of one task: {named}. Run two experiments, or give task=.",
                who="experiment",
            )
        return next(iter(tasks.values()))

    @cached_property
    def metrics(self) -> list[Measure]:
        """What is measured; the first one ranks."""
        usual = (
            ("r2", "rmse", "mae") if self.task == "regression" else None
        )  # R2 compares data sets in any unit
        with spoken_as("experiment"):
            return as_measures(usual if self._metrics is None else self._metrics, task=self.task)

    @cached_property
    def problems(self) -> list[Problem]:
        """The data sets, read."""
        implied = task_of_entrants(self.learners) or task_of_metrics(self._metrics)
        return [
            Problem.of(name, source, self.design, self.seed, self._task, implied)
            for name, source in self.sources.items()
        ]

    @cached_property
    def trials(self) -> list[Trial]:
        """Every learner with its settings on every data set."""
        tables = [p.data.table for p in self.problems]
        entrants = as_entrants(self.learners, tables, self.factors, self.task)
        trials = []
        for problem in self.problems:
            trials_here = [Trial(problem, e, e.candidate(problem.data.table, self.task)) for e in entrants]
            problem.raw = any(t.candidate.raw for t in trials_here)
            trials += trials_here
        return trials

    @cached_property
    def jobs(self) -> list[Job]:
        """Every cell in the order in which it is run: random, blocked by repetition, data set and split."""
        return in_random_order(self.trials, self.seed)

    def plan(self, pilot: float = 5.0) -> Plan:
        """What will be run, in which order, and about how long that takes.

        Parameters
        ----------
        pilot : seconds for which a few cells, smallest data sets first, are run to measure; they count and are not
            run again. 0 measures nothing.
        """
        check_seconds(pilot, "pilot")
        with self._open() as journal:
            clock = self._clock(journal)
            if pilot > 0:
                ended = self._run(journal, self._pilot(journal, clock), clock, None, pilot, "pilot")
                if ended == "Interrupted":
                    raise KeyboardInterrupt
            todo = self._todo(journal, retry_failed=False)
            return Plan.of(self, todo, clock)

    def run(
        self,
        n_jobs: int | None = None,
        budget: float | None = None,
        retry_failed: bool = False,
        client: Client | str | None = None,
    ) -> Study:
        """Run the missing cells, and return all.

        Parameters
        ----------
        n_jobs : number of processes, as in joblib; the result does not depend on it
        budget : seconds; no cell is started that would take longer than what is left of them
        retry_failed : whether cells that failed before are tried again
        client : a ``distributed.Client``, or the address of a Dask scheduler, default None
            The cells are run on its workers. Rows are sent once; a worker that dies costs the cells it was running,
            which are run elsewhere; the result is the same.
        """
        check_jobs(n_jobs)
        check_one_place(n_jobs, client, "experiment")
        if budget is not None:
            check_seconds(budget, "budget")
        with connected(client, "experiment") as cluster, self._open() as journal:
            clock = self._clock(journal)
            todo = self._todo(journal, retry_failed)
            ended = self._run(journal, todo, clock, n_jobs, budget, "run", cluster)
            if ended == "Interrupted" and not journal.records:
                raise KeyboardInterrupt
            return self._study(journal)

    # how it is done

    @contextmanager
    def _open(self) -> Iterator[Journal]:
        """The journal, locked for this process; the settings are on disk before anything is run."""
        trials = self.trials  # errors in learners or data are raised before a folder is made
        assert trials
        if self.folder is None:
            yield self._memory
            return
        with Journal(self.folder, needs=FIELDS) as journal:
            self._manifest.sessions = sessions_of(self.folder)
            self._manifest.save(self.folder)
            if self.described is not None:
                write_whole(self.folder / "description.json", json.dumps(self.described, indent=1))
            self._full_checklist.register(self.folder, len(journal.records))
            yield journal

    @property
    def design_words(self) -> str:
        """The design in words; numbers are not stratified."""
        numbers = all(m.task == "regression" for m in self.metrics)
        return str(replace(self.design, stratified=False) if numbers else self.design)

    @cached_property
    def _manifest(self) -> Manifest:
        entrants = {t.entrant.name: t.entrant for t in self.trials}
        trials: dict[str, dict[str, dict[str, str]]] = {}
        for t in self.trials:
            trials.setdefault(t.problem.name, {})[t.entrant.name] = {
                "print": t.print,
                "prepared": t.candidate.words,
                "settings": settings_text(t.candidate.learner),
            }
        return Manifest(
            self.name, self.design.name, self.design_words, self.metrics, self.alpha, self.seed,
            [Block.of(p) for p in self.problems],
            [{"name": e.name, "family": e.family, "factors": as_plain(e.factors)} for e in entrants.values()],
            trials,
        )  # fmt: skip

    @property
    def _full_checklist(self) -> Checklist:
        return (self.checklist or Checklist()).filled(self._manifest)

    def _todo(self, journal: Journal, retry_failed: bool) -> list[Job]:
        metric_names = {m.name for m in self.metrics}

        def lacking(record: dict[str, Any] | None) -> bool:
            if record is None:
                return True
            if record["failure"]:
                return retry_failed
            no_posterior = self.probabilities and not record["kept"] and record["repetition"] == 0
            return no_posterior or not metric_names <= set(record["values"])

        pending: dict[str, Job] = {}
        for job in self.jobs:
            if lacking(journal.records.get(job.key)):
                pending.setdefault(job.key, job)  # two names of one learner are one cell
        return list(pending.values())

    def _clock(self, journal: Journal) -> Clock:
        clock = Clock()
        for job in self.jobs:
            record = journal.records.get(job.key)
            if record is not None:
                problem = job.trial.problem
                clock.note(job.trial.entrant.name, problem.name, problem.size, record["seconds"])
        return clock

    def _pilot(self, journal: Journal, clock: Clock) -> list[Job]:
        """One cell of every learner on the two smallest data sets, those that were never timed first."""
        todo = self._todo(journal, retry_failed=False)
        chosen = []
        for problem in sorted(self.problems, key=lambda p: p.size)[:2]:
            first: dict[str, Job] = {}
            for job in todo:
                if job.trial.problem is problem:
                    first.setdefault(job.trial.entrant.name, job)
            chosen += [job for job in first.values() if not clock.timed(job)]
        return chosen

    def _run(
        self,
        journal: Journal,
        jobs: list[Job],
        clock: Clock,
        n_jobs: int | None,
        budget: float | None,
        kind: str,
        cluster: Cluster | None = None,
    ) -> str:
        task = Task(self.metrics, None, None, self.seed, self.probabilities)
        sessions = self._manifest.sessions
        session = {"kind": kind, "started": time.time(), "versions": versions(), "n_jobs": n_jobs, "cells": 0,
                   "failed": 0, "ended": "Ended without a word"}  # fmt: skip
        number = len(sessions)
        if not jobs:
            return ""
        sessions.append(session)
        if self.folder is not None:  # before the first cell, so that a killed run has its versions on disk
            self._manifest.save(self.folder, arrays=False)

        def done(job: Job, cell: Cell, seconds: float) -> None:
            journal.append(as_record(job, cell, seconds, number, self.probabilities))
            session["cells"] += 1  # type: ignore[operator]
            session["failed"] += bool(cell.failure)  # type: ignore[operator]
            problem = job.trial.problem
            clock.note(job.trial.entrant.name, problem.name, problem.size, seconds)

        try:
            session["ended"] = run_jobs(jobs, task, done, clock, n_jobs, budget, cluster)
        except BaseException:
            session["ended"] = "Stopped by an error"
            raise
        finally:
            session["finished"] = time.time()
            if self.folder is not None:
                self._manifest.save(self.folder, arrays=False)
        return str(session["ended"])

    def _study(self, journal: Journal) -> Study:
        trials: dict[str, Any] = {}
        for t in self.trials:
            trials.setdefault(t.problem.name, {})[t.entrant.name] = t.candidate
        checklist = self._full_checklist if self.folder is None else Checklist.load(self.folder)
        return Study(
            self._manifest,
            dict(journal.records),
            folder=self.folder,
            checklist=checklist,
            damaged=journal.damaged,
            sources={p.name: p.data for p in self.problems},
            candidates=trials,
        )

    def __repr__(self) -> str:
        return f"Experiment {self.name!r}: {len(self.sources)} data sets, design {self.design.name}, seed {self.seed}"
