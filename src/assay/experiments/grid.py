"""The learners of an experiment, each with one or with many settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from assay.core.words import one_line
from assay.errors import ParameterError
from assay.evaluate.candidates import as_candidates, distinct, task_of_learners
from assay.evaluate.learners import suitable
from assay.evaluate.prepared import Candidate, prepared
from assay.learners import KIND_OF_TASK, find_learner
from assay.tables import Table

__all__ = ["Entrant", "as_entrants", "runs_of", "task_of_entrants"]


@dataclass(frozen=True)
class Entrant:
    """A learner with one choice of settings.

    Attributes
    ----------
    name : str
        Such as "tree(max_depth=2)".
    family : str
        The learner's name without its settings: "tree".
    learner : a learner, or the short name of one
    factors : dict of parameter to level; empty for a learner without a grid
    """

    name: str
    family: str
    learner: Any
    factors: dict[str, Any] = field(default_factory=dict)

    def candidate(self, table: Table, task: str = "classification") -> Candidate:
        """The learner with its settings, and the preparation it needs for this table."""
        if isinstance(self.learner, str):
            entry = find_learner(self.learner, KIND_OF_TASK[task])
            return prepared(self.name, self._set(entry.make()), table, entry.scale)
        return as_candidates({self.name: self._set(self.learner)}, table, task)[0]

    def _set(self, learner: Any) -> Any:
        from sklearn.base import clone

        if not self.factors:
            return learner
        parameters = learner.get_params() if hasattr(learner, "get_params") else {}
        for factor in self.factors:
            if factor not in parameters:
                accepted = ", ".join(sorted(k for k in parameters if "__" not in k))
                raise ParameterError(
                    f"{self.family} ({type(learner).__name__}) has no parameter {factor!r}. It has: {accepted}.",
                    who="experiment",
                )
        return clone(learner).set_params(**self.factors)


def task_of_entrants(learners: Any) -> str | None:
    """The task that all learners of an experiment are for, their settings aside; None if they leave it open."""
    if _is_pair(learners):
        learners = [learners]
    if isinstance(learners, Mapping):
        learners = list(learners.values())
    if isinstance(learners, str) or not isinstance(learners, Iterable):
        return task_of_learners(learners)
    return task_of_learners([member[0] if _is_pair(member) else member for member in learners])


def as_entrants(
    learners: Any, tables: Iterable[Table], factors: Any = None, task: str = "classification"
) -> list[Entrant]:
    """Learners with their settings, from the arguments of an experiment.

    Parameters
    ----------
    learners : as for ``compare``; a member may be a pair (learner, settings): see ``runs_of``. None for all short
        names that suit every table.
    factors : settings for every learner without settings

    Examples
    --------
    >>> from assay.experiments.grid import as_entrants
    >>> [e.name for e in as_entrants({"bayes": "nb", "tree": ("decision tree", {"max_depth": [2, 4]})}, [])]
    ['bayes', 'tree(max_depth=2)', 'tree(max_depth=4)']
    """
    if learners is None:
        suitable_names = [{e.name for e in suitable(table, KIND_OF_TASK[task])} for table in tables]
        learners = (
            [name for name in suitable_names[0] if all(name in other for other in suitable_names)]
            if suitable_names
            else []
        )
        learners.sort()
    if isinstance(learners, str) or hasattr(learners, "fit"):
        learners = [learners]
    if _is_pair(learners):
        learners = [learners]
    if isinstance(learners, Mapping):
        pairs: list[tuple[str | None, Any]] = [(str(name), learner) for name, learner in learners.items()]
    elif isinstance(learners, Iterable):
        pairs = [(None, learner) for learner in learners]
    else:
        raise ParameterError(
            f"learners must be a list or a dict of learners, got {learners!r}.", who="experiment"
        )
    entrants = [entrant for name, learner in pairs for entrant in _settings(name, learner, factors, task)]
    if not entrants:
        raise ParameterError(
            "there is no learner. Name some, such as 'naive bayes', 'c45', 'lda'.", who="experiment"
        )
    return distinct(entrants)


def runs_of(settings: Any) -> list[dict[str, Any]]:
    """Settings as a list of runs: every combination of the levels of a dict, or the runs of a design as they are.

    >>> from assay.experiments.grid import runs_of
    >>> runs_of({"depth": [2, 4], "leaf": [1]})
    [{'depth': 2, 'leaf': 1}, {'depth': 4, 'leaf': 1}]
    """
    settings = getattr(settings, "runs", settings)  # of a factorial design
    settings = settings() if callable(settings) else settings
    if isinstance(settings, Mapping):
        levels = []
        for factor, value in settings.items():
            single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
            listed = [value] if single else list(value)
            if not listed:
                raise ParameterError(f"the factor {factor!r} has no levels.", who="experiment")
            levels.append(listed)
        return [dict(zip(map(str, settings), choice)) for choice in product(*levels)]
    if isinstance(settings, (list, tuple)) and settings and all(isinstance(r, Mapping) for r in settings):
        distinct: list[dict[str, Any]] = []
        for run in settings:
            plain = {str(k): v for k, v in run.items()}
            if plain not in distinct:  # a design may repeat runs; the splits replicate here
                distinct.append(plain)
        return distinct
    raise ParameterError(
        "settings must be a dict of parameter to levels, such as {'max_depth': [2, 4]}, or a list of "
        f"runs, such as [{{'max_depth': 2}}, {{'max_depth': 4}}], got {settings!r}.",
        who="experiment",
    )


def _settings(name: str | None, learner: Any, factors: Any, task: str) -> list[Entrant]:
    settings = factors
    if _is_pair(learner):
        learner, settings = learner
    if isinstance(learner, str):
        family = name or find_learner(learner, KIND_OF_TASK[task]).name
    elif hasattr(learner, "fit") and not isinstance(learner, type):
        family = name or type(learner).__name__
    else:
        hint = f"{learner.__name__}()" if isinstance(learner, type) else "a learner, or the short name of one"
        raise ParameterError(
            f"a learner has fit and predict, got {learner!r}. Give {hint}.", who="experiment"
        )
    if settings is None:
        return [Entrant(family, family, learner)]
    return [
        Entrant(f"{family}({', '.join(f'{k}={_setting(v)}' for k, v in run.items())})", family, learner, run)
        for run in runs_of(settings)
    ]


def _is_pair(member: Any) -> bool:
    """(learner, settings), rather than two learners."""
    return isinstance(member, tuple) and len(member) == 2 and not _plain(member[1])


def _plain(value: Any) -> bool:
    return isinstance(value, (str, type)) or hasattr(value, "fit")


def _setting(value: Any) -> str:
    """The value of a parameter in one line of at most 40 characters."""
    return one_line(value if isinstance(value, str) else " ".join(repr(value).split()), 40)
