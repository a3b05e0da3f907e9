"""One name for each rate: the labels of axes and tables in plots and reports."""

from __future__ import annotations

__all__ = [
    "FALSE_POSITIVE_RATE",
    "GAIN",
    "LIFT",
    "OBSERVED",
    "PRECISION",
    "PREDICTED",
    "RECALL",
    "RIGHT",
    "ROWS_TAKEN",
    "TRUE_POSITIVE_RATE",
]

FALSE_POSITIVE_RATE = "false positive rate"
TRUE_POSITIVE_RATE = "true positive rate"
RECALL = "recall"  # the true positive rate, where it stands beside precision
PRECISION = "precision"
ROWS_TAKEN = "share of rows, highest scores first"
GAIN = "share of positives found"
LIFT = "lift"
PREDICTED = "mean predicted probability"
OBSERVED = "fraction of positives"
RIGHT = "fraction of correct predictions"
