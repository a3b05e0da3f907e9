"""Bandits with contexts and any learner as the model of what an arm earns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.reinforcement.exploration import EpsilonGreedy, Exploration
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number, is_whole
from assay.tables import Table
from assay.types import Estimator, RandomState

__all__ = ["ModelBandit"]


class ModelBandit:
    """Choose by context: any learner predicts what each arm earns there, and some exploration keeps it learning.

    Regressors predict the reward; classifiers of the rewards 0 and 1 the probability of 1. With ``n_models`` above 1
    each arm has so many models, of which every reward reaches each with a weight drawn from the Poisson distribution
    with mean 1; for a choice one of them is drawn for each arm, so that an arm is chosen about as often as it may be
    the best (bootstrap Thompson sampling, Eckles and Kaptein 2014), and ``exploration`` is not used.

    Models are fitted anew when an arm has ``growth`` times the rewards of its last fit, so that all fits together cost
    a few times the last one. An arm without rewards, or with one kind of reward where a classifier needs two, is worth
    ``initial`` or the mean of its rewards.

    Parameters
    ----------
    estimator : classifier or regressor
    n_arms : int
    exploration : EpsilonGreedy or Softmax, default EpsilonGreedy(0.1)
    n_models : int, default 1
    growth : float above 1, default 1.2
    initial : float, default numpy.inf
        What an arm without rewards is worth: infinite tries each once first.
    random_state : seed

    Attributes
    ----------
    counts : (K,) how often each arm was chosen

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reinforcement import ModelBandit
    >>> from assay.trees import DecisionTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> bandit = ModelBandit(DecisionTreeRegressor(max_depth=2, random_state=0), 2, random_state=0)
    >>> for x in rng.uniform(size=(200, 1)):
    ...     arm = bandit.choose(x)
    ...     _ = bandit.learn(x, arm, float((x[0] > 0.5) == arm))
    >>> bandit.predict([0.9]).argmax(), bandit.predict([0.1]).argmax()
    (np.int64(1), np.int64(0))

    See Also
    --------
    LinUCB, off_policy_value

    References
    ----------
    - Eckles, D. and Kaptein, M. (2014). Thompson sampling with the online bootstrap. arXiv:1410.4009.
    """

    def __init__(
        self,
        estimator: Estimator,
        n_arms: int,
        *,
        exploration: Exploration | None = None,
        n_models: int = 1,
        growth: float = 1.2,
        initial: float = np.inf,
        random_state: RandomState = None,
    ):
        for name, number in (("n_arms", n_arms), ("n_models", n_models)):
            check_count("ModelBandit", name, number)
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise ParameterError(f"ModelBandit: estimator must be a learner, got {estimator!r}.")
        if not (is_number(growth) and growth > 1):
            raise ParameterError(f"ModelBandit: growth must be a number above 1, got {growth!r}.")
        if not is_number(initial) and not (isinstance(initial, float) and np.isinf(initial)):
            raise ParameterError("ModelBandit: initial must be a number or infinite.")
        self.estimator, self.n_arms, self.n_models = estimator, int(n_arms), int(n_models)
        self.growth, self.initial = float(growth), float(initial)
        self.exploration = EpsilonGreedy(0.1) if exploration is None else exploration
        if not isinstance(self.exploration, Exploration):
            raise ParameterError(
                f"ModelBandit: exploration must be EpsilonGreedy or Softmax, got {exploration!r}."
            )
        self._classifies = is_classifier(estimator)
        self._random = as_generator(random_state, "ModelBandit")
        self._contexts: list[list[Any]] = [[] for _ in range(self.n_arms)]
        self._rewards: list[list[float]] = [[] for _ in range(self.n_arms)]
        self._weights: list[list[np.ndarray]] = [[] for _ in range(self.n_arms)]
        self._models: list[list[Any]] = [[None] * self.n_models for _ in range(self.n_arms)]
        self._fitted_at = np.zeros(self.n_arms, dtype=np.int64)

    @property
    def counts(self) -> np.ndarray:
        """(K,) how often each arm was chosen and learned from."""
        return np.array([len(rewards) for rewards in self._rewards])

    def predict(self, x: Any) -> np.ndarray:
        """(K,) what each arm is expected to earn in a context: the mean over its models."""
        row = self._row(x)
        return np.array(
            [np.mean([self._worth(arm, k, row) for k in range(self.n_models)]) for arm in range(self.n_arms)]
        )

    def choose(self, x: Any) -> int:
        """The arm for a context: a list of numbers, or a dict of column names to values."""
        if self.n_models == 1:
            values = self.predict(x)
            if np.isposinf(values).any():
                return int(self._random.choice(np.flatnonzero(np.isposinf(values))))
            chances = self.exploration.probabilities(values, int(self.counts.sum()) + 1)
            return int(self._random.choice(self.n_arms, p=chances / chances.sum()))
        row = self._row(x)
        drawn = self._random.integers(self.n_models, size=self.n_arms)
        values = np.array([self._worth(arm, int(k), row) for arm, k in enumerate(drawn)])
        return int(self._random.choice(np.flatnonzero(values == values.max())))

    def learn(self, x: Any, arm: int, reward: float) -> Self:
        """What an arm earned in a context."""
        if not (is_whole(arm) and arm < self.n_arms):
            raise DataError(f"ModelBandit: arms are 0 to {self.n_arms - 1}, got {arm!r}.")
        if not is_number(reward) and not isinstance(reward, (bool, np.bool_)):
            raise DataError(f"ModelBandit: a reward must be a finite number, got {reward!r}.")
        if self._classifies and reward not in (0, 1):
            raise DataError(
                f"ModelBandit: a classifier learns rewards of 0 or 1, got {reward!r}. Give a regressor."
            )
        row = self._row(x)
        weights = np.ones(1) if self.n_models == 1 else self._random.poisson(1.0, self.n_models).astype(float)
        memory: tuple[tuple[list[Any], Any], ...] = (
            (self._contexts[arm], row),
            (self._rewards[arm], float(reward)),
            (self._weights[arm], weights),
        )
        for kept, new in memory:
            kept.append(new)
        if len(self._rewards[arm]) >= self.growth * self._fitted_at[arm]:
            try:
                self._fit(int(arm))
            except BaseException:
                for kept, _ in memory:
                    kept.pop()  # a context that the learner refuses is not learned from later either
                raise
        return self

    def _row(self, x: Any) -> Any:
        """A context, like those before it."""
        row = _row(x)
        first = next((rows[0] for rows in self._contexts if rows), None)
        if first is not None:
            _table([first, row])
        return row

    def __repr__(self) -> str:
        return f"ModelBandit({self.estimator!r}, {self.n_arms} arms, {int(self.counts.sum())} pulls)"

    def _fit(self, arm: int) -> None:
        rewards, weights = np.array(self._rewards[arm]), np.array(self._weights[arm])
        rows = _table(self._contexts[arm])
        for k in range(self.n_models):
            counted = np.repeat(np.arange(len(rewards)), weights[:, k].astype(int))
            some = rewards[counted]
            if len(np.unique(some)) < 2:  # nothing to tell apart yet
                self._models[arm][k] = None if not len(some) else float(some[0])
                continue
            target = some.astype(int) if self._classifies else some
            self._models[arm][k] = clone(self.estimator).fit(rows[counted], target)
        self._fitted_at[arm] = len(rewards)

    def _worth(self, arm: int, k: int, row: Any) -> float:
        model = self._models[arm][k]
        if model is None:
            return self.initial if not self._rewards[arm] else float(np.mean(self._rewards[arm]))
        if isinstance(model, float):
            return model
        rows = _table([row])
        return float(model.predict_proba(rows)[0, 1] if self._classifies else model.predict(rows)[0])


def _row(x: Any) -> Any:
    """A context as it is kept: a dict of columns, or numbers."""
    if isinstance(x, Mapping):
        return dict(x)
    try:
        row = np.zeros(0) if x is None else numbers_of(x).ravel()
    except (TypeError, ValueError):
        row = np.zeros(0)
    if not len(row):
        raise DataError(
            f"ModelBandit: a context must be numbers, or a dict of column names to values, got {x!r:.80}."
        )
    return row


def _table(rows: list[Any]) -> Any:
    if len({isinstance(row, Mapping) for row in rows}) > 1:
        raise DataError("ModelBandit: contexts must be all numbers, or all dicts of column names to values.")
    if isinstance(rows[0], Mapping):
        names = list(rows[0])
        odd = next((i for i, row in enumerate(rows) if list(row) != names), None)
        if odd is not None:
            raise DataError(
                f"ModelBandit: contexts must have the same columns, {', '.join(map(str, names))}."
            )
        return Table.of({name: [row[name] for row in rows] for name in names})
    sizes = {len(row) for row in rows}
    if len(sizes) > 1:
        raise DataError(f"ModelBandit: contexts must be of the same length, got {sorted(sizes)}.")
    return np.array(rows)
