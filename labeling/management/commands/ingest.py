from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from labeling.management.answering import REFUSED, AnsweringCommand, CommandRefusedError
from labeling.management.working import finish_job, unfinished_job
from labeling.models import Corpus, Job
from labeling.services import corpora, ingesting

FORMATS = ("auto", "jsonl", "json", "csv", "tsv", "parquet", "xlsx", "html", "warc", "text")
COUNTS = ("read", "accepted", "updated", "unchanged", "rejected", "no_content", "exact_duplicates")


class Command(AnsweringCommand):
    """Read files into a corpus."""

    help = "Read files into a corpus, which is made if it is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to read, into which corpus, and how."""
        parser.add_argument("paths", nargs="+", metavar="PATH", help="Files or folders.")
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument(
            "--kind", choices=Corpus.Kind.values, help="Of a new corpus; articles by default."
        )
        parser.add_argument("--normaliser", choices=["unicode", "lesson"], help="Of a new corpus.")
        parser.add_argument("--format", choices=FORMATS, default="auto")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="The column of a field: its name, #2 for the second, =EUR for a constant.",
        )
        parser.add_argument("--encoding")
        parser.add_argument("--delimiter")
        parser.add_argument("--extractor", choices=["trafilatura", "resiliparse"])
        parser.add_argument("--date-order", choices=["dmy", "mdy", "ymd"], help="Of dates like 03/02/2026.")
        parser.add_argument(
            "--source-trust",
            nargs="+",
            action="extend",
            default=[],
            metavar="SOURCE=RANK",
            help="Sources by trust; a smaller rank is trusted more.",
        )

    def answer(self, options: dict[str, Any]) -> None:
        """Queue the job, run it, report."""
        _check_paths(options["paths"])
        corpus = self._corpus(options)
        read = _options(options)
        job = self._job(corpus, options["paths"], read)
        job = finish_job(job)
        if job.state != Job.State.DONE:
            raise CommandRefusedError(job.error or f"{job} was {job.get_state_display().lower()}.")
        report = job.report
        self.exit_status = REFUSED if report["rejected"] else self.exit_status
        values = {"corpus": corpus.name, "job": job.pk, **report}
        self.reply(values, _lines(corpus, report), as_json=options["json"])

    def _job(self, corpus: Corpus, paths: list[str], read: dict[str, Any]) -> Job:
        from pathlib import Path

        payload = {"paths": [str(Path(path).absolute()) for path in paths], "options": read}
        found = unfinished_job(corpus, Job.Kind.INGEST, payload)
        if found is not None:
            return found
        return ingesting.enqueue_ingest(
            corpus=corpus, paths=paths, options=read, by_id=None, at=timezone.now()
        )

    def _corpus(self, options: dict[str, Any]) -> Corpus:
        trust = _ranks(options["source_trust"])
        corpus = Corpus.objects.filter(name=options["corpus"]).first()
        if corpus is None:
            return corpora.create_corpus(
                name=options["corpus"],
                kind=options["kind"] or Corpus.Kind.ARTICLES,
                owner_id=None,
                at=timezone.now(),
                normaliser=options["normaliser"] or "unicode",
                source_trust=trust,
            )
        for name in ("kind", "normaliser"):
            if options[name] and options[name] != getattr(corpus, name):
                raise CommandRefusedError(
                    f"The corpus “{corpus}” has the {name} {getattr(corpus, name)}, which can't be changed to {options[name]}."
                )
        if trust:
            corpus.source_trust = trust
            corpus.save(update_fields=["source_trust"])
        return corpus


def _check_paths(paths: list[str]) -> None:
    """Refuse a path that is empty or leads nowhere before a corpus is made for it."""
    from pathlib import Path

    for path in paths:
        if not path.strip():
            raise CommandRefusedError("A path is empty; name a file or a folder.")
        if not Path(path).exists():
            raise CommandRefusedError(f"{path} doesn't exist.")


def _options(options: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {"format": options["format"]}
    for name in ("encoding", "delimiter", "extractor", "date_order"):
        if options[name]:
            read[name] = options[name]
    if options["map"]:
        read["mapping"] = dict(_split(entry, "--map") for entry in options["map"])
    return read


def _split(entry: str, name: str) -> tuple[str, str]:
    left, sign, right = entry.partition("=")
    if not (left and sign and right):
        raise CommandRefusedError(f"{name} takes NAME=VALUE, and “{entry}” is none.")
    return left, right


def _ranks(entries: list[str]) -> dict[str, int]:
    ranks = {}
    for entry in entries:
        source, rank = entry.rpartition("=")[::2]
        if not source or not rank.isdecimal():
            raise CommandRefusedError(
                f"--source-trust takes SOURCE=RANK with a whole number, and “{entry}” is none."
            )
        ranks[source] = int(rank)
    return ranks


def _lines(corpus: Corpus, report: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{report[name]:,} {name.replace('_', ' ')}" for name in COUNTS)
    lines = [f"Corpus “{corpus}”: {counts}."]
    for group in report["problems"]:
        where = group["file"] if group["line"] is None else f"{group['file']}, line {group['line']}"
        kept = "left out" if group["is_rejection"] else "kept"
        lines.append(f"  {group['count']:,} × {group['reason']} ({kept}; first in {where})")
    return lines
