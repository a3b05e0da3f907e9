import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import ensemble as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_multilabel_classification
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline

from assay import load, save
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles import StackingClassifier, StackingRegressor
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.neighbors import KNeighborsClassifier
from assay.reduce import PCA
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

# Oracle: out-of-fold answers of three regressors for the targets 1 to 5.
Z = np.array([[1, 1.4, 0.5], [2, 1.8, 2.6], [3.2, 2.9, 2.2], [3.9, 4.3, 4.8], [5.1, 4.6, 5.9]])
R = np.arange(1.0, 6.0)


def classifiers():
    return [
        ("bayes", GaussianNB()),
        ("lda", LinearDiscriminantAnalysis()),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


class Column(Ridge):
    """Answers with one column of X, whatever it was fitted to."""

    def __init__(self, column=0):
        super().__init__()
        self.column = column

    def predict(self, X):
        return np.asarray(X)[:, self.column]


@pytest.mark.capability("IML-17-14")
def test_combiners_of_the_worked_example():
    errors = ((Z - R[:, None]) ** 2).mean(axis=0)
    assert_allclose(errors, [0.012, 0.092, 0.54], rtol=1e-12)
    assert_allclose(np.mean((Z.mean(axis=1) - R) ** 2), 0.04488889, atol=5e-9)
    columns = [(f"m{j}", Column(j)) for j in range(3)]
    model = StackingRegressor(columns, LinearRegression(), cv=KFold(5)).fit(Z, R)
    final = model.final_estimator_
    assert_allclose(
        [final.intercept_, *final.coef_], [0.00595679, 0.70711922, 0.17412899, 0.10062932], atol=5e-9
    )
    assert_allclose(np.mean((model.predict(Z) - R) ** 2), 3.33547e-5, rtol=1e-5)
    for positive in (False, True):
        plain = LinearRegression(fit_intercept=False, positive=positive)
        model = StackingRegressor(columns, plain, cv=KFold(5)).fit(Z, R)
        assert_allclose(model.final_estimator_.coef_, [0.70709702, 0.17745496, 0.09917518], atol=5e-9)
        assert_allclose(np.mean((model.predict(Z) - R) ** 2), 3.75221e-5, rtol=1e-5)


@pytest.mark.capability("IML-17-14")
def test_a_member_that_remembers_its_rows_does_not_get_all_the_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + rng.normal(0, 1.0, 300)
    members = [("line", Ridge()), ("memory", DecisionTreeRegressor(random_state=0))]
    weights = StackingRegressor(members, LinearRegression()).fit(X, y).final_estimator_.coef_
    assert weights[0] > 0.7 and abs(weights[1]) < 0.3
    leaky = LinearRegression().fit(np.column_stack([m.fit(X, y).predict(X) for _, m in members]), y)
    assert leaky.coef_[1] > 0.99  # what the folds are for


@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("data", [load_iris, load_breast_cancer])
def test_same_as_scikit_learn(data, passthrough):
    X, y = data(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    final = LogisticRegression(tol=1e-10, max_iter=2000)
    ours = StackingClassifier(classifiers(), final, cv=cv, passthrough=passthrough).fit(X, y)
    theirs = peer.StackingClassifier(classifiers(), final, cv=cv, passthrough=passthrough).fit(X, y)
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert ours.stack_method_ == theirs.stack_method_


def test_same_numbers_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    members = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3, random_state=0))]
    ours = StackingRegressor(members, Ridge(1.0), cv=KFold(5)).fit(X, y)
    theirs = peer.StackingRegressor(members, Ridge(1.0), cv=KFold(5)).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


def test_rows_that_a_split_by_time_leaves_without_an_answer_are_not_invented():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(0, 0.1, 120)
    seen = []

    class Watched(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append((np.asarray(X).copy(), np.asarray(y).copy()))
            return super().fit(X, y, sample_weight)

    split = TimeSeriesSplit(5)
    StackingRegressor([("ridge", Ridge())], Watched(), cv=split).fit(X, y)
    tested = np.concatenate([test for _, test in split.split(X)])
    rows, targets = seen[-1]
    assert_array_equal(targets, y[tested])
    for train, test in split.split(X):
        answers = Ridge().fit(X[train], y[train]).predict(X[test])
        place = np.searchsorted(tested, test)
        assert_allclose(rows[place, 0], answers, rtol=1e-9)


def test_groups_reach_the_splitter():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(len(y)) % 7
    model = StackingClassifier(classifiers()[:2], cv=GroupKFold(3)).fit(X, y, groups=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    same = StackingClassifier(classifiers()[:2], cv=folds).fit(X, y)
    assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    with pytest.raises((ValueError, DataError), match="groups"):
        StackingClassifier(classifiers()[:2], cv=GroupKFold(3)).fit(X, y)


@pytest.mark.capability("IML-17-16")
def test_eigenclassifiers_of_the_worked_example():
    outputs = np.array([[0.9, 0.8, 0.2], [0.8, 0.9, 0.3], [0.2, 0.1, 0.6], [0.1, 0.2, 0.9], [0.6, 0.7, 0.5]])
    components = PCA().fit(outputs)
    assert_allclose(components.explained_variance_, [0.31721883, 0.01707981, 0.00070136], atol=5e-9)
    assert_allclose(components.explained_variance_ratio_, [0.94692189, 0.05098449, 0.00209362], atol=5e-9)
    decorrelated = np.cov(components.transform(outputs).T)
    assert_allclose(decorrelated, np.diag(components.explained_variance_), atol=1e-15)


@pytest.mark.capability("IML-17-16")
def test_decorrelated_outputs_and_a_tree_as_combiners():
    X, y = load_breast_cancer(return_X_y=True)
    members = [*classifiers(), ("near", KNeighborsClassifier(5))]
    eigen = StackingClassifier(members, make_pipeline(PCA(0.95), LogisticRegression())).fit(X[::2], y[::2])
    kept = eigen.final_estimator_[0]
    assert 1 <= kept.n_components_ < len(members)
    assert eigen.score(X[1::2], y[1::2]) > 0.9
    tree = StackingClassifier(members, DecisionTreeClassifier(max_depth=2, random_state=0)).fit(
        X[::2], y[::2]
    )
    assert tree.score(X[1::2], y[1::2]) > 0.9
    used = tree.final_estimator_.feature_importances_ > 0
    assert 0 < used.sum() < len(members)  # it selects as it combines


def test_raw_tables_pass_through_and_layers_nest(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(list("abc"), 120), "size": rng.normal(size=120)})
    y = np.where((frame["kind"] == "a") | (frame["size"] > 1), "yes", "no")
    frame.loc[5, "kind"] = None
    inner = StackingClassifier(
        [("bayes", NaiveBayes()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))],
        NaiveBayes(),
        passthrough=True,
    )
    outer = StackingClassifier([("stack", inner), ("bayes", NaiveBayes())]).fit(frame, y)
    assert outer.score(frame, y) > 0.85
    assert list(outer.named_estimators_["stack"].final_estimator_.schema_.names)[-2:] == ["kind", "size"]
    save(outer, tmp_path / "stack.assay")
    assert_array_equal(load(tmp_path / "stack.assay").predict_proba(frame), outer.predict_proba(frame))
    assert "LogisticRegression combines" in str(outer.explain(frame.iloc[[0]]))


