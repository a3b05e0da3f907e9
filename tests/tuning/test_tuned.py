"""Searches for the parameters of a learner: halving, densities, journals, processes, weights, times and costs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import truncnorm
from sklearn.base import BaseEstimator, ClassifierMixin

from assay.core.parameters import check
from assay.errors import DataError, ParameterError
from assay.evaluate import Resampling
from assay.learners import KIND_OF_TASK, learners
from assay.linear import LogisticRegression, Ridge
from assay.tables.data import load_iris, load_wine
from assay.trees import DecisionTreeClassifier
from assay.tuning import (
    BayesianOptimization,
    RandomOptimization,
    Real,
    TreeParzenOptimization,
    Tuned,
    TunedRegressor,
    Whole,
    default_space,
    judging,
    nested,
)
from assay.tuning.halving import rungs
from assay.tuning.judging import _some_rows
from assay.tuning.spaces import NOTHING_TO_TUNE, SPACES
from assay.tuning.tree_parzen_optimization import _log_of_mixture, _mixture, _shares, _truncated

X, Y = load_wine()
DEPTH = {"max_depth": Whole(1, 9), "min_samples_leaf": Whole(1, 20, log=True)}


class Counted(ClassifierMixin, BaseEstimator):
    """Answers the most frequent class, or another one; counts its fits."""

    fits = 0

    def __init__(self, level=0.0, stop_at=None):
        self.level = level
        self.stop_at = stop_at

    def fit(self, X, y):
        type(self).fits += 1
        if type(self).fits == self.stop_at:
            raise KeyboardInterrupt
        if self.level > 0.9:
            raise ValueError("the level is too high")
        self.classes_, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts)
        self.answer_ = self.classes_[order[int(self.level * len(order))]]
        return self

    def predict(self, X):
        return np.repeat(self.answer_, len(X))


# ---------------------------------------------------------------- searches


def test_rungs_of_successive_halving():
    """Oracle: 27 settings, factor 3, as in the paper; each rung costs the same."""
    ladder = rungs(27, 100_000)
    assert [rung.settings for rung in ladder] == [27, 9, 3, 1]
    assert_allclose([rung.share * rung.settings for rung in ladder], 1.0, rtol=1e-12)
    assert [r.share for r in rungs(9, 350, 2)] == [1 / 3, 1.0]  # 117 rows at first
    assert [r.share for r in rungs(9, 350, 10)] == [1.0]  # ten classes want 200


def test_rows_of_a_rung_hold_those_of_the_rung_before_and_every_class():
    codes = np.repeat([0, 1, 2], [60, 30, 2])
    small, large = _some_rows(codes, 0.1, 0, False), _some_rows(codes, 1 / 3, 0, False)
    assert set(small) < set(large) and len(large) == 31
    assert set(codes[small]) == {0, 1, 2}
    assert_allclose(np.bincount(codes[large]) / 31, np.bincount(codes) / 92, atol=0.03)
    assert_array_equal(_some_rows(codes, 0.1, 0, True), np.arange(82, 92))  # the latest ones


def test_halving_keeps_the_best_of_each_rung():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1200, 3)), rng.integers(2, size=1200)
    y = np.where(rng.random(1200) < 0.9, X[:, 0] > 0, y)
    model = Tuned(DecisionTreeClassifier(), DEPTH, "3-fold", n_iter=9, search="halving", random_state=1).fit(
        X, y
    )
    shares = sorted({t["share"] for t in model.history_})
    assert shares == pytest.approx([1 / 3, 1.0])  # 267 rows of 800
    first = [t for t in model.history_ if t["share"] < 1]
    assert len(first) == 9 and len(model.results_) == 3
    best = sorted(first, key=lambda t: t["value"])[:3]
    assert {repr(t["setting"]) for t in best} == {repr(s) for s, _ in model.results_}
    assert model.best_score_ == min(v for _, v in model.results_) < 0.15


def test_densities_of_the_tree_structured_search():
    """Oracle: scipy's truncated normals; shares with one more of each category."""
    centres, widths = _mixture(np.array([0.2, 0.3]))
    assert_allclose(centres, [0.2, 0.3, 0.5])
    assert_allclose(widths, [0.25, 0.25, 1.0])  # farther neighbour, at least 1 / 4; the prior
    x = np.array([0.0, 0.25, 0.9])
    parts = [truncnorm(-c / w, (1 - c) / w, loc=c, scale=w).pdf(x) for c, w in zip(centres, widths)]
    assert_allclose(np.exp(_log_of_mixture(x, centres, widths)), np.mean(parts, axis=0), rtol=1e-12)
    assert_allclose(_shares(np.array([0, 0, 2]), 3), [0.5, 1 / 6, 1 / 3])
    draws = _truncated(np.full(4000, 0.9), np.full(4000, 0.3), np.random.default_rng(0))
    assert draws.min() >= 0 and draws.max() <= 1
    assert_allclose(draws.mean(), truncnorm(-3, 1 / 3, loc=0.9, scale=0.3).mean(), atol=0.01)


