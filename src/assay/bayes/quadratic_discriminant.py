"""Quadratic discriminant analysis: one Gaussian per class, each with a covariance of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.covariance_estimates import (
    BlendedRows,
    Covariances,
    empirical,
    from_estimator,
    ledoit_wolf,
    ledoit_wolf_of_rows,
    shrunk,
    shrunk_rows,
)
from assay.bayes.gaussian_classifier import check_overflow, class_priors
from assay.bayes.low_rank import LowRank, few_rows
from assay.bayes.own_covariances import OwnCovariances
from assay.core import Card
from assay.core.moments import ClassScatter, RowScatter, class_scatter
from assay.core.parameters import Choice, Flag, Instance, Range, Simplex
from assay.core.stored import Each, FloatArray
from assay.core.sums import Source
from assay.errors import DegenerateError, ParameterError
from assay.types import Estimator, Priors


class QuadraticDiscriminantAnalysis(OwnCovariances):
    r"""Gaussian classes, each with its own covariance: quadratic decision boundaries.

    .. math:: g_k(x) = \ln\pi_k - \tfrac12\ln|\Sigma_k| - \tfrac12 (x-m_k)^T\Sigma_k^{-1}(x-m_k)
                     = x^TW_kx + w_k^Tx + w_{k0}                                               \quad (1)

    with means and covariances of the classes by maximum likelihood (divisor: the weight of the class). The
    boundaries are conics. It has K d (d + 1) / 2 covariance parameters: worth having when each class has many
    more rows than columns and the classes differ in shape; else look at `LinearDiscriminantAnalysis`, or
    at `RegularizedDiscriminantAnalysis` between the two. ``discriminants()`` gives W, w and w0.

    A drop-in for scikit-learn's class of this name, that also takes ``sample_weight``, blocks of rows and
    ``partial_fit``.

    A class whose covariance has no inverse (collinear or constant columns, no more rows than columns, a single
    row) is an error, ``SingularCovarianceError``, with a remedy; any ``reg_param`` or ``shrinkage`` above 0
    helps. A single class is an error too.

    Cost: fit O(n d^2 + K d^3), with fewer rows than columns and regularised O(n^2 d); predict O(K d^2) a row, then
    O(n d); memory O(K d^2), then O(n d).

    Parameters
    ----------
    solver : "svd" or "eigen", default "svd"
        "svd" goes with ``reg_param``; "eigen" with ``shrinkage`` or ``covariance_estimator``. The arithmetic is
        the same.
    shrinkage : None, "auto" or a number from 0 to 1, default None
        Blend of each covariance with a multiple of the identity that has its trace ("eigen" only). "auto" takes
        Ledoit and Wolf's share, which needs a second pass over the rows and so excludes ``partial_fit``.
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares.
    reg_param : number from 0 to 1, default 0
        Blend of each covariance with the identity, :math:`(1-r)\Sigma_k + rI` ("svd" only).
    store_covariance : bool, default False
        Keep ``covariance_``.
    tol : float, default 1e-4
        A covariance is not of full rank when the standardised rows of the class have a singular value below
        tol. Other than in scikit-learn this does not depend on the columns' units.
    covariance_estimator : object with ``fit`` and ``covariance_``, default None
        Estimates the covariance of each class instead ("eigen"; rows in memory, no weights).

    Attributes
    ----------
    means_ : (K, d)      priors_ : (K,)
    rotations_ : list of K (d, d) arrays, the principal axes of each class as columns, longest first; of fewer rows
        than columns (d, r), the r axes along which the rows of the class vary; with shrinkage="auto" all of them,
        made when they are asked for
    scalings_ : list of K (d,) or (r,) arrays, the variances along them
    covariance_ : list of K (d, d) arrays, if store_covariance

    Examples
    --------
    Same mean, standard deviations 1 and 2; the narrow class owns the middle, up to 1.3596:

    >>> from assay.bayes import QuadraticDiscriminantAnalysis
    >>> model = QuadraticDiscriminantAnalysis().fit([[-1.0], [1.0], [-2.0], [2.0]], ["a", "a", "b", "b"])
    >>> model.predict([[1.3], [1.4]])
    array(['a', 'b'], dtype='<U1')
    >>> W, w, w0 = model.discriminants().log_odds("a", "b")
    >>> float((-w0 / W[0, 0]) ** 0.5)
    1.35955...

    See Also
    --------
    LinearDiscriminantAnalysis, RegularizedDiscriminantAnalysis, GaussianNB

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """

    card = Card(
        "qda",
        "one Gaussian per class, each its own covariance",
        also=("quadratic discriminant",),
        suits="all numeric",
        learns=(
            "a Gaussian of each class",
            "negative log joint likelihood",
            "moments and eigendecompositions",
            "analytic",
        ),
    )
    accepts = {
        "solver": Choice("svd", "eigen"),
        "shrinkage": Choice("auto") | Range(0, 1) | None,
        "priors": Simplex() | None,
        "reg_param": Range(0, 1),
        "store_covariance": Flag(),
        "tol": Range(0),
        "covariance_estimator": Instance(having="fit") | None,
    }
    stored = {
        "covariance_": Each(FloatArray("p", "p"), "K"),
        "rotations_": Each(FloatArray("p", "*"), "K"),
        "scalings_": Each(FloatArray("*"), "K"),
    }

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Priors | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1.0e-4,
        covariance_estimator: Estimator | None = None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who = type(self).__name__
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError(
                f"{who}: shrinkage not supported with 'svd' solver. Use solver='eigen'."
            )
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(
                f"{who}: covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead."
            )
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            raise ParameterError(
                f"{who}: covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        return class_scatter(X, y, w, len(self.classes_), pooled=False)

    def _learn_rows(self, source: Source) -> None:
        few = None if self.covariance_estimator is not None else few_rows(source, len(self.classes_))
        if few is not None:
            self._sums = few
            self._solve(few)
            return
        self._sums = sums = source.add_up(self._summarize_block)
        covariances = None
        if self.covariance_estimator is not None:
            covariances = from_estimator(
                type(self).__name__, self.covariance_estimator, source, len(self.classes_)
            )
        elif self.shrinkage == "auto":
            covariances = ledoit_wolf(source, sums)
        self._solve(sums, covariances)

    def _solve(self, sums: ClassScatter | RowScatter, covariances: Covariances | None = None) -> None:
        who, few = type(self).__name__, isinstance(sums, RowScatter)
        self.__dict__.pop("covariance_", None)
        if (
            not few
            and covariances is None
            and (self.shrinkage == "auto" or self.covariance_estimator is not None)
        ):
            raise ParameterError(
                f"{who}: shrinkage='auto' and covariance_estimator look at the rows twice. Use fit or fit_blocks, or "
                "give shrinkage as a number."
            )
        check_overflow(who, sums.mean, sums.squares if isinstance(sums, RowScatter) else sums.scatter)
        if len(self.classes_) < 2:
            raise DegenerateError(f"{who}: The number of classes has to be greater than one. Got 1 class.")
        self.means_ = sums.mean
        self.priors_ = class_priors(who, self.priors, sums.count, self.classes_)
        if isinstance(sums, RowScatter):
            self._solve_rows(sums)
            return
        S = covariances.of_classes if covariances is not None else empirical(sums).of_classes
        if self.solver == "svd":
            S = (1 - self.reg_param) * S + self.reg_param * np.eye(S.shape[1])
        elif covariances is None and self.shrinkage:
            S = shrunk(S, self.shrinkage)
        self._settle(S, self.tol, lambda k: self._advice(k, int(sums.rows[k])))
        self.scalings_, self.rotations_ = _principal_axes(S)
        if self.store_covariance:
            self.covariance_ = list(S)

    def _solve_rows(self, sums: RowScatter) -> None:
        """Fewer rows than columns: each covariance is its rows' axes, and one variance across them."""
        K, d, classes = len(self.classes_), sums.mean.shape[1], sums.classes
        blends = []
        for k in range(K):
            F = sums.deviations[classes == k] / np.sqrt(sums.count[k] if sums.count[k] > 0 else 1.0)
            if self.solver == "svd":
                blends.append(BlendedRows(np.sqrt(1 - self.reg_param) * F, np.full(d, self.reg_param)))
            elif self.shrinkage == "auto":
                of_class = RowScatter(
                    sums.count[[k]], sums.rows[[k]], sums.mean[[k]], sums.deviations[classes == k],
                    sums.roots[classes == k],
                )  # fmt: skip
                blends.append(ledoit_wolf_of_rows(of_class, np.ones(1)))
            else:
                blends.append(shrunk_rows(F, self.shrinkage or 0.0))

        def dense() -> np.ndarray:
            return np.array([b.dense() for b in blends])

        def advice(k: int) -> str:
            return self._advice(k, int(sums.rows[k]))

        round_ones = all(np.ptp(b.diagonal) == 0 for b in blends)  # else a diagonal of its own for each class
        shapes = [LowRank.of_rows(b.F, float(b.diagonal[0])) if round_ones else b.shape() for b in blends]
        self._settle_rows(shapes, self.tol, dense, advice)
        for name in ("rotations_", "scalings_"):
            self.__dict__.pop(name, None)
        if "_axes" not in vars(self):
            self.scalings_, self.rotations_ = _principal_axes(dense())
        elif round_ones:
            self.rotations_, self.scalings_ = self._axes, self._along
        if self.store_covariance:
            self.covariance_ = list(dense())

    def __getattr__(self, name: str) -> Any:
        if name in ("rotations_", "scalings_") and "_scales" in vars(self):  # large, so made when asked for
            axes = _principal_axes(np.array([shape.dense() for shape in self._shapes or []]))
            return axes[1 if name == "rotations_" else 0]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _advice(self, k: int, rows: int) -> str:
        """What to do about class k of so many rows whose covariance is singular."""
        how = "reg_param" if self.solver == "svd" else "shrinkage"
        few = f"y has only 1 sample in class {self.classes_[k]}. " if rows == 1 else ""
        few = f"It has {rows} rows, no more than columns. " if 1 < rows <= self.means_.shape[1] else few
        return f"{few}Increase the value of `{how}` to reduce the collinearity, or drop columns."


def _principal_axes(S: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """K times (d,) variances, largest first, and (d, d) axes as columns, of (K, d, d) covariances."""
    values, vectors = np.linalg.eigh(S)
    return list(values[:, ::-1]), list(vectors[:, :, ::-1])
