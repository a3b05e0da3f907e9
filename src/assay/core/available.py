"""Methods that only some objects of a class have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils import metaestimators

__all__ = ["available_if"]

Method = TypeVar("Method", bound=Callable[..., Any])


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's ``available_if`` with a type, so that checkers see the method that it decorates.

    >>> from assay.core.available import available_if
    >>> class Door:
    ...     locked = False
    ...     @available_if(lambda self: not self.locked)
    ...     def open(self) -> str:
    ...         return "open"
    >>> door = Door()
    >>> door.open()
    'open'
    >>> door.locked = True
    >>> hasattr(door, "open")
    False
    """
    decorate: Callable[[Method], Method] = metaestimators.available_if(check)
    return decorate
