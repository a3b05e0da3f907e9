"""Dirichlet process mixture: groups without a number beforehand, by collapsed Gibbs sampling or in one pass."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin

import assay.mixture._seating as _seating
from assay.core import Card
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned, in_threads
from assay.core.parameters import Any_, Array, Choice, Count, Range, Seed
from assay.core.scores import softmax, winner
from assay.core.seeds import drawn_seed
from assay.core.stored import CodeArray, Each, IntArray, Integer, Object, Scalar
from assay.core.sums import Block
from assay.distances.squared_rows import refuse_huge
from assay.errors import ParameterError
from assay.mixture.chinese_restaurant import ChineseRestaurant
from assay.mixture.column_ranges import ColumnRanges
from assay.mixture.partitions import partition_estimate, posterior_similarity, tidy_labels
from assay.mixture.prior import MixturePrior
from assay.mixture.seating import Base, Tables
from assay.stats.bayesian.draws import Draws
from assay.types import RandomState, TableLike, Target

__all__ = ["DirichletProcessMixture"]

PARTITIONS_KEPT = 100  # draws of who sits with whom, evenly from all chains
DENSITIES_KEPT = 20  # of these, whose densities are averaged
LEAST_ALPHA, MOST_ALPHA = 1e-6, 1e6  # between which empirical Bayes looks for it


class DirichletProcessMixture(DensityMixin, Learner):
    r"""Find groups of rows, and how many there are, by who could have been drawn together.

    Rows sit at the tables of a Chinese restaurant. The means and variances of the groups are integrated out, so that a
    row's table depends on the other rows alone:

    .. math:: P(z_i = k) \propto n_k\, p(x_i \mid X_k), \qquad P(z_i \text{ new}) \propto \alpha\, p(x_i) \quad (1)

    where :math:`p(x|X_k)` is the predictive density of the group's posterior: a multivariate t
    (normal-inverse-Wishart), a t a column (normal-gamma), or a Gaussian (known variance). A far row opens a group of
    its own.

    ``method="gibbs"`` draws from the posterior: each sweep takes every row from its table and seats it again by (1),
    then proposes to split or to merge whole tables (Metropolis steps that keep the posterior as it is), so that chains
    do not stay where they started. The draws of the number of groups and of :math:`\alpha` are in ``draws_``;
    ``labels_`` is the drawn partition nearest to all. ``"sequential"`` seats each row once, by a draw, and ``"greedy"``
    at the most probable table: fast, depends on the order of the rows, and no posterior.

    Cost: fit O(n K d^2) a sweep, in one native loop of rank-one updates (normal-gamma and known variance: O(n K d)),
    chains on threads; score O(K d^2) a row and kept density; memory O(K d^2) beside X and the partitions kept.

    Parameters
    ----------
    component : NormalInverseWishart, NormalGamma or NormalMean of ``assay.stats``, or a list of the last two, default
    None
        What is believed of each group beforehand; one for all columns, or a list with one for each. None is a
        normal-inverse-Wishart made of the rows: their mean worth 0.01 rows, d + 2 degrees of freedom, and a fourth of
        their variances, so that groups may be smaller than the whole.
    alpha : float above 0, "gamma" or "empirical", default "gamma"
        The concentration: the larger, the more groups. "gamma" draws it under a gamma prior; "empirical" sets it,
        during burn-in, to the value under which the number of groups found is expected.
    alpha_prior : (shape, rate), default (1, 1)
        Of the gamma prior.
    method : "gibbs", "sequential" or "greedy", default "gibbs"
    n_sweeps : int, default 200
        Draws of each chain that are kept.
    burn_in : int, default 100
        Sweeps before.
    split_merge : int, default 3
        Splits or merges that are proposed after each sweep.
    n_chains : int, default 2
        The first starts from a sequential pass, the others from one table.
    random_state : int, Generator, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,) the group of each training row, numbered from the largest down
    tables_ : Tables, what is believed of each group            alpha_ : float, the mean draw, or as given
    draws_ : Draws of "groups", "alpha" and "log_posterior" (up to a constant), (chains, sweeps) each
    label_draws_ : (S, n) partitions, evenly from all chains
    densities_ : list of Tables, of some of these partitions    acceptance_ : float, share of splits and merges accepted
    n_components_ : int, groups in ``labels_``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.mixture import DirichletProcessMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(8, 1, (30, 2))])
    >>> model = DirichletProcessMixture(n_sweeps=50, burn_in=50, random_state=0).fit(X)
    >>> model.n_components_, np.bincount(model.labels_).tolist()
    (2, [40, 30])
    >>> model.predict([[0.0, 1.0], [8.0, 9.0]]).tolist()
    [0, 1]

    See Also
    --------
    BayesianGaussianMixture, ChineseRestaurant, posterior_similarity, partition_estimate

    References
    ----------
    - Neal, R. M. (2000). Markov chain sampling methods for Dirichlet process mixture models. Journal of Computational
      and Graphical Statistics 9(2), 249-265. doi:10.1080/10618600.2000.10474879
    - Dahl, D. B. (2005). Sequentially-allocated merge-split sampler for conjugate and nonconjugate Dirichlet process
      mixture models. Technical report, University of Wisconsin - Madison.
    - Escobar, M. D. and West, M. (1995). Bayesian density estimation and inference using mixtures. Journal of the
      American Statistical Association 90(430), 577-588. doi:10.1080/01621459.1995.10476550
    """

    card = Card(
        "dirichlet process mixture",
        "groups of a number that is learned, by Gibbs sampling",
        also=("dp mixture",),
        settings={"random_state": 0},
    )
    accepts = {
        "component": Any_("a conjugate prior of assay.stats, or a list of them") | None,
        "alpha": Range(0, open="low") | Choice("gamma", "empirical"),
        "alpha_prior": Array(1, low=0),
        "method": Choice("gibbs", "sequential", "greedy"),
        "n_sweeps": Count(1),
        "burn_in": Count(0),
        "split_merge": Count(0),
        "n_chains": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "labels_": CodeArray("n", below="c"),
        "n_components_": Integer("c"),
        "tables_": Object(Tables, d="p", t="c"),
        "alpha_": Scalar(low=0),
        "draws_": Object(Draws),
        "label_draws_": IntArray("*", "n", low=0),
        "densities_": Each(Object(Tables, d="p")),
        "acceptance_": Scalar(low=0, high=1),
    }

    def __init__(
        self,
        component: Any = None,
        *,
        alpha: float | str = "gamma",
        alpha_prior: tuple[float, float] = (1.0, 1.0),
        method: str = "gibbs",
        n_sweeps: int = 200,
        burn_in: int = 100,
        split_merge: int = 3,
        n_chains: int = 2,
        random_state: RandomState = None,
    ):
        self.component = component
        self.alpha = alpha
        self.alpha_prior = alpha_prior
        self.method = method
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.split_merge = split_merge
        self.n_chains = n_chains
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:
        """Find the groups among the rows of X; y is ignored."""
        self._check_parameters()
        values = np.ascontiguousarray(self._admit(X, fitting=True), dtype=np.float64)
        self._learn(values)
        return self

    def fit_predict(self, X: TableLike, y: Target | None = None) -> np.ndarray:
        """(n,) the group of each row, after finding the groups among these rows."""
        return self.fit(X).labels_

    # ------------------------------------------------------------------ learning

    def _learn(self, X: np.ndarray) -> None:
        who = type(self).__name__
        shape, rate = _gamma_of(self.alpha_prior, who)
        base = Base.of(self._component(X), X.shape[1], who)
        seed = drawn_seed(self.random_state, who)
        if self.method == "gibbs":
            settings = _Settings(base, self.alpha, shape, rate, self.burn_in, self.n_sweeps, self.split_merge)
            chains = in_threads(
                lambda c: _chain(X, settings, np.random.default_rng([seed, c]), together=c > 0),
                range(self.n_chains),
            )
        else:
            rng = np.random.default_rng([seed, 0])
            alpha = shape / rate if isinstance(self.alpha, str) else float(self.alpha)
            labels = _one_pass(X, base, alpha, rng, drawn=self.method == "sequential")
            chains = [_Chain(labels[None].astype(np.int32), np.array([alpha]), np.zeros(1), 0.0)]
            if self.alpha == "empirical":
                chains[0].alpha[:] = _empirical_alpha(labels.max() + 1, len(X))
        self._summarise(X, base, chains)

    def _component(self, X: np.ndarray) -> Any:
        if self.component is not None:
            return self.component
        ColumnRanges.of_block(Block(X, None, None)).refuse_without_squares(self._names, type(self).__name__)
        d, mean = X.shape[1], X.mean(axis=0)
        rows = X - mean
        spread = rows.T @ rows / len(X)
        return MixturePrior().filled(mean, spread, 2**d).component  # K^(2/d) is 4

    def _summarise(self, X: np.ndarray, base: Base, chains: list[_Chain]) -> None:
        every = np.concatenate([chain.labels for chain in chains])
        kept = np.unique(np.linspace(0, len(every) - 1, min(PARTITIONS_KEPT, len(every))).astype(int))
        self.label_draws_ = every[kept]
        self.labels_ = tidy_labels(partition_estimate(self.label_draws_))
        self.n_components_ = int(self.labels_.max()) + 1
        self.tables_ = Tables.of(base, X, self.labels_)
        some = np.unique(np.linspace(0, len(kept) - 1, min(DENSITIES_KEPT, len(kept))).astype(int))
        self.densities_ = [Tables.of(base, X, tidy_labels(self.label_draws_[s])) for s in some]
        self.draws_ = Draws(
            {
                "groups": np.array([chain.labels.max(axis=1) + 1 for chain in chains]),
                "alpha": np.array([chain.alpha for chain in chains]),
                "log_posterior": np.array([chain.log_posterior for chain in chains]),
            }
        )
        self.alpha_ = float(self.draws_["alpha"].mean())
        self.acceptance_ = float(np.mean([chain.acceptance for chain in chains]))

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the most probable of the groups of ``labels_``."""
        return winner(self._joint(self._admit(X)))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each group of ``labels_``, if a row belongs to one of them."""
        return softmax(self._joint(self._admit(X)))

    def _joint(self, X: np.ndarray) -> np.ndarray:
        joint = np.ascontiguousarray(self.tables_.log_joint(_numbers(X), self.alpha_)[:, :-1])
        if not np.isfinite(joint.max(axis=1)).all():
            refuse_huge(X, type(self).__name__, self._names)
        return joint

    def new_group_proba(self, X: TableLike) -> np.ndarray:
        """(n,) the probability (1) that a row belongs to none of the groups of ``labels_``."""
        return softmax(self.tables_.log_joint(_numbers(self._admit(X)), self.alpha_))[:, -1]

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the log predictive density of each row, averaged over drawn partitions, new groups included."""
        values = _numbers(self._admit(X))
        logs = [logsumexp(tables.log_joint(values, self.alpha_), axis=1) for tables in self.densities_]
        return logsumexp(logs, axis=0) - np.log(len(logs))

    def score(self, X: TableLike, y: Target | None = None) -> float:
        """The mean of the log predictive densities of the rows."""
        return float(np.mean(self.score_samples(X)))

    def similarity(self) -> np.ndarray:
        """(n, n) the share of the kept partitions in which two training rows are together."""
        self._ready()
        return posterior_similarity(self.label_draws_)

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its group: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        X = _numbers(X)
        densities = self.tables_.log_densities(X)
        joint = self.tables_.log_joint(X, self.alpha_)
        shares = softmax(joint.copy())
        groups = [*range(self.n_components_), "new"]
        sizes = [*self.tables_.counts.tolist(), 0]

        def sections(i: int) -> list[Section]:
            lines = [
                [groups[k], sizes[k], float(densities[i, k]), float(shares[i, k])]
                for k in np.argsort(-joint[i], kind="stable")
            ]
            note = f"Probability: rows in the group (a new one: alpha = {self.alpha_:.4g}) times the density there."
            return [Section("Groups", ["group", "rows", "log density", "probability"], lines, note)]

        answers = winner(np.ascontiguousarray(joint[:, :-1])).tolist()
        return Explanations(type(self).__name__, answers, rows, Reasons(sections), groups, shares)

    def _model_parts(self) -> list[Part]:
        names = self._names
        numbers, counts = np.unique(self.draws_.flat("groups"), return_counts=True)
        shares = [[int(k), float(c / counts.sum())] for k, c in zip(numbers, counts)]
        means = [
            [k, int(self.tables_.counts[k]), names[j], float(self.tables_.means[k, j])]
            for k in range(self.n_components_)
            for j in range(len(names))
        ]
        return [
            Section("Number of groups", ["groups", "share of the draws"], shares, f"alpha {self.alpha_:.4g}"),
            Section("Means of the groups", ["group", "rows", "column", "mean"], means),
        ]


