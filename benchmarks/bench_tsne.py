"""t-SNE against scikit-learn and scikit-learn-intelex (if it is installed): the same start, perplexity and iterations.

Both sides begin at the same principal components. ``python -m benchmarks.bench_tsne`` also prints the exact divergence
of both maps, by one function, with the probabilities of the neighbours that all of them use.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold

from assay.distances import searcher
from assay.reduce import PCA, TSNE, trustworthiness
from assay.reduce.embedding.neighbor_probabilities import joint_probabilities
from benchmarks.harness import Race


def groups(n: int, d: int = 50) -> np.ndarray:
    """Twenty normal groups."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(20, d))[rng.integers(0, 20, n)]


def start(X: np.ndarray, m: int = 2) -> np.ndarray:
    scores = PCA(m).fit(X).transform(X)
    return (scores / scores[:, 0].std() * 1e-4).astype(np.float32)


def races() -> list[Race]:
    from sklearn.manifold import trustworthiness as peer

    from assay.reduce import trustworthiness as ours

    X = groups(3000)
    Z = start(X)
    return [
        *(map_race(n, 2, sklearn.manifold.TSNE, "scikit-learn") for n in (200, 500, 1500, 10_000)),
        map_race(1500, 3, sklearn.manifold.TSNE, "scikit-learn"),
        *([map_race(n, 2, intelex(), "intelex") for n in (1500, 10_000)] if intelex() else []),
        Race("trustworthiness", "3000 x 50", lambda: ours(X, Z), lambda: peer(X, Z)),
    ]


def map_race(n: int, m: int, peer: Any, name: str) -> Race:
    X = groups(n)
    settings: dict[str, Any] = {"n_components": m, "init": start(X, m), "perplexity": min(30, n / 4)}
    return Race(
        f"t-SNE, {m} columns, against {name}",
        f"{n} x 50",
        lambda: TSNE(**settings).fit(X),
        lambda: peer(**settings).fit(X),
    )


def intelex() -> Any:
    try:
        from sklearnex.manifold import TSNE as peer
    except ImportError:
        return None
    return peer


def exact_divergence(P: Any, Z: Any) -> float:
    """KL(P || Q) of a map, all pairs summed."""
    Z = np.asarray(Z, dtype=np.float64)
    total = 0.0
    for first in range(0, len(Z), 500):
        total += (1 / (1 + ((Z[first : first + 500, None] - Z) ** 2).sum(axis=2))).sum()
    pairs = P.tocoo()
    weights = 1 / (1 + ((Z[pairs.row] - Z[pairs.col]) ** 2).sum(axis=1))
    return float((pairs.data * np.log(pairs.data * (total - len(Z)) / weights)).sum())


def main() -> None:
    for n in (200, 500, 1500, 10_000):
        X = groups(n)
        P = joint_probabilities(searcher(X), min(30, n / 4), min(n - 1, int(3 * min(30, n / 4) + 1)), "bench")
        for peer in (TSNE, sklearn.manifold.TSNE, intelex()):
            if peer is not None:
                Z = peer(init=start(X), perplexity=min(30, n / 4)).fit_transform(X)
                print(
                    f"{n:6} {peer.__module__:32} KL {exact_divergence(P, Z):.4f}  "
                    f"trustworthiness {trustworthiness(X, Z):.4f}"
                )


if __name__ == "__main__":
    main()
