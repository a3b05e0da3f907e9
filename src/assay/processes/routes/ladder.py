"""Which way of computing a Gaussian process regression suits a table, announced in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.kernels import Kernel
from assay.processes.routes.exact import Exact
from assay.processes.routes.route import Route

__all__ = ["METHODS", "choose_route"]

METHODS: dict[str, Callable[[], Route]] = {"exact": Exact}


def choose_route(method: str, kernel: Kernel, X: Any) -> tuple[Callable[[], Route], str]:
    """What makes a route, and the sentence that says which it is and why.

    Parameters
    ----------
    method : one of `METHODS`, or "auto"
    kernel : Kernel
    X : the training rows
    """
    name = "exact" if method == "auto" else method
    reason = "" if method == "auto" else " (as asked for)"
    return METHODS[name], f"{METHODS[name]().words}{reason}"
