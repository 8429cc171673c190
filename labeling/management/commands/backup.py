from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand
from labeling.services.backups import write_backup


class Command(AnsweringCommand):
    """Write the whole state into one file."""

    help = "Write all rows and files into one ZIP file."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file."""
        parser.add_argument("file", metavar="FILE")

    def answer(self, options: dict[str, Any]) -> None:
        """Do it, and say how much it was."""
        counted = write_backup(Path(options["file"]).absolute())
        self.reply(
            asdict(counted), [f"{counted.rows:,} rows and {counted.files:,} files."], as_json=options["json"]
        )
