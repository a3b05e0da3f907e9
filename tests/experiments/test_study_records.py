"""Records of a study as tables."""

import numpy as np
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

from assay.experiments.experiment import Experiment

DATA = {"rows": (np.arange(40.0).reshape(20, 2), np.arange(20) % 2)}


@pytest.fixture(scope="module")
def study():
    learners = {
        "tree": ("decision tree", {"max_depth": [1, 2]}),
        "knn": ("knn", {"n_neighbors": [1], "weights": ["uniform", "distance"]}),
        "lda": "lda",
    }
    return Experiment(learners, DATA, design="2-fold", metrics=["error", "auc"]).run()


def test_one_record_per_cell_and_metric_with_factors_as_columns(study):
    assert len(study.records) == 5 * 2 * 2
    first = study.records[0]
    told = {"data": "rows", "learner": "tree(max_depth=1)", "family": "tree", "repetition": 0, "fold": 0,
            "metric": "error", "n_train": 10, "n_test": 10}  # fmt: skip
    assert {k: first[k] for k in told} == told
    assert (first["max_depth"], first["n_neighbors"], first["weights"], first["failure"]) == (
        1,
        None,
        None,
        "",
    )
    last = study.records[-1]
    assert (last["learner"], last["max_depth"]) == ("lda", None)


def test_parquet_csv_arrow_and_pandas_hold_the_same(study, tmp_path):
    table = pq.read_table(study.to_parquet(tmp_path / "r.parquet"))
    assert table.to_pylist() == study.records == study.to_arrow().to_pylist()
    assert study.to_pandas()["value"].tolist() == [r["value"] for r in study.records]
    read = csv.read_csv(study.to_csv(tmp_path / "r.csv"))
    assert read["value"].to_pylist() == pytest.approx([r["value"] for r in study.records])
    assert study.to_records() == study.records and study.to_records() is not study.records


def test_levels_of_several_kinds_become_text_in_typed_tables():
    learners = {"knn": ("knn", {"n_neighbors": [1, 2]}), "tree": ("decision tree", {"max_depth": [None, 2]}),
                "forest": ("forest", {"max_features": ["sqrt", 1, 0.5], "n_estimators": [2]})}  # fmt: skip
    found = Experiment(learners, DATA, design="holdout").run().to_arrow()
    assert found["max_features"].to_pylist()[4:] == ["sqrt", "1", "0.5"]
    assert found["max_depth"].to_pylist()[2:4] == [None, 2]
    learners = {
        "tree": ("decision tree", {"min_samples_leaf": [1, 0.5], "min_impurity_decrease": [False, 0.5]})
    }
    found = Experiment(learners, DATA, design="holdout").run().to_arrow()
    assert found["min_samples_leaf"].to_pylist() == [1.0, 1.0, 0.5, 0.5]
    assert found["min_impurity_decrease"].to_pylist() == ["False", "0.5", "False", "0.5"]


def test_a_factor_with_the_name_of_a_column_gets_an_underscore():
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Odd(ClassifierMixin, BaseEstimator):
        def __init__(self, fold=1):
            self.fold = fold

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    (row, _) = Experiment([(Odd(), {"fold": [1, 7]})], DATA, design="holdout").run().records
    assert (row["fold"], row["fold_"]) == (0, 1)
