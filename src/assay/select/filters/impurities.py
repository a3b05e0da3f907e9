"""How pure categories leave the classes: scores of a table of categories by classes."""

from __future__ import annotations

import numpy as np

from assay.stats import entropy, gini, mutual_information

__all__ = ["entropy_of_table", "gain_ratio_of_table", "gini_of_table", "uncertainty_of_table"]


def gini_of_table(table: np.ndarray) -> tuple[float, None]:
    """The mean Gini index of the classes in each category."""
    return _mean(gini(table), table), None


def entropy_of_table(table: np.ndarray) -> tuple[float, None]:
    """The mean entropy of the classes in each category, in bits."""
    return _mean(entropy(table, base=2), table), None


def gain_ratio_of_table(table: np.ndarray) -> tuple[float, None]:
    """The information gained about the class, over the information of the category itself."""
    split = float(entropy(table.sum(axis=1), base=2))
    return (float(mutual_information(table, base=2)) / split if split > 0 else 0.0), None


def uncertainty_of_table(table: np.ndarray) -> tuple[float, None]:
    """Symmetrical uncertainty: twice the mutual information over the two entropies, from 0 to 1."""
    both = float(entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)))
    return (2 * float(mutual_information(table)) / both if both > 0 else 0.0), None


def _mean(values: np.ndarray, table: np.ndarray) -> float:
    sizes = table.sum(axis=1)
    return float(values @ sizes / sizes.sum()) if sizes.sum() > 0 else float("nan")
