"""Regression by fuzzy rules, which rows may tune."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Any_, Count, Flag, Range
from assay.core.stored import Each, FloatArray, Plain, Scalar
from assay.distances.squared_rows import SquaredRows, refuse_huge
from assay.errors import DataError, ParameterError
from assay.local.fuzzy_rule import FuzzyRule, fuzzy_rules, units_of_rules
from assay.local.rbf_objective import gradient_of_units, hidden
from assay.local.units import Units
from assay.mixture.starts import k_means

__all__ = ["FuzzyRuleRegressor"]

LEAST_SPREAD = 0.1  # of a rule about a group, in deviations of the column
WIDEST = np.log(1000)  # by how much the logarithm of a spread may change


class FuzzyRuleRegressor(SquaredRows, Regressor):
    r"""Regression by IF-THEN rules about numbers, as a network of radial units that rows fine-tune.

    "x is about a" is a bell :math:`e^{-(x-a)^2/2s^2}`, AND the product, OR a unit more with the same answer, THEN the
    weight of the unit:

    .. math:: y(x) = w_0 + \sum_h w_h p_h(x), \qquad \text{or}\quad \sum_h w_h p_h(x) \Big/ \sum_l p_l(x)    \quad (1)

    Knowledge comes before data: the model answers sensibly with no row to tune it (``max_iter=0``), and where no rows
    were. In the plain sum answers of rules that hold together add up; normalised (the default) they are averaged.
    A column that a rule does not name has no influence on it, before or after tuning.

    Cost: fit O(n H d) a step; predict O(H d) a row; memory O(n H) to fit, O(H d) kept.

    Parameters
    ----------
    rules : text with a rule a line, a list of texts or FuzzyRule, or None, default None
        Such as "IF (size ~ 2 ± 0.5) AND (age ~ 30 ± 10) THEN price = 7". None makes rules about groups of the rows.
    n_rules : int, default 5
        How many, where none are given.
    normalize : bool, default True
        Whether rules share out what is one.
    alpha : float, default 0.1
        Penalty on how far answers, places (in their spreads) and spreads (by their logarithms) go from the rules.
    max_iter : int, default 100
        Steps of L-BFGS at most; 0 takes the rules as they are.

    Attributes
    ----------
    rules_ : list of texts, the rules after tuning      centers_, spreads_ : (H, d)      weights_ : (H,)
    intercept_ : float, 0 if normalised      history_ : list of dicts, one a step: iteration, error      n_iter_ : int

    Examples
    --------
    >>> from assay.local import FuzzyRuleRegressor
    >>> rules = "IF (heat ~ 0 ± 5) THEN cups = 1\nIF (heat ~ 30 ± 5) THEN cups = 9"
    >>> model = FuzzyRuleRegressor(rules, max_iter=0).fit({"heat": [10.0, 20.0]}, [2.0, 6.0])
    >>> model.predict({"heat": [0.0, 15.0, 30.0]}).round(2).tolist()
    [1.0, 5.0, 9.0]

    See Also
    --------
    RBFNetworkRegressor, FuzzyRule, fuzzy_rules

    References
    ----------
    - Tresp, V., Hollatz, J. and Ahmad, S. (1997). Representing probabilistic rules with networks of Gaussian basis
      functions. Machine Learning 27(2), 173-200. doi:10.1023/A:1007381408604
    """

    card = Card(
        "fuzzy rules",
        "rules about numbers, as units that rows fine-tune",
        wraps=True,
        learns=(
            "a sum of units that are rules",
            "squared error + distance from the rules",
            "L-BFGS",
            "local",
        ),
    )
    accepts = {
        "rules": Any_(),
        "n_rules": Count(1),
        "normalize": Flag(),
        "alpha": Range(0, open="high"),
        "max_iter": Count(0),
    }
    stored = {
        "rules_": Each(Plain(str)),
        "centers_": FloatArray("H", "p", finite=True),
        "spreads_": FloatArray("H", "p"),
        "weights_": FloatArray("H", finite=True),
        "intercept_": Scalar(finite=True),
        "history_": Each(Plain(dict)),
    }

    def __init__(
        self,
        rules: str | Sequence[str | FuzzyRule] | None = None,
        *,
        n_rules: int = 5,
        normalize: bool = True,
        alpha: float = 0.1,
        max_iter: int = 100,
    ):
        self.rules = rules
        self.n_rules = n_rules
        self.normalize = normalize
        self.alpha = alpha
        self.max_iter = max_iter

    def _parsed(self) -> list[FuzzyRule]:
        lines: Any = self.rules.splitlines() if isinstance(self.rules, str) else self.rules
        if not isinstance(lines, (list, tuple)) or not all(isinstance(r, (str, FuzzyRule)) for r in lines):
            raise ParameterError(
                f"{type(self).__name__}: rules must be a text or a list of rules, got {self.rules!r}."
            )
        lines = [r for r in lines if isinstance(r, FuzzyRule) or r.strip()]
        rules = [r if isinstance(r, FuzzyRule) else FuzzyRule.parse(r) for r in lines]
        if not rules:
            raise ParameterError(f"{type(self).__name__}: there are no rules.")
        return rules

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim != 1:
            raise DataError(f"{type(self).__name__}: one target is expected; fit one model for each.")
        refuse_huge(y, type(self).__name__)
        weight = np.ones(len(X)) if w is None else w
        if self.rules is None:
            target, (units, answers) = "y", self._of_groups(X, y, weight)
        else:
            rules = self._parsed()
            target, (units, answers) = rules[0].target, units_of_rules(rules, self._names)
        self.history_ = list[dict[str, Any]]()
        constant = 0.0
        if self.max_iter:
            units, answers, constant = self._tuned(units, answers, X, y, weight)
        self.centers_, self.spreads_, self.weights_ = units.centers, units.spreads, answers
        self.intercept_, self.n_iter_ = constant, max(1, len(self.history_))
        self.rules_ = [str(rule) for rule in fuzzy_rules(units, answers, self._names, target)]

    def _of_groups(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[Units, np.ndarray]:
        """A rule for each of some groups of rows: their means and deviations, and the mean of their targets."""
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        deviation = np.sqrt(
            np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
        )
        deviation = np.where(deviation > 0, deviation, 1.0)
        k = min(self.n_rules, len(np.unique(X, axis=0)))
        labels = k_means(X / deviation, weight, k, None)[1] if k > 1 else np.zeros(len(X), dtype=np.int64)
        groups = [labels == h for h in np.unique(labels)]
        centers = np.array([np.average(X[g], axis=0, weights=weight[g]) for g in groups])
        squares = np.array(
            [np.average((X[g] - m) ** 2, axis=0, weights=weight[g]) for g, m in zip(groups, centers)]
        )
        answers = np.array([np.average(y[g], weights=weight[g]) for g in groups])
        return Units(centers, np.maximum(np.sqrt(squares), LEAST_SPREAD * deviation)), answers

    def _tuned(
        self, units: Units, answers: np.ndarray, X: np.ndarray, y: np.ndarray, weight: np.ndarray
    ) -> tuple[Units, np.ndarray, float]:
        """Units, answers and constant of least error, not far from the rules; what a rule does not name stays so."""
        named = np.isfinite(units.spreads)
        scale = float(np.sqrt(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))) or 1.0
        H, m = len(answers), int(named.sum())
        first_spreads = units.spreads[named]

        def parts(flat: np.ndarray) -> tuple[Units, np.ndarray, float]:
            centers, spreads = units.centers.copy(), units.spreads.copy()
            centers[named] += flat[H : H + m] * first_spreads
            spreads[named] = first_spreads * np.exp(flat[H + m : H + 2 * m])
            return Units(centers, spreads), answers + flat[:H] * scale, float(flat[-1]) * scale

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            end_if_abandoned()
            moved, values, constant = parts(flat)
            F = hidden(moved, X, self.normalize)
            error = (F @ values + (0.0 if self.normalize else constant) - y) / scale
            D = weight * error / scale
            e = D[:, None] * values
            c = F * (e - (F * e).sum(axis=1, keepdims=True)) if self.normalize else F * e
            by = gradient_of_units(moved, X, c)
            gradient = np.concatenate([
                (F.T @ D) * scale, by["centers"][named] * first_spreads, by["spreads"][named],
                [0.0 if self.normalize else D.sum() * scale],
            ])  # fmt: skip
            value = 0.5 * float(weight @ error**2) + 0.5 * float(self.alpha) * float(flat @ flat)
            return value, gradient + float(self.alpha) * flat

        def note(intermediate_result: Any) -> None:
            self.history_.append(
                {"iteration": len(self.history_) + 1, "error": float(intermediate_result.fun)}
            )

        bounds = [(None, None)] * (H + m) + [(-WIDEST, WIDEST)] * m + [(None, None)]
        result = minimize(
            objective, np.zeros(H + 2 * m + 1), jac=True, method="L-BFGS-B", bounds=bounds, callback=note,
            options={"maxiter": self.max_iter},
        )  # fmt: skip
        moved, values, constant = parts(result.x)
        return moved, values, 0.0 if self.normalize else constant

    def _firing(self, X: np.ndarray) -> np.ndarray:
        return hidden(Units(self.centers_, self.spreads_), X, self.normalize)

    def _predict(self, X: Any) -> np.ndarray:
        answers: np.ndarray = self._firing(X) @ self.weights_ + self.intercept_
        return answers

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        firing = self._firing(X)
        cases = fuzzy_rules(Units(self.centers_, self.spreads_), self.weights_, self._names, merge=False)

        def sections(i: int) -> list[Section]:
            order = np.argsort(-firing[i], kind="stable")
            lines = [
                [str(cases[h]), float(firing[i, h]), float(firing[i, h] * self.weights_[h])] for h in order
            ]
            return [Section("Rules", ["rule", "holds", "adds"], lines)]

        return Reasons(sections)

    def _model_parts(self) -> list[Part]:
        return [Section("Rules", ["rule"], [[rule] for rule in self.rules_])]
