"""The target of a table: classes to tell apart or numbers to predict, and the rows that have neither."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.targets import encode_labels, plain_values
from assay.errors import DataError, ParameterError
from assay.learners import KIND_OF_TASK
from assay.tables import row_name
from assay.tables.remedies import recognise
from assay.types import Bools

__all__ = [
    "MAX_NUMBERED_CLASSES",
    "TASKS",
    "Target",
    "are_whole",
    "as_target",
    "check_task",
    "is_number",
    "looks_measured",
    "missing",
    "most_classes",
]

TASKS = tuple(KIND_OF_TASK)
MAX_NUMBERED_CLASSES = 20  # distinct whole numbers that are taken for classes when nobody says what they are
MAX_SILENT_CLASSES = 10  # distinct whole numbers up to which no note says that they are taken for classes
MOSTLY_NUMBERS = (
    0.5  # share of rows with numbers from which other text in a target is an exception among them
)


@dataclass(frozen=True)
class Target:
    """What is to be predicted for each row: a class, or a number.

    Attributes
    ----------
    name : what it is called
    labels : (K,) the sorted classes; none for numbers
    codes : (n,) the number of each row's class, -1 for a row without one; of numbers 0, and -1 where one is missing
    numbers : (n,) float64, NaN where one is missing; None for classes
    why : why values that could be both were taken for the one or the other; "" where there was no choice
    """

    name: str
    labels: np.ndarray
    codes: np.ndarray
    numbers: np.ndarray | None = None
    why: str = ""

    @property
    def task(self) -> str:
        """ "classification" or "regression"."""
        return "classification" if self.numbers is None else "regression"

    @property
    def labelled(self) -> np.ndarray:
        """(n,) bool: the rows with a class, or a number."""
        return self.codes >= 0

    def take(self, rows: np.ndarray) -> Target:
        """The same of some rows."""
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, codes=self.codes[rows], numbers=numbers)


def check_task(task: str | None, who: str) -> str | None:
    """The task if it is one, or None.

    >>> from assay.evaluate.target import check_task
    >>> check_task("regression", "compare")
    'regression'
    """
    if task is not None and task not in TASKS:
        raise ParameterError(
            f'task must be "classification", "regression", or None to go by the target; got {task!r}.',
            who=who,
        )
    return task


def as_target(
    y: Any,
    n: int,
    who: str,
    lenient: bool = False,
    name: str | None = None,
    task: str | None = None,
    of_learners: str | None = None,
) -> Target:
    """The classes or the numbers of y; a missing one has the code -1. Its name is the given one, or y's own.

    Text, categories and truth values are classes. Numbers are classes if they are whole and few
    (see :func:`looks_measured`), else numbers to predict, unless ``task`` says what they are, or ``of_learners``, the
    task that all learners named are for. A target without variation, and classes that look like measurements, are
    errors unless ``lenient``.

    >>> from assay.evaluate.target import as_target
    >>> as_target(["b", None, "a", "b"], 4, "compare").codes
    array([ 1, -1,  0,  1])
    >>> as_target([1.5, None, 2.0, 8.5], 4, "compare").numbers
    array([1.5, nan, 2. , 8.5])
    """
    values = _one_column(y, n, who)
    is_missing = missing(values)
    name = name or str(getattr(y, "name", None) or "")
    if is_missing.all():
        raise DataError(f"no row of {name or 'y'} has a value.", who=who)
    known = values[~is_missing]
    if known.dtype == object and all(
        isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in known
    ):
        known = known.astype(np.float64)
    if task is None and str(getattr(y, "dtype", "")) == "category":  # pandas': whoever made it means classes
        task = "classification"
        if known.dtype.kind == "f" and (known != np.floor(known)).any():
            known = np.array([f"{v:g}" for v in known])
    chosen, why = _task_of(known, of_learners) if task is None else (task, "")
    name = name or ("class" if chosen == "classification" else "target")
    why = f"{name} {why}" if why else ""
    if chosen == "regression":
        return _numbers(known, is_missing, name, who, lenient, why)
    implied = task is None and of_learners == "classification"
    return _classes(known, is_missing, name, who, lenient, why, implied)


def _one_column(y: Any, n: int, who: str) -> np.ndarray:
    if isinstance(y, str):
        raise DataError(
            f"y is the text {y!r}, expected the class or the number of each of the {n} rows. If it names a column of "
            "X, take that column out of X and give its values.",
            who=who,
        )
    values: np.ndarray = plain_values(y)
    if not isinstance(values, np.ndarray):
        objects = np.empty(len(values), dtype=object)
        objects[:] = list(values)
        values = (
            objects if any(v is None or isinstance(v, str) for v in objects) else np.asarray(list(values))
        )
    if values.shape != (n,):
        raise DataError(
            f"X has {n} rows, so y must have {n} entries in one column; its shape is {values.shape}.", who=who
        )
    return values


def _task_of(known: np.ndarray, of_learners: str | None) -> tuple[str, str]:
    """What known values are to be predicted as, and why if they are numbers that could be both."""
    if known.dtype.kind not in "iuf":
        text = _exceptions(known)
        return "classification", f"holds text such as {text[0]!r} among its numbers" if text else ""
    distinct = len(np.unique(known))
    fractions = known.dtype.kind == "f" and bool((known != np.floor(known)).any())
    kind = "numbers with fractions" if fractions else "whole numbers" if are_whole(known) else "numbers"
    holds = f"holds {distinct} distinct {kind}" if distinct > 1 else ""
    by_values = "regression" if looks_measured(known) else "classification"
    if of_learners is not None and not (fractions and of_learners == "classification"):
        named = (
            f"{holds}, and what was named is for {'numbers' if of_learners == 'regression' else 'classes'}"
        )
        return of_learners, named if holds and of_learners != by_values else ""
    return by_values, holds if by_values == "regression" or distinct > MAX_SILENT_CLASSES else ""


def are_whole(known: np.ndarray) -> bool:
    """Whether known numbers are whole, and small enough to differ by one.

    >>> import numpy as np
    >>> from assay.evaluate.target import are_whole
    >>> are_whole(np.array([1.0, 3.0])), are_whole(np.array([1.5])), are_whole(np.array([1e150]))
    (True, False, False)
    """
    return known.dtype.kind in "iu" or bool((known == np.floor(known)).all() and np.abs(known).max() < 2**53)


def _numbers(
    known: np.ndarray, is_missing: np.ndarray, name: str, who: str, lenient: bool, why: str
) -> Target:
    try:
        as_floats = known.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(_text_instead_of_numbers(known, is_missing, name), who=who) from None
    if np.isinf(as_floats).any():
        i = int(np.flatnonzero(~is_missing)[np.argmax(np.isinf(as_floats))])
        raise DataError(
            f"{name} is infinite in {row_name(i)}; expected finite numbers. Leave such rows out, or make the value "
            "missing.",
            who=who,
        )
    if not lenient and (as_floats == as_floats[0]).all():
        raise DataError(
            f"all rows of {name} have the value {as_floats[0]:g}; there is nothing to predict.", who=who
        )
    numbers = np.full(len(is_missing), np.nan)
    numbers[~is_missing] = as_floats
    return Target(name, np.empty(0), np.where(is_missing, -1, 0), numbers, why)


def _classes(
    known: np.ndarray, is_missing: np.ndarray, name: str, who: str, lenient: bool, why: str, implied: bool
) -> Target:
    if known.dtype.kind == "f":
        if not (known == np.floor(known)).all():
            raise DataError(
                f"{name} holds {len(np.unique(known))} distinct numbers with fractions, expected classes. Predict them "
                f'as numbers (task="regression"), or, if they name classes, have them read as text '
                f"(nominal=[{name!r}]).",
                who=who,
            )
        if not are_whole(known):
            raise DataError(
                f"{name} holds numbers as large as {np.abs(known).max():g}, expected classes: beyond "
                f'9e15 whole numbers are no longer exact. Predict them as numbers (task="regression"), or have them '
                f"read as text (nominal=[{name!r}]).",
                who=who,
            )
        known = known.astype(np.int64)
    labels, codes_of_known = encode_labels(known, len(known), who)
    if not lenient and len(labels) < 2:
        raise DataError(
            f"all rows of {name} have the class {labels[0]}; there is nothing to tell apart.", who=who
        )
    if not lenient and len(labels) > most_classes(len(known)):
        if _exceptions(known) or _numbers_as_text(known) is not None:
            raise DataError(_text_instead_of_numbers(known, is_missing, name), who=who)
        numeric = known.dtype.kind in "iuf"
        if numeric and implied:
            raise DataError(
                f"{name} has {len(labels)} distinct numbers in {len(known)} rows, but the learners or metrics that "
                'were named are for classes. Name such for numbers (learners "ridge", "forest"; metrics "rmse", "r2"), '
                "or choose another target.",
                who=who,
            )
        advice = ' If it is a measurement: task="regression".' if numeric else ""
        raise DataError(
            f"{name} has {len(labels)} distinct values in {len(known)} rows, expected classes. Is it an "
            f"identifier or a measurement? Choose another target.{advice}",
            who=who,
        )
    codes = np.full(len(is_missing), -1, dtype=np.int64)
    codes[~is_missing] = codes_of_known
    return Target(name, labels, codes, None, why)


def _exceptions(known: np.ndarray) -> list[str]:
    """The distinct texts that are no numbers in a column of text that otherwise holds numbers; else none."""
    values = known.tolist()
    distinct = dict.fromkeys(values) if values and isinstance(values[0], str) else {}
    text = [v for v in distinct if not is_number(v)]
    if not text or len(text) == len(distinct):
        return []
    exceptions = set(text)
    n_text = sum(v in exceptions for v in values)
    return text if n_text < (1 - MOSTLY_NUMBERS) * len(values) else []


def is_number(value: Any) -> bool:
    """Whether a value, or the text of one, is a finite number.

    >>> from assay.evaluate.target import is_number
    >>> is_number("1.5"), is_number("unknown")
    (True, False)
    """
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def _numbers_as_text(known: np.ndarray) -> Any:
    """How text such as $1,200 is to be read as numbers; None if it is something else."""
    texts, counts = np.unique(known.astype(str), return_counts=True)
    if known.dtype.kind in "iuf" or all(map(is_number, texts)):
        return None
    return recognise(texts.tolist(), counts.tolist(), "numbers")


def _text_instead_of_numbers(known: np.ndarray, is_missing: np.ndarray, name: str) -> str:
    """Which cell of a target is no number, and what to do about it."""
    text = _exceptions(known)
    if text:
        first = int(np.flatnonzero(~is_missing)[known.tolist().index(text[0])])
        exceptions = set(text)
        n = sum(v in exceptions for v in known.tolist())
        return (
            f"{name} is {text[0]!r} in {row_name(first)}, expected a number; {n} of {len(known)} rows have such text. "
            f"If it marks missing values: na=[{text[0]!r}]; if numbers are written that way: clean=[{name!r}]."
        )
    remedy = _numbers_as_text(known)
    if remedy is not None:
        return f"{name} {remedy.fact}. Have them converted: clean=[{name!r}]."
    return (
        f"{name} holds text such as {known[0]!r}, expected numbers for a regression. Take it for classes "
        '(task="classification"), or choose another target.'
    )


def most_classes(n: int) -> float:
    """The number of distinct values in n rows beyond which they are no classes."""
    return max(MAX_NUMBERED_CLASSES, n / 3)


def looks_measured(values: np.ndarray) -> bool:
    """Whether known values look like measurements: numbers with fractions, or many distinct whole ones.

    Many are more than 20, or more than 10 of which most occur once: fewer than two rows for each.

    >>> import numpy as np
    >>> from assay.evaluate.target import looks_measured
    >>> looks_measured(np.array([0.5, 1.0])), looks_measured(np.arange(116)), looks_measured(np.array([1, 2, 1]))
    (True, True, False)
    >>> looks_measured(np.arange(15)), looks_measured(np.arange(60) % 15)
    (True, False)
    """
    if values.dtype.kind not in "iuf":
        return False
    whole = are_whole(values)
    distinct = len(np.unique(values))
    sparse = distinct > MAX_SILENT_CLASSES and len(values) < 2 * distinct
    return not whole or distinct > MAX_NUMBERED_CLASSES or sparse


def missing(values: np.ndarray) -> np.ndarray:
    """(n,) bool: which entries are None, NaN, NaT or pandas' NA.

    >>> import numpy as np
    >>> from assay.evaluate.target import missing
    >>> missing(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    if values.dtype.kind in "fmM":
        gaps: Bools = np.isnan(values)  # NaT as well
        return gaps
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    nothing = ("NAType", "NaTType")  # pandas.NA refuses to be compared, even with itself
    return np.array([v is None or type(v).__name__ in nothing or v != v for v in values], dtype=bool)
