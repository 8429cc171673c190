from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand
from labeling.services.backups import read_backup


class Command(AnsweringCommand):
    """Bring the whole state back."""

    help = "Bring a backup back into an empty data folder."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file."""
        parser.add_argument("file", metavar="FILE")

    def answer(self, options: dict[str, Any]) -> None:
        """Do it, and say how much it was."""
        counted = read_backup(Path(options["file"]).absolute())
        self.reply(
            asdict(counted), [f"{counted.rows:,} rows and {counted.files:,} files."], as_json=options["json"]
        )
