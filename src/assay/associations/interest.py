"""Interestingness measures of a rule X -> Y, from the counts of X, of Y and of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.associations.crossing import Crossing
from assay.associations.fisher import fisher_p
from assay.errors import ParameterError

__all__ = ["MEASURES", "Interest", "interest"]


@dataclass(frozen=True)
class Interest:
    """One measure: its name, its formula, its value under independence (None if that depends on P(X) and P(Y)).

    ``low`` and ``high`` are the ends of its range; ``symmetric`` ones have the same value for X -> Y and Y -> X.
    """

    name: str
    formula: str
    neutral: float | None
    low: float
    high: float
    symmetric: bool
    of: Callable[[Crossing], np.ndarray]


def interest(measure: str, xy: ArrayLike, x: ArrayLike, y: ArrayLike, n: ArrayLike) -> np.ndarray:
    r"""The value of one measure for rules X -> Y, given their counts.

    With shares :math:`P(X) = x/n`, :math:`P(Y) = y/n`, :math:`P(XY) = xy/n`, confidence :math:`c = P(Y|X)` and
    logarithms to base 2, the measures are:

    ==================== ============================================================ ============
    measure              formula                                                      independence
    ==================== ============================================================ ============
    support              P(XY)                                                        P(X) P(Y)
    confidence           P(Y|X)                                                       P(Y)
    recall               P(X|Y)                                                       P(X)
    coverage             P(X)                                                         P(X)
    laplace              (xy + 1) / (x + 2)
    lift                 P(XY) / (P(X) P(Y))                                          1
    leverage             P(XY) - P(X) P(Y)                                            0
    added_value          P(Y|X) - P(Y)                                                0
    conviction           P(X) P(not Y) / P(X, not Y)                                  1
    certainty_factor     (c - P(Y)) / P(not Y) if c > P(Y), else (c - P(Y)) / P(Y)    0
    relative_risk        P(Y|X) / P(Y|not X)                                          1
    odds_ratio           P(XY) P(neither) / (P(X, not Y) P(Y, not X))                 1
    yule_q               (odds - 1) / (odds + 1)                                      0
    yule_y               (sqrt(odds) - 1) / (sqrt(odds) + 1)                          0
    phi                  leverage / sqrt(P(X) P(not X) P(Y) P(not Y))                 0
    kappa                (agree - E) / (1 - E), agree = P(XY) + P(neither)            0
    zhang                leverage / max(P(XY) P(not X), P(X) P(Y, not X))             0
    klosgen              sqrt(P(XY)) (P(Y|X) - P(Y))                                  0
    cosine               P(XY) / sqrt(P(X) P(Y))
    jaccard              P(XY) / P(X or Y)
    kulczynski           (P(Y|X) + P(X|Y)) / 2
    all_confidence       P(XY) / max(P(X), P(Y))
    max_confidence       P(XY) / min(P(X), P(Y))
    imbalance_ratio      abs(P(X) - P(Y)) / P(X or Y)
    collective_strength  agree / E times (1 - E) / (1 - agree)                        1
    j_measure            P(XY) log(c / P(Y)) + P(X, not Y) log((1 - c) / P(not Y))    0
    mutual_information   sum over the four cells of P log(P / (row P times column P)) 0
    gini                 decrease of the Gini impurity of Y when X is known           0
    chi_square           n phi^2                                                      0
    fisher_p             P(at least xy baskets with both), given x, y and n
    ==================== ============================================================ ============

    E is the agreement under independence, P(X) P(Y) + P(not X) P(not Y). Where a measure would be 0/0, nothing is
    known, and it takes its value of independence; the confidence of a rule whose left side no basket holds is 0. A
    rule without exception has infinite conviction, one without an exception on either side infinite odds.

    Parameters
    ----------
    measure : str, one of ``MEASURES``
    xy, x, y : arrays of the numbers (or weights) of baskets with both sides, with X, with Y
    n : number (or weight) of all baskets

    Examples
    --------
    Six baskets, milk in four, chocolate in five, both in three:

    >>> from assay.associations.interest import interest
    >>> float(interest("confidence", 3, 4, 5, 6)), round(float(interest("lift", 3, 4, 5, 6)), 12)
    (0.75, 0.9)

    See Also
    --------
    association_rules, fisher_p

    References
    ----------
    - Tan, P.-N., Kumar, V. and Srivastava, J. (2004). Selecting the right objective measure for association
      analysis. Information Systems 29(4), 293-313.
    - Brin, S., Motwani, R., Ullman, J. D. and Tsur, S. (1997). Dynamic itemset counting and implication rules for
      market basket data. ACM SIGMOD Conference, 255-264.
    """
    if measure not in MEASURES:
        raise ParameterError(f"interest: measure must be one of {', '.join(MEASURES)}, got {measure!r}.")
    return MEASURES[measure].of(Crossing(*map(np.asarray, (xy, x, y, n))))


# ---------------------------------------------------------------------------- each measure


def _ratio(above: np.ndarray, below: np.ndarray, empty: Any) -> np.ndarray:
    """above / below; ``empty`` where both are zero, and infinite where only the lower one is."""
    above, below = np.broadcast_arrays(above, below)
    quotient = np.full(above.shape, np.inf)
    np.divide(above, below, out=quotient, where=below != 0)
    return np.where((below == 0) & (above == 0), empty, quotient)


def _confidence(c: Crossing) -> np.ndarray:
    return np.minimum(_ratio(c.xy, c.x, 0.0), 1.0)


def _recall(c: Crossing) -> np.ndarray:
    return np.minimum(_ratio(c.xy, c.y, 0.0), 1.0)


def _added_value(c: Crossing) -> np.ndarray:
    return _ratio(c.excess, c.x * c.n, 0.0)


def _certainty_factor(c: Crossing) -> np.ndarray:
    positive = _ratio(c.excess, c.x * (c.n - c.y), 0.0)
    negative = _ratio(c.excess, c.x * c.y, 0.0)
    return np.where(c.excess > 0, np.minimum(positive, 1.0), negative)


def _odds(c: Crossing) -> tuple[np.ndarray, np.ndarray]:
    return c.xy * c.neither, c.only_x * c.only_y


def _yule_q(c: Crossing) -> np.ndarray:
    for_it, against = _odds(c)
    return _ratio(for_it - against, for_it + against, 0.0)


def _yule_y(c: Crossing) -> np.ndarray:
    for_it, against = (np.sqrt(side) for side in _odds(c))
    return _ratio(for_it - against, for_it + against, 0.0)


def _phi(c: Crossing) -> np.ndarray:
    spread = np.sqrt(c.x * (c.n - c.x)) * np.sqrt(c.y * (c.n - c.y))
    return np.clip(_ratio(np.where(spread > 0, c.excess, 0.0), spread, 0.0), -1.0, 1.0)


def _agreement(c: Crossing) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n times the agreement, n times what independence would give, and their difference without rounding."""
    expected = (c.x * c.y + (c.n - c.x) * (c.n - c.y)) / c.n
    return c.xy + c.neither, expected, 2 * c.excess / c.n


