"""Cascades: who sees which rows, what each level costs, and where its cost of rejecting comes from."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit

from assay.bayes import GaussianNB, NaiveBayes
from assay.decide import decide
from assay.decide.reject_cascade import RejectCascade
from assay.errors import DataError, ParameterError
from assay.evaluate.weights import group_keyword, time_keyword
from assay.linear import LogisticRegression
from assay.trees import C45Classifier

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :6]
LEVELS = [GaussianNB(), LogisticRegression(C=10.0), C45Classifier()]


class Known:
    """A fitted level whose posterior of class 1 is the first column of X."""

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0] ** self.power
        return np.column_stack([1 - p, p])

    def get_params(self, deep=True):
        return {"power": self.power}

    def set_params(self, **params):
        self.__dict__.update(params)
        return self


@pytest.mark.capability("IML-3-14")
def test_each_level_sees_only_what_the_one_before_rejects():
    model = RejectCascade(LEVELS, rejects=[0.02, 0.05], reject=0.2).fit(X, Y)
    rows = np.arange(len(X))
    level, answers = model.level(X), model.predict(X)
    for number, cost in enumerate((0.02, 0.05, 0.2)):
        assert_array_equal(rows, np.flatnonzero(level >= number))
        found = decide(model.estimators_[number].predict_proba(X[rows]), reject=cost)
        taken = rows[~found.rejected]
        assert len(taken) and (level[taken] == number).all()
        assert_array_equal(answers[taken].astype(int), found.chosen[~found.rejected])
        rows = rows[found.rejected]
    assert_array_equal(answers == "reject", np.isin(np.arange(len(X)), rows))


@pytest.mark.capability("IML-3-14")
def test_costs_are_accounted_for():
    """Posteriors 0.05, 0.4, 0.7, 0.9 of class 1; the second level squares them. Worked by hand."""
    P, y = np.array([[0.05], [0.4], [0.7], [0.9]]), np.array([0, 0, 1, 0])
    model = RejectCascade([Known(), Known(2.0)], rejects=0.15, reject=0.3, costs=[1, 10]).fit(P, y)
    assert model.predict(P).tolist() == [0, 0, "reject", 1]  # squares of 0.4 and 0.7: 0.16 and 0.49
    account = model.account(P, y)
    first, second = account.levels
    assert (first.asked, first.decided, first.rejected, first.errors, first.loss) == (4, 2, 2, 1, 1.0)
    assert (second.asked, second.decided, second.rejected, second.errors, second.loss) == (2, 1, 1, 0, 0.3)
    assert account.cost == pytest.approx(4 * 1 + 2 * 10 + 1 + 0.3)
    assert account.cost_per_row == pytest.approx(25.3 / 4)
    assert "25.3 in all" in str(account)


@pytest.mark.capability("IML-3-14")
def test_expected_costs_of_rejecting_are_those_of_the_next_level():
    """lambda_1 = c_2 + mean of min(risk_2, lambda_2); the posteriors here do not depend on the folds."""
    P, y = np.linspace(0.02, 0.98, 40)[:, None], (np.linspace(0, 1, 40) > 0.5).astype(int)
    model = RejectCascade([Known(), Known(2.0), Known(3.0)], "expected", 0.4, costs=[0, 0.05, 0.1]).fit(P, y)
    third = np.minimum(np.minimum(P**3, 1 - P**3), 0.4).mean() + 0.1
    second = np.minimum(np.minimum(P**2, 1 - P**2), third).mean() + 0.05
    assert_allclose(model.rejects_, [second, third, 0.4])


@pytest.mark.capability("IML-3-14")
def test_a_cheap_next_level_makes_a_level_reject_readily():
    shares = []
    for cost in (0.0, 0.02, 0.2, 1.0):
        model = RejectCascade(LEVELS[:2], "expected", costs=[0, cost]).fit(X, Y)
        shares.append(model.account(X, Y).levels[0].rejected)
    assert shares == sorted(shares, reverse=True) and shares[0] > shares[-1] == 0


def test_a_cascade_without_rejection_is_its_first_level_and_one_that_rejects_all_its_last():
    only = RejectCascade(LEVELS[:2], rejects=10.0).fit(X, Y)
    assert_array_equal(only.predict(X), GaussianNB().fit(X, Y).predict(X))
    last = RejectCascade(LEVELS[:2], rejects=0.0).fit(X, Y)
    assert_allclose(last.predict_proba(X), LogisticRegression(C=10.0).fit(X, Y).predict_proba(X))


@pytest.mark.capability("IML-17-17")
def test_rows_are_routed_by_confidence_and_the_cost_is_accounted_for():
    """Oracle: thresholds .8 and .9; .96 stays at 1, .70 then .93 at 2, .55 then .65 falls to 3; costs 1, 10, 100."""

    class Column(Known):
        """The posterior of class 0 is a column of X."""

        def predict_proba(self, X):
            p = np.asarray(X)[:, self.power]
            return np.column_stack([p, 1 - p])

    P = np.array([[0.96, 0.5, 0.5], [0.70, 0.93, 0.5], [0.55, 0.65, 0.5]])
    y = np.array([0, 1, 0])
    levels = [Column(0), Column(1), Column(2)]
    model = RejectCascade(levels, rejects=[1 - 0.8, 1 - 0.9], costs=[1, 10, 100]).fit(P, y)
    assert_array_equal(model.level(P), [0, 1, 2])
    rows = np.repeat(P, [16, 3, 1], axis=0)  # a fifth is passed on, and a quarter of these
    account = model.account(rows, np.zeros(20, int))
    assert [level.asked for level in account.levels] == [20, 4, 1]
    assert account.use_cost_per_row == pytest.approx(8)


@pytest.mark.capability("IML-17-17")
def test_the_next_level_may_learn_from_what_is_doubtful_out_of_fold():
    model = RejectCascade(LEVELS[::2], rejects=0.1, train_on="doubtful", cv=5).fit(X, Y)
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    P = cross_val_predict(GaussianNB(), X, Y, cv=StratifiedKFold(5), method="predict_proba")
    aside = decide(P, reject=0.1).rejected | (P.argmax(axis=1) != Y)
    alone = C45Classifier().fit(X[aside], Y[aside])
    assert_array_equal(model.estimators_[1].predict(X), alone.predict(X))


def test_levels_may_learn_from_the_rejected_rows_alone():
    model = RejectCascade(LEVELS[::2], rejects=0.1, train_on="rejected").fit(X, Y)
    aside = decide(model.estimators_[0].predict_proba(X), reject=0.1).rejected
    alone = C45Classifier().fit(X[aside], Y[aside])
    assert_array_equal(model.estimators_[1].predict(X), alone.predict(X))


def test_losses_tables_and_reasons():
    frame = pd.DataFrame({"a": X[:, 0], "kind": np.where(X[:, 1] > 20, "wide", "thin")})
    names = np.array(["ill", "well"])[Y]
    loss = {("well", "ill"): 10, ("ill", "well"): 1}
    model = RejectCascade([NaiveBayes(), C45Classifier()], 0.3, loss=loss).fit(frame, names)
    said = str(model.explain(frame.iloc[[int(np.argmax(model.level(frame)))]]))
    assert "passes on" in said and "C45Classifier" in said
    account = model.account(frame, names)
    wrong = model.predict(frame) != names
    assert sum(a.errors for a in account.levels) == wrong.sum()
    assert sum(a.loss for a in account.levels) == np.where(names[wrong] == "ill", 10, 1).sum()
    assert account.cost < min(
        (names == "well").sum(), 10 * (names == "ill").sum()
    )  # of saying always the same


def test_what_it_cannot_do_is_said():
    with pytest.raises(ParameterError, match="estimators must be a list of classifiers"):
        RejectCascade([3]).fit([[0.0], [1.0]], [0, 1])
    assert RejectCascade(rejects=[np.int64(1)]).fit([[0.0], [1.0], [2.0]], [0, 1, 1]).rejects_ == [1.0, None]
    with pytest.raises(ParameterError, match="rejects must be 1 number"):
        RejectCascade(LEVELS[:2], rejects=[0.1, 0.2]).fit(X, Y)
    with pytest.raises(ParameterError, match="costs must be 2 number"):
        RejectCascade(LEVELS[:2], costs=[1]).fit(X, Y)
    with pytest.raises(ParameterError, match="'expected'"):
        RejectCascade(rejects="cheap").fit(X, Y)
    with pytest.raises(ParameterError, match="list of classifiers"):
        RejectCascade(GaussianNB()).fit(X, Y)
    with pytest.raises(ParameterError, match="name of a class"):
        RejectCascade(reject_label=1).fit(X, Y)


class Remembers(GaussianNB):
    """A level that notes whom it learned from, and whom it was asked about, by the last column."""

    learned, asked = [], []

    def fit(self, X, y, sample_weight=None):
        self.learned.append(set(np.asarray(X)[:, -1].tolist()))
        return super().fit(X, y)

    def predict_proba(self, X):
        self.asked.append((self.learned[-1], set(np.asarray(X)[:, -1].tolist())))
        return super().predict_proba(X)


@pytest.mark.parametrize("how", [{"rejects": "expected"}, {"train_on": "doubtful"}])
@pytest.mark.parametrize("beside", ["groups", "times"])
def test_levels_answer_for_rows_of_other_groups_or_later_ones(how, beside):
    """The last column is the group, or the day: by it the folds of each level are told apart."""
    rng = np.random.default_rng(0)
    marks = rng.permutation(np.arange(240) // 8 if beside == "groups" else np.arange(240)).astype(float)
    y = rng.integers(0, 2, 240)
    rows = np.column_stack([y + rng.normal(size=240), marks])
    Remembers.learned, Remembers.asked = [], []
    model = RejectCascade([Remembers(), Remembers()], costs=[0.01, 0.1], cv=3, **how)
    model.fit(rows, y, **{beside: marks})
    assert len(Remembers.asked) == 3
    for learned, asked in Remembers.asked:
        if beside == "groups":
            assert not learned & asked
        else:
            assert max(learned) < min(asked)
    if beside == "times":  # the first of four blocks has no answer: it is neither doubtful nor counted
        assert set.union(*(asked for _, asked in Remembers.asked)) == set(range(60, 240))
        if "train_on" in how:
            assert min(Remembers.learned[-1]) >= 60
    assert model.score(rows, y) > 0.5
    with pytest.raises(DataError, match="groups must have 240 entries"):
        model.fit(rows, y, groups=[1, 2])


def test_groups_of_a_comparison_reach_a_cascade():
    assert group_keyword(RejectCascade()) == "groups" and time_keyword(RejectCascade()) == "times"


SPLITTERS = [TimeSeriesSplit(3), ShuffleSplit(3, random_state=0), list(KFold(3).split(X))[1:]]


@pytest.mark.parametrize("cv", SPLITTERS, ids=["time series", "shuffled", "two of three folds"])
def test_rows_that_a_splitter_never_tests_are_not_counted(cv):
    """lambda_1 by hand: the mean risk of the rows that are tested, of a row in several tests by its mean posterior."""
    level = GaussianNB()
    model = RejectCascade([Known(), level], "expected", cv=cv).fit(X, Y)
    P, times = np.zeros((len(X), 2)), np.zeros(len(X))
    for train, test in cv.split(X, Y) if hasattr(cv, "split") else cv:
        P[test] += GaussianNB().fit(X[train], Y[train]).predict_proba(X[test])
        times[test] += 1
    tested = times > 0
    assert 0 < tested.sum() < len(X)
    risk = 1 - (P[tested] / times[tested, None]).max(axis=1)
    assert_allclose(model.rejects_[0], risk.mean(), rtol=1e-12)


@pytest.mark.parametrize("cv", [*SPLITTERS, GroupKFold(5), 5])
def test_later_levels_keep_to_the_folds_of_all_rows(cv):
    """Three levels, so that the second one is left out of folds of the rows that the first one doubts."""
    groups = np.arange(len(X)) // 10 if isinstance(cv, (int, GroupKFold)) else None
    model = RejectCascade(LEVELS, rejects=0.1, train_on="doubtful", cv=cv).fit(X, Y, groups=groups)
    assert model.score(X, Y) > 0.85


def test_doubtful_rows_at_one_moment_leave_the_levels_after_with_them_all():
    """No later block of time is left among them, so nothing is doubtful: the third level learns from the same rows."""
    days = np.sort(Y).astype(float)
    order = np.random.default_rng(0).permutation(len(X))
    model = RejectCascade(LEVELS, rejects=0.1, train_on="doubtful").fit(X[order], Y[order], times=days)
    assert model.score(X, Y) > 0.85


def test_groups_of_one_class_each_cannot_say_what_rejecting_costs():
    with pytest.raises(DataError, match="training rows are of two classes or more"):
        RejectCascade(LEVELS[:2], "expected").fit(X, Y, groups=Y)


@pytest.mark.parametrize("cv", [[], "five", [(1,)], True])
def test_what_are_no_folds_is_refused(cv):
    with pytest.raises(ParameterError, match="cv must be a whole number from 2 up, a splitter"):
        RejectCascade(cv=cv).fit(X, Y)


def test_folds_that_do_not_fit_the_rows_get_a_sentence():
    with pytest.raises(DataError, match=r"pairs \(train, test\) of row numbers from 0 to 568"):
        RejectCascade(LEVELS[:2], "expected", cv=[([0, 1], [600])]).fit(X, Y)
    with pytest.raises(DataError, match="GroupKFold needs groups"):
        RejectCascade(LEVELS[:2], "expected", cv=GroupKFold(3)).fit(X, Y)
