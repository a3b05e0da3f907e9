"""Explicit features of kernels against scikit-learn; kernels of texts against tables of counts and their products."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import kernel_approximation as peers
from sklearn.feature_extraction.text import CountVectorizer

from assay import kernels
from benchmarks.harness import Race

SEED = {"random_state": 0}


def races() -> list[Race]:
    X, wide = np.random.default_rng(0).random((20_000, 20)), np.random.default_rng(1).random((5_000, 50))
    sparse = sp.random(20_000, 500, 0.02, format="csr", random_state=0)
    return [
        mapped("RBFSampler", "20000 x 20", X, **SEED),
        mapped("RBFSampler", "5000 x 50, 300 columns", wide, gamma="scale", n_components=300, **SEED),
        mapped("RBFSampler", "20000 x 500 sparse", sparse, **SEED),
        mapped("SkewedChi2Sampler", "20000 x 20", X, **SEED),
        mapped("AdditiveChi2Sampler", "20000 x 20", X),
        mapped("PolynomialCountSketch", "20000 x 20", X, **SEED),
        mapped("PolynomialCountSketch", "20000 x 500 sparse", sparse, **SEED),
        mapped("Nystroem", "20000 x 20", X, **SEED),
        mapped("Nystroem", "5000 x 50, 500 columns", wide, n_components=500, **SEED),
        fitted("Nystroem", "5000 x 50, 500 columns", wide, n_components=500, **SEED),
        *of_strings(),
    ]


def mapped(name: str, size: str, X: Any, **settings: Any) -> Race:
    """Features of all rows by a map that is there already."""
    ours, peer = (getattr(room, name)(**settings).fit(X) for room in (kernels, peers))
    return Race(f"{name} transform", size, lambda: ours.transform(X), lambda: peer.transform(X))


def fitted(name: str, size: str, X: Any, **settings: Any) -> Race:
    ours, peer = (getattr(room, name)(**settings) for room in (kernels, peers))
    return Race(f"{name} fit", size, lambda: ours.fit(X), lambda: peer.fit(X))


def of_strings() -> list[Race]:
    """The peer makes a sparse table of counts, then the product of the table with itself."""
    random = np.random.default_rng(0)
    strings = ["".join(random.choice(list("acgt"), 100)) for _ in range(2_000)]
    documents = [" ".join(random.choice(3_000, 80).astype(str)) for _ in range(2_000)]

    def counted(rows: list[str], **settings: Any) -> np.ndarray:
        Z = CountVectorizer(**settings).fit_transform(rows)
        return (Z @ Z.T).toarray()

    grams = {"analyzer": "char", "ngram_range": (4, 4), "lowercase": False}
    return [
        Race(
            "Spectrum(4)",
            "2000 of 100",
            lambda: kernels.Spectrum(4)(strings),
            lambda: counted(strings, **grams),
        ),
        Race(
            "BagOfWords, counts",
            "2000 of 80 words",
            lambda: kernels.BagOfWords("counts")(documents),
            lambda: counted(documents),
        ),
    ]
