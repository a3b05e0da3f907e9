"""Which models of a library to combine: greedy, floating and exhaustive searches on their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, encode_labels
from assay.ensembles.committees.combining import CLASS_RULES, NUMBER_RULES, combine, normalized
from assay.errors import DataError, ParameterError
from assay.metrics.measure import find_measure
from assay.metrics.outcome import Outcome
from assay.select.search.search import search_subsets
from assay.select.search.space import best_of
from assay.select.subsets.subset_scores import FunctionScores
from assay.select.trace import Trace
from assay.sentence import Sentence

__all__ = ["MemberSelection", "select_members"]

WITH_REPLACEMENT = "forward with replacement"


@dataclass(frozen=True)
class MemberSelection(Sentence):
    """Result of `select_members`: the chosen models and their weights.

    Attributes
    ----------
    names : (L,) all models      counts : (L,) how often each was taken; its weight is its share
    metric : str      value : float, of the chosen ones together      single : (L,) of each alone
    history : list of (number of the model added, value so far), of a selection with replacement
    trace : the rounds of a search without replacement, else None
    """

    names: tuple[str, ...]
    counts: np.ndarray
    metric: str
    value: float
    single: np.ndarray
    history: list[tuple[int, float]]
    trace: Trace | None

    @property
    def weights(self) -> np.ndarray:
        """(L,) the share of each model in the mean."""
        return self.counts / self.counts.sum()

    @property
    def members(self) -> tuple[int, ...]:
        """The numbers of the chosen models."""
        return tuple(int(j) for j in np.flatnonzero(self.counts))

    def __str__(self) -> str:
        chosen = ", ".join(
            f"{self.names[j]} ({self.counts[j]})" if self.counts[j] > 1 else self.names[j]
            for j in self.members
        )
        best = find_measure(self.metric)
        alone = float(self.single.min() if best is None or best.better == "lower" else self.single.max())
        return f"{chosen}: {self.metric} {self.value:.4g} together, the best alone {alone:.4g}."


def select_members(
    outputs: ArrayLike,
    y: ArrayLike,
    search: Any = WITH_REPLACEMENT,
    *,
    metric: str | None = None,
    rule: str = "mean",
    max_size: int = 30,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> MemberSelection:
    """Choose the models of a library whose combination is best on validation rows.

    "forward with replacement" adds, step by step, the model that makes the mean best, the same one again if that helps;
    the best of all steps is taken, so that the weights are shares of few steps (Caruana and others 2004). The other
    searches are those for columns: "forward", "backward", "floating", "exhaustive" and so on; they stop when the
    measure no longer improves.

    Parameters
    ----------
    outputs : (L, n, K) posteriors of L models for rows that they did not learn from, or (L, n) numbers
    y : (n,) class labels, or numbers
        Labels are sorted: column k of the posteriors is of the k-th.
    search : str or Search, default "forward with replacement"
    metric : name of a measure, default None: "log-loss", of numbers "mse"
    rule : how outputs are combined, see :func:`assay.ensembles.combine`, default "mean"
    max_size : int, default 30
        Most steps with replacement.
    names : (L,) of the models      sample_weight : (n,) what each row counts

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import select_members
    >>> y = [1, 1, 0, 0, 1, 0]
    >>> votes = np.array([[1, 1, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1], [0, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1]])
    >>> print(select_members(np.eye(2)[votes], y, "backward", metric="error", rule="plurality", names=list("abcd")))
    a, b, c: error 0 together, the best alone 0.3333.

    See Also
    --------
    EnsembleSelectionClassifier, EnsembleSelectionRegressor

    References
    ----------
    - Caruana, R., Niculescu-Mizil, A., Crew, G. and Ksikes, A. (2004). Ensemble selection from libraries of models.
      International Conference on Machine Learning. doi:10.1145/1015330.1015432
    """
    who = "select_members"
    d = np.asarray(outputs, dtype=np.float64)
    if d.ndim not in (2, 3) or 0 in d.shape or not np.isfinite(d).all():
        raise DataError(f"finite outputs (L, n, K) or (L, n) are needed, got the shape {d.shape}.", who=who)
    score = CombinedScore(d, y, metric, rule, sample_weight, who)
    L = len(d)
    labels = tuple(f"model {j}" for j in range(L)) if names is None else tuple(map(str, names))
    if len(labels) != L:
        raise ParameterError(f"there are {L} models and {len(labels)} names.", who=who)
    single = np.array([score(np.array([j])) for j in range(L)])
    if isinstance(search, str) and search == WITH_REPLACEMENT:
        counts, history = _with_replacement(score, L, max_size)
        trace = None
    else:
        criterion = FunctionScores(lambda members: score(np.array(members)), L, measure=score.name)
        result = search_subsets(criterion, search, "improves", names=labels, who=who)
        counts, history, trace = np.bincount(result.selected, minlength=L), [], result.trace
    chosen = np.repeat(np.arange(L), counts)
    sign = score.sign
    return MemberSelection(
        labels,
        counts,
        score.name,
        sign * score(chosen),
        sign * single,
        [(j, sign * v) for j, v in history],
        trace,
    )


class CombinedScore:
    """The measure of a combination of models, higher for better."""

    def __init__(self, d: np.ndarray, y: Any, metric: str | None, rule: str, sample_weight: Any, who: str):
        self.d, self.rule, n = d, rule, d.shape[1]
        of_classes = d.ndim == 3
        measure = find_measure(metric or ("log-loss" if of_classes else "mse"))
        task = "classification" if of_classes else "regression"
        if measure is None or measure.task != task:
            raise ParameterError(f"metric must be the name of a measure of {task}, got {metric!r}.", who=who)
        if rule not in (CLASS_RULES if of_classes else NUMBER_RULES):
            raise ParameterError(f"{rule!r} is no rule for outputs of this kind.", who=who)
        self.measure, self.name, self.sign = measure, measure.name, 1 if measure.better == "higher" else -1
        self.w = check_weights(sample_weight, np.empty((n, 1)), who)
        if of_classes:
            classes, self.truth = encode_labels(y, n, who)
            if len(classes) != d.shape[2]:
                raise DataError(
                    f"the outputs are of {d.shape[2]} classes, y has {len(classes)}: a row of each is needed.",
                    who=who,
                )
        else:
            self.truth = np.asarray(y, dtype=np.float64)
            if self.truth.shape != (n,) or not np.isfinite(self.truth).all():
                raise DataError(f"y must be {n} finite numbers.", who=who)

    def __call__(self, members: np.ndarray) -> float:
        return self.of(combine(self.d[members], self.rule))

    def of(self, combined: np.ndarray) -> float:
        """The score of combined outputs, (n, K) or (n,)."""
        if self.d.ndim == 2:
            outcome = Outcome(self.truth, combined, None, 0, weight=self.w)
        else:
            P = normalized(combined)
            outcome = Outcome(self.truth, combined.argmax(axis=1), P, P.shape[1], weight=self.w)
        return self.sign * float(self.measure.of(outcome))


def _with_replacement(
    score: CombinedScore, L: int, max_size: int
) -> tuple[np.ndarray, list[tuple[int, float]]]:
    """How often each model is taken, and the steps; the sum of the outputs is kept: a step is one pass a model."""
    if score.rule != "mean":
        raise ParameterError(
            f"a selection with replacement averages, the rule is {score.rule!r}. Use rule='mean' or another search.",
            who="select_members",
        )
    total, steps = np.zeros(score.d.shape[1:]), []
    for step in range(max(1, int(max_size))):
        values = np.array([score.of((total + score.d[j]) / (step + 1)) for j in range(L)])
        j = best_of(values)
        total = total + score.d[j]
        steps.append((int(j), float(values[j])))
    best = best_of(np.array([value for _, value in steps])) + 1
    return np.bincount([j for j, _ in steps[:best]], minlength=L), steps
