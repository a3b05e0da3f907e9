"""The result of an experiment: records of all cells, a comparison per data set, and the conclusion over all of them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.evaluate import Comparison
from assay.evaluate.candidates import known_as
from assay.evaluate.fold import Cell
from assay.evaluate.metrics import one_of
from assay.evaluate.records import as_frame
from assay.experiments.cells import FIELDS, as_cell
from assay.experiments.checklist import Checklist
from assay.experiments.conclusion import Conclusion, conclude
from assay.experiments.factors import FactorEffects, factor_effects
from assay.experiments.folder import Block, Manifest
from assay.experiments.journal import Journal
from assay.experiments.study_comparison import compared
from assay.metrics.measure import Measure
from assay.sentence import in_notebook
from assay.tables.whole_files import replacing
from assay.types import PathLike

__all__ = ["Study"]


class Study:
    """The results of an experiment, complete or so far; made by ``Experiment.run`` or ``Study.load``.

    Attributes
    ----------
    data, learners : names, in the order given
    metrics : list of Measure; the first one ranks
    records : list of dicts, one per data set, learner, split and metric
    notes : sentences about what is missing, failed or odd

    Examples
    --------
    >>> from assay.experiments import Experiment
    >>> study = Experiment(["majority", "lda"], ["iris", "wine"], design="5-fold").run()
    >>> study.comparison("iris").best
    'lda'
    >>> study.ranks().tolist()
    [2.0, 1.0]
    """

    def __init__(
        self,
        manifest: Manifest,
        journal: dict[str, dict[str, Any]],
        *,
        folder: Path | None = None,
        checklist: Checklist | None = None,
        damaged: int = 0,
        sources: dict[str, Any] | None = None,
        candidates: dict[str, dict[str, Any]] | None = None,
    ):
        self.manifest, self.journal, self.folder = manifest, journal, folder
        self.registered, self.damaged = checklist, damaged
        self.sources, self.candidates = sources or {}, candidates or {}

    @classmethod
    def load(cls, folder: PathLike) -> Study:
        """The study of a folder, also while the experiment runs in another process."""
        path = Path(folder)
        if not path.is_dir():
            raise ParameterError(f"Study.load: there is no folder {path}.")
        manifest = Manifest.load(path)
        journal = Journal(path, write=False, needs=FIELDS)
        checklist = Checklist.load(path) if (path / "checklist.json").exists() else None
        return cls(manifest, journal.records, folder=path, checklist=checklist, damaged=journal.damaged)

    # cells and records

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def data(self) -> list[str]:
        return [block.name for block in self.manifest.blocks]

    @property
    def learners(self) -> list[str]:
        return [e["name"] for e in self.manifest.learners]

    @property
    def metrics(self) -> list[Measure]:
        return self.manifest.metrics

    @property
    def alpha(self) -> float:
        return self.manifest.alpha

    @cached_property
    def cells(self) -> dict[str, dict[str, list[Cell | None]]]:
        """Of each data set and learner, the cell of each split; None if it was not run."""
        cells: dict[str, dict[str, list[Cell | None]]] = {}
        for block in self.manifest.blocks:
            cells[block.name] = {}
            for learner in self.learners:
                keys = (self.manifest.key(block, learner, j) for j in range(len(block.tests)))
                records = [self.journal.get(key) for key in keys]
                cells[block.name][learner] = [None if r is None else as_cell(r) for r in records]
        return cells

    @property
    def missing(self) -> int:
        """How many cells have not been run."""
        return sum(
            cell is None
            for by_learner in self.cells.values()
            for column in by_learner.values()
            for cell in column
        )

    @cached_property
    def failures(self) -> dict[tuple[str, str], str]:
        """Of each data set and learner that failed on any split: on how many, and the first reason."""
        failures = {}
        for data, by_learner in self.cells.items():
            for learner, column in by_learner.items():
                reasons = [cell.failure for cell in column if cell is not None and cell.failure]
                if reasons:
                    failures[data, learner] = (
                        f"failed on {len(reasons)} of {len(column)} splits. {reasons[0]}"
                    )
        return failures

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Tidy: one dict per data set, learner, split and metric that was run; a failed cell has the value None."""
        from assay.experiments.study_records import tidy

        return tidy(self)

    def to_records(self) -> list[dict[str, Any]]:
        """The records, as a new list of dicts."""
        return [dict(row) for row in self.records]

    def to_arrow(self) -> Any:
        """The records as a pyarrow Table."""
        from assay.experiments.study_records import as_arrow

        return as_arrow(self)

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame."""
        return as_frame(self.records)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the records as a Parquet file; returns its path."""
        import pyarrow.parquet as pq

        with replacing(path) as beside:
            pq.write_table(self.to_arrow(), beside)
        return Path(path)

    def to_csv(self, path: str | Path) -> Path:
        """Write the records as a CSV file; returns its path."""
        from pyarrow.csv import write_csv

        with replacing(path) as beside:
            write_csv(self.to_arrow(), beside)
        return Path(path)

    @cached_property
    def run_order(self) -> list[tuple[str, str, int, int]]:
        """(data set, learner, repetition, fold) of every cell, in the order in which they were finished."""
        keys = {
            self.manifest.key(block, learner, j): (block.name, learner, *block.places[j][:2])
            for block in self.manifest.blocks
            for learner in self.learners
            for j in range(len(block.tests))
        }
        return [keys[key] for key in self.journal if key in keys]

    # one data set

    @cached_property
    def _comparisons(self) -> dict[str, Comparison]:
        return {}

    def comparison(self, data: str) -> Comparison:
        """The learners on one data set, over the splits that all of them have finished."""
        block = self._block(data)
        if block.name not in self._comparisons:
            self._comparisons[block.name] = compared(self, block)
        return self._comparisons[block.name]

    # all data sets

    def table(self, metric: str | None = None) -> np.ndarray:
        """(N, L) the mean of the metric of each learner on each data set.

        NaN where a learner failed on a split, was not run, or no split defines the metric.
        """
        m = self._metric(metric)
        means = np.full((len(self.data), len(self.learners)), np.nan)
        for i, by_learner in enumerate(self.cells.values()):
            done = [column for column in by_learner.values() if any(c is not None for c in column)]
            whole = [j for j in range(len(done[0])) if all(c[j] is not None for c in done)] if done else []
            for k, column in enumerate(by_learner.values()):
                cells = [column[j] for j in whole]
                if not cells or any(c is None or c.failure for c in cells):
                    continue
                values = np.array([c.values.get(m.name, np.nan) for c in cells if c is not None])
                if np.isfinite(values).any():
                    means[i, k] = values[np.isfinite(values)].mean()
        return means

    def intervals(self, metric: str | None = None) -> np.ndarray:
        """(N, L, 2) the interval of each mean of ``table``; NaN where there is none."""
        m = self._metric(metric)
        means = self.table(m.name)
        bounds = np.full((*means.shape, 2), np.nan)
        for i, k in np.argwhere(np.isfinite(means)):
            bounds[i, k] = self.comparison(self.data[i]).interval(self.learners[k], m.name)
        return bounds

    def ranks(self, metric: str | None = None) -> np.ndarray:
        """(L,) the average rank of each learner, 1 for the best, over the data sets on which all have a mean.

        Equal means share the middle of their ranks; NaN if there is no such data set.
        """
        return self.conclusion(metric).ranks

    def conclusion(
        self,
        metric: str | None = None,
        *,
        control: str | None = None,
        missing: str = "leave out",
        rope: float = 0.01,
    ) -> Conclusion:
        """The conclusion over all data sets: the right test, its groups, and sentences.

        Parameters
        ----------
        metric : name; default the first one
        control : a learner with which all others are compared, instead of all pairs; by any name ``compare`` takes
        missing : "leave out" a data set on which a learner has no mean, or rank that learner "last" there if it failed
        rope : for two learners: the largest difference that does not matter
        """
        if control is not None:
            task = "regression" if all(m.task == "regression" for m in self.metrics) else "classification"
            control = known_as(control, self.learners, task) or control
        key = (self._metric(metric).name, control, missing, rope)
        if key not in self._concluded:
            self._concluded[key] = conclude(self, self._metric(metric), control, missing, rope)
        return self._concluded[key]

    @cached_property
    def _concluded(self) -> dict[Any, Conclusion]:
        return {}

    def effects(self, family: str | None = None, metric: str | None = None) -> FactorEffects:
        """The effect of each factor of a learner's settings on the metric: means per level, analysis of variance."""
        return factor_effects(self, family, self._metric(metric))

    @property
    def checklist(self) -> Checklist:
        """Steps A to G: as registered, or generated from the experiment, with the current conclusions."""
        from dataclasses import replace

        checklist = (self.registered or Checklist()).filled(self.manifest)
        if checklist.conclusions.strip():
            return checklist
        try:
            text = " ".join(self.conclusion().sentences)
        except ParameterError as error:
            text = str(error)
        return replace(checklist, conclusions=text)

    @property
    def notes(self) -> list[str]:
        """What is missing, failed or odd, in sentences."""
        from assay.experiments.study_show import notes

        return notes(self)

    def _block(self, data: str) -> Block:
        for block in self.manifest.blocks:
            if block.name == data:
                return block
        raise ParameterError(
            f"there is no data set {data!r} here. It has: {', '.join(self.data)}.", who="study"
        )

    def _metric(self, name: str | None) -> Measure:
        return self.metrics[0] if name is None else one_of(self.metrics, name, "study")

    # output

    def __str__(self) -> str:
        from assay.experiments.study_show import as_text

        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from assay.experiments.study_show import as_html

        return in_notebook(as_html(self))

    def report(self, path: str | Path) -> Path:
        """Write the study as one HTML page that needs nothing else; returns its path."""
        from importlib import import_module

        return import_module("assay.report").write_study(self, path)  # a room above, imported when called
