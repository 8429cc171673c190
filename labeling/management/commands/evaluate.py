from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from dedup.evaluation import Choice, Evaluation, Figure, Interval
from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.services import figures, studies
from labeling.services.link_rules import RULES

NAMES = {"f1": "best_f1"}


class Command(AnsweringCommand):
    """Print precision and recall with their intervals."""

    help = "Estimate precision, recall and cost for every recipe and threshold, from the labels so far."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, and which settings."""
        parser.add_argument("study", metavar="STUDY", help="Name or id.")
        parser.add_argument("--score", choices=["exact", "estimate", "hamming"], help="All by default.")
        parser.add_argument(
            "--thresholds", type=float, nargs="+", action="extend", metavar="T", help="Similarities, or bits."
        )
        parser.add_argument("--cost-fp", type=float, default=1.0, help="Of a wrong merge.")
        parser.add_argument("--cost-fn", type=float, default=1.0, help="Of a missed duplicate.")
        parser.add_argument("--rule", choices=RULES, default="", help="Only pairs that pass become links.")

    def answer(self, options: dict[str, Any]) -> None:
        """Evaluate and print."""
        study = studies.find_study(name=options["study"])
        studies.check_ready(study)
        try:
            evaluation = figures.evaluate_study(
                study=study,
                score=options["score"],
                thresholds=options["thresholds"],
                rule=options["rule"],
                cost_fp=options["cost_fp"],
                cost_fn=options["cost_fn"],
            )
        except ValueError as error:
            raise CommandRefusedError(str(error)) from error
        values = {"study": study.name, "id": study.pk, **evaluation_values(evaluation)}
        self.reply(values, _lines(evaluation), as_json=options["json"])


def evaluation_values(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as JSON; what has no data is null."""
    return {
        "labels": asdict(evaluation.labels),
        "figures": [_figure_values(figure) for figure in evaluation.figures],
        "recommended": {
            NAMES.get(rule, rule): _choice_values(choice, evaluation)
            for rule, choice in evaluation.recommended.items()
        },
        "next_labels": [asdict(proposal) for proposal in evaluation.next_labels],
        "buckets": [asdict(bucket) for bucket in evaluation.buckets],
        "unlabelled": [str(cell) for cell in evaluation.unlabelled],
        "warnings": list(evaluation.warnings),
        "confidence": evaluation.confidence,
        "rule": evaluation.rule,
    }


def _figure_values(figure: Figure) -> dict[str, Any]:
    values = asdict(figure)
    for name in ("f1", "false_positives", "missed", "expected_cost"):
        interval = values.pop(f"{name}_interval")
        values[name] = {**interval, "estimate": values[name]}
    return values


def _choice_values(choice: Choice | None, evaluation: Evaluation) -> dict[str, Any] | None:
    if choice is None:
        return None
    k = next((figure.k for figure in evaluation.figures if figure.recipe == choice.recipe), None)
    return {**choice._asdict(), "k": k}


def _lines(evaluation: Evaluation) -> list[str]:
    labels = evaluation.labels
    total = (
        f"{labels.sampled:,} labelled pairs count ({labels.duplicate:,} duplicate, {labels.distinct:,} distinct, "
        f"{labels.unsure:,} unsure; {labels.known:,} known besides)."
    )
    lines = [total]
    lines += [
        f"  k = {row.k}, {row.score}, {row.threshold:g}: precision {_words(row.precision)}, recall {_words(row.recall)}, "
        f"{row.links:,} links"
        for row in evaluation.figures
    ]
    lines += [f"  {warning}" for warning in evaluation.warnings]
    return lines


def _words(interval: Interval) -> str:
    if interval.estimate is None:
        return "no data"
    return f"{interval.estimate:.2f} ({interval.low:.2f}-{interval.high:.2f})"
