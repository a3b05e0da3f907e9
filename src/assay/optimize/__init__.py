"""Optimisers that know a value, a gradient and a curvature, and nothing else; and the losses they are used on."""

from assay.optimize.objective import Objective, Optimum, Record

__all__ = ["Objective", "Optimum", "Record"]
