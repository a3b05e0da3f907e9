"""Measures with intervals: agreement with known formulas, coverage, edges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from assay.errors import DataError, ParameterError
from assay.metrics import measures, rates
from assay.metrics.delong import auc_interval
from assay.metrics.intervals import with_interval

RNG = np.random.default_rng(8)
Y = RNG.integers(3, size=150)
Z = np.where(RNG.random(150) < 0.75, Y, RNG.integers(3, size=150))
W = RNG.random(150) + 0.2


def pair(e):
    return e.low, e.high


def test_shares_have_wilson_s_interval(cancer):
    """Peer: statsmodels 0.15; the accuracy of the logistic regression is 111 of 114 rows."""
    found = with_interval("accuracy", cancer.truth, cancer.logistic)
    assert_allclose(pair(found), proportion_confint(111, 114, method="wilson"), rtol=1e-9)
    assert str(found) == "0.9737 (0.9255 to 0.9910, Wilson)"
    for name, hits, rows in (
        ("recall", 64, 66),
        ("precision", 64, 65),
        ("specificity", 47, 48),
        ("jaccard", 64, 67),
        ("error", 3, 114),
    ):
        assert_allclose(
            pair(with_interval(name, cancer.truth, cancer.logistic)),
            proportion_confint(hits, rows, method="wilson"),
        )
    low, high = proportion_confint(64, 67, method="wilson")
    assert_allclose(
        pair(with_interval("f1", cancer.truth, cancer.logistic)), (2 * low / (1 + low), 2 * high / (1 + high))
    )
    malignant = with_interval("recall", cancer.truth, cancer.logistic, pos_label=0)
    assert_allclose(pair(malignant), proportion_confint(47, 48, method="wilson"))
    assert_allclose(malignant.value, 0.9791666667, atol=5e-11)


def test_delta_method_has_the_known_error_of_kappa():
    """Peer: statsmodels' cohens_kappa, Fleiss, Cohen and Everitt's standard error, here on Fisher's scale."""
    table = peer.confusion_matrix(Y, Z)
    told = cohens_kappa(table)
    found = with_interval("kappa", Y, Z)
    assert_allclose(found.value, told.kappa, rtol=1e-12)
    z, half = np.arctanh(told.kappa), 1.959963984540054 * told.std_kappa / (1 - told.kappa**2)
    assert_allclose(pair(found), np.tanh([z - half, z + half]), rtol=1e-6)
    told = cohens_kappa(table, wt="quadratic")
    found = with_interval("kappa", Y, Z, weights="quadratic")
    z, half = np.arctanh(told.kappa), 1.959963984540054 * told.std_kappa / (1 - told.kappa**2)
    assert_allclose(pair(found), np.tanh([z - half, z + half]), rtol=1e-6)


def test_means_over_classes_square_and_add_wilson_s_intervals():
    """Newcombe (1998), method 10, with the intervals of statsmodels; balanced error and Youden's index mirror it."""
    hits, rows = np.array([np.sum((k == Y) & (k == Z)) for k in range(3)]), np.bincount(Y)
    low, high = np.array([proportion_confint(h, n, method="wilson") for h, n in zip(hits, rows)]).T
    R = hits / rows
    down, up = np.sqrt(np.sum((R - low) ** 2)) / 3, np.sqrt(np.sum((high - R) ** 2)) / 3
    found = with_interval("balanced accuracy", Y, Z)
    assert_allclose((found.value, *pair(found)), (R.mean(), R.mean() - down, R.mean() + up), rtol=1e-9)
    error, youden = with_interval("balanced error", Y, Z), with_interval("youden", Y, Z)
    assert_allclose((error.value, *pair(error)), (1 - found.value, 1 - found.high, 1 - found.low), rtol=1e-9)
    assert_allclose(
        (youden.value, *pair(youden)), (3 * np.array([found.value, *pair(found)]) - 1) / 2, rtol=1e-9
    )
    assert_allclose(pair(with_interval("recall", Y, Z)), pair(found))
    assert_allclose(pair(with_interval("precision", Z, Y)), pair(found))


