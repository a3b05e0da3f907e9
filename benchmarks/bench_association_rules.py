"""Association rules from frequent sets against mlxtend."""

from __future__ import annotations

import numpy as np

from assay.associations import Baskets, association_rules, frequent_sets
from benchmarks.harness import Race, growth

# baskets, items, habits, items of a habit, least support, least confidence
SIZES = [(5_000, 80, 40, 4, 0.005, 0.5), (5_000, 60, 10, 8, 0.02, 0.6), (5_000, 60, 10, 8, 0.02, 0.9)]


def shop(n: int, d: int, habits: int, size: int) -> Baskets:
    """Baskets of people with two habits each, most of whose items they buy, and a few others."""
    rng = np.random.default_rng(n + d)
    sets = [rng.choice(d, size=size, replace=False) for _ in range(habits)]
    held = rng.random((n, d)) < 0.03
    for row in held:
        for h in rng.choice(habits, 2):
            row[sets[h]] |= rng.random(size) < 0.85
    return Baskets.from_wide(held, items=[f"i{j}" for j in range(d)])


def races() -> list[Race]:
    try:
        import pandas as pd
        from mlxtend.frequent_patterns import association_rules as peer
    except ImportError:
        print("association rules: mlxtend is not installed, so that there is no race")
        return []
    found = []
    for n, d, habits, size, support, confidence in SIZES:
        sets = frequent_sets(shop(n, d, habits, size), support)
        given = pd.DataFrame({"support": sets.supports, "itemsets": [frozenset(one.items) for one in sets]})
        found.append(
            Race(
                f"association_rules, confidence {confidence:g}",
                f"{len(sets):,} sets",
                lambda sets=sets, c=confidence: association_rules(sets, c).to_frame(),
                lambda given=given, n=n, c=confidence: peer(given, n, metric="confidence", min_threshold=c),
            )
        )
    return found


def growths() -> list[str]:
    baskets = shop(5_000, 60, 10, 8)
    sets = {size: frequent_sets(baskets, 0.02, max_size=size) for size in (3, 4, 5, 6)}
    by_count = {len(one): one for one in sets.values()}
    p = growth(lambda m: lambda: association_rules(by_count[m], 0.9), sorted(by_count))
    return [f"association_rules grows like sets^{p:.2f}"]
