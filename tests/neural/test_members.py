"""Ensembles of perceptrons that learn in the same passes."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, ParameterError
from assay.neural import AdaptiveRate, MLPClassifier, MLPRegressor
from assay.neural import members as module
from assay.plots import NetworkDisplay

X, y = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
QUICK = {"hidden_layer_sizes": (6, 4), "max_iter": 8, "learning_rate_init": 0.01}


def log_loss(scores, truth):
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return -(truth * np.log(p)).sum(axis=1), p - truth


@pytest.mark.parametrize("solver", ["sgd", "adam"])
@pytest.mark.parametrize(
    "more", [{}, {"normalization": "batch"}, {"normalization": "layer"}, {"loss": log_loss}]
)
def test_members_are_the_networks_that_learn_alone(solver, more):
    """The same draws one after the other: what two fits learn alone, two members learn together."""
    settings = {**QUICK, **more, "solver": solver, "shuffle": False}
    both = MLPClassifier(members=2, random_state=np.random.RandomState(3), **settings).fit(X, y)
    draws = np.random.RandomState(3)
    alone = [MLPClassifier(random_state=draws, **settings).fit(X, y) for _ in range(2)]
    mean = np.mean([model.predict_proba(X) for model in alone], axis=0)
    assert_allclose(both.predict_proba(X), mean, rtol=1e-12)
    assert_allclose(both.loss_curve_, np.mean([model.loss_curve_ for model in alone], axis=0), rtol=1e-12)
    assert_array_equal(both.coefs_[1][1], alone[1].coefs_[1])
    assert both.n_parameters_ == 2 * alone[0].n_parameters_
    assert_allclose(both.hidden(X), np.hstack([model.hidden(X) for model in alone]), rtol=1e-12)


def test_threads_change_nothing(monkeypatch):
    few = MLPClassifier(members=3, dropout=0.2, random_state=0, **QUICK).fit(X, y)
    monkeypatch.setattr(module, "PRODUCTS_WORTH_THREADS", 0)
    many = MLPClassifier(members=3, dropout=0.2, random_state=0, **QUICK).fit(X, y)
    assert_array_equal(few.predict_proba(X), many.predict_proba(X))


def test_members_differ_and_their_mean_is_better_than_they_are():
    A, b = load_diabetes(return_X_y=True)
    settings = {"scale": "standard", "scale_target": True, "max_iter": 80, "random_state": 0}
    model = MLPRegressor(hidden_layer_sizes=30, members=5, learning_rate_init=0.01, **settings)
    model.fit(A[:300], b[:300])
    inputs = model._scaled(A[300:])
    spread, center = model.target_spread_, model.target_center_
    each = [net.values(inputs, ["relu"], "identity")[0][:, 0] * spread + center for net in model._networks]
    errors = [((answer - b[300:]) ** 2).mean() for answer in each]
    assert ((model.predict(A[300:]) - b[300:]) ** 2).mean() < np.mean(errors)
    assert np.std(errors) > 0


def test_l_bfgs_learns_all_members_at_once():
    """The sum of their objectives has its minimum where each has its own: of a linear model all members agree."""
    settings = {"activation": "identity", "solver": "lbfgs", "alpha": 1.0, "max_iter": 2000, "tol": 1e-8}
    model = MLPClassifier(2, members=2, random_state=0, **settings).fit(X, y)
    alone = MLPClassifier(2, random_state=5, **settings).fit(X, y)
    assert_allclose(model.loss_, alone.loss_, rtol=1e-5)
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-3)


def test_contributions_are_those_to_the_mean_score():
    model = MLPRegressor(members=3, random_state=0, **QUICK).fit(X, y)
    known = model.explain(X[:4]).contributions()
    assert_allclose(known.values.sum(axis=1)[:, 0] + known.base[0], model.predict(X[:4]), rtol=1e-9)
    assert "of member" in str(model.explain(X[:1]))


def test_early_stopping_keeps_the_pass_where_the_ensemble_is_best():
    model = MLPClassifier(members=3, random_state=0, **QUICK).fit(
        X[::2], y[::2], validation=(X[1::2], y[1::2])
    )
    assert model.score(X[1::2], y[1::2]) == max(model.validation_scores_) == model.best_validation_score_


def test_a_saved_ensemble_goes_on_where_it_stood(tmp_path):
    model = MLPClassifier(members=2, normalization="batch", random_state=0, **QUICK)
    model.partial_fit(X, y, classes=[0, 1, 2])
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    for each in (model, again):
        each.partial_fit(X, y)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(DataError, match="has 2 members, members is 3"):
        again.set_params(members=3).partial_fit(X, y)
    with pytest.raises(ParameterError, match=r"has 2 members\. Draw one of them"):
        NetworkDisplay.from_estimator(model)
    first = NetworkDisplay([W[0] for W in model.coefs_], [b[0] for b in model.intercepts_])
    assert first.sizes == [4, 6, 4, 3]


def test_files_of_members_that_do_not_belong_together_are_refused():
    model = MLPClassifier(members=2, random_state=0, **QUICK).fit(X, y)
    model._check_stored()
    model.intercepts_ = [b[0] for b in model.intercepts_]
    with pytest.raises(ValueError, match="no layers that follow"):
        model._check_stored()
    model.intercepts_ = [np.stack([b] * 3) for b in model.intercepts_]
    with pytest.raises(ValueError, match="as many members"):
        model._check_stored()


# ------------------------------------------------------------------ what came with them


def test_the_adaptive_rate_of_the_book():
    """The rate grows by a while the mean loss of a window falls, and loses the share b when it does not."""
    rule = AdaptiveRate(0.5, 0.5, window=2)
    model = MLPClassifier(
        5, solver="sgd", learning_rate=rule, learning_rate_init=0.1, max_iter=40, random_state=0
    )
    model.set_params(n_iter_no_change=np.inf, scale="standard").fit(X, y)
    rates, losses = ([getattr(e, name) for e in model.history_] for name in ("rate", "loss"))
    rate = 0.1
    for k in range(40):
        assert_allclose(rates[k], rate)
        if k + 1 >= 4 and (k + 1) % 2 == 0:
            falls = losses[k] + losses[k - 1] < losses[k - 2] + losses[k - 3]
            rate = rate + 0.5 if falls else rate * 0.5
    assert len(set(np.sign(np.diff(rates)))) == 3  # up, down, and the same between two looks
    with pytest.raises(ParameterError, match="lbfgs has no learning rate"):
        MLPClassifier(solver="lbfgs", learning_rate=rule).fit(X, y)
    with pytest.raises(ParameterError, match="b must be a number from 0 to below 1"):
        AdaptiveRate(0.1, 1.0)


def test_a_model_with_an_adaptive_rate_can_be_stored(tmp_path):
    model = MLPClassifier(
        3, solver="sgd", learning_rate=AdaptiveRate(0.1, 0.2, 3), max_iter=3, random_state=0
    )
    assay.save(model.fit(X, y), tmp_path / "model.assay")
    assert assay.load(tmp_path / "model.assay").learning_rate == AdaptiveRate(0.1, 0.2, 3)


def test_l_bfgs_heeds_rows_that_judge():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 60, 10))
    a, b = ((rows[:, 0] + rng.normal(size=60) > 0).astype(int) for rows in (A, B))
    settings = {"hidden_layer_sizes": 20, "solver": "lbfgs", "alpha": 0, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = MLPClassifier(n_iter_no_change=5, **settings).fit(A, a, validation=(B, b))
    assert model.score(B, b) == model.best_validation_score_ == max(e.score for e in model.history_)
    assert model.n_iter_ < MLPClassifier(**settings).fit(A, a).n_iter_
    assert len(model.validation_scores_) == model.n_iter_
    again = model.fit(A, a)  # without them nothing is left of the scores
    assert not hasattr(again, "validation_scores_")


@pytest.mark.parametrize("setting", [{"dropout": 0.1}, {"clip": 1.0}, {"average": 3}])
def test_l_bfgs_refuses_what_it_would_not_heed(setting):
    with pytest.raises(ParameterError, match="lbfgs goes by steps of its own"):
        MLPClassifier(solver="lbfgs", **setting).fit(X, y)


def test_groups_are_refused_where_no_rows_are_set_aside():
    with pytest.raises(ParameterError, match="lbfgs sets no rows aside"):
        MLPClassifier(solver="lbfgs", early_stopping=True).fit(X, y, groups=np.arange(150) // 5)


def test_a_loss_of_your_own_that_is_no_number_is_named():
    def broken(scores, truth):
        return np.full(len(scores), np.nan), scores - truth

    with pytest.raises(DataError, match="the function loss gave a loss that is no finite number"):
        MLPRegressor(broken, 3, max_iter=3).fit(X, y)
