"""Vector quantisation: rows of numbers as symbols, for models of symbols."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.learner import Learner
from assay.core.parameters import Count, Flag, Seed
from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.sequences.sequences import Sequences
from assay.sequences.starts import means_of, numbers_only
from assay.types import RandomState, SequencesLike, Target

__all__ = ["VectorQuantizer"]


class VectorQuantizer(Learner):
    r"""Turn each row into the number of its nearest code vector, so that a model of symbols can follow.

    The code book is made of the centres of k-means on the rows of all sequences (by default of z-scores):

    .. math:: \text{symbol}(x) = \arg\min_m \|x - c_m\|^2 \quad (1)

    A missing entry is left out of the distance; a row without any entry stays missing. In a pipeline it stands before
    `CategoricalHMM`: the discrete model of continuous observations.

    Cost: fit that of k-means; transform O(n M d) for M codes; memory O(n M).

    Parameters
    ----------
    n_codes : int, default 16
        Size of the code book, M; no more than there are distinct rows.
    scale : bool, default True
        Whether columns are divided by their deviation first.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    codebook_ : (M, d) code vectors, in the units of the columns      scale_ : (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from assay.sequences import CategoricalHMM, VectorQuantizer
    >>> y = np.repeat([0.0, 5.0, 0.0], 20) + np.random.default_rng(0).normal(size=60)
    >>> model = make_pipeline(VectorQuantizer(6, random_state=0), CategoricalHMM(2, n_iter=50, random_state=1)).fit(y)
    >>> path = model.predict(y)
    >>> (path[::10] == path[0]).tolist()
    [True, True, False, False, True, True]

    See Also
    --------
    CategoricalHMM, GaussianHMM, Sequences

    References
    ----------
    - Linde, Y., Buzo, A. and Gray, R. (1980). An algorithm for vector quantizer design. IEEE Transactions on
      Communications 28(1), 84-95. doi:10.1109/TCOM.1980.1094577
    """

    card = Card("vector quantizer", "rows of sequences as symbols, by the nearest code vector")
    accepts = {"n_codes": Count(1), "scale": Flag(), "random_state": Seed()}
    stored = {"codebook_": FloatArray("M", "*", finite=True), "scale_": FloatArray("*", finite=True, low=0)}
    takes = frozenset({"missing"})
    takes_sequences = True

    def __init__(self, n_codes: int = 16, *, scale: bool = True, random_state: RandomState = None):
        self.n_codes = n_codes
        self.scale = scale
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: SequencesLike, y: Target | None = None) -> Self:
        """Learn the code book; y is not used."""
        self._check_parameters()
        who = type(self).__name__
        data = Sequences.of(X, who=who)
        numbers_only(data, who)
        self._remember(data.schema)
        present = data.values[~np.isnan(data.values).any(axis=1)]
        if not len(present):
            raise DataError("no row is complete, so there is nothing to make codes of.", who=who)
        deviation = present.std(axis=0)
        self.scale_ = np.where(deviation > 0, deviation, 1.0) if self.scale else np.ones(present.shape[1])
        codes = min(self.n_codes, len(np.unique(present, axis=0)))
        self.codebook_ = means_of(present / self.scale_, codes, self.random_state, who) * self.scale_
        return self

    def transform(self, X: SequencesLike) -> Sequences:
        """The sequences as one column of symbols, whole numbers from 0."""
        check_is_fitted(self, "codebook_")
        data = Sequences.of(X, schema=self.schema_, who=type(self).__name__)
        rows, codes = data.values / self.scale_, self.codebook_ / self.scale_
        present = ~np.isnan(rows)
        filled = np.where(present, rows, 0.0)
        distances = present @ (codes**2).T - 2 * filled @ codes.T  # (1), but for a constant of the row
        symbols = distances.argmin(axis=1).astype(np.float64)
        symbols[~present.any(axis=1)] = np.nan
        return Sequences(symbols[:, None], data.offsets, ids=data.ids)

    def fit_transform(self, X: SequencesLike, y: Target | None = None, **parameters: Any) -> Sequences:
        """Learn the code book and use it."""
        return self.fit(X, y).transform(X)

    def inverse_transform(self, X: SequencesLike) -> Sequences:
        """Code vectors in the place of symbols."""
        check_is_fitted(self, "codebook_")
        data = Sequences.of(X, who=type(self).__name__)
        symbols = data.values[:, 0]
        present = ~np.isnan(symbols)
        if (symbols[present] >= len(self.codebook_)).any() or (symbols[present] < 0).any():
            raise DataError(f"symbols must be from 0 to {len(self.codebook_) - 1}.", who=type(self).__name__)
        values = np.full((len(symbols), self.codebook_.shape[1]), np.nan)
        values[present] = self.codebook_[symbols[present].astype(np.int64)]
        return Sequences(values, data.offsets, self.schema_, data.ids)
