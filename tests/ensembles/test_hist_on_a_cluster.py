"""Histogram trees on a Dask cluster: a worker that is killed in the middle of a fit costs its partitions alone."""

import os
import signal

import numpy as np
import pytest

from assay.core.kept_on_workers import KeptOnWorkers
from assay.ensembles import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    HistRandomForestClassifier,
    HistRandomForestRegressor,
)

pytest.importorskip("distributed", reason="needs the extra assay[dask]")

MODELS = {
    "boosted classes": lambda: HistGradientBoostingClassifier(
        max_iter=3, early_stopping=True, random_state=0
    ),
    "boosted medians": lambda: HistGradientBoostingRegressor(
        loss="absolute_error", max_iter=2, early_stopping=False, random_state=0
    ),
    "forest of classes": lambda: HistRandomForestClassifier(
        9, max_leaf_nodes=20, oob_score=True, random_state=0
    ),
    "forest of numbers": lambda: HistRandomForestRegressor(
        9, max_leaf_nodes=20, oob_score=True, random_state=0
    ),
}


@pytest.mark.filterwarnings("ignore")  # of ports and clean-up, which are the cluster's own
def test_a_worker_that_is_killed_changes_no_bit(monkeypatch):
    import dask.array as da
    from tests.clusters import MortalWorkers

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    number = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=1200)
    spans = [slice(a, a + 300) for a in range(0, 1200, 300)]
    update, passes = KeptOnWorkers.update, []

    def with_an_accident(self, task, changes=None):
        passes.append(0)
        if len(passes) == 5:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        return update(self, task, changes)

    monkeypatch.setattr(KeptOnWorkers, "update", with_an_accident)
    workers = MortalWorkers()
    try:
        for name, make in MODELS.items():
            y = number > 0 if "classes" in name else number
            here = make().fit_blocks([(X[s], y[s]) for s in spans])
            client = workers.client()
            passes.clear()
            with client.as_current():
                there = make().fit(da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300))
            assert len(passes) > 5, name
            assert (there.trees_.number == here.trees_.number).all(), name
            assert (there.predict(X) == here.predict(X)).all(), name
            assert getattr(there, "oob_score_", None) == getattr(here, "oob_score_", None), name
    finally:
        workers.close()
