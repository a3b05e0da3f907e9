"""Every figure of the gallery is drawn, and its numbers are the books'."""

import itertools
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import SCRIPTS, draw, draw_and_count


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_draws(name):
    variables, figures = draw_and_count(name)
    assert figures >= 1
    assert variables["__doc__"].strip().splitlines()[1].startswith("===")


@pytest.mark.capability("IML-3-18")
def test_boundaries_of_the_loss_figure():
    """IML figure 3-2 with N(-2, 1) and N(2, 1): 0; -0.1732868; reject from -0.5493061 to 0.3465736."""
    regions = draw("plot_losses_and_reject.py")["regions"]
    assert_allclose([r.high for r in regions["equal losses"][:-1]], [0], atol=1e-7)
    assert_allclose([r.high for r in regions["losses 10 and 5"][:-1]], [-0.1732868], atol=1e-7)
    assert_allclose(
        [r.high for r in regions["with reject at cost 1"][:-1]], [-0.5493061, 0.3465736], atol=1e-7
    )


@pytest.mark.capability("IML-4-12")
def test_acceptance_of_the_risk_figure():
    """IML figure 4-3 with N(-2, 1) and N(2, sd 2), reject at 0.2: C1 is accepted from -5.627395 to -1.039272."""
    variables = draw("plot_univariate_gaussians.py")
    (accepted,) = variables["accepted"]
    assert_allclose([accepted.low, accepted.high], [-5.627395, -1.039272], atol=1e-6)
    assert_allclose(variables["models"]["equal spreads"].boundaries(-10, 10), [0], atol=1e-9)


@pytest.mark.capability("C3-39")
def test_fisher_direction_separates_better_than_the_bad_one():
    """C3 figure 3-13: the projected classes overlap on the bad axis and part on the good one."""
    v = draw("plot_projection.py")
    X, y = v["X"], v["y"]

    def separation(direction):
        z = X @ direction
        a, b = z[y == 0], z[y == 1]
        return abs(a.mean() - b.mean()) / np.sqrt(a.var() + b.var())

    assert separation(v["good"]) > 5 * separation(v["bad"])


@pytest.mark.capability("BC-45")
def test_naive_bayes_graph_is_a_star():
    """BC figure 5.4.1: one edge from the class to each column, none between columns."""
    v = draw("plot_naive_bayes_graph.py")
    assert v["edges"] == [("play", name) for name in ["outlook", "temperature", "humidity", "windy"]]
    shown = [text.get_text() for text in v["axis"].texts]
    assert {"play", "outlook", "temperature", "humidity", "windy", "0.25 bits"} <= set(shown)
    assert sum(text.endswith("bits") for text in shown) == 4


@pytest.mark.capability("IML-5-10")
def test_long_axis_follows_the_sign_of_the_covariance():
    """IML figure 5-2: the axis rises for positive and falls for negative covariance."""
    axes = draw("plot_bivariate_normals.py")["major_axis"]
    assert np.prod(axes["positive covariance"]) > 0 > np.prod(axes["negative covariance"])


@pytest.mark.capability("IML-5-22")
def test_boundary_type_follows_the_covariance_assumption():
    """IML figures 5-3 to 5-7: quadratic for different covariances, linear for shared ones."""
    v = draw("plot_covariance_boundaries.py")
    for name, model in v["models"].items():
        score = np.diff(model.predict_log_proba(v["grid"]), axis=1)
        linear = np.column_stack([np.ones(len(v["grid"])), v["grid"]])
        residual = score[:, 0] - linear @ np.linalg.lstsq(linear, score[:, 0])[0]
        straight = np.abs(residual).max() < 1e-8 * np.abs(score).max()
        assert straight == ("quadratic" not in name), name


def test_copies_of_a_column_make_naive_bayes_overconfident():
    """DC 10.5.1.2: probabilities move to 0 and 1, labels hardly change."""
    v = draw("plot_duplicated_column.py")
    sure = {times: np.mean(np.maximum(p, 1 - p)) for times, p in v["posteriors"].items()}
    assert sure[1] < sure[2] < sure[5] < sure[20]
    assert np.mean(v["labels"][20] != v["labels"][1]) < 0.05


@pytest.mark.capability("IML-3-06")
def test_rejecting_rows_lowers_the_error_of_the_others():
    v = draw("plot_error_and_reject.py")
    curve = v["curve"]
    some = np.searchsorted(curve.rejected, 0.2)
    assert curve.rejected[0] == 0 and curve.error[some] < curve.error[0] / 2


