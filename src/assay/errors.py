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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

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
    "did_you_mean",
    "one_stop",
    "spoken_as",
    "warn_user",
]


_COMPARED = 80  # characters of a wrong word that are compared with the known ones
_LISTED = 20  # known words that are listed
_NO_VALUE: Any = object()  # no value came
_STOPS = re.compile(r"(?<!\.)(?:\.\.|(\.\.\.)\.)(?=\s|$)")


def one_stop(message: object) -> Any:
    """A message whose sentences end in one full stop, also where it quotes another sentence or a list that goes on.

    >>> from assay.errors import one_stop
    >>> one_stop("It cannot be split (too few rows.).. Columns: a, b, ....")
    'It cannot be split (too few rows.). Columns: a, b, ...'
    """
    return _STOPS.sub(lambda stops: stops[1] or ".", message) if isinstance(message, str) else message


class AssayError(Exception):
    """Every error that Assay raises on purpose: fields for programs, and the sentence that is made of them.

    Code that has to know which error it caught asks for its class or its ``code``, never for words of the sentence.

    Parameters
    ----------
    what : str
        What is wrong, as a sentence; the whole message, if no other field is given.
    who : str
        The function or learner that the user called.
    where : str
        The place: a file and its line, a row, a column.
    got : any value
        What came instead of what was expected.
    remedy : str
        What to do next, as a sentence.
    code : str
        A short name of this very error, such as "ragged-line".

    Examples
    --------
    >>> from assay.errors import ParameterError
    >>> error = ParameterError("alpha must be below 1", who="compare", got=1.5, remedy="Give 0.05.", code="bad-level")
    >>> print(error)
    compare: alpha must be below 1, got 1.5. Give 0.05.
    >>> error.who, error.got, error.code
    ('compare', 1.5, 'bad-level')
    """

    def __init__(
        self,
        what: Any = "",
        *,
        who: str = "",
        where: str = "",
        got: Any = _NO_VALUE,
        remedy: str = "",
        code: str = "",
    ):
        self.what, self.who, self.where, self.remedy, self.code = what, who, where, remedy, code
        if got is not _NO_VALUE:
            self.got = got
        super().__init__(self.sentence)

    @property
    def sentence(self) -> Any:
        """Who, where, what, what came instead, and what to do."""
        what = self.what
        if "got" in vars(self):
            what = f"{str(what).removesuffix('.')}, got {self.got!r}."
        heads = "".join(f"{head}: " for head in (self.who, self.where) if head)
        if not heads and not self.remedy:
            return one_stop(what)
        return one_stop(f"{heads}{what} {self.remedy}".rstrip())

    def with_remedy(self, remedy: str) -> Self:
        """The same error with one more sentence about what to do."""
        self.remedy = f"{self.remedy} {remedy}".lstrip()
        self.args = (self.sentence,)
        return self

    def said_by(self, who: str, instead_of: str = "") -> Self:
        """The same error in the name of another function; a speaker other than ``instead_of`` stays, behind it."""
        if self.who not in ("", instead_of):
            self.what = f"{self.who}: {self.what}"
        self.who = who
        self.args = (self.sentence,)
        return self


@contextmanager
def spoken_as(who: str, instead_of: str = "compare") -> Iterator[None]:
    """Let errors of ``instead_of`` be said in the name of the function that uses it, which is the one the user called.

    As a decorator or around a block.

    >>> from assay.errors import DataError, spoken_as
    >>> with spoken_as("learning_curve"):
    ...     raise DataError("y has one class.", who="compare")
    Traceback (most recent call last):
    assay.errors.DataError: learning_curve: y has one class.
    """
    try:
        yield
    except AssayError as error:
        if error.who == instead_of:
            error.said_by(who, instead_of)
        raise


class ParameterError(AssayError, ValueError, TypeError):
    """A parameter has a value that its learner does not accept.

    >>> from assay.bayes import GaussianNB
    >>> GaussianNB(var_smoothing=-1).fit([[0.0], [1.0]], ["a", "b"])
    Traceback (most recent call last):
    assay.errors.ParameterError: GaussianNB: var_smoothing must be a number from 0 up, got -1.
    """


class DataError(AssayError, ValueError):
    """A table, a target or a weight cannot be used.

    >>> from assay.linear import LogisticRegression
    >>> LogisticRegression().fit([[0.0], [1.0]], ["a", "a"])
    Traceback (most recent call last):
    assay.errors.DataError: LogisticRegression: ...
    """


