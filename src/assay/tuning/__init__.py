"""Tuning: parameters chosen by resampling the training rows, and the error of a tuned learner."""

from assay.tuning.nested import Nested, Tuned, nested

__all__ = ["Nested", "Tuned", "nested"]
