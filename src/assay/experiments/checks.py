"""Checks of an experiment's seeds, times and numbers of processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError

__all__ = ["check_jobs", "check_seconds", "check_seed"]


def check_seed(random_state: Any) -> int:
    """A whole number from 0 up.

    >>> from assay.experiments.checks import check_seed
    >>> check_seed(7)
    7
    """
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        "random_state must be a whole number from 0 up, so that the experiment can be had again, got "
        f"{random_state!r}.",
        who="experiment",
    )


def check_seconds(value: Any, name: str) -> None:
    """A number of seconds, or an error that names the parameter."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 <= value < np.inf:
        raise ParameterError(
            f"{name} must be a number of seconds from 0 up, got {value!r}.", who="experiment"
        )


def check_jobs(n_jobs: Any) -> None:
    """A number of processes as joblib counts them."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise ParameterError(
            f"n_jobs must be a number of processes, or -1 for all cores, got {n_jobs!r}.", who="experiment"
        )
