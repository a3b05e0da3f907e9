"""Vectorizers against scikit-learn's, on documents drawn by Zipf's law: the same dictionary and the same counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.feature_extraction.text as peer

import assay.text as ours
from benchmarks.harness import Race


def documents(n: int, length: int = 200, words: int = 30_000) -> list[str]:
    """Texts of words "w17" of frequencies 1 / rank."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, words + 1)
    names = np.array([f"w{i}x" for i in range(words)], dtype=object)
    drawn = rng.choice(words, size=(n, length), p=share / share.sum())
    return [" ".join(row) for row in names[drawn]]


def races() -> list[Race]:
    texts = documents(3000)
    return [
        race(texts, "CountVectorizer"),
        race(texts, "CountVectorizer", ngram_range=(1, 2)),
        race(texts, "CountVectorizer", stop_words="english"),
        race(texts[:500], "CountVectorizer", analyzer="char_wb", ngram_range=(3, 4)),
        race(texts, "TfidfVectorizer"),
        race(texts, "HashingVectorizer"),
        transforming(texts),
    ]


def race(texts: list[str], name: str, **settings: Any) -> Race:
    return Race(
        f"{name} {settings or ''}".strip(),
        f"{len(texts)} texts",
        lambda: getattr(ours, name)(**settings).fit_transform(texts),
        lambda: getattr(peer, name)(**settings).fit_transform(texts),
    )


def transforming(texts: list[str]) -> Race:
    a, b = ours.CountVectorizer().fit(texts), peer.CountVectorizer().fit(texts)
    return Race(
        "CountVectorizer, transform",
        f"{len(texts)} texts",
        lambda: a.transform(texts),
        lambda: b.transform(texts),
    )
