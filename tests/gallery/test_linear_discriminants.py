"""The figures of linear discriminants: their numbers are the books'."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.gallery.drawing import draw


@pytest.mark.capability("LS-11")
def test_a_line_for_each_correction_and_the_errors_of_the_pocket():
    """LS-2: ten corrections of two columns; the pocket has two errors from correction 374 on."""
    v = draw("plot_perceptron_and_pocket.py")
    assert v["model"].n_updates_ == len(v["lines"]) == 10
    assert len(v["drawn"]) == 10  # all of them cross the picture
    assert_array_equal(v["steps"][-1], [374, 2])
    assert v["film_bytes"] > 1000
    errors, pocket = (line.get_ydata() for line in v["right"].lines)
    assert len(errors) == 501
    assert_array_equal(np.minimum.accumulate(errors)[v["steps"][:, 0].astype(int)], v["steps"][:, 1])
    assert pocket[-1] == 2


@pytest.mark.capability("LS-16", "DC-76")
def test_upper_bounds_lie_above_the_error():
    v = draw("plot_linear_losses.py")
    curves = v["display"].curves
    for name in ("hinge", "scaled_log_loss", "squared_error", "exponential"):
        assert (curves[name] >= curves["zero_one"]).all()
    assert set(v["four"].curves) == {"zero_one", "log_loss", "hinge", "squared_error", "perceptron"}
    m = v["four"].margin
    assert_allclose(v["four"].curves["log_loss"], np.log1p(np.exp(-m)), rtol=1e-12)
    assert_allclose(v["four"].curves["hinge"], np.maximum(0, 1 - m), atol=1e-12)
    assert_allclose(v["four"].curves["squared_error"], (1 - m) ** 2, atol=1e-12)
    assert_array_equal(v["four"].curves["zero_one"], m <= 0)


@pytest.mark.capability("BC-26")
def test_units_have_their_inputs_their_sum_and_their_activation():
    v = draw("plot_units.py")
    assert v["arrows"] == {"perceptron": 4, "logistic unit": 4}
    words = [{text.get_text() for text in ax.texts} for ax in v["axes"]]
    assert {"1", "x1", "x2", "xd", "w0", "Σ", "sign"} <= words[0] and {"Σ", "σ"} <= words[1]
    assert_array_equal(v["units"]["perceptron"][1](np.array([-1.0, 0.0, 1.0])), [-1, 1, 1])


@pytest.mark.capability("BC-29", "IML-10-20")
def test_the_sigmoid_hardens():
    """BC figure 5.3.1: 0.5 at 0. IML figure 10-7: the boundary is 1.332901, then 1.455076."""
    v = draw("plot_logistic_evolution.py")
    a, y = v["first"].lines[0].get_data()
    assert_allclose(
        np.interp([-10, 0, 10], a, y), [1 / (1 + np.exp(10)), 0.5, 1 / (1 + np.exp(-10))], rtol=1e-9
    )
    w = np.array([v["kept"][iteration] for iteration in (10, 100, 1000)])
    assert_allclose(-w[1:, 0] / w[1:, 1], [1.332901, 1.455076], atol=6e-7)
    assert (np.diff(w[:, 1]) > 0).all()
    assert_allclose(w[0], [-0.475217, 0.774329], atol=6e-7)


@pytest.mark.capability("BC-25")
def test_xor_in_both_spaces():
    """BC figure 5.2.5: the positive quadrants of the cross, and phi_2 = 0 beside other separators."""
    v = draw("plot_xor.py")
    assert_array_equal(v["phi"], [[-1, 1], [-1, -1], [1, -1], [1, 1]])
    assert_array_equal(v["rule"].coef_, [[0, -2]])
    for model in (v["rule"], *v["others"]):
        assert model.score(v["phi"], v["y"]) == 1
    corners = {tuple(patch.get_xy()) for patch in v["left"].patches}
    assert corners == {(-0.5, 0.5), (0.5, -0.5)}


@pytest.mark.capability("BC-10")
def test_several_lines_separate_one_set():
    """BC figure 5.2.2: at least three different ones."""
    v = draw("plot_several_separators.py")
    sides = np.where(v["y"] == 1, 1, -1)
    normals = []
    for plane in v["planes"].values():
        assert (sides * plane.score(v["X"]) > 0).all()
        normals.append(np.append(plane.normal, plane.offset) / plane.length)
    distinct = {tuple(np.round(normal, 3)) for normal in normals}
    assert len(distinct) == 4


@pytest.mark.capability("DC-75")
def test_the_probability_is_a_half_on_the_line_and_rises_with_the_distance():
    """DC figure 10.6, and the optimum of DC 10.5.2.1."""
    v = draw("plot_distance_and_probability.py")
    plane = v["plane"]
    assert_allclose([plane.offset, *plane.normal], [-1.564888, 0.697009, 1.066176], atol=2e-6)
    assert_allclose(1 / (1 + np.exp(-plane.score(v["feet"]))), 0.5, atol=1e-12)
    order = np.argsort(plane.distance(v["X"]))
    assert (np.diff(v["probability"][order]) > 0).all()


@pytest.mark.capability("C3-21")
def test_newton_is_there_when_gradient_descent_has_hardly_begun():
    """C3 3.1.3: Newton's losses; the optimum is 5.949273."""
    v = draw("plot_newton_and_gradient.py")
    losses = [record.value for record in v["ways"]["Newton"].history]
    assert_allclose(
        losses[:6], [69.31471806, 23.82333909, 13.70539044, 9.32750128, 7.32996449, 6.42656251], atol=1e-7
    )
    assert_allclose(losses[-1], 5.9492734, atol=1e-7)
    assert min(v["ways"][name].value for name in v["ways"] if name != "Newton") > 8


def test_wrong_labels_lead_the_perceptron_astray_and_the_others_hardly():
    """DC 10.7.3: 5 % of the labels turned round."""
    v = draw("plot_label_noise.py")
    assert len(v["rows"]) == 10 and not any(
        v["models"][seed, 1, "perceptron"].converged_ for seed in range(30)
    )
    middle = {name: np.median(errors, axis=0) for name, errors in v["errors"].items()}
    assert middle["perceptron"][1] > 3 * middle["perceptron"][0]
    for name in ("logistic regression", "Fisher", "hinge with margin"):
        assert middle[name][1] < middle[name][0] + 0.002
        assert v["errors"][name].max() < 0.02 < v["errors"]["perceptron"].max()
