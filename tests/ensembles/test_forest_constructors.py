"""Forests share a constructor for classes and one for numbers; members differ in defaults alone."""

import inspect

import pytest
from sklearn import ensemble
from sklearn.base import clone

from assay import ensembles
from assay.core.parameters import other_defaults
from assay.errors import ParameterError

FORESTS = ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]


@pytest.mark.parametrize("name", FORESTS)
def test_the_signature_is_that_of_scikit_learn(name):
    ours, peer = getattr(ensembles, name), getattr(ensemble, name)
    shown = {p.name: p.default for p in inspect.signature(ours).parameters.values()}
    settings = ours().get_params()
    if name.endswith("Regressor"):  # ours alone, for predictive distributions
        assert shown.pop("keep_targets") is settings.pop("keep_targets") is False
    assert shown == {p.name: p.default for p in inspect.signature(peer).parameters.values()}
    assert settings == peer().get_params()
    assert clone(ours(max_depth=3, bootstrap=True)).get_params()["max_depth"] == 3


def test_a_default_for_a_parameter_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match="has no keyword parameter bags"):
        other_defaults(ensembles.RandomForestClassifier.__init__, bags=3)
