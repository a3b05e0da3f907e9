"""Tuning: parameters chosen by resampling the training rows, and the error of a learner that is tuned so."""

from assay.tuning.nested import Nested, Tuned, nested

__all__ = ["Nested", "Tuned", "nested"]
