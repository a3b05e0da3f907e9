"""What one against the rest, one against one and output codes share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from assay.ensembles.binary_problems import (
    Constant,
    binary_score,
    names_with_reject,
    refuse_label_of_a_class,
    refuse_one_class,
    says_one,
)
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.ensembles.output_code import OutputCodeClassifier
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression, SGDClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    "model", [LinearRegression(), RidgeClassifier(), GaussianNB(), DecisionTreeClassifier()]
)
def test_a_score_is_positive_where_the_member_says_one(model):
    """Numbers count from one half, probabilities as well, scores as they are."""
    score = binary_score(model.fit(X, Y), X)
    answer = model.predict(X) > 0.5
    assert_array_equal(score > 0, answer)
    assert_array_equal(says_one(model, X, score), answer)


@pytest.mark.parametrize("label", [0, 1])
def test_a_constant_says_one_thing_in_all_ways(label):
    member = Constant(label).fit(X)
    assert (member.predict(X) == label).all() and member.n_features_in_ == 2
    assert_array_equal(says_one(member, X, binary_score(member, X)), member.predict(X) == 1)
    assert_allclose(member.predict_proba(X)[:, label], 1.0)


def test_a_refusal_has_a_name_of_the_kind_of_the_classes_if_it_can():
    assert names_with_reject(np.array([1, 2]), -1).dtype.kind == "i"
    assert names_with_reject(np.array([True, False]), "no answer").tolist() == [True, False, "no answer"]
    with pytest.raises(ParameterError, match="'b' is the name of a class"):
        refuse_label_of_a_class("It", np.array(["a", "b"]), "b")
    with pytest.raises(DataError, match="only one class is present: y holds 'a' alone"):
        refuse_one_class("It", np.array(["a"]))


@pytest.mark.parametrize("kind", [OneVsRestClassifier, OneVsOneClassifier])
def test_a_first_part_that_fails_leaves_nothing_behind(kind):
    """Else the wrong classes would stay, and the right ones be refused."""
    names = np.array(["a", "b", "c"])[np.arange(40) % 3]
    model = kind(SGDClassifier(random_state=0))
    with pytest.raises(DataError, match="label 'c'"):
        model.partial_fit(X, names, classes=["a", "b"])
    assert not hasattr(model, "classes_")
    model.partial_fit(X, names, classes=["a", "b", "c"])
    with pytest.raises(DataError, match="label 'z'"):
        model.partial_fit(X[:1], ["z"])
    assert set(model.partial_fit(X, names).predict(X)) <= {"a", "b", "c"}


class Listening(LogisticRegression):
    """A member that keeps the tags of its rows."""

    def fit(self, X, y, sample_weight=None, tags=None):
        self.heard_ = tags
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("cls", [OneVsRestClassifier, OneVsOneClassifier, OutputCodeClassifier])
def test_members_get_the_metadata_they_ask_for(cls):
    """With scikit-learn's metadata routing: cut to the member's rows, and an error for what nobody decided on."""
    X, y = load_iris(return_X_y=True)
    tags, w = np.arange(150), np.linspace(0.5, 1.5, 150)
    seed = {"random_state": 0} if cls is OutputCodeClassifier else {}
    with config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="tags"):
            cls(Listening(), **seed).fit(X, y, tags=tags)
        member = Listening().set_fit_request(tags=True, sample_weight=True)
        model = cls(member, **seed).fit(X, y, sample_weight=w, tags=tags)
        deaf = Listening().set_fit_request(tags=False, sample_weight=False)
        with pytest.raises(TypeError, match="not routed to any object"):
            cls(deaf, **seed).fit(X, y, sample_weight=w)
    heard = [(k, m.heard_) for k, m in enumerate(model.estimators_) if not isinstance(m, Constant)]
    assert len(heard) > 1
    for k, own in heard:
        rows = np.flatnonzero(np.isin(y, model._pairs()[k])) if cls is OneVsOneClassifier else np.arange(150)
        assert_array_equal(own, tags[rows])
    plain = cls(LogisticRegression(), **seed).fit(X, y, sample_weight=w)
    assert_array_equal(model.decision_function(X), plain.decision_function(X))
    with pytest.raises(ParameterError, match="enable_metadata_routing=True"):
        cls(Listening(), **seed).fit(X, y, tags=tags)
