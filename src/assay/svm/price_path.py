"""Machines of one kernel matrix along rising prices of slack, and how many rows each gets right without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parallel import in_threads
from assay.kernels import GramRows, MatrixRows, kernel_of
from assay.svm.binary_fit import BinaryFit, one_sided
from assay.svm.engine import solve
from assay.svm.votes import sides

if TYPE_CHECKING:
    from assay.svm.svc import SVC

__all__ = [
    "along_prices",
    "best_price",
    "gammas_of",
    "held",
    "part_of",
    "prices",
    "right_left_out",
    "warm_start",
]

LOWEST_C, HIGHEST_C, USUAL_PRICES = 1e-4, 1e4, 9
GAMMA_RANGE, USUAL_GAMMAS = 100.0, 5  # how far below and above gamma="scale" a number of gammas reaches
ROUGH = 10.0  # times tol is the tolerance of machines that only judge a price and a gamma
MOST_SPANS = 1024  # support vectors of each kind that judge a price and a gamma
DOUBLE_ROWS = 500  # up to which the kernel matrix is held in float64


def prices(Cs: ArrayLike = USUAL_PRICES) -> np.ndarray:
    """The prices to try, from low to high; of a number so many.

    >>> from assay.svm.price_path import prices
    >>> prices(3)
    array([1.e-04, 1.e+00, 1.e+04])
    """
    return (
        np.geomspace(LOWEST_C, HIGHEST_C, int(np.asarray(Cs)))
        if np.ndim(Cs) == 0
        else np.sort(np.array(Cs, float))
    )


def gammas_of(
    model: SVC, X: Any, y: np.ndarray, w: np.ndarray | None, gammas: ArrayLike = USUAL_GAMMAS
) -> np.ndarray:
    """The gammas to try, from low to high; 0 alone for a kernel without one."""
    if not isinstance(model.kernel, str) or not hasattr(model._kernel(), "gamma"):
        return np.zeros(1)
    if np.ndim(gammas):
        return np.sort(np.array(gammas, dtype=np.float64))
    kernel: Any = kernel_of(model.kernel, gamma="scale", degree=model.degree, coef0=model.coef0)
    usual = float(kernel.learn(X, y, w).gamma)
    if gammas == 1:
        return np.array([usual])
    return usual * np.geomspace(1 / GAMMA_RANGE, GAMMA_RANGE, int(np.asarray(gammas)))


def best_price(model: SVC, X: Any, y: np.ndarray, w: np.ndarray | None) -> tuple[float, float]:
    """The price and the gamma at which most rows are right by leave-one-out; of several the smallest gamma, then C.

    The gamma is that of the parameters, and 0 is given for it, unless it is "auto".
    """
    weight, Cs = model._row_weights(y, w), prices()
    gammas = gammas_of(model, X, y, w) if model.gamma == "auto" else np.zeros(1)
    scores = np.empty((len(gammas), len(Cs)))
    for g, gamma in enumerate(gammas.tolist()):
        if gamma > 0:
            model.gamma_ = gamma
        scores[g] = right_left_out(model, held(model, model._kernel_matrix(X, y, w)), y, weight, Cs)
    best_gamma, best_C = np.unravel_index(int(np.argmax(scores)), scores.shape)
    return float(Cs[best_C]), float(gammas[best_gamma])


def held(model: SVC, gram: GramRows) -> GramRows:
    """The kernel matrix as a whole, if it fits the cache."""
    if isinstance(gram, MatrixRows) or 4 * gram.n**2 > model.cache_size * 2**20:
        return gram
    return gram.computed(np.float64 if gram.n <= DOUBLE_ROWS else np.float32)


def part_of(gram: GramRows, rows: np.ndarray) -> GramRows:
    """The matrix of some rows, copied if it is held, so that all prices use it as it is."""
    if len(rows) == gram.n:
        return gram
    part = gram.subset(rows)
    return part.computed(gram.K.dtype) if isinstance(gram, MatrixRows) else part


def along_prices(
    model: SVC, gram: GramRows, sign: np.ndarray, weight: np.ndarray, Cs: np.ndarray
) -> Iterator[BinaryFit]:
    """The machines of all prices, from low to high, each begun where the last one ended."""
    if abs(sign.sum()) == len(sign):
        yield from (one_sided(sign, weight) for _ in Cs)
        return
    start, last, previous = None, None, None
    for C in Cs.tolist():
        if last is not None and model.loss == "hinge" and (last.alpha < last.upper).all():
            yield last  # nobody pays the price
            continue
        if last is not None:
            start = warm_start(
                last.alpha, sign, previous * weight, C * weight, model.loss, model.fit_intercept
            )
        dual = model._dual(sign, weight, C, start)
        solution = solve(
            gram, dual, tol=ROUGH * model.tol, cache_size=model.cache_size, max_iter=model.max_iter,
            weighs=model._weighs,
        )  # fmt: skip
        last, previous = model._fit_of(dual, solution), C
        yield last


def right_left_out(
    model: SVC, gram: GramRows, y: np.ndarray, weight: np.ndarray, Cs: np.ndarray
) -> np.ndarray:
    """(c,) for each price the share of rows that is right, each judged by the others, by the span rule."""
    problems = sides(y, weight > 0, len(model.classes_), model.multi_class == "ovr")

    def path(problem: tuple[np.ndarray, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
        rows, sign = problem
        part = part_of(gram, rows)
        machines = along_prices(model, part, sign, weight[rows], Cs)
        return [machine.left_out_scores(part, MOST_SPANS) for machine in machines]

    paths = in_threads(path, problems, 1 if model.kernel_.function else None)
    errors = [
        model._left_out_error(y, weight, problems, [values[c] for values in paths]) for c in range(len(Cs))
    ]
    return 1 - np.array(errors)


def warm_start(
    alpha: np.ndarray, sign: np.ndarray, old: np.ndarray, new: np.ndarray, loss: str, balanced: bool
) -> np.ndarray:
    """Multipliers to begin with when their upper bounds rise from ``old`` to ``new``.

    >>> import numpy as np
    >>> from assay.svm.price_path import warm_start
    >>> sign, ones = np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4)
    >>> warm_start(np.array([1.0, 0.5, 1.0, 0.5]), sign, ones, 3 * ones, "hinge", True)
    array([3. , 0.5, 3. , 0.5])
    """
    if loss != "hinge":
        return alpha
    start = np.where(alpha >= old, new, alpha)
    if not balanced:
        return start
    surplus = float(sign @ start)
    side = (sign > 0) == (surplus > 0)
    moved = side & (start > alpha)
    room = start[moved] - alpha[moved]
    if surplus and room.sum() > 0:  # the side that grew more gives way
        start[moved] -= room * min(1.0, abs(surplus) / room.sum())
    return start if abs(sign @ start) <= 1e-12 * start.sum() else alpha
