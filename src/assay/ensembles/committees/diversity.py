"""How differently learners err: measures of diversity of pairs and of whole ensembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.sentence import Sentence

__all__ = ["EnsembleDiversity", "PairDiversity", "diversity", "pair_diversity"]


@dataclass(frozen=True)
class PairDiversity:
    r"""How two learners err together, from the table of who is right.

    With the numbers of rows a (both right), b (the first alone), c (the second alone) and d (none):

    .. math:: Q = \frac{ad-bc}{ad+bc}, \quad
              \rho = \frac{ad-bc}{\sqrt{(a+b)(c+d)(a+c)(b+d)}}, \quad
              \kappa = \frac{p_o-p_e}{1-p_e}                                        \quad (1)

    with the observed agreement :math:`p_o = (a+d)/n` and the one by chance from the margins, :math:`p_e`. The lower Q,
    rho and kappa, the more diverse the learners; a measure whose denominator is 0 is None.

    Attributes
    ----------
    both, first, second, none : float, the numbers (or weights) of rows
    """

    both: float
    first: float
    second: float
    none: float

    @property
    def total(self) -> float:
        """All rows."""
        return self.both + self.first + self.second + self.none

    @property
    def q(self) -> float | None:
        """Yule's Q: 0 for independent errors, 1 for the same ones, below 0 for complementary ones."""
        same, other = self.both * self.none, self.first * self.second
        return (same - other) / (same + other) if same + other > 0 else None

    @property
    def correlation(self) -> float | None:
        """The correlation of being right."""
        a, b, c, d = self.both, self.first, self.second, self.none
        scale = np.sqrt(a + b) * np.sqrt(c + d) * np.sqrt(a + c) * np.sqrt(b + d)
        return float((a * d - b * c) / scale) if scale > 0 else None

    @property
    def disagreement(self) -> float:
        """The share of rows on which one alone is right."""
        return (self.first + self.second) / self.total

    @property
    def double_fault(self) -> float:
        """The share of rows on which both are wrong."""
        return self.none / self.total

    @property
    def kappa(self) -> float | None:
        """Agreement about being right beyond chance; see `EnsembleDiversity.kappa` for that of the answers."""
        n = self.total
        observed = (self.both + self.none) / n
        right, other = (self.both + self.first) / n, (self.both + self.second) / n
        expected = right * other + (1 - right) * (1 - other)
        return (observed - expected) / (1 - expected) if expected < 1 else None


def pair_diversity(
    first: ArrayLike, second: ArrayLike, sample_weight: ArrayLike | None = None
) -> PairDiversity:
    """The diversity of two learners, from whether each is right on each row.

    Parameters
    ----------
    first, second : (n,) True where the learner is right      sample_weight : (n,) what each row counts

    Examples
    --------
    >>> import numpy as np
    >>> from assay.ensembles import pair_diversity
    >>> pair = pair_diversity(np.repeat([1, 1, 0, 0], [60, 15, 10, 15]), np.repeat([1, 0, 1, 0], [60, 15, 10, 15]))
    >>> round(pair.q, 8), round(pair.correlation, 8), pair.disagreement, pair.double_fault, round(pair.kappa, 12)
    (0.71428571, 0.37796447, 0.25, 0.15, 0.375)
    """
    a, b = np.asarray(first).astype(bool), np.asarray(second).astype(bool)
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise DataError(
            f"one value a row is needed of both learners, got the shapes {a.shape} and {b.shape}.",
            who="pair_diversity",
        )
    w = _row_weights(sample_weight, len(a), "pair_diversity")
    return PairDiversity(*(float(w[part].sum()) for part in (a & b, a & ~b, ~a & b, ~a & ~b)))


