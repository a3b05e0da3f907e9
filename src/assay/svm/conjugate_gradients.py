"""Linear systems of kernel matrices that memory does not hold: conjugate gradients with a low-rank preconditioner."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.parallel import end_if_abandoned
from assay.core.progress import progress
from assay.errors import warn_user
from assay.kernels import Kernel
from assay.kernels.approximations.landmarks import pivoted_cholesky

__all__ = ["ByGradients"]

PRECONDITIONER_ROWS = 500  # pivots of the approximation at most,
PRECONDITIONER_NUMBERS = 1 << 26  # and numbers in it
TOLERANCE = 1e-8  # of the residual, as a share of the targets
MOST_STEPS = 500


class ByGradients:
    r""":math:`(DKD + \alpha I) c = y` from products with K alone, whose values are computed anew in each step.

    With :math:`DKD \approx FF^T` by pivoted Cholesky decomposition the steps are those of conjugate gradients in the
    metric of

    .. math:: P = FF^T + \alpha I, \qquad P^{-1} = \tfrac1\alpha\bigl(I - F(\alpha I + F^TF)^{-1}F^T\bigr) \quad (1)

    whose system has a condition of at most :math:`1 + \operatorname{tr}(DKD - FF^T)/\alpha`. All targets share the
    products. Cost: O(n^2 d) a step, O(n r^2) once; memory O(n r) for r pivots.

    Parameters
    ----------
    kernel : Kernel, positive semidefinite      X : training rows
    root : (n,) the diagonal of D, or None for ones      who : the learner that asks

    References
    ----------
    - Cutajar, K., Osborne, M. A., Cunningham, J. P. and Filippone, M. (2016). Preconditioning kernel matrices.
      Proceedings of the 33rd International Conference on Machine Learning, 2529-2538.
    - Gardner, J. R., Pleiss, G., Bindel, D., Weinberger, K. Q. and Wilson, A. G. (2018). GPyTorch: blackbox
      matrix-matrix Gaussian process inference with GPU acceleration. Advances in Neural Information Processing Systems
      31.
    """

    def __init__(self, kernel: Kernel, X: Any, root: np.ndarray | None, who: str):
        self.kernel, self.X, self.root, self.who = kernel, X, root, who
        gram = kernel.gram_rows(X)
        most = max(1, min(PRECONDITIONER_ROWS, PRECONDITIONER_NUMBERS // max(gram.n, 1)))
        F = pivoted_cholesky(gram, most).factor
        self.F = F if root is None else F * root[:, None]
        self.inner = self.F.T @ self.F

    def solve(self, Y: np.ndarray, alpha: float, with_inverse: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(n, t) the coefficients for (n, t) targets, and ones in the place of the diagonal of the inverse."""
        from scipy.linalg import cho_factor, cho_solve

        middle = self.inner.copy()
        middle.flat[:: len(middle) + 1] += alpha
        factor = cho_factor(middle, overwrite_a=True, check_finite=False)

        def nearly_solved(R: np.ndarray) -> np.ndarray:
            return (R - self.F @ cho_solve(factor, self.F.T @ R, check_finite=False)) / alpha  # (1)

        size = np.sqrt(np.einsum("ij,ij->j", Y, Y))
        aim = TOLERANCE * np.where(size > 0, size, 1.0)
        C, R = np.zeros_like(Y), Y.copy()
        Z = nearly_solved(R)
        P, old = Z.copy(), np.einsum("ij,ij->j", R, Z)
        with progress(description=f"{self.who}: conjugate gradients") as bar:
            for _ in range(MOST_STEPS):
                left = np.sqrt(np.einsum("ij,ij->j", R, R))
                if (left <= aim).all():
                    break
                Q = self._product(P) + alpha * P
                along = np.einsum("ij,ij->j", P, Q)
                step = np.divide(old, along, out=np.zeros_like(old), where=(left > aim) & (along > 0))
                C += step * P
                R -= step * Q
                Z = nearly_solved(R)
                new = np.einsum("ij,ij->j", R, Z)
                P = Z + np.divide(new, old, out=np.zeros_like(new), where=old > 0) * P
                old = new
                bar.advance(note=f"residual {float((left / np.where(size > 0, size, 1.0)).max()):.2g}")
                end_if_abandoned()
            else:
                share = float((np.sqrt(np.einsum("ij,ij->j", R, R)) / np.where(size > 0, size, 1.0)).max())
                warn_user(
                    f"{self.who}: conjugate gradients stopped after {MOST_STEPS} steps with {share:.2g} of the targets "
                    "left over. Raise alpha.",
                    ConvergenceWarning,
                )
        return C, np.ones(len(Y))

    def _product(self, V: np.ndarray) -> np.ndarray:
        """DKD V"""
        if self.root is None:
            return self.kernel.combine(self.X, self.X, np.ascontiguousarray(V))
        return self.root[:, None] * self.kernel.combine(self.X, self.X, self.root[:, None] * V)
