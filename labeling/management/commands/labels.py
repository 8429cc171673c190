import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from dedup.exporting import write_table
from labeling.management.answering import REFUSED, AnsweringCommand
from labeling.services import corpora, exports, label_files, studies


class Command(AnsweringCommand):
    """Bring labels in, or take them out."""

    help = "Import labels into a study, or export those of a corpus."

    def add_arguments(self, parser: CommandParser) -> None:
        """Two directions."""
        directions = parser.add_subparsers(dest="direction", required=True)
        take = directions.add_parser("import", help="Append the answers of a CSV or JSONL file.")
        take.add_argument("study", metavar="STUDY", help="Name or id.")
        take.add_argument(
            "file",
            metavar="FILE",
            help="With left_id, right_id, verdict[, labeller, note, at, reasons, flagged].",
        )
        take.add_argument("--labeller", default="import", help="Who signs rows that name nobody.")
        give = directions.add_parser("export", help="Write everybody's current answers.")
        give.add_argument("corpus", metavar="CORPUS")
        give.add_argument("--format", choices=["csv", "jsonl"], default="csv")
        give.add_argument("--out", metavar="FILE", help="Standard output by default.")
        for direction in (take, give):
            direction.add_argument("--json", action="store_true", help="Print one JSON object.")

    def answer(self, options: dict[str, Any]) -> None:
        """Go one way or the other."""
        if options["direction"] == "import":
            self._import(options)
        else:
            self._export(options)

    def _import(self, options: dict[str, Any]) -> None:
        study = studies.find_study(name=options["study"])
        studies.check_ready(study)
        imported = label_files.import_labels(
            study=study, path=Path(options["file"]), at=timezone.now(), labeller=options["labeller"]
        )
        self.exit_status = REFUSED if imported.rejected else self.exit_status
        total = (
            f"{imported.read:,} read, {imported.accepted:,} accepted, {imported.unchanged:,} unchanged, "
            f"{imported.rejected:,} rejected."
        )
        lines = [total, *(f"  line {problem['line']}: {problem['reason']}" for problem in imported.problems)]
        self.reply(asdict(imported), lines, as_json=options["json"])

    def _export(self, options: dict[str, Any]) -> None:
        corpus = corpora.find_corpus(name=options["corpus"])
        rows = exports.labels(corpus)
        if options["out"]:
            path = Path(options["out"]).absolute()
            written = write_table(rows, exports.LABEL_COLUMNS, path, options["format"])
            values = {"file": str(path), "rows": written.rows, "sha256": written.sha256}
            self.reply(values, [f"{written.rows:,} labels in {path}."], as_json=options["json"])
            return
        if options["json"]:
            self.reply({"labels": list(rows)}, [], as_json=True)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labels"
            write_table(rows, exports.LABEL_COLUMNS, path, options["format"])
            sys.stdout.write(path.read_text(encoding="utf-8"))
