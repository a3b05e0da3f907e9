"""What linear machines share: the combinations of parameters, rows as the solvers read them, and the end of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.seeds import random_state_of
from assay.errors import ParameterError, warn_user
from assay.linear.compact import compact
from assay.svm.linear.slack_problem import LinearSolution

__all__ = ["check_combination", "coefficients", "seed_of", "solver_rows", "warn_unfinished"]

COMBINATIONS = {  # penalty, loss: which forms LIBLINEAR has of it
    ("l2", "squared_hinge"): (True, False),
    ("l2", "hinge"): (True,),
    ("l1", "squared_hinge"): (False,),
    ("l2", "epsilon_insensitive"): (True,),
    ("l2", "squared_epsilon_insensitive"): (True, False),
}


def check_combination(who: str, penalty: str, loss: str, dual: Any) -> None:
    """Refuse what LIBLINEAR has no form of, as scikit-learn does; "auto" takes the one that there is."""
    forms = COMBINATIONS.get((penalty, loss), ())
    if forms and (dual == "auto" or bool(dual) in forms):
        return
    if not forms:
        what, remedy = f"penalty={penalty!r} and loss={loss!r}", "Use loss='squared_hinge' with penalty='l1'."
    else:
        what = f"penalty={penalty!r} and loss={loss!r} with dual={dual}"
        remedy = "Use dual='auto'; the answer does not depend on it."
    raise ParameterError(
        f"{who}: Unsupported set of arguments: the combination of {what} is not supported, Parameters: "
        f"penalty={penalty!r}, loss={loss!r}, dual={dual!r}. {remedy}"
    )


def solver_rows(X: Any) -> Any:
    """X as the solvers read it: a C-ordered float64 array, or CSR in canonical form."""
    X = compact(X)
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, dtype=np.float64)
    X = X.astype(np.float64, copy=False)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def seed_of(random_state: Any) -> int:
    """Of the order in which rows are visited; the same one where none is given."""
    if random_state is None:
        return 1
    return int(random_state_of(random_state).randint(1, 2**31 - 1))


def coefficients(
    solutions: Sequence[LinearSolution], d: int, constant: float
) -> tuple[np.ndarray, np.ndarray]:
    """``coef_`` (rows, d) and ``intercept_`` (rows,)."""
    V = np.array([solution.v for solution in solutions])
    return V[:, :d].copy(), constant * V[:, d] if constant else np.zeros(len(V))


def warn_unfinished(who: str, solutions: Sequence[Any], max_iter: int, tol: float) -> None:
    """Say so if a solver stopped before its minimum."""
    unfinished = [solution for solution in solutions if not solution.converged]
    if not unfinished:
        return
    steps = max(solution.n_iter for solution in unfinished)
    advice = "Raise max_iter" if steps >= max_iter else "Raise tol"
    warn_user(
        f"{who} stopped after {steps} iterations before the objective was within {1e-2 * tol:.2g} of its minimum. "
        f"{advice}, lower C, or bring the columns to one scale.",
        ConvergenceWarning,
    )
