"""Coordinate descent for least squares with an absolute penalty, in one of three forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.linear.regression._coordinate_descent as _native
from assay.core.csr import compressed_matrix
from assay.core.parallel import in_threads
from assay.core.progress import track
from assay.core.stored import Integer
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.types import TableLike

__all__ = ["Problem", "Sweep", "grid", "problem"]

BLOCK = 2048  # rows whose cross products are added up at once
PATIENCE = 1e9  # multiplications between two chances to interrupt


@dataclass(frozen=True)
class Sweep:
    """How far the descent has come, as ``history_`` keeps it.

    Attributes
    ----------
    iteration : sweeps over the columns so far
    value : of the objective
    gap : the duality gap, an upper bound of what the objective can still fall by
    """

    iteration: int
    value: float
    gap: float
    stored = {"iteration": Integer()}


def problem(
    X: TableLike,
    y: np.ndarray,
    w: np.ndarray | None,
    fit_intercept: bool,
    gram: Any = None,
    who: str = "lasso",
) -> Problem:
    """The rows of X, (n, d), and the numbers y, (n, outputs), in the form that is quickest to descend on.

    Parameters
    ----------
    w : (n,) weights of the rows, or None
    gram : None to choose, False for columns, True for cross products, or (d, d) cross products of centred columns
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if not isinstance(X, np.ndarray):
            return SparseColumns(X, y, w, fit_intercept, who)
        n, d = X.shape
        if gram is None:
            gram = n > d
        if gram is False:
            return Columns(X, y, w, fit_intercept, who)
        products = CrossProducts.of(X, y, w, fit_intercept)
        if gram is not True:
            spread = np.sqrt(products.gram.diagonal() / max(products.total, 1e-300))
            moved = fit_intercept and bool((np.abs(products.mean) > 1e-6 * spread).any())
            products.gram = _checked(gram, products.gram, moved)
        return products.checked(who)


class Problem:
    r"""Minimise :math:`\tfrac1{2n}\|y-Xw\|^2 + \alpha\rho\|w\|_1 + \tfrac12\alpha(1-\rho)\|w\|^2`.

    Attributes
    ----------
    total : the number of rows, or the sum of their weights
    mean : (d,), y_mean : (outputs,)  what was taken off the columns and off y, 0 without an intercept
    square : (outputs,)  weighted squares of y minus its mean
    """

    total: float
    mean: np.ndarray
    y_mean: np.ndarray
    square: np.ndarray
    cost: float  # multiplications of a sweep

    def correlations(self) -> np.ndarray:
        """(outputs, d) X'y of the centred data."""
        raise TypeError(f"{type(self).__name__} must define correlations")

    def products(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k, k) cross products of some centred columns, and (k,) those with the first output."""
        raise TypeError(f"{type(self).__name__} must define products")

    def _walk(self, output: int, along: _native.Penalties, out: dict[str, np.ndarray]) -> None:
        raise TypeError(f"{type(self).__name__} must define _walk")

    def path(
        self,
        output: int,
        alphas: np.ndarray,
        l1_ratio: float,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive: bool = False,
        seed: int = 0,
        start: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights (m, d), duality gaps (m,) and sweeps (m,) for falling alphas, each from the last one's weights.

        Parameters
        ----------
        tol : gap at which to stop, relative to the mean square of y, if no weight moves by more than this share of
            the largest any more
        seed : above 0 for columns drawn at random instead of one after the other
        """
        m, d = len(alphas), len(self.mean)
        w = np.zeros(d) if start is None else np.array(start, dtype=np.float64)
        weights, gaps, sweeps = np.empty((m, d)), np.empty((m, 2)), np.empty(m, dtype=np.int64)
        pieces = np.array_split(np.arange(m), min(m, 1 + int(20 * m * self.cost / PATIENCE)))
        for i in track(pieces, "penalties") if len(pieces) > 1 else pieces:
            at = slice(i[0], i[-1] + 1)
            a, b = self._strengths(alphas[at], l1_ratio)
            gap = tol * float(self.square[output])
            along = _native.Penalties(
                a=a, b=b, positive=positive, seed=seed, tol=gap, calm=tol, eager=True, max_iter=max_iter
            )
            out = {"w": w, "weights": weights[at], "gaps": gaps[at], "sweeps": sweeps[at]}
            self._walk(output, along, out)
        return weights, gaps[:, 0] / self.total, sweeps

    def descend(
        self,
        output: int,
        alpha: float,
        l1_ratio: float,
        tol: float,
        max_iter: int,
        positive: bool,
        seed: int,
        start: np.ndarray,
        begun: bool = False,
    ) -> tuple[np.ndarray, list[Sweep]]:
        """Weights (d,) for one alpha, and how they were reached: a look after 10 sweeps, 20, 40, ...

        Where another problem has begun, a small gap at the start is not enough: the weights must come to rest, too.
        """
        w, weights = np.array(start, dtype=np.float64), np.empty((1, len(self.mean)))
        gaps, sweeps = np.empty((1, 2)), np.empty(1, dtype=np.int64)
        a, b = self._strengths(np.array([alpha], dtype=np.float64), l1_ratio)
        limit, done, history = tol * float(self.square[output]), 0, []
        while done < max_iter:
            turns = min(max(10, done), max_iter - done)
            eager = not (done or begun)
            along = _native.Penalties(
                a=a, b=b, positive=positive, seed=seed, tol=limit, calm=tol, eager=eager, max_iter=turns
            )
            self._walk(output, along, {"w": w, "weights": weights, "gaps": gaps, "sweeps": sweeps})
            done += int(sweeps[0])
            gap, value = (gaps[0] / self.total).tolist()
            history.append(Sweep(done, value, gap))
            if sweeps[0] < turns:
                break
            seed = seed and seed + 1
        return weights[0], history

    def _strengths(self, alphas: np.ndarray, l1_ratio: float) -> tuple[np.ndarray, np.ndarray]:
        """The penalties a and b of the native code, which does not divide by the number of rows."""
        return alphas * (l1_ratio * self.total), alphas * ((1 - l1_ratio) * self.total)

    def intercept(self, weights: np.ndarray, output: int) -> Any:
        """The intercept that belongs to weights (d,) or (m, d)."""
        return self.y_mean[output] - weights @ self.mean

    def checked(self, who: str) -> Any:
        """Itself, if its sums did not overflow."""
        if not (np.isfinite(self.square).all() and np.isfinite(self._squares()).all()):
            raise DataError(
                f"{who}: squares of the values are too large to be added up. Rescale X or y first."
            )
        return self

    def _squares(self) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _squares")


