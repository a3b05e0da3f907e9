"""A support vector classifier of several kernels, each of which counts where it does best."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Count, Range, Seed
from assay.core.progress import progress
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object, Plain
from assay.errors import warn_user
from assay.kernels import GramRows, Kernel, MatrixRows
from assay.svm.several_kernels.gated_sum import GatedSum, gates
from assay.svm.several_kernels.multiple_kernel_svc import MultipleKernelSVC
from assay.svm.several_kernels.several_kernels import KERNELS, SeveralKernels, learned_grams, mean_diagonals
from assay.svm.several_kernels.weighted_sum import WeightedSum
from assay.svm.svc import SVC
from assay.types import ClassWeight, RandomState, TableLike

__all__ = ["LocalizedMultipleKernelSVC", "gate_gradient"]

HALVINGS = 15  # of a step down the gradient until it helps
FIRST_STEP = 1.0  # of the gates' parameters, as the length of the first step


class LocalizedMultipleKernelSVC(SVC):
    r"""Learn a support vector classifier and gates that say where each of its kernels counts.

    .. math:: K_\eta(a, b) = \sum_i \eta_i(a)\, K_i(a, b)\, \eta_i(b), \qquad
              \eta_i(x) = \operatorname{softmax}_i(\theta_i^Tx + \theta_{i0}) \quad (1)

    Rounds of two steps: the machine is solved for the present gates, and the gates take a step down the gradient of its
    objective J,

    .. math:: \frac{\partial J}{\partial\theta_k} = -\tfrac12 \sum_{ts} c_tc_s \sum_i \eta_i(x_t)K_i(x_t,x_s)\eta_i(x_s)
              \left\{x_t[\delta_{ik} - \eta_k(x_t)] + x_s[\delta_{ik} - \eta_k(x_s)]\right\} \quad (2)

    halved until J falls (for :math:`\theta_{k0}` with 1 instead of x). J is not convex in the gates: the result is a
    local minimum, which depends on the start. The gates see standardised columns, the kernels the columns as they are,
    divided by the mean of their diagonal. Equal kernels in several
    regions make a boundary of pieces.

    Cost: fit that of :class:`SVC` times the rounds; predict O(m d p) a row for m support vectors and p kernels; memory
    O(p n^2) to fit, O(m d) kept.

    Parameters
    ----------
    kernels : list of str, callables of two tables, or Kernels, default ("linear", "rbf")
    C : float, default 1
    loss : "hinge" or "squared_hinge", default "hinge"
    multi_class : "ovo" or "ovr", default "ovo"
        Machines of several classes share the gates.
    fit_intercept : bool, default True
    probability : bool, default True
    class_weight : dict, "balanced" or None, default None
    gamma : float, "scale" or "auto", default "scale"
        This, degree and coef0 are of kernels by name.
    degree : float, default 3
    coef0 : float, default 0
    gap_tol : float, default 1e-3
        Stops when a round brings the objective down by less than this share.
    max_rounds : int, default 100
    tol : float, default 1e-4
        Of the machine of each round.
    cache_size : float, default 200
    max_iter : int, default -1
        Steps of the machine's solver at the most; -1 for as many as it takes.
    random_state : int, RandomState or None, default 0
        Of the small gates to begin with; from equal ones equal kernels would never part.

    Attributes
    ----------
    gate_slopes_ : (p, d), gate_intercepts_ : (p,) of the columns as they are
    kernels_ : list of Kernel, fitted to the training rows
    history_ : list of dicts, one a round: objective, and the mean gate of each kernel
    kernel_ : Kernel, the gated sum (1); the other attributes are those of :class:`SVC`

    Examples
    --------
    Two linear kernels, each with its own half of the table, make a boundary of two straight pieces:

    >>> import numpy as np
    >>> from assay.svm import SVC, LocalizedMultipleKernelSVC
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = X[:, 1] > np.abs(X[:, 0])
    >>> SVC(kernel="linear", C=100.0).fit(X, y).score(X, y)
    0.885
    >>> model = LocalizedMultipleKernelSVC(["linear", "linear"], C=100.0).fit(X, y)
    >>> model.score(X, y)
    0.995

    See Also
    --------
    MultipleKernelSVC, SVC

    References
    ----------
    - Gonen, M. and Alpaydin, E. (2008). Localized multiple kernel learning. Proceedings of the 25th International
      Conference on Machine Learning, 352-359. doi:10.1145/1390156.1390201
    """

    card = Card(
        "localized kernels",
        "a support vector machine whose kernels count where they do best",
        also=("localized multiple kernels", "lmkl"),
        scale=True,
        most_rows=2_000,
        learns=(
            "a linear score in a mix of kernels that changes with the row",
            "hinge loss + squared weights",
            "machines and gradient steps of the gates",
            "local",
        ),
    )
    accepts = {
        "kernels": KERNELS,
        **{name: MultipleKernelSVC.accepts[name] for name in ("C", "loss", "multi_class", "fit_intercept")},
        **{
            name: MultipleKernelSVC.accepts[name]
            for name in ("probability", "class_weight", "gamma", "degree")
        },
        **{name: MultipleKernelSVC.accepts[name] for name in ("coef0", "tol", "cache_size", "max_iter")},
        "gap_tol": Range(0, open="low"),
        "max_rounds": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "gate_slopes_": FloatArray("q", "p", finite=True),
        "gate_intercepts_": FloatArray("q", finite=True),
        "kernels_": Each(Object(Kernel), "q"),
        "_factors": FloatArray("q", low=0, finite=True),
        "history_": Each(Plain(dict)),
    }
    kernel = "several"
    _sorts_rows = False
    shrinking, verbose = True, False
    decision_function_shape, break_ties = "ovr", True

    def __init__(
        self,
        kernels: Any = ("linear", "rbf"),
        *,
        C: float = 1.0,
        loss: str = "hinge",
        multi_class: str = "ovo",
        fit_intercept: bool = True,
        probability: bool = True,
        class_weight: ClassWeight = None,
        gamma: float | str | None = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        gap_tol: float = 1e-3,
        max_rounds: int = 100,
        tol: float = 1e-4,
        cache_size: float = 200,
        max_iter: int = -1,
        random_state: RandomState = 0,
    ):
        self.kernels = kernels
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
        self.random_state = random_state

    _parts = SeveralKernels._parts
    _coefficients_and_value = MultipleKernelSVC._coefficients_and_value

    def gate(self, X: TableLike) -> np.ndarray:
        """(n, p) how much each kernel counts at each row; they sum to 1."""
        return gates(self._admit(X), self.gate_slopes_, self.gate_intercepts_)

    def _kernel(self) -> Kernel:
        parts = self._parts()
        return GatedSum(tuple(parts), np.zeros((len(parts), 1)), np.zeros(len(parts)))

    def _learn_kernel(  # type: ignore[override]  # in the order of the rows alone
        self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None
    ) -> GramRows:
        X = np.asarray(X, dtype=np.float64)
        self.kernels_, grams = learned_grams(self, self._parts(), X, y, w)
        self._factors = 1.0 / mean_diagonals(grams, w)
        grams *= self._factors[:, None, None]
        middle = np.average(X, axis=0, weights=w)
        scale = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=w))
        scale = np.where((np.ptp(X, axis=0) > 0) & (scale > 0), scale, 1.0)
        Z = np.column_stack([(X - middle) / scale, np.ones(len(X))])
        theta = self._descend(grams, Z, y, w)
        self.gate_slopes_ = theta[:, :-1] / scale
        self.gate_intercepts_ = theta[:, -1] - self.gate_slopes_ @ middle
        scaled = tuple(
            WeightedSum((kernel,), np.array([factor])) for kernel, factor in zip(self.kernels_, self._factors)
        )
        self.kernel_ = GatedSum(scaled, self.gate_slopes_, self.gate_intercepts_)
        self.shape_fit_ = tuple(map(int, X.shape))
        return MatrixRows(gated(grams, softmax(Z @ theta.T)))

    def _descend(self, grams: np.ndarray, Z: np.ndarray, y: Any, w: Any) -> np.ndarray:
        """(p, d + 1) the parameters of the gates for rows Z, at which no step of (2) brings J down by much."""
        random = random_state_of(self.random_state)
        theta = 0.1 * random.normal(size=(len(grams), Z.shape[1]))
        self.history_: list[dict[str, float]] = []

        def solved(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
            gate = softmax(Z @ theta.T)
            return gate, *self._coefficients_and_value(MatrixRows(gated(grams, gate)), y, w)

        gate, C, value = solved(theta)
        step = 0.0
        with progress(self.max_rounds, f"{type(self).__name__}: gates of kernels") as bar:
            for _ in range(self.max_rounds):
                bar.advance()
                means = {f"gate {i + 1}": float(mean) for i, mean in enumerate(gate.mean(axis=0))}
                self.history_.append({"objective": value, **means})
                slope = gate_gradient(grams, gate, Z, C)
                length = float(np.linalg.norm(slope))
                if length == 0:
                    return theta
                step = 2 * step if step else FIRST_STEP / length
                for _ in range(HALVINGS):
                    tried = theta - step * slope
                    new_gate, new_C, new_value = solved(tried)
                    if new_value < value:
                        break
                    step /= 2
                else:
                    return theta
                fall = (value - new_value) / max(abs(value), 1e-300)
                theta, gate, C, value = tried, new_gate, new_C, new_value
                if fall <= self.gap_tol:
                    return theta
        warn_user(
            f"{type(self).__name__}: the gates still change after {self.max_rounds} rounds; raise max_rounds or "
            "gap_tol.",
            ConvergenceWarning,
        )
        return theta

    def _model_parts(self) -> list[Part]:
        last = self.history_[-1]
        lines = [[repr(kernel), last[f"gate {i + 1}"]] for i, kernel in enumerate(self.kernels_)]
        return [Section("Kernels", ["kernel", "mean gate in the last round"], lines), *super()._model_parts()]


def gated(grams: np.ndarray, gate: np.ndarray) -> np.ndarray:
    """(n, n) the kernel matrix (1) of (p, n, n) kernel matrices and (n, p) gates."""
    return np.asarray(sum(g[:, None] * K * g for g, K in zip(gate.T, grams)))


def gate_gradient(grams: np.ndarray, gate: np.ndarray, Z: np.ndarray, C: np.ndarray) -> np.ndarray:
    """(p, d + 1) the gradient (2) of J at the (P, n) coefficients C of the machines, for rows Z that end with 1.

    With r_ti = sum over machines of c_t eta_i(x_t) sum_s K_i(x_t, x_s) eta_i(x_s) c_s both parts of (2) are the same,
    and the gradient is -sum_t (r_tk - eta_k(x_t) sum_i r_ti) x_t.
    """
    r = np.zeros_like(gate)
    for c in C:
        used = np.flatnonzero(c)
        for i, K in enumerate(grams):
            weighted = c[used] * gate[used, i]
            r[used, i] += weighted * (K[np.ix_(used, used)] @ weighted)
    return -(r - gate * r.sum(axis=1, keepdims=True)).T @ Z
