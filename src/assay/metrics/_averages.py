"""scikit-learn's rules for averages over classes: average, labels, pos_label, zero_division."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError, warn_user
from assay.metrics import _tables
from assay.metrics._inputs import Labelled, undefined
from assay.types import Label, Labels


def check_average(labelled: Labelled, average: str | None, labels: Labels, pos_label: Label, who: str) -> Any:
    """The classes that count, after scikit-learn's rules for ``average``, ``labels`` and ``pos_label``."""
    if average not in (None, "binary", "micro", "macro", "weighted"):
        raise ParameterError(
            f"average must be binary, micro, macro, weighted or None, got {average!r}.", who=who
        )
    names = labelled.labels.tolist()
    if average == "binary":
        if len(names) > 2:
            raise ParameterError(
                "Target is multiclass but average='binary'. Choose micro, macro, weighted or None.", who=who
            )
        if pos_label not in names and len(names) == 2:
            raise ParameterError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of {names}.", who=who
            )
        return [pos_label]
    if pos_label not in (None, 1):
        warn_user(
            f"{who}: pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}); "
            "use labels=[pos_label] for one class.",
            UserWarning,
        )
    return labels


def divided(part: np.ndarray, whole: np.ndarray, zero_division: Any, who: str, what: str) -> np.ndarray:
    """part / whole, and what scikit-learn's ``zero_division`` says where the whole is 0."""
    number = isinstance(zero_division, (int, float, np.number)) and (
        zero_division in (0, 1) or np.isnan(zero_division)
    )
    if not number and not (isinstance(zero_division, str) and zero_division == "warn"):
        raise ParameterError(f"zero_division must be 'warn', 0, 1 or NaN, got {zero_division!r}.", who=who)
    out = _tables.share(part, whole)
    gap = np.isnan(out)
    if gap.any():
        if not number and what:
            undefined(
                f"{what} is ill-defined and being set to 0.0 for classes without rows to divide by ({who})."
            )
        out[gap] = float(zero_division) if number else 0.0
    return out


def margins(labelled: Labelled, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(tp, predicted, actual) of the requested classes; a class that never occurs has zeros."""
    table = labelled.table()
    counts = np.stack([_tables.correct(table), _tables.predicted(table), _tables.actual(table)])
    if labels is None:
        return counts[0], counts[1], counts[2]
    place = {label: k for k, label in enumerate(labelled.labels.tolist())}
    rows = [
        place.get(v, labelled.K)
        for v in (labels.tolist() if isinstance(labels, np.ndarray) else list(labels))
    ]
    counts = np.concatenate([counts, np.zeros((3, 1), dtype=counts.dtype)], axis=1)[:, rows]
    return counts[0], counts[1], counts[2]
