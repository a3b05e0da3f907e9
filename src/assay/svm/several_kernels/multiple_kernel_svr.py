"""Support vector regression with several kernels, which learns how much each of them counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.kernels import GramRows
from assay.svm.several_kernels.several_kernels import SeveralKernels
from assay.svm.svr import SVR

__all__ = ["MultipleKernelSVR"]


class MultipleKernelSVR(SeveralKernels, SVR):
    r"""Learn a support vector regression and the weights of its kernels together.

    .. math:: f(x) = \sum_j \beta_j \sum_i \eta_i K_i(x_j, x) + b, \qquad \eta_i \ge 0, \quad
              \min_\eta \max_{\beta}\; y^T\beta - \epsilon\sum_j|\beta_j| - \tfrac12\beta^TK_\eta\beta \quad (1)

    with :math:`|\beta_j| \le C`, :math:`\sum_j\beta_j = 0`, and weights with the sum 1 ("convex") or with the trace
    of the sum fixed ("conic"). Each round solves the regression for the present weights; the search ends by the duality
    gap.

    Cost: fit that of :class:`SVR` times the rounds, 5 to 50 of them; predict O(m d p) a row for m support vectors and p
    kernels; memory O(p n^2) to fit, O(m d) kept.

    Parameters
    ----------
    kernels : list of str, callables of two tables, or Kernels, default ("linear", "rbf")
    combination : "convex" or "conic", default "convex"
    normalization : "trace", "diagonal" or None, default "trace"
        Kernels are divided by the mean of their diagonal, or become cosines, so that weights can be compared.
    rule : "gradient" or "norms", default "gradient"
        Each round takes a projected step down the gradient, or sets the weights in proportion to the norms of the
        kernels' parts of the solution, which takes more rounds.
    C : float or "scale", default 1
        "scale" is 1 for y in standard deviations.
    epsilon : float or "scale", default 0.1
        Half the width of the tube, in units of y; "scale" is a tenth of its standard deviation.
    gamma : float, "scale" or "auto", default "scale"
        This, degree and coef0 are of kernels by name.
    degree : float, default 3
    coef0 : float, default 0
    gap_tol : float, default 1e-3
        The duality gap at which to stop, as a share of the objective.
    max_rounds : int, default 200
    tol : float, default 1e-4
        Of the machine of each round.
    cache_size : float, default 200
    max_iter : int, default -1
        Steps of the machine's solver at the most; -1 for as many as it takes.

    Attributes
    ----------
    weights_ : (p,) of the normalised kernels      kernels_ : list of Kernel, fitted to the training rows
    norms_ : (p,) the share of each kernel in the squared norm of the solution
    gap_ : float, by which share the objective can be above the least
    history_ : list of dicts, one a round: objective, gap, weight of each kernel
    kernel_ : Kernel, their weighted sum; the other attributes are those of :class:`SVR`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.svm import MultipleKernelSVR
    >>> x = np.linspace(0, 6, 60)[:, None]
    >>> model = MultipleKernelSVR([RBF(gamma=1.0), RBF(gamma=100.0)], C=10.0).fit(x, np.sin(x[:, 0]))
    >>> model.weights_.round(2)
    array([1., 0.])

    See Also
    --------
    SVR, MultipleKernelSVC

    References
    ----------
    - Rakotomamonjy, A., Bach, F. R., Canu, S. and Grandvalet, Y. (2008). SimpleMKL. Journal of Machine Learning
      Research 9, 2491-2521.
    """

    card = Card(
        "multiple kernels",
        "support vector regression that learns the weights of several kernels",
        also=("mkl", "multiple kernel learning"),
        scale=True,
        most_rows=3_000,
        learns=(
            "a linear function in a mix of kernels",
            "absolute error beyond epsilon + squared weights",
            "machines and gradient steps of the mix",
            "global",
        ),
    )
    accepts = {
        **SeveralKernels.accepts,
        **{
            name: SVR.accepts[name]
            for name in ("C", "epsilon", "gamma", "degree", "coef0", "tol", "cache_size", "max_iter")
        },
    }
    shrinking, verbose = True, False

    def __init__(
        self,
        kernels: Any = ("linear", "rbf"),
        *,
        combination: str = "convex",
        normalization: str | None = "trace",
        rule: str = "gradient",
        C: float = 1.0,
        epsilon: float = 0.1,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        gap_tol: float = 1e-3,
        max_rounds: int = 200,
        tol: float = 1e-4,
        cache_size: float = 200,
        max_iter: int = -1,
    ):
        self.kernels = kernels
        self.combination = combination
        self.normalization = normalization
        self.rule = rule
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.gap_tol = gap_tol
        self.max_rounds = max_rounds
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter

    def _coefficients_and_value(self, gram: GramRows, y: Any, w: Any) -> tuple[np.ndarray, float]:
        weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        dual = self._problem(np.asarray(y, dtype=np.float64), weight)[0]
        self._weigh_cost([gram], [dual])
        solution = self._solve(gram, dual)
        above, below = np.split(solution.alpha, 2)
        return (above - below)[None], -solution.objective
