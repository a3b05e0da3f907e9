"""Mixture of experts for classes: softmax regressions, and a gate that says which holds where."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.local.expert_learner import EXPERTS_OF_CLASSES, ClassExperts
from assay.local.units import SHAPES
from assay.types import RandomState

__all__ = ["MixtureOfExpertsClassifier"]


class MixtureOfExpertsClassifier(ClassExperts):
    r"""Classification by several experts, each a softmax of linear scores, and a gate that shares rows out among them.

    .. math:: P(k \mid x) = \sum_e g_e(x)\, \mathrm{softmax}_k(V_e (x, 1)), \qquad
              g_e(x) = \frac{e^{m_e^T (x, 1)}}{\sum_l e^{m_l^T (x, 1)}}                                    \quad (1)

    Competitive experts make (1) as likely as possible; cooperative ones blend their scores before one softmax,
    :math:`P(k \mid x) = \mathrm{softmax}_k(\sum_e g_e V_e (x, 1))`. EM fits experts and gate by Newton steps with the
    responsibilities as weights and never lowers the (penalised) likelihood, which is checked in each step.

    Cost: fit O(n E (K d)^2) a step; predict O(E K d) a row; memory O(n (d + E K)) to fit, O(E K d) kept.

    Parameters
    ----------
    n_experts : int, default 3
    experts : "linear" or "constant", default "linear"
        Constant experts with a radial gate are competitive (or normalised) radial basis functions.
    gate : "softmax" or "radial", default "softmax"
        Shares by linear scores, which cut the space by planes, or by Gaussian units around centres. A radial gate under
        EM is a mixture of Gaussians, and the joint density of row and target is what rises.
    shape : "spherical", "diagonal" or "full", default "spherical"
        Of the units of a radial gate; "full" for EM alone.
    n_components : int, default None
        Local dimensionality reduction: each expert sees this many directions of its own, the principal ones of its rows
        (EM) or directions learned with its weights (L-BFGS).
    training : "em", "competitive" or "cooperative", default "em"
        How: EM, or L-BFGS, on the likelihood of the mixture, or L-BFGS on the error of the blended answer. Cooperative
        experts give smoother functions, competitive ones cut the table harder and say more by themselves.
    alpha : float, default 1e-3
        Penalty on the squares of slopes and gate weights, in standard units.
    n_init : int, default 5
        Starts, of which the best is kept: from groups of rows, then also from lines drawn at random.
    max_iter : int, default 500
    tol : float, default 1e-6
        What the log likelihood of a row must rise by (EM), or its gradient be (L-BFGS), for steps to go on.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    coef_ : (E, K, d)      intercept_ : (E, K), the experts
    gate_coef_ : (1, E, d)      gate_intercept_ : (1, E), of a softmax gate
    gate_centers_ : (E, d)      gate_spreads_ : (E, d) or (E, d, d)      gate_offsets_ : (E,), of a radial one
    projections_ : (E, r, d), with n_components
    weights_ : (E,) mean shares of the training rows
    objective_ : float, the penalised log likelihood (or minus the error) in standard units      converged_ : bool
    history_ : list of dicts, one a step: iteration, objective      n_iter_ : int

    Examples
    --------
    Exclusive or, which no line can tell:

    >>> import numpy as np
    >>> from assay.local import MixtureOfExpertsClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = MixtureOfExpertsClassifier(2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True

    See Also
    --------
    HierarchicalMixtureOfExpertsClassifier, MixtureOfEstimatorsClassifier, RBFNetworkClassifier

    References
    ----------
    - Jacobs, R. A., Jordan, M. I., Nowlan, S. J. and Hinton, G. E. (1991). Adaptive mixtures of local experts. Neural
      Computation 3(1), 79-87. doi:10.1162/neco.1991.3.1.79
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural Computation
      6(2), 181-214. doi:10.1162/neco.1994.6.2.181
    - Xu, L., Jordan, M. I. and Hinton, G. E. (1995). An alternative model for mixtures of experts. Advances in Neural
      Information Processing Systems 7, 633-640.
    """

    card = Card(
        "linear experts",
        "softmax regressions, and a gate that says which holds where",
        also=("mixture of experts", "experts", "mixture of linear experts", "competitive rbf"),
        settings={"random_state": 0},
        most_columns=200,
        learns=(
            "linear experts and a gate",
            "likelihood of the mixture, or cross-entropy + squares of the weights",
            "EM, or L-BFGS",
            "local",
        ),
    )
    accepts = {
        "n_experts": Count(1),
        "experts": Choice("linear", "constant"),
        "gate": Choice("softmax", "radial"),
        "shape": Choice(*SHAPES),
        "n_components": Count(1) | None,
        **EXPERTS_OF_CLASSES,
    }

    def __init__(
        self,
        n_experts: int = 3,
        *,
        experts: str = "linear",
        gate: str = "softmax",
        shape: str = "spherical",
        n_components: int | None = None,
        training: str = "em",
        alpha: float = 1e-3,
        n_init: int = 5,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ):
        self.n_experts = n_experts
        self.experts = experts
        self.gate = gate
        self.shape = shape
        self.n_components = n_components
        self.training = training
        self.alpha = alpha
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _branching(self) -> tuple[int, int]:
        return self.n_experts, 1