def _kappa(c: Crossing) -> np.ndarray:
    _, expected, more = _agreement(c)
    disagree = c.n - expected
    return _ratio(np.where(disagree > 0, more, 0.0), disagree, 0.0)


def _collective_strength(c: Crossing) -> np.ndarray:
    agree, expected, _ = _agreement(c)
    apart = c.only_x + c.only_y
    strength = _ratio(agree, expected, 1.0) * _ratio(c.n - expected, apart, 1.0)
    return np.where(c.excess == 0, 1.0, strength)


def _zhang(c: Crossing) -> np.ndarray:
    return _ratio(c.excess, np.maximum(c.xy * (c.n - c.x), c.x * c.only_y), 0.0)


def _bits(cell: np.ndarray, row: np.ndarray, column: np.ndarray, n: np.ndarray) -> np.ndarray:
    """P log2(P / (row P times column P)) of one cell; an empty cell adds nothing."""
    quotient = _ratio(cell * n, row * column, 1.0)
    return cell / n * np.log2(np.where(cell > 0, quotient, 1.0))


def _j_measure(c: Crossing) -> np.ndarray:
    return np.maximum(_bits(c.xy, c.x, c.y, c.n) + _bits(c.only_x, c.x, c.n - c.y, c.n), 0.0)


def _mutual_information(c: Crossing) -> np.ndarray:
    without_x, without_y = c.n - c.x, c.n - c.y
    of_x = _bits(c.xy, c.x, c.y, c.n) + _bits(c.only_x, c.x, without_y, c.n)
    of_others = _bits(c.only_y, without_x, c.y, c.n) + _bits(c.neither, without_x, without_y, c.n)
    return np.maximum(of_x + of_others, 0.0)


def _gini(c: Crossing) -> np.ndarray:
    # The decrease is 2 P(X) P(not X) (P(Y|X) - P(Y|not X))^2, which is 2 excess^2 / (n^2 x (n - x)).
    split = c.x * (c.n - c.x)
    return 2 * _ratio(np.where(split > 0, c.excess**2, 0.0), split, 0.0) / c.n**2


