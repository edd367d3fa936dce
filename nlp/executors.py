"""Places that answer many papers: worker processes of this machine, or a cluster that is there.

Both are `concurrent.futures` executors; what they do is said in `process`. Nothing of Dask is imported before
a cluster is asked for.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

from nlp.errors import NlpError
from nlp.process import Answered, Chunk, Recipe, answer

CONNECTING = 10.0  # seconds in which a cluster has to answer
LOOKING = 5.0  # seconds after which it is asked whether it still has workers
PATIENCE = 30.0  # seconds that it may be without any
_AHEAD = 3  # chunks a worker: one at work, one waiting, one that travels


class WorkersLost(NlpError):
    """Nobody will answer any more, or nobody did from the start; the message says why and what to do."""


class Processes:
    """Worker processes of this machine; see `processes`."""

    lines_at_once = None

    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self.ahead = _AHEAD * count

    def submit(self, _recipe: Recipe, chunk: Chunk) -> Future[Answered]:
        try:
            return self._pool.submit(_answer_here, chunk)
        except BrokenProcessPool as error:
            raise _died() from error

    def result(self, future: Future[Answered]) -> Answered:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise _died() from error


@contextmanager
def processes(recipe: Recipe, count: int) -> Iterator[Processes]:
    """``count`` new processes that answer by this recipe, each of which prepares it once. They end with the
    block, at once when it is left by an error, and when this process is killed."""
    # Spawned: a fork would copy locks that a thread of this process holds.
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), initializer=_begin_worker, initargs=(recipe,)
    )
    try:
        yield Processes(pool, count)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


class Cluster:
    """The workers of a Dask cluster; see `cluster`."""

    lines_at_once = None

    def __init__(self, client: Any, recipe: Recipe) -> None:
        self._client = client
        # Sent to each worker once, not with every chunk.
        self._recipe = client.scatter(recipe, broadcast=True, hash=False)
        self._pool = client.get_executor(pure=False)
        threads = client.nthreads().values()
        self.ahead = _AHEAD * max(1, sum(threads))

    def submit(self, _recipe: Recipe, chunk: Chunk) -> Future[Answered]:
        future: Future[Answered] = self._pool.submit(answer, self._recipe, chunk)
        return future

    def result(self, future: Future[Answered]) -> Answered:
        alone = 0.0
        while True:
            try:
                return future.result(LOOKING)
            except TimeoutError:
                alone = 0.0 if self._client.nthreads() else alone + LOOKING
                if alone >= PATIENCE:
                    raise WorkersLost(f"The cluster has had no workers for {PATIENCE:.0f} seconds.") from None
            except _lost() as error:
                raise WorkersLost(f"The cluster lost this work: {_first_line(error)}") from error


@contextmanager
def cluster(recipe: Recipe, address: str) -> Iterator[Cluster]:
    """The workers of the Dask cluster whose scheduler has this address, as "tcp://127.0.0.1:8786".

    Each needs this package in the same version. Raises `WorkersLost` where `distributed` is not installed,
    the scheduler does not answer, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise WorkersLost("Clusters need Dask: python -m pip install 'peer-revenue[cluster]'.") from error
    client = _connected(Client, address)
    try:
        if not client.nthreads():
            raise WorkersLost(f"The cluster at {address} has no workers. Start some: dask worker {address}.")
        yield Cluster(client, recipe)
    finally:
        client.close()


def _connected(client_class: Any, address: str) -> Any:
    try:
        with warnings.catch_warnings():
            # Other versions of Dask's parts are told in a warning of many lines; they work, or fail by name.
            warnings.filterwarnings("ignore", "Mismatched versions found")
            return client_class(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise WorkersLost(f"No cluster answers at {address}: {_first_line(error)}") from error


def _lost() -> tuple[type[BaseException], ...]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    return KilledWorker, FutureCancelledError, CommClosedError, CancelledError


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _died() -> WorkersLost:
    return WorkersLost(
        "A worker process ended before its work was done; was it killed, or out of memory? Fewer --workers "
        "need less of it."
    )


_recipe_here: Recipe


def _begin_worker(recipe: Recipe) -> None:
    """What a worker process does first; what it answers by is there for `_answer_here`."""
    global _recipe_here
    _recipe_here = recipe
    # Ctrl-C reaches every process of the terminal; the one that was started says when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _answer_here(chunk: Chunk) -> Answered:
    return answer(_recipe_here, chunk)