@pytest.mark.capability("IML-9-01", "IML-9-02")
def test_tree_of_the_unit_square():
    """IML figure 9-1 on the 20 x 20 grid: x1 > 0.5, then x2 > 0.5, two tests, three leaves, thresholds exact."""
    model = draw("plot_tree_and_partition.py")["model"]
    assert (model.tree_.node_count, model.get_n_leaves(), model.get_depth()) == (5, 3, 2)
    assert model.tree_.feature[[0, 2]].tolist() == [0, 1]
    assert_allclose(model.tree_.threshold[[0, 2]], [0.5, 0.5], rtol=1e-12)
    assert model.rules().disjunctions().startswith("IF (x1 <= 0.5) OR (x1 > 0.5 AND x2 <= 0.5) THEN C1")


@pytest.mark.capability("IML-9-02")
def test_impurity_curves_meet_the_book_s_table():
    """IML figure 9-2: at p = 0.2 entropy 0.721928, Gini index 0.32, error 0.2."""
    display = draw("plot_tree_impurities.py")["display"]
    at = {name: float(np.interp(0.2, display.p, curve)) for name, curve in display.curves.items()}
    assert_allclose([at["entropy"], at["gini"], at["error"]], [0.721928, 0.32, 0.2], atol=1e-6)


@pytest.mark.capability("IML-9-02")
def test_smaller_error_thresholds_refine_the_regression_tree():
    """IML figures 9-4 and 9-5: more leaves, and rows that part in a tree part in all finer ones."""
    v = draw("plot_tree_regression.py")
    models = [v["models"][t] for t in v["thresholds"]]
    leaves = [model.get_n_leaves() for model in models]
    assert v["thresholds"] == sorted(v["thresholds"], reverse=True) and leaves[0] < leaves[1] < leaves[2]
    for coarse, fine in itertools.pairwise(models):
        pairs = {(f, c) for f, c in zip(fine.apply({"x": v["grid"]}), coarse.apply({"x": v["grid"]}))}
        assert len(pairs) == fine.get_n_leaves()  # each fine leaf lies in one coarse leaf
    for model, threshold in zip(models, v["thresholds"]):
        assert np.all(model.tree_.impurity[model.tree_.is_leaf] < threshold)


@pytest.mark.capability("IML-9-02")
def test_one_oblique_test_replaces_a_staircase():
    """IML figure 9-8 and section 9.6: 19 leaves against one test with two leaves on the 10 x 10 grid."""
    v = draw("plot_tree_oblique.py")
    upright, oblique = v["models"].values()
    assert (upright.get_n_leaves(), oblique.get_n_leaves()) == (19, 2)
    assert upright.score(v["X"], v["y"]) == oblique.score(v["X"], v["y"]) == 1


@pytest.mark.capability("DC-33")
def test_charity_figures_hold_all_people():
    """DC figure 10.3: leaves of 4, 1, 1 and 5 people, all pure; the oblique side is above 2 for donors only."""
    v = draw("plot_tree_charity.py")
    sizes = {tuple(names.replace("\n", ", ").split(", ")) for names in v["people"].values()}
    assert sizes == {
        ("Nancy", "Jim", "Jane", "Steve"),
        ("Allen",),
        ("Mary",),
        ("Peter", "Sayani", "Lata", "Victor", "Dale"),
    }
    answers = v["tree"].predict(v["X"])[:, 1]
    assert ((answers == 1) == (v["y"] == "Y")).all()
    assert ((v["oblique"] > 2) == (v["y"] == "Y")).all()
    book = [1.16, 1.36, 2.08, 1.86, 1.48, 2.14, 2.46, 2.60, 1.68, 2.58, 2.28]
    assert_allclose(v["oblique"], book, atol=0.005)


@pytest.mark.capability("DC-33")
def test_deeper_trees_and_more_rows_follow_the_border_better():
    """DC 10.3.3: from 5000 rows each depth is better than the one before; from 50 rows depth 8 stays rough."""
    errors = draw("plot_tree_boundaries.py")["errors"]
    for concept in ("diagonal", "circle"):
        assert errors[concept, 5000, 8] < errors[concept, 5000, 4] < errors[concept, 5000, 2]
        assert errors[concept, 50, 8] > 3 * errors[concept, 5000, 8]


def test_boosting_widens_the_margins():
    """IML 17.7: the share of rows with a margin of at most 0.2 falls from round to round; the bound holds."""
    v = draw("plot_boosting_margins.py")
    close = [np.mean(rho <= 0.2) for rho in v["shown"].values()]
    assert close[0] > close[1] > close[2]
    training = v["staged"].errors["training"]
    assert (training <= v["bound"][: len(training)] + 1e-12).all() and training[-1] == 0