_INF = np.inf
MEASURES: dict[str, Interest] = {
    m.name: m
    for m in (
        Interest("support", "P(XY)", None, 0, 1, True, lambda c: c.xy / c.n),
        Interest("confidence", "P(Y|X)", None, 0, 1, False, _confidence),
        Interest("recall", "P(X|Y)", None, 0, 1, False, _recall),
        Interest("coverage", "P(X)", None, 0, 1, False, lambda c: c.x / c.n),
        Interest("laplace", "(xy + 1) / (x + 2)", None, 0, 1, False, lambda c: (c.xy + 1) / (c.x + 2)),
        Interest(
            "lift", "P(XY) / (P(X) P(Y))", 1, 0, _INF, True, lambda c: _ratio(c.n * c.xy, c.x * c.y, 1.0)
        ),
        Interest("leverage", "P(XY) - P(X) P(Y)", 0, -0.25, 0.25, True, lambda c: c.excess / c.n**2),
        Interest("added_value", "P(Y|X) - P(Y)", 0, -1, 1, False, _added_value),
        Interest(
            "conviction",
            "P(X) P(not Y) / P(X, not Y)",
            1,
            0,
            _INF,
            False,
            lambda c: _ratio(c.x * (c.n - c.y), c.n * c.only_x, 1.0),
        ),
        Interest("certainty_factor", "(c - P(Y)) / P(not Y)", 0, -1, 1, False, _certainty_factor),
        Interest(
            "relative_risk",
            "P(Y|X) / P(Y|not X)",
            1,
            0,
            _INF,
            False,
            lambda c: _ratio(c.xy * (c.n - c.x), c.x * c.only_y, 1.0),
        ),
        Interest(
            "odds_ratio", "odds of Y with X / without X", 1, 0, _INF, True, lambda c: _ratio(*_odds(c), 1.0)
        ),
        Interest("yule_q", "(odds - 1) / (odds + 1)", 0, -1, 1, True, _yule_q),
        Interest("yule_y", "(sqrt(odds) - 1) / (sqrt(odds) + 1)", 0, -1, 1, True, _yule_y),
        Interest("phi", "correlation of X and Y", 0, -1, 1, True, _phi),
        Interest("kappa", "agreement beyond chance", 0, -1, 1, True, _kappa),
        Interest("zhang", "leverage / its largest value", 0, -1, 1, False, _zhang),
        Interest(
            "klosgen",
            "sqrt(P(XY)) (P(Y|X) - P(Y))",
            0,
            -1,
            1,
            False,
            lambda c: np.sqrt(c.xy / c.n) * _added_value(c),
        ),
        Interest(
            "cosine",
            "P(XY) / sqrt(P(X) P(Y))",
            None,
            0,
            1,
            True,
            lambda c: np.minimum(_ratio(c.xy, np.sqrt(c.x) * np.sqrt(c.y), 0.0), 1.0),
        ),
        Interest(
            "jaccard",
            "P(XY) / P(X or Y)",
            None,
            0,
            1,
            True,
            lambda c: _ratio(c.xy, c.xy + c.only_x + c.only_y, 0.0),
        ),
        Interest(
            "kulczynski",
            "(P(Y|X) + P(X|Y)) / 2",
            None,
            0,
            1,
            True,
            lambda c: (_confidence(c) + _recall(c)) / 2,
        ),
        Interest(
            "all_confidence",
            "P(XY) / max(P(X), P(Y))",
            None,
            0,
            1,
            True,
            lambda c: np.minimum(_ratio(c.xy, np.maximum(c.x, c.y), 0.0), 1.0),
        ),
        Interest(
            "max_confidence",
            "P(XY) / min(P(X), P(Y))",
            None,
            0,
            1,
            True,
            lambda c: np.minimum(_ratio(c.xy, np.minimum(c.x, c.y), 0.0), 1.0),
        ),
        Interest(
            "imbalance_ratio",
            "abs(P(X) - P(Y)) / P(X or Y)",
            None,
            0,
            1,
            True,
            lambda c: _ratio(np.abs(c.x - c.y), c.xy + c.only_x + c.only_y, 0.0),
        ),
        Interest(
            "collective_strength",
            "agreement over violation, against chance",
            1,
            0,
            _INF,
            True,
            _collective_strength,
        ),
        Interest("j_measure", "bits about Y from X, of baskets with X", 0, 0, _INF, False, _j_measure),
        Interest("mutual_information", "bits about Y from X", 0, 0, 1, True, _mutual_information),
        Interest("gini", "decrease of the Gini impurity of Y", 0, 0, 0.5, False, _gini),
        Interest("chi_square", "n phi^2", 0, 0, _INF, True, lambda c: c.n * _phi(c) ** 2),
        Interest(
            "fisher_p",
            "P(at least xy common baskets)",
            None,
            0,
            1,
            True,
            lambda c: fisher_p(c.xy, c.x, c.y, c.n),
        ),
    )
}
