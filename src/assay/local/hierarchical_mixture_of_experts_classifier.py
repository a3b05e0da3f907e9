"""Hierarchical mixture of experts for classes: a soft tree of gates with a softmax regression at each leaf."""

from __future__ import annotations

from assay.core import Card
from assay.core.parameters import Count
from assay.local.expert_learner import EXPERTS_OF_CLASSES, ClassExperts
from assay.types import RandomState

__all__ = ["HierarchicalMixtureOfExpertsClassifier"]


class HierarchicalMixtureOfExpertsClassifier(ClassExperts):
    r"""Classification by a tree of soft gates with a softmax regression at each leaf; every row takes all paths.

    .. math:: P(k \mid x) = \sum_i g_i(x) \sum_j g_{j \mid i}(x)\, \mathrm{softmax}_k(V_{ij} (x, 1))       \quad (1)

    and so on for deeper trees. Gates and experts are trained together; splits are oblique and soft.

    Cost: fit O(n E (K d)^2) a step for E leaves; predict O(E K d) a row; memory O(n (d + E K)) to fit, O(E K d) kept.

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
    weights_ : (E,) mean shares of the training rows
    objective_ : float, the penalised log likelihood (or minus the error) in standard units      converged_ : bool
    history_ : list of dicts, one a step: iteration, objective      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import HierarchicalMixtureOfExpertsClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = HierarchicalMixtureOfExpertsClassifier(depth=2, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True

    See Also
    --------
    MixtureOfExpertsClassifier, SoftTreeClassifier, LinearLeafClassifier

    References
    ----------
    - Jacobs, R. A., Jordan, M. I., Nowlan, S. J. and Hinton, G. E. (1991). Adaptive mixtures of local experts. Neural
      Computation 3(1), 79-87. doi:10.1162/neco.1991.3.1.79
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural Computation
      6(2), 181-214. doi:10.1162/neco.1994.6.2.181
    """

    card = Card(
        "hierarchical experts",
        "a soft tree of gates with a softmax regression at each leaf",
        also=("hierarchical mixture of experts", "hme"),
        settings={"random_state": 0},
        most_columns=200,
        learns=(
            "linear experts at the leaves of a tree of gates",
            "likelihood of the mixture, or cross-entropy + squares of the weights",
            "EM, or L-BFGS",
            "local",
        ),
    )
    accepts = {"depth": Count(1, 10), "branching": Count(2, 20), **EXPERTS_OF_CLASSES}

    def __init__(
        self,
        depth: int = 2,
        branching: int = 2,
        *,
        training: str = "em",
        alpha: float = 1e-3,
        n_init: int = 5,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ):
        self.depth = depth
        self.branching = branching
        self.training = training
        self.alpha = alpha
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _branching(self) -> tuple[int, int]:
        return self.branching, self.depth
