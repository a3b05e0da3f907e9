"""What a learner can use of a table, where a part of it decides: a metric, a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["takes_of_part"]


def takes_of_part(learner: Any, fitted: str, make: Callable[[], Any]) -> frozenset[str]:
    """What the part can use as it is: the fitted one, before fit the one that the parameters ask for.

    >>> from types import SimpleNamespace
    >>> from assay.core.takes import takes_of_part
    >>> kernel = SimpleNamespace(takes=frozenset({"sparse"}))
    >>> takes_of_part(SimpleNamespace(kernel_=kernel), "kernel_", dict)
    frozenset({'sparse'})
    """
    try:
        part = vars(learner)[fitted] if fitted in vars(learner) else make()
    except (TypeError, ValueError):  # a parameter that is about to be refused
        return frozenset()
    takes: frozenset[str] = part.takes
    # HEOM learns at fit which columns are nominal
    return takes | {"nominal"} if fitted in vars(learner) and getattr(part, "name", "") == "heom" else takes
