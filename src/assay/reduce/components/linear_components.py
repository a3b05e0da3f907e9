"""What transformers share whose new columns are weighted sums of centred columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parallel import in_threads
from assay.core.stored import FloatArray
from assay.errors import DegenerateError
from assay.reduce.components.explained_sums import SHOWN_COLUMNS, SHOWN_COMPONENTS, ExplainedSums
from assay.types import TableLike

__all__ = ["LinearComponents"]

BLOCK_BYTES = 1 << 21  # of rows in one piece of work
NEAR_ZERO = 64  # standard deviations of a component: subtracting so much costs six of 53 bits


class LinearComponents(ExplainedSums, NumberedColumns):
    r""":math:`z = W(x - m)`, whitened or not; without ``mean_`` the rows are not centred."""

    whiten: Any = False
    components_: np.ndarray
    mean_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    stored = {
        "components_": FloatArray("m", "p", finite=True),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "explained_variance_": FloatArray("m", low=0, finite=True),
        "explained_variance_ratio_": FloatArray("m", low=0, finite=True),
        "singular_values_": FloatArray("m", low=0, finite=True),
    }

    def _finite(self, values: np.ndarray) -> np.ndarray:
        if not np.isfinite(values).all():
            raise DegenerateError(
                f"{type(self).__name__}: the squares of the columns overflow. Scale the columns first: StandardScaler."
            )
        return values

    def _transform(self, X: Any) -> np.ndarray:
        n, W = X.shape[0], self._weights()
        out = np.empty((n, len(W)), np.result_type(X.dtype, W.dtype))
        mean = vars(self).get("mean_")
        if not isinstance(X, np.ndarray):
            products = np.asarray(X @ W.T, dtype=out.dtype)
            return products if mean is None else products - np.asarray(mean @ W.T, dtype=out.dtype)
        X = self._completed(X)
        size = max(64, BLOCK_BYTES // (8 * X.shape[1]))
        offset = None if mean is None or not self._near_zero(mean, W) else (mean @ W.T).astype(out.dtype)

        def some(start: int) -> None:
            rows = slice(start, start + size)
            if offset is None:
                np.matmul(X[rows] if mean is None else X[rows] - mean, W.T, out=out[rows])
            else:
                np.matmul(X[rows], W.T, out=out[rows])
                out[rows] -= offset

        in_threads(some, range(0, n, size))
        return out

    def _near_zero(self, mean: np.ndarray, W: np.ndarray) -> bool:
        """Whether products of the means are so small beside the components that they may be taken away afterwards."""
        spread = np.ones(len(W)) if self.whiten else np.sqrt(self.explained_variance_)
        return bool((np.abs(W) @ np.abs(mean) <= NEAR_ZERO * spread).all())

    def _weights(self) -> np.ndarray:
        W = self.components_
        if "scale_" in vars(self):
            W = W / self.scale_
        if not self.whiten:
            return W
        return W / np.where(self._varies(), np.sqrt(self.explained_variance_), np.inf)[:, None]

    def _varies(self) -> np.ndarray:
        """(k,) which components have a variance, beyond what rounding gives; whitened, the others stay 0."""
        smallest = self.components_.shape[1] * np.finfo(float).eps
        return self.explained_variance_ > smallest * self.explained_variance_.max(initial=0.0)

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, p) the rows whose components are X, as near as the components kept can come.

        Parameters
        ----------
        X : (n, k) components, as ``transform`` gives them
        """
        self._ready()
        Z = np.asarray(X)
        if Z.ndim != 2 or Z.shape[1] != self._n_features_out:
            raise ValueError(
                f"{type(self).__name__}: expected rows of {self._n_features_out} components, got an array of the shape "
                f"{Z.shape}."
            )
        C = self.components_
        if self.whiten:
            C = C * np.sqrt(self.explained_variance_)[:, None]
        if "scale_" in vars(self):
            C = C * self.scale_
        rows = Z @ C
        return rows + self.mean_ if "mean_" in vars(self) else rows

    def reconstruction_error(self, X: TableLike) -> np.ndarray:
        """(n,) the squared distance between each row, as far as it is known, and what its components give back."""
        values = dense_block(self._admit(X))
        left = values - self.inverse_transform(self._transform(values))
        left[np.isnan(left)] = 0.0
        return np.einsum("ij,ij->i", left, left)

    def _completed(self, X: np.ndarray) -> np.ndarray:
        """X with what is missing replaced by what the learner expects."""
        return X

    # What it shows

    def _deviations(self, X: Any) -> np.ndarray:
        return self._completed(dense_block(X)) - vars(self).get("mean_", 0.0)

    def _model_parts(self) -> list[Part]:
        shares = np.cumsum(self.explained_variance_ratio_)
        rows: list[list[Any]] = [
            [name, float(v), float(r), float(c)]
            for name, v, r, c in zip(
                self._names_out()[:SHOWN_COMPONENTS],
                self.explained_variance_,
                self.explained_variance_ratio_,
                shares,
            )
        ]
        more = self._n_features_out - len(rows)
        note = f"{more} more components follow." if more > 0 else ""
        parts: list[Part] = [
            Section("Components", ["component", "variance", "share", "cumulative"], rows, note)
        ]
        names = self._column_names()
        order = np.argsort(-np.abs(self.components_[:SHOWN_COMPONENTS]).max(axis=0), kind="stable")[
            :SHOWN_COLUMNS
        ]
        shown = self._names_out()[:SHOWN_COMPONENTS]
        weights = [[names[j], *self.components_[: len(shown), j].tolist()] for j in sorted(order.tolist())]
        return [*parts, Section("Weights of the columns", ["column", *shown], weights)]

    def _column_names(self) -> list[str]:
        design = getattr(self, "design_", None)
        return self.schema_.names if design is None or design.plain else list(design.names)
