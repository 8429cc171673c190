import signal
import threading
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from labeling.management.answering import AnsweringCommand
from labeling.management.processes import end_with_parent
from labeling.models import Job
from labeling.services import jobs
from labeling.stages.reporting import Heartbeat
from labeling.stages.running import mark_dead_jobs, run_claimed, worker_name

IDLE_SECONDS = 0.7


class Command(AnsweringCommand):
    """Take jobs, one after the other."""

    help = "Work on jobs until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        """How long to go on."""
        parser.add_argument("--until-idle", action="store_true", help="End once no job waits.")

    def answer(self, options: dict[str, Any]) -> None:
        """Claim and run jobs; a signal ends the worker, and an unfinished job goes on with the next one."""
        end_with_parent()
        stop = threading.Event()
        signal.signal(signal.SIGTERM, _interrupt)
        name = worker_name()
        with Heartbeat(lambda at: jobs.worker_beat(worker=name, at=at)):
            jobs.worker_beat(worker=name, at=timezone.now())
            try:
                self._work(name, stop, until_idle=options["until_idle"])
            except KeyboardInterrupt:
                pass
            finally:
                jobs.worker_gone(worker=name)

    def _work(self, name: str, stop: threading.Event, *, until_idle: bool) -> None:
        trouble = ""
        while True:
            try:
                has_worked = self._work_once(name)
                trouble = ""
            except DatabaseError as error:
                if until_idle:
                    raise
                if str(error) != trouble:
                    trouble = str(error)
                    self.stderr.write(f"The database refuses at the moment: {trouble}")
                close_old_connections()
                has_worked = False
            if not has_worked:
                if until_idle:
                    return
                stop.wait(IDLE_SECONDS)

    def _work_once(self, name: str) -> bool:
        """Run one job to its end, if one waits. A full disk or a database that is away ends the job, not the worker."""
        mark_dead_jobs()
        job = jobs.claim_next(worker=name, at=timezone.now())
        if job is None:
            return False
        job = run_claimed(job, name, stopped_as=Job.State.QUEUED)
        self.stderr.write(f"{job}: {job.display_state(timezone.now())}. {job.error}".rstrip())
        return True


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
