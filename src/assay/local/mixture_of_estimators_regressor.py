"""Mixture of experts that are any regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.errors import DataError
from assay.local.mixture_of_estimators import MixtureOfEstimators
from assay.local.mixture_of_experts_regressor import MixtureOfExpertsRegressor

__all__ = ["MixtureOfEstimatorsRegressor"]


class MixtureOfEstimatorsRegressor(MixtureOfEstimators, Regressor):
    r"""Regression by experts that are any regressors, shared out by a gate that is any classifier.

    .. math:: y(x) = \sum_e g_e(x)\, y_e(x)                                                             \quad (1)

    By EM: each row belongs to each expert by its responsibility, which is the weight that the expert sees it with;
    the gate learns the responsibilities as classes of weighted rows. With linear members this is the linear mixture of
    experts. Estimators that do not maximise a likelihood may lower it; the best step is kept. Members see categories
    as indicators.

    Cost: fit E times that of the expert, and once that of the gate on E n rows, a step; predict E times that of the
    expert; memory O(n E d) to fit.

    Parameters
    ----------
    estimator : estimator, default None
        The expert, whose ``fit`` takes sample_weight; None is a linear one.
    gate : classifier, default None
        With ``predict_proba``, whose ``fit`` takes sample_weight; None is a softmax of linear scores.
    n_experts : int, default 3
    n_init : int, default 1
        Starts, of which the most likely is kept.
    max_iter : int, default 50
    tol : float, default 1e-4
        Steps end when the log likelihood of a row rises by less.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    estimators_ : list of the fitted experts      gate_ : the fitted gate, None for one expert
    weights_ : (E,) mean shares of the training rows      noise_ : float, around the experts of numbers
    log_likelihood_ : float      history_ : list of dicts, one a step: iteration, log_likelihood
    n_iter_ : int      converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import MixtureOfEstimatorsRegressor
    >>> from assay.linear import Ridge
    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> model = MixtureOfEstimatorsRegressor(Ridge(0.01), n_experts=2, random_state=0)
    >>> bool(model.fit(x, abs(x[:, 0])).score(x, abs(x[:, 0])) > 0.99)
    True

    See Also
    --------
    MixtureOfExpertsRegressor, StackingRegressor

    References
    ----------
    - Jacobs, R. A., Jordan, M. I., Nowlan, S. J. and Hinton, G. E. (1991). Adaptive mixtures of local experts. Neural
      Computation 3(1), 79-87. doi:10.1162/neco.1991.3.1.79
    """

    card = Card(
        "mixture of regressors",
        "any regressors, and a gate that says which holds where",
        wraps=True,
        settings={"random_state": 0},
        learns=("any experts and a gate", "likelihood of the mixture", "EM", "local"),
    )
    kind = "numbers"
    _wanted = "regressor"

    def _default_expert(self) -> Any:
        return MixtureOfExpertsRegressor(1)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim != 1:
            raise DataError(f"{type(self).__name__}: one target is expected; fit one model for each.")
        self._learn_mixture(X, y, w)

    def _each(self, X: np.ndarray, experts: list[Any]) -> np.ndarray:
        answers = np.column_stack(
            [np.asarray(model.predict(X), dtype=np.float64).ravel() for model in experts]
        )
        return answers[:, :, None]

    def _predict(self, X: Any) -> np.ndarray:
        return self._blend(X)[:, 0]
