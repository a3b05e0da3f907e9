"""SimpleImputer: means, medians, modes and constants for missing values of mixed tables."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_matrix, issparse
from sklearn.impute import SimpleImputer as Peer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.bayes import GaussianNB
from assay.errors import DegenerateWarning, ParameterError, SchemaWarning
from assay.prepare import SimpleImputer
from assay.tables import Table
from assay.tables.data import load_breast_cancer_ljubljana, load_wine

PEOPLE = {
    "age": [30.0, None, 50.0, 70.0],
    "job": ["clerk", "baker", None, "baker"],
    "level": ["low", "high", "high", None],
}


def people(library):
    if library == "pandas":
        frame = pd.DataFrame(PEOPLE)
        frame["level"] = pd.Categorical(frame["level"], ["low", "mid", "high"], ordered=True)
        return frame
    if library == "polars":
        return pl.DataFrame(PEOPLE).with_columns(pl.col("level").cast(pl.Enum(["low", "mid", "high"])))
    return pa.table(PEOPLE)


def not_for_medians(imputer):
    """A fitted median keeps no values of the training rows, so partial_fit must come first, not after fit."""
    return {"check_fit_score_takes_y": not_for_medians.__doc__} if imputer.strategy == "median" else {}


@parametrize_with_checks(
    [SimpleImputer(strategy="median"), SimpleImputer(strategy="constant")],
    expected_failed_checks=not_for_medians,
)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.capability("IML-5-03")
def test_mean_imputation_of_the_worked_example():
    """IML 5.3: the mean of 2.1, 3.9, 6.1, 8.2 is 5.075."""
    X = np.array([[1, 2.1], [2, 3.9], [3, 6.1], [4, 8.2], [5, np.nan]])
    assert_allclose(SimpleImputer().fit_transform(X)[-1], [5, 5.075], rtol=1e-12)


@pytest.mark.capability("IML-5-03")
def test_mode_imputation_of_a_nominal_table():
    """Ljubljana: eight of node-caps and one of breast-quad are missing; most have no and left_low."""
    data = load_breast_cancer_ljubljana()
    filled = SimpleImputer().fit_transform(data.X)
    assert filled.complete
    with_missing = np.isnan(data.X.values)
    assert_array_equal(filled.values[~with_missing], data.X.values[~with_missing])
    labels = [filled.schema.label(j, filled.values[i, j]) for i, j in np.argwhere(with_missing)]
    assert sorted(labels) == ["left_low"] + ["no"] * 8


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant", np.max])
@pytest.mark.parametrize("add_indicator", [False, True])
def test_same_numbers_as_scikit_learn(strategy, add_indicator):
    """Peer: SimpleImputer, scikit-learn 1.9."""
    rng = np.random.default_rng(0)
    for X in (load_wine().X.values, rng.integers(0, 5, (60, 4)).astype(float)):
        X[rng.random(X.shape) < 0.2] = np.nan
        ours = SimpleImputer(strategy=strategy, add_indicator=add_indicator).fit(X)
        peer = Peer(strategy=strategy, add_indicator=add_indicator).fit(X)
        assert_allclose(ours.statistics_, peer.statistics_.astype(float), rtol=1e-12)
        assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-12)
        assert_array_equal(ours.get_feature_names_out(), peer.get_feature_names_out())


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_an_empty_column_is_dropped_with_a_warning(strategy):
    X = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    imputer = SimpleImputer(strategy=strategy).fit(X)
    with pytest.warns(DegenerateWarning, match="dropped without any value in fit: x0"):
        assert imputer.transform(X).tolist() == [[1.0], [3.0]]
    assert imputer.get_feature_names_out().tolist() == ["x1"]
    assert np.isnan(imputer.statistics_[0])
    kept = SimpleImputer(strategy=strategy, keep_empty_features=True).fit(X)
    peer = Peer(strategy=strategy, keep_empty_features=True).fit(X)
    assert_array_equal(kept.transform(X), peer.transform(X))
    assert_array_equal(kept.statistics_, peer.statistics_)


def test_an_empty_column_of_categories_can_be_kept_as_its_own_value():
    frame = pd.DataFrame({"a": [1.0, 2.0], "c": pd.Categorical([None, None], ["x", "y"])})
    filled = SimpleImputer(keep_empty_features=True).fit_transform(frame)
    assert filled["c"].tolist() == ["missing_value"] * 2


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_mixed_frame_comes_back_with_its_kinds(library):
    frame = people(library)
    imputer = SimpleImputer().fit(frame)
    filled = imputer.transform(frame)
    assert type(filled) is type(frame)
    columns = {name: list(map(_plain, filled[name])) for name in PEOPLE}
    assert columns == {
        "age": [30, 50, 50, 70],
        "job": ["clerk", "baker", "baker", "baker"],
        "level": ["low", "high", "high", "high"],
    }
    for name in PEOPLE:
        before, after = frame[name], filled[name]
        assert after.dtype == before.dtype if library != "pyarrow" else after.type == before.type
    assert imputer.statistics_.tolist() == [50.0, "baker", "high"]


def _plain(value):
    return value.as_py() if hasattr(value, "as_py") else value


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_missing_can_be_a_value_of_its_own(library):
    filled = SimpleImputer(strategy="constant", fill_value={"age": -1}).fit_transform(people(library))
    assert list(map(_plain, filled["age"])) == [30, -1, 50, 70]
    assert list(map(_plain, filled["job"])) == ["clerk", "baker", "missing_value", "baker"]
    assert list(map(_plain, filled["level"])) == ["low", "high", "high", "missing_value"]


def test_the_median_of_an_ordinal_column_is_its_middle_category():
    frame = people("pandas")
    assert SimpleImputer(strategy="median").fit(frame).statistics_.tolist() == [50.0, "baker", "high"]
    frame.loc[3, "level"] = "low"
    assert SimpleImputer(strategy="median").fit(frame).statistics_[2] == "low"  # the lower of two middles


def test_a_frame_keeps_its_index_and_untouched_columns_their_type():
    frame = pd.DataFrame({"n": [1, 2, 3], "v": [1.0, None, 3.0], "s": ["a", "b", "c"]}, index=[5, 3, 9])
    filled = SimpleImputer().fit_transform(frame)
    assert filled.index.tolist() == [5, 3, 9]
    assert filled["n"].dtype == frame["n"].dtype
    assert filled["v"].tolist() == [1.0, 2.0, 3.0]


def test_columns_are_matched_by_name_and_come_in_the_order_of_fit():
    imputer = SimpleImputer().fit(people("pandas"))
    again = imputer.transform(people("pandas")[["level", "age", "job"]])
    assert list(again.columns) == ["age", "job", "level"]


def test_dates_are_filled_with_dates():
    days = [datetime.datetime(2020, 1, 1), None, datetime.datetime(2020, 1, 3)]
    for frame in (
        pd.DataFrame({"d": pd.to_datetime(days)}),
        pl.DataFrame({"d": days}),
        pa.table({"d": days}),
    ):
        filled = SimpleImputer().fit_transform(frame)
        middle = _plain(list(filled["d"])[1])
        assert pd.Timestamp(middle) == pd.Timestamp("2020-01-02")


def test_an_unseen_category_is_filled_with_a_warning():
    imputer = SimpleImputer().fit(pd.DataFrame({"c": ["x", "x", "y"]}))
    with pytest.warns(SchemaWarning, match=r"column 'c' has 1 unseen category \('z'\) in 1 row; filled"):
        filled = imputer.transform(pd.DataFrame({"c": ["z", "y"]}))
    assert filled["c"].tolist() == ["x", "y"]


@pytest.mark.parametrize(("missing_values", "missing_one"), [(-1, -1.0), (np.nan, np.nan), (None, None)])
def test_what_stands_for_a_missing_value_can_be_said(missing_values, missing_one):
    X = np.array([[1.0], [3.0], [np.nan]], dtype=object)
    X[2, 0] = missing_one
    X = X.astype(float)
    assert SimpleImputer(missing_values=missing_values).fit_transform(X).ravel().tolist() == [1, 3, 2]


def test_a_question_mark_can_stand_for_a_missing_value():
    frame = pd.DataFrame({"c": ["x", "?", "x", "y"], "v": [1.0, 2.0, np.nan, 3.0]})
    imputer = SimpleImputer(missing_values="?").fit(frame)
    assert imputer.transform(frame)["c"].tolist() == ["x", "x", "x", "y"]
    assert imputer.transform(frame)["v"].tolist() == [1, 2, 2, 3]


def test_objects_and_mappings_are_given_back_as_such():
    block = np.array([["a", 1.0], [None, None], ["a", 3.0]], dtype=object)
    assert SimpleImputer().fit_transform(block).tolist() == [["a", 1.0], ["a", 2.0], ["a", 3.0]]
    assert SimpleImputer().fit_transform({"v": [1.0, None], "c": ["x", None]}) == {
        "v": [1, 1],
        "c": ["x", "x"],
    }


@given(
    seed=st.integers(0, 10**6),
    cut=st.integers(1, 59),
    strategy=st.sampled_from(["mean", "median", "most_frequent"]),
)
@settings(max_examples=30, deadline=None)
def test_blocks_give_the_same_fillings(seed, cut, strategy):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"v": rng.integers(0, 9, 60) * 0.5, "c": rng.choice(list("abcde"), 60)})
    frame.loc[rng.random(60) < 0.2, "v"] = np.nan
    frame.loc[rng.random(60) < 0.2, "c"] = None
    whole = SimpleImputer(strategy=strategy).fit(frame)
    partial = SimpleImputer(strategy=strategy)
    frame["c"] = frame["c"].astype("string")  # a type that says text, also in a block of missing values
    for part in (frame[cut:], frame[:cut]):  # categories that the first block lacks come later
        partial.partial_fit(part)
    streamed = SimpleImputer(strategy=strategy).fit_blocks([frame[:cut], frame[cut:]])
    for other in (partial, streamed):
        assert_allclose(float(other.statistics_[0]), float(whole.statistics_[0]), rtol=1e-12)
        assert other.statistics_[1] == whole.statistics_[1]


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
def test_a_block_of_missing_values_takes_the_kind_of_the_next(strategy):
    with_missing = pl.DataFrame(
        {"a": [None, None], "b": [None, None]}, schema={"a": pl.String, "b": pl.String}
    )
    later = pl.DataFrame({"a": [3.0, 3.0], "b": ["x", "x"]})
    imputer = SimpleImputer(strategy=strategy).partial_fit(with_missing).partial_fit(later)
    expected = [0, "missing_value"] if strategy == "constant" else [3.0, "x"]
    assert imputer.statistics_.tolist() == expected
    assert SimpleImputer(strategy=strategy).fit_blocks([later, with_missing]).statistics_.tolist() == expected


@given(seed=st.integers(0, 10**6), strategy=st.sampled_from(["mean", "median", "most_frequent"]))
@settings(max_examples=30, deadline=None)
def test_a_weight_is_a_number_of_rows(seed, strategy):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = 1.0
    w = rng.integers(0, 3, 30)
    w[0] = 1
    weighted = SimpleImputer(strategy=strategy).fit(X, sample_weight=w)
    repeated = SimpleImputer(strategy=strategy).fit(np.repeat(X, w, axis=0))
    assert_allclose(weighted.statistics_, repeated.statistics_, rtol=1e-12)


def test_a_fitted_median_keeps_no_rows():
    imputer = SimpleImputer(strategy="median").fit(load_wine().X)
    assert not hasattr(imputer, "_sums")
    with pytest.raises(ParameterError, match="keeps no values after fit"):
        imputer.partial_fit(load_wine().X)


def test_a_raw_mixed_frame_goes_through_a_pipeline():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"v": y + rng.normal(size=200), "c": np.where(y == 1, "x", "y").astype(object)})
    frame.loc[rng.random(200) < 0.3, "v"] = np.nan
    frame.loc[rng.random(200) < 0.3, "c"] = None
    for given_frame in (frame, pl.from_pandas(frame)):
        model = make_pipeline(SimpleImputer(), GaussianNB()).fit(given_frame, y)
        assert model.score(given_frame, y) > 0.75


@pytest.mark.parametrize(
    ("fill_value", "message"),
    [
        ("none", "fill_value='none' does not fit column 'age', which needs a number"),
        (3, "fill_value=3 does not fit column 'job', which needs a category"),
        ({"income": 1}, r"fill_value names \['income'\]"),
    ],
)
def test_a_constant_must_fit_its_columns(fill_value, message):
    with pytest.raises(ParameterError, match=message):
        SimpleImputer(strategy="constant", fill_value=fill_value).fit(people("pandas"))


def test_complete_rows_come_back_as_a_copy():
    X = load_wine().X.values
    filled = SimpleImputer().fit(X).transform(X)
    assert_array_equal(filled, X)
    assert not np.shares_memory(filled, X)
    assert SimpleImputer(copy=False).fit(X).transform(X) is X


def test_frames_with_numbers_for_names_keep_them():
    frame = pd.DataFrame([[1.0, "a"], [None, "b"], [3.0, None]])
    filled = SimpleImputer().fit_transform(frame)
    assert list(filled.columns) == [0, 1]
    assert filled[0].tolist() == [1, 2, 3]
    assert filled[1].tolist() == ["a", "b", "a"]


@pytest.mark.parametrize("strategy", ["mean", "constant"])
def test_missing_values_can_be_put_back(strategy):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    ours = SimpleImputer(strategy=strategy, add_indicator=True).fit(X)
    peer = Peer(strategy=strategy, add_indicator=True).fit(X)
    assert_array_equal(ours.inverse_transform(ours.transform(X)), X)
    assert_array_equal(peer.inverse_transform(peer.transform(X)), X)
    for library in ("pandas", "polars"):
        imputer = SimpleImputer(strategy=strategy, add_indicator=True).fit(people(library))
        back = imputer.inverse_transform(imputer.transform(people(library)))
        assert type(back) is type(people(library))
        assert_array_equal(Table.of(back).values, Table.of(people(library)).values)
    with pytest.raises(ParameterError, match="works only with add_indicator=True"):
        SimpleImputer().fit(X).inverse_transform(X)


def test_a_table_comes_back_as_a_table():
    table = Table.of({"v": [1.0, None], "c": ["x", None]})
    filled = SimpleImputer(add_indicator=True).fit_transform(table)
    assert isinstance(filled, Table)
    assert filled.complete
    assert filled.values.tolist() == [[1, 0, 0, 0], [1, 0, 1, 1]]
    assert filled.schema.names == ["v", "c", "missingindicator_v", "missingindicator_c"]


@pytest.mark.parametrize("missing", [np.nan, -1.0])
@pytest.mark.parametrize("options", [{}, {"strategy": "median"}, {"strategy": "most_frequent"},
                                      {"strategy": "constant", "fill_value": 7.0}, {"add_indicator": True},
                                      {"strategy": "median", "keep_empty_features": True}])  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [csr_matrix, csc_array])
def test_a_sparse_table_is_filled_like_the_dense_one(form, weighted, options, missing):
    """What is not stored is the number 0; a column without any value is dropped in both."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((40, 6)) < 0.6, 0.0, rng.integers(1, 5, size=(40, 6)).astype(float))
    X[rng.random(X.shape) < 0.2] = missing
    X[:, 5] = missing
    w = rng.integers(0, 3, size=40).astype(float) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        dense = SimpleImputer(missing_values=missing, **options).fit(X, sample_weight=w)
        sparse = SimpleImputer(missing_values=missing, **options).fit(form(X), sample_weight=w)
        found, expected = sparse.transform(form(X)), dense.transform(X)
    assert_allclose(sparse.statistics_, dense.statistics_)
    assert issparse(found)
    assert_allclose(found.toarray(), expected)


