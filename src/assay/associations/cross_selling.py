"""Cross-selling: customers who have bought X but not Y, for rules X -> Y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.rule_table import AssociationRules
from assay.associations.set_counts import ItemBits
from assay.core.explanation import text_table
from assay.core.parameters import check_count
from assay.core.progress import track
from assay.core.words import one_line
from assay.errors import DataError
from assay.types import Label

__all__ = ["CrossSelling", "cross_selling", "cross_selling_targets"]

PRUNE = 2_000_000  # offers that are kept before the weaker ones of each basket are dropped


def cross_selling_targets(
    baskets: Baskets, antecedent: Label | Sequence[Label], consequent: Label | Sequence[Label]
) -> list[Any]:
    """The baskets (customers) that hold X and lack Y, or a part of it, by their ids.

    Parameters
    ----------
    baskets : Baskets
    antecedent, consequent : the name of an item, or a list of names

    Examples
    --------
    >>> from assay.associations import Baskets, cross_selling_targets
    >>> baskets = Baskets.from_lists([["milk", "bananas"], ["milk"], ["bananas"]], ids=["Ann", "Bob", "Cem"])
    >>> cross_selling_targets(baskets, "milk", "bananas")
    ['Bob']
    """
    left, right = (
        list(v) if isinstance(v, (list, tuple, set, frozenset)) else [v] for v in (antecedent, consequent)
    )
    rows = np.flatnonzero(baskets.holding(*left) & ~baskets.holding(*right))
    return [_id(baskets, i) for i in rows.tolist()]


@dataclass(eq=False, repr=False)
class CrossSelling:
    """Offers: the customer, the items, the rule, and the expected gain.

    Parameters
    ----------
    baskets : Baskets
    rules : AssociationRules
    rows : (m,) numbers of baskets      rule : (m,) numbers of rules      gain : (m,) expected gains
        The greatest gain first.
    """

    baskets: Baskets
    rules: AssociationRules
    rows: np.ndarray
    rule: np.ndarray
    gain: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, customer: Label) -> CrossSelling:
        """The offers for one customer, by id."""
        ids = [_id(self.baskets, i) for i in self.rows.tolist()]
        keep = np.array([basket == customer for basket in ids], bool)
        return CrossSelling(self.baskets, self.rules, self.rows[keep], self.rule[keep], self.gain[keep])

    def __getitem__(self, i: int) -> dict[str, Any]:
        """Offer number i: customer, offer (what is missing), because (what was bought), confidence, gain."""
        row, r = int(self.rows[i]), int(self.rule[i])
        left, right = self.rules.sides(r)
        had = set(self.baskets[row])
        return {
            "customer": _id(self.baskets, row),
            "offer": tuple(name for name in right if name not in had),
            "because": left,
            "confidence": self.rules[r].confidence,
            "gain": float(self.gain[i]),
        }

    def to_frame(self) -> Any:
        """A pandas frame with one row an offer."""
        import pandas as pd

        columns = ["customer", "offer", "because", "confidence", "gain"]
        return pd.DataFrame([self[i] for i in range(len(self))], columns=columns)

    def __repr__(self) -> str:
        n = len(np.unique(self.rows))
        lines = [
            f"{len(self):,} offer{'' if len(self) == 1 else 's'} for {n:,} customer{'' if n == 1 else 's'}"
        ]
        shown = [self[i] for i in range(min(len(self), 20))]
        if shown:
            rows = [
                [str(o["customer"]), _joined(o["offer"]), _joined(o["because"]), o["confidence"], o["gain"]]
                for o in shown
            ]
            lines.append(text_table(["customer", "offer", "because of", "confidence", "gain"], rows))
        if len(self) > 20:
            lines.append(f"  ... and {len(self) - 20:,} more")
        return "\n".join(lines)


def cross_selling(
    baskets: Baskets,
    rules: AssociationRules,
    *,
    value: Mapping[Any, float] | None = None,
    most: int | None = 3,
    min_gain: float = 0.0,
) -> CrossSelling:
    r"""Cross-selling offers: for every rule X -> Y, the baskets that hold X and lack Y, ranked by expected gain.

    .. math:: \text{gain} = P(Y|X) \sum_{i \in Y,\, i \notin \text{basket}} v_i

    Of several rules for the same Y, each basket gets the one of greatest gain.

    Parameters
    ----------
    baskets : Baskets
        Whom to sell to; not necessarily those that the rules were found in.
    rules : AssociationRules
    value : dict from item to what selling it is worth, default None
        An item that is not named is worth 1.
    most : int or None
        The most offers for one basket.
    min_gain : float
        Offers below it are left out.

    Examples
    --------
    >>> from assay.associations import Baskets, association_rules, cross_selling, frequent_sets
    >>> baskets = Baskets.from_lists([["milk", "bananas", "chocolate"], ["milk", "chocolate"], ["milk", "bananas"],
    ...                               ["chocolate"], ["chocolate"], ["milk", "chocolate"]], ids=range(1, 7))
    >>> rules = association_rules(frequent_sets(baskets, 2), 0.5)
    >>> cross_selling(baskets, rules, value={"bananas": 2.0})
    5 offers for 5 customers
      customer  offer      because of  confidence  gain
      2         bananas    milk               0.5     1
      6         bananas    milk               0.5     1
      3         chocolate  milk              0.75  0.75
      4         milk       chocolate          0.6   0.6
      5         milk       chocolate          0.6   0.6
    """
    check_count("cross_selling", "most", most, none=True)
    worth = _values(rules, value or {})
    bits, n = ItemBits(baskets), baskets.n
    sure = rules.confidence
    kept = [np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)]
    fresh: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    waiting = 0
    for r in track(range(len(rules)), "offers"):
        left, right = rules.sides(r)
        rows = np.flatnonzero(_unpacked(bits.common(left) & ~bits.common(right), n))
        if not len(rows):
            continue
        gain = np.zeros(len(rows))
        for name in right:
            held = _unpacked(bits.of(name), n)[rows]
            gain += np.where(held, 0.0, sure[r] * worth[name])
        good = gain >= min_gain
        fresh.append((rows[good], np.full(int(good.sum()), r), gain[good]))
        waiting += int(good.sum())
        if waiting > PRUNE:
            kept, fresh, waiting = _best(kept, fresh, rules, most), [], 0
    rows, rule, gain = _best(kept, fresh, rules, most)
    return CrossSelling(baskets, rules, rows, rule, gain)


def _best(
    kept: list[np.ndarray], fresh: list[Any], rules: AssociationRules, most: int | None
) -> list[np.ndarray]:
    """The best offer of each basket and right side, the ``most`` best of each basket; all by gain, then by basket."""
    rows, rule, gain = (np.concatenate([kept[j], *(part[j] for part in fresh)]) for j in range(3))
    order = np.lexsort((rule, rows, -gain))
    rows, rule, gain = rows[order], rule[order], gain[order]
    pair = rows * len(rules.sets) + rules.consequents[rule]
    first = np.sort(np.unique(pair, return_index=True)[1])
    rows, rule, gain = rows[first], rule[first], gain[first]
    if most is not None:
        by_row = np.argsort(rows, kind="stable")
        start = np.searchsorted(rows[by_row], rows[by_row])
        place = np.empty(len(rows), np.int64)
        place[by_row] = np.arange(len(rows)) - start
        keep = place < most
        rows, rule, gain = rows[keep], rule[keep], gain[keep]
    return [rows, rule, gain]


def _values(rules: AssociationRules, value: Mapping[Any, float]) -> dict[Any, float]:
    values = dict.fromkeys(rules.sets.items, 1.0)
    for name, worth in value.items():
        if not np.isfinite(worth):
            raise DataError(f"cross_selling: the value of {name!r} must be a finite number, got {worth!r}.")
        values[name] = float(worth)
    return values


def _unpacked(bits: np.ndarray, n: int) -> np.ndarray:
    return np.unpackbits(bits, count=n).view(bool)


def _id(baskets: Baskets, i: int) -> Any:
    return i if baskets.ids is None else baskets.ids[i]


def _joined(names: tuple[Any, ...]) -> str:
    return one_line(", ".join(map(str, names)), 40)