@dataclass(frozen=True)
class EnsembleDiversity(Sentence):
    """Result of `diversity`: how well the members of an ensemble do, and how differently they err.

    Attributes
    ----------
    names : the members      errors : (L,) their errors
    pairs : {(i, j): PairDiversity} for all i < j      kappas : {(i, j): float} agreement of their answers beyond chance
    entropy : float, 0 if all members are right or wrong together, 1 if they are divided as evenly as can be
    kohavi_wolpert : float, the variance of being right, averaged over the rows
    """

    names: tuple[str, ...]
    errors: np.ndarray
    pairs: dict[tuple[int, int], PairDiversity]
    kappas: dict[tuple[int, int], float | None]
    entropy: float
    kohavi_wolpert: float

    def to_frame(self) -> Any:
        """A pandas frame with a row for each pair of members."""
        import pandas as pd

        measures = ("q", "correlation", "disagreement", "double_fault")
        return pd.DataFrame(
            [
                {
                    "first": self.names[i],
                    "second": self.names[j],
                    **{name: getattr(pair, name) for name in measures},
                    "kappa": self.kappas[i, j],
                    "mean_error": float(self.errors[[i, j]].mean()),
                }
                for (i, j), pair in self.pairs.items()
            ]
        )

    def mean(self, measure: str) -> float | None:
        """The mean of a measure of pairs over the pairs where it is defined."""
        values = (
            self.kappas.values() if measure == "kappa" else [getattr(p, measure) for p in self.pairs.values()]
        )
        known = [v for v in values if v is not None]
        return float(np.mean(known)) if known else None

    def __str__(self) -> str:
        shown = {name: self.mean(name) for name in ("q", "disagreement", "double_fault", "kappa")}
        words = ", ".join(
            f"{name.replace('_', ' ')} {'undefined' if value is None else format(value, '.3f')}"
            for name, value in shown.items()
        )
        return (
            f"{len(self.names)} members with errors from {self.errors.min():.3f} to {self.errors.max():.3f}; means "
            f"over {len(self.pairs)} pairs: {words}; entropy {self.entropy:.3f}."
        )


def diversity(
    answers: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> EnsembleDiversity:
    r"""How differently the members of an ensemble err.

    Besides the measures of pairs (see `PairDiversity`; kappa here is that of the answers themselves), with
    :math:`l_t` the number of members that are right on row t, of L:

    .. math:: E = \frac1n \sum_t \frac{\min(l_t, L - l_t)}{L - \lceil L/2 \rceil}, \qquad
              KW = \frac{1}{n L^2} \sum_t l_t (L - l_t)

    Parameters
    ----------
    answers : (L, n) the class that each member answers for each row, on rows that it did not learn from
    y : (n,) the classes
    names : of the members      sample_weight : (n,) what each row counts

    Examples
    --------
    >>> from assay.ensembles import diversity
    >>> print(diversity([[1, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]], [1, 1, 0, 0]))
    3 members with errors from 0.250 to 0.500; means over 3 pairs: q -1.000, disagreement 0.667, double fault 0.000,
    kappa -0.267; entropy 1.000.

    See Also
    --------
    pair_diversity, KappaErrorDisplay

    References
    ----------
    - Kuncheva, L. I. and Whitaker, C. J. (2003). Measures of diversity in classifier ensembles and their relationship
      with the ensemble accuracy. Machine Learning 51, 181-207. doi:10.1023/A:1022859003006
    """
    labels, truth = np.asarray(answers), np.asarray(y)
    if labels.ndim != 2 or len(labels) < 2 or labels.shape[1:] != truth.shape or not truth.size:
        raise DataError(
            f"answers (L, n) of two or more members and y (n,) are needed, got {labels.shape} and {truth.shape}.",
            who="diversity",
        )
    L, n = labels.shape
    w = _row_weights(sample_weight, n, "diversity")
    w = w / w.sum()
    right = labels == truth
    wins = right.sum(axis=0)
    pairs = {
        (i, j): PairDiversity(
            *(float(w[part].sum() * n) for part in (right[i] & right[j], right[i] & ~right[j], ~right[i] & right[j],
                                                    ~right[i] & ~right[j]))
        )
        for i in range(L)
        for j in range(i + 1, L)
    }  # fmt: skip
    return EnsembleDiversity(
        tuple(names) if names is not None else tuple(f"member {j}" for j in range(L)),
        np.array([float(w[~row].sum()) for row in right]),
        pairs,
        {(i, j): _agreement(labels[i], labels[j], w) for i, j in pairs},
        float(w @ np.minimum(wins, L - wins)) / (L - (L + 1) // 2),
        float(w @ (wins * (L - wins))) / L**2,
    )


def _agreement(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float | None:
    """Cohen's kappa of two members' answers; None if both always give the same one."""
    labels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    K, (first, second) = len(labels), codes.reshape(2, -1)
    expected = float(np.bincount(first, w, K) @ np.bincount(second, w, K))
    observed = float(w[first == second].sum())
    return (observed - expected) / (1 - expected) if expected < 1 - 1e-15 else None


def _row_weights(sample_weight: ArrayLike | None, n: int, who: str) -> np.ndarray:
    from assay.core.targets import check_weights

    checked = check_weights(sample_weight, np.empty((n, 1)), who)
    return np.ones(n) if checked is None else checked
