from dataclasses import asdict
from typing import Any

from labeling.management.answering import REFUSED, AnsweringCommand
from labeling.services.stored_files import verify_files


class Command(AnsweringCommand):
    """Compare files and rows."""

    help = "Compare every array file with the hash in the database."

    def answer(self, options: dict[str, Any]) -> None:
        """Verify and print; status 1 if a file is missing or damaged."""
        verified = verify_files()
        self.exit_status = REFUSED if verified.problems else self.exit_status
        lines = [f"{verified.whole:,} of {verified.files:,} files are whole.", *verified.problems]
        self.reply(asdict(verified), lines, as_json=options["json"])
