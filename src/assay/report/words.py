"""The lines that do a comparison again: in Python, and on the command line."""

from __future__ import annotations

import shlex
from typing import Any

from assay.evaluate import LEARNERS, Comparison

__all__ = ["command_line", "python_line"]


def python_line(result: Comparison) -> str:
    """The call that gives the same numbers."""
    learners = ", ".join(_spoken(result, name) for name in result.learners)
    design = "splits" if result.design.kind == "given" else repr(result.design.name)
    parts = [f"[{learners}]", "X", "y", f"design={design}"]
    extra = {"cost", "rejected"} if result.settings.get("loss") is not None else set()
    parts.append(
        f"metrics={[m.name for m in result.metrics if m.name not in extra or m is result.metrics[0]]!r}"
    )
    if result.alpha != 0.05:
        parts.append(f"alpha={result.alpha:g}")
    loss, reject = result.settings.get("loss"), result.settings.get("reject")
    if isinstance(loss, list) and loss:
        parts.append(
            "loss={" + ", ".join(f"({said!r}, {truth!r}): {cost:g}" for said, truth, cost in loss) + "}"
        )
    if reject is not None:
        parts.append(f"reject={reject}")
    parts += [
        f"{option}={option}"
        for key, option in (("grouped", "groups"), ("timed", "times"), ("weighted", "sample_weight"))
        if result.settings.get(key)
    ]
    parts.append(f"random_state={result.settings['seed']}")
    return "from assay import compare\n\nresult = compare(\n    " + ",\n    ".join(parts) + ",\n)"


def _spoken(result: Comparison, name: str) -> str:
    if name in LEARNERS:
        return repr(name)
    candidate = result.candidates.get(name)
    return repr(name) if candidate is None else " ".join(repr(candidate.given).split())


def command_line(result: Comparison) -> str | None:
    """The same on the command line; None if a learner has no short name, or if it needs more than the file holds."""
    if "command" in result.settings:
        return str(result.settings["command"])
    more = any(result.settings.get(key) for key in ("grouped", "timed", "weighted"))
    if more or result.design.kind == "given" or any(name not in LEARNERS for name in result.learners):
        return None
    loss, reject = result.settings.get("loss"), result.settings.get("reject")
    if loss == "per row" or reject == "per row":
        return None
    words: list[Any] = ["assay", "compare", result.data.name, "--target", result.data.target]
    words += ["--learners", ",".join(result.learners), "--design", result.design.name]
    for m in result.metrics:
        words += ["--metric", m.name]
    for said, truth, cost in loss or []:
        words += ["--cost", f"{said}:{truth}={cost:g}"]
    words += ["--reject", reject] if reject is not None else []
    words += ["--alpha", f"{result.alpha:g}"] if result.alpha != 0.05 else []
    words += ["--seed", result.settings["seed"]]
    return " ".join(shlex.quote(str(w)) for w in words)
