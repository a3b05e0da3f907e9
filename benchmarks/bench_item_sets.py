"""Frequent item sets against mlxtend."""

from __future__ import annotations

import numpy as np
import pandas as pd

from assay.associations import Baskets, frequent_sets
from benchmarks.harness import Race, growth

try:
    from mlxtend import frequent_patterns as peers
except ImportError:
    peers = None


def shopping(n: int, d: int = 1000, per_basket: int = 5, patterns: int = 400, seed: int = 0) -> Baskets:
    """Baskets after the Quest generator: each is made of a few patterns, some of whose items are left out."""
    rng = np.random.default_rng(seed)
    liked = rng.dirichlet(np.full(d, 0.5))
    pattern = [rng.choice(d, 1 + rng.poisson(3), replace=False, p=liked) for _ in range(patterns)]
    drawn = rng.choice(patterns, n * per_basket, p=rng.dirichlet(np.ones(patterns)))
    sizes = np.array([len(p) for p in pattern])[drawn]
    owner = np.repeat(np.repeat(np.arange(n), per_basket), sizes)
    kept = rng.random(len(owner)) < np.repeat(np.clip(rng.normal(0.75, 0.1, len(drawn)), 0, 1), sizes)
    return _baskets(owner[kept], np.concatenate([pattern[k] for k in drawn])[kept], n, d)


def retail(n: int, d: int = 3000, seed: int = 0) -> Baskets:
    """Independent items, the k-th as popular as 1 / k; a few large baskets among many small ones."""
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1.0, d + 1)
    sizes = rng.geometric(0.1, n)
    return _baskets(
        np.repeat(np.arange(n), sizes), rng.choice(d, sizes.sum(), p=popular / popular.sum()), n, d
    )


def attributes(n: int, columns: int = 22, seed: int = 0) -> Baskets:
    """A nominal table, as mushrooms are described: each column has a few values, which go by six hidden kinds."""
    rng = np.random.default_rng(seed)
    kind, owner, codes, d = rng.integers(0, 6, n), [], [], 0
    for _ in range(columns):
        k = int(rng.integers(2, 9))
        chances = rng.dirichlet(np.full(k, 0.3), 6).cumsum(axis=1)
        codes.append(d + np.minimum((rng.random(n)[:, None] > chances[kind]).sum(axis=1), k - 1))
        owner.append(np.arange(n))
        d += k
    return _baskets(np.concatenate(owner), np.concatenate(codes), n, d)


def races() -> list[Race]:
    if peers is None:
        print("mlxtend is not installed: no race of item sets.")
        return []
    small, many = Baskets.from_lists([["a", "b"], ["b", "c"], ["a", "b", "c"], ["c"]] * 5), shopping(100_000)
    jobs = [
        ("20 baskets", small, 0.2, 50),
        ("1000 baskets, 22 attributes", attributes(1000), 0.2, 5),
        ("100000 baskets, 1000 items, 2 %", many, 0.02, 1),
        ("100000 baskets, 1000 items, 1 %", many, 0.01, 1),
        ("100000 baskets, 3000 items, 1 %", retail(100_000), 0.01, 1),
        ("100000 baskets, 22 attributes, 20 %", attributes(100_000), 0.2, 1),
    ]
    found = []
    for size, baskets, support, repeat in jobs:
        found.append(_race("fpgrowth", peers.fpgrowth, size, baskets, support, repeat))
        if repeat == 1:
            found.append(_race("fpmax", peers.fpmax, size, baskets, support, 1, kind="maximal"))
        if len(baskets.items) < 1000 or support >= 0.02:  # below, the peer takes all memory, or minutes
            found.append(_race("apriori", _apriori, size, baskets, support, repeat))
            found.append(
                _race("apriori, ours too", _apriori, size, baskets, support, repeat, method="apriori")
            )
    return found


def _apriori(flags: pd.DataFrame, support: float) -> pd.DataFrame:
    return peers.apriori(flags, support, low_memory=flags.shape[1] >= 1000)


def growths() -> list[str]:
    made = {n: shopping(n) for n in (25_000, 100_000, 400_000)}
    in_n = growth(lambda n: lambda: frequent_sets(made[n], 0.005), list(made))
    return [f"Frequent sets at a fixed share: seconds grow as n^{in_n:.2f} with the number of baskets"]


def _race(name, peer, size, baskets, support, repeat, **settings):
    flags = pd.DataFrame(baskets.to_sparse().toarray().astype(bool), columns=[str(i) for i in baskets.items])
    return Race(
        f"frequent_sets and {name}",
        size,
        lambda: frequent_sets(baskets, support, **settings),
        lambda: peer(flags, support),
        repeat,
    )


def _baskets(owner: np.ndarray, codes: np.ndarray, n: int, d: int) -> Baskets:
    pairs = np.unique(owner * d + codes)
    indptr = np.searchsorted(pairs, np.arange(n + 1) * d)
    return Baskets(indptr, (pairs % d).astype(np.int32), tuple(f"item {j}" for j in range(d)))
