"""Principal components of rows that come in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.moments import ClassScatter
from assay.core.parameters import Count, Flag
from assay.core.stored import FloatArray, Integer, Object
from assay.core.sum_learner import SumLearner, WithoutTarget
from assay.core.sums import Block
from assay.errors import ParameterError
from assay.reduce.components.gaussian_components import GaussianComponents
from assay.reduce.components.pca import rows_of, scatter_of_block
from assay.reduce.components.spectrum import spectrum_of_matrix

__all__ = ["IncrementalPCA"]


class IncrementalPCA(WithoutTarget, SumLearner, GaussianComponents):
    r"""Principal components from rows that come in parts: the covariance matrix is a sum, so nothing is lost.

    ``partial_fit`` adds rows to the counts, means and scatter matrix of those before, and the components are those of
    all rows so far, the same as :class:`PCA` finds at once. scikit-learn's learner of that name keeps the leading
    components of the past alone, an approximation that depends on the sizes and the order of the parts.

    Cost: fit O(n d^2 + d^3), each part of it O(d^3) besides; transform O(d k) a row; memory O(d^2).

    Parameters
    ----------
    n_components : int or None, default None
        None keeps as many as the rows of the first call allow.
    whiten : bool, default False
        Whether to divide each component by its standard deviation.
    copy : bool, default True
        Accepted as scikit-learn's; X is never changed.
    batch_size : int or None, default None
        Accepted as scikit-learn's; ``fit`` gives the same answer for all sizes.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, noise_variance_,
    n_components_ : as in :class:`PCA`
    var_ : (d,) variances of the columns, divisor n      n_samples_seen_ : int      batch_size_ : int

    Examples
    --------
    >>> from assay.reduce import PCA, IncrementalPCA
    >>> from assay.tables.data import load_iris
    >>> X = load_iris().X
    >>> pca = IncrementalPCA(n_components=2).partial_fit(X[:50]).partial_fit(X[50:])
    >>> bool(abs(pca.components_ - PCA(n_components=2).fit(X).components_).max() < 1e-12)
    True

    See Also
    --------
    PCA

    References
    ----------
    - Chan, T. F., Golub, G. H. and LeVeque, R. J. (1982). Updating formulae and a pairwise algorithm for computing
      sample variances. COMPSTAT, 30-41.
    """

    card = Card("incremental pca", "principal components of rows that come in parts")
    accepts = {
        "n_components": Count(1) | None,
        "whiten": Flag(),
        "copy": Flag(),
        "batch_size": Count(1) | None,
    }
    takes = frozenset({"sparse"})
    stored = {
        "var_": FloatArray("p", low=0, finite=True),
        "n_samples_seen_": Integer(low=1),
        "batch_size_": Integer(low=1),
        "_sums": Object(ClassScatter),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
    ):
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("n_components_", None)

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> ClassScatter:
        return scatter_of_block(Block(X, None, w))

    def _solve(self, sums: ClassScatter) -> None:
        n, d = rows_of(sums), sums.mean.shape[1]
        wanted = self.n_components
        if wanted is None:  # as many as at first
            wanted = min(vars(self).get("n_components_", min(n, d)), min(n, d))
        if not 1 <= wanted <= min(n, d):
            raise ParameterError(
                f"{type(self).__name__}: n_components={wanted} must be between 1 and the {n} rows and {d} columns of "
                "the first call."
            )
        divisor = self._divisor(sums.count[0])
        spectrum = spectrum_of_matrix(self._finite(sums.scatter[0]) / divisor, wanted, min(n, d))
        self._keep_spectrum(spectrum, sums.mean[0], None, divisor, n, float)
        del self.n_samples_
        self.n_samples_seen_ = n
        self.var_ = np.diag(sums.scatter[0]) / sums.count[0]
        self.batch_size_ = self.batch_size or 5 * d
