"""The one place that adds up: memory, blocks, partial_fit and a cluster give the same sums."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from assay import bayes, linear, prepare
from assay.bayes import GaussianNB
from assay.bayes.counts import CountBayes
from assay.core import PassLearner, sums
from assay.core.moments import class_moments
from assay.core.sums import Block, DaskRows, Rows, Stream, is_dask
from assay.errors import DataError, ParameterError, SchemaError

FITTED = ("theta_", "var_", "class_count_", "class_prior_", "epsilon_")


def table(n=600, d=3, K=3, seed=0, weighted=False):
    """Rows whose means lie far from zero, so that careless sums would cancel."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = rng.normal(size=(n, d)) + 3 * y[:, None] + 1e4
    return X, y, rng.uniform(0.1, 2.0, size=n) if weighted else None


def assert_same_model(a, b, rtol=1e-10):
    assert_array_equal(a.classes_, b.classes_)
    for name in FITTED:
        assert_allclose(getattr(a, name), getattr(b, name), rtol=rtol, err_msg=name)


# Rows in memory


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 2000), st.integers(1, 5), st.integers(1, 1 << 14), st.booleans())
def test_blocks_cover_every_row_once_and_in_order(n, d, size, weighted):
    X = np.arange(n * d, dtype=float).reshape(n, d)
    y, w = np.arange(n), np.arange(n) / 7 if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "BLOCK_BYTES", size)
        patch.setattr(sums, "ONE_BLOCK_BYTES", 64)
        blocks = Rows(X, y, w).blocks()
    assert_array_equal(np.concatenate([b.X for b in blocks]), X)
    assert_array_equal(np.concatenate([b.y for b in blocks]), y)
    assert (
        all(b.w is None for b in blocks)
        if w is None
        else np.array_equal(np.concatenate([b.w for b in blocks]), w)
    )
    assert all(len(b.X) for b in blocks)


def test_a_small_table_is_one_block_and_is_not_copied():
    X = np.ones((100, 3))
    (block,) = Rows(X).blocks()
    assert block.X is X and block.y is None and block.w is None


def test_sparse_rows_are_cut_too(monkeypatch):
    X = scipy.sparse.random(5000, 4, density=0.5, format="csr", random_state=0)
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 1 << 14)
    blocks = Rows(X).blocks()
    assert len(blocks) > 1 and (scipy.sparse.vstack([b.X for b in blocks]) != X).nnz == 0


def test_a_table_without_a_stored_number_is_still_one_block():
    assert len(Rows(scipy.sparse.csr_matrix((10, 3))).blocks()) == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, weighted):
    X, y, w = table(5000, weighted=weighted)
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 1 << 13)
    models = []
    for n in ("1", "2", "3"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", n)
        monkeypatch.setattr("assay.threads._cores", lambda: 3)
        models.append(GaussianNB().fit(X, y, sample_weight=w))
    for model in models[1:]:
        for name in FITTED:
            assert (
                np.asarray(getattr(model, name)).tobytes() == np.asarray(getattr(models[0], name)).tobytes()
            )


# The same model from everywhere


@pytest.mark.filterwarnings(
    "ignore::assay.errors.DegenerateWarning"
)  # a first block of one row has no spread
@settings(max_examples=25, deadline=None)
@given(st.data(), st.booleans(), st.integers(0, 10**6))
def test_partial_fit_in_any_block_order_and_a_stream_give_the_model_of_all_rows(data, weighted, seed):
    X, y, w = table(120, seed=seed, weighted=weighted)
    cuts = sorted(data.draw(st.sets(st.integers(1, 119), max_size=6)))
    spans = [slice(a, b) for a, b in zip([0, *cuts], [*cuts, 120])]
    whole = GaussianNB().fit(X, y, sample_weight=w)

    parts = [(X[s], y[s]) if w is None else (X[s], y[s], w[s]) for s in spans]
    assert_same_model(GaussianNB().fit_blocks(parts), whole)

    model = GaussianNB()
    for i in data.draw(st.permutations(range(len(spans)))):
        weights = None if w is None else w[spans[i]]
        model.partial_fit(X[spans[i]], y[spans[i]], classes=[0, 1, 2], sample_weight=weights)
    assert_same_model(model, whole)


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(2, 40), st.integers(1, 3)), elements=st.floats(-1e6, 1e6, width=32)
    ),
    st.integers(0, 40),
)
def test_two_parts_add_up_to_the_moments_of_the_whole(X, cut):
    """Also when a class is in one part only, and when a part is empty."""
    y = (np.arange(len(X)) % 2).astype(np.int64)
    cut = min(cut, len(X))
    whole = class_moments(X, y, None, 2)
    parts = class_moments(X[:cut], y[:cut], None, 2) + class_moments(X[cut:], y[cut:], None, 2)
    scale = np.ptp(X, axis=0).max() + np.abs(X).max() * 1e-8 + 1e-300
    assert_array_equal(parts.count, whole.count)
    assert_allclose(parts.mean, whole.mean, rtol=1e-12, atol=1e-10 * scale)
    assert_allclose(parts.scatter, whole.scatter, rtol=1e-9, atol=1e-9 * scale**2)


