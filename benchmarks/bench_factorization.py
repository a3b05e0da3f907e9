"""Factorisations against scikit-learn: truncated singular value decomposition of sparse tables, nonnegative parts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.feature_extraction.text import TfidfTransformer

from assay.reduce import NMF, TruncatedSVD, make_documents
from benchmarks.harness import Race


def races() -> list[Race]:
    warnings.simplefilter("ignore")
    counts = make_documents(
        2_000, 30, 5_000, length=150, doc_topic_prior=0.1, topic_word_prior=0.02, random_state=0
    ).counts
    words = sp.csr_matrix(TfidfTransformer().fit_transform(counts))
    rng = np.random.default_rng(0)
    dense = np.maximum(
        rng.gamma(1, 1, (4000, 20)) @ rng.gamma(0.3, 1, (20, 400)) + rng.normal(0, 0.5, (4000, 400)), 0
    )
    return [
        *(svd(words, k, "randomized") for k in (20, 100)),
        svd(words, 20, "arpack"),
        parts("NMF, dense", "4000 x 400, k = 20", dense, 20),
        parts("NMF, sparse", "2000 x 5000, k = 20", words, 20),
    ]


def svd(X: Any, k: int, algorithm: str) -> Race:
    settings = {"n_components": k, "algorithm": algorithm, "random_state": 0}
    return Race(
        f"TruncatedSVD, {algorithm}, k = {k}",
        "2000 x 5000 sparse",
        lambda: TruncatedSVD(**settings).fit(X),
        lambda: decomposition.TruncatedSVD(**settings).fit(X),
    )


def parts(name: str, size: str, X: Any, k: int) -> Race:
    return Race(
        name,
        size,
        lambda: NMF(k, random_state=0).fit(X),
        lambda: decomposition.NMF(k, random_state=0).fit(X),
    )


def growths() -> list[str]:
    """Why some ratios are what they are."""
    return [
        "TruncatedSVD, randomized: five and a half products with the table, half a product fewer than the "
        "peer, whose answer is less exact (of the squares that 100 components can hold they miss 0.4 %, the "
        "peer's 1.2 %); one thread, on a busy machine, so that CPU time is the figure to go by",
        "TruncatedSVD, arpack: the steps are SciPy's, as in the peer, and take nine tenths of the time or "
        "more, at 100 components too, so that the ratio stays near 1",
        "NMF, sparse: 191 steps where the peer takes 198, to the same error; nearly half of the time are "
        "products of the sparse table with a factor, which the peer has too, and nearly half are sweeps "
        "over the rows of a factor, several for each product",
    ]
