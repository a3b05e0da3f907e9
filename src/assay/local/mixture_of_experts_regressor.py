"""Mixture of experts for numbers: linear regressions, and a gate that says which holds where."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.local.expert_learner import EXPERT_PARAMETERS, NumberExperts
from assay.local.units import SHAPES
from assay.types import RandomState

__all__ = ["MixtureOfExpertsRegressor"]


class MixtureOfExpertsRegressor(NumberExperts):
    r"""Regression by several experts, each linear, and a gate that shares rows out among them.

    .. math:: y(x) = \sum_e g_e(x)\, v_e^T (x, 1), \qquad g_e(x) = \frac{e^{m_e^T (x, 1)}}{\sum_l e^{m_l^T (x, 1)}}
              \quad (1)

    Competitive experts explain a row one at a time: :math:`p(r \mid x) = \sum_e g_e\, N(r; v_e^T x, \sigma_e^2)`
    is made as likely as possible, and the predictive distribution may have several peaks. Cooperative experts lower
    the squared error of (1) together. EM never lowers the (penalised) likelihood, which is checked in each step.

    Cost: fit O(n E d^2) a step; predict O(E d) a row; memory O(n (d + E)) to fit, O(E d) kept.

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
    noise : "shared", "each" or a number, default "shared"
        The standard deviation around an expert: estimated, of all together or of each, or given.
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
    weights_ : (E,) mean shares of the training rows      noise_ : (E,)
    objective_ : float, the penalised log likelihood (or minus the error) in standard units      converged_ : bool
    history_ : list of dicts, one a step: iteration, objective      n_iter_ : int

    Examples
    --------
    Downhill, then uphill:

    >>> import numpy as np
    >>> from assay.local import MixtureOfExpertsRegressor
    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> model = MixtureOfExpertsRegressor(2, random_state=0).fit(x, abs(x[:, 0]))
    >>> np.sort(model.coef_.ravel()).round(2).tolist()
    [-1.0, 1.0]
    >>> model.predict_experts([[-0.8], [0.8]]).max(axis=1).round(2).tolist()
    [1.0, 1.0]

    See Also
    --------
    HierarchicalMixtureOfExpertsRegressor, MixtureOfEstimatorsRegressor, BayesianMixtureOfExperts, RBFNetworkRegressor

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
        "linear regressions, and a gate that says which holds where",
        also=("mixture of linear experts", "competitive rbf"),
        settings={"random_state": 0},
        most_columns=200,
        learns=(
            "linear experts and a gate",
            "likelihood of the mixture, or squared error + squares of the weights",
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
        **EXPERT_PARAMETERS,
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
        noise: str | float = "shared",
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
        self.noise = noise
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _branching(self) -> tuple[int, int]:
        return self.n_experts, 1
