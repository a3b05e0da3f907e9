"""Which classes a model file may speak of, and which attributes it may give them.

A class can be stored if it is defined in one of the :data:`ROOMS` of Assay, declares in a table ``stored`` what its
objects may hold (:mod:`assay.core.stored`), and is a learner that its room lists, a dataclass, a named tuple, or says
``storable = True``. In a file it has the name its room lists (``bayes.GaussianNB``), or else its module's
(``core.moments.ClassMoments``). A file's name is looked up in the tables that the installed package itself makes, so
it can at most bring one of Assay's own modules into memory.

The one exception are pipelines of scikit-learn that are made of such learners
(:mod:`~assay.core.persistence.pipelines`).

Objects come back without a call of their class: empty, then with attributes of which each is a parameter or stands
in the table, and then checked: the types of fields, parameters against ``accepts``, attributes against ``stored``,
and what ``__post_init__`` and ``_check_stored`` ask for beyond that.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

import assay
from assay.core.persistence import pipelines
from assay.core.persistence.checks import check, is_named_tuple
from assay.core.stored import is_declared, table_of
from assay.errors import PersistenceError
from assay.tables import Column, Design, Schema

__all__ = ["ROOMS", "class_of", "name_of", "rebuild", "state_of"]

ROOMS = tuple(room for room in assay._ROOMS if room not in ("plots", "report"))
FORMER_NAMES = {  # names that classes had in files of earlier releases, to today's
    "associations.ItemNeighbours": "associations.ItemNeighbors",
    "associations.UserNeighbours": "associations.UserNeighbors",
    "core.conditions.Condition": "rulebase.Condition",
    "core.conditions.LinearCondition": "rulebase.LinearCondition",
    "core.linear_answer.LinearAnswer": "rulebase.LinearAnswer",
    "core.rules.Rule": "rulebase.Rule",
    "core.rules.RuleBase": "rulebase.RuleBase",
    "decide.Loss": "decide.LossMatrix",
    "distances.Discriminant": "distances.DiscriminantMetric",
    "evaluate.MajorityClassifier": "baselines.MajorityClassifier",
    "evaluate.Tuned": "tuning.Tuned",
    "linear.coordinate_descent.Sweep": "linear.regression.coordinate_descent.Sweep",
    "linear.gradient_outputs.Snapshot": "linear.logistic.gradient_outputs.Snapshot",
    "linear.least_squares_learner.Unsummed": "linear.regression.least_squares_learner.Unsummed",
    "linear.least_squares_sums.Kept": "linear.regression.least_squares_sums.Kept",
    "linear.least_squares_sums.Sums": "linear.regression.least_squares_sums.Sums",
    "linear.pairwise_ranker.RankingPass": "linear.ranking.pairwise_ranker.RankingPass",
    "linear.perceptron_rule.Epoch": "linear.discriminants.perceptron_rule.Epoch",
    "linear.pocket.Exchange": "linear.discriminants.pocket.Exchange",
    "linear.polynomial_basis.PolynomialBasis": "linear.regression.polynomial_basis.PolynomialBasis",
    "linear.sgd.Epoch": "linear.gradient.sgd.Epoch",
    "prepare.missing_indicator.Holes": "prepare.missing_indicator.MissingCounts",
    "rules.rule_growth.GrowthStep": "rules.covering.rule_growth.GrowthStep",
    "rules.rule_growth.Tried": "rules.covering.rule_growth.Tried",
    "trees.PressedTrees": "trees.PackedForest",
}
REMADE = {Design: ("schema", "drop_first")}  # classes made anew from these: all else follows from them
NOT_OF_THE_MODEL = ("_skl_callbacks",)  # callbacks of the fit


def name_of(cls: type) -> str | None:
    """The name that files use for a class, or None if it cannot be stored.

    >>> from assay.bayes import GaussianNB
    >>> from assay.core.persistence.registry import name_of
    >>> name_of(GaussianNB), name_of(dict)
    ('bayes.GaussianNB', None)
    """
    if cls.__module__ == "sklearn.pipeline":
        return pipelines.name_of(cls)
    top, _, module = cls.__module__.partition(".")
    room = module.partition(".")[0]
    if top != "assay" or room not in ROOMS or not _storable(cls) or not cls.__qualname__.isidentifier():
        return None
    if _public(room).get(cls.__name__) is cls:
        return f"{room}.{cls.__name__}"
    named = vars(import_module(cls.__module__)).get(cls.__name__) is cls
    return f"{module}.{cls.__name__}" if named else None


def class_of(name: str) -> type:
    """The class that a file's name stands for."""
    name = FORMER_NAMES.get(name, name)
    place, _, short = name.rpartition(".")
    cls: Any = pipelines.class_of(name)
    if place in ROOMS:
        cls = _public(place).get(short)
    if cls is None and place in (modules := _modules()):
        cls = vars(import_module(modules[place])).get(short)
    if not isinstance(cls, type) or name_of(cls) != name:
        raise PersistenceError(
            f"It asks for {name[:80]!r}, which is none of the classes that a model file may hold."
        )
    return cls


