"""Bayesian mixture of linear-regression experts: a gate says which line holds where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, PassLearner, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.scores import softmax
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, Each, FloatArray, Object, Scalar
from assay.core.sums import Block, Source
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError, warn_user
from assay.mixture.gating import GaussianGate, SoftmaxGate, gamma_divergence
from assay.mixture.mixture_learner import row_moments, start_rows
from assay.mixture.starts import k_means
from assay.stats.distributions.predictive import Mixture, Student
from assay.types import RandomState, TableLike

__all__ = ["BayesianMixtureOfExperts"]

LOG_2PI = float(np.log(2 * np.pi))
WEAK = (1e-2, 1e-2)  # shape and rate of the gamma prior of the precision of weights, in standard units
NOISE = (1.0, 1e-3)  # of the precision of the noise: an expert without rows still has quantiles
SILENT = 1e-9  # probability of an expert below which it has no say in a distribution
GATE_STEPS = 30  # of the gate alone, with the labels of a start: its quadratic bound takes short steps
WARM_UP = 5  # steps with each row at its best expert alone, from which a random start begins


@dataclass(frozen=True)
class Experts:
    """The posteriors of K regressions: weights and precision normal-gamma, the weights' own precision gamma."""

    coef: np.ndarray  # (K, p)
    covariances: np.ndarray  # (K, p, p), times the variance of the noise
    a: np.ndarray  # (K,) shape and
    b: np.ndarray  # (K,) rate of the precision of the noise
    rate: np.ndarray  # (K,) rate of the precision of the weights, whose shape is WEAK[0] + p / 2
    stored = {
        "coef": FloatArray("K", "p", finite=True),
        "covariances": FloatArray("K", "p", "p", finite=True),
        "a": FloatArray("K", low=0),
        "b": FloatArray("K", low=0),
        "rate": FloatArray("K", low=0),
    }

    @classmethod
    def start(cls, K: int, p: int) -> Experts:
        """Before any row."""
        wide = np.tile(np.eye(p), (K, 1, 1))
        return cls(np.zeros((K, p)), wide, np.ones(K), np.ones(K), np.ones(K) + p / 2)

    def log_densities(self, F: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(n, K) the expected log density of y under each expert."""
        residuals = y[:, None] - F @ self.coef.T
        spread = np.stack([np.einsum("ij,ij->i", F @ V, F) for V in self.covariances], axis=1)
        logs = digamma(self.a) - np.log(self.b) - LOG_2PI
        return 0.5 * (logs - self.a / self.b * residuals**2 - spread)

    def updated(self, G: np.ndarray, r: np.ndarray, q: np.ndarray) -> tuple[Experts, float]:
        """After a step with sums of h phi phi' (K, p, p), h phi y (K, p), h y^2 (K,); and their part of the bound."""
        K, p = self.coef.shape
        shape = WEAK[0] + p / 2
        squared = self.a / self.b * np.sum(self.coef**2, axis=1) + np.trace(
            self.covariances, axis1=1, axis2=2
        )
        rate = WEAK[1] + 0.5 * squared
        alpha = shape / rate
        precisions = alpha[:, None, None] * np.eye(p) + G
        covariances = np.linalg.inv(precisions)
        covariances = (covariances + covariances.transpose(0, 2, 1)) / 2
        coef = np.einsum("kij,kj->ki", covariances, r)
        N = G[:, 0, 0]
        a = NOISE[0] + N / 2
        b = NOISE[1] + 0.5 * np.maximum(q - np.einsum("ki,ki->k", coef, r), 0.0)
        terms = 0.5 * p * (digamma(shape) - np.log(rate)) - 0.5 * np.linalg.slogdet(precisions)[1]
        terms += (
            NOISE[0] * np.log(NOISE[1]) - gammaln(NOISE[0]) + gammaln(a) - a * np.log(b) - 0.5 * N * LOG_2PI
        )
        bound = float(terms.sum()) - gamma_divergence(np.full(K, shape), rate, *WEAK)
        return Experts(coef, covariances, a, b, rate), bound


@dataclass(frozen=True)
class _Sums:
    """What a block adds: squares, products and targets of each expert, entropy, and what the gate asks for."""

    G: np.ndarray
    r: np.ndarray
    q: np.ndarray
    entropy: float
    gate: list[np.ndarray]

    def __add__(self, other: _Sums) -> _Sums:
        gate = [mine + theirs for mine, theirs in zip(self.gate, other.gate)]
        return _Sums(self.G + other.G, self.r + other.r, self.q + other.q, self.entropy + other.entropy, gate)


class BayesianMixtureOfExperts(SquaredRows, PassLearner, Regressor):
    r"""K linear regressions and a gate that says which of them holds where, all with posteriors.

    .. math:: p(y|x) = \sum_k g_k(x)\, N(y; w_k^T\phi(x), \beta_k^{-1}), \qquad \phi(x) = (1, x) \quad (1)

    The gate g is a softmax of linear scores (``gate="softmax"``), which cuts the space by planes, or a Gaussian of x
    for each expert (``"gaussian"``), which also knows where no rows were. Weights, precisions of noise and weights, and
    the gate's parameters are found by mean-field variational inference: each factor by turns is set to its optimum, the
    softmax under a quadratic bound, so the lower bound never falls.

    The predictive distribution is a mixture of Student t distributions: where two experts disagree it has two peaks.
    Its intervals hold what they say. Those of the weights (t distributions of ``experts_``) do where it is clear which
    expert a row has; where experts overlap they are too narrow, 95 % intervals of parallel lines three deviations apart
    hold the truth in 75 to 80 %, for mean field takes the rows' experts and the lines for independent.

    All steps are sums over rows, so blocks and Dask give the same model. Use it where the slope changes with the
    region, or where one x has several usual answers.

    Cost: fit O(n K p^2) an iteration, p = d + 1; predict O(K p) a row, with distributions O(K p^2); memory O(n K) a
    block.

    Parameters
    ----------
    n_experts : int, default 2
        K. With the Gaussian gate experts that are not needed lose their rows.
    gate : "softmax" or "gaussian", default "softmax"
    concentration : float above 0, default 1
        Of the Dirichlet prior of the Gaussian gate's weights.
    max_iter : int, default 500
    tol : float, default 1e-4
        Stop when the bound of a row changes by less.
    n_init : int, default 3
        Starts, of which the best is kept: k-means of x and y, then random lines.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    coef_ : (K, p) expected slopes      intercept_ : (K,)      noise_sd_ : (K,) expected deviation of the noise
    weights_ : (K,) share of the training rows
    experts_ : Experts      gate_ : SoftmaxGate or GaussianGate, both in standard units
    lower_bound_ : float of all rows      lower_bounds_ : list      history_ : list of dict      n_iter_ : int
    converged_ : bool

    Examples
    --------
    Downhill, then uphill:

    >>> import numpy as np
    >>> from assay.mixture import BayesianMixtureOfExperts
    >>> x = np.linspace(-2, 2, 80)[:, None]
    >>> y = np.abs(x[:, 0]) + 0.05 * np.random.default_rng(0).normal(size=80)
    >>> model = BayesianMixtureOfExperts(n_experts=2, random_state=0).fit(x, y)
    >>> np.sort(model.coef_[:, 0]).round(1).tolist()
    [-1.0, 1.0]
    >>> model.predict([[-1.5], [1.5]]).round(1).tolist()
    [1.5, 1.5]

    See Also
    --------
    ModelTreeRegressor, BayesianRidge, BayesianGaussianMixture

    References
    ----------
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural Computation
      6(2), 181-214. doi:10.1162/neco.1994.6.2.181
    - Bishop, C. M. and Svensén, M. (2003). Bayesian hierarchical mixtures of experts. Uncertainty in Artificial
      Intelligence 19, 57-64.
    - Böhning, D. (1992). Multinomial logistic regression algorithm. Annals of the Institute of Statistical Mathematics
      44(1), 197-200. doi:10.1007/BF00048682
    """

    card = Card(
        "mixture of experts",
        "several regressions, and a gate that says which holds where",
        also=("bayesian mixture of experts", "experts"),
        settings={"n_experts": 3, "random_state": 0},
        most_columns=200,
        learns=(
            "linear experts and a gate",
            "variational bound of the marginal likelihood",
            "variational steps",
            "local",
        ),
    )
    accepts = {
        "n_experts": Count(1),
        "gate": Choice("softmax", "gaussian"),
        "concentration": Range(0, open="both"),
        "max_iter": Count(1),
        "tol": Range(0),
        "n_init": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "coef_": FloatArray("k", "p", finite=True),
        "intercept_": FloatArray("k", finite=True),
        "noise_sd_": FloatArray("k", low=0),
        "weights_": FloatArray("k", low=0),
        "experts_": Object(Experts, K="k", p="p + 1"),
        "gate_": Object(SoftmaxGate, GaussianGate, K="k", p="p + 1"),
        "lower_bound_": Scalar(),
        "lower_bounds_": Each(Scalar()),
        "converged_": Boolean(),
        "_center": FloatArray("p + 1", finite=True),
        "_unit": FloatArray("p + 1", low=0, finite=True),
    }

    def __init__(
        self,
        n_experts: int = 2,
        *,
        gate: str = "softmax",
        concentration: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-4,
        n_init: int = 3,
        random_state: RandomState = None,
    ):
        self.n_experts = n_experts
        self.gate = gate
        self.concentration = concentration
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    # ------------------------------------------------------------------ learning

    def _learn_from(self, source: Source) -> None:
        n = source.count()
        if n < 2:
            raise DataError(
                f"a mixture needs at least two rows, got n_samples = {n}.", who=type(self).__name__
            )
        self._measure(source)
        draw = random_state_of(self.random_state)
        rows = self._standard_block(start_rows(source, n, draw))
        best: Any = None
        for start in range(self.n_init if self.n_experts > 1 else 1):
            run = self._climb(source, self._start(rows, start, draw))
            if best is None or run[2][-1] > best[2][-1]:
                best = run
        self.experts_, self.gate_, self.lower_bounds_, self.converged_, counts = best
        self.lower_bound_, self.n_iter_ = self.lower_bounds_[-1], len(self.lower_bounds_)
        self.history_ = [{"iteration": i, "lower_bound": b} for i, b in enumerate(self.lower_bounds_, 1)]
        self.weights_ = counts / counts.sum()
        self.intercept_, self.coef_ = self._in_units(self.experts_.coef)
        self.noise_sd_ = np.sqrt(self.experts_.b / self.experts_.a) * self._unit[-1]
        if not self.converged_:
            warn_user(
                f"{type(self).__name__} stopped after {self.max_iter} iterations while the bound still rose. Raise "
                "max_iter or tol.",
                ConvergenceWarning,
            )

    def _measure(self, source: Source) -> None:
        """Means and deviations of the columns and of y, in which all is computed."""

        def joined(block: Block) -> Block:
            if np.ndim(block.y) != 1:
                raise DataError(
                    "one target, a number for each row, is expected; fit one model for each target.",
                    who=type(self).__name__,
                )
            return Block(np.column_stack([block.X, block.y]), None, block.w)

        with np.errstate(over="ignore", invalid="ignore"):
            sums = row_moments(source, joined)
        spread = np.sqrt(np.diagonal(sums.scatter[0]) / sums.count.sum())
        if not np.isfinite(spread[-1]):  # columns were looked at before
            raise DataError(
                "y has values so large that sums of their squares are no finite numbers. Choose another unit.",
                who=type(self).__name__,
            )
        self._center, self._unit = sums.mean[0], np.where(spread > 0, spread, 1.0)

    def _features(self, X: Any) -> np.ndarray:
        standard = (np.asarray(X, dtype=np.float64) - self._center[:-1]) / self._unit[:-1]
        return np.column_stack([np.ones(len(standard)), standard])

    def _standard_block(self, block: Block) -> Block:
        y = (np.asarray(block.y, dtype=np.float64) - self._center[-1]) / self._unit[-1]
        return Block(self._features(block.X), y, np.ones(len(y)) if block.w is None else block.w)

    def _empty_gate(self, p: int) -> Any:
        if self.gate == "softmax":
            return SoftmaxGate.start(self.n_experts, p, WEAK)
        return GaussianGate.start(self.n_experts, p, float(self.concentration))

    def _start(self, rows: Block, start: int, draw: np.random.RandomState) -> tuple[Experts, Any]:
        """Experts and gate after a first step from hard labels: of k-means, or of random lines made better by turns."""
        F, y, w = rows
        K, (n, p) = self.n_experts, F.shape
        experts, gate = Experts.start(K, p), self._empty_gate(p)
        if start == 0 and n >= K:
            labels = k_means(np.column_stack([F[:, 1:], y]), w, K, None)[1]
        else:
            labels = draw.randint(K, size=n)
        for turn in range(1 if start == 0 else WARM_UP):
            if turn:
                labels = np.argmax(experts.log_densities(F, y), axis=1)
            h = np.eye(K)[labels] * w[:, None]
            sums = _sums_of(F, y, h, 0.0, gate.sums(F, h, w))
            experts = experts.updated(sums.G, sums.r, sums.q)[0]
        for _ in range(GATE_STEPS):
            gate = gate.updated(gate.sums(F, h, w))[0]
        return experts, gate

    def _climb(self, source: Source, state: tuple[Experts, Any]) -> tuple[Any, ...]:
        bounds: list[float] = []
        experts, gate = state
        counts = np.ones(1)
        for _ in range(self.max_iter):
            sums = source.add_up(partial(self._block_sums, experts, gate))
            experts, of_experts = experts.updated(sums.G, sums.r, sums.q)
            gate, of_gate = gate.updated(sums.gate)
            bounds.append(sums.entropy + of_experts + of_gate)
            counts = sums.G[:, 0, 0]
            if len(bounds) > 1 and bounds[-1] - bounds[-2] < self.tol * counts.sum():
                return experts, gate, bounds, True, counts
        return experts, gate, bounds, False, counts

    def _block_sums(self, experts: Experts, gate: Any, block: Block) -> _Sums:
        F, y, w = self._standard_block(block)
        h = softmax(gate.log_terms(F) + experts.log_densities(F, y))
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -float(np.sum(w[:, None] * np.where(h > 0, h * np.log(h), 0.0)))
        h *= w[:, None]
        return _sums_of(F, y, h, entropy, gate.sums(F, h, w))

    def _in_units(self, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Intercepts (K,) and slopes (K, p) in the units of the table."""
        slopes = coef[:, 1:] * self._unit[-1] / self._unit[:-1]
        return self._center[-1] + coef[:, 0] * self._unit[-1] - slopes @ self._center[:-1], slopes

    # ------------------------------------------------------------------ answers

    def predict_experts(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability with which each expert speaks."""
        return self.gate_.probabilities(self._features(self._admit(X)))

    def _predict(self, X: Any) -> np.ndarray:
        answers = self.intercept_ + X @ self.coef_.T
        return np.sum(self.gate_.probabilities(self._features(X)) * answers, axis=1)

    def _distribution(self, X: Any) -> Mixture:
        F = self._features(X)
        experts, unit = self.experts_, self._unit[-1]
        shares = self.gate_.probabilities(F)
        speaking = np.flatnonzero(shares.max(axis=0) > SILENT)
        parts = []
        for k in speaking:
            spread = np.einsum("ij,ij->i", F @ experts.covariances[k], F)
            scale = np.sqrt(experts.b[k] / experts.a[k] * (1 + np.maximum(spread, 0.0))) * unit
            location = self._center[-1] + F @ experts.coef[k] * unit
            parts.append(Student(location, scale, np.full(len(F), 2 * experts.a[k])))
        return Mixture(parts, shares[:, speaking])

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        shares = self.gate_.probabilities(self._features(X))
        answers = self.intercept_ + X @ self.coef_.T
        names = self._names

        def sections(i: int) -> list[Section]:
            order = np.argsort(-shares[i], kind="stable")
            lines = [
                [int(k), float(shares[i, k]), float(answers[i, k]), float(self.noise_sd_[k])] for k in order
            ]
            k = int(order[0])
            terms = [["(intercept)", None, float(self.intercept_[k]), float(self.intercept_[k])]]
            terms += [
                [names[j], float(X[i, j]), float(self.coef_[k, j]), float(X[i, j] * self.coef_[k, j])]
                for j in np.argsort(-np.abs(X[i] * self.coef_[k]), kind="stable")
            ]
            return [
                Section("Experts", ["expert", "probability", "answer", "noise"], lines),
                Section(f"Expert {k}", ["column", "value", "weight", "adds"], terms),
            ]

        def contributions(some: np.ndarray) -> Contributions:
            slopes = shares[some] @ self.coef_
            base = (shares[some] @ self.intercept_)[:, None]
            chosen = np.zeros(len(some), dtype=np.int64)
            return self._contributions((slopes * X[some])[:, :, None], base, ["the answer"], chosen)

        return Reasons(sections, contributions)

    def _model_parts(self) -> list[Part]:
        heads = [f"expert {k}" for k in range(len(self.weights_))]
        rows: list[list[Any]] = [
            ["(share of rows)", *self.weights_.tolist()],
            ["(noise)", *self.noise_sd_.tolist()],
            ["(intercept)", *self.intercept_.tolist()],
        ]
        rows += [[name, *column] for name, column in zip(self._names, self.coef_.T.tolist())]
        return [Section("Experts", ["column", *heads], rows)]


def _sums_of(F: np.ndarray, y: np.ndarray, h: np.ndarray, entropy: float, gate: list[np.ndarray]) -> _Sums:
    """The sums of a block with weighted responsibilities h (n, K)."""
    G = np.array([(F * share[:, None]).T @ F for share in h.T])
    return _Sums(G, (h * y[:, None]).T @ F, (y * y) @ h, entropy, gate)
