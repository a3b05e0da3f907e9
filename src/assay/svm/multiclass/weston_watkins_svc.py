"""Weston and Watkins' machine: all classes in one problem, each with a slack of its own."""

from __future__ import annotations

from assay.core import Card
from assay.svm.multiclass.joint_machine import JointMachine
from assay.types import ClassWeight, KernelLike, RandomState

__all__ = ["WestonWatkinsSVC"]


class WestonWatkinsSVC(JointMachine):
    r"""A support vector machine of K classes in one problem: the score of a row's class leads each other one.

    .. math:: \min\;\tfrac12\sum_k\lVert w_k\rVert^2+C\sum_iv_i\sum_{k\ne y_i}\xi_{ik},\qquad
              f_{y_i}(x_i)\ge f_k(x_i)+2-\xi_{ik},\quad\xi_{ik}\ge0                                          \quad (1)

    with scores :math:`f_k(x)=w_k^T\phi(x)+b_k`, the largest of which answers. Every class that comes too close pays its
    own slack, where :class:`CrammerSingerSVC` counts the worst alone. The constants add up to 0. Two classes have
    :math:`w_2=-w_1`, the weights of the binary machine with the same C. One against the others (:class:`LinearSVC`) is
    usually as good and quicker; the joint problem is consistent with what it optimises where classes have many rows in
    common.

    The dual is solved over the K - 1 multipliers of one row at a time; for the linear kernel with the weights of the
    columns, dense or sparse, else with the kernel matrix, which has to fit into memory. Where that crawls (large C,
    columns of very different units) and a linear machine has at most 1500 weights, an interior point method takes over.

    Cost: fit O(n d K) a pass over the rows, with other kernels O(n^2 K) and O(n^2 d) for the matrix; predict O(d K) or
    O(m d K) a row; memory O(n (d + K)), with other kernels O(n^2), to fit.

    Parameters
    ----------
    C : float, default 1.0
        The price of slack.
    kernel : str, callable or Kernel, default "rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", ..., or an object of :mod:`assay.kernels`.
    degree, gamma, coef0 : of the kernel, as in :class:`SVC`
    fit_intercept : bool, default True
        Whether scores have constants; they are not penalised.
    class_weight : None, "balanced" or dict from classes to factors of C
    tol : float, default 1e-6
        Gap between (1) and its dual, relative to (1), at which to stop.
    max_iter : int, default -1
        Passes over the rows at most (over small tables as many as make 10 million products count one; a linear system
        of the interior point method counts one, too); -1 for no limit.
    random_state : default None
        Seed of the order in which rows are visited; the minimum does not depend on it.
    shrinking, cache_size, verbose : accepted, as in :class:`SVC`; rows that rest are always left out of passes

    Attributes
    ----------
    dual_coef_ : (K, m) coefficients of the support vectors in each score      support_ : (m,)
    support_vectors_ : (m, p)      intercept_ : (K,)      coef_ : (K, p) for the linear kernel
    objective_ : float, (1)      gap_ : float      n_iter_ : int      kernel_ : Kernel, as fitted

    Examples
    --------
    >>> from assay.svm import WestonWatkinsSVC
    >>> x, y = [[-2.0], [-1.0], [1.0], [2.0], [1.5]], ["-", "-", "+", "+", "-"]
    >>> model = WestonWatkinsSVC(C=0.5, kernel="linear", tol=1e-9).fit(x, y)
    >>> model.coef_.ravel().round(4), model.intercept_.round(4), round(model.objective_, 4)
    (array([ 0.6667, -0.6667]), array([-0.3333,  0.3333]), 2.7778)

    See Also
    --------
    CrammerSingerSVC, LinearSVC, SVC

    References
    ----------
    - Weston, J. and Watkins, C. (1999). Support vector machines for multi-class pattern recognition. European
      Symposium on Artificial Neural Networks, 219-224.
    - Hsu, C.-W. and Lin, C.-J. (2002). A comparison of methods for multiclass support vector machines. IEEE
      Transactions on Neural Networks 13(2), 415-425. doi:10.1109/72.991427
    """

    card = Card(
        "weston watkins",
        "all classes in one margin problem, each with its slack",
        scale=True,
        most_rows=10_000,
        learns=(
            "a score of each class in the kernel's space",
            "multiclass hinge loss + squared weights",
            "dual coordinate steps",
            "global",
        ),
    )
    each = True
    margin = 2.0

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: float = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = -1,
        random_state: RandomState = None,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
