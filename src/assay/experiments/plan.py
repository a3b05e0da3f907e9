"""The plan of an experiment: its cells, and their expected time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.evaluate.show import duration
from assay.experiments.cells import Job
from assay.experiments.clock import Clock

if TYPE_CHECKING:
    from assay.experiments.experiment import Experiment

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment before it runs; ``print`` it.

    Attributes
    ----------
    data : list of dicts: name, rows, columns, classes, splits, notes
    learners : names
    design : in words
    cells : how many there are
    left : how many are still to be run
    seconds : about how long these take in one process; None if nothing was measured
    order : list of (data set, learner, repetition, fold) of the cells that are left, in the order of the run
    """

    name: str
    data: list[dict[str, Any]]
    learners: list[str]
    design: str
    cells: int
    left: int
    seconds: float | None
    order: list[tuple[str, str, int, int]]

    @classmethod
    def of(cls, experiment: Experiment, todo: list[Job], clock: Clock) -> Plan:
        data = [
            {
                "name": p.name,
                "rows": p.about.rows,
                "columns": len(p.about.columns),
                "classes": len(p.about.classes),
                "splits": len(p.splits),
                "notes": p.notes,
            }
            for p in experiment.problems
        ]
        times: dict[tuple[str, str], float | None] = {}
        total: float | None = 0.0
        for job in todo:
            place = job.trial.problem.name, job.trial.entrant.name
            if place not in times:
                times[place] = clock.of(job)
            expected = times[place]
            total = None if expected is None or total is None else total + expected
        order = [
            (j.trial.problem.name, j.trial.entrant.name, *j.trial.problem.places[j.number]) for j in todo
        ]
        learners = list(dict.fromkeys(t.entrant.name for t in experiment.trials))
        cells = len({job.key for job in experiment.jobs})
        return cls(experiment.name, data, learners, experiment.design_words, cells, len(todo), total, order)

    def __str__(self) -> str:
        counts = ["rows", "columns", *(["classes"] if any(d["classes"] for d in self.data) else []), "splits"]
        heads = ["data set", *counts]
        rows = [[str(d[k]) for k in ("name", *counts)] for d in self.data]
        width = [max(len(r[j]) for r in [heads, *rows]) for j in range(len(heads))]
        lines = [f"{self.name}: {self.design}, the same splits for every learner.", ""]
        for row in [heads, *rows]:
            cut = (v.ljust(w) if j == 0 else v.rjust(w) for j, (v, w) in enumerate(zip(row, width)))
            lines.append("  ".join(cut).rstrip())
        count = len(self.learners)
        names = ", ".join(self.learners[:20]) + (f", and {count - 20} more" if count > 20 else "")
        lines += ["", f"{count} learner{'' if count == 1 else 's'} with their settings: {names}."]
        done = self.cells - self.left
        lines.append(f"{self.cells:,} cells, {done:,} of them finished, {self.left:,} to run.")
        if not self.left:
            lines.append("Nothing is left to do.")
        elif self.seconds is None:
            lines.append("How long that takes was not measured.")
        else:
            lines.append(
                f"About {duration(self.seconds)} in one process, by the cells measured so far; a learner's time on "
                "data not yet tried is taken to grow with rows x columns."
            )
        lines += [f"note: {note}" for d in self.data for note in d["notes"]]
        return "\n".join(lines)

    __repr__ = __str__
