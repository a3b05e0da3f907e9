"""Where a command's work is done: in this process, in several, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["check_jobs", "dask_option"]

dask_option: Callable[[Any], Any] = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Run on the workers of the Dask scheduler at this address, such as tcp://host:8786.",
)


def check_jobs(jobs: int, dask: str | None = None) -> None:
    """Refuse a number of processes that can do nothing, and processes here together with workers elsewhere."""
    if jobs == 0:
        raise click.BadParameter("0 processes can do nothing; -1 takes all cores", param_hint="--jobs")
    if dask is not None and jobs != 1:
        raise click.UsageError("--jobs are processes here, --dask are workers elsewhere; choose one.")
