"""What both kinds of correspondence analysis share: axes of largest inertia, coordinates, shares, explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.stored import FloatArray, Scalar
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.spectrum import Spectrum

__all__ = ["CorrespondenceMap"]


class CorrespondenceMap(ExplainedSums, NumberedColumns):
    """Rows and columns in one map; ``_profiles(X)`` gives the rows whose distances the map shows."""

    stored = {
        "principal_inertias_": FloatArray("m", low=0, finite=True),
        "inertia_shares_": FloatArray("m", low=0, finite=True),
        "total_inertia_": Scalar(low=0),
        "column_masses_": FloatArray("p", low=0, finite=True),
        "column_coordinates_": FloatArray("p", "m", finite=True),
        "column_contributions_": FloatArray("p", "m", low=0, finite=True),
        "column_quality_": FloatArray("p", "m", low=0, finite=True),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "components_": FloatArray("m", "p", finite=True),
    }
    principal_inertias_: np.ndarray
    inertia_shares_: np.ndarray
    total_inertia_: float
    column_coordinates_: np.ndarray
    column_contributions_: np.ndarray
    column_quality_: np.ndarray
    mean_: np.ndarray
    scale_: np.ndarray
    components_: np.ndarray

    def _keep_map(
        self,
        spectrum: Spectrum,
        mean: np.ndarray,
        scale: np.ndarray,
        masses: np.ndarray,
        inertias: np.ndarray,
    ) -> None:
        """Keep the axes of rows with that mean, divided by that scale; of the columns, what they weigh and add."""
        spectrum = spectrum.determined()
        values, V = spectrum.values, spectrum.vectors
        self.mean_, self.scale_, self.components_, self.column_masses_ = mean, scale, V, masses
        self.principal_inertias_, self.total_inertia_ = values, float(spectrum.total)
        self.inertia_shares_ = values / spectrum.total if spectrum.total > 0 else np.zeros(len(values))
        root = np.sqrt(masses)
        weighty = np.where(root > 0, root, np.inf)[:, None]
        self.column_coordinates_ = V.T * np.sqrt(values) / weighty
        self.column_contributions_ = V.T**2
        squares = inertias[:, None]
        self.column_quality_ = np.divide(
            V.T**2 * values, squares, out=np.zeros((len(masses), len(values))), where=squares > 0
        )
        self._n_features_out = len(values)

    def _profiles(self, X: Any) -> np.ndarray:
        return dense_block(X)

    def _deviations(self, X: Any) -> np.ndarray:
        return (self._profiles(X) - self.mean_) / self.scale_

    def _weights(self) -> np.ndarray:
        return self.components_

    def _transform(self, X: Any) -> np.ndarray:
        return self._deviations(X) @ self.components_.T

    def _supplementary(self, Z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(m, k) columns of weights (n, m) among rows with coordinates Z: their mean row, spread as columns are."""
        total = weights.sum(axis=0)
        means = weights.T @ Z / np.where(total > 0, total, 1.0)[:, None]
        root = np.sqrt(self.principal_inertias_)
        return means / np.where(root > 0, root, np.inf)

    # What it shows

    def _model_parts(self) -> list[Part]:
        names = self._names_out()
        shares = np.cumsum(self.inertia_shares_)
        axes: list[list[Any]] = [
            [name, float(v), float(s), float(c)]
            for name, v, s, c in zip(names, self.principal_inertias_, self.inertia_shares_, shares)
        ]
        columns = [
            [name, *place, *share]
            for name, place, share in zip(
                self._names, self.column_coordinates_.tolist(), self.column_contributions_.tolist()
            )
        ]
        heads = ["column", *names, *(f"share of {name}" for name in names)]
        note = f"total inertia {self.total_inertia_:.6g}"
        return [
            Section("Axes", ["axis", "inertia", "share", "cumulative"], axes, note),
            Section("Coordinates of the columns, and their shares of the axes", heads, columns),
        ]
