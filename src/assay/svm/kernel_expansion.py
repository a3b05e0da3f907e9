"""Machines in which every training row has a coefficient, solved with the whole kernel matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Choice, Range
from assay.core.stored import FloatArray, Object, ObjectRows, Plain, TableRows
from assay.kernels import Kernel, MatrixRows
from assay.kernels.gram_rows import finite
from assay.kernels.memory import refuse_beyond_memory
from assay.svm.kernel_machine import KERNEL, KernelMachine

__all__ = ["KernelExpansion"]


class KernelExpansion(KernelMachine):
    r"""A machine with :math:`f(x) = \sum_i c_i K(x_i, x)` over all training rows, which it keeps as ``X_fit_``.

    A machine calls ``_learn_matrix(X)`` for the kernel matrix of the training rows, and ``_kernel_sums(X, c)``.
    """

    accepts: ClassVar[Any] = {
        "kernel": KERNEL,
        "gamma": Range(0) | Choice("scale", "auto"),
        "degree": Range(0),
        "coef0": Range(),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "X_fit_": TableRows("n", "p") | ObjectRows("n") | FloatArray(0, 0),
        "shape_fit_": Plain(tuple),
    }
    remedy: ClassVar[str] = ""  # what to use when the kernel matrix does not fit the memory

    def _learn_matrix(self, X: Any, y: np.ndarray | None, w: np.ndarray | None) -> np.ndarray:
        """(n, n) the kernel matrix of the training rows, which are kept; a matrix of the user's own is copied."""
        gram = self._learn_kernel(X, y, w)
        refuse_beyond_memory(type(self).__name__, gram.n, self.remedy)
        if self.kernel_.precomputed:
            self.X_fit_ = np.empty((0, 0))
            return finite(np.array(X, dtype=np.float64), "precomputed")
        self.X_fit_ = X.tocsr() if hasattr(X, "tocsr") else X
        return finite(gram.K if isinstance(gram, MatrixRows) else self.kernel_.gram(X), self.kernel_.name)

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [["kernel", repr(self.kernel_)], ["training rows", self.shape_fit_[0]]]
        lines += self._facts()
        return [Section("Machine", ["what", "value"], lines)]

    # Reasons

    _speakers: ClassVar[str] = "training rows"

    def _speaking_rows(self) -> np.ndarray:
        return np.arange(self.shape_fit_[0])

    def _speaking_table(self) -> Any:
        return self.X_fit_

    def _facts(self) -> list[list[Any]]:
        """What else ``show`` says in a line."""
        return []

    def _check_stored(self) -> None:
        fitted = "X_fit_" in vars(self) and not self.kernel_.precomputed
        if fitted and self.X_fit_.shape[0] != self.shape_fit_[0]:
            raise ValueError(
                f"{self.shape_fit_[0]} training rows are named, {self.X_fit_.shape[0]} are stored"
            )

    def _query(self, X: Any) -> tuple[Any, Any]:
        if self.kernel_.precomputed:
            return np.asarray(X, dtype=np.float64), np.arange(self.shape_fit_[0])
        S = self.X_fit_
        if hasattr(X, "tocsr") == hasattr(S, "tocsr"):
            return X, S
        import scipy.sparse

        return scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(S)
