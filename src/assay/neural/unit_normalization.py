"""Weighted sums of hidden units made comparable, over the rows of a batch or over the units of a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import FloatArray, Text

__all__ = ["NORMALIZATIONS", "UnitNormalization"]

NORMALIZATIONS = {"batch": 1, "layer": 2}  # the numbers of the native code
FLOOR = 1e-5  # added to a variance


@dataclass(frozen=True)
class UnitNormalization:
    r"""The sums :math:`a` of the units of a hidden layer made comparable, before their activation.

    .. math:: g\,\frac{a - \mu}{\sqrt{\sigma^2 + 10^{-5}}} + b \qquad\text{or}\qquad
              g\,\frac{a + b - \mu}{\sqrt{\sigma^2 + 10^{-5}}} + c \quad (1)

    "batch" (left): means and variances of each unit over rows; those of training, once the network answers. "layer"
    (right): of :math:`a+b` over the units of each row.

    Attributes
    ----------
    kind : "batch" or "layer"      gain : (H,) g      shift : (H,) c of "layer"; none of "batch"
    mean, variance : (H,) of "batch"; none of "layer"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.unit_normalization import UnitNormalization
    >>> none = np.zeros(0)
    >>> layer = UnitNormalization("layer", np.ones(2), np.array([0.0, 3.0]), none, none)
    >>> layer.apply(np.array([[1.0, 5.0]]), np.zeros(2)).round(4)
    array([[-1.,  4.]])
    """

    kind: str
    gain: np.ndarray
    shift: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    stored = {
        "kind": Text(*NORMALIZATIONS),
        "gain": FloatArray("h", finite=True),
        "shift": FloatArray("s", finite=True),
        "mean": FloatArray("m", finite=True),
        "variance": FloatArray("m", finite=True),
    }

    def check(self, units: int) -> None:
        """Raise for arrays that do not belong to a layer of that many units."""
        expected = (units, 0, units) if self.kind == "batch" else (units, units, 0)
        if (len(self.gain), len(self.shift), len(self.mean)) != expected:
            raise ValueError("a normalisation does not have the units of its layer")

    def _factor(self) -> np.ndarray:
        """(H,) what the sums of "batch" are multiplied by."""
        return self.gain / np.sqrt(np.maximum(self.variance, 0) + FLOOR)

    def apply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """(1) of sums (n, H), with the biases (H,) of the layer."""
        if self.kind == "batch":
            return (a - self.mean) * self._factor() + b
        z, _ = self._of_rows(a + b)
        return self.gain * z + self.shift

    def _of_rows(self, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        deviation = np.sqrt(a.var(axis=1, keepdims=True) + FLOOR)
        return (a - a.mean(axis=1, keepdims=True)) / deviation, deviation

    def back(self, a: np.ndarray, b: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """(n, H, K) derivatives by the sums a (n, H), from those by (1)."""
        if self.kind == "batch":
            return slopes * self._factor()[:, None]
        z, deviation = self._of_rows(a + b)
        dz, z = slopes * self.gain[:, None], z[:, :, None]
        off = dz.mean(axis=1, keepdims=True) + z * (z * dz).mean(axis=1, keepdims=True)
        return (dz - off) / deviation[:, :, None]
