"""Numbers in units of the target, as the page prints them."""

from __future__ import annotations

from assay.evaluate.digits import shown_metric
from assay.metrics.measure import measures

__all__ = ["shown_number"]


def shown_number(value: float, like: float | None = None) -> str:
    """A number in units of the target: with four significant digits, or the decimals that give ``like`` as many.

    >>> from assay.report.numbers import shown_number
    >>> shown_number(12.34567), shown_number(1.0, like=2500.0)
    ('12.35', '1')
    """
    return shown_metric(measures()["rmse"], float(value), like)
