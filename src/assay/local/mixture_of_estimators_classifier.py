"""Mixture of experts that are any classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.meta_estimator import aligned
from assay.errors import ParameterError
from assay.local.mixture_of_estimators import MixtureOfEstimators
from assay.local.mixture_of_experts_classifier import MixtureOfExpertsClassifier

__all__ = ["MixtureOfEstimatorsClassifier"]


class MixtureOfEstimatorsClassifier(MixtureOfEstimators, Classifier):
    r"""Classification by experts that are any classifiers, shared out by a gate that is another.

    .. math:: P(k \mid x) = \sum_e g_e(x)\, P_e(k \mid x)                                               \quad (1)

    By EM: each row belongs to each expert by its responsibility, which is the weight that the expert sees it with;
    the gate learns the responsibilities as classes of weighted rows. With linear members this is the linear mixture of
    experts. Estimators that do not maximise a likelihood may lower it; the best step is kept. Members see categories
    as indicators.

    Cost: fit E times that of the expert, and once that of the gate on E n rows, a step; predict E times that of the
    expert; memory O(n E (d + K)) to fit.

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
    >>> from assay.bayes import GaussianNB
    >>> from assay.local import MixtureOfEstimatorsClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = MixtureOfEstimatorsClassifier(GaussianNB(), n_experts=4, n_init=3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    See Also
    --------
    MixtureOfExpertsClassifier, StackingClassifier

    References
    ----------
    - Jacobs, R. A., Jordan, M. I., Nowlan, S. J. and Hinton, G. E. (1991). Adaptive mixtures of local experts. Neural
      Computation 3(1), 79-87. doi:10.1162/neco.1991.3.1.79
    """

    card = Card(
        "mixture of classifiers",
        "any classifiers, and a gate that says which holds where",
        wraps=True,
        settings={"random_state": 0},
        learns=("any experts and a gate", "likelihood of the mixture", "EM", "local"),
    )
    multiclass = "as the estimator"
    kind = "classes"
    _wanted = "classifier"

    def _default_expert(self) -> Any:
        return MixtureOfExpertsClassifier(1)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        expert = self._templates()[0]
        if not hasattr(expert, "predict_proba"):
            raise ParameterError(f"{type(self).__name__}: estimator must have predict_proba, got {expert!r}.")
        self._learn_mixture(X, y, w)

    def _each(self, X: np.ndarray, experts: list[Any]) -> np.ndarray:
        codes = np.arange(len(self.classes_))
        return np.stack([aligned(np.asarray(m.predict_proba(X)), m.classes_, codes) for m in experts], axis=1)

    def _posterior(self, X: Any) -> np.ndarray:
        posterior = self._blend(X)
        return posterior / posterior.sum(axis=1, keepdims=True)
