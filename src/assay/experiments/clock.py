"""How long cells take: measured times, and estimates for cells not yet run."""

from __future__ import annotations

import numpy as np

from assay.experiments.cells import Job

__all__ = ["Clock"]


class Clock:
    """Expected seconds of a cell, from the cells that have been run.

    A learner that was timed on the same data set takes as long as it did there, on average. On other data sets its
    time grows as a power of training rows times columns, with the exponent fitted to the data sets on which it was
    timed, or 1 if that was only one. A learner that was never timed takes as long as the others do on average.
    Thread-safe: one thread may read while another one notes.

    Examples
    --------
    >>> from assay.experiments.clock import Clock
    >>> clock = Clock()
    >>> clock.note("tree", "small", 100.0, 0.5)
    >>> clock.expected("tree", "large", 1000.0)
    5.0
    """

    def __init__(self) -> None:
        self._timings: dict[
            str, dict[str, tuple[float, int, float]]
        ] = {}  # learner, data: size, cells, seconds

    def note(self, learner: str, data: str, size: float, seconds: float) -> None:
        """Record the time of one cell."""
        timings = self._timings.setdefault(learner, {})
        _, count, total = timings.get(data, (size, 0, 0.0))
        timings[data] = (size, count + 1, total + seconds)

    def expected(self, learner: str, data: str, size: float) -> float | None:
        """Seconds of one cell; None if nothing at all was measured."""
        timings = self._timings.get(learner)
        if timings is None:
            others = [self.expected(other, data, size) for other in list(self._timings)]
            estimates = [seconds for seconds in others if seconds is not None]
            return float(np.mean(estimates)) if estimates else None
        if data in timings:
            return timings[data][2] / timings[data][1]
        cells = list(timings.values())
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
        return job.trial.problem.name in self._timings.get(job.trial.entrant.name, {})
