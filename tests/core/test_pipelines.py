"""Pipelines and unions of scikit-learn in model files: those of our learners come back, others are refused by name."""

import copy

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import assay
from assay.bayes import GaussianNB
from assay.core.persistence import container, describe
from assay.decide import DecisionRule
from assay.errors import PersistenceError
from assay.linear import LogisticRegression
from assay.prepare import MinMaxScaler, PolynomialFeatures, SimpleImputer, StandardScaler
from assay.trees import TreeFeatureSelector

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
FRAME = pd.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 1] > 0, "a", "b")})


def union():
    return FeatureUnion(
        [
            ("scaled", StandardScaler()),
            ("squares", PolynomialFeatures()),
            ("as it is", "passthrough"),
            ("no", "drop"),
        ],
        transformer_weights={"scaled": 2.0},
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pipeline([("scale", StandardScaler()), ("learn", LogisticRegression())]),
        lambda: Pipeline(
            [("scale", "passthrough"), ("nothing", None), ("learn", GaussianNB())], verbose=False
        ),
        lambda: make_pipeline(
            SimpleImputer(), make_pipeline(MinMaxScaler(), TreeFeatureSelector()), GaussianNB()
        ),
        lambda: make_pipeline(union(), GaussianNB()),
        lambda: DecisionRule(make_pipeline(StandardScaler(), GaussianNB()), reject=0.3),
    ],
)
def test_a_pipeline_of_our_learners_comes_back(tmp_path, make):
    model = make().fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert type(back) is type(model)
    assert_array_equal(back.predict(X), model.predict(X))
    assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    assert_array_equal(clone(back).fit(X, y).predict(X), model.predict(X))
    assert describe(tmp_path / "model.assay")["learner"] == type(model).__name__
    assay.save(make(), tmp_path / "unfitted.assay")
    assert repr(assay.load(tmp_path / "unfitted.assay")) == repr(make())


def test_a_pipeline_takes_frames_by_name_after_loading(tmp_path):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME[["size"]], y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(
        assay.load(tmp_path / "model.assay").predict(FRAME[["size"]]), model.predict(FRAME[["size"]])
    )


def test_what_a_union_gives_stays_a_frame(tmp_path):
    model = union().set_output(transform="pandas").fit(X)
    assay.save(model, tmp_path / "model.assay")
    pd.testing.assert_frame_equal(assay.load(tmp_path / "model.assay").transform(X), model.transform(X))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            make_pipeline(PCA(), GaussianNB()),
            r"its step 'pca' is a sklearn\.decomposition.*PCA.*Assay's own learners",
        ),
        (
            make_pipeline(StandardScaler(), TheirLogisticRegression()),
            "its step 'logisticregression' is a sklearn",
        ),
        (FeatureUnion([("ours", StandardScaler()), ("theirs", PCA())]), "its step 'theirs' is a sklearn"),
        (make_pipeline(StandardScaler(), make_pipeline(PCA(), GaussianNB())), "its step 'pca' is a sklearn"),
        (Pipeline([("learn", GaussianNB())], memory="cache"), r"Pipeline\.memory .* Set it to None"),
        (PCA(), "only Assay's own learners, and pipelines of them"),
    ],
)
def test_a_foreign_step_is_refused_by_its_name(tmp_path, model, message):
    with pytest.raises(PersistenceError, match=message):
        assay.save(model, tmp_path / "model.assay")
    assert not list(tmp_path.iterdir())


class Mine(Pipeline):
    """A pipeline that is not scikit-learn's own."""


def test_a_class_derived_from_a_pipeline_is_refused(tmp_path):
    with pytest.raises(PersistenceError, match="Mine was given"):
        assay.save(Mine([("learn", GaussianNB())]), tmp_path / "model.assay")


def pair(label, step):
    return {"is": "tuple", "items": [label, step]}


def learner(name):
    return {"is": "object", "class": name, "state": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"class": "sklearn.GridSearchCV"},
        {"class": "sklearn.pipeline.Pipeline"},
        {"class": "sklearn.make_pipeline"},
        {"class": "sklearn.Mine"},
        {"class": "sklearn.FeatureUnion"},
        {"steps": []},
        {"steps": None},
        {"steps": "steps"},
        {"steps": [["learn", learner("bayes.GaussianNB")]]},
        {"steps": [pair("learn", 3)]},
        {"steps": [pair("learn", "drop")]},
        {"steps": [pair("learn", "os.system")]},
        {"steps": [pair(1, learner("bayes.GaussianNB"))]},
        {"steps": [pair("", learner("bayes.GaussianNB"))]},
        {"steps": [pair("a__b", learner("bayes.GaussianNB"))]},
        {"steps": [pair("a", learner("bayes.GaussianNB")), pair("b", learner("bayes.GaussianNB"))]},
        {"steps": [pair("a", learner("prepare.StandardScaler")), pair("a", learner("bayes.GaussianNB"))]},
        {"steps": [pair("a", learner("sklearn.decomposition.PCA"))]},
        {"memory": "/tmp"},
        {"verbose": "loud"},
        {"transform_input": [1]},
        {"predict": 1},
        {"named_steps": {"is": "dict", "items": []}},
        {"_sklearn_output_config": {"is": "dict", "items": [["transform", 1]]}},
    ],
    ids=str,
)
def test_a_file_cannot_make_another_pipeline(tmp_path, change):
    assay.save(make_pipeline(StandardScaler(), GaussianNB()), tmp_path / "sound")
    manifest, tensors = container.read(tmp_path / "sound")
    manifest = copy.deepcopy(manifest)
    (manifest["model"] if "class" in change else manifest["model"]["state"]).update(change)
    container.write(tmp_path / "hostile", manifest, tensors)
    with pytest.raises(PersistenceError):
        assay.load(tmp_path / "hostile")


def test_a_search_is_not_saved_but_says_what_can_be(tmp_path):
    X, y = [[0.0], [1.0], [2.0], [3.0]] * 3, ["a", "a", "b", "b"] * 3
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2).fit(X, y)
    with pytest.raises(
        PersistenceError, match=r"the LogisticRegression that it chose: save\(model\.best_estimator_"
    ):
        assay.save(search, tmp_path / "search.assay")
    assay.save(search.best_estimator_, tmp_path / "search.assay")
