"""How long cells take: what was measured, and what follows for those that were not."""

from __future__ import annotations

import numpy as np

from assay.experiments.cells import Job

__all__ = ["Clock"]


class Clock:
    """Expected seconds of a cell, from the cells that have been run.

    A learner that was timed on the same data set takes as long as it did there, on average. On other data sets its
    time grows as a power of the rows times columns that teach, with the exponent that fits the data sets on which it
    was timed, or 1 if that was only one. A learner that was never timed takes as long as the others do on average.
    One thread may ask while another one notes.

    Examples
    --------
    >>> from assay.experiments.clock import Clock
    >>> clock = Clock()
    >>> clock.note("tree", "small", 100.0, 0.5)
    >>> clock.expected("tree", "large", 1000.0)
    5.0
    """

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, tuple[float, int, float]]] = {}  # learner, data: size, cells, seconds

    def note(self, learner: str, data: str, size: float, seconds: float) -> None:
        """Take in one measured cell."""
        own = self._seen.setdefault(learner, {})
        _, count, total = own.get(data, (size, 0, 0.0))
        own[data] = (size, count + 1, total + seconds)

    def expected(self, learner: str, data: str, size: float) -> float | None:
        """Seconds of one cell; None if nothing at all was measured."""
        own = self._seen.get(learner)
        if own is None:
            others = [self.expected(other, data, size) for other in list(self._seen)]
            known = [seconds for seconds in others if seconds is not None]
            return float(np.mean(known)) if known else None
        if data in own:
            return own[data][2] / own[data][1]
        cells = list(own.values())
        sizes = np.log([max(cell[0], 1.0) for cell in cells])
        times = np.log([max(cell[2] / cell[1], 1e-6) for cell in cells])
        spread = sizes - sizes.mean()
        slope = 1.0
        if spread @ spread > 0:
            slope = float(np.clip(spread @ times / (spread @ spread), 0.0, 3.0))
        guess = times.mean() + slope * (np.log(max(size, 1.0)) - sizes.mean())
        return round(float(np.exp(guess)), 12)

    def of(self, job: Job) -> float | None:
        """Expected seconds of a job."""
        problem = job.trial.problem
        return self.expected(job.trial.entrant.name, problem.name, problem.size)

    def timed(self, job: Job) -> bool:
        """Whether a cell of the same learner on the same data set was timed."""
        return job.trial.problem.name in self._seen.get(job.trial.entrant.name, {})
