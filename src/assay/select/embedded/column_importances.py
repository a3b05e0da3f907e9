"""What a fitted model says of each column: its weights or importances, one number for a nominal column as well."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from assay.core.learner import Learner
from assay.errors import DataError, ParameterError
from assay.prepare import Prepared, PreparedRegressor

__all__ = ["column_importances", "inside_preparation", "squared_importances"]


def column_importances(
    model: Any, getter: str | Callable[[Any], Any] = "auto", order: float = 1, who: str = ""
) -> np.ndarray:
    """(d,) the size of each column's weights: a norm over all outputs, and over the indicators of a nominal column.

    Parameters
    ----------
    model : a fitted estimator
    getter : "auto" for ``coef_`` or else ``feature_importances_``, the name (path) of an attribute, or a function
    order : of the norm

    Examples
    --------
    >>> from assay.linear import Ridge
    >>> from assay.select.embedded.column_importances import column_importances
    >>> column_importances(Ridge(1e-9).fit([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]], [0.0, -3.0, -6.0])).round(6)
    array([3., 0.])
    """
    model, weights = _weights(model, getter, who)
    if weights.ndim == 1 and _source(model, weights.shape[-1]) is None:
        return np.abs(weights)
    blocks = _by_column(model, weights)
    return np.array([np.linalg.norm(block.ravel(), ord=order) if block.size else 0.0 for block in blocks])


def squared_importances(model: Any, getter: str | Callable[[Any], Any] = "auto", who: str = "") -> np.ndarray:
    """(d,) the squares of a column's weights, added up over outputs and indicators."""
    model, weights = _weights(model, getter, who)
    squares = weights**2 if weights.ndim == 1 else (weights**2).sum(axis=0)
    source = _source(model, len(squares))
    return squares if source is None else np.bincount(source, squares, minlength=model.n_features_in_)


def _weights(model: Any, getter: Any, who: str) -> tuple[Any, np.ndarray]:
    """The model that has weights, and they: (D,) or (outputs, D)."""
    inside = inside_preparation(model)
    if isinstance(getter, str) and getter == "auto":
        if hasattr(inside, "coef_"):
            values = inside.coef_
        elif hasattr(inside, "feature_importances_"):
            values = inside.feature_importances_
        else:
            raise DataError(
                f"when importance_getter=='auto', the underlying estimator {type(inside).__name__} should have `coef_` "
                "or `feature_importances_` attribute. Say where its importances are: "
                f"importance_getter='{_path(inside)}', or a function of the fitted estimator.",
                who=who,
            )
    elif isinstance(getter, str):
        try:
            values = attrgetter(getter)(model)
        except AttributeError as error:
            raise AttributeError(
                f"{who}: importance_getter={getter!r} is no attribute of the fitted estimator: {error}."
            ) from None
    elif callable(getter):
        values = getter(model)
    else:
        raise ParameterError(f"importance_getter has to be a string or callable, got {getter!r}.", who=who)
    weights = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    d = getattr(inside, "n_features_in_", None)
    if weights.ndim not in (1, 2) or (
        getter != "auto" and d not in (None, weights.shape[-1]) and _source(inside, weights.shape[-1]) is None
    ):
        raise DataError(
            f"importance_getter gave an array of shape {weights.shape}, expected a number for each of {d} columns, or "
            "a row of them for each output.",
            who=who,
        )
    if np.isnan(weights).any():
        raise DataError(f"the importances of {type(inside).__name__} hold NaN.", who=who)
    return inside, weights


def inside_preparation(model: Any) -> Any:
    """The learner behind an imputer and a scaler, which leave the columns one for one."""
    while isinstance(model, (Prepared, PreparedRegressor)):
        model = vars(model).get("estimator_", model.estimator)
    return model


def _path(model: Any) -> str:
    """A guess of where the importances may be."""
    return f"named_steps.{model.steps[-1][0]}.coef_" if isinstance(model, Pipeline) else "..."


def _source(model: Any, width: int) -> np.ndarray | None:
    """(D,) the table's column behind each weight; None where every weight has a column of its own."""
    design = getattr(model, "design_", None) if isinstance(model, Learner) else None
    return None if design is None or design.plain or len(design.source) != width else design.source


def _by_column(model: Any, weights: np.ndarray) -> list[np.ndarray]:
    """The weights of each column."""
    weights = np.atleast_2d(weights)
    source = _source(model, weights.shape[1])
    if source is None:
        return list(weights.T)
    return [weights[:, source == j] for j in range(model.n_features_in_)]
