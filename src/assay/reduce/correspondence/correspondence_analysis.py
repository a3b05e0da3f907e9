"""Correspondence analysis of a table of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.moments import ClassScatter, RowScatter, class_scatter, row_scatter
from assay.core.parameters import Count
from assay.core.stored import Object
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, DegenerateError
from assay.reduce.components.spectrum import spectrum_of_matrix, spectrum_of_rows
from assay.reduce.correspondence.correspondence_map import CorrespondenceMap
from assay.types import TableLike

__all__ = ["CorrespondenceAnalysis"]


class CorrespondenceAnalysis(WithoutTarget, SumLearner, CorrespondenceMap):
    r"""Put the rows and the columns of a table of counts into one map, by what they share with each other.

    With :math:`P` the table divided by its total, r and c the sums of its rows and columns (their masses),

    .. math:: D_r^{-1/2}(P - rc^T)D_c^{-1/2} = U\Lambda^{1/2}V^T, \qquad
              F = D_r^{-1/2}U\Lambda^{1/2}, \quad G = D_c^{-1/2}V\Lambda^{1/2}                     \quad (1)

    are the coordinates of rows and columns. Distances between rows are chi-squared distances of their profiles (shares
    of the columns); the eigenvalues, the principal inertias, add up to the chi-squared statistic of independence,
    divided by the total. A column lies where the rows are that have much of it. ``transform`` gives F, also of
    supplementary rows that were not in the fit; ``supplementary_columns`` places further columns. A row without counts
    lies in the middle. The learner is a sum over rows: ``fit_blocks``, ``partial_fit`` and Dask give the same numbers.

    Cost: fit O(n d^2 + d^3), with fewer rows than columns O(n^2 d); transform O(d k) a row; memory O(d^2) or O(n d).

    Parameters
    ----------
    n_components : int, default 2
        Axes of the map; min(n, d) - 1 have an inertia.

    Attributes
    ----------
    principal_inertias_ : (k,)      inertia_shares_ : (k,)      total_inertia_ : float
    column_coordinates_ : (d, k) G      column_masses_ : (d,)
    column_contributions_ : (d, k) shares of each axis that are due to the columns
    column_quality_ : (d, k) share of each column's inertia that an axis shows

    Examples
    --------
    Smoking habits (none, light, medium, heavy) of the staff of a firm, from senior managers to secretaries.

    >>> from assay.reduce import CorrespondenceAnalysis
    >>> staff = [[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]]
    >>> ca = CorrespondenceAnalysis().fit(staff)
    >>> ca.principal_inertias_.round(6), ca.inertia_shares_.round(3)
    (array([0.074759, 0.010017]), array([0.878, 0.118]))
    >>> ca.column_coordinates_[:, 0].round(3)
    array([ 0.393, -0.099, -0.196, -0.294])

    See Also
    --------
    MultipleCorrespondenceAnalysis, PCA

    References
    ----------
    - Greenacre, M. J. (1984). Theory and Applications of Correspondence Analysis. Academic Press.
    - Benzecri, J.-P. (1973). L'analyse des donnees. Dunod.
    """

    card = Card(
        "correspondence analysis",
        "rows and columns of a table of counts in one map",
        also=("correspondence",),
    )
    accepts = {"n_components": Count(1)}
    stored = {"_sums": Object(ClassScatter, RowScatter)}

    def __init__(self, n_components: int = 2):
        self.n_components = n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows) and source.X.shape[0] < source.X.shape[1]:
            profiles, weights = self._weighed(source.X, source.w)
            self._sums: Any = row_scatter(profiles, np.zeros(len(profiles), np.int64), weights, 1)
        else:
            self._sums = source.add_up(self._summarize_block)
        self._solve(self._sums)

    def _summarize_block(self, block: Block) -> ClassScatter:
        profiles, weights = self._weighed(block.X, block.w)
        return class_scatter(profiles, np.zeros(len(profiles), np.int64), weights, 1, pooled=True)

    def _weighed(self, X: Any, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """The profiles of the rows, and what they weigh: their counts."""
        totals = self._totals(X)
        profiles = X / np.where(totals > 0, totals, 1.0)[:, None]
        return profiles, totals if w is None else totals * w

    def _totals(self, X: Any) -> np.ndarray:
        if (X < 0).any():
            raise DataError(
                f"{type(self).__name__}: Negative values in data: counts cannot be negative, the smallest is "
                f"{X.min():g}."
            )
        return np.asarray(X, dtype=np.float64).sum(axis=1)

    def _solve(self, sums: ClassScatter | RowScatter) -> None:
        count, masses = float(sums.count[0]), sums.mean[0]
        if not count > 0:
            raise DegenerateError(f"{type(self).__name__}: all counts are 0, so rows have no profiles.")
        scale = np.where(masses > 0, np.sqrt(masses), 1.0)
        size = min(int(sums.rows.sum()), len(masses))
        k = min(int(self.n_components), len(masses))
        if isinstance(sums, RowScatter):
            A = sums.deviations / scale
            spectrum = spectrum_of_rows(A, count, min(k, len(A)))
            inertias = np.einsum("ij,ij->j", A, A) / count
        else:
            S = sums.scatter[0] / scale / scale[:, None] / count  # (1)
            spectrum = spectrum_of_matrix(S, k, size)
            inertias = np.diag(S)
        self._keep_map(spectrum, masses, scale, masses, inertias)

    def _profiles(self, X: Any) -> np.ndarray:
        totals = self._totals(X)[:, None]
        return np.where(totals > 0, X / np.where(totals > 0, totals, 1.0), self.mean_)

    def supplementary_columns(self, X: TableLike, columns: Sequence[str | int]) -> np.ndarray:
        """(m, k) where further columns lie in the map, which they do not change.

        Parameters
        ----------
        X : the rows of fit
        columns : (n, m) counts of the same rows
        """
        Z = self._transform(self._admit(X))
        counts = np.asarray(columns, dtype=np.float64)
        counts = counts[:, None] if counts.ndim == 1 else counts
        if len(counts) != len(Z) or (counts < 0).any():
            raise DataError(
                f"{type(self).__name__}: columns should be {len(Z)} rows of counts from 0 up, got the shape "
                f"{counts.shape}."
            )
        return self._supplementary(Z, counts)