def test_weights_of_two_are_rows_twice():
    X, y, _ = table(60)
    twice = GaussianNB().fit(np.r_[X, X[:20]], np.r_[y, y[:20]])
    weighted = GaussianNB().fit(X, y, sample_weight=np.where(np.arange(60) < 20, 2.0, 1.0))
    for name in ("theta_", "class_count_", "class_prior_"):
        assert_allclose(getattr(weighted, name), getattr(twice, name), rtol=1e-12)


def test_a_block_of_weight_zero_adds_nothing():
    X, y, _ = table(60)
    model = GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    before = model.theta_.copy()
    model.partial_fit(X[:5] + 1e6, y[:5], sample_weight=np.zeros(5))
    assert_allclose(model.theta_, before, rtol=1e-12)


def test_zeros_of_any_type_are_weights_of_blocks():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    whole = GaussianNB().fit(X, y)
    for zero in (False, 0, 0.0, Decimal(0), Fraction(0)):
        model = GaussianNB().partial_fit(X, y, classes=[0, 1])
        assert_same_model(model.partial_fit(np.roll(X, 1, 0), y, sample_weight=[zero] * 20), whole)
    for nothing in (None, ""):
        with pytest.raises(DataError, match="sample_weight"):
            model.partial_fit(X, y, sample_weight=[nothing] * 20)


