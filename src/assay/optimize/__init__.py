"""Minimisers of smooth functions (gradient descent, Newton, L-BFGS), and loss functions."""

from assay.optimize.gradient_descent import Backtracking, Bisection, gradient_descent, inverse_rate
from assay.optimize.lbfgs import lbfgs
from assay.optimize.losses import (
    MARGIN_LOSSES,
    RESIDUAL_LOSSES,
    Loss,
    margin_loss,
    residual_loss,
    soft_maximum,
    zero_one_error,
)
from assay.optimize.margin_error import MarginError
from assay.optimize.newton import newton
from assay.optimize.objective import Objective, Optimum, Record

__all__ = [
    "MARGIN_LOSSES",
    "RESIDUAL_LOSSES",
    "Backtracking",
    "Bisection",
    "Loss",
    "MarginError",
    "Objective",
    "Optimum",
    "Record",
    "gradient_descent",
    "inverse_rate",
    "lbfgs",
    "margin_loss",
    "newton",
    "residual_loss",
    "soft_maximum",
    "zero_one_error",
]
