"""A support vector classifier of several kernels, which learns how much each of them counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.kernels import GramRows
from assay.svm.several_kernels.several_kernels import SeveralKernels
from assay.svm.svc import SVC
from assay.svm.votes import sides
from assay.types import ClassWeight

__all__ = ["MultipleKernelSVC"]


class MultipleKernelSVC(SeveralKernels, SVC):
    r"""Learn a support vector classifier and the weights of its kernels together.

    .. math:: K_\eta = \sum_i \eta_i K_i, \qquad
              \min_\eta \max_\alpha \sum_j \alpha_j - \tfrac12 \sum_{jl} \alpha_j\alpha_l y_jy_l K_\eta(x_j, x_l)
              \quad (1)

    with the constraints of :class:`SVC` on the multipliers, and :math:`\eta_i \ge 0` with the sum 1 ("convex") or with
    the trace of the sum fixed ("conic"). Give kernels of different parameters, of different columns
    (``RBF().on([0, 1])``), or of different kinds of data; those that do not help get the weight 0, the more so the
    smaller C is: with a large C even a kernel of noise serves to fit the training rows. (1) is convex in the weights,
    and the search ends by its duality gap. Several classes share the weights; for weights of each class's own put it
    into ``OneVsRestClassifier``.

    Cost: fit that of :class:`SVC` times the rounds, 5 to 50 of them; predict O(m d p) a row for m support vectors and p
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
    C : float, default 1
    loss : "hinge" or "squared_hinge", default "hinge"
    multi_class : "ovo" or "ovr", default "ovo"
    fit_intercept : bool, default True
    probability : bool, default True
    class_weight : dict, "balanced" or None, default None
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
    kernel_ : Kernel, their weighted sum; the other attributes are those of :class:`SVC`

    Examples
    --------
    The first column tells the classes apart, the second is noise:

    >>> import numpy as np
    >>> from assay.kernels import Linear
    >>> from assay.svm import MultipleKernelSVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["a", "b"], 40)
    >>> X = np.column_stack([rng.normal(size=80) + 4 * (y == "b"), rng.normal(size=80)])
    >>> model = MultipleKernelSVC([Linear().on([0]), Linear().on([1])], C=0.1).fit(X, y)
    >>> model.weights_.round(2)
    array([1., 0.])

    See Also
    --------
    SVC, MultipleKernelSVR, LocalizedMultipleKernelSVC

    References
    ----------
    - Lanckriet, G. R. G., Cristianini, N., Bartlett, P., El Ghaoui, L. and Jordan, M. I. (2004). Learning the kernel
      matrix with semidefinite programming. Journal of Machine Learning Research 5, 27-72.
    - Rakotomamonjy, A., Bach, F. R., Canu, S. and Grandvalet, Y. (2008). SimpleMKL. Journal of Machine Learning
      Research 9, 2491-2521.
    - Gonen, M. and Alpaydin, E. (2011). Multiple kernel learning algorithms. Journal of Machine Learning Research 12,
      2211-2268.
    """

    card = Card(
        "multiple kernels",
        "a support vector machine that learns the weights of several kernels",
        also=("mkl", "multiple kernel learning"),
        scale=True,
        most_rows=3_000,
        learns=(
            "a linear score in a mix of kernels",
            "hinge loss + squared weights",
            "machines and gradient steps of the mix",
            "global",
        ),
    )
    accepts = {
        **SeveralKernels.accepts,
        "C": Range(0, open="low"),
        **{
            name: SVC.accepts[name]
            for name in (
                *("loss", "multi_class", "fit_intercept", "probability", "class_weight"),
                *("gamma", "degree", "coef0", "tol", "cache_size", "max_iter"),
            )
        },
    }
    shrinking, verbose, random_state = True, False, None
    decision_function_shape, break_ties = "ovr", True

    def __init__(
        self,
        kernels: Any = ("linear", "rbf"),
        *,
        combination: str = "convex",
        normalization: str | None = "trace",
        rule: str = "gradient",
        C: float = 1.0,
        loss: str = "hinge",
        multi_class: str = "ovo",
        fit_intercept: bool = True,
        probability: bool = True,
        class_weight: ClassWeight = None,
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
        self.loss = loss
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.probability = probability
        self.class_weight = class_weight
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.gap_tol = gap_tol
        self.max_rounds = max_rounds
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter

    def _coefficients_and_value(self, gram: GramRows, y: Any, w: Any) -> tuple[np.ndarray, float]:
        weight, K = self._row_weights(y, w), len(self.classes_)
        problems = sides(y, weight > 0, K, self.multi_class == "ovr")
        coefficients, value = np.zeros((len(problems), len(y))), 0.0
        for line, (rows, sign) in zip(coefficients, problems):
            if abs(sign.sum()) == len(sign):
                continue  # a class whose rows all weigh nothing
            machine = self._binary(gram if len(rows) == gram.n else gram.subset(rows), sign, weight[rows])
            line[rows] = machine.sign * machine.alpha
            value -= machine.solution.objective if machine.solution is not None else 0.0
        return coefficients, value