class CrossProducts(Problem):
    """X'X and X'y: a sweep then costs d^2 whatever n, and folds can be taken out of them."""

    def __init__(
        self,
        total: float,
        centre: tuple[np.ndarray, np.ndarray],
        gram: np.ndarray,
        cross: np.ndarray,
        square: np.ndarray,
    ):
        self.total, (self.mean, self.y_mean) = total, centre
        self.gram, self.cross, self.square = gram, cross, square
        self.cost = float(gram.size)

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fit_intercept: bool) -> CrossProducts:
        total, mean, y_mean = _means(X, y, w, fit_intercept)
        gram, cross, square = _cross_products(X - mean if len(X) <= BLOCK else X, y, w, mean, y_mean)
        flat = np.diag(gram) <= _rounding(total, mean)
        gram[flat], gram[:, flat], cross[:, flat] = 0.0, 0.0, 0.0
        return cls(total, (mean, y_mean), gram, cross, square)

    def without(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fit_intercept: bool
    ) -> CrossProducts:
        """The same without these rows, which must be among those it was made of."""
        gram, cross, square = _cross_products(X - self.mean, y, w, self.mean, self.y_mean)
        left = self.total - float(len(X) if w is None else w.sum())
        gram, cross, square = self.gram - gram, self.cross - cross, self.square - square
        flat = np.diag(gram) <= 1e-13 * np.diag(self.gram)
        mean, y_mean = self.mean, self.y_mean
        if fit_intercept:  # these rows' distances from the mean, with the sign turned, are those of the rest
            u = np.ones(len(X)) if w is None else w
            off, y_off = -(u @ (X - mean)) / left, -(u @ (y - y_mean)) / left
            gram = gram - left * np.outer(off, off)
            cross, square = cross - left * np.outer(y_off, off), np.maximum(square - left * y_off**2, 0.0)
            mean, y_mean = mean + off, y_mean + y_off
        gram[flat], gram[:, flat], cross[:, flat] = 0.0, 0.0, 0.0
        return CrossProducts(left, (mean, y_mean), gram, cross, square)

    def correlations(self) -> np.ndarray:
        return self.cross

    def products(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.gram[np.ix_(columns, columns)], self.cross[0, columns]

    def _squares(self) -> np.ndarray:
        return np.diag(self.gram)

    def _walk(self, output: int, along: _native.Penalties, out: dict[str, np.ndarray]) -> None:
        square = float(self.square[output])
        _native.gram_path(gram=self.gram, xy=self.cross[output], yy=square, along=along, **out)


class Columns(Problem):
    """The columns of X one by one: a step costs n, but only columns in play take steps."""

    def __init__(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, fit_intercept: bool, who: str):
        self.total, self.mean, self.y_mean = _means(X, y, w, fit_intercept)
        root = 1.0 if w is None else np.sqrt(w)
        self.Z = np.subtract(X.T, self.mean[:, None], order="C")
        if w is not None:
            self.Z *= root
        self.Y = np.multiply((y - self.y_mean).T, root, order="C")
        self.squares = np.einsum("jn,jn->j", self.Z, self.Z)
        self.squares[self.squares <= _rounding(self.total, self.mean)] = 0.0
        self.square = np.einsum("kn,kn->k", self.Y, self.Y)
        self.cost = float(self.Z.size)
        self.checked(who)

    def correlations(self) -> np.ndarray:
        return self.Y @ self.Z.T

    def products(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Z = self.Z[columns]
        return Z @ Z.T, Z @ self.Y[0]

    def _squares(self) -> np.ndarray:
        return self.squares

    def _walk(self, output: int, along: _native.Penalties, out: dict[str, np.ndarray]) -> None:
        _native.dense_path(Z=self.Z, squares=self.squares, y=self.Y[output], along=along, **out)


class SparseColumns(Problem):
    """The same for a sparse table, whose columns are centred implicitly."""

    def __init__(self, X: Any, y: np.ndarray, w: np.ndarray | None, fit_intercept: bool, who: str):
        X.check_format(full_check=True)  # the native code follows its indices
        X = X.tocsc()
        X.sum_duplicates()
        self.root = np.ones(len(y)) if w is None else np.sqrt(w)
        self.total, self.mean, self.y_mean = _means(X, y, w, fit_intercept)
        value = np.asarray(X.data, dtype=np.float64)
        self.row, self.start = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
        self.value = value if w is None else value * self.root[self.row]
        self.Y = np.multiply((y - self.y_mean).T, self.root, order="C")
        self.square = np.einsum("kn,kn->k", self.Y, self.Y)
        self.cost = float(len(value) + len(y))
        self.checked(who)

    def _matrix(self) -> Any:
        shape = self.Y.shape[1], len(self.mean)
        return compressed_matrix("csc_array", self.value, self.row, self.start, shape)

    def correlations(self) -> np.ndarray:
        return np.asarray(self._matrix().T @ self.Y.T).T - np.outer(self.Y @ self.root, self.mean)

    def products(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Z, m = self._matrix()[:, columns], self.mean[columns]
        sums = np.asarray(Z.T @ self.root)  # of each column, by the weights
        gram = (Z.T @ Z).toarray() - np.outer(sums, m) - np.outer(m, sums) + self.total * np.outer(m, m)
        return gram, np.asarray(Z.T @ self.Y[0]) - m * float(self.root @ self.Y[0])

    def _squares(self) -> np.ndarray:
        return self.value**2

    def _walk(self, output: int, along: _native.Penalties, out: dict[str, np.ndarray]) -> None:
        _native.sparse_path(
            value=self.value,
            row=self.row,
            start=self.start,
            mean=self.mean,
            root=self.root,
            y=self.Y[output],
            along=along,
            **out,
        )


def grid(
    data: Problem, l1_ratio: float, n_alphas: int, eps: float, positive: bool = False, who: str = "lasso"
) -> np.ndarray:
    """(n_alphas,) from the smallest alpha that keeps all weights at 0 down to ``eps`` times that, evenly in the log.

    For a target that is a constant up to rounding, all are the smallest number that counts, as in scikit-learn.
    """
    if l1_ratio == 0:
        raise ParameterError(
            f"{who}: Automatic alpha grid generation is not supported for l1_ratio=0, since no alpha makes all "
            "weights 0. Give alphas=."
        )
    correlations = data.correlations()
    unit = max(float(np.abs(correlations).max(initial=0.0)), 1e-300)  # whose squares might be 0 or infinite
    lengths = np.sqrt(((correlations / unit) ** 2).sum(axis=0))
    strongest = correlations.max(initial=0.0) if positive else unit * lengths.max(initial=0.0)
    top = max(float(strongest), 0.0) / (data.total * l1_ratio)
    floor = float(np.finfo(np.float64).resolution)
    spread, level = np.sqrt(data.square / data.total), np.abs(data.y_mean)
    constant = bool((spread <= 10 * floor * level).all())
    if top <= floor and (constant or top < 1e-290):
        return np.full(n_alphas, floor)
    return np.geomspace(top, top * eps, n_alphas)


def complain(gaps: Any, limit: float, who: str, max_iter: int) -> None:
    """Warn if a gap is above the limit."""
    worst = float(np.max(gaps, initial=0.0))
    if not worst <= limit:  # a gap that is no number, either
        from sklearn.exceptions import ConvergenceWarning

        warn_user(
            f"{who}: Objective did not converge in {max_iter} sweeps: duality gap {worst:.3g}, tolerance {limit:.3g}. "
            "Raise max_iter or tol, scale the columns, or raise alpha.",
            ConvergenceWarning,
        )


def _means(
    X: Any, y: np.ndarray, w: np.ndarray | None, fit_intercept: bool
) -> tuple[float, np.ndarray, np.ndarray]:
    """Weight of all rows, means of the columns and of y (0 without an intercept)."""
    total = float(X.shape[0] if w is None else w.sum())
    if not fit_intercept:
        return total, np.zeros(X.shape[1]), np.zeros(y.shape[1])
    u = np.full(X.shape[0], 1 / total) if w is None else w / total
    rough = u @ y
    y_mean = rough + u @ (y - rough)  # once more, so that equal numbers have themselves as their mean
    return total, np.asarray(u @ X if isinstance(X, np.ndarray) else X.T @ u), y_mean


def _rounding(total: float, mean: np.ndarray) -> np.ndarray:
    """(d,) squares up to which a centred column was a constant."""
    return np.minimum(total * (1e-15 * mean) ** 2, 1e300)


def _cross_products(
    X: np.ndarray, y: np.ndarray, w: np.ndarray | None, mean: np.ndarray, y_mean: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(d, d), (outputs, d) and (outputs,) of rows minus the means; X of one block has lost them already."""

    def products(rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        Z, r = X[rows] - mean if len(X) > BLOCK else X, y[rows] - y_mean
        u = None if w is None else np.sqrt(w[rows])[:, None]
        if u is not None:
            Z, r = Z * u, r * u
        return Z.T @ Z, r.T @ Z, np.einsum("nk,nk->k", r, r)

    n, d = X.shape
    parts = [slice(start, start + BLOCK) for start in range(0, n, BLOCK)] if n > BLOCK else [slice(None)]
    few = n * d * d < 5e7
    sums = [products(rows) for rows in parts] if few else in_threads(products, parts)
    gram, cross, square = (sum(part[1:], part[0]) for part in zip(*sums))
    return gram, np.ascontiguousarray(cross), square


def _checked(precomputed: Any, computed: np.ndarray, moved: bool) -> np.ndarray:
    """Cross products that the user brought, if they are those of this table.

    Where the columns were moved to mean 0 for the intercept, those of the unmoved columns are an honest mistake: they
    are computed again, with a warning. Else they belong to another table.
    """
    gram = np.ascontiguousarray(precomputed, dtype=np.float64)
    if gram.shape != computed.shape:
        raise ParameterError(
            f"precompute must have shape {computed.shape} like the table's columns, got {gram.shape}."
        )
    if np.allclose(
        gram, computed, rtol=1e-4, atol=1e-6 * max(float(np.abs(computed).max(initial=0.0)), 1e-300)
    ):
        return gram
    if not moved:
        raise ParameterError(
            "precompute: the Gram matrix did not pass validation; it is not X'X, the cross products of the (weighted) "
            "columns. Give True."
        )
    warn_user(
        "precompute: the Gram matrix was provided but is not that of the centered columns, which the intercept asks "
        "for; it is computed again. Give the cross products of the centred, weighted columns, or True.",
        DegenerateWarning,
    )
    return computed
