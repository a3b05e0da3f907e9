"""What can go wrong, as one small tree.

::

    AssayError
    ├── ParameterError      (ValueError, TypeError)  a constructor or fit argument is not acceptable
    ├── DataError           (ValueError)             a table, a target or a weight is not acceptable
    │   ├── SchemaError                              its columns are not the ones that were learned
    │   └── ReadError                                a file cannot be read; says file, line and column
    ├── DegenerateError     (ValueError)             the arithmetic has no answer: singular, zero evidence
    ├── PersistenceError    (ValueError)             a model cannot be written, or a model file not trusted
    └── MissingExtraError   (ImportError)            an optional package is not installed

    AssayWarning            (UserWarning)
    ├── SchemaWarning                                unseen categories and the like; says what was done
    └── DegenerateWarning                            zero evidence, floored variances; says what was done

A learner that stops before it converged uses scikit-learn's ``ConvergenceWarning``.

>>> from assay.errors import AssayError, DataError
>>> issubclass(DataError, AssayError) and issubclass(DataError, ValueError)
True
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from typing import Any

__all__ = [
    "AssayError",
    "AssayWarning",
    "DataError",
    "DegenerateError",
    "DegenerateWarning",
    "MissingExtraError",
    "ParameterError",
    "PersistenceError",
    "ReadError",
    "SchemaError",
    "SchemaWarning",
    "one_stop",
    "warn_user",
]


_STOPS = re.compile(r"(?<!\.)(?:\.\.|(\.\.\.)\.)(?=\s|$)")


def one_stop(message: Any) -> Any:
    """A message whose sentences end in one full stop, also where it quotes another sentence or a list that goes on.

    >>> from assay.errors import one_stop
    >>> one_stop("It cannot be split (too few rows.).. Columns: a, b, ....")
    'It cannot be split (too few rows.). Columns: a, b, ...'
    """
    return _STOPS.sub(lambda stops: stops[1] or ".", message) if isinstance(message, str) else message


class AssayError(Exception):
    """Every error that Assay raises on purpose."""

    def __init__(self, *args: Any):
        super().__init__(*map(one_stop, args))


class ParameterError(AssayError, ValueError, TypeError):
    """A parameter has a value that its learner does not accept."""


class DataError(AssayError, ValueError):
    """A table, a target or a weight cannot be used."""


class SchemaError(DataError):
    """The columns at predict time are not the columns of fit time."""


class ReadError(DataError):
    """A file cannot be read; the message says where: file, line, column."""


class DegenerateError(AssayError, ValueError):
    """The arithmetic has no answer for this data: a singular covariance, zero evidence."""


class PersistenceError(AssayError, ValueError):
    """A model cannot be written as data, or a file is damaged, newer or not ours."""


class MissingExtraError(AssayError, ImportError):
    """An optional package is not installed."""


class AssayWarning(UserWarning):
    """Every warning that Assay gives on purpose, except ``ConvergenceWarning``."""

    def __init__(self, *args: Any):
        super().__init__(*map(one_stop, args))


class SchemaWarning(AssayWarning):
    """The table differs from the one learned, and the message says what was done about it."""


class DegenerateWarning(AssayWarning):
    """The data are degenerate for this model, and the message says what was done about it."""


_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_BETWEEN = {
    "sklearn",
    "joblib",
    "concurrent",
    "threading",
    "contextlib",
    "functools",
}  # called by us or calling us
_thread = threading.local()  # .place: where the user's code began what this thread does


def warn_user(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's own code that led here, however deep in the package, and in whichever thread.

    Parameters
    ----------
    message : str or Warning
    category : class of warning, default UserWarning
        Not looked at if the message is a warning itself.

    Examples
    --------
    >>> import warnings
    >>> from assay.errors import AssayWarning, warn_user
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_user("that looks odd", AssayWarning)
    >>> said[0].message, said[0].category.__name__
    (AssayWarning('that looks odd'), 'AssayWarning')
    """
    filename, line, module, registry = place_of_user()
    category = type(message) if isinstance(message, Warning) else category
    warnings.warn_explicit(message, category, filename, line, module, registry)  # type: ignore[arg-type]


def place_of_user() -> tuple[str, int, str, dict[Any, Any]]:
    """File, line, module and register of warnings of the nearest line outside of the package and its plumbing.

    A thread that works for the user has none; there it is the place from which the work was given out.
    """
    frame = outermost = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not frame.f_code.co_filename.startswith(_OURS) and module.partition(".")[0] not in _BETWEEN:
            break
        outermost, frame = frame, frame.f_back  # type: ignore[assignment]
    if frame is None:
        given = getattr(_thread, "place", None)
        if given is not None:
            return given
        frame = outermost
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    return frame.f_code.co_filename, frame.f_lineno, names.get("__name__", "<unknown>"), registry


def works_for(place: tuple[str, int, str, dict[Any, Any]]) -> None:
    """Let warnings of this thread name the place from which its work was given out."""
    _thread.place = place
