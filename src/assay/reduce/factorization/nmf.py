"""Nonnegative matrix factorisation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Choice, Flag
from assay.core.progress import track
from assay.core.seeds import random_state_of
from assay.core.targets import check_weights
from assay.errors import ParameterError, warn_user
from assay.reduce.factorization.nonnegative import Half, beta_divergence, beta_of, descend, exponent, multiply
from assay.reduce.factorization.nonnegative_factors import NonnegativeFactors, unit_of
from assay.types import RandomState, TableLike, Target, Weights

__all__ = ["NMF"]

ROUNDS_OF_ROWS = 200  # at least as many, for amounts of given parts
ROUNDS_BETWEEN_CHECKS = 10  # of multiplicative updates


class NMF(NonnegativeFactors):
    r"""Rows as sums of nonnegative parts: nothing is taken away again, so that parts look like parts.

    .. math:: X \approx WH, \quad W, H \ge 0, \qquad
              \min\; \tfrac12\lVert X - WH\rVert^2 + \alpha_W d\,\Omega(W) + \alpha_H n\,\Omega(H)      \quad (1)

    with :math:`\Omega(A) = \rho\sum A + \frac{1-\rho}2\sum A^2`. H says how much of each column a part has, W how much
    of each part a row has. One factor given the other is a convex problem, solved in turns by coordinate descent (or
    multiplicative updates, which minimise other divergences as well), and the objective never rises. Entries may be
    missing: they weigh nothing, and ``complete`` fills them in. Names and parameters are scikit-learn's; coordinate
    descent sweeps the rows more than once against the same products, and so needs fewer rounds.

    Cost: fit O(N k + (n + d) k^2) a round over N entries; transform O(d k + k^2) a sweep of a row; memory
    O((n + d) k), with missing values O(n d).

    Parameters
    ----------
    n_components : int, "auto" or None, default "auto"
        The number k of parts; "auto" is that of a given H, else, as None, the number of columns.
    init : "nndsvda", "nndsvd", "nndsvdar", "random", "custom" or None, default None
        Where it starts: from singular vectors, zeros filled with the mean (a), with small random numbers (ar), or not
        at all; at random; from the W and H that ``fit`` is given. None is "nndsvda", for many parts "random".
    solver : "cd" or "mu", default "cd"
        Coordinate descent, or multiplicative updates.
    beta_loss : float, "frobenius", "kullback-leibler" or "itakura-saito", default "frobenius"
        The divergence: 2, 1, 0 or any other number; all but 2 need "mu".
    tol : float, default 1e-4
        Stop when the projected gradient of a round ("cd"), or the gain of ten ("mu"), is this share of the first.
    max_iter : int, default 200
    random_state : int, RandomState or None, default None
    alpha_W, alpha_H : float, default 0 and "same"
        Penalties of the two factors.
    l1_ratio : float between 0 and 1, default 0
        :math:`\rho`: 1 is the sum of the entries, which makes them sparse, 0 half of their squares.
    verbose : int, default 0
        Accepted as scikit-learn's; progress shows itself.
    shuffle : bool, default False
        Whether coordinate descent takes the parts in random order.

    Attributes
    ----------
    components_ : (k, d) H      n_components_ : k      n_iter_ : rounds
    reconstruction_err_ : square root of twice the divergence: of "frobenius", the norm of X - WH
    history_ : the objective (1) after each round, or each tenth of "mu"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import NMF
    >>> X = np.array([[1, 2, 0], [0, 1, 3], [1, 3, 3], [2, 4, 0]])
    >>> nmf = NMF(n_components=2, tol=1e-9, max_iter=2000)
    >>> W = nmf.fit_transform(X)
    >>> (W @ nmf.components_).round(2)
    array([[1., 2., 0.],
           [0., 1., 3.],
           [1., 3., 3.],
           [2., 4., 0.]])

    See Also
    --------
    MiniBatchNMF, TruncatedSVD, LatentDirichletAllocation

    References
    ----------
    - Lee, D. D. and Seung, H. S. (2001). Algorithms for non-negative matrix factorization. Advances in Neural
      Information Processing Systems 13.
    - Gillis, N. and Glineur, F. (2012). Accelerated multiplicative updates and hierarchical ALS algorithms for
      nonnegative matrix factorization. Neural Computation 24, 1085-1105.
    - Fevotte, C. and Idier, J. (2011). Algorithms for nonnegative matrix factorization with the beta-divergence. Neural
      Computation 23, 2421-2456.
    """

    card = Card("nmf", "rows as sums of nonnegative parts", also=("nonnegative matrix factorization",))
    accepts = {**NonnegativeFactors.accepts, "solver": Choice("cd", "mu"), "shuffle": Flag()}

    def __init__(
        self,
        n_components: int | float | str | None = "auto",
        *,
        init: str | None = None,
        solver: str = "cd",
        beta_loss: float | str = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: RandomState = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    # Learning

    def fit(  # type: ignore[override]
        self,
        X: TableLike,
        y: Target | None = None,
        sample_weight: Weights | None = None,
        *,
        W: ArrayLike | None = None,
        H: ArrayLike | None = None,
    ) -> Self:
        """Learn the parts of the rows of X; y is ignored.

        Parameters
        ----------
        X : (n, d) numbers from 0 up, some perhaps missing
        sample_weight : (n,) what each row counts
        W, H : (n, k) and (k, d), where to start with ``init="custom"``
        """
        self.fit_transform(X, y, W, H, sample_weight)
        return self

    @all_or_nothing
    def fit_transform(
        self,
        X: TableLike,
        y: Target | None = None,
        W: Any = None,
        H: Any = None,
        sample_weight: Weights | None = None,
    ) -> np.ndarray:
        """Learn the parts, and give W (n, k), how much of each the rows of X have."""
        self._check_parameters()
        self._check_solver()
        values = self._admit(X, fitting=True)
        w = check_weights(sample_weight, values, type(self).__name__)
        self._check_values(values)
        unit = unit_of(values)
        scaled = values if unit == 1 else values / unit
        W, H = self._start(scaled, w, W, H)
        if self.init == "custom":
            W, H = W / np.sqrt(unit), H / np.sqrt(unit)
        halves = self._halves(scaled, w, len(W) if w is None else float(w.sum()), unit)
        W, Ht = np.ascontiguousarray(W), np.ascontiguousarray(H.T)
        beta = beta_of(self.beta_loss)
        solve = self._descend if self.solver == "cd" else self._multiply
        history, self.n_iter_ = solve(halves, W, Ht, w, beta)
        self.history_ = [value * unit**beta for value in history]
        if self.solver == "cd":
            W, _ = self._amounts(halves[0], Ht)  # as transform finds them
        loss = beta_divergence(halves[0], W, Ht, beta, w)
        single = np.float32 if values.dtype == np.float32 else np.float64
        self.components_ = np.ascontiguousarray(Ht.T * np.sqrt(unit), dtype=single)
        self.reconstruction_err_ = float(np.sqrt(2 * max(loss, 0.0))) * unit ** (beta / 2)
        self.n_components_ = self._n_features_out = len(self.components_)
        if self.n_iter_ == self.max_iter and self.tol > 0:
            warn_user(
                f"{type(self).__name__}: Maximum number of iterations {self.max_iter} reached. Increase it to improve "
                "convergence.",
                ConvergenceWarning,
            )
        return (W * np.sqrt(unit)).astype(single, copy=False)

    def _descend(
        self, halves: tuple[Half, Half], W: np.ndarray, Ht: np.ndarray, w: np.ndarray | None, beta: float
    ) -> tuple[list[float], int]:
        random, k = random_state_of(self.random_state), W.shape[1]
        history: list[float] = []
        limit, squares, rounds = 0.0, _squares(halves[0], w), 0
        for rounds in track(range(1, self.max_iter + 1), type(self).__name__):
            order = random.permutation(k) if self.shuffle else np.arange(k)
            violation, of_rows = descend(halves[0], W, Ht, order, weights=w)
            order = random.permutation(k) if self.shuffle else order
            more, products = descend(halves[1], Ht, W, order)
            violation += more
            if products is None:
                value = beta_divergence(halves[0], W, Ht, beta, w) + halves[1].penalty.of(Ht)
            else:
                G, C = products
                value = squares / 2 - float(np.vdot(Ht, C)) + float(np.vdot(Ht.T @ Ht, G)) / 2
            history.append(max(0.0, value + halves[0].penalty.of(W, w)))
            if rounds == 1:
                limit = max(self.tol * violation, _rounding(of_rows, products))
            if violation <= limit:
                break
        return history, rounds

    def _multiply(
        self, halves: tuple[Half, Half], W: np.ndarray, Ht: np.ndarray, w: np.ndarray | None, beta: float
    ) -> tuple[list[float], int]:
        power, rounds = exponent(beta), 0

        def error() -> float:
            return float(np.sqrt(2 * max(beta_divergence(halves[0], W, Ht, beta, w), 0.0)))

        first = last = error()
        history = [first**2 / 2 + halves[0].penalty.of(W, w) + halves[1].penalty.of(Ht)]
        for rounds in track(range(1, self.max_iter + 1), type(self).__name__):
            for half, A, B in ((halves[0], W, Ht), (halves[1], Ht, W)):
                above, below = multiply(half, A, B, beta)
                A *= (above / below) ** power
                if beta < 1 or (beta == 1 and A is Ht):
                    A[np.finfo(float).eps > A] = 0.0
            if self.tol > 0 and rounds % ROUNDS_BETWEEN_CHECKS == 0:
                now = error()
                history.append(now**2 / 2 + halves[0].penalty.of(W, w) + halves[1].penalty.of(Ht))
                if last - now < self.tol * first:
                    break
                last = now
        return history, rounds

    def _check_solver(self) -> None:
        if self.solver != "mu" and beta_of(self.beta_loss) != 2:
            raise ParameterError(
                f"Invalid beta_loss parameter: solver {self.solver!r} does not handle beta_loss = {self.beta_loss!r}. "
                'Use solver="mu".'
            )
        if self.solver == "mu" and self.init == "nndsvd":
            warn_user(
                "The multiplicative update ('mu') solver cannot update zeros present in the initialization, and so "
                "leads to poorer results when used jointly with init='nndsvd'. You may try init='nndsvda' or "
                "init='nndsvdar' instead.",
                UserWarning,
            )

    # Answers

    def _transform(self, X: Any) -> np.ndarray:
        return self._rows_of_parts(X, self.components_)[0]

    def _rows_of_parts(self, X: Any, H: np.ndarray) -> tuple[np.ndarray, int]:
        """W (n, k) for given parts H (k, d), and the number of rounds."""
        self._check_values(X)
        unit, n, k = unit_of(X), X.shape[0], len(H)
        half = self._halves(X / unit if unit != 1 else X, None, n, unit)[0]
        Ht = np.ascontiguousarray(H.T, dtype=np.float64) / np.sqrt(unit)
        beta, power, rounds = beta_of(self.beta_loss), exponent(beta_of(self.beta_loss)), 0
        if self.solver == "cd":
            W, rounds = self._amounts(half, Ht)
        else:
            known = float(half.X.sum()) / (
                n * X.shape[1] if half.known is None else max(1, int(half.known.sum()))
            )
            W = np.full((n, k), np.sqrt(known / k))
            first = last = np.sqrt(2 * max(beta_divergence(half, W, Ht, beta), 0.0))
            for rounds in range(1, self.max_iter + 1):
                above, below = multiply(half, W, Ht, beta)
                W *= (above / below) ** power
                if beta < 1:
                    W[np.finfo(float).eps > W] = 0.0
                if self.tol > 0 and rounds % ROUNDS_BETWEEN_CHECKS == 0:
                    now = np.sqrt(2 * max(beta_divergence(half, W, Ht, beta), 0.0))
                    if last - now < self.tol * first:
                        break
                    last = now
        return (W * np.sqrt(unit)).astype(
            X.dtype if X.dtype == np.float32 else np.float64, copy=False
        ), rounds

    def _amounts(self, half: Half, Ht: np.ndarray) -> tuple[np.ndarray, int]:
        """W (n, k) given the parts, by coordinate descent from 0, and the number of rounds: cheap ones, all products
        being known, so that there may be more of them than ``max_iter``."""
        W, first, products, rounds = np.zeros((half.X.shape[0], Ht.shape[1])), 0.0, None, 0
        for rounds in range(1, max(self.max_iter, ROUNDS_OF_ROWS) + 1):
            violation, products = descend(half, W, Ht, np.arange(Ht.shape[1]), products)
            first = violation if rounds == 1 else first
            if violation <= self.tol * first:
                break
        return W, rounds


def _rounding(*products: Any) -> float:
    """What gradients of these products (G, C) sum up to by rounding alone: at an exact start there is nothing to do."""
    return float(
        np.finfo(float).eps * sum(np.abs(C).sum() for _, C in (p for p in products if p is not None))
    )


def _squares(half: Half, w: np.ndarray | None) -> float:
    X = half.X
    if isinstance(X, np.ndarray):
        return float(np.einsum("ij,ij->", X, X) if w is None else np.einsum("ij,ij,i->", X, X, w))
    return float(X.data**2 @ (np.ones(X.nnz) if w is None else np.repeat(w, np.diff(X.indptr))))
