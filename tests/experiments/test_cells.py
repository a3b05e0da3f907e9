"""Cells: their keys, their order, and how they are written down."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evaluate.fold import Cell
from assay.experiments.cells import as_cell, as_record, in_random_order
from assay.experiments.experiment import Experiment

PAIR = (np.arange(40.0).reshape(20, 2), np.arange(20) % 2)


def trials(learners=("majority", "lda", "naive bayes"), design="2x5", seed=0, data=None):
    data = {"one": PAIR, "two": (PAIR[0] ** 2, PAIR[1])} if data is None else data
    return Experiment(list(learners), data, design=design, random_state=seed).trials


def test_every_cell_is_run_once():
    order = in_random_order(trials(), 0)
    assert len(order) == 2 * 3 * 10
    assert len({job.key for job in order}) == 60


@pytest.mark.capability("IML-19-03")
def test_the_order_is_random_within_blocks_and_every_learner_sees_the_same_splits():
    order = in_random_order(trials(), 0)
    blocks = [order[i : i + 3] for i in range(0, len(order), 3)]
    for block in blocks:  # a block is one split of one data set, with every learner
        assert len({(j.trial.problem.name, j.number) for j in block}) == 1
        assert {j.trial.entrant.name for j in block} == {"majority", "lda", "naive bayes"}
        assert all(j.split.test is block[0].split.test for j in block)
    repetitions = [block[0].split.repetition for block in blocks]
    assert repetitions == sorted(repetitions)  # replication after replication
    places = [(b[0].trial.problem.name, b[0].split.fold) for b in blocks[:10]]
    assert places != sorted(places)  # data sets and folds of a repetition are mixed
    assert len({tuple(j.trial.entrant.name for j in b) for b in blocks}) > 1  # and learners within blocks


def test_the_order_depends_on_the_seed_alone():
    keys = [[j.key for j in in_random_order(trials(), 3)] for _ in range(2)]
    assert keys[0] == keys[1] != [j.key for j in in_random_order(trials(), 4)]


def test_first_places_are_shared_by_chance():
    """Of 400 blocks each of 4 learners leads about 100: a binomial with standard deviation 8.7."""
    order = in_random_order(trials(("majority", "lda", "nb", "oner"), "100x2"), 1)
    first = Counter(order[i].trial.entrant.name for i in range(0, len(order), 4))
    assert sum(first.values()) == 400
    assert all(abs(count - 100) < 4 * 8.7 for count in first.values())


@pytest.mark.parametrize("change", ["row", "setting", "seed", "split"])
def test_a_key_knows_rows_settings_seed_and_split(change):
    def keys(data=PAIR, smoothing=1e-9, seed=0, design="2x5"):
        made = Experiment([_nb(smoothing)],
                          {"one": data}, design=design, random_state=seed)  # fmt: skip
        return {job.key for job in made.jobs}

    if change == "row":
        moved = PAIR[0].copy()
        moved[0, 0] += 1
        assert not keys() & keys(data=(moved, PAIR[1]))
    elif change == "setting":
        assert not keys() & keys(smoothing=0.1)
    elif change == "seed":
        assert not keys() & keys(seed=1)
    else:
        assert keys() < keys(design="3x5")  # further repetitions leave the first ones as they are
        assert not keys() & keys(design="2x4")


def _nb(smoothing):
    from assay.bayes import GaussianNB

    return GaussianNB(var_smoothing=smoothing)


values = st.one_of(st.floats(allow_nan=True, allow_infinity=False), st.just(0.1 + 0.2))


@given(st.dictionaries(st.text(max_size=5), values, max_size=3), st.lists(values, min_size=4, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_cell_comes_back_to_the_last_bit(found, posterior):
    job = JOB
    cell = Cell(
        values=found,
        answer=np.array([0, -1, 1], dtype=np.int8),
        posterior=np.array(posterior).reshape(2, 2),
        fit_seconds=0.1,
        predict_seconds=1e-7,
        warnings=["careful"],
        unseen=["a"],
    )
    text = json.dumps(as_record(job, cell, 0.5, 0), allow_nan=False)
    back = as_cell(json.loads(text))
    assert back.values.keys() == found.keys()
    assert all(
        np.array(back.values[k]).tobytes() == np.array(v).tobytes() or np.isnan(v) for k, v in found.items()
    )
    assert back.answer.dtype == np.int8 and (back.answer == cell.answer).all()
    assert back.posterior.tobytes() == cell.posterior.tobytes()
    assert (back.fit_seconds, back.predict_seconds, back.failure) == (0.1, 1e-7, "")
    assert (back.warnings, back.unseen) == (["careful"], ["a"])


JOB = trials()[0].job(0)


def test_a_failed_cell_comes_back():
    back = as_cell(json.loads(json.dumps(as_record(JOB, Cell(failure="ValueError: no"), 0.5, 0))))
    assert back.failure == "ValueError: no" and back.answer is None and np.isnan(back.fit_seconds)
