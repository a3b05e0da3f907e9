"""Topic models against scikit-learn (variational Bayes) and tomotopy (Gibbs sampling), where that is installed.

Both sides of variational Bayes begin at the same random numbers and do the same updates, so that their bounds agree; of
sampling both sides do the same number of sweeps over the same tokens, on one thread, documents read beforehand.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation as Peer

from assay.reduce import LatentDirichletAllocation, make_documents
from assay.reduce.topics.assignments import TopicAssignments
from assay.reduce.topics.hierarchical_dirichlet_process import FranchiseSampler
from benchmarks.harness import Race

try:
    import tomotopy
except ImportError:  # the races of sampling are left out
    tomotopy = None

SWEEPS = 20


def races() -> list[Race]:
    X = make_documents(
        2_000, 20, 5_000, length=150, doc_topic_prior=0.1, topic_word_prior=0.02, random_state=0
    ).counts
    model, peer = (
        made(n_components=20, max_iter=2, random_state=0).fit(X) for made in (LatentDirichletAllocation, Peer)
    )
    return [
        *(variational(X, K, "batch") for K in (10, 20, 50, 100)),
        variational(X, 20, "online"),
        Race("LDA transform, K = 20", "2000 x 5000", lambda: model.transform(X), lambda: peer.transform(X)),
        *(sampling(X, K) for K in (10, 20, 50, 100, 200) if tomotopy),
        *([franchise(X)] if tomotopy else []),
    ]


def variational(X: Any, K: int, method: str) -> Race:
    settings = {"n_components": K, "learning_method": method, "max_iter": 3, "random_state": 0}
    return Race(
        f"LDA, {method} variational Bayes, K = {K}",
        "300k tokens, 3 iterations",
        lambda: LatentDirichletAllocation(**settings).fit(X),
        lambda: Peer(**settings).fit(X),
    )


def documents(X: Any) -> list[list[str]]:
    """The tokens of each document as words."""
    return [
        np.repeat(X.indices[a:b], X.data[a:b].astype(int)).astype(str).tolist()
        for a, b in zip(X.indptr, X.indptr[1:])
    ]


def sampling(X: Any, K: int) -> Race:
    state = TopicAssignments(X, np.full(K, 0.1), 0.01, random_state=np.random.default_rng(0))
    peer = tomotopy.LDAModel(k=K, alpha=0.1, eta=0.01, seed=1)
    return race_of(f"LDA, Gibbs sampling, K = {K}", X, state.sweep, peer)


def franchise(X: Any) -> Race:
    sampler = FranchiseSampler(X[:400], 0.1, None, None, np.random.default_rng(0))
    peer = tomotopy.HDPModel(eta=0.1, seed=1)

    def sweep(times: int) -> None:
        for _ in range(times):
            sampler.sweep()

    return race_of("HDP, Gibbs sampling", X[:400], sweep, peer)


def race_of(name: str, X: Any, sweep: Any, peer: Any) -> Race:
    for document in documents(X):
        peer.add_doc(document)

    def train(times: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer.train(times, workers=1)

    sweep(SWEEPS)  # past the first sweeps, in which most tokens move
    train(SWEEPS)
    tokens = f"{int(X.sum()) // 1000}k tokens, {SWEEPS} sweeps"
    return Race(name, tokens, lambda: sweep(SWEEPS), lambda: train(SWEEPS))
