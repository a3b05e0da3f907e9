"""Rules applied: the native code against the same conditions applied one by one with NumPy.

Both get the same block of numbers; the second column is what a rule base does where a condition has no flat form.
"""

from __future__ import annotations

import numpy as np

from assay.rulebase.conditions import Condition
from assay.rulebase.firing import Firing
from assay.rulebase.rules import Rule
from benchmarks.harness import Race


def some_rules(R: int, d: int) -> list[Rule]:
    """Rules of three conditions each: two intervals and a set of categories."""
    rng = np.random.default_rng(R)
    found = []
    for _ in range(R):
        (j, k), c = rng.choice(d // 2, 2, replace=False).tolist(), int(rng.integers(d // 2, d))
        low, high = rng.random(2).tolist()
        codes = tuple(sorted(rng.choice(10, 4, replace=False).tolist()))
        found.append(
            Rule(
                (Condition(j, low=low / 2), Condition(k, high=0.5 + high / 2), Condition(c, codes=codes)), "a"
            )
        )
    return found


def races() -> list[Race]:
    found = []
    rng = np.random.default_rng(0)
    for n, R, repeat in ((1, 20, 500), (1_000, 20, 20), (100_000, 20, 1), (100_000, 200, 1)):
        X = np.column_stack([rng.random((n, 10)), rng.integers(0, 10, (n, 10))])
        firing, size = Firing(some_rules(R, 20)), f"{n} rows, {R} rules"
        found += [
            Race(
                "first rule that fires",
                size,
                lambda f=firing, X=X: f.first(X),
                lambda f=firing, X=X: f._first_one_by_one(X),
                repeat,
            ),
            Race(
                "all rules that fire",
                size,
                lambda f=firing, X=X: f.covers(X),
                lambda f=firing, X=X: f._covers_one_by_one(X),
                repeat,
            ),
        ]
    return found
