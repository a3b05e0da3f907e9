"""What a learner accepts: one declarative table per learner, checked before it learns.

A learner writes ``accepts = {"shrinkage": Range(0, 1), "priors": Simplex() | None}``; the same table
serves the check, the command line's help and the reference page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from assay.errors import ParameterError

__all__ = [
    "Any_",
    "Array",
    "Choice",
    "Count",
    "Flag",
    "Function",
    "Instance",
    "Range",
    "Seed",
    "Simplex",
    "check",
    "check_count",
    "other_defaults",
]

Constructor = TypeVar("Constructor", bound=Callable[..., None])
PLAIN = (bool, int, float, str, type(None))  # values that nobody can change
_UNSEEN = object()


class Accepted:
    """A set of acceptable values: ``holds(value)`` tests one, ``words`` describes all."""

    words: str
    passed: Any = _UNSEEN  # the plain value that was looked at last and is one of them

    def holds(self, value: Any) -> bool:
        raise TypeError(f"{type(self).__name__} must say which values it holds")

    def __or__(self, other: Accepted | None) -> Accepted:
        return _Either(self, other if other is not None else _Nothing())

    def __repr__(self) -> str:
        return self.words


class _Either(Accepted):
    def __init__(self, *choices: Accepted):
        self.choices = choices
        self.words = " or ".join(choice.words for choice in choices)

    def holds(self, value: Any) -> bool:
        return any(choice.holds(value) for choice in self.choices)


class _Nothing(Accepted):
    words = "None"

    def holds(self, value: Any) -> bool:
        return value is None


class Range(Accepted):
    """A real number from ``low`` to ``high``; ``open`` names excluded ends ("low", "high", "both").

    >>> from assay.core.parameters import Range
    >>> Range(0, 1).holds(1.5), Range(0, 1)
    (False, a number from 0 to 1)
    """

    def __init__(self, low: float = -np.inf, high: float = np.inf, open: str = ""):
        self.low, self.high, self.open = low, high, open
        above = f"above {low:g}" if open in ("low", "both") else f"from {low:g}"
        below = f"below {high:g}" if open in ("high", "both") else f"to {high:g}"
        if np.isinf(high):
            self.words = (
                "a number" if np.isinf(low) else f"a number {above}" + (" up" if "from" in above else "")
            )
        else:
            self.words = f"a number {below}" if np.isinf(low) else f"a number {above} {below}"

    def holds(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)) or value != value:  # NaN
            return False
        number: Any = value  # as it is: a whole number may be too large for a float
        if (self.open in ("low", "both") and number <= self.low) or number < self.low:
            return False
        return not ((self.open in ("high", "both") and number >= self.high) or number > self.high)


class Count(Accepted):
    """A whole number from ``low`` up (to ``high``).

    >>> from assay.core.parameters import Count
    >>> Count(1).holds(0), Count(1).holds(2.0), Count(1, 9)
    (False, False, a whole number from 1 to 9)
    """

    def __init__(self, low: int = 1, high: int | None = None):
        self.low, self.high = low, high
        self.words = f"a whole number from {low} " + ("up" if high is None else f"to {high}")

    def holds(self, value: Any) -> bool:
        return (
            isinstance(value, Integral)
            and not isinstance(value, (bool, np.bool_))
            and int(value) >= self.low
            and (self.high is None or int(value) <= self.high)
        )


class Choice(Accepted):
    """One of a few words.

    >>> from assay.core.parameters import Choice
    >>> Choice("l1", "l2").holds("l3"), Choice("l1", "l2")
    (False, one of 'l1', 'l2')
    """

    def __init__(self, *words: str):
        self.choices = words
        self.words = "one of " + ", ".join(repr(word) for word in words) if len(words) > 1 else repr(words[0])

    def holds(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.choices


class Flag(Accepted):
    """True or False.

    >>> from assay.core.parameters import Flag
    >>> Flag().holds(True), Flag().holds(1)
    (True, False)
    """

    words = "True or False"

    def holds(self, value: Any) -> bool:
        return isinstance(value, (bool, np.bool_))


class Simplex(Accepted):
    """Probabilities: none negative, sum 1.

    >>> from assay.core.parameters import Simplex
    >>> Simplex().holds([0.5, 0.5]), Simplex().holds([0.5, 0.4])
    (True, False)
    """

    words = "a list of probabilities (none negative, sum 1)"

    def holds(self, value: Any) -> bool:
        try:
            p = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return (
            p.ndim == 1 and p.size > 0 and bool((p >= 0).all()) and bool(np.isclose(p.sum(), 1.0, atol=1e-8))
        )


class Array(Accepted):
    """Numbers in ``ndim`` dimensions, none NaN, from ``low`` to ``high``; ``open`` names excluded ends, as of a Range.

    >>> from assay.core.parameters import Array
    >>> Array(ndim=1, low=0).holds([1, 2]), Array(ndim=1, low=0, open="low").holds([1, 0])
    (True, False)
    """

    def __init__(self, ndim: int = 1, low: float = -np.inf, high: float = np.inf, open: str = ""):
        self.ndim, self.low, self.high, self.open = ndim, low, high, open
        each = Range(low, high, open).words.removeprefix("a number").strip()
        finite = "finite" if np.isinf(high) and open in ("high", "both") else ""
        bounds = " and ".join(word for word in (finite, each) if word)
        self.words = f"an array of numbers with {ndim} dimension{'' if ndim == 1 else 's'}"
        self.words += f", each {bounds}" if bounds else ""

    def holds(self, value: Any) -> bool:
        try:
            a = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        above = a > self.low if self.open in ("low", "both") else a >= self.low
        below = a < self.high if self.open in ("high", "both") else a <= self.high
        return a.ndim == self.ndim and bool((above & below).all())


class Seed(Accepted):
    """A seed: None, a whole number, or a NumPy random generator.

    >>> from assay.core.parameters import Seed
    >>> Seed().holds(7), Seed().holds("seven")
    (True, False)
    """

    words = "None, a whole number from 0 up, or a numpy RandomState"

    def holds(self, value: Any) -> bool:
        if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
            return 0 <= int(value) < 2**32
        return value is None or isinstance(value, (np.random.RandomState, np.random.Generator))


class Function(Accepted):
    """Something that can be called.

    >>> from assay.core.parameters import Function
    >>> Function().holds(abs), Function().holds("abs")
    (True, False)
    """

    words = "a function"

    def holds(self, value: Any) -> bool:
        return callable(value)


class Instance(Accepted):
    """An object of one of these types, or, with ``having``, any object with that method.

    >>> from assay.core.parameters import Instance
    >>> Instance(having="predict").holds("a text"), Instance(having="predict")
    (False, an object with predict())
    """

    def __init__(self, *types: type, having: str | None = None, words: str | None = None):
        self.types, self.having = types, having
        named = " or ".join(t.__name__ for t in types)
        self.words = words or (f"an object with {having}()" if having else f"a {named}")

    def holds(self, value: Any) -> bool:
        return hasattr(value, self.having) if self.having else isinstance(value, self.types)


class Any_(Accepted):
    """Whatever; the learner itself looks at it.

    >>> from assay.core.parameters import Any_
    >>> Any_("an even number", lambda v: v % 2 == 0).holds(3)
    False
    """

    def __init__(self, words: str = "anything", test: Callable[[Any], bool] | None = None):
        self.words, self._test = words, test

    def holds(self, value: Any) -> bool:
        return self._test is None or bool(self._test(value))


def other_defaults(constructor: Constructor, **defaults: Any) -> Constructor:
    """The constructor of a family with other defaults for some of its keyword parameters.

    >>> import inspect
    >>> from assay.core.parameters import other_defaults
    >>> def start(self, *, rows=5, seed=None):
    ...     self.rows, self.seed = rows, seed
    >>> print(inspect.signature(other_defaults(start, rows=9)))
    (self, *, rows=9, seed=None)
    """
    known: Any = constructor
    strange = set(defaults) - set(known.__kwdefaults__)
    if strange:
        raise ParameterError(f"{known.__qualname__} has no keyword parameter {', '.join(sorted(strange))}.")
    made: Any = FunctionType(
        known.__code__, known.__globals__, known.__name__, known.__defaults__, known.__closure__
    )
    made.__kwdefaults__ = {**known.__kwdefaults__, **defaults}
    made.__annotations__, made.__qualname__, made.__module__ = (
        known.__annotations__,
        known.__qualname__,
        known.__module__,
    )
    changed: Constructor = made
    return changed


def check(who: str, accepts: Mapping[str, Accepted | None], parameters: Mapping[str, Any]) -> None:
    """Raise a ParameterError for the first parameter whose value is not accepted.

    >>> from assay.core.parameters import Range, check
    >>> check("LinearDiscriminant", {"shrinkage": Range(0, 1)}, {"shrinkage": 1.5})
    Traceback (most recent call last):
    assay.errors.ParameterError: LinearDiscriminant: shrinkage must be a number from 0 to 1, got 1.5.
    """
    for name, accepted in accepts.items():
        if accepted is None:
            continue
        value = parameters.get(name, _UNSEEN)
        if (
            value is accepted.passed or value is _UNSEEN
        ):  # nearly always: the default, or that of the fit before
            continue
        if not accepted.holds(value):
            shown = repr(value)
            shown = shown if len(shown) <= 80 else shown[:77] + "..."
            raise ParameterError(f"{name} must be {accepted.words}, got {shown}.", who=who)
        if type(value) in PLAIN:
            accepted.passed = value


def check_count(
    who: str, name: str, value: Any, low: int = 1, high: int | None = None, *, none: bool = False
) -> None:
    """Raise a ParameterError unless an argument is a whole number from ``low`` up (to ``high``), or, if so said, None.

    >>> from assay.core.parameters import check_count
    >>> check_count("next_queries", "n_queries", 0)
    Traceback (most recent call last):
    assay.errors.ParameterError: next_queries: n_queries must be a whole number from 1 up, got 0.
    """
    accepted = Count(low, high)
    check(who, {name: accepted | None if none else accepted}, {name: value})
