"""Data made to measure: shapes, Gaussian and mixed classes, functions, noise. The same seed gives the same rows."""

from assay.tables.generators.gaussian import make_gaussian_classes, make_mixed, two_gaussians_error
from assay.tables.generators.noise import attribute_noise, insert_missing, label_noise, make_hidden_attribute
from assay.tables.generators.numbers import (
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_sinusoid,
    make_steps,
    make_used_cars,
)
from assay.tables.generators.shapes import make_boolean, make_box, make_ellipse, make_rings, make_xor
from assay.tables.generators.transactions import make_transactions

__all__ = [
    "attribute_noise",
    "insert_missing",
    "label_noise",
    "make_boolean",
    "make_box",
    "make_ellipse",
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_gaussian_classes",
    "make_hidden_attribute",
    "make_mixed",
    "make_rings",
    "make_sinusoid",
    "make_steps",
    "make_transactions",
    "make_used_cars",
    "make_xor",
    "two_gaussians_error",
]
