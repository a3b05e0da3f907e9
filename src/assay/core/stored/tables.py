"""Tables of kinds, one a class, and whether the attributes of an object are what its table says."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from assay.core.stored.kind import Kind, Size, Sizes, is_whole, shape_text
from assay.core.stored.plain import not_plain

__all__ = [
    "Each",
    "Mapped",
    "Object",
    "ObjectRows",
    "declare",
    "fault",
    "is_declared",
    "require",
    "sizes_of",
    "table_of",
]

OBJECT_NESTING_LIMIT = 90  # of tuples within tuples, which are trees; a model file may be nested 100 deep


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

    def bind(self, value: object, sizes: Sizes) -> None:
        asked = [(name, size) for name, size in self.sizes.items() if not size.is_known(sizes)]
        if asked and isinstance(value, self.classes):
            known = sizes_of(value)
            for name, size in asked:
                if name in known:
                    size.bind(known[name], sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
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

    def bind(self, value: object, sizes: Sizes) -> None:
        if isinstance(value, (list, tuple, np.ndarray)):
            self.size.bind(len(value), sizes)
            for item in value[:1]:
                self.kind.bind(item, sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
        if isinstance(value, np.ndarray):
            if value.dtype.kind != "O" or value.ndim != 1:
                return "is not a list"
        elif not isinstance(value, (list, tuple)):
            return "is not a list"
        if not self.size.fits(len(value), sizes):
            return f"has {len(value)} entries, expected {shape_text((self.size,), sizes)}"
        for i, item in enumerate(value):
            wrong = self.kind.fault(item, sizes)
            if wrong:
                return f"[{i}] {wrong}"
        return ""


class Mapped(Kind):
    """A dict from plain keys to values of one kind, ``size`` long."""

    def __init__(self, kind: Kind, size: str | int = "*"):
        self.kind, self.size = kind, Size(size)

    def bind(self, value: object, sizes: Sizes) -> None:
        if isinstance(value, dict):
            self.size.bind(len(value), sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, dict):
            return "is not a dict"
        if not self.size.fits(len(value), sizes):
            return f"has {len(value)} entries, expected {shape_text((self.size,), sizes)}"
        for key, item in value.items():
            wrong = not_plain(key, 2) or self.kind.fault(item, sizes)
            if wrong:
                return f"[{str(key)[:40]!r}] {wrong}"
        return ""


class ObjectRows(Kind):
    """(n,) rows that are no table: texts, nested tuples and other plain data, or objects that can be stored themselves.

    >>> import numpy as np
    >>> from assay.core.stored import ObjectRows
    >>> ObjectRows("n").fault(np.array(["ab", ("a", ("b",))], dtype=object), {"n": 2})
    ''
    >>> ObjectRows("n").fault(np.array(["ab", max], dtype=object), {"n": 2})
    '[1] holds a builtin_function_or_method, expected plain values'
    """

    def __init__(self, n: str = "n"):
        self.size = Size(n)

    def bind(self, value: object, sizes: Sizes) -> None:
        if isinstance(value, np.ndarray) and value.ndim == 1:
            self.size.bind(len(value), sizes)

    def fault(self, value: object, sizes: Sizes) -> str:
        if not isinstance(value, np.ndarray) or value.dtype != object:
            return "is not an array of objects"
        if value.ndim != 1 or not self.size.fits(len(value), sizes):
            return f"has the shape {value.shape}, expected {shape_text((self.size,), sizes)}"
        for i, row in enumerate(value.tolist()):
            wrong = "" if is_declared(type(row)) else not_plain(row, OBJECT_NESTING_LIMIT)
            if wrong:
                return f"[{i}] {wrong}"
        return ""


def _class(name: str) -> type:
    module, _, short = name.rpartition(".")
    cls: type = getattr(import_module(module), short)
    return cls


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


def sizes_of(value: object) -> Sizes:
    """The value of every name of a size that the attributes of an object determine."""
    return _sizes(type(value), _attributes(value))


def _sizes(cls: type, state: Mapping[str, Any]) -> Sizes:
    sizes: Sizes = {}
    columns: Any = state.get("n_features_in_")
    classes, design = state.get("classes_"), state.get("design_")
    if is_whole(columns):
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


def require(value: object) -> None:
    """Raise a ValueError unless an object is what its class declares."""
    wrong = fault(type(value), _attributes(value))
    if wrong:
        raise ValueError(wrong)


def _attributes(value: Any) -> Mapping[str, Any]:
    if hasattr(value, "_asdict") or hasattr(value, "__dict__"):
        attributes: Mapping[str, Any] = value._asdict() if hasattr(value, "_asdict") else vars(value)
        return attributes
    cls: Any = type(value)
    return {name: getattr(value, name) for name in table_of(cls) if hasattr(value, name)}
