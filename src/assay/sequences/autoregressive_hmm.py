"""Autoregressive hidden Markov model: each row depends on its state and on the rows before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Count
from assay.core.seeds import random_state_of
from assay.errors import DataError
from assay.sequences.asked import check_draw, check_forecast
from assay.sequences.hidden_markov_model import Forecast
from assay.sequences.input_output_hmm import REGRESSION_PARAMETERS, InputOutputHMM
from assay.sequences.sequences import Sequences
from assay.sequences.starts import numbers_only, warn_of_small_variances
from assay.types import RandomState, SequencesLike

__all__ = ["AutoregressiveHMM"]

FORECAST_DRAWS = 2000  # sequences of which a forecast is made


class AutoregressiveHMM(InputOutputHMM):
    r"""Hidden states in each of which a row is a linear function of the rows before it, with noise.

    .. math:: y_t = c_j + \sum_{l=1}^{\tau} B_{jl}\, y_{t-l} + e_t,\quad e_t \sim N(0, \mathrm{diag}(\sigma_j^2)),\quad
              j = q_t \quad (1)

    The first :math:`\tau` rows of a sequence are given: they say nothing of their states, and the likelihood is that of
    the others. So is a row whose window has a gap. With ``order=0`` it is a `GaussianHMM` with diagonal covariances.

    Cost: fit O(n K (K + d q^2)) an iteration with q = order times columns; memory O(n (K + q)).

    Parameters
    ----------
    n_components : int, default 1
        Number of hidden states, K.
    order : int, default 1
        Rows before each that it depends on, :math:`\tau`.
    min_covar : float, default 1e-3
        The least variance.
    startprob_prior, transmat_prior : float or array, default 1
        Dirichlet priors: counts to which the prior minus 1 is added. 1 is maximum likelihood.
    algorithm : "viterbi" or "map", default "viterbi"
        How ``predict`` finds states: the best path, or each state by itself.
    random_state : int, RandomState or None, default None
    n_iter, tol : int and float, default 50 and 1e-2
        Steps of EM at most; stop when the log likelihood rises by less.
    params, init_params : str, default "stwc"
        What fit may change, and what it begins anew: "s" start, "t" transitions, "w" weights, "c" variances.
    topology, n_init
        As in `CategoricalHMM`.

    Attributes
    ----------
    startprob_ : (K,)      transmat_ : (K, K)
    coef_ : (K, 1 + order d, d) intercepts, then the weights of the row before, of that before it, ...
    variances_ : (K, d)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import AutoregressiveHMM
    >>> rng = np.random.default_rng(0)
    >>> y = [0.0]
    >>> for t in range(300):
    ...     y.append((0.9 if t < 150 else -0.9) * y[-1] + rng.normal())
    >>> model = AutoregressiveHMM(2, random_state=0, n_init=5).fit(np.array(y))
    >>> np.sort(model.coef_[:, 1, 0]).round(1)
    array([-0.9,  0.9])

    See Also
    --------
    InputOutputHMM, GaussianHMM, LinearDynamicalSystem

    References
    ----------
    - Hamilton, J. D. (1989). A new approach to the economic analysis of nonstationary time series and the business
      cycle. Econometrica 57(2), 357-384. doi:10.2307/1912559
    """

    card = Card("autoregressive hmm", "hidden states in which a row depends on the rows before it")
    accepts = {**REGRESSION_PARAMETERS, "order": Count(0)}

    def __init__(
        self,
        n_components: int = 1,
        order: int = 1,
        *,
        min_covar: float = 1e-3,
        startprob_prior: ArrayLike = 1.0,
        transmat_prior: ArrayLike = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomState = None,
        n_iter: int = 50,
        tol: float = 1e-2,
        params: str = "stwc",
        init_params: str = "stwc",
        topology: str | ArrayLike | None = None,
        n_init: int = 1,
    ):
        self.n_components = n_components
        self.order = order
        self.min_covar = min_covar
        self.startprob_prior = startprob_prior
        self.transmat_prior = transmat_prior
        self.algorithm = algorithm
        self.random_state = random_state
        self.n_iter = n_iter
        self.tol = tol
        self.params = params
        self.init_params = init_params
        self.topology = topology
        self.n_init = n_init

    @property
    def _context(self) -> int:  # type: ignore[override]
        return self.order

    def _places(self) -> tuple[list[int], list[int]]:
        d = self.coef_.shape[2] if "coef_" in vars(self) else len(self.schema_)
        return list(range(self.order * d)), list(range(self.order * d, (self.order + 1) * d))

    def _checked(self, X: Sequences) -> Sequences:
        numbers_only(X, type(self).__name__)
        if "coef_" in vars(self) and X.values.shape[1] != self.coef_.shape[2]:
            raise DataError(
                f"X has {X.values.shape[1]} columns, the model {self.coef_.shape[2]}.",
                who=type(self).__name__,
            )
        return X

    def _rows(self, X: Sequences) -> np.ndarray:
        """Lags and rows side by side; what lies before the start of a sequence is missing."""
        n, d = X.values.shape
        place = np.arange(n) - np.repeat(X.offsets[:-1], X.lengths)  # within its sequence
        parts = []
        for lag in range(1, self.order + 1):
            shifted = np.full((n, d), np.nan)
            shifted[lag:] = X.values[: max(n - lag, 0)]
            shifted[place < lag] = np.nan
            parts.append(shifted)
        return np.hstack([*parts, X.values])

    def _warn_of_units(self, X: Sequences) -> None:
        who = type(self).__name__
        warn_of_small_variances(X.values, X.schema.names, who, "min_covar", self.min_covar)

    def _start_emissions(self, X: Sequences, seed: Any) -> None:
        if self._needs("w", "coef_") or self._needs("c", "variances_"):
            self.__dict__.pop("coef_", None)
            self._begin_regression(self._rows(X), 0, random_state_of(seed))

    def sample(  # type: ignore[override]
        self,
        n_samples: int = 1,
        random_state: RandomState = None,
        currstate: int | None = None,
        context: ArrayLike | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a sequence: (n, d) observations and (n,) states.

        Parameters
        ----------
        n_samples : rows
        currstate : the first state, if it is known
        context : (order, d) rows before the first; zeros if None
        """
        check_draw(type(self).__name__, self.n_components, currstate, n_samples=n_samples)
        self._check_chain()
        draw = random_state_of(self.random_state if random_state is None else random_state)
        d, ways, family = self.coef_.shape[2], np.cumsum(self.transmat_, axis=1), self.family_
        before = (
            np.zeros((self.order, d))
            if context is None
            else np.asarray(context, float).reshape(self.order, d)
        )
        rows = list(before)
        state = int((np.cumsum(self.startprob_) > draw.rand()).argmax()) if currstate is None else currstate
        states = []
        for t in range(n_samples):
            if t:
                state = int((ways[state] > draw.rand()).argmax())
            lags = np.array(rows[::-1][: self.order]).reshape(-1)
            states.append(state)
            rows.append(family.draw(state, lags, draw))
        return np.array(rows[self.order :]), np.array(states, dtype=np.int64)

    def forecast(  # type: ignore[override]
        self, X: SequencesLike, steps: int = 1, *, coverage: float = 0.9
    ) -> Forecast:
        """What follows one sequence, of many draws of what may follow: shares of states, means, and quantiles."""
        check_forecast(type(self).__name__, coverage, steps=steps)
        data = self._read_sequences(X, None)
        if len(data) != 1 or len(data.values) < max(1, self.order):
            raise DataError(
                f"forecast goes on with one sequence of at least {max(1, self.order)} rows.",
                who=type(self).__name__,
            )
        draw = random_state_of(0 if self.random_state is None else self.random_state)
        K, family, ways = self.n_components, self.family_, np.cumsum(self.transmat_, axis=1)
        state = draw.choice(K, size=FORECAST_DRAWS, p=self.filter(data)[-1])
        recent = np.repeat(data.values[None, len(data.values) - self.order :], FORECAST_DRAWS, axis=0)
        states, values = np.empty((steps, K)), np.empty((steps, FORECAST_DRAWS, data.values.shape[1]))
        for t in range(steps):
            state = (ways[state] > draw.rand(FORECAST_DRAWS, 1)).argmax(axis=1)
            states[t] = np.bincount(state, minlength=K) / FORECAST_DRAWS
            lags = recent[:, ::-1].reshape(FORECAST_DRAWS, -1)
            mean = family.expected(lags)[np.arange(FORECAST_DRAWS), state]
            values[t] = draw.normal(mean, np.sqrt(family.variances[state]))
            recent = np.concatenate([recent, values[t][:, None]], axis=1)[:, 1:] if self.order else recent
        low, high = np.quantile(values, [0.5 - coverage / 2, 0.5 + coverage / 2], axis=1)
        return Forecast(states, values.mean(axis=1), values.std(axis=1), low, high)