def test_coverage_with_a_rare_class_and_with_many():
    """Recalls .97 and .67 of 26 and 4 rows on average, where the delta method covers 75 %; and 30 classes of 6 rows."""
    rng = np.random.default_rng(9)
    for name, true in (
        ("balanced accuracy", (0.85 / 0.88 + 0.08 / 0.12) / 2),
        ("g-mean", np.sqrt(0.85 / 0.88 * 0.08 / 0.12)),
    ):
        found = [with_interval(name, y, z) for y, z in tables(rng, 30, [0.85, 0.03, 0.04, 0.08], 500)]
        assert 0.91 <= np.mean([e.low <= true <= e.high for e in found if not np.isnan(e.value)]) <= 0.985
    y, inside = np.repeat(np.arange(30), 6), []
    for _ in range(400):
        z = np.where(rng.random(180) < 0.8, y, (y + 1) % 30)
        e = with_interval("balanced accuracy", y, z)
        inside.append(e.low <= 0.8 <= e.high)
    assert 0.91 <= np.mean(inside) <= 0.98


def test_values_are_scikit_learn_s_with_and_without_weights():
    P = RNG.dirichlet(np.ones(3), size=150)
    score = RNG.random(150)
    for w in (None, W):
        more = {"sample_weight": w}
        for name, told in (
            ("accuracy", peer.accuracy_score(Y, Z, **more)),
            ("balanced accuracy", peer.balanced_accuracy_score(Y, Z, **more)),
            ("kappa", peer.cohen_kappa_score(Y, Z, **more)),
            ("matthews", peer.matthews_corrcoef(Y, Z, **more)),
            ("f1", peer.f1_score(Y, Z, average="macro", **more)),
            ("jaccard", peer.jaccard_score(Y, Z, average="macro", **more)),
            ("macro precision", peer.precision_score(Y, Z, average="macro", **more)),
        ):
            found = with_interval(name, Y, Z, **more)
            assert_allclose(found.value, told, rtol=1e-12)
            assert found.low < told < found.high
        for name, told in (
            ("log-loss", peer.log_loss(Y, P, **more)),
            ("brier", peer.brier_score_loss(Y, P, **more)),
            ("auc", peer.roc_auc_score(Y, P, multi_class="ovr", **more)),
            ("average precision", peer.average_precision_score(Y, P, **more)),
        ):
            found = with_interval(name, Y, P, resamples=100, **more)
            assert_allclose(found.value, told, rtol=1e-12)
            assert found.low < told < found.high
        assert_allclose(
            with_interval("auc", Y == 1, score, resamples=100, **more).value,
            peer.roc_auc_score(Y == 1, score, **more),
        )


def test_weights_of_one_change_nothing_and_copies_count_as_rows_do():
    for name in ("accuracy", "kappa", "f1"):
        plain, heavy = with_interval(name, Y, Z), with_interval(name, Y, Z, sample_weight=np.full(150, 2.0))
        assert_allclose(pair(plain), pair(heavy), rtol=1e-6)


@pytest.mark.parametrize(
    "name", ["accuracy", "kappa", "balanced accuracy", "f1 of means", "matthews", "g-mean", "youden"]
)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_resampled_intervals_are_close_to_analytic_ones(name, method):
    known, drawn = with_interval(name, Y, Z), with_interval(name, Y, Z, method=method, resamples=3000)
    assert drawn.value == known.value
    width = known.high - known.low
    assert_allclose(pair(drawn), pair(known), atol=0.2 * width)


def test_area_by_delong_and_by_resampling():
    score = Y + RNG.normal(size=150)
    known, drawn = (
        with_interval("auc", Y == 2, score),
        with_interval("auc", Y == 2, score, method="bca", resamples=4000),
    )
    assert_allclose(pair(known), pair(auc_interval(Y == 2, score)))
    assert_allclose(pair(drawn), pair(known), atol=0.15 * (known.high - known.low))
    gini = with_interval("gini", Y == 2, score)
    assert_allclose((gini.value, *pair(gini)), 2 * np.array([known.value, *pair(known)]) - 1)


def test_any_function_is_resampled_and_the_seed_gives_the_same_rows_for_all():
    ours = with_interval("accuracy", Y, Z, method="percentile", resamples=300)
    theirs = with_interval(lambda y, z: peer.accuracy_score(y, z), Y, Z, method="percentile", resamples=300)
    assert_allclose(pair(ours), pair(theirs), rtol=1e-12)
    known = with_interval(rates.accuracy_score, Y, Z)  # the room's own functions have their names' intervals
    assert known.method == "Wilson"
    bca = with_interval(lambda y, z: float(np.mean(y == z)), Y, Z, resamples=1000)
    assert_allclose(pair(bca), pair(known), atol=0.02)
    heavy = with_interval(peer.accuracy_score, Y, Z, sample_weight=W, resamples=100)
    assert_allclose(heavy.value, peer.accuracy_score(Y, Z, sample_weight=W))
    assert_allclose(
        with_interval("cost", Y, Z, loss={(0, 1): 5}).value, np.mean(np.where((Z == 0) & (Y == 1), 5, Y != Z))
    )


