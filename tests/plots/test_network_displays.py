"""Pictures of networks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from assay.errors import DataError, ParameterError
from assay.neural import (
    Convolution,
    Dense,
    MLPClassifier,
    Network,
    TabularNetClassifier,
    backpropagation,
    boolean_network,
)
from assay.plots import (
    ComponentPicturesDisplay,
    HiddenUnitsDisplay,
    NetworkDisplay,
    SaliencyDisplay,
    TrainingDisplay,
    WeightsDisplay,
)


@pytest.fixture(scope="module")
def digits_model():
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier(6, max_iter=15, learning_rate="cosine", learning_rate_init=0.01, random_state=0)
    return model.fit(X[:500] / 16, y[:500])


@pytest.mark.capability("IML-11-03")
def test_units_and_weights_are_drawn():
    display = NetworkDisplay.from_estimator(boolean_network([0, 1, 1, 0]), row=[1, 0])
    assert [len(place) for place in display.places_] == [2, 2, 1]
    drawn = {text.get_text() for text in display.ax_.texts}
    assert {"x1", "x2", "y1", "+1", "-0.5", "1", "-1"} <= drawn
    lines = [line for line in display.ax_.lines if len(line.get_xdata()) == 2]
    assert len(lines) == 9  # 4 + 2 weights and 2 + 1 biases, none of them 0
    perceptron = NetworkDisplay.of(Network([Dense(1, "threshold")], 2).load([[1], [1]], [-1.5])).plot()
    assert perceptron.sizes == [2, 1]
    with pytest.raises(ParameterError, match="no network of Dense layers"):
        NetworkDisplay.of(Network([Convolution(1, 3)], (8, 1)))
    several = TabularNetClassifier((4,), 2, max_iter=1, random_state=0).fit(np.eye(8), [0, 1] * 4)
    with pytest.raises(ParameterError, match="TabularNetClassifier is no fitted multilayer perceptron"):
        NetworkDisplay.of(several)


@pytest.mark.capability("IML-11-03")
def test_large_layers_are_cut(digits_model):
    display = NetworkDisplay.from_estimator(digits_model)
    assert [len(place) for place in display.places_] == [14, 6, 10]
    assert "..." in {text.get_text() for text in display.ax_.texts}


@pytest.mark.capability("IML-11-17")
def test_errors_against_passes_and_hidden_units():
    x = np.linspace(-0.5, 0.5, 20)[:, None]
    net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0, start=0.01)
    training = backpropagation(
        net, x, np.sin(6 * x), epochs=20, validation=(x, np.sin(5 * x)), random_state=0
    )
    display = TrainingDisplay.from_history(training.history, rows=20)
    assert display.best("validation")[0] == training.best
    assert_allclose(display.ax_.lines[0].get_ydata(), [r.error / 20 for r in training.history])
    sizes = TrainingDisplay([1, 2, 5], {"training": [3, 2, 1], "validation": [3, 2, 4]}, label="hidden units")
    assert sizes.plot(log=True).ax_.get_xlabel() == "hidden units"
    with pytest.raises(DataError, match="a value for each step"):
        TrainingDisplay([1, 2], {"training": [1]})


@pytest.mark.capability("IML-11-17")
def test_hidden_units_taken_apart():
    net = Network([Dense(2, "logistic"), Dense(1)], 1, random_state=0)
    display = HiddenUnitsDisplay(net, -0.5, 0.5, ([0.0], [1.0])).plot()
    assert_allclose(display.parts.sum(axis=1) + net.parts[1]["b"], display.outputs, rtol=1e-12)
    assert_allclose(1 / (1 + np.exp(-display.sums)), display.values, rtol=1e-12)
    assert len(display.axes_) == 3
    with pytest.raises(ParameterError, match="one input"):
        HiddenUnitsDisplay(Network([Dense(2), Dense(1)], 2), 0, 1)


@pytest.mark.capability("IML-11-34")
def test_weights_as_histogram_and_as_templates(digits_model):
    display = WeightsDisplay.from_estimator(digits_model)
    assert len(display.weights) == 64 * 6 + 6 * 10
    assert abs(display.mean_) < 0.5 * display.deviation_  # around 0
    heights = [patch.get_height() * patch.get_width() for patch in display.ax_.patches]
    assert_allclose(sum(heights), 1.0)
    templates = ComponentPicturesDisplay(digits_model.coefs_[0].T)
    assert templates.shape == (8, 8) and len(templates.vectors) == 6


def test_scores_of_validation_rows_have_an_axis_of_their_own():
    X, y = load_digits(n_class=3, return_X_y=True)
    model = MLPClassifier(6, early_stopping=True, max_iter=8, random_state=0, tol=0.5, n_iter_no_change=20)
    with pytest.warns(UserWarning, match="Maximum iterations"):
        model.fit(X, y)
    display = TrainingDisplay.from_history(model.history_)
    assert_allclose(display.score_ax_.lines[0].get_ydata(), model.validation_scores_)
    assert display.score_ax_.lines[1].get_xdata()[0] == 1 + np.argmax(model.validation_scores_)
    assert {"training", "validation score (right)"} == {t.get_text() for t in display.ax_.get_legend().texts}


def test_pixels_that_speak_for_an_answer():
    """A picture whose answer hangs on one pixel: all that is added is added there."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(200, 9)).astype(float)
    model = MLPClassifier((), learning_rate="cosine", learning_rate_init=0.1, random_state=0).fit(X, X[:, 4])
    display = SaliencyDisplay.from_estimator(model, X[:3])
    assert display.shape == (3, 3) and len(display.axes_) == 6
    shown = np.array([np.asarray(axis.images[0].get_array()) for axis in display.axes_[3:]])
    assert (np.abs(shown).reshape(3, 9).argmax(axis=1) == 4).all()
    assert_allclose(shown.reshape(3, 9), model.explain(X[:3]).contributions().of_answers()[0])
    with pytest.raises(ParameterError, match=r"no square.*shape="):
        SaliencyDisplay(X[:, :8], X[:, :8])
    with pytest.raises(DataError, match="do not fill 2 x 4"):
        SaliencyDisplay(X, X, (2, 4))
