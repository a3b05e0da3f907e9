"""Tuning: parameters chosen by resampling the training rows, and the error of a tuned learner."""

from assay.tuning.nested import Nested, Tuned, TunedRegressor, nested

__all__ = ["Nested", "Tuned", "TunedRegressor", "nested"]
