import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from labeling.management.answering import REFUSED, AnsweringCommand, CommandRefusedError, to_json
from labeling.management.working import finish_job
from labeling.models import Corpus, Job
from labeling.services import corpora
from labeling.stages.checking import MOST_AT_ONCE, check_and_insert, check_texts
from labeling.stages.indexing import IndexNotReadyError

FIELDS = ("url", "canonical", "title", "source", "first_seen")


class Command(AnsweringCommand):
    """Ask whether texts are known; insert those that are asked for."""

    help = "Look texts up in a corpus: by their words, fingerprints, signatures; the first layer that finds one answers."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which corpus, the texts, and whether to insert them."""
        parser.add_argument("corpus", metavar="CORPUS")
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--text", metavar="TEXT")
        asked.add_argument("--file", metavar="FILE", help="A file of plain text, UTF-8.")
        asked.add_argument(
            "--documents",
            metavar="FILE",
            help="Many at once: JSON Lines with text, and id and more where they are inserted.",
        )
        parser.add_argument(
            "--insert", action="store_true", help="Insert after asking; the next study takes it in."
        )
        parser.add_argument(
            "--make", action="store_true", help="Make the corpus if there is none of that name."
        )
        parser.add_argument(
            "--id", metavar="ID", help="The document's id; inserting it again changes nothing."
        )
        for name in FIELDS:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, metavar=name.upper())

    def answer(self, options: dict[str, Any]) -> None:
        """Look up, insert and print."""
        corpus = _corpus(options["corpus"], make=options["make"])
        if options["documents"] is not None:
            self._answer_many(corpus, Path(options["documents"]), insert=options["insert"])
            return
        text = options["text"] if options["text"] is not None else _read(Path(options["file"]))
        document = {"id": options["id"] or "", "text": text}
        document |= {name: options[name] for name in FIELDS if options[name] is not None}
        if options["insert"] and not options["id"]:
            raise CommandRefusedError("--insert needs --id, so that the same document counts once.")
        [found] = self._ask(corpus, [document], insert=options["insert"])
        self._note(found)
        lines = [f"{match['similarity']:.3f} {match['id']} ({match['method']})" for match in found["matches"]]
        if "status" in found:
            lines.append(found.get("reason") or f"{found['id']}: {found['status']}.")
        self.reply(found, lines or ["Not found."], as_json=options["json"])

    def _answer_many(self, corpus: Corpus, path: Path, *, insert: bool) -> None:
        documents = _documents(path, needed=("id", "text") if insert else ("text",))
        while part := list(islice(documents, MOST_AT_ONCE)):
            for found in self._ask(corpus, part, insert=insert):
                self._note(found)
                self.stdout.write(to_json(found))

    def _ask(self, corpus: Corpus, documents: list[dict[str, Any]], *, insert: bool) -> list[dict[str, Any]]:
        """Ask; an index that isn't there yet is made first."""
        try:
            return _asked(corpus, documents, insert=insert)
        except IndexNotReadyError as error:
            job = finish_job(error.job)
            if job.state != Job.State.DONE:
                raise CommandRefusedError(job.error or f"{job} is {job.state}.") from error
        return _asked(corpus, documents, insert=insert)

    def _note(self, found: dict[str, Any]) -> None:
        if found.get("status") == "rejected":
            self.exit_status = REFUSED


def _corpus(name: str, *, make: bool) -> Corpus:
    if make and not Corpus.objects.filter(name=name).exists():
        return corpora.create_corpus(name=name, owner_id=None, at=timezone.now())
    return corpora.find_corpus(name=name)


def _asked(corpus: Corpus, documents: list[dict[str, Any]], *, insert: bool) -> list[dict[str, Any]]:
    if insert:
        return check_and_insert(corpus, documents)
    ids = [str(document.get("id") or "") for document in documents]
    answers = check_texts(corpus, [document["text"] for document in documents], ids=ids)
    return [{"id": own, **answer} if own else answer for own, answer in zip(ids, answers, strict=True)]


def _documents(path: Path, *, needed: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Objects of a JSON Lines file; raises ``CommandRefusedError`` with the line that makes no sense."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _document(path, number, line, needed)
        except UnicodeDecodeError as error:
            raise CommandRefusedError(f"{path} is no UTF-8 text: {error.reason}.") from error


def _document(path: Path, number: int, line: str, needed: tuple[str, ...]) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CommandRefusedError(f"{path}, line {number}: no JSON object ({error}).") from error
    if not isinstance(value, dict):
        raise CommandRefusedError(f"{path}, line {number}: a document is an object with named fields.")
    for name in needed:
        if not isinstance(value.get(name), str):
            raise CommandRefusedError(f"{path}, line {number}: the document has no {name}, or it is no text.")
    return value


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CommandRefusedError(f"{path} is no UTF-8 text: {error.reason}.") from error
