from typing import Any

from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand, to_json
from labeling.services import studies
from labeling.services.document_names import names_of
from labeling.services.verdicts import current_verdicts

BATCH = 200


class Command(AnsweringCommand):
    """Print the pairs to label."""

    help = "Print the drawn pairs without a verdict in queue order, one JSON object a line, without scores."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, and how many pairs."""
        parser.add_argument("study", metavar="STUDY", help="Name or id.")
        parser.add_argument("--limit", type=int)
        parser.add_argument("--all", action="store_true", help="Also pairs that have a verdict.")

    def answer(self, options: dict[str, Any]) -> None:
        """Print line by line."""
        study = studies.find_study(name=options["study"])
        studies.check_ready(study)
        judged = {} if options["all"] else current_verdicts(study)
        rows = study.study_pairs.filter(drawn=True).order_by("position", "id")
        keys = [key for key, pair in rows.values_list("pk", "pair_id") if pair not in judged]
        keys = keys[: options["limit"]]
        for start in range(0, len(keys), BATCH):
            part = rows.filter(pk__in=keys[start : start + BATCH]).select_related("pair__left", "pair__right")
            texts = {side.ordinal for row in part for side in (row.pair.left, row.pair.right)}
            names = names_of(study.corpus, texts)
            for row in part:
                left, right = row.pair.left, row.pair.right
                self.stdout.write(
                    to_json(
                        {
                            "pair": row.pk,
                            "left_id": names.get(left.ordinal, ""),
                            "right_id": names.get(right.ordinal, ""),
                            "left_text": left.body,
                            "right_text": right.body,
                        }
                    )
                )
