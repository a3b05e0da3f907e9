"""Nonparametric regression: running means and lines, kernels, loess, splines, additive models."""

from assay.smoothers.additive_model import AdditiveModel
from assay.smoothers.band import Band
from assay.smoothers.choice import SmoothingChoice, choose_smoothing
from assay.smoothers.incremental_running_mean import IncrementalRunningMean
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
from assay.smoothers.regressogram import Regressogram
from assay.smoothers.running_line import RunningLine
from assay.smoothers.running_mean import RunningMean
from assay.smoothers.running_median import RunningMedian
from assay.smoothers.smoothing_spline import SmoothingSpline

__all__ = [
    "AdditiveModel",
    "Band",
    "IncrementalRunningMean",
    "KernelSmoother",
    "Loess",
    "Regressogram",
    "RunningLine",
    "RunningMean",
    "RunningMedian",
    "SmoothingChoice",
    "SmoothingSpline",
    "choose_smoothing",
]
