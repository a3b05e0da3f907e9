"""Bayesian optimisation: the smallest value of a function that is dear to evaluate."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.tuning.acquisition import ACQUISITIONS
from assay.tuning.optimization import Optimization
from assay.tuning.space import Category
from assay.types import RandomState

__all__ = ["BayesianOptimization"]

CANDIDATES = 512  # points at random at which an acquisition is computed
LOCAL_CANDIDATES = 32  # points about each of the best ones
BEST_TRIED = 5  # settings about which further points are drawn
REFINEMENTS = (0.05, 0.015, 0.004)  # steps of the last points about the best candidate


class BayesianOptimization(Optimization):
    r"""Minimise a function of some parameters with few evaluations.

    A Gaussian process is fitted to the values so far. The next setting is where it promises most: by default where the
    expected improvement on the best value is largest,

    .. math:: EI(x) = E[\max(0, b - f(x))] = s(x)\,(\phi(z) + z \Phi(z)), \quad z = \frac{b - m(x)}{s(x)} \quad (1)

    with the mean m and standard deviation s of the process and b the best mean at a setting tried. The first settings
    are spread evenly over the space.

    Cost: O(n^3) for each suggestion after n evaluations, three thousandths of a second for n of 50.

    Parameters
    ----------
    space : dict or Space
        Parameters with what they may be: ``Real(low, high, log=True)``, ``Whole(low, high)``, ``Category(values)``, a
        list of values, a tuple of two numbers, or a distribution of scipy.stats.
    acquisition : "ei", "ucb", "thompson" or "noisy ei", default "ei"
        Expected improvement, confidence bound, a draw from the posterior, or the expected improvement averaged over
        what noisy values may be.
    n_initial : int, default None
        Settings before the first model; None is twice the parameters plus two, 20 at the most.
    initial : "sobol", "latin" or "random", default "sobol"
        How they are spread.
    random_state : int or None, default 0

    Attributes
    ----------
    history : list of Try      best_setting, best_value : of the smallest value

    Examples
    --------
    >>> from assay.tuning import BayesianOptimization, Real
    >>> search = BayesianOptimization({"x": Real(-5.0, 5.0), "y": Real(-5.0, 5.0)})
    >>> search = search.minimize(lambda x, y: (x - 1) ** 2 + (y + 2) ** 2, 25)
    >>> bool(search.best_value < 0.01), len(search.history)
    (True, 25)

    Or step by step, with evaluations made elsewhere:

    >>> search = BayesianOptimization({"depth": (1, 20), "criterion": ["gini", "entropy"]})
    >>> for setting in search.ask(3):
    ...     search.tell(setting, abs(setting["depth"] - 7.0))
    >>> len(search.history)
    3

    See Also
    --------
    TreeParzenOptimization, RandomOptimization, BayesSearchCV, Tuned

    References
    ----------
    - Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of expensive black-box
      functions. Journal of Global Optimization 13, 455-492. doi:10.1023/A:1008306431147
    - Snoek, J., Larochelle, H. and Adams, R. P. (2012). Practical Bayesian optimization of machine learning algorithms.
      Advances in Neural Information Processing Systems 25, 2951-2959.
    - Letham, B., Karrer, B., Ottoni, G. and Bakshy, E. (2019). Constrained Bayesian optimization with noisy
      experiments. Bayesian Analysis 14(2), 495-519. doi:10.1214/18-BA1110
    """

    def __init__(
        self,
        space: Any,
        *,
        acquisition: str = "ei",
        n_initial: int | None = None,
        initial: str = "sobol",
        random_state: RandomState = 0,
    ):
        if acquisition not in ACQUISITIONS:
            raise ParameterError(
                f"BayesianOptimization: acquisition must be one of {', '.join(ACQUISITIONS)}, got {acquisition!r}."
            )
        super().__init__(space, n_initial=n_initial, initial=initial, random_state=random_state)
        self.acquisition = acquisition

    def _promising(self) -> np.ndarray:
        """The point that the acquisition likes best."""
        model, worth_of = self._fit(), ACQUISITIONS[self.acquisition]
        if self._pending:
            model = model.with_belief(np.array([point for point, _ in self._pending]))
        points = self._fresh(self.space.snap(np.concatenate([self._at_random(), self._about_best()])))
        if not len(points):
            return self._new_at_random()  # of a small space everything is tried
        worth = worth_of(model, points, self.random)
        best = points[int(np.argmax(worth))]
        if self.acquisition == "thompson":
            return best
        for step in REFINEMENTS:
            near = self._fresh(self.space.snap(self._perturbed(best, step)))
            some = np.concatenate([best[None], near])
            best = some[int(np.argmax(worth_of(model, some, self.random)))]
        return best

    def _at_random(self) -> np.ndarray:
        return self.random.uniform(size=(CANDIDATES, len(self.space)))

    def _about_best(self) -> np.ndarray:
        order = np.argsort([t.value if np.isfinite(t.value) else np.inf for t in self.history])[:BEST_TRIED]
        parts = [self._perturbed(self._points[i], step) for i in order for step in (0.2, 0.05, 0.01)]
        return np.concatenate(parts)

    def _perturbed(self, point: np.ndarray, step: float) -> np.ndarray:
        """Points about one: some of its parameters moved, those of categories thrown anew."""
        D = len(point)
        moved = self.random.uniform(size=(LOCAL_CANDIDATES, D)) < max(0.5, 1.0 / D)
        steps = point + step * self.random.normal(size=(LOCAL_CANDIDATES, D))
        thrown = self.random.uniform(size=(LOCAL_CANDIDATES, D))
        category = np.array([isinstance(d, Category) for d in self.space.parameters.values()])
        rare = self.random.uniform(size=(LOCAL_CANDIDATES, D)) < 0.3
        return np.clip(
            np.where(category, np.where(moved & rare, thrown, point), np.where(moved, steps, point)), 0, 1
        )
