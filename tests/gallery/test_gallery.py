"""Every figure of the gallery is drawn, and its numbers are the books'."""

import pathlib
import runpy

import numpy as np
import pytest
from numpy.testing import assert_allclose

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"
SCRIPTS = sorted(path.name for path in GALLERY.glob("plot_*.py"))


def draw(name):
    """Run a script without a screen; returns its variables and how many figures it drew."""
    import matplotlib.pyplot as plt

    plt.close("all")
    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        variables = runpy.run_path(str(GALLERY / name))
    figures = len(plt.get_fignums())
    plt.close("all")
    return variables, figures


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_draws(name):
    variables, figures = draw(name)
    assert figures >= 1
    assert variables["__doc__"].strip().splitlines()[1].startswith("===")


@pytest.mark.capability("IML-3-18")
def test_boundaries_of_the_loss_figure():
    """IML figure 3-2 with N(-2, 1) and N(2, 1): 0; -0.1732868; reject from -0.5493061 to 0.3465736."""
    regions = draw("plot_losses_and_reject.py")[0]["regions"]
    assert_allclose([r.high for r in regions["equal losses"][:-1]], [0], atol=1e-7)
    assert_allclose([r.high for r in regions["losses 10 and 5"][:-1]], [-0.1732868], atol=1e-7)
    assert_allclose(
        [r.high for r in regions["with reject at cost 1"][:-1]], [-0.5493061, 0.3465736], atol=1e-7
    )


@pytest.mark.capability("IML-4-12")
def test_acceptance_of_the_risk_figure():
    """IML figure 4-3 with N(-2, 1) and N(2, sd 2), reject at 0.2: C1 is accepted from -5.627395 to -1.039272."""
    variables = draw("plot_univariate_gaussians.py")[0]
    (accepted,) = variables["accepted"]
    assert_allclose([accepted.low, accepted.high], [-5.627395, -1.039272], atol=1e-6)
    assert_allclose(variables["models"]["equal spreads"].boundaries(-10, 10), [0], atol=1e-9)


@pytest.mark.capability("C3-39")
def test_fisher_direction_separates_better_than_the_bad_one():
    """C3 figure 3-13: the projected classes overlap on the bad axis and part on the good one."""
    v = draw("plot_projection.py")[0]
    X, y = v["X"], v["y"]

    def separation(direction):
        z = X @ direction
        a, b = z[y == 0], z[y == 1]
        return abs(a.mean() - b.mean()) / np.sqrt(a.var() + b.var())

    assert separation(v["good"]) > 5 * separation(v["bad"])


@pytest.mark.capability("BC-45")
def test_naive_bayes_graph_is_a_star():
    """BC figure 5.4.1: one edge from the class to each column, none between columns."""
    v = draw("plot_naive_bayes_graph.py")[0]
    assert v["edges"] == [("play", name) for name in ["outlook", "temperature", "humidity", "windy"]]


@pytest.mark.capability("IML-5-10")
def test_long_axis_follows_the_sign_of_the_covariance():
    """IML figure 5-2: the axis rises for positive and falls for negative covariance."""
    axes = draw("plot_bivariate_normals.py")[0]["major_axis"]
    assert np.prod(axes["positive covariance"]) > 0 > np.prod(axes["negative covariance"])


@pytest.mark.capability("IML-5-22")
def test_boundary_type_follows_the_covariance_assumption():
    """IML figures 5-3 to 5-7: quadratic for different covariances, linear for shared ones."""
    v = draw("plot_covariance_boundaries.py")[0]
    for name, model in v["models"].items():
        score = np.diff(model.predict_log_proba(v["grid"]), axis=1)
        linear = np.column_stack([np.ones(len(v["grid"])), v["grid"]])
        residual = score[:, 0] - linear @ np.linalg.lstsq(linear, score[:, 0])[0]
        straight = np.abs(residual).max() < 1e-8 * np.abs(score).max()
        assert straight == ("quadratic" not in name), name


def test_copies_of_a_column_make_naive_bayes_overconfident():
    """DC 10.5.1.2: probabilities move to 0 and 1, labels hardly change."""
    v = draw("plot_duplicated_column.py")[0]
    sure = {times: np.mean(np.maximum(p, 1 - p)) for times, p in v["posteriors"].items()}
    assert sure[1] < sure[2] < sure[5] < sure[20]
    assert np.mean(v["labels"][20] != v["labels"][1]) < 0.05


def test_rejecting_rows_lowers_the_error_of_the_others():
    v = draw("plot_error_and_reject.py")[0]
    curve = v["curve"]
    assert curve.risk[np.searchsorted(curve.coverage, 0.8)] < curve.risk[-1]
