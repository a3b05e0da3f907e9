"""Parzen classifier: one kernel density per class, weighed by the prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.cases import MOST_CASES, beside
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Generative, python_label
from assay.core.parallel import end_if_abandoned, in_threads
from assay.core.parameters import Choice, Instance, Range, Simplex, check_count
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, Each, FloatArray, Object, Scalar
from assay.core.targets import row_counts
from assay.densities.draws import drawn_from
from assay.densities.kernel_sums import KernelSums, log_profile
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.densities.metric_sums import MetricSums, sums_over
from assay.distances.metric import Metric, metric_of
from assay.distances.search import searcher
from assay.errors import DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.neighbors.neighbor_learner import METRIC
from assay.types import MetricLike, RandomState

__all__ = ["ParzenClassifier"]

WIDTHS = np.geomspace(0.02, 20, 31)  # that leave-one-out tries, in units of the rows' spread
PAIRS = 1 << 22  # of rows that leave-one-out compares; of more rows than the root of it some are judged,
MIN_JUDGED = 500  # but so many at least
TOGETHER = 1 << 16  # pairs in one piece of work
SHOWN = 8  # rows in an explanation


class ParzenClassifier(Generative):
    r"""Every stored row votes for its class, the nearer the more: kernel densities of the classes times their priors.

    .. math:: \hat p(x|C_i) = \frac1{N_ih^d}\sum_t r_i^t K\!\left(\frac{D(x,x^t)}h\right), \qquad
              g_i(x) = \hat P(C_i)\,\hat p(x|C_i) \quad (1)

    with :math:`r_i^t` = 1 if row t is of class i. Sums are kept in logarithms, so rows far from everything still get a
    posterior from a Gaussian. A kernel that ends may leave a row without any: see ``fallback``. A table with categories
    or missing values is compared by a mixed distance (metric "auto").

    Cost: fit O(n d log n), and O(m n d) to choose the width by m rows; predict O(n d) a row at most; memory O(n d), the
    rows are kept.

    Parameters
    ----------
    bandwidth : float or "leave_one_out", default "leave_one_out"
        The width h, or the one of 31 that gives the training rows the greatest mean log posterior, each judged by the
        others (of more than 2048 rows some, drawn at random, but by all others). Of a row of weight 2 one is left out.
    kernel : str
        "gaussian", "box", "triangular", "epanechnikov", "biweight", "triweight", "tricube", "cosine", "exponential",
        "logistic".
    metric : str, callable or Metric
        As of `KNeighborsClassifier`; "auto" is Euclid's for complete numbers, else "heom".
    metric_params : dict
        More arguments of the metric.
    priors : array of K probabilities
        None takes the shares of the classes.
    fallback : "prior", "nearest" or "raise"
        What to say of a row that no kernel reaches: the priors, with a warning; the class of the nearest stored row; or
        an error.

    Attributes
    ----------
    bandwidth_ : float      priors_ : (K,)      distance_ : the metric, learned
    points_ : list of K, the rows of each class and their weights      rows_ : list of K, their row numbers

    Examples
    --------
    >>> from assay.neighbors import ParzenClassifier
    >>> X = [[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4], [2, 2]]
    >>> model = ParzenClassifier(bandwidth=1.0).fit(X, ["C1"] * 3 + ["C2"] * 4)
    >>> model.predict_proba([[1.2, 1.2]]).round(6)
    array([[0.674698, 0.325302]])

    See Also
    --------
    KNeighborsClassifier, RadiusNeighborsClassifier, assay.densities.KernelDensity

    References
    ----------
    - Parzen, E. (1962). On estimation of a probability density function and mode. Annals of Mathematical
      Statistics 33(3), 1065-1076. doi:10.1214/aoms/1177704472
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "parzen",
        "all rows vote, the nearer the more",
        scale=True,
        settings={"bandwidth": "leave_one_out", "metric": "euclidean"},
        learns=(
            "a kernel density of each class",
            "log loss of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {
        "bandwidth": Range(0, open="low") | Choice("leave_one_out"),
        "kernel": Choice(*KERNELS, *ALIASES),
        "metric": METRIC,
        "metric_params": Instance(dict, words="a dict") | None,
        "priors": Simplex() | None,
        "fallback": Choice("prior", "nearest", "raise"),
    }
    keeps_row_names = True
    stored = {
        "bandwidth_": Scalar(low=0),
        "distance_": Object(Metric),
        "points_": Each(Object(KernelSums, MetricSums, d="p"), "K"),
        "priors_": FloatArray("K", low=0),
        "rows_": Each(CodeArray("*"), "K"),
    }

    def __init__(
        self,
        bandwidth: float | str = "leave_one_out",
        *,
        kernel: str = "gaussian",
        metric: MetricLike = "auto",
        metric_params: Mapping[str, Any] | None = None,
        priors: ArrayLike | None = None,
        fallback: str = "prior",
    ):
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.metric = metric
        self.metric_params = metric_params
        self.priors = priors
        self.fallback = fallback

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use of a table as it is."""
        try:
            metric = vars(self).get("distance_") or metric_of(self.metric, metric_params=self.metric_params)
        except (TypeError, ValueError):  # a parameter that is about to be refused
            return frozenset()
        return (metric.takes | ({"nominal"} if metric.name == "heom" else set())) - {"sparse"}

    def _check_parameters(self) -> None:
        self.__dict__.pop("distance_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()
        if self.metric == "precomputed":
            raise ParameterError("ParzenClassifier: metric must compare rows, got 'precomputed'.")

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K, w = len(self.classes_), np.ones(len(X)) if w is None else w
        X = np.ascontiguousarray(X, dtype=np.float64)
        try:
            self.distance_ = metric_of(
                self.metric, metric_params=self.metric_params, schema=self.schema_
            ).learn(X, y, w)
        except ParameterError as error:
            raise ParameterError(f"ParzenClassifier: {error}") from None
        mass = np.bincount(y, w, minlength=K)
        self.priors_ = mass / mass.sum() if self.priors is None else np.array(self.priors, dtype=np.float64)
        if len(self.priors_) != K:
            raise ParameterError(
                f"ParzenClassifier: priors has {len(self.priors_)} numbers, y has {K} classes."
            )
        self.rows_ = [np.flatnonzero((y == k) & (w > 0)) for k in range(K)]
        for k in range(K):  # a class without weight keeps a row that says nothing
            if not len(self.rows_[k]):
                self.rows_[k] = np.flatnonzero(y == k)[:1]
        self.points_ = [sums_over(X[rows], w[rows], self.distance_) for rows in self.rows_]
        self.bandwidth_ = self._width(X, y, w) if self.bandwidth == "leave_one_out" else float(self.bandwidth)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        X, h = np.ascontiguousarray(X, dtype=np.float64), self.bandwidth_
        kernel, d = kernel_of(self.kernel), X.shape[1]
        out = np.empty((len(X), len(self.points_)))
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors_)
        for k, points in enumerate(self.points_):
            mass = points.weights.sum()
            out[:, k] = points.log_sums(X, kernel, h)
            out[:, k] += log_priors[k] - (np.log(mass) if mass > 0 else 0.0)  # (1)
        return out - d * np.log(h) - kernel.log_constant(d)

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the densities, (n_samples, d), and (n_samples,) classes: a stored row of the class, and a
        step drawn from the kernel. With Euclid's distance alone (1) is a density.
        """
        self._ready()
        who = type(self).__name__
        check_count(who, "n_samples", n_samples)
        if self.distance_.name != "euclidean":
            raise ParameterError(
                f"the metric {self.distance_.name!r} makes no density to draw from. Take metric='euclidean' and a "
                "table of complete numbers.",
                who=who,
            )
        rng = random_state_of(random_state)
        y = rng.choice(len(self.classes_), size=n_samples, p=self.priors_ / self.priors_.sum())
        steps = drawn_from(kernel_of(self.kernel), n_samples, self.points_[0].X.shape[1], rng)
        X = self.bandwidth_ * steps
        for k in np.unique(y):
            points, rows = self.points_[k], np.flatnonzero(y == k)
            X[rows] += points.X[
                rng.choice(len(points.X), size=len(rows), p=points.weights / points.weights.sum())
            ]
        return X, self.classes_[y]

    def _width(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
        """The width with the greatest mean log posterior of the training rows, each left out of its own class."""
        if len(X) < 2:
            raise DegenerateError(
                "ParzenClassifier: n_samples=1, and leave_one_out needs two. Give bandwidth."
            )
        rng, w = np.random.RandomState(0), row_counts(w)
        distinct = np.unique(X[w > 0], axis=0)  # what is drawn follows the rows, not their order or number
        pairs = rng.randint(len(distinct), size=(2, 1000))
        far = self.distance_.paired(distinct[pairs[0]], distinct[pairs[1]])
        spread = float(np.median(far[far > 0])) if (far > 0).any() else 1.0
        widths = spread * WIDTHS[::-1]  # of equal ones the widest is taken
        judged = np.flatnonzero(w > 0)
        most = max(MIN_JUDGED, PAIRS // len(X))
        if len(judged) > most:
            judged = judged[np.lexsort(X[judged].T)][rng.permutation(len(judged))[:most]]
        size = max(1, TOGETHER // len(X))
        parts = [judged[start : start + size] for start in range(0, len(judged), size)]
        scores = np.empty((len(parts), len(widths)))
        with progress(len(parts), "ParzenClassifier: widths") as bar:

            def some(i: int) -> None:
                scores[i] = self._left_out(X, y, w, parts[i], widths)
                bar.advance()

            in_threads(some, range(len(parts)), 1 if self.distance_.function else None)
        return float(widths[int(np.argmax(scores.sum(axis=0)))])

    def _left_out(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, rows: np.ndarray, widths: np.ndarray
    ) -> np.ndarray:
        """(m,) for each width the sum of the log posteriors of some rows by all others; at least -700 a row.

        Of a row that counts as several one is left out.
        """
        kernel, K = kernel_of(self.kernel), len(self.classes_)
        mass = np.bincount(y, w, minlength=K)
        vote = np.zeros((len(X), K))
        vote[np.arange(len(X)), y] = w * (self.priors_ / np.where(mass > 0, mass, 1.0))[y]  # (1)
        far = self.distance_.between(X[rows], X)
        idle, left_out = np.flatnonzero(w == 0), np.arange(len(rows))
        with np.errstate(divide="ignore"):
            again = kernel.log_profile(np.zeros(1)) + np.log(np.maximum(w[rows] - 1, 0) / w[rows])
        scores = np.empty(len(widths))
        for i, h in enumerate(widths):
            end_if_abandoned()
            with np.errstate(divide="ignore", over="ignore"):
                logs = kernel.log_profile(far / h)
            logs[left_out, rows] = again
            logs[:, idle] = -np.inf
            top = logs.max(axis=1, keepdims=True)
            with np.errstate(under="ignore"):
                joint = np.exp(logs - np.where(np.isneginf(top), 0.0, top)) @ vote
            joint[np.isneginf(top[:, 0])] = self.priors_  # no kernel reaches the row
            with np.errstate(divide="ignore"):
                log_posterior = np.log(joint[left_out, y[rows]]) - np.log(joint.sum(axis=1))
            scores[i] = w[rows] @ np.maximum(log_posterior, -700.0)
        return scores

    def _evident(self, joint: np.ndarray) -> np.ndarray:
        none = np.isneginf(joint.max(axis=1))
        if not none.any():
            return joint
        problem = (
            f"ParzenClassifier: no kernel of width {self.bandwidth_:g} reaches {int(none.sum())} row(s), so their "
            "posterior is undefined"
        )
        if self.fallback == "raise":
            raise DegenerateError(f"{problem}. Raise bandwidth, or use kernel='gaussian'.")
        warn_user(f"{problem}; the prior is given instead.", DegenerateWarning)
        with np.errstate(divide="ignore"):
            joint[none] = np.log(self.priors_)
        return joint

    def _scores(self, X: np.ndarray) -> np.ndarray:
        joint = self._log_joint(X)
        none = np.isneginf(joint.max(axis=1))
        if self.fallback == "nearest" and none.any():
            near = [searcher(p.X, self.distance_).nearest(X[none], 1)[0][:, 0] for p in self.points_]
            joint[np.flatnonzero(none), np.argmin(near, axis=0)] = 0.0
        return joint

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        """The stored rows with the greatest say."""
        kernel = kernel_of(self.kernel)

        def sections(i: int) -> list[Section]:
            lines, logs = [], []
            with np.errstate(divide="ignore"):
                for k, points in enumerate(self.points_):
                    far = self.distance_.between(np.asarray(X[i : i + 1], dtype=np.float64), points.X)[0]
                    vote = (
                        np.log(self.priors_[k])
                        + np.log(points.weights)
                        - np.log(max(points.weights.sum(), 1e-300))
                    )
                    logs.append(vote + log_profile(kernel, far / self.bandwidth_, np.inf))
                    lines += [
                        [self._cases.label(int(r)), str(python_label(self.classes_[k])), float(f)]
                        for r, f in zip(self.rows_[k], far)
                    ]
            votes = np.concatenate(logs)
            if np.isneginf(votes.max()):
                note = f"No stored row is within reach of a kernel of width {self.bandwidth_:g}."
                order = np.array([], dtype=np.int64)
            else:
                votes = np.exp(votes - votes.max())
                votes /= votes.sum()
                order = np.lexsort((np.arange(len(votes)), -votes))[:SHOWN]
                order = order[votes[order] > 0]
                others, remainder = len(votes) - len(order), max(0.0, 1 - float(votes[order].sum()))
                note = f"Width {self.bandwidth_:g}" + (
                    f"; {others} more rows have {remainder:.3g} together." if others else "."
                )
            shown = [[*lines[t], float(votes[t])] for t in order]
            places, ends = np.concatenate(self.rows_), np.cumsum([len(rows) for rows in self.rows_])
            nearest = [
                self.points_[k].X[t - (ends[k - 1] if k else 0)]
                for t in order[:MOST_CASES]
                for k in [int(np.searchsorted(ends, t, "right"))]
            ]
            stored = np.array(nearest).reshape(len(nearest), X.shape[1])
            return [
                Section(
                    "Stored rows by their share of all votes",
                    [self._cases.head, "class", "distance", "share"],
                    shown,
                    note,
                ),
                *beside(self, rows[i], stored, places[order[:MOST_CASES]].tolist()),
            ]

        return Reasons(sections)  # a distance to each stored row: made when they are asked for