class _Settings:
    def __init__(
        self, base: Base, alpha: Any, shape: float, rate: float, burn_in: int, sweeps: int, proposals: int
    ):
        self.base, self.alpha, self.shape, self.rate = base, alpha, shape, rate
        self.burn_in, self.sweeps, self.proposals = burn_in, sweeps, proposals


class _Chain:
    """What one chain drew: partitions (S, n), alpha and log posterior (S,), share of proposals accepted."""

    def __init__(self, labels: np.ndarray, alpha: np.ndarray, log_posterior: np.ndarray, acceptance: float):
        self.labels, self.alpha, self.log_posterior, self.acceptance = (
            labels,
            alpha,
            log_posterior,
            acceptance,
        )


def _chain(X: np.ndarray, settings: _Settings, rng: np.random.Generator, together: bool) -> _Chain:
    n, S = len(X), settings.sweeps
    prior = settings.base.native()
    fixed = not isinstance(settings.alpha, str)
    alpha = float(settings.alpha) if fixed else settings.shape / settings.rate
    labels = np.zeros(n, dtype=np.int64) if together else _one_pass(X, settings.base, alpha, rng, drawn=True)
    drawn, alphas, posterior = np.empty((S, n), dtype=np.int32), np.empty(S), np.empty(S)
    accepted, groups = 0, []
    for sweep in range(-settings.burn_in, S):
        end_if_abandoned()
        _seating.seat(X, labels, rng.permutation(n), rng.uniform(size=n), np.log(alpha), prior)
        labels = tidy_labels(labels)
        if settings.proposals and n > 1:
            accepted += _propose(X, labels, alpha, prior, settings.proposals, rng)
            labels = tidy_labels(labels)
        sizes = np.bincount(labels)
        if settings.alpha == "gamma":
            alpha = _drawn_alpha(alpha, len(sizes), n, settings, rng)
        elif settings.alpha == "empirical" and sweep < 0:
            groups.append(len(sizes))
            alpha = _empirical_alpha(float(np.mean(groups[-max(10, len(groups) // 2) :])), n)
        if sweep >= 0:
            drawn[sweep], alphas[sweep] = labels, alpha
            posterior[sweep] = _seating.log_marginal(X, labels, prior)
            posterior[sweep] += ChineseRestaurant(alpha).log_probability(sizes)
    proposals = max(1, settings.proposals * (settings.burn_in + S))
    return _Chain(drawn, alphas, posterior, accepted / proposals)


def _propose(X: Any, labels: Any, alpha: float, prior: Any, proposals: int, rng: np.random.Generator) -> int:
    n = len(X)
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(proposals)], dtype=np.int64)
    orders = np.array([rng.permutation(n) for _ in range(proposals)], dtype=np.int64)
    return _seating.split_merge(
        X=X,
        labels=labels,
        pairs=pairs,
        orders=orders,
        uniforms=rng.uniform(size=(proposals, n + 1)),
        log_alpha=float(np.log(alpha)),
        prior=prior,
    )


def _one_pass(X: np.ndarray, base: Base, alpha: float, rng: np.random.Generator, drawn: bool) -> np.ndarray:
    """Each row seated once, in the order of the table."""
    labels = np.full(len(X), -1, dtype=np.int64)
    uniforms = rng.uniform(size=len(X)) if drawn else np.empty(0)
    _seating.seat(X, labels, np.arange(len(X)), uniforms, float(np.log(alpha)), base.native())
    return tidy_labels(labels)


def _drawn_alpha(alpha: float, K: int, n: int, settings: _Settings, rng: np.random.Generator) -> float:
    """Alpha from its posterior under a gamma prior, given the number of groups (Escobar and West 1995)."""
    eta = rng.beta(alpha + 1, n)
    rate = settings.rate - np.log(eta)
    odds = (settings.shape + K - 1) / (n * rate)
    more = rng.uniform() * (1 + odds) < odds
    return max(float(rng.gamma(settings.shape + K - (0 if more else 1)) / rate), 1e-12)


def _empirical_alpha(groups: float, n: int) -> float:
    """The alpha of maximum likelihood, given the number of groups; at the ends, where there is none, the limits."""
    if not 1 < groups < n:
        return LEAST_ALPHA if groups <= 1 else MOST_ALPHA
    return float(np.clip(ChineseRestaurant.from_expected_tables(groups, n).alpha, LEAST_ALPHA, MOST_ALPHA))


def _gamma_of(prior: Any, who: str) -> tuple[float, float]:
    values = np.asarray(prior, dtype=np.float64)
    if values.shape != (2,) or not (np.isfinite(values) & (values > 0)).all():
        raise ParameterError(
            f"alpha_prior must be two numbers above 0, shape and rate, got {prior!r}.", who=who
        )
    return float(values[0]), float(values[1])


def _numbers(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)
