"""What transformers share whose new columns are weighted sums of centred columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Explanations, Reasons, RowValues, dense_block
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parallel import in_threads
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DegenerateError
from assay.reduce.components.spectrum import Spectrum
from assay.types import TableLike

__all__ = ["LinearComponents"]

BLOCK_BYTES = 1 << 21  # of rows in one piece of work
SHOWN_COMPONENTS = 10
SHOWN_COLUMNS = 12
SAME_PLACE = (
    1e-12  # of its squared length, that rounding may put a row outside of the space of the components
)


class LinearComponents(NumberedColumns):
    r""":math:`z = W(x - m)`, whitened or not, and the Gaussian model with equal noise in the directions left out."""

    whiten: Any = False
    components_: np.ndarray
    mean_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    noise_variance_: Any
    n_components_: int
    stored = {
        "components_": FloatArray("m", "p", finite=True),
        "mean_": FloatArray("p", finite=True),
        "scale_": FloatArray("p", low=0, finite=True),
        "explained_variance_": FloatArray("m", low=0, finite=True),
        "explained_variance_ratio_": FloatArray("m", low=0, finite=True),
        "singular_values_": FloatArray("m", low=0, finite=True),
        "noise_variance_": Scalar(low=0),
        "n_components_": Integer(low=0),
        "n_samples_": Integer(low=1),
        "n_trimmed_": Integer(low=0),
    }

    def _keep_spectrum(
        self, spectrum: Spectrum, mean: np.ndarray, scale: Any, divisor: float, n: int, dtype: Any
    ) -> None:
        """Keep these components of rows with that mean, divided by that scale if it is not None."""
        spectrum, k = spectrum.determined(), len(spectrum.values)
        single = np.float32 if dtype == np.float32 else np.float64
        self.mean_, self.components_ = (
            mean.astype(single),
            np.ascontiguousarray(spectrum.vectors, dtype=single),
        )
        if scale is None:
            self.__dict__.pop("scale_", None)
        else:
            self.scale_ = scale.astype(single)
        self.explained_variance_ = spectrum.values.astype(single)
        share = spectrum.values / spectrum.total if spectrum.total > 0 else np.zeros(k)
        self.explained_variance_ratio_ = share.astype(single)
        self.singular_values_ = np.sqrt(spectrum.values * divisor).astype(single)
        self.noise_variance_ = single(spectrum.rest)
        self.n_components_ = self._n_features_out = k
        self.n_samples_ = n

    def _divisor(self, count: float) -> float:
        if not count > 1:
            rows = "1 sample" if count == 1 else f"{count:g}"
            raise DegenerateError(
                f"{type(self).__name__} needs at least 2 rows to measure a variance, got {rows}; weights count as "
                "repeated rows."
            )
        return float(count) - 1

    def _finite(self, values: np.ndarray) -> np.ndarray:
        if not np.isfinite(values).all():
            raise DegenerateError(
                f"{type(self).__name__}: the squares of the columns overflow. Scale the columns first: StandardScaler."
            )
        return values

    def _transform(self, X: Any) -> np.ndarray:
        n, W = X.shape[0], self._weights()
        out = np.empty((n, len(W)), np.result_type(X.dtype, W.dtype))
        if not isinstance(X, np.ndarray):
            return np.asarray(X @ W.T - self.mean_ @ W.T, dtype=out.dtype)
        size = max(64, BLOCK_BYTES // (8 * X.shape[1]))

        def some(start: int) -> None:
            rows = slice(start, start + size)
            np.matmul(X[rows] - self.mean_, W.T, out=out[rows])

        in_threads(some, range(0, n, size))
        return out

    def _weights(self) -> np.ndarray:
        """(k, p) what a unit of each column adds to each component."""
        W = self.components_
        if "scale_" in vars(self):
            W = W / self.scale_
        if not self.whiten:
            return W
        root = np.sqrt(self.explained_variance_)
        smallest = np.finfo(root.dtype).eps
        return (
            W / np.maximum(root, smallest)[:, None]
        )  # as scikit-learn: a direction without variance stays 0

    def inverse_transform(self, X: Any) -> np.ndarray:
        """(n, p) the rows whose components are X, as near as the components kept can come.

        Parameters
        ----------
        X : (n, k) components, as ``transform`` gives them
        """
        self._ready()
        Z = np.asarray(X)
        if Z.ndim != 2 or Z.shape[1] != self.n_components_:
            raise ValueError(
                f"{type(self).__name__}: expected rows of {self.n_components_} components, got an array of the shape "
                f"{Z.shape}."
            )
        C = self.components_
        if self.whiten:
            C = C * np.sqrt(self.explained_variance_)[:, None]
        if "scale_" in vars(self):
            C = C * self.scale_
        return Z @ C + self.mean_

    def reconstruction_error(self, X: TableLike) -> np.ndarray:
        """(n,) the squared distance between each row and what its components give back."""
        values = dense_block(self._admit(X))
        back = self.inverse_transform(self._transform(values))
        return np.einsum("ij,ij->i", values - back, values - back)

    # The Gaussian model

    def get_covariance(self) -> np.ndarray:
        """(p, p) the covariance matrix of the model: that of the components, and the same noise elsewhere."""
        self._ready()
        C = (
            self.components_.T
            * np.maximum(self.explained_variance_ - self.noise_variance_, 0)
            @ self.components_
        )
        C.flat[:: len(C) + 1] += self.noise_variance_
        return C * self.scale_ * self.scale_[:, None] if "scale_" in vars(self) else C

    def get_precision(self) -> np.ndarray:
        """(p, p) the inverse of the covariance matrix of the model; of a singular one the pseudo-inverse."""
        self._ready()
        solid = self._directions()
        C, noise = self.components_[solid], float(self.noise_variance_)
        P = C.T * (1 / self.explained_variance_[solid] - (1 / noise if noise > 0 else 0.0)) @ C
        if noise > 0:
            P.flat[:: len(P) + 1] += 1 / noise
        return P / self.scale_ / self.scale_[:, None] if "scale_" in vars(self) else P

    def score_samples(self, X: TableLike) -> np.ndarray:
        """(n,) the log density of each row under the model.

        Where some directions have no variance, it is the density within the space that the training rows span, and
        minus infinity outside of it.
        """
        values = dense_block(self._admit(X))
        solid, p = self._directions(), self.components_.shape[1]
        C, variances, noise = (
            self.components_[solid],
            self.explained_variance_[solid],
            float(self.noise_variance_),
        )
        A = values - self.mean_
        log_det = float(np.sum(np.log(variances)))
        if "scale_" in vars(self):
            A = A / self.scale_
            log_det += 2 * float(np.sum(np.log(self.scale_)))
        Z = A @ C.T
        square = np.einsum("ik,k->i", Z * Z, 1 / variances)
        outside = np.einsum("ij,ij->i", A - Z @ C, A - Z @ C)
        if noise > 0:
            square, dimensions = square + outside / noise, p
            log_det += (p - len(C)) * float(np.log(noise))
        else:
            size = np.einsum("ij,ij->i", A, A) + float(variances.sum())
            square, dimensions = np.where(outside > SAME_PLACE * size, np.inf, square), len(C)
        return -0.5 * (dimensions * np.log(2 * np.pi) + log_det + square)

    def score(self, X: TableLike, y: Any = None) -> float:
        """The mean log density of the rows under the model; y is ignored."""
        return float(np.mean(self.score_samples(X)))

    def _directions(self) -> np.ndarray:
        """Which components have a variance."""
        largest = self.explained_variance_.max(initial=0.0)
        solid = self.explained_variance_ > self.components_.shape[1] * np.finfo(float).eps * largest
        if not solid.any() and not self.noise_variance_ > 0:
            raise DegenerateError(
                f"{type(self).__name__}: the training rows are all the same, so they have no density."
            )
        return solid

    # What it shows

    def explain(self, X: TableLike) -> Any:
        """What each column adds to each component: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        answers = self._transform(X).tolist()
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        values, W, names = dense_block(X), self._weights(), self._names_out()
        columns = self.schema_.names

        def contributions(some: np.ndarray) -> Contributions:
            parts = (values[some] - self.mean_)[:, :, None] * W.T[None]
            first = np.zeros(len(some), dtype=np.int64)
            return self._contributions(parts, np.zeros(len(W)), names, first)

        def sections(i: int) -> list[Section]:
            parts = contributions(np.array([i])).values[0]
            shown = min(len(W), SHOWN_COMPONENTS)
            order = np.argsort(-np.abs(parts[:, :shown]).max(axis=1), kind="stable")[:SHOWN_COLUMNS]
            lines = [[columns[j], *parts[j, :shown].tolist()] for j in order]
            note = f"Sums over all {len(columns)} columns: " + ", ".join(
                f"{names[c]} {parts[:, c].sum():.6g}" for c in range(shown)
            )
            return [
                Section(
                    "What the columns add to the components", ["column", *names[:shown]], lines, f"{note}."
                )
            ]

        return Reasons(sections, contributions)

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
        more = self.n_components_ - len(rows)
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
