"""The dual of a support vector machine by projected gradient ascent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.progress import progress
from assay.core.stored import Each, Integer, Object
from assay.errors import warn_user
from assay.svm.linear.margin_machine import MarginMachine, bias, check_squares, signed_rows

__all__ = ["DualStep", "ProjectedGradientSVC", "project_box_plane"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DualStep:
    """One step of the ascent, as ``history_`` keeps it.

    Attributes
    ----------
    iteration : from 0, the start      dual : the objective      step : length along the direction
    violation : the largest change that one more projected step would make
    balance : the sum of alpha y, which the plain scheme does not keep at 0
    """

    iteration: int
    dual: float
    step: float
    violation: float
    balance: float
    stored = {"iteration": Integer()}


class ProjectedGradientSVC(MarginMachine):
    r"""A support vector machine whose dual climbs along its gradient, step by step.

    .. math:: L(\alpha)=\sum_i\alpha_i-\tfrac12\Bigl\lVert\sum_i\alpha_iy_ix_i\Bigr\rVert^2,\qquad
              g_i=\frac{\partial L}{\partial\alpha_i}=1-y_i\,x_i^T\sum_j\alpha_jy_jx_j                        \quad (1)

    .. math:: \alpha\leftarrow\alpha+t\,\bigl(P(\alpha+\eta g)-\alpha\bigr)                         \quad (2)

    P is the nearest point with :math:`0\le\alpha_i\le C` and :math:`\sum\alpha_iy_i=0` (for a machine without a
    constant the box alone), t in [0, 1] maximises L along the step, and :math:`\eta` is the inverse of the curvature
    along the last step (Barzilai and Borwein). ``projection="plain"`` is the scheme of the textbook: the gradient
    without its component along y, t by maximising L, and coordinates outside the box reset to its edge. That breaks
    :math:`\sum\alpha_iy_i=0`, as ``history_`` shows, and its fixed point need not be the optimum; it is here to be
    looked at.

    With C infinite this is the hard margin, which overlapping classes do not have: the ascent then never ends and
    ``max_iter`` stops it with a warning. For use rather than study: :class:`LinearSVC`, :class:`HardMarginSVC`.

    Cost: fit O(n d) a step; predict O(d) a row; memory O(n d) to fit, O(n + d) kept.

    Parameters
    ----------
    C : float, default 1.0
        Upper bound of the multipliers, the price of slack; infinite for a hard margin.
    fit_intercept : bool, default True
        Whether there is a constant b, and with it the equation.
    projection : "exact" or "plain", default "exact"
        Which P, see above.
    tol : float, default 1e-6
        Stop once a projected step of unit length would change no multiplier by more, relative to the largest.
    max_iter : int, default 10000
        Steps at most.
    tie : "positive", "random" or "reject", default "positive"
        The answer where the score is 0.

    Attributes
    ----------
    coef_ : (1, d)      intercept_ : (1,)      alpha_ : (n,)      support_ : (m,)      margin_ : float
    report_ : MarginReport of the training rows      n_iter_ : int      history_ : list of DualStep

    Examples
    --------
    >>> from assay.svm import ProjectedGradientSVC
    >>> model = ProjectedGradientSVC(C=float("inf")).fit([[3, 3], [4, 3], [1, 1]], ["yes", "yes", "no"])
    >>> model.coef_.round(4), model.alpha_.round(4)
    (array([[0.5, 0.5]]), array([0.25, 0.  , 0.25]))
    >>> round(model.history_[0].dual, 4), round(model.history_[-1].dual, 4)
    (0.0, 0.25)

    See Also
    --------
    SubgradientSVC, HardMarginSVC, LinearSVC

    References
    ----------
    - Bertsekas, D. P. (1976). On the Goldstein-Levitin-Polyak gradient projection method. IEEE Transactions on
      Automatic Control 21(2), 174-184. doi:10.1109/TAC.1976.1101194
    - Dai, Y.-H. and Fletcher, R. (2006). New algorithms for singly linearly constrained quadratic programs subject to
      lower and upper bounds. Mathematical Programming 106, 403-421. doi:10.1007/s10107-005-0595-2
    """

    card = Card(
        "dual ascent",
        "a machine with margin whose dual climbs step by step",
        scale=True,
        learns=("a linear score", "hinge loss + squared weights", "projected gradient on the dual", "global"),
    )
    multiclass = "two classes only"
    accepts = {
        "C": Range(0, open="low"),
        "fit_intercept": Flag(),
        "projection": Choice("exact", "plain"),
        "tol": Range(0, open="low"),
        "max_iter": Count(1),
        "tie": Choice("positive", "random", "reject"),
    }
    stored = {"history_": Each(Object(DualStep))}

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        projection: str = "exact",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        tie: str = "positive",
    ):
        self.C = C
        self.fit_intercept = fit_intercept
        self.projection = projection
        self.tol = tol
        self.max_iter = max_iter
        self.tie = tie

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._refuse_other_than_two()
        X, s = signed_rows(X, y)
        check_squares(X, type(self).__name__)
        upper = np.full(len(s), float(self.C)) if w is None else np.where(w > 0, float(self.C) * w, 0.0)
        alpha, converged = self._climb(X, s, upper)
        self.n_iter_ = len(self.history_) - 1
        scores = np.asarray(X @ np.asarray((alpha * s) @ X).ravel()).ravel()
        paid = upper > 0
        b = bias(scores[paid], s[paid], alpha[paid], upper[paid]) if self.fit_intercept else 0.0
        self._keep(X, s, alpha, b, upper)
        if not converged:
            hint = "The classes may overlap: use a finite C, or raise" if np.isinf(self.C) else "Raise"
            warn_user(
                f"{type(self).__name__} stopped after {self.n_iter_} steps, the next of which would still change a "
                f"multiplier by {self.history_[-1].violation:.2g}. {hint} max_iter.",
                ConvergenceWarning,
            )

    def _climb(self, X: Any, s: Floats, upper: Floats) -> tuple[Floats, bool]:
        """The multipliers; fills ``history_``."""
        exact, alpha = self.projection == "exact", np.zeros(len(s))
        normal = s if self.fit_intercept else None
        v, length, rate = np.zeros(X.shape[1]), 0.0, 1.0
        self.history_ = []
        with progress(self.max_iter, f"{type(self).__name__}: steps") as bar:
            while True:
                g = 1.0 - s * np.asarray(X @ v).ravel()  # (1)
                if exact:
                    to = project_box_plane(alpha + rate * g, upper, normal)
                    direction = to - alpha
                    unit = float(np.abs(project_box_plane(alpha + g, upper, normal) - alpha).max())
                else:
                    direction = g - (s @ g) / len(s) * s if self.fit_intercept else g.copy()
                    direction[(alpha <= 0) & (direction < 0) | (alpha >= upper) & (direction > 0)] = 0.0
                    unit = float(np.abs(direction).max())
                dual = float(alpha.sum()) - 0.5 * float(v @ v)
                self.history_.append(DualStep(len(self.history_), dual, length, unit, float(alpha @ s)))
                if unit <= self.tol * max(1.0, float(alpha.max(initial=0.0))):
                    return alpha, True
                if len(self.history_) > self.max_iter:
                    return alpha, False
                along = np.asarray((direction * s) @ X).ravel()
                slope, curvature = _slope(g, direction, normal if exact else None), float(along @ along)
                best = slope / curvature if curvature > 0 else np.inf
                t = min(best, 1.0) if exact else (best if np.isfinite(best) else 1.0)
                if exact:
                    alpha, v = np.clip(alpha + t * direction, 0.0, upper), v + t * along
                    rate = float(direction @ direction) / curvature if curvature > 0 else 2.0 * rate
                else:
                    alpha = np.clip(alpha + t * direction, 0.0, upper)
                    v = np.asarray((alpha * s) @ X).ravel()
                length = t * float(np.linalg.norm(direction))
                bar.advance()


def _slope(g: Floats, direction: Floats, normal: Floats | None) -> float:
    """The derivative of the dual along a direction in the plane: of g, less its part along the normal.

    Near the optimum that part, the bias, is most of g; times the rounding of the direction it would exceed the slope.
    """
    squares = direction * direction
    if normal is None or not squares.any():
        return float(g @ direction)
    return float((g - float(squares @ (g * normal)) / float(squares.sum()) * normal) @ direction)


def project_box_plane(u: Floats, upper: Floats, normal: Floats | None = None) -> Floats:
    r"""The point nearest to u with :math:`0\le a_i\le u_i^{max}` and, for a normal of -1 and +1, :math:`\sum n_ia_i=0`.

    It is clip(u - t n) for the t at which the sum is 0, a root in one variable of a piecewise straight line that falls.

    Parameters
    ----------
    u : (n,) any point      upper : (n,) upper bounds, may be infinite
    normal : (n,) -1 and +1, or None for no plane

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm.linear.projected_gradient_svc import project_box_plane
    >>> project_box_plane(np.array([3.0, 1.0]), np.array([5.0, 5.0]), np.array([1.0, -1.0]))
    array([2., 2.])
    """
    if normal is None:
        return np.clip(u, 0.0, upper)
    # the sum bends where a coordinate reaches a bound
    bends = np.unique(np.concatenate((normal * u, (normal * (u - upper))[np.isfinite(upper)])))

    def total(t: float) -> float:
        return float(normal @ np.clip(u - t * normal, 0.0, upper))

    low, high = 0, len(bends) - 1  # the sum is not below 0 at the first bend, and not above at the last
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if total(bends[middle]) >= 0 else (low, middle)
    a, b = bends[low], bends[high]
    if total(a) < 0:  # a class is missing: beyond the bends the sum is a straight line
        b, a = a, a - 1.0
    if total(b) > 0:
        a, b = b, b + 1.0
    at, to = total(a), total(b)
    t = a if at == to else a + (b - a) * at / (at - to)
    return np.clip(u - t * normal, 0.0, upper)
