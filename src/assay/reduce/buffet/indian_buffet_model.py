"""Binary features of rows, as many as the data ask for: X = Z A + noise with an Indian buffet prior."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln
from sklearn.utils.validation import check_is_fitted

from assay.core import Card, Transformer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, IntArray, Integer, Object, Scalar
from assay.errors import DataError
from assay.reduce.buffet import _binary_features
from assay.reduce.buffet.indian_buffet_process import IndianBuffetProcess, harmonic
from assay.reduce.buffet.linear_gaussian import feature_posterior, log_likelihood
from assay.stats.bayesian.draws import Draws
from assay.types import RandomState, TableLike, Target

__all__ = ["FeatureSampler", "IndianBuffetModel"]

SPARE_SLOTS = 48  # for features to come
TRANSFORM_SWEEPS = 250  # for rows of more features than all combinations are gone through of
ALPHA_PRIOR = (1.0, 1.0)  # shape and rate of the gamma prior of alpha
VARIANCE_SHAPE = 1.0  # of the inverse gamma priors of variances
COLUMNS_SHOWN = 6
COLUMNS_EXPLAINED = 12
FEATURES_EXPLAINED = 10
LARGEST_SQUARES = 1e300  # of a row that is answered, in units of the noise
ANNEALED_SHARE = 0.25  # of the sweeps, in which the noise is at least as large as a limit that falls
LAST_LIMIT = 0.05  # where the limit ends, in units of the root mean square of X
PAIRS_A_FEATURE = 2  # pairs of features that a sweep tries to toggle, for each feature


class IndianBuffetModel(Transformer):
    r"""Explain each row as a sum of binary features, and find how many features there are.

    .. math:: X = ZA + \epsilon, \qquad Z \sim \mathrm{IBP}(\alpha),\;
              A_{kj} \sim N(0, \sigma_A^2),\; \epsilon_{ij} \sim N(0, \sigma_x^2). \quad (1)

    Unlike a mixture, a row may have several features at once, each with its own values A; unlike principal components,
    a feature is there or not. Z is sampled by Gibbs sweeps with A integrated out: row i takes a feature that
    :math:`m_k` other rows have with probability proportional to :math:`m_k\,p(x_i \mid z_i, X_{-i})` against
    :math:`(N - m_k)\,p(x_i \mid \cdot)`, and then new features of its own, Poisson(:math:`\alpha / N`) times the
    likelihood, at most 16 at a time. A row's likelihood given all others is Gaussian, and removing or adding the row
    changes it by one outer product, which makes exact sampling as cheap as approximate. Metropolis moves that toggle a
    feature in all rows that have another one join in, and the first quarter of the sweeps anneals the noise. alpha has
    a gamma prior of shape and rate 1, the variances inverse gamma priors of shape 1 and the mean square of X as scale.
    The features kept are those of the sweep of highest p(X, Z) in the second half. Chains may end in different
    explanations, sums and differences of the true features, so run several and compare ``draws_``.

    Centre X first if features are to explain deviations from the mean; the columns should have one unit.

    Cost: fit O(N (K^2 + K D)) a sweep; transform O(2^K (K + D)) a row up to 10 features, else 250 sweeps of
    O(K (K + D)); memory O(N K + K^2 + K D).

    Parameters
    ----------
    alpha : float, default None
        Concentration; None samples it.
    noise : float, default None
        sigma_x, a standard deviation; None samples it.
    feature_scale : float, default None
        sigma_A; None samples it.
    n_sweeps : int, default 500
    n_chains : int, default 1
        The chain with the highest p(X, Z) is kept.
    n_jobs : int, default None
        Most threads; one for each chain.
    random_state : int, RandomState, Generator or None, default None

    Attributes
    ----------
    n_components_ : int, K      features_ : (n, K) Z of the training rows
    components_ : (K, d) E[A]      frequencies_ : (K,) share of the training rows that have each feature
    alpha_, noise_, feature_scale_ : float
    draws_ : Draws of the number of features, log p(X, Z), alpha and the scales; second half of each chain
    history_ : list of dict, one for each sweep

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import IndianBuffetModel
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.random((100, 3)) < 0.3
    >>> A = np.array([[3.0, 0, 0, 3, 0, 0], [0, 3, 0, 0, 3, 0], [0, 0, 3, 0, 0, 3]])
    >>> model = IndianBuffetModel(n_sweeps=100, n_chains=2, random_state=0)
    >>> model.fit(Z @ A + rng.normal(0, 0.5, (100, 6))).n_components_
    3
    >>> float(model.transform([[3.0, 3.0, 0, 3.0, 3.0, 0]]).round(2).sum())  # two features are there, one is not
    2.0

    See Also
    --------
    IndianBuffetProcess, PCA, LatentDirichletAllocation

    References
    ----------
    - Griffiths, T. L. and Ghahramani, Z. (2011). The Indian buffet process: an introduction and review. Journal of
      Machine Learning Research 12, 1185-1224.
    - Doshi-Velez, F. and Ghahramani, Z. (2009). Accelerated sampling for the Indian buffet process. Proceedings of the
      26th International Conference on Machine Learning, 273-280. doi:10.1145/1553374.1553409
    """

    card = Card("indian buffet", "binary features of rows, as many as the data ask for", also=("ibp",))
    accepts = {
        "alpha": Range(0, open="low") | None,
        "noise": Range(0, open="low") | None,
        "feature_scale": Range(0, open="low") | None,
        "n_sweeps": Count(1),
        "n_chains": Count(1),
        "n_jobs": Count(-(2**31)) | None,
        "random_state": Seed(),
    }
    stored = {
        "n_components_": Integer("k"),
        "features_": IntArray("n", "k", low=0, high=1),
        "components_": FloatArray("k", "p", finite=True),
        "frequencies_": FloatArray("k", low=0, high=1),
        "inverse_": FloatArray("k", "k", finite=True),
        "alpha_": Scalar(low=0),
        "noise_": Scalar(low=0),
        "feature_scale_": Scalar(low=0),
        "draws_": Object(Draws),
    }

    def __init__(
        self,
        alpha: float | None = None,
        *,
        noise: float | None = None,
        feature_scale: float | None = None,
        n_sweeps: int = 500,
        n_chains: int = 1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.alpha = alpha
        self.noise = noise
        self.feature_scale = feature_scale
        self.n_sweeps = n_sweeps
        self.n_chains = n_chains
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Learn the features of the rows of X; y is ignored."""
        return super().fit(X)

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        X = np.ascontiguousarray(X, dtype=np.float64)
        who = type(self).__name__
        with np.errstate(over="ignore"):  # refused in the next line
            spread = float(np.mean(X**2))
        if not 0 < spread < np.inf:
            raise DataError(
                "all values are 0, or too large to be squared: there is no scale to learn.", who=who
            )
        generators = as_generator(self.random_state, who).spawn(self.n_chains)
        scales = (self.alpha, self.noise, self.feature_scale)
        samplers = [FeatureSampler(X, *scales, variance_scale=spread, random_state=g) for g in generators]
        with progress(self.n_sweeps * self.n_chains, f"{who}: sampling") as bar:
            in_threads(lambda sampler: sampler.run(self.n_sweeps, bar.advance), samplers, self.n_jobs)
        sampler = max(samplers, key=lambda s: s.best["log_joint"])
        names = ("n_features", "log_joint", "alpha", "noise", "feature_scale")
        half = self.n_sweeps // 2
        self.draws_ = Draws({name: [[r[name] for r in s.records[half:]] for s in samplers] for name in names})
        best, self.history_, self.n_iter_ = sampler.best, sampler.records, self.n_sweeps
        order = np.argsort(-best["Z"].sum(axis=0, dtype=np.int64), kind="stable")
        self.features_ = best["Z"][:, order].astype(np.int8)
        self.alpha_, self.noise_, self.feature_scale_ = best["alpha"], best["noise"], best["feature_scale"]
        Z = self.features_.astype(np.float64)
        self.inverse_, self.components_ = feature_posterior(X, Z, self.noise_, self.feature_scale_)
        self.n_components_, self.frequencies_ = len(self.components_), Z.mean(axis=0)

    def _transform(self, X: Any) -> np.ndarray:
        """(n, K) P(z = 1 | x) by the features that the training rows have."""
        rows, n = np.ascontiguousarray(X, dtype=np.float64), len(self.features_)
        with np.errstate(over="ignore"):  # refused in the next lines
            large = np.flatnonzero(~(((rows / self.noise_) ** 2).sum(axis=1) < LARGEST_SQUARES))
        if len(large):
            raise DataError(
                f"row {large[0] + 1} has values too large to be squared in units of the noise, {self.noise_:.3g}. "
                "Give rows as those of fit.",
                who=type(self).__name__,
            )
        counts = self.features_.sum(axis=0, dtype=np.float64)
        out = np.zeros((len(rows), self.n_components_))
        _binary_features.responsibilities(
            X=rows,
            H=np.ascontiguousarray(self.inverse_),
            mu=np.ascontiguousarray(self.components_),
            odds=np.log(counts) - np.log(n + 1 - counts),
            noise=self.noise_**2,
            sweeps=TRANSFORM_SWEEPS,
            random=np.arange(1, 5, dtype=np.uint64),
            out=out,
        )
        return out

    def inverse_transform(self, Z: ArrayLike) -> np.ndarray:
        """(n, d) the rows that features (n, K), or their probabilities, add up to."""
        check_is_fitted(self)
        return np.asarray(Z, dtype=np.float64) @ self.components_

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Which features a row has, and how much of each of its values they account for."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        Z = self._transform(X)
        explained = Z @ self.components_
        present = [" + ".join(f"feature {k}" for k in np.flatnonzero(z > 0.5)) or "no feature" for z in Z]

        def sections(i: int) -> list[Section]:
            likely = np.argsort(-Z[i], kind="stable")[:FEATURES_EXPLAINED]
            features = [[int(k), float(Z[i, k]), float(self.frequencies_[k]), self._adds(k)] for k in likely]
            others = len(Z[i]) - len(likely)
            more = f"{others} more features are less probable." if others else ""
            large = np.argsort(-np.maximum(np.abs(X[i]), np.abs(explained[i])), kind="stable")
            values = [
                [self._names[j], float(X[i, j]), float(explained[i, j]), float(X[i, j] - explained[i, j])]
                for j in large[:COLUMNS_EXPLAINED]
            ]
            root = float(np.sqrt(np.mean((X[i] - explained[i]) ** 2)))
            note = f"Root mean square of what is left: {root:.3g}; the noise is {self.noise_:.3g}."
            return [
                Section(
                    "Features", ["feature", "probability", "share of rows", "adds most to"], features, more
                ),
                Section("What they account for", ["column", "value", "features", "left"], values, note),
            ]

        return Explanations(type(self).__name__, present, rows, Reasons(sections))

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(self.n_components_)]

    def _adds(self, k: int) -> str:
        """The columns to which a feature adds most, with what it adds."""
        values = self.components_[k]
        order = np.argsort(-np.abs(values), kind="stable")[:COLUMNS_SHOWN]
        return ", ".join(f"{self._names[j]} {values[j]:+.3g}" for j in order)

    def _model_parts(self) -> list[Part]:
        rows = [[k, float(share), self._adds(k)] for k, share in enumerate(self.frequencies_)]
        note = f"Noise {self.noise_:.3g}, scale of the features {self.feature_scale_:.3g}, alpha {self.alpha_:.3g}."
        return [Section("Binary features", ["feature", "share of rows", "adds most to"], rows, note)]

    def _check_stored(self) -> None:
        if "features_" in vars(self) and (self.features_.sum(axis=0, dtype=np.int64) < 1).any():
            raise ValueError("IndianBuffetModel.features_ has a feature that no row has")