# --- coverage. 600 samples at 95 %: exact coverage leaves 91.8 % to 97.7 % with probability 0.001.


def tables(rng, n, cells, B):
    K = int(np.sqrt(len(cells)))
    for counts in rng.multinomial(n, cells, size=B):
        cell = np.repeat(np.arange(K * K), counts)
        yield cell // K, cell % K


@pytest.mark.parametrize(
    "name", ["accuracy", "f1", "kappa", "matthews", "balanced accuracy", "precision", "recall", "g-mean"]
)
def test_coverage_of_functions_of_the_table(name):
    cells = np.array([0.45, 0.08, 0.07, 0.40])
    true = with_interval(
        name, *(np.repeat(v, (cells * 1e4).astype(int)) for v in ([0, 0, 1, 1], [0, 1, 0, 1]))
    ).value
    inside = [
        e.low <= true <= e.high
        for e in (with_interval(name, y, z) for y, z in tables(np.random.default_rng(1), 80, cells, 600))
    ]
    assert 0.918 <= np.mean(inside) <= 0.977


def test_coverage_near_perfection():
    """Kappa .98 on 100 rows: most samples hold no error at all, and the edge's interval must still reach the truth."""
    cells = np.array([0.495, 0.005, 0.005, 0.495])
    inside = [
        e.low <= 0.98 <= e.high
        for e in (with_interval("kappa", y, z) for y, z in tables(np.random.default_rng(2), 100, cells, 400))
    ]
    assert np.mean(inside) >= 0.918


def test_coverage_of_means_and_of_resampled_measures():
    rng = np.random.default_rng(3)
    true = 0.25 * 1 + 0.0  # cost: an error of 25 % at one each
    inside = {"t": [], "bca": [], "ap": []}
    for _ in range(300):
        y = rng.integers(2, size=120)
        z = np.where(rng.random(120) < 0.25, 1 - y, y)
        e = with_interval("cost", y, z)
        inside["t"].append(e.low <= true <= e.high)
        e = with_interval("kappa", y, z, method="bca", resamples=400)
        inside["bca"].append(e.low <= 0.5 <= e.high)
    assert 0.905 <= np.mean(inside["t"]) <= 0.985
    assert 0.905 <= np.mean(inside["bca"]) <= 0.985


def test_rows_that_belong_together_need_to_be_drawn_together():
    """40 groups of 5 equal rows: the interval of the groups is sqrt(5) times as wide as the rows would have it."""
    rng = np.random.default_rng(4)
    y = np.repeat(rng.integers(2, size=40), 5)
    z = np.repeat(np.where(rng.random(40) < 0.3, 1 - y[::5], y[::5]), 5)
    groups = np.repeat(np.arange(40), 5)
    alone, together = with_interval("accuracy", y, z), with_interval("accuracy", y, z, groups=groups)
    assert "40 groups" in together.method
    assert_allclose((together.high - together.low) / (alone.high - alone.low), np.sqrt(5), rtol=0.1)


def test_stratified_resamples_keep_the_classes():
    y = np.array([0] * 97 + [1] * 3)
    score = np.random.default_rng(0).normal(size=100)
    lost = with_interval("auc", y, score, method="percentile", resamples=500)
    kept = with_interval("auc", y, score, method="percentile", resamples=500, stratify=True)
    assert "of 500 resamples leave the measure undefined" in lost.why and kept.why == ""


def test_calibration_error_has_an_interval():
    """Forecasts 0.1 too high everywhere: the error is 0.1, and the interval finds it in most of 60 samples."""
    rng = np.random.default_rng(6)
    inside = []
    for _ in range(60):
        p = rng.integers(3, 10, size=400) / 10
        y = (rng.random(400) < p - 0.1) * 1
        e = with_interval("ece", y, p, resamples=100, bins=10)
        inside.append(e.low <= 0.1 <= e.high)
        assert 0 <= e.low <= e.high <= 1
    assert np.mean(inside) > 0.8


