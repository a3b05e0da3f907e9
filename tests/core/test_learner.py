"""The bases: what a learner gets without a line of its own."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.core import Classifier, Clusterer, Generative, Regressor, SumLearner, Transformer
from assay.core.parameters import Range
from assay.errors import (
    DataError,
    DegenerateError,
    DegenerateWarning,
    ParameterError,
    SchemaError,
    SchemaWarning,
)


class NearestMean(Classifier):
    """As short as a classifier can be: the two methods, and nothing else."""

    accepts = {"power": Range(0, open="low")}

    def __init__(self, power=1.0):
        self.power = power

    def _learn(self, X, y, w):
        w = np.ones(len(X)) if w is None else w
        total = np.array([w[y == k].sum() for k in range(len(self.classes_))])
        sums = np.array([w[y == k] @ X[y == k] for k in range(len(self.classes_))])
        self.means_ = sums / np.where(total > 0, total, 1)[:, None]
        self.empty_ = total == 0

    def _posterior(self, X):
        distance = ((X[:, None] - self.means_) ** 2).sum(axis=2) ** self.power
        closeness = np.where(self.empty_, 0.0, 1 / (1 + distance))
        return closeness / closeness.sum(axis=1, keepdims=True)


class Average(SumLearner, Regressor):
    """The mean of y, as a sum."""

    def _summarize(self, X, y, w):
        w = np.ones(len(X)) if w is None else w
        return np.array([w.sum(), w @ y])

    def _solve(self, sums):
        self.mean_ = sums[1] / sums[0]

    def _predict(self, X):
        return np.full(len(X), self.mean_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class Centre(Transformer):
    """Columns less their mean."""

    def _learn(self, X, y, w):
        self.mean_ = np.average(X, axis=0, weights=w)

    def _transform(self, X):
        return X - self.mean_


class Halves(Clusterer):
    """Two groups: above and below the mean of all entries of the first column."""

    def _learn(self, X, y, w):
        self.cut_ = np.average(X[:, 0], weights=w)
        self.labels_ = self._assign(X)

    def _assign(self, X):
        return (X[:, 0] > self.cut_).astype(np.int64)


class Counts(Generative):
    """One nominal column, categories counted without smoothing; categories and gaps as they are."""

    takes = frozenset({"nominal", "missing"})

    def __init__(self, zero_evidence="prior"):
        self.zero_evidence = zero_evidence

    def _learn(self, X, y, w):
        K, m = len(self.classes_), len(self.schema_[0].categories)
        table = np.zeros((K, m))
        there = ~np.isnan(X[:, 0])
        np.add.at(table, (y[there], X[there, 0].astype(int)), 1.0)
        self.class_prior_ = np.bincount(y) / len(y)
        self.share_ = table / table.sum(axis=1, keepdims=True)

    def _log_joint(self, X):
        with np.errstate(divide="ignore"):
            logs = np.log(np.column_stack([self.share_, np.ones(len(self.share_))]))  # the last: missing
            codes = np.where(np.isnan(X[:, 0]), -1, X[:, 0]).astype(int)
            return np.log(self.class_prior_) + logs[:, codes].T


@parametrize_with_checks([NearestMean(), Average(), Centre(), Halves()])
def test_a_learner_of_a_few_lines_passes_scikit_learns_checks(estimator, check):
    check(estimator)


FRAME = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0], "taste": ["sour", "sour", "sweet", "sweet"]})
LABELS = ["a", "a", "b", "b"]


def test_a_learner_that_needs_numbers_sees_indicators():
    model = NearestMean().fit(FRAME, LABELS)
    assert model.design_.names == ["size", "taste=sour", "taste=sweet"]
    assert model.means_.tolist() == [[1.5, 1, 0], [8.5, 0, 1]]
    assert model.n_features_in_ == 2 and model.feature_names_in_.tolist() == ["size", "taste"]


def test_a_learner_that_takes_categories_sees_codes():
    model = Counts().fit(FRAME[["taste"]], LABELS)
    assert not hasattr(model, "design_")
    assert_allclose(model.predict_proba(FRAME[["taste"]]), [[1, 0], [1, 0], [0, 1], [0, 1]])


def test_a_refit_forgets_the_names_of_the_first_table():
    model = NearestMean().fit(FRAME, LABELS).fit(np.array([[1.0], [2.0]]), ["a", "b"])
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 1


def test_frames_of_all_libraries_give_the_same_answers():
    model = NearestMean().fit(FRAME, LABELS)
    assert_array_equal(model.predict_proba(pl.from_pandas(FRAME)), model.predict_proba(FRAME))
    again = NearestMean().fit(pl.from_pandas(FRAME), pl.Series(LABELS))
    assert_array_equal(again.predict_proba(FRAME), model.predict_proba(FRAME))


def test_columns_that_differ_are_named():
    model = NearestMean().fit(FRAME, LABELS)
    with pytest.raises(SchemaError, match=r"missing: taste; not seen in fit: colour"):
        model.predict(FRAME.rename(columns={"taste": "colour"}))
    with pytest.raises(SchemaError, match=r"column 'size' was numeric .* now it holds 'big' in index 0"):
        model.predict(FRAME.assign(size="big"))


def test_an_unseen_category_is_missing_and_is_told():
    strange = pd.DataFrame({"taste": ["bitter", "sour"]})
    with pytest.warns(
        SchemaWarning, match=r"Counts: column 'taste' has 1 unseen category \('bitter'\) in 1 row"
    ):
        posterior = Counts().fit(FRAME[["taste"]], LABELS).predict_proba(strange)
    assert_allclose(posterior, [[0.5, 0.5], [1, 0]])


def test_a_learner_that_cannot_use_gaps_names_column_and_remedy():
    with_missing = FRAME.assign(size=[1.0, None, None, 2.0])
    sentence = r"NearestMean: column size has 2 missing values \(NaN\)\. Prepared\(NearestMean\(\)\) of assay.prepare"
    with pytest.raises(DataError, match=sentence):
        NearestMean().fit(with_missing, LABELS)
    assert NearestMean().why_not(FRAME) is None
    with pytest.raises(DataError, match=sentence):
        raise DataError(NearestMean().why_not(with_missing))


def test_sparse_data_is_refused_by_those_who_cannot_use_it():
    X = scipy.sparse.eye(4, format="csr")
    with pytest.raises(TypeError, match=r"NearestMean: sparse data was passed.*toarray"):
        NearestMean().fit(X, LABELS)


def test_parameters_are_checked_when_fitting_not_when_made():
    model = NearestMean(power=-1.0)
    with pytest.raises(ParameterError, match=r"NearestMean: power must be a number above 0, got -1\.0"):
        model.fit(FRAME, LABELS)
    assert model.power == -1.0


def test_an_unfitted_learner_says_so():
    for ask in (
        NearestMean().predict,
        Average().predict,
        Centre().transform,
        Halves().predict,
        NearestMean().explain,
    ):
        with pytest.raises(NotFittedError):
            ask(FRAME)


def test_ties_go_to_the_first_class():
    model = NearestMean().fit([[0.0], [2.0]], ["z", "a"])
    assert model.predict([[1.0]]).tolist() == ["a"]


def test_an_explanation_has_the_row_the_answer_and_the_posterior():
    model = NearestMean().fit(FRAME, LABELS)
    one = model.explain(FRAME.iloc[[0]])
    assert (
        one.answer == "a" and one.row == {"size": 1.0, "taste": "sour"} and list(one.posterior) == ["a", "b"]
    )
    assert [e.answer for e in model.explain(FRAME)] == LABELS
    numbers = NearestMean().fit([[0.0], [5.0]], [3, 7]).explain([[4.0]])
    assert numbers.answer == 7 and type(numbers.answer) is int and list(numbers.posterior) == [3, 7]


def test_zero_evidence_gives_the_prior_or_an_error():
    """Each class has seen one category of three; the third is impossible under both."""
    taste = pd.DataFrame({"taste": pd.Categorical(["a", "a", "b"], categories=["a", "b", "c"])})
    odd = pd.DataFrame({"taste": pd.Categorical(["c", "a"], categories=["a", "b", "c"])})
    model = Counts().fit(taste, [0, 0, 1])
    with pytest.warns(DegenerateWarning, match=r"Counts: 1 row\(s\) have probability zero under every class"):
        assert_allclose(model.predict_proba(odd), [[2 / 3, 1 / 3], [1, 0]])
    with pytest.warns(DegenerateWarning):
        assert model.predict(odd).tolist() == [0, 0]
    with pytest.raises(DegenerateError, match="Smooth the counts"):
        model.set_params(zero_evidence="raise").predict(odd)


def test_log_posteriors_are_exact_where_posteriors_underflow():
    from assay.bayes import GaussianNB

    model = GaussianNB().fit([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    logs = model.predict_log_proba([[200.0]])
    joint = model.predict_joint_log_proba([[200.0]])
    assert_allclose(logs[0, 0] - logs[0, 1], joint[0, 0] - joint[0, 1], rtol=1e-12)
    assert np.isfinite(logs).all() and model.predict_proba([[200.0]])[0, 0] == 0.0


@pytest.mark.parametrize("base", [Classifier, Generative, Regressor, Transformer, Clusterer])
def test_a_learner_without_its_methods_says_which_one_is_missing(base):
    class Empty(base):
        pass

    with pytest.raises(TypeError, match="Empty must define _learn"):
        Empty().fit([[1.0], [2.0]], [0, 1])


def test_a_sum_without_its_methods_says_which_one_is_missing():
    class Nothing(SumLearner, Classifier):
        pass

    class Half(Nothing):
        def _summarize(self, X, y, w):
            return 1

    with pytest.raises(TypeError, match="Nothing must define _summarize"):
        Nothing().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="Half must define _solve"):
        Half().fit([[1.0], [2.0]], [0, 1])


def test_a_learner_that_is_no_sum_refuses_dask_with_the_way_out():
    import dask.array as da

    with pytest.raises(DataError, match=r"NearestMean needs all rows in memory; call X.compute\(\) first"):
        NearestMean().fit(da.ones((4, 2)), da.ones(4))


def test_a_regressor_that_is_a_sum_learns_in_blocks():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    whole = Average().fit(X, y).mean_
    assert Average().fit_blocks([(X[:7], y[:7]), (X[7:], y[7:])]).mean_ == whole == 9.5
    assert Average().partial_fit(X[7:], y[7:]).partial_fit(X[:7], y[:7]).mean_ == whole


def test_a_transformer_names_its_columns():
    model = Centre().fit(FRAME[["size"]])
    assert model.get_feature_names_out().tolist() == ["size"]
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        model.get_feature_names_out(["other"])
    with pytest.raises(ValueError, match="length equal to number of features"):
        model.get_feature_names_out(["a", "b"])
    framed = model.set_output(transform="pandas").transform(FRAME[["size"]])
    assert framed.columns.tolist() == ["size"] and framed["size"].sum() == 0
