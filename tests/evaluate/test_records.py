"""A comparison as data."""

import json

import pytest

from assay import compare
from assay.tables.data import load_breast_cancer


@pytest.fixture(scope="module")
def result():
    learners = ["majority", "naive bayes", "lda", "nearest mean"]
    return compare(learners, load_breast_cancer(), design="3x5", metrics=["error", "auc", "log-loss"])


def test_records_are_tidy_and_come_in_three_forms(result):
    rows = result.to_records()
    assert len(rows) == 4 * 15 * 3
    assert list(rows[0]) == ["data", "learner", "repetition", "fold", "metric", "value", "fit_seconds",
                             "predict_seconds", "n_train", "n_test"]  # fmt: skip
    assert rows[0]["n_train"] + rows[0]["n_test"] == 569 and rows[0]["data"] == "breast_cancer"
    frame, table = result.to_pandas(), result.to_arrow()
    assert frame.to_dict("records") == rows == table.to_pylist()
    rows[0]["value"] = 99
    assert result.to_records()[0]["value"] != 99


def test_plain_data_survives_json(result):
    plain = result.to_dict()
    again = json.loads(json.dumps(plain, allow_nan=False))
    assert again == plain
    assert again["ranking"]["error"][0]["learner"] == result.best
    assert again["ranking"]["error"][0]["p"] is None and again["design"]["name"] == "3x5"
