"""Mixture for mixed tables with missing values: Gaussian numbers and categories, independent within a component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Range
from assay.core.stored import Each, FloatArray
from assay.core.sums import Source
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.mixture.local_mixture import LOCAL_PARAMETERS, LocalMixture
from assay.mixture.starts import k_means
from assay.types import RandomState

__all__ = ["MixedMixture"]

LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class _State:
    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, p)
    variances: np.ndarray  # (K, p)
    tables: tuple[np.ndarray, ...]  # (K, categories) of each nominal column


@dataclass(frozen=True)
class _Sums:
    counts: np.ndarray  # (K,)
    known: np.ndarray  # (K, p)
    first: np.ndarray  # (K, p) about the means before
    second: np.ndarray  # (K, p)
    tables: tuple[np.ndarray, ...]
    log_likelihood: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.counts + other.counts,
            self.known + other.known,
            self.first + other.first,
            self.second + other.second,
            tuple(a + b for a, b in zip(self.tables, other.tables)),
            self.log_likelihood + other.log_likelihood,
        )


class MixedMixture(SquaredRows, LocalMixture):
    r"""Groups of rows of any table: Gaussian numbers, categories, missing values (the latent class model).

    .. math:: p(x) = \sum_k \pi_k \prod_{j\ \text{numeric}} N(x_j; \mu_{kj}, \sigma^2_{kj})
              \prod_{j\ \text{nominal}} p_{kj}(x_j)                                                  \quad (1)

    Columns are independent within a component, so a missing value just drops out of the product: the expectation step
    uses what is known of a row, and nothing is imputed (right if values are missing at random). Variances are kept
    above a share ``floor`` of the column's, and categories get ``alpha`` pseudo-counts, so that nothing collapses.

    Cost: fit O(n K d) an iteration; score O(K d) a row; memory O(n K).

    Parameters
    ----------
    n_components : int, default 2
    alpha : float, default 0.01
        Pseudo-counts of a category, times its share among all rows.
    floor : float, default 1e-4
        The smallest variance, as a share of that of all rows.
    tol : float, default 1e-4
        Stop when the log likelihood of all rows (with its prior) rises by less.
    max_iter : int, default 500
    n_init : int, default 3
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    weights_ : (K,)      means_, variances_ : (K, numeric columns)      tables_ : list of (K, categories)
    log_likelihood_ : float      n_iter_ : int      converged_ : bool      history_ : list of dict

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.mixture import MixedMixture
    >>> table = pd.DataFrame({"size": [1.0, 1.2, None, 9.0, 9.1, 8.9], "colour": ["r", "r", "r", "b", None, "b"]})
    >>> labels = MixedMixture(2, random_state=0).fit(table).predict(table)
    >>> len(set(labels[:3].tolist())), len(set(labels[3:].tolist()))
    (1, 1)

    See Also
    --------
    GaussianMixture, BernoulliMixture, KPrototypes

    References
    ----------
    - McLachlan, G. J. and Peel, D. (2000). Finite Mixture Models. Wiley. doi:10.1002/0471721182
    - Little, R. J. A. and Rubin, D. B. (2002). Statistical Analysis with Missing Data. Wiley.
      doi:10.1002/9781119013563
    """

    card = Card(
        "mixed mixture",
        "groups of mixed rows with missing values",
        also=("latent class",),
        settings={"n_components": 3},
    )
    takes = frozenset({"nominal", "missing"})
    accepts = {**LOCAL_PARAMETERS, "alpha": Range(0, open="high"), "floor": Range(0, open="high")}
    stored = {
        "means_": FloatArray("c", "*"),
        "variances_": FloatArray("c", "*", low=0),
        "tables_": Each(FloatArray("c", "*", low=0, high=1)),
        "_least": FloatArray("*", low=0),
        "_shares": Each(FloatArray("*", low=0)),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 0.01,
        floor: float = 1e-4,
        tol: float = 1e-4,
        max_iter: int = 500,
        n_init: int = 3,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    monotone = False  # a variance at its floor is no maximum of the likelihood

    def _coded(self) -> np.ndarray:
        return np.array([column.kind == "nominal" for column in self.schema_])

    def _check_stored(self) -> None:
        if "means_" not in vars(self):
            return
        coded = self._coded()
        sizes = [len(column.categories) for column in self.schema_ if column.kind == "nominal"]
        if (
            self.means_.shape[1] != int((~coded).sum())
            or self.variances_.shape != self.means_.shape
            or [table.shape[1] for table in self.tables_] != sizes
            or len(self._least) != self.means_.shape[1]
        ):
            raise ValueError(f"{type(self).__name__}: means and tables must fit the columns.")

    def _parts(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Numbers, and codes with -1 where missing."""
        coded = self._coded()
        raw = X[:, coded]
        return X[:, ~coded], np.where(np.isnan(raw), -1, raw).astype(np.int64)

    def _sizes(self) -> list[int]:
        return [len(column.categories) for column in self.schema_ if column.kind == "nominal"]

    def _survey_rows(self, source: Source) -> None:
        single = _State(
            np.ones(1), np.zeros((1, int((~self._coded()).sum()))), np.ones((1, int((~self._coded()).sum()))),
            tuple(np.full((1, size), 1 / max(size, 1)) for size in self._sizes()),
        )  # fmt: skip
        first = source.add_up(lambda block: self._sums(_float(block.X), block.w, single))
        means = first.first / np.where(first.known > 0, first.known, 1.0)
        about = _State(single.weights, means, single.variances, single.tables)
        total = source.add_up(lambda block: self._sums(_float(block.X), block.w, about))
        if not (total.known > 0).all():
            name = [n for n, c in zip(self.schema_.names, self._coded()) if not c][
                int(np.argmin(total.known[0]))
            ]
            raise DataError(f"column {name!r} has no value at all. Leave it out.", who=type(self).__name__)
        variance = (total.second / total.known)[0]
        self._least = np.maximum(self.floor * variance, 1e-12)
        self._shares = [table[0] / max(table.sum(), 1e-300) for table in total.tables]

    def _begin(self, X: Any, w: Any, draw: np.random.RandomState) -> _State:
        numbers, codes = self._parts(_float(X))
        center = np.nanmean(np.where(np.isnan(numbers).all(axis=0), 0.0, numbers), axis=0)
        spread = np.sqrt(np.maximum(self._least / max(self.floor, 1e-12), 1e-300))
        columns = [np.nan_to_num((numbers - center) / spread)]
        columns += [np.eye(size + 1)[codes[:, j]][:, :size] for j, size in enumerate(self._sizes()) if size]
        points = np.ascontiguousarray(np.hstack(columns))
        weights = None if w is None else np.asarray(w, dtype=np.float64)
        labels = k_means(points, weights, self.n_components, draw)[1]
        shares = np.full((len(points), self.n_components), 0.1 / self.n_components)
        shares[np.arange(len(points)), labels] += 0.9
        flat = _State(
            np.full(self.n_components, 1 / self.n_components),
            np.tile(center, (self.n_components, 1)),
            np.tile(self._least, (self.n_components, 1)),
            tuple(np.tile(v, (self.n_components, 1)) for v in self._shares),
        )
        return self._maximise(
            self._gather(numbers, codes, shares if w is None else shares * w[:, None], flat, 0.0), flat
        )

    def _log_joint_of(self, X: np.ndarray, state: _State) -> np.ndarray:
        numbers, codes = self._parts(X)
        out = np.empty((len(X), len(state.weights)))
        with np.errstate(divide="ignore"):
            logs = np.log(state.weights)
            tables = [np.log(table) for table in state.tables]
        for k in range(len(state.weights)):
            gaps = (numbers - state.means[k]) ** 2 / state.variances[k] + np.log(state.variances[k]) + LOG_2PI
            out[:, k] = logs[k] - 0.5 * np.nansum(gaps, axis=1)
            for j, table in enumerate(tables):
                out[:, k] += np.append(table[k], 0.0)[codes[:, j]]  # -1 is the last: missing adds nothing
        return out

    def _gather(self, numbers: Any, codes: Any, shares: Any, state: _State, log_likelihood: float) -> _Sums:
        known = ~np.isnan(numbers)
        K, p = state.means.shape
        first, second = np.zeros((K, p)), np.zeros((K, p))
        for k in range(K):
            gaps = np.where(known, numbers - state.means[k], 0.0)
            first[k] = shares[:, k] @ gaps
            second[k] = shares[:, k] @ gaps**2
        tables = []
        for j, size in enumerate(self._sizes()):
            present = codes[:, j] >= 0
            tables.append(
                np.array(
                    [np.bincount(codes[present, j], shares[present, k], size) for k in range(K)]
                ).reshape(K, size)
            )
        return _Sums(shares.sum(axis=0), shares.T @ known, first, second, tuple(tables), log_likelihood)

    def _sums(self, X: np.ndarray, w: Any, state: _State) -> _Sums:
        joint = self._log_joint_of(X, state)
        evidence = logsumexp(joint, axis=1)
        shares = np.exp(joint - evidence[:, None])
        if w is not None:
            shares = shares * w[:, None]
        numbers, codes = self._parts(X)
        return self._gather(
            numbers, codes, shares, state, float(evidence.sum() if w is None else evidence @ w)
        )

    def _maximise(self, sums: _Sums, state: _State) -> _State:
        known = np.where(sums.known > 0, sums.known, 1.0)
        shift = sums.first / known
        variances = np.maximum(sums.second / known - shift**2, self._least)
        tables = []
        for table, shares, before in zip(sums.tables, self._shares, state.tables):
            total = table + self.alpha * len(shares) * shares
            size = total.sum(axis=1, keepdims=True)
            tables.append(np.where(size > 0, total / np.where(size > 0, size, 1.0), before))
        return _State(
            sums.counts / sums.counts.sum(),
            state.means + shift,
            np.where(sums.known > 0, variances, state.variances),
            tuple(tables),
        )

    def _log_prior(self, state: _State) -> float:
        if self.alpha == 0:
            return 0.0
        total = 0.0
        for table, shares in zip(state.tables, self._shares):
            pseudo = self.alpha * len(shares) * shares
            used = pseudo > 0
            total += float(np.sum(pseudo[used] * np.log(np.maximum(table[:, used], 1e-300))))
        return total

    def _adopt_state(self, state: _State) -> None:
        self.weights_, self.means_, self.variances_ = state.weights, state.means, state.variances
        self.tables_ = list(state.tables)

    def _state(self) -> _State:
        return _State(self.weights_, self.means_, self.variances_, tuple(self.tables_))

    def _n_parameters(self) -> int:
        K, p = self.means_.shape
        return K - 1 + 2 * K * p + K * sum(max(table.shape[1] - 1, 0) for table in self.tables_)

    def _model_parts(self) -> list[Part]:
        coded = self._coded()
        numeric = [name for name, c in zip(self.schema_.names, coded) if not c]
        lines = [
            [name, k, float(self.means_[k, j]), float(np.sqrt(self.variances_[k, j]))]
            for k in range(len(self.weights_))
            for j, name in enumerate(numeric)
        ]
        nominal = [column for column in self.schema_ if column.kind == "nominal"]
        shares = [
            [column.name, k, category, float(table[k, c])]
            for column, table in zip(nominal, self.tables_)
            for k in range(len(self.weights_))
            for c, category in enumerate(column.categories)
        ]
        parts = super()._model_parts()
        if lines:
            parts.append(Section("Means and deviations", ["column", "component", "mean", "deviation"], lines))
        if shares:
            parts.append(Section("Categories", ["column", "component", "category", "probability"], shares))
        return parts


def _float(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)
