"""Association rules as a table: looked up, sorted, filtered, tested, printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.interest import interest
from assay.associations.item_sets import ItemSets
from assay.core.stored import CodeArray, Integer, NumberArray, Object, Scalar
from assay.core.words import number, one_line
from assay.errors import DataError, ParameterError
from assay.sentence import in_notebook
from assay.stats.significance.multiple_tests import benjamini_hochberg, holm

__all__ = ["AssociationRule", "AssociationRules"]

SHOWN = 20  # rules in print
COLUMNS = ("support", "confidence", "lift", "leverage", "conviction")


@dataclass(frozen=True)
class AssociationRule:
    """One rule: the names on both sides, how many baskets hold both, and how strong it is."""

    antecedent: tuple[Any, ...]
    consequent: tuple[Any, ...]
    count: float
    support: float
    confidence: float
    lift: float

    def __str__(self) -> str:
        return f"{_names(self.antecedent)} -> {_names(self.consequent)}"


@dataclass(eq=False, repr=False)
class AssociationRules:
    """Rules X -> Y between item sets, with the counts that every measure of interest is made of.

    Parameters
    ----------
    sets : ItemSets
        Where the names of both sides are found.
    antecedents, consequents : (R,) int64
        The numbers of the left and the right side among the sets.
    xy, x, y : (R,)
        How many baskets (or what weight of them) hold both sides, the left, the right.
    n : number or weight of all baskets
    tested : int
        How many rules were possible, of which these are some: what p-values are adjusted for.

    Examples
    --------
    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3 + [["chips"]] + [["tea"]] * 9)
    >>> rules = association_rules(frequent_sets(baskets, 2), 0.5)
    >>> print(rules.sorted("lift")[0])
    chips -> beer
    >>> rules.about("beer", side="antecedent").sentence(0)
    '70 per cent of customers who buy beer also buy chips'
    >>> rules.measure("leverage")
    array([0.15, 0.15])
    >>> rules.significant(alpha=0.05)
    2 rules of 20 baskets
      support  confidence   lift  count  rule
        0.350       0.875  1.750      7  chips -> beer
        0.350       0.700  1.750      7  beer -> chips
    """

    sets: ItemSets
    antecedents: np.ndarray
    consequents: np.ndarray
    xy: np.ndarray
    x: np.ndarray
    y: np.ndarray
    n: float
    tested: int = 0
    stored = {
        "sets": Object(ItemSets, m="s"),
        "antecedents": CodeArray("m", below="s"),
        "consequents": CodeArray("m", below="s"),
        "xy": NumberArray("m"),
        "x": NumberArray("m"),
        "y": NumberArray("m"),
        "n": Scalar(low=0, finite=True),
        "tested": Integer(),
    }

    def __post_init__(self) -> None:
        m = len(self.antecedents)
        for side in (self.antecedents, self.consequents):
            if len(side) and not 0 <= int(side.min()) <= int(side.max()) < len(self.sets):
                raise DataError("AssociationRules: the sides must be numbers of sets.")
        if any(len(part) != m for part in (self.consequents, self.xy, self.x, self.y)):
            raise DataError("AssociationRules: the arrays do not fit together.")
        self.tested = max(int(self.tested), m)

    def _check_stored(self) -> None:
        self.__post_init__()

    # ------------------------------------------------------------------ looked up

    def __len__(self) -> int:
        return len(self.antecedents)

    def __iter__(self) -> Iterator[AssociationRule]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, which: Any) -> Any:
        """Rule number i, as an :class:`AssociationRule`; for a slice, numbers or a mask, those rules."""
        if isinstance(which, (int, np.integer)):
            i = range(len(self))[which]
            row = self._some(np.array([i]))
            return AssociationRule(
                *self.sides(i),
                self.xy[i].item(),
                float(row.support[0]),
                float(row.confidence[0]),
                float(row.lift[0]),
            )
        return self._some(np.arange(len(self))[which])

    def sides(self, i: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The names on the left and on the right of rule number i."""
        items = self.sets.items
        left, right = (self.sets.codes(int(side[i])) for side in (self.antecedents, self.consequents))
        return tuple(items[c] for c in left), tuple(items[c] for c in right)

    def _some(self, chosen: np.ndarray) -> AssociationRules:
        arrays = ("antecedents", "consequents", "xy", "x", "y")
        return replace(self, **{name: getattr(self, name)[chosen] for name in arrays})

    def measure(self, name: str) -> np.ndarray:
        """(R,) one of the measures of :func:`assay.associations.interest`."""
        return interest(name, self.xy, self.x, self.y, self.n)

    @property
    def support(self) -> np.ndarray:
        """(R,) P(XY), the share of the baskets that hold both sides."""
        return self.xy / self.n

    @property
    def confidence(self) -> np.ndarray:
        """(R,) P(Y|X), the share of the baskets with X that also hold Y."""
        return self.measure("confidence")

    @property
    def lift(self) -> np.ndarray:
        """(R,) P(Y|X) / P(Y): 1 where X and Y are independent."""
        return self.measure("lift")

    # ------------------------------------------------------------------ chosen

    def sorted(self, by: str = "lift", ascending: bool | None = None) -> AssociationRules:
        """The same rules, the best first: largest, for ``fisher_p`` smallest; equals stay in their order.

        Parameters
        ----------
        by : a measure
        ascending : bool or None for what is best first
        """
        values = self.measure(by)
        up = by == "fisher_p" if ascending is None else ascending
        return self[np.argsort(values if up else -values, kind="stable")]

    def filter(self, **bounds: Any) -> AssociationRules:
        """The rules within bounds of measures: a number is the least value, a pair the least and the greatest.

        >>> from assay.associations import Baskets, association_rules, frequent_sets
        >>> rules = association_rules(frequent_sets(Baskets.from_lists(["ab", "ab", "a", "c"]), 1), 0.5)
        >>> len(rules.filter(confidence=0.9)), len(rules.filter(confidence=(None, 0.9)))
        (1, 1)
        """
        keep = np.ones(len(self), bool)
        for name, bound in bounds.items():
            low, high = bound if isinstance(bound, (tuple, list)) else (bound, None)
            value = self.measure(name)
            if low is not None:
                keep &= value >= low - 1e-12 * abs(low)
            if high is not None:
                keep &= value <= high + 1e-12 * abs(high)
        return self[keep]

    def about(self, *names: Any, side: str = "either") -> AssociationRules:
        """The rules that contain all of these items, on the "antecedent", the "consequent" or on "either" side."""
        if side not in ("either", "antecedent", "consequent"):
            raise ParameterError(f"about: side must be 'either', 'antecedent' or 'consequent', got {side!r}.")
        keep = np.ones(len(self), bool)
        owner = np.repeat(np.arange(len(self.sets)), self.sets.sizes)
        for name in names:
            holds = np.zeros(len(self.sets), bool)
            holds[owner[self.sets.indices == self.sets._code(name)]] = True
            left, right = holds[self.antecedents], holds[self.consequents]
            keep &= {"antecedent": left, "consequent": right, "either": left | right}[side]
        return self[keep]

    def irredundant(self, min_improvement: float = 0.0) -> AssociationRules:
        """Without rules that are no better than a more general one.

        A rule X -> Y is redundant if one of these rules has the same Y, fewer items X' in X, and at least the same
        confidence.

        Parameters
        ----------
        min_improvement : float
            How much more confidence the further items of X must bring.
        """
        from assay.associations.redundancy import redundant

        return self[~redundant(self, min_improvement)]

    def p_values(self, method: str | None = "holm") -> np.ndarray:
        """(R,) Fisher's exact test of each rule, adjusted for all rules that were possible.

        Out of many rules some look strong by chance alone. ``tested`` rules were possible among the frequent sets, so
        that the smallest p-value is multiplied by as many. (Which sets are frequent was seen in the same baskets;
        to be quite sure, measure the rules on other ones: :meth:`measured`.)

        Parameters
        ----------
        method : "holm", no wrong rule with a probability of 1 - alpha; "bh" (Benjamini and Hochberg), a share of
            alpha of wrong rules is expected; None, as they are
        """
        return self._adjusted(self.measure("fisher_p"), method)

    def _adjusted(self, p: np.ndarray, method: str | None) -> np.ndarray:
        if method is None:
            return p
        adjust = {"holm": holm, "bh": benjamini_hochberg}.get(method)
        if adjust is None:
            raise ParameterError(f"AssociationRules: method must be 'holm', 'bh' or None, got {method!r}.")
        return adjust(p, self.tested)

    def significant(self, alpha: float = 0.05, method: str | None = "holm") -> AssociationRules:
        """The rules whose adjusted p-value is at most alpha; see :meth:`p_values`."""
        return self[self.p_values(method) <= alpha]

    def productive(self, alpha: float = 0.05, method: str | None = "holm") -> AssociationRules:
        """The rules of which no item of the left side can be left out: each makes Y significantly more likely.

        Fisher's exact test compares, among the baskets with all other items of X, those with the item and those
        without; the largest p-value counts, adjusted as in :meth:`p_values`. So a rule that merely adds to a -> b
        something that has nothing to do with b is no longer there.
        """
        from assay.associations.redundancy import improvement_p

        return self[self._adjusted(improvement_p(self), method) <= alpha]

    def measured(self, baskets: Baskets) -> AssociationRules:
        """The same rules counted in other baskets, where they were not looked for: an honest measurement.

        From then on p-values are adjusted for these rules only.
        """
        from assay.associations.set_counts import ItemBits

        if not baskets.n:
            raise DataError("AssociationRules: there are no baskets to measure the rules in.")
        bits = ItemBits(baskets)
        sides: dict[int, np.ndarray] = {}
        for s in np.unique(np.concatenate([self.antecedents, self.consequents])).tolist():
            sides[s] = bits.common([self.sets.items[c] for c in self.sets.codes(s)])
        counts = np.array(
            [
                [bits.weigh(sides[a] & sides[c]), bits.weigh(sides[a]), bits.weigh(sides[c])]
                for a, c in zip(self.antecedents.tolist(), self.consequents.tolist())
            ],
            np.int64 if baskets.weights is None else np.float64,
        ).reshape(len(self), 3)
        xy, x, y = counts.T
        return replace(self, xy=xy, x=x, y=y, n=baskets.total, tested=len(self))

    # ------------------------------------------------------------------ display

    def sentence(self, i: int, who: str = "customers", verb: str = "buy", that: str = "who") -> str:
        """Rule number i as a sentence: 70 per cent of customers who buy beer also buy chips.

        Parameters
        ----------
        i : int
        who, verb, that : what the baskets belong to, what they do with items, and the word between
        """
        i = range(len(self))[i]
        return _sentence(*self.sides(i), self[i].confidence, who, verb, that)

    def sentences(self, who: str = "customers", verb: str = "buy", that: str = "who") -> list[str]:
        """Every rule as a sentence."""
        sure = self.confidence.tolist()
        return [_sentence(*self.sides(i), c, who, verb, that) for i, c in enumerate(sure)]

    def __repr__(self) -> str:
        n = f"{int(self.n):,}" if float(self.n).is_integer() else number(round(self.n, 6))
        lines = [f"{len(self):,} rule{'' if len(self) == 1 else 's'} of {n} baskets"]
        if len(self):
            shown = [self[i] for i in range(min(len(self), SHOWN))]
            digits = 2 if max(r.lift for r in shown) >= 10 else 3
            cells = [
                (
                    f"{r.support:.3f}",
                    f"{r.confidence:.3f}",
                    f"{r.lift:.{digits}f}",
                    f"{r.count:,.6g}",
                    one_line(str(r), 90),
                )
                for r in shown
            ]
            heads = ("support", "confidence", "lift", "count")
            wide = [max(len(h), *(len(c[j]) for c in cells)) for j, h in enumerate(heads)]
            for row in [(*heads, "rule"), *cells]:
                lines.append("  " + "  ".join([*(v.rjust(w) for v, w in zip(row, wide)), row[-1]]))
        if len(self) > SHOWN:
            lines.append(f"  ... and {len(self) - SHOWN:,} more")
        return "\n".join(lines)

    def to_frame(self, library: str = "pandas", measures: Sequence[str] = COLUMNS) -> Any:
        """One row a rule: both sides as lists of names, the count, and measures.

        Parameters
        ----------
        library : "pandas", "polars" or "pyarrow"
        measures : names of measures; "p" and "p_adjusted" for Fisher's test
        """
        from assay.associations.rule_forms import rules_frame

        return rules_frame(self, library, measures)

    def to_dict(self, measures: Sequence[str] = COLUMNS) -> dict[str, Any]:
        """Plain data that JSON can hold and :meth:`from_dict` reads back; an infinite measure is None."""
        from assay.associations.rule_forms import rules_data

        return rules_data(self, measures)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AssociationRules:
        """The rules that ``to_dict`` wrote."""
        from assay.associations.rule_forms import rules_of_data

        return rules_of_data(data)

    def to_json(self, indent: int | None = None, measures: Sequence[str] = COLUMNS) -> str:
        """The rules as JSON text."""
        import json

        return json.dumps(
            self.to_dict(measures), indent=indent, allow_nan=False, ensure_ascii=False, default=str
        )

    def to_html(self, measures: Sequence[str] = COLUMNS, most: int | None = None) -> str:
        """The rules as an HTML table, or the first ``most`` of them; names are escaped."""
        from assay.associations.rule_forms import rules_html

        return rules_html(self, measures, most)

    def _repr_html_(self) -> str:
        return in_notebook(self.to_html(most=SHOWN))


def _names(names: tuple[Any, ...]) -> str:
    return ", ".join(map(str, names)) or "anything"


def _sentence(
    left: tuple[Any, ...], right: tuple[Any, ...], confidence: float, who: str, verb: str, that: str
) -> str:
    share = f"{100 * confidence:.3g} per cent"
    if not left:
        return f"{share} of {who} {verb} {_and(right)}"
    return f"{share} of {who} {that} {verb} {_and(left)} also {verb} {_and(right)}"


def _and(names: tuple[Any, ...]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    words = [one_line(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
