"""A library of models: committees of it are those that are fitted from scratch on the same folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.bayes import GaussianNB
from assay.ensembles import StackingClassifier, StackingRegressor, VotingClassifier
from assay.errors import DataError, ParameterError
from assay.evaluate import compare
from assay.linear import LogisticRegression, Ridge
from assay.select import EnsembleSelectionClassifier, ModelLibrary
from assay.select.members.model_library import LibraryAnswer, SharedLibrary
from assay.svm import LinearSVC
from assay.tables.data import load_diabetes, load_wine
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = load_wine()
MEMBERS = {
    "bayes": GaussianNB(),
    "line": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}


def folds(design, y, n):
    from assay.evaluate import Resampling

    codes = np.zeros(n, dtype=int) if y is None else np.unique(y, return_inverse=True)[1]
    return [(s.train, s.test) for s in Resampling.of(design).splits(codes, 0)]


@pytest.mark.parametrize(
    ("method", "make"),
    [
        ("selection", lambda m, cv: EnsembleSelectionClassifier(m, cv=cv)),
        ("stacking", lambda m, cv: StackingClassifier(m, cv=cv)),
        ("voting", lambda m, cv: VotingClassifier(m, voting="soft", weights="simplex", cv=cv)),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_committees_are_those_fitted_from_scratch(method, make, weighted):
    w = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float) if weighted else None
    library = ModelLibrary(MEMBERS, inner="3-fold").fit(X, Y, w)
    ours = library.committee(method)
    scratch = make(list(MEMBERS.items()), folds("3-fold", Y, len(Y))).fit(X, Y, w)
    assert_allclose(ours.predict_proba(X), scratch.predict_proba(X), rtol=1e-12, atol=1e-15)


def test_numbers():
    X, y = load_diabetes()
    members = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}
    library = ModelLibrary(members, "regression", "3-fold").fit(X, y)
    scratch = StackingRegressor(list(members.items()), cv=folds("3-fold", None, len(y))).fit(X, y)
    assert_allclose(library.committee("stacking").predict(X), scratch.predict(X), rtol=1e-12)
    assert library.best == min(library.single, key=library.single.get)
    assert library.committee("best member").score(X, y) > 0.3


def test_members_that_fail_are_left_out_with_the_reason():
    library = ModelLibrary({**MEMBERS, "machine": LinearSVC(), "wrong": LogisticRegression(C=-1.0)}).fit(X, Y)
    assert library.names == list(MEMBERS)
    assert library.failures["machine"] == "it gives no probabilities. Calibrate it: CalibratedClassifierCV."
    assert "C must be" in library.failures["wrong"]
    with pytest.raises(DataError, match=r"no model could be fitted\. machine: it gives no probabilities"):
        ModelLibrary({"machine": LinearSVC()}).fit(X, Y)
    with pytest.raises(ParameterError, match="method must be one of"):
        library.committee("luck")
    with pytest.raises(ParameterError, match="metric must be the name of a measure of classification"):
        ModelLibrary(MEMBERS, metric="rmse")


def test_rows_of_a_group_are_answered_by_models_that_know_none_of_it():
    """Each group has one value and a class at chance: known rows would be answered by the tree without an error."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    Z, y = groups[:, None].astype(float), rng.integers(2, size=30)[groups]
    alone = ModelLibrary({"tree": DecisionTreeClassifier(random_state=0)}, metric="error")
    assert alone.fit(Z, y).single["tree"] < 0.05
    assert alone.fit(Z, y, groups=groups).single["tree"] > 0.2


def test_candidates_of_a_comparison_share_their_fits():
    class Counted(DecisionTreeClassifier):
        fits = 0

        def _learn(self, *rows):
            Counted.fits += 1
            return super()._learn(*rows)

    shared = SharedLibrary(
        ModelLibrary({"tree": Counted(max_depth=2), "line": LogisticRegression()}, inner="2-fold")
    )
    names = ("selection", "stacking", "voting", "best member")
    result = compare({name: LibraryAnswer(shared, name) for name in names}, X, Y, design="3-fold")
    assert not result.failures
    assert Counted.fits == 9  # for each of three training sets two folds and all of its rows


def test_inner_splits_that_do_not_fit_are_refused_in_the_name_of_the_library():
    X, y = load_wine().X, load_wine().y
    library = ModelLibrary({"bayes": GaussianNB()}, "classification", "3-fold")
    with pytest.raises(ParameterError, match=r"^ModelLibrary: times puts rows in order for a design by time"):
        library.fit(X, y, times=np.arange(len(y)))
