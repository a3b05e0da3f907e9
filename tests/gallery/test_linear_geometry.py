"""The figures of linear discriminants show what the books say of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("BC-09", "BC-06")
def test_the_foot_in_space_lies_on_the_plane_along_the_normal():
    """BC figure 5.2.1: x = foot + r w / |w|."""
    v = draw("plot_plane_in_space.py")
    plane, x, foot = v["plane"], v["x"], v["foot"]
    assert_allclose(plane.score(foot), 0, atol=1e-12)
    assert_allclose(foot + v["distance"] * plane.normal / plane.length, x, rtol=1e-12)
    drawn = np.column_stack([v[name].ravel() for name in ("a", "b", "height")])
    assert_allclose(plane.score(drawn), np.zeros(len(drawn)), atol=1e-12)


@pytest.mark.capability("IML-10-06", "IML-10-05")
def test_distances_of_the_line_figure():
    """IML figures 10-1 and 10-2: r = 2.8, r0 = -2, foot (2.32, 0.76); the three points' feet lie on the line."""
    v = draw("plot_line_and_distances.py")
    assert_allclose(v["foot"], [2.32, 0.76], rtol=1e-12)
    assert_allclose([v["plane"].distance(v["x"]), v["plane"].origin_distance], [2.8, -2.0], rtol=1e-12)
    for point, drawn in zip(v["points"], v["display"].distances_):
        ends = drawn.get_xydata()
        assert_allclose(ends[0], point)
        assert_allclose(v["model"].decision_function(ends[1:]), [0], atol=1e-9)


@pytest.mark.capability("IML-10-06", "IML-10-07", "IML-10-08")
def test_pairs_part_what_one_against_the_rest_cannot():
    """IML figures 10-3 and 10-4: refusals where none or several say yes; pairwise no error and no refusal."""
    v = draw("plot_rest_and_pairs.py")
    assert (v["pairwise"].predict(v["X_row"]) == v["y_row"]).all()
    middle = v["y_row"] == "C2"
    assert np.mean(v["row_rest"].predict(v["X_row"])[middle] != "C2") > 0.5
    grid = np.random.default_rng(0).uniform(-2, 5, (2000, 2))
    yes = (v["careful"].decision_function(grid) > 0).sum(axis=1)
    assert {0, 1, 2} <= set(yes.tolist())
    assert ((v["careful"].predict(grid) == "reject") == (yes != 1)).all()


@pytest.mark.capability("IML-10-06", "IML-10-20")
def test_the_softmax_is_near_one_where_a_discriminant_is_far_above_the_others():
    """IML figures 10-9 and 10-10."""
    v = draw("plot_three_discriminants.py")
    g, P = v["scores"].reshape(-1, 3), v["posterior"].reshape(-1, 3)
    assert_allclose(P, np.exp(g) / np.exp(g).sum(axis=1, keepdims=True), rtol=1e-9)
    top = np.sort(g, axis=1)
    assert P.max(axis=1)[top[:, 2] - top[:, 1] > 5].min() > 0.98
    assert len(v["display"].lines_) == 3 and len(v["display"].normals_) == 3


@pytest.mark.capability("IML-10-06", "IML-10-23")
def test_two_orders_have_directions_close_to_two_axes():
    """IML figure 10-11."""
    v = draw("plot_ranking_directions.py")
    for (name, ranks), axis in zip(v["orders"].items(), (0, 1)):
        model = v["models"][name]
        assert model.rank(v["X"]).tolist() == ranks
        assert np.argmax(np.abs(model.coef_)) == axis


@pytest.mark.capability("BC-15", "DC-12")
def test_iris_on_its_discriminants():
    """BC 5.2.1: eigenvalues 32.191929 and 0.285391 make shares of 99.1 % and 0.9 %."""
    v = draw("plot_iris_discriminants.py")
    assert_allclose(v["shares"], np.array([32.191929, 0.285391]) / 32.477320, atol=1e-6)
    assert_allclose(v["two"].directions_ @ v["two"].directions_.T, np.eye(2), atol=1e-9)


@pytest.mark.capability("DC-16")
def test_fisher_and_the_first_component_agree_along_the_long_axis_only():
    """DC figure 10.2."""
    along, across = draw("plot_fisher_and_pca.py")["angles"].values()
    assert along < 10 and across > 75


@pytest.mark.capability("BC-18")
def test_good_and_bad_projection():
    """BC figure 5.2.3: on the bad direction the classes overlap, on Fisher's they part."""
    v = draw("plot_projection.py")
    z = {name: v["X"] @ v[name] for name in ("good", "bad")}

    def overlap(z):
        """The least share of rows on the wrong side of any threshold."""
        cuts = np.sort(z)
        return min(min(np.mean((z > t) == (v["y"] == k)) for t in cuts) for k in (0, 1))

    assert overlap(z["good"]) < 0.1 < 0.3 < overlap(z["bad"])


def test_far_rows_on_the_right_side_hurt_least_squares_only():
    """BC 5.2: errors among the near rows."""
    errors = draw("plot_least_squares_and_outliers.py")["errors"]
    assert errors["least squares", "with"] > errors["least squares", "without"] + 2
    assert errors["logistic regression", "with"] <= errors["logistic regression", "without"] + 1
