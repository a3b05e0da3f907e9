"""Memory, blocks and Dask agree, for every learner that claims them; found by themselves, as in test_every_learner.

A learner whose ways agree less than to the last digits has a line in ``TOLERANCE`` that says why.
"""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.utils.validation import has_fit_parameter
from tests.test_every_learner import LEARNERS, MADE, answers, assert_same_answers, data, frame

from assay.core import SumLearner
from assay.errors import AssayError

FROM_BLOCKS = [name for name, cls in LEARNERS.items() if hasattr(cls, "fit_blocks")]
CUTS = ([360], [100, 137, 137, 270, 360], [180, 181, 360])  # the second has an empty block

# How far apart the answers may be; else 1e-10 for one pass of sums, 1e-6 for steps that end near an optimum.
TOLERANCE = {
    "FactorAnalysis": 1e-6,  # the sums are equal, and steps from there end near an optimum
}


# Learners that visit the blocks one after the other, or learn from each by itself: the cut matters, where it lies not.
BY_THE_CUT = (
    "MLPClassifier",
    "MLPRegressor",
    "PartitionBaggingClassifier",
    "PartitionBaggingRegressor",
    "Perceptron",
    "SGDClassifier",
    "SGDRegressor",
)

# Learners whose folds are stratified in memory, as in scikit-learn, and drawn by row numbers from blocks.
BY_FOLDS = ("CalibratedClassifierCV",)

# Few steps, which are the same steps from everywhere, though they end far from an optimum.
QUICK = {
    "BayesianMixtureOfExperts": {"max_iter": 5},
    "BernoulliMixture": {"max_iter": 5},
    "FuzzyKMeans": {"max_iter": 5},
    "LandmarkSVC": {"tol": 1e-6},
    "MixedMixture": {"max_iter": 5},
    "SelfOrganizingMap": {"training": "batch", "max_iter": 5},  # online, rows are visited block by block
    "SubsampledClassifier": {"max_samples": 70},
    "SubsampledRegressor": {"max_samples": 70},
}

# Of the indicators of two categories one says it all: as many factors as columns have many likeliest places.
OF_CATEGORIES = {"FactorAnalysis": {"method": "principal"}}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def make(name, **more):
    return LEARNERS[name](**{**MADE.get(name, {}), **QUICK.get(name, {}), **more})


@pytest.fixture(autouse=True)
def dask_in_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


def rows(name):
    X, y = data(name)
    return np.tile(X, (4, 1)), np.tile(y, 4)


def every(test):
    return pytest.mark.parametrize("name", FROM_BLOCKS)(test)


def spans(cut):
    return [slice(a, b) for a, b in zip([0, *cut], cut)]


def tolerance(name):
    return TOLERANCE.get(name, 1e-10 if issubclass(LEARNERS[name], SumLearner) else 1e-6)


def chunked(values, cut):
    heights = tuple(s.stop - s.start for s in spans(cut))
    return da.from_array(values, chunks=(heights, *values.shape[1:]))


@every
def test_memory_blocks_and_dask_give_the_same_model_however_the_rows_are_cut(name):
    X, y = rows(name)
    whole = answers(make(name).fit_blocks([(X, y)]) if name in BY_FOLDS else make(name).fit(X, y), X)
    for cut in CUTS:
        streamed = answers(make(name).fit_blocks([(X[s], y[s]) for s in spans(cut)]), X)
        if name in BY_THE_CUT:
            whole = streamed
        assert_same_answers(streamed, whole, tolerance(name))
        collected = make(name).fit(chunked(X, cut), chunked(y, cut))
        assert_same_answers(answers(collected, X), whole, tolerance(name))


@pytest.mark.parametrize("name", [name for name in FROM_BLOCKS if issubclass(LEARNERS[name], SumLearner)])
def test_partial_fit_in_any_order_gives_the_model_of_all_rows(name):
    X, y = rows(name)
    whole, parts = answers(make(name).fit(X, y), X), [slice(0, 100), slice(100, 137), slice(137, 360)]
    classes = {"classes": np.unique(y)} if is_classifier(make(name)) else {}
    for order in ([0, 1, 2], [2, 0, 1]):
        model = make(name)
        for i in order:
            model.partial_fit(X[parts[i]], y[parts[i]], **classes)
        assert_same_answers(answers(model, X), whole, tolerance(name))


@every
def test_weights_count_alike_from_everywhere(name):
    X, y = rows(name)
    if not has_fit_parameter(make(name), "sample_weight"):
        pytest.skip("takes no weights")
    w, cut = np.random.default_rng(0).uniform(0.5, 2.0, len(y)), CUTS[1]
    streamed = answers(make(name).fit_blocks([(X[s], y[s], w[s]) for s in spans(cut)]), X)
    of_blocks = name in (*BY_THE_CUT, *BY_FOLDS)
    whole = streamed if of_blocks else answers(make(name).fit(X, y, sample_weight=w), X)
    assert_same_answers(streamed, whole, tolerance(name))
    collected = make(name).fit(chunked(X, cut), chunked(y, cut), sample_weight=chunked(w, cut))
    assert_same_answers(answers(collected, X), whole, tolerance(name))