def state_of(value: Any, where: str) -> dict[str, Any]:
    """The attributes of an object that make up all of it."""
    cls = type(value)
    if pipelines.is_pipeline(value):
        return pipelines.state_of(value, where)
    if cls in REMADE:
        return {name: getattr(value, name) for name in REMADE[cls]}
    if is_named_tuple(cls):
        fields: dict[str, Any] = value._asdict()
        return fields
    state = dict(getattr(value, "__dict__", {}))
    if dataclasses.is_dataclass(cls):
        state |= {f.name: getattr(value, f.name) for f in dataclasses.fields(cls) if hasattr(value, f.name)}
    state = {
        name: v for name, v in state.items() if not _is_cache(cls, name) and name not in NOT_OF_THE_MODEL
    }
    for name in state:
        if not _allowed(cls, name):
            raise PersistenceError(
                f"{where}.{name} cannot be saved: a model file holds parameters and what fit makes of a "
                f"{cls.__name__}, not {name!r}. What fit makes stands in {cls.__name__}.stored."
            )
    check(value, state)
    return state


def rebuild(cls: type, state: Mapping[str, Any]) -> Any:
    """The object of that class with these attributes."""
    if pipelines.name_of(cls) is not None:
        return pipelines.rebuild(cls, state)
    renamed = getattr(cls, "renamed", {})
    if set(renamed.values()) & set(state):
        renamed = {}  # written under the new names
    state = {renamed.get(name, name): value for name, value in state.items()}
    for name in state:
        if not _allowed(cls, name):
            raise PersistenceError(
                f"It gives {cls.__name__} the attribute {name[:80]!r}, which is not one of its own."
            )
    state = {**_defaults(cls, state), **state}
    if is_named_tuple(cls):
        check(cls, state)
        return tuple.__new__(cls, [state[name] for name in cls._fields])  # type: ignore[attr-defined]
    if cls in REMADE:
        if not isinstance(state["schema"], Schema) or type(state["drop_first"]) is not bool:
            raise PersistenceError(f"Its {cls.__name__} is not made of a schema and a choice.")
        return cls(*(state[name] for name in REMADE[cls]))
    value = object.__new__(cls)
    for name, attribute in state.items():
        object.__setattr__(value, name, attribute)
    check(value, state)
    if dataclasses.is_dataclass(cls) and hasattr(value, "__post_init__"):
        value.__post_init__()
    return value


def _storable(cls: type) -> bool:
    if cls in (*REMADE, Schema, Column):
        return True
    if not is_declared(cls):
        return False
    if issubclass(cls, BaseEstimator):  # those for users, and what these are made of; no bases
        room = cls.__module__.split(".")[1]
        return (room != "core" and _public(room).get(cls.__name__) is cls) or "storable" in vars(cls)
    return dataclasses.is_dataclass(cls) or is_named_tuple(cls) or getattr(cls, "storable", False) is True


@functools.cache
def _public(room: str) -> dict[str, Any]:
    module = import_module(f"assay.{room}")
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


@functools.cache
def _modules() -> dict[str, str]:
    """Every module of the rooms, by what stands after ``assay.``; listed from disk, not imported."""
    modules: dict[str, str] = {}
    todo = [(room, [os.path.join(place, room) for place in assay.__path__]) for room in ROOMS]
    while todo:
        name, places = todo.pop()
        modules[name] = f"assay.{name}"
        for module in pkgutil.iter_modules(places):
            inside = f"{name}.{module.name}"
            modules[inside] = f"assay.{inside}"
            if module.ispkg:
                todo.append((inside, [os.path.join(place, module.name) for place in places]))
    return modules


@functools.cache
def _parameters(cls: type) -> Mapping[str, inspect.Parameter]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    signature = inspect.signature(cls).parameters
    return {name: parameter for name, parameter in signature.items() if parameter.kind not in kinds}


def _allowed(cls: type, name: str) -> bool:
    """Whether a file may set this attribute."""
    if cls in REMADE:
        return name in REMADE[cls]
    if is_named_tuple(cls):
        return name in cls._fields  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(cls):
        return name in {field.name for field in dataclasses.fields(cls)}
    return name in _parameters(cls) or name in table_of(cls)


def _is_cache(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property)


def _defaults(cls: type, state: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that the class got after the file was written have their defaults; others must be there."""
    required = cls in REMADE or is_named_tuple(cls)
    if dataclasses.is_dataclass(cls):
        lost: dict[str, Any] = {f.name: _default(f) for f in dataclasses.fields(cls) if f.name not in state}
    else:
        lost = {name: p.default for name, p in _parameters(cls).items() if name not in state}
    for name, default in lost.items():
        if required or default is inspect.Parameter.empty or default is dataclasses.MISSING:
            raise PersistenceError(f"It lacks the attribute {name!r} of {cls.__name__}.")
    return lost


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
