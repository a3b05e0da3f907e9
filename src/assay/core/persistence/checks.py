"""Whether attributes are of the kinds that a class is written for, before anyone calls a method of it."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.core import parameters, stored
from assay.errors import AssayError, PersistenceError
from assay.tables import Column, Design, RowNames, Schema, Table

__all__ = ["answers", "check", "is_named_tuple"]

stored.declare(RowNames, {"labels": stored.AnyArray("*") | None})


def check(value: Any, state: Mapping[str, Any]) -> None:
    """Raise if the attributes are not of the kinds that the class is written for."""
    cls = value if isinstance(value, type) else type(value)
    for name, hint in _hints(cls).items():
        if name in state and not _fits(state[name], hint):
            raise PersistenceError(
                f"{cls.__name__}.{name} is of type {type(state[name]).__name__}, which {cls.__name__} cannot use."
            )
    if isinstance(value, Column):
        _check_column(value)
    elif isinstance(value, Schema) and len(set(value.names)) < len(value):
        raise PersistenceError("Schema: two columns have the same name.")
    elif isinstance(value, BaseEstimator):
        _check_learner(value, state)
    wrong = stored.fault(cls, state)
    if wrong:
        raise PersistenceError(wrong)
    if hasattr(value, "_check_stored"):  # what no table can say: arrays that make up a tree, parts that agree
        try:
            value._check_stored()
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise PersistenceError(str(error)) from error


def _check_column(column: Column) -> None:
    try:
        distinct = len(set(column.categories)) == len(column.categories)
    except TypeError:
        distinct = False
    if not distinct or bool(column.categories and not column.coded):
        raise PersistenceError(f"Column {column.name!r}: the categories must be distinct values.")


def _check_learner(learner: BaseEstimator, state: Mapping[str, Any]) -> None:
    """Parameters within what the learner accepts, and the attributes that all learners share."""
    who = type(learner).__name__
    try:
        parameters.check(who, getattr(learner, "accepts", {}), state)
    except AssayError as error:
        raise PersistenceError(f"A parameter is not acceptable: {error}") from error
    schema = state.get("schema_")
    sound = {
        "design_": "design_" not in state or _is_design(state["design_"], schema),
        "n_features_in_": "n_features_in_" not in state or _is_width(state["n_features_in_"], schema),
        "classes_": "classes_" not in state or _are_classes(state["classes_"]),
        "feature_names_in_": "feature_names_in_" not in state or _are_names(state["feature_names_in_"]),
    }
    wrong = [name for name, good in sound.items() if not good]
    if wrong:
        raise PersistenceError(f"{who}.{wrong[0]} is not what a fitted {who} has.")


def _is_design(design: Any, schema: Any) -> bool:
    return isinstance(design, Design) and (schema is None or design.schema == schema)


def _is_width(d: Any, schema: Any) -> bool:
    if not isinstance(d, (int, np.integer)) or isinstance(d, bool):
        return False
    return int(d) == len(schema) if isinstance(schema, Schema) else int(d) >= 0


def _are_classes(classes: Any) -> bool:
    """An array of labels, or for several targets a list of such."""
    if isinstance(classes, list):
        return all(_are_classes(labels) for labels in classes)
    return isinstance(classes, np.ndarray) and classes.ndim == 1 and classes.size > 0


def _are_names(names: Any) -> bool:
    return (
        isinstance(names, np.ndarray) and names.ndim == 1 and all(isinstance(n, str) for n in names.tolist())
    )


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    """The declared types of a dataclass or named tuple; none for other classes."""
    if not dataclasses.is_dataclass(cls) and not is_named_tuple(cls):
        return {}
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a type that is imported for type checkers only
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type; a type too clever for this test holds everything."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, member) for member in inside)
    if origin is typing.Literal:
        return value in inside if isinstance(value, (str, int, bool, type(None))) else False
    if hint is None or hint is type(None):
        return value is None
    if hint is float:
        return isinstance(value, (float, int, np.number)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if origin in (tuple, list, set, frozenset):
        ok = isinstance(value, origin)
        if origin is tuple and inside and inside[-1] is not Ellipsis:
            return ok and len(value) == len(inside) and all(map(_fits, value, inside))
        return ok and (not inside or all(_fits(v, inside[0]) for v in value))
    if origin is dict:
        return isinstance(value, dict) and all(
            _fits(k, inside[0]) and _fits(v, inside[1]) for k, v in value.items()
        )
    kind = origin or hint
    return (
        isinstance(value, kind)
        if isinstance(kind, type) and not getattr(kind, "_is_protocol", False)
        else True
    )


def answers(model: Any) -> bool:
    """Whether the model answers for one plain row: zeros, and the first category of each column.

    This is known when a model is saved, and asked again when it is loaded: arrays of a wrong kind or shape
    show there, not in the user's first prediction.
    """
    schema = _schema_in(model)
    if schema is None:
        return False
    row = Table(np.zeros((1, len(schema))), schema)
    ways = ("predict_proba", "predict") if hasattr(model, "predict") else ("transform",)
    asked = [getattr(model, way) for way in ways if hasattr(model, way)]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return bool(asked) and all(ask(row).shape[0] == 1 for ask in asked)
    except Exception:
        return False


def _schema_in(model: Any, depth: int = 3) -> Schema | None:
    """The schema of a learner, or of the first learner inside it."""
    if not isinstance(model, BaseEstimator) or depth == 0:
        return None
    schema = vars(model).get("schema_")
    if isinstance(schema, Schema):
        return schema
    steps = []
    if type(model).__module__ == "sklearn.pipeline":  # a Pipeline or a FeatureUnion
        steps = [step for _, step in getattr(model, "steps", None) or model.transformer_list]
    parts = [*steps, *(value for name, value in vars(model).items() if name.endswith("_"))]
    inside = (_schema_in(part, depth - 1) for part in parts)
    return next((inner for inner in inside if inner is not None), None)


def is_named_tuple(cls: type) -> bool:
    """Whether a class is a tuple with names for its places."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")
