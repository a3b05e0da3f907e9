r"""Machines of several classes in one problem, solved over the K coefficients of a row at a time.

With scores :math:`f_k(x) = w_k^T\phi(x) + b_k` and a row of class y the slacks are, for a margin m,

.. math:: \xi = \max_{k\ne y}\,(m + f_k - f_y)_+ \quad\text{(Crammer and Singer)},\qquad
          \sum_{k\ne y}(m + f_k - f_y)_+ \quad\text{(Weston and Watkins)}                                \quad (1)

and :math:`\tfrac12\sum_k\lVert w_k\rVert^2 + \sum_i C_i\xi_i` is minimised. A constant is the weight of a column of s,
and penalised as such. Constants without penalty come from that in a few rounds: each round penalises the distance from
the constants of the last one (the proximal point method), :math:`\tfrac12(b_k - b_k^{old})^2/s^2`, until they stay.

Where that takes longer than an interior point method would, and the weights are few enough for one, it takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import assay.svm.multiclass._row_blocks as _row_blocks
from assay.core.csr import csr_arrays
from assay.core.parallel import end_if_abandoned
from assay.errors import DataError
from assay.svm.multiclass.face_steps import face_steps
from assay.svm.multiclass.joint_interior import ClassRows, fits_inside, work_inside

__all__ = ["ClassProblem", "ClassSolution", "check_reach", "solve_classes", "solve_classes_gram"]

Floats = NDArray[np.float64]

FIRST_VIOLATION = 0.1  # in units of the margin, at which the gap is looked at first
SMALLEST_SHARE, LARGEST_SHARE = 0.05, 0.7  # of a violation, at which the gap is looked at next
PASSES_BETWEEN_STEPS = 40  # over the rows, before those in play take steps together
WORK_BETWEEN_LOOKS = 2e8  # multiplications before Ctrl-C is looked for
ITERATION = 1e7  # multiplications in what counts as an iteration, or one pass
LEAST_VALUE = 1e-9  # of what all rows pay without weights: a smaller objective counts as this
MAX_ROUNDS = 100  # of the proximal point method for the constants
SLOW_SHARE = 0.5  # of the last round's move of the constants, beyond which the next one may move further,
GROWTH = 3.0  # by the square of this
LEAST_WORK = 2e7  # multiplications of passes, before an interior point method is tried
STEPS_WORK = 2e8  # what steps of all coefficients together may well take
LARGEST_REACH = 1e290  # of prices times squared lengths: sums of them are numbers still
MOST_NUMBERS = 50_000_000  # of sparse rows that are made dense for it


@dataclass(frozen=True)
class ClassProblem:
    """The rows' classes and prices, and which slack of (1) they pay.

    Attributes
    ----------
    y : (n,) classes 0 .. K-1      price : (n,) C_i, above 0      K : number of classes
    each : True for Weston and Watkins, False for Crammer and Singer      margin : m
    constant : s, 0 for none      penalised : whether the constants count in the penalty
    """

    y: NDArray[np.int64]
    price: Floats
    K: int
    each: bool
    margin: float
    constant: float
    penalised: bool

    def slack(self, F: Floats) -> float:
        """The slacks of rows with scores F (n, K), as (1) prices them."""
        rows = np.arange(len(self.y))
        short = self.margin + F - F[rows, self.y][:, None]
        short[rows, self.y] = 0.0
        np.maximum(short, 0.0, out=short)
        return float(self.price @ (short.sum(axis=1) if self.each else short.max(axis=1)))


@dataclass(frozen=True)
class ClassSolution:
    """Coefficients A (n, K) of the rows, weights W (d, K) of a linear machine, constants b (K,), and how it went.

    Weights that are ``exact`` have digits that rows times A would lose.
    """

    A: Floats
    W: Floats | None
    b: Floats
    n_iter: int
    converged: bool
    value: float
    gap: float
    exact: bool = False


def check_reach(who: str, squares: Floats, price: Floats) -> None:
    """Refuse rows of squared lengths whose products with the prices overflow."""
    with np.errstate(over="ignore"):
        reach = float(squares.max(initial=1.0)) * float(price.max(initial=1.0)) * len(price)
    if not reach < LARGEST_REACH:
        raise DataError(
            f"{who}: C times the squared length of the rows is too large a number. Lower C, or divide the columns of X "
            "by some power of ten."
        )


def solve_classes(X: Any, problem: ClassProblem, tol: float, max_iter: int, seed: int) -> ClassSolution:
    """A linear machine of dense or sparse rows.

    Parameters
    ----------
    X : (n, d) float64 array, C-ordered, or CSR matrix      problem : the classes
    tol : relative gap between the objective and its dual      max_iter : passes at most
    seed : of the order of rows
    """
    n, d = X.shape
    W = np.zeros((d + 1, problem.K))
    if isinstance(X, np.ndarray):
        norm, arrays = (X * X).sum(axis=1), {"X": X}
        sweep: Callable[..., int] = _row_blocks.sweep_dense
        work = float(X.size)
    else:
        start, column, value = csr_arrays(X, np.float64)
        norm = np.bincount(np.repeat(np.arange(n), np.diff(start)), value * value, minlength=n)
        arrays, sweep = {"start": start, "column": column, "value": value}, _row_blocks.sweep_sparse
        work = float(len(value))

    def score(constant: float) -> tuple[Floats, float]:
        return np.asarray(X @ W[:d]) + constant * W[d], float((W * W).sum())

    def run(**common: Any) -> int:
        return sweep(**arrays, W=W, **common)

    def slopes(rows: NDArray[np.int64], constant: float) -> Floats:
        return np.asarray(X[rows] @ W[:d]) + constant * W[d]

    def products(rows: NDArray[np.int64], constant: float) -> Floats:
        some = X[rows]
        square = some @ some.T
        return (square if isinstance(square, np.ndarray) else square.toarray()) + constant**2

    def move(rows: NDArray[np.int64], D: Floats, constant: float) -> None:
        W[:d] += X[rows].T @ D
        W[d] += constant * D.sum(axis=0)

    def resize(old: float, new: float) -> None:
        W[d] *= new / old

    face, early = _Face(slopes, products, move), None
    if fits_inside(n, d, problem.K) and float(n) * d <= MOST_NUMBERS:
        early = _Early(max(work_inside(n, d, problem.K), LEAST_WORK), lambda: _from_inside(X, problem, tol))
    solution = _solve(problem, norm, work, run, score, resize, face, tol, max_iter, seed, early)
    return solution if solution.exact else replace(solution, W=W[:d] if solution.W is None else solution.W)


def _from_inside(X: Any, problem: ClassProblem, tol: float) -> ClassSolution | None:
    """The solution by an interior point method, if there is one that meets the tolerance.

    Its weights are those that the method found: sums of the rows may have lost their digits in rounding.
    """
    X = X if isinstance(X, np.ndarray) else X.toarray()
    n, K, s = len(problem.y), problem.K, problem.constant
    rows = ClassRows.of(X, problem.y, problem.price, K, problem.each, problem.margin, s, problem.penalised)
    near = None if rows is None else rows.solved()
    if rows is None or near is None:
        return None
    A, W, b, total = near.A, near.W, near.b, near.A.sum(axis=0)
    share = 1 / s**2 if s and problem.penalised else 0.0  # of the squared constants in the penalty
    least = LEAST_VALUE * problem.margin * float(problem.price.sum())

    def value_of(W: Floats, b: Floats) -> tuple[float, float]:
        square = float((W * W).sum()) + share * float(b @ b)
        return 0.5 * square + problem.slack(X @ W + b), square

    with np.errstate(all="ignore"):
        sums = (X - rows.mean).T @ A
        beside = s * s * total if share else b + rows.mean @ (W - sums)
        (value, square), (by_sums, square_of_sums) = value_of(W, b), value_of(sums, beside)
        asked = problem.margin * float(A.sum() - A[np.arange(n), problem.y].sum())
        if s and not share:  # constants without penalty: the sums of A would be 0
            asked += float(np.abs(b) @ np.abs(total))
        gap = min((value + 0.5 * squares + asked for squares in (square_of_sums, square)), key=abs)
    close = tol * max(value, least)
    if not abs(gap) <= close:
        return None
    b = b - b.mean() if s and not share else b
    return ClassSolution(A, W, b, near.n_iter, True, value, gap, exact=not by_sums - value <= close)


def solve_classes_gram(
    gram: Floats, problem: ClassProblem, tol: float, max_iter: int, seed: int
) -> ClassSolution:
    """A machine of any kernel, from the matrix of its values among the training rows; the rest as above."""
    F = np.zeros((len(gram), problem.K))
    A: list[Floats] = []

    def run(**common: Any) -> int:
        A[:] = [common["A"]]
        return _row_blocks.sweep_gram(gram=gram, F=F, **common)

    def score(constant: float) -> tuple[Floats, float]:
        return F.copy(), float((A[0] * F).sum())

    def move(rows: NDArray[np.int64], D: Floats, constant: float) -> None:
        F[...] += gram[rows].T @ D + constant**2 * D.sum(axis=0)

    def resize(old: float, new: float) -> None:
        F[...] += (new**2 - old**2) * A[0].sum(axis=0)

    face = _Face(
        lambda rows, constant: F[rows], lambda rows, constant: gram[np.ix_(rows, rows)] + constant**2, move
    )
    work = float(len(gram)) ** 2
    return _solve(problem, np.diagonal(gram).copy(), work, run, score, resize, face, tol, max_iter, seed)


@dataclass(frozen=True)
class _Face:
    """What `face_steps` asks of a machine; the last argument of each is the size of the constant column."""

    slopes: Callable[[NDArray[np.int64], float], Floats]
    products: Callable[[NDArray[np.int64], float], Floats]
    move: Callable[[NDArray[np.int64], Floats, float], None]


@dataclass(frozen=True)
class _Early:
    """Another way to the solution, if it has one, that is tried after so many multiplications of passes."""

    work: float
    solution: Callable[[], ClassSolution | None]


def _solve(
    problem: ClassProblem,
    norm: Floats,
    work: float,
    run: Callable[..., int],
    score: Callable[[float], tuple[Floats, float]],
    resize: Callable[[float, float], None],
    face: _Face,
    tol: float,
    max_iter: int,
    seed: int,
    early: _Early | None = None,
) -> ClassSolution:
    n, K = len(problem.y), problem.K
    constant = problem.constant
    free = bool(constant) and not problem.penalised
    if free:  # about the size of the rows, so that the penalty of a round is a mild one
        constant = float(np.sqrt(max(norm.mean(), 1e-12)))
        problem = replace(problem, constant=constant)
    A, order, offset, before = np.zeros((n, K)), np.arange(n), np.zeros(K), np.zeros(K)
    state = np.array([n, np.inf, float(seed), np.inf])
    power = np.maximum(norm + constant**2, 1e-300)
    wrong = np.ones((n, K))
    wrong[np.arange(n), problem.y] = 0.0
    price = problem.price[:, None]
    low = np.where(wrong * problem.each > 0, -price, -np.inf)
    high = np.where(wrong > 0, 0.0, np.inf if problem.each else price)
    least = LEAST_VALUE * problem.margin * float(problem.price.sum())
    cost = 2.0 * work * K + 1.0
    at_once, counted = max(1, int(WORK_BETWEEN_LOOKS / cost)), max(1, int(ITERATION / cost))
    violation, made, rounds, limit = FIRST_VIOLATION * problem.margin, 0, 0, max_iter * counted
    while True:
        blocks = _row_blocks.Blocks(
            y=problem.y,
            price=problem.price,
            power=power,
            offset=offset,
            margin=problem.margin,
            constant=constant,
            each=problem.each,
        )
        most = min(at_once, limit - made, PASSES_BETWEEN_STEPS)
        made += run(blocks=blocks, tol=violation, most=most, A=A, order=order, state=state)
        end_if_abandoned()
        crawls = state[3] > violation and made < limit
        if early is not None and made < limit and made * cost + crawls * STEPS_WORK >= early.work:
            other, early = early.solution(), None
            if other is not None:
                return replace(other, n_iter=other.n_iter - (-made // counted))
        if crawls:
            _steps_together(face, A, low, high, offset + problem.margin * wrong, constant)
            continue
        F, square = score(constant)
        b = constant * constant * A.sum(axis=0) if constant else np.zeros(K)
        moved = (
            float(b @ b) / constant**2 if free else 0.0
        )  # what the round's penalty of the constants counts
        margins = problem.margin * float((A * wrong).sum()) + float(offset @ A.sum(axis=0))
        value = 0.5 * square + problem.slack(F + offset)
        gap = value + 0.5 * square + margins
        if free:
            value -= 0.5 * moved
        size = max(value, least)
        close = gap <= tol * size
        still = not free or 0.5 * moved + float(np.abs(b) @ np.abs(A.sum(axis=0))) <= tol * size
        if made >= limit or (close and still) or rounds >= MAX_ROUNDS or violation < 1e-14:
            break
        state[0] = n
        if not close:  # the gap falls about as the violation does
            violation *= min(max(0.5 * tol * size / gap, SMALLEST_SHARE), LARGEST_SHARE)
        else:
            offset, rounds, state[1] = offset + b, rounds + 1, np.inf
            if (
                float(b @ before) > SLOW_SHARE * float(before @ before) > 0
            ):  # on the way still: a milder penalty
                resize(constant, GROWTH * constant)
                constant *= GROWTH
                power = np.maximum(norm + constant**2, 1e-300)
            before = b
    if early is not None and made < limit and not (close and still):  # rounding ended it
        other = early.solution()
        if other is not None:
            return replace(other, n_iter=other.n_iter - (-made // counted))
    b = offset + b
    return ClassSolution(
        A, None, b - b.mean() if free else b, -(-made // counted), close and still, value, gap
    )


def _steps_together(
    face: _Face, A: Floats, low: Floats, high: Floats, extra: Floats, constant: float
) -> None:
    """Steps of all coefficients between their bounds; ``extra`` is what the slopes have beside the scores."""
    face_steps(
        A, low, high,
        lambda rows: face.slopes(rows, constant) + extra[rows],
        lambda rows: face.products(rows, constant),
        lambda rows, D: face.move(rows, D, constant),
    )  # fmt: skip