def test_importances_of_a_forest_add_up_to_one():
    display = draw("plot_forest_importances.py")["display"]
    assert_allclose(display.importances.sum(), 1, rtol=1e-9)
    assert (display.spread > 0).any()
    assert display.names[display.order_[0]].startswith(("worst", "mean"))


def test_the_simple_model_wins_with_few_rows_and_the_right_one_with_many():
    """IML 4.10, exercise 8: five rows of a cubic with strong noise; and the same for discriminants."""
    v = draw("plot_small_samples.py")
    line, cubic = v["errors"][1], v["errors"][3]
    assert v["rows"][0] == 5 and cubic[0] > 2 * line[0]  # not by a hair
    assert cubic[-1] < line[-1] / 2
    linear, quadratic = v["wrong"]["linear"], v["wrong"]["quadratic"]
    assert quadratic[0] > linear[0] + 0.02 and quadratic[-1] < linear[-1] - 0.02


def test_kernels_of_the_shapes_figure_are_kernels():
    """All nine matrices are positive semidefinite; a missing age is as near to 28 as ages are on average."""
    variables = draw("plot_kernels.py")
    assert len(variables["reports"]) == 9 and all(report.psd for report in variables["reports"].values())
    ages = variables["mixed"]["age"]
    assert_allclose(ages[4, 3], ages[:4, 3].mean(), rtol=1e-12)


@pytest.mark.capability("IML-13-36")
def test_a_narrow_kernel_follows_the_noise_and_a_wide_tube_needs_few_rows():
    """Figures 13-6 to 13-9: C = 10, epsilon = 0.25; the rows outside the wide tube are fewer."""
    v = draw("plot_regression_tubes.py")
    panels = {ax.get_title(loc="left"): ax for ax in v["axes"].flat[1:]}
    counts = {}
    for title, ax in panels.items():
        texts = [text.get_text().split(maxsplit=1) for text in ax.get_legend().get_texts()]
        counts[title.split(":")[0], title[-4:]] = {words: int(number) for number, words in texts}
    smooth, narrow = counts["Gaussian, variance 5", "0.25"], counts["Gaussian, variance 0.1", "0.25"]
    wide = counts["Gaussian, variance 5", " 0.8"]
    assert narrow["outside"] < smooth["outside"] / 2
    assert wide["inside the tube"] > 2 * smooth["inside the tube"]


@pytest.mark.capability("IML-13-39")
def test_a_narrower_kernel_describes_the_rows_more_closely():
    """Figures 13-10 and 13-11: fewer rows outside, more on the boundary; both gross errors are outside there."""
    v = draw("plot_one_class_balls.py")
    labels = [[text.get_text().split()[0] for text in ax.get_legend().get_texts()] for ax in v["axes"]]
    edge, outside = np.array(labels, dtype=int).T
    assert (np.diff(edge) > 0).all() and (np.diff(outside) < 0).all()
    assert (v["model"].predict(v["rows"])[-2:] == -1).all()


@pytest.mark.capability("IML-13-18", "DC-85")
def test_margins_bend_with_the_kernel_and_the_narrowest_needs_most_rows():
    """Figures 13-1, 13-2, 13-4 and 13-5 (IML), 10.7 (Data Classification)."""
    v = draw("plot_support_vectors.py")
    assert (v["hard"].decision_function(v["apart"]) * np.where(v["two"] == "right", 1, -1)).min() > 0.999
    titles = [ax.get_title(loc="left") for ax in v["axes"].flat]
    assert titles[0] == "hard margin" and titles[-1] == "Gaussian kernel, variance 0.1"
    rings = [
        sum(len(c.get_offsets()) for c in ax.collections if c.get_zorder() == 4) for ax in v["axes"].flat
    ]
    assert rings[0] <= 3 < rings[1] and rings[1] > rings[2] and rings[7] > rings[4]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_figure_is_drawn_in_one_piece(name):
    """The gallery takes each picture at the end of the block that makes it: what comes later is not in it."""
    begun: set[str] = set()
    for block in re.split(r"^# %%.*$|^#{20,}$", SCRIPTS[name].read_text(), flags=re.MULTILINE):
        made = re.findall(r"^(.*?) = plt\.(?:subplots|figure)", block, flags=re.MULTILINE)
        names = set(re.findall(r"\w+", " ".join(made)))
        used = {name for name in begun if re.search(rf"(?<![\w.]){name}\b[\[.,)]", block)}
        assert used <= names, f"{name}: {used} of an earlier block"
        begun |= names
