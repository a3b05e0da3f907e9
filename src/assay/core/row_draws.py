"""Random numbers that belong to rows: drawn from the seed and the row's number, whatever block the row is in."""

from __future__ import annotations

import numpy as np

from assay.types import Floats

__all__ = ["row_uniforms"]

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_TOGETHER = 1 << 14  # numbers that are drawn together, in the first cache


def row_uniforms(seed: int, stream: int, start: int, n: int) -> Floats:
    """(n,) numbers from [0, 1) for the rows from number ``start`` on, the same however the rows are cut.

    Counters are scattered by splitmix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators).

    Parameters
    ----------
    seed : whole number
    stream : what the numbers are for; other streams are independent

    Examples
    --------
    >>> from assay.core.row_draws import row_uniforms
    >>> whole = row_uniforms(7, 0, 0, 5)
    >>> bool((whole[3:] == row_uniforms(7, 0, 3, 2)).all())
    True
    """
    key = np.uint64(_mixed_int((seed + _GOLDEN * (2 * stream + 1)) & _MASK))
    uniforms: Floats = np.empty(n)
    for a in range(0, n, _TOGETHER):
        out = uniforms[a : a + _TOGETHER]
        z = np.arange(start + a, start + a + len(out), dtype=np.uint64)
        with np.errstate(over="ignore"):
            z *= np.uint64(_GOLDEN)
            z += key
            z ^= z >> np.uint64(30)
            z *= np.uint64(0xBF58476D1CE4E5B9)
            z ^= z >> np.uint64(27)
            z *= np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        z >>= np.uint64(11)
        np.multiply(z, 2.0**-53, out=out)
    return uniforms


def _mixed_int(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
