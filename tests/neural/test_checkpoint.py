"""Fits that are killed go on where they stood, and end as those that were left alone."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes

import assay.neural.checkpoint as module
from assay.errors import DataError, ParameterError
from assay.neural import (
    BatchNormalization,
    Dense,
    Dropout,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    TabularNetClassifier,
    TabularNetRegressor,
)
from assay.neural.checkpoint import Checkpoint, State, fingerprint
from assay.neural.dense_net import DenseNet
from assay.neural.tabular_network import TabularNetwork

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:120], y[:120]
numbers = load_diabetes(return_X_y=True)[1][:120]
groups = np.arange(120) // 4
ENDLESS = {"n_iter_no_change": np.inf, "max_iter": 9}
LAYERS = [Dense(5), BatchNormalization(), Dropout(0.2), Dense(4, "tanh")]


def expectile(answer, target):
    factor = np.where(answer < target, 0.9, 0.1)
    return (factor * (answer - target) ** 2).sum(axis=1), 2 * factor * (answer - target)


FITS = {
    "adam": (MLPClassifier(5, scale="standard", learning_rate="cosine", **ENDLESS), y, {}),
    "sgd that slows": (
        MLPClassifier(
            5,
            scale="robust",
            solver="sgd",
            learning_rate="adaptive",
            n_iter_no_change=1,
            tol=0.1,
            max_iter=9,
        ),
        y,
        {"sample_weight": 1.0 + y},
    ),
    "units left out, means": (
        MLPRegressor(
            hidden_layer_sizes=(6, 4),
            scale="standard",
            scale_target=True,
            dropout=0.2,
            average=3,
            learning_rate="one_cycle",
            **ENDLESS,
        ),
        numbers,
        {},
    ),
    "early stopping by groups": (
        MLPClassifier(5, scale="standard", early_stopping=True, learning_rate="cosine", **ENDLESS),
        y,
        {"groups": groups},
    ),
    "own validation set": (
        MLPRegressor(hidden_layer_sizes=5, scale="standard", learning_rate="cosine", **ENDLESS),
        numbers,
        {"validation": (X[:30], numbers[:30])},
    ),
    "own loss": (
        MLPRegressor(expectile, 5, scale="standard", scale_target=True, learning_rate="cosine", **ENDLESS),
        numbers,
        {},
    ),
    "tabular": (TabularNetClassifier([8], 3, max_iter=9, early_stopping=True), y, {"groups": groups}),
    "tabular by folds": (TabularNetClassifier([8], 3, max_iter=9), y, {}),
    "tabular numbers": (
        TabularNetRegressor(hidden_layer_sizes=[8], members=3, max_iter=9),
        numbers,
        {"validation": (X[:30], numbers[:30])},
    ),
    "layers": (NetworkClassifier(LAYERS, scale=True, max_iter=9, early_stopping=True), y, {}),
    "layers of numbers": (
        NetworkRegressor(LAYERS, scale=True, max_iter=9),
        numbers,
        {"sample_weight": 1.0 + y},
    ),
}


def learned(model):
    if hasattr(model, "coefs_"):
        return np.concatenate([part.ravel() for part in (*model.coefs_, *model.intercepts_)])
    return model.network_.theta


class Killed(BaseException):
    """What no fit expects."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("last", "random_state"), [(1, 3), (4, "generator"), (7, 3)])
@pytest.mark.parametrize("name", FITS)
def test_a_killed_fit_ends_as_one_that_was_left_alone(name, random_state, last, tmp_path, monkeypatch):
    learner, target, more = FITS[name]
    seed = (lambda: np.random.RandomState(5)) if random_state == "generator" else (lambda: 3)
    whole = learner.__class__(**{**learner.get_params(deep=False), "random_state": seed()})
    whole.fit(X, target, **more)
    file = tmp_path / "run.npz"
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    write, written = Checkpoint.write, []

    def killing(self, state, at_once=False):
        write(self, state, at_once)
        written.append(1)
        if len(written) == last:
            raise Killed

    monkeypatch.setattr(Checkpoint, "write", killing)
    halves = learner.__class__(**{**learner.get_params(deep=False), "random_state": seed()})
    with pytest.raises(Killed):
        halves.fit(X, target, **more, checkpoint=file)
    assert file.exists() and not hasattr(halves, "classes_")
    monkeypatch.setattr(Checkpoint, "write", write)
    other = np.random.RandomState(99) if random_state == "generator" else 3  # where it began is in the file
    again = learner.__class__(**{**learner.get_params(deep=False), "random_state": other})
    again.fit(X, target, **more, checkpoint=str(file))
    assert_array_equal(learned(again), learned(whole))
    assert again.history_ == whole.history_ and again.n_iter_ == whole.n_iter_
    assert not file.exists() and list(tmp_path.iterdir()) == []


