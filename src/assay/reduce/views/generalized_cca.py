"""Canonical correlation analysis of several sets of columns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import ClassScatter
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Any_, Choice, Count, Range
from assay.core.stored import Each, FloatArray, IntArray, Object
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block
from assay.errors import DegenerateError, ParameterError
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.pca import scatter_of_block
from assay.reduce.components.some_eigenpairs import some_eigenpairs
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.views.cca import whitener_of_view

__all__ = ["GeneralizedCCA"]

TAKES_PART = 1e-12  # share of a common direction below which a view has none of it


class GeneralizedCCA(WithoutTarget, SumLearner, ExplainedSums, NumberedColumns):
    r"""One new column for several sets of columns that all of them can nearly tell, and the part of each set in it.

    The columns of one table are cut into J views. The common column g (of variance 1) and the weights of each view
    minimise what the views miss of it (MAXVAR),

    .. math:: \min \sum_j \lVert g - X_jw_j\rVert^2, \qquad
              P^TSP\,v = \mu v,\quad P = \mathrm{diag}(S_{11}^{-1/2}, \dots, S_{JJ}^{-1/2})      \quad (1)

    and so on with further columns that are uncorrelated with it. The eigenvalue :math:`\mu` is the sum of the squared
    correlations of g with the views, at most J. Two views give canonical correlation analysis, with
    :math:`\mu = 1 + \rho`; if each column is a view of its own, g are the principal components of the correlation
    matrix. The learner is a sum: ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the same numbers.
    Since all views are in one table, it stands in a pipeline in front of any learner.

    Cost: fit O(n d^2 + d^3); transform O(d k) a row; memory O(d^2).

    Parameters
    ----------
    n_components : int, default 2
        Common columns, at most as many as there are columns.
    views : list of lists of names or numbers of columns, or None, default None
        The sets of columns; every column belongs to one of them. None takes each column as a view of its own.
    output : "variates" or "consensus", default "variates"
        What ``transform`` gives: the part of each view, each of variance 1, view after view, (n, J k); or g, (n, k).
    ridge : float, default 0
        Added to the variances of the columns, which are 1: for columns that nearly determine each other.

    Attributes
    ----------
    eigenvalues_ : (k,)      correlations_ : (J, k) of each view's part with the common column
    weights_ : (d, k) of the columns as they are, for parts of variance 1      consensus_weights_ : (d, k) for g
    views_ : (d,) the number of each column's view      mean_ : (d,)

    Examples
    --------
    >>> from assay.reduce import GeneralizedCCA
    >>> from assay.tables.data import load_iris
    >>> model = GeneralizedCCA(n_components=1, views=[[0, 1], [2], [3]]).fit(load_iris().X)
    >>> model.eigenvalues_.round(3), model.correlations_.ravel().round(3)
    (array([2.838]), array([0.957, 0.992, 0.968]))

    See Also
    --------
    CCA, KernelCCA, PCA

    References
    ----------
    - Kettenring, J. R. (1971). Canonical analysis of several sets of variables. Biometrika 58, 433-451.
    - Carroll, J. D. (1968). Generalization of canonical correlation analysis to three or more sets of variables.
      Proceedings of the 76th Convention of the American Psychological Association 3, 227-228.
    """

    card = Card("generalized cca", "what several sets of columns have in common", also=("maxvar", "gcca"))
    accepts = {
        "n_components": Count(1),
        "views": Any_("lists of columns, or None", lambda v: v is None or isinstance(v, (list, tuple))),
        "output": Choice("variates", "consensus"),
        "ridge": Range(0),
    }
    stored = {
        "_sums": Object(ClassScatter),
        "eigenvalues_": FloatArray("k", low=0, finite=True),
        "correlations_": FloatArray("J", "k", finite=True),
        "weights_": FloatArray("p", "k", finite=True),
        "consensus_weights_": FloatArray("p", "k", finite=True),
        "views_": IntArray("p", low=0),
        "mean_": FloatArray("p", finite=True),
        "_columns": Each(IntArray("*", low=0)),
    }

    def __init__(
        self, n_components: int = 2, *, views: Any = None, output: str = "variates", ridge: float = 0.0
    ):
        self.n_components = n_components
        self.views = views
        self.output = output
        self.ridge = ridge

    def _summarize_block(self, block: Block) -> ClassScatter:
        return scatter_of_block(block)

    def _solve(self, sums: ClassScatter) -> None:
        who, count, p = type(self).__name__, float(sums.count[0]), sums.mean.shape[1]
        if not count > 1:
            raise DegenerateError(
                f"{who} needs at least 2 rows to measure a variance, got {count:g} sample(s)."
            )
        S = sums.scatter[0] / (count - 1)
        if not np.isfinite(S).all():
            raise DegenerateError(
                f"{who}: the squares of the columns overflow. Scale them first: StandardScaler."
            )
        self.views_ = self._views_of_columns()
        J = int(self.views_.max()) + 1
        std = np.sqrt(np.diag(S))
        std[std == 0] = 1.0
        R = S / std / std[:, None]
        parts = [np.flatnonzero(self.views_ == j) for j in range(J)]
        whiteners = [whitener_of_view(R[np.ix_(c, c)], float(self.ridge)) for c in parts]
        starts = np.cumsum([0, *(P.shape[1] for P in whiteners)])
        k = int(self.n_components)
        if k > starts[-1]:
            raise ParameterError(
                f"{who}: n_components={k} is more than the {starts[-1]} directions in which the views vary."
            )
        whole = np.zeros((p, starts[-1]))
        for c, P, a, b in zip(parts, whiteners, starts, starts[1:]):
            whole[c, a:b] = P
        size = starts[-1]
        values, V = some_eigenpairs(whole.T @ R @ whole, size - k, size - 1)  # (1)
        values, V = np.maximum(values[::-1], 0.0), V[:, ::-1]
        W = whole @ V
        turned = np.sum(with_fixed_signs(W.T) * W.T, axis=1) < 0
        W, V = np.where(turned, -W, W), np.where(turned, -V, V)
        length = np.array([np.sum(V[a:b] ** 2, axis=0) for a, b in pairwise(starts)])
        takes_part = length > TAKES_PART
        share = np.sqrt(np.where(takes_part, length, np.inf))[self.views_]
        self.eigenvalues_, self.mean_ = values, sums.mean[0]
        self.correlations_ = np.sqrt(values * np.where(takes_part, length, 0.0))
        variance = np.einsum("ij,ij->j", W, R @ W)
        self.consensus_weights_ = W / np.sqrt(np.where(variance > 0, variance, 1.0)) / std[:, None]
        self.weights_ = W / share / std[:, None]
        self._columns = parts
        self._n_features_out = k if self.output == "consensus" else J * k

    def _views_of_columns(self) -> np.ndarray:
        """(p,) the number of the view of each column that the mathematics sees."""
        who, names, d = type(self).__name__, self.schema_.names, len(self.schema_)
        design = self.design_
        source = np.arange(d) if design.plain else np.asarray(design.source)
        if self.views is None:
            return source.astype(np.int64)
        of_column = np.full(d, -1)
        for j, columns in enumerate(self.views):
            for column in columns:
                at = names.index(column) if column in names else column
                if isinstance(at, str) or not isinstance(at, (int, np.integer)) or not 0 <= at < d:
                    raise ParameterError(
                        f"{who}: views name the column {column!r}. Columns: {', '.join(names)}."
                    )
                if of_column[at] >= 0:
                    raise ParameterError(f"{who}: the column {names[at]!r} belongs to two views.")
                of_column[at] = j
        if (of_column < 0).any() or len(set(of_column.tolist())) < len(self.views):
            left = [names[i] for i in np.flatnonzero(of_column < 0)]
            raise ParameterError(
                f"{who}: every column belongs to one view, and every view has a column; without a view: "
                f"{', '.join(left) or 'none'}."
            )
        return of_column[source].astype(np.int64)

    def _deviations(self, X: Any) -> np.ndarray:
        return X - self.mean_

    def _weights(self) -> np.ndarray:
        if self.output == "consensus":
            return self.consensus_weights_.T
        of_view = self.views_ == np.arange(len(self.correlations_))[:, None]  # (J, p)
        return np.vstack([self.weights_.T * inside for inside in of_view])

    def _transform(self, X: Any) -> np.ndarray:
        A = self._deviations(X)
        if self.output == "consensus":
            return A @ self.consensus_weights_
        return np.hstack([A[:, c] @ self.weights_[c] for c in self._columns])

    def _model_parts(self) -> list[Part]:
        J, k = self.correlations_.shape
        heads = ["common column", "eigenvalue", *(f"view {j + 1}" for j in range(J))]
        rows: list[list[Any]] = [
            [r + 1, float(self.eigenvalues_[r]), *self.correlations_[:, r].tolist()] for r in range(k)
        ]
        weights = [
            [name, int(view) + 1, *w]
            for name, view, w in zip(self._names, self.views_, self.weights_.tolist())
        ]
        return [
            Section("Correlations of the views with the common columns", heads, rows),
            Section("Weights of the columns", ["column", "view", *(str(r + 1) for r in range(k))], weights),
        ]
