"""Main text of many pages at once: on other processors, in the order in which the pages came."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from types import TracebackType

from dedup.extraction import Extraction, ExtractorName, extract
from dedup.ingest.records import IngestError, Page, Problem

_AHEAD_PER_WORKER = 8


@dataclass(frozen=True, slots=True)
class Waiting:
    """A page whose main text is still to be found, and what is to be made of it then."""

    html: str
    url: str
    finish: Callable[[Extraction], Iterable[Page | Problem]]


class Extractors:
    """Finds main texts in ``workers`` processes; with one worker in this process. A context manager: the processes end with it.

    The processes start when the first page comes, and end on their own if this one is killed.
    """

    def __init__(self, extractor: ExtractorName, workers: int) -> None:
        self._extractor = extractor
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Extractors":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def in_order(self, items: Iterable[Page | Problem | Waiting]) -> Iterator[Page | Problem]:
        """Pass items on in their order; those that wait are finished first. Raises ``IngestError`` if a process dies."""
        queue: deque[tuple[Waiting, Future[Extraction]] | Page | Problem] = deque()
        pending = 0
        for item in items:
            if not isinstance(item, Waiting):
                queue.append(item)
            elif self._workers <= 1:
                yield from item.finish(extract(item.html, url=item.url, extractor=self._extractor))
            else:
                queue.append((item, self._submit(item)))
                pending += 1
            while queue and (not isinstance(queue[0], tuple) or pending > self._workers * _AHEAD_PER_WORKER):
                pending -= isinstance(queue[0], tuple)
                yield from _settled(queue.popleft())
        while queue:
            yield from _settled(queue.popleft())

    def _submit(self, item: Waiting) -> "Future[Extraction]":
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=context, initializer=end_with_the_parent
            )
        return self._pool.submit(extract, item.html, url=item.url, extractor=self._extractor)


def end_with_the_parent() -> None:
    """Make this process end when the one that started it does, however that ended."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _settled(entry: "tuple[Waiting, Future[Extraction]] | Page | Problem") -> Iterator[Page | Problem]:
    if not isinstance(entry, tuple):
        yield entry
        return
    waiting, future = entry
    try:
        found = future.result()
    except BrokenProcessPool as error:
        raise IngestError(
            "A process that extracts main texts died; there may be too little memory for so many."
        ) from error
    yield from waiting.finish(found)
