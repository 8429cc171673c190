from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.services import corpora
from labeling.stages.checking import check_text


class Command(AnsweringCommand):
    """Ask whether a text is known."""

    help = "Look a text up in a corpus: by its words, its fingerprint, its signature; the first layer that finds it answers."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which corpus, and the text."""
        parser.add_argument("corpus", metavar="CORPUS")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--text", metavar="TEXT")
        source.add_argument("--file", metavar="FILE", help="A file of plain text, UTF-8.")

    def answer(self, options: dict[str, Any]) -> None:
        """Look up and print."""
        corpus = corpora.find_corpus(name=options["corpus"])
        found = check_text(corpus, options["text"] if options["text"] is not None else _read(options["file"]))
        lines = [f"{match['similarity']:.3f} {match['id']} ({match['method']})" for match in found["matches"]]
        self.reply(found, lines or ["Not found."], as_json=options["json"])


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CommandRefusedError(f"{name} is no UTF-8 text: {error.reason}.") from error
