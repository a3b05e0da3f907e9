"""What a stored object may hold: one small table beside each class, checked whenever an object is built from a file.

A class that can be saved says for every fitted attribute (or field) of what kind it is, of which shape, and within
which range, so that no method ever meets an array that it was not written for::

    class NearestCentroid(Classifier):
        stored = {
            "centroids_": FloatArray("K", "p"),
            "class_prior_": FloatArray("K", low=0, high=1) | None,
        }

**Sizes** are names or small formulas: ``"K"``, ``"m + 1"``, ``"G + 2 * K"``; ``"K | 1"`` is either, ``"*"`` any, a
number is itself. A name stands for the same number in all attributes of one object; the first attribute of that shape
gives it its value. Three names have their value from the learner itself:

====  ==========================================================
name  value
====  ==========================================================
d     columns of the training table (``n_features_in_``)
p     columns of the design: indicators counted (``design_``), or d
K     classes (``classes_``, where it is one array)
====  ==========================================================

Tables of the bases add up: a family declares what it shares once, and a class that needs another kind for an attribute
declares it again. What a table cannot say, such as "these arrays make up a tree", stands in a method
``_check_stored`` which raises a ValueError; it is called after the table was checked. ``stored = None`` says that
objects of a class cannot be stored although those of its bases can, such as a metric that is the user's own function.

The cost is one pass over the arrays for ranges and order, and none at all for kinds and shapes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

__all__ = [
    "AnyArray",
    "BoolArray",
    "Boolean",
    "CodeArray",
    "Each",
    "FloatArray",
    "IntArray",
    "Integer",
    "Kind",
    "Mapped",
    "NumberArray",
    "Object",
    "OffsetArray",
    "Plain",
    "Scalar",
    "TableRows",
    "Text",
    "Unchecked",
    "declare",
    "fault",
    "is_declared",
    "require",
    "sizes_of",
    "table_of",
]

Sizes = dict[str, int]
NESTING_LIMIT = 20  # of lists within lists of plain values


class Kind:
    """A set of values: ``fault(value, sizes)`` says what is wrong with one, or nothing."""

    def __or__(self, other: Kind | None) -> Kind:
        return _Either(self, _Nothing() if other is None else other)

    def bind(self, value: Any, sizes: Sizes) -> None:
        """Note the sizes that this value determines."""

    def fault(self, value: Any, sizes: Sizes) -> str:
        """What is wrong with the value, as the end of a sentence; empty if nothing is."""
        raise TypeError(f"{type(self).__name__} must say what is wrong")


class _Nothing(Kind):
    def fault(self, value: Any, sizes: Sizes) -> str:
        return "" if value is None else "is not None"


class _Either(Kind):
    def __init__(self, *kinds: Kind):
        self.kinds = kinds

    def bind(self, value: Any, sizes: Sizes) -> None:
        kinds = [kind for kind in self.kinds if not isinstance(kind, _Nothing)]
        for kind in kinds:  # the first of the right sort; sizes are checked later, when all are known
            if len(kinds) == 1 or not kind.fault(value, {}):
                kind.bind(value, sizes)
                return

    def fault(self, value: Any, sizes: Sizes) -> str:
        faults = [kind.fault(value, sizes) for kind in self.kinds]
        return "" if "" in faults else faults[0]


class Size:
    """A size by name or formula.

    >>> from assay.core.stored import Size
    >>> Size("m + 1").fits(4, {"m": 3}), Size("K | 1").fits(2, {"K": 3}), Size("*").fits(7, {})
    (True, False, True)
    """

    _TERM = re.compile(r"(?: ([+-]) )?(?:(\d+)(?: \* ([A-Za-z_]\w*))?|([A-Za-z_]\w*))")

    def __init__(self, text: str | int):
        self.text = str(text)
        self.any = self.text == "*"
        self.choices: list[tuple[dict[str, int], int]] = []  # how often each name is taken, and a number
        for part in [] if self.any else self.text.split(" | "):
            terms = list(self._TERM.finditer(part))
            if not terms or "".join(term[0] for term in terms) != part:
                raise ValueError(f"{text!r} is no size; write for example 'K', 'm + 1', 'K | 1', 3 or '*'")
            times: dict[str, int] = {}
            number = 0
            for sign, count, name, alone in (term.groups() for term in terms):
                amount = int(count or 1) * (-1 if sign == "-" else 1)
                if name or alone:
                    times[name or alone] = amount
                else:
                    number += amount
            self.choices.append((times, number))

    def bind(self, length: int, sizes: Sizes) -> None:
        """Note what the one name without a value in this formula must be."""
        if len(self.choices) == 1:
            times, number = self.choices[0]
            unknown = [name for name in times if name not in sizes]
            if len(unknown) == 1:
                amount = length - number - sum(t * sizes[name] for name, t in times.items() if name in sizes)
                if amount % times[unknown[0]] == 0:
                    sizes[unknown[0]] = amount // times[unknown[0]]

    def is_known(self, sizes: Sizes) -> bool:
        """Whether all its names have a value."""
        return all(name in sizes for times, _ in self.choices for name in times)

    def fits(self, length: int, sizes: Sizes) -> bool:
        """Whether a length is this size; a formula with a name that has no value fits every length."""
        return self.any or any(self._of(choice, sizes) in (None, length) for choice in self.choices)

    def value(self, sizes: Sizes) -> int | None:
        """The size as a number, None as long as one of its names has no value."""
        return self._of(self.choices[0], sizes) if len(self.choices) == 1 else None

    @staticmethod
    def _of(choice: tuple[dict[str, int], int], sizes: Sizes) -> int | None:
        times, number = choice
        for name, t in times.items():
            if name not in sizes:
                return None
            number += t * sizes[name]
        return number


class _Array(Kind):
    """An array: kinds of its numbers, its shape, and the range of its values."""

    kinds: ClassVar[str] = ""
    words: ClassVar[str] = "an array"

    def __init__(
        self,
        *shape: str | int,
        low: float | None = None,
        high: float | None = None,
        below: str | int | None = None,
        finite: bool = False,
        ascending: bool = False,
    ):
        self.shape = tuple(map(Size, shape))
        self.low, self.high, self.finite, self.ascending = low, high, finite, ascending
        self.below = None if below is None else Size(below)

    def bind(self, value: Any, sizes: Sizes) -> None:
        if isinstance(value, np.ndarray) and value.ndim == len(self.shape):
            for size, length in zip(self.shape, value.shape):
                size.bind(length, sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in self.kinds:
            return f"is not {self.words}"
        if value.ndim != len(self.shape) or not all(
            size.fits(length, sizes) for size, length in zip(self.shape, value.shape)
        ):
            return f"has the shape {value.shape}, expected {_shape_text(self.shape, sizes)}"
        return self._outside(value, sizes) if value.size else ""

    def _outside(self, value: np.ndarray, sizes: Sizes) -> str:
        if self.finite and not np.isfinite(value).all():
            return "has values that are not finite"
        limit = None if self.below is None else self.below.value(sizes)
        if self.low is not None and np.fmin.reduce(value, axis=None) < self.low:  # fmin passes NaN over
            return f"has values below {self.low:g}"
        if self.high is not None or limit is not None:
            most = np.fmax.reduce(value, axis=None)
            if self.high is not None and most > self.high:
                return f"has values above {self.high:g}"
            if limit is not None and most >= limit:
                return f"has values that are not below {limit}"
        if self.ascending and not (value[1:] >= value[:-1]).all():
            return "is not in ascending order"
        return ""


class FloatArray(_Array):
    """Floating-point numbers of that shape; ``low``, ``high``, ``finite`` and ``ascending`` limit them.

    NaN is within every range, unless ``finite`` is asked for.

    >>> import numpy as np
    >>> from assay.core.stored import FloatArray
    >>> FloatArray("K", "p", finite=True).fault(np.array([[1.0, np.nan]]), {"K": 1, "p": 2})
    'has values that are not finite'
    >>> FloatArray("K", "p").fault(np.zeros((3, 2)), {"K": 3, "p": 4})
    'has the shape (3, 2), expected (K, p) = (3, 4)'
    """

    kinds = "f"
    words = "an array of floating-point numbers"


class IntArray(_Array):
    """Whole numbers of that shape; ``low``, ``high``, ``below`` and ``ascending`` limit them."""

    kinds = "iu"
    words = "an array of whole numbers"


class NumberArray(_Array):
    """Numbers of any type: floating-point, whole, or truth values."""

    kinds = "fiub"
    words = "an array of numbers"


class BoolArray(_Array):
    """Truth values of that shape."""

    kinds = "b"
    words = "an array of truth values"


class AnyArray(_Array):
    """Values of any type, such as labels; an array of objects may hold plain ones."""

    kinds = "biufcmMOSU"

    def _outside(self, value: np.ndarray, sizes: Sizes) -> str:
        return _not_plain(value.ravel().tolist(), 4) if value.dtype.kind == "O" else ""


class CodeArray(IntArray):
    """Positions in something that is ``below`` long: whole numbers from 0, or from ``low``.

    >>> import numpy as np
    >>> from assay.core.stored import CodeArray
    >>> CodeArray("n", below="K").fault(np.array([0, 2, 3]), {"n": 3, "K": 3})
    'has values that are not below 3'
    """

    def __init__(
        self, *shape: str | int, below: str | int | None = None, low: int = 0, ascending: bool = False
    ):
        super().__init__(*shape, low=low, below=below, ascending=ascending)


class OffsetArray(IntArray):
    """Where each of several parts begins in a longer array: 0 first, never falling, ``end`` last.

    >>> import numpy as np
    >>> from assay.core.stored import OffsetArray
    >>> OffsetArray("m + 1", end="e").fault(np.array([0, 2, 9]), {"m": 2, "e": 5})
    'does not end with 5'
    """

    def __init__(self, size: str | int, end: str):
        super().__init__(size)
        self.end = Size(end)

    def fault(self, value: Any, sizes: Sizes) -> str:
        wrong = super().fault(value, sizes)
        if wrong:
            return wrong
        if not len(value) or value[0] != 0 or (value[1:] < value[:-1]).any():
            return "does not begin with 0 and rise"
        end = self.end.value(sizes)
        return "" if end is None or int(value[-1]) == end else f"does not end with {end}"


class TableRows(Kind):
    """Rows of a table as a learner sees them: (n, p) floating-point numbers, dense or a SciPy CSR or CSC matrix."""

    def __init__(self, n: str = "n", p: str = "p", finite: bool = False):
        self.shape, self.finite = (Size(n), Size(p)), finite

    def bind(self, value: Any, sizes: Sizes) -> None:
        if len(getattr(value, "shape", ())) == 2:
            for size, length in zip(self.shape, value.shape):
                size.bind(length, sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        dense = isinstance(value, np.ndarray)
        if not (dense or getattr(value, "format", "") in ("csr", "csc")) or value.dtype.kind not in "fiub":
            return "is not a table of numbers"
        if value.ndim != 2 or not all(
            size.fits(length, sizes) for size, length in zip(self.shape, value.shape)
        ):
            return f"has the shape {value.shape}, expected {_shape_text(self.shape, sizes)}"
        if self.finite and not np.isfinite(value if dense else value.data).all():
            return "has values that are not finite"
        return ""


class Integer(Kind):
    """One whole number: a size by name or formula, or a number from ``low`` to ``high``.

    >>> from assay.core.stored import Integer
    >>> Integer("n").fault(90, {"n": 60}), Integer(low=1, high=9).fault(5, {})
    ('is 90, expected n = 60', '')
    """

    def __init__(
        self,
        size: str | None = None,
        *,
        low: int = 0,
        high: int = 2**63 - 1,
        below: str | None = None,
    ):
        self.size = None if size is None else Size(size)
        self.low, self.high = low, high
        self.below = None if below is None else Size(below)

    def bind(self, value: Any, sizes: Sizes) -> None:
        if self.size is not None and _is_whole(value):
            self.size.bind(int(value), sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not _is_whole(value):
            return "is not a whole number"
        if not self.low <= int(value) <= self.high:
            return f"is not a whole number from {self.low} to {self.high}"
        if self.size is not None and not self.size.fits(int(value), sizes):
            return f"is {int(value)}, expected {self.size.text} = {self.size.value(sizes)}"
        limit = None if self.below is None else self.below.value(sizes)
        return "" if limit is None or int(value) < limit else f"is not below {limit}"


class Scalar(Kind):
    """One number, from ``low`` to ``high``; NaN and infinities only unless ``finite``."""

    def __init__(self, low: float = -np.inf, high: float = np.inf, finite: bool = False):
        self.low, self.high, self.finite = low, high, finite

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, (float, int, np.floating, np.integer, Fraction)) or isinstance(value, bool):
            return "is not a number"
        number: Any = value
        if number < self.low or number > self.high or (self.finite and not abs(number) < np.inf):
            return f"is not a number from {self.low:g} to {self.high:g}"
        return ""


class Boolean(Kind):
    """True or False."""

    def fault(self, value: Any, sizes: Sizes) -> str:
        return "" if isinstance(value, (bool, np.bool_)) else "is not True or False"


class Text(Kind):
    """A text; with words given, one of these.

    >>> from assay.core.stored import Text
    >>> Text("svd", "cholesky").fault("magic", {})
    "is not one of 'svd', 'cholesky'"
    """

    def __init__(self, *words: str):
        self.words = words

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, str):
            return "is not a text"
        if self.words and value not in self.words:
            return "is not one of " + ", ".join(map(repr, self.words))
        return ""


class Plain(Kind):
    """Plain data: None, numbers, text, and lists, tuples, sets and dicts of them; no array and no object.

    >>> import numpy as np
    >>> from assay.core.stored import Plain
    >>> Plain().fault({"error": [0.5, None]}, {}), Plain().fault([np.zeros(2)], {})
    ('', 'holds a ndarray, expected plain values')
    """

    def __init__(self, only: type | tuple[type, ...] = object):
        self.only = only

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, self.only):
            return f"is of type {type(value).__name__}"
        return _not_plain(value, NESTING_LIMIT)


def _not_plain(value: Any, depth: int) -> str:
    if value is None or isinstance(value, (bool, int, float, str, bytes, Fraction, np.generic)):
        return ""
    if type(value) not in (list, tuple, set, frozenset, dict) or depth == 0:
        return f"holds a {type(value).__name__}, expected plain values"
    inside = (*value, *value.values()) if isinstance(value, dict) else value
    return next(filter(None, (_not_plain(item, depth - 1) for item in inside)), "")


class Object(Kind):
    """An object of one of these classes; ``d="p"`` asks that its own size d be the size p here.

    A class that cannot be imported where it is named is given by its full name.

    >>> from assay.core.moments import ClassMoments
    >>> from assay.core.stored import Object
    >>> Object(ClassMoments).fault(3, {})
    'is not a ClassMoments'
    """

    def __init__(self, *classes: type | str, **sizes: str):
        self.named = classes
        self.sizes = {name: Size(text) for name, text in sizes.items()}

    @functools.cached_property
    def classes(self) -> tuple[type, ...]:
        return tuple(_class(cls) if isinstance(cls, str) else cls for cls in self.named)

    def bind(self, value: Any, sizes: Sizes) -> None:
        asked = [(name, size) for name, size in self.sizes.items() if not size.is_known(sizes)]
        if asked and isinstance(value, self.classes):
            known = sizes_of(value)
            for name, size in asked:
                if name in known:
                    size.bind(known[name], sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, self.classes):
            return f"is not a {' or '.join(cls.__name__ for cls in self.classes)}"
        known = sizes_of(value) if self.sizes else {}
        for name, size in self.sizes.items():
            if name in known and not size.fits(known[name], sizes):
                return f"has {name} = {known[name]}, expected {size.text} = {size.value(sizes)}"
        return ""


class Each(Kind):
    """A list or tuple (or an array of objects) of values of one kind, ``size`` long.

    >>> import numpy as np
    >>> from assay.core.stored import Each, FloatArray
    >>> Each(FloatArray("p"), "K").fault([np.zeros(2), np.zeros(3)], {"p": 2, "K": 2})
    '[1] has the shape (3,), expected (p,) = (2,)'
    """

    def __init__(self, kind: Kind, size: str | int = "*"):
        self.kind, self.size = kind, Size(size)

    def bind(self, value: Any, sizes: Sizes) -> None:
        if isinstance(value, (list, tuple, np.ndarray)):
            self.size.bind(len(value), sizes)
            for item in value[:1]:
                self.kind.bind(item, sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        if isinstance(value, np.ndarray):
            if value.dtype.kind != "O" or value.ndim != 1:
                return "is not a list"
        elif not isinstance(value, (list, tuple)):
            return "is not a list"
        if not self.size.fits(len(value), sizes):
            return f"has {len(value)} entries, expected {_shape_text((self.size,), sizes)}"
        for i, item in enumerate(value):
            wrong = self.kind.fault(item, sizes)
            if wrong:
                return f"[{i}] {wrong}"
        return ""


class Mapped(Kind):
    """A dict from plain keys to values of one kind, ``size`` long."""

    def __init__(self, kind: Kind, size: str | int = "*"):
        self.kind, self.size = kind, Size(size)

    def bind(self, value: Any, sizes: Sizes) -> None:
        if isinstance(value, dict):
            self.size.bind(len(value), sizes)

    def fault(self, value: Any, sizes: Sizes) -> str:
        if not isinstance(value, dict):
            return "is not a dict"
        if not self.size.fits(len(value), sizes):
            return f"has {len(value)} entries, expected {_shape_text((self.size,), sizes)}"
        for key, item in value.items():
            wrong = _not_plain(key, 2) or self.kind.fault(item, sizes)
            if wrong:
                return f"[{str(key)[:40]!r}] {wrong}"
        return ""


class Unchecked(Kind):
    """Any value, for the reason given: what uses it can deal with everything."""

    def __init__(self, why: str):
        self.why = why

    def fault(self, value: Any, sizes: Sizes) -> str:
        return ""


def _class(name: str) -> type:
    module, _, short = name.rpartition(".")
    return getattr(import_module(module), short)


_DECLARED_OUTSIDE: dict[type, Mapping[str, Kind]] = {}  # tables of classes that lie below core


def declare(cls: type, table: Mapping[str, Kind]) -> None:
    """Give a table to a class that cannot have one of its own: a named tuple, or one below this module."""
    _DECLARED_OUTSIDE[cls] = table


def is_declared(cls: type) -> bool:
    """Whether a class says what its objects may hold, itself or through a base.

    >>> from assay.core.moments import ClassMoments
    >>> from assay.core.stored import is_declared
    >>> is_declared(ClassMoments), is_declared(dict)
    (True, False)
    """
    for base in cls.__mro__:
        if base in _DECLARED_OUTSIDE or isinstance(vars(base).get("stored"), Mapping):
            return True
        if "stored" in vars(base) and vars(base)["stored"] is None:
            return False
    return False


@functools.cache
def table_of(cls: type) -> Mapping[str, Kind]:
    """The kinds of all attributes of a class: its own table and those of its bases."""
    table: dict[str, Kind] = {}
    for base in reversed(cls.__mro__):  # what a family shares comes first, and gives sizes their values
        declared = _DECLARED_OUTSIDE.get(base, vars(base).get("stored"))
        table |= declared if isinstance(declared, Mapping) else {}
    return table


def sizes_of(value: Any) -> Sizes:
    """The value of every name of a size that the attributes of an object determine."""
    return _sizes(type(value), _attributes(value))


def _sizes(cls: type, state: Mapping[str, Any]) -> Sizes:
    sizes: Sizes = {}
    columns: Any = state.get("n_features_in_")
    classes, design = state.get("classes_"), state.get("design_")
    if _is_whole(columns):
        sizes["d"] = int(columns)
    if isinstance(classes, np.ndarray) and classes.ndim == 1:
        sizes["K"] = len(classes)
    if design is not None and hasattr(design, "names"):
        sizes["p"] = len(design.names)
    elif "d" in sizes:
        sizes["p"] = sizes["d"]
    for name, kind in table_of(cls).items():
        if name in state:
            kind.bind(state[name], sizes)
    return sizes


def fault(cls: type, state: Mapping[str, Any]) -> str:
    """The first of these attributes that is not what the class declares, as a sentence; empty if all are sound.

    >>> import numpy as np
    >>> from assay.core.moments import ClassMoments
    >>> from assay.core.stored import fault
    >>> moments = ClassMoments(np.ones(2), np.ones((2, 3)), np.zeros((2, 3)), np.zeros((2, 4)))
    >>> fault(ClassMoments, vars(moments))
    'ClassMoments.scatter has the shape (2, 4), expected (K, d) = (2, 3).'
    """
    sizes = _sizes(cls, state)
    for name, kind in table_of(cls).items():
        if name in state:
            wrong = kind.fault(state[name], sizes)
            if wrong:
                gap = "" if wrong.startswith("[") else " "
                return f"{cls.__name__}.{name}{gap}{wrong}."
    return ""


def require(value: Any) -> None:
    """Raise a ValueError unless an object is what its class declares."""
    wrong = fault(type(value), _attributes(value))
    if wrong:
        raise ValueError(wrong)


def _attributes(value: Any) -> Mapping[str, Any]:
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "__dict__"):
        return vars(value)
    cls: Any = type(value)
    return {name: getattr(value, name) for name in table_of(cls) if hasattr(value, name)}


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _shape_text(shape: tuple[Size, ...], sizes: Sizes) -> str:
    """(K, p) = (3, 4)"""
    names = ", ".join(size.text for size in shape) + ("," if len(shape) == 1 else "")
    numbers = ", ".join(str(n) if (n := size.value(sizes)) is not None else size.text for size in shape)
    numbers += "," if len(shape) == 1 else ""
    return f"({names})" + ("" if numbers == names else f" = ({numbers})")
