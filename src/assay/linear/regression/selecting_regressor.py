"""Mixin of regressors that give most columns no weight: predictive distributions of the columns they keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.stored import Object
from assay.linear.regression.coordinate_descent import Problem
from assay.linear.regression.least_squares_noise import FROM_EARLIER_VERSION
from assay.linear.regression.selected_noise import SelectedNoise

if TYPE_CHECKING:
    from assay.core.learner import Regressor as _Regressor
else:
    _Regressor = object  # a mixin: it stands before a regressor's base

__all__ = ["SelectingRegressor"]


class SelectingRegressor(_Regressor):
    """Mixin: Student's t with the leverage of each row in the selected columns; see `SelectedNoise`."""

    stored = {"_noise": Object(SelectedNoise, d="p") | None}

    fit_intercept: bool
    positive: bool
    _noise: SelectedNoise | None

    def _keep_noise(self, data: Problem, weights: np.ndarray, alpha: float, l1_ratio: float) -> None:
        """Of (outputs, d) weights; nothing is kept of several outputs."""
        single = len(weights) == 1 and not self.positive
        l2 = alpha * (1 - l1_ratio) * data.total
        self._noise = SelectedNoise.of(data, weights[0], l2, self.fit_intercept) if single else None

    def _no_distribution(self) -> str:
        if self.positive:
            return (
                "weights that may not be negative have no simple predictive distribution. Wrap it: "
                f"ConformalRegressor({type(self).__name__}(positive=True))."
            )
        if "coef_" in vars(self) and "_noise" not in vars(self):
            return FROM_EARLIER_VERSION
        return super()._no_distribution()

    def _distribution(self, X: Any) -> Any:
        self._refuse_several_targets(self._noise is None)
        assert self._noise is not None
        return self._noise.distribution(X, self._predict(X).astype(np.float64), type(self).__name__)
