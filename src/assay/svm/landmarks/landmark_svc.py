"""A kernel classifier on landmarks, for more rows than an exact machine can take."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.parameters import Any_
from assay.core.sums import Block, Source
from assay.errors import DataError
from assay.linear.class_factors import class_factors
from assay.svm.landmarks.landmark_machine import LandmarkMachine
from assay.types import ClassWeight, KernelLike, RandomState

__all__ = ["LandmarkSVC"]


class LandmarkSVC(LandmarkMachine, Discriminant):
    r"""A support vector classifier among the functions of a few landmarks.

    Of all functions of the kernel, only the sums over m landmarks c are considered,

    .. math:: f(x) = \sum_j \beta_j K(c_j, x) + b, \qquad
              \min_f \tfrac12\|f\|^2 + C\sum_i v_i\,(1 - y_i f(x_i))_+^2 \quad (1)

    so that the cost grows with the number of rows alone, not with its square. With all rows as landmarks it is the
    machine of squared slacks itself. How much the landmarks leave over of the kernel is known beforehand:
    ``error_bound_`` is the share of the kernel matrix's trace, and :math:`|K(a,b) - \hat K(a,b)|` is on average not
    above it for kernels with K(x, x) = 1. Newton's steps are sums over rows, so the machine learns from memory, from
    blocks on disk (``fit_blocks``) and on a Dask cluster alike. More than two classes: each against the others, all in
    the same passes.

    Cost: fit O(n m (d + m)) a pass, about ten of them; predict O(m d) a row; memory O(m^2 K + m d), and the features
    of the rows while these fit ``cache_size``.

    Parameters
    ----------
    C : float, default 1
        The price of slack; a row of weight w has w C.
    kernel : str, callable of two tables, or Kernel, default "rbf"
    degree : float, default 3
    gamma : float, "scale" or "auto", default "scale"
    coef0 : float, default 0
    n_landmarks : int, default 500
        m; raise it until ``error_bound_`` is small, or the score settles.
    landmarks : "random cholesky", "cholesky", "random" or "leverage", default "random cholesky"
        Among 20 rows for each landmark (5,000 at least), "random cholesky" draws each next one in proportion to what
        the others leave over, "cholesky" takes the row of which they leave most; the others draw all rows at once.
    class_weight : dict of label to factor, "balanced" or None, default None
    fit_intercept : bool, default True
    tol : float, default 1e-4
        Stop once a step lowers the objective by less than a hundredth of this share.
    max_iter : int, default 100
        Passes over the rows.
    cache_size : float, default 500
        Megabytes of features that are held while learning from memory; beyond, they are computed in each pass.
    random_state : int, RandomState or None, default None
        Of landmarks that are drawn.

    Attributes
    ----------
    support_ : (m,) the places of the landmarks     support_vectors_ : (m, p) the landmarks
    dual_coef_ : (1, m) or (K, m), beta     intercept_ : (1,) or (K,)     kernel_ : Kernel
    error_bound_ : float     objective_ : (1,) or (K,)     n_iter_ : int

    Examples
    --------
    >>> from assay.svm import LandmarkSVC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(2000, noise=0.1, random_state=0)
    >>> model = LandmarkSVC(gamma=2.0, n_landmarks=60, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.99, model.error_bound_ < 0.01
    (True, True)

    See Also
    --------
    LandmarkSVR, LinearSVC, assay.kernels.Nystroem

    References
    ----------
    - Williams, C. K. I. and Seeger, M. (2001). Using the Nystroem method to speed up kernel machines. Advances in
      Neural Information Processing Systems 13.
    - Keerthi, S. S., Chapelle, O. and DeCoste, D. (2006). Building support vector machines with reduced classifier
      complexity. Journal of Machine Learning Research 7, 1493-1515.
    """

    card = Card(
        "landmark svc",
        "a kernel machine on a few landmarks, for many rows",
        also=("nystroem svm", "approximate svm", "landmark svm"),
        scale=True,
        learns=(
            "a linear score on landmarks",
            "squared hinge loss + squared weights",
            "Newton steps",
            "global",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        **LandmarkMachine.accepts,
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        n_landmarks: int = 500,
        landmarks: str = "random cholesky",
        class_weight: ClassWeight = None,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 100,
        cache_size: float = 500,
        random_state: RandomState = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    def _learn_from(self, source: Source) -> None:
        K, who = len(self.classes_), type(self).__name__
        if K < 2:
            raise DataError(
                f"{who}: needs samples of at least 2 classes in the data, but y has only one class: "
                f"{self.classes_.tolist()[0]!r}."
            )
        factors = None
        if self.class_weight is not None:
            total = source.add_up(partial(_class_weights, K=K))
            factors = class_factors(self.class_weight, self.classes_, total, who)
        self._fit_slacks(source, partial(_sides, K=K), _short_of_margin, 1 if K == 2 else K, factors)

    def _scores(self, X: Any) -> np.ndarray:
        values = self._outputs(X)
        return values[:, 0] if values.shape[1] == 1 else values


def _class_weights(block: Block, K: int) -> np.ndarray:
    return np.bincount(block.y, block.w, minlength=K).astype(np.float64)


def _sides(y: np.ndarray, K: int) -> np.ndarray:
    """(b, K) 1 for the class of a row and -1 for the others; of two classes (b, 1), 1 for the second."""
    return np.where(y[:, None] == (np.arange(K) if K > 2 else np.array([1])), 1.0, -1.0)


def _short_of_margin(side: np.ndarray, value: np.ndarray) -> np.ndarray:
    return side * np.maximum(0.0, 1.0 - side * value)
