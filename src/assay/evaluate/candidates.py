"""Who takes part in a comparison, and under which names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import ParameterError
from assay.evaluate.learners import suitable
from assay.evaluate.prepared import Candidate, prepared
from assay.learners import KIND_OF_TASK, Entry, find_learner, is_learner
from assay.tables import Table
from assay.types import Estimator

__all__ = ["as_candidates", "distinct", "known_as", "short_name", "task_of_learners", "varied"]


def task_of_learners(learners: Any) -> str | None:
    """The task that all learners given are for, None if they leave it open.

    >>> from assay.evaluate.candidates import task_of_learners
    >>> task_of_learners(["lasso", "forest"]), task_of_learners(["naive bayes"]), task_of_learners(["forest", "knn"])
    ('regression', 'classification', None)
    """
    if learners is None:
        return None
    if isinstance(learners, str) or hasattr(learners, "fit"):
        learners = [learners]
    listed = learners.values() if isinstance(learners, Mapping) else learners
    possible = set(KIND_OF_TASK)
    for learner in listed:
        possible &= _tasks_of(learner)
    return possible.pop() if len(possible) == 1 else None


def _tasks_of(learner: Any) -> set[str]:
    """What a learner, or a short name, can be meant for; everything if that is not known."""
    if isinstance(learner, str):
        known = {task for task, kind in KIND_OF_TASK.items() if is_learner(learner, kind)}
        return known or set(KIND_OF_TASK)
    kind = _estimator_type(learner)
    return {task for task, of_task in KIND_OF_TASK.items() if kind in (None, of_task)}


def _estimator_type(learner: Any) -> str | None:
    if isinstance(learner, type) or not hasattr(learner, "__sklearn_tags__"):
        return None
    from sklearn.utils import get_tags

    kind: str | None = get_tags(learner).estimator_type
    return kind


def as_candidates(learners: Any, table: Table, task: str = "classification") -> list[Candidate]:
    """What ``compare`` was given as learners, each with a name of its own and what it needs in front.

    >>> from assay.bayes import GaussianNB
    >>> from assay.evaluate.candidates import as_candidates
    >>> from assay.tables import Table
    >>> found = as_candidates(["lda", GaussianNB(), GaussianNB(var_smoothing=0.1)], Table.of([[1.0], [2.0]]))
    >>> [c.name for c in found]
    ['lda', 'GaussianNB', 'GaussianNB(var_smoothing=0.1)']
    """
    if learners is None:
        entries = suitable(table, KIND_OF_TASK[task])
        return [prepared(e.name, e.make(), table, e.scale) for e in entries]
    if isinstance(learners, str) or hasattr(learners, "fit"):
        learners = [learners]
    if isinstance(learners, Mapping):
        candidates = [_entrant(str(k), v, table, task) for k, v in learners.items()]
    else:
        candidates = [_entrant(None, v, table, task) for v in learners]
    if not candidates:
        raise ParameterError(
            "there is no learner to compare. Name some, or give None for all that suit.", who="compare"
        )
    return distinct(candidates)


def varied(
    learner: Estimator,
    settings: list[dict[str, Any]],
    table: Table,
    who: str,
    task: str = "classification",
) -> list[Candidate]:
    """One candidate for each setting of a learner, with what it needs in front.

    >>> from assay.evaluate.candidates import varied
    >>> from assay.tables import Table
    >>> found = varied("knn", [{"n_neighbors": 1}, {"n_neighbors": 5}], Table.of([[1.0], [2.0]]), "Tuned")
    >>> [c.learner.n_neighbors for c in found]
    [1, 5]
    """
    from sklearn.base import clone

    scale = False
    if isinstance(learner, str):
        entry = find_learner(learner, KIND_OF_TASK[task])
        name, base, scale = entry.name, entry.make(), entry.scale
    else:
        entrant = _entrant(None, learner, table, task)
        name, base = entrant.name, entrant.learner
    candidates = []
    for setting in settings:
        try:
            candidates.append(prepared(name, clone(base).set_params(**setting), table, scale))
        except ValueError as error:
            raise ParameterError(f"{name} does not take {setting}: {error}", who=who) from None
    return candidates


def _entrant(name: str | None, learner: Any, table: Table, task: str) -> Candidate:
    wanted = KIND_OF_TASK[task]
    if isinstance(learner, str):
        entry = _named(learner, wanted)
        return prepared(name or entry.name, entry.make(), table, entry.scale)
    if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "predict")):
        hint = (
            f"{learner.__name__}() instead of {learner.__name__}"
            if isinstance(learner, type)
            else "a learner or its name"
        )
        raise ParameterError(f"a learner has fit and predict, got {learner!r}. Give {hint}.", who="compare")
    if not hasattr(learner, "get_params") or not hasattr(learner, "__sklearn_tags__"):
        name, mixin = type(learner).__name__, f"{wanted.capitalize()}Mixin"
        raise ParameterError(
            f"{name} cannot be copied for each split as scikit-learn copies learners. Write it as "
            f"class {name}({mixin}, BaseEstimator), both of sklearn.base.",
            who="compare",
        )
    kind = _estimator_type(learner)
    if kind not in (None, wanted):
        does = "tell classes apart" if task == "classification" else "predict numbers"
        raise ParameterError(
            f"for a {task}, learners {does}; {type(learner).__name__} is a {kind.replace('_', ' ')}. Give a {wanted}.",
            who="compare",
        )
    return prepared(name or type(learner).__name__, learner, table)


def short_name(name: str, task: str) -> str:
    """The name under which ``compare`` lists a learner that it was given by this name; itself if there is none.

    >>> from assay.evaluate.candidates import short_name
    >>> short_name("nb", "classification"), short_name("MyLearner", "classification")
    ('naive bayes', 'MyLearner')
    """
    try:
        return _named(name, KIND_OF_TASK[task]).name
    except ParameterError:
        return name


def known_as(name: str, learners: Sequence[str], task: str) -> str | None:
    """Which of these learners a name stands for: their own, or any by which ``compare`` takes one; None if none does.

    >>> from assay.evaluate.candidates import known_as
    >>> known_as("LinearDiscriminantAnalysis", ["lda", "majority"], "classification")
    'lda'
    """
    if name in learners:
        return name
    for wanted in (str(name).strip().lower(), short_name(str(name), task)):
        matches = [known for known in learners if known.strip().lower() == wanted]
        if matches:
            return matches[0]
    return None


def _named(name: str, wanted: str) -> Entry:
    return _of_sequences(name, wanted) or find_learner(name, wanted)


def _of_sequences(name: str, wanted: str) -> Entry | None:
    """The classifier of whole sequences by that name, unless there is one of tables."""
    if wanted != "classifier" or is_learner(name, wanted) or not is_learner(name, "sequence model"):
        return None
    entry = find_learner(name, "sequence model")
    return entry if entry.multiclass else None


def distinct(candidates: list[Any]) -> list[Any]:
    """Things with a name and a learner; equal names are distinguished by what is not a default, else by number."""
    names = [c.name for c in candidates]
    named = [c if names.count(c.name) == 1 else replace(c, name=_with_settings(c)) for c in candidates]
    counts: dict[str, int] = {}
    result = []
    for c in named:
        counts[c.name] = counts.get(c.name, 0) + 1
        result.append(c if counts[c.name] == 1 else replace(c, name=f"{c.name} ({counts[c.name]})"))
    return result


def _with_settings(c: Any) -> str:
    text = " ".join(repr(c.learner).split())  # scikit-learn's repr shows what differs from the defaults
    return text.removesuffix("()") if text.startswith(c.name) and len(text) <= 60 else c.name
