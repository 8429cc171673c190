from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from labeling.management.answering import AnsweringCommand, to_json
from labeling.services import pair_rows, pools, studies


class Command(AnsweringCommand):
    """Print the pool."""

    help = "Print the pairs of a study's pool with every score, one JSON object a line."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, and which of its pairs."""
        parser.add_argument("study", metavar="STUDY", help="Name or id.")
        parser.add_argument("--min", type=float, default=0.0, help="Lowest exact similarity, inclusive.")
        parser.add_argument("--max", type=float, default=1.0, help="Highest exact similarity, inclusive.")
        parser.add_argument(
            "--recipe", help="The recipe of --min and --max; by default that of the smallest k."
        )
        parser.add_argument("--limit", type=int)

    def answer(self, options: dict[str, Any]) -> None:
        """Print line by line, in the order of the texts' ordinals."""
        study = studies.find_study(name=options["study"])
        studies.check_ready(study)
        recipe = pair_rows.find_recipe(study, name=options["recipe"])
        jaccard = pools.open_pool(study).jaccard[recipe.digest]
        chosen = np.flatnonzero((jaccard >= options["min"] - 1e-12) & (jaccard <= options["max"] + 1e-12))
        for row in pair_rows.pool_rows(study, chosen[: options["limit"]].astype(np.int64)):
            self.stdout.write(to_json(row))
