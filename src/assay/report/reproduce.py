"""The calls that repeat a comparison: in Python, and on the command line."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor

from assay.evaluate import Comparison
from assay.evaluate.prepared import Candidate
from assay.learners import KIND_OF_TASK, learners
from assay.tables.data import datasets

__all__ = ["command_line", "python_line", "spelled"]


def python_line(result: Comparison) -> str:
    """The call that gives the same numbers."""
    candidates = [(name, result.candidates.get(name)) for name in result.learners]
    arguments = {name: _argument(name, c) for name, c in candidates}
    if all(_is_default_name(name, c) for name, c in candidates):
        learners = "[" + ", ".join(arguments.values()) + "]"
    else:
        learners = "{" + ", ".join(f"{name!r}: {argument}" for name, argument in arguments.items()) + "}"
    constructed = [
        c.learner for name, c in candidates if c is not None and arguments[name] == spelled(c.learner)
    ]
    parts = [learners, "X", "y", *_options(result), f"random_state={result.settings['seed']}"]
    calls = ",\n    ".join(parts)
    comment = f"# splits: {' '.join(result.design.name.split())}\n" if result.design.kind == "given" else ""
    return "\n".join(_imports(constructed)) + f"\n\n{comment}result = compare(\n    {calls},\n)"


def _options(result: Comparison) -> Iterator[str]:
    """Every option that is not the default; always the design and the metrics."""
    if result.task == "regression":
        yield "task='regression'"
    yield "design=splits" if result.design.kind == "given" else f"design={result.design.name!r}"
    loss, reject = result.settings.get("loss"), result.settings.get("reject")
    extra = {"cost", "rejected"} if loss is not None else set()
    yield f"metrics={[m.name for m in result.metrics if m.name not in extra or m is result.metrics[0]]!r}"
    if result.alpha != 0.05:
        yield f"alpha={_exact(result.alpha)}"
    if loss == "per row":
        yield "loss=loss"
    elif loss or (loss is not None and reject is None):
        costs = loss or [(result.classes[0], result.classes[1], 1.0)]  # named, though all errors cost 1
        yield (
            "loss={"
            + ", ".join(
                f"({_bare(predicted)!r}, {_bare(actual)!r}): {_exact(c)}" for predicted, actual, c in costs
            )
            + "}"
        )
    if reject is not None:
        yield f"reject={_exact(reject)}"
    for key, option in (("grouped", "groups"), ("timed", "times"), ("weighted", "sample_weight")):
        if result.settings.get(key):
            yield f"{option}={option}"


def _argument(name: str, candidate: Candidate | None) -> str:
    """A learner as ``compare`` takes it: by its short name where that is it, with its scaling; else its constructor."""
    entry = None if candidate is None else _entry(candidate)
    if candidate is None or (entry is not None and (entry.name == name or entry.scale)):
        return repr(name if entry is None else entry.name)
    return spelled(candidate.learner)


def _entry(candidate: Candidate) -> Any:
    """The short name that makes the very same candidate, or None."""
    scaled = "scaled" in candidate.words.split(", ")
    same_class = [
        e
        for e in learners(_kind_of(candidate.learner)).values()
        if e.class_name == type(candidate.learner).__name__ and e.scale == scaled
    ]
    identical = [e for e in same_class if spelled(e.make()) == spelled(candidate.learner)]
    return next((e for e in identical if e.name == candidate.name), identical[0] if identical else None)


def _kind_of(learner: Any) -> str:
    return "regressor" if is_regressor(learner) else "classifier"


def _is_default_name(name: str, candidate: Candidate | None) -> bool:
    """Whether ``compare`` gives the learner this name by default."""
    if candidate is None:
        return True
    short = _argument(name, candidate)
    return (
        name == type(candidate.learner).__name__
        if short == spelled(candidate.learner)
        else short == repr(name)
    )


def spelled(learner: Any) -> str:
    """A learner's constructor with all that differs from the defaults, on one line and whole.

    >>> from assay.bayes import GaussianNB
    >>> from assay.report.reproduce import spelled
    >>> spelled(GaussianNB(var_smoothing=0.1))
    'GaussianNB(var_smoothing=0.1)'
    """
    whole = isinstance(learner, BaseEstimator) and type(learner).__repr__ is BaseEstimator.__repr__
    text = learner.__repr__(N_CHAR_MAX=10**9) if whole else repr(learner)
    return " ".join(line.strip() for line in text.splitlines())


def _imports(learners: list[Any]) -> list[str]:
    """The lines that make the constructors known, parts of pipelines included; what a script defines itself is not."""
    imports: dict[str, set[str]] = {"assay": {"compare"}}
    for learner in learners:
        parts = learner.get_params(deep=True).values() if hasattr(learner, "get_params") else ()
        for part in (learner, *parts):
            kind = type(part)
            if hasattr(part, "get_params") and kind.__module__ != "__main__":
                imports.setdefault(_home(kind), set()).add(kind.__name__)
    return [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(imports.items())]


def _home(kind: type) -> str:
    """The shortest module that has the class."""
    parts = kind.__module__.split(".")
    homes = [".".join(parts[: i + 1]) for i in range(len(parts))]
    return next((h for h in homes if getattr(sys.modules.get(h), kind.__name__, None) is kind), homes[-1])


def _bare(label: Any) -> Any:
    """A label without NumPy's wrapping, which would have to be imported."""
    return label.item() if isinstance(label, np.generic) else label


def _exact(value: float) -> str:
    """A number in few digits, but all of them."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def command_line(result: Comparison) -> str | None:
    """The same on the command line; None where that cannot name the data, a learner, or what else was given."""
    if "command" in result.settings:
        return str(result.settings["command"])
    other_columns = any(result.settings.get(key) for key in ("grouped", "timed", "weighted"))
    nameable = all(
        name in learners(KIND_OF_TASK[result.task])
        and _argument(name, result.candidates.get(name)) == repr(name)
        for name in result.learners
    )
    if other_columns or result.design.kind == "given" or not nameable or not _readable(result.data.name):
        return None
    loss, reject = result.settings.get("loss"), result.settings.get("reject")
    if loss == "per row" or (loss == [] and reject is None):
        return None
    words: list[Any] = ["assay", "compare", result.data.name, "--target", result.data.target]
    words += ["--learners", ",".join(result.learners), "--design", result.design.name]
    if result.task == "regression":
        words += ["--task", "regression"]
    for m in result.metrics:
        words += ["--metric", m.name]
    for predicted, actual, cost in loss or []:
        words += ["--cost", f"{predicted}:{actual}={_exact(cost)}"]
    words += ["--reject", _exact(reject)] if reject is not None else []
    words += ["--alpha", _exact(result.alpha)] if result.alpha != 0.05 else []
    words += ["--seed", result.settings["seed"]]
    return " ".join(shlex.quote(str(w)) for w in words)


def _readable(name: str) -> bool:
    """Whether the name of the data is one that the command line reads: a built-in data set, or a file."""
    return name in datasets() or re.search(r"\.[A-Za-z]\w{0,7}$", name) is not None
