"""What learners share that compare rows by a kernel: tables or objects as it takes them, and the fitted kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanations import Explanations
from assay.core.learner import Learner
from assay.core.parameters import Any_
from assay.core.takes import takes_of_part
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import OBJECTS, Kernel
from assay.kernels.objects import is_column_of_objects, objects_of
from assay.tables import RowNames, Table

__all__ = ["KERNEL", "KernelLearner"]

KERNEL = Any_(
    "the name of a kernel, a function of two tables, or a Kernel",
    lambda value: isinstance(value, (str, Kernel)) or callable(value),
)


class KernelLearner(Learner):
    """A learner with a kernel; it writes ``_kernel`` (what its parameters say) and calls ``_fit_kernel`` in fit.

    Attributes
    ----------
    kernel_ : Kernel, fitted to the training rows      shape_fit_ : shape of X in fit
    """

    keeps_row_names = True
    kernel: Any

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the kernel can use of a table as it is."""
        return takes_of_part(self, "kernel_", self._kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed" or getattr(self.kernel, "precomputed", False)
        return tags

    def _check_parameters(self) -> None:
        self.__dict__.pop("kernel_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()
        self._kernel()

    def _kernel(self) -> Kernel:
        """The kernel that the parameters say, before it learns."""
        raise TypeError(f"{type(self).__name__} must define _kernel")

    def _kernel_of_table(self) -> Kernel:
        """The kernel with the names and kinds of the columns, unless rows are objects or a design of indicators."""
        kernel, schema = self._kernel(), vars(self).get("schema_")
        if schema is not None and ("nominal" in kernel.takes or not any(c.kind == "nominal" for c in schema)):
            return kernel.with_schema(schema)
        return kernel

    # Rows

    def _reads_objects(self, X: Any, fitting: bool) -> bool:
        """Whether rows are objects: those of the kernel, or what a function of the user compares, if it is no table."""
        if not fitting and "kernel_" in vars(self):
            return "schema_" not in vars(self)
        kernel = self._kernel()
        if "objects" not in self.takes:
            return kernel.function and is_column_of_objects(X)
        any_rows = (
            kernel.function or self.takes != OBJECTS
        )  # kernels that do not look at the rows, or are somebody's
        return not (any_rows and isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf")

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if not self._reads_objects(X, fitting):
            return super()._admit(X, fitting)
        if fitting:
            for name in ("schema_", "design_", "n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)  # of an earlier fit to a table
            self.row_names_ = RowNames.of(X).stored()
        else:
            self._ready()
        return objects_of(X, type(self).__name__)

    def _explain_table(self, X: Any) -> Explanations:
        if not self._reads_objects(X, False):
            return super()._explain_table(X)
        values = self._admit(X)
        block: Any = [{"row": value if isinstance(value, str) else repr(value)} for value in values]
        return self._explain_block(values, block)

    def _refuse_sparse(self, table: Table) -> None:
        if not isinstance(table.values, np.ndarray) and self._kernel().precomputed:
            raise TypeError(
                f"{type(self).__name__}: Sparse precomputed kernels are not supported. Use X.toarray()."
            )
        super()._refuse_sparse(table)

    def _fit_kernel(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> None:
        """Fit the kernel to the training rows."""
        kernel = self._kernel_of_table()
        if kernel.precomputed and X.shape[0] != X.shape[1]:
            raise DataError(
                f"{type(self).__name__}: Precomputed matrix must be a square matrix, the kernel values of the training "
                f"rows with each other. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        try:
            self.kernel_ = kernel.learn(X, y, w)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None
        self.shape_fit_ = tuple(map(int, X.shape))
