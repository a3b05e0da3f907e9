"""Searches for subsets of columns around a learner: without refitting, against scikit-learn's and mlxtend's."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import make_classification, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as PeerQDA
from sklearn.feature_selection import SequentialFeatureSelector as PeerSelector
from sklearn.linear_model import LinearRegression as PeerLinearRegression
from sklearn.linear_model import LogisticRegression as PeerLogisticRegression
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.naive_bayes import GaussianNB as PeerGaussianNB
from sklearn.neighbors import KNeighborsClassifier as PeerKNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler as PeerStandardScaler

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.neighbors import KNeighborsClassifier
from assay.prepare import StandardScaler
from assay.select import SequentialFeatureSelector, SubsetSelector
from benchmarks.harness import Race

ROWS, COLUMNS, FOLDS = 2000, 50, 5


def races() -> list[Race]:
    X, y = make_classification(ROWS, COLUMNS, n_informative=15, n_redundant=0, class_sep=0.7, random_state=0)
    numbers = make_regression(ROWS, COLUMNS, n_informative=20, noise=50.0, random_state=0)

    def search(ours: Any, peer: Any, k: int, direction: str = "forward", data: Any = (X, y)) -> Race:
        settings = {"n_features_to_select": k, "direction": direction, "cv": FOLDS}
        return Race(
            f"{direction} around {type(ours).__name__}",
            f"{k} of {COLUMNS}, {ROWS} rows, {FOLDS} folds",
            lambda: SequentialFeatureSelector(ours, **settings).fit(*data),
            lambda: PeerSelector(peer, **settings).fit(*data),
        )

    return [
        search(GaussianNB(), PeerGaussianNB(), 20),
        search(LinearDiscriminantAnalysis(), PeerLDA(), 20),
        search(QuadraticDiscriminantAnalysis(), PeerQDA(), 20),
        search(LinearRegression(), PeerLinearRegression(), 20, data=numbers),
        search(Ridge(), PeerRidge(), 20, data=numbers),
        search(LogisticRegression(), PeerLogisticRegression(), 20),
        search(KNeighborsClassifier(), PeerKNeighborsClassifier(), 5),
        search(GaussianNB(), PeerGaussianNB(), 40, "backward"),
        search(LinearDiscriminantAnalysis(), PeerLDA(), 40, "backward"),
        search(LinearRegression(), PeerLinearRegression(), 40, "backward", data=numbers),
        search(LogisticRegression(), PeerLogisticRegression(), 45, "backward"),
        search(KNeighborsClassifier(), PeerKNeighborsClassifier(), 47, "backward"),
        scaled(KNeighborsClassifier(), PeerKNeighborsClassifier(), 5, X, y),
        scaled(LogisticRegression(), PeerLogisticRegression(), 5, X, y),
        *floating(X, y),
    ]


def scaled(ours: Any, peer: Any, k: int, X: Any, y: Any) -> Race:
    """The same behind a scaler, in a pipeline."""
    settings = {"n_features_to_select": k, "cv": FOLDS}
    return Race(
        f"forward around StandardScaler and {type(ours).__name__}",
        f"{k} of {COLUMNS}, {ROWS} rows, {FOLDS} folds",
        lambda: SequentialFeatureSelector(make_pipeline(StandardScaler(), ours), **settings).fit(X, y),
        lambda: PeerSelector(make_pipeline(PeerStandardScaler(), peer), **settings).fit(X, y),
    )


def floating(X: Any, y: Any, k: int = 20) -> list[Race]:
    """Floating search around naive Bayes; nothing if mlxtend is not installed."""
    try:
        from mlxtend.feature_selection import SequentialFeatureSelector as Floating
    except ImportError:
        return []

    def ours() -> Any:
        return SubsetSelector(GaussianNB(), search="floating", stop=k, cv=FOLDS).fit(X, y)

    def peer() -> Any:
        return Floating(PeerGaussianNB(), k, floating=True, scoring="accuracy", cv=FOLDS).fit(X, y)

    return [Race("floating around GaussianNB", f"{k} of {COLUMNS}, {ROWS} rows, {FOLDS} folds", ours, peer)]


def growths() -> list[str]:
    """Why some ratios are what they are."""
    return [
        "forward around KNeighborsClassifier: for each test row and candidate 84 of 1600 training rows "
        "must be looked at beside one column, 18 beside four, those near by the columns already chosen; "
        "the sums of naive Bayes and Gaussians need no look at any row",
    ]
