"""Basis expansion: a row as the values of chosen functions of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Transformer
from assay.core.parameters import Any_, Flag
from assay.core.stored import Each, Object
from assay.errors import DataError
from assay.prepare.bases import Basis, Power, UserFunction
from assay.tables.row_names import row_name

__all__ = ["BasisExpansion"]


class BasisExpansion(Transformer):
    r"""Replace the columns by basis functions of them, so that a linear learner can follow any shape they have.

    .. math:: \varphi(x) = (\varphi_1(x), \dots, \varphi_m(x)), \qquad
              g(x) = w^T\varphi(x) + w_0                                                      \quad (1)

    The learner after it stays linear, with all that is simple about linear learners; the boundary in the old columns
    is as curved as the functions are. Choose functions that the problem suggests: sines for what repeats, steps
    for thresholds, Gaussians for what is special near a place. More functions need more rows. A nominal column is
    there by its indicators, called like "taste=sour".

    Cost: fit O(n d); transform O(m) a row for m basis functions; memory O(m) kept, O(n m) comes out.

    Parameters
    ----------
    bases : list of basis functions, or None, default None
        From :mod:`assay.prepare.bases` (``Sine``, ``Gaussian1D``, ``RadialGaussian``, ``Log``, ``Step``,
        ``ObliqueStep``, ``Product``, ``Power``), or functions of your own, which are called with one array for each
        column. None is the identity basis: every column as it is.
    include_bias : bool, default False
        Whether the first function is the constant 1.
    keep_columns : bool, default False
        Whether the columns themselves stand before the functions.

    Attributes
    ----------
    bases_ : the functions that are used, in their order

    Examples
    --------
    Exclusive or becomes linear: the second number alone separates the classes.

    >>> from assay.prepare import BasisExpansion
    >>> from assay.prepare.bases import Product
    >>> phi = BasisExpansion([Product((0,), (0.5,), 2), Product((0, 1), (0.5, 0.5), 4)])
    >>> phi.fit_transform([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    array([[-1.,  1.],
           [-1., -1.],
           [ 1., -1.],
           [ 1.,  1.]])
    >>> phi.get_feature_names_out()
    array(['2 (x0 - 0.5)', '4 (x0 - 0.5) (x1 - 0.5)'], dtype=object)

    See Also
    --------
    PolynomialFeatures, assay.neighbors.SimilarityFeatures

    References
    ----------
    - Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities with
      applications in pattern recognition. IEEE Transactions on Electronic Computers 14(3), 326-334.
    - Bishop, C. M. (2006). Pattern Recognition and Machine Learning. Springer.
    """

    card = Card(
        "basis expansion", "basis functions of the columns, such as splines", also=("basis functions",)
    )
    accepts = {
        "bases": Any_(
            "a list of basis functions (assay.prepare.bases) or of your own functions, or None",
            lambda bases: (
                bases is None
                or (
                    isinstance(bases, (list, tuple))
                    and all(isinstance(b, Basis) or callable(b) for b in bases)
                )
            ),
        ),
        "include_bias": Flag(),
        "keep_columns": Flag(),
    }
    stored = {"bases_": Each(Object(Basis))}

    def __init__(self, bases: Any = None, *, include_bias: bool = False, keep_columns: bool = False):
        self.bases = bases
        self.include_bias = include_bias
        self.keep_columns = keep_columns

    def _learn(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> None:
        d = X.shape[1]
        identity: list[Basis] = [Power(j, 1) for j in range(d)]
        functions = [b if isinstance(b, Basis) else UserFunction(b) for b in self.bases or ()]
        self.bases_ = (identity if self.keep_columns or self.bases is None else []) + functions
        if not self.bases_ and not self.include_bias:
            raise DataError("BasisExpansion: bases is empty, so no column would come out. Name a function.")
        self._transform(X[:1])  # reports unknown columns now

    def _transform(self, X: np.ndarray) -> np.ndarray:
        names = self.design_.names
        columns = [np.ones(len(X))] if self.include_bias else []
        with np.errstate(over="ignore", invalid="ignore"):
            columns += [basis.values(np.asarray(X, dtype=np.float64), names) for basis in self.bases_]
        out = np.column_stack(columns)
        bad = ~np.isfinite(out)
        if bad.any():
            i, k = np.argwhere(bad)[0]
            raise DataError(
                f"BasisExpansion: {self._names_out()[k]} is {out[i, k]} in {row_name(i)}, expected a finite "
                "number. Scale or "
                "shift its columns first."
            )
        return out

    def _names_out(self) -> list[str]:
        labels = [basis.label(self.design_.names) for basis in self.bases_]
        return (["1"] if self.include_bias else []) + labels