def test_two_densities_find_lower_values_than_chance():
    space = {letter: Real(0.0, 1.0) for letter in "abcdef"}
    ends = {
        kind: [kind(space, random_state=s).minimize(bowl, 40).best_value for s in range(6)]
        for kind in (RandomOptimization, TreeParzenOptimization)
    }
    assert np.median(ends[TreeParzenOptimization]) < 0.5 * np.median(ends[RandomOptimization])


def bowl(**at):
    return sum((value - 0.3) ** 2 for value in at.values())


@pytest.mark.parametrize("search", [RandomOptimization, TreeParzenOptimization, BayesianOptimization])
def test_no_setting_of_a_small_space_is_asked_for_twice_and_conditions_hold(search):
    space = {"kernel": ["linear", "rbf"], "degree": Whole(1, 3, when={"kernel": "rbf"})}
    found = search(space, random_state=0)
    for _ in range(4):
        (setting,) = found.ask()
        assert ("degree" in setting) == (setting["kernel"] == "rbf")
        found.tell(setting, setting.get("degree", 5.0))
    assert len({repr(t.setting) for t in found.history}) == 4
    assert found.best_setting == {"kernel": "rbf", "degree": 1}


# ---------------------------------------------------------------- Tuned


@pytest.mark.parametrize("search", ["bayes", "tree", "random", "halving"])
def test_the_number_of_processes_changes_nothing(search):
    settings = {"n_iter": 5, "search": search, "random_state": 3, "inner": "2-fold"}
    one, two = (Tuned(DecisionTreeClassifier(), DEPTH, n_jobs=jobs, **settings).fit(X, Y) for jobs in (1, 2))
    assert one.history_ == two.history_ and one.best_params_ == two.best_params_
    assert (one.predict(X) == two.predict(X)).all()


@pytest.mark.parametrize("search", ["bayes", "tree", "random", "halving", None])
def test_a_search_that_was_stopped_repeats_nothing(search, tmp_path):
    grid = {"level": [0.0, 0.4, 0.8, 0.95]} if search is None else {"level": Real(0.0, 1.0)}
    made = lambda folder, stop=None: Tuned(  # noqa: E731
        Counted(stop_at=stop), grid, "3-fold", n_iter=4, search=search, folder=folder, random_state=0
    )
    Counted.fits = 0
    whole = made(None).fit(X, Y)
    fits = Counted.fits
    for stop in (2, 8):
        Counted.fits = 0
        folder = tmp_path / str(stop)
        with pytest.raises(KeyboardInterrupt):
            made(folder, stop).fit(X, Y)
        # the interruption is a setting of this test's learner; to the journal it is another learner
        (journal,) = folder.glob("*/cells.journal")
        written = (
            (stop - 1) // 4 * 4 if search in (None, "halving") else stop - 1
        )  # split by split, or one by one
        assert len(journal.read_bytes().splitlines()) == written
    Counted.fits = 0
    again = made(tmp_path / "kept").fit(X, Y)
    assert Counted.fits == fits
    Counted.fits = 0
    resumed = made(tmp_path / "kept").fit(X, Y)
    assert Counted.fits == 1  # the chosen setting, to all rows
    assert_history(whole, again)
    assert_history(whole, resumed)


