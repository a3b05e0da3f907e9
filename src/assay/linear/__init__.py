"""Linear learners: a weighted sum of the columns, and a decision."""

from assay.linear.hyperplane import Hyperplane

__all__ = ["Hyperplane"]
