"""Gaussian units as new columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Transformer
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray
from assay.distances.squared_rows import SquaredRows
from assay.local.placing import PLACES, SPREADS, placed_units
from assay.local.rbf_objective import hidden
from assay.local.units import SHAPES, Units
from assay.types import RandomState

__all__ = ["RBFFeatures"]


class RBFFeatures(SquaredRows, Transformer):
    r"""New columns that say how near a row is to each of some centres: Gaussian bells, or their shares.

    .. math:: p_h(x) = e^{-\|x - m_h\|^2/2s_h^2}, \qquad g_h = p_h \Big/ \sum_l p_l                  \quad (1)

    Cost: fit that of k-means, O(n H d) a step; transform O(H d) a row; memory O(H d) kept.

    Parameters
    ----------
    n_units, units, shape, spread, random_state : as in RBFNetworkRegressor
    normalize : bool, default False
        Whether units share out what is one.
    hard : bool, default False
        Whether the nearest unit has 1 and all others 0.

    Attributes
    ----------
    centers_ : (H, d)      spreads_ : (H,), (H, d) or (H, d, d)

    Examples
    --------
    >>> from assay.local import RBFFeatures
    >>> RBFFeatures(units=[[0.0], [2.0]], spread=1.0).fit_transform([[0.0], [1.0]]).round(4)
    array([[1.    , 0.1353],
           [0.6065, 0.6065]])

    See Also
    --------
    RBFNetworkRegressor, Nystroem

    References
    ----------
    - Moody, J. and Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units. Neural
      Computation 1(2), 281-294. doi:10.1162/neco.1989.1.2.281
    """

    card = Card(
        "rbf features", "nearness to centres as new columns", scale=True, settings={"random_state": 0}
    )
    accepts = {
        "n_units": Count(1),
        "units": Choice(*PLACES) | Array(2),
        "shape": Choice(*SHAPES),
        "spread": Choice(*SPREADS) | Range(0, open="both"),
        "normalize": Flag(),
        "hard": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "centers_": FloatArray("H", "p", finite=True),
        "spreads_": FloatArray("H") | FloatArray("H", "p") | FloatArray("H", "p", "p"),
    }

    def __init__(
        self,
        n_units: int = 20,
        *,
        units: str | ArrayLike = "kmeans",
        shape: str = "spherical",
        spread: str | float = "neighbors",
        normalize: bool = False,
        hard: bool = False,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.units = units
        self.shape = shape
        self.spread = spread
        self.normalize = normalize
        self.hard = hard
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        draw = random_state_of(self.random_state)
        units = placed_units(
            X, w, self.units, self.n_units, self.shape, self.spread, draw, type(self).__name__
        )
        self.centers_, self.spreads_ = units.centers, units.spreads

    def _transform(self, X: Any) -> np.ndarray:
        units = Units(self.centers_, self.spreads_)
        if self.hard:
            return np.eye(len(units))[units.squares(X).argmin(axis=1)]
        return hidden(units, X, self.normalize)

    def _names_out(self) -> list[str]:
        return [f"unit{h}" for h in range(len(self.centers_))]
