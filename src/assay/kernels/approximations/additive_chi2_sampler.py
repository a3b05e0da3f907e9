"""Features of the additive chi-squared kernel, for histograms: a regular sample of its frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

import assay.kernels.approximations._feature_maps as _feature_maps
from assay.core import Card, Transformer
from assay.core.csr import compressed_matrix
from assay.core.fitting import all_or_nothing
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range
from assay.errors import DataError, ParameterError
from assay.tables import Schema, Table
from assay.types import TableLike, Target

__all__ = ["AdditiveChi2Sampler"]

INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}  # the best ones for histograms, by the number of steps
ENTRIES_A_BLOCK = 1 << 15  # in one piece of work: they stay in the cache


class AdditiveChi2Sampler(Transformer):
    r"""A few columns for each column, whose dot products are close to the additive chi-squared kernel.

    .. math:: K(a, b) = \sum_j \frac{2 a_j b_j}{a_j + b_j} \quad (1)

    is a sum over columns of functions of :math:`\ln a_j - \ln b_j`, whose frequencies are known:
    :math:`\operatorname{sech}(\pi\lambda)`. Sampled at :math:`0, L, 2L, \dots`, each entry x becomes

    .. math:: \sqrt{xL}, \quad \sqrt{\tfrac{2xL}{\cosh(\pi iL)}}\,\cos(iL\ln x),
              \quad \sqrt{\tfrac{2xL}{\cosh(\pi iL)}}\,\sin(iL\ln x) \quad (2)

    Nothing is drawn and nothing is learned; zeros stay zeros, so that a sparse table stays sparse.

    Cost: fit O(1); transform O(d s) a row for s steps; memory O(1).

    Parameters
    ----------
    sample_steps : int, default 2
        How many frequencies, zero included: 2 s - 1 new columns for each column.
    sample_interval : float, default None
        L; None takes the best one for 1, 2 or 3 steps.

    Examples
    --------
    >>> from assay.kernels import AdditiveChi2Sampler
    >>> Z = AdditiveChi2Sampler(sample_steps=3).fit_transform([[1.0], [3.0]])
    >>> (Z @ Z.T).round(2)  # exact: 1, 2 * 3 / 4 = 1.5, 3
    array([[0.95, 1.5 ],
           [1.5 , 2.85]])

    See Also
    --------
    SkewedChi2Sampler, Nystroem

    References
    ----------
    - Vedaldi, A. and Zisserman, A. (2012). Efficient additive kernels via explicit feature maps. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 34(3), 480-492. doi:10.1109/TPAMI.2011.153
    """

    card = Card("additive chi2 sampler", "columns for an additive kernel of histograms")
    accepts = {"sample_steps": Count(1), "sample_interval": Range(0) | None}
    takes = frozenset({"sparse"})

    def __init__(self, *, sample_steps: int = 2, sample_interval: float | None = None):
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.positive_only = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> AdditiveChi2Sampler:  # type: ignore[override]
        """Check the parameters and that no entry of X is negative; y is ignored."""
        return super().fit(X)

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        self._interval()
        self._refuse_negative(X)

    def transform(self, X: TableLike) -> Any:
        """(n, d (2 s - 1)) the new columns, those of one frequency side by side; needs no fit."""
        interval = self._interval()
        if "schema_" in vars(self):
            values = self._admit(X)
        else:
            values = self._numbers(*_table(X, type(self).__name__))
        self._refuse_negative(values)
        dtype = np.float32 if values.dtype == np.float32 else np.float64
        n, d = values.shape
        width = 2 * self.sample_steps - 1
        if isinstance(values, np.ndarray):
            out = np.empty((n, d * width), dtype)
            self._fill(values, interval, [out[:, k * d : (k + 1) * d] for k in range(width)])
            return out
        from scipy.sparse import hstack

        kind = f"csr_{'array' if 'array' in type(X).__name__ else 'matrix'}"
        values = values.tocsr()
        parts = [np.empty(values.data.shape, dtype) for _ in range(width)]
        self._fill(values.data, interval, parts)
        layout = (values.indices, values.indptr, values.shape)
        return hstack([compressed_matrix(kind, data, *layout) for data in parts], format="csr")

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns: the class, the column, and "sqrt", "cos1", "sin1", ..."""
        check_is_fitted(self, attributes="n_features_in_")
        names = _check_feature_names_in(self, input_features, generate_names=True)
        if input_features is None and not self.design_.plain:
            names = self._names
        ends = ["sqrt", *(f"{wave}{i}" for i in range(1, self.sample_steps) for wave in ("cos", "sin"))]
        return np.array([f"additivechi2sampler_{name}_{end}" for end in ends for name in names], dtype=object)

    def _interval(self) -> float:
        if self.sample_interval is not None:
            return float(self.sample_interval)
        if self.sample_steps not in INTERVALS:
            raise ParameterError(
                "If sample_steps is not in [1, 2, 3], you need to provide sample_interval.",
                who=type(self).__name__,
            )
        return INTERVALS[self.sample_steps]

    def _refuse_negative(self, X: Any) -> None:
        if (X if isinstance(X, np.ndarray) else X.data).min(initial=0.0) < 0:
            raise DataError(
                "Negative values in data passed to X in AdditiveChi2Sampler. It is for histograms and counts; for "
                "other numbers: RBFSampler.",
            )

    def _fill(self, x: np.ndarray, interval: float, parts: list[np.ndarray]) -> None:
        """Write (2) of all entries, one of ``parts`` for each of the new columns of a column."""
        size = max(1, ENTRIES_A_BLOCK // (x.size // max(len(x), 1) or 1))

        def some(start: int) -> None:
            rows = slice(start, start + size)
            v = np.asarray(x[rows], dtype=np.float64)
            root = np.sqrt(v * interval)
            parts[0][rows] = root
            if self.sample_steps == 1:
                return
            logarithm, still = np.log(np.where(v > 0, v, 1.0)) * interval, np.zeros(v.size)
            for i in range(1, self.sample_steps):
                height = (2.0 / np.cosh(np.pi * i * interval)) ** 0.5
                for k, turn in (
                    (2 * i - 1, 0.0),
                    (2 * i, np.pi / 2),
                ):  # cos, and sin as a cosine a quarter later
                    wave = i * logarithm - turn
                    _feature_maps.waves(wave.reshape(1, -1), still, height)
                    np.multiply(root, wave, out=parts[k][rows], casting="same_kind")

        in_threads(some, range(0, len(x), size))


def _table(X: Any, who: str) -> tuple[Table, Any]:
    from assay.tables import Design

    table = Table.of(X, who=who)
    schema: Schema = table.schema
    return table, Design(schema)
