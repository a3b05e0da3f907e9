"""Scalers and imputers against scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn import impute, preprocessing

from assay import prepare
from benchmarks.harness import Race, growth

SIZES = [(150, 4), (20_000, 4), (100_000, 30), (1_000_000, 10)]

PAIRS = {
    "StandardScaler": (prepare.StandardScaler, preprocessing.StandardScaler),
    "MinMaxScaler": (prepare.MinMaxScaler, preprocessing.MinMaxScaler),
    "SimpleImputer (mean)": (prepare.SimpleImputer, impute.SimpleImputer),
    "SimpleImputer (median)": (
        lambda: prepare.SimpleImputer(strategy="median"),
        lambda: impute.SimpleImputer(strategy="median"),
    ),
    "SimpleImputer (mode)": (
        lambda: prepare.SimpleImputer(strategy="most_frequent"),
        lambda: impute.SimpleImputer(strategy="most_frequent"),
    ),
}


def rows(n: int, d: int, with_missing: float) -> np.ndarray:
    """Numbers with one decimal, a share of them missing."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(5, 2, size=(n, d)).round(1)
    X[rng.random((n, d)) < with_missing] = np.nan
    return X


def races() -> list[Race]:
    found = []
    for n, d in SIZES:
        for with_missing in (0.0, 0.1):
            X = rows(n, d, with_missing)
            for name, pair in PAIRS.items():
                if with_missing or "Scaler" in name:
                    size = f"{n} x {d}" + (", 10 % missing" if with_missing else "")
                    found += both(name, size, X, pair, repeat=50 if n < 1000 else 1)
    return found


def both(name, size, X, pair, repeat):
    ours, peer = pair[0]().fit(X), pair[1]().fit(X)
    return [
        Race(f"{name} fit", size, lambda: pair[0]().fit(X), lambda: pair[1]().fit(X), repeat),
        Race(f"{name} transform", size, lambda: ours.transform(X), lambda: peer.transform(X), repeat),
    ]


def growths() -> list[str]:
    notes = []
    for name, (ours, _) in PAIRS.items():
        in_n = growth(lambda n, make=ours: fit_of(make, rows(n, 20, 0.1)), [20_000, 80_000, 320_000])
        in_d = growth(lambda d, make=ours: fit_of(make, rows(50_000, d, 0.1)), [16, 64, 256])
        notes.append(f"{name}: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}")
    return notes


def fit_of(make, X):
    return lambda: make().fit(X)
