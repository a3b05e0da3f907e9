"""What machines of several classes in one problem share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core.discriminant import Discriminant
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Any_, Flag, Range, Seed
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DataError
from assay.kernels import Linear
from assay.linear.class_factors import class_factors
from assay.svm.kernel_machine import KernelMachine
from assay.svm.linear.linear_machine import seed_of, solver_rows, warn_unfinished
from assay.svm.multiclass.row_blocks import (
    ClassProblem,
    ClassSolution,
    check_reach,
    solve_classes,
    solve_classes_gram,
)

__all__ = ["JointMachine"]

MAX_ROWS_HELD = 15_000  # whose kernel matrix is held as a whole, 1.8 GB
MAX_SHOWN = 8  # support vectors of an explanation
ENDLESS = 100_000  # iterations that max_iter=-1 stands for


class JointMachine(KernelMachine, Discriminant):
    """Base of classifiers with one score for each class, all of them learned in one problem.

    A subclass says in ``each`` whether every class pays its own slack, and in ``margin`` by how much the score of a
    row's class shall lead.

    Attributes
    ----------
    dual_coef_ : (K, m) coefficients of the support vectors in the score of each class; they add up to 0 over classes
    intercept_ : (K,)      objective_ : float      gap_ : how far it may be above the minimum
    """

    each: ClassVar[bool]
    margin: ClassVar[float]

    accepts: ClassVar[Any] = {
        "C": Range(0, open="low"),
        **KernelMachine.accepts,
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
        "fit_intercept": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "intercept_": FloatArray("K", finite=True),
        "objective_": Scalar(low=0),
        "gap_": Scalar(),
        "n_iter_": Integer(low=0),
    }

    C: Any
    class_weight: Any
    fit_intercept: Any
    random_state: Any

    n_iter_: int
    objective_: float
    gap_: float

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, K = type(self).__name__, len(self.classes_)
        if K < 2:
            raise DataError(
                f"{who}: this machine needs samples of at least 2 classes, y has only one class: "
                f"{self.classes_.tolist()[0]!r}."
            )
        total = np.bincount(y, weights=w, minlength=K).astype(np.float64)
        factors = class_factors(self.class_weight, self.classes_, total, who)
        price = float(self.C) * (np.ones(len(y)) if w is None else w)
        price = price if factors is None else price * factors[y]
        paid = np.flatnonzero(price > 0)
        gram = self._learn_kernel(X, y, w)
        problem = ClassProblem(
            y[paid].astype(np.int64), price[paid], K, self.each, self.margin, float(self.fit_intercept), False
        )
        check_reach(who, gram.diagonal[paid], problem.price)
        solution = self._joint(X, gram, paid, problem)
        A = np.zeros((len(y), K))
        A[paid] = solution.A
        support = np.flatnonzero(A.any(axis=1))
        self._keep(X, support, np.ascontiguousarray(A[support].T), solution.b)
        if solution.exact and solution.W is not None:
            self._exact_weights = np.ascontiguousarray(solution.W.T)
        self.n_iter_, self.objective_, self.gap_ = solution.n_iter, solution.value, solution.gap
        self.fit_status_ = int(not solution.converged)
        if solution.converged or self._negative_directions(gram) is None:  # else it was said already
            warn_unfinished(who, [solution], self.max_iter, 1e2 * self.tol)

    def _joint(self, X: Any, gram: Any, paid: np.ndarray, problem: ClassProblem) -> ClassSolution:
        """By the columns for the linear kernel, else by the matrix of the kernel."""
        most = ENDLESS if self.max_iter == -1 else int(self.max_iter)
        how = (problem, float(self.tol), most, seed_of(self.random_state))
        if isinstance(self.kernel_, Linear):
            rows = solver_rows(X)
            return solve_classes(rows if len(paid) == rows.shape[0] else rows[paid], *how)
        if len(paid) > MAX_ROWS_HELD:
            raise DataError(
                f"{type(self).__name__}: the kernel matrix of {len(paid)} rows does not fit into memory (at most "
                f"{MAX_ROWS_HELD}). Use assay.kernels.Nystroem before kernel='linear', or draw a sample of the rows."
            )
        whole = gram.whole()
        return solve_classes_gram(whole if len(paid) == len(whole) else whole[np.ix_(paid, paid)], *how)

    def _scores(self, X: Any) -> np.ndarray:
        F = self._outputs(X)
        return F[:, 1] - F[:, 0] if F.shape[1] == 2 else F

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        F = self._outputs(X)

        def sections(i: int) -> list[Section]:
            best = int(np.argmax(F[i]))
            second = int(np.argmax(np.where(np.arange(F.shape[1]) == best, -np.inf, F[i])))
            Q, S = self._query(X[i : i + 1])
            values = np.asarray(self._comparing.between(Q, S))[0]
            lead = self._coefficients[:, best] - self._coefficients[:, second]
            share = lead * values
            order = np.argsort(-np.abs(share), kind="stable")[:MAX_SHOWN]
            lines: list[list[Any]] = [
                [self._cases.label(int(self.support_[j])), float(values[j]), float(lead[j]), float(share[j])]
                for j in order
            ]
            others = float(share.sum() - share[order].sum())
            if len(share) > len(order):
                lines.append([f"{len(share) - len(order)} more", "", "", others])
            constant = float(self.intercept_[best] - self.intercept_[second])
            lines += [["constant", "", "", constant], ["sum", "", "", float(F[i, best] - F[i, second])]]
            title = f"By how much {self.classes_[best]} leads {self.classes_[second]}"
            return [Section(title, ["support vector", "kernel", "coefficient", "product"], lines)]

        return Reasons(sections)
