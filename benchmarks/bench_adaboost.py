"""AdaBoost, exact gradient boosting and the contributions of columns, against scikit-learn and LightGBM."""

from __future__ import annotations

import lightgbm
import numpy as np
from sklearn import ensemble as peers
from sklearn.datasets import load_digits, load_iris

from assay import ensembles
from assay.trees import Tree
from assay.trees.shap import contributions
from benchmarks.harness import Race, growth

SIZES = [(2_000, 20), (20_000, 20)]


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that stumps alone cannot add up to."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + rng.normal(size=n)


def races() -> list[Race]:
    found = []
    for name in ("AdaBoostClassifier", "GradientBoostingClassifier"):
        found += both(name, "iris", *load_iris(return_X_y=True), repeat=3, n_estimators=20)
        for n, d in SIZES:
            X, y = rows(n, d)
            found += both(name, f"{n} x {d}, 20 rounds", X, (y > 0).astype(int), n_estimators=20)
        found += both(name, "digits, 10 rounds", *load_digits(return_X_y=True), n_estimators=10)
    for name in ("AdaBoostRegressor", "GradientBoostingRegressor"):
        for n, d in SIZES:
            found += both(name, f"{n} x {d}, 20 rounds", *rows(n, d), n_estimators=20)
    return found + [explaining(leaves, n) for leaves, n in ((31, 2_000), (255, 500))]


def both(name: str, size: str, X: np.ndarray, y: np.ndarray, repeat: int = 1, **settings: int) -> list[Race]:
    def ours():
        return getattr(ensembles, name)(random_state=0, **settings)

    def peer():
        return getattr(peers, name)(random_state=0, **settings)

    mine, other = ours().fit(X, y), peer().fit(X, y)
    return [
        Race(f"{name} fit", size, lambda: ours().fit(X, y), lambda: peer().fit(X, y), repeat),
        Race(f"{name} predict", size, lambda: mine.predict(X), lambda: other.predict(X), 5 * repeat),
    ]


def explaining(leaves: int, n: int) -> Race:
    """The same 50 trees, grown by LightGBM."""
    X, y = rows(20_000, 20)
    settings = {"num_leaves": leaves, "verbose": -1}
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), 50)
    trees = [Tree.of(plain(t["tree_structure"]), [0] * 20) for t in booster.dump_model()["tree_info"]]
    return Race(
        "contributions of columns",
        f"{n} rows, 50 trees of {leaves} leaves",
        lambda: contributions(trees, X[:n]),
        lambda: booster.predict(X[:n], pred_contrib=True),
    )


def plain(node: dict) -> dict:
    """A node of LightGBM's dump as nested plain data."""
    if "leaf_value" in node:
        return {"value": node["leaf_value"], "n": node["leaf_count"]}
    children = [plain(node["left_child"]), plain(node["right_child"])]
    return {
        "feature": node["split_feature"],
        "threshold": node["threshold"],
        "missing": 0,
        "children": children,
    }


def growths() -> list[str]:
    def fit(n: int, d: int, **settings: int):
        X, y = rows(n, d)
        return lambda: ensembles.GradientBoostingRegressor(**{"n_estimators": 10, **settings}).fit(X, y)

    in_n = growth(lambda n: fit(n, 20), [5_000, 20_000, 80_000])
    in_d = growth(lambda d: fit(10_000, d), [8, 32, 128])
    in_rounds = growth(lambda t: fit(5_000, 10, n_estimators=t), [10, 40, 160])
    return [
        f"GradientBoostingRegressor: seconds to fit grow as n^{in_n:.2f}, d^{in_d:.2f} and rounds^{in_rounds:.2f}"
    ]