def test_edges_have_a_sentence_or_an_interval():
    perfect = with_interval("kappa", [0, 1] * 10, [0, 1] * 10)
    assert perfect.value == perfect.high == 1 and 0.4 < perfect.low < 1 and "half a row" in perfect.method
    assert with_interval("accuracy", [1, 1], [1, 1]).high == 1
    one = with_interval("kappa", [1, 1], [1, 1])
    assert np.isnan(one.value) and one.why
    assert "one class" in with_interval("matthews", [1, 1], [1, 1]).why
    same = with_interval("accuracy", [0, 1, 0, 1], [0, 1, 0, 1], method="percentile")
    assert "means nothing" in same.why
    assert "one row" in with_interval("log-loss", [1], [0.5], labels=[0, 1]).why
    never = with_interval(
        "precision", [0, 1], [0, 0]
    )  # 0, as precision_score has it, and no row to be sure by
    assert never.value == 0 and np.isnan(never.low) and "no rows" in never.why
    never = with_interval("g-mean", [0, 0, 1, 1], [0, 0, 0, 0])
    assert never.value == never.low == 0 < never.high < 1
    assert str(one).endswith(")") and "no interval" in str(one)


def test_bad_input_is_told_plainly():
    for call, said in (
        (
            lambda: with_interval("acuracy", Y, Z),
            r"no metric 'acuracy'\. Did you mean accuracy\? Known: accuracy",
        ),
        (lambda: with_interval("accuracy", Y, Z, method="magic"), "method must be one of auto"),
        (lambda: with_interval("accuracy", Y, Z, groups=Y, method="analytic"), "groups have no analytic"),
        (lambda: with_interval(lambda y, z: 0.0, Y, Z, method="analytic"), "function has no analytic"),
        (lambda: with_interval("ece", Y == 1, Z / 2, method="analytic"), "has no analytic"),
        (
            lambda: with_interval("average precision", Y == 1, Z, method="analytic"),
            "only an area under the ROC curve",
        ),
        (lambda: with_interval("accuracy", Y, Z, beta=2), "accuracy has no option 'beta'"),
        (lambda: with_interval("recall", Y, Z, pos_label=7), "pos_label=7 is not among"),
        (lambda: with_interval(3, Y, Z), "no metric 3"),
        (lambda: with_interval("accuracy", Y, Z, alpha=0), "alpha"),
    ):
        with pytest.raises(ParameterError, match=said):
            call()
    with pytest.raises(DataError, match="150 true labels and 3 answers"):
        with_interval(lambda y, z: 0.0, Y, Z[:3])


def test_every_named_measure_has_a_value_and_an_interval():
    y, p = Y % 2, np.clip(RNG.random(150), 0.01, 0.99)
    for name, known in measures("classification").items():
        answer = p if known.needs_probabilities else Z % 2
        found = with_interval(name, y, answer, resamples=100)
        assert known.bounds[0] <= found.low <= found.value <= found.high <= known.bounds[1], name


def test_options_of_a_measure_are_read_or_refused():
    y, z, p = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [0.1, 0.9, 0.4, 0.2, 0.6]
    assert with_interval("kappa", y, z, weights=None) == with_interval("kappa", y, z)
    for measure, answer, option in [
        ("kappa", z, {"weights": "cubic"}),
        ("ece", p, {"norm": "L2"}),
        ("ece", p, {"of": "everything"}),
        ("ece", p, {"bin": 3}),
        ("cost", z, {"cost": 3}),
        ("f1", z, {"beta": 2}),
    ]:
        with pytest.raises(ParameterError, match=next(iter(option))):
            with_interval(measure, y, answer, resamples=20, **option)


def test_the_positive_class_is_that_of_the_measures_own_function():
    y, s = np.array([1, 2, 1, 2, 2, 1]), np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.5])
    assert_allclose(with_interval("auc", y, s).value, peer.roc_auc_score(y, s))
    assert_allclose(
        with_interval("average precision", y, s, resamples=20, stratify=True).value,
        peer.average_precision_score(y, s),
    )


def test_a_function_may_divide_by_zero_in_a_resample():
    def caught(truth, answer):
        return sum((truth == 1) & (answer == 1)).item() / sum(truth == 1).item()

    found = with_interval(caught, np.array([1, 0, 0, 1, 0]), np.array([1, 0, 0, 0, 0]), resamples=200)
    assert found.value == 0.5 and "left out" in found.why