class FeatureSampler:
    """The Gibbs sampler of binary features.

    Parameters
    ----------
    X : (N, D) C-ordered
    alpha, noise, feature_scale : float; None samples it
    variance_scale : float, scale of the inverse gamma priors of variances
    random_state : Generator
    """

    def __init__(
        self,
        X: np.ndarray,
        alpha: float | None,
        noise: float | None,
        feature_scale: float | None,
        *,
        variance_scale: float,
        random_state: np.random.Generator,
    ):
        self.X, self.random, self.prior_scale = X, random_state, variance_scale
        self.sampled = (alpha is None, noise is None, feature_scale is None)
        self.alpha = 1.0 if alpha is None else float(alpha)
        self.noise = float(np.sqrt(variance_scale / 4)) if noise is None else float(noise)
        self.feature_scale = float(np.sqrt(variance_scale)) if feature_scale is None else float(feature_scale)
        self.words = random_state.integers(1, 2**63, 4, dtype=np.uint64)
        self.Z = np.zeros((len(X), 0), dtype=np.uint8)
        self.records: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {"log_joint": -np.inf}

    def run(self, sweeps: int, advance: Any = None) -> None:
        """Sweep, keep a record of each sweep and the state of highest p(X, Z) of the second half.

        The first sweeps believe in more noise than there is, which keeps features from settling too early.
        """
        annealed, known = int(ANNEALED_SHARE * sweeps), self.noise
        for s in range(sweeps):
            if s < annealed:
                self.noise = max(self.noise, np.sqrt(self.prior_scale) * LAST_LIMIT ** (s / annealed))
            self.sweep()
            if not self.sampled[1]:
                self.noise = known
            record = {
                "sweep": s + 1,
                "n_features": self.Z.shape[1],
                "log_joint": self.log_joint(),
                "alpha": self.alpha,
                "noise": self.noise,
                "feature_scale": self.feature_scale,
            }
            self.records.append(record)
            if s >= sweeps // 2 and record["log_joint"] > self.best["log_joint"]:
                self.best = {**record, "Z": self.Z.copy()}
            if advance is not None:
                advance(1)

    def log_joint(self) -> float:
        """log p(X, Z), of the class of Z."""
        prior = IndianBuffetProcess(self.alpha).log_probability(self.Z)
        return prior + log_likelihood(self.X, self.Z, self.noise, self.feature_scale)

    def sweep(self) -> None:
        """Features of all rows given the others, then alpha and the variances."""
        row = 0
        while row < len(self.X):
            row = self._rows_from(row)
        self._toggle_pairs()
        K = self.Z.shape[1]
        if self.sampled[0]:
            shape, rate = ALPHA_PRIOR
            self.alpha = float(self.random.gamma(shape + K, 1 / (rate + harmonic(len(self.X)))))
        if self.sampled[1] or self.sampled[2]:
            A = self._values()
            if self.sampled[1]:
                self.noise = self._scale(self.X - self.Z @ A)
            if self.sampled[2]:
                self.feature_scale = self._scale(A)

    def _rows_from(self, row: int) -> int:
        """Draw rows until slots run short, from exact sums, so that rounding does not build up; gives the next row."""
        N, K = self.Z.shape
        H, mu = feature_posterior(self.X, self.Z.astype(np.float64), self.noise, self.feature_scale)
        slots = K + SPARE_SLOTS
        Z, m = np.zeros((N, slots), np.uint8), np.zeros(slots, np.int64)
        inverse, values = np.zeros((slots, slots)), np.zeros((slots, self.X.shape[1]))
        Z[:, :K], m[:K], inverse[:K, :K], values[:K] = self.Z, self.Z.sum(axis=0, dtype=np.int64), H, mu
        scales = _binary_features.Scales(
            noise=self.noise**2, ratio=(self.noise / self.feature_scale) ** 2, alpha=self.alpha
        )
        row, K = _binary_features.sweep(
            X=self.X, Z=Z, m=m, H=inverse, mu=values, K=K, scales=scales, random=self.words, first=row
        )
        self.Z = np.ascontiguousarray(Z[:, :K])
        return row

    def _toggle_pairs(self) -> None:
        """Metropolis moves that rows cannot make one by one: toggle feature k in all rows that have feature j.

        The sum of two features and one of them explain the same rows as both of them do. A move undoes itself and pairs
        are drawn alike, so it is accepted by the ratio of p(X, Z) of matrices with ordered columns.
        """
        K = self.Z.shape[1]
        if K < 2:
            return
        value = self._log_ordered(self.Z)
        for _ in range(PAIRS_A_FEATURE * K):
            j, k = self.random.choice(K, 2, replace=False)
            toggled = self.Z.copy()
            toggled[:, k] ^= toggled[:, j]
            if not toggled[:, k].any():
                continue
            proposed = self._log_ordered(toggled)
            if np.log(self.random.random()) < proposed - value:
                self.Z, value = toggled, proposed

    def _log_ordered(self, Z: np.ndarray) -> float:
        """log p(X, Z) of a matrix with ordered columns, up to what the number of columns says alone."""
        m, N = Z.sum(axis=0, dtype=np.float64), len(Z)
        prior = float((gammaln(N - m + 1) + gammaln(m)).sum())
        return prior + log_likelihood(self.X, Z, self.noise, self.feature_scale)

    def _values(self) -> np.ndarray:
        """(K, D) a draw of A given X and Z."""
        H, mean = feature_posterior(self.X, self.Z.astype(np.float64), self.noise, self.feature_scale)
        if not len(mean):
            return mean
        return mean + self.noise * np.linalg.cholesky(H) @ self.random.standard_normal(mean.shape)

    def _scale(self, values: np.ndarray) -> float:
        """A draw of a standard deviation given values of mean 0."""
        rate = self.prior_scale + (values**2).sum() / 2
        return float(np.sqrt(rate / self.random.gamma(VARIANCE_SHAPE + values.size / 2)))
