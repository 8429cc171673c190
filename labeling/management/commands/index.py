from typing import Any

from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.management.working import finish_job
from labeling.models import Job
from labeling.services import corpora
from labeling.stages.indexing import enqueue_index


class Command(AnsweringCommand):
    """Store the index that answers whether a text is known."""

    help = "Make the index that check asks, or bring it up to date; needed only before the first question to a large corpus."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which corpus."""
        parser.add_argument("corpus", metavar="CORPUS")

    def answer(self, options: dict[str, Any]) -> None:
        """Run the job and print what came of it."""
        corpus = corpora.find_corpus(name=options["corpus"])
        job = finish_job(enqueue_index(corpus))
        if job.state != Job.State.DONE:
            raise CommandRefusedError(job.error or f"{job} is {job.state}.")
        line = f"{job.report['texts']:,} texts can be asked for, by {job.report['recipe']}."
        self.reply({"corpus": corpus.name, "job": job.pk, **job.report}, [line], as_json=options["json"])
