"""Learners by their short names: which there are, and how one is made.

What a learner says of itself stands in its class (:class:`assay.core.Card`). ``tools/registry.py`` gathers it in
``learners.json`` beside this file, so that a list of all learners costs no import of any.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import ParameterError, did_you_mean

__all__ = [
    "KINDS",
    "KIND_OF_TASK",
    "Entry",
    "all_learners",
    "find_learner",
    "is_learner",
    "learners",
    "make_learner",
]

LIST = Path(__file__).with_name("learners.json")
KIND_OF_TASK = {"classification": "classifier", "regression": "regressor"}
KINDS = (
    "classifier",
    "regressor",
    "transformer",
    "outlier detector",
    "density",
    "clusterer",
    "sequence model",
    "wrapper",
    "other",
)

AROUND = "as the estimator"  # what one around another learner takes
TAKES = {
    "missing": "missing values",
    "nominal": "categories",
    "sparse": "sparse tables",
    "infinite": "infinite numbers",
}
_WHAT = {"classifier": ", for classes", "regressor": ", for numbers"}


@dataclass(frozen=True)
class Entry:
    """A learner in the list of short names: its card, and what its class says.

    Parameters
    ----------
    name, summary, also, suits, scale, most_rows, most_columns : as in :class:`assay.core.Card`
    room, class_name : where it is: "bayes", "NaiveBayes"
    kind : one of ``KINDS``
    multiclass : how it tells more than two classes apart; "" for one that predicts no classes
    takes : what it can use as it is: "nominal", "missing", "sparse"; ("as the estimator",) for one around another
    needs : parameters that have no default
    """

    name: str
    summary: str
    also: tuple[str, ...]
    suits: str
    scale: bool
    most_rows: int | None
    most_columns: int | None
    room: str
    class_name: str
    kind: str
    multiclass: str
    takes: tuple[str, ...]
    needs: tuple[str, ...]

    @property
    def takes_words(self) -> str:
        """What it can use as it is, in words: "numbers, categories"."""
        return ", ".join(
            ["numbers", *(TAKES[word] for word in self.takes)] if self.takes != (AROUND,) else [AROUND]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is called, the short name first."""
        return (self.name, *self.also, self.class_name)

    def load(self) -> Any:
        """The class, imported with its room when it is first used."""
        return getattr(import_module(f"assay.{self.room}"), self.class_name)

    def make(self, **settings: Any) -> Any:
        """A new learner, not fitted; ``settings`` overrule those of its card."""
        if lacking := [name for name in self.needs if name not in settings]:
            raise ParameterError(
                f"{self.class_name} cannot be made by its name alone: it needs {', '.join(lacking)}. In Python: "
                f"from assay.{self.room} import {self.class_name}."
            )
        cls = self.load()
        return cls(**{**cls.card.settings, **settings})


@cache
def all_learners() -> tuple[Entry, ...]:
    """The learners of every kind, room by room.

    >>> from assay.learners import all_learners
    >>> "majority" in [entry.name for entry in all_learners()]
    True
    """
    records = json.loads(LIST.read_text(encoding="utf-8"))
    return tuple(Entry(**{key: _frozen(value) for key, value in record.items()}) for record in records)


@cache
def learners(kind: str = "classifier") -> dict[str, Entry]:
    """The learners of one kind by their short names, room by room.

    >>> from assay.learners import learners
    >>> list(learners("outlier detector"))[:2]
    ['density outliers', 'gaussian outliers']
    """
    return {entry.name: entry for entry in all_learners() if entry.kind == kind}


def find_learner(name: str, kind: str = "classifier") -> Entry:
    """The learner of a kind behind a short name, another name, or a class name.

    Capitals, hyphens and spaces do not count.

    >>> from assay.learners import find_learner
    >>> find_learner("Naive-Bayes").class_name, find_learner("forest", "regressor").class_name
    ('NaiveBayes', 'RandomForestRegressor')
    """
    entry = _named(name, kind)
    if entry is not None:
        return entry
    for other in KINDS:
        if other != kind and (entry := _named(name, other)) is not None:
            raise ParameterError(f"{name!r} is {entry.class_name}, {_what(other)}. Name {_what(kind)}.")
    other_names = [n for other in KIND_OF_TASK.values() for n in learners(other)]
    hint = did_you_mean(name, learners(kind), listed=False) or did_you_mean(name, other_names, listed=False)
    raise ParameterError(f"There is no learner {name!r}.{hint} All names: assay learners.")


def is_learner(name: str, kind: str = "classifier") -> bool:
    """Whether there is a learner of the kind by that name.

    >>> from assay.learners import is_learner
    >>> is_learner("lasso"), is_learner("lasso", "regressor")
    (False, True)
    """
    return _named(name, kind) is not None


def make_learner(name: str, **settings: Any) -> Any:
    """A new classifier by its short name.

    >>> from assay.learners import make_learner
    >>> make_learner("majority")
    MajorityClassifier()
    """
    return find_learner(name).make(**settings)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _what(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}{_WHAT.get(kind, '')}"


def _named(name: str, kind: str) -> Entry | None:
    wanted = plain_name(name)
    return next((e for e in learners(kind).values() if wanted in map(plain_name, e.names)), None)


def plain_name(name: str) -> str:
    """A name without capitals, hyphens and spaces."""
    return "".join(c for c in str(name).lower() if c.isalnum())
