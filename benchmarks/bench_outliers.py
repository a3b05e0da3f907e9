"""Detectors of outliers and nearest centroids against scikit-learn."""

from __future__ import annotations

import numpy as np

from assay.neighbors import NearestCentroid
from assay.outliers import GaussianOutliers, IsolationForest, LocalOutlierFactor
from benchmarks.harness import Race, growth


def cloud(n: int, d: int) -> np.ndarray:
    """One wide group, one narrow group, and a hundredth of the rows far from both."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    X[: n // 3] = 0.2 * X[: n // 3] + 4
    X[-n // 100 :] *= 6
    return X


def races() -> list[Race]:
    from sklearn.covariance import EllipticEnvelope
    from sklearn.ensemble import IsolationForest as PeerForest
    from sklearn.neighbors import LocalOutlierFactor as PeerFactor
    from sklearn.neighbors import NearestCentroid as PeerCentroid

    found = []
    for n, d in ((50_000, 10), (20_000, 3), (5_000, 50)):
        X = cloud(n, d)
        found.append(
            Race(
                "LocalOutlierFactor",
                f"{n} x {d}",
                lambda X=X: LocalOutlierFactor().fit(X),
                lambda X=X: PeerFactor().fit(X),
            )
        )
    for n, d in ((100_000, 10), (5_000, 100)):
        X = cloud(n, d)
        ours, peer = IsolationForest(random_state=0).fit(X), PeerForest(random_state=0).fit(X)
        found += [
            Race(
                "IsolationForest fit",
                f"{n} x {d}",
                lambda X=X: IsolationForest(random_state=0).fit(X),
                lambda X=X: PeerForest(random_state=0).fit(X),
            ),
            Race(
                "IsolationForest score",
                f"{n} x {d}",
                lambda X=X, m=ours: m.score_samples(X),
                lambda X=X, m=peer: m.score_samples(X),
            ),
        ]
    X = cloud(5_000, 8)
    found.append(
        Race(
            "GaussianOutliers",
            "5000 x 8",
            lambda: GaussianOutliers(random_state=0).fit(X),
            lambda: EllipticEnvelope(random_state=0).fit(X),
        )
    )
    Z, y = cloud(200_000, 20), np.arange(200_000) % 10
    ours, peer = NearestCentroid().fit(Z, y), PeerCentroid().fit(Z, y)
    found += [
        Race(
            "NearestCentroid fit",
            "200000 x 20",
            lambda: NearestCentroid().fit(Z, y),
            lambda: PeerCentroid().fit(Z, y),
        ),
        Race("NearestCentroid predict", "200000 x 20", lambda: ours.predict(Z), lambda: peer.predict(Z)),
    ]
    return found


def growths() -> list[str]:
    factor = growth(
        lambda n: (lambda X: lambda: LocalOutlierFactor().fit(X))(cloud(n, 5)), [4_000, 16_000, 64_000]
    )
    forest = growth(
        lambda d: (lambda X: lambda: IsolationForest(random_state=0).fit(X))(cloud(2_000, d)), [8, 32, 128]
    )
    return [
        f"LocalOutlierFactor: seconds to fit grow as n^{factor:.2f} (5 columns)",
        f"IsolationForest: seconds to fit grow as d^{forest:.2f} (2000 rows)",
    ]