class SchemaError(DataError):
    """The columns at predict time are not the columns of fit time.

    >>> from assay.bayes import NaiveBayes
    >>> model = NaiveBayes().fit({"age": [20, 30], "job": ["cook", "nurse"]}, ["a", "b"])
    >>> model.predict({"age": [25]})
    Traceback (most recent call last):
    assay.errors.SchemaError: NaiveBayes: the columns differ from those of fit (missing: job).
    """


class ReadError(DataError):
    """A file cannot be read; the message says where: file, line, column.

    >>> import io
    >>> from assay.tables import read_table
    >>> read_table(io.StringIO("age,job\\n20,cook\\n30\\n"))
    Traceback (most recent call last):
    assay.errors.ReadError: the stream, line 3: 1 cell, expected 2 (age, job). ...
    """


class DegenerateError(AssayError, ValueError):
    """The arithmetic has no answer for this data: a singular covariance, zero evidence.

    >>> from assay.bayes import QuadraticDiscriminantAnalysis
    >>> X = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 4.0], [5.0, 6.0], [6.0, 9.0]]
    >>> try:
    ...     QuadraticDiscriminantAnalysis().fit(X, list("aaabbb"))
    ... except DegenerateError as error:
    ...     print(error)
    QuadraticDiscriminantAnalysis: The covariance matrix of class a is not full rank (rank 1 of 2). ...
    """


class PersistenceError(AssayError, ValueError):
    """A model cannot be written as data, or a file is damaged, newer or not ours.

    >>> import pathlib, tempfile
    >>> from assay import load
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_text("no model")
    >>> load(path)
    Traceback (most recent call last):
    assay.errors.PersistenceError: '...notes.txt' is not an Assay model. Give a file that assay.save wrote.
    """


class MissingExtraError(AssayError, ImportError):
    """An optional package is not installed.

    It is an ``ImportError`` too, so that code which asks for that catches it:

    >>> from assay.errors import MissingExtraError
    >>> try:
    ...     raise MissingExtraError('Pictures need one more package: pip install "assay[plot]".')
    ... except ImportError as error:
    ...     print(error)
    Pictures need one more package: pip install "assay[plot]".
    """


class AssayWarning(UserWarning):
    """Every warning that Assay gives on purpose, except ``ConvergenceWarning``.

    To make errors of them in tests, or to hide them:

    >>> import warnings
    >>> from assay.errors import AssayWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", AssayWarning)
    """

    def __init__(self, *args: Any):
        super().__init__(*map(one_stop, args))


class SchemaWarning(AssayWarning):
    """The table differs from the one learned, and the message says what was done about it.

    >>> import warnings
    >>> from assay.bayes import NaiveBayes
    >>> model = NaiveBayes().fit({"job": ["cook", "nurse", "cook"]}, ["a", "b", "a"])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.predict({"job": ["clerk"]})
    >>> print(caught[0].message)
    NaiveBayes: column 'job' has 1 unseen category ('clerk') in 1 row; treated as missing.
    """


class DegenerateWarning(AssayWarning):
    """The data are degenerate for this model, and the message says what was done about it.

    >>> import warnings
    >>> from assay.bayes import NaiveBayes
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = NaiveBayes().fit({"age": [20.0, 30.0, None, None]}, ["a", "a", "b", "b"])
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    DegenerateWarning: NaiveBayes: column age has no entry in class b; ...
    """


def did_you_mean(word: object, known: Iterable[Any], listed: bool = True) -> str:
    """A sentence with the known word nearest to a wrong one; if none is near, with all of them where ``listed``.

    Capitals and quotes do not count. It begins with a space, to be put behind a sentence.

    >>> from assay.errors import did_you_mean
    >>> did_you_mean("churm", ["churn", "age", "income"])
    ' Did you mean churn?'
    >>> did_you_mean("zebra", ["churn", "age"])
    ' There are: churn, age.'
    """
    from difflib import get_close_matches

    names = list(dict.fromkeys(map(str, known)))
    plain = {name.strip("'\"").lower(): name for name in reversed(names)}
    near = get_close_matches(str(word)[:_COMPARED].strip("'\"").lower(), plain, n=1)
    if near:
        return f" Did you mean {plain[near[0]]}?"
    shown = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return f" There are: {shown}." if listed and names else ""


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
    warnings.warn_explicit(message, category, filename, line, module, registry)


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
        place = getattr(_thread, "place", None)
        if place is not None:
            return place
        frame = outermost
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    return frame.f_code.co_filename, frame.f_lineno, names.get("__name__", "<unknown>"), registry


def works_for(place: tuple[str, int, str, dict[Any, Any]]) -> None:
    """Let warnings of this thread name the place from which its work was given out."""
    _thread.place = place
