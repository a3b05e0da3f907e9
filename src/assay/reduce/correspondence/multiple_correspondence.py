"""Multiple correspondence analysis of a table of categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import ClassScatter
from assay.core.parameters import Count
from assay.core.stored import FloatArray, Object
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block
from assay.core.targets import encode_labels
from assay.errors import DegenerateError
from assay.reduce.components.pca import scatter_of_block
from assay.reduce.components.spectrum import spectrum_of_matrix
from assay.reduce.correspondence.correspondence_map import CorrespondenceMap
from assay.types import TableLike, Target

__all__ = ["MultipleCorrespondenceAnalysis"]


class MultipleCorrespondenceAnalysis(WithoutTarget, SumLearner, CorrespondenceMap):
    r"""Put the rows of a table of categories, and its categories, into one map.

    Correspondence analysis of the indicators of all categories: with the share :math:`p_k` of the rows that have
    category k, and Q columns in the table, the components of the indicators

    .. math:: \frac{z_k - p_k}{\sqrt{Q\,p_k}}                                                     \quad (1)

    Rows that share many categories lie close together, above all if few other rows have them; a category lies in the
    middle of its rows, but for the scale of each axis. Columns of numbers enter as
    :math:`(x-\bar x)/(s\sqrt Q)`, so that a table of numbers alone gives the principal components of its correlations
    and a mixed table what is known as factor analysis of mixed data. Categories with an order enter as their ranks.
    The learner is a sum: ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the same numbers.

    The shares of inertia are small by construction: indicators of one column exclude each other. For tables of
    categories alone ``adjusted_inertias_`` (Benzecri) and ``adjusted_shares_`` (Greenacre) correct for this.

    Cost: fit O(n J^2 + J^3) with J categories in all; transform O(J k) a row; memory O(J^2).

    Parameters
    ----------
    n_components : int, default 2
        Axes of the map.

    Attributes
    ----------
    principal_inertias_ : (k,)      inertia_shares_ : (k,)      total_inertia_ : float
    adjusted_inertias_, adjusted_shares_ : (k,), of tables of categories alone
    column_coordinates_ : (J, k) of the categories; of numbers, correlations with the axes
    column_masses_ : (J,)      column_contributions_ : (J, k)      column_quality_ : (J, k)

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.reduce import MultipleCorrespondenceAnalysis
    >>> frame = pd.DataFrame({"hair": ["fair", "fair", "dark", "dark", "dark"],
    ...                       "eyes": ["blue", "blue", "brown", "brown", "blue"]})
    >>> mca = MultipleCorrespondenceAnalysis().fit(frame)
    >>> mca.principal_inertias_.round(4), mca.inertia_shares_.round(4)
    (array([0.8333, 0.1667]), array([0.8333, 0.1667]))
    >>> dict(zip(mca.design_.names, mca.column_coordinates_[:, 0].round(3).tolist()))
    {'hair=dark': -0.745, 'hair=fair': 1.118, 'eyes=blue': 0.745, 'eyes=brown': -1.118}

    See Also
    --------
    CorrespondenceAnalysis, PCA

    References
    ----------
    - Greenacre, M. J. and Blasius, J. (2006). Multiple Correspondence Analysis and Related Methods. Chapman and Hall.
    - Pages, J. (2014). Multiple Factor Analysis by Example Using R. CRC Press.
    """

    card = Card(
        "multiple correspondence",
        "rows and categories of a table in one map",
        also=("mca", "multiple correspondence analysis", "famd"),
    )
    accepts = {"n_components": Count(1)}
    stored = {
        "_sums": Object(ClassScatter),
        "adjusted_inertias_": FloatArray("m", low=0, finite=True),
        "adjusted_shares_": FloatArray("m", finite=True),
    }

    def __init__(self, n_components: int = 2):
        self.n_components = n_components

    def _summarize_block(self, block: Block) -> ClassScatter:
        return scatter_of_block(block)

    def _solve(self, sums: ClassScatter) -> None:
        count, mean = float(sums.count[0]), sums.mean[0]
        if not count > 1:
            raise DegenerateError(
                f"{type(self).__name__} needs at least 2 rows to measure a distance, got {count:g} sample(s)."
            )
        S = sums.scatter[0] / count
        if not np.isfinite(S).all():
            raise DegenerateError(
                f"{type(self).__name__}: the squares of the columns overflow. Scale them first: StandardScaler."
            )
        Q, numeric = len(self.schema_), self._numeric()
        variance = np.where(numeric, np.diag(S), mean)
        scale = np.sqrt(Q) * np.where(variance > 0, np.sqrt(np.maximum(variance, 0.0)), 1.0)  # (1)
        S = S / scale / scale[:, None]
        k = min(int(self.n_components), len(mean))
        masses = np.where(numeric, 1.0, np.maximum(mean, 0.0)) / Q
        self._keep_map(spectrum_of_matrix(S, k), mean, scale, masses, np.diag(S))
        for name in ("adjusted_inertias_", "adjusted_shares_"):
            self.__dict__.pop(name, None)
        if Q > 1 and not numeric.any():
            self._adjust(S, Q)

    def _adjust(self, S: np.ndarray, Q: int) -> None:
        """Inertias without what indicators of one column have in common by construction."""
        values = self.principal_inertias_
        self.adjusted_inertias_ = np.where(values > 1 / Q, (Q / (Q - 1) * (values - 1 / Q)) ** 2, 0.0)
        J = len(S)
        whole = Q / (Q - 1) * (float(np.sum(S * S)) - (J - Q) / Q**2)
        self.adjusted_shares_ = self.adjusted_inertias_ / whole if whole > 1e-12 else np.zeros(len(values))

    def _numeric(self) -> np.ndarray:
        """(J,) which columns of the design are numbers and not indicators."""
        source = np.arange(len(self.schema_)) if self.design_.plain else self.design_.source
        return np.array([self.schema_[int(j)].kind != "nominal" for j in source], dtype=bool)

    def supplementary_categories(self, X: TableLike, y: Target) -> dict[Any, np.ndarray]:
        """Where the categories of a further column lie in the map, which they do not change.

        Parameters
        ----------
        X : rows, those of fit or others      y : (n,) a label for each
        """
        Z = self._transform(self._admit(X))
        labels, codes = encode_labels(y, len(Z), type(self).__name__)
        places = self._supplementary(Z, np.eye(len(labels))[codes])
        return dict(zip(labels.tolist(), places))

    def _model_parts(self) -> list[Part]:
        parts = super()._model_parts()
        if "adjusted_inertias_" not in vars(self):
            return parts
        rows: list[list[Any]] = [
            [name, float(v), float(s)]
            for name, v, s in zip(self._names_out(), self.adjusted_inertias_, self.adjusted_shares_)
        ]
        return [parts[0], Section("Adjusted inertias", ["axis", "inertia", "share"], rows), *parts[1:]]