def test_frames_with_target_and_weight_columns_stream_to_the_same_model(tmp_path):
    X, y, w = table(300, weighted=True)
    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=np.array(["x", "y", "z"])[y], weight=w)
    whole = GaussianNB().fit(frame[list("abc")], frame["kind"], sample_weight=w)
    parts = [frame.iloc[a : a + 70] for a in range(0, 300, 70)]
    assert_same_model(GaussianNB().fit_blocks(parts, target="kind", weights="weight"), whole)
    assert_same_model(GaussianNB().fit_blocks(lambda: iter(parts), target="kind", weights="weight"), whole)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=64)
    assert_same_model(
        GaussianNB().fit_blocks(tmp_path / "rows.parquet", target="kind", weights="weight"), whole
    )


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes; started once for this file."""
    from tests.clusters import two_workers

    with two_workers() as client:
        yield client


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of Dask's own start and stop
def test_a_cluster_of_two_workers_gives_the_model_of_all_rows(cluster):
    import dask.array as da
    import dask.dataframe as dd

    X, y, w = table(900, weighted=True)
    chunks = (250, 300, 350)
    on_cluster = [da.from_array(v, chunks=(chunks, *v.shape[1:])) for v in (X, y, w)]
    assert is_dask(on_cluster[0]) and not is_dask(X)
    assert_same_model(GaussianNB().fit(*on_cluster[:2]), GaussianNB().fit(X, y))
    assert_same_model(
        GaussianNB().fit(*on_cluster[:2], sample_weight=on_cluster[2]), GaussianNB().fit(X, y, w)
    )

    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=np.array(["x", "y", "z"])[y])
    parts = dd.from_pandas(frame, npartitions=3)
    model = GaussianNB().fit(parts[list("abc")], parts["kind"])
    assert_same_model(model, GaussianNB().fit(frame[list("abc")], frame["kind"]))
    assert list(model.feature_names_in_) == list("abc")


def fitted(model):
    """The numbers that a model has learned, each attribute in one row."""
    found = {}
    for name, value in vars(model).items():
        parts = [np.ravel(v) for v in (value if isinstance(value, list) else [value])]
        if name.endswith("_") and parts and all(part.dtype.kind in "fi" for part in parts):
            found[name] = np.concatenate(parts).astype(float)
    return found


def assert_same_numbers(a, b):
    a, b = fitted(a), fitted(b)
    assert a.keys() == b.keys() and a
    for name in a:
        scale = np.abs(b[name][np.isfinite(b[name])]).max(initial=0)
        assert_allclose(a[name], b[name], rtol=1e-10, atol=1e-10 * scale, err_msg=name)


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of Dask's own start and stop
def test_every_sum_is_the_same_on_the_cluster(cluster):
    """Numbers for those who want numbers, counts for those who count; two classes, since one learner takes no more.

    Learners by stochastic gradients go over the rows one after the other and are no sums: in memory they stop and
    shuffle by other rules than over partitions.
    """
    import dask.array as da

    found = [getattr(room, name) for room in (bayes, linear, prepare) for name in room.__all__]
    one_by_one = ("SGDClassifier", "SGDRegressor", "Perceptron")
    learners = [
        c
        for c in found
        if isinstance(c, type) and issubclass(c, PassLearner) and c.__name__ not in one_by_one
    ]
    assert len(learners) > 15
    numbers, y, w = table(600, K=2, weighted=True)
    counts = np.random.default_rng(1).poisson(1.0 + y[:, None], size=(600, 3)).astype(float)
    for cls in learners:
        X = counts if issubclass(cls, CountBayes) else numbers
        target = y + 1 if cls().__sklearn_tags__().target_tags.positive_only else y
        parts = [da.from_array(v, chunks=((100, 150, 350), *v.shape[1:])) for v in (X, target, w)]
        there = cls().fit(*parts[:2], sample_weight=parts[2])
        assert_same_numbers(there, cls().fit(X, target, sample_weight=w))


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of Dask's own start and stop
def test_mixed_tables_with_missing_values_are_the_same_on_the_cluster(cluster):
    import dask.dataframe as dd

    rng = np.random.default_rng(2)
    y = rng.choice(["no", "yes"], 400)
    frame = pd.DataFrame(
        {"size": rng.normal(size=400) + (y == "yes"), "tone": rng.choice(["a", "b", "c"], 400)}
    )
    with_missing = frame.mask(rng.random(frame.shape) < 0.1)
    for cls, X in (
        (bayes.NaiveBayes, with_missing),
        (bayes.JointBayes, frame),
        (prepare.SimpleImputer, with_missing),
    ):
        parts = dd.from_pandas(X.assign(answer=y), npartitions=3)
        there, here = cls().fit(parts[["size", "tone"]], parts["answer"]), cls().fit(X, y)
        assert there.schema_ == here.schema_
        assert_same_numbers(there, here)
        if hasattr(here, "predict_proba"):
            assert_allclose(there.predict_proba(X), here.predict_proba(X), rtol=1e-10, atol=1e-14)


# What is refused


def test_blocks_that_can_be_read_once_only_are_refused():
    X, y, _ = table(30)
    with pytest.raises(DataError, match="give a list or a function"):
        GaussianNB().fit_blocks(iter([(X, y)]))
    with pytest.raises(DataError, match="give a list or a function"):
        Stream((block for block in [1]), Block)


@pytest.mark.parametrize("blocks", [None, 7, pd.DataFrame({"a": [1.0]}), np.zeros((3, 2))])
def test_what_is_no_list_of_blocks_is_refused(blocks):
    with pytest.raises(ParameterError, match=r"blocks must be a path, .* got .*fit_blocks\(\[table\]\)"):
        GaussianNB().fit_blocks(blocks, target="a")


@pytest.mark.parametrize("block", [None, 3, (1, 2, 3, 4), ()])
def test_what_is_no_block_is_refused(block):
    with pytest.raises(DataError, match=r"a block must be a frame, or a tuple \(X, y\)"):
        GaussianNB().fit_blocks([block], target="a")


def test_a_function_that_gives_no_blocks_is_refused():
    with pytest.raises(DataError, match="A function of blocks must return them"):
        GaussianNB().fit_blocks(lambda: None)


@pytest.mark.parametrize("learner", [GaussianNB(), linear.LogisticRegression(), linear.LinearRegression()])
@pytest.mark.parametrize(
    ("weights", "why"),
    [
        (np.where(np.arange(30) == 4, -1.0, 1.0), "Negative values .* row 5 has -1"),
        (np.where(np.arange(30) == 4, np.nan, 1.0), "contains NaN: row 5"),
        (np.where(np.arange(30) == 4, np.inf, 1.0), "contains infinity: row 5"),
        (np.ones(29), "one weight for each of the 30 rows"),
        (np.full(30, "much"), "must be numbers"),
    ],
)
def test_weights_of_blocks_are_checked_as_in_memory(learner, weights, why):
    X, y, _ = table(60)
    with pytest.raises(DataError, match=why):
        learner.fit_blocks([(X[:30], y[:30], np.ones(30)), (X[30:], y[30:], weights)])
    if isinstance(learner, GaussianNB):
        with pytest.raises(DataError, match=why):
            learner.partial_fit(X[:30], y[:30], classes=[0, 1, 2], sample_weight=weights)


def test_blocks_without_targets_are_refused_by_those_who_need_them():
    X, _, _ = table(30)
    for learner in (GaussianNB(), linear.LinearRegression()):
        with pytest.raises(DataError, match="requires y to be passed"):
            learner.fit_blocks([(X, None)])


def test_no_blocks_are_nothing_to_learn_from():
    with pytest.raises(DataError, match="There is no block of rows"):
        GaussianNB().fit_blocks([])


def test_a_target_must_be_named_and_be_there():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(ParameterError, match="give target="):
        GaussianNB().fit_blocks([frame])
    with pytest.raises(DataError, match=r"There is no column 'c' in a block\. Columns: a, b"):
        GaussianNB().fit_blocks([frame], target="c")


def test_blocks_with_other_columns_are_refused():
    one, other = pd.DataFrame({"a": [1.0], "y": ["x"]}), pd.DataFrame({"b": [1.0], "y": ["x"]})
    with pytest.raises(SchemaError, match="Blocks differ in their columns"):
        GaussianNB().fit_blocks([one, other], target="y")


def test_classes_must_come_first_and_stay_the_same():
    X, y, _ = table(30)
    with pytest.raises(ParameterError, match="classes must be passed on the first call"):
        GaussianNB().partial_fit(X, y)
    model = GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ParameterError, match="is not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="y has the label 7"):
        model.partial_fit(X, np.full(30, 7))


def test_labels_outside_of_the_given_classes_are_refused():
    X, y, _ = table(30)
    with pytest.raises(DataError, match="y has labels"):
        GaussianNB().fit_blocks([(X, y)], classes=[0, 1])


def test_fit_forgets_what_partial_fit_learned():
    X, y, _ = table(60)
    model = GaussianNB().partial_fit(X + 5, y, classes=[0, 1, 2]).fit(X, y)
    assert_same_model(model, GaussianNB().fit(X, y), rtol=0)
    assert_same_model(model.partial_fit(X, y), GaussianNB().fit(np.r_[X, X], np.r_[y, y]))


def test_dask_needs_all_parts_on_the_cluster_and_cut_alike():
    import dask.array as da

    X, y, _ = table(60)
    on_cluster = da.from_array(X, chunks=(30, 3))
    with pytest.raises(DataError, match="y and weights must be Dask collections too"):
        GaussianNB().fit(on_cluster, y)
    with pytest.raises(DataError, match="rechunk them alike"):
        DaskRows(on_cluster, da.from_array(y, chunks=20), None, Block)


def test_columns_cut_apart_are_put_together():
    import dask
    import dask.array as da

    X, y, _ = table(60)
    with dask.config.set(scheduler="synchronous"):
        model = GaussianNB().fit(da.from_array(X, chunks=(30, 1)), da.from_array(y, chunks=30))
    assert_same_model(model, GaussianNB().fit(X, y))


def test_blocks_know_the_number_of_their_first_row():
    import dask
    import dask.array as da

    X = np.arange(700_000.0).reshape(-1, 1)

    def starts_agree(block):
        return [float(block.X[0, 0]) - block.start] if len(block.X) else [0.0]

    with dask.config.set(scheduler="synchronous"):
        sources = [
            Rows(X),
            Stream([X[:5], X[5:5], X[5:]], Block),
            DaskRows(da.from_array(X, chunks=(300_000, 1)), None, None, Block),
        ]
        for source in sources:
            parts = source.numbered().add_up(starts_agree)
            assert len(parts) > 1 and not any(parts)
            with source.numbered().keep(lambda block: {"first": np.array(starts_agree(block))}) as kept:
                assert kept.add_up(lambda arrays: arrays["first"]) == 0
