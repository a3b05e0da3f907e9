"""Standard errors, intervals and measures of fit for logistic and softmax regression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.core.scores import logistic, softmax
from assay.core.sums import Block, Rows
from assay.errors import DegenerateError, DegenerateWarning, warn_user
from assay.linear.inference.fisher_information import (
    Meat,
    Outside,
    column_scale,
    correction,
    gradients_part,
    inner_rows,
    inverse,
    over_blocks,
    refuse_dependent,
    sandwich,
)
from assay.linear.logistic.logistic_objective import LogisticObjective
from assay.types import TableLike

__all__ = ["LogisticInference"]


@dataclass(frozen=True)
class LogisticInference:
    r"""A fitted logistic model beside its rows; weights count as so many equal rows.

    With residuals :math:`r_{ik} = [y_i=k] - p_{ik}` the gradient of a row is :math:`x_i \otimes r_i` and the curvature
    of the log likelihood

    .. math:: H_{jk} = \sum_i v_i\,p_{ij}([j=k]-p_{ik})\,x_ix_i^T                                    \quad (1)

    Parameters
    ----------
    rows : X, y codes 0..K-1, w or None      W : (d + 1, K) weights of all classes, the constant last
    strength : 1/C, 0 without a penalty      intercept_strength : the same of the constant
    reference : the class that others are compared with
    penalised_reference : the class whose weights were 0 when the penalty was paid; None if all paid
    """

    rows: Rows
    W: np.ndarray
    fit_intercept: bool
    names: list[str]
    classes: np.ndarray
    who: str
    strength: float = 0.0
    intercept_strength: float = 0.0
    reference: int = 0
    penalised_reference: int | None = None

    @property
    def K(self) -> int:
        return self.W.shape[1]

    @property
    def penalised(self) -> bool:
        return self.strength > 0 or self.intercept_strength > 0

    @cached_property
    def objective(self) -> LogisticObjective:
        """The likelihood in inner coordinates; without a penalty the reference class has weights 0."""
        left_out = self.penalised_reference if self.penalised else self.reference
        return LogisticObjective(
            self.rows,
            self.K,
            column_scale(self.rows, self.fit_intercept and self.intercept_strength == 0),
            strength=self.strength,
            fit_intercept=self.fit_intercept,
            intercept_strength=self.intercept_strength,
            reference=0 if self.K == 2 else left_out,
        )

    @cached_property
    def at(self) -> np.ndarray:
        """The estimate in inner coordinates."""
        W = self.W
        return self.objective.start(W[:, [1]] - W[:, [0]] if self.K == 2 else W)

    @cached_property
    def curvature(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Penalised minus log likelihood, its gradient and its curvature, per unit of weight."""
        return self.objective.curvature(self.at)

    @cached_property
    def gram(self) -> np.ndarray:
        """(P, P) mean products of the columns inside."""
        return self.objective.scatter()

    @property
    def total(self) -> float:
        return self.objective.scale.total

    @cached_property
    def log_likelihood(self) -> float:
        U = self.at.reshape(self.objective.shape)
        penalty = 0.5 * float((self.objective.decay * U * U).sum())
        return -(self.curvature[0] - penalty) * self.total

    @cached_property
    def null_log_likelihood(self) -> float:
        """Of the model with a constant alone: the class shares."""
        count = np.bincount(self.rows.y, self.rows.w, self.K).astype(np.float64)
        return float(np.sum(count[count > 0] * np.log(count[count > 0] / count.sum())))

    def check_columns(self) -> None:
        """Refuse columns that others determine, unless a penalty decides between them."""
        if not self.penalised:
            remedy = "Drop it, or give a penalty (C below infinity)."
            refuse_dependent(self.gram, self.names, self.who, remedy)

    def check(self) -> list[str]:
        """Notes on the fit; errors where there is nothing to infer from."""
        self.check_columns()
        notes = self._separated()
        step = self.bread @ (self.curvature[1] * self.total)
        away = float(np.sqrt(max(step @ (self.curvature[1] * self.total), 0.0)))
        if away > 0.1:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"{self.who}: the coefficients are {away:.2g} standard errors away from the best ones for these rows. "
                "Pass the rows and weights of fit; if these are they, lower tol or raise max_iter and fit again.",
                ConvergenceWarning,
            )
        return notes

    def _separated(self) -> list[str]:
        if self.penalised or not self._looks_separated():
            return []
        from assay.linear.separation.separability import separation

        separated = separation(
            self.rows.X,
            self.rows.y,
            self.rows.w,
            fit_intercept=self.fit_intercept,
            names=self.names,
            classes=self.classes,
        )
        if separated.kind == "complete":
            raise DegenerateError(f"{self.who}: {separated.sentence}")
        if separated.kind == "quasi":
            warn_user(f"{self.who}: {separated.sentence}", DegenerateWarning)
            return [separated.sentence]
        return []

    def _looks_separated(self) -> bool:
        """Whether some direction is so much flatter than the others that it is worth asking; costs no pass."""
        H = self.curvature[2]
        if -self.log_likelihood < 1e-3 * self.total or not np.isfinite(H).all():
            return True
        flattest = np.linalg.eigvalsh(H)[0] / np.linalg.eigvalsh(self.gram)[0]
        usual = np.trace(H) / np.trace(self.gram) / self.objective.shape[1]
        return bool(flattest < 1e-2 * usual)

    @cached_property
    def bread(self) -> np.ndarray:
        """The inverse of the curvature of the sum over all rows."""
        A = self.curvature[2] * self.total
        p, F = self.objective.shape
        if F == self.K > 2:  # what shifts all classes alike is not determined, and does not matter
            loose = np.flatnonzero(self.objective.decay[:, 0] == 0)
            A = A.copy()
            for r in loose:
                at = slice(r * F, (r + 1) * F)
                A[at, at] += A[at, at].diagonal().mean()
        try:
            return inverse(A)
        except np.linalg.LinAlgError:
            raise DegenerateError(
                f"{self.who}: the likelihood is flat in some direction at these coefficients, so there are no standard "
                "errors. Give a penalty (C below infinity), or drop columns."
            ) from None

    @cached_property
    def outside(self) -> np.ndarray:
        """(m, inner) from inner weights to the coefficients of the table: class after class, without the reference."""
        p, F = self.objective.shape
        T = Outside(self.objective.scale, self.fit_intercept, F).matrix
        if self.K == 2:
            return T if self.reference == 0 else -T
        others = [k for k in range(self.K) if k != self.reference]
        free = self.objective.free.tolist()
        contrast = np.zeros((self.K - 1, F))
        for row, k in enumerate(others):
            if k in free:
                contrast[row, free.index(k)] = 1.0
            if self.reference in free:
                contrast[row, free.index(self.reference)] = -1.0
        return np.kron(contrast, np.eye(p)) @ T

    def covariance(self, kind: str, groups: np.ndarray | None) -> np.ndarray:
        """(m, m) of the coefficients of the table, by (1) of information.py."""
        bread = self.bread
        if kind == "model":
            decay = np.repeat(self.objective.decay[:, 0], self.objective.shape[1])
            H = (self.curvature[2] - np.diag(decay)) * self.total
            inner = sandwich(bread, H) if self.penalised else bread
        else:
            k = self.at.size
            meat = self._meat(kind, groups).total * correction(kind, self.total, k, groups)
            inner = sandwich(bread, meat)
        return self.outside @ inner @ self.outside.T

    def profile(self, error: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
        """(m,) and (m,) the ends of the profile-likelihood intervals."""
        from assay.linear.inference.profile_likelihood import profile_interval

        ends = [
            profile_interval(self.objective, self.at, row, float(e), self.total, level)
            for row, e in zip(self.outside, error)
        ]
        lower, upper = np.array(ends).T
        return lower, upper

    def _meat(self, kind: str, groups: np.ndarray | None) -> Meat:
        W = self.objective.weights(self.at)
        scale, free, K, bread = self.objective.scale, self.objective.free, self.K, self.bread
        G = 0 if groups is None else int(groups.max()) + 1

        def part(block: Block, groups: np.ndarray | None) -> Meat:
            P = probabilities(block.X, W, K)
            residual = -P
            residual[np.arange(len(P)), block.y] += 1.0
            x = inner_rows(block.X, scale, self.fit_intercept)
            if kind in ("HC2", "HC3"):
                leverage = P[:, 1] * P[:, 0] * np.einsum("ij,jk,ik->i", x, bread, x)
                residual /= np.maximum(1.0 - leverage, 1e-12)[:, None] ** (0.5 if kind == "HC2" else 1.0)
            return gradients_part(x, residual[:, free], block.w, groups, G)

        return over_blocks(self.rows, groups, part)


def probabilities(X: TableLike, W: np.ndarray, K: int) -> np.ndarray:
    """(n, K) from weights (d + 1, K), or (d + 1, 1) of two classes."""
    scores = np.asarray(X @ W[:-1]) + W[-1]
    return logistic(scores[:, 0]) if K == 2 else softmax(scores)
