"""Nonnegative matrix factorisation of rows that come in batches."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.fitting import all_or_nothing, observed
from assay.core.parameters import Count, Flag, Range
from assay.core.progress import progress
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import warn_user
from assay.reduce.factorization.nonnegative import Half, beta_divergence, beta_of, exponent, multiply
from assay.reduce.factorization.nonnegative_factors import NonnegativeFactors, unit_of
from assay.types import RandomState, TableLike, Target

__all__ = ["MiniBatchNMF"]


class MiniBatchNMF(NonnegativeFactors):
    r"""Nonnegative parts from batches of rows, for tables that do not fit into memory.

    Each batch has its amounts W solved given the parts H, then H moves by what the batches so far ask for, older ones
    forgotten by the factor :math:`\rho`:

    .. math:: A \leftarrow \rho A + H \odot W^T(X \odot P^{\beta-2}), \quad
              B \leftarrow \rho B + W^TP^{\beta-1}, \quad H \leftarrow A / B, \quad P = WH             \quad (1)

    ``partial_fit`` adds a batch. Entries may be missing. Names, parameters and answers are scikit-learn's; use
    :class:`NMF`, which is more exact, for what fits into memory.

    Cost: fit O(N k) a pass over N entries; transform O(d k) a step of a row; memory O(d k + b k) for batches of b rows.

    Parameters
    ----------
    n_components, init, beta_loss, max_iter, alpha_W, alpha_H, l1_ratio, random_state, verbose : as in :class:`NMF`
    batch_size : int, default 1024
    tol : float, default 1e-4
        Stop when a batch moves H by less than this share of it.
    max_no_improvement : int or None, default 10
        Stop after so many batches without a lower mean objective.
    forget_factor : float between 0 and 1, default 0.7
        What a pass over all rows leaves of those before; 1 forgets nothing.
    fresh_restarts : bool, default False
        Whether each batch solves W from the beginning, in at most ``fresh_restarts_max_iter`` steps.
    fresh_restarts_max_iter : int, default 30
    transform_max_iter : int or None, default None
        Steps of ``transform``; None is ``max_iter``.

    Attributes
    ----------
    components_ : (k, d) H      n_components_ : k      n_iter_ : passes      n_steps_ : batches
    reconstruction_err_ : square root of twice the divergence of the training rows

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import MiniBatchNMF
    >>> X = np.array([[1.0, 2, 0], [0, 1, 3], [1, 3, 3], [2, 4, 0]])
    >>> nmf = MiniBatchNMF(n_components=2, max_iter=1000, tol=0, max_no_improvement=None).fit(X)
    >>> bool(nmf.reconstruction_err_ < 0.01)
    True

    See Also
    --------
    NMF

    References
    ----------
    - Lefevre, A., Bach, F. and Fevotte, C. (2011). Online algorithms for nonnegative matrix factorization with the
      Itakura-Saito divergence. IEEE Workshop on Applications of Signal Processing to Audio and Acoustics.
    """

    card = Card("mini batch nmf", "nonnegative parts of rows that come in batches")
    accepts = {
        **NonnegativeFactors.accepts,
        "batch_size": Count(1),
        "max_no_improvement": Count(1) | None,
        "forget_factor": Range(0, 1),
        "fresh_restarts": Flag(),
        "fresh_restarts_max_iter": Count(1),
        "transform_max_iter": Count(1) | None,
    }
    stored = {
        "n_steps_": Integer(low=0),
        "_numerators": FloatArray("m", "p", low=0, finite=True),
        "_denominators": FloatArray("m", "p", low=0, finite=True),
        "_unit": Scalar(low=0),
    }

    _unit = 1.0  # by which X is divided while learning

    def __init__(
        self,
        n_components: int | float | str | None = "auto",
        *,
        init: str | None = None,
        batch_size: int = 1024,
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_no_improvement: int | None = 10,
        max_iter: int = 200,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        forget_factor: float = 0.7,
        fresh_restarts: bool = False,
        fresh_restarts_max_iter: int = 30,
        transform_max_iter: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ):
        self.n_components = n_components
        self.init = init
        self.batch_size = batch_size
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.max_iter = max_iter
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.fresh_restarts = fresh_restarts
        self.fresh_restarts_max_iter = fresh_restarts_max_iter
        self.transform_max_iter = transform_max_iter
        self.random_state = random_state
        self.verbose = verbose

    # Learning

    def fit(  # type: ignore[override]
        self, X: TableLike, y: Target | None = None, *, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> Self:
        """Learn the parts of the rows of X; y is ignored. W and H: where to start with ``init="custom"``."""
        self.fit_transform(X, y, W, H)
        return self

    @all_or_nothing
    def fit_transform(
        self, X: TableLike, y: Target | None = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> np.ndarray:
        """Learn the parts, and give W (n, k), how much of each the rows of X have."""
        self._check_parameters()
        values = self._admit(X, fitting=True)
        self._check_values(values)
        unit = self._unit = unit_of(values)
        W, H, scaled = self._scaled_start(values, W, H)
        Ht, n = np.ascontiguousarray(H.T), len(W)
        size = min(self.batch_size, n)
        above_sums, below_sums = Ht.copy(), np.ones_like(Ht)
        starts = range(0, n, size)
        halves = [self._halves(scaled[a : a + size], None, min(size, n - a), unit) for a in starts]
        watch, steps = _Watch(self.tol, self.max_no_improvement), 0
        with progress(self.max_iter * len(starts), type(self).__name__) as bar:
            for b in islice(cycle(range(len(starts))), self.max_iter * len(starts)):
                steps += 1
                rows = slice(starts[b], min(starts[b] + size, n))
                before = Ht.copy()
                rho = self.forget_factor ** (size / n)
                part = self._amounts(halves[b][0], Ht) if self.fresh_restarts else W[rows]
                W[rows] = self._step(halves[b], part, Ht, above_sums, below_sums, rho)
                cost = self._cost(halves[b], W[rows], before)
                bar.advance()
                if not W[rows].any():  # rows of zeros move nothing, which says nothing
                    continue
                if watch.ends(cost, before, Ht, (rows.stop - rows.start) / (n + 1)):
                    break
        if self.fresh_restarts:
            whole = self._halves(scaled, None, n, unit)[0]
            W = self._amounts(whole, Ht, self.transform_max_iter or self.max_iter)
        self._keep(Ht, above_sums, below_sums, values.dtype)
        self.n_steps_, self.n_iter_ = steps, -(-steps // len(starts))
        beta = beta_of(self.beta_loss)
        loss = beta_divergence(self._halves(scaled, None, n, unit)[0], W, Ht, beta)
        self.reconstruction_err_ = float(np.sqrt(2 * max(loss, 0.0))) * unit ** (beta / 2)
        if self.n_iter_ == self.max_iter and self.tol > 0:
            warn_user(
                f"{type(self).__name__}: Maximum number of iterations {self.max_iter} reached. Increase it to improve "
                "convergence.",
                ConvergenceWarning,
            )
        return (W * np.sqrt(unit)).astype(self.components_.dtype, copy=False)

    @observed
    def partial_fit(
        self, X: TableLike, y: Target | None = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> Self:
        """Move the parts by one batch of rows; W and H: where the first starts with ``init="custom"``."""
        first = "components_" not in vars(self)
        self._check_parameters()
        values = self._admit(X, fitting=first)
        self._check_values(values)
        if first:
            self._unit = unit_of(values)
            _, H, scaled = self._scaled_start(values, W, H)
            Ht = np.ascontiguousarray(H.T)
            above_sums, below_sums, steps = Ht.copy(), np.ones_like(Ht), 0
        else:
            scaled = values if self._unit == 1 else values / self._unit
            Ht = np.ascontiguousarray(self.components_.T, dtype=np.float64) / np.sqrt(self._unit)
            above_sums, below_sums, steps = (
                np.array(self._numerators.T),
                np.array(self._denominators.T),
                self.n_steps_,
            )
        n = values.shape[0]
        halves = self._halves(scaled, None, n, self._unit)
        rho = self.forget_factor ** (min(self.batch_size, n) / n)
        self._step(halves, self._amounts(halves[0], Ht), Ht, above_sums, below_sums, rho, settled=True)
        self._keep(Ht, above_sums, below_sums, values.dtype)
        self.n_steps_ = steps + 1
        return self

    def _scaled_start(self, X: Any, W: Any, H: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """W and H to start from, and X: both factors divided by the root of the unit, and X by the unit."""
        unit = self._unit
        scaled = X if unit == 1 else X / unit
        W, H = self._start(scaled, None, W, H)
        return (W / np.sqrt(unit), H / np.sqrt(unit), scaled) if self.init == "custom" else (W, H, scaled)

    def _keep(self, Ht: np.ndarray, above_sums: np.ndarray, below_sums: np.ndarray, dtype: Any) -> None:
        single = np.float32 if dtype == np.float32 else np.float64
        self.components_ = np.ascontiguousarray(Ht.T * np.sqrt(self._unit), dtype=single)
        self._numerators, self._denominators = (
            np.ascontiguousarray(above_sums.T),
            np.ascontiguousarray(below_sums.T),
        )
        self.n_components_ = self._n_features_out = len(self.components_)

    def _step(
        self, halves: tuple[Half, Half], W: np.ndarray, Ht: np.ndarray, above_sums: np.ndarray, below_sums: np.ndarray,
        rho: float, settled: bool = False,
    ) -> np.ndarray:  # fmt: skip
        """W of a batch after its step, and (1) on Ht and the two sums, in place."""
        beta = beta_of(self.beta_loss)
        power = exponent(beta)
        if not (settled or self.fresh_restarts):
            above, below = multiply(halves[0], W, Ht, beta)
            W = W * (above / below) ** power
        if beta < 1:
            W[np.finfo(float).eps > W] = 0.0
        above, below = multiply(halves[1], Ht, W, beta)
        above_sums *= rho
        below_sums *= rho
        above_sums += above * Ht ** (1 / power)
        below_sums += below
        Ht[:] = (above_sums / below_sums) ** power
        if beta <= 1:
            Ht[Ht < np.finfo(float).eps] = 0.0
        return W

    def _amounts(self, half: Half, Ht: np.ndarray, steps: int | None = None) -> np.ndarray:
        """W (n, k) of rows given the parts, from the beginning."""
        n, k = half.X.shape[0], Ht.shape[1]
        beta = beta_of(self.beta_loss)
        entries = half.X.shape[0] * half.X.shape[1] if half.known is None else max(1, int(half.known.sum()))
        W = np.full((n, k), np.sqrt(float(half.X.sum()) / entries / k))
        for _ in range(self.fresh_restarts_max_iter if steps is None else steps):
            above, below = multiply(half, W, Ht, beta)
            fresh = W * (above / below) ** exponent(beta)
            moved, size = np.linalg.norm(fresh - W), np.linalg.norm(fresh)
            W = fresh
            if self.tol > 0 and moved <= self.tol * size:
                break
        return W

    def _cost(self, halves: tuple[Half, Half], W: np.ndarray, Ht: np.ndarray) -> float:
        value = beta_divergence(halves[0], W, Ht, beta_of(self.beta_loss))
        for half, A in ((halves[0], W), (halves[1], Ht)):
            value += half.penalty.l1 * float(A.sum()) + half.penalty.l2 * float(np.sum(A * A))
        return value / len(W)

    # Answers

    def _transform(self, X: Any) -> np.ndarray:
        self._check_values(X)
        unit = unit_of(X)
        Ht = np.ascontiguousarray(self.components_.T, dtype=np.float64) / np.sqrt(unit)
        half = self._halves(X if unit == 1 else X / unit, None, X.shape[0], unit)[0]
        W = self._amounts(half, Ht, self.transform_max_iter or self.max_iter) * np.sqrt(unit)
        return W.astype(X.dtype if X.dtype == np.float32 else np.float64, copy=False)


class _Watch:
    """When to stop: H hardly moves, or the mean objective of the batches falls no more."""

    def __init__(self, tol: float, patience: int | None):
        self.tol, self.patience = tol, patience
        self.mean: float | None = None
        self.best: float | None = None
        self.steps = self.without = 0

    def ends(self, cost: float, before: np.ndarray, after: np.ndarray, share: float) -> bool:
        self.steps += 1
        if self.steps == 1:  # its cost was that of the start
            return False
        share = min(share, 1.0)
        self.mean = cost if self.mean is None else (1 - share) * self.mean + share * cost
        if self.tol > 0 and np.linalg.norm(after - before) <= self.tol * np.linalg.norm(after):
            return True
        if self.best is None or self.mean < self.best:
            self.best, self.without = self.mean, 0
        else:
            self.without += 1
        return self.patience is not None and self.without >= self.patience