@pytest.mark.parametrize("weighted", [0, 2])
@every
def test_a_block_without_weights_counts_once_beside_one_with_weights(name, weighted):
    if not has_fit_parameter(make(name), "sample_weight"):
        pytest.skip("takes no weights")
    X, y = rows(name)
    parts = [(X[s], y[s], np.ones(s.stop - s.start)) for s in spans([100, 250, 360])]
    parts[weighted] = (
        *parts[weighted][:2],
        np.random.default_rng(0).uniform(0.5, 2.0, len(parts[weighted][1])),
    )
    some = [part if i == weighted else part[:2] for i, part in enumerate(parts)]
    model, whole = make(name).fit_blocks(some), make(name).fit_blocks(parts)
    assert_same_answers(answers(model, X), answers(whole, X), tolerance(name))


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
@every
def test_weights_that_are_none_are_refused_everywhere(name, weight):
    if not has_fit_parameter(make(name), "sample_weight"):
        pytest.skip("takes no weights")
    X, y = rows(name)
    w, cut = np.ones(len(y)), CUTS[2]
    w[190] = weight
    with pytest.raises(AssayError, match="sample_weight"):
        make(name).fit_blocks([(X[s], y[s], w[s]) for s in spans(cut)])
    with pytest.raises(AssayError, match="sample_weight"):
        make(name).fit(chunked(X, cut), chunked(y, cut), sample_weight=chunked(w, cut))


@every
def test_frames_with_a_column_of_categories_give_the_same_model(name):
    X, y = frame(name)
    more = OF_CATEGORIES.get(name, {})
    parts = [X.iloc[:30].assign(y=y[:30]), X.iloc[30:30].assign(y=y[30:30]), X.iloc[30:].assign(y=y[30:])]
    streamed = attempt(lambda: answers(make(name, **more).fit_blocks(parts, target="y"), X))
    of_blocks = name in (*BY_THE_CUT, *BY_FOLDS)
    whole = streamed if of_blocks else attempt(lambda: answers(make(name, **more).fit(X, y), X))
    collection = dd.from_map(lambda i: parts[i], range(3), meta=parts[1])
    collected = attempt(lambda: answers(make(name, **more).fit(collection[list(X)], collection["y"]), X))
    for there in (streamed, collected):
        assert isinstance(there, str) == isinstance(whole, str), (there, whole)
        if not isinstance(whole, str):
            assert_same_answers(there, whole, max(tolerance(name), 1e-9))


def attempt(work):
    """What is done, or the sentence that says why not; any other error is one."""
    try:
        return work()
    except (AssayError, ValueError, TypeError) as error:
        assert str(error).strip().endswith("."), error
        return str(error)


ODD_PARTS = {
    "lacks a column": lambda part: part.drop(columns="c1"),
    "another dtype": lambda part: part.assign(c1=part["c1"].round().astype("int32")),
    "text for numbers": lambda part: part.assign(c1="many"),
    "unseen categories": lambda part: part.assign(**{list(part)[-2]: "strange"}),
    "a single class": lambda part: part.assign(y=part["y"].iloc[0]),
    "columns in another order": lambda part: part[list(part)[::-1]],
    "missing values": lambda part: part.assign(c1=np.nan),
}


@pytest.mark.filterwarnings("ignore::assay.errors.AssayWarning")
@pytest.mark.parametrize("odd", ODD_PARTS)
@every
def test_an_odd_partition_ends_in_finite_answers_or_in_a_sentence(name, odd):
    X, y = frame(name)
    if "c1" not in X:
        X = X.rename(columns={X.columns[0]: "c1"})
    whole = X.assign(y=y)
    parts = [whole.iloc[:45], ODD_PARTS[odd](whole.iloc[45:])]
    streamed = attempt(lambda: answers(make(name).fit_blocks(parts, target="y"), X))
    if odd in ("lacks a column", "unseen categories"):  # the rest does not depend on where blocks come from
        meta = whole.iloc[:0]
        table = dd.from_map(
            lambda i: parts[i].drop(columns="y"),
            range(2),
            meta=meta.drop(columns="y"),
            enforce_metadata=False,
        )
        target = dd.from_map(lambda i: parts[i]["y"], range(2), meta=meta["y"])
        collected = attempt(lambda: answers(make(name).fit(table, target), X))
        assert isinstance(streamed, str) == isinstance(collected, str), (streamed, collected)
        if not isinstance(streamed, str):
            assert_same_answers(collected, streamed, max(tolerance(name), 1e-9))
    if odd == "lacks a column":
        assert isinstance(streamed, str) and "c1" in streamed
    if not isinstance(streamed, str):
        for way, answer in streamed.items():
            if answer.dtype.kind == "f" and way != "predict_log_proba":
                assert np.isfinite(answer).all(), way
