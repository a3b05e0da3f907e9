"""Support vector classifier whose price of slack and width of kernel are chosen by leave-one-out or by folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv

from assay.core import Card
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count
from assay.core.progress import progress
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, ParameterError
from assay.kernels import GramRows, MatrixRows
from assay.svm.price_path import along_prices, gammas_of, held, part_of, prices, right_left_out
from assay.svm.svc import SVC
from assay.svm.votes import sides
from assay.types import ClassWeight, KernelLike, RandomState, Splitter

__all__ = ["SVCCV"]

VALUES = Any_(
    "a whole number from 1 up, or numbers above 0",
    lambda value: (
        Count(1).holds(value)
        or (
            not isinstance(value, (str, bytes, bool))
            and np.ndim(value) == 1
            and len(value) > 0
            and all(np.isfinite(v) and v > 0 for v in np.asarray(value, dtype=float))
        )
    ),
)


class SVCCV(SVC):
    r"""The support vector classifier of `SVC`, with C and gamma chosen from a grid.

    Each gamma has one kernel matrix, shared by all folds and all C. Along rising C a machine starts where the last one
    ended: multipliers at the old bound move to the new one, the others stay, and those of the heavier side give way
    until both sides balance. Larger C than one at which nobody pays for slack change nothing. With ``cv="loo"`` rows
    are judged by leave-one-out, by the span rule: one fit for each pair of C and gamma, no folds at all. Machines that
    only judge are solved to ten times tol; of equally good pairs the one with the smallest gamma, then C, is taken.

    Cost: fit O(G n^2 d) for G gammas, and the solutions of G times the number of C fits (times cv with folds), most
    of them begun near their end; predict O(m d) a row for m support vectors; memory O(n^2) while it fits the cache.

    Parameters
    ----------
    Cs : int or list of floats, default 9
        The prices of slack to choose from, or how many from 1e-4 to 1e4, evenly spaced in the logarithm.
    gammas : int or list of floats, default 5
        Of kernels with a gamma: the values, or how many from a hundredth of gamma="scale" to a hundred times it.
    cv : "loo", int, splitter or iterable, default "loo"
        Leave-one-out by the span rule, or folds (an int: so many, stratified by class).
    kernel : str, callable or Kernel, default "rbf"
        As of `SVC`.
    degree : float, default 3
        Of "poly".
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    shrinking, verbose, random_state : as of SVC
    probability : bool, default True
        Whether to fit probabilities.
    tol : float, default 0.001
        By how much the optimality conditions may be violated at the end.
    cache_size : float, default 200
        Megabytes of kernel values that are held.
    class_weight : None, "balanced" or dict from classes to factors of C
    max_iter : int, default -1
        Most steps of the solver; -1 for as many as it takes.
    decision_function_shape : "ovr" or "ovo", default "ovr"
        Scores of several classes: one for each class, or one for each pair.
    break_ties : bool, default True
        Whether classes that win equally many pairs are separated by their scores.
    loss : "hinge" or "squared_hinge", default "hinge"
    multi_class : "ovo" or "ovr", default "ovo"
        A machine for each pair of classes, or for each class against the rest.
    fit_intercept : bool, default True
        Whether there is a bias.

    Attributes
    ----------
    C_ : float, the price chosen      gamma_ : float, the gamma chosen; 0 for a kernel without
    Cs_ : (c,)      gammas_ : (g,)
    scores_ : (g, c) the share of rows that is right, each judged by machines that have not seen it
    support_, support_vectors_, dual_coef_, intercept_ and all others of `SVC`, of the machine of all rows

    Examples
    --------
    >>> from assay.svm import SVCCV
    >>> from assay.tables.data import load_iris
    >>> data = load_iris()
    >>> model = SVCCV(Cs=[0.01, 1.0, 100.0], gammas=[0.01, 1.0]).fit(data.X, data.y)
    >>> model.scores_.shape, model.C_ in (0.01, 1.0, 100.0)
    ((2, 3), True)

    See Also
    --------
    SVC, assay.linear.LogisticRegressionCV

    References
    ----------
    - Chapelle, O., Vapnik, V., Bousquet, O. and Mukherjee, S. (2002). Choosing multiple parameters for support vector
      machines. Machine Learning 46, 131-159. doi:10.1023/A:1012450327387
    """

    card = Card(
        "svm cv",
        "a support vector machine that chooses C and gamma by leave-one-out",
        scale=True,
        learns=(
            "a linear score in the kernel's space",
            "hinge loss + squared weights",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        "Cs": VALUES,
        "gammas": VALUES,
        "cv": Choice("loo")
        | Any_(
            "a number of folds, a splitter or splits",
            lambda value: value is not None and not isinstance(value, str),
        ),
        **{name: kind for name, kind in SVC.accepts.items() if name not in ("C", "gamma")},
    }
    stored = {
        "C_": Scalar(low=0),
        "gamma_": Scalar(low=0),
        "Cs_": FloatArray("c", low=0),
        "gammas_": FloatArray("g", low=0),
        "scores_": FloatArray("g", "c", low=0, high=1),
    }

    def __init__(
        self,
        *,
        Cs: ArrayLike = 9,
        gammas: ArrayLike = 5,
        cv: str | int | Splitter = "loo",
        kernel: KernelLike = "rbf",
        degree: float = 3,
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: RandomState = None,
        loss: str = "hinge",
        multi_class: str = "ovo",
        fit_intercept: bool = True,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.loss = loss
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept

    @property
    def C(self) -> float:  # type: ignore[override]
        """The price chosen; 1 before that."""
        return vars(self).get("C_", 1.0)

    @property
    def gamma(self) -> float | str:  # type: ignore[override]
        """The gamma in use."""
        return vars(self).get("gamma_", None) or "scale"

    def _check_parameters(self) -> None:
        for name in ("C_", "gamma_"):
            self.__dict__.pop(name, None)
        super()._check_parameters()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if self._posed is not None:
            super()._learn(X, y, w)
        weight = self._row_weights(y, w)
        self.Cs_, self.gammas_ = prices(self.Cs), gammas_of(self, X, y, w, self.gammas)
        self.scores_ = np.empty((len(self.gammas_), len(self.Cs_)))
        folds = None if isinstance(self.cv, str) else self._folds(X, y)
        with progress(len(self.gammas_), "SVCCV: kernels") as bar:
            for g, gamma in enumerate(self.gammas_):
                self.gamma_ = float(gamma)
                gram = held(self, self._kernel_matrix(X, y, w))
                if folds is None:
                    self.scores_[g] = right_left_out(self, gram, y, weight, self.Cs_)
                else:
                    self.scores_[g] = self._by_folds(gram, y, weight, folds)
                bar.advance()
        best_gamma, best_C = np.unravel_index(int(np.argmax(self.scores_)), self.scores_.shape)
        self.C_, self.gamma_ = float(self.Cs_[best_C]), float(self.gammas_[best_gamma])
        super()._learn(X, y, w)

    def _folds(self, X: Any, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        try:
            splits = list(check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y))
        except ValueError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None
        if not splits:
            raise DataError(f"{type(self).__name__}: cv has no folds.")
        return [(np.asarray(train), np.asarray(test)) for train, test in splits]

    def _by_folds(
        self,
        gram: GramRows,
        y: np.ndarray,
        weight: np.ndarray,
        folds: list[tuple[np.ndarray, np.ndarray]],
    ) -> np.ndarray:
        K, work = len(self.classes_), []
        for f, (train, _) in enumerate(folds):
            counts = np.zeros(len(y), dtype=bool)
            counts[train] = weight[train] > 0
            work += [(f, p, *part) for p, part in enumerate(sides(y, counts, K, self.multi_class == "ovr"))]
        P = len(work) // len(folds)
        scores = [np.empty((len(self.Cs_), len(test), P)) for _, test in folds]

        def path(job: tuple[int, int, np.ndarray, np.ndarray]) -> None:
            f, p, rows, sign = job
            test = folds[f][1]
            held = gram.K[test] if isinstance(gram, MatrixRows) else None
            for c, machine in enumerate(
                along_prices(self, part_of(gram, rows), sign, weight[rows], self.Cs_)
            ):
                support = machine.support
                beta = (machine.sign * machine.alpha)[support]
                weights = None if machine.solution is None else machine.solution.weights
                if weights is not None:
                    sums = gram.factor()[test] @ weights
                elif held is None:
                    sums = gram.times(test, rows[support], beta)
                else:
                    coefficients = np.zeros(gram.n, held.dtype)
                    coefficients[rows[support]] = beta
                    sums = held @ coefficients
                scores[f][c, :, p] = sums + machine.offset

        in_threads(path, work, 1 if self.kernel_.function else None)
        right, total = np.zeros(len(self.Cs_)), 0.0
        for (_, test), values in zip(folds, scores):
            total += weight[test].sum()
            right += [weight[test] @ (self._winner(values[c]) == y[test]) for c in range(len(self.Cs_))]
        return right / total
