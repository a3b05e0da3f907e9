"""Mixin of least-squares regressors that keep their sums: predictive distributions from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from assay.core.learner import Regressor as _Regressor
    from assay.linear.regression.least_squares_noise import LeastSquaresNoise
else:
    _Regressor = object  # a mixin: it stands before a regressor's base

__all__ = ["LeastSquaresIntervals"]


class LeastSquaresIntervals(_Regressor):
    """Mixin: Student's t with the leverage of each row; see `LeastSquaresNoise`.

    The learner has ``coef_``, ``intercept_``, the sums of its rows ``_sums``, and says by ``_noise_penalty()`` and
    ``_intercept`` what was penalised.
    """

    coef_: np.ndarray
    intercept_: Any
    _sums: Any

    @property
    def _intercept(self) -> str:
        raise TypeError(f"{type(self).__name__} must define _intercept")

    def _noise_penalty(self) -> float:
        raise TypeError(f"{type(self).__name__} must define _noise_penalty")

    def _no_distribution(self) -> str:
        from assay.linear.regression.least_squares_learner import Unsummed
        from assay.linear.regression.least_squares_noise import FROM_EARLIER_VERSION

        if "coef_" in vars(self) and "_sums" not in vars(self):
            return FROM_EARLIER_VERSION
        if isinstance(vars(self).get("_sums"), Unsummed):
            return "a sparse table that was solved by iterations has no predictive distribution."
        return super()._no_distribution()

    def _distribution(self, X: Any) -> Any:
        return self.noise().distribution(X, np.ravel(self._predict(X)).astype(np.float64))

    def noise(self) -> LeastSquaresNoise:
        """The variance of the noise, its degrees of freedom, and what gives leverages of rows; of one target."""
        from assay.linear.regression.least_squares_noise import least_squares_noise

        self._ready()
        W = np.atleast_2d(self.coef_)
        self._refuse_several_targets(len(W) > 1)
        w, b = W[0].astype(np.float64), float(np.ravel(self.intercept_)[0])
        who = type(self).__name__
        return least_squares_noise(self._sums, w, b, self._noise_penalty(), self._intercept, who)