def test_members_that_came_fitted_are_used_as_they_are():
    X, y = load_iris(return_X_y=True)
    bayes = GaussianNB().fit(X[::2], y[::2])
    model = StackingClassifier([("bayes", bayes)], cv="prefit").fit(X[1::2], y[1::2])
    assert model.estimators_[0] is bayes


def test_the_result_does_not_depend_on_the_number_of_workers():
    X, y = load_iris(return_X_y=True)
    one = StackingClassifier(classifiers(), n_jobs=1).fit(X, y).predict_proba(X)
    assert_array_equal(StackingClassifier(classifiers(), n_jobs=2).fit(X, y).predict_proba(X), one)


def test_a_combiner_of_the_other_task_is_refused():
    """Codes 0 and 1 as numbers would be answered by numbers, which are no classes; with words for classes it raised."""
    X, y = load_breast_cancer(return_X_y=True)
    members = [("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2))]
    for final in (Ridge(), peer.RandomForestRegressor(), make_pipeline(PCA(1), Ridge())):
        with pytest.raises(ParameterError, match="final_estimator should be a classifier, got"):
            StackingClassifier(members, final, cv=2).fit(X, y)
    numbers, target = load_diabetes(return_X_y=True)
    with pytest.raises(
        ParameterError, match=r"final_estimator should be a regressor, got LogisticRegression"
    ):
        StackingRegressor([("a", Ridge())], LogisticRegression(), cv=2).fit(numbers, target)


def test_a_combiner_that_does_not_say_its_task_combines():
    """It has fit and predict and can be copied, and a class instead of an instance is named as such."""
    X, y = load_breast_cancer(return_X_y=True)
    members = [("a", GaussianNB()), ("b", DecisionTreeClassifier(max_depth=2))]

    class Untagged:
        def get_params(self, deep=True):
            return {}

        def fit(self, Z, target):
            self.model_ = LogisticRegression().fit(Z, target)
            return self

        def predict(self, Z):
            return self.model_.predict(Z)

    stacked = StackingClassifier(members, Untagged(), cv=2).fit(X, y)
    assert_array_equal(
        stacked.predict(X), StackingClassifier(members, LogisticRegression(), cv=2).fit(X, y).predict(X)
    )
    with pytest.raises(ParameterError, match="final_estimator should be a classifier, got <class"):
        StackingClassifier(members, GaussianNB, cv=2).fit(X, y)


def test_a_member_that_cannot_learn_is_named():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError) as caught:
        StackingClassifier([("tree", DecisionTreeClassifier()), ("line", LogisticRegression())]).fit(X, y)
    assert any("member 'line'" in note for note in caught.value.__notes__)
    with pytest.raises(ParameterError, match="does not implement the method"):
        StackingClassifier([("near", KNeighborsClassifier())], stack_method="decision_function").fit(
            X[1:], y[1:]
        )


def test_several_targets_are_stacked_saved_and_explained(tmp_path):
    """Peer: scikit-learn 1.9's StackingClassifier around the same members, on its folds."""
    X, Y = make_multilabel_classification(120, 6, n_classes=3, random_state=0)
    members = [(f"tree {d}", DecisionTreeClassifier(max_depth=d, random_state=0)) for d in (2, 5)]
    final = DecisionTreeClassifier(max_depth=3, random_state=0)
    ours = StackingClassifier(members, final, cv=4).fit(X[:90], Y[:90])
    theirs = peer.StackingClassifier(members, final, cv=4).fit(X[:90], Y[:90])
    assert_allclose(ours.transform(X[90:]), theirs.transform(X[90:]), rtol=1e-12)
    assert (ours.predict(X[90:]) == theirs.predict(X[90:])).all()
    assert len(ours.predict_proba(X[:2])) == 3 and len(ours.get_feature_names_out()) == 6
    save(ours, tmp_path / "m.assay")
    assert (load(tmp_path / "m.assay").predict(X) == ours.predict(X)).all()
    assert "Targets" in str(ours.explain(X[:1]))
    assert StackingClassifier(members, final, cv=3).fit(X, Y[:, 0]).predict(X[:2]).shape == (2,)
