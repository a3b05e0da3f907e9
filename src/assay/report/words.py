"""The sentences of a report: how it was done, and how to do it again."""

from __future__ import annotations

import shlex
from typing import Any

from assay.evaluate import LEARNERS, Comparison

__all__ = ["command_line", "methods", "python_line"]


def methods(result: Comparison) -> list[str]:
    """How the numbers came about, in plain words; ready to be pasted into a paper."""
    d, m = result.data, result.metrics[0]
    splits, seed = len(result.places), result.settings["seed"]
    test = sum(len(t) for t in result.tests) / max(splits, 1)
    train = sum(p[2] for p in result.places) / max(splits, 1)
    names = ", ".join(f"{x.name} ({x.words})" if x.words else x.name for x in result.metrics)
    grouped = " Rows of one group stay on one side of every split." if result.settings.get("grouped") else ""
    said = [
        f"{len(result.learners)} learners were compared on {d.name} ({d.words}) by {result.design}: {splits} "
        f"split{'s' if splits != 1 else ''} with on average {train:.0f} training and {test:.0f} test rows, the same "
        f"for every learner (random seed {seed}).{grouped} Measured on the test rows: {names}.",
        "Whatever is learned from data was learned from the training rows of each split alone. "
        + _preparation(result),
    ]
    sure = f"{1 - result.alpha:.0%}"
    if splits > 1:
        wilson = (
            f" For shares of rows, such as {m.name}, the interval is never narrower than Wilson's interval of as many "
            "independent rows as were tested."
            if m.rate
            else ""
        )
        said.append(
            f"Intervals ({sure}) and paired tests use Student's t distribution with {splits - 1} degrees of freedom "
            f"and the variance multiplied by 1/{splits} + {test / train:.3f} instead of 1/{splits}, since splits "
            f"share training rows (Nadeau and Bengio 2003).{wilson}"
        )
    else:
        said.append(
            f"With a single split the test rows are the sample: intervals ({sure}) are Wilson's, and two learners are "
            "compared by McNemar's test on the rows that exactly one of them gets wrong."
        )
    pairs = len(result.finished) * (len(result.finished) - 1) // 2
    if pairs:
        said.append(
            f"P-values are two-sided and adjusted by Holm's method over {'all ' if pairs > 1 else ''}{pairs} "
            f"pair{'s' if pairs != 1 else ''} of learners, because the best learner was chosen by looking at the "
            f"results. Learners that share a letter do not differ significantly at level {result.alpha:g}; that is not "
            "evidence that they are equal."
        )
    versions = ", ".join(f"{k} {v}" for k, v in result.settings["versions"].items())
    said.append(f"Software: {versions}. The run took {result.settings['seconds']:.1f} seconds.")
    return said


def _preparation(result: Comparison) -> str:
    done: dict[str, list[str]] = {}
    for name, words in result.prepared.items():
        for word in filter(None, words.split(", ")):
            done.setdefault(word, []).append(name)
    meaning = {
        "imputed": "missing values were replaced by the mean or the most frequent category for {}",
        "scaled": "numbers were standardised for {}",
        "indicators": "categories were expanded into indicator columns for {}",
        "own pipeline": "{} prepared the table by a pipeline of its own",
    }
    parts = [meaning[word].format(", ".join(names)) for word, names in done.items() if word in meaning]
    if not parts:
        return "No learner needed the table to be prepared."
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def python_line(result: Comparison) -> str:
    """The call that gives the same numbers."""
    learners = ", ".join(_spoken(result, name) for name in result.learners)
    parts = [f"[{learners}]", "X", "y", f"design={result.design.name!r}"]
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
    if result.settings.get("grouped"):
        parts.append("groups=groups")
    parts.append(f"random_state={result.settings['seed']}")
    return "from assay import compare\n\nresult = compare(\n    " + ",\n    ".join(parts) + ",\n)"


def _spoken(result: Comparison, name: str) -> str:
    if name in LEARNERS:
        return repr(name)
    candidate = result.candidates.get(name)
    return repr(name) if candidate is None else " ".join(repr(candidate.given).split())


def command_line(result: Comparison) -> str | None:
    """The same on the command line; None if a learner has no short name, or rows were grouped."""
    if "command" in result.settings:
        return str(result.settings["command"])
    if any(name not in LEARNERS for name in result.learners) or result.settings.get("grouped"):
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
