"""Which way of computing a Gaussian process regression suits a table, announced in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.kernels import Kernel
from assay.processes.routes.chain import no_chain
from assay.processes.routes.exact import Exact
from assay.processes.routes.route import Route
from assay.processes.routes.state_space import StateSpace
from assay.processes.routes.vecchia import Vecchia

__all__ = ["METHODS", "choose_route"]

METHODS: dict[str, Callable[[], Route]] = {"exact": Exact, "line": StateSpace, "vecchia": Vecchia}
MOST_ROWS_FOR_DENSE = 1_000  # on a line; beyond them the same numbers come much sooner without a matrix


def choose_route(method: str, kernel: Kernel, X: Any) -> tuple[Callable[[], Route], str]:
    """What makes a route, and the sentence that says which it is and why.

    Parameters
    ----------
    method : one of `METHODS`, or "auto"
    kernel : Kernel
    X : the training rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import Matern
    >>> from assay.processes.routes.ladder import choose_route
    >>> choose_route("auto", Matern(), np.zeros((2000, 1)))[1]
    'on a line: the exact posterior by a chain of states, O(n) (one column, 2,000 rows)'
    """
    if method != "auto":
        return METHODS[method], f"{METHODS[method]().words} (as asked for)"
    name, reason = _suitable(kernel, X)
    return METHODS[name], METHODS[name]().words + reason


def _suitable(kernel: Kernel, X: Any) -> tuple[str, str]:
    """The name of a method, and why it was chosen."""
    n, d = len(X) if not hasattr(X, "shape") else X.shape[0], 0
    if isinstance(X, np.ndarray) and X.ndim == 2:
        d = X.shape[1]
    if d == 1 and n > MOST_ROWS_FOR_DENSE and no_chain(kernel) is None:
        return "line", f" (one column, {n:,} rows)"
    return "exact", ""