def test_zeros_of_a_sparse_table_cannot_be_missing():
    with pytest.raises(ValueError, match="Provide a dense array"):
        SimpleImputer(missing_values=0).fit(csr_matrix([[0.0, 1.0]]))


def test_blocks_of_a_sparse_table_add_up():
    X = csr_matrix([[0.0, 1.0], [np.nan, 3.0], [4.0, np.nan], [2.0, 0.0]])
    for strategy in ("mean", "median"):
        parts = SimpleImputer(strategy=strategy).partial_fit(X[:2]).partial_fit(X[2:])
        assert_allclose(parts.statistics_, SimpleImputer(strategy=strategy).fit(X).statistics_)


def test_the_indicator_tells_where_the_missing_values_were():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert SimpleImputer().fit(X).indicator_ is None
    indicator = SimpleImputer(add_indicator=True).fit(X).indicator_
    assert indicator.features_.tolist() == [1]
    assert indicator.transform(X).tolist() == [[True], [False]]


def test_a_text_fills_a_column_without_any_value():
    X = np.array([["a", None], [None, None]], dtype=object)
    model = SimpleImputer(strategy="constant", fill_value="?", keep_empty_features=True).fit(X)
    assert model.transform(X).tolist() == [["a", "?"], ["?", "?"]]


def test_the_inverse_puts_back_what_stands_for_a_missing_value():
    X = np.array([[1.0, -1.0], [-1.0, 3.0]])
    model = SimpleImputer(missing_values=-1, add_indicator=True).fit(X)
    assert_array_equal(model.inverse_transform(model.transform(X)), X)


def test_medians_of_many_blocks_are_exact_while_few_and_near_beyond():
    rng = np.random.default_rng(0)
    for n, near in ((60_000, 0.0), (400_000, 0.0002)):
        X = np.column_stack([rng.exponential(size=n), rng.integers(0, 50, n)])
        X[::7, 0] = np.nan
        whole = SimpleImputer(strategy="median").fit(X)
        parts = [X[a : a + 50_000] for a in range(0, n, 50_000)]
        streamed = SimpleImputer(strategy="median").fit_blocks(parts)
        assert streamed.statistics_[1] == whole.statistics_[1]
        present = X[~np.isnan(X[:, 0]), 0]
        assert abs(np.mean(present <= streamed.statistics_[0]) - 0.5) <= near + 1 / len(present)
        assert near or streamed.statistics_[0] == whole.statistics_[0]
        assert "_sketched" not in vars(streamed)
