"""Kernel Fisher discriminant: directions in the space of a kernel that keep the classes apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.bayes.gaussian_classifier import class_priors
from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.lazy_answers import LazyTransforms
from assay.core.parameters import Count, Range, Simplex
from assay.core.scores import softmax
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, DegenerateError
from assay.processes.in_blocks import factor_in_blocks
from assay.svm.kernel_expansion import KernelExpansion
from assay.types import KernelLike, Priors, TableLike

__all__ = ["KernelFisherDiscriminant"]

ROWS_A_PRODUCT = 256  # of a matrix that is multiplied by its own transpose
NO_SEPARATION = 1e-12  # of the largest criterion: directions below it separate nothing


class KernelFisherDiscriminant(LazyTransforms, KernelExpansion, Classifier):
    r"""Find the directions in the space of a kernel that keep the classes apart best, and classify along them.

    A direction is a sum of the images of the rows with coefficients a. Among them the largest ratio of the scatter of
    the class means to the scatter within the classes is sought,

    .. math:: J(a) = \frac{a^TMa}{a^T(N+\mu I)a},\quad M = \sum_c n_c (m_c-m)(m_c-m)^T,\quad
              N = \sum_c K_c \left(I - \tfrac1{n_c}11^T\right) K_c^T \quad (1)

    with the columns :math:`K_c` of the kernel matrix that belong to class c and the means :math:`m_c` of these columns.
    Two classes have one direction, :math:`a = (N+\mu I)^{-1}(m_1-m_0)`, K classes up to K - 1. ``transform`` gives
    the coordinates along them, scaled so that the scatter within the classes is that of unit variances. The
    probabilities take the classes to be Gaussians of that covariance there; training rows lie closer together than new
    ones, so calibrate where probabilities count. With the linear kernel and a small ridge it is Fisher's discriminant.

    Cost: fit O(n^2 d + n^3); predict O(n d) a row; memory O(n^2) to fit, O(n d) kept.

    Parameters
    ----------
    kernel : str, callable of two tables, or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", ... (:func:`assay.kernels.kernel_of`).
    degree : float, default 3
        Of "poly".
    gamma : float, "scale" or "auto", default "scale"
        1 / (d var(X)) or 1 / d.
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    ridge : float above 0, default 1e-3
        :math:`\mu` as a share of the mean of N's diagonal. Without one, classes in a space of many dimensions would
        shrink to points.
    n_components : int, default None
        Directions to keep, at most K - 1; None keeps all.
    priors : (K,) probabilities, default None
        None takes the shares of the classes.

    Attributes
    ----------
    dual_coef_ : (n, r) a of each direction      X_fit_ : the training rows; empty for kernel="precomputed"
    criterion_ : (r,) J      means_ : (K, r) the class means along the directions      priors_ : (K,)
    mu_ : float      kernel_ : Kernel      classes_ : (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm import KernelFisherDiscriminant
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "in", "out")
    >>> model = KernelFisherDiscriminant().fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 0.0]])
    array(['in', 'out'], dtype='<U3')
    >>> model.transform([[0.0, 0.0], [2.0, 0.0]]).shape
    (2, 1)

    See Also
    --------
    assay.bayes.FisherDiscriminant, assay.bayes.LinearDiscriminantAnalysis, KernelLogisticRegression

    References
    ----------
    - Mika, S., Ratsch, G., Weston, J., Scholkopf, B. and Muller, K.-R. (1999). Fisher discriminant analysis with
      kernels. Neural Networks for Signal Processing IX, 41-48. doi:10.1109/NNSP.1999.788121
    - Baudat, G. and Anouar, F. (2000). Generalized discriminant analysis using a kernel approach. Neural Computation
      12(10), 2385-2404. doi:10.1162/089976600300014980
    """

    card = Card(
        "kernel fisher",
        "directions in the space of a kernel that keep the classes apart",
        also=("kernel fisher discriminant", "kernel lda"),
        scale=True,
        most_rows=5_000,
        learns=(
            "a direction in the kernel's space",
            "ratio of within to between scatter, ridge",
            "an eigendecomposition",
            "analytic",
        ),
    )
    accepts = {
        **KernelExpansion.accepts,
        "ridge": Range(0, open="low"),
        "n_components": Count(1) | None,
        "priors": Simplex() | None,
    }
    stored = {
        "dual_coef_": FloatArray("n", "r", finite=True),
        "criterion_": FloatArray("r", low=0),
        "means_": FloatArray("K", "r", finite=True),
        "priors_": FloatArray("K", low=0, high=1),
        "mu_": Scalar(low=0),
    }
    remedy = "Use Nystroem(kernel, n_components=1000) before LinearDiscriminantAnalysis."

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        ridge: float = 1e-3,
        n_components: int | None = None,
        priors: Priors | None = None,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.ridge = ridge
        self.n_components = n_components
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False  # the checks would round the columns until no scatter is left
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        from scipy.linalg import cho_solve

        weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        counts = np.bincount(y, weight, minlength=len(self.classes_))
        self.priors_ = self._class_priors(counts)
        K = self._learn_matrix(X, y, w)
        member = np.zeros((len(y), len(counts)))
        member[np.arange(len(y)), y] = weight / counts[y]
        means = K @ member  # (n, K) columns m_c
        total = means @ (counts / counts.sum())
        root = np.sqrt(weight)[
            :, None
        ]  # a = root b with |b|^2 penalised: a row of weight 2 is as good as two rows
        apart = root * (means - total[:, None]) * np.sqrt(counts)  # M of (1) is its product with itself
        centred = root * (K - means[:, y]) * root.T
        N = _product_with_itself(centred)
        size = float(np.trace(N)) / counts.sum()
        if not size > 0 or not apart.any():
            what = "the classes have the same mean" if size > 0 else "no row differs from its class"
            raise DegenerateError(
                f"{type(self).__name__}: {what} in the space of the kernel, so no direction is best."
            )
        self.mu_ = self.ridge * size
        N[np.diag_indices_from(N)] += self.mu_
        if not factor_in_blocks(N):
            raise DegenerateError(
                f"{type(self).__name__}: the scatter within the classes is singular in the space of the kernel. Raise "
                f"ridge, which is {self.ridge:g}."
            )
        solved = cho_solve((N, True), apart, check_finite=False)
        criterion, V = np.linalg.eigh(apart.T @ solved)
        order = np.argsort(-criterion)[: self._most_directions(len(counts))]
        order = order[criterion[order] > NO_SEPARATION * criterion.max()]
        B = solved @ (V[:, order] / np.sqrt(criterion[order]))
        within = centred.T @ B
        spread = np.sqrt(np.einsum("ij,ij->j", within, within) / counts.sum())
        A = root * B / np.where(spread > 0, spread, 1.0)
        self.criterion_ = criterion[order]
        self.dual_coef_, self.means_ = self._oriented(A, means.T @ A)

    def _oriented(self, A: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The directions turned so that the class farthest from the middle lies above it; of two, the second."""
        off = means - means.mean(axis=0)
        farthest = off[-1] if len(off) == 2 else off[np.abs(off).argmax(axis=0), np.arange(off.shape[1])]
        sign = np.where(farthest < 0, -1.0, 1.0)
        return np.ascontiguousarray(A * sign), means * sign

    def _most_directions(self, classes: int) -> int:
        return classes - 1 if self.n_components is None else min(self.n_components, classes - 1)

    def _class_priors(self, counts: np.ndarray) -> np.ndarray:
        who = type(self).__name__
        if len(counts) < 2:
            raise DataError(
                f"{who}: y has only one class, {self.classes_.tolist()[0]!r}; at least 2 classes are needed."
            )
        if not counts.all():
            empty = self.classes_[int(np.argmin(counts))]
            raise DegenerateError(f"{who}: class {empty} has no row that weighs anything, so it has no mean.")
        return class_priors(who, self.priors, counts, self.classes_)

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, r) the coordinates of the rows along the directions."""
        return self._kernel_sums(self._admit(X), self.dual_coef_)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the directions."""
        self._ready()
        return np.array([f"kernelfisherdiscriminant{j}" for j in range(len(self.criterion_))], dtype=object)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) the log odds of the second of two classes, or (n, K) log joint probabilities up to a constant."""
        scores = self._scores(self._admit(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _scores(self, X: Any) -> np.ndarray:
        """(n, K) the log density of each class, a Gaussian of unit variances, plus its log prior."""
        return self._kernel_sums(X, self.dual_coef_) @ self.means_.T + self._constants()

    def _constants(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.priors_) - 0.5 * np.sum(self.means_**2, axis=1)

    # Reasons: of two classes the log odds of the second, of more the score of the answer

    def _explained_outputs(self, X: Any) -> np.ndarray:
        return np.zeros(X.shape[0], np.int64) if len(self.classes_) == 2 else self._scores(X).argmax(axis=1)

    def _output_count(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _output_coefficients(self, p: int) -> np.ndarray:
        return self.dual_coef_ @ (
            self.means_[1] - self.means_[0] if len(self.classes_) == 2 else self.means_[p]
        )

    def _output_bias(self, p: int) -> float:
        constants = self._constants()
        return float(constants[1] - constants[0] if len(self.classes_) == 2 else constants[p])

    def _output_words(self, p: int) -> str:
        if len(self.classes_) == 2:
            return f"the log odds of {self.classes_[1]}"
        return f"the score of {self.classes_[p]}"

    def _decision_sections(self, X: Any, i: int) -> list[Section]:
        lines: list[list[Any]] = [
            [str(label), float(score)] for label, score in zip(self.classes_, self._scores(X[i : i + 1])[0])
        ]
        note = "The log density of each class along the directions, up to a constant, plus its log prior."
        return [Section("Scores of the classes", ["class", "score"], lines, note)]

    def _posterior(self, X: Any) -> np.ndarray:
        return softmax(self._scores(X))

    def _facts(self) -> list[list[Any]]:
        return [[f"criterion of direction {j + 1}", float(value)] for j, value in enumerate(self.criterion_)]


def _product_with_itself(A: np.ndarray) -> np.ndarray:
    """The lower triangle of A A', some rows at a time, so that Ctrl-C is heard."""
    out = np.zeros((len(A), len(A)))
    for start in range(0, len(A), ROWS_A_PRODUCT):
        stop = start + ROWS_A_PRODUCT
        out[start:stop, :stop] = A[start:stop] @ A[:stop].T
    return out
