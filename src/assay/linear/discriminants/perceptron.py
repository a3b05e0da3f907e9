"""Perceptron by stochastic gradient descent: several classes, sparse rows, penalties, early stopping."""

from __future__ import annotations

from typing import ClassVar

from assay.core import Card
from assay.core.parameters import Accepted
from assay.linear.gradient.sgd_classifier import SGDClassifier
from assay.types import ClassWeight, RandomState

__all__ = ["Perceptron"]


class Perceptron(SGDClassifier):
    r"""Linear classifier whose weights are corrected at each mistake.

    .. math:: y_i(w^Tx_i + b) \le 0:\qquad w \leftarrow w + \eta\,y_ix_i,\quad b \leftarrow b + \eta\,y_i   \quad (1)

    with labels -1 and +1: stochastic gradient descent on the loss max(0, -y s) at a constant rate, so this is
    ``SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1, penalty=None)``. Classes that a hyperplane
    separates are separated after finitely many corrections; others make the weights wander, and ``tol`` ends it. More
    than two classes: each against the rest. The same seed gives the same weights as scikit-learn, except for early
    stopping beside a penalty, which the peer judges by weights that lack their scale. For the textbook's variants
    (visiting orders, batches, margins, the trace of corrections) see ``PerceptronRule``, and ``PocketClassifier`` for
    classes that are not separable.

    Cost: fit O(n d) a pass; predict O(d K) a row; memory O(n d) to fit, O(d K) kept.

    Parameters
    ----------
    penalty : "l2", "l1", "elasticnet" or None, default None
        Which norm of the weights is penalised.
    alpha : float, default 0.0001
        Strength of the penalty.
    l1_ratio : float, default 0.15
        Share of the absolute penalty in "elasticnet".
    fit_intercept : bool, default True
        Whether there is a constant b.
    max_iter : int, default 1000
        Passes over the rows at most.
    tol : float or None, default 1e-3
        Stop when ``n_iter_no_change`` passes in turn lowered the mean loss by less; None makes all passes.
    shuffle : bool, default True
        Visit the rows in a new order in each pass.
    verbose : int, default 0
        Accepted for scikit-learn's sake; long fits show a progress bar.
    eta0 : float, default 1
        eta in (1); from zero and without a penalty it only scales the weights.
    n_jobs : int or None, default None
        Threads at most, over the classes; None for all that the surroundings allow. The answer is the same.
    random_state : default 0
        Seed of the orders, and of the rows set aside.
    early_stopping : bool, default False
        Set ``validation_fraction`` of the rows aside and stop when their accuracy does not rise any more.
    validation_fraction : float, default 0.1
        Share of the rows that is set aside.
    n_iter_no_change : int, default 5
        Passes without progress after which it stops.
    class_weight : dict of label to weight, "balanced" or None, default None
        What the rows of each class count, besides ``sample_weight``.
    warm_start : bool, default False
        Begin at the weights of the last fit.

    Attributes
    ----------
    coef_ : (1, d) for two classes, else (K, d)      intercept_ : (1,) or (K,)      classes_ : (K,)
    n_iter_ : passes made, the most of all classes      t_ : 1 + rows visited
    history_ : list of passes (number, loss, rate, score, label)

    Examples
    --------
    >>> from assay.linear import Perceptron
    >>> X, y = [[-2.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [2.0, 1.0]], ["left", "left", "right", "right"]
    >>> Perceptron().fit(X, y).predict([[-0.8, -1.0], [3.0, 0.5]])
    array(['left', 'right'], dtype='<U5')

    See Also
    --------
    PerceptronRule, PocketClassifier, SGDClassifier

    References
    ----------
    - Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in the
      brain. Psychological Review 65(6), 386-408. doi:10.1037/h0042519
    """

    card = Card(
        "perceptron",
        "corrects one mistake after the other",
        scale=True,
        learns=(
            "a linear score",
            "perceptron loss: distance of mistakes from the boundary",
            "one row after the other",
            "global",
        ),
    )
    accepts: ClassVar[dict[str, Accepted | None]] = {
        name: accepted
        for name, accepted in SGDClassifier.accepts.items()
        if name not in ("loss", "epsilon", "learning_rate", "power_t", "average", "batch_size")
    }
    loss = "perceptron"
    learning_rate = "constant"
    epsilon = 0.1
    power_t = 0.5
    average = False
    batch_size = 1

    def __init__(
        self,
        *,
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