def assert_history(one, two):
    assert len(one.history_) == len(two.history_)
    for a, b in zip(one.history_, two.history_):
        assert a["setting"] == b["setting"] and a["failure"] == b["failure"]
        assert_array_equal(a["value"], b["value"])
    assert one.best_params_ == two.best_params_


def test_settings_that_fail_are_reported_and_left_out():
    model = Tuned(Counted(), {"level": [0.0, 0.95]}, "3-fold").fit(X, Y)
    assert model.best_params_ == {"level": 0.0}
    assert np.isnan(model.results_[1][1])
    assert "the level is too high" in model.history_[1]["failure"]
    with pytest.raises(DataError, match=r"no setting could be judged\. ValueError: the level is too high"):
        Tuned(Counted(), {"level": Real(0.91, 1.0)}, "3-fold", n_iter=2).fit(X, Y)


@pytest.mark.parametrize("always", [True, False])
@pytest.mark.parametrize("search", ["halving", "random"])
def test_a_setting_that_takes_its_process_with_it_has_failed_and_the_search_goes_on(
    monkeypatch, search, always, tmp_path
):
    """One that dies only in company, for want of memory, is fitted again alone; a failure is not written down."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    def company(function, work, *_args, **_options):
        for candidates, *one in work:
            deadly = any(c.learner.max_depth == 5 for c in candidates)
            if deadly and (always or len(candidates) > 1):
                raise TerminatedWorkerError("gone")
            yield function(candidates, *one)

    rows, labels = np.tile(X, (3, 1)), np.tile(Y, 3)
    space = {"max_depth": Whole(1, 9)}
    settings = {"search": search, "n_iter": 9, "inner": "2-fold", "n_jobs": 2, "folder": tmp_path}
    whole = Tuned(DecisionTreeClassifier(random_state=0), space, search=search, n_iter=9, inner="2-fold").fit(
        rows, labels
    )
    monkeypatch.setattr(judging, "each", company)
    died = Tuned(DecisionTreeClassifier(random_state=0), space, **settings).fit(rows, labels)
    lost = [h for h in died.history_ if "process died" in h["failure"]]
    if always:
        assert {h["setting"]["max_depth"] for h in lost} == {5}
        monkeypatch.undo()
        died = Tuned(DecisionTreeClassifier(random_state=0), space, **settings).fit(rows, labels)
    else:
        assert not lost
    assert died.history_ == whole.history_ and died.best_params_ == whole.best_params_


def test_a_budget_ends_a_search_after_a_whole_setting():
    model = Tuned(DecisionTreeClassifier(), DEPTH, "3-fold", n_iter=50, budget=1e-9).fit(X, Y)
    assert len(model.results_) == 1
    grid = Tuned(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, "3-fold", budget=1e-9).fit(X, Y)
    assert len(grid.results_) == 1
    with pytest.raises(ParameterError, match="budget must be a number of seconds above 0"):
        Tuned("knn", budget=0).fit(X, Y)


def test_weights_count_in_learning_and_in_the_metric():
    """Oracle: the same by hand."""
    rng = np.random.default_rng(0)
    Z, y, w = rng.normal(size=(60, 2)), rng.integers(2, size=60), rng.integers(1, 5, 60).astype(float)
    model = Tuned(LogisticRegression(), {"C": [0.01, 10.0]}, "3-fold").fit(Z, y, w)
    order = y if y[0] == 0 else 1 - y  # classes as they appear
    for (setting, mean), C in zip(model.results_, (0.01, 10.0)):
        errors = [
            np.average(
                LogisticRegression(C=C).fit(Z[s.train], y[s.train], w[s.train]).predict(Z[s.test])
                != y[s.test],
                weights=w[s.test],
            )
            for s in Resampling.of("3-fold").splits(order, 0)
        ]
        assert setting == {"C": C}
        assert_allclose(mean, np.mean(errors), rtol=1e-12)
    chosen = LogisticRegression(**model.best_params_).fit(Z, y, w)
    assert_allclose(model.predict_proba(Z), chosen.predict_proba(Z), rtol=1e-12)


def test_designs_that_do_not_fit_are_refused_in_the_name_of_the_search():
    """The inner splits are dealt as those of compare, which nobody called."""
    X, y = load_iris().X, load_iris().y
    with pytest.raises(ParameterError, match=r"^Tuned: times puts rows in order for a design by time"):
        Tuned("knn", n_iter=2, inner="3-fold").fit(X, y, times=np.arange(150))


def test_inner_splits_follow_time():
    """A value that later rows repeat is known if they are learned from: not if rows are in order of time."""
    times = np.random.default_rng(0).permutation(90)
    Z, y = times[:, None] // 9, (times // 9) % 2
    mixed = Tuned("tree", {"max_depth": [None]}, "5-fold").fit(Z, y)
    timed = Tuned("tree", {"max_depth": [None]}).fit(Z, y, times=times)
    assert mixed.best_score_ == 0
    assert timed.best_score_ > 0.3
    with pytest.raises(DataError, match="times must be"):
        Tuned("tree", {"max_depth": [None]}).fit(Z, y, times=["soon"] * 90)


def test_costs_choose_another_setting_than_errors():
    """Oracle: by hand. Answering b always errs on 3 of 4 rows and costs 3; answering a on 1 of 4, which costs 10."""
    y = np.array(["a", "a", "a", "b"] * 15)
    Z = np.zeros((60, 1))
    grid = {"level": [0.0, 0.5]}
    assert Tuned(Counted(), grid, "3-fold").fit(Z, y).best_params_ == {"level": 0.0}
    dear = Tuned(Counted(), grid, "3-fold", loss={("a", "b"): 10}).fit(Z, y)
    assert dear.best_params_ == {"level": 0.5}
    assert_allclose([mean for _, mean in dear.results_], [2.5, 0.75])
    found = nested(Counted(), grid, Z, y, outer="3-fold", inner="3-fold", loss={("a", "b"): 10})
    assert_allclose(found.mean, 0.75)
    assert found.comparison.metrics[0].name == "cost"


def test_ranges_by_default_follow_the_table_and_the_class():
    X, y = load_iris()
    model = Tuned(DecisionTreeClassifier(), n_iter=3, inner="2-fold").fit(X, y)
    assert set(model.best_params_) == {"max_depth", "min_samples_leaf", "ccp_alpha"}
    assert set(model.optimization().importances()) == set(model.best_params_)
    with pytest.raises(ParameterError, match="majority has nothing to tune by default: it has no parameters"):
        Tuned("majority").fit(X, y)
    rng = np.random.default_rng(0)
    numbers = TunedRegressor(Ridge(), n_iter=3, inner="2-fold", search="random").fit(
        rng.normal(size=(30, 2)), rng.normal(size=30)
    )
    assert len(numbers.results_) == 3


@pytest.mark.parametrize("task", list(KIND_OF_TASK))
def test_every_learner_carries_ranges_that_it_accepts(task):
    for name, entry in learners(KIND_OF_TASK[task]).items():
        if entry.class_name in NOTHING_TO_TUNE:
            assert entry.class_name not in SPACES
            continue
        for n, d in ((30, 1), (1000, 10), (1_000_000, 300)):
            space = default_space(name, n, d, task)
            cls = entry.load()
            for setting in RandomOptimization(space).ask(4):
                made = entry.make(**setting)
                check(cls.__name__, cls.accepts, {k: getattr(made, k) for k in setting})


def test_ranges_name_no_learner_that_there_is_not():
    known = {e.class_name for kind in (*KIND_OF_TASK.values(), "wrapper") for e in learners(kind).values()}
    assert {*SPACES, *NOTHING_TO_TUNE} <= known


def test_wrong_searches_are_refused():
    with pytest.raises(ParameterError, match="search must be one of 'bayes', 'tree', 'random', 'halving'"):
        Tuned("knn", search="luck").fit(X, Y)
    with pytest.raises(ParameterError, match="needs to know what answers cost"):
        Tuned("knn", {"n_neighbors": [1]}, metric="rejected").fit(X, Y)
