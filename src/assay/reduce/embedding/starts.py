"""Where the rows of an embedding begin that is found by small steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.errors import ParameterError
from assay.reduce.components.pca import PCA
from assay.tables import Design

__all__ = ["start_places"]

START_SPREAD = 1e-4  # standard deviation of the first coordinate


def start_places(model: Any, X: Any) -> np.ndarray:
    """(n, m) places of the rows X by ``model.init``: an array, draws, or principal components, close together."""
    init, who, n, m = model.init, type(model).__name__, X.shape[0], model.n_components
    if isinstance(init, np.ndarray):
        if init.shape != (n, m) or not np.isfinite(init).all():
            raise ParameterError(
                f"{who}: init must have the shape {(n, m)} and finite numbers, got {init.shape}."
            )
        return np.array(init, dtype=np.float64, order="C")
    if init == "random":
        draws = random_state_of(model.random_state).standard_normal(size=(n, m))
        return np.ascontiguousarray(START_SPREAD * draws.astype(np.float32), dtype=np.float64)
    rows = _as_numbers(X, model.schema_) if "nominal" in model.takes else X
    if m > min(rows.shape):
        raise ParameterError(
            f"{who}: init='pca' has at most {min(rows.shape)} components here, n_components is {m}. Use "
            "init='random'."
        )
    scores = np.asarray(PCA(m).fit(rows).transform(rows), dtype=np.float64)
    spread = scores[:, 0].std()
    if not spread > 0:  # all rows are equal: any place is as good
        return START_SPREAD * np.random.RandomState(0).standard_normal((n, m))
    return np.ascontiguousarray(scores / spread * START_SPREAD)


def _as_numbers(X: np.ndarray, schema: Any) -> np.ndarray:
    """Rows of a mixed table as numbers in like units: indicators of categories, means where values are missing."""
    rows = Design(schema).expand(X)
    missing = np.isnan(rows)
    known = np.maximum((~missing).sum(axis=0), 1)
    rows = np.where(missing, np.where(missing, 0.0, rows).sum(axis=0) / known, rows)
    rows -= rows.mean(axis=0)
    spread = rows.std(axis=0)
    return rows / np.where(spread > 0, spread, 1.0)
