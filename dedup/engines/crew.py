"""Threads that work, while the calling thread reads, reports, and can be stopped."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from time import perf_counter
from types import TracebackType
from typing import Any, Self, TypeVar

from dedup.engines.protocol import Progress, Report

HEARTBEAT_SECONDS = 1.0

_Argument = TypeVar("_Argument")
_Result = TypeVar("_Result")


class Stages:
    """Reports the stage at hand, and remembers how long each one took."""

    def __init__(self, report: Report) -> None:
        self.seconds: dict[str, float] = {}
        self._report = report
        self._progress = Progress(stage="", done=0, total=0, unit="")
        self._began = perf_counter()

    def begin(self, stage: str, *, total: int, unit: str) -> None:
        """Close the stage before and open the next."""
        self.end()
        self._progress = Progress(stage=stage, done=0, total=total, unit=unit)
        self.repeat()

    def advance(self, units: int) -> None:
        """Report that many further units as done."""
        now = self._progress
        self._progress = Progress(stage=now.stage, done=now.done + units, total=now.total, unit=now.unit)
        self.repeat()

    def repeat(self) -> None:
        """Report again, so that a listener knows that work goes on, and can stop it."""
        self._report(self._progress)

    def end(self) -> None:
        """Close the stage at hand."""
        now = perf_counter()
        if self._progress.stage:
            self.seconds[self._progress.stage] = now - self._began
        self._began = now


class Crew:
    """A few threads that take one task after the other, with few tasks waiting."""

    def __init__(self, workers: int, heartbeat: Callable[[], None]) -> None:
        if workers < 1:
            raise ValueError(f"work needs one worker or more, not {workers}")
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="neardup")
        self._waiting = 2 * workers
        self._heartbeat = heartbeat

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def map(self, task: Callable[[_Argument], _Result], arguments: Iterable[_Argument]) -> Iterator[_Result]:
        """Run a task on each argument; results come in the order of the arguments.

        Arguments are drawn in the calling thread, and only a few ahead of the work.
        """
        pending: deque[Future[_Result]] = deque()
        for argument in arguments:
            pending.append(self._executor.submit(task, argument))
            if len(pending) >= self._waiting:
                yield self.wait(pending.popleft())
        while pending:
            yield self.wait(pending.popleft())

    def submit(self, task: Callable[..., _Result], *arguments: Any) -> "Future[_Result]":  # noqa: ANN401
        """Start one task; ``wait`` for its result."""
        return self._executor.submit(task, *arguments)

    def wait(self, future: "Future[_Result]") -> _Result:
        """Wait for a result, with a heartbeat every second."""
        while True:
            try:
                return future.result(timeout=HEARTBEAT_SECONDS)
            except NotYetError:
                if future.done():
                    return future.result()
                self._heartbeat()
