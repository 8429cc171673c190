from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.models import Decision
from labeling.services import exports

FORMATS = ("csv", "csv-spreadsheet", "jsonl", "parquet", "xlsx", "html")


class Command(AnsweringCommand):
    """Write what a decision published."""

    help = "Write a decision's assignments, links, labels or report as a whole file, or none."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which decision, what of it, where to."""
        parser.add_argument("decision", type=int, metavar="DECISION", help="The id that decide prints.")
        parser.add_argument("--what", choices=exports.WHAT, default="assignments")
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--out", required=True, metavar="FILE")

    def answer(self, options: dict[str, Any]) -> None:
        """Write the file and say what is in it."""
        rows = Decision.objects.select_related("corpus", "study", "recipe", "author")
        decision = rows.filter(pk=options["decision"]).first()
        if decision is None:
            raise CommandRefusedError(f"There is no decision with the id {options['decision']}.")
        written = exports.write_export(
            decision=decision,
            what=options["what"],
            format=options["format"],
            at=timezone.now(),
            path=Path(options["out"]).absolute(),
        )
        values = {
            "file": written.file,
            "rows": written.rows,
            "sha256": written.sha256,
            "size": written.size,
            "decision": decision.pk,
            "number": decision.number,
        }
        self.reply(values, [f"{written.rows:,} rows in {written.file}."], as_json=options["json"])
