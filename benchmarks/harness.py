"""A fair race: ours and the peer by turns in one process, on the same data, with the same threads.

A :class:`Race` names two functions that do the same job. They run alternately, several rounds, and the
best round counts, in CPU and in wall seconds; the first round also measures the peak of resident memory
above what was there before. A ratio below 1 means that Assay is ahead.
"""

from __future__ import annotations

import gc
import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ROUNDS = 7
BUDGET = float(os.environ.get("BENCH_SECONDS", 20))  # for one race, after which the rounds so far must do


@dataclass(frozen=True)
class Race:
    """One job, done twice: the name never changes, so that figures can be compared over time."""

    name: str
    size: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    repeat: int = 1  # calls per round, for jobs shorter than the clock is good for


@dataclass(frozen=True)
class Result:
    """Best seconds of each side and peak megabytes of each side."""

    name: str
    size: str
    wall: tuple[float, float]
    cpu: tuple[float, float]
    memory: tuple[float, float]

    @property
    def wall_ratio(self) -> float:
        return self.wall[0] / self.wall[1]

    @property
    def cpu_ratio(self) -> float:
        return self.cpu[0] / self.cpu[1]


def run(race: Race) -> Result:
    """Run both sides by turns; the best round of each counts."""
    sides = (race.ours, race.peer)
    wall, cpu, memory = [float("inf")] * 2, [float("inf")] * 2, [0.0, 0.0]
    for side, job in enumerate(sides):
        memory[side] = _peak(job)
    start = time.perf_counter()
    for _ in range(ROUNDS):
        for side, job in enumerate(sides):
            t, c = time.perf_counter(), time.process_time()
            for _ in range(race.repeat):
                job()
            wall[side] = min(wall[side], (time.perf_counter() - t) / race.repeat)
            cpu[side] = min(cpu[side], (time.process_time() - c) / race.repeat)
        if time.perf_counter() - start > BUDGET:
            break
    return Result(race.name, race.size, tuple(wall), tuple(cpu), tuple(memory))


def _peak(job: Callable[[], Any]) -> float:
    """Megabytes of resident memory that the job adds at its peak."""
    gc.collect()
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # not Linux: no figure
        job()
        return float("nan")
    before = _status("VmRSS")
    job()
    return max(0.0, _status("VmHWM") - before)


def _status(key: str) -> float:
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    return float("nan")


def table(results: list[Result]) -> str:
    """Markdown: one row a race, ratios ours/peer; seconds stay out, they belong to one machine."""
    lines = ["| job | size | wall | CPU | peak memory, MB (ours, peer) |", "|---|---|---|---|---|"]
    for r in results:
        lines.append(
            f"| {r.name} | {r.size} | {r.wall_ratio:.2f} | {r.cpu_ratio:.2f} | "
            f"{r.memory[0]:.0f}, {r.memory[1]:.0f} |"
        )
    return "\n".join(lines)


def growth(job: Callable[[int], Callable[[], Any]], sizes: list[int]) -> float:
    """The exponent p in seconds ~ size^p, by least squares on the logarithms."""
    import numpy as np

    seconds = []
    for size in sizes:
        task = job(size)
        task()
        best = min(_timed(task) for _ in range(5))
        seconds.append(best)
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start
