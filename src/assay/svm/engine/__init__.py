"""The quadratic programs of kernel machines and their solver."""

from assay.svm.engine.dual import Dual, Solution
from assay.svm.engine.solve import solve

__all__ = ["Dual", "Solution", "solve"]
