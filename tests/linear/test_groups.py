"""Groups and routed metadata in linear learners that cross-validate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn import linear_model as peers
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold

from assay.linear import ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeClassifierCV, RidgeCV

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
number = X[:, 0] + rng.normal(size=60)
label = (number > 0).astype(int)
groups = rng.integers(0, 7, size=60)
weights = rng.random(60)
LEARNERS = [(RidgeCV, number), (LassoCV, number), (ElasticNetCV, number), (RidgeClassifierCV, label)]
LEARNERS.append((LogisticRegressionCV, label))


class Seen(GroupKFold):
    """Notes the groups that it was given."""

    def split(self, X, y=None, groups=None):
        self.groups = groups
        return super().split(X, y, groups)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("Learner, y", LEARNERS)
def test_groups_reach_the_splitter(Learner, y, routing):
    splitter = Seen(3)
    with config_context(enable_metadata_routing=routing):
        Learner(cv=splitter).fit(X, y, groups=groups)
    assert splitter.groups is groups


@pytest.mark.parametrize("Learner, y", LEARNERS)
def test_metadata_nobody_asked_for_is_refused(Learner, y):
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        Learner().fit(X, y, colour=groups)
    with config_context(enable_metadata_routing=True), pytest.raises(TypeError, match="colour"):
        Learner().fit(X, y, colour=groups)


@pytest.mark.parametrize("Learner", [RidgeCV, RidgeClassifierCV])
def test_leave_one_out_keeps_no_groups(Learner):
    with pytest.raises(ValueError, match="GroupKFold"):
        Learner().fit(X, label, groups=groups)


@pytest.mark.parametrize("asked", [False, True])
def test_a_scorer_gets_the_weights_it_asked_for(asked):
    """Peer: LogisticRegressionCV, scikit-learn 1.9, whose folds score with weights only if the scorer asks."""
    with config_context(enable_metadata_routing=True):
        scoring = get_scorer("neg_log_loss").set_score_request(sample_weight=asked)
        settings = {
            "Cs": [0.1, 1.0],
            "cv": 3,
            "scoring": scoring,
            "l1_ratios": (0,),
            "tol": 1e-10,
            "max_iter": 1000,
        }
        ours = LogisticRegressionCV(**settings).fit(X, label, sample_weight=weights)
        peer = peers.LogisticRegressionCV(use_legacy_attributes=False, **settings)
        peer.fit(X, label, sample_weight=weights)
        assert_allclose(ours.scores_, peer.scores_, rtol=1e-6)
        assert_allclose(ours.score(X, label), peer.score(X, label), rtol=1e-6)


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("Learner, y", [LEARNERS[0], LEARNERS[3]])
def test_ridge_searches_work_with_routing_switched_on(Learner, y, cv):
    plain = Learner(cv=cv).fit(X, y, weights)
    with config_context(enable_metadata_routing=True):
        routed = Learner(cv=cv).fit(X, y, sample_weight=weights)
    assert_allclose(routed.coef_, plain.coef_)


def test_a_score_with_weights_nobody_asked_for_is_refused():
    with config_context(enable_metadata_routing=True):
        scoring = get_scorer("accuracy").set_score_request(sample_weight=False)
        model = LogisticRegressionCV(Cs=[1.0], scoring=scoring).fit(X, label)
        with pytest.raises(TypeError, match="not routed"):
            model.score(X, label, sample_weight=weights)
