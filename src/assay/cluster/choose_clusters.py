"""How many groups there are: several rules side by side, and one sentence; "no structure" is a possible answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from assay.cluster.hierarchy import merge_tree
from assay.cluster.k_means import KMeans
from assay.cluster.quality import adjusted_rand_score, silhouette_samples
from assay.core.parameters import Count, Range, check
from assay.core.seeds import random_state_of
from assay.core.stored import Each, Mapped, Plain
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.tables.design import Design
from assay.types import Estimator, RandomState, TableLike

__all__ = ["ClusterChoice", "choose_clusters", "chord_elbow", "gap_statistic", "stability_of_clusters"]

RULES = ("elbow", "silhouette", "gap", "bic", "dendrogram", "stability")
MOST_ROWS_OF_A_TREE = 20_000
STRUCTURE = 0.25  # mean silhouette from which groups are more than arbitrary (Kaufman and Rousseeuw)
FEWEST_ROWS = 3  # of a group whose variance says something
STABLE = 0.6  # mean agreement of two samples from which groups are more than arbitrary


@dataclass(frozen=True)
class ClusterChoice:
    """The answer of :func:`choose_clusters`: ``n_clusters``, ``votes`` by rule, ``curves``, and a sentence."""

    n_clusters: int
    votes: dict[str, int]
    ks: list[int]
    curves: dict[str, list[float]]
    stability: dict[int, tuple[float, float, float]] = field(default_factory=dict)  # k: mean, low, high
    stored = {
        "n_clusters": Plain(),
        "votes": Mapped(Plain()),
        "ks": Each(Plain()),
        "curves": Mapped(Each(Plain())),
        "stability": Mapped(Plain()),
    }

    def __str__(self) -> str:
        voted = ", ".join(f"{rule} {k}" for rule, k in self.votes.items())
        if self.n_clusters == 1:
            return f"No structure: the rows look like one group ({voted})."
        agree = sum(k == self.n_clusters for k in self.votes.values())
        text = f"{self.n_clusters} groups, by {agree} of {len(self.votes)} rules ({voted})."
        if self.n_clusters in self.stability:
            mean, low, high = self.stability[self.n_clusters]
            text += f" Groups of two samples agree by {mean:.2f} ({low:.2f} to {high:.2f}; chance is 0)."
        return text

    def table(self) -> list[dict[str, Any]]:
        """One record for each number of groups that was tried."""
        return [
            {"clusters": k, **{name: values[i] for name, values in self.curves.items()}}
            for i, k in enumerate(self.ks)
        ]


def choose_clusters(
    X: TableLike,
    *,
    max_clusters: int = 10,
    rules: Sequence[str] = RULES,
    estimator: Estimator | None = None,
    n_references: int = 10,
    n_resamples: int = 20,
    random_state: RandomState = 0,
) -> ClusterChoice:
    r"""How many groups the rows fall into, by several rules; the number that most of them name.

    - elbow: the loss E(k) of k-means, both axes scaled to [0, 1]; the k farthest below the line between its ends.
    - silhouette: the largest mean silhouette; below 0.25 there is no structure.
    - gap: the smallest k with :math:`\mathrm{gap}(k) \ge \mathrm{gap}(k+1) - s_{k+1}` (Tibshirani and others 2001),
      where the gap is the log loss of rows drawn evenly over the box of the principal components, less that of the
      data.
    - bic: the lowest criterion of Bayes of mixtures of spherical Gaussians, each with its own variance and of three
      rows or more.
    - dendrogram: a cut inside the largest difference of the last heights of Ward's tree.
    - stability: the k whose groups, from two halves of the rows, agree most about the others (mean and 90 % interval of
      the adjusted Rand index); only numbers that half the rows can fall into.

    Nominal columns are expanded into indicators; columns should share a scale.

    Cost: that of some hundred fits of k-means; O(n^2 d) for silhouettes and the tree (of 20,000 rows at most).

    Parameters
    ----------
    X : table (n, d) without missing values
    max_clusters : int, default 10
    rules : some of "elbow", "silhouette", "gap", "bic", "dendrogram", "stability"
    estimator : clusterer with n_clusters, default KMeans
        Whose groups are judged by silhouette and stability.
    n_references, n_resamples : int
        Drawn tables of the gap rule; samples of the stability rule.
    random_state : int, RandomState or None, default 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import choose_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (60, 2)) for m in (0, 8, 16)])
    >>> choose_clusters(X, max_clusters=6).n_clusters
    3

    See Also
    --------
    gap_statistic, stability_of_clusters, silhouette_score, MergeTree

    References
    ----------
    - Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
      statistic. Journal of the Royal Statistical Society B 63(2), 411-423. doi:10.1111/1467-9868.00293
    - Kaufman, L. and Rousseeuw, P. J. (1990). Finding Groups in Data. Wiley. doi:10.1002/9780470316801
    """
    who = "choose_clusters"
    for rule in rules:
        if rule not in RULES:
            raise ParameterError(
                f"rules must be some of {', '.join(map(repr, RULES))}, got {rule!r}.", who=who
            )
    check(
        who,
        {"max_clusters": Count(2), "n_references": Count(1), "n_resamples": Count(1)},
        {"max_clusters": max_clusters, "n_references": n_references, "n_resamples": n_resamples},
    )
    rows = _numbers(X, who)
    if len(rows) < 3:
        raise DataError("how many groups there are takes at least 3 rows to say", who=who, got=len(rows))
    different = len(np.unique(rows, axis=0))
    if different == 1:
        return ClusterChoice(1, {"all rows are equal": 1}, [1], {"loss": [0.0]})
    most = min(max_clusters, len(rows) - 1, different)
    draw = random_state_of(random_state)
    with warnings.catch_warnings():  # samples may have fewer distinct rows than groups
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _choice(rows, list(range(1, most + 1)), rules, estimator, n_references, n_resamples, draw)


def _choice(
    rows: np.ndarray,
    ks: list[int],
    rules: Sequence[str],
    estimator: Estimator | None,
    n_references: int,
    n_resamples: int,
    draw: np.random.RandomState,
) -> ClusterChoice:
    """What each rule says of the numbers of groups, and which of them most rules name."""
    most, seed = ks[-1], int(draw.randint(2**31 - 1))
    runs = {k: KMeans(k, n_init=5, random_state=seed).fit(rows) for k in ks}
    model = KMeans(n_init=5, random_state=seed) if estimator is None else estimator
    votes: dict[str, int] = {}
    losses = [float(runs[k].inertia_) for k in ks]
    curves: dict[str, list[float]] = {"loss": losses}
    stability: dict[int, tuple[float, float, float]] = {}
    if "elbow" in rules:
        votes["elbow"] = ks[chord_elbow(ks, losses)]
    if "silhouette" in rules:
        scores = [float("nan")]
        for k in ks[1:]:
            labels = (
                runs[k].labels_
                if estimator is None
                else clone(model).set_params(n_clusters=k).fit(rows).labels_
            )
            many = len(np.unique(labels))
            scores.append(
                float(np.mean(silhouette_samples(rows, labels))) if 1 < many < len(rows) else float("nan")
            )
        curves["silhouette"] = scores
        best = int(np.nanargmax(scores)) if not np.isnan(scores).all() else 0
        votes["silhouette"] = ks[best] if scores[best] >= STRUCTURE else 1
    if "gap" in rules:
        votes["gap"], curves["gap"], curves["gap_error"] = gap_statistic(
            rows, ks, n_references=n_references, random_state=draw
        )
    if "bic" in rules:
        curves["bic"] = [_bic(rows, runs[k].labels_) for k in ks]
        votes["bic"] = ks[int(np.nanargmin(curves["bic"]))]  # of one group there is a value
    if "dendrogram" in rules and len(rows) <= MOST_ROWS_OF_A_TREE:
        heights = np.sort(merge_tree(rows, "ward").heights)[-most:]
        gaps = np.diff(heights) if len(heights) > 1 else np.zeros(1)
        votes["dendrogram"] = len(heights) - int(np.argmax(gaps))
    halves = [k for k in ks[1:] if k <= max(len(rows) // 2, 2)]  # that half of the rows can fall into
    if "stability" in rules and halves:
        for k in halves:
            stability[k] = stability_of_clusters(
                rows, clone(model).set_params(n_clusters=k), n_resamples=n_resamples, random_state=draw
            )
        curves["stability"] = [
            float("nan"),
            *(stability[k][0] if k in stability else float("nan") for k in ks[1:]),
        ]
        steady = max(stability, key=lambda k: stability[k][0])
        votes["stability"] = steady if stability[steady][0] >= STABLE else 1
    names = sorted(set(votes.values()))
    count = {k: sum(v == k for v in votes.values()) for k in names}
    top = max(count.values())
    winners = [k for k in names if count[k] == top]
    chosen = winners[0]
    if len(winners) > 1:  # the more trusted rules decide
        chosen = next(
            (votes[r] for r in ("silhouette", "stability", "gap", "bic") if votes.get(r) in winners), chosen
        )
    return ClusterChoice(chosen, votes, ks, curves, stability)


def chord_elbow(ks: Sequence[int], curve: Sequence[float]) -> int:
    """The place on a falling curve that lies farthest below the line between its ends, both axes scaled to [0, 1].

    For a rising curve, such as a likelihood, give its negative. On Iris the losses of 1 to 7 groups name 2:

    >>> from assay.cluster import chord_elbow
    >>> chord_elbow(range(1, 8), [681.3706, 152.348, 78.8514, 57.2285, 46.4462, 39.04, 34.2982])
    1
    """
    try:
        k, e = np.asarray(ks, dtype=np.float64), np.asarray(curve, dtype=np.float64)
        sound = k.ndim == 1 and len(k) > 0 and k.shape == e.shape and np.isfinite([k, e]).all()
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise ParameterError(
            "ks and curve must be finite numbers, one of each for each place.", who="chord_elbow"
        )
    width, height = k[-1] - k[0], e[0] - e[-1]
    if not (width > 0 and height > 0):
        return 0
    return int(np.argmax(1 - (k - k[0]) / width - (e - e[-1]) / height))


def _numbers(X: TableLike, who: str) -> np.ndarray:
    table = X if isinstance(X, Table) else Table.of(X, who=who)
    if not table.complete:
        raise DataError("X has missing values. Impute them first: SimpleImputer.", who=who)
    values = table.values
    values = values.toarray() if hasattr(values, "tocsr") else values
    design = Design(table.schema, False)
    return np.ascontiguousarray(values if design.plain else design.expand(values), dtype=np.float64)


def _bic(rows: np.ndarray, labels: np.ndarray) -> float:
    """Bayes' criterion of groups as spherical Gaussians, each with its own variance and weight; NaN where a group has
    too few rows for a variance, which would be as likely as one likes."""
    n, d = rows.shape
    total = 0.0
    groups, sizes = np.unique(labels, return_counts=True)
    if len(groups) > 1 and sizes.min() < FEWEST_ROWS:
        return float("nan")
    floor = max(float(np.var(rows, axis=0).mean()) * 1e-6, 1e-300)
    for k in groups:
        part = rows[labels == k]
        m = len(part)
        variance = max(float(np.mean((part - part.mean(axis=0)) ** 2)), floor)
        total += m * np.log(m / n) - 0.5 * m * d * (np.log(2 * np.pi * variance) + 1)
    return float(-2 * total + (len(groups) * (d + 2) - 1) * np.log(n))


def gap_statistic(
    X: TableLike, ks: Sequence[int], *, n_references: int = 10, random_state: RandomState = 0
) -> tuple[int, list[float], list[float]]:
    r"""(best k, gaps, their errors) of k-means losses against rows without structure.

    .. math:: \mathrm{gap}(k) = \tfrac1B\sum_b \ln E^*_b(k) - \ln E(k)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import gap_statistic
    >>> rng = np.random.default_rng(0)
    >>> gap_statistic(np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 10)]), [1, 2, 3, 4])[0]
    2

    See Also
    --------
    choose_clusters

    References
    ----------
    - Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data set via the gap
      statistic. Journal of the Royal Statistical Society B 63(2), 411-423. doi:10.1111/1467-9868.00293
    """
    who = "gap_statistic"
    check(who, {"n_references": Count(1)}, {"n_references": n_references})
    rows = _numbers(X, who)
    ks = list(ks) if isinstance(ks, Iterable) else ks
    if not isinstance(ks, list) or not ks or not all(Count(1, len(rows)).holds(k) for k in ks):
        raise ParameterError(
            f"ks must be a list of whole numbers from 1 to {len(rows)}, the number of rows", who=who, got=ks
        )
    draw = random_state_of(random_state)
    center = rows.mean(axis=0)
    axes = np.linalg.svd(rows - center, full_matrices=False)[2]
    scores = (rows - center) @ axes.T
    low, high = scores.min(axis=0), scores.max(axis=0)

    def losses(points: np.ndarray) -> np.ndarray:
        seed = int(draw.randint(2**31 - 1))
        return np.array(
            [max(float(KMeans(k, n_init=2, random_state=seed).fit(points).inertia_), 1e-300) for k in ks]
        )

    observed = np.log(losses(rows))
    drawn = np.log(
        [losses(low + (high - low) * draw.uniform(size=scores.shape)) for _ in range(n_references)]
    )
    gaps = drawn.mean(axis=0) - observed
    errors = drawn.std(axis=0) * np.sqrt(1 + 1 / n_references)
    best = len(ks) - 1
    for i in range(len(ks) - 1):
        if gaps[i] >= gaps[i + 1] - errors[i + 1]:
            best = i
            break
    return int(ks[best]), gaps.tolist(), errors.tolist()


def stability_of_clusters(
    X: TableLike,
    estimator: Estimator,
    *,
    n_resamples: int = 20,
    coverage: float = 0.9,
    random_state: RandomState = 0,
) -> tuple[float, float, float]:
    """(mean, low, high) agreement, by the adjusted Rand index, of groups learned from two samples of the rows.

    Each time two samples of half the rows are drawn; the learner is fitted to both, and both say to which group every
    row belongs. The interval is of these agreements: low and high quantiles.

    Parameters
    ----------
    X : table (n, d) without missing values
    estimator : clusterer with ``predict``
    n_resamples : int, default 20
    coverage : float, default 0.9
    random_state : int, RandomState or None, default 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.cluster import KMeans, stability_of_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 10)])
    >>> stability_of_clusters(X, KMeans(2, random_state=0))
    (1.0, 1.0, 1.0)

    See Also
    --------
    choose_clusters

    References
    ----------
    - Ben-Hur, A., Elisseeff, A. and Guyon, I. (2002). A stability based method for discovering structure in clustered
      data. Pacific Symposium on Biocomputing, 6-17.
    """
    who = "stability_of_clusters"
    if not hasattr(estimator, "fit") or not hasattr(estimator, "predict") or isinstance(estimator, type):
        raise ParameterError("estimator must be a clusterer with fit and predict", who=who, got=estimator)
    check(
        who,
        {"n_resamples": Count(1), "coverage": Range(0, 1, open="both")},
        {"n_resamples": n_resamples, "coverage": coverage},
    )
    rows = _numbers(X, who)
    draw = random_state_of(random_state)
    n = len(rows)
    agreements = []
    for _ in range(n_resamples):
        halves = [draw.permutation(n)[: max(n // 2, 2)] for _ in range(2)]
        labels = [clone(estimator).fit(rows[half]).predict(rows) for half in halves]
        agreements.append(adjusted_rand_score(*labels))
    tail = (1 - coverage) / 2
    low, high = np.quantile(agreements, [tail, 1 - tail])
    return float(np.mean(agreements)), float(low), float(high)
