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
]


class AssayError(Exception):
    """Every error that Assay raises on purpose."""


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


class SchemaWarning(AssayWarning):
    """The table differs from the one learned, and the message says what was done about it."""


class DegenerateWarning(AssayWarning):
    """The data are degenerate for this model, and the message says what was done about it."""
