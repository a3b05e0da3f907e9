"""Constraints of histogram boosting, as users write them, turned into numbers of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np

from assay.errors import ParameterError, SchemaError
from assay.tables import Schema

__all__ = ["interaction_groups", "monotonic_signs", "nominal_columns"]


def nominal_columns(wanted: Any, schema: Schema, who: str) -> dict[str, str]:
    """Which kind each column is to be taken as, where that differs from what the table says.

    ``wanted`` is ``categorical_features``: "from_dtype", None, a mask, or names or numbers of columns.
    """
    if isinstance(wanted, str):
        return {}
    chosen = np.zeros(len(schema), dtype=bool)
    listed = np.asarray([] if wanted is None else wanted)
    if listed.dtype.kind not in "biuUSO" and listed.size:
        raise ParameterError(
            f"{who}: categorical_features must be an array-like of bool, int or str, got {listed.dtype} values."
        )
    if listed.dtype.kind in "SO" and listed.size:
        listed = _plain_names(listed, who)
    if listed.dtype.kind == "b":
        if listed.shape != chosen.shape:
            raise ParameterError(
                f"{who}: categorical_features set as a boolean mask must have shape (n_features,), here "
                f"({len(schema)},), got shape {listed.shape}."
            )
        chosen = listed
    elif listed.dtype.kind == "U":
        if listed.size and not schema.named:
            raise ParameterError(
                f"{who}: categorical_features should be passed as an array of integers or as a boolean mask when the "
                "model is fitted on data without feature names."
            )
        for name in listed.tolist():
            if name not in schema.names:
                raise ParameterError(
                    f"{who}: categorical_features has an item value {name!r} which is not a valid feature name of "
                    f"the training data. Observed feature names: {schema.names}"
                )
            chosen[schema.index(name)] = True
    elif listed.size:
        if listed.min() < 0 or listed.max() >= len(schema):
            raise ParameterError(
                f"{who}: categorical_features set as integer indices must be in [0, n_features - 1], here 0 to "
                f"{len(schema) - 1}."
            )
        chosen[listed] = True
    kinds = {}
    for column, nominal in zip(schema, chosen):
        if nominal and column.kind != "nominal":
            kinds[column.name] = "nominal"
        elif column.coded and not nominal:
            raise SchemaError(
                f"{who}: column {column.name!r} holds categories, but categorical_features does not list it. List it, "
                'or leave categorical_features at "from_dtype".'
            )
    return kinds


def _plain_names(listed: np.ndarray, who: str) -> np.ndarray:
    kinds = {type(v) for v in listed.tolist()}
    if kinds <= {bool, np.bool_}:
        return listed.astype(bool)
    if kinds <= {str, np.str_}:
        return listed.astype(str)
    if all(issubclass(k, Integral) for k in kinds):
        return listed.astype(np.int64)
    raise ParameterError(
        f"{who}: categorical_features must be an array-like of bool, int or str, got "
        f"{', '.join(sorted(k.__name__ for k in kinds))} in one list."
    )


def monotonic_signs(
    constraints: Sequence[int] | Mapping[str, int] | None, schema: Schema, nominal: np.ndarray, who: str
) -> np.ndarray:
    """(d,) for each column 1 (scores may only grow with it), -1 (only fall) or 0.

    >>> from assay.ensembles.hist_constraints import monotonic_signs
    >>> from assay.tables import Column, Schema
    >>> monotonic_signs({"age": 1}, Schema([Column("age"), Column("height")]), np.zeros(2, bool), "Learner")
    array([1, 0])
    """
    signs = np.zeros(len(schema), dtype=np.int64)
    if constraints is None:
        return signs
    if isinstance(constraints, Mapping):
        if not schema.named:
            raise ParameterError(
                f"{who} was not fitted on data with feature names. Pass monotonic_cst as an integer array instead."
            )
        unknown = sorted(set(constraints) - set(schema.names))
        if unknown:
            raise ParameterError(
                f"{who}: monotonic_cst contains {len(unknown)} unexpected feature names: "
                f"{[*unknown[:5], *(['...'] if len(unknown) > 5 else [])]}."
            )
        for name, sign in constraints.items():
            if sign not in (-1, 0, 1):
                raise ParameterError(
                    f"{who}: monotonic_cst must be -1, 0 or 1, got {sign!r} for column {name!r}."
                )
            signs[schema.index(name)] = int(sign)
    else:
        array = np.asarray(constraints)
        unexpected = sorted(set(array.ravel().tolist()) - {-1, 0, 1}, key=str)
        if unexpected:
            raise ParameterError(
                f"{who}: monotonic_cst must be an array-like of -1, 0 or 1. Observed values: {unexpected[:5]}."
            )
        if array.shape != signs.shape:
            raise ParameterError(
                f"{who}: monotonic_cst has shape {array.shape} but the input data X has {len(schema)} features."
            )
        signs[:] = array
    if (signs[nominal] != 0).any():
        name = schema.names[int(np.argmax(nominal & (signs != 0)))]
        raise ParameterError(
            f"{who}: Categorical features cannot have monotonic constraints, but {name!r} has one in monotonic_cst."
        )
    return signs


def interaction_groups(constraints: Any, d: int, who: str) -> list[list[int]]:
    """Groups of columns that may meet on one way down; columns of no group form one more.

    >>> from assay.ensembles.hist_constraints import interaction_groups
    >>> interaction_groups([(0, 1)], 4, "Learner")
    [[0, 1], [2, 3]]
    """
    if constraints is None:
        return []
    if isinstance(constraints, str):
        return (
            [[j] for j in range(d)]
            if constraints == "no_interactions"
            else [list(p) for p in combinations(range(d), 2)]
        )
    try:
        groups = [set(group) for group in constraints]
    except TypeError:
        raise ParameterError(
            f"{who}: Interaction constraints must be a sequence of tuples or lists, got: {constraints!r}."
        ) from None
    for group in groups:
        for j in group:
            if not (isinstance(j, Integral) and 0 <= int(j) < d):
                raise ParameterError(
                    f"{who}: Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                    f"[0, {d - 1}], specifying the position of features, got invalid indices: {group!r}"
                )
    ungrouped = set(range(d)) - set().union(*groups)
    return [sorted(int(j) for j in group) for group in [*groups, *([ungrouped] if ungrouped else [])]]
