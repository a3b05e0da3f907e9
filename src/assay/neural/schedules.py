r"""Learning rates of the steps of a pass."""

from __future__ import annotations

import numpy as np

__all__ = ["SCHEDULES", "cycle_ends", "rates_of"]

SCHEDULES = ("constant", "invscaling", "adaptive", "cosine", "one_cycle", "cycles")
WARM_SHARE = 0.3  # of the steps of "one_cycle" in which the rate rises
CYCLES = 4  # of "cycles", each twice as long as the one before
COLD, END = 1 / 25, 1e-4  # shares of the rate at the first and at the last step of "one_cycle"


def rates_of(schedule: str, rate: float, number: int, epochs: int, batches: int) -> np.ndarray:
    r"""(batches,) the rates of the steps of pass ``number`` (from 1) of ``epochs``.

    "cosine": :math:`\tfrac\eta2(1+\cos(\pi s))` at share s of all steps. "one_cycle": from a 25th of the rate up to all
    of it over the first 30 % of the steps, then down to a ten-thousandth, both along half a cosine. "cycles":
    :math:`\tfrac\eta2(1-\cos(2\pi\log_2(1+15s)))`, four times up and down, each time twice as long (Holzmueller et al.
    2024). Others: the same rate in all steps of the pass, changed between the passes.

    >>> from assay.neural.schedules import rates_of
    >>> rates_of("cosine", 0.1, 2, 2, 2).round(4)
    array([0.05  , 0.0146])
    """
    if schedule not in ("cosine", "one_cycle", "cycles"):
        return np.full(batches, rate)
    share = (np.arange(batches) + (number - 1) * batches) / (epochs * batches)
    if schedule == "cosine":
        return rate * (1 + np.cos(np.pi * share)) / 2
    if schedule == "cycles":
        return rate * (1 - np.cos(2 * np.pi * np.log2(1 + (2**CYCLES - 1) * share))) / 2
    rising = (1 - np.cos(np.pi * np.minimum(share / WARM_SHARE, 1))) / 2
    falling = (1 + np.cos(np.pi * np.clip((share - WARM_SHARE) / (1 - WARM_SHARE), 0, 1))) / 2
    return rate * np.where(share < WARM_SHARE, COLD + (1 - COLD) * rising, END + (1 - END) * falling)


def cycle_ends(epochs: int) -> list[int]:
    """The passes after which a cycle of "cycles" has ended, the last excepted.

    >>> from assay.neural.schedules import cycle_ends
    >>> cycle_ends(30)
    [2, 6, 14]
    """
    return [max(1, round(epochs * (2**c - 1) / (2**CYCLES - 1))) for c in range(1, CYCLES)]
