"""Association rules from frequent item sets."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Any

import numpy as np

from assay.associations.item_sets import ItemSets
from assay.associations.rule_table import AssociationRules
from assay.associations.set_hashes import SetHashes
from assay.core.parameters import Count, Range, check
from assay.core.progress import progress
from assay.errors import DataError, ParameterError

__all__ = ["association_rules"]

CHUNK = 50_000  # sets of one size that are looked at together
ROUNDING = 1 - 1e-12  # 7 of 10 is a confidence of 0.7, whatever 0.7 is in the machine


def association_rules(
    item_sets: ItemSets,
    min_confidence: float = 0.8,
    *,
    min_lift: float = 0.0,
    max_consequent: int | None = None,
    consequent: Iterable[Any] | None = None,
    antecedent: Iterable[Any] | None = None,
    limit: int = 10_000_000,
) -> AssociationRules:
    r"""The rules X -> Y whose items together are one of the frequent sets, with enough confidence.

    .. math:: \text{confidence} = P(Y|X) = \frac{\#\{X \text{ and } Y\}}{\#\{X\}}, \qquad
              \text{lift} = \frac{P(Y|X)}{P(Y)}

    From each set the right side grows: first every single item, then pairs of which both items alone were confident,
    and so on. A right side of several items cannot be confident if a part of it was not, because
    :math:`P(Y|X) \ge P(Y Z | X \setminus Z)`: both have the same numerator, and X is not in more baskets than
    a part of it. Most rules are therefore never generated.

    Parameters
    ----------
    item_sets : ItemSets
        From :func:`frequent_sets`, with all their subsets (``kind="all"``).
    min_confidence : float from 0 to 1
    min_lift : float
        Rules below it are left out; 1 leaves out those where X makes Y less likely.
    max_consequent : int or None
        The most items on the right side.
    consequent, antecedent : items that may stand on the right, on the left; None for all
    limit : int
        More rules than this are refused, before the memory is full.

    Returns
    -------
    AssociationRules
        Sorted by confidence, then by support.

    Examples
    --------
    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> baskets = Baskets.from_lists([["milk", "bananas", "chocolate"], ["milk", "chocolate"], ["milk", "bananas"],
    ...                               ["chocolate"], ["chocolate"], ["milk", "chocolate"]])
    >>> rules = association_rules(frequent_sets(baskets, 2), 0.5)
    >>> rules
    4 rules of 6 baskets
      support  confidence   lift  count  rule
        0.333       1.000  1.500      2  bananas -> milk
        0.500       0.750  0.900      3  milk -> chocolate
        0.500       0.600  0.900      3  chocolate -> milk
        0.333       0.500  1.500      2  milk -> bananas
    >>> rules.sentence(1)
    '75 per cent of customers who buy milk also buy chocolate'

    See Also
    --------
    frequent_sets, interest, cross_selling

    References
    ----------
    - Agrawal, R., Imielinski, T. and Swami, A. (1993). Mining association rules between sets of items in large
      databases. ACM SIGMOD Conference, 207-216. doi:10.1145/170035.170072
    """
    accepts = {
        "min_confidence": Range(0, 1),
        "min_lift": Range(0),
        "max_consequent": Count(1) | None,
        "limit": Count(1),
    }
    parameters = {
        "min_confidence": min_confidence,
        "min_lift": min_lift,
        "max_consequent": max_consequent,
        "limit": limit,
    }
    check("association_rules", accepts, parameters)
    parts = _parts(item_sets)
    right, left = (_flags(item_sets, names) for names in (consequent, antecedent))
    pieces = []
    total = tested = 0
    sizes = item_sets.sizes
    groups = [np.flatnonzero(sizes == k) for k in range(2, int(sizes.max(initial=0)) + 1)]
    chunks = [g[a : a + CHUNK] for g in groups for a in range(0, len(g), CHUNK)]
    with progress(sum(map(len, chunks)), "rules") as bar:
        for ids in chunks:
            k = int(sizes[ids[0]])
            most = k - 1 if max_consequent is None else min(k - 1, max_consequent)
            items = item_sets.indices[item_sets.indptr[ids][:, None] + np.arange(k)]
            tested += _possible(right[items], left[items], most)
            for rules in _of_size(item_sets, parts, ids, items, most, min_confidence, right, left):
                pieces.append(rules)
                total += len(rules[0])
                if total > limit:
                    raise DataError(
                        f"more than {limit:,} rules have a confidence of {min_confidence:g}.",
                        who="association_rules",
                        remedy="Raise min_confidence or the support of the sets, or give max_consequent or consequent.",
                        code="too-many-rules",
                    )
            bar.advance(len(ids), note=f"{total:,} rules")
    whole, ante, cons = (np.concatenate([r[j] for r in pieces] or [np.zeros(0, np.int64)]) for j in range(3))
    counts = item_sets.counts
    rules = AssociationRules(
        item_sets, ante, cons, counts[whole], counts[ante], counts[cons], item_sets.n, tested
    )
    if min_lift > 0:
        rules = rules[rules.lift >= min_lift * ROUNDING]
    order = np.lexsort((rules.consequents, rules.antecedents, -rules.xy, -rules.confidence))
    return rules[order]


class _Parts:
    """Which set is left of each set when one of its items is taken away."""

    def __init__(self, sets: ItemSets):
        hashes = SetHashes(sets)
        owner = np.repeat(np.arange(len(sets)), sets.sizes)
        self.without = hashes.find(hashes.of_sets[:, owner] - hashes.of_items[:, sets.indices])
        self.hashes = hashes
        single = sets.sizes[owner] == 1
        if ((self.without < 0) & ~single).any():
            at = int(np.argmax((self.without < 0) & ~single))
            names = ", ".join(str(sets.items[c]) for c in sets.codes(owner[at]))
            raise DataError(
                f"association_rules: of the set {names}, a part is not among the sets, and its count is needed. Take "
                'all frequent sets: frequent_sets(baskets, min_support, kind="all").'
            )
        self.of_item = np.full(len(sets.items), -1)
        self.of_item[sets.indices[single]] = owner[single]


def _parts(sets: ItemSets) -> _Parts:
    if not isinstance(sets, ItemSets):
        raise ParameterError(
            f"association_rules: expected the sets that frequent_sets finds, got a {type(sets).__name__}."
        )
    return _Parts(sets)


def _flags(sets: ItemSets, names: Iterable[Any] | None) -> np.ndarray:
    """(d,) bool: which items may stand on a side."""
    if names is None:
        return np.ones(len(sets.items), bool)
    allowed = np.zeros(len(sets.items), bool)
    for name in [names] if isinstance(names, str) else names:
        allowed[sets._code(name)] = True
    return allowed


def _of_size(
    sets: ItemSets,
    parts: _Parts,
    ids: np.ndarray,
    items: np.ndarray,
    most: int,
    min_confidence: float,
    right: np.ndarray,
    left: np.ndarray,
) -> Any:
    """Rules of sets of one size k, level by level; a right side is a mask of k bits.

    For each mask: ``able``, in which sets it was confident, and ``ante``, what is left of the set without it.
    """
    k = items.shape[1]
    counts = sets.counts
    need = min_confidence * ROUNDING
    barred = ~left[items]
    level: dict[int, tuple[np.ndarray, np.ndarray]] = {0: (np.ones(len(ids), bool), ids)}
    for size in range(1, most + 1):
        following: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for mask, (_, ante) in level.items():
            for j in range(mask.bit_length(), k):
                grown = mask | 1 << j
                shorter = [grown & ~(1 << i) for i in range(k) if grown >> i & 1]
                if any(part not in level for part in shorter):
                    continue
                able = right[items[:, j]].copy()
                for part in shorter:
                    able &= level[part][0]
                rows = np.flatnonzero(able)
                # In what is left without the lower bits, item j stands size - 1 places further to the front.
                kept = parts.without[sets.indptr[ante[rows]] + (j - (size - 1))]
                confident = counts[ids[rows]] >= need * counts[kept]
                able[rows[~confident]] = False
                rows, kept = rows[confident], kept[confident]
                if not len(rows):
                    continue
                remaining = np.zeros(len(ids), np.int64)
                remaining[rows] = kept
                following[grown] = able, remaining
                bits = [i for i in range(k) if grown >> i & 1]
                others = [i for i in range(k) if i not in bits]
                wanted = ~barred[np.ix_(rows, others)].any(axis=1)
                yield ids[rows[wanted]], kept[wanted], _consequents(parts, items[rows[wanted]][:, bits])
        level = following


def _consequents(parts: _Parts, items: np.ndarray) -> np.ndarray:
    """The numbers of the sets that are these items."""
    if items.shape[1] == 1:
        return parts.of_item[items[:, 0]]
    return parts.hashes.find(parts.hashes.of_items[:, items].sum(axis=2))


def _possible(right: np.ndarray, left: np.ndarray, most: int) -> int:
    """How many rules these sets allow, whatever their confidence: what was tested, whether looked at or not."""
    k = right.shape[1]
    forced = (~left).sum(axis=1)  # items that may not stand on the left must stand on the right
    free = (right & left).sum(axis=1)
    able = (right | left).all(axis=1)
    total = 0
    pairs, times = np.unique(free[able] * (k + 1) + forced[able], return_counts=True)
    for pair, count in zip(pairs.tolist(), times.tolist()):
        f, b = divmod(pair, k + 1)
        total += count * sum(comb(f, h - b) for h in range(max(1, b), min(most, k - 1) + 1))
    return total
