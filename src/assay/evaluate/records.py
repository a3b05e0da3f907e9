"""A comparison as data: tidy records, and all of it as numbers, text, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MissingExtraError

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["as_frame", "as_plain", "plain", "tidy"]


def as_frame(records: list[dict[str, Any]]) -> Any:
    """Records as a pandas DataFrame."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError(
            "to_pandas needs one more package: pip install pandas. Without it: to_records or to_arrow."
        ) from None
    return pd.DataFrame.from_records(records)


def tidy(result: Comparison) -> list[dict[str, Any]]:
    """One dict per learner, split and metric; a failed cell has the value None."""
    rows = []
    for name in result.learners:
        for (repetition, fold, n_train), test, cell in zip(result.places, result.tests, result.cells[name]):
            for m in result.metrics:
                value = cell.values.get(m.name, np.nan)
                rows.append(
                    {
                        "data": result.data.name,
                        "learner": name,
                        "repetition": repetition,
                        "fold": fold,
                        "metric": m.name,
                        "value": None if np.isnan(value) else value,
                        "fit_seconds": None if cell.failure else cell.fit_seconds,
                        "predict_seconds": None if cell.failure else cell.predict_seconds,
                        "n_train": n_train,
                        "n_test": len(test),
                    }
                )
    return rows


def as_plain(result: Comparison, without: Collection[str] = ()) -> dict[str, Any]:
    """Everything, or everything ``without`` some of its parts, as plain data that JSON can hold."""
    parts: dict[str, Callable[[], Any]] = {
        "data": lambda: asdict(result.data),
        "design": lambda: {
            "name": result.design.name,
            "words": str(result.design),
            "splits": len(result.places),
        },
        "metrics": lambda: [{"name": m.name, "better": m.better, "words": m.words} for m in result.metrics],
        "alpha": lambda: result.alpha,
        "task": lambda: result.task,
        "classes": lambda: result.classes,
        "ranking": lambda: {m.name: [asdict(s) for s in result.ranking(m.name)] for m in result.metrics},
        "confusion": lambda: {
            name: result.confusion(name).tolist() for name in result.finished if result.classes
        },
        "partial": lambda: result.partial,
        "notes": lambda: result.notes,
        "settings": lambda: result.settings,
        "records": lambda: result.records,
    }
    return {name: plain(make()) for name, make in parts.items() if name not in without}


def plain(value: Any) -> Any:
    """Numbers, text, lists and dicts alone; what is not a number is None.

    >>> import numpy as np
    >>> from assay.evaluate.records import plain
    >>> plain({1: np.array([0.5, np.nan]), "b": (True, None)})
    {'1': [0.5, None], 'b': [True, None]}
    """
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