SCRIPT = """
    import os, signal, sys
    import numpy as np
    import assay.neural.checkpoint as module
    from assay.neural import MLPClassifier

    module.SECONDS_BETWEEN = 0.0
    if sys.argv[2] == "killed":
        write, written = module.Checkpoint.write, []
        def killing(self, state):
            write(self, state)
            written.append(1)
            if len(written) == 5:
                os.kill(os.getpid(), signal.SIGKILL)
        module.Checkpoint.write = killing
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = MLPClassifier(6, max_iter=12, learning_rate="cosine", random_state=0)
    model.fit(X, X[:, 0] > X[:, 1], checkpoint=sys.argv[1] if sys.argv[2] != "whole" else None)
    print(model.coefs_[0].tobytes().hex(), len(model.history_))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_dies(tmp_path):
    def run(how):
        command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path / "run.npz"), how]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("killed").returncode == -9
    resumed, whole = run("resumed"), run("whole")
    assert resumed.stdout == whole.stdout != "" and whole.returncode == 0


def test_files_of_other_fits_are_refused(tmp_path):
    file = tmp_path / "run.npz"
    model = MLPClassifier(3, scale="standard", max_iter=2, learning_rate="cosine", random_state=0)
    Checkpoint(file, "MLPClassifier", "mark").write(State({"theta": np.zeros(2)}), at_once=True)
    with pytest.raises(DataError, match="other rows, other parameters"):
        model.fit(X, y, checkpoint=file)
    file.write_text("nothing of the kind")
    for learner in (model, TabularNetClassifier(max_iter=1), NetworkClassifier(max_iter=1)):
        with pytest.raises(DataError, match="is no checkpoint"):
            learner.fit(X, y, checkpoint=file)
    with pytest.raises(ParameterError, match="folder that exists"):
        model.fit(X, y, checkpoint=tmp_path / "nowhere" / "run.npz")
    with pytest.raises(ParameterError, match="lbfgs cannot go on"):
        MLPClassifier(solver="lbfgs").fit(X, y, checkpoint=file)
    assert fingerprint({"a": 1}, X) != fingerprint({"a": 1}, X[:50]) != fingerprint({"a": 2}, X[:50])


@pytest.mark.parametrize("learner", [MLPClassifier, TabularNetClassifier, NetworkClassifier])
def test_ctrl_c_leaves_the_file_to_go_on(learner, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)
    settings = {"max_iter": 8, "random_state": 0}
    whole = learner(**settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn_explicit", lambda *args, **kwargs: None)
        whole.fit(X / X.max(axis=0), y)
        written, write = [], Checkpoint.write

        def interrupting(self, state):
            write(self, state)
            written.append(1)
            if len(written) == 3:
                raise KeyboardInterrupt

        patch.setattr(Checkpoint, "write", interrupting)
        cut = learner(**settings).fit(X / X.max(axis=0), y, checkpoint=tmp_path / "run.npz")
        assert cut.n_iter_ == 3
        patch.setattr(Checkpoint, "write", write)
        again = learner(**settings).fit(X / X.max(axis=0), y, checkpoint=tmp_path / "run.npz")
    assert_array_equal(learned(again), learned(whole))


def test_ctrl_c_keeps_the_best_step_of_lbfgs(monkeypatch):
    calls, whole = [], DenseNet.value_gradient
    values = []

    def interrupted(self, *args):
        calls.append(1)
        if len(calls) == 12:
            raise KeyboardInterrupt
        answer = whole(self, *args)
        values.append(answer[0])
        return answer

    monkeypatch.setattr(DenseNet, "value_gradient", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = MLPClassifier(5, solver="lbfgs", scale="standard", random_state=0).fit(X, y)
    assert model.loss_ == min(values)
    monkeypatch.undo()
    assert model.score(X, y) > 0.8


def test_ctrl_c_in_the_first_pass_of_a_tabular_network(monkeypatch):
    def interrupted(self, *args):
        raise KeyboardInterrupt

    monkeypatch.setattr(TabularNetwork, "epoch", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = TabularNetClassifier(random_state=0).fit(X, y)
    assert model.n_iter_ == 0 and model.predict_proba(X[:3]).shape == (3, 2)


def test_long_passes_are_made_in_parts(monkeypatch):
    """So that Ctrl-C is heard; the weights are those of one call."""
    settings = {
        "hidden_layer_sizes": 5,
        "dropout": 0.1,
        "scale": "standard",
        "max_iter": 3,
        "random_state": 0,
    }
    settings |= {"learning_rate": "cosine", "batch_size": 16}
    whole = MLPClassifier(**settings).fit(X, y)
    monkeypatch.setattr("assay.neural.dense_net.PRODUCTS_AT_ONCE", 30_000)
    parts = MLPClassifier(**settings).fit(X, y)
    assert_array_equal(learned(parts), learned(whole))
    np.testing.assert_allclose(parts.loss_, whole.loss_, rtol=1e-12)
