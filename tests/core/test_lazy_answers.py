"""Answers for Dask collections: what they are made of, and what they say of themselves beforehand.

That the answers of every learner are those for the same rows in memory is a promise of tests/test_every_learner.py.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

from assay.bayes import GaussianNB, NaiveBayes
from assay.core import lazy_answers
from assay.decide import CalibratedClassifierCV, DecisionRule
from assay.densities import KernelDensity
from assay.errors import DataError, SchemaError, SchemaWarning
from assay.linear import BayesianRidge, GeneralizedLinearModel, LinearRegression, LogisticRegressionCV
from assay.prepare import Prepared, PreparedRegressor, StandardScaler
from assay.reduce import PCA
from assay.select import SelectKBest
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

dask = pytest.importorskip("dask", reason="needs the extra assay[dask]")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

rng = np.random.default_rng(0)
N = 120
FRAME = pd.DataFrame(
    {"size": rng.normal(size=N), "age": rng.integers(0, 90, N), "kind": rng.choice(["a", "b", "c"], N)},
    index=pd.Index(np.arange(N) * 10, name="id"),
)
LABELS = np.where(FRAME["size"] + (FRAME["kind"] == "a") + rng.normal(size=N) > 0.3, "yes", "no")
NUMBERS = FRAME["size"].to_numpy() * 2 + FRAME["age"].to_numpy() / 10 + rng.normal(size=N)
PLAIN = FRAME[["size", "age"]].to_numpy(dtype=float)


@pytest.fixture(autouse=True)
def no_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


def lazy_frame(frame=FRAME, npartitions=4):
    return dd.from_pandas(frame, npartitions=npartitions)


def test_predictions_of_a_frame_are_a_series_with_its_index_and_divisions():
    model, rows = NaiveBayes().fit(FRAME, LABELS), lazy_frame()
    answers = model.predict(rows)
    assert isinstance(answers, dd.Series)
    assert answers.divisions == rows.divisions and answers.name == "prediction"
    computed = answers.compute()
    assert computed.dtype == answers.dtype and computed.index.equals(FRAME.index)
    assert_array_equal(computed, model.predict(FRAME))
    joined = rows.assign(answer=answers).compute()  # partitions fit together
    assert (joined["answer"] == model.predict(FRAME)).all()


def test_nothing_is_computed_before_that_is_asked_for():
    def refuse(part):
        raise AssertionError("a partition was computed")

    rows = lazy_frame().map_partitions(refuse, meta=FRAME.iloc[:0])
    model = NaiveBayes().fit(FRAME, LABELS)
    for way in ("predict", "predict_proba", "predict_log_proba", "log_density"):
        getattr(model, way)(rows)
    with pytest.raises(AssertionError, match="was computed"):
        model.predict(rows).compute()


def test_probabilities_have_a_column_for_each_class():
    model = NaiveBayes().fit(FRAME, LABELS)
    answers = model.predict_proba(lazy_frame())
    assert answers.columns.tolist() == ["no", "yes"] and answers.dtypes.tolist() == [np.float64] * 2
    assert_allclose(answers.compute(), model.predict_proba(FRAME), rtol=1e-12)
    chunks = model.predict_proba(da.from_array(FRAME.to_numpy(), chunks=(50, 2)))
    assert chunks.shape == (N, 2) and chunks.chunks == ((50, 50, 20), (2,)) and chunks.dtype == np.float64
    assert_allclose(chunks.compute(), model.predict_proba(FRAME.to_numpy()), rtol=1e-12)


def test_an_array_keeps_its_chunks_also_of_unknown_size():
    model = GaussianNB().fit(PLAIN, LABELS)
    rows = da.from_array(PLAIN, chunks=(50, 1))
    answers = model.predict(rows)
    assert (
        answers.shape == (N,) and answers.chunks == ((50, 50, 20),) and answers.dtype == model.classes_.dtype
    )
    assert_array_equal(answers.compute(), model.predict(PLAIN))
    few = rows[rows[:, 0] > 2]  # its chunks are small or empty, and of unknown size
    assert_array_equal(model.predict(few).compute(), model.predict(PLAIN[PLAIN[:, 0] > 2]))
    none = rows[rows[:, 0] > 100]
    assert model.predict_proba(none).compute().shape == (0, 2)


def test_transforms_have_the_names_of_their_columns():
    numbers = FRAME[["size", "age"]]
    scaler = StandardScaler().fit(numbers)
    scaled = scaler.transform(lazy_frame(numbers))
    assert scaled.columns.tolist() == ["size", "age"] and scaled.divisions == lazy_frame().divisions
    assert_allclose(scaled.compute(), scaler.transform(numbers), rtol=1e-12)
    components = PCA(1).fit(numbers).transform(lazy_frame(numbers))
    assert components.columns.tolist() == ["pca0"]
    back = scaler.inverse_transform(scaled)
    assert back.columns.tolist() == ["size", "age"]
    assert_allclose(back.compute(), numbers, rtol=1e-12)
    chosen = SelectKBest(k=1).fit(numbers, LABELS).transform(lazy_frame(numbers))
    assert chosen.columns.tolist() == ["size"]


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_makes_frames_of_partitions(container):
    numbers = FRAME[["size", "age"]]
    scaler = StandardScaler().fit(numbers).set_output(transform=container)
    of_frame = scaler.transform(lazy_frame(numbers))
    of_array = scaler.transform(da.from_array(PLAIN, chunks=(50, 2)))
    for answers in (of_frame, of_array):
        assert answers.columns.tolist() == ["size", "age"]
        assert_allclose(answers.compute(), scaler.transform(numbers), rtol=1e-12)
    assert of_frame.compute().index.equals(FRAME.index)


def test_sparse_partitions_stay_sparse():
    from scipy.sparse import csr_array

    model = GaussianNB().fit(PLAIN, LABELS)
    counts = np.round(np.abs(PLAIN))
    from assay.bayes import MultinomialNB

    bayes = MultinomialNB().fit(counts, LABELS)
    rows = da.from_array(counts, chunks=(50, 2)).map_blocks(csr_array)
    assert_allclose(bayes.predict_proba(rows).compute(), bayes.predict_proba(counts), rtol=1e-12)
    with pytest.raises(TypeError, match="sparse data was passed"):
        model.predict(rows)


@pytest.mark.parametrize(
    "model",
    [
        DecisionRule(NaiveBayes(), loss={("yes", "no"): 3}, reject=0.4),
        CalibratedClassifierCV(NaiveBayes(), cv=3),
        Prepared(GaussianNB()),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3)),
    ],
    ids=["rule", "calibrated", "prepared", "pipeline"],
)
def test_wrapped_models_answer_alike(model):
    model.fit(FRAME, LABELS)
    answers = model.predict(lazy_frame())
    assert answers.compute().dtype == answers.dtype
    assert_array_equal(answers.compute(), model.predict(FRAME))
    assert_allclose(model.predict_proba(lazy_frame()).compute(), model.predict_proba(FRAME), rtol=1e-12)


def test_a_rejected_row_has_its_whole_label_also_where_the_classes_are_short():
    labels = np.where(LABELS == "yes", "y", "n")
    model = DecisionRule(NaiveBayes(), reject=0.4).fit(FRAME.to_numpy(), labels)
    answers = model.predict(da.from_array(FRAME.to_numpy(), chunks=(10, 3))).compute()
    assert set(answers) == {"y", "n", "reject"}
    assert_array_equal(answers, model.predict(FRAME.to_numpy()))
    codes = DecisionRule(NaiveBayes(), reject=0.4).fit(FRAME, LABELS == "yes")
    assert_array_equal(codes.predict(lazy_frame()).compute(), codes.predict(FRAME))


def test_several_targets_and_several_answers():
    targets = pd.DataFrame({"a": NUMBERS, "b": -NUMBERS})
    model = LinearRegression().fit(FRAME, targets)
    answers = model.predict(lazy_frame())
    assert answers.columns.tolist() == ["a", "b"]
    assert_allclose(answers.compute(), model.predict(FRAME), rtol=1e-12)
    tree = DecisionTreeClassifier(max_depth=2).fit(FRAME, np.column_stack([LABELS, FRAME["kind"]]))
    first, second = tree.predict_proba(lazy_frame())
    assert second.columns.tolist() == ["a", "b", "c"]
    for lazy, inside in zip((first, second), tree.predict_proba(FRAME)):
        assert_allclose(lazy.compute(), inside, rtol=1e-12)


def test_partitions_of_another_type_and_with_unseen_categories():
    model = DecisionTreeClassifier(max_depth=3).fit(FRAME, LABELS)
    odd = FRAME.iloc[60:].assign(size=1, age=lambda f: f["age"].astype(float), kind="unheard of")
    parts = [dask.delayed(FRAME.iloc[:60]), dask.delayed(odd)]
    rows = dd.from_delayed(parts, meta=FRAME.iloc[:0], verify_meta=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        answers = model.predict_proba(rows).compute()
        both = [model.predict_proba(FRAME.iloc[:60]), model.predict_proba(odd)]
    assert_allclose(answers, np.concatenate(both), rtol=1e-12)
    text = dd.from_delayed([dask.delayed(FRAME.assign(size="wide"))], meta=FRAME.iloc[:0], verify_meta=False)
    with pytest.raises(DataError, match="size"):
        model.predict(text).compute()


def test_wrong_columns_are_refused_before_anything_is_computed():
    model = NaiveBayes().fit(FRAME, LABELS)
    with pytest.raises(SchemaError, match="age"):
        model.predict(lazy_frame(FRAME.drop(columns="age")))
    with pytest.raises(DataError, match="two dimensions, got a Bag"):
        import dask.bag

        model.predict(dask.bag.from_sequence([1, 2]))
    with pytest.raises(DataError, match="two dimensions, got a Array"):
        model.predict(da.ones(3, chunks=3))
    with pytest.raises(DataError, match=r"rows in memory.*X\.head"):
        BayesianRidge().fit(PLAIN, NUMBERS).predict_distribution(da.from_array(PLAIN))


def test_the_model_is_one_key_of_the_graph_and_a_later_fit_does_not_change_it():
    model = GaussianNB().fit(PLAIN, LABELS)
    before = model.predict(PLAIN)
    for rows in (
        da.from_array(PLAIN, chunks=(10, 2)),
        lazy_frame(pd.DataFrame(PLAIN, columns=["a", "b"]), 12),
    ):
        answers = model.predict(rows)
        tasks = dict(answers.__dask_graph__())
        marker = b"class_count_"
        holders = [key for key, task in tasks.items() if marker in pickle.dumps(task)]
        assert len(holders) == 1 and "GaussianNB" in str(holders[0])
        optimised = dict(answers.__dask_optimize__(answers.__dask_graph__(), answers.__dask_keys__()))
        assert sum(marker in pickle.dumps(task) for task in optimised.values()) <= 1
        model.fit(PLAIN[::-1], LABELS)
        assert_array_equal(answers.compute(), before)
        model.fit(PLAIN, LABELS)


def test_the_score_is_a_sum_over_partitions():
    rows, labels = lazy_frame(), dd.from_pandas(pd.Series(LABELS, index=FRAME.index), npartitions=4)
    weights = dd.from_pandas(pd.Series(np.arange(N) % 3.0, index=FRAME.index), npartitions=4)
    model = NaiveBayes().fit(FRAME, LABELS)
    assert model.score(rows, labels) == pytest.approx(model.score(FRAME, LABELS), rel=1e-12)
    assert model.score(rows, labels, weights) == pytest.approx(
        model.score(FRAME, LABELS, np.arange(N) % 3.0), rel=1e-12
    )
    for regressor in (LinearRegression(), DecisionTreeRegressor(max_depth=3)):
        for y in (NUMBERS, np.column_stack([NUMBERS, NUMBERS**2])):
            regressor.fit(PLAIN, y)
            X, target = da.from_array(PLAIN, chunks=(50, 2)), da.from_array(y, chunks=50)
            assert regressor.score(X, target) == pytest.approx(regressor.score(PLAIN, y), rel=1e-12)
            w = np.linspace(0, 1, N)
            far = regressor.score(X, target, sample_weight=da.from_array(w, chunks=50))
            assert far == pytest.approx(regressor.score(PLAIN, y, w), rel=1e-12)
    by_area = LogisticRegressionCV(scoring="roc_auc", cv=2, Cs=1).fit(PLAIN, LABELS)  # no mean over rows
    area = by_area.score(da.from_array(PLAIN, chunks=(50, 2)), da.from_array(LABELS, chunks=50))
    assert area == pytest.approx(by_area.score(PLAIN, LABELS), rel=1e-12)
    density = KernelDensity().fit(PLAIN)
    assert density.score(da.from_array(PLAIN, chunks=(50, 2))) == pytest.approx(
        density.score(PLAIN), rel=1e-12
    )


def test_scores_that_cannot_be_computed_are_refused():
    X, y = da.from_array(PLAIN, chunks=(50, 2)), da.from_array(LABELS, chunks=40)
    with pytest.raises(DataError, match="different numbers of Dask partitions"):
        GaussianNB().fit(PLAIN, LABELS).score(X, da.from_array(LABELS, chunks=20))
    with pytest.raises(DataError, match="must be Dask collections too"):
        GaussianNB().fit(PLAIN, LABELS).score(X, LABELS)
    with pytest.raises(DataError, match="no rows"):
        GaussianNB().fit(PLAIN, LABELS).score(X[:0], y[:0])
    with pytest.raises(DataError, match="at least two rows"):
        LinearRegression().fit(PLAIN, NUMBERS).score(X[:1], da.from_array(NUMBERS[:1]))
    with pytest.raises(DataError, match="rows in memory"):
        GeneralizedLinearModel().fit(PLAIN, NUMBERS).score(X, da.from_array(NUMBERS, chunks=50))


def test_constant_targets_have_the_score_that_scikit_learn_gives():
    X, y = da.from_array(PLAIN, chunks=(50, 2)), da.full(N, 3.0, chunks=50)
    assert DecisionTreeRegressor().fit(PLAIN, np.full(N, 3.0)).score(X, y) == 1.0
    assert DecisionTreeRegressor().fit(PLAIN, NUMBERS).score(X, y) == 0.0


def test_rows_that_are_asked_for_are_explained(monkeypatch):
    model = NaiveBayes().fit(FRAME, LABELS)
    rows = lazy_frame()
    assert str(model.explain(rows.loc[[170]])) == str(model.explain(FRAME.loc[[170]]))
    assert len(model.explain(rows.loc[[170]])) == 1
    assert len(model.explain(rows.partitions[0])) == 30
    assert str(model.explain(rows)[5]) == str(model.explain(FRAME)[5])
    plain = GaussianNB().fit(PLAIN, LABELS)
    assert str(plain.explain(da.from_array(PLAIN)[7:8])) == str(plain.explain(PLAIN[7:8]))
    monkeypatch.setattr(lazy_answers, "MOST_EXPLAINED", 50)
    with pytest.raises(DataError, match=r"single rows, at most 50 of a Dask collection; X has 120.*X\.loc"):
        model.explain(rows).compute()


@pytest.mark.parametrize(
    "model, output",
    [
        (NaiveBayes(), "yes"),
        (NaiveBayes(), None),
        (DecisionTreeClassifier(max_depth=3), None),
        (DecisionRule(NaiveBayes(), loss=[[0, 1], [5, 0]]), None),
        (PreparedRegressor(LinearRegression()), None),
    ],
)
def test_contributions_are_a_frame_that_nothing_is_computed_for(model, output):
    model = model.fit(FRAME, NUMBERS if isinstance(model, PreparedRegressor) else LABELS)
    made = []

    def part(k):
        made.append(k)
        return FRAME[k : k + 40]

    rows = dd.from_map(part, [0, 40, 80], meta=FRAME[:0])
    lazy = model.explain(rows).to_frame(output)
    assert made == [] and "to_frame()" in repr(model.explain(rows))
    whole = model.explain(FRAME).to_frame(output)
    computed = lazy.compute()
    assert list(lazy.columns) == list(whole.columns) and (computed.dtypes == lazy.dtypes).all()
    pd.testing.assert_frame_equal(computed, whole, check_dtype=False)
    assert lazy_frame().divisions == model.explain(lazy_frame()).to_frame(output).divisions


def test_contributions_of_arrays_of_single_rows_and_of_empty_partitions():
    plain = GaussianNB().fit(PLAIN, LABELS)
    whole = plain.explain(PLAIN).to_frame()
    lazy = plain.explain(da.from_array(PLAIN, chunks=((1, 99, 20), (1, 1)))).to_frame()
    assert lazy.npartitions == 3
    pd.testing.assert_frame_equal(lazy.compute().reset_index(drop=True), whole, check_dtype=False)
    rows = lazy_frame()
    some = rows.map_partitions(
        lambda part: part[part.index == 170], meta=FRAME[:0]
    )  # one row in one partition
    model = NaiveBayes().fit(FRAME, LABELS)
    lines = model.explain(some).to_frame().compute()
    pd.testing.assert_frame_equal(lines, model.explain(FRAME).to_frame().loc[[170]], check_dtype=False)


def test_what_cannot_be_explained_is_refused_at_once():
    model = NaiveBayes().fit(FRAME, LABELS)
    with pytest.raises(SchemaError, match="age"):
        model.explain(lazy_frame(FRAME.drop(columns="age")))
    with pytest.raises(DataError, match="explain takes Dask frames and Dask arrays of two dimensions"):
        GaussianNB().fit(PLAIN, LABELS).explain(da.from_array(PLAIN[:, 0]))


def test_rows_by_keyword_and_further_arguments():
    model = LinearRegression().fit(PLAIN, NUMBERS)
    X = da.from_array(PLAIN, chunks=(50, 2))
    assert_allclose(model.predict(X=X).compute(), model.predict(X=PLAIN), rtol=1e-12)  # BLAS: other heights
    with pytest.raises(DataError, match="takes one Dask collection"):
        StandardScaler().fit(PLAIN).transform(X, X)


def test_threads_of_dask_answer_as_well():
    model = NaiveBayes().fit(FRAME, LABELS)
    assert_array_equal(model.predict(lazy_frame()).compute(scheduler="threads"), model.predict(FRAME))


def test_the_workers_of_a_cluster_answer_as_well():
    distributed = pytest.importorskip("distributed", reason="needs the extra assay[dask]")
    model = GaussianNB().fit(PLAIN, LABELS)
    from tests.clusters import in_this_process

    with in_this_process(workers=2) as cluster, distributed.Client(cluster):
        answers = model.predict(da.from_array(PLAIN, chunks=(10, 2))).compute()
    assert_array_equal(answers, model.predict(PLAIN))


def test_dask_collections_that_are_no_rows_of_columns_are_refused():
    X = np.arange(6.0)[:, None]
    model, y = GaussianNB().fit(X, [0, 0, 0, 1, 1, 1]), da.from_array(np.repeat([0, 1], 3), chunks=3)
    series = dd.from_pandas(pd.Series(X[:, 0], name="a"), npartitions=2)
    for odd, what in (
        (series, r"got a Series of 1\. .*X\.to_frame\(\)"),
        (da.from_array(X[:, 0], chunks=3), "got a Array of 1"),
        (da.from_array(X[:, :, None], chunks=3), "got a Array of 3"),
        (dask.delayed(X), "got a Delayed"),
    ):
        for name, call in (
            ("predict", lambda odd: model.predict(odd)),
            ("explain", lambda odd: model.explain(odd)),
            ("score", lambda odd: model.score(odd, y)),
            ("fit", lambda odd: GaussianNB().fit(odd, y)),
        ):
            with pytest.raises(DataError, match=f"{name} takes Dask frames and .*{what}"):
                call(odd)
