"""A kernel regression on landmarks, for more rows than an exact machine can take."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Range
from assay.core.sums import Source
from assay.errors import DataError
from assay.svm.landmarks.landmark_machine import LandmarkMachine
from assay.types import KernelLike, RandomState

__all__ = ["LandmarkSVR"]

LARGEST_TARGET = 1e152  # whose squares can be added up


class LandmarkSVR(LandmarkMachine, Regressor):
    r"""Support vector regression among the functions of a few landmarks.

    .. math:: f(x) = \sum_j \beta_j K(c_j, x) + b, \qquad
              \min_f \tfrac12\|f\|^2 + C\sum_i v_i\,(|y_i - f(x_i)| - \epsilon)_+^2 \quad (1)

    The cost grows with the number of rows alone; with :math:`\epsilon=0` and all rows as landmarks it is kernel ridge
    regression with the penalty 1 / (2 C) and a constant. See :class:`LandmarkSVC` for the landmarks, their error, and
    learning from blocks and on Dask.

    Cost: fit O(n m (d + m)) a pass, about ten of them; predict O(m d) a row; memory O(m^2 + m d), and the features of
    the rows while these fit ``cache_size``.

    Parameters
    ----------
    C : float, default 1
        The price of errors; a row of weight w has w C.
    epsilon : float, default 0
        Errors up to this size cost nothing.
    kernel : str, callable of two tables, or Kernel, default "rbf"
    degree : float, default 3
    gamma : float, "scale" or "auto", default "scale"
    coef0 : float, default 0
    n_landmarks : int, default 500
    landmarks : "random cholesky", "cholesky", "random" or "leverage", default "random cholesky"
    fit_intercept : bool, default True
    tol : float, default 1e-4
    max_iter : int, default 100
    cache_size : float, default 500
        Megabytes of features that are held while learning from memory.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    support_ : (m,) the places of the landmarks     support_vectors_ : (m, p) the landmarks
    dual_coef_ : (1, m) beta     intercept_ : (1,)     kernel_ : Kernel
    error_bound_ : float     objective_ : (1,)     n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm import LandmarkSVR
    >>> x = np.linspace(0, 6, 3000)[:, None]
    >>> model = LandmarkSVR(C=100, n_landmarks=30, random_state=0).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.01)
    True

    See Also
    --------
    LandmarkSVC, SVR, assay.kernels.Nystroem

    References
    ----------
    - Williams, C. K. I. and Seeger, M. (2001). Using the Nystroem method to speed up kernel machines. Advances in
      Neural Information Processing Systems 13.
    """

    card = Card(
        "landmark svr",
        "a kernel regression on a few landmarks, for many rows",
        also=("nystroem svr", "approximate svr"),
        scale=True,
        learns=(
            "a linear function on landmarks",
            "squared error beyond epsilon + squared weights",
            "Newton steps",
            "global",
        ),
    )
    accepts = {**LandmarkMachine.accepts, "epsilon": Range(0)}

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.0,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str | None = "scale",
        coef0: float = 0.0,
        n_landmarks: int = 500,
        landmarks: str = "random cholesky",
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 100,
        cache_size: float = 500,
        random_state: RandomState = None,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    def _learn_from(self, source: Source) -> None:
        self._fit_slacks(source, _one_column, partial(_beyond_tube, epsilon=float(self.epsilon)), 1)

    def _predict(self, X: Any) -> np.ndarray:
        return self._outputs(X)[:, 0]


def _one_column(y: np.ndarray) -> np.ndarray:
    if (largest := float(np.abs(y).max(initial=0.0))) > LARGEST_TARGET:
        raise DataError(
            f"LandmarkSVR: y has values as large as {largest:.3g}, whose squares cannot be added up. Divide it by a "
            "power of ten."
        )
    return np.asarray(y, dtype=np.float64)[:, None]


def _beyond_tube(target: np.ndarray, value: np.ndarray, epsilon: float) -> np.ndarray:
    error = target - value
    return np.sign(error) * np.maximum(0.0, np.abs(error) - epsilon)
