"""A length of time on the command line: 90, 90s, 5m, 1h."""

from __future__ import annotations

import re
from typing import Any

import click

__all__ = ["Seconds"]

_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


class Seconds(click.ParamType):
    """Seconds, as a number that may have a unit.

    >>> from assay.cli.seconds import Seconds
    >>> Seconds().convert("1.5m", None, None)
    90.0
    """

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds, or an error that shows how to write them."""
        if isinstance(value, (int, float)):
            return float(value)
        parts = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([a-z]*)", value.strip().lower())
        if not parts or parts[2] not in _UNITS:
            self.fail(f"{value!r} is no time; write 90, 90s, 5m or 1h", param, ctx)
        return float(parts[1]) * _UNITS[parts[2]]
