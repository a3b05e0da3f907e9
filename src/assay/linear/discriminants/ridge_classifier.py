"""Ridge classifier: ridge regression on -1 and +1."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.stored import Boolean, FloatArray, Scalar, Text
from assay.errors import ParameterError
from assay.linear.discriminants.label_table import LabelTable
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.regression.least_squares import weights_of
from assay.linear.regression.least_squares_learner import LeastSquaresLearner
from assay.linear.regression.ridge import SOLVERS, Ridge, check_solver, solver_name
from assay.types import ClassWeight, RandomState

__all__ = ["RidgeClassifier", "class_weights", "signs"]


class RidgeClassifier(LabelTable, LeastSquaresLearner, LinearClassifier, Discriminant):
    r"""Ridge regression on targets of +1 for the class and -1 for all others.

    .. math:: \min_{W,b}\;\sum_i v_i\,\lVert t_i - Wx_i - b\rVert^2 + \alpha\lVert W\rVert^2         \quad (1)

    Two classes need one score, whose sign decides; for more classes each has its own score and the largest wins.
    It costs one factorisation however many classes there are. Rows far on the right side are paid for like errors, so
    outliers draw the boundary towards themselves; logistic regression does not mind them. The rows enter through class
    means and scatter alone, so blocks, Dask and ``partial_fit`` give the same answer. Where y is a table of 0 and 1,
    each column is a label of its own, and a row may have any number of them.

    Cost: fit O(n d^2 + d^3 + n d K), and O(n^2 d + n^3) where n < d; predict O(d K) a row; memory O(n d + min(n, d)^2)
    to fit, O(d K) kept.

    Parameters
    ----------
    alpha : float, default 1.0
        The penalty.
    fit_intercept : bool, default True
        Whether there is a constant b.
    copy_X : bool, default True
        Accepted for scikit-learn's sake; X is never changed.
    max_iter : int, default None
        Of the iterations for sparse tables of more than 100 rows and columns; all else is solved directly.
    tol : float, default 1e-4
        When those iterations stop.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``; "balanced": n / (K n_k) for a class of n_k rows.
    solver : "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga" or "lbfgs", default "auto"
        Accepted for scikit-learn's sake, see Ridge.
    positive : bool, default False
        Whether weights below 0 are forbidden.
    random_state : default None
        Accepted for scikit-learn's sake; nothing is drawn.

    Attributes
    ----------
    coef_ : (d,) for two classes, as in scikit-learn, else (K, d)      intercept_ : (1,) or (K,)
    n_iter_ : None, since nothing is iterated
    solver_ : str, the way that scikit-learn takes with these settings

    Examples
    --------
    >>> from assay.linear import RidgeClassifier
    >>> model = RidgeClassifier(alpha=1.0).fit([[-2.0], [-1.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    >>> model.coef_.round(4)                                              # 6 / (10 + 1)
    array([0.5455])
    >>> model.predict([[-0.1], [0.1]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    RidgeClassifierCV, LeastSquaresClassifier

    References
    ----------
    - Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
      Technometrics 12(1), 55-67.
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card(
        "ridge",
        "least squares on coded classes, shrunk",
        also=("ridge classifier",),
        scale=True,
        learns=(
            "linear scores",
            "squared error of -1 and 1 + squared weights",
            "a Cholesky factor or a singular value decomposition",
            "analytic",
        ),
    )
    multiclass = "one-vs-rest"

    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "alpha": Range(0),
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "max_iter": Count() | None,
        "tol": Range(0),
        "class_weight": Any_(
            "None, 'balanced' or a dict of label to weight",
            lambda v: v is None or v == "balanced" or isinstance(v, dict),
        ),
        "solver": Choice(*SOLVERS),
        "positive": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "multilabel_": Boolean(),
        "coef_": FloatArray("p") | FloatArray("*", "p"),
        "intercept_": Scalar() | FloatArray("*"),
        "solver_": Text(),
    }
    _classes_matter = True

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        class_weight: ClassWeight = None,
        solver: str = "auto",
        positive: bool = False,
        random_state: RandomState = None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_solver(type(self).__name__, self.solver, self.positive)

    @property
    def _pooled(self) -> bool:
        return self.class_weight is None

    def _alphas(self, q: int) -> np.ndarray:
        return np.full(q, float(self.alpha))

    def _coding(self, count: np.ndarray) -> np.ndarray:
        return signs(len(self.classes_))

    def _class_weights(self, rows: np.ndarray) -> np.ndarray | None:
        return class_weights(type(self).__name__, self.class_weight, self.classes_, rows)

    def _label_regressor(self) -> Ridge:
        names = ("alpha", "fit_intercept", "max_iter", "tol", "solver", "positive")
        return Ridge(**{name: getattr(self, name) for name in names})

    def _publish(self, W: np.ndarray, b: np.ndarray, rank: int, loose: int) -> None:
        self.coef_, self.intercept_ = weights_of(W), b
        self.n_iter_ = None
        self.solver_ = solver_name(self.solver, self.positive, False)


def signs(K: int) -> np.ndarray:
    """(K, 1) for two classes, else (K, K): +1 for the class itself, -1 for the others.

    >>> from assay.linear.discriminants.ridge_classifier import signs
    >>> signs(2).ravel().tolist(), signs(3)[0].tolist()
    ([-1.0, 1.0], [1.0, -1.0, -1.0])
    """
    table = 2 * np.eye(K) - 1
    return table[:, 1:] if K == 2 else table if K > 2 else -np.ones((1, 1))


def class_weights(who: str, class_weight: Any, classes: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """(K,) the factor of each class, given its number of rows; None for ones.

    >>> import numpy as np
    >>> from assay.linear.discriminants.ridge_classifier import class_weights
    >>> class_weights("Learner", "balanced", np.array([0, 1]), np.array([30, 10]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        present = rows > 0
        return np.divide(rows.sum(), present.sum() * rows, out=np.zeros(len(rows)), where=present)
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ParameterError(
            f"{who}: class_weight has the label {unknown[0]!r}, which is not among the classes {labels}."
        )
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    if not (factors >= 0).all() or not (factors * rows).any():
        raise ParameterError(
            f"{who}: class_weight must be numbers from 0 up, not all 0, got {class_weight!r}."
        )
    return factors
