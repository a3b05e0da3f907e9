"""Hierarchical mixture of experts for numbers: a soft tree of gates with a line at each leaf."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import Count
from assay.local.expert_learner import EXPERT_PARAMETERS, NumberExperts
from assay.types import RandomState

__all__ = ["HierarchicalMixtureOfExpertsRegressor"]


class HierarchicalMixtureOfExpertsRegressor(NumberExperts):
    r"""Regression by a tree of soft gates with a linear expert at each leaf; every row takes all paths.

    .. math:: y(x) = \sum_i g_i(x) \sum_j g_{j \mid i}(x)\, v_{ij}^T (x, 1)                                \quad (1)

    and so on for deeper trees. Gates and experts are trained together, where an ordinary model tree chooses one split
    after the other: splits are oblique and soft. As gate weights grow the tree becomes hard.

    Cost: fit O(n E d^2) a step for E leaves; predict O(E d) a row; memory O(n (d + E)) to fit, O(E d) kept.

    Parameters
    ----------
    depth : int, default 2
        Levels of gates; one is a mixture of experts.
    branching : int, default 2
        Branches of each gate.
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
    gate_coef_ : (nodes, b, d)      gate_intercept_ : (nodes, b), level by level from the root
    weights_ : (E,) mean shares of the training rows      noise_ : (E,)
    objective_ : float, the penalised log likelihood (or minus the error) in standard units      converged_ : bool
    history_ : list of dicts, one a step: iteration, objective      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import HierarchicalMixtureOfExpertsRegressor
    >>> x = np.linspace(-2, 2, 201)[:, None]
    >>> y = np.interp(x[:, 0], [-2, -1, 0, 1, 2], [0, 1, 0, 1, 0])
    >>> model = HierarchicalMixtureOfExpertsRegressor(depth=2, random_state=0).fit(x, y)
    >>> bool(model.score(x, y) > 0.99)
    True

    See Also
    --------
    MixtureOfExpertsRegressor, SoftTreeRegressor, ModelTreeRegressor

    References
    ----------
    - Jacobs, R. A., Jordan, M. I., Nowlan, S. J. and Hinton, G. E. (1991). Adaptive mixtures of local experts. Neural
      Computation 3(1), 79-87. doi:10.1162/neco.1991.3.1.79
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural Computation
      6(2), 181-214. doi:10.1162/neco.1994.6.2.181
    """

    card = Card(
        "hierarchical experts",
        "a soft tree of gates with a line at each leaf",
        also=("hierarchical mixture of experts", "hme"),
        settings={"random_state": 0},
        most_columns=200,
        learns=(
            "linear experts at the leaves of a tree of gates",
            "likelihood of the mixture, or squared error + squares of the weights",
            "EM, or L-BFGS",
            "local",
        ),
    )
    accepts = {"depth": Count(1, 10), "branching": Count(2, 20), **EXPERT_PARAMETERS}

    def __init__(
        self,
        depth: int = 2,
        branching: int = 2,
        *,
        training: str = "em",
        alpha: float = 1e-3,
        noise: str | float = "shared",
        n_init: int = 5,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ):
        self.depth = depth
        self.branching = branching
        self.training = training
        self.alpha = alpha
        self.noise = noise
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _branching(self) -> tuple[int, int]:
        return self.branching, self.depth
