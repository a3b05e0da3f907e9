"""The quadratic programs of kernel machines and their solver."""

from assay.svm.engine.dual import Dual, Solution
from assay.svm.engine.estimate import Estimate, estimate
from assay.svm.engine.solve import solve, solve_all
from assay.svm.engine.warm_start import warm_start

__all__ = ["Dual", "Estimate", "Solution", "estimate", "solve", "solve_all", "warm_start"]
