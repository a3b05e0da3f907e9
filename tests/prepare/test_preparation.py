"""What all preparations promise."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import assay
from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import SchemaError
from assay.prepare import MinMaxScaler, MissingIndicator, RegressionImputer, SimpleImputer, StandardScaler
from assay.tables.data import load_german_credit
from assay.tables.generators import insert_missing

ALL = [
    StandardScaler(),
    MinMaxScaler(),
    SimpleImputer(add_indicator=True),
    SimpleImputer(strategy="median"),
    SimpleImputer(strategy="constant"),
    MissingIndicator(),
    RegressionImputer(add_indicator=True),
]
every = pytest.mark.parametrize(
    "preparation", ALL, ids=lambda p: f"{type(p).__name__}-{p.get_params().get('strategy')}"
)


def frame(seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "u": rng.normal(size=80),
            "c": rng.choice(list("abc"), 80),
            "v": rng.normal(3, 2, 80),
            "d": rng.choice(list("xy"), 80),
        }
    )
    table.loc[rng.random(80) < 0.2, "u"] = np.nan
    table.loc[rng.random(80) < 0.2, "c"] = None
    return table


@every
def test_a_saved_preparation_gives_the_same_table(preparation, tmp_path):
    fitted = clone(preparation).fit(frame())
    assay.save(fitted, tmp_path / "model.assay")
    loaded = assay.load(tmp_path / "model.assay")
    pd.testing.assert_frame_equal(loaded.transform(frame(1)), fitted.transform(frame(1)))


@every
def test_names_out_are_the_names_of_the_columns_out(preparation):
    fitted = clone(preparation).fit(frame())
    assert fitted.transform(frame()).columns.tolist() == fitted.get_feature_names_out().tolist()


@every
def test_columns_are_matched_by_name(preparation):
    fitted = clone(preparation).fit(frame())
    shuffled = fitted.transform(frame()[["d", "v", "c", "u"]])
    pd.testing.assert_frame_equal(shuffled, fitted.transform(frame()))
    with pytest.raises(SchemaError, match="missing: d"):
        fitted.transform(frame()[["u", "c", "v"]])


@every
def test_the_given_frame_is_not_changed(preparation):
    given = frame()
    clone(preparation).fit_transform(given)
    pd.testing.assert_frame_equal(given, frame())


@every
def test_before_fit_it_says_so(preparation):
    with pytest.raises(NotFittedError):
        clone(preparation).transform(frame())


@every
def test_one_row_is_enough(preparation):
    fitted = clone(preparation).fit(frame())
    whole, single = fitted.transform(frame()), fitted.transform(frame().iloc[[5]])
    pd.testing.assert_frame_equal(single, whole.iloc[[5]], check_dtype=False)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("imputer", [SimpleImputer(), RegressionImputer()], ids=["simple", "regression"])
def test_a_raw_mixed_frame_with_missing_values_reaches_a_discriminant(library, imputer):
    data = insert_missing(load_german_credit(), 0.05, random_state=0)
    X = data.frame(library, target=False)
    model = make_pipeline(imputer, StandardScaler(), LinearDiscriminantAnalysis()).fit(X, data.y)
    assert model.score(X, data.y) > 0.74  # 0.70 are good risks
