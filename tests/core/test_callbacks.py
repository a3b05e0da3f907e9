"""scikit-learn's callback protocol on our learners."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import assay
from assay.bayes import GaussianNB
from assay.linear import LogisticRegression
from assay.prepare import StandardScaler

pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
y = (X[:, 0] + 0.5 * rng.normal(size=80) > 0).astype(int)


class Recorder:
    """Notes every call: what, which task, the data and the model of that moment."""

    def __init__(self, stop_after=None):
        self.calls, self.stop_after = [], stop_after

    def setup(self, estimator, context):
        self.calls.append(("setup", context.task_name, {}))

    def teardown(self, estimator, context):
        self.calls.append(("teardown", context.task_name, {}))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.calls.append(("begin", context.task_name, {"X": X, "y": y, "metadata": metadata}))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.calls.append(("end", context.task_name, {"model": fitted_estimator, "metadata": metadata}))
        return context.task_name == "step" and context.task_id + 1 == self.stop_after

    def names(self):
        return [(what, task) for what, task, _ in self.calls]

    def models(self):
        return [given["model"] for what, task, given in self.calls if (what, task) == ("end", "step")]


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_any_learner_tells_its_callbacks_of_a_fit(method):
    recorder = Recorder()
    scaler = StandardScaler().set_callbacks(recorder)
    getattr(scaler, method)(X)
    assert recorder.names() == [("setup", "fit"), ("begin", "fit"), ("end", "fit"), ("teardown", "fit")]
    assert_allclose(recorder.calls[2][2]["model"].transform(X), scaler.transform(X))


def test_the_hooks_get_the_data_and_the_weights():
    recorder, weights = Recorder(), np.ones(80)
    GaussianNB().set_callbacks(recorder).fit(X, y, sample_weight=weights)
    given = recorder.calls[1][2]
    assert given["X"] is X and given["y"] is y and given["metadata"]["sample_weight"] is weights


def test_a_fit_that_fails_is_torn_down():
    recorder = Recorder()
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB().set_callbacks(recorder).fit(np.full((80, 3), np.inf), y)
    assert [what for what, _ in recorder.names()] == ["setup", "begin", "teardown"]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_model_of_each_step_is_that_of_as_many_steps(classes):
    target = y if classes == 2 else np.digitize(X[:, 0], [-0.5, 0.5])
    recorder = Recorder()
    model = LogisticRegression(tol=1e-8).set_callbacks(recorder).fit(X, target)
    *steps, beyond = recorder.models()
    assert len(steps) == model.n_iter_[0] and beyond is None
    for i, of_that_moment in enumerate(steps, 1):
        alone = LogisticRegression(tol=1e-8, max_iter=i)
        with pytest.warns() if i < len(steps) else np.errstate():
            alone.fit(X, target)
        assert_allclose(of_that_moment.coef_, alone.coef_)
        assert_allclose(of_that_moment.predict_proba(X), alone.predict_proba(X))
    assert all(record.weights is None for record in model.history_)


def test_steps_in_the_space_of_the_rows_are_shown_with_all_columns():
    wide = rng.normal(size=(20, 300))
    recorder = Recorder()
    model = LogisticRegression().set_callbacks(recorder).fit(wide, y[:20])
    last = recorder.models()[-2]
    assert_allclose(last.coef_, model.coef_, atol=1e-12)


def test_a_callback_may_stop_the_steps():
    recorder = Recorder(stop_after=2)
    model = LogisticRegression(tol=1e-12).set_callbacks(recorder).fit(X, y)
    assert model.n_iter_[0] == 2


def test_no_step_at_all_is_one_task():
    recorder = Recorder()
    model = LogisticRegression(max_iter=0).set_callbacks(recorder)
    with pytest.warns(match="stopped after 0 steps"):
        model.fit(X, y)
    assert recorder.names().count(("begin", "step")) == recorder.names().count(("end", "step")) == 2


def test_callbacks_are_cloned_and_can_be_removed_and_stay_out_of_files(tmp_path):
    recorder = Recorder()
    model = clone(GaussianNB().set_callbacks(recorder)).fit(X, y)
    assert len(recorder.calls) == 4
    assay.save(model, tmp_path / "model.assay")
    assert assay.load(tmp_path / "model.assay").fit(X, y) and len(recorder.calls) == 4
    model.set_callbacks().fit(X, y)
    assert len(recorder.calls) == 4


def test_something_that_is_no_callback_is_refused():
    with pytest.raises(TypeError, match="FitCallback"):
        GaussianNB().set_callbacks(print)
