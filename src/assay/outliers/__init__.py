"""What does not belong: rows that are unlike the others."""

from assay.outliers.local_outlier_factor import LocalOutlierFactor

__all__ = [
    "LocalOutlierFactor",
]
