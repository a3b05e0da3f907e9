"""Transformers whose new columns are numbered after the class: "pca0", "pca1", ..."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core.learner import Transformer
from assay.core.stored import Integer

__all__ = ["NumberedColumns"]


class NumberedColumns(Transformer):
    """A transformer that makes ``_n_features_out`` new columns, known after fit."""

    _n_features_out: int
    stored = {"_n_features_out": Integer("m", low=0)}

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns: that of the class and a number."""
        super().get_feature_names_out(input_features)  # checks them against those of fit
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{j}" for j in range(self._n_features_out)]
