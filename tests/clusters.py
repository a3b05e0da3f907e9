"""Clusters of Dask for tests, whose workers are processes of this machine: a busy one may be slow to start them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import dask
import distributed

PATIENT = {
    "distributed.comm.timeouts.connect": "60s",
    "distributed.comm.timeouts.tcp": "300s",
    "distributed.deploy.lost-worker-timeout": "600s",  # until LocalCluster gives a worker up that is starting again
    "distributed.scheduler.worker-ttl": None,  # who says nothing for long is busy
    "distributed.worker.daemon": True,
}


@contextmanager
def two_workers(set_as_default: bool = True, **config: Any) -> Iterator[Any]:
    """A client of two worker processes of one thread each."""
    with (
        dask.config.set({**PATIENT, **config}),
        distributed.LocalCluster(
            n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as workers,
        distributed.Client(workers, set_as_default=set_as_default) as client,
    ):
        yield client


@contextmanager
def in_this_process(workers: int = 1, threads: int = 1, **options: Any) -> Iterator[Any]:
    """A cluster whose workers are threads of the tests, so that nothing has to be started."""
    with (
        dask.config.set(PATIENT),
        distributed.LocalCluster(
            n_workers=workers,
            processes=False,
            threads_per_worker=threads,
            dashboard_address=":0",
            **options,
        ) as cluster,
    ):
        yield cluster


@contextmanager
def no_workers_yet() -> Iterator[Any]:
    """A scheduler in this process and nothing else. Workers that retire race with what Dask knows of them."""
    alone = {
        "cls": distributed.Scheduler,
        "options": {"protocol": "inproc://", "port": 0, "dashboard": False},
    }
    with dask.config.set(PATIENT), distributed.SpecCluster(scheduler=alone) as cluster:
        yield cluster


class MortalWorkers:
    """Two workers that tests may kill. Where one does not come back, both are replaced."""

    def __init__(self, **config: Any):
        self._config, self._open = config, ExitStack()
        self._client: Any = None

    def client(self) -> Any:
        """A client of two workers that answer; those that died in the test before may still be starting again."""
        if self._client is not None:
            try:
                self._client.wait_for_workers(2, timeout=180)
            except TimeoutError:
                self.close()
        if self._client is None:
            self._client = self._open.enter_context(two_workers(set_as_default=False, **self._config))
        return self._client

    def close(self) -> None:
        self._client = None
        with suppress(KeyError):  # of Dask's own list, that has missed a worker; all are gone by then
            self._open.close()
