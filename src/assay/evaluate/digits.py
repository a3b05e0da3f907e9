"""How many digits of a metric are shown: four decimals of shares, four significant digits of numbers in units."""

from __future__ import annotations

import numpy as np

from assay.metrics.measure import Measure

__all__ = ["shown_metric"]

LARGEST_PLAIN, SMALLEST_PLAIN = 1e7, 1e-4  # beyond these, numbers are shown with an exponent
SIGNIFICANT = 4


def shown_metric(m: Measure, value: float, like: float | None = None, sign: bool = False) -> str:
    """A value of a metric as tables and sentences print it; "" for one that is not defined.

    Shares, areas and other metrics of classes have four decimals, and so have those of numbers that cannot exceed a
    bound, such as R2. Others are in units of the target: as many decimals as give ``like`` four significant digits.

    Parameters
    ----------
    value : the metric, or a difference of two
    like : the value that sets the number of decimals, so that a column is aligned; default the value itself
    sign : whether a difference shows its sign; what rounds to zero has none

    Examples
    --------
    >>> from assay.evaluate.digits import shown_metric
    >>> from assay.metrics import measures
    >>> shown_metric(measures()["error"], 0.25), shown_metric(measures()["error"], -0.00001, sign=True)
    ('0.2500', '0.0000')
    >>> shown_metric(measures()["r2"], -0.00001), shown_metric(measures()["rmse"], 54.4471, like=54.4471)
    ('0.0000', '54.45')
    """
    if np.isnan(value):
        return ""
    if m.task != "regression" or np.isfinite(m.bounds[1]):
        text = f"{value:+.4f}" if sign else f"{value:.4f}"
    else:
        text = _significant(value, value if like is None or not np.isfinite(like) else like, sign)
    return text.lstrip("+-") if float(text) == 0 else text


def _significant(value: float, like: float, sign: bool) -> str:
    size = abs(like)
    plus = "+" if sign else ""
    if size and not SMALLEST_PLAIN <= size < LARGEST_PLAIN:
        return f"{value:{plus}.{SIGNIFICANT}g}"
    decimals = SIGNIFICANT - 1 - int(np.floor(np.log10(size))) if size else SIGNIFICANT
    return f"{value:{plus}.{max(decimals, 0)}f}"
